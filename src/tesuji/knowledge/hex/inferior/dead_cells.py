"""Dead cells of Hex, as far as the six cells around each, its ring, show it; derived by trying all completions.

A cell is dead if, however the empty cells around it are filled, the stones of each colour around it are in one piece: then it
never joins anything that is not joined without it, and may have either colour. Borders count as stones. The number of a ring
has a digit of base 3 for each cell: 0 empty, 1 black, 2 white. What more cells show is in windows.py.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from tesuji.knowledge.hex.geometry import CLOCKWISE, RING

RINGS = 3**RING


def _is_dead(ring: tuple[int, ...]) -> bool:
    """Whether a cell with these colours around it is dead (0 = not filled yet)."""
    around = [ring[cell] for cell in CLOCKWISE]
    for filled in product((1, 2), repeat=around.count(0)):
        stones = iter(filled)
        colours = [colour or next(stones) for colour in around]
        if sum(colours[i] != colours[i - 1] for i in range(RING)) > 2:
            return False
    return True


ALL_RINGS = [tuple(reversed(ring)) for ring in product(range(3), repeat=RING)]  # ring number n is ALL_RINGS[n]
DEAD = np.array([_is_dead(ring) for ring in ALL_RINGS], np.bool_)
MAJORITY = np.array([ring.count(2) > ring.count(1) for ring in ALL_RINGS], np.int64)  # the player with more stones
