"""A network as a part that any policy can have: what it says of moves when a node gets its children.

A policy keeps a `NetworkAdvice` in a field, takes its parameters among its own, and calls `rate_by_network` in `rate_moves`.
The probability that the network gives a move is added to the move's prior, and counts as won games in proportion to its root.
The result that it expects of the position may count as games of every move: a new move begins with that value then.
Policies are shared by all threads, so each thread enters a room of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.game import Game
from tesuji.core.numba.atomics import compare_and_swap
from tesuji.core.parameters import SHIPPED, Parameter
from tesuji.knowledge.expected_games import INTO, RAVE, add_games
from tesuji.knowledge.network.file import encoding_of, load_network_for, network_file
from tesuji.knowledge.network.forward import (
    VIEWS,
    BoardNetwork,
    NetworkRoom,
    board_network,
    evaluate_network,
    network_room,
    room_of,
)
from tesuji.knowledge.network.outside import OutsideNetwork
from tesuji.search.kernel.leaves import Answers
from tesuji.search.policy import EXPECTATION, OWN_VALUE, PRIOR, VALUE

NO_OPINION = 0.5
MOST_GAMES = 10_000.0


class NetworkAdvice(NamedTuple):
    network: BoardNetwork | OutsideNetwork
    rooms: NetworkRoom | Answers  # of all threads: each array has the room as its first axis
    taken: np.ndarray  # int64[room]: 1 while a thread is in it
    chances: np.ndarray  # float64[room, move]
    prior: float
    games: float
    value_games: float
    into: int

    PARAMETERS = (
        Parameter("network", SHIPPED, "the file of a network ('tesuji learn network')", files=True),
        Parameter("network_prior", 1.0, "what a probability of 1 by the network adds to the prior", 0.0, 1e6, needs=PRIOR),
        Parameter(
            "network_games",
            300.0,
            "games won by the network, times the root of the probability",
            0.0,
            MOST_GAMES,
            needs=VALUE,
            tuning="20..600:log",
        ),
        Parameter(
            "network_value_games",
            0.0,
            "games of every move beforehand, of which the mover wins the share that the network expects",
            0.0,
            MOST_GAMES,
            needs=VALUE,
            tuning="0..40",
        ),
        Parameter(
            "network_into",
            "own",
            "whether these games count among RAVE's, which soon outnumber them, the move's own, or both",
            choices=INTO,
            needs=OWN_VALUE,
        ),
        Parameter("network_temperature", 1.0, "above 1 the network's probabilities are more even", 0.1, 10.0),
        Parameter(
            "network_view",
            "same",
            "whether it sees a position as it is, in a symmetric image, or in all of them, whose mean counts",
            choices=VIEWS,
        ),
    )
    GIVES = (PRIOR, VALUE, EXPECTATION)

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> NetworkAdvice:
        threads = int(settings.get("threads", 1))
        into = INTO.index(settings["network_into"]) if settings["network_into"] in INTO else RAVE
        if "evaluation" in settings:  # an evaluator of the user's is in the place of a network
            network, rooms = settings["evaluation"].viewer, settings["evaluation"].answers
        else:
            network, rooms = cls._read(game, settings, threads)
        return cls(
            network=network,
            rooms=rooms,
            taken=np.zeros(threads, np.int64),
            chances=np.zeros((threads, game.buffer_size)),
            prior=float(settings["network_prior"]),
            games=float(settings["network_games"]),
            value_games=float(settings["network_value_games"]),
            into=into,
        )

    @staticmethod
    def _read(game: Game, settings: Mapping[str, Any], threads: int) -> tuple[BoardNetwork, NetworkRoom]:
        encoding = encoding_of(game)
        network = load_network_for(game, network_file(game, settings["network"])).network
        ready = board_network(network, encoding, settings["network_temperature"], VIEWS.index(settings["network_view"]))
        return ready, NetworkRoom(*(np.stack([array] * threads) for array in network_room(ready, encoding)))


@kernel
def rate_by_network(advice, state, moves, count, ratings, hint_only):
    """Adds what the network says of the moves to their ratings; returns the result that it expects, for the player to move.

    The move `hint_only` gets no games, only its prior; -1 = all get them.
    """
    slot = 0
    while slot < len(advice.taken) and compare_and_swap(advice.taken, slot, 0, 1) != 0:
        slot += 1
    if slot == len(advice.taken):  # as many rooms as threads: this does not happen
        return NO_OPINION
    chances = advice.chances[slot]
    value = evaluate_network(advice.network, room_of(advice.rooms, slot), state, moves, count, chances)
    for i in range(count):
        ratings[i]["prior"] += advice.prior * chances[i]
        if moves[i] != hint_only:
            add_games(ratings[i], 1.0, advice.games * math.sqrt(chances[i]), advice.into)
            add_games(ratings[i], value, advice.value_games, advice.into)
    compare_and_swap(advice.taken, slot, 1, 0)
    return value
