"""What the check of a certificate may take. A few bytes can announce any number of positions, so it does not decide alone.

Nothing here needs to be trusted: a budget can end a check, but not end it well.
"""

from __future__ import annotations

from tesuji.core.errors import UserError
from tesuji.core.files import MIB

MEMORY = 512  # MiB
PER_BYTE = 64  # positions that a byte of the file's choices may stand for; the writer packs them no closer (`format.encode`)
FREE = 1000  # positions that it may have beyond that
FREE_IN_PUZZLE = 1_000_000  # the same in a game for one: that no way is better needs no choices, however many there are


class Budget:
    """Positions and MiB of memory. None: as many positions as a file of its size may need, as much memory as there is."""

    def __init__(self, positions: int | None = None, memory: int | None = MEMORY):
        self._positions = positions
        self._memory = memory
        self._taken = 0  # bytes

    def admit(self, name: str, positions: int, choices: int, players: int) -> None:
        """A UserError if a file with so many bytes of choices announces too many positions of a game for so many players."""
        most = most_positions(choices, players) if self._positions is None else self._positions
        if positions > most:
            raise UserError(
                f"{name} announces {positions:,} positions, and {most:,} is the most that is checked of a file like it: "
                "raise that with --positions (of tesuji verify)"
            )

    def take(self, size: int) -> None:
        """Bytes that are kept from now on; fewer than none if they are not any more."""
        self._taken += size
        if self._memory is not None and self._taken > self._memory * MIB:
            raise UserError(
                f"the check takes more than {self._memory:,} MiB of memory: raise that with --memory (of tesuji verify)"
            )


def most_positions(choices: int, players: int) -> int:
    """How many positions a file may announce that has so many bytes of choices, as they are packed."""
    return PER_BYTE * choices + (FREE_IN_PUZZLE if players == 1 else FREE)
