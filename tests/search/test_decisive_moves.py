"""Playouts that win at once, and let nobody else do so: every move of every playout against a naive look ahead."""

from __future__ import annotations

import pytest
from toytree import toy_game

from tesuji.core import rules
from tesuji.core.game import copy_state
from tesuji.core.limits import Limits
from tesuji.core.parameters import Settings
from tesuji.games.registry import find_game
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.kernel import playouts
from tesuji.search.playouts.interface import chosen_move


def make_search(game, **values):
    game = find_game(game) if isinstance(game, str) else game
    settings = Settings(SEARCH, {"memory": 2.0, "solver": "off", **values})
    return TreeSearch(game, settings=settings, seed=3, pure=True)


def after(state, move):
    state = copy_state(state)
    rules.play(state, move)
    return state


def wins(game, state, player):
    """Moves with which the player, to move here, wins at once."""
    ends = {move: after(state, move) for move in game.legal_moves(state)}
    sign = 1 if player == 0 else -1
    return {move for move, end in ends.items() if rules.is_over(end) and sign * (int(rules.outcome(end)) - game.break_even) > 0}


def is_safe(game, state, move):
    """Whether the other player neither has won nor can win at once after this move."""
    player, end = int(rules.to_play(state)), after(state, move)
    if rules.is_over(end):
        return (1 if player == 0 else -1) * (int(rules.outcome(end)) - game.break_even) >= 0
    return int(rules.to_play(end)) == player or not wins(game, end, 1 - player)


@pytest.fixture
def choices(monkeypatch):
    """Runs a search; returns for each playout move the position, the number of playout moves before it, and the move."""
    seen = []

    def watch(chooser, policy, notes, state, scratch, start, ply):
        move = chosen_move(chooser, policy, notes, state, scratch, start, ply)
        seen.append((copy_state(state), ply - start, int(move)))
        return move

    monkeypatch.setattr(playouts, "chosen_move", watch)

    def run(game, count=40, **values):
        search = make_search(game, **values)
        search.run(Limits(playouts=count))
        return search.game, seen

    return run


GAMES = ("tictactoe", "connect4:4x4", "breakthrough:4x5", "clobber:3x3", "dotsandboxes:2x2", "nogo:3")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("which", ["win", "both"])
def test_playouts_win_at_once_and_make_no_move_that_loses_at_once(choices, game, which):
    game, seen = choices(game, policy="uniform", decisive_moves=which)
    won, saved, lost = 0, 0, 0
    for state, _made, move in seen:
        legal, player = game.legal_moves(state), int(rules.to_play(state))
        assert move in legal
        winning = wins(game, state, player)
        if winning:
            assert move in winning
            won += 1
        elif which == "both" and not is_safe(game, state, move):
            assert not any(is_safe(game, state, other) for other in legal)
            lost += 1
        else:
            saved += which == "both" and not all(is_safe(game, state, other) for other in legal)
    assert won > 5 and (which == "win" or saved > 5)


def test_only_the_first_moves_of_a_playout_look_for_them(choices):
    game, seen = choices("tictactoe", 150, decisive_moves="win", decisive_plies=2)
    missed = [
        made for state, made, move in seen if (found := wins(game, state, int(rules.to_play(state)))) and move not in found
    ]
    assert missed and min(missed) >= 2


def test_what_is_won_depends_on_who_moves_and_a_draw_is_no_win(choices):
    """Player 1 moves twice in a row; of his last moves one draws, one loses and one wins."""
    last = ("min", [1, 2, 0])
    tree = toy_game(("max", [("min", [last, last])]))
    _game, seen = choices(tree, 10, decisive_moves="both", expand_after=1000)
    assert [move for state, _made, move in seen if state["count"][state["at"]] == 3] == [2] * 10


def test_the_chooser_guards_what_was_learned_too(choices):
    """A learned reply that lets the other player win at once is not made."""
    game, seen = choices("tictactoe", 60, decisive_moves="both", last_good_reply=2, playout_moves="mast")
    for state, _made, move in seen:
        if not wins(game, state, int(rules.to_play(state))) and not is_safe(game, state, move):
            assert not any(is_safe(game, state, other) for other in game.legal_moves(state))
