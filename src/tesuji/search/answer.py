"""From tree to answer: the move to play, what is known of every move, the expected line of play. Plain Python."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from tesuji.core.parameters import Settings
from tesuji.core.rules import FIRST
from tesuji.search.options import sum_unit
from tesuji.search.tree import ROOT, USED, Tree

RESIGN_PLAYOUTS = 100


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


def counts_wins(settings: Settings, middle: float | None) -> bool:
    """Whether sums and values are of wins and losses rather than of outcomes."""
    return settings["reward"] == "win" and middle is not None


def as_value(outcome: float, settings: Settings, middle: float | None) -> float:
    """What an outcome is worth in the units of the values."""
    if middle is None or not counts_wins(settings, middle):
        return outcome
    return (outcome > middle) - (outcome < middle)


def node_value(tree: Tree, node: int, settings: Settings, middle: float | None = None) -> float:
    """The node's mean, or what its rule backs up, kept within its bounds; the middle of the bounds without games."""
    record = tree.nodes[node]
    lower, upper = (as_value(int(record[name]), settings, middle) for name in ("lower", "upper"))
    if record["visits"] <= 0:
        return (lower + upper) / 2
    value = (
        float(tree.moments[node]["value"])
        if len(tree.moments) > 1
        else int(record["sum"]) / sum_unit(settings) / int(record["visits"])
    )
    return min(max(value, lower), upper)


def ranked_children(tree: Tree, node: int, settings: Settings, span: int, middle: float | None = None) -> list[int]:
    """The children of a node, best first for the player to move there. What is proven comes before what is believed.

    `secured` is the best result that some move is proven to keep. In front are the moves that keep it (without those that
    are proven to be no better, where another may be), and, unless a win is secured, moves that may be better and whose
    games say so. Among those the parameter `final_move` decides.
    """
    sign = 1 if int(tree.nodes[node]["to_play"]) == FIRST else -1
    children = children_of(tree, node)
    lows, highs = {}, {}
    for child in children:
        lower, upper = int(tree.nodes[child]["lower"]), int(tree.nodes[child]["upper"])
        lows[child], highs[child] = (lower, upper) if sign > 0 else (-upper, -lower)
    secured = max(lows.values(), default=0)
    best_hope = max((highs[child] for child in children if lows[child] == secured), default=0)
    promised = sign * as_value(sign * secured, settings, middle)
    range_of_values = 2 if counts_wins(settings, middle) else max(1, span)
    win_is_sure = middle is not None and secured > sign * middle

    def key(child: int) -> tuple[float, ...]:
        visits = int(tree.nodes[child]["visits"])
        value = sign * node_value(tree, child, settings, middle)
        if lows[child] == secured:
            in_front = highs[child] > secured or best_hope == secured
        else:
            in_front = highs[child] > secured and visits > 0 and value > promised and not win_is_sure
        if settings["final_move"] == "visits":
            measure = float(visits)
        elif visits == 0:
            measure = -math.inf
        elif settings["final_move"] == "value":
            measure = value
        else:
            measure = value / range_of_values - settings["secure_constant"] / math.sqrt(visits)
        behind_by_proof = 0 if in_front else highs[child]  # those set behind: the less hopeless first
        return (in_front, behind_by_proof, measure, value)

    return sorted(children, key=key, reverse=True)


def principal_variation(
    tree: Tree, node: int, settings: Settings, span: int, middle: float | None = None, longest: int = 40
) -> list[int]:
    """The line of best moves from a node on, as far as the tree reaches."""
    line = []
    while len(line) < longest and tree.nodes[node]["child_count"] > 0:
        quick = most_visited(tree, node, settings, middle)
        node = quick if quick >= 0 else ranked_children(tree, node, settings, span, middle)[0]
        if tree.nodes[node]["visits"] == 0 and tree.nodes[node]["lower"] != tree.nodes[node]["upper"]:
            break
        line.append(int(tree.nodes[node]["move"]))
    return line


def most_visited(tree: Tree, node: int, settings: Settings, middle: float | None) -> int:
    """The first of `ranked_children`, found quickly where no child's bounds differ from another's; -1 = ask it instead.

    A table of eighty moves with a line for each asks for thousands of these.
    """
    record = tree.nodes[node]
    first, last = int(record["first_child"]), int(record["first_child"]) + int(record["child_count"])
    children = tree.nodes[first:last]
    if settings["final_move"] != "visits" or np.ptp(children["lower"]) or np.ptp(children["upper"]):
        return -1
    visits = children["visits"]
    leaders = np.flatnonzero(visits == visits.max()) + first
    if len(leaders) == 1:
        return int(leaders[0])
    sign = 1 if int(record["to_play"]) == FIRST else -1
    return max((int(child) for child in leaders), key=lambda child: sign * node_value(tree, child, settings, middle))


def report_moves(tree: Tree, settings: Settings, span: int, middle: float | None = None) -> list[MoveReport]:
    """Every move at the root, best first."""
    reports = []
    for child in ranked_children(tree, ROOT, settings, span, middle):
        record = tree.nodes[child]
        games = int(tree.rave[child]["visits"]) if len(tree.rave) > 1 else 0
        move = int(record["move"])
        reports.append(
            MoveReport(
                move=move,
                visits=int(record["visits"]),
                value=node_value(tree, child, settings, middle),
                prior=float(record["prior"]),
                rave=int(tree.rave[child]["sum"]) / sum_unit(settings) / games if games else None,
                lower=int(record["lower"]),
                upper=int(record["upper"]),
                pv=[move, *principal_variation(tree, child, settings, span, middle)],
            )
        )
    return reports


def node_count(tree: Tree) -> int:
    return int(tree.counters[USED])
