"""Ctrl-C and SIGTERM: no traceback, what was done is shown, and an exit code that says that it was cut short."""

import contextlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tesuji.cli import bench, interrupts, play, warmup
from tesuji.core.errors import Terminated
from tesuji.lab.bench import Speed

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the processor time of another process")

LOADING, WORKING = 0.1, 0.5  # seconds of processor time: while the command is being loaded, and later
PATIENCE, LONGEST_WAIT = 60.0, 4.0


# -- every command, from outside -------------------------------------------------------------------------------------------
def start(words, given=None):
    command = [sys.executable, "-m", "tesuji", *words]
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell may have started us with it ignored
    )


def processor_time(process):
    return time.clock_gettime((~process.pid << 3) | 2)  # the clock of another process (clock_getcpuclockid)


def is_ready(process):
    """Whether it handles signals by now. Python itself handles SIGINT, but not SIGTERM, while it starts."""
    with contextlib.suppress(OSError, IndexError):  # it has ended
        caught = Path(f"/proc/{process.pid}/status").read_text().partition("SigCgt:")[2].split()[0]
        return int(caught, 16) >> (signal.SIGTERM - 1) & 1 == 1
    return True


def wait_until(process, moment):
    """Until it is ready and has used so much, or does not use any more: other processes may work for it."""
    end = time.monotonic() + PATIENCE
    while process.poll() is None and not is_ready(process) and time.monotonic() < end:
        time.sleep(0.002)
    end = time.monotonic() + LONGEST_WAIT
    while process.poll() is None and processor_time(process) < moment and time.monotonic() < end:
        time.sleep(0.002)


def interrupted_at(moment, words, given=None, number=signal.SIGINT):
    """(exit code, stdout, stderr) of a command that gets a signal when it has used so much of the processor."""
    process = start(words, given)
    if given is not None:
        process.stdin.write(given)
        process.stdin.flush()
    wait_until(process, moment)
    process.send_signal(number)
    try:
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()  # if it goes on all the same
    return process.returncode, out, err


LONG = {  # commands that would go on for minutes
    "analyze": ["analyze", "connect4:7x6", "--seconds", "600", "--json"],
    "solve": ["solve", "connect4:7x6", "--json"],
    "check": ["check", "loa", "--games", "100000", "--seconds", "600", "--json"],
    "report": ["report", "loa", "--games", "100000", "--json"],
    "match": ["match", "uct", "uct", "--game", "loa", "--games", "1000", "--playouts", "1000", "--file", "FILE", "--json"],
    "tune": ["tune", "uct", "--game", "loa", "--parameter", "exploration", "--playouts", "1000", "--file", "FILE", "--json"],
    "learn": ["learn", "evaluation", "--self-play", "1000", "--out", "FILE"],
    "bench": ["bench", "connect4", "--seconds", "600"],
    "reproduce": ["reproduce", "score-bounded", "--json"],
    "play": ["play", "connect4:7x6", "--terminal", "--side", "none", "--seconds", "600"],
}
QUICK = {
    "verify": ["verify", "FILE"],
    "new": ["new", "FILE"],
    "ratings": ["ratings", "FILE"],
    "games": ["games"],
    "players": ["players"],
    "cluster": ["cluster", "status", "--cluster", "127.0.0.1:1"],
    "doctor": ["doctor"],
    "warmup": ["warmup"],
    "test": ["test", "FILE"],
    "completion": ["completion", "bash"],
    "--help": ["--help"],
}
NEVER_MORE_THAN_A_LINE = {"learn", "bench"}  # nothing is measured or learned so early


def words_of(command, folder):
    return [str(folder / "file") if word == "FILE" else word for word in {**LONG, **QUICK}[command]]


@pytest.mark.parametrize("command", [*LONG, *QUICK])
def test_ctrl_c_while_a_command_is_being_loaded(command, tmp_path):
    code, out, err = interrupted_at(LOADING, words_of(command, tmp_path))
    assert code == 130 or (command in QUICK and code in (0, 2))  # 2: there is no such file, or nothing to compile
    assert "Traceback" not in err and "internal error" not in err
    if code == 130:
        assert (out, err) == ("", "tesuji: stopped before there was an answer\n")


@pytest.mark.parametrize("command", LONG)
def test_ctrl_c_while_a_command_works(command, tmp_path):
    code, out, err = interrupted_at(WORKING, words_of(command, tmp_path))
    assert code == 130
    assert "Traceback" not in err and "internal error" not in err
    if command in NEVER_MORE_THAN_A_LINE:
        assert (out, err) == ("", "tesuji: stopped before there was an answer\n")
    elif "--json" in LONG[command] and out:
        assert json.loads(out).get("interrupted", True) is True
    assert not list(tmp_path.glob("*.lock"))


def test_an_interrupt_that_got_lost_comes_again_though_the_command_has_only_just_begun():
    with interrupts.handled():
        interrupts.received = signal.SIGINT
        interrupts._unraisable(SimpleNamespace(exc_type=KeyboardInterrupt))
        interrupts.install()
        with pytest.raises(KeyboardInterrupt):
            time.sleep(60)


def test_all_commands_are_tried():
    from tesuji.cli.main import COMMANDS

    names = {module.__name__.rpartition(".")[2] for module in COMMANDS}
    assert names == {*LONG, *QUICK, "gtp"} - {"--help"}


@pytest.mark.parametrize("command", ["analyze", "check", "match"])
def test_sigterm_is_143(command, tmp_path):
    code, _out, err = interrupted_at(WORKING, words_of(command, tmp_path), number=signal.SIGTERM)
    assert code == 143 and "Traceback" not in err


def test_a_gtp_engine_goes_on_after_ctrl_c_and_ends_on_sigterm(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")  # so that it thinks at once, and does not compile
    process = start(["gtp", "connect4", "--seconds", "600"], "")
    process.stdin.write("name\n")
    process.stdin.flush()
    assert process.stdout.readline().startswith("= ") and process.stdout.readline() == "\n"  # it reads commands by now
    process.stdin.write("genmove b\n")
    process.stdin.flush()
    wait_until(process, processor_time(process) + WORKING)
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline().startswith("= ") and process.stdout.readline() == "\n"
    process.stdin.write("genmove w\n")
    process.stdin.flush()
    wait_until(process, processor_time(process) + 0.1)
    process.send_signal(signal.SIGTERM)
    _out, err = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in err) == (143, False)


def test_json_lines_are_answered_and_the_code_says_why_it_ended(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    process = start(["analyze", "--jsonl"], "")
    process.stdin.write('{"id": 1, "game": "connect4:4x4", "seconds": 600, "player": "uct", "reportDuringSearchEvery": 0.05}\n')
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["isDuringSearch"] is True
    process.send_signal(signal.SIGINT)
    out, _err = process.communicate(timeout=60)
    assert process.returncode == 130 and json.loads(out.splitlines()[-1])["interrupted"] is True


# -- inside one process ----------------------------------------------------------------------------------------------------
def press(number=signal.SIGINT):
    signal.raise_signal(number)


def test_the_first_press_asks_to_stop_and_the_second_raises():
    stopped = []
    with interrupts.handled(), interrupts.stopping(lambda: stopped.append(1)):
        press()
        assert stopped == [1] and interrupts.received == signal.SIGINT and interrupts.exit_code() == 130
        with pytest.raises(KeyboardInterrupt):
            press()
    assert stopped == [1]


def test_without_anything_to_stop_it_raises():
    with interrupts.handled(), pytest.raises(KeyboardInterrupt):
        press()
    with interrupts.handled():
        assert interrupts.received == 0
        with pytest.raises(Terminated):
            press(signal.SIGTERM)
        assert interrupts.exit_code() == 143


def test_what_was_answered_is_forgotten_but_not_sigterm():
    with interrupts.handled(), interrupts.stopping(lambda: None):
        press()
        interrupts.answered()
        assert interrupts.received == 0
        press()  # a first one again: it does not raise
        interrupts.answered()
        press(signal.SIGTERM)
        with pytest.raises(Terminated):
            interrupts.answered()


def test_handlers_are_given_back_and_an_ignored_signal_stays_ignored():
    before = signal.getsignal(signal.SIGINT)
    with interrupts.handled():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts.handled():
            press()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_interrupt_that_a_finalizer_swallows_comes_again(capsys):
    class Careless:
        def __del__(self):
            press()

    with interrupts.handled(), pytest.raises(KeyboardInterrupt):
        Careless()
        for _ in range(1000):
            time.sleep(0.01)
    assert capsys.readouterr().err == ""


THREE_PRESSES = """
import os, signal
from tesuji.cli import interrupts
interrupts.install()
for _ in range(3):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        pass
print("still here")
"""


def test_the_third_press_ends_the_process():
    done = subprocess.run([sys.executable, "-c", THREE_PRESSES], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


# -- what is shown ---------------------------------------------------------------------------------------------------------
def test_an_interrupted_bench_shows_what_it_has(tesuji, monkeypatch):
    def measure(game, player, *_rest):
        if game.name != "tictactoe":
            press()
        return Speed(game.name, player.name, 1, 1000.0, 500.0, "cpu", 1)

    monkeypatch.setattr("tesuji.lab.bench.measure", measure)
    answer = tesuji("bench", "tictactoe", "connect4", "--json")
    assert answer.code == 130 and [one["game"] for one in answer.json["results"]] == ["tictactoe"]
    assert "1 of 2 games were not measured" in answer.err


def test_an_interrupted_warmup_shows_what_it_has(tesuji, monkeypatch):
    from tesuji.lab import warmup as lab

    class Done:
        def as_json(self):
            return {"game": "tictactoe"}

    def warm_up(game, _seed):
        if game.name != "tictactoe":
            press()
        return Done()

    monkeypatch.delenv("TESUJI_PURE")
    monkeypatch.setattr(lab, "warm_up", warm_up)
    answer = tesuji("warmup", "tictactoe", "connect4", "--json")
    assert answer.code == 130 and answer.json == {"games": [{"game": "tictactoe"}]}


def test_an_interrupted_check_is_not_ok(tesuji, monkeypatch):
    from tesuji.lab import check

    monkeypatch.setattr(check, "_one_game", lambda *_arguments, **_options: press())
    answer = tesuji("check", "tictactoe", "--json")
    assert answer.code == 130 and answer.json["ok"] is None and answer.json["interrupted"] is True
    assert "interrupted; so far no mistake found in 0 random games" in tesuji("check", "tictactoe").out


def test_an_error_that_follows_an_interrupt_is_none_of_ours(tesuji, monkeypatch):
    """An import or a rule that is interrupted may raise something else instead."""

    def fails(_args):
        try:
            press()
        except KeyboardInterrupt:
            raise ImportError("half loaded") from None

    for module in (bench, play, warmup):
        monkeypatch.setattr(module, "run", fails)
    answer = tesuji("warmup")
    assert (answer.code, answer.err) == (130, "tesuji: stopped before there was an answer\n")


def test_solve_says_no_when_nothing_is_proven(tesuji):
    assert tesuji("solve", "connect4:7x6", "--playouts", "10").code == 1
    assert tesuji("solve", "tictactoe", "--moves", "b2 a1 a3").code == 0
