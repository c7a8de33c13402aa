"""Every reader within its budget: small hostile files under 1 GiB of address space and 10 s of CPU time each.

Numbers of 400 digits stand wherever a number is read. All files of a format are read by one child process (budget.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import budget
import hostile_files
import pytest
from budget import Answer, check_commands

import tesuji
from tesuji.core.errors import UserError

LOA = "analyze loa --playouts 1 --player mc-loa:memory=1,weights=FILE"
SGF = "analyze --sgf FILE --playouts 1 --memory 1"
MATCH = "match uct:playouts=2 uct:playouts=3 --game tictactoe --games 2 --file FILE"


def read_all(files: Iterable[hostile_files.File], words: str, folder: Path) -> list[Answer]:
    """The answers of a command to each of the files."""
    commands, names = [], []
    for number, (name, data) in enumerate(files):
        path = folder / f"{number}.x"
        path.write_bytes(data)
        commands.append([[word.replace("FILE", path.name) for word in words.split()]])
        names.append(name)
    answers = check_commands(commands, folder)
    assert len(answers) > 10
    return answers


def refused(answers: Sequence[Answer]) -> int:
    return sum(answer.code == 2 for answer in answers)


@pytest.mark.parametrize("name", ["categories.json", "evaluation.json"])
def test_weights(good, tmp_path, name):
    answers = read_all(hostile_files.json_files(good[name]), LOA, tmp_path)
    assert refused(answers) > len(answers) / 2


def load_weights(kind: str, path: str) -> bool:
    """Whether a file of packed strengths is read; in a child."""
    from tesuji.knowledge.go import pattern_weights
    from tesuji.knowledge.hex.patterns import weights as hex_weights

    try:
        {"patterns": pattern_weights.PatternWeights.load, "hex": hex_weights.HexPatterns.load}[kind](path)
    except UserError as error:
        assert "\n" not in str(error) and len(str(error)) < 1000, str(error)[:1000]
        return False
    return True


SHIPPED = {"patterns": "go/nearest_patterns.json", "hex": "hex/patterns/patterns.json"}


@pytest.mark.parametrize("kind", SHIPPED)
def test_packed_weights(tmp_path, kind):
    good = (Path(tesuji.__file__).parent / "knowledge" / SHIPPED[kind]).read_bytes()
    files = [data for _, data in hostile_files.packed_files(good)]
    files += [data for name, data in hostile_files.json_files(good) if "=@" in name or name == "deep"]
    for number, data in enumerate(files):
        (tmp_path / f"{number}.json").write_bytes(data)
    calls = [[kind, f"{number}.json"] for number in range(len(files))]
    assert len(files) > 10 and not any(budget.in_child("test_budgets:load_weights", calls, tmp_path))


def test_records(tmp_path):
    answers = read_all(hostile_files.record_files(), SGF, tmp_path)
    assert refused(answers) > len(answers) / 3


LINES = {
    "moves.tsv": "learn categories FILE --out new.json --held-out 0",
    "openings.txt": "match uct uct:bad=1 --game tictactoe --openings FILE",
}


@pytest.mark.parametrize("name", LINES)
def test_lines(good, tmp_path, name):
    answers = read_all(hostile_files.line_files(good[name]), LINES[name], tmp_path)
    assert refused(answers) > len(answers) / 5


def read_problems(path: str) -> bool:
    """Whether a table of positions is read; in a child."""
    from tesuji.learn import tactics

    try:
        tactics.read_problems(path)
    except UserError as error:
        assert "\n" not in str(error) and len(str(error)) < 1000, str(error)[:1000]
        return False
    return True


def test_tables_of_positions(good, tmp_path):
    files = list(hostile_files.line_files(good["problems.tsv"]))
    for number, (_, data) in enumerate(files):
        (tmp_path / f"{number}.tsv").write_bytes(data)
    read = budget.in_child("test_budgets:read_problems", [[f"{number}.tsv"] for number in range(len(files))], tmp_path)
    assert sum(read) < len(files) / 2


@pytest.mark.parametrize("words", ["ratings FILE", MATCH])
def test_match_files(good, tmp_path, words):
    answers = read_all(hostile_files.database_files(good["match.db"], "match"), words, tmp_path)
    assert refused(answers) > len(answers) / 3


def test_tune_files(good, tmp_path):
    answers = read_all(hostile_files.database_files(good["tune.db"], "tune"), "tune --report FILE --out new.html", tmp_path)
    assert refused(answers) > len(answers) / 3


def test_json_lines(tmp_path):
    lines = hostile_files.json_lines()
    (tmp_path / "lines").write_bytes(b"\n".join(lines) + b"\n")
    (answer,) = check_commands([[["analyze", "--jsonl", "--memory", "1"], "lines"]], tmp_path)
    assert answer.code == 0


def say_to_gtp(game: str, player: str) -> int:
    """How many lines an engine of this game refuses; in a child."""
    from tesuji.games.registry import find_game
    from tesuji.io.gtp.engine import Engine
    from tesuji.io.gtp.server import Server
    from tesuji.players.presets import find_player

    pieces: list[str] = []
    server = Server(Engine(find_game(game), find_player(player), 1, None), pieces.append)

    def say(line: str) -> str:
        pieces.clear()
        server.handle(line)
        answer = "".join(pieces)
        assert "internal error" not in answer and len(answer) < 5000, (line[:80], answer[:1000])
        return answer

    commands = [name for name in say("list_commands").removeprefix("= ").split() if "analyze" not in name and name != "quit"]
    return sum(say(line).startswith("?") for line in hostile_files.gtp_lines(commands) if line)


def test_gtp(tmp_path):
    engines: list[list[Any]] = [[game, "uct:playouts=1,memory=1"] for game in ("go:4", "hex:4", "tictactoe")]
    assert min(budget.in_child("test_budgets:say_to_gtp", engines, tmp_path)) > 100
