"""Tesuji: one Monte-Carlo tree search that plays, proves and explains.

`tesuji.game`, `tesuji.player`, `tesuji.solve` and the other names in `__all__` are the public API (docs/api.md); all else is
private and may change. Each name is loaded when it is first used, so that `import tesuji` alone, and with it `tesuji --help`,
loads neither NumPy nor Numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tesuji.api.checking import check
    from tesuji.api.match import CompletedGame, Match, match
    from tesuji.api.naming import game, list_games, list_players, load, player
    from tesuji.api.proof import Proof, solve
    from tesuji.api.verification import Verification, verify
    from tesuji.core import rules
    from tesuji.core.dispatch import implements, kernel, state_type
    from tesuji.core.encoding import Encoding
    from tesuji.core.errors import Error, UserError
    from tesuji.core.game import Game
    from tesuji.core.hashing import mixed
    from tesuji.core.limits import Limits
    from tesuji.core.parameters import Parameter
    from tesuji.core.picture.board import Board
    from tesuji.core.picture.drawing import BoardPlace, Picture, Piece
    from tesuji.core.position import Position
    from tesuji.core.random import below, unit
    from tesuji.players.player import Player
    from tesuji.players.search import Search
    from tesuji.search.engine.evaluator import Evaluator
    from tesuji.search.policy import (
        EXPECTATION,
        NO_LOWER,
        NO_UPPER,
        PRIOR,
        VALUE,
        begin_playout,
        declines,
        evaluate,
        played,
        playout_ended,
        playout_move,
        prunes_by_guess,
        rate_moves,
        study,
        study_at,
    )
    from tesuji.search.report.analysis import Analysis, MoveAnalysis
    from tesuji.search.report.nodes import TreeNode
    from tesuji.search.selection.choose_child import back_up, choose_child
    from tesuji.search.selection.interface import (
        NodeStatistics,
        Statistics,
        begin_choice,
        begin_statistics,
        credit_game,
        halve_statistics,
        look_ahead,
        seen_statistics,
        selection_rule,
        statistics_of,
        take_rating,
        tries_in_order,
        worth,
    )
    from tesuji.search.selection.rave import RAVE

__version__ = "0.1.0"
__all__ = [
    "EXPECTATION",
    "NO_LOWER",
    "NO_UPPER",
    "PRIOR",
    "RAVE",
    "VALUE",
    "Analysis",
    "Board",
    "BoardPlace",
    "CompletedGame",
    "Encoding",
    "Error",
    "Evaluator",
    "Game",
    "Limits",
    "Match",
    "MoveAnalysis",
    "NodeStatistics",
    "Parameter",
    "Picture",
    "Piece",
    "Player",
    "Position",
    "Proof",
    "Search",
    "Statistics",
    "TreeNode",
    "UserError",
    "Verification",
    "__version__",
    "back_up",
    "begin_choice",
    "begin_playout",
    "begin_statistics",
    "below",
    "check",
    "choose_child",
    "credit_game",
    "declines",
    "evaluate",
    "game",
    "halve_statistics",
    "implements",
    "kernel",
    "list_games",
    "list_players",
    "load",
    "look_ahead",
    "match",
    "mixed",
    "played",
    "player",
    "playout_ended",
    "playout_move",
    "prunes_by_guess",
    "rate_moves",
    "rules",
    "seen_statistics",
    "selection_rule",
    "solve",
    "state_type",
    "statistics_of",
    "study",
    "study_at",
    "take_rating",
    "tries_in_order",
    "unit",
    "verify",
    "worth",
]

_HOME = {
    "tesuji.api.checking": ("check",),
    "tesuji.api.match": ("CompletedGame", "Match", "match"),
    "tesuji.api.naming": ("game", "list_games", "list_players", "load", "player"),
    "tesuji.api.proof": ("Proof", "solve"),
    "tesuji.api.verification": ("Verification", "verify"),
    "tesuji.core.dispatch": ("implements", "kernel", "state_type"),
    "tesuji.core.encoding": ("Encoding",),
    "tesuji.core.errors": ("Error", "UserError"),
    "tesuji.core.game": ("Game",),
    "tesuji.core.hashing": ("mixed",),
    "tesuji.core.limits": ("Limits",),
    "tesuji.core.parameters": ("Parameter",),
    "tesuji.core.picture.board": ("Board",),
    "tesuji.core.picture.drawing": ("BoardPlace", "Picture", "Piece"),
    "tesuji.core.position": ("Position",),
    "tesuji.core.random": ("below", "unit"),
    "tesuji.players.player": ("Player",),
    "tesuji.players.search": ("Search",),
    "tesuji.search.report.analysis": ("Analysis", "MoveAnalysis"),
    "tesuji.search.report.nodes": ("TreeNode",),
    "tesuji.search.engine.evaluator": ("Evaluator",),
    "tesuji.search.policy": (
        *("EXPECTATION", "NO_LOWER", "NO_UPPER", "PRIOR", "VALUE", "begin_playout", "declines", "evaluate"),
        *("played", "playout_ended", "playout_move", "prunes_by_guess", "rate_moves", "study", "study_at"),
    ),
    "tesuji.search.selection.rave": ("RAVE",),
    "tesuji.search.selection.interface": (
        *("NodeStatistics", "Statistics", "begin_choice", "begin_statistics", "credit_game", "halve_statistics"),
        *("look_ahead", "seen_statistics", "selection_rule", "statistics_of", "take_rating", "tries_in_order", "worth"),
    ),
    "tesuji.search.selection.choose_child": ("back_up", "choose_child"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "rules":
        value: Any = import_module("tesuji.core.rules")
    elif name in _MODULE_OF:
        value = getattr(import_module(_MODULE_OF[name]), name)
    else:
        raise AttributeError(f"module 'tesuji' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
