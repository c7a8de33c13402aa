"""The offline knowledge of MoGo's paper (offline.py) with the playouts of `local`: a policy to measure the knowledge alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tesuji.core.dispatch import implements
from tesuji.core.game import Game
from tesuji.knowledge.go.crazystone import USELESS_RULES, keep_moves_with_urgency
from tesuji.knowledge.go.local import local_move
from tesuji.knowledge.go.offline import OfflineKnowledge, rate_by_knowledge
from tesuji.search.policy import playout_move, prunes_by_guess, rate_moves


class Offline(NamedTuple):
    useless_rules: bool
    knowledge: OfflineKnowledge

    PARAMETERS = (USELESS_RULES, *OfflineKnowledge.PARAMETERS)
    GIVES = OfflineKnowledge.GIVES

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> Offline:
        return cls(bool(settings["useless_rules"]), OfflineKnowledge.made_for(game, settings))


implements(playout_move, Offline)(local_move)


@implements(prunes_by_guess, Offline)
def offline_guesses(policy):
    return True


@implements(rate_moves, Offline)
def rate_offline(policy, state, moves, count, ratings):
    keep_moves_with_urgency(state, moves, count, ratings)
    rate_by_knowledge(policy.knowledge, state, moves, count, ratings)
