"""Matches with handicap stones: who gives them, where they are, and what is refused."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from tesuji.core import rules
from tesuji.games.registry import find_game
from tesuji.lab.match.plan import handicap_opening
from tesuji.lab.match.store import read_match

A, B = "uct:playouts=2", "uct:playouts=3"
ENGINE = Path(__file__).with_name("scripted_engine.py")


def test_fixed_stones_are_moves_of_black_with_passes_between_them():
    game = find_game("go:7")
    state, texts = game.new_state(), []
    for move in handicap_opening(game, 4):
        texts.append(game.text(state, move))
        rules.play(state, move)
    assert texts == ["C3", "pass", "E5", "pass", "C5", "pass", "E3"]


def test_the_first_player_gives_the_stones_in_every_game(match):
    words = ("--game", "go:7", "--handicap", "2", "--games", "3", "--workers", "1", "--games-file", "g.tsv")
    code, found, err = match(A, B, *words)
    assert (code, err, found["games"]) == (0, "", 3)
    plan, games = read_match(found["file"])
    assert plan.game == "go:7:komi=0.5" and [(game.first, game.second) for game in games] == [(1, 0)] * 3
    assert all(game.moves.startswith("C3 pass E5 ") and game.opening_plies == 3 for game in games)
    assert len({game.moves for game in games}) > 1
    words = ("--game", "go:7", "--handicap", "2", "--games", "3", "--workers", "1", "--games-file", "g.tsv")
    again = match(A, B, *words, "--file", "o.db")[1]
    assert again["a_wins"] == found["a_wins"], "taken from the text"
    other = match(A, B, "--game", "go:7:komi=7.5", "--games", "1", "--handicap", "2")[1]
    assert other["game"] == "go:7", "a komi that is named stays"


def test_free_stones_are_where_black_wants_them(match):
    words = ("--game", "go:7", "--handicap", "3", "--free", "--workers", "1", "--games-file", "g.tsv")
    code, found, err = match(A, B, *words, "--games", "2")
    assert (code, err, found["forfeits"]) == (0, "", 0)
    games = read_match(found["file"])[1]
    placed = [game.moves.split()[:6] for game in games]
    assert all(moves[1] == moves[3] == "pass" != moves[5] and len(set(moves)) >= 5 for moves in placed)
    assert placed[0] != placed[1] and {game.first for game in games} == {1}
    assert match(A, B, *words, "--games", "2", "--file", "other.db")[1]["a_wins"] == found["a_wins"]


@pytest.mark.parametrize(
    ("answer", "reason", "text"),
    [
        ("C3 D4", "", ""),
        ("C3", "illegal", "placed 1 of 2"),
        ("C3 C3", "illegal", "no stone can be placed there"),
        ("C3 pass", "illegal", "no stone can be placed there"),
        ("C3 Z9", "garbage", "answered place_free_handicap"),
    ],
)
def test_a_gtp_program_places_its_stones(match, answer, reason, text):
    engine = "gtp:" + shlex.join([sys.executable, str(ENGINE), "", "", os.devnull, answer])
    code, found, _ = match(A, engine, "--game", "go:7", "--handicap", "2", "--free", "--games", "1")
    (game,) = read_match(found["file"])[1]
    assert code == 0 and game.winner == 0
    assert (game.reason, text in game.detail) == (reason or "resign", True)
    assert reason or game.moves.startswith("C3 pass D4 ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--game", "connect4:4x4", "--handicap", "2"], "connect4:4x4 has no handicap stones"),
        (["--game", "go:7", "--handicap", "5"], "a handicap of 5 does not fit a board of 7x7"),
        (["--game", "go:7", "--handicap", "2", "--random-plies", "1"], "leave --openings and --random-plies out"),
        (["--game", "go:7", "--free"], "--free says where handicap stones are"),
        (["--game", "go:7", "--handicap", "1"], "is not a number of handicap stones"),
    ],
)
def test_what_makes_no_sense_is_one_line(match, words, message):
    code, found, err = match(A, B, *words)
    assert (code, found, err.count("\n")) == (2, {}, 1) and message in err
