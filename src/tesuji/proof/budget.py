"""What the check of a certificate may take. A few bytes can announce any number of positions, so what a file announces is not
enough: the work is limited by its size, unless the person who checks it allows more.

Work is counted, not timed, so that a file is checked or refused alike on every machine. Its unit is about a microsecond of CPU
time of the plain rules on the machine where this was measured. Nothing here needs to be trusted: a budget can end a check, but
not end it well.
"""

from __future__ import annotations

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.files import MIB
from tesuji.core.game import Game

MEMORY = 512  # MiB
FREE = 4_000_000  # work for any file: some seconds
PER_BYTE = 300  # more of it for each byte of the choices, as they are packed


class Budget:
    """Positions and MiB of memory. None: as many positions as the work allows that a file of its size may take, as much memory
    as there is.
    """

    def __init__(self, positions: int | None = None, memory: int | None = MEMORY):
        self._positions = positions
        self._memory = memory
        self._taken = 0  # bytes
        self._name = ""
        self._cost = 0  # of one position
        self._left: int | None = None  # work; None: as much as it takes

    def admit(self, name: str, positions: int, choices: int, cost: int) -> None:
        """A UserError if a file with so many bytes of choices announces too many positions that cost so much each. Its work is
        limited from here on.
        """
        self._name, self._cost = name, cost
        self._left = most_work(choices) if self._positions is None else None
        most = most_work(choices) // cost if self._positions is None else self._positions
        if positions > most:
            raise UserError(
                f"{name} announces {positions:,} positions, and {most:,} is the most that is checked of a file like it: "
                "raise that with --positions (of tesuji verify)"
            )

    def work(self, positions: int) -> None:
        """So many positions are made, those among them that the proof has met before or that the rules show."""
        if self._left is not None:
            self._left -= positions * self._cost
            if self._left < 0:
                raise UserError(
                    f"{self._name} takes more work than is done for a file of its size: "
                    "say with --positions (of tesuji verify) how many positions it may have"
                )

    def take(self, size: int) -> None:
        """Bytes that are kept from now on; fewer than none if they are not any more."""
        self._taken += size
        if self._memory is not None and self._taken > self._memory * MIB:
            raise UserError(
                f"the check takes more than {self._memory:,} MiB of memory: raise that with --memory (of tesuji verify)"
            )


def most_work(choices: int) -> int:
    """For a file that has so many bytes of choices, as they are packed."""
    return FREE + PER_BYTE * choices


def cost_of_position(game: Game, symmetry: bool) -> int:
    """The work for one position: it grows with the moves and the record of the game, and with each image to compare."""
    record = game.initial.dtype.itemsize
    images = int(rules.symmetries(game.initial)) if symmetry and game.has_symmetries else 0
    return 50 + game.move_count * (3 + record // 2000 + images * (12 + record // 200))


def may_exceed(game: Game, symmetry: bool, positions: int, choices: int) -> bool:
    """Whether the work for so many positions may be more than usual: at most, every move of the game is made in each."""
    return (positions * game.move_count + game.max_plies) * cost_of_position(game, symmetry) > most_work(choices)
