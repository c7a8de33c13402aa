"""Running, limits, memory, threads, saving and going on."""

import threading
import time

import numpy as np
import pytest
from plain_search import plain_search

from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.numba import registration
from tesuji.core.numba.registration import is_pure
from tesuji.games.registry import find_game
from tesuji.players.player import search_from
from tesuji.players.presets import find_player
from tesuji.search.engine.final_move import children_of
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.files import saved_search
from tesuji.search.files.saved_search import load_search, save_search
from tesuji.search.kernel.tree import MOST_VISITS, NODE, USED
from tesuji.search.selection.interface import NOTHING, spec_of
from tesuji.search.selection.registry import RULES


def small(**values):
    return SEARCH.settings({"memory": 8.0, **values})


def test_node_sizes():
    assert NODE.itemsize == 40
    records = {name: spec_of(rule).statistics.record for name, rule in RULES.items()}
    sizes = {name: record.itemsize for name, record in records.items() if record != NOTHING}
    with_rave = dict.fromkeys(("rave", "rave-bound-bias", "rave-outside", "rave-inside", "rave-progressive-bias", "grave"), 16)
    with_numbers = dict.fromkeys(("pn-mcts", "pn-progressive-bias"), 12) | {"most-proving": 8}
    assert sizes == with_rave | {"rave-prior": 24, "gaussian": 16, "ucb1-tuned": 24, "implicit-minimax": 8} | with_numbers


@pytest.mark.parametrize("game", ["tictactoe", "connect4:4x4"])
def test_slices_do_not_matter(game):
    """The same seed and number of simulations give the same tree however they are cut into runs."""
    whole = TreeSearch(find_game(game), settings=small(), seed=7)
    whole.run(Limits(playouts=900))
    parts = TreeSearch(find_game(game), settings=small(), seed=7)
    for n in (1, 99, 500, 300):
        parts.run(Limits(playouts=n))
    assert whole.tree_hash() == parts.tree_hash()
    assert whole.playouts == parts.playouts == 900


def test_seeds_matter():
    hashes = set()
    for seed in range(3):
        search = TreeSearch(find_game("connect4:7x6"), settings=small(), seed=seed)
        search.run(Limits(playouts=200))
        hashes.add(search.tree_hash())
    assert len(hashes) == 3


@pytest.mark.parametrize("rule", ["uct", "rave", "gaussian"])
def test_saved_search_goes_on_exactly(tmp_path, monkeypatch, rule):
    if rule == "uct":  # its moves are checked by compiled code
        monkeypatch.setattr(saved_search, "MANY_NODES", 0)
    game, pure = find_game("connect4:5x4"), rule != "uct"
    whole, first = (TreeSearch(game, settings=small(selection=rule), seed=3, pure=pure) for _ in range(2))
    whole.run(Limits(playouts=1000))
    first.run(Limits(playouts=600))
    save_search(first, tmp_path / "s")
    second = load_search(tmp_path / "s", plain_search)
    second.pure = pure
    assert second.tree_hash() == first.tree_hash() and second.playouts == 600
    second.run(Limits(playouts=400))
    assert second.tree_hash() == whole.tree_hash()
    assert second.result().best_move == whole.result().best_move
    assert [p.name for p in tmp_path.iterdir()] == ["s"]


def test_a_saved_search_keeps_its_policy(tmp_path):
    search = find_player("tesuji:memory=1").engine(find_game("connect4:4x4"), pure=True)
    assert search.settings["policy"] == "decisive"
    search.run(Limits(playouts=20))
    save_search(search, tmp_path / "s")
    assert load_search(tmp_path / "s", search_from).tree_hash() == search.tree_hash()


def test_damaged_saved_searches_are_refused(tmp_path):
    search = TreeSearch(find_game("tictactoe"), settings=small(), seed=3)
    search.run(Limits(playouts=100))
    path = tmp_path / "s"
    save_search(search, path)
    whole = path.read_bytes()
    cases = [b"", b"nonsense", whole[:10], whole[:40], whole[:-1], whole[: len(whole) // 2], whole + b"x"]
    cases += [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(0, len(whole), max(1, len(whole) // 60))]
    refused = 0
    for case in cases:
        path.write_bytes(case)
        try:
            loaded = load_search(path, plain_search)
        except UserError as error:
            refused += 1
            assert "\n" not in str(error)
        else:
            pytest.fail(f"a damaged file was taken: {loaded.result(with_moves=False)}")
    assert refused == len(cases)
    with pytest.raises(UserError, match="cannot be read"):
        load_search(tmp_path / "missing", plain_search)


def test_saving_into_nowhere_is_an_error(tmp_path):
    search = TreeSearch(find_game("tictactoe"), settings=small())
    with pytest.raises(UserError, match="cannot be written"):
        save_search(search, tmp_path / "no" / "folder")


def test_advance_keeps_the_subtree():
    search = TreeSearch(find_game("connect4:5x4"), settings=small(selection="rave"), seed=2, pure=True)
    search.run(Limits(playouts=600))
    child = next(c for c in children_of(search.tree, 0) if int(search.tree.nodes[c]["move"]) == 2)
    visits, total = int(search.tree.nodes[child]["visits"]), int(search.tree.nodes[child]["sum"])
    shape = subtree(search, child)
    search.advance(2)
    root = search.tree.nodes[0]
    assert (int(root["visits"]), int(root["sum"]), int(root["parent"])) == (visits, total, -1)
    assert subtree(search, 0) == shape
    assert int(search.tree.counters[USED]) == count_nodes(shape)
    search.run(Limits(playouts=200))
    assert int(search.tree.nodes[0]["visits"]) == visits + 200
    assert_links(search)


def test_advance_without_reuse_starts_afresh():
    search = TreeSearch(find_game("connect4:5x4"), settings=small(reuse_tree=False), seed=2)
    search.run(Limits(playouts=100))
    search.advance(1)
    assert search.result().nodes == 1
    with pytest.raises(UserError):
        search.advance(77)


def subtree(search, node):
    """The subtree as nested values without indices."""
    r = search.tree.nodes[node]
    own = tuple(int(r[f]) for f in ("visits", "sum", "lower", "upper"))
    return own, tuple((int(search.tree.nodes[c]["move"]), subtree(search, c)) for c in children_of(search.tree, node))


def count_nodes(shape):
    return 1 + sum(count_nodes(child) for _, child in shape[1])


def assert_links(search):
    used = int(search.tree.counters[USED])
    nodes = search.tree.nodes[:used]
    seen = np.zeros(used, int)
    for index in range(used):
        for child in children_of(search.tree, index):
            assert index < child < used
            assert int(nodes[child]["parent"]) == index
            seen[child] += 1
    assert np.all(seen[1:] == 1)


@pytest.mark.parametrize(("rule", "name"), [("uct", "connect4:4x4"), ("rave", "seki:3,4")])
def test_a_full_arena_makes_room_and_still_proves(rule, name):
    """With room for a few hundred nodes the search drops what it can spare, never grows, and still finds the proof."""
    search = TreeSearch(find_game(name), settings=SEARCH.settings({"memory": 0.06, "selection": rule}), seed=1)
    capacity = len(search.tree.nodes)
    assert capacity < 1500
    result = search.run(Limits(playouts=300_000))
    assert result.full and result.nodes <= capacity
    assert (result.lower, result.upper) == (0, 0)
    assert_links(search)


def test_a_full_arena_is_reproducible():
    hashes = set()
    for parts in ((4000,), (1, 1999, 2000)):
        search = TreeSearch(find_game("connect4:5x4"), settings=SEARCH.settings({"memory": 0.05}), seed=1)
        for n in parts:
            search.run(Limits(playouts=n))
        hashes.add(search.tree_hash())
    assert len(hashes) == 1


def test_memory_too_small_for_one_move():
    for memory in (0.0, 0.00001):
        with pytest.raises(UserError, match="too small"):
            TreeSearch(find_game("connect4:7x6"), settings=SEARCH.settings({"memory": memory}))


@pytest.mark.parametrize("solver", ["off", "bounds"])
def test_threads_share_one_tree(solver):
    """No simulation is lost or counted twice, and virtual losses are all taken back."""
    game = find_game("connect4:7x6")
    search = TreeSearch(game, settings=SEARCH.settings({"threads": 4, "solver": solver, "memory": 256.0}), seed=1)
    result = search.run(Limits(playouts=40_000))
    assert result.playouts == 40_000
    assert int(search.tree.nodes[0]["visits"]) == 40_000
    assert_links(search)
    nodes = search.tree.nodes[: result.nodes]
    assert np.all(nodes["visits"] >= 0)
    assert np.all(np.abs(nodes["sum"]) <= nodes["visits"])


@pytest.mark.parametrize("solver", ["off", "bounds"])
def test_virtual_losses_change_nothing_for_a_thread_alone(solver):
    """A simulation's own virtual losses must not count as visits when it asks whether a leaf is to be expanded."""
    game = find_game("connect4:7x6")
    chosen = SEARCH.settings({"solver": solver, "memory": 64.0, "expand_after": 2})
    alone = TreeSearch(game, settings=chosen, seed=1)
    alone.run(Limits(playouts=2000))
    with_losses = TreeSearch(game, settings=chosen.changed_by({"threads": 2, "virtual_loss": 3}), seed=1)
    with_losses.prepare()
    assert with_losses._call_slice(0, 2000) == 2000
    assert with_losses.tree_hash() == alone.tree_hash()


def test_threads_prove_the_truth():
    for seed in range(3):
        search = TreeSearch(find_game("connect4:4x4"), settings=SEARCH.settings({"threads": 3, "memory": 256.0}), seed=seed)
        result = search.run(Limits(playouts=2_000_000))
        assert (result.lower, result.upper) == (0, 0)


def test_limits():
    search = TreeSearch(find_game("connect4:7x6"), settings=small(), seed=1)
    search.prepare()
    began = time.perf_counter()
    result = search.run(Limits(seconds=0.2))
    assert result.playouts > 0 and time.perf_counter() - began < 60
    assert search.run(Limits(seconds=0)).playouts == result.playouts
    for bad in ({"seconds": -1.0}, {"playouts": 0}, {"playouts": -5}, {"seconds": float("nan")}):
        with pytest.raises(UserError):
            Limits(**bad)


def test_a_search_that_is_stopped_gives_the_best_so_far():
    search = TreeSearch(find_game("connect4:7x6"), settings=SEARCH.settings({"memory": 64.0}), seed=1)
    search.prepare()
    threading.Timer(0.3, search.stop).start()
    result = search.run(Limits(seconds=60))
    assert result.interrupted and result.best_move is not None and result.playouts > 0
    assert result.seconds < 30
    assert not search.run(Limits(playouts=10)).interrupted


def test_progress_is_reported():
    seen = []
    search = TreeSearch(find_game("connect4:7x6"), settings=small(), seed=1)
    search.run(Limits(seconds=0.7), on_progress=lambda result: seen.append(result.playouts))
    assert seen and seen == sorted(seen)


def test_a_finished_game_needs_no_search():
    game = find_game("tictactoe")
    state = game.state_after(["a1", "b1", "a2", "b2", "a3"])
    result = TreeSearch(game, state, small()).run(Limits(playouts=10))
    assert (result.lower, result.upper, result.proven, result.best_move) == (1, 1, True, None)


def test_visits_never_overflow():
    """Long before 32 bits are full all counts are halved, and the search goes on."""
    search = TreeSearch(find_game("connect4:7x6"), settings=small(), seed=1)
    search.run(Limits(playouts=100))
    root = search.tree.nodes[0]
    root["visits"], root["sum"] = (1 << 30) - 10, -(1 << 28)
    search.run(Limits(playouts=200))
    assert 0 < int(root["visits"]) <= (1 << 30) // 2 + 200
    assert search.result().best_move is not None


def test_lying_bounds_are_found_out():
    """Bounds that contradict each other end the search with one line instead of a wrong answer or an endless run."""
    from tesuji.core.errors import GameError
    from tesuji.search.kernel.bounds import narrow

    search = TreeSearch(find_game("connect4:7x6"), settings=small(), seed=1, pure=True)
    search.run(Limits(playouts=5))
    narrow(search.tree, search.scratches[0], 0, 1, -1, search.options)
    search.tree.nodes[0]["lower"], search.tree.nodes[0]["upper"] = -1, 1
    with pytest.raises(GameError, match="contradict"):
        search.run(Limits(playouts=5))


def test_a_user_games_search_is_found_from_another_folder(tmp_path, monkeypatch):
    import re
    from pathlib import Path

    page = (Path(__file__).parents[2] / "docs" / "your-own-game.md").read_text()
    block = max(re.findall(r"```python\n(.*?)```", page, re.S), key=len)
    (tmp_path / "coins.py").write_text(block)
    monkeypatch.chdir(tmp_path)
    search = TreeSearch(find_game("coins.py:game"), settings=small(), pure=True)
    search.run(Limits(playouts=5))
    save_search(search, tmp_path / "s")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert load_search("../s", plain_search, game=find_game("../coins.py:game")).tree_hash() == search.tree_hash()


@pytest.mark.skipif(is_pure(), reason="there is no compiler in pure Python")
def test_nothing_compiles_while_a_clock_runs():
    """The table is enlarged, the arena makes room and counts are halved, all within one run after `prepare`."""
    settings = SEARCH.settings({"memory": 3.0, "initial_bounds": False})  # without them it is not proven so soon
    search = TreeSearch(find_game("connect4:5x4"), settings=settings, seed=1)
    search.prepare()
    before = registration.compilations, registration.loads()
    entries = len(search.tree.table)
    search.tree.nodes[0]["visits"] = MOST_VISITS
    result = search.run(Limits(playouts=400_000))
    assert result.full and len(search.tree.table) > entries and search.tree.nodes[0]["visits"] < MOST_VISITS
    search.advance(result.best_move)
    assert (registration.compilations, registration.loads()) == before
