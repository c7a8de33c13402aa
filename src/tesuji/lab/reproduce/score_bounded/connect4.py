"""Connect Four: Table 6, small boards solved by the three algorithms, and the match of cuts against no cuts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tesuji.core import rules
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.lab.reproduce.report import Row, grid, mean_interval, number
from tesuji.lab.reproduce.runner import ExperimentRunner, Sample
from tesuji.lab.reproduce.score_bounded.printed import MATCH_GAMES, MATCH_POINTS, TABLE_6
from tesuji.lab.reproduce.score_bounded.seki import playouts_row
from tesuji.players.player import Player
from tesuji.players.presets import find_player

LIMIT = 5_000_000
RUNS = 30
MEMORY = "memory=1500"  # MiB: room for the tree of 5,000,000 playouts on 4x4
PLAYERS = {"plain": f"bounds-plain:{MEMORY}", "cuts": f"bounds-cuts:{MEMORY}", "guided": f"bounds-guided:{MEMORY}"}

MATCH_GAME = "connect4:7x6"
MATCH_PLAYOUTS = 10_000
MATCH_PLAYERS = ("bounds-cuts:exploration=1,memory=64", "bounds-plain:exploration=1,memory=64")


# -- Table 6 ---------------------------------------------------------------------------------------------------------------
def table_6(runner: ExperimentRunner, runs: int | None, boards: Sequence[str] = tuple(TABLE_6)) -> tuple[list[Row], str]:
    """Mean playouts to solve each board with each algorithm."""
    count = RUNS if runs is None else runs
    cells = [(board, algorithm) for board in boards for algorithm in PLAYERS]
    asked = [(cell, index) for cell in cells for index in range(count)]

    def prove(cell: tuple[str, str], index: int) -> Sample:
        return runner.prove(find_game(f"connect4:{cell[0]}"), find_player(PLAYERS[cell[1]]), LIMIT, index)

    tasks = [lambda cell=cell, index=index: prove(cell, index) for cell, index in asked]
    samples: dict[tuple[str, str], list[Sample]] = {cell: [] for cell in cells}
    for (cell, _), sample in zip(asked, runner.all(tasks, "runs"), strict=True):
        if sample is not None:
            samples[cell].append(sample)
    rows = []
    lines = []
    for board, algorithm in cells:
        if not samples[board, algorithm]:
            continue
        row = playouts_row(f"{board} {algorithm}", TABLE_6[board][algorithm], samples[board, algorithm], LIMIT)
        rows.append(row)
        lines.append((f"{board} {algorithm}", table_6_cells(row, samples[board, algorithm])))
    text = [
        "Table 6. Playouts to solve small boards of Connect Four (columns x rows, four in a row).",
        grid("", ["measured", "95% interval", "paper", "difference", "solved"], lines),
    ]
    return rows, "\n".join(text)


def table_6_cells(row: Row, samples: Sequence[Sample]) -> list[str]:
    solved = sum(sample.proven for sample in samples)
    sign = "" if solved == len(samples) else ">"
    difference = "-"
    if isinstance(row.paper, float) and not sign:
        difference = f"{100 * (float(row.measured or 0) / row.paper - 1):+.1f}%"
    interval = f"{number(row.low)} to {number(row.high)}" if row.high is not None else "-"
    return [f"{sign}{number(row.measured)}", interval, number(row.paper), difference, f"{solved} of {len(samples)}"]


# -- the match -------------------------------------------------------------------------------------------------------------
class MatchGame(NamedTuple):
    points: float  # of the side with cuts: 1, 0.5 or 0
    plies: int


def match_table(
    runner: ExperimentRunner, runs: int | None, playouts: int = MATCH_PLAYOUTS, game: str = MATCH_GAME
) -> tuple[list[Row], str]:
    """A match of cuts against no cuts, all else equal; each side begins every second game."""
    count = MATCH_GAMES if runs is None else runs
    board = find_game(game)
    sides = [find_player(name) for name in MATCH_PLAYERS]
    tasks = [lambda index=index: play_game(runner, board, sides, playouts, index) for index in range(count)]
    played = [result for result in runner.all(tasks, "games") if result is not None]
    if not played:
        return [], "The match: no game was finished."
    points = [result.points for result in played]
    mean, low, high = mean_interval(points)
    row = Row("cuts against no cuts, score a game", MATCH_POINTS / MATCH_GAMES, mean, low, high, len(played))
    rows = [row]
    for name, value in (("won", 1.0), ("drawn", 0.5), ("lost", 0.0)):
        rows.append(Row(f"games {name} by cuts", None, points.count(value), n=len(played)))
    interval = "" if low is None or high is None else f", 95% interval {low:.3f} to {high:.3f}"
    length = sum(result.plies for result in played) / len(played)
    text = [
        f"The match on {game}, {playouts:,} playouts a move: {MATCH_PLAYERS[0]} against {MATCH_PLAYERS[1]}.",
        f"Measured: {sum(points):g} of {len(played)}, {mean:.3f} a game{interval}",
        f"  won {points.count(1.0)}, drawn {points.count(0.5)}, lost {points.count(0.0)}; {length:.1f} moves a game",
        f"Paper: {MATCH_POINTS:g} of {MATCH_GAMES}, {MATCH_POINTS / MATCH_GAMES:.4f} a game",
    ]
    return rows, "\n".join(text)


def play_game(runner: ExperimentRunner, game: Game, sides: Sequence[Player], playouts: int, index: int) -> MatchGame:
    """One game; the first of the sides begins in games of even index."""
    searches = [side.engine(game, seed=runner.run_seed(2 * index + n)) for n, side in enumerate(sides)]
    order = searches if index % 2 == 0 else searches[::-1]
    state = game.new_state()
    plies = 0
    while not rules.is_over(state):
        mover = order[int(rules.to_play(state))]
        move = runner.search(mover, Limits(playouts=playouts)).best_move
        assert move is not None
        for search in searches:
            search.advance(move)
        rules.play(state, move)
        plies += 1
    outcome = int(rules.outcome(state)) if index % 2 == 0 else -int(rules.outcome(state))
    return MatchGame((outcome + 1) / 2, plies)
