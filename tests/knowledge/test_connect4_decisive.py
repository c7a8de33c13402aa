"""The playouts of Connect Four that look one move ahead."""

from collections import Counter

import pytest

from tesuji.core.random import make_rng
from tesuji.core.rules import play
from tesuji.games.registry import find_game
from tesuji.knowledge.connect4.decisive import Decisive
from tesuji.search.policy import playout_move


def columns(game_text, moves, safe_moves=True, draws=200):
    """How often each column, from 1, is drawn after these moves, columns from 1 as well."""
    game = find_game(game_text)
    state = game.new_state()
    for column in moves:
        play(state, int(column) - 1)
    notes = {"moves": [0] * game.buffer_size}
    rng = make_rng(1, 0)
    return Counter(int(playout_move(Decisive(safe_moves), notes, state, rng)) + 1 for _ in range(draws))


@pytest.mark.parametrize(
    ("moves", "column"),
    [
        ("121212", 1),  # a line of his own, though the other has three as well
        ("12121", 1),  # the other's three
        ("1122335", 4),  # a gap in the other's line
    ],
    ids=["wins", "blocks", "blocks a gap"],
)
def test_a_winning_cell_is_played(moves, column):
    assert set(columns("connect4:7x6", moves)) == {column}


# The first player has three in the second row, columns 2 to 4, and nothing lies below both ends.
OPEN_ENDS = "3224473"


def test_no_move_makes_a_winning_cell_playable():
    assert set(columns("connect4:7x6", OPEN_ENDS)) == {2, 3, 4, 6, 7}
    assert set(columns("connect4:7x6", OPEN_ENDS, safe_moves=False)) == {1, 2, 3, 4, 5, 6, 7}


def test_lines_that_would_end_beyond_the_board_are_no_threats():
    """The second player has three that fall from column 1 to the bottom of column 3. The cell below column 4 that would make
    four is, in the word of bits, the one above column 3."""
    assert set(columns("connect4:4x4", "13132231")) == {1, 2, 3, 4}


def test_where_every_move_does_one_is_made():
    assert set(columns("connect4:6x2", "22446363")) == {1, 5}


def test_other_lengths_of_line_are_played_at_random():
    assert set(columns("connect4:4x4:3", "1212")) == {1, 2, 3, 4}
