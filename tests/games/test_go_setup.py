"""Go: positions that are set up, handicap, game strings, notation, drawing."""

from __future__ import annotations

import pytest

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.games.go.state import STATE, SUPERKO_STATE
from tesuji.games.registry import find_game

B, W = 0, 1


# -- setting up ------------------------------------------------------------------------------------------------------------
def test_set_up_equals_play() -> None:
    game = find_game("go:5")
    played = game.state_after(["C3", "B2", "C2", "B3"])
    made = game.board.set_up(game.initial, game.board.stones(played), B)
    assert made["hash"] == played["hash"]
    assert game.legal_moves(made) == game.legal_moves(played)
    assert rules.to_play(made) == B and made["ply"] == 0


def test_set_up_keeps_komi_and_rules() -> None:
    for text, kind in (("go:5:komi=0.5", STATE), ("go:5:komi=0.5,superko=positional", SUPERKO_STATE)):
        game = find_game(text)
        state = game.board.set_up(game.initial, {(0, 0): W}, W)
        assert state.dtype == kind == game.initial.dtype and state["komi"] == 1 and rules.to_play(state) == W


@pytest.mark.parametrize(
    ("stones", "player", "said"),
    [
        ({(0, 0): W, (1, 0): B, (0, 1): B}, B, "the white string at A1 has no liberty"),
        ({(c, r): B for c in range(5) for r in range(5)}, W, "the black string at A1 has no liberty"),
        ({(5, 0): B}, B, "no point"),
        ({(0, -1): B}, B, "no point"),
        ({(0, 0): 2}, B, "player 2"),
        ({}, 3, "player 3"),
    ],
)
def test_set_up_refuses(stones, player, said) -> None:
    game = find_game("go:5")
    with pytest.raises(UserError, match=said):
        game.board.set_up(game.initial, stones, player)


def test_handicap_points() -> None:
    def texts(size, count):
        return {f"{'ABCDEFGHJKLMNOPQRST'[c]}{r + 1}" for c, r in find_game(f"go:{size}").board.handicap(count)}

    assert texts(19, 2) == {"D4", "Q16"}
    assert texts(19, 3) == {"D4", "Q16", "D16"}
    assert texts(19, 4) == {"D4", "Q16", "D16", "Q4"}
    assert texts(19, 5) == texts(19, 4) | {"K10"}
    assert texts(19, 6) == texts(19, 4) | {"D10", "Q10"}
    assert texts(19, 7) == texts(19, 6) | {"K10"}
    assert texts(19, 8) == texts(19, 6) | {"K4", "K16"}
    assert texts(19, 9) == texts(19, 8) | {"K10"}
    assert texts(9, 4) == {"C3", "G7", "C7", "G3"}
    assert texts(9, 9) == texts(9, 4) | {"E5", "C5", "G5", "E3", "E7"}
    assert texts(13, 4) == {"D4", "K10", "D10", "K4"}
    assert texts(8, 4) == {"C3", "F6", "C6", "F3"}
    assert texts(7, 4) == {"C3", "E5", "C5", "E3"}


@pytest.mark.parametrize(("size", "count"), [(6, 2), (7, 5), (8, 5), (12, 5), (9, 1), (9, 10), (19, 0)])
def test_handicaps_that_do_not_fit(size, count) -> None:
    with pytest.raises(UserError, match=r"does not fit|has no handicap points"):
        find_game(f"go:{size}").board.handicap(count)


# -- strings, names, notation ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("go", "go:9"),
        ("go:19", "go:19"),
        ("go:19:komi=7.5", "go:19"),
        ("go:19:superko=positional,komi=6.5", "go:19:komi=6.5,superko=positional"),
        ("go:13:komi=-3", "go:13:komi=-3"),
        ("go:5:superko=simple", "go:5"),
    ],
)
def test_names(text, name) -> None:
    assert find_game(text).name == name


@pytest.mark.parametrize(
    "text",
    ["go:1", "go:20", "go:9x9", "go:nine", "go:9:komi=6.25", "go:9:komi=no", "go:9:superko=natural", "go:9:kom=1", "go:9:komi"],
)
def test_bad_names(text) -> None:
    with pytest.raises(UserError):
        find_game(text)


def test_vary() -> None:
    game = find_game("go:9:komi=6.5,superko=positional")
    assert game.vary(size=13).name == "go:13:komi=6.5,superko=positional"
    assert game.vary(komi=0.5).name == "go:9:komi=0.5,superko=positional"
    assert game.vary().name == game.name
    for change in ({"size": 1}, {"size": 20}, {"size": 0}, {"komi": 0.3}, {"komi": float("nan")}, {"komi": 1e9}):
        with pytest.raises(UserError):
            game.vary(**change)


def test_outcome_range() -> None:
    game = find_game("go:5:komi=-3")
    assert game.outcomes == (-56, 56) and game.draw_outcome == 0 and game.outcome_unit == 0.5 and game.points == 25


def test_move_texts() -> None:
    game = find_game("go:19")
    state = game.new_state()
    assert game.text(state, 0) == "A1" and game.text(state, 8) == "J1" and game.text(state, 360) == "T19"
    assert game.text(state, 361) == "pass"
    assert game.parse(state, "j10") == 9 * 19 + 8 and game.parse(state, "PASS") == 361
    for wrong in ("", "I5", "A0", "A20", "U1", "A", "5", "A1x", "A\u00b2", "resign"):
        with pytest.raises(UserError):
            game.parse(state, wrong)


def test_sgf_moves() -> None:
    game = find_game("go:9")
    state = game.new_state()
    assert game.sgf_move(state, game.parse(state, "A9")) == "aa"
    assert game.sgf_move(state, game.parse(state, "E5")) == "ee"
    assert game.sgf_move(state, game.parse(state, "B1")) == "bi"
    assert game.sgf_move(state, game.points) == ""
    for move in game.legal_moves(state):
        assert game.parse_sgf_move(state, game.sgf_move(state, move)) == move
    assert game.parse_sgf_move(state, "tt") == game.points
    for wrong in ("jj", "a", "aaa", "A1", "ja"):
        with pytest.raises(UserError):
            game.parse_sgf_move(state, wrong)


def test_drawing() -> None:
    game = find_game("go:5")
    state = game.state_after(["C3", "B2", "A5", "E1"])
    assert game.drawing(state).splitlines() == [
        "   A B C D E",
        " 5 X . . . . 5",
        " 4 . . . . . 4",
        " 3 . . X . . 3",
        " 2 . O . . . 2",
        " 1 . . . .(O)1",
        "   A B C D E",
    ]
    big = find_game("go:19")
    lines = big.drawing(big.state_after(["K10", "D4"])).splitlines()
    assert lines[10] == "10 . . . + . . . . . X . . . . . + . . . 10"
    assert lines[16] == " 4 . . .(O). . . . . + . . . . . + . . . 4"
