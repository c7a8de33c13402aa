"""The built-in selection rules by name, and what parameters can count on because of a rule and a policy."""

from __future__ import annotations

from tesuji.search.policy import (
    EVALUATION,
    EXPECTATION,
    MOVE_STUDIES,
    OWN_VALUE,
    PLAYOUTS,
    PRUNING,
    evaluate,
    rate_moves,
    study_at,
    study_moves,
)
from tesuji.search.selection import gaussian, grave, history, minimax, proof_rules, rave, tuned, uct
from tesuji.search.selection.interface import spec_of

FAMILIES = (uct, tuned, history, minimax, rave, grave, gaussian, proof_rules)
RULES: dict[str, type] = {name: rule for family in FAMILIES for name, rule in family.RULES.items()}


def features_of(rule: type, policy: type) -> frozenset[str]:
    """What parameters of a tree search can count on: playouts, an evaluation, ratings that are given as well as used."""
    spec = spec_of(rule)
    ratings = set(getattr(policy, "GIVES", ())) & {*spec.uses, *spec.needs, EXPECTATION}
    has = {
        PLAYOUTS: True,
        EVALUATION: evaluate.is_implemented(policy),
        PRUNING: rate_moves.is_implemented(policy) or study_at.is_implemented(policy),
        MOVE_STUDIES: study_moves.is_implemented(policy),
        OWN_VALUE: spec.statistics.has_own_games,
    }
    return frozenset({*ratings, *(feature for feature, there in has.items() if there)})
