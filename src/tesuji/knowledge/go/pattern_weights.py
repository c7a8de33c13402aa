"""The file of patterns of the K nearest neighbours: JSON with the counts of each pattern, packed.

A pattern is known by its key alone (nearest_patterns.py), a hash: whoever changes how keys are made must raise the version.
"""

from __future__ import annotations

import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.files import write_file
from tesuji.knowledge.go.nearest_patterns import KEY_BITS, MOST_NEIGHBOURS, REACH, table_of
from tesuji.knowledge.weight_files import Kind, count_of, packed, same_number, shown, unpacked

GAME = "go"
KIND = Kind("tesuji nearest patterns", 1, GAME, "patterns of nearest neighbours", "tesuji learn patterns")
SHIPPED = Path(__file__).parent / "nearest_patterns.json"
MOST_PATTERNS = 1 << 22
PRIOR = 6.0  # matches that every pattern is given beforehand, played at the mean rate


@dataclass(frozen=True)
class PatternWeights:
    """Of each pattern, keys in order: how often it was the largest that matched a legal move, how often that was played."""

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

    def save(self, path: str | Path) -> None:
        write_file(path, self.as_text().encode(), KIND.file)

    def as_text(self) -> str:
        head = {
            **KIND.header(),
            "games": self.games,
            "positions": self.positions,
            "neighbours": MOST_NEIGHBOURS,
            "reach": REACH,
            "patterns": len(self.keys),
            "keys": packed(np.diff(self.keys, prepend=np.uint64(0))),
            "plays": packed(self.plays),
            "matches": packed(self.matches),
        }
        return json.dumps(head, indent=2) + "\n"


def load_patterns(path: str | Path) -> PatternWeights:
    """The patterns in a file; a UserError says in one line why it cannot be used."""
    data = KIND.load(path)
    for name, wanted in (("neighbours", MOST_NEIGHBOURS), ("reach", REACH)):
        if not same_number(data.get(name), wanted):
            found = shown(data.get(name))
            raise UserError(f"{path} holds {KIND.what} with {name} {found}, not {wanted}: learn them again")
    try:
        count = count_of(data["patterns"])
        if not 0 < count <= MOST_PATTERNS:
            raise ValueError
        with np.errstate(over="ignore"):
            keys = np.cumsum(unpacked(data["keys"], count), dtype=np.uint64)
        plays, matches = (unpacked(data[name], count).astype(np.int64) for name in ("plays", "matches"))
        in_order = bool(np.all(keys[1:] > keys[:-1])) and int(keys[-1]) >> KEY_BITS == 0
        if not in_order or plays.min() < 0 or matches.max() >= 1 << 53 or np.any(plays > matches):
            raise ValueError
        return PatternWeights(keys, plays, matches, count_of(data["games"]), count_of(data["positions"]))
    except (KeyError, TypeError, ValueError, binascii.Error):
        raise UserError(f"{path} is damaged: its counts are not those of {KIND.what}; learn them again") from None


def chosen_patterns(files: Mapping[Kind, str]) -> PatternWeights:
    """The patterns of the file that was chosen, if there is one, or the shipped ones."""
    return load_patterns(files[KIND]) if KIND in files else shipped_patterns()


@cache
def shipped_patterns() -> PatternWeights:
    """The patterns that come with the package."""
    return load_patterns(SHIPPED)
