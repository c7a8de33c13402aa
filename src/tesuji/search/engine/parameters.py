"""The parameters of the tree search: those of all its parts, each declared beside the code that reads it."""

from __future__ import annotations

from collections.abc import Mapping

from tesuji.core.parameters import Declaration, Parameter
from tesuji.search.kernel.bounds import REVISIT_PROVEN, SOLVER
from tesuji.search.kernel.playouts import ENDINGS, VALUE_SHARE
from tesuji.search.kernel.quality import BONUSES
from tesuji.search.kernel.scale import REWARD
from tesuji.search.kernel.threads import THREADS
from tesuji.search.playouts.setup import CHOICE
from tesuji.search.policy import PRUNING
from tesuji.search.selection.choose_child import ROOT_WIDENING
from tesuji.search.selection.interface import spec_of
from tesuji.search.selection.registry import RULES


def declaration(rules: Mapping[str, type] = RULES) -> Declaration:
    """All parameters of a search that may select by one of these rules, the first by default."""
    return Declaration(
        Parameter(
            "selection",
            next(iter(rules)),
            "the rule that selects a child in the tree",
            choices=tuple(rules),
            parts={name: spec_of(rule).parameters for name, rule in rules.items()},
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
        *CHOICE,
        VALUE_SHARE,
        *BONUSES,
        SOLVER,
        Parameter("pruning", True, "let the policy prune moves and study positions", needs=PRUNING),
        THREADS,
        Parameter("memory", 1024.0, "MiB for the tree and the transposition table", 0.0, 1e9),
        Parameter("reuse_tree", True, "keep the subtree of a move that is played"),
    )


SEARCH = declaration()
