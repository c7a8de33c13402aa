"""The parameters that are tuned, with their ranges, and points of the cube [-1, 1]^d in place of their values.

Values are kept as text, in the form in which the players get them: what is fitted is what was played.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game
from tesuji.core.parameters import Parameter
from tesuji.lab.tune.regression import Floats
from tesuji.players.player import Player

LINEAR, LOG, INT = "linear", "log", "int"
DIGITS = 4  # of values that are tried
MOST_PARAMETERS = 12
WIDEST = 1000.0  # a declared range that is wider says what is possible, not what is worth trying
_RANGE = re.compile(r"(?P<low>[^:]+?)\.\.(?P<high>[^:]+?)(?::(?P<scale>\w+))?")


@dataclass(frozen=True)
class TunedParameter:
    """One coordinate: -1 is the low end of the range, 1 the high end."""

    name: str
    low: float
    high: float
    is_log: bool = False  # ratios matter, not differences
    is_whole: bool = False
    before: str = ""  # the player's own value

    def is_sound(self) -> bool:
        """Whether its fields, out of a file, make sense."""
        texts = isinstance(self.name, str) and isinstance(self.before, str)
        flags = isinstance(self.is_log, bool) and isinstance(self.is_whole, bool)
        ends = (
            isinstance(self.low, int | float)
            and isinstance(self.high, int | float)
            and -math.inf < self.low < self.high < math.inf
        )
        return texts and flags and ends and (not self.is_log or self.low > (0.5 if self.is_whole else 0.0))

    @property
    def range_text(self) -> str:
        scale = ":log" if self.is_log else ":int" if self.is_whole else ""
        return f"{self.low:g}..{self.high:g}{scale}"

    def value_at(self, unit: float) -> str:
        """The value at a point of the coordinate, as players get it."""
        low, high = self._ends
        share = (unit + 1.0) / 2.0
        value = math.exp(low + share * (high - low)) if self.is_log else low + share * (high - low)
        if self.is_whole:
            return str(int(min(max(round(value), self.low), self.high)))
        return f"{min(max(float(f'{value:.{DIGITS}g}'), self.low), self.high):.12g}"

    def unit_of(self, value: str) -> float:
        """Where a value is on the coordinate."""
        low, high = self._ends
        number = math.log(float(value)) if self.is_log else float(value)
        return 2.0 * (number - low) / (high - low) - 1.0

    def holds(self, value: str) -> bool:
        """Whether a text, out of a file, is a value of this range."""
        try:
            number = float(value)
        except ValueError:
            return False
        return self.low <= number <= self.high and (not self.is_whole or number == int(number))

    @property
    def _ends(self) -> tuple[float, float]:
        """A whole number has the room of one around it, the first and the last too."""
        low, high = (self.low - 0.5, self.high + 0.5) if self.is_whole else (self.low, self.high)
        return (math.log(low), math.log(high)) if self.is_log else (low, high)


Space = Sequence[TunedParameter]


def values_at(space: Space, point: Floats) -> dict[str, str]:
    return {parameter.name: parameter.value_at(float(unit)) for parameter, unit in zip(space, point, strict=True)}


def point_of(space: Space, values: Mapping[str, str]) -> Floats:
    return np.array([parameter.unit_of(values[parameter.name]) for parameter in space])


# -- from the command line -----------------------------------------------------------------------------------------------
def read_space(texts: Sequence[str], player: Player, game: Game) -> tuple[TunedParameter, ...]:
    """The parameters of '--parameter NAME' or 'NAME=LOW..HIGH[:log|:int]'; a UserError for what cannot be tuned."""
    declared = player.settings_for(game).parameters
    if not texts:
        there = ", ".join(f"{name} ({default_range(p)})" for name, p in declared.items() if default_range(p))
        raise UserError(f"name what to tune: --parameter NAME or --parameter NAME=LOW..HIGH[:log|:int]; there are: {there}")
    space = tuple(read_parameter(text, player, game) for text in texts)
    names = [parameter.name for parameter in space]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UserError(f"--parameter {twice[0]} is given twice")
    if len(space) > MOST_PARAMETERS:
        raise UserError(f"{len(space)} parameters are too many to tune at once: {MOST_PARAMETERS} at most")
    check_effects(space, player, game)
    return space


def read_parameter(text: str, player: Player, game: Game) -> TunedParameter:
    name, _, given = (part.strip() for part in text.partition("="))
    name = name.replace("-", "_")
    settings = player.settings_for(game)
    if name not in settings.parameters:
        raise settings.unknown(name)
    parameter = settings.parameters[name]
    if isinstance(parameter.default, bool | str):
        raise UserError(f"{name} cannot be tuned: it is a choice ({parameter.range_text}), not a number; compare by a match")
    given = given or default_range(parameter)
    if not given:
        raise UserError(f"{name} has no range of its own for tuning: give one, as in --parameter {name}=LOW..HIGH[:log|:int]")
    found = _RANGE.fullmatch(given)
    wrong = UserError(f"--parameter {shortened(text)}: a range is LOW..HIGH, LOW..HIGH:log or LOW..HIGH:int, as in 0.1..2:log")
    if found is None or found["scale"] not in (None, LOG, INT):
        raise wrong
    is_whole = found["scale"] == INT or isinstance(parameter.default, int)
    ends = []
    for end in ("low", "high"):
        value = float(parameter.parse(found[end]))  # a UserError if it is outside the declared range
        if not math.isfinite(value) or (is_whole and value != int(value)):
            raise wrong
        ends.append(value)
    low, high = ends
    if not low < high:
        raise UserError(f"--parameter {shortened(text)}: the range is empty, {low:g} is not below {high:g}")
    if found["scale"] == LOG and not (low > 0.5 if is_whole else low > 0.0):
        raise UserError(f"--parameter {shortened(text)}: a range with :log begins above 0")
    return TunedParameter(name, low, high, found["scale"] == LOG, is_whole, parameter.format(settings[name]))


def default_range(parameter: Parameter) -> str:
    """The range that is declared with a parameter, if it has one that is worth trying."""
    if isinstance(parameter.default, bool | str) or parameter.tuning:
        return parameter.tuning
    if parameter.low is None or parameter.high is None or parameter.high - parameter.low > WIDEST:
        return ""
    return f"{parameter.low:g}..{parameter.high:g}"


def check_effects(space: Space, player: Player, game: Game) -> None:
    """Refuses a range in which another of the parameters has no effect, as it only goes with some values of the first."""
    middle = values_at(space, np.zeros(len(space)))
    declared = player.settings_for(game).parameters
    for parameter in space:
        off = str(declared[parameter.name].off)
        ends = [parameter.value_at(-1.0), parameter.value_at(1.0), *([off] if parameter.holds(off) else [])]
        for value in ends:
            try:
                player.changed({**middle, parameter.name: value}).settings_for(game)
            except UserError as error:
                raise UserError(f"with {parameter.name}={value}: {error}") from None
