"""Tables of matches: which players meet at which limits, played from where they stand, and their scores beside the paper's.

Every game goes into a match file: a run that was stopped goes on when it is asked for again, and one with more games adds to
it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tesuji.lab.match import open_match
from tesuji.lab.match.standing import Standing
from tesuji.lab.reproduce.report import Row, grid
from tesuji.lab.reproduce.runner import ExperimentRunner

LIMIT = "{limit}"


class MatchRow(NamedTuple):
    """One match. `{limit}` in a player or the label stands for the limit of a move; without one it is for both players."""

    label: str
    game: str
    first: str
    second: str
    paper: float | None = None  # the score that it prints for the first
    limit: str = ""  # 'playouts=N' or 'seconds=S' a move; "" = left to full runs
    full_limit: str = ""  # with --full
    games: int = 100
    times: float = 1.0  # so many times the limit for the first player

    def players(self, limit: str) -> tuple[str, str]:
        unit, _, amount = limit.partition("=")
        return self.first.replace(LIMIT, f"{unit}={self.times * float(amount):g}"), self.second.replace(LIMIT, limit)

    def options(self, limit: str) -> dict[str, float]:
        """The limit as an option of the match, where the players do not have it themselves."""
        unit, _, amount = limit.partition("=")
        return {} if LIMIT in self.first + self.second else {unit: int(amount) if unit == "playouts" else float(amount)}


class MatchScore(NamedTuple):
    """How a match stands."""

    match: MatchRow
    limit: str
    standing: Standing
    file: str
    other_code: bool  # whether the file has games of another version of this program

    @property
    def row(self) -> Row:
        low, high = self.standing.interval
        label = self.match.label.replace(LIMIT, self.limit.replace("=", " "))
        return Row(label, self.match.paper, self.standing.score, low, high, self.standing.games)


@dataclass(frozen=True)
class MatchTable:
    """Matches as an experiment; `runs` is the number of games of each."""

    matches: Sequence[MatchRow]
    full_games: int
    title: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)  # of open_match, for all of them
    # Made of the scores, the number of games wanted of a match and its limit; None: one line a match.
    layout: Callable[[Sequence[MatchScore], int, str], str] | None = None
    takes: tuple[str, ...] = ("full",)
    digits: int = 3  # of the paper's figures

    def __call__(
        self, runner: ExperimentRunner, runs: int | None, full: bool = False, seconds: float | None = None
    ) -> tuple[list[Row], str]:
        chosen = [match for match in self.matches if full or match.limit]
        scores: list[MatchScore] = []
        limit, games = "", 0
        for place, match in enumerate(chosen):
            limit = f"seconds={seconds:g}" if seconds else match.full_limit if full else match.limit
            games = runs or (self.full_games if full else match.games)
            part = place / len(chosen), (place + 1) / len(chosen)
            scores.append(play(runner, match, limit, games, part, **self.options))
            if runner.interrupted:
                break
        some = [score for score in scores if score.standing.games]
        text = self.layout(some, games, limit) if self.layout is not None else self._lines(some)
        return [score.row for score in some], "\n".join([text, *remarks(scores)])

    def _lines(self, scores: Sequence[MatchScore]) -> str:
        lines = []
        for row in (score.row for score in scores):
            printed = "-" if row.paper is None else f"{row.paper:.{self.digits}f}"
            lines.append((row.label, [f"{row.measured:.3f}", f"{row.low:.3f} to {row.high:.3f}", printed, str(row.n)]))
        return f"{self.title}\n{grid('', ['measured', '95% interval', 'paper', 'games'], lines)}"


def play(
    runner: ExperimentRunner, match: MatchRow, limit: str, games: int, part: tuple[float, float], **options: Any
) -> MatchScore:
    """Plays what is missing of a match; `part` is the share of the experiment's progress that it begins and ends at."""
    begin, end = part
    players = match.players(limit)
    workers = None if runner.cluster else runner.jobs
    options |= match.options(limit)
    with open_match(
        match.game, list(players), games, seed=runner.seed, workers=workers, cluster=runner.cluster, **options
    ) as run:
        run.on_tick = lambda run: runner.tell(
            begin + (end - begin) * run.done / run.total, f"{' - '.join(players)}: {run.done} of {run.total}"
        )
        run.run()
        runner.interrupted = runner.interrupted or run.interrupted
        return MatchScore(match, limit, run.standings[0], run.store.path, run.other_code)


def remarks(scores: Sequence[MatchScore]) -> list[str]:
    """A line on games lost by an error, and one for each file with games of another version: no comparison should hold them."""
    count = sum(score.standing.a_forfeits + score.standing.b_forfeits for score in scores)
    lines = [f"{count} games were lost by a fault of a player and not on the board; see the match files."] if count else []
    old = [score.file for score in scores if score.other_code]
    return lines + [f"{file}: some of its games were played by another version of this program" for file in old]
