"""What the board keeps up to date, and liberties after a move, against counting on the board, in positions of random games."""

import numpy as np
import pytest
from go_positions import notes_for

from tesuji.core import rules
from tesuji.core.game import copy_state
from tesuji.core.random import make_rng
from tesuji.games.go.legality import has_open_side, has_two_open_sides
from tesuji.games.go.state import AROUND, EMPTY, NEIGHBOURS, NOWHERE
from tesuji.games.registry import find_game
from tesuji.knowledge.go.liberties import first_liberties, only_liberty, self_atari
from tesuji.knowledge.go.mogo import MoGo
from tesuji.knowledge.registry import make_policy
from tesuji.search.policy import playout_move


def liberties(state, stone):
    """The liberties of a stone's string, and its stones, found from one stone to the next."""
    colour, string, free, waiting = state["colour"], {stone}, set(), [stone]
    while waiting:
        at = waiting.pop()
        for near in (at + offset for offset in NEIGHBOURS):
            if colour[near] == EMPTY:
                free.add(near)
            elif colour[near] == colour[stone] and near not in string:
                string.add(near)
                waiting.append(near)
    return free, string


def positions(text, seed):
    """A playout by MoGo's policy, whose games have many captures, and the two moves before each position."""
    game = find_game(text)
    policy = make_policy(game, MoGo, {parameter.name: parameter.default for parameter in MoGo.PARAMETERS})
    notes, rng, state = notes_for(policy, game), make_rng(seed), game.new_state()
    before = [-1, -1]
    while not rules.is_over(state):
        yield state, before
        move = int(playout_move(policy, notes, state, rng))
        before = [before[1], move]
        rules.play(state, move)


@pytest.mark.parametrize(("text", "seed"), [("go:2", 1), ("go:5", 2), ("go:5", 3), ("go:7:superko=positional", 4)])
def test_the_surroundings_and_the_last_two_moves_are_kept(text, seed):
    captured = False
    for state, before in positions(text, seed):
        assert [state["second_last_move"], state["last_move"]] == before
        colour, size = state["colour"], int(state["size"])
        captured |= size * size - int(state["empty_count"]) < int(state["ply"])
        for p in map(int, state["point_of"][: size * size]):
            assert state["around"][p] == sum(int(colour[p + offset]) << 2 * place for place, offset in enumerate(AROUND))
            open_sides = sum(colour[p + offset] == EMPTY for offset in NEIGHBOURS)
            assert has_open_side(state, p) == (open_sides > 0) and has_two_open_sides(state, p) == (open_sides > 1)
    assert captured


@pytest.mark.parametrize(("text", "seed"), [("go:3", 1), ("go:4", 2), ("go:5", 3)])
def test_liberties_of_strings_and_after_every_move(text, seed):
    game = find_game(text)
    alone, few = 0, 0
    for state, _ in positions(text, seed):
        for p in map(int, state["point_of"][: game.points]):
            if state["colour"][p] != EMPTY:
                free, _ = liberties(state, p)
                count, one, two = first_liberties(state, np.int64(state["head"][p]))
                found = {int(one), int(two)} - {NOWHERE}
                assert count == min(len(free), 3) and len(found) == min(len(free), 2) and found <= free
        player = np.int64(state["to_play"])
        for move in game.legal_moves(state)[:-1]:
            p = np.int64(state["point_of"][move])
            child = copy_state(state)
            rules.play(child, move)
            free, string = liberties(child, int(p))
            expected = free.pop() if len(free) == 1 else NOWHERE
            assert only_liberty(state, p, player) == expected
            joins = any(state["colour"][p + offset] == player + 1 for offset in NEIGHBOURS)
            assert self_atari(state, p, player) == (expected if joins else NOWHERE)
            alone += expected != NOWHERE and len(string) == 1
            few += expected != NOWHERE and len(string) > 1
    assert alone > 2 and few > 2
