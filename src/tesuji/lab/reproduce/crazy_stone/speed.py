"""Section A.3: playouts a second from the empty 9x9 board, without a tree, on one processor."""

from __future__ import annotations

import statistics
import time

from tesuji.games.registry import find_game
from tesuji.lab.bench import median_rate, playout_batch
from tesuji.lab.reproduce.crazy_stone.printed import SPEED
from tesuji.lab.reproduce.report import Row, grid, mean_interval, number
from tesuji.lab.reproduce.runner import ExperimentRunner
from tesuji.players.presets import find_player

GAME = "go:9"
RUNS = 5
SECONDS = 1.0
POLICIES = ("crazystone", "uniform")


def speed_table(runner: ExperimentRunner, runs: int | None, full: bool) -> tuple[list[Row], str]:
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
