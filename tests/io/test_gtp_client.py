"""The client trusts no engine: every way to misbehave is a failure of a known kind, and no process is left behind."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tesuji.core.errors import UserError
from tesuji.io.gtp.client import LIVE, EngineFailure, GtpEngine, split_command

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
        ("garbage", "garbage", "not GTP: 'I think therefore I am'"),
        ("flood", "garbage", "has no end"),
        ("hang", "hang", "did not answer 'genmove b' within 0.3 s"),
    ],
)
def test_misbehaviour_ends_the_engine(mode, kind, text):
    engine = GtpEngine(command(mode))
    engine.start(TIMEOUT)
    with pytest.raises(EngineFailure) as caught:
        engine.send("genmove b", 0.3 if mode == "hang" else TIMEOUT)
    assert (caught.value.kind, text in str(caught.value)) == (kind, True), caught.value
    assert not engine.is_running and engine not in LIVE
    with pytest.raises(EngineFailure, match="not running"):
        engine.send("name", TIMEOUT)


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


def test_answers_with_ids_carriage_returns_and_several_lines():
    code = r"""
import sys
for line in sys.stdin:
    word = line.split()[0]
    sys.stdout.write({"name": "\r\n\r\n=12 Odd  \r\n\r\n", "version": "?12\n\n", "list_commands": "=\na\nb\n\n"}[word])
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
    print("= ok\n", flush=True)
"""
    engine = GtpEngine(script(code))
    engine.start(TIMEOUT)
    assert engine.send("genmove b", TIMEOUT) == "ok"


def test_an_engine_that_closes_its_output_but_lives():
    code = "import os, time\nos.close(1)\ntime.sleep(1000)"
    with pytest.raises(EngineFailure, match="it closed its output"):
        GtpEngine(script(code)).start(TIMEOUT)
    assert not LIVE
