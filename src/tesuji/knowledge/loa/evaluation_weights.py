"""The file of evaluation weights: points for one unit of each feature, in JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.files import write_file
from tesuji.knowledge.loa.features import FEATURES
from tesuji.knowledge.weight_files import Kind, count_of

GAME = "loa"
KIND = Kind("tesuji evaluation weights", 1, GAME, "evaluation weights", "tesuji learn evaluation")
MOST_POINTS = 1e9  # for one unit of a feature; far more would overflow on the way
SHIPPED = Path(__file__).parent / "evaluation.json"


@dataclass(frozen=True)
class EvaluationWeights:
    """`terms` are float64, one for each of FEATURES; `games` and `positions` say what they were fitted to."""

    terms: np.ndarray
    games: int
    positions: int

    def save(self, path: str | Path) -> None:
        write_file(path, self.as_text().encode(), KIND.file)

    def as_text(self) -> str:
        data = {
            **KIND.header(),
            "games": self.games,
            "positions": self.positions,
            "weights": {name: float(term) for name, term in zip(FEATURES, self.terms, strict=True)},
        }
        return json.dumps(data, indent=2) + "\n"


def load_evaluation(path: str | Path) -> EvaluationWeights:
    """The weights in a file; a UserError says in one line why it cannot be used."""
    data = KIND.load(path)
    try:
        weights = data["weights"]
        if set(weights) != set(FEATURES):
            raise ValueError
        terms = np.array([_number(weights[name]) for name in FEATURES])
        return EvaluationWeights(terms, count_of(data["games"]), count_of(data["positions"]))
    except (KeyError, TypeError, ValueError, OverflowError):
        raise UserError(
            f"{path} is damaged: it must have a number for each of: {', '.join(FEATURES)}; learn it again"
        ) from None


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not abs(value) <= MOST_POINTS:  # no number at all is not below it either
        raise ValueError
    return float(value)


@cache
def shipped_evaluation() -> EvaluationWeights:
    """The weights that come with the package."""
    return load_evaluation(SHIPPED)
