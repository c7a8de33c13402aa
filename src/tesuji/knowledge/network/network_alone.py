"""A network and nothing else: what any game that says what a network sees of it can have.

Moves are rated by the network. Where there are playouts, they are those of the rules alone; the player `network` has none, and
takes the result that the network expects in their place, as AlphaZero does (Silver et al. 2017).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tesuji.core.dispatch import implements
from tesuji.core.game import Game
from tesuji.core.rules import random_move
from tesuji.knowledge.network.policy import NetworkAdvice, rate_by_network
from tesuji.search.policy import playout_move, rate_moves

NO_MOVE = -1


class NetworkAlone(NamedTuple):
    advice: NetworkAdvice

    PARAMETERS = NetworkAdvice.PARAMETERS
    GIVES = NetworkAdvice.GIVES

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> NetworkAlone:
        return cls(NetworkAdvice.made_for(game, settings))


@implements(playout_move, NetworkAlone)
def random_playout_move(policy, notes, state, rng):
    return random_move(state, notes["moves"], rng)


@implements(rate_moves, NetworkAlone)
def rate_by_network_alone(policy, state, moves, count, ratings):
    return rate_by_network(policy.advice, state, moves, count, ratings, NO_MOVE)
