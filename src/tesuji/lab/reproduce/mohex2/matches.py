"""Matches of the players `mohex1` and `mohex2`, whole and with and without one part: what the paper's section 3 and Figures
10 and 11 report.

As in the paper, every game begins with another first move, drawn at random, and each is played twice, with colours exchanged.
The paper's programs thought for minutes a game on four cores; by default the games here are shorter: each experiment is meant
to end within about an hour on two cores. Single parts are measured in the programs without virtual connections. Every game goes
into a match file: a run that was stopped goes on when it is asked for again, and one with more games adds to it.
"""

from __future__ import annotations

from typing import NamedTuple

from tesuji.lab.elo import score_of_elo
from tesuji.lab.reproduce.played import ScoreTable, play
from tesuji.lab.reproduce.report import Row
from tesuji.lab.reproduce.runner import ExperimentRunner

FULL_GAMES = 1000
# Without RAVE, UCT needs an exploration constant above 0.
NO_RAVE = "selection=uct,exploration=0.4,first_play=1"


class Limit(NamedTuple):
    """What each player may use for a move, by default and with --full."""

    own: str
    full: str


PLAYOUTS = Limit("playouts=1000", "playouts=50000")
TIME = Limit("seconds=0.1", "seconds=3")
TIMES = (Limit("seconds=0.05", "seconds=1"), TIME, Limit("seconds=0.2", "seconds=9"))


class PartMatch(NamedTuple):
    """A player with a part against the same without it; names of players with parameters. The limits of the first are `times`
    those of the second.
    """

    label: str
    with_part: str
    without: str
    paper: float | None  # the score that the printed difference of ratings stands for
    limits: tuple[Limit, ...] = (PLAYOUTS,)
    boards: tuple[str, ...] = ("hex:11", "hex:13")
    games: int = 100
    times: float = 1.0


class PartMatches(NamedTuple):
    title: str
    matches: tuple[PartMatch, ...]


# What CLOP has set in the paper, as it might have been before: the RAVE weights of 2011, and round numbers.
UNTUNED = "rave_initial=1,rave_final=20000,exploration=0.5,first_play=0.5,prior_weight=1,weight_cap=1"
# Both players as they are without studies: virtual connections, inferior cells.
PLAIN1, PLAIN2 = "mohex1:policy=bridges", "mohex2:policy=mohex"

EXPERIMENTS = {
    "match": PartMatches(
        "Figure 10. MoHex 2.0 against MoHex of 2011.",
        (
            PartMatch("11x11", "mohex2", "mohex1", 0.811, TIMES, ("hex:11",)),
            PartMatch("13x13", "mohex2", "mohex1", 0.853, TIMES, ("hex:13",)),
        ),
    ),
    "plain": PartMatches(
        "The same, both without virtual connections.",
        (PartMatch("plain", PLAIN2, PLAIN1, None, (PLAYOUTS, TIME)),),
    ),
    "connections": PartMatches(
        "Virtual connections and inferior cells at nodes of many visits.",
        (
            PartMatch("2.0", "mohex2", PLAIN2, None, (PLAYOUTS, TIME)),
            PartMatch("2011", "mohex1", PLAIN1, None, (PLAYOUTS, TIME)),
        ),
    ),
    "beyond": PartMatches(
        "Our strongest player against MoHex 2.0.", (PartMatch("hex", "hex", "mohex2", None, (PLAYOUTS, TIME)),)
    ),
    "wolve": PartMatches(
        "Figure 10. Both programs against Wolve.",
        (
            PartMatch("MoHex 2.0", "mohex2", "wolve", None, (TIME,)),
            PartMatch("MoHex of 2011", "mohex1", "wolve", None, (TIME,)),
        ),
    ),
    "rave": PartMatches(
        "Section 3. MoHex of 2011 with RAVE.", (PartMatch("RAVE", PLAIN1, f"{PLAIN1},{NO_RAVE}", score_of_elo(180)),)
    ),
    "save-bridge": PartMatches(
        "Section 3. MoHex of 2011 with bridges saved in playouts.",
        (
            PartMatch("without RAVE", f"{PLAIN1},{NO_RAVE}", f"mohex1:policy=uniform,{NO_RAVE}", score_of_elo(100)),
            PartMatch("with RAVE", PLAIN1, "mohex1:policy=uniform", None),
        ),
    ),
    "doubling": PartMatches(
        "Section 3. MoHex of 2011 with twice the simulations.",
        (PartMatch("doubled", PLAIN1, PLAIN1, score_of_elo(36), times=2.0),),
    ),
    "formula": PartMatches(
        "Section 4.2. Exploration inside the UCT term (equation 2) against none (equation 1 with its best constant, 0).",
        (
            PartMatch(
                "equation 2",
                f"{PLAIN1},selection=rave-inside,exploration=0.22,first_play=0.35,rave_initial=2.12,rave_final=830,rave_skip=30",
                PLAIN1,
                None,
            ),
        ),
    ),
    "patterns": PartMatches(
        "Figure 11. Patterns in the tree.",
        (
            PartMatch(
                "patterns in the tree",
                f"{PLAIN2},simulation=bridges,extend_unstable=0",
                f"{PLAIN2},simulation=bridges,extend_unstable=0,prior_from=nothing,pruning=off",
                score_of_elo(175),
                (PLAYOUTS, TIME),
            ),
            PartMatch("all features instead", f"{PLAIN2},prior_from=features", PLAIN2, None),
        ),
    ),
    "simulations": PartMatches(
        "Section 4.6. Playouts by patterns against playouts that save bridges.",
        (PartMatch("playouts by patterns", PLAIN2, f"{PLAIN2},simulation=bridges", None, (PLAYOUTS, TIME)),),
    ),
    "clop": PartMatches(
        "Figure 11. Constants by CLOP, as printed, against round ones: the paper does not say what they were before.",
        (PartMatch("CLOP", PLAIN2, f"{PLAIN2},{UNTUNED}", score_of_elo(46)),),
    ),
    "unstable": PartMatches(
        "Figure 11. Extension of unstable searches: a stable one takes as long as those of the other player.",
        (PartMatch("extension", PLAIN2, f"{PLAIN2},extend_unstable=0", score_of_elo(35), (TIME,), times=1.5),),
    ),
}


def named(player: str, limit: str, times: float = 1.0) -> str:
    """The player with so many times a limit."""
    unit, _, amount = limit.partition("=")
    return f"{player}{',' if ':' in player else ':'}{unit}={times * float(amount):g}"


def compare(runner: ExperimentRunner, experiment: PartMatches, runs: int | None, full: bool) -> tuple[list[Row], str]:
    """Plays the matches of an experiment; `runs` is the number of games of each."""
    todo = [(one, board, limit) for one in experiment.matches for limit in one.limits for board in one.boards]
    scores = ScoreTable()
    for place, (one, board, limits) in enumerate(todo):
        limit = limits.full if full else limits.own
        players = named(one.with_part, limit, one.times), named(one.without, limit)
        games = runs or (FULL_GAMES if full else one.games)
        part = (place / len(todo), (place + 1) / len(todo))
        answer = play(runner, board, players, games, part, random_plies=1)
        label = f"{one.label}, {board.partition(':')[2]}x{board.partition(':')[2]}, {limit.replace('=', ' ')}"
        scores.add(label, one.paper, answer)
        if runner.interrupted:
            break
    return scores.rows, scores.text(f"{experiment.title} Score of the first against the second.")
