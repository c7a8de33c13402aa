"""The parameters of the tree search: the union of what its parts declare, each beside the code that reads it."""

from __future__ import annotations

from collections.abc import Mapping

from tesuji.core.parameters import Declaration, Parameter
from tesuji.search.kernel.bounds import REVISIT_PROVEN, SOLVER
from tesuji.search.kernel.playouts import ENDINGS
from tesuji.search.kernel.scale import REWARD
from tesuji.search.kernel.threads import THREADS
from tesuji.search.policy import PRUNING
from tesuji.search.selection.gaussian import Gaussian
from tesuji.search.selection.interface import ROOT_WIDENING, BoundBias, ExpectedValue, ProgressiveBias, Uct
from tesuji.search.selection.proof_selection import MostProving, PnMcts, PnProgressiveBias
from tesuji.search.selection.rave import (
    Rave,
    RaveAndPrior,
    RaveBoundBias,
    RaveExplorationInside,
    RaveExplorationOutside,
    RaveProgressiveBias,
)

RULES: dict[str, type] = {
    "uct": Uct,
    "progressive-bias": ProgressiveBias,
    "expected-value": ExpectedValue,
    "bound-bias": BoundBias,
    "rave": Rave,
    "rave-bound-bias": RaveBoundBias,
    "rave-prior": RaveAndPrior,
    "rave-outside": RaveExplorationOutside,
    "rave-inside": RaveExplorationInside,
    "rave-progressive-bias": RaveProgressiveBias,
    "gaussian": Gaussian,
    "pn-mcts": PnMcts,
    "pn-progressive-bias": PnProgressiveBias,
    "most-proving": MostProving,
}


def declaration(rules: Mapping[str, type] = RULES) -> Declaration:
    """All parameters of a search that may select by one of these rules, the first by default."""
    return Declaration(
        Parameter(
            "selection",
            next(iter(rules)),
            "the rule that selects a child in the tree",
            choices=tuple(rules),
            parts={name: getattr(rule, "PARAMETERS", ()) for name, rule in rules.items()},
        ),
        Parameter("expand_after", 1, "visits after which a leaf is expanded", 1, 1_000_000, tuning="1..40:log"),
        Parameter(
            "policy_below",
            0,
            "below this many visits the policy draws a node's moves; -1 = the number of points of the board",
            -1,
            1 << 30,
            brings=(REVISIT_PROVEN,),
            tuning="0..100",
        ),
        ROOT_WIDENING,
        REWARD,
        *ENDINGS,
        SOLVER,
        Parameter("pruning", True, "let the policy prune moves and study positions", needs=PRUNING),
        THREADS,
        Parameter("memory", 1024.0, "MiB for the tree and the transposition table", 0.0, 1e9),
        Parameter("reuse_tree", True, "keep the subtree of a move that is played"),
    )


SEARCH = declaration()
