"""Plain UCT with uniform playouts, ours against OpenSpiel's C++ MCTSBot, measured alternately in one run on one thread.

    .venv/bin/python benchmarks/openspiel.py [--game GAME] [--simulations N] [--repeats R] [--json]

Both search from the start with the same number of simulations, one playout a simulation, no solver. For some games playouts
alone are measured too, ours against its RandomRolloutEvaluator. For Lines of Action there are two rows more, of the player
mc-loa with all that it knows (moves drawn by category, a look at every move of a new node, playouts that are evaluated),
against the same searches and playouts of OpenSpiel. Each figure is the median over the repeats of simulations (or playouts)
per second of CPU time; the ratio is the median of the ratios of neighbours.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from dataclasses import replace
from typing import Any, NamedTuple

from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.lab.bench import playout_batch
from tesuji.players.player import Player
from tesuji.players.presets import find_player

PLAIN = "uct"


class Pair(NamedTuple):
    ours: str
    theirs: str
    wanted: float  # ratio
    share: float  # of --simulations: long games take fewer
    playouts: bool  # whether playouts alone are measured too
    player: str = PLAIN


PAIRS = (
    Pair("connect4:7x6", "connect_four", 6.0, 1.0, False),
    Pair("tictactoe", "tic_tac_toe", 2.0, 1.0, False),
    Pair("go:9", "go(board_size=9)", 8.0, 0.03, False),
    Pair("hex:11", "hex(num_cols=11,num_rows=11)", 5.0, 0.1, True),
    Pair("loa", "lines_of_action", 20.0, 0.01, True),
    Pair("loa", "lines_of_action", 5.0, 0.01, True, "mc-loa"),
)
EXPLORATION = 0.7


def player_of(name: str) -> Player:
    """Plain UCT is set up as the other program is; any other player plays as it always does."""
    player = find_player(name)
    if name != PLAIN:
        return player
    return replace(player, by_game={}).changed({"exploration": EXPLORATION, "policy": "uniform"})


def ours(name: str, player: str, simulations: int, seed: int) -> float:
    search = player_of(player).engine(find_game(name), seed=seed)
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


def our_playouts(name: str, player: str, playouts: int, seed: int) -> float:
    _done, spent = playout_batch(find_game(name), player_of(player), seed)(playouts, time.process_time)
    return playouts / spent


def their_playouts(name: str, playouts: int, seed: int) -> float:
    import pyspiel

    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(playouts, seed)  # asked once, by a search of one simulation
    bot = pyspiel.MCTSBot(game, evaluator, EXPLORATION, 1, 4000, False, seed, False)
    state = game.new_initial_state()
    began = time.process_time()
    bot.mcts_search(state)
    return playouts / (time.process_time() - began)


def compare(pair: Pair, what: str, count: int, repeats: int) -> dict[str, Any]:
    """The two measured in turn."""
    mine, other = (ours, theirs) if what == "simulations" else (our_playouts, their_playouts)
    mine(pair.ours, pair.player, 1000, 0)  # compiled before anything is measured
    pairs = [(mine(pair.ours, pair.player, count, seed), other(pair.theirs, count, seed)) for seed in range(1, repeats + 1)]
    return {
        "game": pair.ours,
        "player": pair.player,
        "what": what,
        "ours": statistics.median(a for a, _ in pairs),
        "openspiel": statistics.median(b for _, b in pairs),
        "ratio": statistics.median(a / b for a, b in pairs),
        "wanted": pair.wanted,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--game", choices=list(dict.fromkeys(pair.ours for pair in PAIRS)), help="measure this one only")
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
    for pair in PAIRS:
        if options.game in (None, pair.ours):
            count = max(1, int(options.simulations * pair.share))
            for what in ("simulations", "playouts") if pair.playouts else ("simulations",):
                rows.append(compare(pair, what, count, options.repeats))
    if options.json:
        print(json.dumps({"simulations": options.simulations, "repeats": options.repeats, "results": rows}))
        return 0
    for row in rows:
        print(
            f"{row['game']:14s} {row['player']:8s} {row['what']:12s} ours {row['ours']:>12,.0f}/s"
            f"   OpenSpiel {row['openspiel']:>10,.0f}/s   ratio {row['ratio']:.2f} (wanted {row['wanted']:g})"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
