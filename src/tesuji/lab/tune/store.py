"""The tune file: one SQLite database with the plan, every sample before it is played, every finished game, and validations."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import NamedTuple

from tesuji.core.errors import UserError
from tesuji.lab.match.games import Played
from tesuji.lab.match.plan import Plan
from tesuji.lab.match.store import (
    COLUMNS,
    CPU_COLUMNS,
    SCHEMA,
    UPGRADES,
    Format,
    Store,
    checked_games,
    columns_of,
    parse_plan,
    read_games,
    read_plan,
    reading,
    row_of,
)
from tesuji.lab.tune.plan import TunePlan

Values = dict[str, str]

_GAMES = SCHEMA[SCHEMA.index("create table games (") :]
_VALIDATION_GAMES = (
    _GAMES.replace("table games", "table validation_games")
    .replace(
        "    number integer primary key,       -- from 0; the plan says who plays whom in it\n",
        "    validation integer not null,\n    number integer not null,\n",
    )
    .replace("(datetime('now')));", "(datetime('now')),\n    primary key (validation, number));")
)
SCHEMA_OF_TUNE = (
    SCHEMA.replace("create table match", "create table tune")
    + "create table samples (number integer primary key, vals text not null);\n"
    + "create table validations (\n    number integer primary key, plan text not null,\n"
    + "    began text not null default (datetime('now')));\n"
    + _VALIDATION_GAMES
)
UPGRADES_OF_TUNE = ((*UPGRADES[0], *(f"alter table validation_games add column {column}" for column in CPU_COLUMNS)),)
TUNE = Format("tune", 0x54534A54, 2, SCHEMA_OF_TUNE, TunePlan, upgrades=UPGRADES_OF_TUNE)  # "TSJT"


class Validation(NamedTuple):
    number: int
    plan: Plan
    games: list[Played]


class TuneStore(Store):
    """A tune file that one run writes to."""

    FORMAT = TUNE

    def samples(self, plan: TunePlan) -> list[Values]:
        with self._explained():
            return read_samples(self._connection, self.path, plan)

    def add_sample(self, number: int, values: Mapping[str, str]) -> None:
        """Keeps a sample before its games begin."""
        with self._explained():
            self._connection.execute("insert into samples values (?, ?)", (number, json.dumps(dict(values))))

    def validation_for(self, plan: Plan) -> ValidationStore:
        """The validation of this plan: the one that has begun, or a new one."""
        with self._explained():
            for number, known in read_validation_plans(self._connection, self.path):
                if known.fingerprint() == plan.fingerprint():
                    return ValidationStore(self, number, plan)
            cursor = self._connection.execute("insert into validations (plan) values (?)", (json.dumps(plan.as_json()),))
        return ValidationStore(self, int(cursor.lastrowid or 0), plan)


class ValidationStore:
    """The games of one validation in a tune file, as the runner of a match wants them."""

    def __init__(self, store: TuneStore, number: int, plan: Plan):
        self._store = store
        self._number = number
        self._plan = plan

    @property
    def path(self) -> str:
        return self._store.path

    def add(self, *games: Played) -> None:
        columns = f"validation, {', '.join(COLUMNS)}, run"
        query = f"insert into validation_games ({columns}) values ({', '.join('?' * (len(COLUMNS) + 2))})"
        rows = [[self._number, *row_of(played), self._store._run] for played in games]
        with self._store._explained(), self._store._whole():
            self._store._connection.executemany(query, rows)

    def together(self) -> AbstractContextManager[None]:
        return self._store.together()

    def games(self) -> list[Played]:
        with self._store._explained():
            return read_validation_games(self._store._connection, self.path, self._number, self._plan)

    def openings(self) -> list[tuple[int, ...]]:
        """None are kept: they are made again, as there are not many."""
        return []

    def add_openings(self, first: int, openings: list[tuple[int, ...]]) -> None: ...

    def name_program(self, slot: int, program: str) -> None: ...


# -- reading -------------------------------------------------------------------------------------------------------------
class TuneFile(NamedTuple):
    """What a tune file holds."""

    plan: TunePlan
    samples: list[Values]
    games: list[Played]
    validations: list[Validation]


def read_tune(path: str) -> TuneFile:
    """All of a tune file, which may be in use by a run."""
    with reading(path, TUNE) as base:
        plan = read_plan(base, path, TUNE)
        assert isinstance(plan, TunePlan)
        samples = read_samples(base, path, plan)
        games = read_games(base, path, plan)
        validations = [
            Validation(number, known, read_validation_games(base, path, number, known))
            for number, known in read_validation_plans(base, path)
        ]
        return TuneFile(plan, samples, games, validations)


def read_samples(base: sqlite3.Connection, path: str, plan: TunePlan) -> list[Values]:
    """The samples in order, each checked."""
    found = []
    for index, (number, text) in enumerate(base.execute("select number, vals from samples order by number")):
        try:
            values = json.loads(text)
            if number != index or list(values) != [p.name for p in plan.parameters]:
                raise ValueError
            if not all(isinstance(values[p.name], str) and p.holds(values[p.name]) for p in plan.parameters):
                raise ValueError
        except (TypeError, ValueError, AttributeError, RecursionError):
            raise UserError(f"{path} is damaged: its sample {str(number)[:20]} cannot be read") from None
        found.append(values)
    return found


def read_validation_plans(base: sqlite3.Connection, path: str) -> list[tuple[int, Plan]]:
    found = []
    for number, text in base.execute("select number, plan from validations order by number"):
        try:
            plan = parse_plan(json.loads(text))
            if len(plan.players) != 2:
                raise ValueError
        except (TypeError, ValueError, RecursionError):
            raise UserError(f"{path} is damaged: the plan of its validation {str(number)[:20]} cannot be read") from None
        found.append((number, plan))
    return found


def read_validation_games(base: sqlite3.Connection, path: str, number: int, plan: Plan) -> list[Played]:
    query = f"select {columns_of(base, 'validation_games')} from validation_games where validation = ? order by number"
    return checked_games(base.execute(query, (number,)).fetchall(), path, plan)
