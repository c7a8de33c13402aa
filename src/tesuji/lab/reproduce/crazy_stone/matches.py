"""Table 2: Crazy Stone against GNU Go on 9x9, komi 7.5, at several times a move.

The paper gave a program minutes for a game; its moves then took about 5, 10 and 20 seconds of a computer of 2006. Here a move
is given a time. Every game goes into a match file, so a run that was stopped goes on when it is asked for again.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tesuji.core.errors import UserError
from tesuji.lab.match.start import open_match
from tesuji.lab.reproduce.crazy_stone.printed import TABLE_2
from tesuji.lab.reproduce.report import Row, grid
from tesuji.lab.reproduce.runner import Runner

GAME = "go:9"
FOLDERS = ("/usr/games",)  # where Debian puts it, which is not on every path
GAMES, FULL_GAMES = 20, 100
TIMES = (("crazystone", 0.5, TABLE_2[4]), ("crazystone", 2.0, TABLE_2[8]), ("uct-rave", 1.0, None))


def gnu_go() -> str:
    """GNU Go as an opponent. It is told to play on until all dead stones are captured, since the board is counted as it is."""
    found = shutil.which("gnugo") or next((f"{folder}/gnugo" for folder in FOLDERS if Path(folder, "gnugo").exists()), None)
    if found is None:
        raise UserError("this needs GNU Go; install it, as in: apt-get install gnugo")
    return f"gtp:{found} --mode gtp --level 10 --chinese-rules --capture-all-dead"


def table_2(runner: Runner, runs: int | None, full: bool) -> tuple[list[Row], str]:
    """The score of each player against GNU Go; `runs` is the number of games at each time."""
    games = runs or (FULL_GAMES if full else GAMES)
    rows, lines = [], []
    for place, (player, seconds, paper) in enumerate(TIMES):
        with open_match(
            GAME, [f"{player}:seconds={seconds:g}", gnu_go()], games, seed=runner.seed, workers=runner.jobs
        ) as match:
            match.on_tick = lambda match, place=place: runner.tell(
                (place + match.done / match.total) / len(TIMES), f"games at {TIMES[place][1]:g} s"
            )
            match.run()
            standing = match.standings[0]
        answer = standing.as_json()
        if answer["games"]:
            label = f"{player} {seconds:g} s a move"
            rows.append(Row(label, paper, answer["score"], answer["score_low"], answer["score_high"], answer["games"]))
            interval = f"{answer['score_low']:.3f} to {answer['score_high']:.3f}"
            printed = "-" if paper is None else f"{paper:.2f}"
            lines.append((label, [f"{answer['score']:.3f}", interval, printed, str(answer["games"])]))
        if match.interrupted:
            runner.interrupted = True
            break
    text = [
        "Table 2. Score against GNU Go, level 10, 9x9, komi 7.5. The paper's: 4 and 8 minutes a game on a computer of 2006.",
        grid("", ["measured", "95% interval", "paper", "games"], lines),
    ]
    return rows, "\n".join(text)
