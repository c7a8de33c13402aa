"""What a tune is: the player, its parameters with ranges, opponents, method; and which game belongs to which sample.

Sample k is one choice of values. It plays two games with one opening and colours exchanged, against the opponent whose turn it
is. The window says on which results it depends: those of samples 0 to k - window, so that `window` samples can be under way.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.parameters import parse_assignments
from tesuji.lab.match.plan import Opening, Plan, PlayerSpec, ScheduledGame, game_seed, make_plan
from tesuji.lab.tune.methods import METHODS
from tesuji.lab.tune.space import MOST_PARAMETERS, TunedParameter, read_space
from tesuji.players.presets import find_player, split_player

GAMES_A_SAMPLE = 2
DEFAULT_WINDOW = 8


@dataclass(frozen=True)
class TunePlan(Plan):
    """All that the games of a tune depend on, except how many there are. Player 0 is tuned, the others are opponents."""

    parameters: tuple[TunedParameter, ...] = ()
    method: str = "clop"
    window: int = DEFAULT_WINDOW

    @property
    def pairings(self) -> list[tuple[int, int]]:
        return [(0, slot) for slot in range(1, len(self.players))]

    @property
    def tuned(self) -> PlayerSpec:
        return self.players[0]

    def entry(self, number: int) -> ScheduledGame:
        """Game `number`, from 0: the first or the second of its sample. Every opponent meets every opening."""
        sample, turn = divmod(number, GAMES_A_SAMPLE)
        opening, pairing = divmod(sample, len(self.players) - 1)
        first, second = (0, pairing + 1) if turn == 0 else (pairing + 1, 0)
        return ScheduledGame(number, pairing, turn, first, second, opening, game_seed(self.seed, number))

    def basis_of(self, sample: int) -> int:
        """How many samples at the beginning a sample depends on."""
        return max(0, sample - self.window + 1)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        parameters = tuple(TunedParameter(**parameter) for parameter in values["parameters"])
        if not 1 <= len(parameters) <= MOST_PARAMETERS or not all(parameter.is_sound() for parameter in parameters):
            raise ValueError("its parameters make no sense")
        if len(values["players"]) < 2:
            raise ValueError("it has no opponent")
        if values["method"] not in METHODS or not isinstance(values["window"], int) or not isinstance(values["seed"], int):
            raise ValueError("its method makes no sense")
        return super().from_json({**values, "parameters": parameters})

    def fingerprint(self) -> dict[str, str]:
        found = super().fingerprint()
        found.pop("players")
        return {
            "player": self.tuned.given,
            "--against": ", ".join(player.given for player in self.players[1:]),
            "--parameter": ", ".join(f"{p.name}={p.range_text}" for p in self.parameters),
            "--method": self.method,
            "--window": str(self.window),
            **found,
        }

    def default_file(self) -> str:
        digest = hashlib.sha256(json.dumps(self.fingerprint(), sort_keys=True).encode()).hexdigest()[:8]
        words = [self.game, self.tuned.label, *(p.name for p in self.parameters[:3])]
        name = "_".join(re.sub(r"[^\w.=-]+", "-", word).strip("-")[:32] for word in words)
        return f"tunes/{name}_{digest}.db"

    def with_values(self, values: Mapping[str, str]) -> str:
        """The player string of the tuned player with these values."""
        name, rest = split_player(self.tuned.given)
        assignments = {key.replace("-", "_"): value for key, value in parse_assignments(rest).items()} | dict(values)
        return name + ":" + ",".join(f"{key}={value}" for key, value in assignments.items())


def make_tune_plan(
    game: Game,
    player: str,
    parameters: Sequence[str],
    against: Sequence[str],
    seconds: float | None,
    playouts: int | None,
    method: str,
    window: int,
    **others: Any,
) -> TunePlan:
    """The plan of a tune; without opponents the player meets itself as it is."""
    if player.strip().startswith("gtp:"):
        raise UserError("a GTP program has no parameters that we know: only players of ours can be tuned")
    found = find_player(player, may_load=True)
    space = read_space(parameters, found, game)
    plan = make_plan(game, [player, *(against or [player])], seconds, playouts, **others)
    for spec in plan.players:
        if not spec.is_gtp:
            find_player(spec.given, may_load=True).settings_for(game)  # what does not fit the game is told now
    base = {field.name: getattr(plan, field.name) for field in fields(Plan)}
    return TunePlan(**base, parameters=space, method=method, window=window)


def openings_for(listed: list[Opening], is_validation: bool) -> list[Opening]:
    """Every other opening of a file is for the tune, the rest for its validation; a single one is for both."""
    return listed if len(listed) < 2 else listed[1::2] if is_validation else listed[::2]
