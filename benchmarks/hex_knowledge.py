"""How long the connections of a Hex position take, and how many there are: medians over positions of games.

    .venv/bin/python benchmarks/hex_knowledge.py [--games hex:11,hex:13] [--plies 10,20,30] [--positions N] [--records FILE]
        [--json]

Positions come from games of a quick player (mohex2, some hundred playouts a move), or with `--records` from a file with one
game a line: its last field, after a tab or alone, is the moves, separated by blanks (`f6 g5 ...`), and its second, if it has
several, the size of the board. Figures are milliseconds of CPU time, the least of three runs, for both colours together: from
nothing, and as an update after the next move. `ahead_ms` is the time for each move of the must-play region that is looked at
before a search (`presearch`), all included, `ahead` how many there are. `first` and `second` say for how many of the colours
an edge-to-edge connection was found that needs a move, or none.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import compiled, is_pure
from tesuji.core.tables import plain_table
from tesuji.games.registry import find_game
from tesuji.knowledge.hex.connections.build import build, new_connections
from tesuji.knowledge.hex.connections.edge_to_edge import mustplay, wins_as_first, wins_as_second
from tesuji.knowledge.hex.connections.listing import sizes
from tesuji.knowledge.hex.connections.update import update
from tesuji.players.presets import find_player
from tesuji.search.policy import NO_LOWER, NO_UPPER, study_moves

RUNS = 3
PLAYOUTS = 300
SIZE_COLUMN = 1  # of a file with several fields a line


def played_games(game, plies: int, count: int) -> Iterator[list[int]]:
    """Games of a quick player against itself, from different first moves."""
    cells = int(game.initial["width"]) * int(game.initial["height"])
    for number in range(count):
        state, moves = game.initial.copy(), []
        search = None
        while len(moves) < plies and not rules.is_over(state):
            if search is None:
                move = number * 37 % cells
            else:
                move = search.run(Limits(playouts=PLAYOUTS)).best_move
            moves.append(move)
            rules.play(state, move)
            if search is None:
                search = find_player("mohex2").changed({"memory": 16.0}).engine(game, state.copy(), number + 1)
            else:
                search.advance(move)
        yield moves


def recorded_games(path: Path, game, plies: int, count: int) -> list[list[int]]:
    """Games of that many plies or more, evenly spread over the file."""
    size = int(game.initial["width"])
    found = []
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if line.startswith("#") or (len(fields) > SIZE_COLUMN and fields[SIZE_COLUMN] != str(size)):
                continue
            moves = [game.parse_move(game.initial, word) for word in fields[-1].split()]
            if len(moves) >= plies and min(moves) >= 0:
                found.append(moves)
    if not found:
        raise UserError(f"{path} has no game of {size}x{size} with {plies} moves or more")
    return found[:: max(1, len(found) // count)][:count]


def least(do: Callable[..., None], *arguments) -> float:
    """Milliseconds of CPU time that a call takes, the least of some runs."""
    spent = []
    for _ in range(RUNS):
        began = time.process_time()
        do(*arguments)
        spent.append(time.process_time() - began)
    return 1000 * min(spent)


def look_ahead(policy, state, moves, count, bounds):
    bounds[0, :count] = NO_LOWER
    bounds[1, :count] = NO_UPPER
    study_moves(policy, state, moves, count, bounds)


def measure(name: str, ply: int, games: list[list[int]]) -> dict:
    game = find_game(name)
    width, height = int(game.initial["width"]), int(game.initial["height"])
    now, then = ([new_connections(width, height, colour) for colour in range(2)] for _ in range(2))
    do_build, do_update, do_look = compiled(build), compiled(update), compiled(look_ahead)
    policy = find_player("mohex2").engine(game).policy
    bounds = np.zeros((2, width * height), np.int64)
    rows = []
    marks = np.zeros(width * height, np.int8)
    for moves in games:
        state = game.initial.copy()
        for move in moves[:ply]:
            rules.play(state, move)
        after = state.copy()
        rules.play(after, moves[ply])
        for colour in range(2):  # compiles, the first time
            do_build(now[colour], state)
            do_update(now[colour], then[colour], after)
        mustplay(now[1 - ply % 2], marks)
        region = np.flatnonzero(marks).astype(np.int32)
        do_look(policy, state, region, len(region), bounds)
        row = {
            "build_ms": sum(least(do_build, now[colour], state) for colour in range(2)),
            "update_ms": sum(least(do_update, now[colour], then[colour], after) for colour in range(2)),
            "ahead_ms": least(do_look, policy, state, region, len(region), bounds) / max(1, len(region)),
            "ahead": len(region),
            "first": sum(bool(wins_as_first(known)) for known in now),
            "second": sum(bool(wins_as_second(known)) for known in now),
        }
        for key in ("fulls", "full_pairs", "semis", "semi_pairs", "left_out"):
            row[key] = statistics.mean(sizes(known)[key] for known in now)
        rows.append(row)
    result = {"game": name, "ply": ply, "positions": len(rows)}
    for key in rows[0]:
        counted = key in ("first", "second", "left_out")
        result[key] = sum(row[key] for row in rows) if counted else round(statistics.median(row[key] for row in rows), 2)
    result["slowest_ms"] = round(max(row["build_ms"] for row in rows), 2)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", default="hex:11,hex:13")
    parser.add_argument("--plies", default="10,20,30")
    parser.add_argument("--positions", type=int, default=12, help="games of each size")
    parser.add_argument("--records", type=Path, help="games to take positions from, instead of playing some")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if is_pure():
        print("hex_knowledge: the compiler is switched off (TESUJI_PURE, NUMBA_DISABLE_JIT)", file=sys.stderr)
        return 2
    plies = [int(word) for word in options.plies.split(",")]
    results = []
    try:
        for name in options.games.split(","):
            game = find_game(name)
            needed = max(plies) + 1
            if options.records:
                games = recorded_games(options.records, game, needed, options.positions)
            else:
                games = [moves for moves in played_games(game, needed, options.positions) if len(moves) >= needed]
            results += [measure(name, ply, games) for ply in plies]
    except (UserError, OSError) as error:
        print(f"hex_knowledge: {error}", file=sys.stderr)
        return 2
    if options.json:
        for row in results:
            print(json.dumps(row))
    else:
        columns = list(results[0])
        print(plain_table(columns, [[str(row[column]) for column in columns] for row in results], columns[1:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
