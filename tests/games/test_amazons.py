"""Amazons against OpenSpiel and published counts; moves in one step against moves in two."""

from __future__ import annotations

import random

import pytest

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import copy_state
from tesuji.games.registry import find_game


def test_first_moves() -> None:
    game = find_game("amazons:10:steps=1")
    assert len(game.legal_moves(game.initial)) == 2176


@pytest.mark.parametrize("size", [4, 5, 8])
def test_one_step_is_two(size) -> None:
    chance = random.Random(size)
    two, one = find_game(f"amazons:{size}"), find_game(f"amazons:{size}:steps=1")
    state, other = two.new_state(), one.new_state()
    while not rules.is_over(other):
        turns = {one.text(other, move): move for move in one.legal_moves(other)}
        in_two = set()
        for move in two.legal_moves(state):
            after = copy_state(state)
            rules.play(after, move)
            in_two |= {f"{two.text(state, move)}-{two.text(after, arrow)}" for arrow in two.legal_moves(after)}
        assert in_two == turns.keys()
        text = chance.choice(sorted(turns))
        rules.play(other, turns[text])
        amazon, _, arrow = text.rpartition("-")
        for part in (amazon, arrow):
            rules.play(state, two.parse(state, part))
        assert rules.to_play(state) == rules.to_play(other)
    assert rules.is_over(state) and rules.outcome(state) == rules.outcome(other)


@pytest.mark.parametrize("size", [6, 8, 10])
def test_against_openspiel(size) -> None:
    """There a turn is three moves, from the cell, to it, and the arrow; and the rows are numbered from the top."""
    pyspiel = pytest.importorskip("pyspiel")
    game, chance = find_game(f"amazons:{size}"), random.Random(size)
    ours, theirs = game.new_state(), pyspiel.load_game("amazons", {"board_size": size}).new_initial_state()

    def cell(action: int) -> str:
        return f"{'abcdefghij'[action % size]}{size - action // size}"

    while not theirs.is_terminal():
        assert rules.to_play(ours) == theirs.current_player()
        texts = {game.text(ours, move): move for move in game.legal_moves(ours)}
        if int(ours["archer"]) < 0:
            origins = theirs.legal_actions()
            meant = {}
            for origin in origins:
                after = theirs.clone()
                after.apply_action(origin)
                meant |= {f"{cell(origin)}-{cell(target)}": (origin, target) for target in after.legal_actions()}
        else:
            meant = {cell(action): (action,) for action in theirs.legal_actions()}
        assert meant.keys() == texts.keys()
        text = chance.choice(sorted(meant))
        rules.play(ours, texts[text])
        for action in meant[text]:
            theirs.apply_action(action)
    assert rules.is_over(ours) and rules.outcome(ours) == theirs.returns()[0]


@pytest.mark.parametrize("text", ["amazons:3", "amazons:11", "amazons:6x8", "amazons:6:steps=3", "amazons:6:x"])
def test_wrong_games(text) -> None:
    with pytest.raises(UserError, match=r"NxN|steps"):
        find_game(text)
