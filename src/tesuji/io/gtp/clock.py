"""How long to think: time settings, what is left of them, and the share of it that one move may take.

Main time is divided by the number of own moves that may still come. In Canadian byo-yomi what is left of the period is
divided by the stones still to be played in it. A Japanese period is there for one move.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tesuji.core.game import Game

NONE, ABSOLUTE, CANADIAN, BYOYOMI = "none", "absolute", "canadian", "byoyomi"
LAG = 0.2  # seconds a move for what the search does not see: the way to the controller, the last slice
LAG_SHARE = 0.2  # but no more than this part
LEAST = 0.01  # seconds: enough for a move that is better than none
LONGEST_GAME = 120  # plies: of a game that does not say how large its board is
FILLED = 0.8  # part of the board that is full at the end of a usual game
FEWEST_MOVES = 6


@dataclass
class Side:
    """What one player has left. `stones` counts those of the period (Canadian) or the periods (Japanese); 0 = main time."""

    seconds: float = 0.0
    stones: int = 0


@dataclass
class Clock:
    kind: str = NONE
    main: float = 0.0
    period: float = 0.0
    stones: int = 0  # in a Canadian period; for Japanese byo-yomi the number of periods
    sides: tuple[Side, Side] = field(default_factory=lambda: (Side(), Side()))

    @property
    def is_running(self) -> bool:
        return self.kind != NONE

    def restart(self) -> None:
        """A new game: all the time is there again."""
        self.sides = (Side(), Side())
        for side in self.sides:
            if self.main > 0 or self.kind == ABSOLUTE:
                side.seconds = self.main
            else:
                side.seconds, side.stones = self.period, self.stones

    def time_left(self, colour: int, seconds: float, stones: int) -> None:
        """What the controller's clock says. A game without settings so far gets the plainest that fit."""
        if self.kind == NONE:
            self.kind = CANADIAN if stones else ABSOLUTE
        self.sides[colour].seconds, self.sides[colour].stones = seconds, stones

    def spend(self, colour: int, seconds: float) -> None:
        """Our own count, for controllers that never tell what is left."""
        side = self.sides[colour]
        side.seconds -= seconds
        if side.stones == 0:  # main time
            if side.seconds < 0 and self.kind in (CANADIAN, BYOYOMI):
                side.seconds, side.stones = self.period, self.stones
        elif self.kind == BYOYOMI:
            if side.seconds < 0:
                side.stones = max(1, side.stones - 1)
            side.seconds = self.period  # every move begins with a whole period
        else:
            side.stones -= 1
            if side.stones <= 0:
                side.seconds, side.stones = self.period, self.stones
        side.seconds = max(0.0, side.seconds)

    def budget(self, colour: int, moves_left: float) -> float | None:
        """Seconds for this move, when so many own moves may still come; None = there is no clock."""
        if not self.is_running:
            return None
        side = self.sides[colour]
        if side.stones == 0:
            share = side.seconds / max(1.0, moves_left)
            if self.kind in (CANADIAN, BYOYOMI):  # no need to think quicker than byo-yomi will allow later
                share = max(share, min(side.seconds, self._per_move(self.period, self.stones)))
        else:
            share = self._per_move(side.seconds, side.stones)
        return max(LEAST, share - min(LAG, LAG_SHARE * share))

    def _per_move(self, seconds: float, stones: int) -> float:
        return seconds if self.kind == BYOYOMI else seconds / max(1, stones)


def canadian_clock(main: float, period: float, stones: int) -> Clock:
    """GTP's time_settings: a period without stones means no limit, no period means main time and nothing after it."""
    if period > 0 and stones == 0:
        return Clock()
    clock = Clock(CANADIAN if period > 0 else ABSOLUTE, main, period, stones)
    clock.restart()
    return clock


def byoyomi_clock(main: float, period: float, periods: int) -> Clock:
    clock = Clock(BYOYOMI if period > 0 and periods > 0 else ABSOLUTE, main, period, periods)
    clock.restart()
    return clock


def moves_left(game: Game, plies: int) -> float:
    """An estimate of one player's moves to come, from the size of the board and the plies made."""
    board = game.board
    points = game.points or (board.columns * board.rows if board is not None else 0)
    usual = FILLED * points if points else LONGEST_GAME
    longest = min(float(game.max_plies), usual)
    least = max(FEWEST_MOVES, 0.1 * points)
    return max(least, (longest - plies) / game.players)
