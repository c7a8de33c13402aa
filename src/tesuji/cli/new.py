"""Write a game of your own to begin with: a file that plays, and a test beside it.

The game is a small one that is complete; replace its rules by yours. Existing files are never replaced.
JSON: game (its string), file, test.
"""

from __future__ import annotations

import argparse
import importlib.util
import keyword
import re
from pathlib import Path

from tesuji.cli import options, output
from tesuji.core.errors import UserError

SUMMARY = "write a file with a game of your own to begin with"
MOST_BYTES = 1 << 20

GAME = '''"""TITLE: take one to three counters from the heap; whoever takes the last one wins.

    tesuji check FILE:game
    tesuji play FILE:game
"""

import numpy as np

from tesuji import Game, implements, mixed, rules, state_type

COUNTERS = 21
MOST = 3  # that may be taken at once
ZERO = np.uint64(0)

# A position: all that matters for the rest of the game.
STATE = state_type("NAME", [("left", np.int32), ("to_play", np.int32)])


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]  # 0 or 1


@implements(rules.moves, STATE)
def moves(state, out):
    """The legal moves, as numbers from 0 below `move_count`; at least one unless the game is over."""
    count = min(MOST, state["left"])
    for move in range(count):
        out[move] = move  # takes move + 1 counters
    return count


@implements(rules.play, STATE)
def play(state, move):
    state["left"] -= move + 1
    state["to_play"] = 1 - state["to_play"]


@implements(rules.is_over, STATE)
def is_over(state):
    return state["left"] == 0


@implements(rules.outcome, STATE)
def outcome(state):
    """Always for player 0: 1 won, -1 lost. Whoever is to move now did not take the last counter."""
    return -1 if state["to_play"] == 0 else 1


# Optional: equal positions are recognised, so that proofs are found sooner. It must hold all that matters.
@implements(rules.position_hash, STATE)
def position_hash(state):
    return mixed(ZERO, np.uint64(2 * state["left"] + state["to_play"]))


# Ordinary Python, never compiled: how moves are written, and what is shown.
def move_text(_state, move):
    return str(move + 1)


def draw(state):
    return f"{state['left']} counters: " + "o" * int(state["left"])


start = np.zeros(1, STATE)[0]
start["left"] = COUNTERS
game = Game(
    "NAME",
    start,
    outcomes=(-1, 1),
    move_count=MOST,
    max_plies=COUNTERS,
    move_text=move_text,
    draw=draw,
    title="TITLE",
    goal="Take the last counter.",
    how_to_play=f"In turn, each player takes one to {MOST} counters from a heap of {COUNTERS}.",
)
'''

TEST = '''"""Tests of FILE: python -m pytest TEST"""

from pathlib import Path

import tesuji

game = tesuji.game(f"{Path(__file__).with_name('FILE')}:game")


def test_the_rules_have_no_mistake():
    report = tesuji.check(game, games=20)
    assert report.ok, report.summary()


def test_moves():
    assert game.start.legal_moves == ("1", "2", "3")
    assert game.start.play("3", "2").to_move == "first"


def test_the_end():
    position = game.start.play(*["3"] * 7)
    assert position.is_over and position.winner == "first"


def test_the_value():
    """Whoever leaves a multiple of four wins: the first player takes one."""
    proof = tesuji.solve(game, seconds=60)
    assert proof.proven and proof.best == "1"
'''


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="GAMEFILE", help="the file to write, as in mygame.py")
    options.add_common(parser, seed=None)


def run(args: argparse.Namespace) -> int:
    path = Path(args.file)
    name = path.stem
    is_name = name.isascii() and name.isidentifier() and not keyword.iskeyword(name)
    if path.suffix != ".py" or not is_name or importlib.util.find_spec(name) is not None:  # it would hide that module
        named = "letters, digits and _, then .py, as in mygame.py, and no word or module of Python"
        raise UserError(f"{args.file} is no name for a file of rules: write {named}")
    test = path.with_name(f"test_{path.name}")
    for one in (path, test):
        if one.exists() or one.is_symlink():
            raise UserError(f"{one} exists already, and is not replaced: name another file")
    from tesuji.core.files import FileKind, check_can_write, write_file

    kind = FileKind("a new file", (b"",), MOST_BYTES)
    words = {"FILE": path.name, "TEST": test.name, "NAME": name, "TITLE": name.replace("_", " ").capitalize()}
    check_can_write(test, kind)
    for one, text in ((path, GAME), (test, TEST)):
        write_file(one, re.sub("|".join(words), lambda found: words[found[0]], text).encode(), kind)
    if args.json:
        output.print_json({"game": f"{path}:game", "file": str(path), "test": str(test)})
    else:
        print(f"{path}: a game that plays; {test}: its tests")
        print(f"next: tesuji check {path}:game, then tesuji play {path}:game")
    return 0
