"""Rémi Coulom, "Efficient Selectivity and Backup Operators in Monte-Carlo Tree Search" (2006): its tables and its speed."""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Sequence
from itertools import pairwise

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State, copy_state
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.lab.bench import median_rate, playout_batch
from tesuji.lab.reproduce.experiment import Paper
from tesuji.lab.reproduce.gnu_go import gnu_go
from tesuji.lab.reproduce.matches import MatchRow, MatchTable
from tesuji.lab.reproduce.report import Row, grid, mean_interval, number
from tesuji.lab.reproduce.runner import ExperimentRunner
from tesuji.players.presets import find_player
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.kernel.tree import ROOT
from tesuji.search.selection.gaussian import MAX, MEAN, MIX, ROBUST_MAX, Gaussian, value_by

PAPER = Paper("crazy-stone", "Coulom 2006, Efficient Selectivity and Backup Operators in Monte-Carlo Tree Search")
for claim in (
    ("Table 1", "mean operator, error", "-3.32, -5.84, -0.57", "1"),
    ("Table 1", "max operator, error", "+37.0, +12.7, +0.01", "1"),
    ("Table 1", "robust max operator, error", "+35.3, +11.9, -0.30", "1"),
    ("Table 1", "mix operator, error", "-1.43, -1.70, -0.19", "1"),
    ("Table 1", "all four, size of the error (rms)", "48 figures", "1"),
    ("section 4.1", "the mean is more accurate with few simulations, max with many", "", "1"),
    ("Table 1", "32,768 to 262,144 simulations", "32 figures", "1"),
    ("Table 2", "5 minutes a game against Indigo, 8 minutes", "0.61", ""),
    ("Table 2", "Indigo against GNU Go", "0.28", ""),
    ("Table 2", "4 minutes a game against GNU Go, level 10", "0.25", "2"),
    ("Table 2", "8 minutes a game against GNU Go", "0.32", "2"),
    ("Table 2", "16 minutes a game against GNU Go", "0.36", "2"),
    ("section 5", "stronger with more time", "", "2"),
    ("abstract", "won the 10th KGS tournament", "", ""),
    ("section A.3", "playouts a second from the empty 9x9 board", "17,000", "speed"),
):
    PAPER.claim(*claim)
GAME = "go:9"

# -- Table 1: how far each backup operator is from the value after twice the simulations -----------------------------------
# Positions come from games of the program against itself, evenly from plies 0 to 60: played to its bitter end, a game has some
# 80 plies, and few points are open in the last of them. The paper does not say from where its positions are, and its errors
# are of positions in which much is open. Each is searched with the mix operator, and after 2^n simulations
# the four operators are applied to what the root's moves then are. The error is the operator's value less the value of mix
# after 2^(n+1) simulations, in points, for the player to move.
PLAYER = "crazystone"
SEARCH = {"stop_early": False, "memory": 4000.0}  # MiB, room for 2^19 simulations
SELF_PLAYER = "crazystone:memory=64"
LAST, COUNT = 16_384, 300  # the default: rows up to LAST simulations, so many positions
SELF_PLAY = 200  # playouts a move in the games that positions are taken from
LAST_PLY = 60
OPERATOR_NUMBERS = (MEAN, MAX, ROBUST_MAX, MIX)
OPERATORS = ("mean", "max", "robust max", "mix")

# As printed: simulations -> for each operator the root of the mean squared error, and the mean error, in points.
TABLE_1: dict[int, tuple[tuple[float, float], ...]] = {
    128: ((6.44, -3.32), (41.70, 37.00), (39.60, 35.30), (5.29, -1.43)),
    256: ((7.17, -4.78), (25.00, 22.00), (23.60, 20.90), (4.72, -1.89)),
    512: ((7.56, -5.84), (14.90, 12.70), (13.90, 11.90), (4.08, -1.70)),
    1024: ((6.26, -4.86), (9.48, 7.91), (8.82, 7.41), (3.06, 0.13)),
    2048: ((4.38, -3.15), (6.72, 5.37), (6.11, 4.91), (2.63, 0.77)),
    4096: ((2.84, -1.55), (4.48, 3.33), (3.94, 2.91), (2.05, 0.69)),
    8192: ((2.23, -0.62), (2.78, 1.47), (2.42, 1.07), (1.85, 0.32)),
    16384: ((2.34, -0.57), (2.45, 0.01), (2.40, -0.30), (2.10, -0.19)),
    32768: ((2.15, -0.52), (2.19, 0.10), (2.26, -0.12), (1.93, -0.02)),
    65536: ((2.03, -0.50), (1.83, 0.23), (1.88, 0.01), (1.70, 0.01)),
    131072: ((2.07, -0.54), (1.80, 0.25), (1.94, 0.02), (1.80, -0.02)),
    262144: ((1.85, -0.58), (1.49, 0.25), (1.51, 0.07), (1.39, -0.02)),
}
POSITIONS = 1500


@PAPER.experiment("1", "Table 1: errors of the backup operators against the value after more simulations", 0.1)
def table_1(runner: ExperimentRunner, runs: int | None, full: bool = False, player: str = PLAYER) -> tuple[list[Row], str]:
    """Errors of the four operators in the searches of a player; `runs` is the number of positions."""
    count = runs or (POSITIONS if full else COUNT)
    check_player(player)
    sizes = [size for size in TABLE_1 if full or size <= LAST]
    game = find_game(GAME)
    tasks = [lambda index=index: errors_of_position(runner, game, player, index, sizes) for index in range(count)]
    found = [errors for errors in runner.all(tasks, "positions") if errors is not None]
    if not found:
        return [], "Table 1: no position was finished."
    rows, lines = [], []
    for place, size in enumerate(sizes):
        cells = []
        for column, operator in enumerate(OPERATORS):
            errors = [position[place][column] for position in found]
            root, mean = error_rows(f"{size} {operator}", TABLE_1[size][column], errors)
            rows += [root, mean]
            cells += [f"{root.measured:.2f} ({root.paper:.2f})", f"{_with_interval(mean)} ({mean.paper:+.2f})"]
        lines.append((f"{size:,}", cells))
    columns = [f"{operator} {kind}" for operator in OPERATORS for kind in ("rms", "error")]
    text = [
        f"Table 1. Errors of the backup operators in points; {player}, {len(found)} positions of 9x9 self-play. "
        "The paper's in brackets.",
        grid("simulations", columns, lines),
        *verdicts(rows),
    ]
    return rows, "\n".join(text)


def check_player(player: str) -> None:
    """A UserError unless the player can be asked for the four operators."""
    found = find_player(player, may_load=True)
    if found.settings_for(find_game(GAME))["selection"] != "gaussian":
        raise UserError(
            f"crazy-stone/1 needs a player with selection=gaussian, as in crazystone:allocation=draws; {player} has another"
        )


def error_rows(label: str, printed: tuple[float, float], errors: Sequence[float]) -> tuple[Row, Row]:
    """The root of the mean squared error and the mean error, each with its interval."""
    count = len(errors)
    square, low, high = mean_interval([error * error for error in errors])
    low, high = (None if end is None else math.sqrt(max(0.0, end)) for end in (low, high))
    root = Row(f"{label} rms", printed[0], math.sqrt(square), low, high, count)
    mean, low, high = mean_interval(errors)
    return root, Row(f"{label} error", printed[1], mean, low, high, count)


def _with_interval(row: Row) -> str:
    half = "" if row.high is None or row.measured is None else f" ±{row.high - float(row.measured):.2f}"
    return f"{row.measured:+.2f}{half}"


def verdicts(rows: Sequence[Row]) -> list[str]:
    """The shape that the paper draws its conclusions from, checked on the measured rows."""
    by_label = {row.label: row for row in rows}
    sizes = sorted({int(row.label.split()[0]) for row in rows})

    def measured(size: int, operator: str, kind: str) -> float:
        return float(by_label[f"{size} {operator} {kind}"].measured or 0.0)

    under = [size for size in sizes if size <= 4096 and not (by_label[f"{size} mean error"].high or 0.0) < 0.0]
    over = [
        s for s in sizes if s <= 1024 and not all((by_label[f"{s} {o} error"].low or 0.0) > 0.0 for o in ("max", "robust max"))
    ]
    others = ("mean", "max", "robust max")
    worse = [s for s in sizes if s <= 8192 and measured(s, "mix", "rms") > min(measured(s, o, "rms") for o in others)]
    ratios = [measured(s, "robust max", "error") / (measured(s, "max", "error") or 1.0) for s in sizes]
    printed = [TABLE_1[s][2][1] / TABLE_1[s][1][1] for s in sizes]
    overestimates = [place for place, size in enumerate(sizes) if size <= 8192]  # beyond, both are about 0 in the paper
    return [
        "mean underestimates from 128 to 4,096 (interval below 0): " + _verdict(under),
        "max and robust max overestimate up to 1,024 (intervals above 0): " + _verdict(over),
        "mix has the smallest error up to 8,192: " + _verdict(worse),
        "robust max as a share of max, up to 8,192: "
        + ", ".join(f"{ratios[place]:.2f} ({printed[place]:.2f})" for place in overestimates),
    ]


def _verdict(failures: Sequence[int]) -> str:
    return "yes" if not failures else f"not at {', '.join(f'{size:,}' for size in failures)}"


def errors_of_position(
    runner: ExperimentRunner, game: Game, player: str, index: int, sizes: Sequence[int]
) -> list[list[float]]:
    """For each number of simulations, the errors of the four operators in one position."""
    state = self_play_position(runner, game, index)
    searcher = find_player(player, may_load=True).changed(SEARCH)
    search = searcher.engine(game, state, runner.run_seed(2 * index + 1))
    sign = 1.0 if int(rules.to_play(state)) == rules.FIRST else -1.0
    values: list[list[float]] = []
    for size in [*sizes, 2 * sizes[-1]]:
        runner.search(search, Limits(playouts=size - search.playouts))
        values.append([sign * value for value in operator_values(search)])
    return [[(value - later[-1]) * game.outcome_unit for value in now] for now, later in pairwise(values)]


def operator_values(search: TreeSearch) -> list[float]:
    """What each operator makes of the root now, for player 0."""
    rule = search.rule
    assert isinstance(rule, Gaussian)
    return [float(value_by(operator, rule, search.tree, ROOT)) for operator in OPERATOR_NUMBERS]


def self_play_position(runner: ExperimentRunner, game: Game, index: int) -> State:
    """The position of a short-thinking game against itself after 0 to `LAST_PLY` plies, or its last if it ends before."""
    search = find_player(SELF_PLAYER).engine(game, None, runner.run_seed(2 * index))
    state = copy_state(search.state)
    for _ in range(random.Random(runner.run_seed(index)).randint(0, LAST_PLY)):
        best = runner.search(search, Limits(playouts=SELF_PLAY)).best_move
        assert best is not None
        search.advance(best)
        if rules.is_over(search.state):
            break
        state = copy_state(search.state)
    return state


# -- Table 2: against GNU Go on 9x9, komi 7.5, at several limits a move ----------------------------------------------------
# The paper gave a program 4, 8 or 16 minutes for a game, on a computer of 2006, at 17,000 playouts a second. In games of 57
# plies that is some 140,000 playouts a move in 4 minutes.
GAMES, FULL_GAMES = 20, 100
TABLE_2 = {4: 0.25, 8: 0.32, 16: 0.36}  # winning rates as printed, by minutes a game: GNU Go 3.6, level 10, 100 games each
BY_THE_LETTER = "crazystone:policy_below=-1,"  # the first games of a node by the playout heuristics, as section 2 has it
MATCHES = (  # label, player, limit, the paper's rate, whether only full runs have it
    ("crazystone 0.5 s a move", "crazystone:", "seconds=0.5", None, False),
    ("crazystone 140,000 playouts a move", "crazystone:", "playouts=140000", TABLE_2[4], False),
    ("policy_below=-1 140,000 playouts", BY_THE_LETTER, "playouts=140000", TABLE_2[4], True),
    ("crazystone 280,000 playouts a move", "crazystone:", "playouts=280000", TABLE_2[8], True),
    ("crazystone 560,000 playouts a move", "crazystone:", "playouts=560000", TABLE_2[16], True),
    ("uct-rave 1 s a move", "uct-rave:", "seconds=1", None, False),
)


@PAPER.experiment(
    "2",
    "Table 2: matches against GNU Go on 9x9 at several limits a move (needs gnugo)",
    0.9,
    ready=lambda options: gnu_go(),
    has_matches=True,
)
def table_2(runner: ExperimentRunner, runs: int | None, full: bool = False) -> tuple[list[Row], str]:
    """The score of each player against GNU Go; `runs` is the number of games of each."""
    rows = [
        MatchRow(label, GAME, f"{player}{{limit}}", gnu_go(), paper, "" if only_full else limit, limit, GAMES)
        for label, player, limit, paper, only_full in MATCHES
    ]
    title = (
        "Table 2. Score against GNU Go, level 10, 9x9, komi 7.5. The paper's: 4, 8 and 16 minutes a game, some 140,000 "
        "playouts a move in 4."
    )
    return MatchTable(rows, FULL_GAMES, title, digits=2)(runner, runs, full)


# -- section A.3: playouts a second from the empty board, without a tree, on one processor ---------------------------------
SPEED = 17_000  # of the paper's program, on an Athlon 3400+
RUNS = 5
SECONDS = 1.0
POLICIES = ("crazystone", "uniform")


@PAPER.experiment("speed", "section A.3: playouts a second from the empty 9x9 board", 0.01)
def speed_table(runner: ExperimentRunner, runs: int | None) -> tuple[list[Row], str]:
    """Playouts a second of processor time, the two policies measured in turn."""
    game = find_game(GAME)
    player = find_player("crazystone")
    batches = {policy: playout_batch(game, player.changed({"policy": policy}), runner.seed) for policy in POLICIES}
    rates: dict[str, list[float]] = {policy: [] for policy in POLICIES}
    count = runs or RUNS
    for done in range(count):
        for policy, batch in batches.items():
            rates[policy].append(median_rate(batch, time.process_time, SECONDS, 1))
        runner.tell((done + 1) / count, "playouts")
    rows = []
    for policy in POLICIES:
        _mean, low, high = mean_interval(rates[policy])
        paper = SPEED if policy == "crazystone" else None
        rows.append(Row(f"{policy} playouts a second", paper, statistics.median(rates[policy]), low, high, count))
    ratio = statistics.median(a / b for a, b in zip(*rates.values(), strict=True))
    rows.append(Row("crazystone / uniform", None, ratio, n=count))
    lines = [(row.label, [number(row.measured), number(row.paper)]) for row in rows]
    return rows, "Playouts from the empty 9x9 board (processor time, medians).\n" + grid("", ["measured", "paper"], lines)
