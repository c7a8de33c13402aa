"""Compiles everything a game needs by running a little of everything, so that later starts load it from the cache."""

from __future__ import annotations

import contextlib
import random
import time
from dataclasses import asdict, dataclass
from typing import Any

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.numba import registration
from tesuji.games.trace import compile_trace
from tesuji.knowledge.network.evaluation import evaluator_for
from tesuji.knowledge.network.file import shipped_networks
from tesuji.knowledge.registry import status_of
from tesuji.lab.bench import playout_batch
from tesuji.players.player import Player
from tesuji.players.presets import PLAYERS
from tesuji.proof.write.writer import make_certificate
from tesuji.search.selection.interface import spec_of
from tesuji.search.selection.registry import RULES

FEW = 1000  # playouts: enough to prove the last move of any game


@dataclass(frozen=True)
class WarmupResult:
    game: str
    seconds: float
    compiled: int  # functions compiled now
    loaded: int  # kernels found in the cache

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def warm_up(game: Game, seed: int = 0) -> WarmupResult:
    """Runs every compiled kernel for the game: the search, reusing its tree, playouts, certificates, the checker, and the
    estimate of dead stones and the network that is looked at where the game has them."""
    began, compiled, loaded = time.perf_counter(), registration.compilations, registration.loads()
    for player in kinds_of_search(game):
        search = player.engine(game, seed=seed)
        result = search.run(Limits(playouts=2 * game.buffer_size + 2))
        if result.best_move is not None:
            search.advance(result.best_move)
    playout_batch(game, PLAYERS[0], seed)(1, time.process_time)
    moves = moves_to_the_end(game, seed)[:-1]
    prover = Player("prover", values={"memory": 1.0})
    search = prover.engine(game, game.state_after(moves), seed)
    search.run(Limits(playouts=FEW))
    with contextlib.suppress(UserError):  # nothing was proven, so there is no certificate
        make_certificate(search, moves=moves)
    compile_trace(game)
    status = status_of(game)
    if status is not None:
        status(game, game.new_state(), 1)
    if shipped_networks(game):
        evaluator_for(game).evaluate(game.new_state(), quick=True)
    spent = time.perf_counter() - began
    return WarmupResult(game.name, spent, registration.compilations - compiled, registration.loads() - loaded)


def kinds_of_search(game: Game) -> list[Player]:
    """Players that between them need all the code of the presets for this game: each pair of a rule and a policy once."""
    kinds: dict[Any, Player] = {}
    for player in PLAYERS:
        if player.plays(game):
            settings = player.settings_for(game)
            small = {"memory": 1.0, "threads": 1}
            if player.alphabeta or not spec_of(RULES[str(settings["selection"])]).proves:
                small["solver"] = "off"
            kind = player.alphabeta, settings.get("selection"), player.policies(game)[settings["policy"]]
            kinds.setdefault(kind, player.changed({name: value for name, value in small.items() if name in settings}))
    return list(kinds.values())


def moves_to_the_end(game: Game, seed: int) -> list[int]:
    """The moves of a random game."""
    chance = random.Random(seed)
    state = game.new_state()
    moves: list[int] = []
    while not rules.is_over(state) and len(moves) < game.max_plies:
        moves.append(chance.choice(game.legal_moves(state)))
        rules.play(state, moves[-1])
    return moves
