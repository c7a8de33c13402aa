"""Matches of `mogo` against itself without one part: what the paper's Figures 2 and 3, its Table 1 and its text report.

The paper's programs thought for up to 45 seconds on eight cores and played thousands of games; by default the games here are
fewer and shorter, so that each experiment ends within about an hour on two cores, and the rows by time on eight cores are left
to full runs. Every game goes into a match file: a run that
was stopped goes on when it is asked for again, and one with more games adds to it.
"""

from __future__ import annotations

from typing import NamedTuple

from tesuji.knowledge.go.shapes import SHAPES
from tesuji.lab.reproduce.played import ScoreTable, play
from tesuji.lab.reproduce.report import Row
from tesuji.lab.reproduce.runner import ExperimentRunner

FULL_GAMES = 2000
NO_PATTERNS = "pattern_prior=0,pattern_games=0"
# What a tune found on 9x9 (docs/experiments/tuning.md) for c1, c2 and the games of patterns, without C.
TUNED = "rave_bias=0.0004,prior_share=1.2,pattern_games=44"
NO_SHAPES = ",".join(f"{name}_games=0" for name in SHAPES)
# Rules that the paper does not have, and that know much of what the shapes know (docs/experiments/go-offline-knowledge.md).
NO_LIKE_RULES = "shape_3x3_games=0,empty_area_games=0,empty_edge_games=0"


class Comparison(NamedTuple):
    """One match of `mogo` with one set of parameters against another. A limit is 'playouts=N' or 'seconds=S' a move."""

    label: str
    game: str
    with_part: str
    without: str
    paper: float | None  # the score that is printed
    printed_limit: str  # as near as one thread comes to it
    limit: str = ""  # without --full; "" = not played then
    games: int = 0


class Comparisons(NamedTuple):
    title: str
    matches: tuple[Comparison, ...]


def _of_playouts(game: str, with_part: str, without: str, rows: tuple[tuple[int, float | None, int, int], ...]):
    """Comparisons at the paper's playouts a move, at our own, with so many games."""
    return tuple(
        Comparison(
            f"{game}, {printed:,} playouts", game, with_part, without, paper, f"playouts={printed}", f"playouts={own}", n
        )
        for printed, paper, own, n in rows
    )


def _by_time(game: str, without: str, *rows: tuple[int, float]) -> tuple[Comparison, ...]:
    """Comparisons at so many seconds a move, which the paper's program had on eight cores; for full runs alone."""
    return tuple(Comparison(f"{game}, {s} s on 8 cores", game, "", without, paper, f"seconds={s}") for s, paper in rows)


EXPERIMENTS = {
    "patterns": Comparisons(
        "Figure 2. Patterns learned from games in H, tuned constants, and the constant C of equation 1.",
        (
            Comparison(
                *("patterns, fixed playouts", "go:19", "prior_bonus=0", f"prior_bonus=0,{NO_PATTERNS}"),
                *(0.56, "playouts=3000", "playouts=300", 60),
            ),
            Comparison(
                *("patterns, fixed time", "go:19", "prior_bonus=0", f"prior_bonus=0,{NO_PATTERNS}"),
                *(0.509, "seconds=2", "seconds=0.05", 60),
            ),
            Comparison(
                *("tuned, fixed time", "go:9", f"prior_bonus=0,{TUNED}", "prior_bonus=0"),
                *(0.552, "seconds=1", "seconds=0.05", 200),
            ),
            Comparison("with C, fixed time", "go:19", "", "prior_bonus=0", 0.6172, "seconds=1", "seconds=0.05", 60),
        ),
    ),
    "fill-board": Comparisons(
        "Figure 3. The fill-board clause of the playouts.",
        (
            *_of_playouts("go:9", "", "fill_board=0", ((10_000, 0.529, 1000, 200),)),
            *_by_time("go:9", "fill_board=0", (5, 0.543)),
            *_of_playouts("go:9", "", "fill_board=0", ((100_000, 0.552, 2000, 60), (200_000, 0.55, 4000, 30))),
            *_of_playouts("go:19", "", "fill_board=0", ((10_000, 0.493, 300, 60),)),
            *_by_time("go:19", "fill_board=0", (5, 0.77)),
            *_of_playouts("go:19", "", "fill_board=0", ((100_000, 0.737, 1000, 20), (200_000, 0.784, 2000, 10))),
        ),
    ),
    "nakade": Comparisons(
        "Table 1. The nakade clause of the playouts.",
        (
            *_of_playouts(
                "go:9", "", "nakade=0", ((10_000, 0.528, 1000, 200), (100_000, 0.556, 2000, 60), (300_000, 0.562, 4000, 30))
            ),
            *_by_time("go:9", "nakade=0", (5, 0.558), (15, 0.605), (45, 0.662)),
            *_of_playouts("go:19", "", "nakade=0", ((100_000, 0.532, 300, 60),)),
        ),
    ),
    "approach": Comparisons(
        "Section 3.3. Approach moves in the playouts.",
        (
            *_of_playouts("go:9", "", "approach=0", ((20_000, 0.5268, 1000, 200),)),
            *_of_playouts("go:19", "", "approach=0", ((50_000, 0.5469, 300, 60),)),
        ),
    ),
    "shapes": Comparisons(
        "Section 2. The shapes of Figure 1 as a start of RAVE (19x19), without learned patterns.",
        (
            Comparison(
                *("shapes", "go:19", f"shapes_into=rave,shapes_prior=0,{NO_PATTERNS}", f"{NO_SHAPES},{NO_PATTERNS}"),
                *(0.639, "playouts=3000", "playouts=300", 60),
            ),
            Comparison(
                *("shapes, without rules of 3x3 patterns and empty areas", "go:19"),
                f"shapes_into=rave,shapes_prior=0,{NO_PATTERNS},{NO_LIKE_RULES}",
                f"{NO_SHAPES},{NO_PATTERNS},{NO_LIKE_RULES}",
                *(0.639, "playouts=3000", "playouts=300", 60),
            ),
        ),
    ),
}


def named(parameters: str, limit: str) -> str:
    return f"mogo:{limit}" + (f",{parameters}" if parameters else "")


def compare(runner: ExperimentRunner, experiment: Comparisons, runs: int | None, full: bool) -> tuple[list[Row], str]:
    """Plays the matches of an experiment; `runs` is the number of games of each."""
    scores = ScoreTable()
    chosen = [one for one in experiment.matches if full or one.limit]
    count = len(chosen)
    for place, one in enumerate(chosen):
        limit = one.printed_limit if full else one.limit
        players = named(one.with_part, limit), named(one.without, limit)
        games = runs or (FULL_GAMES if full else one.games)
        answer = play(runner, one.game, players, games, (place / count, (place + 1) / count))
        scores.add(f"{one.label} (here {limit.replace('=', ' ')})", one.paper, answer)
        if runner.interrupted:
            break
    return scores.rows, scores.text(f"{experiment.title} Score with the part against without it.")
