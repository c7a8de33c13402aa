"""The file of move strengths of Go: JSON with the strengths of patterns (nearest_patterns.py) and of other features, packed.

Whoever changes how the keys of patterns or the numbers of features (move_features.py) are made must raise the version.
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
from tesuji.knowledge.go.move_features import FAMILIES, FEATURES
from tesuji.knowledge.go.nearest_patterns import KEY_BITS, table_of
from tesuji.knowledge.weight_files import Kind, Strengths, count_of, from_steps, in_steps, packed, unpacked

GAME = "go"
KIND = Kind("tesuji move strengths", 1, GAME, "move strengths", "tesuji learn patterns --by strengths")
SHIPPED = Path(__file__).parent / "move_strengths.json"


@dataclass(frozen=True, eq=False)
class MoveStrengths:
    """Of each pattern and of each feature of a family: its strength."""

    patterns: Strengths
    features: np.ndarray  # float64 [family, feature]
    games: int
    positions: int

    @property
    def count(self) -> int:
        return len(self.patterns.keys)

    def table(self) -> np.ndarray:
        """The patterns for `find_pattern`, made once; their strengths in proportion to the largest."""
        return self._table

    @cached_property
    def _table(self) -> np.ndarray:
        return table_of(self.patterns.keys, self.patterns.gammas / self.patterns.gammas.max())

    def save(self, path: str | Path) -> None:
        write_file(path, self.as_text().encode(), KIND.file)

    def as_text(self) -> str:
        head = {
            **KIND.header(),
            "games": self.games,
            "positions": self.positions,
            "patterns": self.patterns.as_json(),
            "features": {name: packed(in_steps(row)) for name, row in zip(FAMILIES, self.features, strict=True)},
        }
        return json.dumps(head, indent=2) + "\n"


def load_patterns(path: str | Path) -> MoveStrengths:
    """The strengths in a file; a UserError says in one line why it cannot be used."""
    data = KIND.load(path)
    try:
        patterns = Strengths.from_json(data["patterns"])
        if int(patterns.keys[-1]) >> KEY_BITS:
            raise ValueError
        features = np.array([from_steps(unpacked(data["features"][name], FEATURES)) for name in FAMILIES])
        return MoveStrengths(patterns, features, count_of(data["games"]), count_of(data["positions"]))
    except (KeyError, TypeError, ValueError, binascii.Error):
        raise UserError(f"{path} is damaged: its strengths are not those of moves of Go; learn them again") from None


def chosen_strengths(files: Mapping[Kind, str]) -> MoveStrengths:
    """The strengths of the file that was chosen, if there is one, or the shipped ones."""
    return load_patterns(files[KIND]) if KIND in files else shipped_strengths()


@cache
def shipped_strengths() -> MoveStrengths:
    """The strengths that come with the package."""
    return load_patterns(SHIPPED)
