"""What analyses say of the moves of a game: a summary of each, what a move has lost, and the mistakes of a line."""

from __future__ import annotations

from typing import TypedDict

from tesuji.core import rules
from tesuji.play.tree import MoveTree

FEWEST_VISITS = 10  # of a move, below which its value says nothing


class TopMove(TypedDict):
    move: str
    visits: int
    chance: float


class AnalysisSummary(TypedDict):
    """What a node keeps of an analysis. `chance` is the mover's, from 0 to 1; values and bounds are the first player's."""

    player: str
    mover: int
    chance: float
    value: float | None
    best: str | None
    playouts: int
    lower: float | None
    upper: float | None
    proven: bool
    outcome: str
    top: list[TopMove]


class Mistake(TypedDict):
    node: int
    ply: int
    mover: int | None
    move: str | None
    best: str | None
    loss: float


def keep_analysis(tree: MoveTree, number: int, summary: AnalysisSummary) -> None:
    """A longer search replaces a shorter one; what is proven stays."""
    node = tree.nodes.get(number)
    if node is None:
        return
    known = node.analysis
    if known is not None and known["playouts"] > summary["playouts"] and not summary["proven"]:
        return
    node.analysis = summary
    tree.changed |= {number, *node.children}


def loss_of(tree: MoveTree, number: int) -> float | None:
    """What the move to this node has lost, from 0 to 1, for the player who made it; None if that is not known."""
    node = tree[number]
    if node.parent is None or node.mover is None or tree.game.players == 1:
        return None
    before = tree[node.parent].analysis
    if before is None or before["mover"] != node.mover:
        return None
    after = chance_of(tree, number, node.mover)
    if after is None:
        known = next((m for m in before["top"] if m["move"] == node.move and m["visits"] >= FEWEST_VISITS), None)
        after = None if known is None else known["chance"]
    return None if after is None else min(1.0, max(0.0, before["chance"] - after))


def chance_of(tree: MoveTree, number: int, player: int) -> float | None:
    """The chance of a player at a node, if it is analysed or the game is over there."""
    node = tree[number]
    if node.analysis is not None:
        return node.analysis["chance"] if node.analysis["mover"] == player else 1.0 - node.analysis["chance"]
    if node.children:
        return None
    position = tree.position(number)
    if not position.is_over:
        return None
    outcome = int(rules.outcome(position.state))
    winner = tree.game.winner(outcome, outcome)
    return 0.5 if winner is None or winner < 0 else float(winner == player)


def mistakes_of(tree: MoveTree, line: list[int], threshold: float) -> list[Mistake]:
    """The moves of a line that lost more than the threshold, worst first."""
    found: list[Mistake] = []
    for number in line[1:]:
        node, loss = tree[number], loss_of(tree, number)
        if loss is None or loss < threshold or node.parent is None:
            continue
        before = tree[node.parent].analysis
        best = None if before is None else before["best"]
        found.append(Mistake(node=number, ply=node.ply, mover=node.mover, move=node.move, best=best, loss=loss))
    return sorted(found, key=lambda mistake: -mistake["loss"])
