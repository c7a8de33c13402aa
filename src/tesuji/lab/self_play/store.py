"""The file of a run: one SQLite database with its plan, every game on the disk before it is counted, and every round.

The number of a game is its key, so no game is in the file twice. Like a match file, it is only read if it has exactly these
tables and SQLite finds no damage.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.lab.match.store import Format, OneWriter, reading
from tesuji.lab.self_play.plan import SelfPlayPlan, parse_sizes
from tesuji.learn.records import EXACT_VALUES, RecordedGame, SearchedMove

SCHEMA = """
create table run (key text primary key, value text not null);
create table runs (
    number integer primary key, began text not null default (datetime('now')), version text not null, code text not null);
create table games (
    number integer primary key,       -- from 0
    network integer not null,         -- by which it was played; -1: it is from a record
    moves text not null,              -- as JSON, like what the searches say
    searches text not null,
    outcome integer,                  -- for the first player; null = not known
    positions integer not null,       -- that are learned from
    proven integer not null,          -- of these: with an exact value
    run integer not null);
create table rounds (number integer primary key, facts text not null);
"""
RUN = Format("run", 0x54534A53, 1, SCHEMA, None)  # "TSJS"
FROM_RECORD = -1
MOST_SECONDS = 1e12  # of a run
PLAY, LEARN, MATCH, DONE = "play", "learn", "match", "done"  # phases of a round


@dataclass
class Round:
    """A round, as far as it is."""

    number: int  # from 0, and so is its new network from 1
    best: int  # the number of the network that plays
    first: int  # number of its first game
    end: int  # and of the first game of the next round
    plays_out: bool = False  # this network has learned nothing yet: it plays by playouts
    phase: str = PLAY
    end_step: int = 0  # of learning; known when it begins
    size: str = ""  # of the new network
    measured: dict[str, Any] = field(default_factory=dict)  # how well the games were predicted before they were learned from
    match: dict[str, Any] = field(default_factory=dict)  # its standing, and whether the new network was taken
    seconds: dict[str, float] = field(default_factory=dict)  # of each phase
    positions: int = 0
    proven: int = 0

    @property
    def network(self) -> int:
        """The number of its new network."""
        return self.number + 1

    @property
    def is_better(self) -> bool:
        return bool(self.match.get("better"))


class RunStore(OneWriter):
    """The file of a run, for the one process that goes on with it."""

    FORMAT = RUN
    OPTION = "--run"

    def _known_fingerprint(self) -> dict[str, Any]:
        return read_plan(self._connection, self.path).fingerprint()

    def _is_empty(self) -> bool:
        return False  # a run that has just begun is one, too

    # -- games -------------------------------------------------------------------------------------------------------
    def add_games(self, games: Iterable[tuple[int, int, RecordedGame]]) -> None:
        """Keeps games, each with its number and that of the network that played it: all of them or none."""
        with self._explained(), self._whole():
            for number, network, one in games:
                learned = [search for search in one.searches if search is not None]
                row = (
                    json.dumps(one.moves, separators=(",", ":")),
                    json.dumps([search_row(search) for search in one.searches], separators=(",", ":")),
                    one.outcome,
                    len(learned) if one.searches else len(one.moves),
                    sum(search.proven for search in learned),
                )
                query = "insert into games values (?, ?, ?, ?, ?, ?, ?, ?)"
                self._connection.execute(query, (number, network, *row, self._run))

    def played(self, first: int, end: int) -> set[int]:
        """The numbers of the games from `first` to before `end` that are there."""
        with self._explained():
            query = "select number from games where number >= ? and number < ?"
            return {row[0] for row in self._connection.execute(query, (first, end))}

    def counts(self, first: int, end: int) -> tuple[int, int, int]:
        """Of these games: how many there are, their positions that are learned from, and how many of those are proven."""
        with self._explained():
            query = "select count(*), total(positions), total(proven) from games where number >= ? and number < ?"
            row = self._connection.execute(query, (first, end)).fetchone()
        return int(row[0]), int(row[1]), int(row[2])

    def games(self, game: Game, first: int, end: int) -> list[RecordedGame]:
        """The games with these numbers, in order."""
        with self._explained():
            query = "select number, moves, searches, outcome from games where number >= ? and number < ? order by number"
            rows = self._connection.execute(query, (first, end)).fetchall()
        return [self._game(game, *row) for row in rows]

    def _game(self, game: Game, number: int, moves: str, searches: str, outcome: int | None) -> RecordedGame:
        try:
            numbers = tuple(_whole(move) for move in json.loads(moves))
            found = tuple(None if row is None else parse_search(row) for row in json.loads(searches))
            if len(found) not in (0, len(numbers)) or not numbers or not (outcome is None or type(outcome) is int):
                raise ValueError
        except (TypeError, ValueError, OverflowError, RecursionError):
            raise UserError(f"{self.path} is damaged: game {number + 1} cannot be read") from None
        return RecordedGame(f"{self.path}: game {number + 1}", game.new_state(), numbers, outcome, game, found)

    # -- rounds ------------------------------------------------------------------------------------------------------
    def rounds(self) -> list[Round]:
        with self._explained():
            return read_rounds(self._connection, self.path)

    def save_round(self, one: Round) -> None:
        with self._explained():
            query = "insert or replace into rounds values (?, ?)"
            self._connection.execute(query, (one.number, json.dumps(_finite(asdict(one)), allow_nan=False)))

    # -- values ------------------------------------------------------------------------------------------------------
    def value(self, key: str, usual: float, most: float) -> float:
        """The number of this name, from 0 to `most`; `usual` if there is none."""
        with self._explained():
            row = self._connection.execute("select value from run where key = ?", (key,)).fetchone()
        return usual if row is None else _number(self.path, key, row[0], most)

    def set_value(self, key: str, value: float) -> None:
        with self._explained():
            self._connection.execute("insert or replace into run values (?, ?)", (key, repr(value)))


def _finite(facts: Any) -> Any:
    """The same with null for what is infinite, which JSON cannot say."""
    if isinstance(facts, dict):
        return {name: _finite(value) for name, value in facts.items()}
    if isinstance(facts, list | tuple):
        return [_finite(value) for value in facts]
    return None if isinstance(facts, float) and not math.isfinite(facts) else facts


def search_row(search: SearchedMove | None) -> list[Any] | None:
    if search is None:
        return None
    return [round(search.value, 4), int(search.proven), [[move, round(share, 4)] for move, share in search.shares]]


def parse_search(row: Any) -> SearchedMove:
    value, proven, shares = row
    total = sum(float(share) for _, share in shares)
    if not 0.0 <= float(value) <= 1.0 or not 0.0 < total < math.inf or min(float(share) for _, share in shares) < 0.0:
        raise ValueError
    if proven and value not in EXACT_VALUES:
        raise ValueError
    return SearchedMove(float(value), tuple((_whole(move), float(share) / total) for move, share in shares), bool(proven))


def _whole(move: Any) -> int:
    """A move as games have it: 32 bits."""
    if type(move) is not int or not 0 <= move < 1 << 31:
        raise ValueError
    return move


def _number(path: str, key: str, text: str, most: float) -> float:
    """A value of a run, from 0 to `most`."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0.0 <= found <= most:
        raise UserError(f"{path} is damaged: its {key} cannot be read")
    return found


# -- reading, also by others ---------------------------------------------------------------------------------------------
def read_plan(base: sqlite3.Connection, path: str) -> SelfPlayPlan:
    row = base.execute("select value from run where key = 'plan'").fetchone()
    try:
        return SelfPlayPlan.from_json(json.loads(row[0]))
    except (TypeError, ValueError, RecursionError):
        raise UserError(f"{path} is damaged: its plan cannot be read") from None


def read_rounds(base: sqlite3.Connection, path: str) -> list[Round]:
    found = []
    try:
        for number, facts in base.execute("select number, facts from rounds order by number"):
            one = Round(**json.loads(facts))
            if one.number != number or number != len(found) or not _is_possible(one):
                raise ValueError
            found.append(one)
    except (TypeError, ValueError, AttributeError, OverflowError, RecursionError, UserError):
        raise UserError(f"{path} is damaged: its rounds cannot be read") from None
    return found


def _is_possible(one: Round) -> bool:
    """Whether everything that a run and its report use is of the right kind; errors are possible, too."""
    counts = (one.best, one.first, one.end, one.end_step, one.positions, one.proven)
    games = [one.match.get(name, 0) for name in ("a_wins", "b_wins", "draws")]
    return (
        all(type(count) is int and 0 <= count < 1 << 62 for count in (*counts, *games))
        and one.best <= one.number
        and one.phase in (PLAY, LEARN, MATCH, DONE)
        and (one.size == "" or [size.text for size in parse_sizes(one.size)] == [one.size])
        and isinstance(one.measured, dict)
        and all(type(seconds) in (int, float) for seconds in one.seconds.values())
    )


@dataclass(frozen=True)
class KeptRun:
    """What a report needs of a run, read while it may be going on."""

    plan: SelfPlayPlan
    rounds: list[Round]
    seconds: float


def read_run(path: str | Path) -> KeptRun | None:
    """The run of a file; None if there is none."""
    path = str(path)
    if not os.path.exists(path):
        return None
    with reading(path, RUN) as base:
        row = base.execute("select value from run where key = 'seconds'").fetchone()
        seconds = 0.0 if row is None else _number(path, "seconds", row[0], MOST_SECONDS)
        return KeptRun(read_plan(base, path), read_rounds(base, path), seconds)
