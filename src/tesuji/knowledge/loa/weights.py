"""The file of category weights: how often each category was played and could have been, in JSON.

The counts are kept, not the probabilities: whoever reads them may see how sure each is.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.knowledge.loa.categories import CATEGORIES, category_text
from tesuji.knowledge.weight_files import Kind, Weights, count_of

GAME = "loa"
SHIPPED = Path(__file__).parent / "categories.json"
NUMBERS = (("category_count", CATEGORIES),)
KIND = Kind("tesuji move categories", 1, GAME, "category weights", "tesuji learn categories", SHIPPED, NUMBERS)
PRIOR = 2.0  # positions that every category is given beforehand, at the mean rate


@dataclass(frozen=True)
class CategoryWeights(Weights):
    """Of each category: the positions in which a move of it was played, and those in which there was one to play."""

    KIND = KIND

    played: np.ndarray
    available: np.ndarray
    games: int
    positions: int

    def probabilities(self) -> np.ndarray:
        """P = played / available, drawn to the mean rate where little was seen; float64[CATEGORIES], all above 0."""
        mean = self.played.sum() / max(1, self.available.sum())
        return (self.played + PRIOR * max(mean, 1e-6)) / (self.available + PRIOR)

    def as_text(self) -> str:
        seen = [int(c) for c in np.flatnonzero(self.available)]
        lines = [f'    "{category_text(c)}": [{c}, {int(self.played[c])}, {int(self.available[c])}]' for c in seen]
        head = {
            **KIND.header(),
            "games": self.games,
            "positions": self.positions,
            **dict(NUMBERS),
        }
        opening = json.dumps(head, indent=2)[:-2]
        return opening + ',\n  "counts": {\n' + ",\n".join(lines) + "\n  }\n}\n"

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> CategoryWeights:
        played, available = np.zeros(CATEGORIES, np.int64), np.zeros(CATEGORIES, np.int64)
        for category, times, chances in data["counts"].values():
            if not (count_of(times) <= count_of(chances) and count_of(category) < CATEGORIES) or available[category]:
                raise ValueError
            played[category], available[category] = times, chances
        return cls(played, available, count_of(data["games"]), count_of(data["positions"]))
