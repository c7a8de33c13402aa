"""Tesuji: one Monte-Carlo tree search that plays, proves and explains.

What a game of your own needs can be imported from here. Each name is loaded when it is first used, so that `import tesuji`
alone, and with it `tesuji --help`, loads neither NumPy nor Numba.
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

__version__ = "0.1.0"
__all__ = ["Game", "UserError", "__version__", "implements", "kernel", "mixed", "rules", "state_type"]

_HOME = {
    "Game": "tesuji.core.game",
    "UserError": "tesuji.core.errors",
    "implements": "tesuji.core.dispatch",
    "kernel": "tesuji.core.dispatch",
    "mixed": "tesuji.core.hashing",
    "state_type": "tesuji.core.dispatch",
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
