"""The proof file: one SQLite database with the result of every job of a proof, so that a proof that was killed goes on.

Results are kept in the order in which they came. To go on is to learn from them again in that order. They hold for the present
code and weights only, so these are part of what makes two runs the same proof. A digest beside each result tells if it is not
what was written.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tesuji.core.errors import UserError
from tesuji.lab.match.store import Format, OneWriter

SCHEMA_OF_PROOF = """
create table proof (key text primary key, value text not null);
create table runs (
    number integer primary key, began text not null default (datetime('now')), version text not null, code text not null);
create table results (
    number integer primary key,
    moves text not null,              -- of the position, from the start of the game
    high integer not null,            -- the question: is it at least this?
    result text not null,             -- JSON, as the machine sent it
    seconds real not null,            -- since the beginning of its run
    digest text not null,             -- of the four before
    run integer not null,
    finished text not null default (datetime('now')));
"""
PROOF_FILE = Format("proof", 0x54534A50, 2, SCHEMA_OF_PROOF, None, "results")  # "TSJP"


@dataclass(frozen=True)
class ProofPlan:
    """What makes two runs the same proof."""

    setup: dict[str, Any]  # what all its jobs have in common
    moves: Sequence[int]
    seed: int
    identity: dict[str, str]  # code, weights, the user's own files

    def fingerprint(self) -> dict[str, str]:
        return {
            "game": self.setup["game"],
            "moves": " ".join(map(str, self.moves)) or "none",
            "player": self.setup["player"] or "the default",
            "parameters": json.dumps(self.setup["parameters"], sort_keys=True),
            "--certificate": "yes" if self.setup["certificate"] else "no",
            "--seed": str(self.seed),
            **self.identity,
        }

    def as_json(self) -> dict[str, str]:
        return self.fingerprint()

    def default_path(self) -> str:
        digest = hashlib.sha256(json.dumps(self.fingerprint(), sort_keys=True).encode()).hexdigest()[:8]
        name = re.sub(r"[^\w.=-]+", "-", self.setup["game"]).strip("-")[:32]
        return f"proofs/{name}_{digest}.db"


class ProofStore(OneWriter):
    """A proof file that one run writes to."""

    FORMAT = PROOF_FILE

    def add(self, moves: Sequence[int], high: int, result: str, seconds: float) -> None:
        row = (" ".join(map(str, moves)), high, result, seconds)
        with self._explained(), self._whole():
            query = "insert into results (moves, high, result, seconds, digest, run) values (?, ?, ?, ?, ?, ?)"
            self._connection.execute(query, (*row, digest_of(*row), self._run))

    def results(self) -> Iterator[tuple[tuple[int, ...], int, dict[str, Any]]]:
        """Of every job in order: the moves, the question, the answer."""
        with self._explained():
            query = "select number, moves, high, result, seconds, digest from results order by number"
            rows = self._connection.execute(query).fetchall()
        for number, moves, high, result, seconds, digest in rows:
            try:
                if digest != digest_of(moves, high, result, seconds):
                    raise ValueError
                yield tuple(int(word) for word in moves.split()), int(high), json.loads(result)
            except (AttributeError, TypeError, ValueError, RecursionError):
                raise UserError(
                    f"{self.path} is damaged: its result {str(number)[:20]} cannot be read; remove the file, or name "
                    "another --file"
                ) from None

    def seconds(self) -> float:
        """The time of all runs until now, each up to its last result."""
        with self._explained():
            rows = self._connection.execute("select max(seconds) from results group by run").fetchall()
        return math.fsum(seconds for (seconds,) in rows if isinstance(seconds, float) and 0.0 <= seconds < math.inf)

    def _known_fingerprint(self) -> dict[str, Any]:
        row = self._connection.execute("select value from proof where key = 'plan'").fetchone()
        try:
            found = json.loads(row[0])
            if isinstance(found, dict) and all(isinstance(value, str) for value in found.values()):
                return found
        except (TypeError, ValueError, RecursionError):
            pass
        raise UserError(f"{self.path} is damaged: what it holds cannot be read")


def digest_of(moves: str, high: int, result: str, seconds: float) -> str:
    return hashlib.sha256(json.dumps([moves, high, result, seconds]).encode()).hexdigest()[:16]
