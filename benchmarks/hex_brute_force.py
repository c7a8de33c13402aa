"""What Hex knows against brute force, compiled: connections, fill-in, pruned moves, bounds, and moves one ply ahead.

    .venv/bin/python benchmarks/hex_brute_force.py [--all 3,4] [--games] [--random 5,6] [--count N] [--stones 10-30] [--every K]
        [--first NUMBER] [--seconds S] [--threads 2,4] [--seed N]

For each position in which nobody has won, both colours' connections are built, and each is judged by play on its carrier: can
the owner join its ends although the opponent begins (full), or if he begins himself (semi)? Then the position is studied
(policy=knowledge, all moves) for both sides to move: its bounds must be the value, the position that replaces it must have the
same value, and if the mover wins, a move that is kept must win; `study_moves` must bound every move by its value.

`--all 4` goes through all 3^16 positions of 4x4 in a scattered order, `--every 41` through each 41st, `--first N` goes on from
there; `--games` takes of these only what can come about in a game that Black begins, of two images one. `--random` draws
positions with stones of both in about equal numbers, from as many as the board is wide to all but one, or `--stones`.
`--threads` searches positions of 4x4 with up to four stones, with so many threads, early studies and little room for
connections, and compares the bounds of all nodes with their values. Questions that take the judge too long are not answered,
and counted. The exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numba
import numpy as np

from tesuji.core.limits import Limits
from tesuji.core.numba.registration import compiled
from tesuji.core.rules import play
from tesuji.games.hex.game import set_up
from tesuji.games.hex.state import empty_board
from tesuji.games.registry import find_game
from tesuji.knowledge.hex.connections.build import build, new_connections
from tesuji.knowledge.hex.connections.lists import (
    EMPTY_CELL,
    FULLS,
    FULLS_AT,
    ONE_END,
    OTHER_END,
    PAIR_NUMBERS,
    PAIRS_USED,
    SEMIS,
    SEMIS_AT,
)
from tesuji.players.presets import find_player
from tesuji.search.engine.final_move import children_of
from tesuji.search.kernel.tree import PRUNED, REPLACED, ROOT, apply_replacement
from tesuji.search.policy import NO_LOWER, NO_UPPER, study, study_moves

WIN = np.uint64(1 << 63)
ZERO, ONE = np.uint64(0), np.uint64(1)
SLOTS, VALUE_SLOTS = 1 << 16, 1 << 21  # of the tables for connections, and for values of positions
MOST_LOOKED_AT = 3_000_000  # positions for one question
RANKS = 4  # of cells, by how soon they are tried
MOST_CELLS = 36
MOVE, SIXTY_THREE = np.uint64(40), np.uint64(63)
CELLS, MOVES = np.uint64((1 << MOST_CELLS) - 1), np.uint64(63 << 40)  # parts of an answer
UNKNOWN = 2
SLOW_PROOF = "study_after=20,connection_room=12,prune_new=off,probe_children=off,transpositions=off"  # so that trees are large
STRIDE = 27_644_437  # prime to 3: the scattered order


# -- the judge -------------------------------------------------------------------------------------------------------------
@numba.njit(cache=False)
def grown(cells, sides):
    """The cells and their neighbours."""
    size, left, right, board = sides[0], sides[1], sides[2], sides[3]
    wide = cells | (cells & ~right) << ONE | (cells & ~left) >> ONE
    wide |= cells << size | cells >> size
    wide |= (cells & ~right) >> (size - ONE) | (cells & ~left) << (size - ONE)
    return wide & board


@numba.njit(cache=False)
def spread(cells, sides):
    """The cells, their neighbours, and what an own edge joins them with."""
    wide = grown(cells, sides)
    for edge in range(4, 6):
        if cells & sides[edge] != ZERO:
            wide |= sides[edge]
    return wide


@numba.njit(cache=False)
def is_joined(own, begin, end, sides):
    """Whether own stones, and the own edges, lead from `begin` to `end`: the cells of a chain, or those at an edge."""
    reached = own & begin
    while True:
        if reached & end != ZERO:
            return True
        more = spread(reached, sides) & own
        if more == reached:
            return False
        reached = more


@numba.njit(cache=False)
def shifted(cells, direction, sides):
    """The cells' neighbours in one of the six directions, which go round."""
    size, left, right, board = sides[0], sides[1], sides[2], sides[3]
    if direction == 0:
        return (cells & ~right) << ONE
    if direction == 1:
        return cells << size & board
    if direction == 2:
        return (cells & ~left) << (size - ONE) & board
    if direction == 3:
        return (cells & ~left) >> ONE
    if direction == 4:
        return cells >> size
    return (cells & ~right) >> (size - ONE)


@numba.njit(cache=False)
def bridged(cells, free, sides):
    """The cells a bridge away: the two cells between are free."""
    found = ZERO
    for direction in range(6):
        turned = (direction + 1) % 6
        one, other = shifted(cells, direction, sides) & free, shifted(cells, turned, sides) & free
        found |= shifted(one, turned, sides) & shifted(other, direction, sides)
    return found


@numba.njit(cache=False)
def near_to_joining(own, free, begin, end, sides, rank):
    """An order of the free cells: rank[0] are those on shortest ways to join the two sets, by steps and bridges; rank[i] those
    on ways that are i cells longer; the last one has all that is left.
    """
    layers = len(rank)
    reached = np.empty((2, MOST_CELLS), np.uint64)
    count = np.zeros(2, np.int64)
    for turn in range(2):
        start = begin if turn == 0 else end
        chain, step, seen = start & own, start & free, ZERO
        for direction in range(6):  # a bridge to an edge
            step |= shifted(start & free, direction, sides) & shifted(start & free, (direction + 1) % 6, sides) & free
        while True:
            more = chain | (spread(chain, sides) | bridged(chain, free, sides)) & own
            while more != chain:
                chain, more = more, more | (spread(more, sides) | bridged(more, free, sides)) & own
            step |= (spread(chain, sides) | bridged(chain, free, sides)) & free & ~seen
            if step == ZERO:
                break
            seen |= step | chain
            reached[turn, count[turn]] = step
            count[turn] += 1
            wide = spread(step, sides) | bridged(step, free, sides)
            chain, step = wide & own & ~seen, wide & free & ~seen
    for i in range(layers):
        rank[i] = ZERO
    shortest = -1
    left = free
    for total in range(count[0] + count[1]):
        through = ZERO
        for one in range(min(total + 1, count[0])):
            other = total - one
            if other < count[1]:
                through |= reached[0, one] & reached[1, other]
        through &= left
        if through != ZERO and shortest < 0:
            shortest = total
        if through != ZERO:
            rank[min(total - shortest, layers - 1)] |= through
            left &= ~through
    rank[layers - 1] |= left


@numba.njit("uint64(uint64,uint64,boolean,uint64,uint64,uint64[:],uint64[:,:],int64[:])", cache=False)
def carrier_of_win(own, free, owner_begins, begin, end, sides, table, work):
    """Who wins by play on `free`, and the cells that he needs: WIN and those if the owner joins the two sets, else those with
    which he is kept from it, even if he had all other free ones. From bit MOVE on: the winner's move, if he is to move.

    Where one answer to a move needs only some cells, it is an answer to moves on all others too: whoever moves must move there.
    """
    if is_joined(own, begin, end, sides):
        return WIN
    if not is_joined(own | free, begin, end, sides):
        return ZERO
    work[0] += 1
    if work[0] > work[2]:
        return ZERO
    mixed = (own * np.uint64(0x9E3779B97F4A7C15)) ^ (free * np.uint64(0xC2B2AE3D27D4EB4F)) ^ np.uint64(owner_begins)
    place = np.int64((mixed ^ mixed >> np.uint64(29)) & np.uint64(len(table) - 1))
    stamp = np.uint64(work[1]) << ONE | np.uint64(owner_begins)
    if table[place, 0] == own and table[place, 1] == free and table[place, 2] == stamp:
        return table[place, 3]
    rank = np.empty(RANKS, np.uint64)
    near_to_joining(own, free, begin, end, sides, rank)
    must, needed, result, next_one = free, ZERO, ZERO, ZERO
    is_won, number = False, 0
    while must != ZERO and not is_won:
        cells = next_one & must  # the move that refuted the one before is good for both
        if cells == ZERO:
            while rank[number] & must == ZERO:
                number += 1
            cells = rank[number] & must
        cell = cells & (~cells + ONE)
        after = own | cell if owner_begins else own
        found = carrier_of_win(after, free & ~cell, not owner_begins, begin, end, sides, table, work)
        if work[0] > work[2]:
            return ZERO
        if (found & WIN != ZERO) == owner_begins:
            result = found & ~MOVES | cell
            at = ZERO
            while cell >> at != ONE:
                at += ONE
            result |= at << MOVE
            is_won = True
        else:
            needed |= found & CELLS
            must &= found & CELLS & ~cell
            next_one = ONE << (found >> MOVE & SIXTY_THREE)
    if not is_won:
        result = needed if owner_begins else needed | WIN
    table[place, 0] = own
    table[place, 1] = free
    table[place, 2] = stamp
    table[place, 3] = result
    return result


@numba.njit(cache=False)
def joins(own, free, owner_begins, begin, end, sides, table, work):
    """1 if the owner joins the sets, 0 if not, UNKNOWN if that takes too long. work[1] is the number of the question."""
    work[0] = 0
    found = carrier_of_win(own, free, owner_begins, begin, end, sides, table, work)
    work[3] += work[0]
    if work[0] > work[2]:
        return UNKNOWN
    return 1 if found & WIN != ZERO else 0


@numba.njit(cache=False)
def judge_all(pairs, used, arena, words, status, captain, own, edges, sides, table, work, counts):
    """Judges all connections of one colour; counts[0]: right, [1]: wrong, [2]: not answered. Returns the first wrong pair."""
    cells = len(captain) - 2
    wrong = 0
    for pair in range(1, used):
        first = pair * PAIR_NUMBERS
        ends = np.zeros(2, np.uint64)
        stones = own
        for number in range(2):
            point = pairs[first + (ONE_END if number == 0 else OTHER_END)]
            if point >= cells:
                ends[number] = edges[point - cells]
            else:
                for cell in range(cells):
                    if captain[cell] == point:
                        ends[number] |= ONE << np.uint64(cell)
            if point < cells and status[point] == EMPTY_CELL:
                stones |= ONE << np.uint64(point)
        for full in range(2):
            at = pairs[first + (FULLS_AT if full == 1 else SEMIS_AT)]
            for i in range(pairs[first + (FULLS if full == 1 else SEMIS)]):
                carrier = arena[(at + i) * words]
                work[1] += 1
                answer = joins(stones, carrier, full == 0, ends[0], ends[1], sides, table, work)
                counts[0 if answer == 1 else 1 if answer == 0 else 2] += 1
                if answer == 0 and wrong == 0:
                    wrong = pair
    return wrong


@numba.njit(cache=False)
def solve_all(size, black_sides, white_sides, values):
    """For each position of a small board: bit p of values[number] is whether Black wins if player p is to move."""
    cells = size * size
    powers = np.zeros(cells, np.int64)
    power = 1
    for cell in range(cells):
        powers[cell] = power
        power *= 3
    for number in range(power - 1, -1, -1):
        black, white = ZERO, ZERO
        rest = number
        for cell in range(cells):
            owner = rest % 3
            rest //= 3
            if owner == 1:
                black |= ONE << np.uint64(cell)
            elif owner == 2:
                white |= ONE << np.uint64(cell)
        if is_joined(black, black_sides[4], black_sides[5], black_sides):
            values[number] = 3
        elif is_joined(white, white_sides[4], white_sides[5], white_sides):
            values[number] = 0
        else:
            value = 2  # Black has no win yet if he is to move, and has one if White is
            for cell in range(cells):
                if (black | white) >> np.uint64(cell) & ONE == ZERO:
                    if values[number + powers[cell]] & 2 != 0:
                        value |= 1
                    if values[number + 2 * powers[cell]] & 1 == 0:
                        value &= ~2
            values[number] = value


@numba.njit(cache=False)
def next_in_game(first, last, step, size, sides, turned_sides):
    """The first number n from `first` on for which position n * step can come about in a game that Black begins, is not over,
    and is the lesser one of its two images; -1 if there is none before `last`. Then the stones, and who is to move.
    """
    cells = size * size
    total = 3**cells
    for number in range(first, last):
        rest, other = number * step % total, 0
        same = rest
        black, white, difference = ZERO, ZERO, 0
        for cell in range(cells):
            owner = rest % 3
            rest //= 3
            other = 3 * other + owner  # the first cell becomes the last
            if owner == 1:
                black |= ONE << np.uint64(cell)
                difference += 1
            elif owner == 2:
                white |= ONE << np.uint64(cell)
                difference -= 1
        if 0 <= difference <= 1 and same <= other:
            if not is_joined(black, sides[4], sides[5], sides):
                if not is_joined(white, turned_sides[4], turned_sides[5], turned_sides):
                    return number, black, white, difference
    return -1, ZERO, ZERO, 0


# -- positions -------------------------------------------------------------------------------------------------------------
class Board:
    """All that is needed to judge positions of one size."""

    def __init__(self, size: int, solved: bool):
        self.size, self.cells = size, size * size
        cell = [[1 << row * size + column for column in range(size)] for row in range(size)]
        left, right = (sum(cell[row][column] for row in range(size)) for column in (0, size - 1))
        top, bottom = sum(cell[0]), sum(cell[-1])
        whole = (1 << self.cells) - 1
        edges = ((top, bottom), (left, right))
        self.sides = [np.array([size, left, right, whole, *edges[colour]], np.uint64) for colour in range(2)]
        self.edges = np.array(edges, np.uint64)
        self.table, self.work = np.zeros((SLOTS, 4), np.uint64), np.array([0, 1, MOST_LOOKED_AT, 0])
        self.value_table = np.zeros((1 if solved else VALUE_SLOTS, 4), np.uint64)
        self.value_work = np.array([0, 1, MOST_LOOKED_AT, 0])  # one question for all: who wins
        self.known = [new_connections(size, size, colour, 1 << 15) for colour in range(2)]
        self.policy = self.new_policy()
        self.seen: Counter[str] = Counter()
        self.values: np.ndarray | None = None
        if solved:
            self.values = np.zeros(3**self.cells, np.uint8)
            solve_all(size, *self.sides, self.values)

    def new_policy(self) -> Any:
        """What is judged."""
        return find_player("mohex2:connection_room=32768").engine(find_game(f"hex:{self.size}")).policy

    def value(self, stones: tuple[int, int], mover: int) -> int | None:
        """1 if Black wins, -1 if White does; None if that takes too long to find out."""
        if self.values is not None:
            number = sum((stones[0] >> i & 1) * 3**i + (stones[1] >> i & 1) * 2 * 3**i for i in range(self.cells))
            return 1 if self.values[number] >> mover & 1 else -1
        free = np.uint64((1 << self.cells) - 1 & ~(stones[0] | stones[1]))
        answer = joins(np.uint64(stones[0]), free, mover == 0, *self.edges[0], self.sides[0], self.value_table, self.value_work)
        return None if answer == UNKNOWN else 1 if answer == 1 else -1

    def in_games(self, first: int, last: int, step: int) -> Iterator[tuple[int, tuple[int, int], int]]:
        """Number, stones and mover of each position that can come about in a game and is not over, of two images one."""
        while first < last:
            number, black, white, mover = next_in_game(first, last, step, self.size, *self.sides)
            if number < 0:
                return
            yield number, (int(black), int(white)), mover
            first = number + 1

    def has_won(self, stones: tuple[int, int]) -> bool:
        return any(is_joined(np.uint64(stones[colour]), *self.edges[colour], self.sides[colour]) for colour in range(2))

    def faults(self, stones: tuple[int, int], movers: Iterable[int] = range(2)) -> list[str]:
        """What is wrong about a position in which nobody has won, if these players are to move."""
        self.seen["positions"] += 1
        state = self.state(stones, 0)
        found = []
        for colour in range(2):
            known, counts = self.known[colour], np.zeros(3, np.int64)
            compiled(build)(known, state)
            wrong = judge_all(
                known.pairs, int(known.counts[PAIRS_USED]), known.arena, len(known.kind), known.status, known.captain,
                np.uint64(stones[colour]), self.edges[colour], self.sides[colour], self.table, self.work, counts,
            )  # fmt: skip
            for name, count in zip(("connections", "wrong connections", "connections not judged"), counts, strict=True):
                self.seen[name] += int(count)
            if counts[1]:
                found.append(f"connection of pair {wrong} of player {colour}")
        for mover in movers:
            found += self.wrong_study(stones, mover)
        return found

    def wrong_study(self, stones: tuple[int, int], mover: int) -> list[str]:
        value = self.value(stones, mover)
        if value is None:
            self.seen["studies not judged"] += 1
            return []
        state, studied = self.state(stones, mover), self.state(stones, mover)
        moves = np.array([cell for cell in range(self.cells) if not (stones[0] | stones[1]) >> cell & 1], np.int32)
        kept, bounds = np.ones(len(moves), np.int32), np.zeros((2, len(moves)), np.int64)
        lower, upper, replaced = compiled(study_it)(self.policy, studied, moves, len(moves), kept)
        self.seen["studies"] += 1
        found = []
        if lower != NO_LOWER:
            self.seen["decided"] += 1
            if (lower, upper) != (value, value):
                found.append(f"bounds {lower} .. {upper}, player {mover} to move, but the value is {value}")
        if replaced:
            self.seen["replaced"] += 1
            after = self.stones_of(studied)
            if not self.has_won(after) and self.is_wrong(self.value(after, mover), value):
                found.append(f"the filled position has another value, player {mover} to move")
            elif self.has_won(after) and int(studied["winner"]) != value:
                found.append(f"the filled position is won by the other player, player {mover} to move")
        wins = value == (1 if mover == 0 else -1)
        left = [int(move) for move, code in zip(moves, kept, strict=True) if code]
        self.seen["moves pruned"] += len(moves) - len(left)
        if wins and lower == NO_LOWER:
            values = [self.value_after(stones, move, mover) for move in left]
            if value not in values and self.is_wrong(None if None in values else -value, value):
                found.append(f"no winning move is kept, player {mover} to move")
        compiled(look)(self.policy, state, moves, len(moves), bounds)
        for i, move in enumerate(moves):
            if bounds[0, i] != NO_LOWER:
                self.seen["moves ahead"] += 1
                if self.is_wrong(self.value_after(stones, int(move), mover), int(bounds[0, i])):
                    found.append(f"move {move} of player {mover} is taken for {bounds[0, i]}")
        return found

    def is_wrong(self, value: int | None, said: int) -> bool:
        """Whether a value is not what was said of it. What takes too long to find out is counted."""
        self.seen["values not found"] += value is None
        return value not in (said, None)

    def value_after(self, stones: tuple[int, int], move: int, mover: int) -> int | None:
        after = (stones[0] | (mover == 0) << move, stones[1] | (mover == 1) << move)
        if self.has_won(after):
            return 1 if mover == 0 else -1
        return self.value(after, 1 - mover)

    def state(self, stones: tuple[int, int], mover: int):
        placed = {
            (cell % self.size, cell // self.size): player
            for player in range(2)
            for cell in range(self.cells)
            if stones[player] >> cell & 1
        }
        return set_up(empty_board(self.size, self.size), placed, mover)

    def stones_of(self, state) -> tuple[int, int]:
        rows = state["stones"]
        black, white = (sum(int(rows[player, row]) << row * self.size for row in range(self.size)) for player in range(2))
        return black, white


def study_it(policy, state, moves, count, kept):
    return study(policy, state, moves, count, kept)


def look(policy, state, moves, count, bounds):
    for i in range(count):
        bounds[0, i] = NO_LOWER
        bounds[1, i] = NO_UPPER
    study_moves(policy, state, moves, count, bounds)


def stones_of_number(number: int, cells: int) -> tuple[int, int]:
    black = white = 0
    for cell in range(cells):
        number, owner = divmod(number, 3)
        black |= (owner == 1) << cell
        white |= (owner == 2) << cell
    return black, white


def random_positions(size: int, stones: str, chooser: random.Random) -> Iterator[tuple[int, int]]:
    cells = size * size
    fewest, most = map(int, stones.split("-")) if stones else (size, cells - 1)
    most = min(most, cells - 1)
    while True:
        taken = chooser.sample(range(cells), chooser.randint(fewest, most))
        begins = chooser.randrange(2)
        black, white = (sum(1 << cell for i, cell in enumerate(taken) if (i + begins) % 2 == player) for player in (0, 1))
        yield black, white


# -- threads ---------------------------------------------------------------------------------------------------------------
def wrong_nodes(board: Board, threads: int, count: int, chooser: random.Random) -> int:
    """Searches random positions with threads, little room and early studies; how many nodes have bounds without the value."""
    game, wrong, nodes = find_game(f"hex:{board.size}"), 0, 0
    player = find_player(f"tesuji:threads={threads},{SLOW_PROOF}")
    for number in range(count):
        taken = chooser.sample(range(board.cells), chooser.randint(0, 4))
        stones = (sum(1 << cell for cell in taken[::2]), sum(1 << cell for cell in taken[1::2]))
        mover = number % 2
        search = player.engine(game, board.state(stones, mover), seed=number)
        search.run(Limits(playouts=3000))
        tree = search.tree.nodes

        def walk(node: int, state, tree=tree, search=search) -> tuple[int, int]:
            held = np.array([state])
            apply_replacement(search.tree, node, held, 0)  # below a filled position, bounds are about filled positions
            state = held[0]
            here = board.stones_of(state)
            won = int(state["winner"])
            value = won or board.value(here, int(state["to_play"])) or 0
            bad, seen = int(not tree[node]["lower"] <= value <= tree[node]["upper"]), 1
            for child in children_of(search.tree, node):
                if tree[node]["flags"] & REPLACED and tree[child]["flags"] & PRUNED:
                    continue  # a move of the position before
                after = state.copy()
                play(after, int(tree[child]["move"]))
                more = walk(child, after)
                bad, seen = bad + more[0], seen + more[1]
            return bad, seen

        more = walk(ROOT, search.state.copy())
        wrong, nodes = wrong + more[0], nodes + more[1]
    print(f"{threads} threads: {count} searches, {nodes} nodes, {wrong} wrong", flush=True)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--all", default="3", help="sizes of which every position is judged")
    parser.add_argument("--every", type=int, default=1, help="of these, only each so many-th")
    parser.add_argument("--first", type=int, default=0, help="of these, so many are left out at the beginning")
    parser.add_argument("--random", default="", help="sizes of which random positions are judged")
    parser.add_argument("--games", action="store_true", help="of --all, only what can come about in a game, of two images one")
    parser.add_argument("--stones", default="", help="of random positions, as in 10-30")
    parser.add_argument("--count", type=int, default=100, help="random positions of each size; searches with threads")
    parser.add_argument("--seconds", type=float, default=600.0, help="of CPU time, for each size")
    parser.add_argument("--threads", default="", help="numbers of threads")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    sizes = [int(size) for size in f"{options.all},{options.random}".split(",") if size]
    if any(not 2 <= size <= 6 for size in sizes):
        parser.error("boards of 2x2 to 6x6 can be judged")
    if options.games and options.every != 1:
        parser.error("--games goes through all positions, without --every")
    if options.stones and not re.fullmatch(r"\d+-\d+", options.stones):
        parser.error("--stones is two numbers, as in 10-30")
    faults = 0
    runs = [(int(size), True) for size in options.all.split(",") if size]
    runs += [(int(size), False) for size in options.random.split(",") if size]
    for size, is_all in runs:
        board = Board(size, solved=size <= 4)
        total = 3 ** (size * size)
        numbers = range(options.first, total, options.every)
        step = STRIDE if is_all and size == 4 else 1
        positions: Iterable[tuple[int, tuple[int, int], Iterable[int]]]
        if is_all and options.games:
            positions = ((number, stones, (mover,)) for number, stones, mover in board.in_games(options.first, total, step))
        elif is_all:
            positions = ((number, stones_of_number(number * step % total, board.cells), range(2)) for number in numbers)
        else:
            drawn = random_positions(size, options.stones, random.Random(f"{options.seed}:{size}"))
            positions = ((number, stones, range(2)) for number, stones in enumerate(drawn))
        began, reached = time.process_time(), options.first
        for number, stones, movers in positions:
            reached = number
            if (not is_all and board.seen["positions"] >= options.count) or time.process_time() - began > options.seconds:
                break
            if board.has_won(stones):
                continue
            for fault in board.faults(stones, movers):
                faults += 1
                print(f"{size}x{size}: {fault}: black {stones[0]:x}, white {stones[1]:x}", flush=True)
        else:
            reached = total
        spent = time.process_time() - began
        of = f"numbers {options.first} to {reached - 1} of {total}" if is_all else f"{reached} drawn"
        print(f"{size}x{size} {'all' if is_all else 'random'}: {of}, {spent:.0f} s, {dict(board.seen)}", flush=True)
    if options.threads:
        board = Board(4, solved=True)
        for threads in map(int, options.threads.split(",")):
            faults += wrong_nodes(board, threads, options.count, random.Random(options.seed))
    print(f"{faults} faults")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
