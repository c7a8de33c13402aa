"""The answer of a search: the move to play, a report on every move, the principal variation. Plain Python."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tesuji.core.parameters import Declaration, Parameter
from tesuji.core.rules import FIRST
from tesuji.search.kernel.scale import value_of
from tesuji.search.kernel.tree import PRUNED, USED, Tree
from tesuji.search.selection.interface import reported_value, statistics_of

if TYPE_CHECKING:
    from tesuji.search.engine.tree_search import TreeSearch

RESIGN_PLAYOUTS = 100
LONGEST_LINE = 40  # moves of a principal variation
ANSWER = Declaration(
    Parameter(
        "final_move",
        "visits",
        "how the move to play is chosen; proofs come first",
        choices=("visits", "value", "secure"),
        parts={
            "secure": (
                Parameter(
                    "secure_constant",
                    1.0,
                    "A of the secure child, the largest v - A / sqrt(n), v from 0 to 1",
                    -1e6,
                    1e6,
                    tuning="0..4",
                ),
            )
        },
    ),
    Parameter("stop_early", False, "stop a search when the time left cannot change the most visited move"),
    Parameter(
        "extend_unstable",
        0.0,
        "share X by which a search with a time limit is extended, once, if the most visited move is not the one of the best "
        "value; the extension is part of the limit, so that a stable search ends after 1 / (1 + X) of it",
        0.0,
        10.0,
    ),
    Parameter("resign", 0.0, "resign when the value for the mover, from 0 to 1, is below this; 0 = never", 0.0, 1.0),
)


class Answer(NamedTuple):
    """How a player chooses its move by the result of its search. The search itself does not depend on it."""

    final_move: str = "visits"
    secure_constant: float = 0.0
    stop_early: bool = False
    extend_unstable: float = 0.0
    resign: float = 0.0


class Outcomes(NamedTuple):
    """Those of the finished games that began with a move, since it can be made: of player 0.

    They are counted where only winning counts (reward=win); elsewhere values are means of outcomes anyway.
    """

    mean: float
    deviation: float


@dataclass
class MoveReport:
    """What the search knows of one move. value, lower, upper: outcome units, for player 0.

    Where only winning counts (reward=win), values run from -1 (all games lost by player 0) to 1.
    """

    move: int
    visits: int
    value: float
    prior: float
    rave: float | None
    lower: int
    upper: int
    pv: list[int]
    outcomes: Outcomes | None = None


@dataclass
class Result:
    """The state of a search. value, lower, upper: outcome units, for player 0; value lies within the bounds.

    `value_range` is the range of all values: that of the outcomes, or (-1, 1) where only winning counts.
    """

    to_move: int
    playouts: int
    nodes: int
    seconds: float
    best_move: int | None
    value: float
    lower: int
    upper: int
    proven: bool
    interrupted: bool = False
    full: bool = False  # the arena was full at least once
    moves: list[MoveReport] = field(default_factory=list)
    value_range: tuple[float, float] = (-1.0, 1.0)
    best_value: float = 0.0  # of the best move
    cpu: float = 0.0  # seconds, of all threads together
    outcomes: Outcomes | None = None  # of the best move
    values_are_outcomes: bool = False  # means of outcomes alone, without expectations and evaluations

    def chance(self, value: float) -> float:
        """A value as a number from 0 to 1, 1 the best for the player to move: a winning rate where only winning counts."""
        low, high = self.value_range
        share = min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 1.0
        return share if self.to_move == FIRST else 1.0 - share

    def is_hopeless(self, threshold: float) -> bool:
        """Whether the mover should resign: even its best move is worth less than the threshold (0 = it never should).

        A search of a few playouts does not know that.
        """
        knows = self.playouts >= RESIGN_PLAYOUTS or self.proven
        return knows and self.best_move is not None and self.chance(self.best_value) < threshold


def children_of(tree: Tree, node: int) -> list[int]:
    record = tree.nodes[node]
    first = int(record["first_child"])
    return list(range(first, first + int(record["child_count"])))


def node_value(search: TreeSearch, node: int) -> float:
    """The node's mean, or what its rule backs up, kept within its bounds; the middle of the bounds without games."""
    record, scale = search.tree.nodes[node], search.options.scale
    lower, upper = (value_of(scale, int(record[name])) for name in ("lower", "upper"))
    if record["visits"] <= 0:
        return (lower + upper) / 2
    value = float(reported_value(search.rule, search.tree.statistics, node))
    if math.isnan(value):
        value = int(record["sum"]) / scale.unit / int(record["visits"])
    return min(max(value, lower), upper)


def ranked_children(search: TreeSearch, node: int) -> list[int]:
    """The children of a node, best first for the player to move there. Proven results come before estimates.

    `secured` is the best result that some move is proven to reach. In front are the moves that reach it (without those that
    are proven to be no better, where another may be), and, unless a win is secured, moves that may be better and whose
    mean is better. Among those the parameter `final_move` decides. Pruned moves come last.
    """
    tree, answer, scale = search.tree, search.answer, search.options.scale
    sign = 1 if int(tree.nodes[node]["to_play"]) == FIRST else -1
    children = children_of(tree, node)
    unpruned = [child for child in children if not is_pruned(tree, child)]
    lows, highs = {}, {}
    for child in children:
        lower, upper = int(tree.nodes[child]["lower"]), int(tree.nodes[child]["upper"])
        lows[child], highs[child] = (lower, upper) if sign > 0 else (-upper, -lower)
    secured = max((lows[child] for child in unpruned), default=0)
    best_hope = max((highs[child] for child in unpruned if lows[child] == secured), default=0)
    secured_value = sign * value_of(scale, sign * secured)
    range_of_values = 2 if scale.only_wins else max(1, scale.highest - scale.lowest)
    win_is_sure = scale.has_winner and secured > sign * scale.break_even

    def key(child: int) -> tuple[float, ...]:
        visits = int(tree.nodes[child]["visits"])
        value = sign * node_value(search, child)
        if is_pruned(tree, child):
            in_front = False
        elif lows[child] == secured:
            in_front = highs[child] > secured or best_hope == secured
        else:
            in_front = highs[child] > secured and visits > 0 and value > secured_value and not win_is_sure
        if answer.final_move == "visits":
            measure = float(visits)
        elif visits == 0:
            measure = -math.inf
        elif answer.final_move == "value":
            measure = value
        else:
            measure = value / range_of_values - answer.secure_constant / math.sqrt(visits)
        behind_by_proof = 0 if in_front else highs[child]  # those set behind: the less hopeless first
        prior = float(tree.nodes[child]["prior"]) if visits == 0 else 0.0  # proven before the search: the likeliest first
        return (not is_pruned(tree, child), in_front, behind_by_proof, measure, value, prior)

    return sorted(children, key=key, reverse=True)


def is_pruned(tree: Tree, node: int) -> bool:
    return bool(tree.nodes[node]["flags"] & PRUNED)


def principal_variation(search: TreeSearch, node: int) -> list[int]:
    """The line of best moves from a node on, as far as the tree reaches."""
    tree = search.tree
    line = []
    while len(line) < LONGEST_LINE and tree.nodes[node]["child_count"] > 0:
        quick = most_visited(search, node)
        node = quick if quick >= 0 else ranked_children(search, node)[0]
        if tree.nodes[node]["visits"] == 0 and tree.nodes[node]["lower"] != tree.nodes[node]["upper"]:
            break
        line.append(int(tree.nodes[node]["move"]))
    return line


def most_visited(search: TreeSearch, node: int) -> int:
    """The first of `ranked_children`, found quickly where no child's bounds differ from another's; -1 = ask it instead.

    A table of eighty moves with a line for each asks for thousands of these.
    """
    tree = search.tree
    record = tree.nodes[node]
    first, last = int(record["first_child"]), int(record["first_child"]) + int(record["child_count"])
    children = tree.nodes[first:last]
    has_pruned = np.any(children["flags"] & PRUNED)
    if search.answer.final_move != "visits" or has_pruned or np.ptp(children["lower"]) or np.ptp(children["upper"]):
        return -1
    visits = children["visits"]
    leaders = np.flatnonzero(visits == visits.max()) + first
    if len(leaders) == 1:
        return int(leaders[0])
    sign = 1 if int(record["to_play"]) == FIRST else -1

    def rank(child: int) -> tuple[float, float]:
        record = tree.nodes[child]
        return sign * node_value(search, child), float(record["prior"]) if record["visits"] == 0 else 0.0

    return max((int(child) for child in leaders), key=rank)


def report_moves(search: TreeSearch, children: list[int]) -> list[MoveReport]:
    """A report on each of these children of the root, in their order."""
    tree, scale = search.tree, search.options.scale
    reports = []
    for child in children:
        record = tree.nodes[child]
        statistics = statistics_of(search.rule, tree.statistics, child)
        games, total = int(statistics.rave_games), int(statistics.rave_sum)
        move = int(record["move"])
        reports.append(
            MoveReport(
                move=move,
                visits=int(record["visits"]),
                value=node_value(search, child),
                prior=float(record["prior"]),
                rave=total / scale.unit / games if games > 0 else None,
                lower=int(record["lower"]),
                upper=int(record["upper"]),
                pv=[move, *principal_variation(search, child)],
                outcomes=outcomes_of(search, move),
            )
        )
    return reports


def outcomes_of(search: TreeSearch, move: int) -> Outcomes | None:
    """Those of a move of the root; None without a game, or where they are not counted."""
    if len(search.scratches[0].outcomes) == 1:
        return None
    games, total, squares = np.sum([scratch.outcomes[move] for scratch in search.scratches], axis=0)
    if games < 1:
        return None
    mean = float(total / games)
    return Outcomes(mean, math.sqrt(max(0.0, float(squares / games) - mean * mean)))


def node_count(tree: Tree) -> int:
    return int(tree.counters[USED])
