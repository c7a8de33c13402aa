"""Whether GNU Go counts the final positions of a match of Go as our rules do: every game that was decided by counting.

    .venv/bin/python benchmarks/gnugo_scores.py MATCH.db...

GNU Go takes dead stones off the board, our rules count what stands there; so the games should have been played to the end by
both sides (GNU Go: --capture-all-dead; ours: resign=0). What differs is printed.
"""

from __future__ import annotations

import os
import shutil
import sys

from tesuji.games.registry import find_game
from tesuji.io.gtp.client import GtpEngine
from tesuji.io.gtp.program import komi_of
from tesuji.lab.match.store import read_match

SECONDS = 60.0


def main() -> int:
    command = shutil.which("gnugo", path=os.environ.get("PATH", "") + ":/usr/games")
    if command is None:
        print("GNU Go is not installed: apt-get install gnugo", file=sys.stderr)
        return 2
    engine = GtpEngine(f"{command} --mode gtp --chinese-rules")
    engine.start(SECONDS)
    counted = equal = 0
    for path in sys.argv[1:]:
        plan, games = read_match(path)
        game = find_game(plan.game)
        for played in games:
            if played.reason != "score":
                continue
            for line in (f"boardsize {game.board.columns if game.board else 9}", "clear_board", f"komi {komi_of(game):g}"):
                engine.send(line, SECONDS)
            for ply, word in enumerate(played.moves.split()):
                engine.send(f"play {'bw'[ply % 2]} {word}", SECONDS)
            theirs = engine.send("final_score", SECONDS).strip()
            counted += 1
            equal += theirs == played.result
            if theirs != played.result:
                print(f"{path}, game {played.number + 1}: ours {played.result}, GNU Go's {theirs}")
    engine.close()
    print(f"{equal} of {counted} final positions counted alike")
    return 0 if equal == counted else 1


if __name__ == "__main__":
    raise SystemExit(main())
