"""Scores and intervals counted anew from the games that were kept, so that a reader can recount what a page claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tesuji.core.errors import UserError
from tesuji.core.sources import PACKAGE
from tesuji.lab.match.games_file import read_games_file
from tesuji.lab.match.standing import Standing, letter

KEPT = Path("docs/experiments/games")
KEYS = ("games", "a_wins", "b_wins", "draws", "score", "score_low", "score_high", "elo", "elo_low", "elo_high")


class RecordedScore(NamedTuple):
    """Two players of a match in a file of games; the standing is that of A."""

    file: str
    match: str
    game: str  # "" = the file does not say
    a: str
    b: str
    standing: Standing

    @property
    def text(self) -> str:
        low, high = self.standing.interval
        return f"{self.standing.score:.2f} ({low:.2f} to {high:.2f})"

    def as_json(self) -> dict[str, Any]:
        figures = self.standing.as_json()
        names = {"file": self.file, "match": self.match, "game": self.game or None, "a": self.a, "b": self.b}
        return {**names, **{key: figures[key] for key in KEYS}}


def recorded_scores(paths: Sequence[str]) -> list[RecordedScore]:
    """Of every match in these files, and in the .tsv files of these folders; without any, in those of this project's pages."""
    found = [score for path in paths or [kept_games()] for file in _files(Path(path)) for score in _scores(file)]
    if not found:
        raise UserError(f"{', '.join(map(str, paths))}: there are no games to count")
    return found


def kept_games() -> str:
    for folder in (KEPT, PACKAGE.parents[1] / KEPT):
        if folder.is_dir():
            return str(folder)
    raise UserError(f"there is no folder {KEPT} here: name files of games, as in --recorded FILE.tsv, or a folder of them")


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(path.glob("*.tsv"))
    if not files:
        raise UserError(f"{path} holds no file of games: their names end with .tsv")
    return files


def _scores(path: Path) -> Iterator[RecordedScore]:
    for match in read_games_file(path):
        names, game = {}, ""
        if match.plan is not None:
            game = match.plan.game
            names = {letter(slot): player.label for slot, player in enumerate(match.plan.players)}
        for (a, b), standing in match.standings.items():
            yield RecordedScore(str(path), match.match, game, names.get(a, a), names.get(b, b), standing)
