"""The clock as an engine sees it: time settings, and what is left of them by the controller's word or by our own count."""

from __future__ import annotations

from dataclasses import dataclass, field

from tesuji.play.time_plan import TimeLeft

NONE, ABSOLUTE, CANADIAN, BYOYOMI, FISCHER = "none", "absolute", "canadian", "byoyomi", "fischer"


@dataclass
class SideTime:
    """What one player has left. `stones` counts those of the period (Canadian) or the periods (Japanese); 0 = main time."""

    seconds: float = 0.0
    stones: int = 0


@dataclass
class GtpClock:
    kind: str = NONE
    main: float = 0.0
    period: float = 0.0
    stones: int = 0  # in a Canadian period; for Japanese byo-yomi the number of periods
    increment: float = 0.0
    unlimited: bool = False  # by the controller's word: what `time_left` says then means nothing
    sides: tuple[SideTime, SideTime] = field(default_factory=lambda: (SideTime(), SideTime()))

    def __post_init__(self) -> None:
        self.restart()

    @property
    def is_running(self) -> bool:
        return self.kind != NONE

    def restart(self) -> None:
        """A new game: all the time is there again."""
        self.sides = (SideTime(), SideTime())
        for side in self.sides:
            if self.main > 0 or self.kind in (ABSOLUTE, FISCHER):
                side.seconds = self.main
            else:
                side.seconds, side.stones = self.period, self.stones

    def time_left(self, colour: int, seconds: float, stones: int) -> None:
        """What the controller's clock says. A game without settings so far gets the plainest that fit."""
        if self.unlimited:
            return
        if self.kind == NONE:
            self.kind = CANADIAN if stones else ABSOLUTE
        self.sides[colour].seconds, self.sides[colour].stones = seconds, stones

    def spend(self, colour: int, seconds: float) -> None:
        """Our own count, for controllers that never tell what is left."""
        side = self.sides[colour]
        side.seconds -= seconds
        if side.stones == 0 and side.seconds < 0 and self.kind in (CANADIAN, BYOYOMI):  # main time has run into byo-yomi
            side.seconds, side.stones = side.seconds + self.period, self.stones
        if side.stones and self.kind == BYOYOMI:
            if side.seconds < 0:
                side.stones = max(1, side.stones - 1)
            side.seconds = self.period  # every move begins with a whole period
        elif side.stones:
            side.stones -= 1
            if side.stones == 0:
                side.seconds, side.stones = self.period, self.stones
        side.seconds = max(0.0, side.seconds) + self.increment

    def left(self, colour: int) -> TimeLeft | None:
        """What the plan of a move goes by; None = there is no clock."""
        if not self.is_running:
            return None
        side = self.sides[colour]
        if side.stones:
            return TimeLeft(side.seconds, 1 if self.kind == BYOYOMI else side.stones)
        stones = {CANADIAN: max(1, self.stones), BYOYOMI: 1}.get(self.kind)
        return TimeLeft(side.seconds, 0, self.increment, self.period / stones if stones else 0.0)


def canadian_clock(main: float, period: float, stones: int) -> GtpClock:
    """GTP's time_settings: a period without stones means no limit, no period means main time and nothing after it."""
    if period > 0 and stones == 0:
        return GtpClock(unlimited=True)
    return GtpClock(CANADIAN if period > 0 else ABSOLUTE, main, period, stones)


def byoyomi_clock(main: float, period: float, periods: int) -> GtpClock:
    return GtpClock(BYOYOMI if period > 0 and periods > 0 else ABSOLUTE, main, period, periods)


def fischer_clock(main: float, increment: float) -> GtpClock:
    return GtpClock(FISCHER, main, increment=increment)
