"""Table 1: how far each backup operator is from the value after twice the simulations.

Positions come from games of the program against itself. Each is searched with the mix operator, and after 2^n simulations the
four operators are applied to what the root's moves then are. The error is the operator's value less the value of mix after
2^(n+1) simulations, in points, for the player to move.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import pairwise

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State, copy_state
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.lab.reproduce.crazy_stone.printed import OPERATORS, POSITIONS, TABLE_1
from tesuji.lab.reproduce.report import Row, grid, mean_interval
from tesuji.lab.reproduce.runner import ExperimentRunner
from tesuji.players.presets import find_player
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.kernel.tree import ROOT
from tesuji.search.selection.gaussian import MAX, MEAN, MIX, ROBUST_MAX, Gaussian, value_by

GAME = "go:9"
PLAYER = "crazystone"
SEARCH = {"stop_early": False, "memory": 4000.0}  # MiB, room for 2^19 simulations
SELF_PLAYER = "crazystone:memory=64"
LAST, COUNT = 16_384, 300  # the default: rows up to LAST simulations, so many positions
SELF_PLAY = 200  # playouts a move in the games that positions are taken from
OPERATOR_NUMBERS = (MEAN, MAX, ROBUST_MAX, MIX)


def table_1(runner: ExperimentRunner, runs: int | None, full: bool, player: str = PLAYER) -> tuple[list[Row], str]:
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
        for number, operator in enumerate(OPERATORS):
            errors = [position[place][number] for position in found]
            root, mean = error_rows(f"{size} {operator}", TABLE_1[size][number], errors)
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
    """A position drawn evenly from the moves of a short-thinking game against itself, before its end."""
    search = find_player(SELF_PLAYER).engine(game, None, runner.run_seed(2 * index))
    positions = []
    while not rules.is_over(search.state):
        positions.append(copy_state(search.state))
        best = runner.search(search, Limits(playouts=SELF_PLAY)).best_move
        assert best is not None
        search.advance(best)
    return random.Random(runner.run_seed(index)).choice(positions)
