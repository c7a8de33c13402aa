"""The clocks of a tab's game: they run while it is played, and whose time is over has lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypedDict

from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.play.clock import Clock, GameClock, TimeControl
from tesuji.play.opponent import Pace

LEAST_WAIT = 0.01  # seconds


class ClockData(TypedDict):
    """`ProgramClock` of io/gtp/program.py in a request."""

    control: str
    told: tuple[float, int]
    left: float


class TabClock:
    """`on_end` is called with the player whose time is over. The clocks wait for the first move, and after going back for the
    next one; the computer's waits while its search is compiled."""

    def __init__(self, control: TimeControl, on_end: Callable[[int], None]):
        self.times = GameClock(control)
        self.is_live = False  # a move has been made where the game is shown now
        self._on_end = on_end
        self._is_held = self._was_held = False  # now; at any time of this move
        self._wanted: int | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._paces = (Pace(), Pace())

    def run(self, side: int | None, is_held: bool = False) -> None:
        """Lets the clock of that player run, or holds it from the start; None = no clock runs."""
        wanted = side if self.is_live else None
        if wanted != self._wanted:
            # Not as before, else the clocks would stand for good where an engine died as it compiled.
            self._is_held = self._was_held = is_held
        self._wanted = wanted
        self._follow()

    def hold(self, is_held: bool) -> bool:
        """Stops what runs until it is let go. Whether that has changed anything."""
        before = self.times.running
        self._is_held = is_held
        self._was_held |= is_held
        self._follow()
        return self.times.running != before

    @property
    def is_over(self) -> bool:
        """Whether the time of whose clock runs is over."""
        return self.times.left() <= 0

    def moved(self) -> None:
        """Whose clock runs has moved, or is held: what a move adds to the time is for both."""
        if self._wanted is not None:
            self.times.start(self._wanted)
        self.times.moved()
        self.is_live = True

    def _follow(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._wanted is None or self._is_held:
            self.times.stop()
            return
        self.times.start(self._wanted)
        wait = max(LEAST_WAIT, self.times.left())
        self._timer = asyncio.get_running_loop().call_later(wait, self._look)

    def _look(self) -> None:
        """When the time may be over: timers are not exact."""
        self._timer = None
        side = self.times.running
        if side is not None and self.is_over:
            self.run(None)
            self._on_end(side)
        elif side is not None:
            self._follow()

    # -- what the computer goes by -------------------------------------------------------------------------------------
    def limits(self, limits: Limits, side: int, game: Game, plies: int) -> Limits:
        """Those of a move: seconds by the clock in place of its own."""
        self.times.look()
        left = self.times.sides[side].time_left
        return self._paces[side].limits(Limits(playouts=limits.playouts), left, game, plies)

    def of_program(self, side: int) -> ClockData:
        """The clock as a GTP program is told of it."""
        self.times.look()
        clock = self.times.sides[side]
        return ClockData(control=clock.control.as_text(), told=clock.gtp_time, left=max(0.0, clock.left))

    def took(self, side: int, limits: Limits, seconds: float) -> None:
        if not self._was_held:  # else the next move would be shortened by what compiling took
            self._paces[side].took(limits, seconds)

    # -- what is shown -------------------------------------------------------------------------------------------------
    def data(self) -> dict[str, Any]:
        self.times.look()
        control = self.times.control
        sides = [_side_data(clock) for clock in self.times.sides]
        return {"control": control.as_text(), "period": control.period, "running": self.times.running, "sides": sides}


def _side_data(clock: Clock) -> dict[str, Any]:
    """`left` of the main time, else of the period; `stones` to be played in it, and how many `periods` there still are."""
    in_main = clock.main > 0 or not clock.control.stones
    left = clock.main if in_main else clock.period
    found = {"main": round(max(0.0, clock.main), 2), "left": round(max(0.0, left), 2)}
    return found | {"stones": clock.stones, "periods": clock.periods if clock.control.stones else 0}
