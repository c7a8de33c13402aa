"""Proof numbers against a naive count, the prover against a plain one, and proofs by every rule against brute force."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_search import plain_search
from toytree import toy_game, value_of

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import copy_state
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import is_pure
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.files.saved_search import load_search, save_search
from tesuji.search.kernel.tree import ROOT, USED, set_memo_limit
from tesuji.search.selection.proof_numbers import HIGH

BONUS_RULES = ("pn-mcts", "pn-progressive-bias")
ALL_RULES = (*BONUS_RULES, "most-proving")
PLAIN = {"transpositions": False, "initial_bounds": False, "probe_children": False}


def search_of(game, state=None, pure=True, seed=1, **values):
    settings = SEARCH.settings({"memory": 2.0, **values})
    return TreeSearch(find_game(game) if isinstance(game, str) else game, state, settings, seed=seed, pure=pure)


def naive_numbers(search, index, widening=1.0):
    """(proof, disproof) of a node by the definition, from the bounds and the shape of the tree alone."""
    high = int(search.tree.counters[HIGH])
    node = search.tree.nodes[index]
    proof, disproof = 1.0, 1.0
    if node["child_count"]:
        first = int(node["first_child"])
        children = [naive_numbers(search, child, widening) for child in range(first, first + int(node["child_count"]))]
        proofs, disproofs = zip(*children, strict=True)
        proof, disproof = (
            (least_of_first(proofs, widening), sum(disproofs))
            if node["to_play"] == rules.FIRST
            else (sum(proofs), least_of_first(disproofs, widening))
        )
    if node["lower"] >= high:
        proof, disproof = 0.0, math.inf
    elif node["upper"] < high:
        proof, disproof = math.inf, 0.0
    return proof, disproof


def least_of_first(numbers, widening):
    """The least of the mover's numbers, of the first open moves and those that are decided before them."""
    is_open = [number < math.inf for number in numbers]
    if widening == 1.0 or not any(is_open):
        return min(numbers)
    last = min(1 + math.ceil(widening * sum(is_open)), sum(is_open))
    return min(number for place, number in enumerate(numbers) if sum(is_open[:place]) < last)


trees = st.recursive(
    st.integers(0, 2),
    lambda inner: st.tuples(st.sampled_from(["max", "min"]), st.lists(inner, min_size=1, max_size=4)),
    max_leaves=25,
).filter(lambda tree: not isinstance(tree, int))


@pytest.mark.parametrize("rule", ALL_RULES)
@given(tree=trees, playouts=st.integers(1, 40))
def test_the_numbers_are_those_of_the_definition(rule, tree, playouts):
    search = search_of(toy_game(tree), selection=rule, **PLAIN)
    search.run(Limits(playouts=playouts))
    if search.is_decided():
        return  # the goals are not chosen anew when nothing is left to ask
    for index in range(int(search.tree.counters[USED])):
        record = search.tree.statistics[index]
        assert (float(record["proof"]), float(record["disproof"])) == naive_numbers(search, index)


@pytest.mark.parametrize("rule", ALL_RULES)
@given(tree=trees, probes=st.booleans(), shares=st.booleans())
def test_every_tree_is_solved(rule, tree, probes, shares):
    search = search_of(toy_game(tree), selection=rule, **{**PLAIN, "probe_children": probes, "transpositions": shares})
    result = search.run(Limits(playouts=3000))
    assert (result.lower, result.upper) == (value_of(tree), value_of(tree))


@given(tree=trees, playouts=st.integers(1, 40), widening=st.sampled_from([0.0, 0.25, 0.5]))
def test_with_widening_the_mover_s_number_is_the_least_of_the_first_moves(tree, playouts, widening):
    search = search_of(toy_game(tree), selection="most-proving", widening=widening, **PLAIN)
    search.run(Limits(playouts=playouts))
    if search.is_decided():
        return
    for index in range(int(search.tree.counters[USED])):
        record = search.tree.statistics[index]
        assert (float(record["proof"]), float(record["disproof"])) == naive_numbers(search, index, widening)


def test_widening_needs_priors():
    """Without them the first moves are any."""
    with pytest.raises(UserError, match="widening has no effect here: it needs a policy with priors"):
        find_player("prove:widening=0.5").settings_for(find_game("connect4:5x4"))
    assert find_player("prove").settings_for(find_game("hex:5"))["widening"] == 0.25


@pytest.mark.parametrize(("widening", "in_order"), [(0.5, True), (1.0, False)])
def test_a_rule_says_itself_whether_moves_are_tried_in_order(widening, in_order):
    search = search_of(toy_game(("max", [0, 1])), selection="most-proving", widening=widening, **PLAIN)
    assert search.options.in_order is in_order


def test_the_first_moves_are_the_likeliest_also_where_the_policy_draws_moves():
    search = find_player("prove:policy_below=1").engine(find_game("hex:4"), pure=True)
    search.run(Limits(playouts=20))
    inner = [node for node in search.tree.nodes[: search.tree.counters[USED]] if node["child_count"] > 1]
    assert inner and not search.options.in_order
    for node in inner:
        children = search.tree.nodes[node["first_child"] :][: node["child_count"]]
        assert (np.diff(children["prior"]) <= 0.0).all()


@given(tree=trees, probes=st.booleans(), sums=st.booleans(), widening=st.sampled_from([0.0, 0.25, 0.5]))
def test_every_tree_is_solved_with_widening(tree, probes, sums, widening):
    values = {**PLAIN, "probe_children": probes, "number_sum": sums, "widening": widening}
    result = search_of(toy_game(tree), selection="most-proving", **values).run(Limits(playouts=3000))
    assert (result.lower, result.upper) == (value_of(tree), value_of(tree))


class PlainProofNumberSearch:
    """Proof-number search as in the papers, on nested lists: which leaf is expanded next."""

    def __init__(self, tree, goal):
        self.goal = goal
        self.root = self.node(tree)

    def node(self, tree):
        return {"tree": tree, "children": [], "numbers": self.ended(tree) or (1, 1)}

    def ended(self, tree):
        return ((0, math.inf) if tree >= self.goal else (math.inf, 0)) if isinstance(tree, int) else None

    def step(self):
        """Expands the most-proving leaf; returns the way to it."""
        path, way = [self.root], []
        while path[-1]["children"]:
            node = path[-1]
            mine = 0 if node["tree"][0] == "max" else 1
            best = min(range(len(node["children"])), key=lambda i: node["children"][i]["numbers"][mine])
            way.append(best)
            path.append(node["children"][best])
        path[-1]["children"] = [self.node(child) for child in path[-1]["tree"][1]]
        for node in reversed(path):
            proofs, disproofs = zip(*(child["numbers"] for child in node["children"]), strict=True)
            maximises = node["tree"][0] == "max"
            node["numbers"] = (min(proofs), sum(disproofs)) if maximises else (sum(proofs), min(disproofs))
        return way


@given(tree=trees)
def test_the_prover_needs_as_many_expansions_as_plain_proof_number_search(tree):
    """Two outcomes: one question. The moves of the plain search are put into the order that the other one drew."""
    binary = _binary(tree)
    game = toy_game(binary, (0, 1), shared=False)
    search = search_of(game, selection="most-proving", **{**PLAIN, "probe_children": True})
    plain = PlainProofNumberSearch(binary, 1)
    while 0 not in plain.root["numbers"]:
        plain.step()
        search.run(Limits(playouts=1))
        plain_root = plain.root["numbers"]
        if search.is_decided():
            assert 0 in plain_root
            return
        _copy_order(search, plain.root, ROOT)
        assert tuple(float(search.tree.statistics[ROOT][name]) for name in ("proof", "disproof")) == plain_root


def _binary(tree):
    return int(tree > 0) if isinstance(tree, int) else (tree[0], [_binary(child) for child in tree[1]])


def _copy_order(search, node, index):
    """Puts the plain search's children into the order that the search under test drew for its own."""
    record = search.tree.nodes[index]
    if not record["child_count"] or not node["children"]:
        assert bool(record["child_count"]) == bool(node["children"])
        return
    first = int(record["first_child"])
    moves = [int(search.tree.nodes[first + i]["move"]) for i in range(int(record["child_count"]))]
    if "order" not in node:
        node["order"] = moves
        node["children"] = [node["children"][move] for move in moves]
    for i, child in enumerate(node["children"]):
        _copy_order(search, child, first + i)


GAMES = ("tictactoe", "connect4:4x3:3", "dotsandboxes:1x2", "hex:3", "seki:2,2,1")


def positions(name, count, seed=7):
    """Positions of random games, late enough for brute force."""
    game, chance = find_game(name), random.Random(seed)
    found = []
    while len(found) < count:
        state = copy_state(game.initial)
        for _ in range(chance.randrange(2, 5)):
            if rules.is_over(state):
                break
            rules.play(state, chance.choice(game.legal_moves(state)))
        if not rules.is_over(state):
            found.append(state)
    return game, found


def exact(game, state, known):
    key = state.tobytes()
    if key not in known:
        if rules.is_over(state):
            known[key] = int(rules.outcome(state))
        else:
            values = []
            for move in game.legal_moves(state):
                after = copy_state(state)
                rules.play(after, move)
                values.append(exact(game, after, known))
            known[key] = (max if rules.to_play(state) == rules.FIRST else min)(values)
    return known[key]


@pytest.mark.parametrize("rule", ALL_RULES)
@pytest.mark.parametrize("name", GAMES)
def test_proofs_are_true(name, rule):
    game, states = positions(name, 4)
    known = {}
    with np.errstate(over="ignore"):
        for seed, state in enumerate(states):
            search = search_of(game, state, seed=seed, selection=rule, **({} if seed % 2 else PLAIN))
            result = search.run(Limits(playouts=20000))
            assert result.proven
            assert result.lower == result.upper == exact(game, state, known)


def test_a_tree_that_does_not_fit_is_proven_all_the_same():
    search = search_of("connect4:4x3:3", memory=0.02, selection="most-proving", initial_bounds=False)
    small = search.run(Limits(playouts=20000))
    large = search_of("connect4:4x3:3", selection="uct").run(Limits(playouts=20000))
    assert search.was_full
    assert (small.lower, small.upper) == (large.lower, large.upper)
    assert small.proven


@pytest.mark.skipif(is_pure(), reason="pure Python has one thread")
@pytest.mark.parametrize("memory", [0.5, 64.0])
def test_threads_prove_the_same(memory):
    """Connect Four on 4x4 and 5x4 is a draw."""
    for name in ("connect4:4x4", "connect4:5x4"):
        search = search_of(name, pure=False, selection="most-proving", threads=2, memory=memory)
        result = search.run(Limits(playouts=5_000_000))
        assert (result.lower, result.upper, result.proven) == (0, 0, True)


@pytest.mark.parametrize("step", [1, 7, 400])
def test_slices_do_not_matter_while_the_table_of_numbers_grows(step):
    """From room for four positions to room for hundreds, at the same simulations whatever the slices."""
    search = search_of("connect4:4x3:3", selection="most-proving", initial_bounds=False)
    search.tree = search.tree._replace(memo=np.zeros(4, search.tree.memo.dtype))
    set_memo_limit(search.tree, 2.0, search.table_share)
    while search.playouts < 400 and not search.is_decided():
        search.run(Limits(playouts=min(step, 400 - search.playouts)))
    assert len(search.tree.memo) > 256
    whole = search_of("connect4:4x3:3", selection="most-proving", initial_bounds=False)
    whole.tree = whole.tree._replace(memo=np.zeros(4, whole.tree.memo.dtype))
    set_memo_limit(whole.tree, 2.0, whole.table_share)
    whole.run(Limits(playouts=400))
    assert search.tree_hash() == whole.tree_hash()


def test_a_saved_search_goes_on_exactly(tmp_path):
    """With its numbers, its goals and what it keeps of positions."""
    search = search_of("connect4:4x3:3", selection="most-proving", initial_bounds=False)
    search.run(Limits(playouts=150))
    save_search(search, tmp_path / "half")
    search.run(Limits(playouts=150))
    again = load_search(tmp_path / "half", plain_search)
    again.pure = True
    again.run(Limits(playouts=150))
    assert again.tree_hash() == search.tree_hash()


def test_without_playouts_no_game_is_played():
    search = search_of("tictactoe", selection="most-proving", **PLAIN)
    search.run(Limits(playouts=50))
    assert not search.scratches[0].notes[0]["moves"].any()  # the buffer of uniform playouts


@pytest.mark.parametrize("rule", ALL_RULES)
def test_rules_that_go_by_proofs_need_a_solver(rule):
    with pytest.raises(UserError, match="needs a solver"):
        search_of("tictactoe", selection=rule, solver="off")
