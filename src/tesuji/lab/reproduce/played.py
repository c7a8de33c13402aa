"""Matches as parts of an experiment: played from where they stand, and what must be said of their games."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tesuji.lab.match import open_match
from tesuji.lab.reproduce.runner import Runner


def play(
    runner: Runner, game: str, players: tuple[str, str], games: int, part: tuple[float, float], **options: Any
) -> dict[str, Any]:
    """Plays what is missing of a match, and tells how it stands from the first player's side.

    `part` is the share of the experiment's progress that it begins and ends at, `options` are those of `open_match`. The answer
    is that of the standing, and `other_code`: whether the file has games of another version of this program.
    """
    begin, end = part
    with open_match(game, list(players), games, seed=runner.seed, workers=runner.jobs, **options) as match:
        match.on_tick = lambda match: runner.tell(
            begin + (end - begin) * match.done / match.total, f"{' - '.join(players)}: {match.done} of {match.total}"
        )
        match.run()
        runner.interrupted = runner.interrupted or match.interrupted
        return match.standings[0].as_json() | {"other_code": match.other_code, "file": match.store.path}


def remarks(answers: Iterable[dict[str, Any]]) -> list[str]:
    """A line on games lost by an error, and one for each file with games of another version: no comparison should hold them."""
    answers = list(answers)
    count = sum(answer["forfeits"] for answer in answers)
    lines = [f"{count} games were lost by a fault of a player and not on the board; see the match files."] if count else []
    old = [answer["file"] for answer in answers if answer["other_code"]]
    return lines + [f"{file}: some of its games were played by another version of this program" for file in old]
