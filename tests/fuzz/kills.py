"""Runs killed with SIGKILL at random moments: no half file under its final name, nothing lost, and the run can go on."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import samples

Stop = Callable[[], bool]
MOST_WAIT = 300.0  # seconds: far more than any of these runs takes, on a machine that does much else
LONG = 20.0  # seconds until a run is killed that would go on for minutes
SMALL = "connect4:4x4:3"


class Run(NamedTuple):
    """A command that writes a file. `begin` makes it, `go_on` is given after that, and `check` reads it (both may be empty)."""

    file: str
    begin: str
    go_on: str = ""
    check: str = ""


RUNS = {
    "match": Run(
        "x.db", "match uct:playouts=3 uct:playouts=5 --game tictactoe --games 10 --workers 1 --file x.db", check="ratings x.db"
    ),
    "tune": Run(
        "x.db",
        "tune uct:playouts=2 --game tictactoe --parameter exploration --games 24 --validate 0 --workers 1 --file x.db",
        check="tune --report x.db --out report.html",
    ),
    "proofs": Run(
        "x.proofs", f"solve {SMALL} --memory 1 --save x.proofs", f"solve {SMALL} --memory 1 --load x.proofs --save x.proofs"
    ),
    "certificate": Run("x.cert", f"solve {SMALL} --memory 1 --certificate x.cert", check="verify x.cert"),
    "search": Run(
        "x.search",
        "analyze connect4:5x4 --memory 1 --playouts 200 --save x.search",
        "analyze --load x.search --playouts 100 --save x.search",
        "analyze --load x.search --playouts 1",
    ),
    "learn": Run(
        "x.json", "learn categories moves.tsv --held-out 0 --out x.json", check="learn categories moves.tsv --weights x.json"
    ),
    "reproduce": Run("", "reproduce score-bounded/2 --jobs 1 --certificates certificates"),
}


def attack_by_kills(rng: random.Random, stop: Stop, kinds: tuple[str, ...] = tuple(RUNS)) -> Counter[str]:
    """Each kind of run in turn: once whole, to know how long it takes, then some that are killed, then to its end."""
    counts: Counter[str] = Counter()
    while not stop():
        kind = rng.choice(kinds)
        with tempfile.TemporaryDirectory() as folder:
            kill_and_go_on(rng, RUNS[kind], Path(folder), counts, stop)
            counts[kind] += 1
    return counts


def kill_and_go_on(rng: random.Random, run: Run, folder: Path, counts: Counter[str], stop: Stop) -> None:
    (folder / "moves.tsv").write_text(samples.MOVES)
    if not run.file:
        kill_and_look(rng, run.begin, folder, counts)
        return
    began = time.monotonic()
    finish(run.begin, folder)
    whole = time.monotonic() - began
    if run.go_on and rng.random() < 0.5:
        words = run.go_on  # what is there already must stay whole
    else:
        words = run.begin
        (folder / run.file).unlink()
    before, what = rows(folder / run.file), ""
    for _ in range(rng.randint(1, 4)):
        moment = rng.uniform(0.0, whole)
        killed = kill_after(words, folder, moment)
        counts["kills"] += killed
        what = f"{words!r} killed after {moment:.3f} s"
        path = folder / run.file
        if path.exists() and path.stat().st_size:  # SQLite makes its file before it writes to it
            if run.check and not path.name.endswith(".db"):
                finish(run.check, folder, what)
            now = rows(path)
            assert before <= now, f"{what}: {len(before - now)} of {len(before)} games are lost"
            before = now
        if stop():
            break
    finish(words, folder, f"after {what}")
    if run.check:
        finish(run.check, folder, f"after {what} and a whole run")
    assert before <= rows(folder / run.file), f"games are lost after {what} and a whole run"


def kill_and_look(rng: random.Random, words: str, folder: Path, counts: Counter[str]) -> None:
    """A run that would take long writes a folder of certificates: each that has its name is whole."""
    moment = rng.uniform(1.0, LONG)
    counts["kills"] += kill_after(words, folder, moment)
    certificates = sorted(folder.glob("certificates/*.proof"))
    for path in rng.sample(certificates, min(3, len(certificates))):
        finish(f"verify {path}", folder, f"{words!r} killed after {moment:.3f} s")
        counts["certificates"] += 1


def rows(path: Path) -> set[tuple[int, str]]:
    """The games of a match or tune file; none of another file."""
    if path.suffix != ".db" or not path.exists():
        return set()
    with contextlib.closing(sqlite3.connect(path, timeout=30.0)) as base:
        try:
            return set(base.execute("select number, moves from games"))
        except sqlite3.OperationalError as error:
            assert "no such table" in str(error), error
            return set()


def start(words: str, folder: Path) -> subprocess.Popen[str]:
    paths = os.pathsep.join(str(Path(path).resolve()) for path in sys.path if path)
    environment = {**os.environ, "PYTHONPATH": paths, "TESUJI_PURE": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "tesuji", *words.split()],
        env=environment,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def finish(words: str, folder: Path, what: str = "") -> None:
    process = start(words, folder)
    out, _ = process.communicate(timeout=MOST_WAIT)
    assert process.returncode == 0, f"{what}: {words!r} ended with {process.returncode}: {out[-2000:]}"


def kill_after(words: str, folder: Path, seconds: float) -> bool:
    """Whether the run was killed and had not ended by then. The processes that it started end by themselves."""
    process = start(words, folder)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=seconds)
    ended = process.poll() is not None
    process.kill()
    process.communicate()
    assert not ended or process.returncode == 0, f"{words!r} ended with {process.returncode} after a kill before it"
    end = time.monotonic() + MOST_WAIT
    while has_members(process.pid):
        if time.monotonic() > end:
            os.killpg(process.pid, signal.SIGKILL)
            raise AssertionError(f"{words!r} was killed, and what it had started goes on")
        time.sleep(0.05)
    return not ended


def has_members(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
