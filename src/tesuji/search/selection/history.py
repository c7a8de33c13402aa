"""Progressive history (Nijssen and Winands 2011): new moves are tried first that have won games elsewhere."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.parameters import Parameter
from tesuji.core.rules import FIRST, SECOND
from tesuji.search.kernel.scale import for_mover
from tesuji.search.selection.interface import (
    NodeStatistics,
    are_possible_moves,
    credit_game,
    seen_statistics,
    selection_rule,
    worth,
)
from tesuji.search.selection.uct import EXPLORATION, FIRST_PLAY, upper_confidence

# Of each player's move, wherever it was made: the games, those twice in which it was made twice, and their scores. Each thread
# counts its own games.
HISTORY = np.dtype([("sum", np.int64), ("games", np.int64)])
MOST_GAMES = 1 << 30  # then both are halved


@selection_rule(
    parameters=(
        EXPLORATION,
        FIRST_PLAY,
        Parameter(
            "history_weight",
            5.0,
            "W of W h / (n (1 - mean) + 1), h the mean of all games in which the player made the move",
            0.0,
            1e6,
            tuning="0.3..30:log",
        ),
    ),
    by_move=HISTORY,
    term_names={"bonus": "history"},
)
class ProgressiveHistory(NamedTuple):
    """UCT + W h / (n (1 - mean) + 1), h the mean of all games so far in which the player made the move, anywhere.

    Nijssen and Winands 2011, "Enhancements for multi-player Monte-Carlo tree search", section 4. n (1 - mean) are the games
    that were lost with it, so that a move that loses is soon given up. A move that was never made has h = 1/2.
    """

    exploration: float
    first_play: float
    history_weight: float


@implements(worth, ProgressiveHistory)
def confidence_with_history(rule, child, parent):
    lost = float(child.visits * (1.0 - child.mean))  # a plain number, so that terms.py gives the summand to the history
    return upper_confidence(rule, child, parent) + rule.history_weight * child.bonus * (1.0 / (lost + 1.0))


@implements(seen_statistics, ProgressiveHistory)
@kernel
def history_as_bonus(rule, tree, scratch, index, maximises, options):
    entry = scratch.by_move[FIRST if maximises else SECOND, tree.nodes[index]["move"]]
    games = np.int64(entry["games"])
    scale = options.scale
    history = 0.5
    if games > 0:
        history = for_mover((np.float64(entry["sum"]) / np.float64(games) - scale.least) * scale.per_sum, maximises)
    return NodeStatistics(np.int64(0), np.int64(0), np.int64(0), np.int64(0), history)


@implements(credit_game, ProgressiveHistory)
@kernel
def credit_history(rule, tree, scratch, depth, length, score):
    entries = scratch.by_move
    for ply in range(length):
        entry = entries[scratch.movers[ply], scratch.history[ply]]
        entry["sum"] += score
        entry["games"] += 1
        if entry["games"] >= MOST_GAMES:
            entry["sum"] //= 2
            entry["games"] //= 2


@implements(are_possible_moves, ProgressiveHistory)
def is_possible_history(rule: Any, records: np.ndarray, scale: Any) -> bool:
    games, sums = records["games"], records["sum"].astype(np.float64)
    in_range = (games >= 0) & (games <= MOST_GAMES)
    return bool(np.all(in_range & (sums >= games * float(scale.least) - 64) & (sums <= games * float(scale.most) + 64)))


RULES = {"progressive-history": ProgressiveHistory}
