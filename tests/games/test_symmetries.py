"""Symmetries of the built-in games: images have the same future, share one hash with their position, and nothing else does."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from tesuji.core import rules
from tesuji.core.game import copy_state
from tesuji.core.numba.registration import compiled
from tesuji.core.symmetry import SQUARE, cell_image
from tesuji.core.watchdog import Watchdog
from tesuji.games.connect4.rules import mirrored
from tesuji.games.referee import Referee
from tesuji.games.registry import find_game
from tesuji.lab.check_positions import PositionChecks
from tesuji.lab.check_symmetry import SymmetryChecks

# Each with the number of symmetries of its start.
GAMES = {
    "tictactoe": 8,
    "connect4:4x4:3": 2,
    "connect4:5x3": 2,
    "connect4:1x5:3": 2,
    "dotsandboxes:2x2": 8,
    "dotsandboxes:1x2": 4,
    "loa:8/8/3w1b2/8/3b4/2w5/4bw2/8:b": 8,
    "go:3": 8,
    "hex:5x3": 2,
    "hex:4:swap=on": 2,
    "seki:2,3": 1,
    "semeai:2,3,0.2": 1,
    "othello:4": 8,
    "breakthrough:3x4": 2,
    "clobber:3": 8,
    "clobber:3x4": 4,
    "domineering:4": 4,
    "gomoku:4:3": 8,
    "gomoku:3x5:3": 4,
    "amazons:5": 2,
    "nogo:3": 8,
    "nogo:4x3": 4,
    "ataxx:4": 8,
    "havannah:3": 12,
    "y:4": 6,
}
each_game = pytest.mark.parametrize("name", GAMES)
IN_ONE_FILE = ("othello", "breakthrough", "clobber", "domineering", "gomoku", "amazons", "nogo", "ataxx", "havannah", "y")


def after(state, move):
    child = copy_state(state)
    rules.play(child, move)
    return child


def image_of(state, number):
    out = copy_state(state)
    rules.image(state, number, out)
    return out


@each_game
def test_an_image_has_the_same_future(name):
    game = find_game(name)
    assert game.has_symmetries and rules.symmetries(game.initial) == GAMES[name]
    with Watchdog() as watchdog:
        referee = Referee(game, watchdog)  # raises what is wrong
        observe = PositionChecks(game, referee, referee.found, random.Random(0)).observe
        symmetry = SymmetryChecks(game, referee, random.Random(0))
        position, line = referee.start(), []
        while not referee.is_over(position) and len(line) < 6:
            line.append(observe(position))
            position = referee.play(position, symmetry.chance.choice(line[-1].legal))
        symmetry.compare_game([*line, observe(position)])


@each_game
def test_images_share_a_hash_and_have_the_images_of_each_other(name, random_line):
    game = find_game(name)
    room = np.zeros(1, game.initial.dtype)
    for state, _, _ in itertools.islice(random_line(game, 3), 12):
        count = rules.symmetries(state)
        images = [image_of(state, number) for number in range(count)]
        records = {image.tobytes() for image in images}
        for image in images:
            assert rules.symmetric_hash(image, room) == rules.symmetric_hash(state, room)
            if rules.symmetries(image) == count:
                assert {image_of(image, number).tobytes() for number in range(count)} == records


def turn(state, number, room):
    """Writes an image into room[0]; returns the number of images and the hash that they share."""
    key = rules.symmetric_hash(state, room)
    room[0] = state
    rules.image(state, number, room[0])
    return rules.symmetries(state), key


# Games of one file are in test_compiled_rules.py.
@pytest.mark.parametrize("name", [name for name in GAMES if name.partition(":")[0] not in IN_ONE_FILE])
def test_compiled_images_are_those_of_pure_python(name, random_line, needs_compiler):
    game = find_game(name)
    pure, fast = (np.zeros(1, game.initial.dtype) for _ in range(2))
    for ply, (state, _, _) in enumerate(itertools.islice(random_line(game, 5), 10)):
        number = ply % rules.symmetries(state)
        assert tuple(map(int, turn(state, number, pure))) == tuple(map(int, compiled(turn)(state, number, fast)))
        assert pure.tobytes() == fast.tobytes()


@pytest.mark.parametrize("name", ["connect4:3x3:3", "dotsandboxes:1x2", "dotsandboxes:1x1", "dotsandboxes:2x2", "hex:3x2"])
def test_positions_share_a_hash_only_with_their_images(name):
    """All positions of the game, of 2x2 the first 2,000: as many hashes as there are orbits."""
    game = find_game(name)
    room = np.zeros(1, game.initial.dtype)
    orbit_of: dict[int, frozenset[int]] = {}
    waiting, seen = [game.new_state()], set()
    while waiting and (len(seen) < 2000 or name != "dotsandboxes:2x2"):
        state = waiting.pop()
        if state.tobytes() in seen:
            continue
        seen.add(state.tobytes())
        orbit = frozenset(int(rules.position_hash(image_of(state, n))) for n in range(rules.symmetries(game.initial)))
        assert orbit_of.setdefault(int(rules.symmetric_hash(state, room)), orbit) & orbit
        waiting += [after(state, move) for move in game.legal_moves(state)]


def test_equal_positions_of_go_become_equal_records():
    game = find_game("go:5")
    one, other = game.state_after(["b2", "d4", "c3", "pass"]), game.state_after(["c3", "d4", "b2", "pass"])
    assert one.tobytes() != other.tobytes() and rules.position_hash(one) == rules.position_hash(other)
    assert image_of(one, 0).tobytes() == image_of(other, 0).tobytes()
    mirrored = game.state_after(["d2", "b4", "c3", "pass"])
    assert image_of(one, 1).tobytes() == image_of(mirrored, 0).tobytes()


def test_the_point_of_a_ko_is_turned_too():
    game = find_game("go:5")
    taken = game.state_after(["b1", "c1", "a2", "d2", "b3", "c3", "c2", "b2"])
    assert int(taken["ko"]) != 0
    for number in range(SQUARE):
        image = image_of(taken, number)
        column, row = "ABCDE".index("C"), 1  # the ko is at c2
        row, column = cell_image(row, column, 4, 4, number)
        assert row * 5 + column not in game.legal_moves(image)
        assert len(game.legal_moves(image)) == len(game.legal_moves(taken))


@pytest.mark.parametrize("number", range(SQUARE))
def test_the_moves_of_loa_are_turned_with_the_pieces(number):
    """Once a piece has moved its position has no image, so that the moves are compared by the pieces here."""
    game = find_game("loa:8/2b5/3w1b2/8/3b4/2w5/4bw2/1w6:b")
    image = image_of(game.initial, number)

    def pieces_after(state):
        return sorted(tuple(int(s) for s in after(state, move)["stones"]) for move in game.legal_moves(state))

    def turned_set(pieces):
        places = [cell_image(square // 8, square % 8, 7, 7, number) for square in range(64) if pieces >> square & 1]
        return sum(1 << (8 * row + column) for row, column in places)

    assert pieces_after(image) == sorted(tuple(map(turned_set, sets)) for sets in pieces_after(game.initial))


def test_under_superko_no_position_is_another_ones_image():
    game = find_game("go:5:superko=positional")
    assert not game.has_symmetries and not game.shares_bounds and rules.symmetries(game.initial) == 1


def test_the_mirror_image_is_given_up_once_it_cannot_come_up():
    game = find_game("connect4:7x6")
    assert rules.symmetries(game.state_after(["4", "1"])) == 2
    assert rules.symmetries(game.state_after(["1", "7"])) == 1


@pytest.mark.parametrize(("width", "height"), [(7, 6), (8, 7), (1, 1), (5, 4), (2, 7), (4, 15), (12, 4), (3, 20)])
def test_columns_of_connect4_change_places(width, height):
    """Boards of up to eight columns and seven rows are mirrored by another method than larger ones."""
    chooser = random.Random(width * 100 + height)
    step = height + 1
    for _ in range(20):
        columns = [chooser.getrandbits(step) for _ in range(width)]
        board = sum(bits << place * step for place, bits in enumerate(columns))
        expected = sum(bits << place * step for place, bits in enumerate(reversed(columns)))
        assert int(mirrored(np.uint64(board), width, height)) == expected
