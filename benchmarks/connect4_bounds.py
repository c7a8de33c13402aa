"""The bounds that Connect Four's rules give, against the values of all positions of small boards by brute force.

    .venv/bin/python benchmarks/connect4_bounds.py [--all connect4:4x4,connect4:5x4] [--random connect4:6x5] [--count N]
        [--empty K] [--seed N]

`--all`: how many positions of the board are not over, how many of them the bounds decide, how many they narrow, and how many
bounds are wrong. `--random`: positions of random games with K empty cells or somewhat fewer in
which nobody could complete a line at once and the rules' bounds say something, each proven by a search that does not know these
bounds. The exit code is 1 if any bound is wrong.
"""

from __future__ import annotations

import argparse
import random
import sys

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import kernel
from tesuji.core.game import copy_state
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import compiled
from tesuji.games.connect4.bounds import winning_cells
from tesuji.games.connect4.rules import name_of
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player


@kernel
def list_children(states, children, names, buffer):
    """Writes the positions after every move of `states`, and their names; returns how many there are."""
    found = 0
    for i in range(len(states)):
        if not rules.is_over(states[i]):
            count = rules.moves(states[i], buffer)
            for j in range(count):
                children[found] = states[i]
                rules.play(children[found], buffer[j])
                names[found] = name_of(children[found])
                found += 1
    return found


@kernel
def find_values(states, values, names_below, values_below, room, buffer, counts):
    """The values of positions by those of one ply later, and what the bounds say of them, counted."""
    for i in range(len(states)):
        if rules.is_over(states[i]):
            values[i] = rules.outcome(states[i])
            continue
        count = rules.moves(states[i], buffer)
        first = rules.to_play(states[i]) == 0
        best = -1 if first else 1
        for j in range(count):
            room[0] = states[i]
            rules.play(room[0], buffer[j])
            value = values_below[np.searchsorted(names_below, name_of(room[0]))]
            best = max(best, value) if first else min(best, value)
        values[i] = best
        lower, upper = rules.bounds(states[i], -1, 1)
        counts[0] += 1
        counts[1] += 1 if lower == upper else 0
        counts[2] += 1 if upper - lower == 1 else 0
        counts[3] += 1 if best < lower or best > upper else 0


def check_all(name: str) -> int:
    """Prints what is found of one board; returns how many bounds are wrong."""
    game = find_game(name)
    buffer = np.zeros(64, np.int32)
    states = np.array([game.initial])
    names = np.zeros(1, np.uint64)
    levels = []
    while len(states) > 0:
        levels.append((states, names))
        children = np.zeros(len(states) * int(game.initial["width"]), states.dtype)
        all_names = np.zeros(len(children), np.uint64)
        found = compiled(list_children)(states, children, all_names, buffer)
        names, chosen = np.unique(all_names[:found], return_index=True)
        states = children[:found][chosen]
    counts = np.zeros(4, np.int64)
    names_below, values_below = np.zeros(1, np.uint64), np.zeros(1, np.int64)
    for states, names in reversed(levels):
        values = np.zeros(len(states), np.int64)
        compiled(find_values)(states, values, names_below, values_below, np.zeros(1, states.dtype), buffer, counts)
        names_below, values_below = names, values
    total, decided, narrowed, wrong = (int(number) for number in counts)
    value = int(values_below[0])
    print(f"{name}: value {value}; {total} positions not over, {decided} decided, {narrowed} narrowed, {wrong} wrong")
    return wrong


def check_random(name: str, count: int, empty: int, seed: int) -> int:
    """Prints what is found of random positions; returns how many bounds are wrong."""
    game, chance = find_game(name), random.Random(seed)
    player = find_player("prove:initial_bounds=off,memory=2000")
    buffer = np.zeros(64, np.int32)
    decided, narrowed, wrong, unproven = 0, 0, 0, 0
    while decided + narrowed < count:
        states = np.array([game.initial])
        left = empty - chance.randrange(8)
        while not rules.is_over(states[0]) and states[0]["left"] > left:
            rules.play(states[0], buffer[chance.randrange(rules.moves(states[0], buffer))])
        found = np.zeros(2, np.int64)
        if rules.is_over(states[0]) or has_winning_cell(states[0]) or compiled(bound)(states, found) == 2:
            continue
        decided += found[0] == found[1]
        narrowed += found[0] != found[1]
        search = player.engine(game, copy_state(states[0]), seed=seed)
        result = search.run(Limits(playouts=20_000_000))
        unproven += not result.proven
        wrong += bool(result.proven and not found[0] <= result.lower <= found[1])
    print(f"{name}: {decided} positions decided, {narrowed} narrowed, {unproven} not proven, {wrong} wrong")
    return wrong


def has_winning_cell(state) -> bool:
    """Whether a player would win at once, were it his turn."""
    own, other = state["stones"]
    playable = ((own | other) + state["bottom"]) & state["cells"]
    height = int(state["height"])
    return bool((winning_cells(own, height) | winning_cells(other, height)) & playable)


@kernel
def bound(states, found):
    """Writes the bounds of a position; returns how far they are apart."""
    lower, upper = rules.bounds(states[0], -1, 1)
    found[0] = lower
    found[1] = upper
    return upper - lower


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", default="")
    parser.add_argument("--random", default="")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--empty", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    wrong = sum([check_all(name) for name in options.all.split(",") if name])
    wrong += sum([check_random(name, options.count, options.empty, options.seed) for name in options.random.split(",") if name])
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
