"""Time: the clock of a game, as its referee keeps it.

A clock is written MAIN, MAIN+INCREMENT, PERIOD/STONES or MAIN+PERIOD/STONES, in seconds. The increment is added after each move
(Fischer); a period must suffice for so many moves and then begins again (Canadian byo-yomi, as in GTP).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tesuji.core.errors import UserError
from tesuji.io.time_plan import TimeLeft

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
        if first <= 0:
            raise UserError(f"{text!r} is not a clock: without main time there is none for the first move")
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
        if self.main > 0 or not self.control.stones:
            return max(0.0, self.main), 0
        return max(0.0, self.period), self.stones

    @property
    def time_left(self) -> TimeLeft:
        """What a player of ours plans its move by."""
        control = self.control
        if self.main <= 0 and control.stones:
            return TimeLeft(max(0.0, self.period), self.stones)
        return TimeLeft(max(0.0, self.main), 0, control.increment, control.period / control.stones if control.stones else 0.0)

    def spend(self, seconds: float, grace: float) -> bool:
        """Takes the time of one move; False if that was too much, by more than the grace.

        Time that the grace allowed is owed, so that it is given once and not for every move: what is left may be negative.
        """
        if seconds > self.left + grace:
            return False
        if not self.control.stones:
            self.main += self.control.increment - seconds
            return True
        in_main = min(self.main, seconds)
        self.main -= in_main
        if self.main <= 0:
            self.period -= seconds - in_main
            self.stones -= 1
            if self.stones == 0:
                self.period, self.stones = self.control.period + min(0.0, self.period), self.control.stones
        return True
