"""Bounds of a saved search are used as far as its tree and the rules show them, whatever the file says."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from fuzz.saved_files import check_bounds, graph_game, sealed, unsealed, values_of
from plain_search import plain_search

import tesuji
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.player import search_from
from tesuji.players.presets import find_player
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.files.proof_table import load_proof_table, save_proof_table
from tesuji.search.files.saved_search import FORMAT, PARTS, load_search, save_search
from tesuji.search.kernel.table import pack
from tesuji.search.kernel.tree import NODE, ROOT, TABLE_ENTRIES, USED
from tesuji.search.selection.rave import RAVE


@pytest.fixture(autouse=True)
def hashes_overflow():
    with np.errstate(over="ignore"):
        yield


def search_of(game: Game | str, playouts: int, **values) -> TreeSearch:
    game = find_game(game) if isinstance(game, str) else game
    search = TreeSearch(game, settings=SEARCH.settings({"memory": 1.0, **values}), seed=1, pure=True)
    if playouts:
        search.run(Limits(playouts=playouts))
    return search


def load(path, game: Game | None = None, **more) -> TreeSearch:
    search = load_search(path, plain_search, game=game, **more)
    search.pure = True
    return search


def forge(path, change) -> None:
    """Writes the file anew with other nodes and entries, and a right checksum."""
    header, body = unsealed(path.read_bytes(), FORMAT)
    nodes = np.frombuffer(body, NODE, header["sizes"]["nodes"] // NODE.itemsize)
    start = sum(header["sizes"][name] for name in PARTS[: PARTS.index("entries")])
    change(nodes, np.frombuffer(body, np.uint64, header["sizes"]["entries"] // 8, start).reshape(-1, 2))
    path.write_bytes(sealed(header, body, FORMAT))


def everything_is_won(nodes, entries):
    nodes["lower"] = nodes["upper"] = 1
    keys = entries[:, 0] ^ entries[:, 1]
    entries[:, 1] = pack(1, 1, 9)
    entries[:, 0] = keys ^ entries[:, 1]


def the_root_is_won(nodes, _entries):
    nodes[ROOT]["lower"] = 1


def a_move_wins(nodes, _entries):
    nodes[ROOT]["lower"] = nodes[int(nodes[ROOT]["first_child"])]["lower"] = 1


@pytest.mark.parametrize("forgery", [everything_is_won, the_root_is_won, a_move_wins])
@pytest.mark.parametrize("values", [{}, {"selection": "most-proving"}, {"solver": "win-loss"}, {"transpositions": False}])
def test_a_forged_proof_is_not_shown(tmp_path, forgery, values):
    save_search(search_of("tictactoe", 25, **values), tmp_path / "s")
    forge(tmp_path / "s", forgery)
    search = load(tmp_path / "s")
    assert search.bounds_left_out > 0
    assert not search.result().proven and search.result().upper >= 0 >= search.result().lower
    result = search.run(Limits(playouts=25))
    assert result.lower <= 0 <= result.upper  # the game is a draw


def test_without_a_solver_there_are_no_bounds(tmp_path):
    save_search(search_of("tictactoe", 20, solver="off"), tmp_path / "s")
    forge(tmp_path / "s", the_root_is_won)
    assert (load(tmp_path / "s").result().lower, load(tmp_path / "s").result().upper) == (-1, 1)


@pytest.mark.parametrize(
    ("game", "values"),
    [
        ("tictactoe", {}),
        ("tictactoe", {"symmetry": False, "selection": "most-proving"}),
        ("connect4:4x3:3", {}),
        ("connect4:3x3:3", {"initial_bounds": False, "selection": "most-proving"}),
        ("dotsandboxes:1x2", {}),
        ("dotsandboxes:1x2", {"symmetry": False}),
        ("seki:1,2", {}),
        ("hex:3", {}),
        ("go:2", {}),
    ],
)
def test_all_that_an_honest_tree_proves_is_kept(tmp_path, game, values):
    """The tree and the table are the same, and so is what comes after."""
    search = search_of(game, 50, **values)
    save_search(search, tmp_path / "s")
    again = load(tmp_path / "s")
    assert again.bounds_left_out == 0 and again.result().proven == search.result().proven
    assert again.tree_hash() == search.tree_hash() and np.array_equal(again.tree.table, search.tree.table)
    assert again.tree.counters[TABLE_ENTRIES] == search.tree.counters[TABLE_ENTRIES]
    for one in (search, again):
        one.run(Limits(playouts=30))
    assert again.tree_hash() == search.tree_hash()


def test_what_the_tree_has_lost_is_proven_again(tmp_path):
    """A full memory drops what lies below proven nodes; their bounds cannot be shown any more."""
    game = graph_game(random.Random(11), (-3, 3))
    search = search_of(game, 150, memory=0.002, probe_children=False, transpositions=False)
    assert search.was_full and search.result().proven
    save_search(search, tmp_path / "s")
    again = load(tmp_path / "s", game)
    assert again.bounds_left_out > 0
    check_bounds(again, "loaded")
    assert again.run(Limits(playouts=500)).lower == values_of(game)[0]
    check_bounds(again, "gone on")


def test_proofs_of_a_file_do_not_become_a_search_s_own(tmp_path):
    game = graph_game(random.Random(5), nodes=16)
    search = search_of(game, 100)
    assert search.result().proven
    save_proof_table(search, tmp_path / "p")
    other = search_of(game, 0)
    load_proof_table(other, tmp_path / "p")
    other.run(Limits(playouts=5))
    assert other.result().proven
    save_search(other, tmp_path / "s")
    again = load(tmp_path / "s", game)
    assert again.bounds_left_out > 0 and not again.result().proven
    assert (
        load_proof_table(again, tmp_path / "p")[0] > 0 and again.run(Limits(playouts=20)).proven
    )  # at the file's word, once more


def test_a_move_that_is_missing_is_noticed(tmp_path):
    """A node without its best move would be worth less than its position."""
    save_search(search_of("tictactoe", 1), tmp_path / "s")
    header, body = unsealed((tmp_path / "s").read_bytes(), FORMAT)
    nodes = np.frombuffer(body, NODE, 10)
    nodes[ROOT]["child_count"] = 8
    header["sizes"]["nodes"] -= NODE.itemsize
    (tmp_path / "s").write_bytes(sealed(header, bytes(body[: 9 * NODE.itemsize] + body[10 * NODE.itemsize :]), FORMAT))
    with pytest.raises(UserError, match="its nodes do not have the moves of their positions"):
        load(tmp_path / "s")


def test_moves_that_the_policy_prunes_may_be_missing_and_no_others(tmp_path):
    """Hex: the rules have more moves than need be considered."""
    position = tesuji.game("hex:3").start.play("a1")
    search = find_player("mohex2:memory=1,solver=bounds").search(position, seed=1)
    search.engine.pure = True
    search.run(playouts=4)
    search.save(tmp_path / "s")
    root = search.engine.tree.nodes[ROOT]
    assert 0 < root["child_count"] < len(position.legal_moves)
    again = load_search(tmp_path / "s", search_from)
    assert again.tree.counters[USED] == search.engine.tree.counters[USED]
    forge(tmp_path / "s", lambda nodes, _entries: nodes["move"].__setitem__(1, _other_move(search, nodes)))
    with pytest.raises(UserError, match="its nodes do not have the moves of their positions"):
        load_search(tmp_path / "s", search_from)


def _other_move(search, nodes) -> int:
    """A legal move at the root that the policy has pruned: in its place another is missing."""
    there = set(nodes["move"][1 : 1 + int(nodes[ROOT]["child_count"])].tolist())
    return next(move for move in search.position.game.legal_moves(search.position.state) if move not in there)


# -- the same game -----------------------------------------------------------------------------------------------------------
def test_a_search_of_a_game_made_in_a_program_is_loaded_with_it(tmp_path):
    game, other = graph_game(random.Random(1)), graph_game(random.Random(2))
    search = search_of(game, 30)
    save_search(search, tmp_path / "s")
    again = tesuji.load(tmp_path / "s", game)
    assert again.engine.tree_hash() == search.tree_hash()
    assert tesuji.load(tmp_path / "s", graph_game(random.Random(1))).engine.tree_hash() == search.tree_hash()
    with pytest.raises(UserError, match=r"a search of graph, a game that was made in a program: give the game too"):
        tesuji.load(tmp_path / "s")
    with pytest.raises(UserError, match="is a search of graph, not of tictactoe"):
        tesuji.load(tmp_path / "s", "tictactoe")
    with pytest.raises(UserError, match="is a search of another graph, with another start"):
        tesuji.load(tmp_path / "s", other)


def test_a_name_of_the_package_does_not_make_a_game_one_of_it(tmp_path):
    """A program's own game that is called tictactoe is not taken for it, in either direction."""
    real = find_game("tictactoe")
    own = Game("tictactoe", real.state_after(["b2"]), real.outcomes, real.move_count, real.max_plies)
    save_search(search_of(own, 5), tmp_path / "own")
    save_search(search_of(real, 5), tmp_path / "real")
    assert tesuji.load(tmp_path / "own", own).position.legal_moves == own.start.legal_moves
    for path, game in (("own", None), ("own", "tictactoe"), ("real", own)):
        with pytest.raises(UserError, match=f"{path} is a search of (another )?tictactoe"):
            tesuji.load(tmp_path / path, game)


def test_proofs_of_one_game_are_not_believed_of_another(tmp_path):
    """All pairs of games of one name and one type of record, whose positions have the same hashes."""
    games = [graph_game(random.Random(seed), nodes=14) for seed in range(7)]
    for number, game in enumerate(games):
        save_proof_table(search_of(game, 200), tmp_path / str(number))
    refused = 0
    for one, other in itertools.product(range(len(games)), repeat=2):
        search = search_of(games[other], 0)
        try:
            load_proof_table(search, tmp_path / str(one))
        except UserError as error:
            assert one != other and "holds proofs of another graph" in str(error)
            refused += 1
        result = search.run(Limits(playouts=200))
        assert result.proven and result.lower == result.upper == values_of(games[other])[0]
    assert refused == len(games) * (len(games) - 1)


# -- memory ------------------------------------------------------------------------------------------------------------------
def test_a_file_gets_no_more_memory_than_is_asked_for_here(tmp_path):
    search = search_of("tictactoe", 60, memory=1500.0)
    save_search(search, tmp_path / "s")
    with pytest.raises(UserError, match=r"made with 1500 MiB, more than the default 1024: use --memory"):
        load(tmp_path / "s")
    assert load(tmp_path / "s", memory=1500.0).tree_hash() == search.tree_hash()
    small = load(tmp_path / "s", memory=2.0)
    assert small.settings["memory"] == 2.0 and small.tree_hash() == search.tree_hash()
    with pytest.raises(UserError, match=r"does not fit into 0\.02 MiB; ask for more with --memory"):
        load(tmp_path / "s", memory=0.02)
    with pytest.raises(UserError, match="memory"):
        load(tmp_path / "s", memory=-1.0)


@pytest.mark.parametrize("own_games, own_sum", [(-1, 0), (3, 4), (3, -4), (0, 1), (0, -(1 << 31))])
def test_what_the_policy_expects_of_a_move_is_a_sum_of_possible_scores(tmp_path, own_games, own_sum):
    search = search_of("tictactoe", 30, selection="rave-prior")
    save_search(search, tmp_path / "s")
    assert load(tmp_path / "s").tree_hash() == search.tree_hash()
    header, body = unsealed((tmp_path / "s").read_bytes(), FORMAT)
    extra = np.frombuffer(body, RAVE.record, header["sizes"]["statistics"] // RAVE.record.itemsize, header["sizes"]["nodes"])
    extra[2]["own_games"], extra[2]["own_sum"] = own_games, own_sum
    (tmp_path / "s").write_bytes(sealed(header, body, FORMAT))
    with pytest.raises(UserError, match="its nodes have impossible numbers"):
        load(tmp_path / "s")
