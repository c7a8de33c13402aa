"""Positions of Lines of Action as text, and games that begin with one."""

from __future__ import annotations

import random

import pytest

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.games.loa.text import parse_position, position_text, stones_of
from tesuji.games.registry import find_game

START = "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1"


def test_the_start_as_text_is_the_start():
    usual, set_up = find_game("loa"), find_game(f"loa:{START}:b")
    assert position_text(stones_of(usual.initial), 0) == f"{START}:b"
    assert set_up.name == f"loa:{START}:b"
    assert set_up.initial == usual.initial


@pytest.mark.parametrize("seed", range(5))
def test_positions_of_random_games_come_back(seed):
    game, chance = find_game("loa"), random.Random(seed)
    state = game.new_state()
    for _ in range(60):
        if rules.is_over(state):
            break
        stones, player = stones_of(state), int(rules.to_play(state))
        text = position_text(stones, player)
        assert parse_position(text) == (stones, player)
        again = find_game(f"loa:{text}")
        assert (again.initial["counts"] == state["counts"]).all() and (again.initial["stones"] == state["stones"]).all()
        assert sorted(again.legal_moves(again.initial)) == sorted(game.legal_moves(state))
        assert find_game(again.name).initial == again.initial
        rules.play(state, chance.choice(game.legal_moves(state)))


def test_other_spellings_get_the_same_name_and_rules_stay_behind_it():
    game = find_game("loa:8/2B5/8/2b1w3/8/8/11b1w3/8:White,no_move=loss")
    assert game.name == "loa:8/2b5/8/2b1w3/8/8/2b1w3/8:w,no_move=loss"
    assert game.initial["no_move_loses"] and int(rules.to_play(game.initial)) == 1
    assert find_game(game.name).initial == game.initial


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (START, "not a position"),
        (f"{START}:x", "not a position"),
        (START.removesuffix("/1bbbbbb1") + ":b", "not a position"),
        (START.replace("w6w", "w7w", 1) + ":b", "row 7 has 9 squares"),
        (START.replace("w6w", "w6x", 1) + ":b", "'x' in row 7"),
        ("8/8/8/8/8/8/2w5/8:b", "Black has 0 pieces"),
        ("bbbbbbbb/bbbbb3/8/8/8/8/2w5/8:b", "Black has 13 pieces"),
        ("bb6/8/8/8/w6w/8/8/8:b", "over in this position"),
        (f"{START}:b,no_move=win", "no_move=win"),
    ],
)
def test_what_is_wrong_is_said(text, why):
    with pytest.raises(UserError, match=why):
        find_game(f"loa:{text}")
