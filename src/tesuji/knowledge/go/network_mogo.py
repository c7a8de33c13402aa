"""MoGo's playouts, and a network that rates the moves of a new node: what the default player of Go knows.

Beside a network none of MoGo's rules, shapes and patterns gains anything that matches show
(docs/experiments/network-search.md), so there are none here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tesuji.core.dispatch import implements
from tesuji.core.game import Game
from tesuji.core.parameters import Parameter, filled
from tesuji.knowledge.expected_games import add_games
from tesuji.knowledge.go.crazystone import pass_move
from tesuji.knowledge.go.mogo import MoGoPlayouts, move_by_clauses
from tesuji.knowledge.go.offline import EVEN, MOST_GAMES, value_of_pass
from tesuji.knowledge.go.tree_moves import passing_matters, prune_own_eyes
from tesuji.knowledge.network.policy import NetworkAdvice, rate_by_network
from tesuji.search.policy import VALUE, playout_move, prunes_by_guess, rate_moves


class NetworkMoGo(NamedTuple):
    playouts: MoGoPlayouts
    advice: NetworkAdvice
    even_games: float  # they count where those of the network do

    PARAMETERS = (
        *MoGoPlayouts.PARAMETERS,
        Parameter(
            "even_games",
            14.0,
            "games that every move has beforehand, half of them won",
            0.0,
            MOST_GAMES,
            needs=VALUE,
            tuning="0..40",
        ),
        *NetworkAdvice.PARAMETERS,
    )
    GIVES = NetworkAdvice.GIVES

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> NetworkMoGo:
        advice = NetworkAdvice.made_for(game, settings)
        return cls(filled(MoGoPlayouts, settings), advice, float(settings["even_games"]))


@implements(playout_move, NetworkMoGo)
def network_mogo_move(policy, notes, state, rng):
    return move_by_clauses(policy.playouts, notes["moves"], state, rng)


@implements(prunes_by_guess, NetworkMoGo)
def network_mogo_guesses(policy):
    return True


@implements(rate_moves, NetworkMoGo)
def rate_network_mogo_moves(policy, state, moves, count, ratings):
    """A pass gets no games from the network: in records people pass where they agree on what is dead, and here dead stones must
    be captured.
    """
    moves_left = prune_own_eyes(state, moves, count, ratings)
    pass_value = value_of_pass(passing_matters(state, moves_left))
    for i in range(count):
        if ratings[i]["kept"]:
            value = pass_value if moves[i] == pass_move(state) else EVEN
            add_games(ratings[i], value, policy.even_games, policy.advice.into)
    return rate_by_network(policy.advice, state, moves, count, ratings, pass_move(state))
