"""Results of a search in words. Values and bounds are given for player 0, as everywhere; percentages are for the mover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tesuji.core.words import bounds_text, counted, end_text, move_texts, outcome_word, signed
from tesuji.play.explanation import value_text

if TYPE_CHECKING:
    from tesuji.search.report.analysis import Analysis

__all__ = [
    "bounds_text",
    "end_text",
    "move_texts",
    "outcome_word",
    "progress_text",
    "signed",
    "value_text",
]


def progress_text(analysis: Analysis) -> str:
    game = analysis.position.game
    value = f", {analysis.best} {analysis.shown(analysis)}" if analysis.best is not None else ""
    lower, upper = analysis.bounds
    low, high = (game.in_points(outcome) for outcome in game.outcomes)
    bounds = f", {signed(lower)}..{signed(upper)}" if lower > low or upper < high else ""
    return f"{counted(analysis.playouts, 'playout')}, {counted(analysis.nodes, 'node')}{value}{bounds}"
