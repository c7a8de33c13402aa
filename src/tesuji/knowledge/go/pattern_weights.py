"""The file of patterns of the K nearest neighbours: JSON with the counts of each pattern, packed.

A pattern is known by its key alone (nearest_patterns.py), a hash: whoever changes how keys are made must raise the version.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.knowledge.go.nearest_patterns import KEY_BITS, MOST_NEIGHBOURS, REACH, table_of
from tesuji.knowledge.weight_files import Kind, Weights, count_of, packed, unpacked

GAME = "go"
SHIPPED = Path(__file__).parent / "nearest_patterns.json"
NUMBERS = (("neighbours", MOST_NEIGHBOURS), ("reach", REACH))
KIND = Kind("tesuji nearest patterns", 1, GAME, "patterns of nearest neighbours", "tesuji learn patterns", SHIPPED, NUMBERS)
MOST_PATTERNS = 1 << 22
PRIOR = 6.0  # matches that every pattern is given beforehand, played at the mean rate


@dataclass(frozen=True)
class PatternWeights(Weights):
    """Of each pattern, keys in order: how often it was the largest that matched a legal move, how often that was played."""

    KIND = KIND

    keys: np.ndarray  # uint64
    plays: np.ndarray
    matches: np.ndarray
    games: int
    positions: int

    @property
    def count(self) -> int:
        return len(self.keys)

    def probabilities(self) -> np.ndarray:
        """Plays / matches, drawn to the mean rate where little was seen."""
        mean = max(self.plays.sum(), 1) / max(self.matches.sum(), 1)
        return (self.plays + PRIOR * mean) / (self.matches + PRIOR)

    def table(self) -> np.ndarray:
        """For `find_pattern`, made once: that takes as long as a thousand simulations, and some begin a search every move."""
        return self._table

    @cached_property
    def _table(self) -> np.ndarray:
        return table_of(self.keys, self.probabilities())

    def as_text(self) -> str:
        head = {
            **KIND.header(),
            "games": self.games,
            "positions": self.positions,
            **dict(NUMBERS),
            "patterns": len(self.keys),
            "keys": packed(np.diff(self.keys, prepend=np.uint64(0))),
            "plays": packed(self.plays),
            "matches": packed(self.matches),
        }
        return json.dumps(head, indent=2) + "\n"

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> PatternWeights:
        count = count_of(data["patterns"])
        if not 0 < count <= MOST_PATTERNS:
            raise ValueError
        with np.errstate(over="ignore"):
            keys = np.cumsum(unpacked(data["keys"], count), dtype=np.uint64)
        plays, matches = (unpacked(data[name], count).astype(np.int64) for name in ("plays", "matches"))
        in_order = bool(np.all(keys[1:] > keys[:-1])) and int(keys[-1]) >> KEY_BITS == 0
        if not in_order or plays.min() < 0 or matches.max() >= 1 << 53 or np.any(plays > matches):
            raise ValueError
        return cls(keys, plays, matches, count_of(data["games"]), count_of(data["positions"]))
