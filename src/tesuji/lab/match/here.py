"""A match in this process, one game after the other, between players that no other process could find: those of a notebook."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.lab.match.contestants import Contestant, SearchContestant, make_contestant
from tesuji.lab.match.games import Played, play_game
from tesuji.lab.match.games_run import read_chosen_openings
from tesuji.lab.match.plan import DEFAULT_SECONDS, Openings, Plan, PlayerSpec, make_plan, openings_digest, player_spec
from tesuji.lab.match.standing import Standing, standings
from tesuji.players.player import Player


def play_here(
    game: Game,
    players: Sequence[str | Player],
    games: int,
    limits: Limits,
    clock: str,
    seed: int,
    openings: str | None,
    random_plies: int,
    on_progress: Callable[[int, int], object] | None,
) -> tuple[Plan, list[Standing], list[Played]]:
    """Plays all games; nothing is saved. Ctrl-C is a KeyboardInterrupt, and what was played is gone."""
    listed = read_chosen_openings(game, openings, None, random_plies)
    fields = {"random_plies": random_plies, "openings": openings_digest(listed), "seed": seed}
    plan = make_plan(game, [_spec(player, limits, clock) for player in players], **limits.values(), clock=clock, **fields)
    contestants = [_contestant(plan, spec, player) for spec, player in zip(plan.players, players, strict=True)]
    source = Openings(game, listed, random_plies, seed)
    found: list[Played] = []
    try:
        for contestant in contestants:
            contestant.prepare(game)
        for number in range(games):
            entry = plan.entry(number)
            sides = (contestants[entry.first], contestants[entry.second])
            found.append(play_game(plan, game, entry, source[entry.opening], sides))
            if on_progress is not None:
                on_progress(len(found), games)
    finally:
        for contestant in contestants:
            contestant.close()
    return plan, standings(plan, found), found


def _spec(player: str | Player, limits: Limits, clock: str) -> PlayerSpec:
    if isinstance(player, str):
        return player_spec(player, limits, clock)
    own = player.limits if player.limits != Limits() else limits
    own = Limits(seconds=DEFAULT_SECONDS) if own == Limits() and not clock else own
    return PlayerSpec(player.as_string(), player.as_string(), own.seconds, own.playouts, player.digest, cpu=own.cpu)


def _contestant(plan: Plan, spec: PlayerSpec, player: str | Player) -> Contestant:
    return SearchContestant(spec, player) if isinstance(player, Player) else make_contestant(plan, spec)
