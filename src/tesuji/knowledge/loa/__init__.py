"""What players of Lines of Action know beyond the rules: move categories, evaluation.

`POLICIES` are the policies by name, the one for `policy=auto` first; each is made from a player's settings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tesuji.core.parameters import Settings
from tesuji.knowledge.weight_files import files_by_kind

Maker = Callable[[Settings], Any]


def _categories(settings: Settings) -> Any:
    from tesuji.knowledge.loa.categories import policy_of
    from tesuji.knowledge.loa.weights import KIND, chosen_weights

    return policy_of(chosen_weights(files_by_kind(settings["weights"], [KIND])).probabilities())


def _mc_loa(evaluator: str = "mia2006", decisive: bool = False, best_of: int = 1) -> Maker:
    def make(settings: Settings) -> Any:
        import tesuji.knowledge.loa.for_alphabeta  # noqa: F401  (what the alpha-beta engine asks of it)
        from tesuji.knowledge.loa import evaluation_weights, weights
        from tesuji.knowledge.loa.mc_loa import make_policy

        files = files_by_kind(settings["weights"], [weights.KIND, evaluation_weights.KIND])
        return make_policy(evaluator, decisive, best_of, files)

    return make


POLICIES: dict[str, Maker] = {
    "mc-loa": _mc_loa(),
    "decisive": _mc_loa(decisive=True),
    "best-of-2": _mc_loa(decisive=True, best_of=2),
    "best-of-4": _mc_loa(decisive=True, best_of=4),
    "best-of-8": _mc_loa(decisive=True, best_of=8),
    "mia2000": _mc_loa("mia2000"),
    "mia2002": _mc_loa("mia2002"),
    "mia2006": _mc_loa(),
    "categories": _categories,
}
