"""Two positions of Hex with one hash, found by elimination: the words of the stones are public. A saved search in which one of
them is won proves nothing of the other.
"""

from __future__ import annotations

import functools
import operator
import random

import numpy as np
import pytest
from fuzz.saved_files import sealed, unsealed
from plain_search import plain_search

from tesuji.core import rules
from tesuji.core.limits import Limits
from tesuji.games.hex.state import CELL_KEYS
from tesuji.games.registry import find_game
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.files.saved_search import FORMAT, PARTS, load_search, save_search
from tesuji.search.kernel.table import pack
from tesuji.search.kernel.tree import NODE, ROOT

GAME = find_game("hex:11")


def cells(names: str) -> list[int]:
    return [GAME.parse(GAME.initial, name) for name in names.split()]


# White is as good as connected from left to right, Black has scattered stones.
WHITE, BLACK = cells("a6 b6 d5 f4 h3 i3 j3 k3"), cells("a1 c1 e1 g1 k11 i11 g11 e11")
BEFORE = [move for pair in zip(BLACK, WHITE, strict=True) for move in pair]
FIRST = cells("a11")[0]
LINE, GAPS = cells("e2 e3 d4 c5 c6 c7 b9 b10 b11"), cells("c8 b8")  # with this line Black has won: either gap will do


@pytest.fixture(autouse=True)
def hashes_overflow():
    with np.errstate(over="ignore"):
        yield


def state_after(moves: list[int]):
    """The position; None if the game is over before or then."""
    state = GAME.initial.copy()
    for move in moves:
        rules.play(state, move)
        if rules.is_over(state):
            return None
    return state


def colliding_moves() -> list[int]:
    """Moves of both after BEFORE and FIRST, Black's line among them, whose stones' words cancel each other out."""
    rng = random.Random(1)
    free = [cell for cell in range(121) if cell not in {*BEFORE, FIRST, *LINE, *GAPS}]
    goal = functools.reduce(operator.xor, (int(CELL_KEYS[0, cell]) for cell in LINE))
    while True:
        rng.shuffle(free)
        stones = [(0, cell) for cell in free[:42]] + [(1, cell) for cell in free[42:]]
        basis: dict[int, tuple[int, int]] = {}  # by the highest bit: a word, and the set of stones that make it
        cancelling = []  # sets of stones that make 0
        for number, stone in enumerate(stones):
            word, chosen = reduced(basis, int(CELL_KEYS[stone]), 1 << number)
            if word:
                basis[word.bit_length()] = word, chosen
            else:
                cancelling.append(chosen)
        left, chosen = reduced(basis, goal, 0)
        for _ in range(0 if left else 300):
            chosen ^= rng.choice(cancelling)
            black, white = ([c for i, (side, c) in enumerate(stones) if side == who and chosen >> i & 1] for who in (0, 1))
            if len(LINE) + len(black) != len(white):
                continue
            moves = [move for pair in zip(white, LINE + black, strict=True) for move in pair]
            state = state_after([*BEFORE, FIRST, *moves])
            if state is not None and rules.bounds(state, -1, 1)[0] == 1:
                return moves


def reduced(basis: dict[int, tuple[int, int]], word: int, chosen: int) -> tuple[int, int]:
    while word and (part := basis.get(word.bit_length())):
        word, chosen = word ^ part[0], chosen ^ part[1]
    return word, chosen


def tree_along(state, moves: list[int]) -> np.ndarray:
    """A tree with all moves of the positions on one line."""
    nodes, at = np.zeros(1, NODE), ROOT
    nodes["parent"] = nodes["move"] = -1
    for move in moves:
        legal = GAME.legal_moves(state)
        children = np.zeros(len(legal), NODE)
        children["parent"], children["move"] = at, legal
        nodes[at]["first_child"], nodes[at]["child_count"] = len(nodes), len(legal)
        nodes[at]["to_play"], at = rules.to_play(state), len(nodes) + legal.index(move)
        nodes = np.concatenate([nodes, children])
        rules.play(state, move)
    nodes["lower"], nodes["upper"] = -1, 1
    return nodes


@pytest.mark.parametrize("symmetry", [False, True])
def test_they_do_not_share_their_bounds(tmp_path, symmetry):
    moves = colliding_moves()
    root, one, other = (state_after(line) for line in (BEFORE, [*BEFORE, FIRST], [*BEFORE, FIRST, *moves]))
    key = rules.position_hash(one)
    assert key == rules.position_hash(other)
    search = TreeSearch(GAME, settings=SEARCH.settings({"memory": 1.0, "symmetry": symmetry}), seed=1, pure=True)
    for move in BEFORE:
        search.advance(move)
    search.run(Limits(playouts=1))
    save_search(search, tmp_path / "s")
    header, body = unsealed((tmp_path / "s").read_bytes(), FORMAT)
    nodes = tree_along(root, [FIRST, *moves])
    claimed = 1 + GAME.legal_moves(state_after(BEFORE)).index(FIRST)
    nodes["lower"][[ROOT, claimed]] = nodes["visits"][[ROOT, claimed]] = 1
    entry = np.array([key ^ pack(1, 1, 9), pack(1, 1, 9)], np.uint64)
    wins, generators = (header["sizes"][name] for name in PARTS[-2:])
    parts = {"nodes": nodes.tobytes(), "slots": bytes(8), "entries": entry.tobytes()}
    parts |= {"wins": bytes(body[-wins - generators : -generators]), "generators": bytes(body[-generators:])}
    header["sizes"] = {name: len(parts.get(name, b"")) for name in PARTS}
    (tmp_path / "s").write_bytes(sealed(header, b"".join(parts.get(name, b"") for name in PARTS), FORMAT))
    loaded = load_search(tmp_path / "s", plain_search)
    assert (loaded.result().lower, loaded.result().upper) == (-1, 1)
    assert not loaded.tree.table.any()
