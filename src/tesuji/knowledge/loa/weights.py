"""The file of category weights: how often each category was played and could have been, in JSON.

The counts are kept, not the probabilities: whoever reads them may see how sure each is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.files import write_file
from tesuji.knowledge.loa.categories import CATEGORIES, category_text
from tesuji.knowledge.weight_files import Kind, count_of, same_number, shown

GAME = "loa"
KIND = Kind("tesuji move categories", 1, GAME, "category weights", "tesuji learn categories")
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
        write_file(path, self.as_text().encode(), KIND.file)

    def as_text(self) -> str:
        seen = [int(c) for c in np.flatnonzero(self.available)]
        lines = [f'    "{category_text(c)}": [{c}, {int(self.played[c])}, {int(self.available[c])}]' for c in seen]
        head = {
            **KIND.header(),
            "games": self.games,
            "positions": self.positions,
            "category_count": CATEGORIES,
        }
        opening = json.dumps(head, indent=2)[:-2]
        return opening + ',\n  "counts": {\n' + ",\n".join(lines) + "\n  }\n}\n"


def load_weights(path: str | Path) -> CategoryWeights:
    """The weights in a file; a UserError says in one line why it cannot be used."""
    data = KIND.load(path)
    if not same_number(data.get("category_count"), CATEGORIES):
        found = shown(data.get("category_count"))
        raise UserError(f"{path} holds {KIND.what} for {found} categories, not for {CATEGORIES}: learn them again")
    played, available = np.zeros(CATEGORIES, np.int64), np.zeros(CATEGORIES, np.int64)
    try:
        for category, times, chances in data["counts"].values():
            if not (count_of(times) <= count_of(chances) and count_of(category) < CATEGORIES) or available[category]:
                raise ValueError
            played[category], available[category] = times, chances
        return CategoryWeights(played, available, count_of(data["games"]), count_of(data["positions"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UserError(f"{path} is damaged: its counts are not those of {KIND.what}; learn them again") from None


def chosen_weights(files: Mapping[Kind, str]) -> CategoryWeights:
    """The weights of the file that was chosen, if there is one, or the shipped ones."""
    return load_weights(files[KIND]) if KIND in files else shipped_weights()


@cache
def shipped_weights() -> CategoryWeights:
    """The weights that come with the package."""
    return load_weights(SHIPPED)
