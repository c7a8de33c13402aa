"""Players of Hex on small boards: every bound that they state, of the position and of each move, is judged by brute force."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from functools import cache

from naive_hex import NaiveSolver

from tesuji.core.position import Position
from tesuji.core.rules import FIRST
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player

Stop = Callable[[], bool]
BOARDS = ((2, 3), (3, 3), (4, 3), (3, 4), (4, 4))
PLAYERS = {
    "wolve": {"width": (1, 2, 3, 5), "connection_room": (60, 300, 4096)},
    "hex": {"connection_room": (60, 300, 4096)},
    "mohex1": {},
    "mohex2": {"connection_room": (60, 300, 4096)},
}


@cache
def solver_of(width: int, height: int) -> NaiveSolver:
    return NaiveSolver(width, height)


def true_outcome(position: Position, width: int, height: int) -> int:
    """1 if player 0 wins, else -1."""
    if position.is_over:
        return 1 if position.winner == position.game.player_names[FIRST] else -1
    solver = solver_of(width, height)
    stones = [0, 0]
    for ply, number in enumerate(position.move_numbers):
        stones[ply % 2] |= solver.bit[number % width, number // width]
    mover = len(position.move_numbers) % 2
    return 1 if solver.mover_wins(stones[0], stones[1], mover) == (mover == FIRST) else -1


def attack_hex_players(rng: random.Random, stop: Stop, runs: tuple[int, ...] = (5, 50, 400)) -> Counter[str]:
    """One player and one board, drawn first, so that one compilation serves; then positions until the time is up."""
    counts: Counter[str] = Counter()
    name = rng.choice(tuple(PLAYERS))
    width, height = rng.choice(BOARDS)
    values = {key: rng.choice(choices) for key, choices in PLAYERS[name].items()}
    words = ",".join(f"{key}={value}" for key, value in {**values, "memory": 1}.items())
    player, game = find_player(f"{name}:{words}"), find_game(f"hex:{width}x{height}")
    while not stop():
        position, seed = game.start, rng.getrandbits(30)
        for _ in range(rng.randrange(width * height - 1)):
            if not position.is_over:
                position = position.play(rng.choice(position.legal_moves))
        if position.is_over:
            continue
        search = player.search(position, seed)
        what = f"{name}:{words} with seed {seed} on hex:{width}x{height} after {position.move_numbers}"
        for playouts in runs:
            analysis = search.run(playouts=playouts)
            truth = true_outcome(position, width, height)
            lower, upper = analysis.bounds
            assert lower <= truth <= upper, f"{what}: {lower} to {upper}, not {truth}"
            for move in analysis.moves:
                after = true_outcome(position.play(move.move), width, height)
                lower, upper = move.bounds
                assert lower <= after <= upper, f"{what}: {move.move} {lower} to {upper}, not {after}"
            counts["bounds"] += 1 + len(analysis.moves)
        counts["positions"] += 1
        counts[name] += 1
    return counts
