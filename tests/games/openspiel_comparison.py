"""Random games compared ply by ply with OpenSpiel."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tesuji.core import rules


def same_number(_theirs: Any, action: int) -> int:
    return action


def agree(game, theirs_game, games: int, seed: int = 1, ours_of: Callable[[Any, int], int | str] = same_number) -> None:
    """Who is to move, the legal moves, the end and the outcome are the same in all positions of some random games.

    `ours_of(their position, their action)` is the number or the text of the move here.
    """
    chooser = random.Random(seed)
    for _ in range(games):
        ours, theirs = game.new_state(), theirs_game.new_initial_state()
        while not theirs.is_terminal():
            assert not rules.is_over(ours)
            assert rules.to_play(ours) == theirs.current_player()
            legal = {move: move for move in game.legal_moves(ours)}
            actions = theirs.legal_actions()
            if not isinstance(ours_of(theirs, actions[0]), int):
                legal = {game.text(ours, move): move for move in legal}
            meant = {ours_of(theirs, action): action for action in actions}
            assert meant.keys() == legal.keys() and len(meant) == len(actions)
            chosen = chooser.choice(sorted(meant))  # type: ignore[type-var]
            rules.play(ours, legal[chosen])
            theirs.apply_action(meant[chosen])
        assert rules.is_over(ours)
        outcome = int(rules.outcome(ours))
        assert outcome == theirs.returns()[0] or (outcome > 0) - (outcome < 0) == theirs.returns()[0]
