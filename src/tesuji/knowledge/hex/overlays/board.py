"""Filled cells, inferior cells and moves to consider, drawn on the board and in words, and what all overlays have of that.

Small letters x and o are cells that are filled in with black and white stones: all else is about the board with these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tesuji.core.game import State
from tesuji.core.picture.board import Point
from tesuji.games.hex.text import cell_text, draw
from tesuji.knowledge.hex.overlays.positions import EDGES, AssessedPosition
from tesuji.knowledge.overlays import Overlay, PointMark

NAMES = ("Black", "White")
FILLED = "xo"
REVERSIBLE, DOMINATED, CONSIDER, WINNING = "r", "d", "!", "!"


# -- what all of them have -----------------------------------------------------------------------------------------------------
def cells_text(cells: Iterable[Point]) -> str:
    return " ".join(cell_text(*cell) for cell in cells)


def names_of(cells: Iterable[Point]) -> list[str]:
    return [cell_text(*cell) for cell in cells]


def fill_marks(position: AssessedPosition) -> dict[Point, PointMark]:
    return {
        cell: PointMark(FILLED[fill.player], fill.kind, fill.player, why=fill.why)
        for cell, fill in sorted(position.fills.items(), key=lambda item: item[0][::-1])
    }


def fill_legend(position: AssessedPosition) -> list[str]:
    """What x and o mean, if there are any."""
    signs = sorted({fill.player for fill in position.fills.values()})
    return [", ".join(f"{FILLED[player]} is filled in for {NAMES[player]}" for player in signs)] if signs else []


def _verdict(position: AssessedPosition) -> list[str]:
    decided = position.decided
    return [] if decided is None else [f"{NAMES[decided.winner]} wins: {decided.how}"]


def _verdict_data(position: AssessedPosition) -> dict[str, Any]:
    decided = position.decided
    return {"winner": None if decided is None else NAMES[decided.winner], "how": None if decided is None else decided.how}


def board_overlay(
    name: str, title: str, state: State, marks: dict[Point, PointMark], lines: list[str], data: dict[str, Any]
) -> Overlay:
    return Overlay(name, title, draw(state, {cell: mark.text for cell, mark in marks.items()}), marks, lines, data)


# -- fill-in and inferior cells ------------------------------------------------------------------------------------------------
def fill_overlay(position: AssessedPosition, state: State, _arguments: Sequence[str]) -> Overlay:
    groups: dict[tuple[str, str, int], list[Point]] = {}
    marks = fill_marks(position)
    for cell, mark in marks.items():
        groups.setdefault((mark.kind, mark.why, int(mark.player or 0)), []).append(cell)
    lines = fill_legend(position) or ["nothing can be filled in"]
    lines += [
        f"{kind}, {why}, for {NAMES[player]}: {cells_text(cells)}" for (kind, why, player), cells in sorted(groups.items())
    ]
    if position.winner is not None:
        lines.append(f"{NAMES[position.winner]} wins: {' and '.join(EDGES[position.winner])} are joined")
    filled = [
        {"cell": cell_text(*cell), "player": NAMES[fill.player], "kind": fill.kind, "why": fill.why}
        for cell, fill in position.fills.items()
    ]
    data = {"filled": filled, "winner": None if position.winner is None else NAMES[position.winner]}
    return board_overlay("fill", "Cells that may be filled in", state, marks, lines, data)


def _inferior_marks(position: AssessedPosition) -> dict[Point, PointMark]:
    return {
        cell: PointMark(DOMINATED, "dominated", position.mover, one.by)
        if one.dominated
        else PointMark(REVERSIBLE, "reversible", position.mover, one.by)
        for cell, one in position.inferior.items()
    }


def inferior_overlay(position: AssessedPosition, state: State, _arguments: Sequence[str]) -> Overlay:
    name, other = NAMES[position.mover], NAMES[1 - position.mover]
    inferior = _inferior_marks(position)
    data: dict[str, Any] = {}
    lines = fill_legend(position)
    for kind, meaning in (("reversible", f"{other}'s answer is in brackets"), ("dominated", "by the cell in brackets")):
        found = {cell: mark.by for cell, mark in inferior.items() if mark.kind == kind and mark.by is not None}
        data[kind] = {cell_text(*cell): cell_text(*by) for cell, by in found.items()}
        if found:
            listed = " ".join(f"{cell_text(*cell)} ({cell_text(*by)})" for cell, by in found.items())
            lines.append(f"{kind[0]} {kind} for {name}, {meaning}: {listed}")
    kept = [cell for cell in position.empty if cell not in inferior]
    if position.winner is not None:
        lines.append(f"{NAMES[position.winner]} wins: {' and '.join(EDGES[position.winner])} are joined")
    else:
        lines.append(f"{len(kept)} of {len(position.empty)} empty cells are left to consider")
    data["kept"] = names_of(kept)
    return board_overlay("inferior", f"Inferior cells for {name}", state, {**fill_marks(position), **inferior}, lines, data)


# -- where to move -------------------------------------------------------------------------------------------------------------
def mustplay_overlay(position: AssessedPosition, state: State, _arguments: Sequence[str]) -> Overlay:
    name = NAMES[position.mover]
    marks = fill_marks(position)
    lines = fill_legend(position)
    decided = position.decided
    region, consider = position.must_play, position.consider
    if decided is None:
        inferior = _inferior_marks(position)
        region_marks = {cell: inferior.get(cell, PointMark(CONSIDER, "consider", position.mover)) for cell in region}
        marks |= region_marks
        outside = len(position.empty) - len(region)
        lines.append(f"! {name} may consider: {cells_text(consider)}")
        lines += [f"{outside} of {len(position.empty)} empty cells are outside the must-play region"] if outside else []
        if len(consider) < len(region):
            lines.append(
                f"r and d are inside it, but reversible or dominated: {cells_text(cell for cell in region if cell in inferior)}"
            )
    else:
        lines += _verdict(position)
        smallest = position.smallest(position.mover) if decided.winner == position.mover and position.winner is None else None
        if smallest is not None and smallest.key is not None:
            marks[smallest.key] = PointMark(WINNING, "winning", position.mover)
            lines.append(f"! {name} wins with {cell_text(*smallest.key)}")
    data = {"mustplay": names_of(region), "consider": names_of(consider), **_verdict_data(position)}
    return board_overlay("mustplay", f"Where {name} must move", state, marks, lines, data)
