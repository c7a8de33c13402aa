"""The file of category weights: how often each category was played and could have been, in JSON.

The counts are kept, not the probabilities: whoever reads them may see how sure each is. The file names its format, its
version and the game, and is refused if any of them is another.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.files import write_whole
from tesuji.knowledge.loa.categories import CATEGORIES, category_text

FORMAT = "tesuji move categories"
VERSION = 1
GAME = "loa"
SHIPPED = Path(__file__).parent / "categories.json"
PRIOR = 2.0  # positions that every category is given beforehand, at the mean rate


@dataclass(frozen=True)
class CategoryWeights:
    """Of each category: the positions in which a move of it was played, and those in which there was one to play."""

    played: np.ndarray
    available: np.ndarray
    games: int
    positions: int

    def probabilities(self) -> np.ndarray:
        """P = played / available, drawn to the mean rate where little was seen; float64[CATEGORIES], all above 0."""
        mean = self.played.sum() / max(1, self.available.sum())
        return (self.played + PRIOR * max(mean, 1e-6)) / (self.available + PRIOR)

    def save(self, path: str | Path) -> None:
        write_whole(Path(path), self.as_text().encode())

    def as_text(self) -> str:
        seen = [int(c) for c in np.flatnonzero(self.available)]
        lines = [f'    "{category_text(c)}": [{c}, {int(self.played[c])}, {int(self.available[c])}]' for c in seen]
        head = {
            "format": FORMAT,
            "version": VERSION,
            "game": GAME,
            "games": self.games,
            "positions": self.positions,
            "category_count": CATEGORIES,
        }
        opening = json.dumps(head, indent=2)[:-2]
        return opening + ',\n  "counts": {\n' + ",\n".join(lines) + "\n  }\n}\n"


def load_weights(path: str | Path) -> CategoryWeights:
    """The weights in a file; a UserError says in one line why it cannot be used."""
    try:
        data = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:
        raise UserError(f"{path} is not a file of category weights: it is not JSON") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UserError(f"{path} is not a file of category weights ('tesuji learn categories' writes them)")
    if data.get("game") != GAME:
        raise UserError(f"{path} holds weights for the game {data.get('game')}, not for {GAME}")
    if data.get("version") != VERSION or data.get("category_count") != CATEGORIES:
        found = f"version {data.get('version')} with {data.get('category_count')} categories"
        raise UserError(f"{path} has {found}, not version {VERSION} with {CATEGORIES}: learn it again from the game records")
    return _read(path, data)


def is_weights_file(path: str | Path) -> bool:
    """Whether the file is one of category weights, of whatever version."""
    try:
        data = json.loads(Path(path).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and data.get("format") == FORMAT


def _read(path: str | Path, data: dict[str, Any]) -> CategoryWeights:
    played, available = np.zeros(CATEGORIES, np.int64), np.zeros(CATEGORIES, np.int64)
    try:
        for category, times, chances in data["counts"].values():
            if not (0 <= times <= chances and 0 <= category < CATEGORIES):
                raise ValueError
            played[category], available[category] = times, chances
        return CategoryWeights(played, available, int(data["games"]), int(data["positions"]))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError):
        raise UserError(f"{path} is damaged: its counts are not those of category weights; learn it again") from None


@cache
def shipped_weights() -> CategoryWeights:
    """The weights that come with the package."""
    return load_weights(SHIPPED)
