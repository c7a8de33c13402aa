"""Matches as parts of an experiment: played from where they stand, and what must be said of their games."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tesuji.lab.match import open_match
from tesuji.lab.reproduce.report import Row, grid
from tesuji.lab.reproduce.runner import ExperimentRunner


def play(
    runner: ExperimentRunner, game: str, players: tuple[str, str], games: int, part: tuple[float, float], **options: Any
) -> dict[str, Any]:
    """Plays what is missing of a match, and tells how it stands from the first player's side.

    `part` is the share of the experiment's progress that it begins and ends at, `options` are those of `open_match`. The answer
    is that of the standing, and `other_code`: whether the file has games of another version of this program.
    """
    begin, end = part
    workers = None if runner.cluster else runner.jobs
    with open_match(game, list(players), games, seed=runner.seed, workers=workers, cluster=runner.cluster, **options) as match:
        match.on_tick = lambda match: runner.tell(
            begin + (end - begin) * match.done / match.total, f"{' - '.join(players)}: {match.done} of {match.total}"
        )
        match.run()
        runner.interrupted = runner.interrupted or match.interrupted
        return match.standings[0].as_json() | {"other_code": match.other_code, "file": match.store.path}


class ScoreTable:
    """The scores of an experiment's matches beside those that the paper prints."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.answers: list[dict[str, Any]] = []

    def add(self, label: str, paper: float | None, answer: dict[str, Any]) -> None:
        """A match as `play` tells how it stands; one without games has no row."""
        self.answers.append(answer)
        if answer["games"]:
            row = Row(label, paper, answer["score"], answer["score_low"], answer["score_high"], answer["games"])
            self.rows.append(row)

    def text(self, title: str) -> str:
        lines = []
        for row in self.rows:
            printed = "-" if row.paper is None else f"{row.paper:.3f}"
            lines.append((row.label, [f"{row.measured:.3f}", f"{row.low:.3f} to {row.high:.3f}", printed, str(row.n)]))
        return "\n".join([title, grid("", ["measured", "95% interval", "paper", "games"], lines), *remarks(self.answers)])


def remarks(answers: Iterable[dict[str, Any]]) -> list[str]:
    """A line on games lost by an error, and one for each file with games of another version: no comparison should hold them."""
    answers = list(answers)
    count = sum(answer["forfeits"] for answer in answers)
    lines = [f"{count} games were lost by a fault of a player and not on the board; see the match files."] if count else []
    old = [answer["file"] for answer in answers if answer["other_code"]]
    return lines + [f"{file}: some of its games were played by another version of this program" for file in old]
