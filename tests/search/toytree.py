"""Artificial game trees as games, so that the search is tested without any real game.

A tree is nested: an integer is a finished game with that outcome; ('max', [...]) and ('min', [...]) are positions with a
player to move. The whole tree lies in the record, so one compiled search serves all of them.
"""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, state_type
from tesuji.core.game import Game

MOST = 120
STATE = state_type(
    "toytree",
    [
        ("first", np.int32, (MOST,)),
        ("count", np.int32, (MOST,)),
        ("player", np.int32, (MOST,)),
        ("value", np.int32, (MOST,)),
        ("name", np.int32, (MOST,)),  # equal names are equal positions
        ("at", np.int32),
    ],
)
WIDEST = 8


def toy_game(tree, outcomes=(0, 2), shared=True) -> Game:
    """The game whose positions are the nodes of `tree`; with `shared` equal subtrees are equal positions."""
    start = np.zeros(1, STATE)[0]
    names: dict[str, int] = {}
    waiting = [tree]
    placed = 1
    for at, node in enumerate(waiting):
        assert at < MOST
        start["name"][at] = names.setdefault(repr(node), len(names) + 1) if shared else at + 1
        if isinstance(node, int):
            start["value"][at] = node
            continue
        kind, children = node
        start["player"][at] = 0 if kind == "max" else 1
        start["first"][at], start["count"][at] = placed, len(children)
        waiting += children
        placed += len(children)
    return Game("toytree", start, outcomes, move_count=WIDEST, max_plies=MOST, max_moves=WIDEST)


def value_of(tree) -> int:
    """Minimax by recursion: the truth."""
    if isinstance(tree, int):
        return tree
    kind, children = tree
    return (max if kind == "max" else min)(value_of(child) for child in children)


@implements(rules.to_play, STATE)
def to_play(state):
    return state["player"][state["at"]]


@implements(rules.moves, STATE)
def moves(state, out):
    count = state["count"][state["at"]]
    for i in range(count):
        out[i] = i
    return count


@implements(rules.play, STATE)
def play(state, move):
    state["at"] = state["first"][state["at"]] + move


@implements(rules.is_over, STATE)
def is_over(state):
    return state["count"][state["at"]] == 0


@implements(rules.outcome, STATE)
def outcome(state):
    return state["value"][state["at"]]


@implements(rules.position_hash, STATE)
def position_hash(state):
    return np.uint64(state["name"][state["at"]]) * np.uint64(0x9E3779B97F4A7C15)
