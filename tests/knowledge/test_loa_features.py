"""The nine features of Lines of Action against plain second versions made of sets of points."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest
from loa_positions import GAME, king, points_of, positions, set_of

from tesuji.core import rules
from tesuji.knowledge.loa.features import FEATURE_COUNT, FEATURES, features
from tesuji.knowledge.loa.mobility import transposed, turned_left, turned_right

EIGHT = [(c, r) for c in (-1, 0, 1) for r in (-1, 0, 1) if (c, r) != (0, 0)]


# -- the features once more, from sets of points ---------------------------------------------------------------------------
def naive_centre(own):
    return tuple(int(sum(p[i] for p in own) / len(own) + 0.5) for i in (0, 1))


def naive_concentration(own, _other):
    centre = naive_centre(own)
    least = ([0] + [1] * 8 + [2] * 16)[: len(own)]
    surplus = sum(king(p, centre) for p in own) - sum(least)
    return 1 / (1 + surplus / len(own))


TABLE = """-80 -25 -20 -20 -20 -20 -25 -80
-25 10 10 10 10 10 10 -25
-20 10 25 25 25 25 10 -20
-20 10 25 50 50 25 10 -20
-20 10 25 50 50 25 10 -20
-20 10 25 25 25 25 10 -20
-25 10 10 10 10 10 10 -25
-80 -25 -20 -20 -20 -20 -25 -80"""
WORTH = [[int(word) for word in line.split()] for line in TABLE.splitlines()]


def naive_centralisation(own, _other):
    return sum(WORTH[row][column] for column, row in own) / len(own)


def naive_centre_of_mass(own, _other):
    column, row = naive_centre(own)
    return WORTH[row][column]


def naive_quads(own, _other):
    centre = naive_centre(own)
    found = 0
    for column in range(7):
        for row in range(7):
            window = {(column + i, row + j) for i in (0, 1) for j in (0, 1)}
            if len(window & own) >= 3 and king((column + 0.5, row + 0.5), centre) <= 2:
                found += 1
    return found


def naive_moves(own, other):
    """(origin, target, direction) of every legal move, by walking."""
    for column, row in own:
        for dc, dr in EIGHT:
            line = {(column + n * dc, row + n * dr) for n in range(-7, 8)}
            steps = len(line & (own | other))
            path = [(column + n * dc, row + n * dr) for n in range(1, steps + 1)]
            target = path[-1]
            if min(target) < 0 or max(target) > 7 or target in own or set(path[:-1]) & other:
                continue
            yield (column, row), target, (dc, dr)


def naive_mobility(own, other):
    total = 0.0
    for origin, target, (dc, dr) in naive_moves(own, other):
        worth = 2.0 if target in other else 1.0
        if {0, 7} & set(target):
            worth /= 2
        along = (dr == 0 and origin[1] in (0, 7)) or (dc == 0 and origin[0] in (0, 7))
        total += worth / 2 if along else worth
    return total


def naive_walled(own, other):
    total = 0.0
    for column, row in own:
        inward = [(1, 0)] * (column == 0) + [(-1, 0)] * (column == 7) + [(0, 1)] * (row == 0) + [(0, -1)] * (row == 7)
        for dc, dr in inward:
            before = [(column + dc + n * dr, row + dr + n * dc) for n in (-1, 0, 1)]
            taken = [square in other for square in before]
            if taken[1] and any(taken[::2]):
                total += 1.0 if all(taken) else 0.5
    return total


def naive_walls(own, other):
    return naive_walled(other, own)


def naive_connectedness(own, _other):
    return 2 * sum(king(a, b) == 1 for a, b in combinations(own, 2)) / len(own)


def naive_uniformity(own, _other):
    columns, rows = [p[0] for p in own], [p[1] for p in own]
    return 1 / ((max(columns) - min(columns) + 1) * (max(rows) - min(rows) + 1))


NAIVE = (
    naive_concentration,
    naive_centralisation,
    naive_centre_of_mass,
    naive_quads,
    naive_mobility,
    naive_walls,
    naive_connectedness,
    naive_uniformity,
)


@pytest.mark.parametrize("number", range(8), ids=FEATURES[:8])
def test_feature_against_naive(number):
    naive = NAIVE[number]
    different = set()
    for blacks, whites, player in positions():
        found = features(set_of(blacks), set_of(whites), player)[number]
        expected = naive(blacks, whites) - naive(whites, blacks)
        assert found == pytest.approx(expected, abs=1e-12), (sorted(blacks), sorted(whites))
        different.add(round(float(found), 6))
    assert len(different) > 5  # the positions tell something of the feature


def test_the_turn_is_a_feature_and_sides_are_equal():
    for blacks, whites, player in positions()[::7]:
        one = features(set_of(blacks), set_of(whites), player)
        other = features(set_of(whites), set_of(blacks), 1 - player)
        assert one[8] == (1.0 if player == 0 else -1.0)
        assert np.allclose(one, -np.array(other))


def test_features_do_not_depend_on_how_the_board_lies():
    """A half turn moves the rounding of the centre, so only the others must stay; a mirror along the diagonal keeps all."""
    for blacks, whites, player in positions()[::7]:
        mirrored = features(set_of((r, c) for c, r in blacks), set_of((r, c) for c, r in whites), player)
        assert np.allclose(features(set_of(blacks), set_of(whites), player), mirrored)
        turned = features(set_of((7 - c, 7 - r) for c, r in blacks), set_of((7 - c, 7 - r) for c, r in whites), player)
        for n in (1, 4, 5, 6, 7, 8):
            assert turned[n] == pytest.approx(features(set_of(blacks), set_of(whites), player)[n])


def test_turning_rows_sets_diagonals_upright():
    chooser = random.Random(5)
    for _ in range(50):
        bits = np.uint64(chooser.getrandbits(64))
        points = points_of(bits)
        assert points_of(transposed(bits)) == {(r, c) for c, r in points}
        assert points_of(turned_left(bits)) == {((c - r) % 8, r) for c, r in points}
        assert points_of(turned_right(bits)) == {((c + r) % 8, r) for c, r in points}


def test_walls_by_hand():
    """Three white pieces before the black b1, two before h5: one and a half for White."""
    blacks, whites = {(1, 0), (7, 4)}, {(0, 1), (1, 1), (2, 1), (6, 4), (6, 5)}
    assert features(set_of(blacks), set_of(whites), 0)[5] == -1.5


def test_features_are_the_same_compiled():
    from tesuji.core.numba.registration import compiled, is_pure
    from tesuji.learn.evaluation import write_features

    if is_pure():
        pytest.skip("nothing is compiled in pure mode")
    chooser, state, moves = random.Random(2), GAME.new_state(), []
    while len(moves) < 80 and not rules.is_over(state):
        moves.append(chooser.choice(GAME.legal_moves(state)))
        rules.play(state, moves[-1])
    tables = [np.zeros((len(moves), FEATURE_COUNT)) for _ in range(2)]
    write_features(GAME.new_state(), np.array(moves, np.int32), 0, tables[0])
    compiled(write_features)(GAME.new_state(), np.array(moves, np.int32), 0, tables[1])
    assert (tables[0] == tables[1]).all() and tables[0].any()
