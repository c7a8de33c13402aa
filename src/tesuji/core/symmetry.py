"""The symmetries of a rectangle, for games that name theirs (`rules.symmetries`, `rules.image`)."""

from __future__ import annotations

from tesuji.core.dispatch import kernel

RECTANGLE, SQUARE = 4, 8  # how many symmetries they have


@kernel
def turned(row, column, last_row, last_column, number):
    """(row, column) of a cell's image.

    Bit 0 of the number exchanges left and right, bit 1 top and bottom, and then bit 2 rows and columns: on squares only.
    `last_row` and `last_column` are those of the cells that are turned.
    """
    if number & 1 != 0:
        column = last_column - column
    if number & 2 != 0:
        row = last_row - row
    return (column, row) if number & 4 != 0 else (row, column)
