"""Positions that are images of each other are solved alike: the same work, moves that are images, valid proofs."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tesuji
from tesuji.core import rules
from tesuji.core.dispatch import implements, state_type
from tesuji.core.game import Game
from tesuji.core.position import Position
from tesuji.core.records import record_bytes
from tesuji.games.registry import find_game
from tesuji.search.engine.canonical import canonical_image, image_of, line_by_image, partners

# Turned by 180 degrees, the second of each is the first.
PAIRS = [
    ("hex:4:2b1/4/4/4:w", "hex:4:4/4/4/1b2:w"),
    ("hex:4:4/b2w/4/4:b", "hex:4:4/4/w2b/4:b"),
    ("hex:3x4:b2/3/w2/3:b", "hex:3x4:3/2w/3/2b:b"),
]


def turned_cell(name: str, width: int, height: int) -> str:
    return f"{chr(ord('a') + width - 1 - ord(name[0]) + ord('a'))}{height + 1 - int(name[1:])}"


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_one_image_stands_for_all(one, other):
    found = []
    for name in (one, other):
        game = find_game(name)
        position = Position(game, game.initial)
        image, number = canonical_image(position)
        assert record_bytes(image_of(position.state, number)) == record_bytes(image_of(image.state, 0))
        assert canonical_image(Position(game, image.state))[1] == 0
        found.append((record_bytes(image_of(image.state, 0)), number))
    assert found[0][0] == found[1][0]
    assert sorted(number for _, number in found) == [0, 1]


@pytest.mark.parametrize("name", ["samegame:4x4:1", "go:5", "connect4:4x4", "hex:5"])
def test_a_position_that_is_its_own_image_is_searched_as_it_is(name):
    position = Position(find_game(name), find_game(name).initial)
    assert canonical_image(position) == (position, 0)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_images_are_solved_alike(one, other, tmp_path):
    proofs = [tesuji.solve(name) for name in (one, other)]
    first, second = proofs
    assert first.proven and first.bounds == second.bounds
    assert (first.playouts, first.nodes) == (second.playouts, second.nodes)
    state = first.position.state
    size = int(state["width"]), int(state["height"])
    for mine, theirs in zip(first.moves, second.moves, strict=True):
        assert [turned_cell(move, *size) for move in mine.line] == list(theirs.line)
        assert turned_cell(mine.move, *size) == theirs.move
        assert mine.bounds == theirs.bounds
    assert first.best is None or turned_cell(first.best, *size) == second.best
    for number, (proof, name) in enumerate(zip(proofs, (one, other), strict=True)):
        assert record_bytes(proof.position.state) == record_bytes(find_game(name).initial)
        path = tmp_path / f"{number}.cert"
        proof.save(path)
        verdict = tesuji.verify(path)
        assert verdict.valid and verdict.bounds == proof.bounds


def test_an_image_of_other_games_too(tmp_path):
    """Tic-tac-toe has eight images, and the certificate walks through the position that was asked."""
    positions = [Position(find_game("tictactoe"), find_game("tictactoe").initial).play(move) for move in ("a1", "c3", "c1")]
    proofs = [tesuji.solve(position) for position in positions]
    assert len({(proof.playouts, proof.nodes, proof.bounds) for proof in proofs}) == 1
    for number, (proof, position) in enumerate(zip(proofs, positions, strict=True)):
        assert proof.position == position and proof.best in position.legal_moves
        path = tmp_path / f"{number}.cert"
        proof.save(path)
        assert tesuji.verify(path).valid


@pytest.mark.parametrize(
    "name", ["tictactoe", "connect4:4x4", "dotsandboxes:2x2", "go:3", "hex:4", "loa", "seki:2,2", "semeai:3,3"]
)
def test_whatever_stands_for_a_position_has_all_of_its_moves(name):
    """And a line from there is one from here, as far as the rules have images."""
    chance = random.Random(name)
    game = find_game(name)
    for _ in range(4):
        position = Position(game, game.initial)
        for _ in range(chance.randrange(1, 8)):
            if not position.is_over:
                position = position.play(chance.choice(position.legal_moves))
        if position.is_over:
            continue
        image, number = canonical_image(position)
        if number == 0:
            continue
        by_image = partners(position, image, number)
        assert sorted(by_image) == sorted(image.legal_moves)
        assert sorted(after.moves[-1] for after in by_image.values()) == sorted(position.legal_moves)
        line, last = [], image
        while not last.is_over and len(line) < 5:
            line.append(chance.choice(last.legal_moves))
            last = last.play(line[-1])
        own = line_by_image(position, image, number, line)
        for move in own:
            position = position.play(move)
        assert own and position.is_over == (last.is_over if len(own) == len(line) else False)


def test_a_position_whose_moves_have_no_images_is_searched_as_it_is():
    """Lines of Action has images after a capture, but none once there were moves without one."""
    game = find_game("loa")
    position = Position(game, game.initial)
    for move in ("c1-e3", "h4-f2", "f1-a1", "a7xe3", "f8xh6"):
        position = position.play(move)
    assert int(rules.symmetries(position.state)) > 1
    assert canonical_image(position) == (position, 0)


# A strip of four cells: the players take turns to take one; whoever takes the last wins. `last` does not matter for the game.
STRIP = state_type("test_images_strip", [("taken", np.int64, (4,)), ("last", np.int64), ("to_play", np.int64)])


@implements(rules.to_play, STRIP)
def strip_to_play(state):
    return state["to_play"]


@implements(rules.moves, STRIP)
def strip_moves(state, out):
    count = 0
    for cell in range(4):
        if state["taken"][cell] == 0:
            out[count] = cell
            count += 1
    return count


@implements(rules.play, STRIP)
def strip_play(state, move):
    state["taken"][move] = 1
    state["last"] = move
    state["to_play"] = 1 - state["to_play"]


@implements(rules.is_over, STRIP)
def strip_is_over(state):
    return state["taken"].sum() == 4


@implements(rules.outcome, STRIP)
def strip_outcome(state):
    return 1 if state["to_play"] == 1 else -1


@implements(rules.position_hash, STRIP)
def strip_hash(state):
    number = state["to_play"]
    for cell in range(4):
        number = 2 * number + state["taken"][cell]
    return np.uint64(number + 1)


@implements(rules.symmetries, STRIP)
def strip_symmetries(state):
    return 2


@implements(rules.image, STRIP)
def strip_image(state, number, out):
    for cell in range(4):
        out["taken"][cell] = state["taken"][3 - cell if number == 1 else cell]


def test_what_does_not_matter_for_the_game_need_not_be_turned():
    game = Game("strip", np.zeros(1, STRIP)[0], outcomes=(-1, 1), move_count=4, max_plies=4)
    one, other = (Position(game, game.initial).play(game.text(game.initial, cell)) for cell in (0, 3))
    numbers = [canonical_image(position)[1] for position in (one, other)]
    assert sorted(numbers) == [0, 1]
    turned_one = one if numbers[0] else other
    image, number = canonical_image(turned_one)
    line = [image.legal_moves[0], image.play(image.legal_moves[0]).legal_moves[0]]
    assert len(line_by_image(turned_one, image, number, line)) == 2
