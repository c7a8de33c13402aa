"""Certificates written from trees: trees filled by hand, trees with parts missing, and trees of real searches."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest
from proof_helpers import Solver, after, fill_tree

from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import is_pure
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.proof.trusted import walk
from tesuji.proof.trusted.checker import RELIANCES, check_certificate
from tesuji.proof.trusted.claims import Claim
from tesuji.proof.trusted.format import read_certificate
from tesuji.proof.write import strategy
from tesuji.proof.write.strategy import Survey
from tesuji.proof.write.survey import NOT_PROVEN
from tesuji.proof.write.writer import make_certificate, write_certificate
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.kernel.tree import ROOT, USED

HAND_FILLED = ["connect4:3x2:2", "connect4:2x3:3", "connect4:3x3:3", "seki:1,1", "dotsandboxes:1x1", "samegame:3x3:1"]
SOLVED = [
    "tictactoe",
    "connect4:3x3",
    "connect4:3x4",
    "connect4:4x3",
    "connect4:4x4:3",
    "seki:1,1",
    "seki:1,2",
    "seki:2,1",
    "seki:2,2",
]
SOLVED += ["seki:3,3", "semeai:2,2", "semeai:3,2", "dotsandboxes:1x2", "dotsandboxes:2x2", "samegame:3x3:1", "samegame:4x4:2"]
SLOW_IN_PURE_PYTHON = {"tictactoe", "connect4:3x4", "connect4:4x3", "seki:3,3", "dotsandboxes:2x2"}


def small_search(name: str, **values) -> TreeSearch:
    return TreeSearch(find_game(name), settings=SEARCH.settings({"memory": 16, **values}), pure=True)


def write_and_check(search: TreeSearch, path, **options) -> dict:
    info = write_certificate(search, path, **options)
    verdict = check_certificate(path)
    assert verdict.valid, verdict.reason
    assert (verdict.lower, verdict.upper, verdict.nodes) == (info["lower"], info["upper"], info["nodes"])
    assert info["bytes"] == os.path.getsize(path)
    return info


# -- trees filled by hand --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", HAND_FILLED)
@pytest.mark.parametrize("reverse", [False, True])
def test_a_whole_tree_gives_a_proof(name, reverse, tmp_path):
    search = small_search(name)
    fill_tree(search, reverse=reverse)
    info = write_and_check(search, tmp_path / "a.cert")
    assert info["searches"] == 0
    assert info["lower"] == info["upper"] == Solver(search.game).value(search.game.initial)


@pytest.mark.parametrize("name", HAND_FILLED)
def test_every_claim_of_a_whole_tree(name, tmp_path):
    search = small_search(name)
    fill_tree(search)
    value = Solver(search.game).value(search.game.initial)
    lowest, highest = search.game.outcomes
    for lower in range(lowest, value + 1):
        for upper in range(value, highest + 1):
            if (lower, upper) != (lowest, highest):
                write_and_check(search, tmp_path / "a.cert", lower=lower, upper=upper)


def test_a_dropped_part_is_searched_again(tmp_path):
    game = "connect4:3x3:3"
    for forget in ([1], [1, 2, 3], range(4, 12), [ROOT]):
        search = small_search(game)
        fill_tree(search, forget=forget)
        info = write_and_check(search, tmp_path / "a.cert")
        assert info["searches"] <= 2 * len(list(forget))
        if list(forget) == [ROOT]:
            assert 1 <= info["searches"] <= 2  # nothing but the root is left, for two claims; one search may answer both


def test_an_equal_position_elsewhere_will_do(tmp_path):
    """Two orders of the same moves; below one of them the tree is missing."""
    search = small_search("connect4:3x2:2")
    fill_tree(search)
    whole = make_certificate(search)[0]
    names = Survey(search, False, False).group
    nodes = search.tree.nodes
    dropped = 0
    seen = set()
    for node in range(int(search.tree.counters[USED])):
        if nodes[node]["child_count"] > 0:
            if int(names[node]) in seen:
                nodes[node]["child_count"] = 0
                dropped += 1
            seen.add(int(names[node]))
    assert dropped > 0
    certificate, searches = make_certificate(search)
    assert searches == 0
    assert certificate.header.nodes == whole.header.nodes
    write_and_check(search, tmp_path / "a.cert")


def test_sizes_are_those_of_the_smallest_proof_trees():
    search = small_search("connect4:3x2:2")
    fill_tree(search)
    survey = Survey(search, False, False)
    game = search.game
    solver = Solver(game)

    def smallest(state, player, bound) -> float:
        value = solver.value(state)
        if not (value >= bound if player == 0 else value <= bound):
            return NOT_PROVEN
        legal = game.legal_moves(state)
        if not legal:
            return 0.0
        sizes = [smallest(after(state, move), player, bound) for move in legal]
        return 1.0 + (min(sizes) if int(state["to_play"]) == player else sum(sizes))

    for claim in (Claim(0, 1), Claim(0, 0), Claim(1, 0), Claim(1, -1)):
        assert survey.proof_sizes(claim)[survey.group[ROOT]] == smallest(game.initial, *claim)


def test_wrong_bounds_do_not_become_a_certificate(tmp_path):
    search = small_search("connect4:3x3:3")
    fill_tree(search)
    nodes = search.tree.nodes
    nodes["lower"][: int(search.tree.counters[USED])] = 1
    nodes["upper"][: int(search.tree.counters[USED])] = 1
    path = tmp_path / "a.cert"
    with pytest.raises(UserError, match="no certificate"):
        write_certificate(search, path)
    assert os.listdir(tmp_path) == []


# -- what is asked for -----------------------------------------------------------------------------------------------
def test_only_what_is_proven_can_be_certified(tmp_path):
    search = small_search("connect4:3x3:3")
    path = tmp_path / "a.cert"
    with pytest.raises(UserError, match="nothing is proven"):
        write_certificate(search, path)
    fill_tree(search)
    for lower, upper in ((1, 1), (-1, -1), (-2, 0), (0, 2)):
        with pytest.raises(UserError, match=r"the search has proven 0 \.\. 0"):
            write_certificate(search, path, lower=lower, upper=upper)
    with pytest.raises(UserError, match="nothing is proven"):
        write_certificate(search, path, lower=-1, upper=1)
    with pytest.raises(UserError, match="do not lead to the position"):
        write_certificate(search, path, moves=[0])
    assert os.listdir(tmp_path) == []


def test_a_position_after_moves(tmp_path):
    game = find_game("connect4:3x3:3")
    for moves in ([0], [1, 1], [0, 1, 0, 2]):
        search = TreeSearch(game, state=game.state_after(moves), settings=SEARCH.settings({"memory": 16}), pure=True)
        search.run(Limits(playouts=20_000))
        write_and_check(search, tmp_path / "a.cert", moves=moves)
        assert read_certificate(tmp_path / "a.cert").header.moves == tuple(moves)


def test_a_position_that_is_over(tmp_path):
    game = find_game("tictactoe")
    moves = [0, 3, 1, 4, 2]
    search = TreeSearch(game, state=game.state_after(moves), settings=SEARCH.settings({"memory": 16}), pure=True)
    assert write_and_check(search, tmp_path / "a.cert", moves=moves)["nodes"] == 0


def test_bounds_of_the_rules_can_be_left_out(tmp_path):
    search = small_search("dotsandboxes:1x2")
    search.run(Limits(playouts=20_000))
    path = tmp_path / "a.cert"
    with_bounds = write_and_check(search, path)
    assert with_bounds["initial_bounds"]
    assert not check_certificate(path, allowed=RELIANCES.keys() - {"initial_bounds"}).valid
    without = write_and_check(search, path, initial_bounds=False)
    assert not without["initial_bounds"] and without["nodes"] > with_bounds["nodes"]
    assert check_certificate(path, allowed=RELIANCES.keys() - {"initial_bounds"}).valid


def test_a_search_that_finds_nothing_again_is_an_error(tmp_path):
    search = small_search("tictactoe")
    search.tree.nodes[ROOT]["lower"] = 1  # which is not true
    search.tree.nodes[ROOT]["upper"] = 1
    with pytest.raises(UserError, match="no certificate"):
        write_certificate(search, tmp_path / "a.cert", playouts=1000)


# -- real searches ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", SOLVED)
def test_solved_games_have_certificates(name, tmp_path):
    if is_pure() and name in SLOW_IN_PURE_PYTHON:
        pytest.skip("takes long without the compiler")
    search = find_player("tesuji:memory=64").engine(find_game(name))  # compiled for test_signatures.py, too
    result = search.run(Limits(playouts=2_000_000))
    assert result.proven
    info = write_and_check(search, tmp_path / "a.cert")
    assert info["searches"] == 0 and info["lower"] == info["upper"] == result.lower


@pytest.mark.parametrize(
    "values",
    [
        {"transpositions": False},
        {"probe_children": False},
        {"cuts": False},
        {"solver": "win-loss"},
        {"selection": "rave"},
        {"initial_bounds": False},
        {"memory": 0.2},
        {"expand_after": 5},
        {"threads": 2},
    ],
    ids=str,
)
def test_however_the_search_is_set(values, tmp_path):
    name = "connect4:3x3:3" if "solver" not in values else "connect4:4x3:3"
    search = TreeSearch(find_game(name), settings=SEARCH.settings({"memory": 64, **values}), pure=True)
    result = search.run(Limits(playouts=50_000))
    assert result.proven
    write_and_check(search, tmp_path / "a.cert")


def test_missing_draws_are_found_again_for_the_win_loss_solver(tmp_path):
    """It learns nothing from draws itself, but a tree may hold bounds that rest on them."""
    search = small_search("connect4:3x3:3", solver="win-loss")
    fill_tree(search, forget=[1, 2, 3])
    write_and_check(search, tmp_path / "a.cert")


def test_a_tree_that_did_not_fit_into_memory(tmp_path):
    search = small_search("connect4:3x3", memory=0.05, initial_bounds=False)
    result = search.run(Limits(playouts=100_000))
    assert result.proven and result.full
    info = write_and_check(search, tmp_path / "a.cert")
    assert info["searches"] > 0


def test_a_tree_kept_from_the_move_before(tmp_path):
    search = small_search("connect4:3x3", initial_bounds=False)
    search.run(Limits(playouts=20_000))
    search.advance(1)
    search.run(Limits(playouts=20_000))
    write_and_check(search, tmp_path / "a.cert", moves=[1])


def test_the_same_certificate_compiled_and_in_pure_python():
    if is_pure():
        pytest.skip("there is no compiler in this run")
    certificates = []
    for pure in (False, True):
        search = find_player("tesuji:memory=16").engine(find_game("connect4:3x3:3"), pure=pure)
        search.run()
        certificates.append(make_certificate(search)[0])
    assert certificates[0] == certificates[1]


def test_records_of_other_padding_are_equal_positions(tmp_path):
    """A position set up by hand may have anything in the gaps between its fields."""
    search = small_search("connect4:3x3:3")
    kind = search.game.initial.dtype
    dirty = np.frombuffer(bytes([255]) * kind.itemsize, kind).copy()
    for field in kind.names:
        dirty[field] = search.game.initial[field]
    search = TreeSearch(search.game, state=dirty[0], settings=search.settings, pure=True)
    search.run(Limits(playouts=20_000))
    write_and_check(search, tmp_path / "a.cert")


def test_a_search_for_a_missing_part_may_take_several_attempts(tmp_path, monkeypatch):
    monkeypatch.setattr(strategy, "FIRST_TRY", 10)
    search = small_search("connect4:3x3", initial_bounds=False)
    fill_tree(search, forget=[ROOT])
    assert write_and_check(search, tmp_path / "a.cert", playouts=100_000)["searches"] == 2


def test_progress_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(walk, "PROGRESS_EVERY", 10)
    search = small_search("connect4:3x3:3")
    fill_tree(search)
    told = []
    info = write_and_check(search, tmp_path / "a.cert", on_progress=lambda done, total: told.append((done, total)))
    assert told == [(done, 0) for done in range(10, info["nodes"] + 1, 10)] != []


def test_the_example_of_the_page_works(tmp_path, monkeypatch, capsys):
    if is_pure():
        pytest.skip("takes long without the compiler")
    page = (Path(__file__).parents[2] / "docs" / "proofs.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "docs/proofs.md", "exec"), {})
    assert capsys.readouterr().out == "True (0, 0)\n"
