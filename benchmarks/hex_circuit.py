"""The circuits of Hex positions: what they cost, and how often the move that was played is the first by energy.

    .venv/bin/python benchmarks/hex_circuit.py GAMES [--sizes 11,13] [--plies 10,20,30] [--positions N] [--strength ELO]

GAMES has a game a line, with tabs between its fields: the second is the size, fields 8 and 9 the players' ratings, and the
eleventh the moves. Times are those of one processor; "all" is the whole look at a position: fill-in, connections of both
colours, inferior cells, circuits. Nodes a second are those of the player `wolve` in a search of 200 nodes of every tenth
position.
"""

from __future__ import annotations

import argparse
import gzip
import statistics
import time
from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import compiled
from tesuji.games.registry import find_game
from tesuji.knowledge.hex.policies.circuit import judge
from tesuji.knowledge.hex.workspaces import connections_in
from tesuji.players.presets import find_player
from tesuji.search.alphabeta.hooks import rate_order
from tesuji.search.policy import evaluate

NODES = 200


def evaluate_it(policy, state):
    return evaluate(policy, state)


def order_them(policy, state, moves, count, orders, chances):
    rate_order(policy, state, moves, count, orders, chances)


def judge_again(policy):
    slots = policy.workspaces.slots
    return judge(connections_in(slots, 0), connections_in(slots, 1), policy.circuit, 0, policy.energy[0])


def positions_of(path: str, size: int, ply: int, strength: int, most: int) -> list[tuple[Any, int]]:
    """Positions after so many plies of games between players of this strength or more, without a swap, and the next move."""
    game, found = find_game(f"hex:{size}"), []
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if len(found) == most or len(fields) < 11 or fields[1] != str(size) or not (fields[7] + fields[8]).isdigit():
                continue
            moves = fields[10].split()
            if min(int(fields[7]), int(fields[8])) < strength or len(moves) <= ply:
                continue
            state = game.new_state()
            try:
                for move in moves[:ply]:
                    rules.play(state, game.parse_move(state, move))
                if state["winner"] == 0:
                    found.append((state, game.parse_move(state, moves[ply])))
            except UserError:
                continue  # a swap, or a mistake in the record
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", help="a file of games")
    parser.add_argument("--sizes", default="11,13", help="(11,13)")
    parser.add_argument("--plies", default="10,20,30", help="(10,20,30)")
    parser.add_argument("--positions", type=int, default=60, help="for each size and ply (60)")
    parser.add_argument("--strength", type=int, help="of both players, at least (1600; from 13x13 on 2000)")
    args = parser.parse_args()
    np.seterr(over="ignore")
    wolve = find_player("wolve")
    for size in map(int, args.sizes.split(",")):
        game = find_game(f"hex:{size}")
        policy = wolve.engine(game).policy
        wolve.engine(game).prepare()
        compiled(evaluate_it)(policy, game.initial)
        compiled(judge_again)(policy)
        for ply in map(int, args.plies.split(",")):
            strength = args.strength or (1600 if size < 13 else 2000)
            whole, circuits, ranks, considered, decided, speeds = [], [], [], [], 0, []
            positions = positions_of(args.games, size, ply, strength, args.positions)
            for number, (state, played) in enumerate(positions):
                began = time.thread_time()
                value = compiled(evaluate_it)(policy, state)
                whole.append(1e3 * (time.thread_time() - began))
                if abs(value) > 10.0:
                    decided += 1
                    continue
                began = time.thread_time()
                compiled(judge_again)(policy)
                circuits.append(1e3 * (time.thread_time() - began))
                moves = np.array(game.legal_moves(state), np.int32)
                orders, chances = np.zeros(len(moves)), np.zeros(len(moves))
                compiled(order_them)(policy, state, moves, len(moves), orders, chances)
                considered.append(int((orders > 0).sum()))
                ranks.append(int((orders > orders[moves == played][0]).sum()))
                if number % 10 == 0:
                    search = wolve.engine(game, state)
                    search.prepare()
                    began = time.process_time()
                    nodes = search.run(Limits(playouts=NODES)).playouts
                    speeds.append(nodes / (time.process_time() - began))
            spent, judged = statistics.median(whole), statistics.median(circuits)
            first, in_5, in_15 = (sum(rank < limit for rank in ranks) for limit in (1, 5, 15))
            print(
                f"{size}x{size} ply {ply}: {len(positions)} positions, {decided} decided; "
                f"all {spent:.1f} ms (most {max(whole):.0f}), circuits {judged:.2f} ms; "
                f"{statistics.median(considered):.0f} moves considered; played move first {first}, in 5 {in_5}, in 15 {in_15} "
                f"of {len(ranks)}; {statistics.median(speeds):.0f} nodes/s",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
