"""Random games compared ply by ply with OpenSpiel, for games whose moves have the same numbers there."""

from __future__ import annotations

import random

from tesuji.core import rules


def agree(game, theirs_game, games: int, seed: int = 1) -> None:
    """Who is to move, the legal moves, the end and the outcome are the same in all positions of some random games."""
    chooser = random.Random(seed)
    for _ in range(games):
        ours, theirs = game.new_state(), theirs_game.new_initial_state()
        while not theirs.is_terminal():
            assert not rules.is_over(ours)
            assert rules.to_play(ours) == theirs.current_player()
            assert game.legal_moves(ours) == theirs.legal_actions()
            move = chooser.choice(theirs.legal_actions())
            rules.play(ours, move)
            theirs.apply_action(move)
        assert rules.is_over(ours)
        assert rules.outcome(ours) == theirs.returns()[0]
