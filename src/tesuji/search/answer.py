"""From tree to answer: the move to play, what is known of every move, the expected line of play. Plain Python."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tesuji.core.parameters import Settings
from tesuji.core.rules import FIRST
from tesuji.search.tree import ROOT, USED, Tree


@dataclass
class MoveReport:
    """What the search knows of one move. value, lower, upper: outcome units, for player 0."""

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
    """The state of a search. value, lower, upper: outcome units, for player 0; value lies within the bounds."""

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


def children_of(tree: Tree, node: int) -> list[int]:
    record = tree.nodes[node]
    first = int(record["first_child"])
    return list(range(first, first + int(record["child_count"])))


def node_value(tree: Tree, node: int) -> float:
    """Mean outcome of the games through the node, kept within its bounds; the middle of the bounds without games."""
    record = tree.nodes[node]
    lower, upper, visits = int(record["lower"]), int(record["upper"]), int(record["visits"])
    if visits <= 0:
        return (lower + upper) / 2
    return min(max(int(record["sum"]) / visits, lower), upper)


def ranked_children(tree: Tree, node: int, settings: Settings, span: int) -> list[int]:
    """The children of a node, best first for the player to move there. What is proven comes before what is believed.

    A move is set behind when another move is proven at least as good and may be better, or when a proven result beats
    what this one's games promise. Among the rest the parameter `final_move` decides.
    """
    sign = 1 if int(tree.nodes[node]["to_play"]) == FIRST else -1
    children = children_of(tree, node)

    def limits(child: int) -> tuple[int, int]:
        record = tree.nodes[child]
        low, high = int(record["lower"]), int(record["upper"])
        return (low, high) if sign > 0 else (-high, -low)

    known = {child: limits(child) for child in children}
    secured = max((low for low, _ in known.values()), default=0)
    most_hope = max((high for low, high in known.values() if low == secured), default=0)

    def key(child: int) -> tuple[float, ...]:
        low, high = known[child]
        visits = int(tree.nodes[child]["visits"])
        value = sign * node_value(tree, child)
        dominated = high < secured or (high == secured and low <= secured and most_hope > secured and low < high)
        hopeless = high <= secured and low < secured
        worse_than_sure = low < secured and (value < secured or visits == 0)
        lost_with_choice = low == high and any(lo >= high and hi > high for lo, hi in known.values())
        behind = dominated or hopeless or worse_than_sure or lost_with_choice
        measure = {
            "visits": float(visits),
            "value": value if visits else -math.inf,
            "secure": value / max(1, span) + settings["secure_constant"] / math.sqrt(visits) if visits else -math.inf,
        }[settings["final_move"]]
        # A move that secures the most comes first when everything is decided, else what the measure says.
        decided = known[child][0] if all(lo == hi for lo, hi in known.values()) else 0
        return (not behind, decided, measure, value)

    return sorted(children, key=key, reverse=True)


def principal_variation(tree: Tree, node: int, settings: Settings, span: int, longest: int = 40) -> list[int]:
    """The line of best moves from a node on, as far as the tree reaches."""
    line = []
    while len(line) < longest and tree.nodes[node]["child_count"] > 0:
        node = ranked_children(tree, node, settings, span)[0]
        if tree.nodes[node]["visits"] == 0 and tree.nodes[node]["lower"] != tree.nodes[node]["upper"]:
            break
        line.append(int(tree.nodes[node]["move"]))
    return line


def report_moves(tree: Tree, settings: Settings, span: int) -> list[MoveReport]:
    """Every move at the root, best first."""
    reports = []
    for child in ranked_children(tree, ROOT, settings, span):
        record = tree.nodes[child]
        games = int(tree.rave[child]["visits"]) if len(tree.rave) > 1 else 0
        move = int(record["move"])
        reports.append(
            MoveReport(
                move=move,
                visits=int(record["visits"]),
                value=node_value(tree, child),
                prior=float(record["prior"]),
                rave=int(tree.rave[child]["sum"]) / games if games else None,
                lower=int(record["lower"]),
                upper=int(record["upper"]),
                pv=[move, *principal_variation(tree, child, settings, span)],
            )
        )
    return reports


def node_count(tree: Tree) -> int:
    return int(tree.counters[USED])
