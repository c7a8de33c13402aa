"""Plain UCT with uniform playouts, ours against OpenSpiel's C++ MCTSBot, measured alternately in one run on one thread.

    .venv/bin/python benchmarks/openspiel.py [--simulations N] [--repeats R] [--json]

Both search from the empty board with the same number of simulations, one playout a simulation, no solver. Each figure is
the median over the repeats of simulations per second of CPU time; the ratio is the median of the ratios of neighbours.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time

from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.search.engine import Search

PAIRS = (("connect4:7x6", "connect_four", 6.0), ("tictactoe", "tic_tac_toe", 2.0))
EXPLORATION = 0.7


def ours(name: str, simulations: int, seed: int) -> float:
    settings = find_player("uct").settings.replace(exploration=EXPLORATION)
    search = Search(find_game(name), settings=settings, seed=seed)
    search.prepare()
    began = time.process_time()
    result = search.run(Limits(playouts=simulations))
    spent = time.process_time() - began
    assert result.playouts == simulations
    return simulations / spent


def theirs(name: str, simulations: int, seed: int) -> float:
    import pyspiel

    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(game, evaluator, EXPLORATION, simulations, 4000, False, seed, False)
    state = game.new_initial_state()
    began = time.process_time()
    bot.mcts_search(state)
    return simulations / (time.process_time() - began)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--simulations", type=int, default=300_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        import pyspiel  # noqa: F401
    except ImportError:
        print("OpenSpiel is not installed: pip install open_spiel", file=sys.stderr)
        return 2
    rows = []
    for our_name, their_name, wanted in PAIRS:
        ours(our_name, 1000, 0)  # compiled before anything is measured
        pairs = [
            (ours(our_name, options.simulations, seed), theirs(their_name, options.simulations, seed))
            for seed in range(1, options.repeats + 1)
        ]
        rows.append(
            {
                "game": our_name,
                "ours": statistics.median(a for a, _ in pairs),
                "openspiel": statistics.median(b for _, b in pairs),
                "ratio": statistics.median(a / b for a, b in pairs),
                "wanted": wanted,
            }
        )
    if options.json:
        print(json.dumps({"simulations": options.simulations, "repeats": options.repeats, "results": rows}))
        return 0
    for row in rows:
        print(
            f"{row['game']:14s} ours {row['ours']:>12,.0f}/s   OpenSpiel {row['openspiel']:>10,.0f}/s"
            f"   ratio {row['ratio']:.2f} (wanted {row['wanted']:g})"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
