"""examples/mini.py, the search in one file: it is right itself, and it is a second opinion on the engine."""

import importlib.util
import random
import statistics
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tesuji.core import rules
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.player import Player
from tesuji.search.engine.final_move import children_of
from tesuji.search.kernel.tree import ROOT

FILE = Path(__file__).parent.parent / "examples" / "mini.py"
SPEC = importlib.util.spec_from_file_location("mini", FILE)
assert SPEC is not None and SPEC.loader is not None
mini = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(mini)

AS_MINI = {"probe_children": False, "initial_bounds": False, "transpositions": False}  # what the miniature leaves out


def after(moves, width, height):
    """The position after these moves, for both."""
    board = mini.Connect4(width, height)
    for move in moves:
        board = board.play(move)
    game = find_game(f"connect4:{width}x{height}")
    return board, game, game.state_after(moves)


def our_search(game, state, seed, pure=None, **settings):
    return Player("engine", values={"memory": 1.0, **settings}).engine(game, state, seed, pure=pure)


def random_line(chance, width, height, length):
    """Moves of a random game that is not over after them."""
    while True:
        board, moves = mini.Connect4(width, height), []
        while len(moves) < length and board.outcome() is None:
            moves.append(chance.choice(board.moves()))
            board = board.play(moves[-1])
        if board.outcome() is None:
            return moves


def value_of(board):
    """By brute force, on columns of letters: it shares no line of code with either search."""
    rows = [row.split() for row in str(board).splitlines()[:-1]]
    columns = tuple("".join(row[x] for row in reversed(rows)).rstrip(".") for x in range(board.width))
    return brute_force(columns, board.height, "XO"[board.mover])


@cache
def brute_force(columns, height, mover):
    winner = winner_of([column.ljust(height, ".") for column in columns])
    if winner:
        return 1 if winner == "X" else -1
    values = [
        brute_force((*columns[:x], columns[x] + mover, *columns[x + 1 :]), height, "O" if mover == "X" else "X")
        for x in range(len(columns))
        if len(columns[x]) < height
    ]
    return (max if mover == "X" else min)(values, default=0)


def winner_of(columns):
    width, height = len(columns), len(columns[0])
    for x, y in product(range(width), range(height)):
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            if x + 3 * dx < width and 0 <= y + 3 * dy < height:
                line = {columns[x + i * dx][y + i * dy] for i in range(4)}
                if len(line) == 1 and line != {"."}:
                    return line.pop()
    return ""


def test_it_is_short_and_needs_nothing():
    text = FILE.read_text()
    assert len(text.splitlines()) <= 300
    assert [line for line in text.splitlines() if line.startswith(("import", "from"))] == [
        "import math",
        "import random",
        "import sys",
    ]


@pytest.mark.parametrize(("width", "height"), [(4, 4), (7, 6), (5, 8), (1, 3)])
def test_its_rules_are_ours(width, height):
    chance = random.Random(width)
    for _ in range(20):
        board, game, state = after([], width, height)
        while board.outcome() is None:
            assert not rules.is_over(state)
            assert board.moves() == sorted(game.legal_moves(state)) and board.mover == rules.to_play(state)
            move = chance.choice(board.moves())
            board = board.play(move)
            rules.play(state, move)
        assert rules.is_over(state) and rules.outcome(state) == board.outcome()


def test_what_it_proves_is_true_and_what_we_prove_too():
    chance = random.Random(1)
    seen = Counter()
    for number in range(90):
        width, height, stones = ((4, 4, 9), (5, 4, 12), (4, 5, 12))[number % 3]
        board, game, state = after(random_line(chance, width, height, stones), width, height)
        root = mini.search(board, 20_000, mini.Options(rave=number % 2 == 0), seed=number)
        ours = our_search(game, state, number).run(Limits(playouts=20_000))
        true = value_of(board)
        assert (root.pess, root.opti) == (ours.lower, ours.upper) == (true, true)
        assert_bounds_hold(root, board, chance)
        seen[true] += 1
    assert min(seen[value] for value in (-1, 0, 1)) >= 5, seen


def assert_bounds_hold(node, board, chance):
    """Along random paths down the tree."""
    while node.children:
        assert node.pess <= value_of(board) <= node.opti
        node = chance.choice(node.children)
        board = board.play(node.move)


def test_bounds_hold_before_anything_is_proven():
    chance = random.Random(5)
    narrowed = 0
    for number in range(20):
        board, _game, _state = after(random_line(chance, 4, 4, 8), 4, 4)
        root = mini.search(board, 60, seed=number)
        stack = [(root, board)]
        while stack:
            node, here = stack.pop()
            if (node.pess, node.opti) != (-1, 1):
                narrowed += not node.is_proven
                assert node.pess <= value_of(here) <= node.opti
            stack += [(child, here.play(child.move)) for child in node.children]
    assert narrowed > 10


@pytest.mark.parametrize(
    ("rave", "settings"),
    [(False, {"selection": "uct", "exploration": 0.3}), (True, {"selection": "rave", "rave_first": False, "pure": True})],
    ids=["uct", "rave"],
)
def test_it_spreads_its_visits_as_we_do(rave, settings):
    """Same rule, same constants, no solver: the mean visits of each move agree within their standard errors.

    The miniature credits a column to both players, whoever took it first, so `rave_first` is off. The board is small, so that
    a difference of that kind shows: with it two columns of five are 7 and 9 standard errors apart after 100 searches. RAVE
    has fewer, in pure Python: to compile it for this alone takes longer.
    """
    board, game, state = after([2, 2, 1], 5, 4)
    options = mini.Options(exploration=0.1 if rave else 0.3, rave=rave, solver=False)
    ours, its = [], []
    for seed in range(50 if rave else 100):
        search = our_search(game, state, seed, solver="off", **settings)
        with np.errstate(over="ignore"):
            search.run(Limits(playouts=120), with_moves=False)
        nodes = search.tree.nodes
        ours.append({int(nodes[c]["move"]): int(nodes[c]["visits"]) for c in children_of(search.tree, ROOT)})
        its.append({child.move: child.visits for child in mini.search(board, 120, options, seed).children})
    for move in board.moves():
        agree([visits[move] for visits in ours], [visits[move] for visits in its])


def test_it_takes_as_many_playouts_to_a_proof():
    """With what the miniature leaves out turned off, a proof by the engine is the same work."""
    board, game, state = after([1, 1, 2, 2, 0, 3, 0, 3], 4, 4)
    options = mini.Options(exploration=0.3, rave=False)
    ours = [our_search(game, state, seed, exploration=0.3, **AS_MINI).run(with_moves=False).playouts for seed in range(60)]
    its = [mini.search(board, 1_000_000, options, seed).visits for seed in range(60)]
    agree(ours, its)


def agree(a, b):
    """The means differ by less than four standard errors of their difference."""
    error = (statistics.variance(a) / len(a) + statistics.variance(b) / len(b)) ** 0.5
    assert abs(statistics.mean(a) - statistics.mean(b)) < 4 * max(error, 0.02)


def run(*words):
    return subprocess.run([sys.executable, FILE, *words], capture_output=True, text=True)


def test_what_it_prints():
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    assert "proven: draw" in done.stdout and "O wins" in done.stdout
    assert "proven: X wins" in run("7x6", "4455").stdout


@pytest.mark.parametrize("words", [["4"], ["0x4"], ["axb"], ["4x4", "5"], ["4x4", "11111"], ["4x4", "12121213"], ["4x4", "no"]])
def test_wrong_words_are_told(words):
    done = run(*words)
    assert done.returncode == 1 and done.stderr.startswith("mini: ") and "Traceback" not in done.stderr
