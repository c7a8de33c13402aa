"""Who plays a side of a game: a person, or the computer by some player at some level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tesuji.core.limits import Limits

Value = str | int | float | bool


@dataclass(frozen=True)
class PlayerChoice:
    """A player by its name, or the default one, with parameters of its own."""

    player: str | None = None
    parameters: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Side:
    """`level` is the computer's; a person has none. The other fields are the computer's too."""

    level: int | None = None
    choice: PlayerChoice = field(default_factory=PlayerChoice)
    limits: Limits = field(default_factory=Limits)  # at full strength

    @property
    def is_person(self) -> bool:
        return self.level is None


PERSON = Side()
