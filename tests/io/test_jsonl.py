"""Analysis as JSON lines: ids, order, faults, ends."""

from __future__ import annotations

import io
import json
import os
import queue
import random
import signal
import subprocess
import sys
import threading

import pytest

from tesuji.cli.analyze import _found
from tesuji.cli.main import main
from tesuji.cli.output import plain
from tesuji.core.limits import Limits
from tesuji.io import jsonl
from tesuji.io.jsonl import JsonLinesServer
from tesuji.io.jsonl_requests import Defaults, read_job
from tesuji.io.lines import split_lines
from tesuji.search.engine.tree_search import TreeSearch

KEYS = {"id", "game", "to_move", "playouts", "seconds", "best_move", "value", "lower", "upper", "moves"}
SHORT = Defaults(limits=Limits(playouts=20))
PATIENCE = 60  # seconds until a test that hangs fails


@pytest.fixture(autouse=True)
def pure_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESUJI_PURE", "1")


def ask(*requests: object, workers: int = 1, defaults: Defaults = SHORT) -> list[dict]:
    """The answers, in the order in which they came."""
    lines = "".join((request if isinstance(request, str) else json.dumps(request)) + "\n" for request in requests)
    answers: list[dict] = []
    JsonLinesServer(io.BytesIO(lines.encode()).read, answers.append, _found, defaults, workers).serve()
    return [json.loads(json.dumps(plain(answer), allow_nan=False)) for answer in answers]


class Talk:
    """A server that runs while the test goes on asking."""

    def __init__(self, workers: int = 1, write=None):
        self._input: queue.Queue[bytes] = queue.Queue()
        self.answers: queue.Queue[dict] = queue.Queue()
        self.server = JsonLinesServer(lambda _n: self._input.get(), write or self.answers.put, _found, SHORT, workers)
        self.failure: Exception | None = None
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        try:
            self.server.serve()
        except Exception as error:
            self.failure = error

    def ask(self, **request) -> None:
        self._input.put(json.dumps(request).encode() + b"\n")

    def end(self) -> None:
        self._input.put(b"")

    def next(self) -> dict:
        return self.answers.get(timeout=PATIENCE)

    def wait_for_end(self) -> None:
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()


# -- answers -------------------------------------------------------------------------------------------------------------
def test_an_answer_has_the_id_and_the_keys_of_analyze():
    (answer,) = ask({"id": "a", "game": "connect4:5x4", "moves": [3, "3"], "playouts": 30, "seed": 5})
    assert answer.keys() >= KEYS
    assert (answer["id"], answer["game"], answer["to_move"], answer["playouts"]) == ("a", "connect4:5x4", "Red", 30)
    assert (answer["seed"], answer["player"], answer["isDuringSearch"], answer["interrupted"]) == (5, "tesuji", False, False)


def test_the_same_as_analyze_json(capsys):
    (answer,) = ask({"id": 1, "game": "tictactoe", "moves": ["b2"], "player": "uct-rave", "playouts": 40, "seed": 3})
    main(["analyze", "tictactoe", "--moves", "b2", "--player", "uct-rave", "--playouts", "40", "--seed", "3", "--json"])
    expected = json.loads(capsys.readouterr().out)
    for key in ("game", "best_move", "value", "moves", "nodes", "player", "seed"):
        assert answer[key] == expected[key]


def test_defaults_and_what_stands_above_them():
    defaults = Defaults("tictactoe", limits=Limits(playouts=15), seed=9, parameters={"selection": "rave"})
    answers = ask(
        {"id": 1},
        {"id": 2, "playouts": 25, "seed": 1, "cpu": 600},
        {"id": 3, "player": "uct:playouts=35"},
        {"id": 4, "player": "uct-rave:selection=uct"},
        {"id": 5, "game": "connect4:4x4", "player": "uct:playouts=35", "playouts": 5},
        defaults=defaults,
    )
    assert [(a["id"], a["playouts"], a["seed"]) for a in answers] == [(1, 15, 9), (2, 25, 1), (3, 35, 9), (4, 15, 9), (5, 5, 9)]
    used = [any(entry["rave"] is not None for entry in a["moves"]) for a in answers]
    assert used[:4] == [True, True, True, False] and answers[4]["game"] == "connect4:4x4"


def test_the_strongest_player_with_a_tree_answers():
    def player_of(game, **parameters):
        return read_job({"id": 1, "game": game}, Defaults(parameters=parameters)).player.name

    assert (player_of("go:9"), player_of("loa"), player_of("tictactoe")) == ("go", "loa", "tesuji")
    assert player_of("go:9", prior_games=5) == "tesuji"


def test_defaults_without_effect_for_the_player_of_a_request_are_left_out():
    defaults = Defaults(
        "tictactoe", limits=Limits(playouts=5), parameters={"selection": "rave", "rave_bias": 0.1, "cuts": False}
    )
    answers = ask(
        {"id": 1, "player": "uct"},
        {"id": 2, "player": "tesuji:selection=uct"},
        {"id": 3, "player": "uct:cuts=on"},
        defaults=defaults,
    )
    assert {answer["id"]: answer.get("playouts") for answer in answers} == {1: 5, 2: 5, 3: None}
    assert "cuts has no effect here" in next(answer["error"] for answer in answers if answer["id"] == 3)


def limits_of(request, defaults):
    return read_job({"id": 1, "game": "tictactoe", **request}, defaults).limits


def test_limits_of_the_request_stand_in_place_of_the_usual_ones():
    timed, counted = Defaults(limits=Limits(seconds=2.0)), Defaults(limits=Limits(playouts=500))
    assert limits_of({"playouts": 10**12}, timed) == Limits(None, 10**12)
    assert limits_of({"seconds": 60}, counted) == Limits(60.0, None)
    assert limits_of({"player": "uct:playouts=7"}, timed) == Limits(None, 7)
    assert limits_of({"player": "uct:playouts=7", "seconds": 9}, counted) == Limits(9.0, 7)
    assert limits_of({}, timed) == Limits(2.0) and limits_of({"player": "uct"}, counted) == Limits(None, 500)
    assert limits_of({}, Defaults()) == Limits(seconds=1.0)
    assert limits_of({"playouts": 30}, Defaults()) == Limits(playouts=30)


def test_a_record_has_its_own_size_and_komi():
    defaults = Defaults("go:9", limits=Limits(playouts=2))
    names = [read_job({"id": 1, "sgf": sgf}, defaults).game.name for sgf in ("(;GM[1]SZ[5]KM[5.5])", "(;GM[1]SZ[3])")]
    assert names == ["go:5:komi=5.5", "go:3"]
    strict = Defaults("go:9:superko=positional")
    assert read_job({"id": 1, "sgf": "(;SZ[5])"}, strict).game.name == "go:5:superko=positional"
    assert read_job({"id": 1, "sgf": "(;TESUJI[tictactoe])"}, strict).game.name == "tictactoe"
    mover = Defaults("loa:simultaneous=mover")
    assert read_job({"id": 1, "sgf": "(;GM[9])"}, mover).game.name == "loa:simultaneous=mover"
    position = Defaults("hex:3:3/1b1/2w:b")
    assert read_job({"id": 1, "sgf": "(;GM[11]SZ[3];B[a1])"}, position).game.name == "hex:3", "a record has its own start"


def test_positions_from_sgf():
    sgf = "(;GM[0]TESUJI[tictactoe];B[b2];W[a1])(;GM[0]TESUJI[connect4:4x4];B[1])"
    answers = ask(
        {"id": 1, "sgf": sgf},
        {"id": 2, "sgf": sgf, "at": 1},
        {"id": 3, "sgf": sgf, "gameIndex": 2, "moves": [1, 1, 1]},
        {"id": 4, "game": "connect4:5x4", "sgf": sgf},
    )
    answers.sort(key=lambda answer: answer["id"])  # what is refused is answered at once, searches when they are done
    assert [(a["game"], a["to_move"]) for a in answers[:3]] == [("tictactoe", "x"), ("tictactoe", "o"), ("connect4:4x4", "Red")]
    assert [entry["move"] for entry in answers[2]["moves"] if entry["move"] == "1"] == []
    assert "not of connect4:5x4" in answers[3]["error"]


def test_a_note_on_the_record_is_in_the_answer():
    (answer,) = ask({"id": 1, "sgf": "(;SZ[5]KM[750];B[cc])", "player": "uct"})
    assert answer["game"] == "go:5" and "KM[750]" in answer["notes"][0]


# -- faults --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("line", "number", "words"),
    [
        ("nonsense", None, "not JSON"),
        ("[1]", None, "one JSON object a line"),
        ('{"id": 1, "seconds": NaN}', None, "NaN is not JSON"),
        ("[" * 100_000, None, "not JSON"),
        ('{"game": "tictactoe"}', None, 'needs an "id"'),
        ('{"id": [1], "game": "tictactoe"}', None, 'needs an "id"'),
        ('{"id": true, "game": "tictactoe"}', None, 'needs an "id"'),
        ('{"id": 1e999, "game": "tictactoe"}', None, 'needs an "id"'),
        ('{"id": -1e999, "action": "query_version"}', None, 'needs an "id"'),
        ('{"id": 1, "action": "terminate", "terminateId": 1e999}', 1, 'needs "terminateId"'),
        ('{"id": 1, "action": "terminate", "terminateId": [1]}', 1, 'needs "terminateId"'),
        ('{"id": 1}', 1, "names no game"),
        ('{"id": 1, "game": "chess"}', 1, "there is no game 'chess'"),
        ('{"id": 1, "game": 3}', 1, '"game" must be a text'),
        ('{"id": 1, "game": "tictactoe", "visits": 3}', 1, "there is no key 'visits'"),
        ('{"id": 1, "game": "tictactoe", "moves": "b2"}', 1, '"moves" must be a list'),
        ('{"id": 1, "game": "tictactoe", "moves": ["b2", "b2"]}', 1, "move 2: 'b2' is not a legal move"),
        ('{"id": 1, "game": "tictactoe", "moves": ["a1","b1","a2","b2","a3"]}', 1, "the game is over"),
        ('{"id": 1, "game": "tictactoe", "moves": ["a1","b1","a2","b2","a3","c3"]}', 1, "move 6 (c3) comes after the end"),
        ('{"id": 1, "game": "tictactoe", "player": "nobody"}', 1, "there is no player 'nobody'"),
        ('{"id": 1, "game": "tictactoe", "player": "uct:x=1"}', 1, "there is no parameter 'x'"),
        ('{"id": 1, "game": "tictactoe", "playouts": 0}', 1, '"playouts" must be a whole number from 1'),
        ('{"id": 1, "game": "tictactoe", "playouts": true}', 1, '"playouts" must be a whole number from 1'),
        ('{"id": 1, "game": "tictactoe", "playouts": 1.5}', 1, '"playouts" must be a whole number from 1'),
        ('{"id": 1, "game": "tictactoe", "seconds": -1}', 1, '"seconds" must be a number of seconds above 0'),
        ('{"id": 1, "game": "tictactoe", "seconds": 1e999}', 1, '"seconds" must be a number of seconds above 0'),
        ('{"id": 1, "game": "tictactoe", "seed": -1}', 1, '"seed" must be a whole number from 0'),
        ('{"id": 1, "game": "tictactoe", "at": 1}', 1, '"at" goes with "sgf" only'),
        ('{"id": 1, "sgf": "(;B[aa]"}', 1, "sgf: line 1, column 8: expected ')'"),
        ('{"id": 1, "sgf": "(;SZ[5])", "at": 7}', 1, "no position after 7 moves"),
        ('{"id": 1, "sgf": "(;SZ[5])", "gameIndex": 2}', 1, '"gameIndex" must be a whole number from 1 to 1'),
        ('{"id": 1, "action": "dance"}', 1, "there is no action 'dance'"),
        ('{"id": 1, "action": "terminate"}', 1, 'needs "terminateId"'),
    ],
)
def test_a_bad_line_is_answered_in_one_line_and_the_next_one_too(line, number, words):
    wrong, right = ask(line, {"id": 2, "game": "tictactoe"})
    assert wrong["id"] == number and words in wrong["error"] and "\n" not in wrong["error"]
    assert right["id"] == 2 and "error" not in right


def test_noise_never_ends_the_loop():
    chance = random.Random(5)
    good = json.dumps({"id": "x", "game": "tictactoe", "playouts": 5, "moves": ["b2"]})
    lines = []
    for _ in range(300):
        characters = list(good)
        for _ in range(chance.randrange(4)):
            characters[chance.randrange(len(characters))] = chance.choice('{}[]":,\\ 0aé\x00\x7f')
        lines.append("".join(characters).replace("\n", " "))
    answers = ask(*lines, {"id": "last", "game": "tictactoe"})
    assert len(answers) == len(lines) + 1
    assert "error" not in next(answer for answer in answers if answer["id"] == "last")


def test_a_fault_inside_a_search_is_an_answer(monkeypatch):
    def fail(self, *_arguments, **_options):
        raise ZeroDivisionError("oh\nno")

    monkeypatch.setattr(TreeSearch, "run", fail)
    assert ask({"id": 1, "game": "tictactoe"}) == [{"id": 1, "error": "ZeroDivisionError: oh no"}]


def test_lines_of_any_length(monkeypatch):
    assert list(split_lines(iter([b"a", b"b\nc", b"\n\nd"]), 10)) == [b"ab", b"c", b"", b"d"]
    monkeypatch.setattr(jsonl, "LONGEST_LINE", 80)
    first, second = ask(json.dumps({"id": 1, "sgf": "x" * 200}), '{"id": 2, "action": "query_version"}')
    assert first == {"id": None, "error": "the line is too long: 80 bytes at most"} and second["id"] == 2


def test_more_requests_than_can_wait_are_refused(monkeypatch):
    monkeypatch.setattr(jsonl, "MOST_PENDING", 3)
    talk = Talk()
    talk.ask(id="long", game="connect4:7x6", seconds=10_000, reportDuringSearchEvery=0.01)
    assert talk.next()["id"] == "long", "it does not wait any more"
    for number in range(5):
        talk.ask(id=number, game="tictactoe")
    talk.ask(id="end", action="stop")
    talk.wait_for_end()
    answers = [talk.answers.get() for _ in range(talk.answers.qsize())]
    refused = {answer["id"] for answer in answers if "too many requests are waiting: 3 at most" in answer.get("error", "")}
    assert refused == {3, 4} and {answer["id"] for answer in answers} == {"long", 0, 1, 2, 3, 4, "end"}


# -- order, and ends -----------------------------------------------------------------------------------------------------
def test_answers_come_as_they_finish():
    talk = Talk(workers=2)
    talk.ask(id="long", game="connect4:7x6", seconds=10_000)
    for number in range(3):
        talk.ask(id=number, game="tictactoe")
    assert [talk.next()["id"] for _ in range(3)] == [0, 1, 2]
    talk.ask(id="end", action="stop")
    assert {talk.next()["id"], talk.next()["id"]} == {"end", "long"}
    talk.wait_for_end()


def test_one_worker_keeps_the_order():
    requests = [{"id": n, "game": "tictactoe", "playouts": 20 - 5 * n} for n in range(3)]
    assert [answer["id"] for answer in ask(*requests)] == [0, 1, 2]


def test_reports_during_a_search_and_an_end_to_it():
    talk = Talk()
    talk.ask(id="long", game="connect4:7x6", seconds=10_000, reportDuringSearchEvery=0.01)
    talk.ask(id="waits", game="tictactoe")
    report = talk.next()
    assert (report["id"], report["isDuringSearch"]) == ("long", True) and report.keys() >= KEYS
    talk.ask(id=1, action="cancel", terminateId="waits")
    talk.ask(id=2, action="terminate", terminateId="long")
    seen = [report]
    while not (seen[-1]["id"] == "long" and not seen[-1]["isDuringSearch"]):
        seen.append(talk.next())
    assert seen[-1]["interrupted"] is True and seen[-1]["playouts"] > 0 and seen[-1]["best_move"]
    assert {"id": "waits", "isDuringSearch": False, "noResults": True, "interrupted": True} in seen
    assert {"id": 2, "action": "terminate", "terminateId": "long"} in seen
    talk.ask(id=3, game="tictactoe", playouts=5)
    assert talk.next()["id"] == 3
    talk.end()
    talk.wait_for_end()


@pytest.mark.parametrize("action", ["stop", "terminate_all"])
def test_everything_can_be_stopped(action):
    talk = Talk(workers=2)
    for number in range(4):
        talk.ask(id=number, game="connect4:7x6", seconds=10_000)
    talk.ask(id="end", action=action)
    if action == "terminate_all":
        talk.end()
    talk.wait_for_end()
    answers = {talk.next()["id"] for _ in range(5)}
    assert answers == {0, 1, 2, 3, "end"}


def test_end_of_input_finishes_what_was_asked():
    assert len(ask(*({"id": n, "game": "tictactoe"} for n in range(5)), workers=3)) == 5
    assert ask() == [] and ask("", "  ") == []


def test_a_reader_who_goes_away_ends_everything():
    def write(_answer: dict) -> None:
        raise BrokenPipeError

    talk = Talk(write=write)
    talk.ask(id=1, game="connect4:7x6", seconds=10_000)
    talk.ask(id=2, action="query_version")  # the answer finds nobody there, while the input stays open
    talk.wait_for_end()
    assert isinstance(talk.failure, BrokenPipeError)


# -- the command ---------------------------------------------------------------------------------------------------------
def run_command(*words: str, **options) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tesuji", "analyze", "--jsonl", *words]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, text=True, env={**os.environ, "TESUJI_PURE": "1"}, **{**pipes, **options})


def test_the_command():
    process = run_command("tictactoe", "--playouts", "10", "--workers", "2")
    out, err = process.communicate('{"id": 1}\nnonsense\n{"id": 2, "moves": ["b2"]}', timeout=PATIENCE)
    answers = {answer["id"]: answer for answer in map(json.loads, out.splitlines())}
    assert (process.returncode, err, answers.keys()) == (0, "", {1, 2, None})
    assert (answers[1]["playouts"], answers[2]["to_move"]) == (10, "o")


def test_the_command_ends_quietly_when_nobody_reads():
    process = run_command("tictactoe", "--playouts", "10")
    assert process.stdin and process.stdout and process.stderr
    process.stdout.close()
    process.stdin.write('{"id": 1}\n')
    process.stdin.flush()  # and stays open: the end must not wait for it
    process.wait(PATIENCE)
    assert process.stderr.read() == ""
    process.stdin.close()
    process.stderr.close()


@pytest.mark.skipif(os.name != "posix", reason="signals as on Unix")
def test_ctrl_c_gives_the_answers_so_far():
    process = run_command("connect4:7x6", "--seconds", "10000")
    assert process.stdin and process.stdout
    process.stdin.write('{"id": 1, "reportDuringSearchEvery": 0.01}\n{"id": 2}\n')
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["isDuringSearch"] is True
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    answers = [answer for answer in map(json.loads, out.splitlines()) if not answer["isDuringSearch"]]
    assert (process.returncode, err) == (130, "")
    assert sorted((answer["id"], answer["interrupted"], "noResults" in answer) for answer in answers) == [
        (1, True, False),
        (2, True, True),
    ]


def test_the_command_refuses_wrong_options(capsys):
    for words, complaint in (
        (["chess"], "there is no game 'chess'"),
        (["--player", "nobody"], "there is no player"),
        (["--moves", "1"], "--moves cannot go with --jsonl"),
    ):
        assert main(["analyze", "--jsonl", *words]) == 2
        assert complaint in capsys.readouterr().err
