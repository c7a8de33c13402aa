"""What a run is made of: how large its network is, how it learns, and for how long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from tesuji.core.encoding import Encoding
from tesuji.core.errors import UserError
from tesuji.knowledge.network.network import NetworkShape

NUMBERS = ("float32", "bfloat16")
RANGES: dict[str, tuple[float, float]] = {
    "blocks": (1, 40),
    "channels": (1, 512),
    "batch": (2, 65536),
    "rate": (1e-7, 1.0),
    "value_weight": (0.0, 100.0),
    "seed": (0, (1 << 64) - 1),
}
VALUE_CHANNELS, HIDDEN = 32, 64
WARM_UP_STEPS, WARM_UP_SHARE = 200, 0.02  # the learning rate rises for so long, whichever is over first
LEAST_RATE = 0.005  # of the highest: where it falls to


@dataclass(frozen=True)
class RunSettings:
    """These belong to a run for good."""

    blocks: int = 4
    channels: int = 32
    batch: int = 128
    rate: float = 3e-3  # the highest learning rate
    value_weight: float = 0.3  # of the value's loss, that of the policy is 1
    numbers: str = "float32"  # bfloat16: convolutions are computed with these
    seed: int = 0

    def __post_init__(self) -> None:
        for name, (low, high) in RANGES.items():
            if not low <= getattr(self, name) <= high:
                raise UserError(f"{name.replace('_', '-')}={getattr(self, name)} is out of range: {low:g} to {high:g}")
        if self.numbers not in NUMBERS:
            raise UserError(f"numbers={self.numbers} is not one of {', '.join(NUMBERS)}")

    def shape(self, encoding: Encoding) -> NetworkShape:
        pools, value_channels = self.blocks // 2, min(self.channels, VALUE_CHANNELS)
        heads = (self.channels, self.blocks, pools, value_channels, HIDDEN, 3)
        return NetworkShape(encoding.planes, encoding.policy_planes, encoding.others, *heads)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, values: Any) -> RunSettings | None:
        """None if these are not the settings of a run."""
        if not isinstance(values, dict) or set(values) != {field.name for field in fields(cls)}:
            return None
        defaults = cls()
        if any(type(values[name]) is not type(value) for name, value in asdict(defaults).items()):
            return None
        try:
            return cls(**values)
        except UserError:
            return None


def settled(kept: RunSettings | None, named: Mapping[str, Any], folder: str) -> RunSettings:
    """The settings of a run: those it began with, which must be what the command names, if that names any."""
    if kept is None:
        return RunSettings(**named)
    for name, value in named.items():
        if getattr(kept, name) != value:
            option = name.replace("_", "-")
            raise UserError(f"{folder} was begun with --{option} {getattr(kept, name)}, not {value}: name another folder")
    return kept


@dataclass(frozen=True)
class LearningBudget:
    """How long to learn in all, over all the times that the run goes on: by time or by steps."""

    seconds: float | None = None
    steps: int | None = None

    def share(self, step: int, seconds: float) -> float:
        """How much of it is used up: 1 at the end."""
        if self.steps is not None:
            return min(1.0, step / self.steps)
        return min(1.0, seconds / (self.seconds or 1.0))


def learning_rate(settings: RunSettings, step: int, share: float) -> float:
    """It rises at the beginning and then falls in a straight line until the budget is used up."""
    rise = min(1.0, max((step + 1) / WARM_UP_STEPS, share / WARM_UP_SHARE))
    return settings.rate * rise * max(LEAST_RATE, 1.0 - share)
