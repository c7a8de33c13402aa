"""analyze, solve and verify: keys, values, files, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tesuji.cli.options import split_moves
from tesuji.games.registry import find_game
from tesuji.lab.bench import Speed
from tesuji.search.engine.tree_search import TreeSearch

ANALYZE_KEYS = {"game", "to_move", "playouts", "seconds", "best_move", "value", "lower", "upper", "moves"}
MOVE_KEYS = {"move", "visits", "value", "prior", "rave", "lower", "upper", "score", "score_deviation", "pv"}
SOLVE_KEYS = {"game", "outcome", "lower", "upper", "playouts", "nodes", "seconds", "best_move", "proven"}
VERIFY_KEYS = {"file", "valid", "game", "lower", "upper", "nodes", "seconds", "reason"}
WON = "a1 b1"  # x wins from here


def test_analyze_json(tesuji):
    answer = tesuji("analyze", "connect4:5x4", "--moves", "33", "--playouts", "60", "--json")
    found = answer.json
    assert answer.code == 0 and answer.err == ""
    assert found.keys() >= ANALYZE_KEYS
    assert (found["game"], found["to_move"], found["playouts"], found["seed"]) == ("connect4:5x4", "Red", 60, 0)
    assert found["lower"] <= found["value"] <= found["upper"]
    assert sorted(entry["move"] for entry in found["moves"]) == ["1", "2", "3", "4", "5"]
    for entry in found["moves"]:
        assert entry.keys() == MOVE_KEYS
        assert entry["rave"] is None
        assert entry["pv"][0] == entry["move"]
    assert found["best_move"] == found["moves"][0]["move"] and found["value"] == found["moves"][0]["value"]
    assert found["interrupted"] is False


@pytest.mark.parametrize("words", [("--cpu", "0.05"), ("--player", "uct:cpu=0.05"), ("--cpu", "0.05", "--seconds", "600")])
def test_a_limit_in_cpu_time(tesuji, words):
    found = tesuji("analyze", "connect4", "--solver", "off", *words, "--json").json
    assert found["playouts"] > 0 and 0.05 <= found["cpu"] < 5


def test_the_first_limit_holds(tesuji):
    assert tesuji("analyze", "connect4", "--cpu", "600", "--playouts", "30", "--json").json["playouts"] == 30
    assert tesuji("solve", "connect4", "--cpu", "0.05", "--json").code == 1


def test_several_threads_are_measured_by_cpu_time_where_that_is_asked_for(tesuji, monkeypatch):
    asked = []

    def measure(game, player, seconds, repeats, seed, by_cpu):
        asked.append((seconds, by_cpu))
        return Speed(game.name, player.name, 2, 1.0, 1.0, "cpu" if by_cpu else "elapsed", repeats)

    monkeypatch.setattr("tesuji.lab.bench.measure", measure)
    for words in (("--cpu", "0.5"), ("--seconds", "2"), ()):
        assert tesuji("bench", "tictactoe", *words).code == 0
    assert asked == [(0.5, True), (2.0, False), (1.0, False)]


def test_analyze_is_the_same_for_one_seed_and_differs_for_another(tesuji):
    def moves(seed: str):
        return tesuji("analyze", "tictactoe", "--playouts", "80", "--seed", seed, "--json").json["moves"]

    assert moves("7") == moves("7") != moves("8")


def test_analyze_for_people(tesuji):
    answer = tesuji("analyze", "tictactoe", "--moves", "a1", "--playouts", "60", "--top", "3")
    lines = answer.out.splitlines()
    assert lines[:4] == ["  a b c", "1 x . .", "2 . . .", "3 . . ."]
    assert lines[5].split() == ["move", "visits", "value", "bounds", "line"]
    assert lines[9] == "... and 5 more"
    best, _visits, value = lines[6].split()[:3]
    assert lines[11] == f"o to move: {best}, {value}"
    assert lines[-1].startswith("60 playouts, ")


def test_analyze_with_a_player_and_options_in_its_place(tesuji):
    found = tesuji("analyze", "tictactoe", "--player", "uct-rave:playouts=40", "--json").json
    assert (found["player"], found["playouts"]) == ("uct-rave", 40)
    assert any(entry["rave"] is not None for entry in found["moves"])
    found = tesuji(
        "analyze", "tictactoe", "--player", "uct-rave:playouts=40", "--playouts", "30", "--selection", "uct", "--json"
    ).json
    assert found["playouts"] == 30
    assert all(entry["rave"] is None for entry in found["moves"])


@pytest.mark.parametrize("text", ["4 4 3", "4,4,3", "4, 4 ,3", "443", "44 3", " 443 "])
def test_moves_may_be_written_in_many_ways(text):
    assert split_moves(find_game("connect4:7x6"), text) == ["4", "4", "3"]


def test_moves_of_more_than_one_character_are_not_a_run():
    assert split_moves(find_game("tictactoe"), "a1 b2,c3") == ["a1", "b2", "c3"]
    assert split_moves(find_game("connect4:10x4"), "10 3") == ["10", "3"]


def test_a_search_is_saved_and_goes_on(tesuji, tmp_path):
    file = str(tmp_path / "a.search")
    begun = tesuji("analyze", "tictactoe", "--moves", "b2", "--playouts", "40", "--save", file, "--json").json
    assert (begun["playouts"], begun["saved"]) == (40, file)
    ended = tesuji("analyze", "--load", file, "--playouts", "40", "--json").json
    whole = tesuji("analyze", "tictactoe", "--moves", "b2", "--playouts", "80", "--json").json
    assert (ended["game"], ended["to_move"], ended["playouts"]) == ("tictactoe", "o", 80)
    assert ended["moves"] == whole["moves"]
    assert tesuji("analyze", "tictactoe", "--load", file, "--playouts", "1", "--json").code == 0


def test_what_clashes_with_a_saved_search_is_refused(tesuji, tmp_path):
    file = str(tmp_path / "a.search")
    tesuji("analyze", "tictactoe", "--playouts", "10", "--save", file)
    before = Path(file).read_bytes()
    assert "is a search of tictactoe, not of connect4:4x4" in tesuji("analyze", "connect4:4x4", "--load", file).error
    assert "--moves, --cuts cannot go with --load" in tesuji("analyze", "--load", file, "--moves", "a1", "--cuts", "on").error
    assert Path(file).read_bytes() == before


def test_a_file_that_is_no_search_is_refused(tesuji, tmp_path):
    file = tmp_path / "a.search"
    tesuji("analyze", "tictactoe", "--playouts", "10", "--save", str(file))
    whole = file.read_bytes()
    for broken in (b"", b"not a search\n", whole[: len(whole) // 2]):
        file.write_bytes(broken)
        assert str(file) in tesuji("analyze", "--load", str(file)).error


def test_solve_json(tesuji):
    found = tesuji("solve", "tictactoe", "--moves", WON, "--json").json
    assert found.keys() >= SOLVE_KEYS
    assert (found["outcome"], found["lower"], found["upper"], found["proven"]) == ("win", 1, 1, True)
    assert (found["to_move"], found["certificate"], found["interrupted"]) == ("x", None, False)


def test_the_outcome_is_that_of_the_player_to_move(tesuji):
    best = tesuji("solve", "tictactoe", "--moves", WON, "--json").json["best_move"]
    found = tesuji("solve", "tictactoe", "--moves", f"{WON} {best}", "--json").json
    assert (found["to_move"], found["outcome"], found["lower"]) == ("o", "loss", 1)
    found = tesuji("solve", "tictactoe", "--moves", "b2 a1 c1 a3 a2", "--json").json
    assert (found["outcome"], found["lower"], found["upper"]) == ("draw", 0, 0)


def test_a_win_that_the_rules_show_at_sight_names_the_move(tesuji):
    found = tesuji("solve", "connect4:7x6", "--moves", "213141", "--json").json  # x has 2, 3 and 4; o has 1
    assert (found["outcome"], found["best_move"]) == ("win", "5")


def test_an_unproven_result_is_unknown_and_writes_no_certificate(tesuji, tmp_path):
    file = tmp_path / "c.proof"
    file.write_text("tesuji certificate kept")
    answer = tesuji("solve", "connect4:7x6", "--playouts", "20", "--certificate", str(file), "--json")
    found = answer.json
    assert (answer.code, found["outcome"], found["proven"], found["certificate"]) == (1, "unknown", False, None)
    assert answer.err == f"tesuji: not proven, so {file} was not written\n"
    assert file.read_text() == "tesuji certificate kept"


def test_a_puzzle_is_won_when_its_best_score_is_proven(tesuji):
    found = tesuji("solve", "samegame:3x3:1", "--json").json
    assert (found["outcome"], found["proven"]) == ("win", True)
    assert found["lower"] == found["upper"]
    assert f"the best score is {found['lower']}" in tesuji("solve", "samegame:3x3:1").out


def test_a_certificate_is_written_and_holds(tesuji, tmp_path):
    file = str(tmp_path / "c.proof")
    answer = tesuji("solve", "tictactoe", "--moves", WON, "--certificate", file)
    assert answer.code == 0 and "proven: x wins with perfect play" in answer.out and f"tesuji verify {file}" in answer.out
    checked = tesuji("verify", file)
    assert checked.code == 0 and "tictactoe after a1 b1: x wins with perfect play" in checked.out
    found = tesuji("verify", file, "--json").json
    assert found.keys() >= VERIFY_KEYS
    assert (found["valid"], found["game"], found["moves"], found["lower"]) == (True, "tictactoe", ["a1", "b1"], 1)


def test_a_certificate_does_not_replace_what_is_none(tesuji, tmp_path):
    notes, empty = tmp_path / "notes.txt", tmp_path / "empty"
    notes.write_text("mine")
    empty.write_text("")
    words = ("solve", "tictactoe", "--moves", WON, "--certificate")
    answer = tesuji(*words, str(notes))
    assert answer.code == 2 and "is not a certificate, so it is not overwritten" in answer.err
    assert notes.read_text() == "mine"
    assert tesuji(*words, str(empty)).code == 0 and tesuji(*words, str(empty)).code == 0


def test_verify_runs_in_pure_python_and_tidies_up(tesuji, tmp_path, monkeypatch):
    import os

    import tesuji.proof.trusted.checker as checker

    file = str(tmp_path / "c.proof")
    tesuji("solve", "tictactoe", "--moves", WON, "--certificate", file)
    monkeypatch.delenv("TESUJI_PURE")
    seen = []
    check = checker.check_certificate
    monkeypatch.setattr(
        checker, "check_certificate", lambda *a, **k: (seen.append(os.environ.get("TESUJI_PURE")), check(*a, **k))[1]
    )
    assert tesuji("verify", file).code == 0
    assert seen == ["1"] and "TESUJI_PURE" not in os.environ


def test_verify_imports_nothing_of_the_search(tesuji, tmp_path):
    """In a process of its own: neither the search, nor the players, nor the compiler."""
    file = str(tmp_path / "c.proof")
    tesuji("solve", "tictactoe", "--moves", WON, "--certificate", file)
    program = (
        "import sys; from tesuji.cli.main import main; "
        f"assert main(['verify', {file!r}]) == 0; "
        "unwanted = ('tesuji.search', 'tesuji.knowledge', 'tesuji.players', 'numba'); "
        "sys.exit(','.join(name for name in sys.modules if name.startswith(unwanted)) or 0)"
    )
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_file_needs_a_name(tesuji):
    for words in (["verify", ""], ["analyze", "--load", ""], ["analyze", "--sgf", ""]):
        assert tesuji(*words).error == "a file name cannot be empty"


def test_a_proof_that_does_not_hold_is_refused_with_exit_code_1(tesuji, monkeypatch, tmp_path):
    import tesuji.proof.trusted.checker as checker

    refused = checker.Verdict(False, "after a1:\n'b1' is not legal", "tictactoe", (), 1, 1, 3)
    monkeypatch.setattr(checker, "check_certificate", lambda *_a, **_k: refused)
    answer = tesuji("verify", "c.proof")
    assert (answer.code, answer.out) == (1, "c.proof: refused: after a1: 'b1' is not legal\n")
    answer = tesuji("verify", "c.proof", "--json")
    assert answer.code == 1 and answer.json["valid"] is False


def test_a_file_that_is_no_certificate_is_wrong_input(tesuji, tmp_path):
    file = tmp_path / "c.proof"
    tesuji("solve", "tictactoe", "--moves", WON, "--certificate", str(file))
    whole = file.read_bytes()
    for broken in (b"", b"no proof", whole[:-9]):
        file.write_bytes(broken)
        assert str(file) in tesuji("verify", str(file)).error


@pytest.mark.parametrize("command", ["solve", "analyze"])
def test_ctrl_c_gives_the_answer_so_far(tesuji, monkeypatch, command):
    rounds = []
    run_round = TreeSearch._run_round

    def interrupted_in_the_third(self, *arguments):
        rounds.append(1)
        if len(rounds) == 3:
            signal.raise_signal(signal.SIGINT)
        run_round(self, *arguments)

    monkeypatch.setattr(TreeSearch, "_run_round", interrupted_in_the_third)
    answer = tesuji(command, "connect4:7x6", "--seconds", "60", "--json")
    found = answer.json
    assert (answer.code, found["interrupted"]) == (130, True)
    assert 0 < found["playouts"] and found["best_move"] in list("1234567")


def test_a_proof_without_the_rules_bounds(tesuji, tmp_path):
    """A certificate that relies on the rules' bounds is refused under --no-rule-bounds; one searched without them holds."""
    for bounds, expected in (("on", 1), ("off", 0)):
        path = str(tmp_path / bounds)
        assert tesuji("solve", "connect4:3x3", "--initial-bounds", bounds, "--certificate", path).code == 0
        assert tesuji("verify", path).code == 0
        assert tesuji("verify", path, "--no-rule-bounds").code == expected


def test_analyze_writes_a_picture(tesuji, tmp_path):
    path = tmp_path / "board.svg"
    found = tesuji("analyze", "tictactoe", "--moves", "b2", "--playouts", "10", "--svg", str(path), "--json").json
    assert found["svg"] == str(path) and path.read_text().startswith('<svg data-tesuji="board"')
    path.write_text("something else")
    assert "is not a picture of a board" in tesuji("analyze", "tictactoe", "--playouts", "10", "--svg", str(path)).error
    assert path.read_text() == "something else"
