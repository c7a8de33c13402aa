"""The bounds that Connect Four's rules give: strategies played out against every reply, and values by brute force."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from tesuji.core import rules
from tesuji.core.game import copy_state
from tesuji.games.connect4.bounds import MOST_BASES, PAIRINGS, bounds, followed, paired, runs_out, winning_cells
from tesuji.games.connect4.lines import wins
from tesuji.games.registry import find_game

pytestmark = pytest.mark.filterwarnings("ignore:overflow")


def exact(game, state, known):
    """The value by minimax, with a memory."""
    key = (int(state["stones"][0]), int(state["stones"][1]))
    if key not in known:
        if rules.is_over(state):
            known[key] = int(rules.outcome(state))
        else:
            best = max if rules.to_play(state) == rules.FIRST else min
            known[key] = best(exact(game, after(state, move), known) for move in game.legal_moves(state))
    return known[key]


def after(state, move):
    copy = copy_state(state)
    rules.play(copy, move)
    return copy


def late_positions(name, empty, count, seed):
    """Positions of random games with at most so many empty cells."""
    game, chance = find_game(name), random.Random(seed)
    found = []
    while len(found) < count:
        state = copy_state(game.initial)
        while not rules.is_over(state) and int(state["left"]) > empty:
            rules.play(state, chance.choice(game.legal_moves(state)))
        if not rules.is_over(state):
            found.append(state)
    return game, found


@pytest.mark.parametrize(
    ("name", "empty", "count"), [("connect4:7x6", 9, 120), ("connect4:6x5", 9, 120), ("connect4:5x5", 9, 120)]
)
def test_bounds_of_late_positions_are_true(name, empty, count):
    game, states = late_positions(name, empty, count, 1)
    known, told, by_strategy = {}, 0, 0
    with np.errstate(over="ignore"):
        for state in states:
            lower, upper = bounds(state, -1, 1)
            assert lower <= exact(game, state, known) <= upper
            told += (lower, upper) != (-1, 1)
            by_strategy += strategies(state) < 1
    assert told > count / 3
    assert by_strategy > 2


def strategies(state):
    """What the follower's strategies alone leave the mover: 1, 0 or -1."""
    mover = int(state["to_play"])
    own, other = state["stones"][mover], state["stones"][1 - mover]
    empty, height = state["cells"] & ~(own | other), int(state["height"])
    playable = ((own | other) + state["bottom"]) & state["cells"]
    rows = movers_rows(state)
    best = followed(own, other, empty, rows, playable & ~rows, height, 4)
    waiting = winning_cells(other, height) & empty & ~playable
    return -1 if waiting and runs_out(own, empty, playable, waiting, rows, height) else best


def movers_rows(state):
    """Every second cell of each column, the highest being the follower's."""
    height, rows = int(state["height"]), 0
    for column, row in itertools.product(range(int(state["width"])), range(height)):
        if (height - row) % 2 == 0:
            rows |= 1 << (column * (height + 1) + row)
    return np.uint64(rows)


@pytest.mark.parametrize(("name", "count"), [("connect4:4x3:3", 4631), ("connect4:5x2:3", 3456), ("connect4:3x4:3", 1801)])
def test_bounds_of_all_positions_are_true(name, count):
    game = find_game(name)
    known, seen, waiting = {}, set(), [game.initial]
    with np.errstate(over="ignore"):
        while waiting:
            state = waiting.pop()
            key = state.tobytes()
            if key in seen or rules.is_over(state):
                continue
            seen.add(key)
            lower, upper = bounds(state, -1, 1)
            assert lower <= exact(game, state, known) <= upper
            waiting += [after(state, move) for move in game.legal_moves(state)]
    assert len(seen) == count


def naive_pairings(cells):
    """All ways to join the cells in pairs."""
    if not cells:
        return [[]]
    first, *rest = cells
    return [
        [(first, second), *others] for second in rest for others in naive_pairings([cell for cell in rest if cell != second])
    ]


@pytest.mark.parametrize("count", [2, 4, MOST_BASES])
def test_every_pairing_is_tried_and_every_choice(count):
    """Random stones on 7x6; `paired` is compared with a plain list of all pairings and all choices."""
    chance = random.Random(count)
    pairings_seen = set()
    for _ in range(60):
        cells = chance.sample([column * 7 + row for column in range(7) for row in range(6)], 42)
        bases, movers, followers = cells[:count], cells[count : count + 12], cells[count + 12 : count + 24]
        bits = [np.uint64(sum(1 << cell for cell in part)) for part in (movers, followers, bases)]
        expected = sorted(naive_result(movers, followers, pairing) for pairing in naive_pairings(sorted(bases)))
        with np.errstate(over="ignore"):
            found = sorted(paired(*bits, count, number, 6, 4) for number in range(PAIRINGS[count]))
        assert found == expected
        pairings_seen.add(tuple(found))
    assert len(pairings_seen) > 1


def naive_result(movers, followers, pairing):
    results = []
    for choice in itertools.product(*pairing):
        rest = [cell for pair in pairing for cell in pair if cell not in choice]
        won = wins(np.uint64(sum(1 << cell for cell in [*movers, *choice])), 6, 4)
        lost = wins(np.uint64(sum(1 << cell for cell in [*followers, *rest])), 6, 4)
        results.append(1 if won else -1 if lost else 0)
    return max(results)


def test_a_waiting_threat_wins():
    """Where the mover cannot win at once and `runs_out` says so, he loses."""
    game, states = late_positions("connect4:5x4", 9, 400, 3)
    found, known = 0, {}
    with np.errstate(over="ignore"):
        for state in states:
            mover = int(state["to_play"])
            own, other = state["stones"][mover], state["stones"][1 - mover]
            empty = state["cells"] & ~(own | other)
            playable = ((own | other) + state["bottom"]) & state["cells"]
            waiting = winning_cells(other, 4) & empty & ~playable
            can_win_now = winning_cells(own, 4) & playable
            if waiting and not can_win_now and runs_out(own, empty, playable, waiting, movers_rows(state), 4):
                found += 1
                assert exact(game, state, known) == (-1 if mover == 0 else 1)
    assert found > 5
