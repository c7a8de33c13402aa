"""The symmetries of a rectangle, for games that implement `rules.symmetries` and `rules.image`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.rules import image, position_hash, symmetries

RECTANGLE, SQUARE = 4, 8  # how many symmetries each has, the identity included


@kernel
def cell_image(row, column, last_row, last_column, number):
    """(row, column) of the image of a cell under the symmetry of this number.

    Bit 0 of `number` exchanges left and right, bit 1 top and bottom, and then bit 2 rows and columns: on squares only. Rows are
    0 .. `last_row`, columns 0 .. `last_column`.
    """
    if number & 1 != 0:
        column = last_column - column
    if number & 2 != 0:
        row = last_row - row
    return (column, row) if number & 4 != 0 else (row, column)


def is_symmetric(state: Any) -> bool:
    """Whether a position is an image of itself, as the empty board is."""
    images = np.zeros(1, state.dtype)
    for number in range(1, int(symmetries(state))):
        images[0] = state
        image(state, number, images[0])
        if position_hash(images[0]) == position_hash(state):
            return True
    return False
