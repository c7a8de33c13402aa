"""Proofs that use a game's symmetries: smaller, never wrong, and refused where symmetries may not be relied on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from plain_search import plain_search
from proof_helpers import Solver, check

from tesuji.core import rules
from tesuji.core.dispatch import implements, state_type
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.proof.trusted.checker import RELIANCES, check_certificate
from tesuji.proof.trusted.format import encode
from tesuji.proof.write.writer import make_certificate
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.files.saved_search import load_search, save_search

GAMES = ["tictactoe", "connect4:4x3:3", "connect4:4x4", "dotsandboxes:2x2", "seki:2,3", "semeai:3,3"]


def proven(name: str, symmetry: bool, seed: int = 0, **values) -> TreeSearch:
    """A search that has proven the value of the game, or has spent its playouts."""
    player = find_player("tesuji").changed({"memory": 64.0, **values})
    if find_game(name).has_symmetries:
        player = player.changed({"symmetry": symmetry})
    search = player.engine(find_game(name), seed=seed)
    search.run(Limits(playouts=200_000))
    return search


@pytest.mark.parametrize("name", GAMES)
def test_a_search_with_symmetries_proves_the_value_that_brute_force_finds(name):
    with np.errstate(over="ignore"):
        game = find_game(name)
        value = Solver(game).value(game.initial) if name != "dotsandboxes:2x2" else None
    found = set()
    for symmetry in (True, False):
        for seed in range(2):
            result = proven(name, symmetry, seed).result()
            assert result.proven
            found.add((result.lower, result.upper))
    assert len(found) == 1 and (value is None or found == {(value, value)})


@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x4", "dotsandboxes:2x2", "seki:2,3", "semeai:3,3"])
def test_a_certificate_with_symmetries_is_smaller_and_valid(name, tmp_path):
    search = proven(name, True)
    symmetric, _ = make_certificate(search)
    plain, _ = make_certificate(search, symmetry=False)
    assert symmetric.header.symmetry and not plain.header.symmetry
    assert symmetric.header.nodes < plain.header.nodes
    for certificate in (symmetric, plain):
        verdict = check(certificate, tmp_path)
        assert verdict.valid, verdict.reason
    path = tmp_path / "symmetric.cert"
    path.write_bytes(encode(symmetric))
    verdict = check_certificate(path, allowed=RELIANCES.keys() - {"symmetry"})
    assert not verdict.valid and "symmetries" in verdict.reason
    path.write_bytes(encode(plain))
    assert check_certificate(path, allowed=RELIANCES.keys() - {"symmetry"}).valid


def test_the_checker_looks_for_images_only_where_the_header_says_so(tmp_path):
    certificate, _ = make_certificate(proven("tictactoe", True))
    forged = replace(certificate, header=replace(certificate.header, symmetry=False))
    assert not check(forged, tmp_path).valid


def test_a_proof_that_relies_on_symmetries_that_the_game_lacks_is_refused(tmp_path):
    certificate, _ = make_certificate(proven("samegame:3x3:1", True))
    assert not certificate.header.symmetry
    verdict = check(replace(certificate, header=replace(certificate.header, symmetry=True)), tmp_path)
    assert not verdict.valid and "the game has none" in verdict.reason


def test_every_changed_choice_is_refused(tmp_path):
    certificate, _ = make_certificate(proven("tictactoe", True))
    assert certificate.header.symmetry
    for index, choice in enumerate(certificate.choices[:20]):
        choices = list(certificate.choices)
        choices[index] = choice + 1
        assert not check(replace(certificate, choices=tuple(choices)), tmp_path).valid


# -- the checker takes nothing from the file -----------------------------------------------------------------------------------
ROW = state_type("row", [("cells", np.int32, (3,)), ("left", np.int32), ("images", np.int32)])


@implements(rules.to_play, ROW)
def to_play(state):
    return state["left"] % 2


@implements(rules.moves, ROW)
def moves(state, out):
    count = 0
    for cell in range(3):
        if state["cells"][cell] == 0:
            out[count] = cell
            count += 1
    return count


@implements(rules.play, ROW)
def play(state, move):
    state["cells"][move] = state["left"]
    state["left"] -= 1


@implements(rules.is_over, ROW)
def is_over(state):
    return state["left"] == 0


@implements(rules.outcome, ROW)
def outcome(state):
    return 1 if state["cells"][1] == 3 else -1


@implements(rules.symmetries, ROW)
def symmetries(state):
    return state["images"]


@implements(rules.image, ROW)
def image(state, number, out):
    for cell in range(3):
        out["cells"][cell] = state["cells"][2 - cell] if number == 1 else state["cells"][cell]


def row(images: int) -> Game:
    start = np.zeros(1, ROW)[0]
    start["left"], start["images"] = 3, images
    return Game("row", start, outcomes=(-1, 1), move_count=3, max_plies=3)


def test_rules_that_give_no_image_at_all_prove_nothing(tmp_path):
    search = TreeSearch(row(2), pure=True)
    search.run(Limits(playouts=200))
    certificate, _ = make_certificate(search)
    assert check(certificate, tmp_path, row(2)).valid
    verdict = check(replace(certificate, header=replace(certificate.header, symmetry=True)), tmp_path, row(0))
    assert not verdict.valid and "not even" in verdict.reason


# -- saved searches, threads ---------------------------------------------------------------------------------------------------
def test_a_search_that_moves_on_to_where_no_image_can_come_up_makes_none():
    search = find_player("tesuji").engine(find_game("connect4:7x6"), pure=True)
    search.run(Limits(playouts=20))
    assert search.options.proof.symmetry
    search.advance(0)
    search.advance(6)
    search.run(Limits(playouts=20))
    assert not search.options.proof.symmetry


def test_a_saved_search_goes_on_as_if_it_had_never_stopped(tmp_path):
    search = find_player("tesuji:policy=uniform").engine(find_game("connect4:4x4"))
    search.run(Limits(playouts=300))
    save_search(search, tmp_path / "search")
    search.run(Limits(playouts=300))
    again = load_search(tmp_path / "search", plain_search)
    again.run(Limits(playouts=300))
    assert again.tree_hash() == search.tree_hash()


def test_threads_share_images_too():
    result = proven("dotsandboxes:2x2", True, threads=2).result()
    assert result.proven and result.lower == result.upper == proven("dotsandboxes:2x2", False).result().lower


def test_images_are_looked_for_where_the_root_is_symmetric():
    game = find_game("connect4:5x4")
    for moves, expected in (([], True), (["3"], True), (["3", "3", "3"], True), (["2"], False), (["2", "4"], False)):
        search = find_player("tesuji").engine(game, game.state_after(moves), pure=True)
        search.run(Limits(playouts=5))
        assert search.options.proof.symmetry is expected, moves
    search = find_player("tesuji").engine(game, pure=True)
    for column, expected in ((3, True), (1, False), (3, False)):
        search.advance(column - 1)
        search.run(Limits(playouts=5))
        assert search.options.proof.symmetry is expected, column
