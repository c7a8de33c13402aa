"""What networks see of each game, and where its moves lie."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tesuji.core import rules
from tesuji.core.dispatch import kernel
from tesuji.core.game import copy_state
from tesuji.core.game_digest import RULES
from tesuji.core.numba.registration import compiled, is_pure
from tesuji.games.registry import find_game

GAMES = [
    "tictactoe",
    "connect4:7x6",
    "connect4:5x4:3",
    "connect4:1x63",
    "connect4:32x1:2",
    "go:2",
    "go:5",
    "go:4:komi=-16,superko=positional",
    "hex:1",
    "hex:5",
    "hex:4:swap=on",
    "hex:3:1b1/3/2w:w",
    "loa",
    "loa:scrambled,no_move=loss",
    "dotsandboxes:1x1",
    "dotsandboxes:2x3",
    "dotsandboxes:3x3",
    "othello:4",
    "othello:6",
    "breakthrough:4",
    "breakthrough:3x5",
    "clobber:3",
    "clobber:4x3",
    "domineering:3",
    "domineering:4x3",
    "gomoku:5",
    "gomoku:3x4:3",
    "amazons:5",
    "nogo:4",
    "nogo:3x4",
    "ataxx:4",
]


def random_positions(game, games, seed=0):
    """The positions of random games that are not over."""
    chance = random.Random(seed)
    for _ in range(games):
        state = game.new_state()
        while not rules.is_over(state):
            yield copy_state(state)
            rules.play(state, chance.choice(game.legal_moves(state)))


def planes_of(game, state):
    planes = game.encoding.empty()
    rules.planes(state, planes)
    return planes


@pytest.mark.parametrize("name", GAMES)
def test_numbers_places_and_images(name):
    game = find_game(name)
    encoding = game.encoding
    for state in [*random_positions(game, 3)][::3]:
        before = state.tobytes()
        planes = planes_of(game, state)
        assert planes.min() >= encoding.lowest and planes.max() <= encoding.highest
        moves = game.legal_moves(state)
        places = [int(rules.place(state, move)) for move in moves]
        assert len({*places}) == len(places) and min(places) >= 0 and max(places) < encoding.places
        assert state.tobytes() == before
        if not rules.image.is_implemented(state.dtype):
            continue
        images = [copy_state(state) for _ in range(rules.symmetries(state))]
        for number, image in enumerate(images):
            rules.image(state, number, image)
            assert np.array_equal(planes_of(game, image), encoding.image_of_planes(planes_of(game, images[0]), number))
            turned = {int(encoding.place_images[number][place]) for place in places}
            assert {int(rules.place(image, move)) for move in game.legal_moves(image)} == turned


@kernel
def fill_all(states, planes, places, moves, counts):
    for i in range(len(states)):
        rules.planes(states[i], planes[i])
        for k in range(counts[i]):
            places[i, k] = rules.place(states[i], moves[i, k])


@pytest.mark.skipif(is_pure(), reason="the compiler is off")
@pytest.mark.parametrize(
    "name",
    [
        *("tictactoe", "connect4:7x6", "go:5", "hex:4:swap=on", "loa", "dotsandboxes:2x3", "othello:4", "breakthrough:3x5"),
        *("gomoku:5", "amazons:5", "nogo:4", "ataxx:4", "clobber:4x3", "domineering:4x3"),
    ],
)
def test_compiled_code_sees_the_same(name):
    game = find_game(name)
    states = np.array([*random_positions(game, 2)], game.initial.dtype)
    moves, counts = np.zeros((len(states), game.buffer_size), np.int32), np.zeros(len(states), np.int64)
    for i, state in enumerate(states):
        counts[i] = rules.moves(state, moves[i])
    seen = []
    for run in (fill_all, compiled(fill_all)):
        planes, places = np.zeros((len(states), *game.encoding.shape), np.float32), np.zeros(moves.shape, np.int64)
        run(states, planes, places, moves, counts)
        seen.append((planes.tobytes(), places.tobytes()))
    assert seen[0] == seen[1]


def test_what_a_game_looks_like_is_not_part_of_what_it_is():
    assert rules.planes not in RULES and rules.place not in RULES and rules.moves in RULES


# -- each game ---------------------------------------------------------------------------------------------------------------
def named(game, state):
    planes = planes_of(game, state)
    return {name: planes[..., k] for k, name in enumerate(game.encoding.names)}


def test_go_shows_liberties_ko_and_the_last_moves():
    """Counted by a flood of the second board, string by string."""
    game = find_game("go:5")
    counts = (3, "one liberty"), (4, "two liberties"), (5, "three liberties or more")
    for state in random_positions(game, 2, seed=3):
        planes = planes_of(game, state)
        colour = [[int(state["colour"][(r + 1) * 20 + c + 1]) for c in range(5)] for r in range(5)]
        own = int(state["to_play"]) + 1
        for row in range(5):
            for column in range(5):
                who = colour[row][column]
                shown = [name for k, name in enumerate(game.encoding.names) if k < 9 and planes[row, column, k]]
                if who == 0:
                    assert shown == ["empty points"]
                    continue
                side = "own" if who == own else "other's"
                liberties = min(naive_liberties(colour, row, column), 3)
                assert shown == [f"{side} stones", f"{side}, {counts[liberties - 1][1]}"]


def naive_liberties(colour, row, column):
    string, waiting, liberties = {(row, column)}, [(row, column)], set()
    while waiting:
        r, c = waiting.pop()
        for near in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
            if 0 <= near[0] < 5 and 0 <= near[1] < 5:
                if colour[near[0]][near[1]] == 0:
                    liberties.add(near)
                elif colour[near[0]][near[1]] == colour[row][column] and near not in string:
                    string.add(near)
                    waiting.append(near)
    return len(liberties)


def test_go_shows_moves_ko_pass_and_komi():
    game = find_game("go:5:komi=10")
    state = game.state_after(["b3", "a2", "pass", "b1", "c2", "a1"])
    planes = named(game, state)
    assert planes["last move"][0, 0] == planes["last move"].sum() == 1
    assert planes["move before"][1, 2] == planes["move before"].sum() == 1
    assert np.all(planes["komi"] == 0.25) and not planes["last move was a pass"].any()
    rules.play(state, 25)
    planes = named(game, state)
    assert np.all(planes["komi"] == 0.75) and planes["last move was a pass"].all() and not planes["last move"].any()
    ko = find_game("go:5").state_after(["b1", "c1", "a2", "d2", "b3", "c3", "c2", "b2"])
    planes = named(find_game("go:5"), ko)
    assert planes["ko"].sum() == 1 and planes["ko"][1, 2] == 1


def test_hex_shows_white_the_board_mirrored():
    game = find_game("hex:3")
    state = game.state_after(["c1"])  # White is to move: column 2 of row 0 is row 2 of column 0
    planes = named(game, state)
    assert planes["other's"][2, 0] == planes["last move"][2, 0] == planes["other's"].sum() == 1
    move = game.parse(state, "b3")
    assert int(rules.place(state, move)) == 1 * 3 + 2
    assert find_game("hex:3x4").encoding is None, "only square boards are the same to both players"


def test_the_swap_of_hex_lies_beside_the_board():
    game = find_game("hex:3:swap=on")
    state = game.state_after(["b2"])
    assert named(game, state)["the swap is possible"].all()
    assert int(rules.place(state, 9)) == 9 and game.encoding.places == 10 == find_game("hex:3").encoding.places


def test_connect_four_shows_where_a_stone_falls_to():
    game = find_game("connect4:7x6")
    state = game.state_after([3, 3, 0])
    planes = named(game, state)
    assert planes["next of its column"][2, 3] == planes["next of its column"][1, 0] == planes["next of its column"][0, 1] == 1
    assert int(rules.place(state, 3)) == 2 * 7 + 3


def test_dots_and_boxes_shows_edges_boxes_and_the_lead():
    game = find_game("dotsandboxes:1x2")
    state = game.new_state()
    moves = [0, 2, 4, 5]  # the edges around the left box; the last one closes it
    for move in moves:
        rules.play(state, move)
    planes = named(game, state)
    assert planes["drawn edges"].sum() == 4 and planes["open edges"].sum() == 3
    assert planes["open boxes"][1, 3] == planes["open boxes"].sum() == 1
    lead = 0.75 if state["difference"] == (1 if state["to_play"] == 0 else -1) else 0.25
    assert np.all(planes["lead"] == lead)
