"""When a search stops: after seconds, after playouts, or when the result is proven; whichever comes first."""

from __future__ import annotations

from dataclasses import dataclass

from tesuji.core.arguments import seconds_number, whole

MOST_PLAYOUTS = 1 << 62  # counters have 64 bits


@dataclass(frozen=True)
class Limits:
    """None = no limit. A search always stops when its result is proven."""

    seconds: float | None = None
    playouts: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None:
            object.__setattr__(self, "seconds", seconds_number(self.seconds))
        if self.playouts is not None:
            object.__setattr__(self, "playouts", whole("playouts", self.playouts, 1, MOST_PLAYOUTS))
