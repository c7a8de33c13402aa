"""What helps in any game, without knowledge of it: each technique against the same player without, at equal CPU time.

No paper's table: an experiment of our own. The games are those in which the default player is plain UCT with bounds. Every
match has a file, so that a run that was stopped goes on. `cells_of_games` reads a whole run back from its games as text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tesuji.core.errors import UserError
from tesuji.core.files import check_can_write, write_file
from tesuji.lab.elo import score_interval
from tesuji.lab.match.games_file import GAMES_FILE, read_games_file
from tesuji.lab.match.store import read_match
from tesuji.lab.reproduce.experiment import Paper
from tesuji.lab.reproduce.general_picture import HEAT_MAP_FILE, heat_map
from tesuji.lab.reproduce.matches import MatchRow, MatchScore, play, remarks
from tesuji.lab.reproduce.report import Row, grid
from tesuji.lab.reproduce.runner import ExperimentRunner

PAPER = Paper("general", "our own experiment: what helps in games without a player of their own")
BASE = "tesuji"
SECONDS, FULL_SECONDS = 0.03, 0.3  # of CPU time a move
GAMES, FULL_GAMES = 40, 200
COLUMNS = ("match", "number", "black", "white", "result", "reason", "cpu_black", "cpu_white", "moves")
NO_TECHNIQUE = "default"


class Technique(NamedTuple):
    name: str
    values: str  # what the default player is changed by


TECHNIQUES = (
    Technique("GRAVE", "selection=grave"),
    Technique("MAST", "playout_moves=mast"),
    Technique("bonus for short wins", "length_bonus=0.25"),
    Technique("progressive history", "selection=progressive-history"),
    Technique("NST", "playout_moves=nst"),
    Technique("last good reply", "last_good_reply=2"),
    Technique("decisive moves", "decisive_moves=win"),
    Technique("policy adaptation", "playout_moves=ppa"),
    Technique("anti-decisive moves", "decisive_moves=both"),
    Technique("RAVE", "selection=rave"),
    Technique("UCB1-Tuned", "selection=ucb1-tuned"),
)
BOARDS = (
    "clobber:6x5",
    "gomoku:9",
    "breakthrough:6",
    "y:8",
    "nogo:7",
    "dotsandboxes:3x3",
    "domineering:8",
    "havannah:5",
    "ataxx:6",
    "othello:8",
    "amazons:6",
)


class Cell(NamedTuple):
    """One technique in one game; the score is that of the player with it."""

    technique: str
    game: str
    score: float
    games: int

    @property
    def interval(self) -> tuple[float, float]:
        return score_interval(self.score, self.games)


class Average(NamedTuple):
    """The mean of a technique's scores, every game of equal weight."""

    score: float
    low: float
    high: float
    games: int


def average(cells: Sequence[Cell]) -> Average:
    """The interval is from the spread of single games, each taken to be won or lost."""
    mean = sum(cell.score for cell in cells) / len(cells)
    # As in Wilson's interval, one game counts as half won and half lost: a score of 0 or 1 is not certain.
    shares = [(cell.score * cell.games + 1.0) / (cell.games + 2.0) for cell in cells]
    variance = sum(share * (1.0 - share) / cell.games for share, cell in zip(shares, cells, strict=True)) / len(cells) ** 2
    half = 1.96 * math.sqrt(variance)
    return Average(mean, max(0.0, mean - half), min(1.0, mean + half), sum(cell.games for cell in cells))


@PAPER.experiment(
    "techniques",
    "each technique on and off in every game, as a table and a heat map (--picture)",
    1.0,
    ready=lambda options: check_files(options.get("picture"), options.get("games_file")),
    has_matches=True,
)
def measure(
    runner: ExperimentRunner,
    runs: int | None,
    full: bool = False,
    seconds: float | None = None,
    picture: str | None = None,
    games_file: str | None = None,
) -> tuple[list[Row], str]:
    matches = [(technique, board) for technique in TECHNIQUES for board in BOARDS]
    limit = seconds or (FULL_SECONDS if full else SECONDS)
    games = runs or (FULL_GAMES if full else GAMES)
    scores: list[MatchScore] = []
    cells: list[Cell] = []
    lines: list[str] = []
    for place, (technique, board) in enumerate(matches):
        row = MatchRow(f"{technique.name}, {board}", board, f"{BASE}:{technique.values}", BASE, limit=f"cpu={limit:g}")
        part = place / len(matches), (place + 1) / len(matches)
        score = play(runner, row, row.limit, games, part, random_plies=2)
        if score.standing.games:
            scores.append(score)
            cells.append(Cell(technique.name, board, score.standing.score or 0.0, score.standing.games))
            lines += lines_of(score.file, technique.name, board)
            keep(cells, lines, picture, games_file)
        if runner.interrupted:
            break
    return [score.row for score in scores], "\n".join([table(cells, limit), *remarks(scores)])


# -- as text and as a picture ------------------------------------------------------------------------------------------------
def table(cells: Sequence[Cell], seconds: float | None = None) -> str:
    """A line for each game, a column for each technique, and the averages."""
    techniques = list(dict.fromkeys(cell.technique for cell in cells))
    boards = list(dict.fromkeys(cell.game for cell in cells))
    found = {(cell.technique, cell.game): cell for cell in cells}
    lines = [(board, [shown(found.get((technique, board))) for technique in techniques]) for board in boards]
    means = [average([cell for cell in cells if cell.technique == technique]) for technique in techniques]
    lines.append(("average", [f"{mean.score:.2f} ({mean.low:.2f} to {mean.high:.2f})" for mean in means]))
    lines.append(("games", [str(mean.games) for mean in means]))
    time = f", {seconds:g} CPU s a move" if seconds else ""
    return f"Score of the default player with each technique against the same without{time}.\n{grid('', techniques, lines)}"


def shown(cell: Cell | None) -> str:
    if cell is None:
        return "-"
    low, high = cell.interval
    return f"{cell.score:.2f} ({low:.2f} to {high:.2f})"


def picture_of(cells: Sequence[Cell]) -> str:
    """The heat map of the table."""
    techniques = list(dict.fromkeys(cell.technique for cell in cells))
    boards = list(dict.fromkeys(cell.game for cell in cells))
    values = {(cell.technique, cell.game): (cell.score, *cell.interval) for cell in cells}
    means = [average([cell for cell in cells if cell.technique == technique]) for technique in techniques]
    values |= {(name, "average"): (mean.score, mean.low, mean.high) for name, mean in zip(techniques, means, strict=True)}
    title = "Score of the default player with a technique against the same without"
    return heat_map(title, techniques, [*boards, "average"], values)


def check_files(picture: str | None, games_file: str | None) -> None:
    for path, kind in ((picture, HEAT_MAP_FILE), (games_file, GAMES_FILE)):
        if path is not None:
            check_can_write(path, kind)


def keep(cells: Sequence[Cell], lines: Sequence[str], picture: str | None, games_file: str | None) -> None:
    if picture is not None:
        write_file(picture, picture_of(cells).encode(), HEAT_MAP_FILE)
    if games_file is not None:
        write_file(games_file, "\n".join(["\t".join(COLUMNS), *lines, ""]).encode(), GAMES_FILE)


# -- games as text -----------------------------------------------------------------------------------------------------------
def lines_of(file: str | Path, technique: str, board: str) -> list[str]:
    """The games of a match file, a line each, in the columns of `COLUMNS`."""
    lines = []
    for one in read_match(str(file))[1]:
        names = [technique if slot == 0 else NO_TECHNIQUE for slot in (one.first, one.second)]
        times = ["" if value is None else f"{value:.3g}" for value in (one.cpu_first, one.cpu_second)]
        cells = [f"{technique}, {board}", str(one.number), *names, one.result, one.reason, *times, one.moves]
        lines.append("\t".join(cells))
    return lines


def cells_of_games(paths: Iterable[str | Path]) -> list[Cell]:
    """The scores of a run, counted anew from its games."""
    cells = []
    for path in paths:
        for match in read_games_file(path):
            technique, _, board = match.match.rpartition(", ")
            for (a, b), standing in match.standings.items():
                if {a, b} != {technique, NO_TECHNIQUE} or standing.score is None:
                    raise UserError(f"{path}: {match.match or a} is not a match of a technique against {NO_TECHNIQUE}")
                cells.append(Cell(technique, board, standing.score if a == technique else 1.0 - standing.score, standing.games))
    return cells
