"""What is said of a game to those who see it for the first time."""

import re

import pytest

import tesuji
from tesuji.core.game import Game
from tesuji.core.picture.drawing import draw, territory_of
from tesuji.games.registry import ENTRIES
from tesuji.web.guide import example_of, guide_of

GAMES = [entry.example for entry in ENTRIES]


@pytest.mark.parametrize("name", GAMES)
def test_every_game_is_explained_in_a_few_sentences(name):
    guide = guide_of(tesuji.game(name))
    assert len(re.findall(r"[.!]( |$)", guide["goal"])) == 1
    assert 2 <= len(re.findall(r"[.;]( |$)", guide["how_to_play"])) <= 7 and len(guide["how_to_play"]) < 420
    assert guide["click"].startswith("Click ")


@pytest.mark.parametrize("name", GAMES)
def test_every_example_is_won(name):
    game = tesuji.game(name)
    shown = example_of(game)["position"]
    assert (shown["over"] and " wins" in shown["result"]) or game.players == 1


@pytest.mark.parametrize(
    ("name", "moves", "won"),
    [
        ("tictactoe", "b2 b1 a1 c2 c3", "a1 b2 c3"),
        ("tictactoe", "a1 b1 a2 b2 a3", "a1 a2 a3"),
        ("connect4:5x4", "1 2 1 2 1 2 1", "1.1 1.2 1.3 1.4"),
        ("connect4:5x4:3", "5 1 4 1 3", "3.1 4.1 5.1"),
        ("hex:3", "a1 a3 b1 b2 c2 c1", "a3 b2 c1"),
        ("hex:3", "a1 b1 a2 b2 a3", "a1 a2 a3"),
        ("tictactoe", "a1", ""),
    ],
)
def test_by_which_places_a_game_is_won(name, moves, won):
    position = tesuji.game(name).start
    for move in moves.split():
        position = position.play(move)
    assert sorted(draw(position)["won"]) == won.split()


def test_whose_the_empty_points_are():
    """Points that both reach are nobody's."""
    game = tesuji.game("go:4")
    state = game.board.set_up(game.new_state(), {(1, row): 0 for row in range(4)} | {(3, 0): 1}, 0)
    owned = {one["at"]: one["player"] for one in territory_of(game, state)}
    assert owned == {f"A{row}": 0 for row in range(1, 5)}


def test_a_game_without_words_has_the_click_alone():
    state = tesuji.game("tictactoe").initial
    game = Game("bare", state, (-1, 1), 9, 9)
    assert guide_of(game) == {"goal": "", "how_to_play": "", "click": "Press the button of a move to play it.", "example": None}
    wrong = Game("wrong", state, (-1, 1), 9, 9, won_by="z9", board=tesuji.game("tictactoe").board)
    assert example_of(wrong) is None
