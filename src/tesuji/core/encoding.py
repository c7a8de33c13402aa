"""The shape of a network's input and output: what `rules.planes` fills in, and where in the output `rules.place` finds a move.

A position is an array rows x columns x planes from the point of view of the player to move. A policy is a flat array: a number
for each policy plane, row and column, (plane * rows + row) * columns + column, and then one for each move that lies nowhere on
the board, such as a pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.symmetry import cell_image

MOST_SIDE, MOST_PLANES, MOST_OTHERS = 64, 256, 64


@dataclass(frozen=True)
class Encoding:
    """The shape at one size of a game. Networks fit every size, so all but rows and columns must be the same at all of them."""

    rows: int
    columns: int
    names: tuple[str, ...]  # of the input planes
    policy_planes: int = 1
    others: int = 0  # moves that lie nowhere on the board
    lowest: float = 0.0  # of all numbers that `planes` writes
    highest: float = 1.0
    # By number of an image (`rules.image`): the number of the array's symmetry in `core/symmetry.cell_image`; and, where that
    # exchanges policy planes, the image of each of them.
    turns: tuple[int, ...] = (0,)
    policy_turns: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        for what, number, least, most in (
            ("rows", self.rows, 1, MOST_SIDE),
            ("columns", self.columns, 1, MOST_SIDE),
            ("input planes", self.planes, 1, MOST_PLANES),
            ("policy planes", self.policy_planes, 1, MOST_PLANES),
            ("other moves", self.others, 0, MOST_OTHERS),
        ):
            if not least <= number <= most:
                raise UserError(f"an encoding with {number} {what} is out of range: {least} to {most}")
        if any(turn & 4 for turn in self.turns) and self.rows != self.columns:
            raise UserError(f"an encoding of {self.rows}x{self.columns} cannot exchange rows and columns")
        if self.policy_turns and len(self.policy_turns) != len(self.turns):
            raise UserError("an encoding needs as many policy_turns as turns, or none")

    @property
    def planes(self) -> int:
        return len(self.names)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of the array that `rules.planes` fills."""
        return self.rows, self.columns, self.planes

    @property
    def places(self) -> int:
        """Of the policy: those on the board, then those of the other moves."""
        return self.rows * self.columns * self.policy_planes + self.others

    @property
    def content(self) -> tuple[tuple[str, ...], int, int]:
        """What a network must have been made for to be of use here, whatever the size."""
        return self.names, self.policy_planes, self.others

    def empty(self) -> np.ndarray:
        """Zeros for `rules.planes` to fill."""
        return np.zeros(self.shape, np.float32)

    # -- images, for learning and for averaging ----------------------------------------------------------------------
    @cached_property
    def cell_images(self) -> np.ndarray:
        """[number of the image, cell]: where each cell, row by row, goes."""
        images = np.zeros((len(self.turns), self.rows * self.columns), np.int64)
        for number, turn in enumerate(self.turns):
            for cell in range(self.rows * self.columns):
                row, column = cell_image(cell // self.columns, cell % self.columns, self.rows - 1, self.columns - 1, turn)
                images[number, cell] = row * self.columns + column
        return images

    @cached_property
    def place_images(self) -> np.ndarray:
        """[number of the image, place]: where each place of the policy goes; those beside the board stay."""
        cells = self.rows * self.columns
        images = np.tile(np.arange(self.places), (len(self.turns), 1))
        for number in range(len(self.turns)):
            planes = self.policy_turns[number] if self.policy_turns else range(self.policy_planes)
            for plane, image in enumerate(planes):
                images[number, plane * cells : (plane + 1) * cells] = image * cells + self.cell_images[number]
        return images

    def image_of_planes(self, planes: np.ndarray, number: int) -> np.ndarray:
        """The planes (rows x columns x planes, after any other axes) of the image, from those of the position."""
        flat = planes.reshape(*planes.shape[:-3], self.rows * self.columns, planes.shape[-1])
        result = np.empty_like(flat)
        result[..., self.cell_images[number], :] = flat
        return result.reshape(planes.shape)

    def image_of_policy(self, policy: np.ndarray, number: int) -> np.ndarray:
        """The numbers (the last axis: places) of the image, from those of the position."""
        result = np.empty_like(policy)
        result[..., self.place_images[number]] = policy
        return result
