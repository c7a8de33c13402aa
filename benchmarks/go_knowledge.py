"""What the offline knowledge of Go costs, in processor time: at the creation of a node, and in a search as a whole.

    python benchmarks/go_knowledge.py [--positions N] [--repeats N] [--playouts N]

The positions come from games in which moves are drawn in proportion to their learned probability of play. Each part is
measured alone, the others turned off. A search with the policy `mogo` is compared with one with `local`.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from tesuji.core.game import copy_state
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import compiled
from tesuji.core.rules import play
from tesuji.games.registry import find_game
from tesuji.knowledge.go.offline import EVEN, OfflineKnowledge, rate_by_knowledge
from tesuji.players.presets import find_player
from tesuji.search.policy import RATING


def positions_of(game, rate, knowledge, count, seed):
    """Positions of all stages of games that the patterns play."""
    chooser = np.random.default_rng(seed)
    size = int(game.initial["size"])
    found = []
    while len(found) < count:
        state = game.new_state()
        for ply in range(size * size * 2 // 3):
            moves = np.array(game.legal_moves(state)[:-1], np.int32)
            if ply % 10 == 5:
                found.append((copy_state(state), moves))
            ratings = fresh(len(moves))
            rate(knowledge, state, moves, len(moves), EVEN, ratings)
            play(state, int(chooser.choice(moves, p=ratings["prior"] / ratings["prior"].sum())))
    return found[:count]


def fresh(count):
    ratings = np.zeros(count, RATING)
    ratings["value"], ratings["kept"] = 0.5, True
    return ratings


def seconds_of(game, player, playouts):
    """The processor time of a search from the empty board."""
    search = find_player(player).engine(game, seed=1)
    search.prepare()
    start = time.process_time()
    search.run(Limits(playouts=playouts))
    return time.process_time() - start


def print_shares(game, playouts):
    for visits in (2, 8):
        pairs = [
            [seconds_of(game, f"uct-rave:policy={policy},expand_after={visits}", playouts) for policy in ("local", "mogo")]
            for _ in range(3)
        ]
        local, mogo = (min(column) for column in zip(*pairs, strict=True))
        times = f"{local:.2f} s, mogo {mogo:.2f} s ({mogo / local:.2f})"
        print(f"  {playouts} playouts, expand_after={visits}: {times}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=60)
    parser.add_argument("--repeats", type=int, default=50)
    parser.add_argument("--playouts", type=int, default=4000)
    options = parser.parse_args()
    rate = compiled(rate_by_knowledge)
    for name in ("go:9", "go:19"):
        game = find_game(name)
        settings = {p.name: p.default for p in OfflineKnowledge.PARAMETERS} | {"shapes_from": 2}
        everything = OfflineKnowledge.made_for(game, settings)
        nothing = everything._replace(uses_rules=False, uses_ladders=False, uses_shapes=False, pattern_prior=0.0)
        patterns = nothing._replace(pattern_prior=1.0)
        parts = {
            "nothing (drawing the board)": nothing,
            "patterns": patterns,
            "rules without ladders": nothing._replace(uses_rules=True),
            "rules": nothing._replace(uses_rules=True, uses_ladders=True),
            "shapes": nothing._replace(uses_shapes=True),
            "all": everything,
        }
        with np.errstate(over="ignore"):
            positions = positions_of(game, rate, patterns, options.positions, 1)
        moves = np.mean([len(one) for _, one in positions])
        print(f"{name}: {len(positions)} positions with {moves:.0f} moves")
        ratings = fresh(game.buffer_size)
        for part, knowledge in parts.items():
            best = float("inf")
            for _ in range(3):
                start = time.process_time()
                for state, some in positions:
                    for _ in range(options.repeats):
                        rate(knowledge, state, some, len(some), EVEN, ratings)
                best = min(best, time.process_time() - start)
            print(f"  {part:40} {1e6 * best / len(positions) / options.repeats:8.1f} us")
        print_shares(game, options.playouts)


if __name__ == "__main__":
    main()
