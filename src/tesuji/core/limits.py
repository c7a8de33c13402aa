"""When a search stops: after seconds, seconds of CPU time, playouts, or when the result is proven; whichever comes first."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tesuji.core.arguments import seconds_number, whole

MOST_PLAYOUTS = 1 << 62  # counters have 64 bits


@dataclass(frozen=True)
class Limits:
    """None = no limit. A search always stops when its result is proven."""

    seconds: float | None = None
    playouts: int | None = None
    cpu: float | None = None  # seconds, of all threads of the search together
    longest: float | None = None  # seconds, in place of `seconds` while the best move is in doubt (play/time_plan.py)

    def __post_init__(self) -> None:
        if self.seconds is not None:
            object.__setattr__(self, "seconds", seconds_number(self.seconds))
        if self.playouts is not None:
            object.__setattr__(self, "playouts", whole("playouts", self.playouts, 1, MOST_PLAYOUTS))
        if self.cpu is not None:
            object.__setattr__(self, "cpu", seconds_number(self.cpu, "cpu"))

    @property
    def is_timed(self) -> bool:
        return self.seconds is not None or self.cpu is not None

    def values(self) -> dict[str, float | int]:
        """The limits that are set, by name."""
        return {name: value for name in NAMES if (value := getattr(self, name)) is not None}

    def overridden(self, other: Limits) -> Limits:
        """These limits, but those that `other` sets are its."""
        return replace(self, **other.values())

    def within(self, seconds: float | None, longest: float | None = None) -> Limits:
        """These limits, and so many seconds if they allow more; `longest` of them where the best move is in doubt."""
        if seconds is None or (self.seconds is not None and self.seconds <= seconds):
            return self
        if longest is not None and self.seconds is not None:
            longest = min(longest, self.seconds)
        return replace(self, seconds=seconds, longest=longest)


NAMES = ("playouts", "seconds", "cpu")  # as player strings and options call them
