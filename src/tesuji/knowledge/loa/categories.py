"""Move categories of Lines of Action, and the policy that draws moves by how often experts play such moves.

A category is: capture or not, region of the origin, region of the destination, and how many squares the piece comes nearer to
the centre of mass of its side (Winands, Bjornsson and Saito 2008, section 3.1; the paper's 277 categories are not listed, so
the last part is our reading: king's moves, cut off at 3 squares either way). Passing is a category of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.game import Game
from tesuji.core.numba.bits import bit_count
from tesuji.core.random import below
from tesuji.games.loa.lines import GOAL_SHIFT, PASS, goal_in, landing, list_moves, move_in
from tesuji.games.loa.state import ONE
from tesuji.knowledge.weight_files import WEIGHTS, files_by_kind
from tesuji.search.policy import PRIOR, playout_move, rate_moves

REGIONS = ("corner", "edge", "second ring", "third ring", "centre")
MOST_GAIN = 3
_GAINS = 2 * MOST_GAIN + 1
CATEGORIES = 2 * len(REGIONS) * len(REGIONS) * _GAINS + 1
PASSING = CATEGORIES - 1
WHOLE = 1 << 24  # the share of a probability of 1; 96 of them are still below 2**32, as random numbers must be

# The squares whose column, or row, has bit 0, 1, 2 set: a sum of columns is three counts of bits.
_COLUMN_BITS = tuple(np.uint64(sum(1 << n for n in range(64) if n % 8 >> bit & 1)) for bit in range(3))
_ROW_BITS = tuple(np.uint64(sum(1 << n for n in range(64) if n // 8 >> bit & 1)) for bit in range(3))


def _region(square: int) -> int:
    column, row = square % 8, square // 8
    ring = min(column, row, 7 - column, 7 - row)
    return 0 if column in (0, 7) and row in (0, 7) else ring + 1


def _distance(one: int, other: int) -> int:
    return max(abs(one % 8 - other % 8), abs(one // 8 - other // 8))


REGION = np.array([_region(square) for square in range(64)], np.uint8)
DISTANCE = np.array([[_distance(a, b) for b in range(64)] for a in range(64)], np.int8)  # in king's moves


class Categories(NamedTuple):
    """Moves are drawn in proportion to the weight of their category, which is also their prior. `policy_of` makes one."""

    weights: np.ndarray  # float64[CATEGORIES]
    shares: np.ndarray  # int64[CATEGORIES]: the same as whole numbers, which are quicker to add up

    PARAMETERS = (WEIGHTS,)
    GIVES = (PRIOR,)

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> Categories:
        from tesuji.knowledge.loa.weights import KIND, CategoryWeights

        return policy_of(CategoryWeights.chosen(files_by_kind(settings["weights"], [KIND])).probabilities())


def policy_of(weights: np.ndarray) -> Categories:
    """The policy with these weights, probabilities of the categories, each above 0."""
    return Categories(weights, np.maximum(1, np.rint(weights * WHOLE)).astype(np.int64))


def category_text(category: int) -> str:
    """The category in words: 'capture, edge to centre, +2'."""
    if category == PASSING:
        return "pass"
    rest, gain = divmod(category, _GAINS)
    rest, destination = divmod(rest, len(REGIONS))
    capture, origin = divmod(rest, len(REGIONS))
    kind = "capture" if capture else "move"
    return f"{kind}, {REGIONS[origin]} to {REGIONS[destination]}, {gain - MOST_GAIN:+d}"


@kernel
def centre_of_mass(pieces):
    """The square nearest to the mean of column and row, halves going up and to the right."""
    count = bit_count(pieces)
    columns = (
        bit_count(pieces & _COLUMN_BITS[0]) + 2 * bit_count(pieces & _COLUMN_BITS[1]) + 4 * bit_count(pieces & _COLUMN_BITS[2])
    )
    rows = bit_count(pieces & _ROW_BITS[0]) + 2 * bit_count(pieces & _ROW_BITS[1]) + 4 * bit_count(pieces & _ROW_BITS[2])
    return (2 * columns + count) // (2 * count) + 8 * ((2 * rows + count) // (2 * count))


@kernel
def category(origin, target, capture, centre):
    """The number of the category of a piece's move; `capture` is 0 or 1, `centre` the square of the centre of mass."""
    gain = np.int64(DISTANCE[centre, origin]) - np.int64(DISTANCE[centre, target])
    gain = min(max(gain, -MOST_GAIN), MOST_GAIN)
    return ((capture * 5 + np.int64(REGION[origin])) * 5 + np.int64(REGION[target])) * _GAINS + gain + MOST_GAIN


@kernel
def category_of(state, move):
    """The category of a legal move of the position."""
    return kind_of(state, move, centre_of_mass(state["stones"][state["to_play"]]))


@kernel
def kind_of(state, move, centre):
    """As `category_of`, with the centre of mass known."""
    if move == PASS:
        return PASSING
    stones = state["stones"]
    origin = np.int64(move) >> 3
    target = landing(state["counts"], origin, np.int64(move) & 7)
    capture = np.int64((stones[1 - state["to_play"]] >> np.uint64(target)) & ONE)
    return category(origin, target, capture, centre)


@kernel
def list_with_categories(state, out):
    """As `rules.moves`, each move with its category above it (see `move_in` and `category_in`)."""
    stones = state["stones"]
    player = state["to_play"]
    own, other = stones[player], stones[1 - player]
    centre = centre_of_mass(own)
    count = list_moves(state["counts"], own, other, out)
    for i in range(count):
        entry = out[i]
        move = move_in(entry)
        target = goal_in(entry)
        capture = np.int64((other >> np.uint64(target)) & ONE)
        out[i] = (category(move >> 3, target, capture, centre) << GOAL_SHIFT) | move
    if count == 0:
        out[0] = (PASSING << GOAL_SHIFT) | PASS
        count = 1
    return count


@kernel
def category_in(entry):
    return np.int64(entry) >> GOAL_SHIFT


@kernel
def drawn(shares, entries, left):
    """The move in which the number `left`, below the sum of all shares, falls."""
    index = -1
    while left >= 0:
        index += 1
        left -= shares[category_in(entries[index])]
    return move_in(entries[index])


@implements(playout_move, Categories)
def draw_move(policy, notes, state, rng):
    buffer = notes["moves"]
    shares = policy.shares
    count = list_with_categories(state, buffer)
    total = 0
    for i in range(count):
        total += shares[category_in(buffer[i])]
    return drawn(shares, buffer, below(rng, total))


@implements(rate_moves, Categories)
def rate_categories(policy, state, moves, count, ratings):
    rate_by_category(policy.weights, state, moves, count, ratings)


@kernel
def rate_by_category(weights, state, moves, count, ratings):
    """The prior of a move is the weight of its category."""
    centre = centre_of_mass(state["stones"][state["to_play"]])
    for i in range(count):
        ratings[i]["prior"] = weights[kind_of(state, moves[i], centre)]
