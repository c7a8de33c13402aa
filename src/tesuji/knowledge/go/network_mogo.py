"""MoGo's playouts, and a network that rates the moves of a new node in place of the learned patterns and of most rules.

It has all parameters of `mogo`, some with other defaults: what the network says of moves needs little beside it
(docs/experiments/networks.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from tesuji.core.dispatch import implements
from tesuji.core.game import Game
from tesuji.knowledge.go.crazystone import pass_move
from tesuji.knowledge.go.mogo import MoGo
from tesuji.knowledge.go.offline import RULE_GAMES, SHAPE_GAMES
from tesuji.knowledge.network.policy import NetworkAdvice, rate_by_network
from tesuji.search.policy import learns, playout_ended, playout_move, prunes_by_guess, rate_moves

# In place of MoGo's own defaults: a network sees shapes and tactics, but not how ladders and self-ataris end.
BESIDE_A_NETWORK = {source.name: 0.0 for source in (*RULE_GAMES, *SHAPE_GAMES)} | {
    "ladder_run_games": -10.0,
    "self_atari_games": -5.0,
    "even_games": 14.0,
    "pattern_games": 0.0,
    "pattern_prior": 0.0,
}


class NetworkMoGo(NamedTuple):
    mogo: MoGo
    advice: NetworkAdvice

    PARAMETERS = (
        *(replace(one, default=BESIDE_A_NETWORK.get(one.name, one.default)) for one in MoGo.PARAMETERS),
        *NetworkAdvice.PARAMETERS,
    )
    GIVES = NetworkAdvice.GIVES

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> NetworkMoGo:
        return cls(MoGo.made_for(game, settings), NetworkAdvice.made_for(game, settings))


@implements(playout_move, NetworkMoGo)
def network_mogo_move(policy, notes, state, rng):
    return playout_move(policy.mogo, notes, state, rng)


@implements(playout_ended, NetworkMoGo)
def count_network_mogo_game(policy, notes, state):
    playout_ended(policy.mogo, notes, state)


@implements(learns, NetworkMoGo)
def network_mogo_learns(policy):
    return learns(policy.mogo)


@implements(prunes_by_guess, NetworkMoGo)
def network_mogo_guesses(policy):
    return True


@implements(rate_moves, NetworkMoGo)
def rate_network_mogo_moves(policy, state, moves, count, ratings):
    """A pass gets no games: in records people pass where they agree on what is dead, and here dead stones must be captured."""
    rate_moves(policy.mogo, state, moves, count, ratings)
    return rate_by_network(policy.advice, state, moves, count, ratings, pass_move(state))
