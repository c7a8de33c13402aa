"""Everything that reads: GTP, JSON lines, records, match and tune files, weights, tables, and the command line itself.

Whatever is read, the answer is right, or one line that says what is wrong. Anything else is a finding: another exception, an
internal error, another exit code than 0, 1 and 2, or more than 10 s of CPU time for one input.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import hostile_files
import samples
from budget import CPU_SECONDS, command

from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.server import Server
from tesuji.io.sgf.played import open_tree
from tesuji.learn.tactics import read_problems
from tesuji.players.presets import all_parameters, find_player

from .mutation import NUMBERS, mutated

Stop = Callable[[], bool]
GAMES = (
    "go:4",
    "go:5:superko=positional",
    "hex:4",
    "tictactoe",
    "connect4:4x4",
    "loa",
    "dotsandboxes:2x2",
    "seki:2,2",
    "samegame:5x5:1",
)
PLAYER = "uct:playouts=1,memory=1"
ENDLESS = ("analyze", "quit")  # commands that go on until the next one comes, or end the engine


class TooLong(BaseException):
    """Nothing that reads catches this."""


@contextlib.contextmanager
def tried(what: str, data: Any) -> Iterator[None]:
    """Whatever is raised inside, but a UserError of one line, is a finding that names the input."""

    def too_long(_signal: int, _frame: object) -> None:
        raise TooLong(f"more than {CPU_SECONDS} s")

    shown = f"{what}: {data!r}" if len(data) < 20_000 else f"{what}: {data[:2000]!r} and {len(data) - 2000} more"
    before = signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
    try:
        yield
    except UserError as error:
        assert "\n" not in str(error), f"{shown}\nsaid more than one line: {error}"
    except AssertionError as error:
        raise AssertionError(f"{shown}\n{error}") from error
    except (Exception, TooLong) as error:
        raise AssertionError(f"{shown}\nraised {error!r}") from error
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def check_command(words: Sequence[str], data: bytes, standard_input: bytes = b"") -> int:
    """Runs a command on what it reads; returns its exit code."""
    code = 0
    with tried(" ".join(words)[:4000], data):
        answer = command(words, standard_input)
        assert not answer.fault, answer
        code = answer.code
    return code


@contextlib.contextmanager
def empty_folder() -> Iterator[Path]:
    """A folder of its own, in which the process is meanwhile."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(before)


# -- GTP -------------------------------------------------------------------------------------------------------------------
def attack_gtp(rng: random.Random, stop: Stop) -> Counter[str]:
    counts: Counter[str] = Counter()
    with empty_folder():
        Path("good.sgf").write_bytes(samples.RECORD)
        while not stop():
            game = rng.choice(GAMES)
            pieces: list[str] = []
            server = Server(Engine(find_game(game), find_player(PLAYER), 1, None), pieces.append)
            server.handle("list_commands")
            commands = "".join(pieces).removeprefix("= ").split()
            words = [
                word.encode() for word in (*commands, "b", "w", "black", "a1", "b2", "pass", "resign", "good.sgf", "memory")
            ]
            said: list[str] = []
            for _ in range(100):
                line = gtp_line(rng, commands, words)
                if any(word in line for word in ENDLESS):
                    continue
                said.append(line)
                pieces.clear()
                with tried(f"GTP of {game}", said):
                    server.handle(line)
                    answer = "".join(pieces)
                    assert "internal error" not in answer and "\n\n" not in answer[:-2], answer
                counts["lines"] += 1
                counts["lines refused"] += answer.startswith("?")
                if stop():
                    break
    return counts


def gtp_line(rng: random.Random, commands: Sequence[str], words: Sequence[bytes]) -> str:
    name = rng.choice(commands)
    arguments = [rng.choice([*words, *NUMBERS]).decode() for _ in range(rng.randint(0, 3))]
    line = " ".join([name, *arguments])
    return mutated(rng, line.encode(), words).decode("latin-1") if rng.random() < 0.3 else line


# -- JSON lines --------------------------------------------------------------------------------------------------------------
def attack_json_lines(rng: random.Random, stop: Stop) -> Counter[str]:
    """Lines by the hundred, and a good one at the end, which is answered."""
    counts: Counter[str] = Counter()
    lines = hostile_files.json_lines()
    good = b'{"id": "good", "game": "tictactoe", "playouts": 1}'
    with empty_folder():
        while not stop():
            chosen = [mutated(rng, rng.choice(lines)[:3000], (good,)).replace(b"\n", b" ") for _ in range(100)]
            chosen = [line for line in chosen if b"stop" not in line and not may_search_on(line)]
            data = b"\n".join([*chosen, good]) + b"\n"
            with tried("analyze --jsonl", data):
                answer = command(["analyze", "--jsonl", "--memory", "1", "--seconds", "0.01"], data)
                assert not answer.fault and answer.code == 0, answer
                assert '"good"' in answer.out.splitlines()[-1], answer.out[-1000:]
            counts["lines"] += len(chosen)
    return counts


def may_search_on(line: bytes) -> bool:
    """Whether a request asks for a search that may take long: it would be right to do so. It is read as the server reads it."""
    try:
        request = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return False
    if not isinstance(request, dict):
        return False
    playouts, seconds, player = (request.get(name) for name in ("playouts", "seconds", "player"))
    large = any(isinstance(number, int | float) and number > 20 for number in (playouts, seconds))
    return large or (isinstance(seconds, int | float) and seconds > 0.05) or player is not None or playouts is None


# -- records -----------------------------------------------------------------------------------------------------------------
WORDS = (
    b"AB[aa:cc]",
    b"AE[bb]",
    b"PL[W]",
    b"KM[6.5]",
    b"HA[2]",
    b"SZ[5:4]",
    b"GM[11]",
    b"GM[9]",
    b"TESUJI[loa]",
    b"(;B[aa])",
    b";W[]",
)
WORDS += (
    b"LZ[0.7 55.0 1.2k]",
    b"SBKV[50]",
    b'TESUJIVALUE[{"mover": 0, "chance": 0.5}]',
    b"B[tt]",
    b"RE[B+R]",
    b"C[x]",
    b"OB[3]BL[9]",
)


def attack_records(rng: random.Random, stop: Stop) -> Counter[str]:
    """As the command line reads them, and as the page does, with its variations and analyses."""
    counts: Counter[str] = Counter()
    good = [data for _, data in hostile_files.record_files() if len(data) < 6000 and not data.startswith(b"\x1f")]
    good += [samples.RECORD, b"(;GM[11]SZ[5];B[a1];W[swap-pieces];B[c3])", b"(;GM[9]SZ[8];B[b1b3])"]
    with empty_folder():
        while not stop():
            data = mutated(rng, rng.choice(good), WORDS)
            with tried("as the page reads it", data):
                open_tree(data.decode("utf-8", "replace"), "x", 1, None)
            counts["records"] += 1
            if rng.random() < 0.3:
                Path("x.sgf").write_bytes(data)
                code = check_command(["analyze", "--sgf", "x.sgf", "--playouts", "1", "--memory", "1"], data)
                counts["records by the command line"] += 1
                counts["records refused there"] += code == 2
    return counts


# -- files -------------------------------------------------------------------------------------------------------------------
LOA = "analyze loa --playouts 1 --player mc-loa:memory=1,weights=x"
FILES = {
    "categories.json": LOA,
    "evaluation.json": LOA,
    "match.db": "ratings x",
    "games.tsv": "reproduce --recorded x",
    "tune.db": "tune --report x --out new.html",
    "openings.txt": "match uct uct:bad=1 --game tictactoe --openings x",
    "moves.tsv": "learn categories x --out new.json --held-out 0",
    "record.sgf.gz": "analyze --sgf x --playouts 1 --memory 1",
    "problems.tsv": "",  # by its reader alone: what it is read for takes long
}
VALUES = (
    "null",
    "''",
    "-1",
    "9e999",
    "9223372036854775807",
    "x'ff'",
    "cast(x'ff' as text)",
    f"'{'9' * 400}'",
    "zeroblob(1000)",
    "'['",
    "'{}'",
)


def attack_files(rng: random.Random, stop: Stop) -> Counter[str]:
    counts: Counter[str] = Counter()
    with empty_folder() as folder:
        good = samples.write_all(folder)
        while not stop():
            name = rng.choice(list(FILES))
            data = (
                mutated_database(rng, good[name], name.partition(".")[0]) if name.endswith(".db") else mutated(rng, good[name])
            )
            Path("x").write_bytes(data)
            counts[name] += 1
            if FILES[name]:
                check_command(FILES[name].split(), data)
            else:
                with tried(name, data):
                    read_problems("x")
    return counts


def mutated_database(rng: random.Random, data: bytes, word: str) -> bytes:
    """Some bytes changed, or values by SQLite itself, which leaves the file whole."""
    if rng.random() < 0.4:
        return mutated(rng, data)
    tables = {"games": ("number", "first", "opening", "moves", "result", "winner", "seconds_first", "sgf", "seed", "plies")}
    tables |= {word: ("key", "value"), "runs": ("code",)}
    table = rng.choice(list(tables))
    column = rng.choice(tables[table])
    value = rng.choice(VALUES)
    if (table, column) == (word, "value") and rng.random() < 0.7:
        plan = json.dumps(hostile_files._plan(data, word)).encode()
        value = "'" + mutated(rng, plan).decode("utf-8", "replace").replace("'", "''").replace("\0", "") + "'"
    changed = hostile_files.changed_database(data, f"update {table} set {column} = {value} where rowid = {rng.randint(1, 3)}")
    return data if changed is None else changed


# -- the command line --------------------------------------------------------------------------------------------------------
PATTERNS = ("go:N:komi=N", "go:N", "hex:N:swap=N", "hex:NxN", "connect4:NxN:N", "seki:N,N,N", "semeai:N,N", "dotsandboxes:NxN")
PATTERNS += ("samegame:NxN:N:N", "loa:N", "tictactoe", "hex:3:N/3/3:b", "go:4:N/4/4/4:w")
OPTIONS = (
    "--seed",
    "--memory",
    "--seconds",
    "--threads",
    "--top",
    "--tree-depth",
    "--tree-visits",
    "--at",
    "--moves",
    "--player",
    "--workers",
)


def attack_command_lines(rng: random.Random, stop: Stop) -> Counter[str]:
    """Game strings, player strings, parameters and options of `analyze`."""
    counts: Counter[str] = Counter()
    parameters = [name for name, one in all_parameters().items() if not isinstance(one.default, str)]
    with empty_folder():
        while not stop():
            words = ["analyze", game_string(rng), "--playouts", "1"]
            for option in rng.sample(OPTIONS, rng.randint(0, 3)):
                words += [option, small_number(rng)]
            if rng.random() < 0.5:
                names = rng.sample(parameters, rng.randint(1, 3))
                values = ",".join(f"{name}={small_number(rng)}" for name in names)
                words += ["--player", f"{rng.choice(('uct', 'tesuji', 'prove', 'uct-rave', 'bounds-plain'))}:memory=1,{values}"]
            words = [word.replace("\0", "").encode("utf-8", "replace").decode() for word in words]
            counts["command lines"] += 1
            counts["command lines refused"] += check_command(words, b"") == 2
    return counts


def game_string(rng: random.Random) -> str:
    text = rng.choice(PATTERNS)
    while "N" in text:
        text = text.replace("N", rng.choice((str(rng.randint(1, 5)), small_number(rng))), 1)
    return mutated(rng, text.encode()).decode("utf-8", "replace") if rng.random() < 0.2 else text


def small_number(rng: random.Random) -> str:
    """A hostile number, or a small one: a large one that is possible would be asked for in earnest."""
    large = {b"2147483648", b"18446744073709551616", b"1e5"}
    return (
        rng.choice([number for number in NUMBERS if number not in large]).decode()
        if rng.random() < 0.6
        else str(rng.randint(0, 4))
    )
