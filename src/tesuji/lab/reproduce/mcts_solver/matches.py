"""Tables 1 and 2: MCTS-Solver against MCTS, and both against alpha-beta with three evaluations.

The paper played 1,000 games at 5 seconds a move on a computer of 2008, from 100 positions after three plies. Games 2k and
2k + 1 have the same opening with colours exchanged. Every game goes into a match file, so a run that was stopped goes on when
it is asked for again.
"""

from __future__ import annotations

from typing import Any

from tesuji.lab.reproduce.mcts_solver.openings import FILE, GAME
from tesuji.lab.reproduce.mcts_solver.printed import GAMES, NAMES, OPPONENTS, SECONDS, TABLE_1, TABLE_2
from tesuji.lab.reproduce.played import play, remarks
from tesuji.lab.reproduce.report import Row, grid
from tesuji.lab.reproduce.runner import ExperimentRunner

# Unless asked for otherwise, of each match: half an hour for each table with two games at a time.
SHORT_SECONDS_1, SHORT_GAMES_1 = 0.2, 400
SHORT_SECONDS_2, SHORT_GAMES_2 = 0.1, 200  # more games in place of time: some of the differences are small
SOLVER, PLAIN = "mcts-solver", "mcts"


def table_1(runner: ExperimentRunner, runs: int | None, full: bool, seconds: float | None = None) -> tuple[list[Row], str]:
    """The score of the solver against the same program without it; `runs` is the number of games."""
    seconds = seconds or (SECONDS if full else SHORT_SECONDS_1)
    games = runs or (GAMES if full else SHORT_GAMES_1)
    answer = play(runner, GAME, (SOLVER, PLAIN), games, (0.0, 1.0), seconds=seconds, openings=str(FILE))
    title = f"Table 1. {NAMES[SOLVER]} against {NAMES[PLAIN]}, Lines of Action, {seconds:g} s a move (paper: {SECONDS:g} s)."
    if not answer["games"]:
        return [], f"{title}\nNo game was finished."
    row = score_row(f"{SOLVER} against {PLAIN}", TABLE_1 / GAMES, answer)
    points = answer["score"] * answer["games"]
    lost = answer["games"] - points
    cells = [
        f"{points:g} - {lost:g}",
        f"{answer['score']:.3f}",
        f"{answer['score_low']:.3f} to {answer['score_high']:.3f}",
        f"{points / lost:.2f}" if lost else "-",
        str(answer["games"]),
    ]
    others = GAMES - TABLE_1
    printed = [f"{TABLE_1:g} - {others:g}", f"{TABLE_1 / GAMES:.3f}", "-", f"{TABLE_1 / others:.2f}", str(GAMES)]
    columns = ["points", "score", "95% interval", "winning ratio", "games"]
    return [row], "\n".join([title, grid("", columns, [("measured", cells), ("paper", printed)]), *remarks([answer])])


def table_2(runner: ExperimentRunner, runs: int | None, full: bool, seconds: float | None = None) -> tuple[list[Row], str]:
    """The scores of both programs against alpha-beta; `runs` is the number of games of each of the six matches."""
    seconds = seconds or (SECONDS if full else SHORT_SECONDS_2)
    games = runs or (GAMES if full else SHORT_GAMES_2)
    pairs = [(player, opponent) for opponent in OPPONENTS for player in TABLE_2]  # comparable ones one after the other
    answers: dict[tuple[str, str], dict[str, Any]] = {}
    for place, pair in enumerate(pairs):
        part = (place / len(pairs), (place + 1) / len(pairs))
        answer = play(runner, GAME, pair, games, part, seconds=seconds, openings=str(FILE))
        if answer["games"]:
            answers[pair] = answer
        if runner.interrupted:
            break
    rows, lines = [], []
    for player, points in TABLE_2.items():
        cells = []
        for opponent, paper in zip(OPPONENTS, points, strict=True):
            answer = answers.get((player, opponent))
            if answer is None:
                cells.append("-")
                continue
            row = score_row(f"{player} against {opponent}", paper / GAMES, answer)
            rows.append(row)
            cells.append(f"{row.measured:.3f} [{row.low:.3f}, {row.high:.3f}] ({row.paper:.3f})")
        lines.append((NAMES[player], cells))
    text = [
        f"Table 2. Score against alpha-beta, {games} games each, {seconds:g} s a move, with 95% intervals.",
        f"The paper's in brackets: {GAMES:,} games each, {SECONDS:g} s a move.",
        grid("", [NAMES[opponent] for opponent in OPPONENTS], lines),
        *verdicts({pair: answer["score"] for pair, answer in answers.items()}),
        *remarks(answers.values()),
    ]
    return rows, "\n".join(text)


def score_row(label: str, paper: float, answer: dict[str, Any]) -> Row:
    return Row(label, paper, answer["score"], answer["score_low"], answer["score_high"], answer["games"])


def verdicts(scores: dict[tuple[str, str], float]) -> list[str]:
    """Whether the order of the paper's Table 2 holds, as far as all six matches have games."""
    if len(scores) < len(OPPONENTS) * len(TABLE_2):
        return []
    falling = all(
        scores[player, OPPONENTS[0]] > scores[player, OPPONENTS[1]] > scores[player, OPPONENTS[2]] for player in TABLE_2
    )
    above = all(scores[SOLVER, opponent] > scores[PLAIN, opponent] for opponent in OPPONENTS)
    return [
        f"each program scores less against the later evaluation (by points, not by intervals): {'yes' if falling else 'no'}",
        f"the solver scores more than the plain program against each (by points, not by intervals): {'yes' if above else 'no'}",
    ]
