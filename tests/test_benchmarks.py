"""The scripts of benchmarks/ are run by hand; what they import must be there all the same."""

import ast
import json
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from tesuji.lab.elo import score_interval

FOLDER = Path(__file__).parent.parent / "benchmarks"
SCRIPTS = sorted(FOLDER.glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_benchmark_imports_only_what_is_there(script):
    for node in ast.walk(ast.parse(script.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "tesuji":
            module = import_module(node.module)
            for alias in node.names:
                assert hasattr(module, alias.name) or import_module(f"{node.module}.{alias.name}"), alias.name


def loaded(monkeypatch, name):
    """A script as a module; what it imports from its own folder is found."""
    spec = spec_from_file_location(f"benchmark_{name}", FOLDER / f"{name}.py")
    assert spec and spec.loader
    script = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, script)
    monkeypatch.syspath_prepend(FOLDER)
    spec.loader.exec_module(script)
    return script


# -- positions of Go -------------------------------------------------------------------------------------------------------
SURROUNDED: dict[str, Any] = {  # White's string in the corner is in atari
    "suite": "own",
    "file": "tactics.tst",
    "id": 1,
    "cmd": "reg_genmove black",
    "size": 3,
    "komi": 0.5,
    "to_move": "b",
    "ko": None,
    "board": ["OO.", "XXX", "..."],
    "expect": "C3",
    "xfail": False,
}
ROWS = [
    SURROUNDED | {"cmd": "restricted_genmove black C3"},
    SURROUNDED | {"id": 2, "cmd": "restricted_genmove black C3", "expect": "!C3", "file": "uct_seki.tst", "xfail": True},
    SURROUNDED | {"id": 3, "cmd": "restricted_genmove black A1 B1 C1", "expect": "[ABC]1", "file": "life_and_death_nakade.tst"},
    SURROUNDED | {"id": 4, "ko": "C3", "expect": "[ABC]1|PASS", "file": "trevor.tst"},
    SURROUNDED | {"id": 5, "cmd": "owl_attack A3"},
    SURROUNDED | {"id": 6, "board": ["OO.", "XXX"]},
    SURROUNDED | {"id": 7, "expect": "C3["},
]


@pytest.fixture
def positions(monkeypatch, tmp_path):
    """Runs benchmarks/go_positions.py on ROWS and a line that is no JSON."""
    monkeypatch.setenv("TESUJI_PURE", "1")
    script = loaded(monkeypatch, "go_positions")
    path = tmp_path / "positions.jsonl"
    path.write_text("\n".join([*map(json.dumps, ROWS), "{"]) + "\n")
    return lambda *words: script.main([str(path), *words])


def test_positions_of_go_are_asked_and_counted(positions, capsys):
    words = ("--players", "uct;uct:exploration=0.5", "--playouts", "60", "--seeds", "2", "--json")
    assert positions(*words) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["positions"], found["skipped"], found["seeds"]) == (4, 3, 2)
    assert [line.split(": ")[0].rpartition(" ")[2] for line in err.splitlines()] == ["6", "7", "8"], "named by their lines"
    assert [(result["player"], result["playouts"]) for result in found["results"]] == [("uct", 60), ("uct:exploration=0.5", 60)]
    shares = found["results"][0]["categories"]
    assert list(shares) == ["nakade", "seki", "tactics", "whole board", "all"]
    assert [(s["right"], s["n"]) for s in shares.values()] == [(2, 2), (0, 2), (2, 2), (2, 2), (6, 8)]
    assert shares["all"]["low"] < shares["all"]["share"] == 0.75 < shares["all"]["high"]
    assert found["results"][0]["solved"] == {
        "own/tactics.tst:1": 2,
        "own/life_and_death_nakade.tst:3": 2,
        "own/trevor.tst:4": 2,
    }
    solved = [sum(result["solved"].values()) for result in found["results"]]
    paired = [(result["gained"], result["lost"]) for result in found["results"]]
    assert paired[0] == (0, 0) and paired[1][0] - paired[1][1] == solved[1] - solved[0], "against the first player"


def test_answers_are_compared_one_by_one(monkeypatch):
    script = loaded(monkeypatch, "move_prediction")
    assert script.gained_and_lost([True, True, False, False, True], [True, False, False, True, False]) == (2, 1)


def test_categories_and_samples_of_positions(positions, capsys):
    assert positions("--players", "uct", "--playouts", "9", "--categories", "nakade;tactics", "--sample", "1") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["category", "nakade", "tactics", "all"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--categories", "joseki"], "there is no category 'joseki'; there are: nakade,"),
        (["--playouts", "many"], "'many' is not a list of whole numbers"),
        (["--players", "nobody"], "there is no player 'nobody'"),
        (["--sizes", "19"], "there is nothing to ask"),
    ],
)
def test_bad_options_for_positions(positions, capsys, words, message):
    with pytest.raises(SystemExit) as stop:
        positions(*words)
    assert stop.value.code == 2 and message in capsys.readouterr().err


# -- exact play ------------------------------------------------------------------------------------------------------------
@pytest.fixture
def exact_play(monkeypatch):
    return loaded(monkeypatch, "exact_play")


def test_seeds_that_agree_are_no_more_evidence_than_one(exact_play):
    one = exact_play.share([1] * 80 + [0] * 20, 1)
    three = exact_play.share([3] * 80 + [0] * 20, 3)
    for found in (one, three):
        assert (found["low"], found["high"]) == pytest.approx(score_interval(0.8, 100))
    by_chance = exact_play.share([3] * 51 + [2] * 38 + [1] * 10 + [0], 3)  # as many as 0.8 gives by chance
    assert (by_chance["low"], by_chance["high"]) == pytest.approx(score_interval(by_chance["share"], 300), abs=0.003)
    assert exact_play.share([3] * 100, 3)["low"] == score_interval(1.0, 100)[0]


def test_players_are_compared_position_by_position(exact_play):
    same = exact_play.difference([2, 0, 1, 2], [2, 0, 1, 2], 2)
    assert (same["above"], same["above_low"], same["above_high"]) == (0, 0, 0)
    better = exact_play.difference([2, 2, 1, 2], [2, 0, 1, 2], 2)
    assert better["above"] == 0.25 and better["above_low"] < 0 < 0.5 < better["above_high"]


# -- positions of Hex --------------------------------------------------------------------------------------------------------
BRIDGE: dict[str, Any] = {  # Black joins his edges by the bridge of c2 and b4
    "file": "own.tst",
    "id": 1,
    "size": [5, 5],
    "black": ["c2", "b4"],
    "white": ["c5"],
    "cmd": "vc-connected-to c2 black 0",
    "expect": ".*b4.*",
}
HEX_ROWS = [
    BRIDGE,
    BRIDGE | {"id": 2, "cmd": "vc-connected-to west white 0", "expect": ".*east.*"},
    BRIDGE | {"id": 3, "cmd": "vc-connected-to c2 black 0", "expect": "!.*b4.*"},
    BRIDGE | {"id": 4, "cmd": "compute-inferior white", "expect": ".*c1 fcb.*d1 f.*a3 fcw.*"},
    BRIDGE | {"id": 5, "cmd": "compute-inferior white", "expect": ".*c1 fcw.*"},
    BRIDGE | {"id": 6, "cmd": "compute-inferior white", "expect": r".*b1 iv\[c1\].*"},
    BRIDGE | {"id": 7, "cmd": "compute-inferior white", "expect": ".*d4 fd.*"},
    BRIDGE | {"id": 8, "cmd": "dfpn-solve-state white", "expect": "black"},
    BRIDGE | {"id": 9, "cmd": "dfpn-solve-state white", "expect": "black"},
    BRIDGE | {"id": 10, "size": [2, 2], "black": [], "white": [], "cmd": "dfpn-solver-find-winning black", "expect": "b1 a2"},
    BRIDGE | {"id": 11, "cmd": "vc-connected-to c9 black 0", "expect": ".*b4.*", "black": ["c9"]},
    BRIDGE | {"id": 12, "cmd": "handbook-add", "expect": ""},
]


@pytest.fixture
def hex_positions(monkeypatch, tmp_path):
    """Runs benchmarks/hex_positions.py on HEX_ROWS."""
    monkeypatch.setenv("TESUJI_PURE", "1")
    script = loaded(monkeypatch, "hex_positions")
    path = tmp_path / "positions.jsonl"
    path.write_text("\n".join(map(json.dumps, HEX_ROWS)) + "\n")
    return lambda *words: script.main([str(path), *words])


def test_positions_of_hex_are_asked_and_counted(hex_positions, capsys):
    assert hex_positions("--player", "tesuji:policy=uniform", "--playouts", "60", "--json") == 0
    out, err = capsys.readouterr()
    assert [line.split(": ")[0].rpartition(" ")[2] for line in err.splitlines()] == ["11", "12"], "named by their lines"
    found = {
        name: [one[verdict] for verdict in ("right", "more", "less", "other")]
        for name, one in json.loads(out)["categories"].items()
    }
    assert found == {
        "connections": [1, 1, 1, 0],
        "fill-in": [1, 0, 1, 1],
        "inferior cells": [0, 1, 0, 0],
        "must-play": [1, 0, 0, 0],
        "consider": [0, 1, 0, 0],
        "winner, no search": [1, 0, 0, 0],
        "winner": [0, 0, 1, 0],
        "winning moves": [1, 0, 0, 0],
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--categories", "joseki"], "there is no category 'joseki'; there are: connections;"),
        (["--playouts", "0"], "'0' is not a list of whole numbers"),
        (["--player", "nobody"], "there is no player 'nobody'"),
        (["--sizes", "19"], "there is nothing to ask"),
    ],
)
def test_bad_options_for_positions_of_hex(hex_positions, capsys, words, message):
    with pytest.raises(SystemExit) as stop:
        hex_positions(*words)
    assert stop.value.code == 2 and message in capsys.readouterr().err


# -- rules and shapes of Go ------------------------------------------------------------------------------------------------
def test_strengths_of_rules_and_shapes(monkeypatch, tmp_path, capsys):
    """Nobody plays on the first line, which is a shape."""
    monkeypatch.setenv("TESUJI_PURE", "1")
    records = tmp_path / "records.sgf"
    moves = ";B[cc];W[cd];B[gc];W[gd];B[cg];W[ch];B[gg];W[gh];B[ee];W[ef]"
    records.write_text(f"(;SZ[9]KM[7.5]{moves})\n" * 8)
    assert loaded(monkeypatch, "go_shapes").main([str(records), "--game", "go:9", "--from-ply", "2", "--to-ply", "9"]) == 0
    head, _, table = capsys.readouterr().out.partition("\n\n")
    nats = {line[:20].strip(): float(line[20:]) for line in head.splitlines()[1:]}
    assert list(nats) == ["shapes", "rules", "rules and shapes"]
    assert all(value < 0 for value in nats.values()) and nats["shapes"] > nats["rules"]
    strengths = {line.split()[0]: float(line.split()[1]) for line in table.splitlines()[1:]}
    assert len(strengths) == 18 and strengths["line_of_death"] < 0
