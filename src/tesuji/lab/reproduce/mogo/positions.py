"""Positions of the kind of the paper's Figures 4 and 5, on 9x9: what a clause of the playouts changes in single positions.

The paper's figures are not in the text that we have; these positions are made for the purpose. In all of them two things are at
stake and White, to move, can have only one. One is six points at the edge, where three black and two white stones are both in
atari. The other is worth more: White's corner group. It is dead if Black has the next move there, but playouts without the
clause let it live in many games, so that the six points look like the better move. All else is settled but for some points of
neither side. The komi is such that White wins by half a point with a right move; moves that save the group and lose a point are
wrong, too.

In the semeai it is White's move that kills, and Black who is saved by an approach move if White plays elsewhere.
"""

from __future__ import annotations

from statistics import fmean
from typing import NamedTuple

from tesuji.core import rules
from tesuji.core.game import Game, State
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.lab.elo import score_interval
from tesuji.lab.reproduce.report import Row, grid, mean_interval
from tesuji.lab.reproduce.runner import ExperimentRunner
from tesuji.players.presets import find_player

PLAYOUTS = (100, 300, 1000, 3000)
FULL_PLAYOUTS = (*PLAYOUTS, 10_000, 30_000)
RUNS = 20
FULL_RUNS = 100


class GoProblem(NamedTuple):
    """A position with White to move. X is Black, O White; the top row comes first."""

    label: str
    rows: str
    komi: float
    right: tuple[str, ...]  # the moves with which White wins
    wrong: tuple[str, ...]  # the move that looks better, and in the corners Black's answer: White is lost then
    without: str  # the parameter that leaves the clause out


NAKADE, APPROACH = "nakade=0", "approach=0"
PROBLEMS = (
    GoProblem(
        "straight three",  # E1 takes three stones and leaves B1 to D1 empty, of which Black takes the middle
        "O.O.O.O.O OOOOOOOOO OO.O.OXXX OXXXXXOO. OXXXXXXXX OXXXXXXX. .XX...XXX OOOOOO.X. OXXX.O.X.",
        -2.5,
        ("A3",),
        ("J6", "A3"),
        NAKADE,
    ),
    GoProblem(
        "bent three",  # the same with D1, and B2, B1 and C1
        "O.O.O.O.O OOOOOOOOO OO.O.OXXX OXXXXXOO. OXXXXXXXX .X.XXXXX. OOO..XXXX OXOOO.XX. OXX.O.XX.",
        -2.5,
        ("A4",),
        ("J6", "A4"),
        NAKADE,
    ),
    GoProblem(
        "square four",  # a white stone in it leaves three points, of which Black takes the middle
        "O.O.O.O.O OOOOOOOOO OO.O.OXXX OXXXXXOO. .XX.XXXXX OOOO.XXX. O..O.XXXX O..O.XXX. OOOO.XXX.",
        -6.5,
        ("A5",),
        ("J6", "A5"),
        NAKADE,
    ),
    GoProblem(
        "four points, not covered",  # B2 takes four stones; the clause does not cover four points
        "O.O.O.O.O OOOOOOOOO OO.O.OXXX OXXXXXOO. OXXXXXXXX .X..XXXX. OOOO.XXXX O.XOO.XX. OXXXO.XX.",
        -4.5,
        ("A4",),
        ("J6", "A4"),
        NAKADE,
    ),
    GoProblem(
        "semeai",  # Black must connect at C3 before A2: a stone there first is captured with A3 and B3
        ".X.X.X.X. XXXXXXXXX .OOX.X.XX XXXOOOOX. OOO.O.OXX OOOOOOOX. XX.XX.O.X .OOOXXOX. OO..X.OX.",
        -0.5,
        ("C3", "D1", "F1", "F3"),
        ("A7",),
        APPROACH,
    ),
)


class GoProblemAnswer(NamedTuple):
    is_right: bool
    chance: float  # White's chance to win after the wrong moves, as the search sees it: it is 0


def set_up(problem: GoProblem) -> tuple[Game, State]:
    rows = problem.rows.split()
    game = find_game(f"go:{len(rows)}:komi={problem.komi}")
    assert game.board is not None and game.board.set_up is not None
    stones = {
        (column, len(rows) - 1 - down): "XO".index(sign)
        for down, row in enumerate(rows)
        for column, sign in enumerate(row)
        if sign != "."
    }
    return game, game.board.set_up(game.new_state(), stones, 1)


def ask(runner: ExperimentRunner, problem: GoProblem, parameters: str, playouts: int, index: int) -> GoProblemAnswer:
    """White's move, and what the search thinks of the position in which it is too late for the right one."""
    player = find_player("mogo" if not parameters else f"mogo:{parameters}")
    game, state = set_up(problem)
    seed, limits = runner.run_seed(index), Limits(playouts=playouts)
    move = runner.search(player.engine(game, state, seed), limits).best_move
    is_right = move is not None and game.text(state, move) in problem.right
    for text in problem.wrong:
        rules.play(state, game.parse(state, text))
    result = runner.search(player.engine(game, state, seed), limits)
    chance = result.chance(result.value)  # of the player to move
    return GoProblemAnswer(is_right, chance if rules.to_play(state) == 1 else 1.0 - chance)


def compare_positions(runner: ExperimentRunner, runs: int | None, full: bool = False) -> tuple[list[Row], str]:
    """Shares of right moves and mean estimates with and without the clause, by the number of playouts."""
    runs = runs or (FULL_RUNS if full else RUNS)
    rows: list[Row] = []
    lines: list[tuple[str, list[str]]] = []
    for problem in PROBLEMS:
        for playouts in FULL_PLAYOUTS if full else PLAYOUTS:
            cells = []
            for name, parameters in (("with", ""), ("without", problem.without)):
                tasks = [
                    lambda index=index, parameters=parameters, problem=problem, playouts=playouts: ask(
                        runner, problem, parameters, playouts, index
                    )
                    for index in range(runs)
                ]
                answers = [answer for answer in runner.all(tasks, f"{problem.label}, {playouts} playouts") if answer]
                if not answers:
                    break
                share = fmean(answer.is_right for answer in answers)
                low, high = score_interval(share, len(answers))
                label = f"{problem.label}, {playouts:,} playouts, {name}"
                rows.append(Row(f"{label}: right moves", None, share, low, high, len(answers)))
                mean, least, most = mean_interval([answer.chance for answer in answers])
                rows.append(Row(f"{label}: estimate of a lost position", None, mean, least, most, len(answers)))
                cells += [f"{share:.2f} ({low:.2f} to {high:.2f})", f"{mean:.2f}"]
            if len(cells) == 4:
                lines.append((f"{problem.label}, {playouts:,}", [cells[0], cells[2], cells[1], cells[3]]))
    text = [
        "Positions like those of Figures 4 and 5, by playouts: share of right moves with and without the clause;",
        "the chance to win that the search sees for the side that has lost after the wrong move: 0 is right.",
        grid("", ["right, with", "right, without", "estimate, with", "without"], lines),
    ]
    return rows, "\n".join(text)
