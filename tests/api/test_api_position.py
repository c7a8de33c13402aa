"""Positions: immutable, played by texts, equal if the same future is possible."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

import tesuji
from tesuji.core.position import Position
from tesuji.games.registry import ENTRIES

CONNECT4 = tesuji.game("connect4:7x6")


def test_play_makes_a_new_position():
    start = CONNECT4.start
    after = start.play("4", "4")
    assert start.moves == () and after.moves == ("4", "4") and after.move_numbers == (3, 3)
    assert after == start.play("4").play("4") and after != start
    assert after.to_move == "Red" and after.legal_moves == tuple("1234567") and not after.is_over
    assert (after.outcome, after.winner, after.result) == (None, None, None)
    assert str(after) == CONNECT4.drawing(CONNECT4.state_after(["4", "4"]))


def test_a_number_stands_for_its_text():
    assert CONNECT4.start.play(4, "5") == CONNECT4.start.play("4", "5")
    with pytest.raises(tesuji.Error, match="a move is a text in the notation of connect4:7x6; True is a bool"):
        CONNECT4.start.play(True)


def test_nobody_can_change_a_position():
    position = CONNECT4.start.play("4")
    for name in ("moves", "game", "other"):
        with pytest.raises(AttributeError, match="cannot be changed"):
            setattr(position, name, ())
    with pytest.raises(AttributeError):
        del position.game
    position.state["width"] = 1  # of a copy
    with pytest.raises(ValueError, match="read-only"):
        position._state["width"] = 1
    mine = CONNECT4.new_state()
    taken = Position(CONNECT4, mine)
    mine["width"] = 1
    assert taken == CONNECT4.start


def test_illegal_moves_are_told_in_one_line():
    position = CONNECT4.start.play("4")
    with pytest.raises(tesuji.Error) as told:
        position.play("1", "9")
    assert str(told.value) == "move 3: '9' is not a legal move of connect4:7x6 here; legal: 1 2 3 4 5 6 7"
    won = CONNECT4.start.play(*"1212121")
    with pytest.raises(tesuji.Error, match=r"move 8 \(1\) comes after the end of the game"):
        won.play("1")


def test_the_end_of_a_game():
    won = CONNECT4.start.play(*"1212121")
    assert won.is_over and won.to_move is None and won.legal_moves == ()
    assert (won.outcome, won.winner, won.result) == (1, "Red", "B+1")
    assert repr(won) == "<Position of connect4:7x6 after 1 2 1 2 1 2 1: Red wins>"
    drawn = tesuji.game("tictactoe").start.play(*("b2", "a1", "c1", "a3", "a2", "c2", "b1", "b3", "c3"))
    assert (drawn.outcome, drawn.winner, drawn.result) == (0, None, "0") and repr(drawn).endswith(": a draw>")
    passed = tesuji.game("go:5:komi=0.5").start.play("pass", "pass")
    assert (passed.outcome, passed.winner, passed.result) == (-0.5, "White", "W+0.5")  # in points, komi included


def test_a_puzzle_has_nobody_to_win():
    position = tesuji.game("samegame:3x3:1").start
    while not position.is_over:
        position = position.play(position.legal_moves[0])
    assert position.winner is None and isinstance(position.outcome, int) and f"score {position.outcome}>" in repr(position)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_game_has_positions(entry):
    game = tesuji.game(entry.example)
    position = game.start
    for _ in range(3):
        position = position.play(position.legal_moves[0])
    again = tesuji.game(entry.example).start.play(*position.moves)
    assert again == position and hash(again) == hash(position) and len({again, position}) == 1
    assert position.state.tobytes() == np.array(game.state_after(position.moves)).tobytes()
    assert repr(position).startswith(f"<Position of {game.name} after ")


def test_positions_of_different_games_differ():
    assert tesuji.game("connect4:7x6").start == CONNECT4.start != tesuji.game("connect4:7x5").start
    assert CONNECT4 == tesuji.game("connect4:7x6") != tesuji.game("connect4:7x5") and CONNECT4 != "connect4:7x6"
    assert tesuji.game("go:5").start != tesuji.game("go:5:komi=0.5").start != "go:5"


def test_long_games_have_a_short_repr():
    moves = "1122331122334"
    assert repr(tesuji.game("connect4:7x6:5").start.play(*moves)) == (
        "<Position of connect4:7x6:5 after 13 moves, the last 4: Yellow to move>"
    )


# -- copies ------------------------------------------------------------------------------------------------------------
def test_a_copy_is_the_position_itself():
    position = CONNECT4.start.play("4")
    assert copy.copy(position) is position and copy.deepcopy([position])[0] is position


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_positions_of_built_in_games_can_be_pickled(entry):
    position = tesuji.game(entry.example).start
    position = position.play(position.legal_moves[0])
    again = pickle.loads(pickle.dumps(position))
    assert again == position and again.moves == position.moves and again.play(*again.legal_moves[:1])


def test_a_pickle_keeps_what_was_set_up():
    game = tesuji.game("go:3:komi=0.5")
    position = tesuji.Position(game, game.board.set_up(game.initial, {(1, 1): 0}, 1)).play("A1")
    again = pickle.loads(pickle.dumps(position))
    assert again == position and again.moves == ("A1",) and again.begin.tobytes() == position.begin.tobytes()


def test_other_positions_cannot_be_pickled():
    own = dataclasses.replace(CONNECT4, name="own")
    for game in (own, dataclasses.replace(CONNECT4, name="own.py:game")):
        with pytest.raises(tesuji.Error, match="cannot be pickled: keep its moves"):
            pickle.dumps(game.start)


# -- what is refused ---------------------------------------------------------------------------------------------------
def test_a_position_needs_a_game_and_a_record_of_its_type():
    for state in (tesuji.game("tictactoe").initial, None, 5, np.zeros(3)):
        with pytest.raises(tesuji.Error, match="a position of connect4:7x6 needs a record of its type"):
            Position(CONNECT4, state)
    with pytest.raises(tesuji.Error, match=r"needs a tesuji\.Game, not str"):
        Position("connect4:7x6", CONNECT4.initial)  # type: ignore[arg-type]


@pytest.mark.parametrize("move", ["x" * 10**6, b"x" * 10**6, 10**5000, -(10**5000), ["x"] * 10**6], ids=range(5))
@pytest.mark.parametrize("game", ["connect4:7x6", "loa", "go:5"])
def test_an_error_repeats_little_of_a_long_move(game, move):
    with pytest.raises(tesuji.Error) as told:
        tesuji.game(game).start.play(move)
    assert len(str(told.value)) < 300 and "\n" not in str(told.value)


def test_an_error_repeats_little_of_a_long_name():
    long = "x" * 10**6
    ended = tesuji.game("tictactoe").start.play("a1", "b1", "a2", "b2", "a3")
    for call in (
        lambda: tesuji.game(long),
        lambda: tesuji.game("connect4:" + long),
        lambda: tesuji.game("semeai:" + long),
        lambda: tesuji.game("samegame:" + long),
        lambda: tesuji.player(long),
        lambda: ended.play(long),
    ):
        with pytest.raises(tesuji.Error) as told:
            call()
        assert len(str(told.value)) < 700
