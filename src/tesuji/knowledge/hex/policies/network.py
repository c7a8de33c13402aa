"""MoHex with its studies, and a network that rates the moves of a new node in place of the learned patterns.

It has the parameters of `knowledge`, and those of the network. Studies, pruning and playouts are as they were: what the network
says is shared out among the moves that are left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from tesuji.core.dispatch import implements, kernel
from tesuji.core.game import Game
from tesuji.core.parameters import Parameter
from tesuji.knowledge.hex.policies.mohex import rate_with_patterns
from tesuji.knowledge.hex.policies.studies import MoHexWithStudies
from tesuji.knowledge.network.policy import NetworkAdvice, rate_by_network
from tesuji.search.policy import (
    PRIOR,
    begin_playout,
    connection_finder,
    declines,
    play_whole_game,
    played,
    playout_move,
    plays_whole_games,
    rate_moves,
    study,
    study_at,
    study_moves,
    without_inferior_moves,
)

NO_MOVE, NO_EXPECTATION = -1, -1.0
# The network's probabilities are a prior and no games: RAVE, among which these would count, soon outnumbers them.
OF_NETWORK = tuple(replace(one, default=0.0) if one.name == "network_games" else one for one in NetworkAdvice.PARAMETERS)


class NetworkMoHex(NamedTuple):
    mohex: MoHexWithStudies
    advice: NetworkAdvice
    pattern_prior: float

    PARAMETERS = (
        *(one for one in MoHexWithStudies.PARAMETERS if one.name != "prior_from"),
        *OF_NETWORK,
        Parameter("pattern_prior", 0.0, "what a probability of play of 1 adds to the prior", 0.0, 1e6, needs=PRIOR),
    )
    GIVES = NetworkAdvice.GIVES
    NOTES = MoHexWithStudies.NOTES

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> NetworkMoHex:
        weight = float(settings["pattern_prior"])
        mohex = MoHexWithStudies.made_for(game, {**settings, "prior_from": "features" if weight > 0.0 else "nothing"})
        return cls(mohex, NetworkAdvice.made_for(game, settings), weight)


# -- as without a network ------------------------------------------------------------------------------------------------------
@implements(plays_whole_games, NetworkMoHex)
def network_mohex_plays_whole_games(policy):
    return plays_whole_games(policy.mohex)


@implements(play_whole_game, NetworkMoHex)
def play_network_mohex_game(policy, notes, state, rng, history, movers, ply):
    return play_whole_game(policy.mohex, notes, state, rng, history, movers, ply)


@implements(begin_playout, NetworkMoHex)
def begin_network_mohex_playout(policy, notes, state):
    begin_playout(policy.mohex, notes, state)


@implements(playout_move, NetworkMoHex)
def network_mohex_move(policy, notes, state, rng):
    return playout_move(policy.mohex, notes, state, rng)


@implements(played, NetworkMoHex)
def note_network_mohex_move(policy, notes, state, move):
    played(policy.mohex, notes, state, move)


@implements(declines, NetworkMoHex)
def network_mohex_declines(policy, state, move):
    return declines(policy.mohex, state, move)


@implements(study_at, NetworkMoHex)
def network_visits_of_study(policy):
    return study_at(policy.mohex)


@implements(study, NetworkMoHex)
def study_network_position(policy, state, moves, count, kept):
    return study(policy.mohex, state, moves, count, kept)


@implements(study_moves, NetworkMoHex)
def study_network_moves(policy, state, moves, count, bounds):
    study_moves(policy.mohex, state, moves, count, bounds)


@implements(connection_finder, NetworkMoHex)
def find_network_connections(policy, game, player, pure):
    return connection_finder(policy.mohex, game, player, pure)


@implements(without_inferior_moves, NetworkMoHex)
def network_by_connections_alone(policy):
    return policy._replace(mohex=without_inferior_moves(policy.mohex))


# -- new nodes -----------------------------------------------------------------------------------------------------------------
@implements(rate_moves, NetworkMoHex)
def rate_network_mohex_moves(policy, state, moves, count, ratings):
    """Of the empty board the network has nothing to say: in records a first move is one that the other need not swap."""
    mohex = policy.mohex
    rate_with_patterns(mohex, mohex.prune_new, mohex.reply_bonus, state, moves, count, ratings)
    for i in range(count):
        ratings[i]["prior"] *= policy.pattern_prior
    value = NO_EXPECTATION
    if state["count"] > 0:
        value = rate_by_network(policy.advice, state, moves, count, ratings, NO_MOVE)
    else:
        for i in range(count):
            ratings[i]["prior"] += policy.advice.prior / count
    share_out(count, ratings)
    return value


@kernel
def share_out(count, ratings):
    """Makes the priors shares of their sum over the moves that are kept."""
    total = 0.0
    for i in range(count):
        if ratings[i]["kept"]:
            total += ratings[i]["prior"]
    if total > 0.0:
        for i in range(count):
            ratings[i]["prior"] /= total
