"""The file of evaluation weights: points for one unit of each feature, in JSON.

The file names its format, its version and the game, and is refused if any of them is another.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.files import write_whole
from tesuji.knowledge.loa.features import FEATURES

FORMAT = "tesuji evaluation weights"
VERSION = 1
GAME = "loa"
SHIPPED = Path(__file__).parent / "evaluation.json"


@dataclass(frozen=True)
class EvaluationWeights:
    """`terms` are float64, one for each of FEATURES; `games` and `positions` say what they were fitted to."""

    terms: np.ndarray
    games: int
    positions: int

    def save(self, path: str | Path) -> None:
        write_whole(Path(path), self.as_text().encode())

    def as_text(self) -> str:
        data = {
            "format": FORMAT,
            "version": VERSION,
            "game": GAME,
            "games": self.games,
            "positions": self.positions,
            "weights": {name: float(term) for name, term in zip(FEATURES, self.terms, strict=True)},
        }
        return json.dumps(data, indent=2) + "\n"


def load_evaluation(path: str | Path) -> EvaluationWeights:
    """The weights in a file; a UserError says in one line why it cannot be used."""
    try:
        data = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise UserError(f"{path} is not a file of evaluation weights: it is not JSON") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UserError(f"{path} is not a file of evaluation weights ('tesuji learn evaluation' writes them)")
    if data.get("game") != GAME:
        raise UserError(f"{path} holds an evaluation of the game {data.get('game')}, not of {GAME}")
    if data.get("version") != VERSION:
        raise UserError(f"{path} has version {data.get('version')}, not {VERSION}: learn it again from the game records")
    return _read(path, data)


def is_evaluation_file(path: str | Path) -> bool:
    """Whether the file is one of evaluation weights, of whatever version."""
    try:
        data = json.loads(Path(path).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and data.get("format") == FORMAT


def _read(path: str | Path, data: dict[str, Any]) -> EvaluationWeights:
    try:
        weights = data["weights"]
        if set(weights) != set(FEATURES):
            raise ValueError
        terms = np.array([float(weights[name]) for name in FEATURES])
        if not all(math.isfinite(term) for term in terms):
            raise ValueError
        return EvaluationWeights(terms, int(data["games"]), int(data["positions"]))
    except (KeyError, TypeError, ValueError, OverflowError):
        raise UserError(
            f"{path} is damaged: it must have a number for each of: {', '.join(FEATURES)}; learn it again"
        ) from None


@cache
def shipped_evaluation() -> EvaluationWeights:
    """The weights that come with the package."""
    return load_evaluation(SHIPPED)
