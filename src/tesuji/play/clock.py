"""Clocks: a time control as text, one player's time, and the two clocks of a game of which one runs."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from tesuji.core.errors import UserError, shortened
from tesuji.play.time_plan import TimeLeft

MOST_SECONDS = 1e7
_NUMBER = r"(\d+(?:\.\d+)?)"
_CLOCK = re.compile(rf"{_NUMBER}(?:\+{_NUMBER})?(?:/(\d{{1,6}}))?")
_PERIODS = re.compile(rf"(?:{_NUMBER}\+)?(\d{{1,3}})x{_NUMBER}")
FORMS = "MAIN, MAIN+INCREMENT, MAIN+PERIODSxSECONDS, PERIOD/STONES or MAIN+PERIOD/STONES in seconds"


@dataclass(frozen=True)
class TimeControl:
    """Written as FORMS says.

    The increment is added after each move (Fischer). A period is for so many moves and then begins again (Canadian byo-yomi,
    as in GTP). Of several periods (Japanese byo-yomi) each is for one move, and whoever takes longer goes on in the next one.
    """

    main: float = 0.0
    increment: float = 0.0
    period: float = 0.0
    stones: int = 0
    periods: int = 1

    def as_text(self) -> str:
        main, increment, period = (_seconds_text(seconds) for seconds in (self.main, self.increment, self.period))
        before = f"{main}+" if self.main else ""
        if self.periods > 1:
            return f"{before}{self.periods}x{period}"
        if self.stones:
            return f"{before}{period}/{self.stones}"
        return main + (f"+{increment}" if self.increment else "")


def _seconds_text(seconds: float) -> str:
    """All digits, and no exponent."""
    return f"{Decimal(repr(float(seconds))):f}".removesuffix(".0")


def parse_clock(text: str) -> TimeControl:
    """The time control that a string such as 300, 300+2, 600+5x30, 60/10 or 300+60/10 means."""
    found, several, shown = _CLOCK.fullmatch(text.strip()), _PERIODS.fullmatch(text.strip()), shortened(text, quoted=True)
    if several is not None:
        first, count, second = float(several[1] or 0), int(several[2]), float(several[3])
        control = TimeControl(first, 0.0, second, 1, count)
        if count < 1 or second <= 0:
            raise UserError(f"{shown} is not a clock: a period is a time above 0, and there is one at least")
    elif found is None:
        raise UserError(f"{shown} is not a clock: {FORMS}")
    else:
        first, second, stones = float(found[1]), float(found[2] or 0), int(found[3] or 0)
        if found[3] is not None:
            main, period = (first, second) if found[2] is not None else (0.0, first)
            if stones < 1 or period <= 0:
                raise UserError(f"{shown} is not a clock: a period is a time above 0 for 1 move or more")
            control = TimeControl(main, 0.0, period, stones)
        else:
            control = TimeControl(first, second)
            if first <= 0:
                raise UserError(f"{shown} is not a clock: without main time there is none for the first move")
    if control.main + control.increment + control.period <= 0 or first > MOST_SECONDS or second > MOST_SECONDS:
        raise UserError(f"{shown} is not a clock: its times must be above 0 and below {MOST_SECONDS:g} seconds")
    return control


class Clock:
    """One player's time in one game."""

    def __init__(self, control: TimeControl):
        self.control = control
        self.main = control.main
        self.period = control.period  # what is left of the one that runs, or runs next
        self.stones = control.stones
        self.periods = control.periods  # this one included

    @property
    def left(self) -> float:
        """Seconds after which the player has lost, if it does not move."""
        if not self.control.stones:
            return self.main
        return self.main + self.period + (self.periods - 1) * self.control.period

    @property
    def gtp_time(self) -> tuple[float, int]:
        """Time and stones as `time_left` wants them: (main time, 0), or what is left of the period."""
        if self.main > 0 or not self.control.stones:
            return max(0.0, self.main), 0
        return max(0.0, self.period), self.stones

    @property
    def time_left(self) -> TimeLeft:
        """What a built-in player plans its move by. It never means to use up a period."""
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
        self.run(seconds)
        if not self.control.stones:
            self.main += self.control.increment
        elif self.main <= 0:
            self.stones -= 1
            if self.stones == 0:
                self.period, self.stones = self.control.period + min(0.0, self.period), self.control.stones
        return True

    def run(self, seconds: float) -> None:
        """Takes time in which no move was made."""
        if not self.control.stones:
            self.main -= seconds
            return
        in_main = min(self.main, seconds) if self.main > 0 else 0.0
        self.main -= in_main
        if self.main <= 0:
            self.period -= seconds - in_main
            while self.period < 0 and self.periods > 1:
                self.period += self.control.period
                self.periods -= 1


class GameClock:
    """The clocks of both players, of which one runs, or none."""

    def __init__(self, control: TimeControl, now: Callable[[], float] = time.monotonic):
        self.control = control
        self.sides = (Clock(control), Clock(control))
        self.running: int | None = None
        self._now = now
        self._since = 0.0  # when it began to run, or was looked at last

    def start(self, side: int) -> None:
        """Lets the clock of that player run, and no other."""
        if self.running != side:
            self.stop()
            self.running, self._since = side, self._now()

    def stop(self) -> None:
        self.look()
        self.running = None

    def look(self) -> None:
        """Takes the time since it was looked at last from whose clock runs."""
        if self.running is not None:
            now = self._now()
            self.sides[self.running].run(now - self._since)
            self._since = now

    def left(self) -> float:
        """Seconds after which whose clock runs has lost; endless where none does."""
        self.look()
        return float("inf") if self.running is None else self.sides[self.running].left

    def moved(self) -> None:
        """Whose clock runs has made a move in time: none runs until the next `start`."""
        if self.running is not None:
            self.look()
            self.sides[self.running].spend(0.0, float("inf"))
            self.running = None
