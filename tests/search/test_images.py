"""Positions that are images of each other are solved alike: the same work, moves that are images, valid proofs."""

from __future__ import annotations

import pytest

import tesuji
from tesuji.core.position import Position
from tesuji.games.registry import find_game
from tesuji.search.images import bytes_of, image_for_all, turned

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
        image, number = image_for_all(position)
        assert bytes_of(turned(position.state, number)) == bytes_of(turned(image.state, 0))
        assert image_for_all(Position(game, image.state))[1] == 0
        found.append((bytes_of(turned(image.state, 0)), number))
    assert found[0][0] == found[1][0]
    assert sorted(number for _, number in found) == [0, 1]


@pytest.mark.parametrize("name", ["samegame:4x4:1", "go:5", "connect4:4x4", "hex:5"])
def test_a_position_that_is_its_own_image_is_searched_as_it_is(name):
    position = Position(find_game(name), find_game(name).initial)
    assert image_for_all(position) == (position, 0)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_images_are_solved_alike(one, other, tmp_path):
    proofs = [tesuji.solve(name) for name in (one, other)]
    first, second = proofs
    assert first.proven and first.bounds == second.bounds
    assert (first.playouts, first.nodes) == (second.playouts, second.nodes)
    state = first.position.state
    size = int(state["width"]), int(state["height"])
    for mine, theirs in zip(first.analysis.moves, second.analysis.moves, strict=True):
        assert [turned_cell(move, *size) for move in mine.line] == list(theirs.line)
        assert turned_cell(mine.move, *size) == theirs.move
        assert mine.bounds == theirs.bounds
    assert first.best is None or turned_cell(first.best, *size) == second.best
    for number, (proof, name) in enumerate(zip(proofs, (one, other), strict=True)):
        assert bytes_of(proof.position.state) == bytes_of(find_game(name).initial)
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
