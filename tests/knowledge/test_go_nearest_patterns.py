"""Patterns of the nearest neighbours against a naive reading, in all symmetries, colours and board sizes; tables of them."""

import random

import numpy as np
from go_positions import picture, point

from tesuji.core.game import copy_state
from tesuji.core.numba.local_copies import local_zeros
from tesuji.games.registry import find_game
from tesuji.knowledge.go.nearest_patterns import (
    EMPTY_WORK,
    END,
    FREE,
    MOST_NEIGHBOURS,
    REACH,
    begin_patterns,
    chance_in,
    chance_of_play,
    find_pattern,
    largest_pattern,
    next_pattern,
    place_on_board,
    see_board,
    table_of,
)


def keys_at(state, where):
    work = local_zeros(EMPTY_WORK)
    see_board(work, state)
    keys = [int(begin_patterns(work, place_on_board(where)))]
    while (key := next_pattern(work)) != END:
        keys.append(int(key))
    assert next_pattern(work) == END
    return keys


def naive_patterns(stones, size, column, row, mover):
    """The patterns of a move, each as the least of its eight images, from the definition."""
    near = [(c - column, r - row, "own" if owner == mover else "other") for (c, r), owner in stones.items()]
    near += [(-column - 1, 0, "edge"), (size - column, 0, "edge"), (0, -row - 1, "edge"), (0, size - row, "edge")]
    near = sorted((x * x + y * y, x, y, what) for x, y, what in near if x * x + y * y <= REACH * REACH)
    found = [()]
    while len(found[-1]) < len(near) and len(found[-1]) < MOST_NEIGHBOURS:
        ring = near[len(found[-1])][0]
        found.append(tuple(one for one in near if one[0] <= ring))
    if len(found[-1]) < MOST_NEIGHBOURS:
        found.append((*found[-1], (0, 0, 0, "nothing else")))
    return [least_image(one) for one in found]


def least_image(pattern):
    images = []
    for swap in (False, True):
        for a in (1, -1):
            for b in (1, -1):
                turned = [(d, a * (y if swap else x), b * (x if swap else y), what) for d, x, y, what in pattern]
                images.append(tuple(sorted(turned)))
    return min(images)


def random_stones(chooser, size, count):
    points = [(c, r) for c in range(size) for r in range(size)]
    return {where: chooser.randint(0, 1) for where in chooser.sample(points, count)}


def set_up(size, stones, mover):
    game = find_game(f"go:{size}")
    return game.board.set_up(game.initial, stones, mover)


def point_at(column, row):
    return np.int64((row + 1) * 20 + column + 1)


def test_keys_are_equal_exactly_if_the_patterns_are():
    chooser = random.Random(1)
    meaning = {}
    for size, count in ((5, 3), (7, 6), (9, 4), (9, 25), (13, 20), (19, 3), (19, 60)):
        for mover in (0, 1):
            stones = random_stones(chooser, size, count)
            state = set_up(size, stones, mover)
            empty = [(c, r) for c in range(size) for r in range(size) if (c, r) not in stones]
            for column, row in chooser.sample(empty, 12):
                keys = keys_at(state, point_at(column, row))
                patterns = naive_patterns(stones, size, column, row, mover)
                assert len(keys) == len(patterns)
                for key, pattern in zip(keys, patterns, strict=True):
                    assert meaning.setdefault(key, pattern) == pattern
    assert len(set(meaning.values())) == len(meaning) > 500


def test_symmetries_and_colours():
    chooser = random.Random(4)
    stones = random_stones(chooser, 9, 20)
    column, row = next((c, r) for c in range(9) for r in range(9) if (c, r) not in stones)
    expected = keys_at(set_up(9, stones, 0), point_at(column, row))
    turned = {(8 - r, c): owner for (c, r), owner in stones.items()}
    assert keys_at(set_up(9, turned, 0), point_at(8 - row, column)) == expected
    mirrored = {(8 - c, r): 1 - owner for (c, r), owner in stones.items()}
    assert keys_at(set_up(9, mirrored, 1), point_at(8 - column, row)) == expected
    assert keys_at(set_up(9, stones, 1), point_at(column, row))[-1] != expected[-1]


def test_the_same_corner_on_boards_of_all_sizes():
    corner = {(2, 2): 0, (3, 3): 1, (2, 4): 0}
    rows = [keys_at(set_up(size, corner, 0), point_at(1, 1)) for size in (11, 16, 19)]
    assert rows[0][:4] == rows[1][:4] == rows[2][:4]
    assert rows[1] == rows[2]  # the other edges are out of reach
    assert rows[0] != rows[1]  # of a board of 11x11 they are not


def test_the_row_ends_with_enough_neighbours():
    _, state = picture(" ".join(["X" * 9] * 5 + ["XXXXX.XXX"] + ["X" * 9] * 2 + [".XXXXXXXX"]))
    assert len(keys_at(state, point("F4"))) == 5  # none, and rings of 4, 4, 4 and 8
    assert len(keys_at(find_game("go:19").new_state(), point("D4"))) == 3  # no neighbour, two edges, nothing else


def test_tables_hold_what_is_put_in():
    chooser = np.random.default_rng(3)
    keys = np.unique(chooser.integers(1, 1 << 40, 3000, np.uint64))
    chances = chooser.random(len(keys))
    table = table_of(keys, chances)
    assert np.count_nonzero(table) == len(keys) and 2 * len(keys) <= len(table)
    for key, chance in zip(keys[::100], chances[::100], strict=True):
        assert abs(chance_in(table[find_pattern(table, key)]) - chance) < 1e-6
    strangers = [key for key in chooser.integers(1, 1 << 40, 50, np.uint64) if key not in keys]
    assert all(table[find_pattern(table, key)] == FREE for key in strangers)
    same_place = np.array([5, 5 + (1 << 20), 5 + (1 << 21)], np.uint64)  # all want one place
    table = table_of(same_place, np.array([0.1, 0.2, 0.3]))
    assert [round(chance_in(table[find_pattern(table, key)]), 3) for key in same_place] == [0.1, 0.2, 0.3]


def test_the_largest_pattern_in_the_table_counts():
    state = set_up(9, {(2, 2): 0, (3, 3): 1, (6, 6): 0}, 0)
    keys = keys_at(state, point_at(4, 4))
    work = local_zeros(EMPTY_WORK)
    before = copy_state(state).tobytes()
    see_board(work, state)
    for length in range(1, len(keys) + 1):
        table = table_of(np.array(keys[:length], np.uint64), np.arange(1, length + 1) / 100)
        assert largest_pattern(table, work, place_on_board(point_at(4, 4))) == find_pattern(table, np.uint64(keys[length - 1]))
        assert round(chance_of_play(table, work, point_at(4, 4)), 3) == length / 100
    assert state.tobytes() == before
