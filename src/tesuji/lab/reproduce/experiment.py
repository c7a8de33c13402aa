"""What a paper's experiment is: its name, what the paper has, what it runs and how it prints, in one declaration.

A paper is a module here with a `PAPER`, whose experiments are declared beside what they do: `@PAPER.experiment(...)` above a
function that measures, or `PAPER.experiment(...)(MatchTable(...))` for a table of matches. `PAPER.claim(...)` declares what
the paper claims (claims.py).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from tesuji.lab.reproduce.claims import PaperClaim

OPTIONS = {
    "certificates": "certificates to keep",
    "full": "larger form",
    "seconds": "time a move",
    "positions": "positions to choose",
    "player": "player to choose",
    "picture": "picture",
    "games_file": "games to keep as text",
}
# Called with an ExperimentRunner, the number of runs or None, and those of OPTIONS that it has parameters for. It returns the
# rows, the text, and what must not be so, if anything is.
Measure = Callable[..., tuple[Any, ...]]
Declared = TypeVar("Declared", bound=Measure)


@dataclass(frozen=True)
class Experiment:
    paper: str
    table: str
    summary: str
    share: float  # of the time that all of the paper's experiments take
    measure: Measure
    takes: tuple[str, ...]  # the OPTIONS that it has a use for
    ready: Callable[[Mapping[str, Any]], object]  # given the options, a UserError if something that it needs is not there
    has_matches: bool = False

    @property
    def name(self) -> str:
        return f"{self.paper}/{self.table}"


class Paper:
    """A paper, its claims, and its experiments, by table, in the order of their declarations."""

    def __init__(self, name: str, title: str):
        self.name = name
        self.title = title
        self.experiments: dict[str, Experiment] = {}
        self.claims: list[PaperClaim] = []

    def experiment(
        self,
        table: str,
        summary: str,
        share: float,
        ready: Callable[[Mapping[str, Any]], object] = lambda options: None,
        has_matches: bool = False,
    ) -> Callable[[Declared], Declared]:
        """Declares what follows as an experiment; its parameters say which options it takes."""

        def declare(measure: Declared) -> Declared:
            takes = getattr(measure, "takes", None) or tuple(n for n in inspect.signature(measure).parameters if n in OPTIONS)
            self.experiments[table] = Experiment(self.name, table, summary, share, measure, takes, ready, has_matches)
            return measure

        return declare

    def claim(self, where: str, text: str, figure: str = "", table: str = "") -> None:
        """Declares a claim of the paper; `table` is the experiment that repeats it."""
        self.claims.append(PaperClaim(where, text, figure, table))
