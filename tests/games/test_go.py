"""Go: known positions (ko, superko, snapback, seki, bent four, suicide, captures), scoring, random play."""

from __future__ import annotations

import numpy as np
import pytest

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.random import make_rng
from tesuji.games.go.text import parse_move
from tesuji.games.registry import find_game

B, W = 0, 1
RULES = ["komi=0", "komi=0,superko=positional"]


def diagram(text, player=B, options="komi=0"):
    """The game and the position of a drawing: X Black, O White, rows from the top."""
    rows = text.split()
    size = len(rows)
    game = find_game(f"go:{size}:{options}")
    stones = {}
    for row, line in enumerate(reversed(rows)):
        assert len(line) == size
        stones.update({(column, row): "XO".index(sign) for column, sign in enumerate(line) if sign != "."})
    return game, game.board.set_up(game.initial, stones, player)


def board_text(game, state):
    stones = game.board.stones(state)
    size = game.board.columns
    signs = {None: ".", B: "X", W: "O"}
    return ["".join(signs[stones.get((c, r))] for c in range(size)) for r in reversed(range(size))]


def play(game, state, *texts):
    for text in texts:
        rules.play(state, game.parse(state, text))


def is_legal(game, state, text):
    return parse_move(state, text) in game.legal_moves(state)


def area(state):
    """Black's area minus White's in points, at komi 0."""
    return int(rules.outcome(state)) / 2


# -- captures and suicide --------------------------------------------------------------------------------------------------
def test_a_stone_is_captured() -> None:
    game, state = diagram("..... ..X.. .XO.. ..X.. .....")
    play(game, state, "D3")
    assert board_text(game, state) == [".....", "..X..", ".X.X.", "..X..", "....."]
    assert int(state["ko"]) == 0


def test_many_strings_are_captured_at_once() -> None:
    """The point in the middle takes four strings, eight stones, on four sides."""
    game, state = diagram(".XOX. XXOXX OO.OO XXOXX .XOX.")
    play(game, state, "C3")
    assert board_text(game, state) == [".X.X.", "XX.XX", "..X..", "XX.XX", ".X.X."]
    assert int(state["ko"]) == 0
    assert [int(n) for n in state["stone_count"]] == [13, 0]


@pytest.mark.parametrize("options", RULES)
def test_one_string_that_is_reached_twice_is_captured_once(options) -> None:
    game, state = diagram("XX. OOX O.X", B, options)
    play(game, state, "B1")
    assert board_text(game, state) == ["XX.", "..X", ".XX"]
    assert [int(n) for n in state["stone_count"]] == [5, 0]
    assert state["hash"] == game.board.set_up(state, game.board.stones(state), B)["hash"]


def test_suicide_of_one_stone_is_illegal() -> None:
    game, state = diagram("..... ..X.. .X.X. ..X.. .....", W)
    assert not is_legal(game, state, "C3")
    game, state = diagram(".X... X.... ..... ..... .....", W)
    assert not is_legal(game, state, "A5")


def test_suicide_of_several_stones_is_illegal() -> None:
    game, state = diagram(".OX.. OOX.. XX... ..... .....", W)
    assert not is_legal(game, state, "A5")
    play(game, state, "pass", "A5")  # but Black may take them there
    assert board_text(game, state) == ["X.X..", "..X..", "XX...", ".....", "....."]


def test_it_is_said_why_a_move_is_illegal() -> None:
    game, state = diagram("..... ..X.. .X.X. ..X.. .....", W)
    for move, why in (("C3", "no liberty"), ("C4", "there is a black stone")):
        with pytest.raises(UserError, match=why):
            game.parse(state, move)
    game, state = diagram(".XO.. X.XO. .XO.. ..... .....", W)
    play(game, state, "B4")
    with pytest.raises(UserError, match="ko"):
        game.parse(state, "C4")
    game, state = diagram("..... ..... ..... OOX.. .X.X.", B, "superko=positional")
    play(game, state, "A1", "C1")
    with pytest.raises(UserError, match="superko"):
        game.parse(state, "B1")


def test_a_move_that_captures_is_no_suicide() -> None:
    game, state = diagram(".XO.. XOO.. O.... ..... .....", W)
    play(game, state, "A5")
    assert board_text(game, state)[:2] == ["O.O..", ".OO.."]


# -- ko --------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("options", RULES)
def test_ko(options) -> None:
    game, state = diagram(".XO.. XO.O. .XO.. ..... .....", B, options)
    play(game, state, "C4")
    assert board_text(game, state)[:3] == [".XO..", "X.XO.", ".XO.."]
    assert not is_legal(game, state, "B4")
    play(game, state, "E1", "E2")  # a threat, an answer
    play(game, state, "B4")
    assert board_text(game, state)[1] == "XO.O."
    assert not is_legal(game, state, "C4")
    play(game, state, "pass")
    assert int(state["ko"]) == 0
    play(game, state, "pass")
    assert rules.is_over(state)


def test_snapback() -> None:
    """Black throws in; White takes the stone, but the string he takes it with is lost on the very same point: no ko."""
    game, state = diagram("..... ..... XXX.. OOOX. ..OX.")
    play(game, state, "B1", "A1")
    assert board_text(game, state)[3:] == ["OOOX.", "O.OX."]
    play(game, state, "B1")
    assert board_text(game, state)[3:] == ["...X.", ".X.X."]


@pytest.mark.parametrize("options", RULES)
def test_sending_two_returning_one(options) -> None:
    """Two black stones are taken by one white stone, which is taken at once: the board is as it was before.

    That is no simple ko, since two stones were taken; positional superko forbids it.
    """
    game, state = diagram("..... ..... ..... OOX.. .X.X.", B, options)
    before = board_text(game, state)
    play(game, state, "A1", "C1")
    assert board_text(game, state)[4] == "..OX."
    assert is_legal(game, state, "B1") == ("positional" not in options)
    if "positional" not in options:
        play(game, state, "B1")
        assert board_text(game, state) == before


@pytest.mark.parametrize("options", RULES)
def test_triple_ko(options) -> None:
    """Six captures in three kos lead back to the start. Superko forbids the sixth, and nothing before."""
    kos = ".XO...XO. XO.O.XO.O .XO...XO. ......... ......... ......... .XO...... X.XO..... .XO......"
    game, state = diagram(kos, B, options)
    before = board_text(game, state)
    play(game, state, "C8", "B2", "H8", "B8", "C2")
    assert is_legal(game, state, "G8") == ("positional" not in options)
    if "positional" not in options:
        play(game, state, "G8")
        assert board_text(game, state) == before


def test_superko_counts_the_position_that_was_set_up() -> None:
    game, state = diagram(".XO.. XO.O. .XO.. ..... .....", B, "superko=positional")
    play(game, state, "C4")
    state["ko"] = 0  # the simple ko alone would forbid it as well
    assert not is_legal(game, state, "B4")


# -- life, death and the count ---------------------------------------------------------------------------------------------
def test_seki() -> None:
    """Two strings share two liberties; who plays there first is taken. The liberties are nobody's."""
    game, state = diagram("X.OO XXOO XXOO X.OO")
    assert area(state) == -2
    play(game, state, "B4", "B1")
    assert board_text(game, state) == ["..OO", "..OO", "..OO", ".OOO"]
    game, state = diagram("X.OO XXOO XXOO X.OO", W)
    play(game, state, "B4", "B1")
    assert board_text(game, state) == ["X...", "XX..", "XX..", "XX.."]


BENT_FOUR = "....... ....... ....... XX..... OOXXX.. .OOOOX. XXX.OX."


def test_bent_four_in_the_corner_is_scored_as_it_stands() -> None:
    """Nothing is dead by decree: who says that the white stones are must take them, and there is a ko in it."""
    game, state = diagram(BENT_FOUR)
    play(game, state, "pass", "pass")
    assert rules.is_over(state)
    assert area(state) == (10 + 30) - 7
    assert game.result_text(state) == "B+33"
    game, state = diagram(BENT_FOUR, W)
    play(game, state, "D1", "A2")  # White may not touch it
    assert area(state) == 49
    game, state = diagram(BENT_FOUR)
    play(game, state, "A2", "D1")  # Black gives four stones ...
    assert board_text(game, state)[5:] == [".OOOOX.", "...OOX."]
    play(game, state, "B1", "A1", "A2")  # ... and the ko begins
    assert board_text(game, state)[5:] == ["XOOOOX.", ".X.OOX."]
    assert not is_legal(game, state, "A1")


def test_area_of_whole_boards() -> None:
    game = find_game("go:5:komi=0")
    assert area(game.initial) == 0  # an empty board is nobody's
    game, state = diagram("..... ..... ..X.. ..... .....")
    assert area(state) == 25
    game, state = diagram("..... ..... ..X.. ..... O....")
    assert area(state) == 0
    game, state = diagram(".X.O. .X.O. .X.O. .X.O. .X.O.")
    assert area(state) == 0
    game, state = diagram(".XXO. .X.O. .X.O. .X.O. .X.O.")
    assert area(state) == 1
    game, state = diagram(".XO.. XXO.. OOO.. ..... .....", B, "komi=3.5")
    assert rules.outcome(state) == 2 * (4 - 21) - 7
    assert game.result_text(state) == "W+20.5"
    game, state = diagram("X. ..", B, "komi=4")
    assert rules.outcome(state) == 0 and game.result_text(state) == "0"


def test_scoring_changes_nothing() -> None:
    _game, state = diagram(BENT_FOUR)
    before = state.tobytes()
    rules.outcome(state)
    assert state.tobytes() == before


def test_a_long_game_ends() -> None:
    game = find_game("go:2")
    state = game.new_state()
    while not rules.is_over(state):
        legal = game.legal_moves(state)
        rules.play(state, legal[0])
    assert state["ply"] == 6 * 4 + 60 == game.max_plies


# -- random play -----------------------------------------------------------------------------------------------------------
def random_moves(state, draws=3000):
    buffer = np.zeros(400, np.int32)
    rng = make_rng(5)
    return [int(rules.random_move(state, buffer, rng)) for _ in range(draws)]


def test_random_play_is_uniform_and_fills_no_eye() -> None:
    game, state = diagram(".X.OO XX.OO ...XX OO... .O...")
    eyes = {parse_move(state, "A5")}
    expected = set(game.legal_moves(state)) - eyes - {game.points}
    drawn = random_moves(state)
    assert set(drawn) == expected
    each = len(drawn) / len(expected)
    assert all(abs(drawn.count(move) - each) < 5 * each**0.5 for move in expected)


def test_random_play_passes_when_only_eyes_are_left() -> None:
    game, state = diagram(".XXX. XXXXX XXXXX XXXXX .XXX.")
    assert set(random_moves(state, 20)) == {game.points}
    state["to_play"] = W
    assert set(random_moves(state, 20)) == {game.points}  # all would be suicide


@pytest.mark.parametrize(
    ("text", "point", "is_eye"),
    [
        ("..... ..X.. .X.X. ..X.. .....", "C3", True),
        ("..... .OX.. .X.X. ..X.. .....", "C3", True),
        ("..... .OX.. .X.X. ..XO. .....", "C3", False),
        ("..... .XX.. .X.X. ..XX. .....", "C3", True),
        (".X... XX... ..... ..... .....", "A5", True),
        (".X... XO... ..... ..... .....", "A5", False),
        ("X.X.. .X... ..... ..... .....", "B5", True),
        ("X.X.. OX... ..... ..... .....", "B5", False),
        ("X.O.. .X... ..... ..... .....", "B5", False),
    ],
)
def test_eyes(text, point, is_eye) -> None:
    _game, state = diagram(text)
    assert (parse_move(state, point) not in random_moves(state, 400)) == is_eye
