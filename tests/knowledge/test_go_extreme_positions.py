"""Positions such as nobody reaches: kos, sekis and eyes all over the board, one empty point, handicap stones everywhere. The
default player always has a move there, a pass among them."""

import numpy as np
import pytest
from go_positions import picture

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import copy_state
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player

PLAYOUTS = 10
PICTURES = {
    "one empty point, an eye": "XXX X.X XXX",
    "one empty point that captures all": "OOO O.O OOO",
    "one empty point between two strings": "XXXX XXXX .OOO OOOO",
    "two empty points of a seki, no other": "XXXX XOOX .OO. XXXX",
    "kos": ".XO.XO XO.OX. .XO.XO XO.XO. .XO.OX XO.XO.",
    "eyes alone": ".X.X. X.X.X .X.X. X.X.X .X.X.",
    "a shared liberty in each corner": ".XOO. XXOOX OOOXX XXXOO .XXO.",
    "handicap stones but for one point": "XXXXXXX XXXXXXX XXXXXXX XXX.XXX XXXXXXX XXXXXXX XXXXXXX",
    "handicap stones and two eyes": "XXXXX X.XXX XXXXX XXX.X XXXXX",
    "the smallest board": "X. .O",
    "the smallest board, full but for a point": "XX X.",
}


def check_answers(game, state):
    """The search has a legal move, and so has the one after it."""
    state = copy_state(state)
    for ply in range(2):
        if rules.is_over(state):
            return
        result = find_player("go").engine(game, state, ply, pure=True).run(Limits(playouts=PLAYOUTS))
        assert result.best_move in game.legal_moves(state) and result.playouts == PLAYOUTS
        assert game.move_count - 1 in game.legal_moves(state), "a pass is always legal"
        assert -1.0 <= result.value <= 1.0 and sum(report.visits for report in result.moves) == PLAYOUTS
        rules.play(state, result.best_move)


@pytest.mark.parametrize("to_move", "XO")
@pytest.mark.parametrize("rows", PICTURES.values(), ids=PICTURES.keys())
def test_there_is_always_a_move(rows, to_move):
    check_answers(*picture(rows, to_move))


@pytest.mark.parametrize("options", ["", ":superko=positional", ":komi=-361"])
def test_there_is_always_a_move_on_boards_filled_at_random(options):
    """Stones at random, then strings without a liberty are taken off: kos, snapbacks, suicide and dead shapes of all kinds."""
    rng = np.random.default_rng(7)
    for number in range(6):
        size = 3 + number % 4
        game = find_game(f"go:{size}{options}")
        stones = {(column, row): int(rng.integers(2)) for column in range(size) for row in range(size) if rng.random() < 0.9}
        state = without_dead_strings(game, stones, number % 2)
        check_answers(game, state)


def without_dead_strings(game, stones, to_move):
    """The position of these stones without the strings that have no liberty."""
    size = game.board.columns

    def beside(point):
        column, row = point
        steps = ((1, 0), (-1, 0), (0, 1), (0, -1))
        return [(column + x, row + y) for x, y in steps if 0 <= column + x < size and 0 <= row + y < size]

    stones = dict(stones)
    for point in list(stones):
        if point not in stones:
            continue
        string, waiting = {point}, [point]
        while waiting:
            for other in beside(waiting.pop()):
                if stones.get(other) == stones[point] and other not in string:
                    string.add(other)
                    waiting.append(other)
        if all(other in stones for stone in string for other in beside(stone)):
            for stone in string:
                del stones[stone]
    return game.board.set_up(game.initial, stones, to_move)


def test_a_game_of_two_kos_goes_round_under_simple_ko_and_ends_under_superko():
    """Why few playouts may play to the limit of moves on tiny boards: six captures in two corners lead back."""
    game = find_game("go:4")
    state = game.new_state()
    opening = ["D2", "C2", "C3", "B2", "B3", "A3", "A2", "A1", "C1", "D3", "D4", "B4", "B1", "D1", "C1", "A2", "B1", "D1"]
    cycle = ["C1", "C4", "A4", "B4", "B1", "D1"]
    for text in opening:
        rules.play(state, game.parse(state, text))
    before, key = state["colour"].copy(), int(state["to_play"])
    for text in cycle:
        rules.play(state, game.parse(state, text))
    assert (state["colour"] == before).all() and state["to_play"] == key
    superko = find_game("go:4:superko=positional")
    state = superko.new_state()
    with pytest.raises(UserError, match="superko"):
        for text in opening + cycle:
            rules.play(state, superko.parse(state, text))
