"""Games drawn by chance: the rules read all that they say out of tables in the record, so one compilation serves them all.

A game is a directed graph without cycles. Its positions are the nodes; two ways may lead to the same one. Half of the games
have a symmetry: every node has an image, which may be itself, with the same value and the images of its moves in another order.
Bounds that the rules give are true, and mostly wide.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np

from tesuji import Game, implements, mixed, rules, state_type

NODES, MOVES = 128, 6
ZERO = np.uint64(0)
TABLES = state_type(
    "table-game",
    [
        ("node", np.int32),
        ("bounded", np.int32),  # whether the rules give bounds
        ("child", np.int32, (NODES, MOVES)),
        ("count", np.int32, (NODES,)),
        ("owner", np.int32, (NODES,)),
        ("value", np.int32, (NODES,)),
        ("lower", np.int32, (NODES,)),
        ("upper", np.int32, (NODES,)),
        ("image", np.int32, (NODES,)),
    ],
)
RANGES = ((-1, 1), (-1, 1), (0, 1), (-3, 3), (-2, 5), (0, 10), (-100, 100))


@implements(rules.to_play, TABLES)
def to_play(state):
    owner = state["owner"]
    return owner[state["node"]]


@implements(rules.moves, TABLES)
def moves(state, out):
    count = state["count"]
    number = count[state["node"]]
    for move in range(number):
        out[move] = move
    return number


@implements(rules.play, TABLES)
def play(state, move):
    child = state["child"]
    state["node"] = child[state["node"], move]


@implements(rules.is_over, TABLES)
def is_over(state):
    count = state["count"]
    return count[state["node"]] == 0


@implements(rules.outcome, TABLES)
def outcome(state):
    value = state["value"]
    return value[state["node"]]


@implements(rules.bounds, TABLES)
def bounds(state, lowest, highest):
    if state["bounded"] == 0:
        return np.int64(lowest), np.int64(highest)
    lower = state["lower"]
    upper = state["upper"]
    return np.int64(lower[state["node"]]), np.int64(upper[state["node"]])


@implements(rules.position_hash, TABLES)
def position_hash(state):
    return mixed(ZERO, np.uint64(state["node"] + 1))


@implements(rules.symmetries, TABLES)
def symmetries(state):
    return 2


@implements(rules.image, TABLES)
def image(state, number, out):
    if number == 1:
        images = state["image"]
        out["node"] = images[state["node"]]


class TableGame(NamedTuple):
    """A game and the value of each of its nodes by minimax."""

    game: Game
    values: list[int]
    number: int

    def value(self, state: Any) -> int:
        return self.values[int(state["node"])]

    def __repr__(self) -> str:
        return f"make_game({self.number})"


def make_game(number: int, name: str = "", largest: int = 60) -> TableGame:
    """The game of a number: equal numbers give equal games. `largest` is how many pairs of images it has at most.

    Half of the games come from a file, for what is saved, and half were made in a program.
    """
    rng = random.Random(number)
    lowest, highest = rng.choice(RANGES)
    scores = rng.choice([[lowest, highest], list(range(lowest, highest + 1)), [lowest, (lowest + highest) // 2, highest]])
    players = rng.choice((1, 2, 2, 2))
    graph = _Graph(rng, rng.randint(4, largest))
    state = np.zeros(1, TABLES)[0]
    alternate, leaves = rng.random() < 0.5, rng.choice((0.05, 0.2, 0.4))
    for pair, nodes in enumerate(graph.pairs):
        owner = 0 if players == 1 else (graph.layers[pair] + 1) % 2 if alternate else rng.randint(0, 1)
        state["owner"][list(nodes)] = owner
        state["value"][list(nodes)] = rng.choice(scores)
        if pair == 0 or rng.random() >= leaves:
            for node, children in graph.children(pair).items():
                state["count"][node] = len(children)
                state["child"][node][: len(children)] = children
    state["image"][: len(graph.images)] = graph.images
    values = _values(state, len(graph.images))
    state["bounded"] = rng.random() < 0.4
    for nodes in graph.pairs:
        value = values[nodes[0]]
        state["lower"][list(nodes)] = rng.choice((lowest, lowest, rng.randint(lowest, value)))
        state["upper"][list(nodes)] = rng.choice((highest, highest, rng.randint(value, highest)))
    game = Game(
        name or f"table{number}",
        state,
        outcomes=(lowest, highest),
        move_count=MOVES,
        max_plies=graph.depth + 3,
        players=players,
        source=__file__ if rng.random() < 0.5 else "",
    )
    return TableGame(game, values, number)


class _Graph:
    """Nodes in layers, in pairs of images; a node that is its own image is a pair of one, and the start is such a node."""

    def __init__(self, rng: random.Random, pairs: int):
        self._rng = rng
        symmetric = rng.random() < 0.5
        self.depth = rng.randint(2, 14)
        self.layers = [-1, *sorted(rng.randint(0, self.depth) for _ in range(pairs - 1))]
        self.pairs: list[tuple[int, ...]] = []
        self.images: list[int] = []
        for pair in range(pairs):
            first = len(self.images)
            if pair == 0 or not symmetric or rng.random() < 0.25:
                self.pairs.append((first,))
                self.images.append(first)
            else:
                self.pairs.append((first, first + 1))
                self.images += [first + 1, first]

    def children(self, pair: int) -> dict[int, list[int]]:
        """The nodes that moves lead to, for each node of the pair; nothing if there are none further on."""
        rng, pairs = self._rng, self.pairs
        later = [other for other in range(pair + 1, len(pairs)) if self.layers[other] > self.layers[pair]]
        near = [other for other in later if self.layers[other] <= self.layers[pair] + 2]
        later = near if near and rng.random() < 0.8 else later
        if not later:
            return {}
        if len(pairs[pair]) == 2:
            first, second = pairs[pair]
            ours = list(dict.fromkeys(rng.choice(pairs[rng.choice(later)]) for _ in range(rng.randint(1, MOVES))))
            theirs = [self.images[node] for node in ours]
            rng.shuffle(theirs)
            return {first: ours, second: theirs}
        chosen = dict.fromkeys(rng.choice(later) for _ in range(rng.randint(1, MOVES)))
        found: list[int] = []
        for other in chosen:  # a node that is its own image has the images of its moves, too
            if len(found) + len(pairs[other]) <= MOVES:
                found += pairs[other]
        rng.shuffle(found)
        return {pairs[pair][0]: found}


def _values(state: Any, nodes: int) -> list[int]:
    values = [0] * nodes
    for node in reversed(range(nodes)):
        children = [values[child] for child in state["child"][node][: state["count"][node]]]
        best = max if state["owner"][node] == rules.FIRST else min
        values[node] = best(children) if children else int(state["value"][node])
    return values
