"""Tesuji: one Monte-Carlo tree search that plays, proves and explains.

What a game, a selection rule, a policy or a player of your own needs can be imported from here. Each name is loaded when it
is first used, so that `import tesuji` alone, and with it `tesuji --help`, loads neither NumPy nor Numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tesuji.core import rules
    from tesuji.core.dispatch import implements, kernel, state_type
    from tesuji.core.errors import UserError
    from tesuji.core.game import Game
    from tesuji.core.hashing import mixed
    from tesuji.core.limits import Limits
    from tesuji.core.parameters import Parameter
    from tesuji.core.random import below, unit
    from tesuji.players.player import Player
    from tesuji.search.policy import (
        NO_LOWER,
        NO_UPPER,
        PRIOR,
        VALUE,
        begin_playout,
        evaluate,
        played,
        playout_move,
        prunes_by_guess,
        rate_moves,
        study,
        study_at,
    )
    from tesuji.search.rave import RAVE
    from tesuji.search.selection import worth

__version__ = "0.1.0"
__all__ = [
    "NO_LOWER",
    "NO_UPPER",
    "PRIOR",
    "RAVE",
    "VALUE",
    "Game",
    "Limits",
    "Parameter",
    "Player",
    "UserError",
    "__version__",
    "begin_playout",
    "below",
    "evaluate",
    "implements",
    "kernel",
    "mixed",
    "played",
    "playout_move",
    "prunes_by_guess",
    "rate_moves",
    "rules",
    "state_type",
    "study",
    "study_at",
    "unit",
    "worth",
]

_HOME = {
    "Game": "tesuji.core.game",
    "Limits": "tesuji.core.limits",
    "NO_LOWER": "tesuji.search.policy",
    "NO_UPPER": "tesuji.search.policy",
    "PRIOR": "tesuji.search.policy",
    "Parameter": "tesuji.core.parameters",
    "Player": "tesuji.players.player",
    "RAVE": "tesuji.search.rave",
    "UserError": "tesuji.core.errors",
    "VALUE": "tesuji.search.policy",
    "begin_playout": "tesuji.search.policy",
    "below": "tesuji.core.random",
    "evaluate": "tesuji.search.policy",
    "implements": "tesuji.core.dispatch",
    "kernel": "tesuji.core.dispatch",
    "mixed": "tesuji.core.hashing",
    "played": "tesuji.search.policy",
    "playout_move": "tesuji.search.policy",
    "prunes_by_guess": "tesuji.search.policy",
    "rate_moves": "tesuji.search.policy",
    "state_type": "tesuji.core.dispatch",
    "study": "tesuji.search.policy",
    "study_at": "tesuji.search.policy",
    "unit": "tesuji.core.random",
    "worth": "tesuji.search.selection",
}


def __getattr__(name: str) -> Any:
    if name == "rules":
        value: Any = import_module("tesuji.core.rules")
    elif name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    else:
        raise AttributeError(f"module 'tesuji' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
