"""Alpha-beta against brute force, against the tree search, with every technique on and off, compiled and pure."""

import random
from typing import NamedTuple

import numpy as np
import pytest
from toytree import STATE as TOY
from toytree import toy_game, value_of

from tesuji.core import rules
from tesuji.core.dispatch import implements
from tesuji.core.errors import UserError
from tesuji.core.game import copy_state
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.search.alphabeta.engine import AlphaBeta
from tesuji.search.alphabeta.frames import PLY
from tesuji.search.alphabeta.hooks import move_order, noisy_moves, skip_turn, transition_probability
from tesuji.search.alphabeta.options import ALPHABETA
from tesuji.search.alphabeta.ordering import cost_of, cost_thresholds
from tesuji.search.alphabeta.table import AT_LEAST, EXACT, NOT_FOUND, find, new_table, store
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.policy import evaluate

SMALL = {"memory": 1.0}
KNOWN: dict[tuple[str, bytes], int] = {}


class Opinionated(NamedTuple):
    """Knows nothing, but has an opinion on everything: what it says must never change a proven value."""

    scale: float


@implements(evaluate, Opinionated)
def evaluate_by_hash(policy, state):
    return (np.float64(rules.position_hash(state) & np.uint64(1023)) - 511.5) * policy.scale


@implements(move_order, Opinionated)
def order_by_number(policy, state, move):
    return np.float64(move % 3 - 1)


@implements(transition_probability, Opinionated)
def probability_by_number(policy, state, move):
    return 0.8 / (1.0 + np.float64(move))


@implements(noisy_moves, Opinionated)
def odd_moves_are_noisy(policy, state, out):
    count = rules.moves(state, out)
    kept = 0
    for i in range(count):
        if out[i] % 2 == 1:
            out[kept] = out[i]
            kept += 1
    return kept


@implements(skip_turn, Opinionated)
def skip_always(policy, state):
    state["to_play"] = 1 - state["to_play"]
    return True


class Fixed(NamedTuple):
    """An evaluation that is the same everywhere."""

    value: float


@implements(evaluate, Fixed)
def evaluate_fixed(policy, state):
    return policy.value


def settings(**values):
    return ALPHABETA.settings({**SMALL, **values})


def brute_force(game, state) -> int:
    """The outcome under perfect play, by minimax over all positions."""
    key = (game.name, state.tobytes())
    if key not in KNOWN:
        if rules.is_over(state):
            KNOWN[key] = int(rules.outcome(state))
        else:
            values = []
            for move in game.legal_moves(state):
                after = copy_state(state)
                rules.play(after, move)
                values.append(brute_force(game, after))
            KNOWN[key] = (max if rules.to_play(state) == 0 else min)(values)
    return KNOWN[key]


def random_position(game, plies, rng):
    """A position that is not over, after so many random moves, or fewer."""
    state = game.new_state()
    for _ in range(plies):
        after = copy_state(state)
        rules.play(after, rng.choice(game.legal_moves(state)))
        if rules.is_over(after):
            break
        state = after
    return state


def check_answer(game, state, result, truth):
    """The answer is proven and true, and the move it names keeps it."""
    assert (result.lower, result.upper, result.proven) == (truth, truth, True)
    after = copy_state(state)
    rules.play(after, result.best_move)
    assert brute_force(game, after) == truth
    assert result.moves[0].move == result.best_move and result.moves[0].pv[0] == result.best_move
    for report in result.moves:
        after = copy_state(state)
        rules.play(after, report.move)
        assert report.lower <= brute_force(game, after) <= report.upper
        assert report.lower <= report.value <= report.upper
        for move in report.pv[1:]:
            assert move in game.legal_moves(after)
            rules.play(after, move)


@pytest.mark.parametrize(
    "name, plies", [("tictactoe", 3), ("connect4:4x3", 4), ("dotsandboxes:2x1", 0), ("dotsandboxes:2x2", 6)]
)
def test_agrees_with_brute_force(name, plies):
    game = find_game(name)
    rng = random.Random(1)
    for _ in range(4):
        state = random_position(game, plies, rng)
        result = AlphaBeta(game, state, settings(), seed=rng.randrange(99), pure=True).run()
        check_answer(game, state, result, brute_force(game, state))


def random_tree(rng, depth):
    if depth == 0 or rng.random() < 0.15:
        return rng.randrange(-2, 3)
    return (rng.choice(["max", "min"]), [random_tree(rng, depth - 1) for _ in range(rng.randrange(1, 4))])


SWITCHES = [
    {},
    {"pvs": False},
    {"transpositions": False},
    {"killers": False, "history": False},
    {"aspiration": 0.0},
    {"aspiration": 0.01},
    {"realization": False},
    {"quiescence": 0},
    {"null_move": False},
    {"multi_cut": True, "multi_cut_moves": 3, "multi_cut_needed": 2, "multi_cut_reduction": 1.0},
    {"initial_bounds": False},
    {"noise": 20.0},
    {"memory": 0.0},
    {"width": 1},
    {"width": 2, "multi_cut": True, "multi_cut_moves": 3, "multi_cut_needed": 2, "multi_cut_reduction": 1.0},
]


@pytest.mark.parametrize("values", SWITCHES, ids=str)
def test_toy_trees_with_every_technique(values):
    rng = random.Random(2)
    for number in range(12):
        tree = random_tree(rng, 5)
        if isinstance(tree, int):
            continue
        game = toy_game(tree, outcomes=(-2, 2))
        policy = Fixed([0.0, 1e300, -3.0, float("nan")][number % 4])
        result = AlphaBeta(game, None, settings(**values), policy, seed=number, pure=True).run()
        assert result.lower == result.upper == value_of(tree)


@pytest.mark.parametrize("values", SWITCHES, ids=str)
def test_opinions_and_forward_pruning_never_change_a_proof(values):
    game = find_game("connect4:4x3")
    rng = random.Random(3)
    for number in range(6):
        state = random_position(game, 3, rng)
        found = AlphaBeta(game, state, settings(**values), Opinionated(1.0), seed=number).run()
        check_answer(game, state, found, brute_force(game, state))


@pytest.mark.parametrize("width", [1, 2])
def test_width_proves_nothing_of_the_moves_that_it_leaves_out(width):
    """Bounds of searches that end before all moves are tried."""
    rng = random.Random(5)
    left_open = 0
    for number in range(60):
        tree = random_tree(rng, 5)
        if isinstance(tree, int):
            continue
        game = toy_game(tree, outcomes=(-2, 2))
        values = settings(width=width, depth=3 + number % 2, null_move=False)
        result = AlphaBeta(game, None, values, Opinionated(1.0), pure=True).run()
        assert result.lower <= value_of(tree) <= result.upper
        for report in result.moves:
            assert report.lower <= value_of(tree[1][report.move]) <= report.upper
        left_open += not result.proven
    assert left_open > 5


def test_width_tries_the_first_moves_of_the_policy_and_none_that_it_puts_last():
    """Opinionated puts moves 2 and 5 first, 1 and 4 in the middle and 0, 3 and 6 last."""
    game = find_game("connect4:7x6")
    for width, tried in ((1, 1), (2, 2), (4, 4), (7, 4)):
        search = AlphaBeta(game, None, settings(width=width, depth=2), Opinionated(1.0), seed=width, pure=True)
        moves = [int(record["move"]) for record in search.scratch.root]
        assert sorted(moves) == list(range(7))
        search.run()
        searched = {int(record["move"]) for record in search.scratch.root if record["nodes"] > 0}
        assert len(searched) == tried and searched <= {1, 2, 4, 5}
        assert width > 2 or searched <= {2, 5}


def test_connect_four_agrees_with_the_tree_search():
    game = find_game("connect4:5x4")
    rng = random.Random(4)
    for _ in range(20):
        state = random_position(game, rng.randrange(5, 12), rng)
        ours = AlphaBeta(game, state, settings(), Opinionated(1.0)).run()
        theirs = TreeSearch(game, state, SEARCH.settings({"memory": 64.0}), seed=5).run()
        assert ours.proven and theirs.proven
        assert (ours.lower, ours.upper) == (theirs.lower, theirs.upper)


def test_pure_and_compiled_are_the_same():
    game = find_game("connect4:5x4")
    policy = Opinionated(0.37)
    values = settings(multi_cut=True, multi_cut_moves=4, multi_cut_needed=2, noise=3.0, memory=0.05)
    searches = [AlphaBeta(game, None, values, policy, seed=7, pure=pure) for pure in (True, None)]
    for nodes in (1, 999, 800):
        results = [search.run(Limits(playouts=nodes)) for search in searches]
        assert searches[0].tree_hash() == searches[1].tree_hash()
        assert results[0].moves == results[1].moves and results[0].playouts == results[1].playouts


def test_slices_make_no_difference():
    game = find_game("connect4:4x4")
    whole = AlphaBeta(game, None, settings(), Opinionated(1.0), seed=1, pure=True)
    whole.run(Limits(playouts=700))
    parts = AlphaBeta(game, None, settings(), Opinionated(1.0), seed=1, pure=True)
    for size in range(1, 71):
        parts._slice = size % 9 + 1
        parts.run(Limits(playouts=10))
    assert parts.playouts == whole.playouts == 700
    assert parts.tree_hash() == whole.tree_hash()
    other = AlphaBeta(game, None, settings(), Opinionated(1.0), seed=2, pure=True)
    other.run(Limits(playouts=700))
    assert other.tree_hash() != whole.tree_hash()


def test_limits():
    game = find_game("connect4:7x6")
    search = AlphaBeta(game, None, settings(), pure=True)
    result = search.run(Limits(seconds=0))
    assert result.playouts == 0 and result.best_move in game.legal_moves(game.initial) and not result.proven
    result = search.run(Limits(playouts=123))
    assert result.playouts == 123 and not result.interrupted
    result = search.run(Limits(seconds=0.05))
    assert result.playouts > 123 and not result.proven
    assert AlphaBeta(game, None, settings(depth=2), pure=True).run().playouts < 200
    shallow = AlphaBeta(game, None, settings(depth=2), pure=True)
    shallow.run()
    assert shallow.depth == 2 and len(shallow.line()) == 2


def test_interrupt_keeps_the_best_so_far():
    game = find_game("connect4:7x6")
    search = AlphaBeta(game, None, settings(), pure=True)
    result = search.run(Limits(seconds=30), on_progress=lambda _: search.stop())
    assert result.interrupted and result.best_move in game.legal_moves(game.initial)
    seen = result.playouts
    assert seen > 0 and search.run(Limits(playouts=5)).playouts == seen + 5


def test_advance_to_the_end_of_the_game():
    game = find_game("tictactoe")
    search = AlphaBeta(game, random_position(game, 3, random.Random(6)), settings(), pure=True)
    truth = brute_force(game, search.state)
    with pytest.raises(UserError):
        search.advance(99)
    while not rules.is_over(search.state):
        result = search.run()
        assert result.lower == truth and result.best_move is not None
        search.advance(result.best_move)
        assert search.playouts == 0
    result = search.run()
    assert result.proven and result.lower == truth and result.best_move is None and result.moves == []


def test_the_loser_holds_out_and_the_winner_takes_the_win():
    lost = ("max", [-1, ("max", [("min", [("max", [-1, -1])])]), -1])
    for seed in range(4):
        game = toy_game(lost, outcomes=(-1, 1))
        assert AlphaBeta(game, None, settings(), seed=seed, pure=True).run().best_move == 1
        game = toy_game(("min", [0, 1, ("max", [("min", [0, -1])]), 0]), outcomes=(-1, 1))
        assert AlphaBeta(game, None, settings(), seed=seed, pure=True).run().best_move == 2


def test_a_bigger_win_is_wanted():
    game = toy_game(("max", [1, ("min", [3, 2]), 2, ("min", [5, -5])]), outcomes=(-5, 5), shared=False)
    result = AlphaBeta(game, None, settings(), pure=True).run()
    assert result.lower == result.upper == 2 and result.best_move in (1, 2)


def test_values_are_in_units_of_the_outcome():
    game = find_game("dotsandboxes:3x3")
    result = AlphaBeta(game, None, settings(depth=2), Fixed(1000.0), pure=True).run()
    assert result.value == pytest.approx(0.9 * 9) and result.value_range == (-9, 9) and not result.proven
    assert result.chance(result.value) == pytest.approx(0.95)


def test_wrong_input():
    with pytest.raises(UserError, match="puzzle"):
        AlphaBeta(find_game("samegame"))
    with pytest.raises(UserError, match="multi_cut_needed"):
        AlphaBeta(find_game("tictactoe"), None, settings(multi_cut_needed=20))
    with pytest.raises(UserError, match="depth"):
        settings(depth=-1)


def test_realization_costs_are_logarithms():
    base, least, most = 0.15, 16, 128
    thresholds = cost_thresholds(base, least, most)
    options = AlphaBeta(find_game("tictactoe"), None, settings(realization_base=base), pure=True).options
    assert cost_of(thresholds, base, options) == PLY and cost_of(thresholds, 0.0, options) == PLY
    for chance in (1.0, 0.9, 0.5, 0.3, 0.1, 0.03, 0.002, 1e-9):
        wanted = min(max(np.log(chance) / np.log(base) * PLY, least), most)
        assert abs(cost_of(thresholds, chance, options) - wanted) <= 0.5


class Swings(NamedTuple):
    """Evaluates the toy tree by its node's value; nodes named noisy have one more move to look at."""

    noisy: bool


@implements(evaluate, Swings)
def evaluate_node(policy, state):
    return np.float64(state["at"] % 7) - 3.0


@implements(noisy_moves, Swings)
def all_moves_are_noisy(policy, state, out):
    return rules.moves(state, out) if policy.noisy else 0


def test_quiescence_looks_beyond_the_depth():
    assert TOY.names
    deep = ("max", [("min", [("max", [("min", [("max", [0, 1]), 0]), 0]), 1]), ("min", [("max", [0, ("min", [1, 1])]), 1])])
    game = toy_game(deep, outcomes=(0, 2), shared=False)
    counts = {}
    for noisy in (False, True):
        search = AlphaBeta(game, None, settings(depth=1, transpositions=False), Swings(noisy), pure=True)
        counts[noisy] = search.run().playouts
    off = AlphaBeta(game, None, settings(depth=1, transpositions=False, quiescence=0), Swings(True), pure=True).run().playouts
    assert off == counts[False] < counts[True]


def test_the_table_keeps_proofs_and_the_deeper_opinion():
    table = new_table(0.0)
    assert len(table) == 2 and new_table(1.0).nbytes == 1 << 20
    one, two, three = (np.uint64(2 * n) for n in (1, 2, 3))
    store(table, one, 50, EXACT, 96, 4, -1, 1, 0, True)
    store(table, one, 7, AT_LEAST, 32, 5, 0, 1, 0, True)  # shallower: only its proof is news
    entry = table[find(table, one)]
    assert (entry["value"], entry["depth"], entry["move"], entry["lower"], entry["upper"]) == (50, 96, 4, 0, 1)
    store(table, two, 9, EXACT, 32, 6, -1, 1, 0, True)
    store(table, three, 8, EXACT, 64, 7, -1, 1, 0, True)  # neither displaces the deeper one
    assert find(table, one) == 0 and find(table, two) == NOT_FOUND and find(table, three) == 1
    store(table, two, 1, EXACT, 128, 6, -1, 1, 0, True)  # this one does, and it moves to the second place
    assert find(table, two) == 0 and find(table, one) == 1
    store(table, two, 2, EXACT, 32, 3, -1, 0, 1, False)  # another root: what was proven for the last one is gone
    entry = table[find(table, two)]
    assert (entry["value"], entry["lower"], entry["upper"], entry["era"]) == (2, -1, 0, 1)
