"""A game of Go that runs in a cycle. Simple ko allows that, in a triple ko for instance, and some programs never leave it.

The referee stops a game when a board comes back with the same player to move. If nobody has passed since, both sides have lost
equally many stones: Japanese rules call that no result, and here it counts as a draw. If someone has passed, he has nothing
left to play for, and the other repeats captures that lead nowhere, as in sending two stones and returning one: the board is
scored as it stands.
"""

from __future__ import annotations

from dataclasses import dataclass

from tesuji.core import rules
from tesuji.core.game import Game, State

Situation = tuple[frozenset[object], int]


@dataclass(frozen=True)
class Cycle:
    plies: int
    passes: int

    @property
    def text(self) -> str:
        return f"the position of {self.plies} plies before came back" + (", with passes in between" if self.passes else "")


class PositionsSeen:
    """The positions of one game, if it is one that can run in a cycle: Go under simple ko."""

    def __init__(self, game: Game):
        self._board = game.board if game.extra.get("superko") == "simple" else None
        self._seen: dict[Situation, tuple[int, int]] = {}  # ply and number of passes before it
        self._ply = 0
        self._passes = 0

    def add(self, before: State, move: int, after: State) -> Cycle | None:
        """Notes the position after a move; the cycle that it closes, if it was there before."""
        if self._board is None:
            return None
        if not self._seen:
            self._seen[self._situation(before)] = (0, 0)
        self._ply += 1
        self._passes += self._board.point(before, move) is None
        ply, passes = self._seen.setdefault(self._situation(after), (self._ply, self._passes))
        return Cycle(self._ply - ply, self._passes - passes) if ply < self._ply else None

    def _situation(self, state: State) -> Situation:
        assert self._board is not None
        return frozenset(self._board.stones(state).items()), int(rules.to_play(state))
