"""The transposition table: what it gives up, what it keeps, and as a file for the next run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.games import same_game
from tesuji.games.registry import find_game
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.files.proof_table import load_proof_table, save_proof_table
from tesuji.search.kernel.table import (
    LARGEST_BOUND,
    MOST_WORK,
    look_up,
    new_table,
    pack,
    packed_lower,
    packed_upper,
    packed_work,
    store_bounds,
    work_of,
)
from tesuji.search.kernel.tree import TABLE_ENTRIES, largest_table

bounds = st.integers(-LARGEST_BOUND, LARGEST_BOUND)


def search_of(game="connect4:4x3:3", seed=1, **values):
    return TreeSearch(find_game(game), None, SEARCH.settings({"memory": 1.0, **values}), seed=seed, pure=True)


@pytest.fixture(scope="module")
def proven():
    search = search_of(initial_bounds=False)
    assert search.run(Limits(playouts=20000)).proven
    return search


@given(bounds, bounds, st.integers(0, MOST_WORK))
def test_an_entry_holds_bounds_and_work(lower, upper, work):
    packed = pack(lower, upper, work)
    assert (packed_lower(packed), packed_upper(packed), packed_work(packed)) == (lower, upper, work)


def test_work_is_a_logarithm():
    found = [work_of(np.int32(visits)) for visits in (0, 1, 2, 3, 4, 6, 8, 1 << 30, (1 << 31) - 1)]
    assert found == [0, 0, 2, 3, 4, 5, 6, 60, 61]


def test_the_entry_of_least_work_goes():
    table = new_table(4)
    for number, work in ((1, 9), (2, 3), (3, 7), (1 << 45, 8)):
        assert store_bounds(table, np.uint64(number), 0, 1, work) == 1
    assert store_bounds(table, np.uint64(5), 0, 1, 1) == 0
    assert [number for number in (1, 2, 3, 1 << 45, 5) if look_up(table, np.uint64(number)) == 0] == [2]


def test_the_share_of_the_table_is_a_parameter():
    assert largest_table(16.0, 0.8) >= 4 * largest_table(16.0, 0.2)
    assert len(search_of(memory=16.0, table_share=0.8).tree.nodes) < 0.7 * len(search_of(memory=16.0).tree.nodes)


def test_known_positions_survive_when_the_tree_is_compacted(proven):
    search = search_of(memory=0.02, initial_bounds=False, table_share=0.5)
    result = search.run(Limits(playouts=20000))
    assert search.was_full
    assert result.proven
    assert result.lower == proven.result().lower


def test_the_next_run_begins_where_the_last_one_ended(proven, tmp_path):
    path = tmp_path / "c4.proofs"
    count = save_proof_table(proven, path)
    assert count == proven.tree.counters[TABLE_ENTRIES] > 100
    fresh = search_of(seed=2, initial_bounds=False)
    assert load_proof_table(fresh, path) == (count, count)
    result = fresh.run(Limits(playouts=20000))
    assert result.proven
    assert result.lower == proven.result().lower
    assert result.playouts < proven.playouts / 20


def test_a_file_larger_than_the_table_is_used_as_far_as_it_fits(proven, tmp_path):
    path = tmp_path / "c4.proofs"
    count = save_proof_table(proven, path)
    small = search_of(memory=0.02, initial_bounds=False)
    taken, there = load_proof_table(small, path)
    assert 0 < taken < there == count
    assert small.run(Limits(playouts=20000)).lower == proven.result().lower


def test_what_is_of_another_game_or_version_is_refused(proven, tmp_path, monkeypatch):
    path = tmp_path / "c4.proofs"
    save_proof_table(proven, path)
    with pytest.raises(UserError, match="holds proofs of connect4:4x3:3, not of connect4:4x4"):
        load_proof_table(search_of("connect4:4x4"), path)
    with pytest.raises(UserError, match="there is no transposition table"):
        load_proof_table(search_of(transpositions=False), path)
    monkeypatch.setattr(same_game, "game_digest", lambda game: "of other rules")
    with pytest.raises(UserError, match=r"another connect4:4x3:3, .* other rules or another version .* is of other ru"):
        load_proof_table(search_of(), path)
    monkeypatch.undo()
    data = path.read_bytes()
    path.write_bytes(data.replace(b"tesuji proofs 3", b"tesuji proofs 2"))
    with pytest.raises(UserError, match="another version of tesuji"):
        load_proof_table(search_of(), path)
    for wrong in (data[:-1], data[:40], data[:200] + bytes([data[200] ^ 1]) + data[201:], b"", b"x" * 99):
        path.write_bytes(wrong)
        with pytest.raises(UserError, match=r"cut short or damaged|is not a file of proofs"):
            load_proof_table(search_of(), path)


def test_impossible_bounds_are_refused(proven, tmp_path):
    path = tmp_path / "c4.proofs"
    table = proven.tree.table.copy()
    try:
        slot = int(np.flatnonzero(table[1::2])[0]) * 2
        key = table[slot] ^ table[slot + 1]
        proven.tree.table[slot + 1] = pack(5, 7, 0)
        proven.tree.table[slot] = key ^ proven.tree.table[slot + 1]
        save_proof_table(proven, path)
    finally:
        proven.tree.table[:] = table
    with pytest.raises(UserError, match="bounds that connect4:4x3:3 cannot have"):
        load_proof_table(search_of(), path)
