"""A policy that studies nodes: what it prunes is not lost, what it claims is used, what it replaces is searched instead."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import pytest
from toytree import toy_game, value_of

from tesuji.core.dispatch import implements
from tesuji.core.errors import GameError, UserError
from tesuji.core.game import copy_state
from tesuji.core.limits import Limits
from tesuji.core.parameters import Settings
from tesuji.core.rules import is_over, outcome, play, position_hash, to_play
from tesuji.games.registry import find_game
from tesuji.proof.trusted.checker import check_certificate
from tesuji.proof.write.writer import write_certificate
from tesuji.search.engine.final_move import children_of, node_count
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.files.saved_search import save_search
from tesuji.search.kernel.table import UNKNOWN, packed_lower, packed_upper
from tesuji.search.kernel.tree import PRUNED, REPLACED, REPLACEMENTS, ROOT, STUDIED
from tesuji.search.policy import NO_LOWER, NO_UPPER, playout_move, study, study_at, study_moves, uniform_move

BOARDS = ("dotsandboxes:1x3", "dotsandboxes:2x2")


@functools.cache
def truth(name):
    """The value of every position of a game, by its hash."""
    game = find_game(name)
    values = {}

    def value(state):
        if is_over(state):
            return int(outcome(state))
        key = int(position_hash(state))
        if key not in values:
            found = []
            for move in game.legal_moves(state):
                after = copy_state(state)
                play(after, move)
                found.append(value(after))
            values[key] = max(found) if to_play(state) == 0 else min(found)
        return values[key]

    with np.errstate(over="ignore"):
        value(game.initial)
    return values


class Sage(NamedTuple):
    """Knows the value of every position: prunes every move but one of the best and those of the least number."""

    hashes: np.ndarray  # sorted
    values: np.ndarray
    work: np.ndarray  # one position to try moves in
    at: int  # visits
    kept: int  # moves of so many of the least numbers stay
    asked: np.ndarray  # how often it was asked


def sage(name, at=2, kept=1):
    known = sorted(truth(name).items())
    game = find_game(name)
    hashes = np.array([key for key, _ in known], np.uint64)
    values = np.array([value for _, value in known], np.int64)
    return Sage(hashes, values, np.zeros(1, game.initial.dtype), at, kept, np.zeros(1, np.int64))


implements(playout_move, Sage)(uniform_move)


@implements(study_at, Sage)
def sage_studies_at(policy):
    return policy.at


@implements(study, Sage)
def prune_by_truth(policy, state, moves, count, kept):
    policy.asked[0] += 1
    aim = policy.values[np.searchsorted(policy.hashes, position_hash(state))]
    best = -1
    for i in range(count):
        policy.work[0] = state
        after = policy.work[0]
        play(after, moves[i])
        if is_over(after):
            value = np.int64(outcome(after))
        else:
            value = policy.values[np.searchsorted(policy.hashes, position_hash(after))]
        if value == aim and (best < 0 or moves[i] > moves[best]):
            best = i
    for i in range(count):
        kept[i] = i == best or moves[i] < policy.kept
    return NO_LOWER, NO_UPPER, False


def searched(name, policy, playouts=100_000, seed=1, **values):
    settings = Settings(SEARCH, {"memory": 16.0, **values})
    search = TreeSearch(find_game(name), settings=settings, policy=policy, seed=seed, pure=True)
    search.run(Limits(playouts=playouts))
    return search


def assert_true_everywhere(search, values):
    """The bounds of every node, pruned or not, and of every entry of the table hold the value of its position."""
    nodes = search.tree.nodes

    def walk(node, state):
        record = nodes[node]
        value = int(outcome(state)) if is_over(state) else values[int(position_hash(state))]
        assert record["lower"] <= value <= record["upper"]
        for child in children_of(search.tree, node):
            after = copy_state(state)
            play(after, int(nodes[child]["move"]))
            walk(child, after)

    walk(ROOT, search.state)
    for mixed, data in search.tree.table.reshape(-1, 2):
        if data != UNKNOWN:
            value = values[int(mixed ^ data)]
            assert packed_lower(data) <= value <= packed_upper(data)


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("transpositions", [True, False])
@pytest.mark.parametrize("kept", [0, 4])
def test_pruned_moves_are_not_lost(name, transpositions, kept):
    """Where pruning narrowed the bounds of the pruned move itself, the proofs of these searches contradicted each other."""
    values = truth(name)
    search = searched(name, sage(name, kept=kept), transpositions=transpositions, probe_children=False)
    result = search.result()
    assert result.proven and result.lower == result.upper == values[int(position_hash(search.state))]
    assert np.any(search.tree.nodes["flags"] & PRUNED)
    assert_true_everywhere(search, values)


@pytest.mark.parametrize("solver", ["off", "win-loss", "bounds"])
def test_a_node_is_studied_once_with_and_without_a_solver(solver, untried):
    policy = sage("dotsandboxes:2x2", at=3)
    search = searched("dotsandboxes:2x2", policy, playouts=300, solver=solver)
    nodes = search.tree.nodes[: node_count(search.tree)]
    studied = (nodes["flags"] & STUDIED) != 0
    assert policy.asked[0] == np.sum(studied) > 5
    inner = nodes["child_count"] > 0
    assert np.all(nodes["visits"][studied] > 3) and np.all(inner[studied])
    assert np.all(studied[inner & (nodes["visits"] > 4)])
    pruned = nodes[(nodes["flags"] & PRUNED) != 0]
    assert len(pruned) > 5 and np.all(pruned["visits"] <= 4)  # visited before the study only


def test_a_node_can_be_studied_as_soon_as_it_has_moves():
    search = searched("dotsandboxes:2x2", sage("dotsandboxes:2x2", at=0), playouts=60, selection="most-proving")
    nodes = search.tree.nodes[: node_count(search.tree)]
    inner = nodes["child_count"] > 0
    assert np.array_equal((nodes["flags"] & STUDIED) != 0, inner) and np.sum(inner) > 5


def test_pruning_can_be_switched_off(untried):
    policy = sage("dotsandboxes:1x2")
    search = searched("dotsandboxes:1x2", policy, pruning=False)
    assert policy.asked[0] == 0 and search.result().proven


def test_a_certificate_searches_what_was_pruned(tmp_path):
    """No certificate can rest on a policy's word: the moves that it pruned are searched for it."""
    search = searched("dotsandboxes:1x2", sage("dotsandboxes:1x2"), probe_children=False)
    assert search.result().proven and np.any(search.tree.nodes["flags"] & PRUNED)
    write_certificate(search, tmp_path / "proof")
    verdict = check_certificate(tmp_path / "proof")
    assert verdict.valid


class Claims(NamedTuple):
    """Claims bounds for every position of a toy tree but the root."""

    lower: int
    upper: int


implements(playout_move, Claims)(uniform_move)
implements(study_at, Claims)(lambda policy: 1)


@implements(study, Claims)
def claim(policy, state, moves, count, kept):
    return policy.lower, policy.upper, False


TREE = ("max", [("min", [("max", [1, 1]), ("max", [1, 1])])] * 2)


def toy_search(tree, policy, playouts, **values):
    search = TreeSearch(toy_game(tree), settings=Settings(SEARCH, {"memory": 4.0, **values}), policy=policy, seed=1, pure=True)
    search.run(Limits(playouts=playouts))
    return search


def test_bounds_of_a_study_are_used():
    quiet = {"probe_children": False, "transpositions": False}
    sooner = toy_search(TREE, Claims(1, 1), 1000, **quiet)
    later = toy_search(TREE, Claims(NO_LOWER, NO_UPPER), 1000, **quiet)
    assert sooner.result().proven and sooner.playouts < later.playouts
    assert sooner.result().lower == later.result().lower == 1


def test_contradicting_bounds_name_the_policy_and_the_position(untried):
    at_most_1 = ("max", [("min", [("max", [1, 1]), 1])] * 2)
    for policy in (Claims(2, 2), Claims(2, 0)):
        with pytest.raises(
            GameError, match=r"^toytree after \d: proofs contradict each other; the policy Claims .*, its bounds"
        ):
            toy_search(at_most_1, policy, 1000)


class Illegal(NamedTuple):
    keeps: bool


implements(playout_move, Illegal)(uniform_move)
implements(study_at, Illegal)(lambda policy: 1)


@implements(study, Illegal)
def wreck(policy, state, moves, count, kept):
    if policy.keeps:
        state["at"] = state["first"][state["at"]]  # a position in which not all of the moves are legal
        return NO_LOWER, NO_UPPER, True
    for i in range(count):
        kept[i] = False
    return NO_LOWER, NO_UPPER, False


@pytest.mark.parametrize("keeps", [True, False])
def test_a_study_that_leaves_no_legal_move_is_named(untried, keeps):
    tree = ("max", [("min", [0, 1]), ("min", [1, 2]), 1])
    with pytest.raises(GameError, match=r"the policy Illegal \(.*\) studied toytree and left no legal move"):
        toy_search(tree, Illegal(keeps), 100)


# -- before the search -----------------------------------------------------------------------------------------------------
class LooksAhead(NamedTuple):
    """Knows the positions after the moves of the root, as far as `values` says; 9 = unknown."""

    values: np.ndarray
    asked: np.ndarray


implements(playout_move, LooksAhead)(uniform_move)
implements(study_at, LooksAhead)(lambda policy: 1 << 40)
implements(study, LooksAhead)(lambda policy, state, moves, count, kept: (NO_LOWER, NO_UPPER, False))


@implements(study_moves, LooksAhead)
def tell_what_is_ahead(policy, state, moves, count, bounds):
    policy.asked[0] += count
    for i in range(count):
        if policy.values[moves[i]] != 9:
            bounds[0, i] = policy.values[moves[i]]
            bounds[1, i] = policy.values[moves[i]]


def looked_ahead(values, playouts=1, **settings):
    tree = ("max", [("min", [("max", [2, 2]), 2])] * 4)
    policy = LooksAhead(np.array(values), np.zeros(1, np.int64))
    settings = {"presearch": 0.2, "probe_children": False, "transpositions": False, "initial_bounds": False, **settings}
    search = toy_search(tree, policy, playouts, **settings)
    return search, policy.asked


def test_moves_are_looked_at_before_the_search():
    search, asked = looked_ahead([9, 0, 9, 1])
    nodes = search.tree.nodes
    found = {int(nodes[child]["move"]): tuple(nodes[child][["lower", "upper"]]) for child in children_of(search.tree, ROOT)}
    assert asked.tolist() == [4] and found[1] == (0, 0) and found[3] == (1, 1) and found[0] == found[2] == (0, 2)
    assert (search.result().lower, search.result().upper) == (1, 2) and search.playouts == 1 == nodes[ROOT]["visits"]
    search.run(Limits(playouts=3))
    assert asked.tolist() == [4] and search.playouts == 4  # once


def test_a_move_that_wins_by_what_is_known_ends_the_search_before_it_begins():
    search, _ = looked_ahead([9, 9, 2, 9], playouts=100)
    result = search.result()
    assert (result.playouts, result.proven, result.best_move) == (0, True, 2)


@pytest.mark.parametrize("settings", [{"presearch": 0.0}, {"solver": "off"}, {"pruning": False}])
def test_nothing_is_looked_at_where_it_is_not_wanted(settings):
    search, asked = looked_ahead([2, 2, 2, 2], playouts=10, **settings)
    assert asked.tolist() == [0] and search.playouts > 0


# -- positions that replace others ---------------------------------------------------------------------------------------------
class Simplifies(NamedTuple):
    """Replaces a position that has a simpler equal by that one: `simpler` has its number, or 0."""

    simpler: np.ndarray
    at: int


implements(playout_move, Simplifies)(uniform_move)


@implements(study_at, Simplifies)
def simplifies_at(policy):
    return policy.at


@implements(study, Simplifies)
def simplify(policy, state, moves, count, kept):
    other = policy.simpler[state["at"]]
    if other == 0:
        return NO_LOWER, NO_UPPER, False
    state["at"] = other
    for i in range(count):
        kept[i] = moves[i] < state["count"][other]
    return NO_LOWER, NO_UPPER, True


WIDE_MIN = ("min", [("max", [0, 2]), ("max", [1, 2]), ("max", [2, 2]), ("max", [1, 1])])
SIMPLE_MIN = ("min", [("max", [0, 1]), ("max", [1, 1])])  # the same value, and the first two moves
EQUALS = ("max", [WIDE_MIN, SIMPLE_MIN, ("min", [("max", [0, 1]), 2])])


def simplified(at=3, playouts=60, pure=True, **values):
    game = toy_game(EQUALS, shared=False)
    simpler = np.zeros(len(game.initial["first"]), np.int64)
    simpler[1] = 2  # the root's moves lead to positions 1, 2 and 3
    assert value_of(WIDE_MIN) == value_of(SIMPLE_MIN)
    settings = Settings(SEARCH, {"memory": 4.0, "solver": "off", **values})
    search = TreeSearch(game, settings=settings, policy=Simplifies(simpler, at), seed=2, pure=pure)
    search.run(Limits(playouts=playouts))
    return search


@pytest.mark.parametrize("solver", ["off", "bounds"])
def test_the_search_goes_on_from_the_simpler_position(solver):
    search = simplified(solver=solver, probe_children=False, initial_bounds=False, transpositions=False)
    nodes = search.tree.nodes
    node = next(child for child in children_of(search.tree, ROOT) if nodes[child]["move"] == 0)
    assert nodes[node]["flags"] & REPLACED and search.tree.counters[REPLACEMENTS] == 1
    assert search.tree.owners[0] == node and search.tree.positions[0]["at"] == 2
    replies = children_of(search.tree, node)
    kept = [int(nodes[child]["move"]) for child in replies if not nodes[child]["flags"] & PRUNED]
    assert sorted(kept) == [0, 1]
    if solver == "bounds":
        assert search.result().lower == search.result().upper == value_of(EQUALS)


def test_pruning_and_replacing_are_the_same_compiled_and_go_on_from_slices():
    hashes = set()
    for pure, parts in ((True, (400,)), (False, (400,)), (False, (1, 99, 300))):
        search = simplified(playouts=parts[0], pure=pure)
        for part in parts[1:]:
            search.run(Limits(playouts=part))
        flags = search.tree.nodes["flags"]
        assert np.any(flags & PRUNED) and np.any(flags & REPLACED)
        hashes.add(search.tree_hash())
    assert len(hashes) == 1


def test_positions_go_along_with_the_tree_and_go_with_it():
    search = simplified(playouts=200)
    search._compact(ROOT, 0, False)
    assert search.tree.counters[REPLACEMENTS] == 1
    search.run(Limits(playouts=20))
    search._compact(ROOT, 1 << 30, False)  # nothing stays below the root's moves
    assert search.tree.counters[REPLACEMENTS] == 0 and not np.any(search.tree.places)
    moves = children_of(search.tree, ROOT)
    assert not np.any(search.tree.nodes["flags"][moves[0] : moves[-1] + 1] & (STUDIED | REPLACED))
    search.run(Limits(playouts=200))
    assert search.tree.counters[REPLACEMENTS] == 1  # studied anew
    search.advance(0)  # to a node whose tree is that of another position: it says nothing of single moves there
    assert node_count(search.tree) == 1 and search.tree.counters[REPLACEMENTS] == 0


def test_where_there_is_no_room_the_position_stays():
    search = simplified(playouts=1)
    search.tree = search.tree._replace(positions=search.tree.positions[:0], owners=search.tree.owners[:0])
    result = search.run(Limits(playouts=200))
    assert result.playouts == 201 and search.tree.counters[REPLACEMENTS] == 0


def test_positions_stay_within_the_memory():
    for memory in (0.05, 1.0, 16.0):
        search = simplified(playouts=1, memory=memory)
        arrays = (array.nbytes for array in search.tree)
        assert sum(arrays) <= memory * (1 << 20) + 4096
    plain = TreeSearch(toy_game(EQUALS), settings=SEARCH.settings({"memory": 1.0}), pure=True)
    assert len(plain.tree.positions) == 1


@pytest.mark.parametrize(("at", "placed"), [(0, 1), (3, 0)])
def test_threads_replace_a_position_only_before_others_see_its_moves(at, placed):
    search = simplified(at=at, playouts=20_000, pure=False, threads=2)
    assert search.tree.counters[REPLACEMENTS] == placed and int(search.tree.nodes[ROOT]["visits"]) == 20_000


MIXED = ("max", [("min", [2, 0]), ("min", [("max", [0, 2]), ("max", [0, 2, 1])])])
PURE = ("max", [("min", [2]), ("min", [("max", [0]), ("max", [0])])])  # the same value, but by the first move, not the second
TRAP = ("min", [MIXED, ("max", [("min", [2, 0]), ("min", [("max", [2, 1]), ("max", [1, 2])])]), PURE])


@pytest.mark.parametrize(("at", "threads"), [(0, 1), (1, 1), (2, 1), (3, 1), (0, 2), (3, 2)])
def test_what_is_known_of_moves_is_not_mixed_with_those_of_another_position(at, threads):
    """Bounds of a move in the old position stayed, those of another came from the new one: 0 was proven, the value is 2."""
    assert value_of(MIXED) == value_of(PURE) == value_of(TRAP) == 2
    for seed in range(20):
        game = toy_game(TRAP, shared=True)
        simpler = np.zeros(len(game.initial["first"]), np.int64)
        simpler[1] = 3
        settings = Settings(SEARCH, {"memory": 4.0, "threads": threads})
        search = TreeSearch(game, settings=settings, policy=Simplifies(simpler, at), seed=seed, pure=threads == 1)
        with np.errstate(over="ignore"):
            result = search.run(Limits(playouts=2000))
        assert (result.lower, result.upper) == (2, 2)


def test_a_search_with_someone_s_own_policy_is_not_saved(tmp_path):
    with pytest.raises(UserError, match=r"a search with Simplifies.* cannot be saved"):
        save_search(simplified(playouts=1), tmp_path / "search")


class Decides(NamedTuple):
    """Knows the value of every position, and leaves one behind in which the game is over."""

    value: int


implements(playout_move, Decides)(uniform_move)
implements(study_at, Decides)(lambda policy: 1)


@implements(study, Decides)
def decide(policy, state, moves, count, kept):
    for i in range(count):
        kept[i] = False
    while state["count"][state["at"]] > 0:
        state["at"] = state["first"][state["at"]]
    return policy.value, policy.value, True


@pytest.mark.parametrize("solver", ["off", "bounds"])
def test_a_study_that_decides_the_game_leaves_the_position_alone(untried, solver):
    """At the root, and without a solver, its bounds are not taken: the search must not go on from a game that is over."""
    search = toy_search(TREE, Decides(1), 200, solver=solver, probe_children=False, transpositions=False)
    assert search.tree.counters[REPLACEMENTS] == 0
    assert search.playouts == 200 if solver == "off" else search.result().lower == 1
