"""What players of Go know beyond the rules: urgencies of moves, moves that are useless, which stones are dead.

`POLICIES` are the policies by name, the best first; each is made from a player's settings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tesuji.core.parameters import Settings


def _crazystone(_settings: Settings) -> Any:
    from tesuji.knowledge.go.crazystone import CrazyStone

    return CrazyStone(useless_rules=True)


def _urgencies(_settings: Settings) -> Any:
    from tesuji.knowledge.go.crazystone import CrazyStone

    return CrazyStone(useless_rules=False)


def _local(_settings: Settings) -> Any:
    from tesuji.knowledge.go.local import Local

    return Local(useless_rules=True)


POLICIES: dict[str, Callable[[Settings], Any]] = {"local": _local, "crazystone": _crazystone, "urgencies": _urgencies}
