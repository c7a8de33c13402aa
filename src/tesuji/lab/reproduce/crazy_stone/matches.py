"""Table 2: Crazy Stone against GNU Go on 9x9, komi 7.5, at several times a move.

The paper gave a program minutes for a game; its moves then took about 5, 10 and 20 seconds of a computer of 2006, at 17,000
playouts a second. Here a move is given a time: at some 35,000 a second, with the tree, 2 seconds are three quarters of the
paper's 4 minutes a game. Every game goes into a match file, so a run that was stopped goes on when it is asked for again.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tesuji.core.errors import UserError
from tesuji.lab.reproduce.crazy_stone.printed import TABLE_2
from tesuji.lab.reproduce.played import play, remarks
from tesuji.lab.reproduce.report import Row, grid
from tesuji.lab.reproduce.runner import ExperimentRunner

GAME = "go:9"
FOLDERS = ("/usr/games",)  # where Debian puts it, which is not on every path
GAMES, FULL_GAMES = 20, 100
TIMES = (("crazystone", 0.5, None), ("crazystone", 2.0, TABLE_2[4]), ("uct-rave", 1.0, None))


def gnu_go() -> str:
    """GNU Go as an opponent. It is told to play on until all dead stones are captured, since the board is counted as it is."""
    found = shutil.which("gnugo") or next((f"{folder}/gnugo" for folder in FOLDERS if Path(folder, "gnugo").exists()), None)
    if found is None:
        raise UserError("this needs GNU Go; install it, as in: apt-get install gnugo")
    return f"gtp:{found} --mode gtp --level 10 --chinese-rules --capture-all-dead"


def table_2(runner: ExperimentRunner, runs: int | None, full: bool) -> tuple[list[Row], str]:
    """The score of each player against GNU Go; `runs` is the number of games at each time."""
    games = runs or (FULL_GAMES if full else GAMES)
    rows, lines, answers = [], [], []
    for place, (player, seconds, paper) in enumerate(TIMES):
        part = (place / len(TIMES), (place + 1) / len(TIMES))
        answer = play(runner, GAME, (f"{player}:seconds={seconds:g}", gnu_go()), games, part)
        answers.append(answer)
        if answer["games"]:
            label = f"{player} {seconds:g} s a move"
            rows.append(Row(label, paper, answer["score"], answer["score_low"], answer["score_high"], answer["games"]))
            interval = f"{answer['score_low']:.3f} to {answer['score_high']:.3f}"
            printed = "-" if paper is None else f"{paper:.2f}"
            lines.append((label, [f"{answer['score']:.3f}", interval, printed, str(answer["games"])]))
        if runner.interrupted:
            break
    text = [
        "Table 2. Score against GNU Go, level 10, 9x9, komi 7.5. The paper's: 4 minutes a game, some 90,000 playouts a move.",
        grid("", ["measured", "95% interval", "paper", "games"], lines),
        *remarks(answers),
    ]
    return rows, "\n".join(text)
