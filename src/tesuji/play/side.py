"""Who plays a side of a game: a person, or the computer by some player at some level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tesuji.core.limits import Limits

PROGRAM = "gtp:"  # how the names of GTP programs begin
Value = str | int | float | bool


@dataclass(frozen=True)
class PlayerChoice:
    """A player by its name, or the default one, with parameters of its own."""

    player: str | None = None
    parameters: Mapping[str, Value] = field(default_factory=dict)

    @property
    def is_program(self) -> bool:
        """Whether a GTP program is meant, as in 'gtp:gnugo --mode gtp'."""
        return self.player is not None and self.player.startswith(PROGRAM)

    @property
    def short_name(self) -> str | None:
        """The player's name; of a GTP program that of its file alone."""
        if self.player is None or not self.is_program:
            return self.player
        return (self.player.removeprefix(PROGRAM).split() or [""])[0].rpartition("/")[2]


@dataclass(frozen=True)
class Side:
    """`level` is the computer's; a person has none. The other fields are the computer's too."""

    level: int | None = None
    choice: PlayerChoice = field(default_factory=PlayerChoice)
    limits: Limits = field(default_factory=Limits)  # at full strength

    @property
    def is_person(self) -> bool:
        return self.level is None

    @property
    def is_program(self) -> bool:
        """Whether a GTP program plays it."""
        return self.choice.is_program


PERSON = Side()
