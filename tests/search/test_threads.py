"""Threads on one tree: whatever they do together is the sum of what each did, however they interleave."""

from __future__ import annotations

import os
import threading
import time
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_study import assert_true_everywhere, truth
from test_tree_search import assert_links

from tesuji.core.dispatch import implements
from tesuji.core.limits import Limits
from tesuji.core.numba.atomics import atomic_add
from tesuji.core.numba.registration import compiled, is_pure
from tesuji.core.parameters import Settings
from tesuji.core.rules import position_hash
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.search.engine.final_move import node_count
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.thread_pool import ThreadPool
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.kernel import tree as tree_module
from tesuji.search.kernel.bounds import claim_flag, drop_upper, look_up_bounds, raise_lower
from tesuji.search.kernel.loop import SUBTREE_VISITS
from tesuji.search.kernel.threads import add_virtual_loss, flush_all_counts
from tesuji.search.kernel.tree import (
    CROSSED,
    FULL,
    NODE_BITS,
    ROOT,
    RULE_BOUNDS,
    STATUS,
    TABLE_ENTRIES,
    TABLE_FULL,
    USED,
    halve,
    publish_children,
    reserve,
    scaled_sum,
    stop,
)
from tesuji.search.selection.choose_child import back_up, choose_child, count_game
from tesuji.search.selection.gaussian import MAX, MOMENTS, back_up_values, choose_by_chance, value_by
from tesuji.search.selection.interface import selection_rule, worth
from tesuji.search.selection.proof_numbers import number_node
from tesuji.search.selection.rave import credit_moves
from tesuji.search.selection.uct import upper_confidence

needs_threads = pytest.mark.skipif(is_pure(), reason="pure Python has one thread")


def search_of(game, pure=True, seed=1, **values):
    settings = Settings(SEARCH, {"memory": 4.0, "threads": 2, **values})
    return TreeSearch(find_game(game), settings=settings, seed=seed, pure=pure)


# -- the thread pool ---------------------------------------------------------------------------------------------------------
def test_a_pool_is_started_once_and_works_in_rounds():
    before = threading.active_count()
    pool, did = ThreadPool(3), []
    for number in range(5):
        pool.begin(lambda thread, number=number: did.append((number, thread)))
        while pool.is_busy:
            pool.wait()
        assert sorted(did[-3:]) == [(number, 0), (number, 1), (number, 2)]
        assert threading.active_count() <= before + 3
    pool.close()


def test_an_answer_that_nobody_waited_for_is_not_missed():
    """As when Ctrl-C comes just after the wait: then it is waited for again."""
    pool, go = ThreadPool(2), threading.Event()
    pool.begin(lambda thread: None if thread == 0 else go.wait() and None)
    pool.wait()
    assert pool.is_busy
    go.set()
    while pool.is_busy:
        pool.wait()
    pool.close()


def test_answers_of_a_round_do_not_wake_who_waits_for_the_next():
    pool, go = ThreadPool(2), threading.Event()
    pool.begin(lambda _thread: None)
    while pool.is_busy or pool._signals.qsize() < 2:  # the round is over, and nobody has read the signals
        time.sleep(0.001)
    pool.begin(lambda _thread: go.wait() and None)
    assert pool._signals.empty()
    go.set()
    while pool.is_busy:
        pool.wait()
    pool.close()


def test_the_threads_of_a_pool_end_with_it():
    pool, threads = ThreadPool(2), set()
    pool.begin(lambda _thread: threads.add(threading.current_thread()))
    while pool.is_busy:
        pool.wait()
    pool.close()
    for thread in threads:
        thread.join()
    assert len(threads) == 2


def test_those_that_have_started_end_if_another_cannot(monkeypatch):
    start, started = threading.Thread.start, []

    def fails(thread):
        if len(started) == 2:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", fails)
    with pytest.raises(RuntimeError):
        ThreadPool(3)
    for thread in started:
        thread.join()


@needs_threads
def test_a_run_starts_its_threads_once(monkeypatch):
    start, started = threading.Thread.start, []
    monkeypatch.setattr(threading.Thread, "start", lambda thread: (started.append(thread), start(thread)))
    search = search_of("tictactoe", pure=False, solver="off", threads=3)
    search.prepare()
    started.clear()
    rounds, run_slices = [], search._run_slices
    monkeypatch.setattr(search, "_run_slices", lambda count: (rounds.append(count), run_slices(count))[1])
    assert search.run(Limits(playouts=20_000)).playouts == 20_000
    assert len(rounds) > 2 and len(started) == 3
    assert search.cpu > 0


# -- replayed logs -----------------------------------------------------------------------------------------------------------
LONGEST = 60


class Logged(NamedTuple):
    """UCT that writes down every game: its path and its score."""

    exploration: float
    first_play: float
    paths: np.ndarray  # int32[games, LONGEST], -1 beyond the end
    scores: np.ndarray  # int64[games]
    games: np.ndarray  # int64[1]


@implements(worth, Logged)
def logged_worth(rule, child, parent):
    return upper_confidence(rule, child, parent)


@implements(back_up, Logged)
def log_game(rule, tree, scratch, depth, score, options):
    game = atomic_add(rule.games, 0, 1)
    rule.scores[game] = score
    for d in range(LONGEST):
        rule.paths[game, d] = scratch.path[d] if d <= depth else -1
    count_game(rule, tree, scratch, depth, score, options)


@selection_rule(statistics=MOMENTS)
class LoggedGaussian(NamedTuple):
    """The same for Gaussian selection."""

    gauss_slope: float
    gauss_floor: float
    gauss_rank: float
    gauss_prior: float
    backup: int
    points: float
    doubt: float
    variance_visits: float
    divide_external: bool
    mean_below: int
    shares: bool
    paths: np.ndarray
    scores: np.ndarray
    games: np.ndarray


implements(choose_child, LoggedGaussian)(choose_by_chance)


@implements(back_up, LoggedGaussian)
def log_gaussian_game(rule, tree, scratch, depth, score, options):
    game = atomic_add(rule.games, 0, 1)
    rule.scores[game] = score
    for d in range(LONGEST):
        rule.paths[game, d] = scratch.path[d] if d <= depth else -1
    back_up_values(rule, tree, scratch, depth, score, options)


def logged(game, kind, threads, games, **values):
    selection = "gaussian" if kind is LoggedGaussian else "uct"
    search = search_of(game, False, threads=threads, selection=selection, memory=64.0, **values)
    log = np.full((games, LONGEST), -1, np.int32), np.zeros(games, np.int64), np.zeros(1, np.int64)
    search.rule = kind(*search.rule, *log)
    search.run(Limits(playouts=games))
    return search


@needs_threads
@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("kind", [Logged, LoggedGaussian])
def test_all_counts_are_the_sums_of_what_the_threads_did(kind, threads):
    search = logged("dotsandboxes:2x2", kind, threads, 30_000, solver="off", policy_below=3)
    rule, used = search.rule, node_count(search.tree)
    done = int(rule.games[0])
    assert done == search.playouts == 30_000
    visits, sums, squares = (np.zeros(used, np.int64) for _ in range(3))
    for depth in range(LONGEST):
        there = rule.paths[:done, depth] >= 0
        at, scores = rule.paths[:done, depth][there], rule.scores[:done][there]
        np.add.at(visits, at, 1)
        np.add.at(sums, at, scores)
        np.add.at(squares, at, scores * scores)
    nodes = search.tree.nodes[:used]
    assert np.array_equal(nodes["visits"], visits) and np.array_equal(nodes["sum"], sums)
    if kind is LoggedGaussian:
        assert np.array_equal(search.tree.statistics["squares"][:used], squares)
        mean = sums[ROOT] / visits[ROOT]
        true = (squares[ROOT] - visits[ROOT] * mean**2 + rule.doubt) / (visits[ROOT] + 1)
        kept = float(search.tree.statistics[ROOT]["variance"]) * min(rule.variance_visits, visits[ROOT])
        assert kept == pytest.approx(true, rel=0.05)
    assert np.count_nonzero(visits >= SUBTREE_VISITS) > 1  # so threads did start simulations below the root
    assert_links(search)


@needs_threads
@pytest.mark.parametrize("threads", [2, 4])
def test_bounds_of_threads_are_true_everywhere(threads):
    values = truth("dotsandboxes:1x3")
    for seed in range(6):
        search = search_of("dotsandboxes:1x3", False, seed, threads=threads)
        result = search.run(Limits(playouts=100 if seed % 3 == 0 else 1_000_000))  # proven, or while much is still open
        value = values[int(position_hash(search.state))]
        assert result.lower <= value <= result.upper and (seed % 3 == 0 or result.proven)
        assert_true_everywhere(search, values)


# -- one step at a time ------------------------------------------------------------------------------------------------------
def test_a_variance_counts_squares_and_games_together():
    """Squares were added at once while visits waited: a true variance of 400 became 896 with two threads, 2,291 with eight."""
    for threads in (2, 8):
        search = search_of("dotsandboxes:2x2", threads=threads, selection="gaussian", solver="off", mean_below=1 << 20)
        search.run(Limits(playouts=1))
        root, moments = search.tree.nodes[ROOT], search.tree.statistics[ROOT]
        root["visits"], root["sum"], moments["squares"] = 4096, 4096 * 100, 4096 * (100 * 100 + 400)
        rule = search.rule._replace(doubt=0.0, divide_external=False)
        for game in range(100 * threads):
            scratch = search.scratches[game % threads]
            scratch.path[0] = ROOT
            back_up(rule, search.tree, scratch, 0, 120 if game // threads % 2 else 80, search.options)
            assert float(moments["variance"]) == pytest.approx(400, rel=0.02)
        for scratch in search.scratches:
            flush_all_counts(search.rule, search.tree, scratch)
        assert int(root["visits"]) == 4096 + 100 * threads
        assert int(moments["squares"]) == 4096 * 10400 + 50 * threads * (120**2 + 80**2)


class Interleaved:
    """Counters in which other threads do something just before a thread reads for the n-th time."""

    def __init__(self, values, actions):
        self.values, self.actions = values, actions

    def __getitem__(self, index):
        if self.actions:
            self.actions.pop(0)()
        return self.values[index]

    def __setitem__(self, index, value):
        self.values[index] = value


@pytest.mark.parametrize("late", range(4))
def test_blocks_of_the_arena_never_overlap(late):
    """Three threads and room for two blocks: a thread that finds no room must take nothing away from the others."""
    values, taken = [10], []

    def other():
        taken.append((int(reserve(values, 0, 20, 55)), 20))

    actions = [lambda: None] * late + [other, other, other]
    taken.append((int(reserve(Interleaved(values, actions), 0, 25, 55)), 25))
    for action in actions:
        action()
    held = sorted(block for block in taken if block[0] >= 0)
    assert all(first + count <= after for (first, count), (after, _) in pairwise(held))
    assert held and held[-1][0] + held[-1][1] <= 55 and values[0] == 10 + sum(count for _, count in held)


class Publishing:
    """Nodes of which one gets its children from another thread as soon as something is read of it, first_child or the count."""

    def __init__(self, tree, node):
        self.tree, self.node = tree, node

    def __getitem__(self, key):
        if key == self.node:
            return self
        if not isinstance(key, str):
            return self.tree.nodes[key]
        if key == "child_count":  # the whole column, as an atomic load takes it; the node's own entry is read from it
            column = self.tree.nodes[key].copy()
            self.publish()
            return column
        found = self.tree.nodes[self.node][key]
        self.publish()
        return found

    def publish(self):
        if self.tree.nodes[self.node]["child_count"] == 0:
            publish_children(self.tree, self.node, 5, 3)


@pytest.mark.parametrize("selection", ["gaussian", "most-proving"])
def test_other_rules_see_children_whole_or_not_at_all(selection):
    search = search_of("tictactoe", selection=selection, solver="bounds" if selection == "most-proving" else "off")
    search.run(Limits(playouts=1))
    leaf = int(search.tree.nodes[ROOT]["first_child"])
    before = search.tree.statistics.copy()
    racing = search.tree._replace(nodes=Publishing(search.tree, leaf))
    if selection == "gaussian":
        assert value_by(MAX, search.rule, racing, leaf) == 0.0
    else:
        number_node(search.rule, racing, leaf, 1, False)
        assert search.tree.statistics[leaf] == before[leaf]


def test_rave_sees_children_whole_or_not_at_all():
    """first_child was read before child_count: children that appeared in between were looked for at the root."""
    search = search_of("tictactoe", selection="rave", solver="off")
    search.run(Limits(playouts=1))
    scratch = search.scratches[0]
    leaf = int(search.tree.nodes[ROOT]["first_child"])
    while search.tree.nodes[leaf]["child_count"]:
        leaf += 1
    scratch.path[0] = leaf
    scratch.history[0], scratch.movers[0] = 3, 0
    before = search.tree.statistics.copy()
    racing = search.tree._replace(nodes=Publishing(search.tree, leaf))
    credit_moves(search.rule, racing, scratch, 0, 1, 1)
    assert np.array_equal(search.tree.statistics, before)


def test_a_full_table_never_stops_the_search_for_good():
    """The count of table entries could be behind: the status said full, the count did not, and nothing was done about it."""
    search = search_of("connect4:4x4", threads=1)
    search.run(Limits(playouts=10))
    search.tree.counters[TABLE_ENTRIES] = 0
    stop(search.tree.counters, TABLE_FULL, ROOT)
    assert search.run(Limits(playouts=10)).playouts == 20


def test_of_threads_that_arrive_together_one_asks_the_rules():
    search = search_of("connect4:4x3", solver="bounds", probe_children=False)
    search.run(Limits(playouts=1))
    child = int(search.tree.nodes[ROOT]["first_child"])
    while search.tree.nodes[child]["flags"] & RULE_BOUNDS:
        child += 1
    for scratch in search.scratches:
        scratch.path[:2] = ROOT, child
        add_virtual_loss(search.tree, scratch, child, 1, 0, search.options)
    state = search.game.state_after([int(search.tree.nodes[child]["move"])])
    for scratch in search.scratches:
        look_up_bounds(search.tree, scratch, 1, state, search.options)
    assert search.tree.nodes[child]["flags"] & RULE_BOUNDS
    search.tree.nodes[child]["flags"] = 0
    assert [claim_flag(search.tree, child, RULE_BOUNDS, search.options) for _ in range(3)] == [True, False, False]


def test_a_reason_to_stop_hides_neither_a_worse_one_nor_its_node():
    search = search_of("tictactoe")
    for worse, milder in ((CROSSED, FULL), (FULL, TABLE_FULL)):
        for task in ((worse, milder), (milder, worse)):
            search.tree.counters[STATUS] = 0
            for reason in task:
                stop(search.tree.counters, reason, 1 if reason == worse else 2)
            assert divmod(int(search.tree.counters[STATUS]), 1 << NODE_BITS) == (worse, 1)


@needs_threads
def test_of_two_threads_the_tighter_bound_stays():
    """A thread compares, then writes: by then another may have written a tighter bound."""
    search = search_of("tictactoe")
    nodes = search.tree.nodes
    for pure in (True, False):
        for index, tighter, wider in ((1, 3, 2), (2, 2, 3)):
            nodes[index]["lower"], nodes[index]["upper"] = tighter, -tighter
            raise_by, drop_by = (raise_lower, drop_upper) if pure else (compiled(raise_lower), compiled(drop_upper))
            raise_by(nodes, index, wider, True)
            drop_by(nodes, index, -wider, True)
            assert (nodes[index]["lower"], nodes[index]["upper"]) == (3, -3)


@given(st.integers(1, 1 << 30), st.integers(-1000, 1000), st.integers(0, 1 << 20))
def test_half_of_the_games_have_a_mean_in_the_same_range(visits, low, more):
    total = min(visits * low + more, visits * (low + 1))
    left = visits // 2
    half = int(scaled_sum(total, visits, left))
    assert low * left <= half <= (low + 1) * left
    assert left == 0 or abs(half / left - total / visits) <= 1 / left + 1e-6


def test_halving_keeps_means_and_that_a_move_was_tried():
    search = search_of("tictactoe", threads=1, solver="off")
    search.run(Limits(playouts=50))
    nodes = search.tree.nodes
    nodes[1]["visits"], nodes[1]["sum"] = 1, -1
    nodes[2]["visits"], nodes[2]["sum"] = 3, -3
    halve(search.rule, nodes, search.tree.statistics, node_count(search.tree))
    assert (nodes[1]["visits"], nodes[1]["sum"]) == (1, -1)
    assert (nodes[2]["visits"], nodes[2]["sum"]) == (2, -2)


@needs_threads
def test_threads_that_fill_the_arena_and_the_table_come_to_an_end(monkeypatch):
    """STRESS_RUNS=1000 in the environment makes it so many searches."""
    runs = int(os.environ.get("STRESS_RUNS", "40"))
    monkeypatch.setattr(tree_module, "FIRST_TABLE", 16)
    calls = []
    for name in ("_make_room", "_enlarge_table"):
        real = getattr(TreeSearch, name)
        monkeypatch.setattr(TreeSearch, name, lambda self, real=real: calls.append(real) or real(self))
    for seed in range(runs):
        player = find_player("tesuji").changed({"memory": 0.02 + 0.01 * (seed % 4), "threads": 2 + seed % 3})
        search = player.engine(find_game("connect4:5x4"), seed=seed, pure=False)
        result = search.run(Limits(playouts=3000))
        assert result.playouts >= 3000 or result.proven
        assert int(search.tree.counters[USED]) <= len(search.tree.nodes)
        assert_links(search)
    assert len(set(calls)) == 2 and min(calls.count(call) for call in set(calls)) >= runs
