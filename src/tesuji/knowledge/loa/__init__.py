"""What players of Lines of Action know beyond the rules: move categories, evaluation.

`POLICIES` are the policies by name, the best first; each is made from a player's settings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tesuji.core.parameters import Settings


def _categories(_settings: Settings) -> Any:
    from tesuji.knowledge.loa.categories import policy_of
    from tesuji.knowledge.loa.weights import shipped_weights

    return policy_of(shipped_weights().probabilities())


POLICIES: dict[str, Callable[[Settings], Any]] = {"categories": _categories}
