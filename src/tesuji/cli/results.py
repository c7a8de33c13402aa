"""Results of a search in words. Values and bounds are given for player 0, as everywhere; percentages are for the mover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tesuji.core.words import bounds_text, end_text, move_texts, outcome_word, signed

if TYPE_CHECKING:
    from tesuji.core.game import Game
    from tesuji.search.analysis import Analysis
    from tesuji.search.engine import Result

__all__ = ["bounds_text", "end_text", "move_texts", "outcome_word", "progress_text", "signed", "value_text"]


def value_text(game: Game, result: Result, value: float) -> str:
    """The mover's chances; in a puzzle the score to be expected."""
    return f"{100.0 * result.chance(value):.1f}%" if game.players == 2 else f"{value:.1f}"


def progress_text(analysis: Analysis) -> str:
    game = analysis.position.game
    value = f", {analysis.best} {analysis.shown(analysis)}" if analysis.best is not None else ""
    lower, upper = analysis.bounds
    low, high = (game.in_points(outcome) for outcome in game.outcomes)
    bounds = f", {signed(lower)}..{signed(upper)}" if lower > low or upper < high else ""
    return f"{analysis.playouts:,} playouts, {analysis.nodes:,} nodes{value}{bounds}"
