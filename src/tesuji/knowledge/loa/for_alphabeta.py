"""What the alpha-beta engine asks of the policy McLoa: order, probability and noise of moves, the null move, table keys."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.hashing import mixed
from tesuji.core.rules import position_hash
from tesuji.games.loa.connection import euler_number
from tesuji.games.loa.lines import PASS, goal_in, landing, list_moves, move_in
from tesuji.games.loa.state import ONE, PLY_LIMIT, QUIET_LIMIT, ZERO
from tesuji.knowledge.loa.categories import category_of, centre_of_mass, kind_of
from tesuji.knowledge.loa.mc_loa import McLoa
from tesuji.knowledge.loa.winning import linking_squares, winning_entry, wins
from tesuji.search.alphabeta.hooks import (
    move_order,
    noisy_moves,
    rate_order,
    search_hash,
    skip_turn,
    transition_probability,
)

NEAR_THE_END = 100  # plies before a game is drawn by its length: from there on the table must know the count
WINNING = 1.0  # the order of a move that wins at once, the only ones put first


@implements(search_hash, McLoa)
def key_of_position(policy, state):
    """The pieces and whose turn it is. What was there before counts only where a draw by length is near."""
    if state["quiet"] >= QUIET_LIMIT - NEAR_THE_END or state["ply"] >= PLY_LIMIT - NEAR_THE_END:
        return position_hash(state)
    return mixed(state["seen"][state["quiet"]], np.uint64(state["to_play"]))


@implements(skip_turn, McLoa)
def skip(policy, state):
    """As a pass, so that a position that comes back is still known by its distance. Not where that would end the game, nor
    where the rules have no pass: a player without a move would have lost."""
    quiet = np.int64(state["quiet"]) + 1
    if quiet >= QUIET_LIMIT or state["ply"] + 1 >= PLY_LIMIT or state["no_move_loses"] != 0:
        return False
    seen = state["seen"]
    seen[quiet] = seen[quiet - 1]
    state["quiet"] = quiet
    state["ply"] += 1
    state["to_play"] = 1 - state["to_play"]
    return True


@implements(noisy_moves, McLoa)
def moves_that_change_groups(policy, state, out):
    """A move that wins at once, and no other; else the captures that join groups of one's own or split the other's.

    Groups are counted by the Euler number, groups less holes.
    """
    stones = state["stones"]
    player = state["to_play"]
    own, other = stones[player], stones[1 - player]
    count = list_moves(state["counts"], own, other, out)
    index = winning_entry(own, other, linking_squares(own), out, count, state["mover_wins"])
    if index >= 0:
        out[0] = move_in(out[index])
        return 1
    mine, others = euler_number(own), euler_number(other)
    noisy = 0
    for i in range(count):
        move, target = move_in(out[i]), goal_in(out[i])
        bit = ONE << np.uint64(target)
        if other & bit == ZERO:
            continue
        if euler_number(other ^ bit) > others or euler_number(own ^ (ONE << np.uint64(move >> 3)) ^ bit) < mine:
            out[noisy] = move
            noisy += 1
    return noisy


@implements(transition_probability, McLoa)
def chance_of_category(policy, state, move):
    return policy.weights[category_of(state, move)]


@implements(move_order, McLoa)
def wins_first(policy, state, move):
    stones = state["stones"]
    return order_of(state, move, linking_squares(stones[state["to_play"]]))


@implements(rate_order, McLoa)
def order_by_category(policy, state, candidates, count, orders, chances):
    own = state["stones"][state["to_play"]]
    centre = centre_of_mass(own)
    squares = linking_squares(own)
    for i in range(count):
        orders[i] = order_of(state, candidates[i], squares)
        chances[i] = policy.weights[kind_of(state, candidates[i], centre)]


@kernel
def order_of(state, move, squares):
    """WINNING for a move that wins at once, which can only go to one of `squares`; else 0."""
    if move == PASS or squares == ZERO:
        return 0.0
    stones = state["stones"]
    player = state["to_play"]
    origin = np.int64(move) >> 3
    target = landing(state["counts"], origin, np.int64(move) & 7)
    if squares >> np.uint64(target) & ONE == ZERO:
        return 0.0
    return WINNING if wins(stones[player], stones[1 - player], origin, target, state["mover_wins"]) else 0.0
