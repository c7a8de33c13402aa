"""A match from what a user says: everything is read and checked before the first game, and before the match file is touched."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.parameters import SHIPPED, files_digest
from tesuji.core.sources import playing_digest
from tesuji.games.registry import find_game
from tesuji.io.gtp.client import check_program
from tesuji.lab.match.openings import Openings, digest, read_openings
from tesuji.lab.match.plan import Plan, Wishes, make_plan
from tesuji.lab.match.runner import Runner
from tesuji.lab.match.store import Store
from tesuji.lab.processors import processors
from tesuji.lab.sprt import Sprt
from tesuji.players.presets import find_player


@contextmanager
def open_match(
    game: str,
    players: list[str],
    games: int = 100,
    *,
    file: str | None = None,
    seed: int = 0,
    workers: int | None = None,
    playouts: int | None = None,
    seconds: float | None = None,
    clock: str = "",
    openings: str | None = None,
    opening_plies: int | None = None,
    random_plies: int = 0,
    test: Sprt | None = None,
    sgf_folder: str | None = None,
    **others: Any,
) -> Iterator[Runner]:
    """A Runner whose `run` plays what is missing of the match; its file is open, and locked, meanwhile.

    `game` and `players` are strings as on the command line; `others` are fields of Plan: grace, move_timeout.
    """
    if test is not None and len(players) > 2:
        raise UserError("--sprt compares two players; give two")
    if openings and random_plies:
        raise UserError("give either --openings or --random-plies")
    if opening_plies is not None and not openings:
        raise UserError("--opening-plies is for the openings of a file: give --openings FILE too, or --random-plies")
    found = find_game(game)
    listed = read_openings(found, openings, opening_plies) if openings else []
    extra = {"random_plies": random_plies, "openings": digest(listed), "seed": seed, **others}
    plan = make_plan(found, players, Wishes(seconds, playouts, clock, extra))
    for spec in plan.players:
        if spec.is_gtp:
            check_program(spec.command)  # now, not after our own players are compiled
    store = Store(file or plan.default_file())
    store.open(plan, code_digest(plan))
    try:
        source = Openings(found, listed, random_plies, seed)
        runner = Runner(plan, game, games, store, source, workers or processors() // most_threads(plan) or 1)
        runner.other_code = store.has_other_code()
        runner.test = test
        runner.sgf_folder = sgf_folder
        yield runner
    finally:
        store.close()


def code_digest(plan: Plan) -> str:
    """Digest of what is behind the players of ours: the program, and the files of weights that they name."""
    digest = hashlib.sha256(playing_digest().encode())
    for spec in plan.players:
        weights = SHIPPED if spec.is_gtp else _value(spec.given, "weights", SHIPPED)
        digest.update(bytes.fromhex(files_digest(str(weights))))
    return digest.hexdigest()


def most_threads(plan: Plan) -> int:
    """Threads of the player of ours that has the most: so many processors a game needs."""
    return max([1, *(int(_value(spec.given, "threads", 1)) for spec in plan.players if not spec.is_gtp)])


def _value(player: str, name: str, default: Any) -> Any:
    """What a player string says of a parameter, or its preset does."""
    found = find_player(player, may_load=True)
    return {**found.values, **found.changes}.get(name, default)
