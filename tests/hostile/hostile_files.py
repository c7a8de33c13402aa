"""Small files of every format, made to cost much or to break something: each is a name and its bytes.

Those of certificates, saved searches and proofs have tests of their own.
"""

from __future__ import annotations

import base64
import contextlib
import gzip
import itertools
import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from budget import NUMBERS

File = tuple[str, bytes]
ZEROS = 64 << 20  # bytes that a small file unpacks to


def text_values() -> Iterator[Any]:
    """Values that stand in the place of one that is expected, as JSON."""
    yield from (f"@{number}@" for number in NUMBERS)  # see `_with_numbers`
    yield from (None, True, [], {}, "", "x", -1, 2**53, 2**63, 2**64, 0.5, [[]], {"": {}}, "\x1b[2J", "\ud800", "x" * 100_000)


def json_files(data: bytes) -> Iterator[File]:
    """A JSON file with each of its values replaced, one at a time, and some that are deep or long."""
    whole, values, turns = json.loads(data), list(text_values()), itertools.count()
    for path in list(_paths(whole))[:24]:
        for value in (values[0], *(_next(values, turns) for _ in range(4))):
            yield f"{'.'.join(map(str, path))}={str(value)[:20]}", _with_numbers(json.dumps(_replaced(whole, path, value)))
    yield "deep", b"[" * 200_000
    yield "deep object", data.rstrip()[:-1] + b', "x": ' + b'{"a":' * 100_000
    yield "long number", data.rstrip()[:-1] + b', "x": ' + b"9" * 1_000_000 + b"}"
    yield "many keys", data.rstrip()[:-1] + b"".join(b', "%d": 1' % number for number in range(200_000)) + b"}"


def packed_files(data: bytes) -> Iterator[File]:
    """A file of strengths whose packed numbers are more than it says, or as very many as it says."""
    whole = json.loads(data)
    bomb = base64.b64encode(zlib.compress(bytes(ZEROS), 1)).decode()
    for path in _paths(whole):
        value = whole
        for key in path:
            value = value[key]
        if isinstance(value, str) and len(value) > 40:
            for count in (None, 2**22, ZEROS // 8, 2**40):
                changed = _replaced(whole, path, bomb)
                if count is not None:
                    _set_counts(changed, count)
                yield f"bomb in {path[-1]}, {count}", json.dumps(changed).encode()


def _set_counts(value: Any, count: int) -> None:
    if isinstance(value, dict):
        for key, below in value.items():
            if key in ("count", "patterns") and isinstance(below, int):
                value[key] = count
            _set_counts(below, count)


def _paths(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    keys: Any = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys)[:6]:
        yield (*above, key)
        yield from _paths(value[key], (*above, key))


def _replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[path[0]] = _replaced(value[path[0]], path[1:], new)
    return changed


def _with_numbers(text: str) -> bytes:
    """Python's `json` cannot write numbers of 5,000 digits: they are put in afterwards."""
    return text.replace('"@', "").replace('@"', "").encode()


def record_files() -> Iterator[File]:
    turns = itertools.count()
    for name in ("SZ", "KM", "HA", "GM", "TM", "FF", "OT", "ST", "AB", "PL", "TESUJI"):
        for number in (NUMBERS[0], _next(NUMBERS, turns), _next(NUMBERS, turns)):
            usual = "".join(text for text in ("GM[1]", "SZ[5]") if not text.startswith(name))
            yield f"{name}={number[:20]}", f"(;{usual}{name}[{number}];B[aa];W[bb])".encode()
    for number in NUMBERS[::2]:
        yield f"move={number[:20]}", f"(;GM[1]SZ[5];B[{number}])".encode()
        times = f"BL[{number}]OB[{number}]MN[{number}]LZ[0.7 50 {number}k]SBKV[{number}]TESUJIVALUE[{number}]"
        yield f"times={number[:20]}", f"(;GM[1]SZ[5];B[aa]{times})".encode()
        yield f"hex={number[:20]}", f"(;GM[11]SZ[{number}];B[a{number}];W[swap-pieces])".encode()
        yield f"rectangle={number[:20]}", f"(;GM[1]SZ[{number}:{number}];B[aa])".encode()
    yield "rectangles", b"(;GM[1]SZ[19]AB" + b"[aa:ss]" * 100_000 + b")"
    yield "set up again and again", b"(;GM[1]SZ[19]" + b";AB[aa:ss]AE[aa:ss]" * 20_000 + b")"
    yield "stones that take each other", b"(;GM[1]SZ[19]" + b";AB[aa:sr]AW[as:ss]" * 5000 + b")"
    yield "many moves", b"(;GM[1]SZ[19]" + b";B[];W[]" * 63_000 + b")"
    yield "many variations", b"(;GM[1]SZ[9]" + b"(;B[aa])" * 20_000 + b")"
    yield "deep variations", b"(;GM[1]SZ[9]" + b"(;B[aa]" * 50_000 + b")" * 50_001
    yield "many games", b"(;GM[1]SZ[9];B[aa])" * 10_000
    yield "many values", b"(;GM[1]SZ[9]XX" + b"[x]" * 300_000 + b")"
    yield "many properties", b"(;GM[1]SZ[9]" + b"".join(b"A%s[x]" % _letters(n) for n in range(50_000)) + b")"
    yield "long value", b"(;GM[1]SZ[9]C[" + b"\\" * 1_000_000 + b"])"
    yield "long name", b"(;" + b"A" * 1_000_000 + b"[x])"
    yield "brackets", b"[" * 500_000
    yield "long move", b"(;GM[1]SZ[9];B[" + b"a" * 1_000_000 + b"])"
    yield "gzip bomb", gzip.compress(bytes(ZEROS)) * 32  # 2 GiB: parts of such a file follow one another
    yield "gzip bomb of moves", gzip.compress(b"(;GM[1]SZ[19]") + gzip.compress(b";B[aa]" * 1_000_000, 1) * 300
    yield "gzip bomb of variations", gzip.compress(b"(;GM[1]SZ[19]") + gzip.compress(b"(;B[aa])" * 100_000, 1) * 300


def _letters(number: int) -> bytes:
    text = b""
    while number:
        text += bytes([ord("A") + number % 26])
        number //= 26
    return text or b"A"


def line_files(data: bytes) -> Iterator[File]:
    """Tables and lists of moves: words of each line replaced, many of them, and long ones."""
    lines = data.decode().splitlines()
    for row, line in enumerate(lines):
        cells = line.split("\t") if "\t" in line else line.split(" ")
        for column in range(len(cells)):
            for number in (*NUMBERS[::3], "", "x" * 200_000, "\x1b[2J", "8/8/8", "\udcff"):
                changed = [*cells[:column], number, *cells[column + 1 :]]
                joined = ("\t" if "\t" in line else " ").join(changed)
                text = "\n".join([*lines[:row], joined, *lines[row + 1 :]])
                yield f"{row}.{column}={number[:20]!r}", text.encode("utf-8", "surrogateescape")
    yield "no lines", b"x" * 2_000_000
    yield "only tabs", data.splitlines()[0] + b"\n" + b"\t" * 1_000_000
    yield "blank lines", data.splitlines()[0] + b"\n" * 1_000_000


STATEMENTS = (
    "update games set {column} = {value}",
    "update {word} set value = {value} where key = 'plan'",
    "update {word} set value = {value} where key = 'id'",
    "insert into openings values (0, {value})",
    "update runs set code = {value}",
)
SCHEMAS = (
    "create view extra as with recursive t(n) as (select 1 union all select n + 1 from t) select n from t",
    "create trigger extra after insert on runs begin update games set sgf = zeroblob(900000000); end",
    "create table extra (x, y as (zeroblob(900000000)))",
    "drop table games; create view games as with recursive t(n) as (select 1 union all select n + 1 from t) select n from t",
    "drop table games",
    "create index extra on games (sgf)",
)


def database_files(data: bytes, word: str) -> Iterator[File]:
    """A match or tune file with other values, other tables, plans of great numbers, and broken texts in it."""
    columns, turns = _columns(data), itertools.count()
    values = ["null", "''", "'x'", "-1", "9223372036854775807", "9e999", "-9e999", "x'ff'", "cast(x'ff00fe' as text)", "0.5"]
    values += [f"'{number}'" for number in NUMBERS] + ["zeroblob(1000000)", "hex(zeroblob(500000))"]
    statements = [*SCHEMAS]
    for text in STATEMENTS:
        each = "{column}" in text  # then every column has its turn, with some of the values
        for name in columns if each else [""]:
            statements += [text.format(column=name, value=_next(values, turns), word=word) for _ in range(3 if each else 6)]
    if word == "tune":
        statements += [f"update samples set vals = {value}" for value in values]
        statements += [f"update samples set vals = '{{\"exploration\": {number}}}'" for number in NUMBERS]
        statements += [f'update samples set vals = \'{{"exploration": "{number}"}}\'' for number in NUMBERS]
    plan = _plan(data, word)
    others = (f"@{NUMBERS[0]}@", "@1e400@", None, [], {}, "x", -1, True, [1] * 100_000, "x" * 100_000)
    for path in _paths(plan):
        for value in (others[0], _next(others, turns)):
            text = _with_numbers(json.dumps(_replaced(plan, path, value))).decode().replace("'", "''")
            statements.append(f"update {word} set value = '{text}' where key = 'plan'")
    for statement in statements:
        changed = changed_database(data, statement)
        if changed is not None:
            yield statement[:100], changed
    for at in (data.find(b"CREATE TABLE"), data.find(b"create table")):
        if at >= 0:
            yield "a byte of the schema", data[: at + 8] + b"\xff" + data[at + 9 :]
    yield "a byte of a name in the schema", data.replace(b"games", b"gam\xffs", 1)
    yield "a page size of nothing", data[:16] + b"\0\0" + data[18:]
    yield "very many pages", data[:28] + b"\x7f\xff\xff\xff" + data[32:]


def _next(values: Sequence[Any], turns: Iterator[int]) -> Any:
    return values[next(turns) % len(values)]


def changed_database(data: bytes, statement: str) -> bytes | None:
    """The file after some statements; None if SQLite refuses them."""
    with _database(data) as base:
        try:
            base.execute("pragma ignore_check_constraints = on")
            base.executescript(statement)
            base.commit()
        except (sqlite3.Error, UnicodeEncodeError):
            return None
        return base.serialize()


def _columns(data: bytes) -> list[str]:
    with _database(data) as base:
        return [row[1] for row in base.execute("pragma table_info(games)")]


def _plan(data: bytes, word: str) -> Any:
    with _database(data) as base:
        return json.loads(base.execute(f"select value from {word} where key = 'plan'").fetchone()[0])


@contextlib.contextmanager
def _database(data: bytes) -> Iterator[sqlite3.Connection]:
    """The file, held in memory; without the mark of a log beside it, which memory has not."""
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.deserialize(data[:18] + b"\1\1" + data[20:])
        yield base


def json_lines() -> list[bytes]:
    """Requests, each of which must be answered by one line."""
    good = {"id": 1, "game": "tictactoe", "playouts": 1}
    keys = ("id", "game", "moves", "sgf", "at", "gameIndex", "player", "playouts", "seconds", "seed", "action", "terminateId")
    lines, values, turns = [], list(text_values()), itertools.count()
    for key in (*keys, "reportDuringSearchEvery"):
        for value in (values[0], *(_next(values, turns) for _ in range(8))):
            if (key == "playouts" and value in (2**53, None)) or (key, value) == ("action", "stop"):
                continue  # it would search on and on
            lines.append(_with_numbers(json.dumps({**good, key: value})))
    for number in NUMBERS:
        texts = (f"uct:expand_after={number}", f"uct:playouts={number},seconds=0.01", f"uct:seconds={number},playouts=1")
        lines += [json.dumps({**good, "player": text}).encode() for text in texts]
        lines += [
            json.dumps({**good, "game": f"go:5:komi={number}"}).encode(),
            json.dumps({**good, "game": f"hex:{number}"}).encode(),
        ]
        lines.append(json.dumps({"id": 1, "playouts": 1, "sgf": f"(;GM[1]SZ[5]KM[{number}];B[aa]OB[{number}])"}).encode())
        lines.append(_with_numbers(json.dumps({**good, "moves": [f"@{number}@"]})))
    lines += [b"[" * 100_000, b'{"id":' * 50_000, b'{"id": ' + b"9" * 1_000_000 + b"}", b"\xff" * 1000]
    return lines


def gtp_lines(commands: list[str]) -> list[str]:
    """Every command with three of the numbers in the first places, the longest one of them."""
    lines, turns = [], itertools.count()
    for name in commands:
        for number in (NUMBERS[0], _next(NUMBERS, turns), _next(NUMBERS, turns)):
            lines += [f"{name} {number}", f"{name} b {number}", f"{name} {number} {number} {number}", f"{name} b a{number}"]
    return lines + [f"{number} name" for number in NUMBERS] + ["play b " + "a" * 1_000_000, "x" * 1_000_000]
