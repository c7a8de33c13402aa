"""What crosses between the page, its server and the engine's process, as JSON: each kind of record is declared here, once.

docs/web-protocol.md says what the fields mean.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict

from tesuji.core.limits import Limits
from tesuji.core.position import Position
from tesuji.play.review import AnalysisSummary, TopMove, loss_of
from tesuji.play.side import PlayerChoice, Side, Value
from tesuji.play.tree import ROOT, MoveTree
from tesuji.search.files.origin import origin_of

TOP = 12  # moves of an analysis that a node keeps


# -- who plays ---------------------------------------------------------------------------------------------------------
class ChoiceData(TypedDict):
    player: str | None
    parameters: dict[str, Value]


class LiveChoiceData(ChoiceData):
    ownership: bool
    region: list[str]


class SideData(TypedDict):
    kind: str  # "person" or "computer"; the other fields are the computer's
    level: NotRequired[int]
    player: NotRequired[str | None]
    parameters: NotRequired[dict[str, Value]]
    seconds: NotRequired[float | None]
    playouts: NotRequired[int | None]


def choice_data(choice: PlayerChoice) -> ChoiceData:
    return ChoiceData(player=choice.player, parameters=dict(choice.parameters))


def choice_of(data: ChoiceData) -> PlayerChoice:
    """Of data that `choice_data` has made."""
    return PlayerChoice(data["player"], data["parameters"])


def side_data(side: Side) -> SideData:
    if side.level is None:
        return SideData(kind="person")
    limits = {"seconds": side.limits.seconds, "playouts": side.limits.playouts}
    return SideData(kind="computer", level=side.level, **choice_data(side.choice), **limits)


# -- positions and limits, for the engine's process ----------------------------------------------------------------------
class OriginData(TypedDict):
    moves: list[int]
    stones: list[list[int]] | None
    to_move: int


def origin_data(position: Position) -> OriginData:
    origin = origin_of(position)
    stones = None if origin.stones is None else [list(stone) for stone in origin.stones]
    return OriginData(moves=[int(move) for move in origin.moves], stones=stones, to_move=int(origin.to_move))


class LimitsData(TypedDict):
    seconds: float | None
    playouts: int | None
    longest: float | None


def limits_data(limits: Limits) -> LimitsData:
    return LimitsData(seconds=limits.seconds, playouts=limits.playouts, longest=limits.longest)


# -- what a search knows -------------------------------------------------------------------------------------------------
class MoveData(TypedDict):
    move: str
    visits: int
    value: float
    chance: float
    prior: float
    rave: float | None
    rave_chance: float | None
    lower: float
    upper: float
    outcome: str
    pv: list[str]


class SearchData(TypedDict):
    """A report of a search. What is the first player's, and what the mover's, is as in a AnalysisSummary."""

    player: str
    mover: int
    playouts: int
    nodes: int
    seconds: float
    speed: int
    value: float
    chance: float
    lower: float
    upper: float
    proven: bool
    outcome: str
    proof: str
    best: str | None
    full: bool
    score: float | None  # the points by which the first player leads, where there are points
    ownership: list[tuple[int, int, float]] | None  # column, row, the first player's share
    moves: list[MoveData]


class ProofData(TypedDict):
    proven: bool
    outcome: str
    lower: float
    upper: float
    best: str | None
    playouts: int
    seconds: float
    text: str
    certificate: bool


def summary_of(report: SearchData) -> AnalysisSummary:
    """What a node keeps of a report."""
    return AnalysisSummary(
        player=report["player"],
        mover=report["mover"],
        chance=report["chance"],
        value=report["value"],
        best=report["best"],
        playouts=report["playouts"],
        lower=report["lower"],
        upper=report["upper"],
        proven=report["proven"],
        outcome=report["outcome"],
        top=[TopMove(move=move["move"], visits=move["visits"], chance=move["chance"]) for move in report["moves"][:TOP]],
    )


def proof_of(report: SearchData) -> ProofData:
    return ProofData(
        proven=report["proven"],
        outcome=report["outcome"],
        lower=report["lower"],
        upper=report["upper"],
        best=report["best"],
        playouts=report["playouts"],
        seconds=report["seconds"],
        text=report["proof"] or "nothing is proven",
        certificate=bool(report["proof"]),
    )


class MistakeData(TypedDict):
    """A move that has lost much: the mover's chance before and after it, and what would have been better."""

    node: int
    mover: int
    move: str
    best: str
    loss: float
    before: float
    after: float


def mistake_at(tree: MoveTree, number: int) -> MistakeData | None:
    """What the move to a node has lost; None if that is not known, or no other was better."""
    node, loss = tree[number], loss_of(tree, number)
    if loss is None or node.parent is None or node.mover is None or node.move is None:
        return None
    before = tree[node.parent].analysis
    if before is None or before["best"] in (None, node.move):
        return None
    chance, best = before["chance"], str(before["best"])
    values = {"loss": loss, "before": chance, "after": chance - loss}
    return MistakeData(node=number, mover=node.mover, move=node.move, best=best, **values)


# -- the game tree -------------------------------------------------------------------------------------------------------
class LossData(TypedDict):
    loss: float | None


class SummaryData(AnalysisSummary, LossData):
    """A summary of a node, and what the move to it has lost."""


class NodeData(TypedDict):
    id: int
    parent: int | None
    children: list[int]
    move: str | None
    mover: int | None
    ply: int
    comment: str
    setup: bool
    analysis: SummaryData | LossData | None


class TreeData(TypedDict):
    full: bool
    root: int
    nodes: list[NodeData]


def node_data(tree: MoveTree, number: int) -> NodeData:
    node, analysis = tree[number], None
    loss = loss_of(tree, number)
    if node.analysis is not None:
        analysis = SummaryData(**node.analysis, loss=loss)
    elif loss is not None:
        analysis = LossData(loss=loss)
    return NodeData(
        id=node.id,
        parent=node.parent,
        children=list(node.children),
        move=node.move,
        mover=node.mover,
        ply=node.ply,
        comment=node.comment,
        setup=node.setup is not None and node.id != ROOT,
        analysis=analysis,
    )


def tree_data(tree: MoveTree, everything: bool) -> TreeData:
    """What the page must be told: the whole tree if it is new, else the nodes that have changed since it was told last."""
    full = everything or tree.is_new
    numbers = tree.in_order() if full else sorted(number for number in tree.changed if number in tree.nodes)
    tree.changed, tree.is_new = set(), False
    return TreeData(full=full, root=ROOT, nodes=[node_data(tree, number) for number in numbers])
