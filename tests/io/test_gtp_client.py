"""The client trusts no engine: every way to misbehave is a failure of a known kind, and no process is left behind."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tesuji.core.errors import UserError
from tesuji.io.gtp import client
from tesuji.io.gtp.client import LIVE, AnswerReader, EngineFailure, GtpEngine, split_command

FAKE = Path(__file__).parent.parent / "lab" / "fake_engine.py"
TIMEOUT = 60.0


def command(*words: str) -> str:
    return shlex.join([sys.executable, str(FAKE), *words])


def script(code: str) -> str:
    return shlex.join([sys.executable, "-c", code])


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    for engine in list(LIVE):
        engine.kill()


def test_a_good_engine():
    engine = GtpEngine(command("good"))
    engine.start(TIMEOUT)
    assert (engine.name, engine.version) == ("Fake", "1.0")
    assert engine.knows("genmove") and not engine.knows("boardsize")
    assert engine.send("genmove b", TIMEOUT) == "A1"
    with pytest.raises(EngineFailure, match="unknown command") as caught:
        engine.send("dance", TIMEOUT)
    assert caught.value.kind == "refusal"
    assert engine.is_running, "a refusal is an answer"
    engine.close()
    assert not engine.is_running and engine not in LIVE
    engine.close()
    engine.start(TIMEOUT)
    assert engine.send("genmove w", TIMEOUT) == "A1"


@pytest.mark.parametrize(
    ("mode", "kind", "text"),
    [
        ("crash", "crash", "exit code 1 at 'genmove b'; it wrote: segmentation fault, more or less"),
        ("flood", "flood", "its answer to 'genmove b' has no end"),
        ("flood-lines", "flood", "its answer to 'genmove b' has no end"),
        ("hang", "hang", "did not answer 'genmove b' within 0.3 s"),
        ("late", "hang", "did not answer 'genmove b' within 0.3 s"),
        ("behind", "twice", "it answered an earlier command again, and not 'genmove b': '=3 A1'"),
        ("no-id", "id", "it answered 'genmove b' without its id, which GTP 2 demands: '= A1'"),
        ("wrong-id", "id", "it answered 'genmove b', which has the id 4, with another id: '=1004 A1'"),
    ],
)
def test_misbehaviour_ends_the_engine(mode, kind, text):
    engine = GtpEngine(command(mode))
    engine.start(TIMEOUT)
    with pytest.raises(EngineFailure) as caught:
        engine.send("genmove b", 0.3 if mode in ("hang", "late") else TIMEOUT)
    assert (caught.value.kind, text in str(caught.value)) == (kind, True), caught.value
    assert not engine.is_running and engine not in LIVE
    with pytest.raises(EngineFailure, match="not running"):
        engine.send("name", TIMEOUT)


def test_what_is_not_gtp_is_told_when_the_time_is_over(monkeypatch):
    """The time is over as soon as something has come, however busy the machine is."""
    engine = GtpEngine(command("garbage"))
    engine.start(TIMEOUT)
    monkeypatch.setattr(client, "time", SimpleNamespace(monotonic=lambda: 2 * TIMEOUT if engine._output.stray else 0.0))
    with pytest.raises(EngineFailure, match="not GTP: 'I think therefore I am'") as caught:
        engine.send("genmove b", TIMEOUT)
    assert caught.value.kind == "garbage" and not engine.is_running and engine not in LIVE


def test_engines_that_cannot_be_started():
    for text, reason in [
        ("no-such-engine-anywhere --gtp", "'no-such-engine-anywhere' cannot be started: No such file"),
        (str(Path(__file__).parent), "cannot be started: Permission denied"),
    ]:
        with pytest.raises(EngineFailure, match=reason) as caught:
            GtpEngine(text).start(TIMEOUT)
        assert caught.value.kind == "start"
    with pytest.raises(EngineFailure, match=r"exit code 1 at 'name'; it wrote: no licence found"):
        GtpEngine(command("crash-start")).start(TIMEOUT)
    assert not LIVE


@pytest.mark.parametrize("text", ["", "  ", "gnugo 'open"])
def test_commands_that_are_none(text):
    with pytest.raises(UserError):
        split_command(text)


def test_answers_with_carriage_returns_and_several_lines():
    code = r"""
import sys
for line in sys.stdin:
    number, word = line.split()
    sys.stdout.write({"name": "\r\n\r\n=1 Odd  \r\n\r\n", "version": "?2\n\n", "list_commands": "=3\na\nb\n\n"}[word])
    sys.stdout.flush()
"""
    engine = GtpEngine(script(code))
    engine.start(TIMEOUT)
    assert (engine.name, engine.version, engine.commands) == ("Odd", "", frozenset("ab"))


def test_a_talkative_engine_is_not_kept_waiting():
    code = r"""
import sys
for line in sys.stdin:
    sys.stderr.write("thinking hard " * 20000 + "\n")
    sys.stderr.flush()
    print(f"={line.split()[0]} ok\n", flush=True)
"""
    engine = GtpEngine(script(code))
    engine.start(TIMEOUT)
    assert engine.send("genmove b", TIMEOUT) == "ok"


def test_an_engine_that_closes_its_output_but_lives():
    code = "import os, time\nos.close(1)\ntime.sleep(1000)"
    with pytest.raises(EngineFailure, match="it closed its output"):
        GtpEngine(script(code)).start(TIMEOUT)
    assert not LIVE


def test_every_command_has_an_id_of_its_own():
    code = """
import sys
for line in sys.stdin:
    number = line.split()[0]
    print(f"={number} {line.strip()}\\n", flush=True)
"""
    engine = GtpEngine(script(code))
    engine.start(TIMEOUT)
    assert [engine.send("play b A1", TIMEOUT) for _ in range(3)] == ["4 play b A1", "5 play b A1", "6 play b A1"]
    engine.close()
    engine.start(TIMEOUT)
    assert engine.name == "1 name", "a new process counts from 1"


def test_a_second_answer_is_found_before_the_next_command_is_sent():
    engine = GtpEngine(command("twice"))
    engine.start(TIMEOUT)
    assert engine.send("genmove b", TIMEOUT) == "A1"
    with pytest.raises(EngineFailure) as caught:
        for _ in range(3):  # the second answer may come a moment later: then it is found by its id
            engine.send("play w A2", TIMEOUT)
    assert caught.value.kind == "twice" and "=4 A1" in str(caught.value)
    assert not engine.is_running


def test_after_a_second_answer_it_is_not_quiet_and_that_is_reported():
    engine = GtpEngine(command("twice"))
    engine.start(TIMEOUT)
    assert engine.is_quiet() and engine.take_report() == ""
    engine.send("genmove b", TIMEOUT)
    while engine.is_quiet():
        pass
    assert "it answered its last command again: '=4 A1'" in engine.take_report()
    assert engine.take_report() == ""


def test_remarks_are_skipped_and_reported():
    engine = GtpEngine(command("chatty"))
    engine.start(TIMEOUT)
    assert [engine.send("genmove b", TIMEOUT), engine.send("genmove w", TIMEOUT)] == ["A1", "A2"]
    assert engine.send("name", TIMEOUT) == "Fake"
    assert engine.take_report() == "it wrote 4 lines that answer nothing, as 'let me see'"


def test_a_program_without_ids_is_named_as_such():
    with pytest.raises(EngineFailure, match="it answered 'name' without its id, which GTP 2 demands"):
        GtpEngine(command("never-ids")).start(TIMEOUT)


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_answers_are_cut_alike_from_pieces_of_any_size(size):
    output = b"remark\r\n=1 a\r\n\r\n\n?2 no\nreally\n\nmore\n\n= without\n\n=4\n\nrest"
    reader, found = AnswerReader(), []
    for start in range(0, len(output), size):
        reader.add(output[start : start + size])
        while (answer := reader.next_answer()) is not None:
            found.append((answer.id, answer.text, answer.is_error))
    assert found == [("1", "a", False), ("2", "no\nreally", True), ("", "without", False), ("4", "", False)]
    assert (reader.stray, reader.first_stray, reader.last_stray) == (2, "remark", "more")


STREAMING = """
import sys, threading, time
def write():
    while True:
        print("info move A1", flush=True)
        time.sleep(0.01)
for line in sys.stdin:
    number, *words = line.split() or [""]
    if words == ["analyze"]:
        {head}
        threading.Thread(target=write, daemon=True).start()
    elif number:
        print(f"={{number}} fine\\n", flush=True)
"""


@pytest.mark.parametrize("head", ["print(f'={number}', flush=True)", "pass"])
def test_a_program_that_goes_on_writing_when_it_is_stopped_is_not_waited_for(head):
    engine = GtpEngine(script(STREAMING.format(head=head)))
    engine.start(TIMEOUT)
    with pytest.raises(EngineFailure, match=r"did not answer 'analyze' within 0\.5 s") as caught:
        engine.stream("analyze", 0.5, lambda line: None, lambda: True)
    assert caught.value.kind == "hang" and not engine.is_running
