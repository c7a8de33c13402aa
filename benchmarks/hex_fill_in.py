"""Inferior cells of Hex: whether fill-in and pruning keep the value of positions, and what they cost.

    .venv/bin/python benchmarks/hex_fill_in.py --check [--positions N] [--empty K] [--sizes 4,5,6] [--seed S]
    .venv/bin/python benchmarks/hex_fill_in.py --all-of 4 [--every K]
    .venv/bin/python benchmarks/hex_fill_in.py --games RECORDS [--sizes 11,13] [--strength ELO]

`--check` takes random positions, solves each exactly, together with all that can follow from it, and looks at both sides to
move: the filled position must have the same value, every cell must be no better than those that dominate it, and if the
player to move can win, one of the moves that are left must win. `--all-of N` does so with all positions of NxN, or every K-th
one. `--games` reads games (tab-separated: number, size, winner, end, swapped, names, two ratings, sources, moves) and prints,
by plies, how many cells are filled and pruned (medians), and the microseconds of processor time a position.
"""

from __future__ import annotations

import argparse
import gzip
import statistics
import sys
import time

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import kernel
from tesuji.core.numba.local_copies import local_copy
from tesuji.core.numba.registration import compiled
from tesuji.games.hex.rules import put_stone
from tesuji.games.hex.text import draw, parse_move
from tesuji.games.registry import find_game
from tesuji.knowledge.hex.geometry import EMPTY, PLACES, move_of_place, place_of_move
from tesuji.knowledge.hex.inferior.board import WORK
from tesuji.knowledge.hex.inferior.fill_in import fill_in, put_filled_stones
from tesuji.knowledge.hex.inferior.pruning import KEPT, prune_inferior
from tesuji.knowledge.hex.inferior.windows import window_tables

PLIES = (6, 10, 20, 30, 40, 50)
VALUE_CHANGED, MOVE_LOST, WORSE_THAN_DOMINATED = 1, 2, 3
FAULTS = ("", "the filled position has another value", "the moves left do not win", "a dominated cell is better")


# -- exact values --------------------------------------------------------------------------------------------------------------
@kernel
def solve(state, cells, count, black_wins):
    """Writes who wins after all ways to fill the `count` empty cells, in part or in whole.

    Digit i of a number, of base 3, says what is on cells[i]: 0 nothing, 1 Black, 2 White. black_wins[number] is 1 if Black wins
    when he is to move + 2 if he wins when White is to move. Play always goes on until the board is full.
    """
    total = 1
    for _ in range(count):
        total *= 3
    for number in range(total - 1, -1, -1):
        left = number
        full = True
        first, second = False, False  # Black wins when he is to move, when White is
        power = 1
        lost = False
        for _ in range(count):
            if left % 3 == 0:
                full = False
                first = first or black_wins[number + power] & 2 != 0
                lost = lost or black_wins[number + 2 * power] & 1 == 0
            left //= 3
            power *= 3
        if full:
            board = local_copy(state)
            left = number
            for i in range(count):
                put_stone(board, np.int64(left % 3 - 1), np.int64(cells[i]))
                left //= 3
            first = board["winner"] > 0
            second = first
        else:
            second = not lost
        black_wins[number] = np.int64(first) + 2 * np.int64(second)


@kernel
def wins(black_wins, number, mover, player):
    """Whether the player wins if the mover is to move."""
    return (black_wins[number] >> mover & 1 != 0) == (player == 0)


@kernel
def fault_in(tables, work, state, cells, count, black_wins, base):
    """A fault of what is found in a position, or 0; and how many cells were filled, and pruned for both players together.

    The position is `state`, and its number among those that were solved is `base`.
    """
    filled = fill_in(tables, work, state)
    full = local_copy(state)
    put_filled_stones(work, full)
    colours, pruned = work["colours"], work["pruned"]
    width = np.int64(state["width"])
    number, power = 0, 1
    for i in range(count):
        number += power * np.int64(colours[place_of_move(np.int64(cells[i]), width)])
        power *= 3
    if black_wins[number] != black_wins[base]:
        return VALUE_CHANGED, filled, 0
    if full["winner"] != 0 or work["winner"] != 0:
        return VALUE_CHANGED if full["winner"] != work["winner"] else 0, filled, 0
    total = 0
    for player in range(2):
        total -= prune_inferior(tables, work, player)
        won, kept_wins = wins(black_wins, number, player, player), False
        power = 1
        for i in range(count):
            place = place_of_move(np.int64(cells[i]), width)
            if colours[place] == EMPTY:
                total += 1
                if pruned[place] == KEPT and wins(black_wins, base + (player + 1) * power, 1 - player, player):
                    kept_wins = True  # in the position itself, not only in the filled one
            power *= 3
        if won != kept_wins:
            return MOVE_LOST, filled, total
        for i in range(work["relation_count"]):
            relation = np.int64(work["relations"][i])
            worse = after(work, cells, count, number, relation // PLACES, player)
            better = after(work, cells, count, number, relation % PLACES, player)
            if wins(black_wins, worse, 1 - player, player) and not wins(black_wins, better, 1 - player, player):
                return WORSE_THAN_DOMINATED, filled, total
    return 0, filled, total


@kernel
def after(work, cells, count, number, place, player):
    """The number after a move."""
    move = move_of_place(place, work["width"])
    power = 1
    for i in range(count):
        if cells[i] == move:
            return number + (player + 1) * power
        power *= 3
    return number


def check_all(tables, work, start, cells, count, black_wins, first, every, totals):
    """Looks at every so-manieth position of a board that is solved; stops at a fault: (its number or -1, the fault)."""
    total = 1
    for _ in range(count):
        total *= 3
    for number in range(first, total, every):
        state = local_copy(start)
        left = number
        for i in range(count):
            if left % 3 != 0:
                put_stone(state, np.int64(left % 3 - 1), np.int64(cells[i]))
            left //= 3
        if state["winner"] == 0:
            fault, filled, pruned = fault_in(tables, work[0], state, cells, count, black_wins, number)
            totals[0] += 1
            totals[1] += filled
            totals[2] += pruned
            if fault != 0:
                return number, fault
    return -1, 0


def solve_all(state, cells, count, black_wins):
    solve(state, cells, count, black_wins)


def check_board(width: int, height: int, every: int = 1, first: int = 0) -> tuple[int, int, np.ndarray]:
    """All positions of a board, or every so-manieth: the first with a fault, or -1, its fault, and the totals (positions, cells
    filled, cells pruned).
    """
    game = find_game(f"hex:{width}x{height}")
    cells = np.arange(width * height, dtype=np.int32)
    black_wins, totals = np.zeros(3 ** len(cells), np.uint8), np.zeros(3, np.int64)
    compiled(solve_all)(game.initial, cells, len(cells), black_wins)
    work = np.zeros(1, WORK)
    number, fault = compiled(check_all)(
        window_tables(), work, game.initial, cells, len(cells), black_wins, first, every, totals
    )
    return int(number), int(fault), totals


def random_position(chooser: np.random.Generator, size: int, empty: int):
    """A position with at most so many empty cells, and these, in an order of their own; nobody has won."""
    game = find_game(f"hex:{size}")
    while True:
        state = game.new_state()
        order = chooser.permutation(size * size)
        count = int(chooser.integers(max(3, empty - 5), empty + 1))
        share = chooser.random()  # how many of the stones are Black's
        for cell in order[count:]:
            put_stone(state, int(chooser.random() > 0.3 + 0.4 * share), int(cell))
        if state["winner"] == 0:
            return state, np.sort(order[:count]).astype(np.int32)


def check_random(size: int, empty: int, positions: int, seed: int) -> tuple[str, int, np.ndarray]:
    chooser = np.random.default_rng(seed)
    work, tables, solved, check = np.zeros(1, WORK), window_tables(), compiled(solve_all), compiled(check_all)
    black_wins, totals = np.zeros(3**empty, np.uint8), np.zeros(3, np.int64)
    for _ in range(positions):
        state, cells = random_position(chooser, size, empty)
        solved(state, cells, len(cells), black_wins)
        _, fault = check(tables, work, state, cells, len(cells), black_wins, 0, 3 ** len(cells), totals)
        if fault:
            return "\n" + draw(state), fault, totals
    return "", 0, totals


# -- games ---------------------------------------------------------------------------------------------------------------------
def positions_of(path: str, size: int, ply: int, strength: int, most: int) -> list:
    """The positions after so many plies of games between players of this strength or more, without a swap before."""
    game, found = find_game(f"hex:{size}"), []
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if len(fields) < 11 or fields[1] != str(size) or not (fields[7] + fields[8]).isdigit():
                continue
            moves = fields[10].split()
            if min(int(fields[7]), int(fields[8])) < strength or len(moves) <= ply:
                continue
            state = game.new_state()
            cells = [parse_move(state, move) for move in moves[:ply]]
            if len(set(cells)) < ply or not 0 <= min(cells) <= max(cells) < size * size:
                continue  # a swap, or a mistake in the record
            for cell in cells:
                rules.play(state, cell)
            if state["winner"] == 0:
                found.append(state)
            if len(found) == most:
                break
    return found


def find_all(tables, work, states, repeats, prunes):
    """Fills all positions so many times, and prunes if wanted."""
    total = 0
    for _ in range(repeats):
        for i in range(len(states)):
            state = states[i]
            total += fill_in(tables, work[0], state)
            if prunes:
                total += prune_inferior(tables, work[0], np.int64(state["to_play"]))
    return total


def print_games(path: str, sizes: list[int], strength: int | None) -> None:
    work, tables, run = np.zeros(1, WORK), window_tables(), compiled(find_all)
    for size in sizes:
        for ply in PLIES:
            states = positions_of(path, size, ply, strength or (1600 if size < 13 else 2000), 60)
            if not states:
                continue
            array, repeats, filled, pruned = np.array(states), 40, [], []
            for one in range(len(states)):
                part = array[one : one + 1]
                filled.append(int(run(tables, work, part, 1, False)))
                kept = int(run(tables, work, part, 1, True)) - filled[-1]
                pruned.append(size * size - int(states[one]["count"]) - filled[-1] - kept)
            spent = []
            for prunes in (False, True):
                began = time.process_time()
                run(tables, work, array, repeats, prunes)
                spent.append((time.process_time() - began) / repeats / len(states) * 1e6)
            print(
                f"{size}x{size} ply {ply}: {statistics.median(filled):.0f} filled, {statistics.median(pruned):.0f} pruned "
                f"(means {statistics.mean(filled):.1f} and {statistics.mean(pruned):.1f} of {len(states)} positions); "
                f"fill-in {spent[0]:.0f} us, with pruning {spent[1]:.0f} us",
                flush=True,
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--empty", type=int, default=12, help="empty cells at most")
    parser.add_argument("--sizes", help="of boards, as 5,6")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all-of", type=int, help="the size of a board of which all positions are checked")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--games", help="a file of games")
    parser.add_argument("--strength", type=int)
    options = parser.parse_args()
    failed = False
    if options.all_of:
        number, fault, totals = check_board(options.all_of, options.all_of, options.every, options.seed % options.every)
        failed = fault != 0
        print(f"{totals[0]} positions, {totals[1]} cells filled, {totals[2]} pruned: {FAULTS[fault] or 'no fault'} {number}")
    if options.check:
        for size in map(int, (options.sizes or "4,5,6").split(",")):
            drawn, fault, totals = check_random(size, options.empty, options.positions, options.seed)
            failed = failed or fault != 0
            found = f"{totals[0]} positions, {totals[1]} cells filled, {totals[2]} pruned"
            print(f"{size}x{size}: {found}: {FAULTS[fault] or 'no fault'} {drawn}")
    if options.games:
        print_games(options.games, [int(size) for size in (options.sizes or "11,13").split(",")], options.strength)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
