"""Patterns of Hex: codes against a naive reading of the board, symmetries, tables."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tesuji.core import rules
from tesuji.core.random import make_rng
from tesuji.games.registry import find_game
from tesuji.knowledge.hex import geometry as g
from tesuji.knowledge.hex.patterns import codes as p
from tesuji.knowledge.hex.patterns.features import NO_KEY, cell_of, edge_feature, keys_of, last_class, outer_ring
from tesuji.knowledge.hex.patterns.open_addressing import find_key, open_addressing
from tesuji.knowledge.hex.patterns.playout_table import (
    FREE,
    UNITS,
    all_sixes,
    find_pattern,
    make_table,
    reply_weight,
    weights_of,
)
from tesuji.knowledge.hex.policies.mohex import RATED
from tesuji.knowledge.hex.policies.pattern_playouts import draw_below

SIZES = ((1, 1), (2, 3), (3, 3), (5, 5), (4, 7), (11, 11), (19, 19))


@pytest.fixture(autouse=True)
def overflow_is_meant():
    with np.errstate(over="ignore"):
        yield


def random_position(seed, width, height, share=0.5):
    """A position of random stones, alternately Black's and White's; the game may be over in it."""
    chooser = random.Random(seed)
    state = find_game(f"hex:{width}x{height}" if width != height else f"hex:{width}").new_state()
    cells = list(range(width * height))
    chooser.shuffle(cells)
    for cell in cells[: int(share * chooser.random() * len(cells))]:
        rules.play(state, cell)
    return state


def colour_at(state, column, row):
    """0 empty, 1 Black, 2 White; None beyond the border."""
    if not (0 <= column < state["width"] and 0 <= row < state["height"]):
        return None
    return sum((player + 1) * (int(state["stones"][player, row]) >> column & 1) for player in range(2))


def naive_cells(state, column, row):
    return [colour_at(state, column + x, row + y) for x, y in g.OFFSETS]


def seen(state):
    board = np.zeros(1, RATED)[0]
    p.see_position(board, state)
    return board


def empty_cells(state):
    cells = ((column, row) for row in range(int(state["height"])) for column in range(int(state["width"])))
    return [cell for cell in cells if colour_at(state, *cell) == 0]


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from(SIZES))
def test_codes_say_what_is_on_the_board(seed, size):
    state = random_position(seed, *size)
    board = seen(state)
    for column, row in empty_cells(state):
        code = int(board["codes"][g.place_of(column, row)])
        cells = naive_cells(state, column, row)
        for i, colour in enumerate(cells):
            assert p.is_outside(code >> p.CLASS_SHIFT, i) == (colour is None)
            if colour is not None:
                assert code >> 2 * i & 3 == colour


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.sampled_from(SIZES))
def test_patterns_are_the_same_in_their_symmetries(seed, size):
    state = random_position(seed, *size)
    width, height = size
    board = seen(state)
    turned = reflected = None
    for name in ("turned", "reflected"):
        moved = find_game("hex:19").new_state()
        moved["width"], moved["height"] = (width, height) if name == "turned" else (height, width)
        moved["stones"][:] = 0
        for row in range(height):
            for column in range(width):
                colour = colour_at(state, column, row)
                if colour:
                    if name == "turned":
                        moved["stones"][colour - 1, height - 1 - row] |= np.uint32(1 << (width - 1 - column))
                    else:
                        moved["stones"][2 - colour, column] |= np.uint32(1 << row)
        turned, reflected = (seen(moved), reflected) if name == "turned" else (turned, seen(moved))
    for column, row in empty_cells(state):
        code = board["codes"][g.place_of(column, row)]
        half = turned["codes"][g.place_of(width - 1 - column, height - 1 - row)]
        other = reflected["codes"][g.place_of(row, column)]
        assert p.turned(code) == half and p.reflected(code) == other
        assert p.canonical(code, 0) == p.canonical(half, 0) == p.canonical(other, 1)
        assert p.turned(p.six_of(code)) == p.six_of(half)
        outer = outer_ring(board["colours"], g.place_of(column, row))
        outer_half = outer_ring(turned["colours"], g.place_of(width - 1 - column, height - 1 - row))
        outer_other = outer_ring(reflected["colours"], g.place_of(row, column))
        for cell in (-1, *range(g.CELLS)):
            opposite = g.OPPOSITE[cell] if cell >= 0 else -1
            mirrored = g.OFFSETS.index(g.OFFSETS[cell][::-1]) if cell >= 0 else -1
            keys = keys_of(code, outer, cell, 0)
            assert keys == keys_of(half, outer_half, opposite, 0) == keys_of(other, outer_other, mirrored, 1)
            assert (keys[2] == NO_KEY) == (cell < 0)
        assert edge_feature(column, row, width, height, 0) == edge_feature(row, column, height, width, 1)
        assert edge_feature(column, row, width, height, 1) == edge_feature(
            width - 1 - column, height - 1 - row, width, height, 1
        )


def test_features_of_the_last_move():
    assert all(cell_of(*offset) == i for i, offset in enumerate(g.OFFSETS))
    assert cell_of(0, 2) == cell_of(3, 0) == cell_of(0, 0) == -1
    for x, y in ((0, 1), (2, -1), (-3, 5), (9, 0)):
        assert last_class(x, y, 0) == last_class(-x, -y, 0) == last_class(y, x, 1)
    near = {last_class(x, y, 0) for x in range(-5, 6) for y in range(-5, 6) if (x, y) != (0, 0) and abs(x + y) <= 5}
    assert len(near) == 45  # 90 cells within five steps, in pairs


def test_tables_find_what_is_in_them_and_nothing_else():
    chooser = random.Random(1)
    keys = np.unique(np.array([chooser.getrandbits(62) | 1 for _ in range(500)], np.uint64))
    table, places, shift = open_addressing(keys)
    assert all(table[place] == key and find_key(table, shift, key) == place for key, place in zip(keys, places, strict=True))
    assert all(table[find_key(table, shift, np.uint64(key))] == NO_KEY for key in range(2, 40, 2))


def test_weights_of_the_playout_table():
    """A pattern has the weight of its own code in all its images, else that of its six cells, capped; the rest the cap."""
    state = random_position(5, 7, 7, 0.8)
    board = seen(state)
    codes = np.array([board["codes"][g.place_of(*cell)] for cell in empty_cells(state)], np.uint32)
    mine = np.unique([p.canonical(code, 0) for code in codes])
    gammas = np.linspace(0.01, 0.4, len(mine))
    sixes = np.unique([min(p.six_of(code), p.turned(p.six_of(code))) for code in mine])[:1]
    six_strength = 0.05
    table = make_table(
        np.concatenate([mine[1:], sixes]),
        np.concatenate([gammas[1:], [six_strength]]),
        mine[1:2],
        np.array([3.0]),
        0.157,
        lambda codes, player: np.zeros(len(codes)),
    )
    for code in codes:
        own = p.canonical(code, 0)
        known = {int(key): gamma for key, gamma in zip(mine[1:], gammas[1:], strict=True)}
        six = min(p.six_of(code), p.turned(p.six_of(code)))
        expected = known.get(int(own), six_strength if six == sixes[0] else 1.0)
        for image, player in ((code, 0), (p.turned(code), 0), (p.reflected(code), 1)):
            entry = find_pattern(table, image)
            weight = int(weights_of(table, entry)) >> 32 * player & 0xFFFFFFFF
            assert weight == round(min(expected, 0.157) * UNITS / 0.157)
            reply = int(reply_weight(table, entry, player))
            assert reply == (round(3.0 * UNITS / 0.157) if own == mine[1] else 0)
    assert all(table.words[find_pattern(table, code)] != FREE for code in all_sixes())


def test_numbers_are_drawn_below_both_sums():
    rng = make_rng(3)
    for everywhere, nearby in ((1, 0), (7, 5), (2**24, 2**33), (2**31, 2**31)):
        drawn = [int(draw_below(np.uint64(everywhere), np.uint64(nearby), rng)) for _ in range(300)]
        assert 0 <= min(drawn) and max(drawn) < everywhere + nearby
    assert set(int(draw_below(np.uint64(3), np.uint64(2), rng)) for _ in range(200)) == {0, 1, 2, 3, 4}
