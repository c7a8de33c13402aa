"""The alpha-beta players through every command: answers that make sense, and one line where something cannot be."""

from __future__ import annotations

import io
import json

import pytest

from tesuji.games.registry import find_game
from tesuji.search.alphabeta.options import ALPHABETA

WON = "loa:8/2b5/8/2b1w3/8/8/3w4/8:b"
WINS = {"c7-b6", "c5-d6", "c5-b6"}  # at once
QUICK = "mia2006:memory=1,playouts=80"


@pytest.mark.parametrize("name", ["loa", "loa:scrambled"])
@pytest.mark.parametrize("player", ["mia2000", "mia2002", "mia2006"])
def test_an_analysis(tesuji, name, player):
    answer = tesuji("analyze", name, "--player", f"{player}:memory=1", "--playouts", "120", "--json").json
    game = find_game(name)
    moves = answer["moves"]
    assert (answer["player"], answer["playouts"], answer["nodes"]) == (player, 120, 120)
    assert answer["best_move"] == moves[0]["move"] and answer["value"] == moves[0]["value"]
    assert (answer["lower"], answer["upper"], answer["proven"]) == (-1, 1, False)
    assert len({one["move"] for one in moves}) == len(moves) == len(game.legal_moves(game.initial))
    assert 0 < sum(one["visits"] for one in moves) <= 120
    for one in moves:
        assert -1.0 < one["value"] < 1.0 and (one["lower"], one["upper"]) == (-1, 1)
        assert one["pv"][0] == one["move"]
        game.state_after(one["pv"])  # every move of the line is legal
    text = tesuji("analyze", name, "--player", f"{player}:memory=1,playouts=120", "--top", "3")
    assert text.code == 0 and "120 playouts" in text.out and "NaN" not in text.out


def test_a_search_of_one_node(tesuji):
    answer = tesuji("analyze", "loa", "--player", "mia2006:memory=0", "--playouts", "1", "--json").json
    assert answer["playouts"] == 1 and answer["best_move"] and not answer["proven"]


def test_a_win_is_proven(tesuji):
    answer = tesuji("analyze", WON, "--player", "mia2006:memory=1", "--json").json
    assert answer["best_move"] in WINS and answer["proven"]
    assert (answer["value"], answer["lower"], answer["upper"]) == (1.0, 1, 1)
    solved = tesuji("solve", WON, "--player", "mia2006:memory=1", "--json").json
    assert (solved["outcome"], solved["proven"], solved["player"]) == ("win", True, "mia2006")
    assert "proven: Black wins" in tesuji("solve", WON, "--player", "mia2006:memory=1").out


def test_what_is_not_proven_is_said_so(tesuji):
    answer = tesuji("solve", "loa", "--player", "mia2006:memory=1,depth=1", "--json").json  # ends by its depth
    assert (answer["outcome"], answer["proven"], answer["lower"], answer["upper"]) == ("unknown", False, -1, 1)
    assert "not proven" in tesuji("solve", "loa", "--player", QUICK).out


def test_what_it_cannot_do_is_refused(tesuji, tmp_path):
    saved, certificate = tmp_path / "search", tmp_path / "proof"
    for words, message in (
        (["analyze", "loa", "--player", "mia2006", "--save", str(saved)], "mia2006 keeps no tree that could be saved"),
        (["analyze", "loa", "--player", "mia2006", "--json", "--save", str(saved)], "keeps no tree"),
        (["solve", "loa", "--player", "mia2006", "--certificate", str(certificate)], "keeps no tree"),
        (["analyze", "loa", "--player", "mia2006", "--threads", "2"], "there is no parameter 'threads'"),
        (["analyze", "loa", "--player", "mia2006:threads=2"], "there is no parameter 'threads'"),
        (["solve", "loa", "--player", "mia2006:threads=2"], "there is no parameter 'threads'"),
        (["play", "loa", "--player", "mia2006:threads=2"], "there is no parameter 'threads'"),
        (["gtp", "loa", "--player", "mia2006:threads=2"], "there is no parameter 'threads'"),
        (["analyze", "loa", "--player", "mia2006", "--solver", "off"], "there is no parameter 'solver'"),
        (["analyze", "loa", "--player", "mia2006:best_of=4"], "best_of has no effect here: it needs playouts"),
        (
            ["analyze", "loa", "--player", "mia2006:policy=crazystone"],
            "is not possible: auto | uniform | network | mc-loa | categories",
        ),
    ):
        assert message in tesuji(*words).error
    assert not saved.exists() and not certificate.exists()


def test_its_parameters_are_listed(tesuji):
    text = tesuji("players", "--parameters").out
    assert "\nalpha-beta:\n" in text and "multi_cut_reduction" in text
    found = tesuji("players", "--parameters", "--json").json
    (listed,) = [part["parameters"] for part in found["components"] if part["component"] == "alpha-beta"]
    assert [one["name"] for one in listed] == list(ALPHABETA.all())


@pytest.mark.parametrize("name", ["connect4", "tictactoe", "go:9", "samegame"])
@pytest.mark.parametrize("command", ["analyze", "solve", "play", "gtp"])
def test_other_games_are_refused(tesuji, command, name):
    assert "the player mia2006 plays loa, not " in tesuji(command, name, "--player", "mia2006").error


def test_a_saved_search_is_not_continued_by_it(tesuji, tmp_path):
    saved = str(tmp_path / "search")
    assert tesuji("analyze", "loa", "--player", "uct:memory=1", "--playouts", "2", "--save", saved).code == 0
    assert "--player cannot go with --load" in tesuji("analyze", "--load", saved, "--player", "mia2006").error


def test_requests_as_json_lines(tesuji, monkeypatch):
    requests = [
        {"id": "a", "game": "loa", "player": QUICK},
        {"id": "b", "game": "loa:scrambled", "player": "mia2002:memory=1,depth=1", "seconds": 600},
        {"id": "c", "game": "loa", "player": "mia2006:threads=2"},
        {"id": "d", "game": "connect4", "player": "mia2006"},
        {"id": "e", "game": WON, "player": "mia2006:memory=1"},
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(json.dumps(one) + "\n" for one in requests)))
    answer = tesuji("analyze", "--jsonl")
    assert answer.code == 0 and answer.err == ""
    found = {one["id"]: one for one in map(json.loads, answer.out.splitlines())}
    assert found["a"]["playouts"] == 80 and found["a"]["moves"][0]["pv"]
    assert not found["b"]["proven"] and found["b"]["best_move"]
    assert "there is no parameter 'threads'" in found["c"]["error"]
    assert "plays loa, not connect4" in found["d"]["error"]
    assert found["e"]["proven"] and found["e"]["best_move"] in WINS


@pytest.mark.parametrize("level", ["1", "4", "7", "10"])
def test_it_plays_against_people(tesuji, monkeypatch, level):
    lines = ["hint", "c8-c6", "undo", "g1-g3", "hint", "switch", "moves", "quit"]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))
    answer = tesuji("play", "loa", "--player", QUICK, "--level", level, "--seed", "1", "--json")
    assert answer.code == 0 and len(answer.json["moves"]) == 3  # the person's, the answer, and one more after `switch`
    find_game("loa").state_after(answer.json["moves"])
    assert answer.err.count("visits") == 10 and "White plays" in answer.err


def test_it_wins_a_won_game(tesuji, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    answer = tesuji("play", WON, "--player", "mia2006:memory=1", "--side", "none", "--json")
    assert answer.json["over"] and answer.json["outcome"] == 1 and set(answer.json["moves"]) <= WINS
    assert "Proven: Black wins with perfect play." in answer.err and "100.0% for Black" in answer.err
