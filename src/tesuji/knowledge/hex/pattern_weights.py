"""The file of learned patterns of Hex: JSON with the strengths of each pattern and feature, packed.

Patterns are known by their codes (patterns.py) and features by
their keys (features.py): whoever changes how these are made must raise the version.
"""

from __future__ import annotations

import binascii
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.files import write_file
from tesuji.knowledge.hex.features import EDGE_FEATURES, LAST_CLASSES
from tesuji.knowledge.hex.prior import FeatureTable, feature_table, summed_table
from tesuji.knowledge.weight_files import Kind, Strengths, count_of, from_steps, in_steps, packed, unpacked

GAME = "hex"
KIND = Kind("tesuji hex patterns", 1, GAME, "patterns of Hex", "tesuji learn patterns --game hex")
SHIPPED = Path(__file__).parent / "patterns.json"
MOST_LOADED = 2  # files kept in memory: one for each of two players


@dataclass(frozen=True, eq=False)
class HexPatterns:
    """What was learned. `everywhere` and `replies` are for playouts: the paper's global and local patterns, by code. `features`
    (by key), `last` and `edges` are for the tree."""

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

    def save(self, path: str | Path) -> None:
        write_file(path, self.as_text().encode(), KIND.file)

    def as_text(self) -> str:
        head: dict[str, Any] = {**KIND.header(), "games": self.games, "positions": self.positions}
        for name in ("everywhere", "replies", "features"):
            head[name] = getattr(self, name).as_json()
        for name in ("last", "edges"):
            head[name] = packed(in_steps(getattr(self, name)))
        return json.dumps(head, indent=2) + "\n"


def load_patterns(path: str | Path) -> HexPatterns:
    """The patterns in a file; a UserError says in one line why it cannot be used."""
    data = KIND.load(path)
    try:
        everywhere, replies, features = (Strengths.from_json(data[name]) for name in ("everywhere", "replies", "features"))
        if any(int(part.keys.max()) >> 32 for part in (everywhere, replies)):
            raise ValueError
        last = from_steps(unpacked(data["last"], LAST_CLASSES))
        edges = from_steps(unpacked(data["edges"], EDGE_FEATURES))
        games, positions = count_of(data["games"]), count_of(data["positions"])
        return HexPatterns(everywhere, replies, features, last, edges, games, positions)
    except (KeyError, TypeError, ValueError, binascii.Error):
        raise UserError(f"{path} is damaged: its strengths are not those of {KIND.what}; learn them again") from None


def chosen_patterns(files: Mapping[Kind, str]) -> HexPatterns:
    """The patterns of the file that was chosen, if there is one, or the shipped ones."""
    if KIND not in files:
        return shipped_patterns()
    path = files[KIND]
    try:
        status = os.stat(path)
    except OSError:
        return load_patterns(path)  # which says what is wrong with it
    return _patterns_of_version(path, (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=MOST_LOADED)
def _patterns_of_version(path: str, _version: tuple[int, ...]) -> HexPatterns:
    """The patterns of a file, read again only when it has changed: searches that follow each other share their tables."""
    return load_patterns(path)


@cache
def shipped_patterns() -> HexPatterns:
    """The patterns that come with the package."""
    return load_patterns(SHIPPED)
