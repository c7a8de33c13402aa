"""check, bench, games, players, doctor, reproduce, and how things are printed."""

from __future__ import annotations

import io
import sys
import time
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from tesuji import lab
from tesuji.cli import output, results
from tesuji.core.numba import versions, worker
from tesuji.games.registry import ENTRIES, find_game
from tesuji.lab import signature
from tesuji.lab.bench import measure
from tesuji.players.parameters import all_parameters
from tesuji.players.presets import PLAYERS, find_player
from tesuji.search.engine.tree_search import Result

GAME = """
import numpy as np
from tesuji.core import rules
from tesuji.core.dispatch import implements, state_type
from tesuji.core.game import Game

STATE = state_type("countdown", [("left", np.int32), ("to_play", np.int32)])
start = np.zeros(1, STATE)[0]
start["left"] = 7
game = Game("countdown", start, outcomes=(-1, 1), move_count=3, max_plies=7)

@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]

@implements(rules.moves, STATE)
def moves(state, out):
    count = min(state["left"], 3)
    for i in range(count):
        out[i] = i
    return count

@implements(rules.play, STATE)
def play(state, move):
    state["left"] -= move + 1
    state["to_play"] = 1 - state["to_play"]

@implements(rules.is_over, STATE)
def is_over(state):
    return state["left"] == 0

@implements(rules.outcome, STATE)
def outcome(state):
    return 2 * state["to_play"] - 1
"""


@pytest.fixture
def own_game(tmp_path):
    """A function that writes a game of one's own, with a change, and gives its name."""

    def write(old: str = "", new: str = "") -> str:
        path = tmp_path / "mine.py"
        path.write_text(GAME.replace(old, new) if old else GAME)
        return f"{path}:game"

    return write


def test_ones_own_game_is_solved_and_checked(tesuji, own_game):
    name = own_game()
    found = tesuji("solve", name, "--json").json
    assert (found["game"], found["outcome"], found["best_move"]) == (name, "win", "2")
    answer = tesuji("check", name, "--games", "5", "--json")
    assert answer.code == 0 and answer.json["ok"] is True and answer.json["findings"] == []


def test_a_faulty_game_gives_findings_and_exit_code_1(tesuji, own_game):
    name = own_game("return 2 * state", "return 5 * state")
    answer = tesuji("check", name, "--games", "5", "--json")
    found = answer.json
    assert answer.code == 1 and found["ok"] is False and "outcome gives 4" in found["findings"][0]
    assert tesuji("check", name, "--games", "5").code == 1


def test_a_game_that_raises_is_told_in_one_line(tesuji, own_game):
    name = own_game('state["left"] -= move + 1', 'state["left"] -= [1, 2][move + 5]')
    for command in ("solve", "analyze", "play"):
        assert "IndexError" in tesuji(command, name).error


def test_a_game_that_raises_only_in_the_search_is_told_by_its_line(tesuji, own_game, monkeypatch):
    name = own_game('state["left"] -= move + 1', 'state["left"] -= (1, 2, 3)[move + 5 * BROKEN]')
    monkeypatch.setattr("builtins.BROKEN", 0, raising=False)
    assert tesuji("solve", name, "--json").code == 0
    monkeypatch.setattr("builtins.BROKEN", 1, raising=False)
    assert "in play: IndexError" in tesuji("solve", name).error


def test_what_a_game_prints_does_not_spoil_the_json(tesuji, own_game):
    name = own_game('state["left"] -= move + 1', 'print("moving"); state["left"] -= move + 1')
    answer = tesuji("analyze", name, "--playouts", "5", "--json")
    assert answer.json["playouts"] == 5 and "moving" in answer.err


def test_check_of_our_own_games(tesuji):
    answer = tesuji("check", "tictactoe", "--games", "3", "--seconds", "5")
    assert answer.code == 0 and "no mistake found" in answer.out


def test_games(tesuji):
    answer = tesuji("games")
    assert answer.code == 0 and all(entry.form in answer.out for entry in ENTRIES)
    listed = tesuji("games", "--json").json["games"]
    assert [entry["name"] for entry in listed] == [entry.name for entry in ENTRIES]
    for entry in listed:
        assert find_game(entry["example"]).name.startswith(entry["name"])


def test_players_and_their_parameters(tesuji):
    answer = tesuji("players", "--parameters")
    assert all(player.name in answer.out for player in PLAYERS)
    assert {player.describe() for player in PLAYERS} <= {*map(str.strip, answer.out.splitlines()), ""}
    known = all_parameters()
    assert all(parameter.meaning in answer.out for name, parameter in known.items() if name != "policy")
    found = tesuji("players", "--parameters", "--json").json
    assert [player["name"] for player in found["players"]] == [player.name for player in PLAYERS]
    parts = {part["component"]: [p["name"] for p in part["parameters"]] for part in found["components"]}
    assert {name for names in parts.values() for name in names} == set(known) - {"policy"}
    assert parts["selection=rave"] == ["exploration", "first_play", "rave_bias", "rave_first"]
    assert parts["policy=mc-loa (loa)"] == ["decisive", "best_of", "prior_by", "evaluator", "weights"]
    assert "final_move" in parts["the answer"] and "cuts" in parts["tree search"]
    assert all(len(set(names)) == len(names) for names in parts.values())
    assert "components" not in tesuji("players", "--json").json


def test_parameters_of_players_are_not_broken_on_a_narrow_terminal(tesuji, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("tesuji.cli.output.is_terminal", lambda _stream: True)
    lines = tesuji("players").out.splitlines()
    assert {player.describe() for player in PLAYERS} <= {*map(str.strip, lines), ""}


def test_doctor_without_the_compiler(tesuji):
    answer = tesuji("doctor")
    assert answer.code == 0 and "all is well" in answer.out and "not tried" in answer.out
    found = tesuji("doctor", "--json").json
    assert found["ok"] is True and found["numpy"] == np.__version__ and found["cores"] >= 1


def test_doctor_says_why_compiling_is_slow(tesuji, monkeypatch):
    assert tesuji("doctor", "--json").json["notes"] == []
    monkeypatch.setattr(versions, "TESTED_NUMBA", ("0.1",))
    answer = tesuji("doctor")
    assert answer.code == 0 and "note: compiling takes two to three times as long" in answer.out


def test_doctor_tells_of_a_cache_that_others_can_write_to(tesuji, tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    answer = tesuji("doctor", "--json")
    assert answer.code == 1 and "cache can be written to by everyone" in answer.json["problems"][0]


def test_doctor_clears_the_compile_cache_and_nothing_else(tesuji, tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_CACHE_DIR", str(tmp_path))
    code, other = tmp_path / "0123456789abcdef", tmp_path / "photos"
    for folder in (code, other):
        folder.mkdir()
        (folder / "file").write_bytes(b"12345")
    found = tesuji("doctor", "--clear-cache", "--json").json
    assert found["cache"] == {"folder": str(tmp_path), "bytes": 5, "cleared": 5}
    assert other.is_dir() and not code.exists()


def test_bench_json(tesuji):
    found = tesuji("bench", "tictactoe", "--seconds", "0.01", "--repeats", "1", "--player", "uct", "--json").json
    (speed,) = found["results"]
    assert (speed["game"], speed["player"], speed["threads"]) == ("tictactoe", "uct", 1)
    assert speed["playouts_per_second"] > 0 and speed["simulations_per_second"] > 0
    assert "playouts/s" in tesuji("bench", "tictactoe", "--seconds", "0.01", "--repeats", "1").out


def test_bench_begins_anew_when_a_small_game_is_proven():
    speed = measure(find_game("seki:1,1"), find_player("tesuji:memory=1"), seconds=0.01, repeats=1)
    assert speed.simulations_per_second > 0


def test_signature(tesuji, monkeypatch):
    monkeypatch.setattr(signature, "SEEDS", (1,))
    names = ["tictactoe", "seki:2,2"]
    found = tesuji("bench", "--signature", *names, "--json").json
    searches = found["searches"]
    games = [find_game(name) for name in names]
    assert [(one["game"], one["player"]) for one in searches] == [(g.name, p) for g in games for p in signature.players_of(g)]
    lines = tesuji("bench", "--signature", *names).out.splitlines()
    assert lines == [f"{one['signature']}  {one['game']} {one['player']}" for one in searches] + [f"{found['signature']}  all"]
    assert len({one["signature"] for one in searches}) == len(searches)
    monkeypatch.setattr(signature, "PLAYOUTS", 50)
    fewer = tesuji("bench", "--signature", *names, "--json").json
    assert fewer["signature"] != found["signature"]
    assert all(one["signature"] != other["signature"] for one, other in zip(fewer["searches"], searches, strict=True))


def test_the_signature_of_some_games(tesuji):
    """That it covers all games and players is in test_signatures.py."""
    games = ["tictactoe", "semeai:2,2"]
    found = tesuji("bench", "--signature", "--json", *games).json
    searches = found["searches"]
    wanted = [(name, player) for name in games for player in signature.players_of(find_game(name))]
    assert [(one["game"], one["player"]) for one in searches] == wanted
    parts = [(one["game"], one["player"], one["signature"]) for one in searches]
    assert found["signature"] == signature.total(parts)


def test_reproduce_lists_and_prints(tesuji, monkeypatch):
    row = SimpleNamespace(label="3x4", paper=5.0, measured=np.float64(4.9), low=4.0, high=float("nan"), n=np.int64(30))
    asked = []
    fake = ModuleType("tesuji.lab.reproduce")
    fake.summaries = lambda: {"score-bounded/1": "Table 1"}
    fake.run = lambda text, **options: (
        asked.append((text, options["seed"])),
        SimpleNamespace(paper="score-bounded", table="1", rows=[row], text="the table", error=""),
    )[1]
    monkeypatch.setitem(sys.modules, "tesuji.lab.reproduce", fake)
    monkeypatch.setattr(lab, "reproduce", fake, raising=False)
    assert "score-bounded/1  Table 1" in tesuji("reproduce").out
    assert tesuji("reproduce", "score-bounded/1").out == "the table\n"
    found = tesuji("reproduce", "score-bounded/1", "--seed", "5", "--json").json
    expected = {"label": "3x4", "paper": 5.0, "measured": 4.9, "low": 4.0, "high": None, "n": 30}
    assert found == {"paper": "score-bounded", "table": "1", "rows": [expected]}
    assert asked == [("score-bounded/1", 1), ("score-bounded/1", 5)]


# -- output ------------------------------------------------------------------------------------------------------------
class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_tables_are_plain_in_a_pipe_and_rich_on_a_terminal(monkeypatch, capsys):
    output.print_table(["a", "number"], [["x", 5], ["long", None]], right=("number",))
    assert capsys.readouterr().out == "a     number\nx          5\nlong\n"
    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    output.print_table(["a", "number"], [["x[b]", 5]])
    assert "x[b]" in screen.getvalue()


def test_progress_is_for_terminals_only(monkeypatch, capsys):
    with output.Progress("work", total=2) as progress:
        progress.update(1, "half")
        assert not progress.is_shown
    assert capsys.readouterr().err == ""
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    with output.Progress("work", total=2) as progress:
        progress.update(1, "half")
        assert progress.is_shown
    assert "work" in screen.getvalue()


def test_progress_says_how_much_is_left_to_compile(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(worker, "under_way", worker.Compilation("kernel", (90, 1e6), time.monotonic(), functions=30))
    with output.Progress("work", total=2) as progress:
        progress.update(1, "half")
    assert "compiling, once: 30 of 90, about" in screen.getvalue()
    assert "half" not in screen.getvalue()


def test_a_search_is_shown_while_it_runs(tesuji, monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr("tesuji.search.engine.driver.PROGRESS_SECONDS", 0.0)
    assert tesuji("analyze", "tictactoe", "--playouts", "300", "--json").json["playouts"] == 300
    assert "playouts" in screen.getvalue()


def test_json_takes_numpy_and_odd_numbers():
    assert output.plain({"a": (np.int32(1), np.float64("inf")), "b": np.bool_(True)}) == {"a": [1, None], "b": True}


@pytest.mark.parametrize(
    ("game", "lower", "upper", "mover", "word", "text"),
    [
        ("tictactoe", 1, 1, 0, "win", "x wins with perfect play"),
        ("tictactoe", 1, 1, 1, "loss", "x wins with perfect play"),
        ("tictactoe", 0, 0, 1, "draw", "a draw with perfect play"),
        ("tictactoe", -1, 1, 0, "unknown", ""),
        ("tictactoe", 0, 1, 0, "unknown", "the score for x is between 0 and +1 with perfect play"),
        ("dotsandboxes:2x2", 2, 4, 0, "win", "x wins with perfect play (score +2 to +4 for x)"),
        ("samegame:3x3:1", 5, 5, 0, "win", "the best score is 5"),
        ("samegame:3x3:1", 5, 6, 0, "unknown", "the best score is between 5 and 6"),
    ],
)
def test_results_in_words(game, lower, upper, mover, word, text):
    game = find_game(game)
    assert results.outcome_word(game, lower, upper, mover) == word
    assert results.bounds_text(game, lower, upper).replace(game.player_names[0], "x") == text


def test_percentages_are_the_movers():
    game = find_game("tictactoe")
    told = [Result(mover, 0, 0, 0.0, None, 0.5, -1, 1, False) for mover in (0, 1)]
    assert [results.value_text(game, result, 0.5) for result in told] == ["75.0%", "25.0%"]
