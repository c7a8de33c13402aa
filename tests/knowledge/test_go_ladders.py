"""The reader of ladders: known ladders, and random positions of small boards against brute force by the rules."""

import random

import numpy as np
from go_positions import picture, point

from tesuji.core import rules
from tesuji.core.game import copy_state
from tesuji.games.go.state import EMPTY, NEIGHBOURS
from tesuji.games.registry import find_game
from tesuji.knowledge.go.ladders import is_captured_in_ladder


def liberties(state, stone):
    """All liberties of a string, by walking over equal colours."""
    colour, seen, waiting, found = state["colour"], {int(stone)}, [int(stone)], set()
    while waiting:
        at = waiting.pop()
        for step in NEIGHBOURS:
            near = at + step
            if colour[near] == EMPTY:
                found.add(near)
            elif colour[near] == colour[stone] and near not in seen:
                seen.add(near)
                waiting.append(near)
    return found, seen


def after(game, state, where):
    """The position after a move of the player to move, or None if it is not legal."""
    move = int(state["move_of"][where])
    if move not in game.legal_moves(state):
        return None
    new = copy_state(state)
    rules.play(new, move)
    return new


def caught(game, state, prey):
    """By the rules of the game alone: the hunter is to move if the prey has two liberties, the prey itself if it has one."""
    own = int(state["colour"][prey])
    free, stones = liberties(state, prey)
    if int(state["to_play"]) + 1 != own:
        if len(free) != 2:
            return len(free) == 1
        return any(new is not None and caught(game, new, prey) for new in (after(game, state, where) for where in free))
    if len(free) > 1:
        return False
    near = {at + step for at in stones for step in NEIGHBOURS}
    hunters = [liberties(state, at)[0] for at in near if state["colour"][at] == 3 - own]
    ways = free | {next(iter(one)) for one in hunters if len(one) == 1}
    return all(new is None or caught(game, new, prey) for new in (after(game, state, where) for where in ways))


def questions(state):
    """(stone, first move) for each string that could be in a ladder: own ones in atari run, others with two are attacked."""
    own = int(state["to_play"]) + 1
    seen = set()
    for at in map(int, np.flatnonzero((state["colour"] == 1) | (state["colour"] == 2))):
        if at in seen:
            continue
        free, stones = liberties(state, at)
        seen |= stones
        if state["colour"][at] == own and len(free) == 1:
            yield at, free.pop()
        elif state["colour"][at] != own and len(free) == 2:
            yield from ((at, where) for where in free)


def test_small_boards_against_brute_force():
    chooser = random.Random(3)
    answers = []
    for size in (4, 5, 6, 7):
        game = find_game(f"go:{size}")
        for _ in range(12):
            state = game.new_state()
            for _ in range(chooser.randint(size, size * size - 4)):
                if rules.is_over(state):
                    break
                legal = game.legal_moves(state)
                rules.play(state, chooser.choice(legal[:-1] or legal))
            if rules.is_over(state):
                continue
            for prey, first in questions(state):
                new = after(game, state, first)
                if new is None:
                    continue
                expected = caught(game, new, prey)
                before = state.tobytes()
                assert is_captured_in_ladder(state, np.int64(prey), np.int64(first)) == expected
                assert state.tobytes() == before
                answers.append(expected)
    assert answers.count(True) > 40 and answers.count(False) > 40


LADDER = """
    .........
    .........
    .........
    .........
    .........
    .........
    ..XO.....
    ...XX....
    ........."""


def test_a_ladder_across_the_board_and_a_stone_that_breaks_it():
    _, state = picture(LADDER, "X")
    assert is_captured_in_ladder(state, point("D3"), point("D4"))
    assert not is_captured_in_ladder(state, point("D3"), point("E3"))  # from the wrong side
    for breaker, row in (("H7", 2), ("G6", 3), ("F4", 5)):
        rows = LADDER.split()
        column = "ABCDEFGHJ".index(breaker[0])
        rows[row] = rows[row][:column] + "O" + rows[row][column + 1 :]
        _, state = picture(" ".join(rows), "X")
        assert not is_captured_in_ladder(state, point("D3"), point("D4")), breaker


def test_the_string_may_take_its_hunter():
    position = """
        .......
        .......
        .......
        .......
        ..X....
        {}XO....
        {}XO...."""
    for beside, captured in ((".", True), ("O", False)):
        _, state = picture(position.format(beside, beside), "X")
        assert is_captured_in_ladder(state, point("C1"), point("D2")) == captured
