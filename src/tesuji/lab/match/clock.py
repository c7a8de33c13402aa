"""Time: the clock of a game, and how much of it a player of ours spends on a move.

A clock is written MAIN, MAIN+INCREMENT, PERIOD/STONES or MAIN+PERIOD/STONES, in seconds. The increment is added after each move
(Fischer); a period must suffice for so many moves and then begins again (Canadian byo-yomi, as in GTP).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tesuji.core.errors import UserError

USUAL_MOVES = 30  # a player expects to make in a game without a board, of which nothing is known
FEWEST_MOVES = 8  # a player always expects to make yet
LAG = 0.03  # seconds that a move takes beside thinking
CAUTION = 0.9  # part of a period, or of an increment, that is spent
LEAST_SECONDS = 0.001
MOST_SECONDS = 1e7

_NUMBER = r"(\d+(?:\.\d+)?)"
_FORM = re.compile(rf"{_NUMBER}(?:\+{_NUMBER})?(?:/(\d{{1,6}}))?")


@dataclass(frozen=True)
class TimeControl:
    main: float = 0.0
    increment: float = 0.0
    period: float = 0.0
    stones: int = 0

    def as_text(self) -> str:
        if self.stones:
            return (f"{self.main:g}+" if self.main else "") + f"{self.period:g}/{self.stones}"
        return f"{self.main:g}" + (f"+{self.increment:g}" if self.increment else "")


def parse_clock(text: str) -> TimeControl:
    """The time control that a string such as 300, 300+2, 60/10 or 300+60/10 means."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise UserError(f"{text!r} is not a clock: MAIN, MAIN+INCREMENT, PERIOD/STONES or MAIN+PERIOD/STONES in seconds")
    first, second, stones = float(found[1]), float(found[2] or 0), int(found[3] or 0)
    if found[3] is not None:
        main, period = (first, second) if found[2] is not None else (0.0, first)
        if stones < 1 or period <= 0:
            raise UserError(f"{text!r} is not a clock: a period is a time above 0 for 1 move or more")
        control = TimeControl(main, 0.0, period, stones)
    else:
        control = TimeControl(first, second)
    if control.main + control.increment + control.period <= 0 or first > MOST_SECONDS or second > MOST_SECONDS:
        raise UserError(f"{text!r} is not a clock: its times must be above 0 and below {MOST_SECONDS:g} seconds")
    return control


class Clock:
    """One player's time in one game."""

    def __init__(self, control: TimeControl):
        self.control = control
        self.main = control.main
        self.period = control.period
        self.stones = control.stones

    @property
    def left(self) -> float:
        """Seconds after which the player has lost, if it does not move."""
        return self.main + (self.period if self.control.stones else 0.0)

    @property
    def gtp_time(self) -> tuple[float, int]:
        """Time and stones as `time_left` wants them: (main time, 0), or what is left of the period."""
        return (self.main, 0) if self.main > 0 or not self.control.stones else (self.period, self.stones)

    def spend(self, seconds: float, grace: float) -> bool:
        """Takes the time of one move; False if that was too much, by more than the grace."""
        if seconds > self.left + grace:
            return False
        in_main = min(self.main, seconds)
        self.main -= in_main
        if self.control.stones and self.main <= 0:
            self.period = max(0.0, self.period - (seconds - in_main))
            self.stones -= 1
            if self.stones == 0:
                self.period, self.stones = self.control.period, self.control.stones
        self.main += self.control.increment
        return True


def time_for_move(clock: Clock, plies: int, points: int) -> float:
    """Seconds for the next move: an even share of the time for the moves that are to be expected yet.

    `plies` moves have been made by both; on a board of `points` a game is taken to last about so many moves.
    """
    control = clock.control
    expected = max(FEWEST_MOVES, ((points or 2 * USUAL_MOVES) - plies) // 2)
    if clock.main > 0 or not control.stones:
        share = clock.main / expected + CAUTION * control.increment
        if control.stones:  # running out of main time does no harm
            share = max(share, CAUTION * control.period / control.stones)
        return max(LEAST_SECONDS, min(share, CAUTION * clock.left) - LAG)
    return max(LEAST_SECONDS, CAUTION * clock.period / max(1, clock.stones) - LAG)
