"""Simulations a second of whole searches of Hex, knowledge included: medians over positions of games, by CPU time.

    .venv/bin/python benchmarks/hex_search.py [--players mohex2,hex] [--games hex:11,hex:13] [--plies 0,10,20,30]
        [--positions N] [--playouts N] [--records FILE]

The players search each position in turn. Positions come from where benchmarks/hex_knowledge.py takes its own. `ahead_ms` is the
look at all moves before the search (`presearch`), which is not part of the speed; positions that this decides are left out.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import is_pure
from tesuji.core.tables import plain_table
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.search.kernel.tree import STUDIED, USED

sys.path.insert(0, str(Path(__file__).parent))
from hex_knowledge import played_games, recorded_games

COLUMNS = ("game", "ply", "player", "positions", "decided", "simulations/s", "slowest", "studied", "ahead_ms")


def measure(name: str, ply: int, games: list[list[int]], players: list[str], playouts: int) -> list[list[str]]:
    game = find_game(name)
    speeds: dict[str, list[tuple[float, int, float]]] = {player: [] for player in players}
    decided = dict.fromkeys(players, 0)
    for moves in games:
        state = game.initial.copy()
        for move in moves[:ply]:
            rules.play(state, move)
        for player in players:
            search = find_player(player).changed({"memory": 256.0}).engine(game, state.copy(), seed=1)
            search.prepare()
            began = time.process_time()
            search._presearch(search.new_budget(Limits()))
            ahead = time.process_time() - began
            began = time.process_time()
            result = search.run(Limits(playouts=playouts), with_moves=False)
            spent = time.process_time() - began
            if result.playouts < playouts:
                decided[player] += 1
                continue
            nodes = search.tree.nodes[: int(search.tree.counters[USED])]
            speeds[player].append((playouts / spent, int(((nodes["flags"] & STUDIED) != 0).sum()), 1000 * ahead))
    rows = []
    for player in players:
        found = speeds[player] or [(0.0, 0, 0.0)]
        middle = [statistics.median(column) for column in zip(*found, strict=True)]
        slowest = min(speed for speed, _, _ in found)
        numbers = [f"{middle[0]:.0f}", f"{slowest:.0f}", f"{middle[1]:.0f}", f"{middle[2]:.1f}"]
        rows.append([name, str(ply), player, str(len(games)), str(decided[player]), *numbers])
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--players", default="mohex2,hex", help="separated by semicolons, if one has parameters")
    parser.add_argument("--games", default="hex:11,hex:13")
    parser.add_argument("--plies", default="0,10,20,30")
    parser.add_argument("--positions", type=int, default=8)
    parser.add_argument("--playouts", type=int, default=10_000)
    parser.add_argument("--records", type=Path, help="games to take positions from, instead of playing some")
    options = parser.parse_args()
    if is_pure():
        print("hex_search: the compiler is switched off (TESUJI_PURE, NUMBA_DISABLE_JIT)", file=sys.stderr)
        return 2
    plies = [int(word) for word in options.plies.split(",")]
    players = options.players.split(";" if ";" in options.players else ",")
    rows = []
    try:
        for name in options.games.split(","):
            game = find_game(name)
            if options.records:
                games = recorded_games(options.records, game, max(plies) + 1, options.positions)
            else:
                games = [moves for moves in played_games(game, max(plies) + 1, options.positions) if len(moves) > max(plies)]
            for ply in plies:
                rows += measure(name, ply, games[:1] if ply == 0 else games, players, options.playouts)
    except (UserError, OSError) as error:
        print(f"hex_search: {error}", file=sys.stderr)
        return 2
    print(plain_table(list(COLUMNS), rows, list(COLUMNS[3:])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
