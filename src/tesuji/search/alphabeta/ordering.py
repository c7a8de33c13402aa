"""The order in which moves are tried, the depth that each costs, and what is learned from cuts (killers, history)."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.search.alphabeta.frames import PLY, root_index
from tesuji.search.alphabeta.hooks import rate_order

# Keys from the highest down: the table's move, moves that the policy puts first, killers, history, moves put last.
TABLE_KEY = 1 << 62
EARLY_KEY = 1 << 58
KILLER_KEY = 1 << 56
LATE_KEY = -(1 << 58)
ORDER_STEPS = 1024.0  # resolution of the policy's order
MOST_ORDER = 1e6
HISTORY_SHIFT = 16  # below a step of history, the probability of the move decides
MOST_HISTORY = 1 << 36
CHANCE_STEPS = 65535.0


@kernel
def order_moves(scratch, policy, state, ply, count, table_move, player, options):
    """Copies the moves of the buffer to their ply, each with the key of its order and its cost in depth.

    state        the position, in which the moves are legal
    ply          whose scratch.moves, keys and costs are written
    count        the number of moves
    table_move   the best move by the transposition table, NO_MOVE = none
    player       the player to move, whose history counts
    """
    buffer = scratch.buffer
    rate_order(policy, state, buffer, count, scratch.orders, scratch.chances)
    width = scratch.history.shape[1]
    for i in range(count):
        move = np.int64(buffer[i])
        order = scratch.orders[i]
        chance = scratch.chances[i]
        if move == table_move:
            key = np.int64(TABLE_KEY)
        elif order > 0.0:
            key = EARLY_KEY + np.int64(min(order, MOST_ORDER) * ORDER_STEPS)
        elif order < 0.0:
            key = LATE_KEY + np.int64(max(order, -MOST_ORDER) * ORDER_STEPS)
        elif options.killers and move == scratch.killers[ply, 0]:
            key = np.int64(KILLER_KEY + 1)
        elif options.killers and move == scratch.killers[ply, 1]:
            key = np.int64(KILLER_KEY)
        else:
            key = np.int64(min(max(chance, 0.0), 1.0) * CHANCE_STEPS)
            if options.history:
                key += np.int64(scratch.history[player, move % width]) << HISTORY_SHIFT
        scratch.moves[ply, i] = move
        scratch.keys[ply, i] = key
        scratch.costs[ply, i] = cost_of(scratch.thresholds, chance, options)
    if ply == 0:
        order_root(scratch, count, options)


@kernel
def moves_to_try(scratch, ply, count, options):
    """How many of the moves, sorted by their keys, are tried: at most `width`, and none that the policy puts last.

    All where nothing may be pruned; and where it puts all moves last, the first of these.
    """
    if options.width == 0 or options.thorough:
        return count
    wanted = 0
    for i in range(count):
        if scratch.orders[i] >= 0.0:
            wanted += 1
    return min(options.width, wanted if wanted > 0 else count)


@kernel
def order_root(scratch, count, options):
    """The root's moves come in the order of their ranks, which the engine gives them before each search.

    Before the first one that is by chance. If only some moves are tried, the policy's order comes before that.
    """
    root = scratch.root
    if options.width > 0 and scratch.frames[0]["depth"] == PLY:
        rank_by_order(scratch, count)
    for i in range(count):
        scratch.keys[0, i] = -np.int64(root[root_index(root, scratch.moves[0, i])]["rank"])


@kernel
def rank_by_order(scratch, count):
    """Ranks the root's moves by their keys, those of equal keys by the ranks they had."""
    root, keys, ranks = scratch.root, scratch.keys, scratch.buffer
    for i in range(count):
        ranks[i] = root[root_index(root, scratch.moves[0, i])]["rank"]
    for i in range(count):
        earlier = 0
        for j in range(count):
            if keys[0, j] > keys[0, i] or (keys[0, j] == keys[0, i] and ranks[j] < ranks[i]):
                earlier += 1
        root[root_index(root, scratch.moves[0, i])]["rank"] = earlier


@kernel
def cost_of(thresholds, chance, options):
    """The depth that a move of this probability costs: ln P / ln P0 plies, by bisection in a table of its powers.

    A table, because logarithms may differ in their last bit between compiled code and pure Python.
    """
    if not options.realization or options.thorough or chance <= 0.0:
        return np.int64(PLY)
    first = 0  # the first threshold that the chance reaches
    last = len(thresholds) - 1
    while first < last:
        middle = (first + last) // 2
        if chance >= thresholds[middle]:
            last = middle
        else:
            first = middle + 1
    return np.int64(options.least_cost + first)


@kernel
def pick_best(scratch, ply, index, count):
    """Puts the move with the highest key of those from `index` on at `index`; of equals the first."""
    moves, keys, costs = scratch.moves, scratch.keys, scratch.costs
    best = index
    for i in range(index + 1, count):
        if keys[ply, i] > keys[ply, best]:
            best = i
    if best != index:
        move, key, cost = moves[ply, best], keys[ply, best], costs[ply, best]
        for i in range(best, index, -1):  # the others keep their order
            moves[ply, i] = moves[ply, i - 1]
            keys[ply, i] = keys[ply, i - 1]
            costs[ply, i] = costs[ply, i - 1]
        moves[ply, index] = move
        keys[ply, index] = key
        costs[ply, index] = cost


@kernel
def learn_from_cut(scratch, ply, move, depth, player, options):
    """Learns from a cut: the move becomes the first killer of its ply, and its history grows with the square of the depth.

    ply      where the move has cut
    depth    left at that ply, in units of 1 / PLY of a ply
    player   who made the move
    """
    killers = scratch.killers
    if options.killers and killers[ply, 0] != move:
        killers[ply, 1] = killers[ply, 0]
        killers[ply, 0] = move
    if options.history:
        history = scratch.history
        plies = np.int64(max(np.int64(depth), 0)) // PLY
        at = np.int64(move) % history.shape[1]
        history[player, at] = history[player, at] + plies * plies + 1
        if history[player, at] > MOST_HISTORY:
            for i in range(history.shape[1]):
                history[0, i] //= 2
                history[1, i] //= 2


def cost_thresholds(base: float, least: int, most: int) -> np.ndarray:
    """At index i the least probability at which a move costs no more than least + i units of depth."""
    return np.array([base ** ((cost + 0.5) / PLY) for cost in range(least, most)] + [0.0], np.float64)
