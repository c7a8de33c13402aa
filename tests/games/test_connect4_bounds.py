"""The bounds that Connect Four's rules give: strategies played out against every reply, and values by brute force."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from tesuji.core import rules
from tesuji.core.game import copy_state
from tesuji.games.connect4.bounds import bounds, followed, runs_out, winning_cells
from tesuji.games.connect4.lines import wins
from tesuji.games.connect4.replies import NO_LINE, WIN, holds, line_comes_first
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
    ("name", "empty", "count"), [("connect4:7x6", 9, 50), ("connect4:6x5", 9, 50), ("connect4:5x5", 9, 120)]
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


def bits(cells):
    return np.uint64(sum(1 << cell for cell in cells))


def naive_holds(movers, followers, columns, goal):
    """As `holds`, by trying everything. `columns` are the odd ones, each the list of its empty cells from below."""
    if not columns:
        return not wins(bits(movers), 6, 4) and (goal == NO_LINE or wins(bits(followers), 6, 4))
    return all(
        any(naive_holds(*child, goal) for child in naive_replies(movers, followers, columns, played))
        for played in range(len(columns))
    )


def naive_replies(movers, followers, columns, played):
    """The positions after a move in an odd column and each reply to it."""
    rest = [column for index, column in enumerate(columns) if index != played]
    cell, *above = columns[played]
    if above:
        yield [*movers, cell], [*followers, above[0]], [*rest, above[1:]]
    for answered in range(len(rest)):
        others = [column for index, column in enumerate(rest) if index != answered]
        reply, *above_reply = rest[answered]
        yield (
            [*movers, cell, *above[0::2], *above_reply[0::2]],
            [*followers, reply, *above[1::2], *above_reply[1::2]],
            others,
        )


@pytest.mark.parametrize("goal", [NO_LINE, WIN])
def test_replies_hold_what_trying_all_of_them_holds(goal):
    """Random stones on 7x6 beside two or four odd columns."""
    chance = random.Random(goal)
    results = []
    for _ in range(150):
        lengths = chance.choice([(1, 1), (3, 1), (3, 3), (5, 3), (1, 1, 1, 1), (3, 1, 1, 1), (3, 3, 1, 1)])
        chosen = chance.sample(range(7), len(lengths))
        columns = [[7 * c + row for row in range(6 - n, 6)] for c, n in zip(chosen, lengths, strict=True)]
        cells = [7 * c + row for c in range(7) for row in range(6) if not any(7 * c + row in column for column in columns)]
        chance.shuffle(cells)
        half = len(cells) // 2 - chance.randint(0, 6)
        movers, followers = cells[:half], cells[half : 2 * half + 4]
        with np.errstate(over="ignore"):
            arguments = (
                bits(movers),
                bits(followers),
                bits(c[0] for c in columns),
                bits(cell for column in columns for cell in column),
            )
            found = holds(*arguments, movers_rows(find_game("connect4:7x6").initial), goal, 6, 4)
            assert found == naive_holds(movers, followers, columns, goal)
        results.append(found)
    assert 10 < sum(results) < 140


def test_what_takes_too_long_holds_nothing(monkeypatch):
    """One reply is not enough to look at here: then the mover is not said to be held."""
    _, states = late_positions("connect4:6x5", 14, 200, 5)
    with np.errstate(over="ignore"):
        before = [strategies(state) for state in states]
        monkeypatch.setattr("tesuji.games.connect4.replies.MOST_POSITIONS", 1)
        hurried = [strategies(state) for state in states]
    assert all(more >= less for more, less in zip(hurried, before, strict=True))
    assert hurried != before


def test_a_line_that_comes_first_wins():
    """Where the follower completes a line by following up before the mover has one, the mover loses, line or not."""
    game, states = late_positions("connect4:6x4", 12, 600, 7)
    found, known = 0, {}
    with np.errstate(over="ignore"):
        for state in states:
            mover = int(state["to_play"])
            own, other = state["stones"][mover], state["stones"][1 - mover]
            empty, rows = state["cells"] & ~(own | other), movers_rows(state)
            playable = ((own | other) + state["bottom"]) & state["cells"]
            if playable & ~rows == 0 and line_comes_first(own | (empty & rows), other | (empty & ~rows), empty, 4):
                found += 1
                assert exact(game, state, known) == (-1 if mover == 0 else 1)
    assert found > 5


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
