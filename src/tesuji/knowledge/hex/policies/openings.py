"""How good each first move of Hex is for Black, by size of the board: whether to swap it, and which to begin with.

The shipped file was computed by searches of the player `hex` (`tesuji learn openings`); small boards are solved. A search
thinks a little too well of the side to move, which is White after the first move: hence `FAIR` is below one half. It was chosen
to fit the map of a strong player for 11x11 (docs/papers/mohex2.md).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.games.hex.state import LARGEST
from tesuji.knowledge.weight_files import Kind, Weights

GAME = "hex"
SHIPPED = Path(__file__).parent / "openings.json"
KIND = Kind("tesuji hex openings", 1, GAME, "openings of Hex", "tesuji learn openings", SHIPPED)
FAIR = 0.487  # Black's chance, as the table has it, at which an opening is worth the same to both
STEPS = 1000  # chances are written in thousandths


@dataclass(frozen=True)
class FirstMoves(Weights):
    """Black's winning chances by size, for all cells of the board in the order of its moves."""

    KIND = KIND

    chances: Mapping[int, np.ndarray]

    def as_text(self) -> str:
        sizes = {str(size): _rows(size, self.chances[size]) for size in sorted(self.chances)}
        return json.dumps({**KIND.header(), "sizes": sizes}, indent=2) + "\n"

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> FirstMoves:
        return cls({int(size): _chances(int(size), rows) for size, rows in data["sizes"].items()})

    def with_size(self, size: int, chances: np.ndarray) -> FirstMoves:
        return FirstMoves({**self.chances, size: chances})


def _rows(size: int, chances: np.ndarray) -> list[str]:
    steps = np.rint(STEPS * chances).astype(int).reshape(size, size)
    return [" ".join(map(str, row)) for row in steps]


def _chances(size: int, rows: Any) -> np.ndarray:
    chances = np.array([int(word) for row in rows for word in row.split()], np.float64) / STEPS
    if (
        not 1 <= size <= LARGEST
        or len(rows) != size
        or len(chances) != size * size
        or chances.min() < 0.0
        or chances.max() > 1.0
    ):
        raise ValueError
    return chances


def fairest(chances: np.ndarray) -> int:
    """The opening with which neither side should mind to have either colour."""
    return int(np.argmin(np.abs(chances - FAIR)))
