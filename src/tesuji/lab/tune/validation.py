"""The validation: a match of the player with the tuned values against the same player without, on new seeds and openings.

The score around the estimate was chosen for being high, so it flatters. The score of this match was not: it is the only gain
that a tune may claim.

What is best at few playouts need not be at many, so a second validation may give both players another number of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.parameters import parse_assignments
from tesuji.lab.match.plan import Openings, Plan, game_seed, openings_digest, player_spec
from tesuji.lab.match.runner import Runner
from tesuji.lab.match.standing import Standing, standings
from tesuji.lab.tune.plan import TunePlan, openings_for
from tesuji.lab.tune.runner import TuneRunner
from tesuji.lab.tune.store import Validation
from tesuji.players.presets import LIMITS, split_player

STREAM = 9  # of seeds: no game of the tune has one of it


def validation_plan(plan: TunePlan, values: dict[str, str], playouts: int | None = None) -> Plan:
    """The plan of the match; both players have the limits of the tuned one, or so many playouts a move in their place."""
    limits = plan.tuned.limits
    texts = (plan.with_values(values), plan.tuned.given)
    if playouts is not None:
        limits, texts = Limits(playouts=playouts), (without_limits(texts[0]), without_limits(texts[1]))
    players = tuple(player_spec(text, limits) for text in texts)
    seed = game_seed(plan.seed, 0, STREAM) >> 32
    return Plan(plan.game, players, random_plies=plan.random_plies, openings=plan.openings, seed=seed, source=plan.source)


def without_limits(text: str) -> str:
    """A player string without limits."""
    name, rest = split_player(text)
    kept = [f"{key}={value}" for key, value in parse_assignments(rest).items() if key not in LIMITS]
    return name + ":" * bool(kept) + ",".join(kept)


def check_other_playouts(plan: TunePlan, games: int, playouts: int | None) -> None:
    """Whether there can be a second validation at so many playouts."""
    if playouts is None:
        return
    if not games:
        raise UserError("--validate-playouts is for the validation match, and --validate 0 asks for none")
    if playouts == plan.tuned.playouts:
        raise UserError(f"--validate-playouts {playouts} is what the tune itself has: name another number, or leave it out")


def validation_runner(tune: TuneRunner, games: int, playouts: int | None = None) -> Runner:
    """A run of the validation of the present estimate, in the tune's file."""
    plan = validation_plan(tune.plan, tune.summary.values, playouts)
    listed = openings_for(tune.listed, True)
    plan = replace(plan, openings=openings_digest(listed))
    openings = FreshOpenings(tune.game, listed, plan.random_plies, plan.seed, set(tune.openings.generated))
    store: Any = tune.store.validation_for(plan)
    runner = Runner(plan, tune.game_text, games, store, openings, tune.workers)
    runner.cluster = tune.cluster
    return runner


class FreshOpenings(Openings):
    """Random openings unlike those of the tune, where that is possible."""

    def __init__(self, game: Any, listed: Any, random_plies: int, seed: int, used: set[tuple[int, ...]]):
        super().__init__(game, listed, random_plies, seed)
        self._used = used

    def restore(self, generated: list[tuple[int, ...]]) -> None:
        super().restore(generated)
        self._seen |= self._used


def standing_of(validation: Validation) -> Standing:
    return standings(validation.plan, validation.games)[0]


def validation_json(standing: Standing) -> dict[str, Any]:
    """As of a match, with the interval of the score under the names that a tune promises."""
    low, high = standing.interval
    return {**standing.as_json(), "low": low, "high": high}
