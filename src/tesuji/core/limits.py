"""When a search stops: after seconds, after playouts, or when the result is proven; whichever comes first."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tesuji.core.errors import UserError


@dataclass(frozen=True)
class Limits:
    """None = no limit. A search always stops when its result is proven."""

    seconds: float | None = None
    playouts: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not (self.seconds >= 0 and math.isfinite(self.seconds)):
            raise UserError(f"seconds={self.seconds:g} is not possible: 0 or more")
        if self.playouts is not None and self.playouts < 1:
            raise UserError(f"playouts={self.playouts} is not possible: 1 or more")
