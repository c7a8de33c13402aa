"""MoGo's playouts and knowledge beside a network: the network rates the moves of a new node too.

Not among the policies by name before a network comes with the package: `pattern_games=0` leaves MoGo's own patterns out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tesuji.core.dispatch import implements
from tesuji.core.game import Game
from tesuji.knowledge.go.mogo import MoGo
from tesuji.knowledge.network.policy import NetworkAdvice, rate_by_network
from tesuji.search.policy import learns, playout_ended, playout_move, prunes_by_guess, rate_moves


class NetworkMoGo(NamedTuple):
    mogo: MoGo
    advice: NetworkAdvice

    PARAMETERS = (*MoGo.PARAMETERS, *NetworkAdvice.PARAMETERS)
    GIVES = MoGo.GIVES

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
    rate_moves(policy.mogo, state, moves, count, ratings)
    rate_by_network(policy.advice, state, moves, count, ratings)
