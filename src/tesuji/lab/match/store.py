"""The match file: one SQLite database that holds the plan and every finished game. Tune files are of the same make.

A game is one transaction, on the disk before the next is counted. Its number is the key, so that no game can be in the file
twice. A lock beside the file keeps a second run away; it goes with the process that holds it, however that ends.

A match file may come from anyone. It is only read if it has exactly the tables of a match and SQLite finds no damage: a view
or a trigger in it would be SQL that runs.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import secrets
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tesuji import __version__
from tesuji.core.errors import UserError, shortened
from tesuji.core.files import FileKind, check_can_write, open_file, real_path
from tesuji.lab.match.games import Played
from tesuji.lab.match.lock import FileLock
from tesuji.lab.match.plan import Plan
from tesuji.lab.ratings import RatedGame

# What SQLite raises at a damaged file: also where its message quotes a text that is not UTF-8.
DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)
APPLICATION = 0x54534A4D  # "TSJM" in the file's header says whose it is
VERSION = 2
COLUMNS = [field.name for field in fields(Played)]

SCHEMA = """
create table match (key text primary key, value text not null);
create table players (slot integer primary key, given text not null, label text not null, program text not null default '');
create table runs (
    number integer primary key, began text not null default (datetime('now')), version text not null, code text not null);
create table openings (number integer primary key, moves text not null);
create table games (
    number integer primary key,       -- from 0; the plan says who plays whom in it
    first integer not null,           -- slot of the player who moves first
    second integer not null,
    opening integer not null,
    opening_plies integer not null,
    seed text not null,
    winner integer,                   -- a slot; null = a draw
    result text not null,             -- as in SGF: B+3.5, W+R, B+T, W+F, 0
    reason text not null,             -- score, resign, length; or what was wrong: time, illegal, crash, hang, garbage, ...
    detail text not null,
    outcome integer,                  -- of our rules, for the first player, where they decided
    moves text not null,
    plies integer not null,
    seconds_first real not null,
    seconds_second real not null,
    sgf text not null,
    run integer not null,
    finished text not null default (datetime('now')));
"""
# What a later version adds, in order. A new file is made by these, too, so that one that was brought up to date is the same.
CPU_COLUMNS = ("moves_first integer", "moves_second integer", "cpu_first real", "cpu_second real")
UPGRADES = (tuple(f"alter table games add column {column}" for column in CPU_COLUMNS),)


@dataclass(frozen=True)
class Format:
    """One kind of file with games: what it is called, how it is marked, its tables and its plan."""

    word: str  # "match": a match file, another match; also the name of the table of keys and values
    application: int  # the mark in the file's header
    version: int
    schema: str  # of its first version that can still be read
    plan: type[Plan] | None  # None: it has no plan of games
    results: str = "games"  # the table of what a run adds
    upgrades: tuple[tuple[str, ...], ...] = ()  # what each later version adds

    @property
    def first_version(self) -> int:
        return self.version - len(self.upgrades)

    @property
    def file_kind(self) -> FileKind:
        return FileKind(f"a {self.word} file", (b"SQLite format 3\0",), 1 << 33)


MATCH = Format("match", APPLICATION, VERSION, SCHEMA, Plan, upgrades=UPGRADES)


class OneWriter:
    """A file that one run writes to: opened, locked, checked, and closed."""

    FORMAT = MATCH
    OPTION = "--file"  # that names another one

    def __init__(self, path: str):
        self.path = path
        self._lock = FileLock(real_path(path) + ".lock")
        self._run = 0
        self._is_new = False
        self._base: sqlite3.Connection | None = None

    # -- opening -----------------------------------------------------------------------------------------------------
    def open(self, plan: Any, code: str) -> None:
        """Makes the file, or goes on with it if it is of the same plan; else a UserError says what differs."""
        folder = os.path.dirname(self.path)
        try:
            if folder:
                os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise UserError(f"{self.path} cannot be written: {folder}: {error.strerror}") from None
        check_can_write(self.path, self.FORMAT.file_kind)
        existed = os.path.exists(self.path)
        if existed and os.stat(self.path).st_nlink > 1:  # the lock goes by the name, and so does SQLite's log beside the file
            raise UserError(f"{self.path} has a second name, a hard link, by which another run may write to it; use a copy")
        self._lock.take(f"another run is writing to {self.path}; wait for its end, or name another {self.OPTION}")
        try:
            with self._explained():
                self._base = sqlite3.connect(self.path, isolation_level=None, timeout=30.0)
                if self._base.execute("select count(*) from sqlite_master").fetchone()[0] == 0:
                    self._is_new = not existed
                    self._create(plan)
                else:
                    check_kind(self._base, self.path, self.FORMAT)
                    check_whole(self._base, self.path, self.FORMAT)
                    self._check_plan(plan)
                    self._upgrade()
                self._base.execute("pragma journal_mode = wal")
                self._base.execute("pragma synchronous = full")
                self._base.execute(f"insert or ignore into {self.FORMAT.word} values ('id', ?)", (secrets.token_hex(4),))
                cursor = self._base.execute("insert into runs (version, code) values (?, ?)", (__version__, code))
                self._run = int(cursor.lastrowid or 0)
        except BaseException:
            self.close()
            raise

    def _create(self, plan: Any) -> None:
        """All of the file in one transaction: a run that is killed here leaves an empty one."""
        base = self._connection
        base.execute("begin immediate")
        create_tables(base, self.FORMAT)
        self._put_plan(plan)
        base.execute(f"pragma application_id = {self.FORMAT.application}")
        base.execute(f"pragma user_version = {self.FORMAT.version}")
        base.execute("commit")

    def _upgrade(self) -> None:
        """Brings a file of an earlier version up to date."""
        base, form = self._connection, self.FORMAT
        if version_of(base) == form.version:
            return
        with self._whole():
            for statements in form.upgrades[version_of(base) - form.first_version :]:
                for statement in statements:
                    base.execute(statement)
            base.execute(f"pragma user_version = {form.version}")

    def _put_plan(self, plan: Any) -> None:
        self._connection.execute(f"insert into {self.FORMAT.word} values ('plan', ?)", (json.dumps(plan.as_json()),))

    def _check_plan(self, plan: Any) -> None:
        ours, theirs = plan.fingerprint(), self._known_fingerprint()
        names = [name for name in {**theirs, **ours} if ours.get(name, "none") != theirs.get(name, "none")]
        if names:
            differences = "; ".join(f"{n}: {theirs.get(n, 'none')} there, {ours.get(n, 'none')} here" for n in names)
            word = self.FORMAT.word
            raise UserError(
                f"{self.path} holds another {word} ({differences}); give its options again or name another {self.OPTION}"
            )

    def _known_fingerprint(self) -> dict[str, Any]:
        """What says whose file it is: by name, what must be equal."""
        raise NotImplementedError

    def close(self) -> None:
        """Ends the use of the file. One that was made by this run and holds no result is removed."""
        if self._base is not None:
            useless = self._is_new and self._is_empty()
            with contextlib.suppress(sqlite3.Error):
                self._base.close()
            self._base = None
            if useless:
                with contextlib.suppress(OSError):
                    os.unlink(self.path)
        self._lock.release()

    def _is_empty(self) -> bool:
        """Whether there is surely no result in the file, nor, as on a full disk, a table for them."""
        table = self.FORMAT.results
        with contextlib.suppress(sqlite3.Error):
            tables = self._connection.execute("select count(*) from sqlite_master where name = ?", (table,)).fetchone()[0]
            return not tables or self._connection.execute(f"select count(*) from {table}").fetchone()[0] == 0
        return False

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """What is added meanwhile goes to the disk at once at the end, or, after an error, not at all."""
        with self._explained(), self._whole():
            yield

    @property
    def _connection(self) -> sqlite3.Connection:
        assert self._base is not None, "the file is not open"
        return self._base

    @contextlib.contextmanager
    def _whole(self) -> Iterator[None]:
        """A transaction: all of what is done in it, or nothing. Within another it is a part of that."""
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute("begin immediate")
        try:
            yield
            self._connection.execute("commit")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("rollback")
            raise

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError:
            raise
        except DAMAGE as error:
            raise explained(self.path, error, self.FORMAT) from None


class Store(OneWriter):
    """A match file that one run writes to."""

    def _put_plan(self, plan: Plan) -> None:
        super()._put_plan(plan)
        self._connection.executemany(
            "insert into players (slot, given, label) values (?, ?, ?)",
            [(slot, player.given, player.label) for slot, player in enumerate(plan.players)],
        )

    def _known_fingerprint(self) -> dict[str, Any]:
        return read_plan(self._connection, self.path, self.FORMAT).fingerprint()

    @property
    def match_id(self) -> str:
        """Eight digits and letters that no other match has, for the names of its files."""
        with self._explained():
            row = self._connection.execute(f"select value from {self.FORMAT.word} where key = 'id'").fetchone()
        if row is None or not isinstance(row[0], str) or not re.fullmatch("[0-9a-f]{8}", row[0]):
            raise UserError(f"{self.path} is damaged: its id cannot be read")
        return row[0]

    # -- games -------------------------------------------------------------------------------------------------------
    def add(self, *games: Played, run: tuple[str, str] | None = None) -> None:
        """Keeps finished games, for good: all of them or none. They are of this run, or of one of this version and code."""
        query = f"insert into games ({', '.join(COLUMNS)}, run) values ({', '.join('?' * len(COLUMNS))}, ?)"
        with self._explained(), self._whole():
            number = self._run if run is None else self._run_of(*run)
            self._connection.executemany(query, [[*row_of(played), number] for played in games])

    def _run_of(self, version: str, code: str) -> int:
        """A run of this version and code other than ours, or else a new one."""
        query = "select number from runs where version = ? and code = ? and number != ? order by number"
        row = self._connection.execute(query, (version, code, self._run)).fetchone()
        if row is None:
            return int(
                self._connection.execute("insert into runs (version, code) values (?, ?)", (version, code)).lastrowid or 0
            )
        return row[0]

    def games_with_runs(self) -> list[tuple[Played, tuple[str, str]]]:
        """All games, each with the version and the code that played it."""
        games = self.games()
        with self._explained():
            query = "select games.number, version, code from games join runs on games.run = runs.number"
            runs = {number: (str(version), str(code)) for number, version, code in self._connection.execute(query)}
        return [(played, runs.get(played.number, ("", ""))) for played in games]

    def games(self) -> list[Played]:
        with self._explained():
            return read_games(self._connection, self.path, read_plan(self._connection, self.path, self.FORMAT))

    def name_program(self, slot: int, program: str) -> None:
        """Notes who a GTP program says it is."""
        with self._explained():
            self._connection.execute("update players set program = ? where slot = ? and program != ?", (program, slot, program))

    # -- random openings ---------------------------------------------------------------------------------------------
    def openings(self) -> list[tuple[int, ...]]:
        """The random openings made so far; they could be made again, but that takes long in a long match."""
        with self._explained():
            rows = self._connection.execute("select number, moves from openings order by number").fetchall()
        try:
            found = [tuple(int(word) for word in moves.split()) for _, moves in rows]
        except (AttributeError, ValueError):
            raise UserError(f"{self.path} is damaged: its openings cannot be read") from None
        whole = all(number == index for index, (number, _) in enumerate(rows))
        return found if whole else []

    def add_openings(self, first: int, openings: list[tuple[int, ...]]) -> None:
        rows = [(number, " ".join(map(str, moves))) for number, moves in enumerate(openings, first)]
        with self._explained():
            self._connection.executemany("insert or ignore into openings values (?, ?)", rows)

    def has_other_code(self) -> bool:
        """Whether some games were played by other sources of this program than those of this run."""
        with self._explained():
            query = "select count(distinct code) from runs where number = ? or number in (select run from games)"
            return self._connection.execute(query, (self._run,)).fetchone()[0] > 1


def explained(path: str, error: Exception, form: Format = MATCH) -> UserError:
    """What SQLite says, for the user."""
    text = shortened(str(error), 200)
    if isinstance(error, UnicodeDecodeError) or (isinstance(error, sqlite3.OperationalError) and "decode" in text):
        return UserError(f"{path} is damaged: a text in it is not UTF-8")
    if any(words in text for words in ("not a database", "malformed", "no such table", "no such column")):
        return UserError(f"{path} is not a {form.word} file, or it is damaged ({text}); name another file")
    return UserError(f"{path} cannot be used: {text}; the {form.results} that are in it are kept")


# -- reading, also by others ---------------------------------------------------------------------------------------------
def check_kind(base: sqlite3.Connection, path: str, form: Format = MATCH) -> None:
    if base.execute("pragma application_id").fetchone()[0] != form.application:
        raise UserError(f"{path} is not a {form.word} file of tesuji; name another file")
    version = version_of(base)
    if not form.first_version <= version <= form.version:
        raise UserError(f"{path} is a {form.word} file of version {version}; this program knows version {form.version}")


def version_of(base: sqlite3.Connection) -> int:
    return base.execute("pragma user_version").fetchone()[0]


def create_tables(base: sqlite3.Connection, form: Format = MATCH, version: int | None = None) -> None:
    """The tables of a version of the format; without one, of the present version."""
    version = form.version if version is None else version
    for statement in filter(str.strip, form.schema.split(";\n")):
        base.execute(statement)
    for statements in form.upgrades[: version - form.first_version]:
        for statement in statements:
            base.execute(statement)


def check_whole(base: sqlite3.Connection, path: str, form: Format = MATCH) -> None:
    """Refuses a damaged file, and one with other tables than ours, views or triggers."""
    base.execute("pragma trusted_schema = off")
    with contextlib.closing(sqlite3.connect(":memory:")) as ours:
        create_tables(ours, form, version_of(base))
        if _schema(base) != _schema(ours):
            raise UserError(f"{path} is damaged: its tables are not those of a {form.word} file")
    found = base.execute("pragma quick_check(1)").fetchone()[0]
    if found != "ok":
        raise UserError(f"{path} is damaged: {' '.join(str(found).split())[:200]}")


def _schema(base: sqlite3.Connection) -> list[tuple[Any, ...]]:
    return base.execute("select type, name, tbl_name, sql from sqlite_master order by name").fetchall()


def read_plan(base: sqlite3.Connection, path: str, form: Format = MATCH) -> Plan:
    row = base.execute(f"select value from {form.word} where key = 'plan'").fetchone()
    assert form.plan is not None
    try:
        return parse_plan(json.loads(row[0]), form.plan)
    except (TypeError, ValueError, RecursionError):
        raise UserError(f"{path} is damaged: its plan cannot be read") from None


def parse_plan(values: Any, kind: type[Plan] = Plan) -> Plan:
    """A plan out of JSON; a ValueError if it is none."""
    try:
        plan = kind.from_json(values)
        plan.fingerprint()  # it reads every value
        if plan.pairings and all(isinstance(text, str) for text in (plan.game, *(player.label for player in plan.players))):
            return plan
    except (AttributeError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from None
    raise ValueError("it has no players")


def row_of(played: Played) -> list[Any]:
    """A game in the order of COLUMNS; its seed may be larger than SQLite's numbers are."""
    values = {**played.as_json(), "seed": str(played.seed)}
    return [values[name] for name in COLUMNS]


def read_games(base: sqlite3.Connection, path: str, plan: Plan) -> list[Played]:
    """All games of the file."""
    return checked_games(base.execute(f"select {columns_of(base, 'games')} from games order by number").fetchall(), path, plan)


def columns_of(base: sqlite3.Connection, table: str) -> str:
    """COLUMNS for a query; null for those that a file of an earlier version lacks."""
    there = {row[1] for row in base.execute(f"pragma table_info({table})")}
    return ", ".join(name if name in there else f"null as {name}" for name in COLUMNS)


def checked_games(rows: list[Any], path: str, plan: Plan) -> list[Played]:
    """The games of these rows, each checked: SQLite keeps a text in a column of numbers if someone puts it there."""
    return [_checked(dict(zip(COLUMNS, row, strict=True)), path, plan) for row in rows]


def _checked(row: dict[str, Any], path: str, plan: Plan) -> Played:
    """The game of a row, which must be one of the plan's, between the players whose turn it was."""
    number = row["number"]
    wrong = [name for name in COLUMNS if not _fits(name, row[name])]
    if not wrong:
        entry = plan.entry(number)
        wrong = [name for name in ("first", "second", "opening") if row[name] != getattr(entry, name)]
    if not wrong and row["winner"] not in (None, row["first"], row["second"]):
        wrong = ["winner"]
    if wrong:
        shown = ", ".join(f"{name} {str(row[name])[:40]!r}" for name in wrong[:3])
        raise UserError(f"{path} is damaged: row {number} of its games has {shown}")
    return Played(**{**row, "seed": int(row["seed"])})


def _fits(column: str, value: Any) -> bool:
    """Whether a value can stand in this column of a game."""
    if column == "seed":
        return isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 20
    if column in ("moves_first", "moves_second", "cpu_first", "cpu_second") and value is None:
        return True
    if column in ("seconds_first", "seconds_second", "cpu_first", "cpu_second"):
        return isinstance(value, float) and 0.0 <= value < math.inf
    if column in ("winner", "outcome"):
        return value is None or isinstance(value, int)
    if column in ("number", "first", "second", "opening", "opening_plies", "plies", "moves_first", "moves_second"):
        return isinstance(value, int) and value >= 0
    return isinstance(value, str)


def read_match(path: str) -> tuple[Plan, list[Played]]:
    """The plan and the games of a match file, which may be in use by a run."""
    with reading(path, MATCH) as base:
        plan = read_plan(base, path)
        return plan, read_games(base, path, plan)


@contextlib.contextmanager
def reading(path: str, form: Format) -> Iterator[sqlite3.Connection]:
    """A file, checked, to be read only; a run may write to it meanwhile."""
    with open_file(path, form.file_kind) as file:
        if not file.read(len(form.file_kind.begins[0])).startswith(form.file_kind.begins):
            raise UserError(f"{path} is not a {form.word} file; name another file")
    base = _opened(path, form)
    try:
        yield base
    except DAMAGE as error:
        raise explained(path, error, form) from None
    finally:
        base.close()


def _opened(path: str, form: Format) -> sqlite3.Connection:
    for mode in ("mode=ro", "mode=ro&immutable=1"):  # the second for a folder that cannot be written
        base: Any = None
        try:
            base = sqlite3.connect(f"{Path(path).resolve().as_uri()}?{mode}", uri=True, timeout=30.0)
            check_kind(base, path, form)
            check_whole(base, path, form)
            return base
        except BaseException as error:
            if base is not None:
                base.close()
            if isinstance(error, sqlite3.OperationalError) and "immutable" not in mode:
                continue
            if isinstance(error, DAMAGE):
                raise explained(path, error, form) from None
            raise
    raise AssertionError("not reached")


def read_results(path: str) -> tuple[str, list[RatedGame]]:
    """The game of a match file, and who has won against whom, by the players' labels."""
    plan, games = read_match(path)
    labels = [player.label for player in plan.players]
    results = []
    for played in games:
        points = 0.5 if played.winner is None else float(played.winner == played.first)
        results.append(RatedGame(labels[played.first], labels[played.second], points))
    return plan.game, results
