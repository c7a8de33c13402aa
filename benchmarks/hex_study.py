"""Studies of Hex positions (policy=knowledge) against exact values: bounds, pruned moves, fill-in.

    .venv/bin/python benchmarks/hex_study.py [--positions N] [--sizes 3,4,5,6] [--empty K] [--arena N] [--seed S]

For each size, N random positions (of 3x3 all of them, if N is 0) with at most K empty cells are solved exactly, together with
all that can follow. Each is studied with all its moves, and with those that a new node would have: bounds must be the value,
the position that replaces it must have the same value, and if the mover wins, a move that is kept must win.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from tesuji.core.numba.registration import compiled
from tesuji.games.hex.game import set_up
from tesuji.games.hex.state import empty_board
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.search.policy import NO_LOWER, RATING, rate_moves, study

sys.path.insert(0, str(Path(__file__).parent))
from hex_fill_in import solve

PLAYER = "mohex2:policy=knowledge"


def study_it(policy, state, moves, count, kept):
    return study(policy, state, moves, count, kept)


def rate_them(policy, state, moves, count, ratings):
    rate_moves(policy, state, moves, count, ratings)


def fault_in(policy, state, seen: Counter[str]) -> str:
    """What is wrong with the studies of a position; '' if nothing is."""
    width, cells_of_board = int(state["width"]), int(state["width"]) * int(state["height"])
    taken = {row * width + column for (column, row) in stones_of(state)}
    cells = np.array([cell for cell in range(cells_of_board) if cell not in taken], np.int64)
    values = np.zeros(3 ** len(cells), np.uint8)
    compiled(solve)(state, cells, len(cells), values)
    mover = int(state["to_play"])
    wins = (values[0] >> mover & 1 == 1) == (mover == 0)
    winning = {int(cell) for i, cell in enumerate(cells) if after(values, (mover + 1) * 3**i, mover)}
    assert wins == bool(winning)
    ratings = np.zeros(len(cells), RATING)
    ratings["kept"] = True
    compiled(rate_them)(policy, state, cells.astype(np.int32), len(cells), ratings)
    if wins and not winning & set(cells[ratings["kept"]].tolist()):
        return "pruning of new moves loses a win"
    for moves in (cells, cells[ratings["kept"]]):
        studied, kept = state.copy(), np.ones(max(len(moves), 1), np.bool_)
        lower, upper, replaced = compiled(study_it)(policy, studied, moves.astype(np.int32), len(moves), kept)
        value = 1 if wins == (mover == 0) else -1
        if lower != NO_LOWER:
            seen["decided"] += 1
            if (lower, upper) != (value, value):
                return f"bounds {lower} .. {upper}, but the value is {value}"
        left = set(moves[kept[: len(moves)]].tolist())
        if lower == NO_LOWER:
            seen["moves pruned"] += len(moves) - len(left)
            if wins and not left & winning:
                return "no winning move is left"
            if not left:
                return "no move is left"
        if replaced:
            seen["replaced"] += 1
            number = number_of(studied, cells, width)
            if values[number] != values[0]:
                return "the position that replaces it has another value"
            if lower == NO_LOWER and any(owner_of(studied, move, width) for move in left):
                return "a move that is kept is no longer legal"
    return ""


def after(values: np.ndarray, number: int, mover: int) -> bool:
    """Whether the mover has won once the other is to move in that position."""
    return (values[number] >> (1 - mover) & 1 == 1) == (mover == 0)


def stones_of(state) -> dict[tuple[int, int], int]:
    board = find_game(f"hex:{state['width']}x{state['height']}").board
    assert board is not None
    return board.stones(state)


def owner_of(state, cell: int, width: int) -> int:
    """0 for an empty cell, 1 Black, 2 White."""
    column, row = cell % width, cell // width
    stones = state["stones"]
    return int(stones[0, row] >> column & 1) + 2 * int(stones[1, row] >> column & 1)


def number_of(state, cells: np.ndarray, width: int) -> int:
    return sum(owner_of(state, int(cell), width) * 3**i for i, cell in enumerate(cells))


def positions(size: int, count: int, most_empty: int, seed: int):
    """Random positions in which nobody has won; all of them for small boards, if `count` is 0."""
    cells = [(column, row) for row in range(size) for column in range(size)]
    chooser = random.Random(f"{seed}:{size}")
    if count == 0:
        drawn = ((owners, mover) for owners in itertools.product((None, 0, 1), repeat=len(cells)) for mover in (0, 1))
    else:
        drawn = (random_owners(cells, most_empty, chooser) for _ in itertools.count())
    found = 0
    for owners, mover in drawn:
        stones = {cell: owner for cell, owner in zip(cells, owners, strict=True) if owner is not None}
        state = set_up(empty_board(size, size), stones, mover)
        if state["winner"] == 0:
            yield state
            found += 1
            if found == count:
                return


def random_owners(cells, most_empty: int, chooser: random.Random):
    """Stones of both players in about equal numbers."""
    order = chooser.sample(range(len(cells)), len(cells))
    empty = chooser.randint(1, min(most_empty, len(cells)))
    owners: list[int | None] = [None] * len(cells)
    for number, cell in enumerate(order[empty:]):
        owners[cell] = number % 2
    return owners, chooser.randrange(2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--sizes", default="3,4,5,6")
    parser.add_argument("--empty", type=int, default=9)
    parser.add_argument("--arena", type=int, default=1 << 17)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    faults = 0
    for size in map(int, options.sizes.split(",")):
        player = find_player(f"{PLAYER},connection_room={options.arena}")
        policy = player.engine(find_game(f"hex:{size}")).policy
        seen: Counter[str] = Counter()
        for state in positions(size, 0 if size == 3 else options.positions, options.empty, options.seed):
            seen["positions"] += 1
            fault = fault_in(policy, state, seen)
            if fault:
                faults += 1
                print(f"{size}x{size}: {fault}: {stones_of(state)}, {state['to_play']} to move", flush=True)
        print(f"{size}x{size}:", dict(seen), flush=True)
    print(f"{faults} faults")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
