"""Chaslot et al., "Adding expert knowledge and exploration in Monte-Carlo Tree Search" (2009): MoGo without each part.

Figures 2 and 3, Table 1 and the text are matches of `mogo` against itself without one part. The paper's programs thought for up
to 45 seconds on eight cores and played thousands of games; by default the games here are fewer and shorter, so that each
experiment ends within about an hour on two cores, and the rows by time on eight cores are left to full runs.

For Figures 4 and 5 there are positions of our own.
"""

from __future__ import annotations

from statistics import fmean
from typing import NamedTuple

from tesuji.core import rules
from tesuji.core.game import Game, State
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.knowledge.go.shapes import SHAPES
from tesuji.lab.elo import score_interval
from tesuji.lab.reproduce.experiment import Paper
from tesuji.lab.reproduce.gnu_go import gnu_go
from tesuji.lab.reproduce.matches import MatchRow, MatchTable
from tesuji.lab.reproduce.report import Row, grid, mean_interval
from tesuji.lab.reproduce.runner import ExperimentRunner
from tesuji.players.presets import find_player

PAPER = Paper("mogo", "Chaslot et al. 2009, Adding Expert Knowledge and Exploration in Monte-Carlo Tree Search")
for claim in (
    ("Figure 2", "learned patterns, 3,000 playouts a move", "0.56 ± 0.01", "patterns"),
    ("Figure 2", "learned patterns, 2 s a move", "0.509 ± 0.015", "patterns"),
    ("Figure 2", "tuned coefficients, 1 s a move", "0.552 ± 0.008", "patterns"),
    ("Figure 2", "the constant C, 1 s a move", "0.6172 ± 0.031", "patterns"),
    ("section 2", "shapes as a start of RAVE, 19x19", "0.639 ± 0.005", "shapes"),
    ("section 2", "points that are owned in a third of the games are preferred", "", ""),
    ("section 3.1", "fill-board, 9x9, 10,000 playouts a move", "0.529 ± 0.005", "fill-board"),
    ("section 3.1", "fill-board, 9x9, 5 s, 8 cores", "0.543 ± 0.012", "fill-board"),
    ("section 3.1", "fill-board, 9x9, 100,000 playouts", "0.552 ± 0.014", "fill-board"),
    ("section 3.1", "fill-board, 9x9, 200,000 playouts", "0.55 ± 0.011", "fill-board"),
    ("section 3.1", "fill-board, 19x19, 10,000 playouts", "0.493 ± 0.012", "fill-board"),
    ("section 3.1", "fill-board, 19x19, 5 s, 8 cores", "0.77 ± 0.033", "fill-board"),
    ("section 3.1", "fill-board, 19x19, 100,000 playouts", "0.737 ± 0.029", "fill-board"),
    ("section 3.1", "fill-board, 19x19, 200,000 playouts", "0.784 ± 0.029", "fill-board"),
    ("section 3.1", "4, 12 or 22 empty points in place of 8 disappoint", "", "fill-empty"),
    ("Figure 3", "position: few patterns match without fill-board", "", ""),
    ("Table 1", "nakade, 9x9, 10,000 playouts a move", "0.528 ± 0.005", "nakade"),
    ("Table 1", "nakade, 9x9, 100,000 playouts", "0.556 ± 0.006", "nakade"),
    ("Table 1", "nakade, 9x9, 300,000 playouts", "0.562 ± 0.009", "nakade"),
    ("Table 1", "nakade, 9x9, 5 s, 8 cores", "0.558 ± 0.014", "nakade"),
    ("Table 1", "nakade, 9x9, 15 s, 8 cores", "0.605 ± 0.019", "nakade"),
    ("Table 1", "nakade, 9x9, 45 s, 8 cores", "0.662 ± 0.014", "nakade"),
    ("Table 1", "nakade, 19x19, 100,000 playouts", "0.532 ± 0.011", "nakade"),
    ("Figure 4", "(a) to (d): the right move with the nakade clause, a wrong one without", "", "positions"),
    ("Figure 4", "(e): a nakade that the clause does not cover is not solved", "", "positions"),
    ("section 3.3", "approach moves, 9x9, 20,000 playouts a move", "0.5268 ± 0.0033", "approach"),
    ("section 3.3", "approach moves, 19x19, 50,000 playouts", "0.5469 ± 0.0227", "approach"),
    ("Figure 5", "left: a semeai that approach moves solve", "", "positions"),
    ("Figure 5", "right: one that they do not", "", ""),
    ("conclusion", "with RAVE the best exploration constant of UCB is 0", "", ""),
    ("abstract", "won with 7 and 6 stones against professionals, 9 and 1 dan", "", "handicap"),
):
    PAPER.claim(*claim)
FULL_GAMES = 2000
NO_PATTERNS = "pattern_prior=0"
TUNED = "rave_bias=0.0004,prior_share=1.2"  # what a tune found on 9x9 (docs/experiments/tuning.md) for c1 and c2, without C
NO_SHAPES = ",".join(f"{name}_games=0" for name in SHAPES)


# -- matches ---------------------------------------------------------------------------------------------------------------
def compare(table: str, summary: str, share: float, title: str, *matches: MatchRow) -> None:
    """Declares matches of `mogo` with a part against `mogo` without it."""
    scores = MatchTable(matches, FULL_GAMES, f"{title} Score with the part against without it.")
    PAPER.experiment(table, summary, share, has_matches=True)(scores)


def part(
    label: str, game: str, with_part: str, without: str, paper: float | None, full_limit: str, limit: str = "", games: int = 0
) -> MatchRow:
    """`mogo` with some parameters against `mogo` with others."""
    first, second = (f"mogo:{{limit}}{',' * bool(values)}{values}" for values in (with_part, without))
    return MatchRow(f"{label} (here {{limit}})", game, first, second, paper, limit, full_limit, games)


def of_playouts(game: str, off: str, printed: int, paper: float, playouts: int, games: int) -> MatchRow:
    """Without the part that this parameter leaves out, at the paper's playouts a move, or so many games at our own."""
    return part(f"{game}, {printed:,} playouts", game, "", off, paper, f"playouts={printed}", f"playouts={playouts}", games)


def by_time(game: str, off: str, seconds: int, paper: float) -> MatchRow:
    """The same at so many seconds a move, which the paper's program had on eight cores; for full runs alone."""
    return part(f"{game}, {seconds} s on 8 cores", game, "", off, paper, f"seconds={seconds}")


NO_C = "prior_bonus=0"
compare(
    *("patterns", "Figure 2: learned patterns, tuned constants, and the constant C", 0.3),
    "Figure 2. Patterns learned from games in H, tuned constants, and the constant C of equation 1.",
    part(*("patterns, 9x9", "go:9", NO_C, f"{NO_C},{NO_PATTERNS}"), *(0.56, "playouts=3000", "playouts=1300", 200)),
    part(*("patterns, 19x19", "go:19", NO_C, f"{NO_C},{NO_PATTERNS}"), *(0.56, "playouts=3000", "playouts=300", 60)),
    part(*("patterns, fixed time", "go:19", NO_C, f"{NO_C},{NO_PATTERNS}"), *(0.509, "seconds=2", "seconds=0.05", 60)),
    part(*("tuned, 9x9", "go:9", f"{NO_C},{TUNED}", NO_C), *(0.552, "seconds=1", "playouts=1300", 200)),
    part("with C, 9x9", "go:9", "", NO_C, 0.6172, "seconds=1", "playouts=1300", 200),
    part("with C, 19x19", "go:19", "", NO_C, 0.6172, "seconds=1", "playouts=300", 100),
)
compare(
    *("fill-board", "Figure 3: the fill-board clause of the playouts, 9x9 and 19x19", 0.3),
    "Figure 3. The fill-board clause of the playouts.",
    of_playouts("go:9", "fill_board=0", 10_000, 0.529, 1000, 200),
    by_time("go:9", "fill_board=0", 5, 0.543),
    of_playouts("go:9", "fill_board=0", 100_000, 0.552, 2000, 60),
    of_playouts("go:9", "fill_board=0", 200_000, 0.55, 4000, 30),
    of_playouts("go:19", "fill_board=0", 10_000, 0.493, 300, 60),
    by_time("go:19", "fill_board=0", 5, 0.77),
    of_playouts("go:19", "fill_board=0", 100_000, 0.737, 1000, 20),
    of_playouts("go:19", "fill_board=0", 200_000, 0.784, 2000, 10),
)
EMPTY = (4, 12, 22)  # the paper has no figures for these, it says that they disappoint
compare(
    *("fill-empty", "section 3.1: fill-board where 4, 12 or 22 points are empty in place of 8", 0.1),
    "Section 3.1. The fill-board clause where so many nearest points are empty, against 8.",
    *(
        part(f"{empty} points, 9x9", "go:9", f"fill_empty={empty}", "", None, "playouts=10000", "playouts=1300", 200)
        for empty in EMPTY
    ),
)
compare(
    *("nakade", "Table 1: the nakade clause", 0.2),
    "Table 1. The nakade clause of the playouts.",
    of_playouts("go:9", "nakade=0", 10_000, 0.528, 1000, 200),
    of_playouts("go:9", "nakade=0", 100_000, 0.556, 2000, 60),
    of_playouts("go:9", "nakade=0", 300_000, 0.562, 4000, 30),
    by_time("go:9", "nakade=0", 5, 0.558),
    by_time("go:9", "nakade=0", 15, 0.605),
    by_time("go:9", "nakade=0", 45, 0.662),
    of_playouts("go:19", "nakade=0", 100_000, 0.532, 300, 60),
)
compare(
    *("approach", "section 3.3: approach moves", 0.2),
    "Section 3.3. Approach moves in the playouts.",
    of_playouts("go:9", "approach=0", 20_000, 0.5268, 1000, 200),
    of_playouts("go:19", "approach=0", 50_000, 0.5469, 300, 60),
)
SHAPES_BY_RAVE = f"shapes_prior=0,{NO_PATTERNS}"
compare(
    *("shapes", "section 2: the shapes of Figure 1, 19x19", 0.1),
    "Section 2. The shapes of Figure 1 as a start of RAVE (19x19), without learned patterns.",
    part(*("shapes", "go:19", SHAPES_BY_RAVE, f"{NO_SHAPES},{NO_PATTERNS}"), *(0.639, "playouts=3000", "playouts=300", 60)),
)

# -- against GNU Go with handicap ------------------------------------------------------------------------------------------
HANDICAP, HANDICAP_GAMES = 4, 20


@PAPER.experiment(
    "handicap",
    f"MoGo's headline: mogo gives {HANDICAP} stones to GNU Go, level 10, on 19x19 (needs gnugo)",
    0.5,
    ready=lambda options: gnu_go(),
    has_matches=True,
)
def handicap_table(runner: ExperimentRunner, runs: int | None, full: bool = False) -> tuple[list[Row], str]:
    """The score of `mogo`, which is White in all games, on a komi of half a point; `runs` is the number of games."""
    match = MatchRow(
        f"mogo gives {HANDICAP} stones, {{limit}} a move",
        *("go:19", "mogo:{limit}", gnu_go(), None, "playouts=13000", "playouts=100000", HANDICAP_GAMES),
    )
    title = "Handicap. The paper's program won with 7 stones against a professional; this is an opponent that can be had here."
    return MatchTable([match], 100, title, {"handicap": HANDICAP})(runner, runs, full)


# -- positions -------------------------------------------------------------------------------------------------------------
# The paper's figures are not in the text that we have; these positions, on 9x9, are made for the purpose: what a clause of the
# playouts changes in single positions. In all of them two things are at stake and White, to move, can have only one. One is six
# points at the edge, where three black and two white stones are both in atari. The other is worth more: White's corner group.
# It is dead if Black has the next move there, but playouts without the clause let it live in many games, so that the six points
# look like the better move. All else is settled but for some points of neither side. The komi is such that White wins by half a
# point with a right move; moves that save the group and lose a point are wrong, too.
#
# In the semeai it is White's move that kills, and Black who is saved by an approach move if White plays elsewhere.
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


@PAPER.experiment("positions", "Figures 4 and 5: nakade and a semeai, positions of our own making", 0.02)
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
