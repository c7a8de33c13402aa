"""Whole tunes by the command line, in pure Python: results, going on, the report, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import tesuji
from tesuji.cli.main import main
from tesuji.core.parameters import Parameter
from tesuji.games.registry import find_game
from tesuji.lab.tune.plan import make_tune_plan
from tesuji.lab.tune.space import TunedParameter, default_range
from tesuji.lab.tune.store import read_tune
from tesuji.players.parameters import all_parameters

PLAYER, GAME = "uct:playouts=4", "tictactoe"
WORDS = (PLAYER, "--game", GAME, "--parameter", "exploration", "--parameter", "expand_after=1..4", "--window", "3")
SHORT = (*WORDS, "--random-plies", "1", "--workers", "1", "--validate", "0")
SOURCES = str(Path(tesuji.__file__).parent.parent)


@pytest.fixture
def tune(apart: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs `tesuji tune ... --json`: the exit code, what it printed, and what it wrote on stderr."""

    def run(*words: str) -> tuple[int, dict[str, Any], str]:
        capsys.readouterr()
        code = main(["tune", *words, "--json"])
        captured = capsys.readouterr()
        return code, json.loads(captured.out) if captured.out else {}, captured.err

    return run


def state(path: str) -> Any:
    found = read_tune(path)
    return found.samples, [(game.number, game.moves, game.winner, game.first) for game in found.games]


# -- results -------------------------------------------------------------------------------------------------------------
def test_a_tune_with_its_validation(tune):
    code, found, err = tune(*SHORT[:-1], "4", "--games", "24", "--file", "one.db", "--against", "uct:playouts=2", PLAYER)
    assert code == 0 and "24 games for a fit of 6 coefficients" in err
    assert (found["games"], found["method"], found["against"]) == (24, "clop", ["uct:playouts=2", PLAYER])
    assert [p["name"] for p in found["parameters"]] == ["exploration", "expand_after"]
    assert [p["before"] for p in found["parameters"]] == ["0.3", "1"]
    for row in found["parameters"]:
        assert float(row["low"]) <= float(row["mean"]) <= float(row["high"])
        assert row["best"] == row["mean"] and f"{row['name']}={row['best']}" in found["tuned"]
    assert found["tuned"].startswith("uct:playouts=4,exploration=")
    validated = found["validation"]
    assert validated["games"] == 4 and 0.0 <= validated["low"] <= validated["score"] <= validated["high"] <= 1.0
    assert not Path("one.db.lock").exists()
    held = read_tune("one.db")
    assert len(held.samples) == 12 and [game.number for game in held.games] == list(range(24))
    assert {value for values in held.samples for value in [values["expand_after"]]} <= {"1", "2", "3", "4"}
    opponents = [game.second if game.first == 0 else game.first for game in held.games]
    assert opponents == [1, 1, 2, 2] * 6, "opponents take turns"
    assert [game.first == 0 for game in held.games] == [True, False] * 12, "both colours"
    openings = [game.moves.split()[0] for game in held.games]
    assert openings[::2] == openings[1::2] and openings[0] == openings[2], "a pair has one opening, and so have all opponents"
    (validation,) = held.validations
    assert [player.given for player in validation.plan.players] == [found["tuned"], PLAYER]
    assert not {game.seed for game in validation.games} & {game.seed for game in held.games}, "fresh seeds"


def test_a_second_validation_with_other_playouts(tune, capsys):
    """In the same file, and gone on with; what is in `validation` stays as it is."""
    words = (*SHORT[:-1], "6", "--games", "24", "--file", "one.db")
    plain = tune(*words)[1]
    assert plain["second_validation"] is None
    code, found, err = tune(*words, "--validate-playouts", "9")
    second = found["second_validation"]
    assert code == 0 and found["validation"] == plain["validation"] and "once more with 9 playouts a move" in err
    assert (second["playouts"], second["games"]) == (9, 6) and second["low"] <= second["score"] <= second["high"]
    assert second.keys() == {"playouts", *found["validation"]}
    held = read_tune("one.db").validations
    assert [[player.playouts for player in validation.plan.players] for validation in held] == [[4, 4], [9, 9]]
    tuned, before = held[1].plan.players
    assert tuned.label == found["tuned"].replace("playouts=4,", "") + ",playouts=9" and before.label == "uct:playouts=9"
    first_games = [(game.number, game.moves) for game in held[1].games]
    found = tune(*SHORT[:-1], "10", "--games", "24", "--file", "one.db", "--validate-playouts", "9")[1]
    assert found["validation"]["games"] == found["second_validation"]["games"] == 10
    held = read_tune("one.db").validations
    assert len(held) == 2 and [(game.number, game.moves) for game in held[1].games][:6] == first_games, "it goes on"
    capsys.readouterr()
    assert main(["tune", *words, "--validate-playouts", "9"]) == 0
    out = capsys.readouterr().out
    assert "\nvalidation: A tuned" in out and "\nvalidation with 9 playouts a move: A tuned" in out
    _, report, _ = tune("--report", "one.db", "--out", "one.html")
    assert [validation["playouts"] for validation in report["validations"]] == [4, 9]


def test_the_same_tune_in_parts_and_with_more_workers(tune):
    assert tune(*SHORT, "--games", "24", "--file", "whole.db")[0] == 0
    for games in ("10", "24"):
        code, found, _ = tune(*SHORT, "--games", games, "--file", "parts.db")
        assert (code, found["games"]) == (0, int(games))
    assert (
        tune(*WORDS, "--random-plies", "1", "--validate", "0", "--workers", "3", "--games", "24", "--file", "wide.db")[0] == 0
    )
    assert state("whole.db") == state("parts.db") == state("wide.db")
    assert tune(*SHORT, "--games", "10", "--file", "whole.db")[1]["games"] == 10, (
        "a shorter tune is the beginning of the longer"
    )


@pytest.mark.parametrize("method", ["spsa", "uniform"])
def test_other_methods(tune, method):
    code, found, _ = tune(*SHORT, "--games", "6", "--method", method, "--file", "one.db")
    assert (code, found["method"], found["games"]) == (0, method, 6)


def test_for_people(apart, capsys):
    assert main(["tune", *SHORT, "--games", "24"]) == 0
    out = capsys.readouterr().out
    assert "24 of 24 games, 0 of them played earlier; saved in tunes/" in out and "not validated" in out
    assert "no measurable effect" in out


def test_live_tables(apart, capsys, monkeypatch):
    shown = []
    monkeypatch.setattr("tesuji.cli.output.is_terminal", lambda stream: stream is sys.stderr)
    monkeypatch.setattr("rich.live.Live.update", lambda self, table, refresh: shown.append(table))
    assert main(["tune", *SHORT[:-1], "2", "--games", "6"]) == 0
    assert "2 of 2 games: no gain shown" in capsys.readouterr().out
    texts = [str(part) for group in shown for part in group.renderables]
    assert any("games an hour" in text for text in texts) and any("of 2 games" in text for text in texts)


def test_killed_at_any_time_and_gone_on_with(tune):
    words = (*SHORT, "--games", "24")
    assert tune(*words, "--file", "whole.db")[0] == 0
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    for goal in (3, 13):
        process = subprocess.Popen([sys.executable, "-m", "tesuji", "tune", *words, "--file", "killed.db"], env=environment)
        deadline = time.monotonic() + 120
        while _games("killed.db") < goal and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        kept = state("killed.db")
        assert len(kept[0]) >= len(kept[1]) / 2, "samples are there before their games"
        assert len(kept[1]) % 2 == 0, "both games of a sample, or none"
    assert tune(*words, "--file", "killed.db")[0] == 0
    assert state("killed.db") == state("whole.db")


def _games(path: str) -> int:
    try:
        return len(read_tune(path).games)
    except Exception:  # it is not there yet
        return 0


# -- the report ----------------------------------------------------------------------------------------------------------
def test_the_report(tune):
    assert tune(*SHORT[:-1], "2", "--games", "24", "--file", "one.db")[0] == 0
    code, found, err = tune("--report", "one.db", "--out", "one.svg")
    assert (code, err, found["games"], len(found["validations"])) == (0, "", 24, 1)
    assert found["validations"][0].keys() >= {"games", "score", "low", "high"}
    picture = Path("one.svg").read_text()
    assert picture.startswith('<svg data-tesuji="tune"') and "http" not in picture.replace("http://www.w3.org/2000/svg", "")
    for words in ("exploration: ", "expand_after: ", "Pairs of parameters", "score around the estimate"):
        assert words in picture
    assert tune("--report", "one.db", "--out", "one.html")[0] == 0
    page = Path("one.html").read_text()
    assert picture in page and "Validation" in page and "<script" not in page and "src=" not in page
    Path("one.html").write_text("mine")
    code, _, err = tune("--report", "one.db", "--out", "one.html")
    assert code == 2 and Path("one.html").read_text() == "mine"


# -- wrong input ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["uct", "--parameter", "exploration=-1..1"], "exploration=-1 is not possible"),
        (["uct", "--parameter", "exploration=0.1..1e7"], "exploration=1e7 is not possible"),
        (["uct", "--parameter", "rave_bias"], "rave_bias has no effect here: it goes with selection=rave"),
        (["uct", "--parameter", "nothing"], "there is no parameter 'nothing'"),
        (["uct", "--parameter", "reuse_tree"], "reuse_tree cannot be tuned: it is a choice (on | off)"),
        (["uct", "--parameter", "selection"], "selection cannot be tuned: it is a choice"),
        (["uct", "--parameter", "memory"], "memory has no range of its own"),
        (["uct", "--parameter", "exploration=1..0.5"], "the range is empty"),
        (["uct", "--parameter", "exploration=0..1:log"], "begins above 0"),
        (["uct", "--parameter", "exploration=0..1:cube"], "a range is LOW..HIGH"),
        (["uct", "--parameter", "exploration=0.5"], "a range is LOW..HIGH"),
        (["uct", "--parameter", "exploration=0..1.5:int"], "a range is LOW..HIGH"),
        (["uct", "--parameter", "exploration=0..1", "--parameter", "exploration"], "given twice"),
        (["uct", "--parameter", "threads=1..4", "--parameter", "virtual_loss=0..4"], "virtual_loss has no effect"),
        (["uct"], "name what to tune"),
        (["uct", "--parameter", "exploration", "--validate-playouts", "0"], "'0' is not a number of playouts"),
        (["uct:playouts=9", "--parameter", "exploration", "--validate-playouts", "9"], "9 is what the tune itself has"),
        (["uct", "--parameter", "exploration", "--validate", "0", "--validate-playouts", "9"], "--validate 0 asks for none"),
        (["nobody", "--parameter", "exploration"], "there is no player 'nobody'"),
        (["uct", "--parameter", "exploration", "--against", "nobody"], "there is no player 'nobody'"),
        (["uct", "--parameter", "exploration", "--against", "gtp:no-such-engine"], "no-such-engine"),
        (["uct", "--parameter", "exploration", "--against", "mogo"], "the player mogo plays go"),
        (["gtp:gnugo", "--parameter", "exploration"], "only players of ours can be tuned"),
        (["uct", "--parameter", "exploration", "--window", "1000000"], "--window 1000000"),
        (["uct", "--parameter", "exploration", "--out", "x.svg"], "--out is for the picture"),
    ],
)
def test_what_cannot_be_tuned(tune, words, named):
    code, found, err = tune(*words, "--game", GAME)
    assert (code, found, err.count("\n")) == (2, {}, 1), err
    assert named in err
    assert not Path("tunes").exists() or not list(Path("tunes").iterdir())


def test_the_file_of_another_tune_is_not_touched(tune, match):
    assert tune(*SHORT, "--games", "4", "--file", "one.db")[0] == 0
    before = state("one.db")
    for words, named in [
        (["uct:playouts=5", *SHORT[1:]], "player: uct:playouts=4 there, uct:playouts=5 here"),
        ([*SHORT, "--game", "connect4:4x4"], "--game is given twice"),
        ([SHORT[0], "--game", "connect4:4x4", *SHORT[3:]], "game: tictactoe there, connect4:4x4 here"),
        ([*SHORT, "--against", "uct:playouts=9"], "--against: uct:playouts=4 there, uct:playouts=9 here"),
        ([*SHORT, "--parameter", "first_play"], "first_play"),
        ([*SHORT, "--method", "spsa"], "--method: clop there, spsa here"),
    ]:
        code, _, err = tune(*words, "--file", "one.db")
        assert (code, err.count("\n")) == (2, 1) and named in err
    assert match("uct:playouts=2", PLAYER, "--game", GAME, "--games", "2", "--file", "one.db")[0] == 2
    assert match("uct:playouts=2", PLAYER, "--game", GAME, "--games", "2", "--workers", "1", "--file", "match.db")[0] == 0
    for words in ([*SHORT, "--file", "match.db"], ["--report", "match.db", "--out", "a.svg"]):
        code, _, err = tune(*words)
        assert code == 2 and "not a tune file" in err
    assert state("one.db") == before


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("update samples set vals = '{}' where number = 1", "its sample 1 cannot be read"),
        ('update samples set vals = replace(vals, \'"expand_after": "\', \'"expand_after": "9\')', "cannot be read"),
        ("delete from samples where number = 0", "its sample 1 cannot be read"),
        ("update games set first = 1, second = 0 where number = 0", "row 0 of its games"),
        ("update tune set value = '{}' where key = 'plan'", "its plan cannot be read"),
        ("insert into validations (plan) values ('[]')", "the plan of its validation 1 cannot be read"),
        ("create view mine as select 1", "its tables are not those of a tune file"),
    ],
)
def test_a_damaged_file(tune, change, named):
    assert tune(*SHORT, "--games", "4", "--file", "one.db")[0] == 0
    base = sqlite3.connect("one.db")
    base.execute(change)
    base.commit()
    base.close()
    code, _, err = tune("--report", "one.db", "--out", "a.svg")
    assert (code, err.count("\n")) == (2, 1) and named in err


def test_too_little_for_a_report(tune):
    assert tune(*SHORT, "--games", "4", "--file", "one.db")[0] == 0
    for out, named in (("a.svg", "holds 2 complete samples"), ("a.png", "an .html or an .svg file")):
        code, _, err = tune("--report", "one.db", "--out", out)
        assert code == 2 and named in err


# -- parts ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "parameter",
    [
        TunedParameter("a", 0.0, 2.0),
        TunedParameter("a", 1e-5, 0.1, is_log=True),
        TunedParameter("a", 1.0, 12.0, is_whole=True),
        TunedParameter("a", 1.0, 40.0, is_log=True, is_whole=True),
    ],
)
def test_values_and_points(parameter):
    values = [parameter.value_at(unit / 50) for unit in range(-50, 51)]
    assert (float(values[0]), float(values[-1])) == (parameter.low, parameter.high)
    assert all(parameter.holds(value) for value in values) and values == sorted(values, key=float)
    assert all(parameter.value_at(parameter.unit_of(value)) == value for value in values)
    assert not parameter.holds("-0.1") and not parameter.holds("x") and not parameter.holds("nan")


def test_whole_numbers_have_equal_room():
    parameter = TunedParameter("a", 1.0, 4.0, is_whole=True)
    values = [parameter.value_at(-1 + 2 * (k + 0.5) / 400) for k in range(400)]
    assert [values.count(value) for value in "1234"] == [100] * 4


def test_every_declared_tuning_range_is_possible():
    ranged = {name: p for name, p in all_parameters().items() if default_range(p)}
    assert {"exploration", "rave_bias", "fill_board", "best_of", "prior_weight"} <= set(ranged)
    for parameter in ranged.values():
        low, _, high = default_range(parameter).partition(":")[0].partition("..")
        assert parameter.parse(low) < parameter.parse(high)
    assert default_range(Parameter("x", 1.0, "wide", 0.0, 1e6)) == ""


def test_ids_of_jobs_are_those_of_their_games():
    from tesuji.lab.match.jobs import GamesJob

    game = find_game(GAME)
    arguments: Any = (["exploration=0.1..1:log"], [], None, None, "clop", 8)
    plan, other = (make_tune_plan(game, PLAYER, *arguments, seed=seed) for seed in (1, 2))
    job = GamesJob(0, ((plan.entry(0), (4,)), (plan.entry(1), (4,))), {"exploration": "0.3"})
    assert GamesJob.from_json(json.loads(json.dumps(job.as_json()))) == job
    assert job.id(plan) == GamesJob.from_json(job.as_json()).id(plan) != job.id(other)
    assert GamesJob(0, job.games, {"exploration": "0.31"}).id(plan) != job.id(plan)
    assert plan.basis_of(3) == 0 and plan.basis_of(8) == 1
    assert plan.with_values({"exploration": "0.5"}) == "uct:playouts=4,exploration=0.5"
