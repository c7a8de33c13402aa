"""The file of learned patterns of Hex: JSON with the strengths of each pattern and feature, packed.

Patterns are known by their codes (codes.py) and features by their keys (features.py): whoever changes how these are made must
raise the version.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.knowledge.hex.patterns.features import EDGE_FEATURES, LAST_CLASSES
from tesuji.knowledge.hex.patterns.priors import FeatureTable, feature_table, summed_table
from tesuji.knowledge.weight_files import Kind, Strengths, Weights, count_of, from_steps, in_steps, packed, unpacked

GAME = "hex"
SHIPPED = Path(__file__).parent / "patterns.json"
KIND = Kind("tesuji hex patterns", 1, GAME, "patterns of Hex", "tesuji learn patterns --game hex", SHIPPED)


@dataclass(frozen=True, eq=False)
class HexPatterns(Weights):
    """What was learned. `everywhere` and `replies` are for playouts: the paper's global and local patterns, by code. `features`
    (by key), `last` and `edges` are for the tree."""

    KIND = KIND

    everywhere: Strengths
    replies: Strengths
    features: Strengths
    last: np.ndarray
    edges: np.ndarray
    games: int
    positions: int

    @property
    def count(self) -> int:
        return len(self.features.keys)

    @cached_property
    def product_table(self) -> FeatureTable:
        """For the product of all features. Tables are made once: that takes as long as many thousand simulations."""
        return feature_table(self.features.keys, self.features.gammas, self.last, self.edges)

    @cached_property
    def sum_table(self) -> FeatureTable:
        """For the sum of the two patterns of a move."""
        return summed_table(self.everywhere.keys, self.everywhere.gammas, self.replies.keys, self.replies.gammas)

    def as_text(self) -> str:
        head: dict[str, Any] = {**KIND.header(), "games": self.games, "positions": self.positions}
        for name in ("everywhere", "replies", "features"):
            head[name] = getattr(self, name).as_json()
        for name in ("last", "edges"):
            head[name] = packed(in_steps(getattr(self, name)))
        return json.dumps(head, indent=2) + "\n"

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> HexPatterns:
        everywhere, replies, features = (Strengths.from_json(data[name]) for name in ("everywhere", "replies", "features"))
        if any(int(part.keys.max()) >> 32 for part in (everywhere, replies)):
            raise ValueError
        last = from_steps(unpacked(data["last"], LAST_CLASSES))
        edges = from_steps(unpacked(data["edges"], EDGE_FEATURES))
        return cls(everywhere, replies, features, last, edges, count_of(data["games"]), count_of(data["positions"]))
