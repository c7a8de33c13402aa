"""Inferior cells of Hex: the proofs of patterns, fill-in and pruning against exact values of small boards."""

from __future__ import annotations

import random
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from tesuji.core import rules
from tesuji.core.numba.registration import compiled
from tesuji.games.hex.rules import put_stone
from tesuji.games.registry import find_game
from tesuji.knowledge.hex import geometry as g
from tesuji.knowledge.hex.inferior.board import NO_CELL, WINDOW_WORK, WORK
from tesuji.knowledge.hex.inferior.dead_cells import DEAD
from tesuji.knowledge.hex.inferior.fill_in import fill_in, fill_in_by_windows, put_filled_stones
from tesuji.knowledge.hex.inferior.pruning import DOMINATED, KEPT, REVERSIBLE, prune_by_windows, prune_inferior
from tesuji.knowledge.hex.inferior.windows import (
    IMAGES,
    SHAPES,
    dominated_bit,
    exchanged,
    neighbours,
    reversible_bit,
    shipped_proofs,
)
from tesuji.knowledge.hex.inferior.windows import window_tables as tables
from tesuji.knowledge.hex.patterns import codes as p
from tesuji.knowledge.hex.patterns.inferior import inferior_patterns
from tesuji.learn.hex_inferior import filled_order, order_of_games, patterns_of, proven, without_smaller

SCRIPT = Path(__file__).parent.parent.parent / "benchmarks" / "hex_fill_in.py"


@pytest.fixture(autouse=True)
def overflow_is_meant():
    with np.errstate(over="ignore"):
        yield


@pytest.fixture(scope="module")
def script():
    spec = spec_from_file_location("benchmark_hex_fill_in", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def position(text):
    """A position from a game string, with the player to move."""
    return find_game(text).new_state()


def cells_of(work, state, field, value):
    """The names of the empty cells with that value in a field of the record."""
    found = []
    for row in range(int(state["height"])):
        for column in range(int(state["width"])):
            place = g.place_of(column, row)
            if work["colours"][place] == g.EMPTY and work[field][place] == value:
                found.append(f"{chr(97 + column)}{row + 1}")
    return found


def filled_cells(work, state):
    width = int(state["width"])
    places = work["filled"][: work["filled_count"]]
    moves = [(int(place) // g.STRIDE - g.MARGIN, int(place) % g.STRIDE - g.MARGIN) for place in places]
    assert all(0 <= column < width for _, column in moves)
    colours = "?bw"
    return {f"{chr(97 + column)}{row + 1}": colours[work["colours"][g.place_of(column, row)]] for row, column in moves}


# -- proofs --------------------------------------------------------------------------------------------------------------------
def test_dead_rings():
    """The classes that were derived independently (`W` White, `B` Black, clockwise)."""
    for text in ("WWWW..", "WWW.B.", "WW.BB.", "BBBB..", "BBBWWW"):
        for turn in range(6):
            assert DEAD[ring_number(text[turn:] + text[:turn])]
    for text in ("WWW...", "WBW...", "WW.B..", "......"):
        assert not DEAD[ring_number(text)]


def ring_number(text):
    return sum({"B": 1, "W": 2}.get(text[i], 0) * 3 ** int(cell) for i, cell in enumerate(g.CLOCKWISE))


def rim_number(shape, stones):
    return sum({"B": 1, "W": 2}[stones[cell]] * 3**i for i, cell in enumerate(shape.rim) if cell in stones)


@pytest.mark.parametrize("text", ["WWW..!", "WW..W!", "WW.B.!", "W.BB.!", "W.B.W!", "BBB.!."])
def test_vulnerable_cells(text):
    """The rings in which a white stone at `!` kills: the pair of the two cells is a window that says so."""
    shape, words = SHAPES["pair"], raw("pair")
    for turn in range(6):
        turned = text[turn:] + text[:turn]
        if neighbours((0, 0))[turned.index("!")] == (1, 0):
            stones = {cell: letter for cell, letter in zip(neighbours((0, 0)), turned, strict=True) if letter in "BW"}
            assert words[rim_number(shape, stones)] >> reversible_bit(2, 0, 1) & 1
            other = dict(list(stones.items())[1:])
            assert not words[rim_number(shape, {})] and (words[rim_number(shape, other)] >> reversible_bit(2, 0, 1) & 1) == 0


# Upper row (0,-1) (1,-1) (2,-1); the pair with its ends; lower row (-1,1) (0,1) (1,1). Captured by White.
CAPTURED = (".W. BB .W.", ".W. BB B.B", "WW. .. .WW", "WWW .. .W.", "WW. .B .W.", "WWW .. B.B", "WW. .B B.B", "WWW W. ..B")
CAPTURED += ("WW. WB ..B", "WWW WW ...", "B.B BB B.B")


def captured_stones(text):
    upper, ends, lower = text.split()
    cells = [(0, -1), (1, -1), (2, -1), (-1, 0), (2, 0), (-1, 1), (0, 1), (1, 1)]
    return {cell: letter for cell, letter in zip(cells, upper + ends + lower, strict=True) if letter in "BW"}


@pytest.mark.parametrize("text", CAPTURED)
def test_captured_pairs(text):
    """The minimal classes that were derived independently, and none with a stone less."""
    shape = SHAPES["pair"]
    white = raw("pair")[exchanged(len(shape.rim))]
    stones = captured_stones(text)
    assert white[rim_number(shape, stones)] & 3 == 3
    for cell in stones:
        fewer = {other: letter for other, letter in stones.items() if other != cell}
        assert white[rim_number(shape, fewer)] & 3 != 3


@cache
def raw(name):
    """All that is proven of a shape."""
    return patterns_of(SHAPES[name])


def test_the_shipped_proofs_are_those_of_the_generator():
    shipped = shipped_proofs()
    proven_words = {name: raw(name) for name in ("pair", "triangle", "line", "bend")}
    for name in proven_words:
        assert np.array_equal(without_smaller(name, proven_words), shipped[name])
    chosen = np.random.default_rng(1).integers(0, len(shipped["rhombus"]), 300)  # all take ten seconds
    order = {pair: holds[chosen] for pair, holds in filled_order(SHAPES["rhombus"]).items()}
    proven_words["rhombus"] = np.zeros(len(shipped["rhombus"]), np.uint32)
    proven_words["rhombus"][chosen] = proven(4, order_of_games(4, order))
    assert np.array_equal(without_smaller("rhombus", proven_words)[chosen], shipped["rhombus"][chosen])


def test_more_stones_prove_more():
    """What holds with an unknown cell in the rim holds with either stone there; of sets to fill only that there is one."""
    for name in ("pair", "triangle"):
        shape = SHAPES[name]
        words = raw(name).reshape((3,) * len(shape.rim))
        relations = words >> np.uint32(len(shape.area))
        filled = words & np.uint32((1 << len(shape.area)) - 1)
        for axis in range(words.ndim):
            unknown = np.take(relations, 0, axis)
            for stone in (1, 2):
                assert not np.any(unknown & ~np.take(relations, stone, axis))
                assert not np.any((np.take(filled, 0, axis) != 0) & (np.take(filled, stone, axis) == 0))


def test_windows_are_placed_in_all_directions():
    counts = {name: sum(1 for other, _ in IMAGES if other == name) for name in SHAPES}
    assert counts == {"pair": 3, "triangle": 2, "line": 3, "bend": 6, "rhombus": 3}
    for name, image in IMAGES:
        near = {cell for one in image.area for cell in neighbours(one)} - set(image.area)
        assert set(image.rim) == near and len(image.rim) == len(SHAPES[name].rim)


# -- positions -----------------------------------------------------------------------------------------------------------------
def test_all_positions_of_three_by_three(script):
    """The value stays, a dominated cell is never better, and if there is a winning move, one is left."""
    number, fault, (positions, filled, pruned) = script.check_board(3, 3)
    assert (number, fault) == (-1, 0)
    assert positions == 11741 and filled > 30000 and pruned > 3000


def test_some_positions_of_larger_boards(script):
    number, fault, (positions, filled, pruned) = script.check_board(4, 3, 37)
    assert (number, fault) == (-1, 0)
    assert positions > 5000 and filled > positions and pruned > 1000
    for size, empty, count in ((4, 10, 60), (5, 9, 100), (6, 9, 100)):
        drawn, fault, totals = script.check_random(size, empty, count, 1)
        assert not fault, drawn
        assert totals[1] > count


def test_pure_python_finds_the_same(script, monkeypatch):
    every = 701
    compiled_totals = script.check_board(3, 3, every)[2]
    monkeypatch.setattr(script, "compiled", lambda function: function if function is script.check_all else compiled(function))
    assert np.array_equal(script.check_board(3, 3, every)[2], compiled_totals) and compiled_totals.all()


def test_the_check_finds_faults(script, monkeypatch):
    """A table that fills what it should not is noticed."""
    wrong = tables()._replace(fills=np.where(np.arange(len(tables().fills)) % 9 == 5, 3, 0).astype(np.uint8))
    monkeypatch.setattr(script, "window_tables", lambda: wrong)
    assert script.check_board(3, 3)[1] == script.VALUE_CHANGED


def test_edge_cells_on_the_empty_board():
    """On the edges of the player to move the first row is dominated by the second; nothing can be filled."""
    state = position("hex:5")
    work = np.zeros(1, WORK)[0]
    assert fill_in(tables(), work, state) == 0
    for player in range(2):
        kept = prune_inferior(tables(), work, player)
        dominated = cells_of(work, state, "pruned", DOMINATED)
        assert kept == 25 - len(dominated) - len(cells_of(work, state, "pruned", REVERSIBLE))
        edge = {f"{column}1" for column in "abcd"} if player == 0 else {f"a{row}" for row in range(1, 5)}
        assert edge <= set(dominated) | set(cells_of(work, state, "pruned", REVERSIBLE))


def test_fill_in_of_an_edge_bridge():
    """A stone in the second row has captured the two cells between it and its edge."""
    state = position("hex:5:5/2b2/5/5/5:w")
    work = np.zeros(1, WORK)[0]
    fill_in(tables(), work, state)
    filled = filled_cells(work, state)
    assert filled["c1"] == filled["d1"] == "b"
    put_filled_stones(work, state)
    assert state["count"] == 1 + len(filled) and state["winner"] == 0 and state["to_play"] == 1


def test_a_chain_makes_cells_dead():
    """What the liberties of White's chain cut off from his edges is filled, though no window shows it."""
    state = position("hex:6:2b3/bb1ww1/2w1w1/1bw1w1/2wwb1/3b2:b")
    work, by_windows = np.zeros(1, WORK)[0], np.zeros(1, WINDOW_WORK)[0]
    fill_in(tables(), work, state)
    fill_in_by_windows(tables(), by_windows, state)
    assert set(filled_cells(by_windows, state)) <= set(filled_cells(work, state))
    assert {"d3", "d4"} <= set(filled_cells(work, state))


def test_a_decided_position_ends_the_search_for_inferior_cells():
    state = position("hex:3:1b1/1b1/3:w")
    work = np.zeros(1, WORK)[0]
    fill_in(tables(), work, state)
    put_filled_stones(work, state)
    assert state["winner"] == work["winner"] == 1


def test_leaders_end_in_kept_cells():
    for seed in range(12):
        chooser = random.Random(seed)
        state = find_game("hex:7").new_state()
        for cell in chooser.sample(range(49), 12):
            rules.play(state, cell)
        if state["winner"]:
            continue
        work = np.zeros(1, WINDOW_WORK)[0]
        fill_in_by_windows(tables(), work, state)
        kept = prune_by_windows(tables(), work, seed % 2)
        assert kept == len(cells_of(work, state, "pruned", KEPT))
        for place in range(g.PLACES):
            if work["pruned"][place] == DOMINATED:
                leader = place
                while work["leader"][leader] != NO_CELL:
                    leader = int(work["leader"][leader])
                assert work["pruned"][leader] == KEPT and work["colours"][leader] == g.EMPTY and leader != place


@cache
def wins(size, stones, player):
    """Whether the player to move wins, by brute force. `stones` is a string of cells by rows: . b w."""
    for owner, letter in enumerate("bw"):
        if joined(size, stones, letter):
            return owner == player
    cells = (i for i, cell in enumerate(stones) if cell == ".")
    return any(wins_by(size, stones, player, i) for i in cells)


def wins_by(size, stones, player, cell):
    return not wins(size, stones[:cell] + "bw"[player] + stones[cell + 1 :], 1 - player)


def joined(size, stones, letter):
    """Whether this colour joins its sides, by a plain search."""
    cells = {(i % size, i // size) for i, cell in enumerate(stones) if cell == letter}
    axis = 1 if letter == "b" else 0
    reached = [cell for cell in cells if cell[axis] == 0]
    known = set(reached)
    while reached:
        new = [near for near in neighbours(reached.pop()) if near in cells and near not in known]
        known.update(new)
        reached += new
    return any(cell[axis] == size - 1 for cell in known)


def test_patterns_of_inferior_moves_are_never_the_only_ones_that_win():
    found = 0
    for seed in range(60):
        chooser = random.Random(seed)
        size = chooser.choice((4, 5))
        empty = chooser.sample(range(size * size), chooser.randrange(4, 9))
        stones = "".join("." if i in empty else chooser.choice("bw") for i in range(size * size))
        if joined(size, stones, "b") or joined(size, stones, "w"):
            continue
        state = find_game(f"hex:{size}").new_state()
        for i, cell in enumerate(stones):
            if cell != ".":
                put_stone(state, "bw".index(cell), i)
        board = np.zeros(1, np.dtype([*p.BOARD_FIELDS], align=True))[0]
        p.see_position(board, state)
        places = [g.place_of(i % size, i // size) for i in empty]
        for player in range(2):
            useless, dominated = inferior_patterns(board["codes"][places], player)
            found += int(np.sum(useless) + np.sum(dominated))
            if wins(size, stones, player):
                for cell, bad in zip(empty, useless | dominated, strict=True):
                    assert not bad or any(wins_by(size, stones, player, other) for other in empty if other != cell)
    assert found > 200


def test_dominance_has_both_bits():
    """Two cells of the rhombus that are alike dominate each other."""
    cells = len(SHAPES["rhombus"].area)
    words = shipped_proofs()["rhombus"]
    both = (words >> np.uint32(dominated_bit(cells, 2, 3)) & 1) & (words >> np.uint32(dominated_bit(cells, 3, 2)) & 1)
    assert both.any()
