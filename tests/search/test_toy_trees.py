"""The search on artificial trees: every count after every simulation, and every bound against the truth."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toytree import toy_game, value_of

from tesuji.core.limits import Limits
from tesuji.core.parameters import Settings
from tesuji.search.engine.final_move import children_of
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch

LOST = ("min", [("max", [0, 0])] * 4)
PAPER = {"initial_bounds": False, "probe_children": False, "transpositions": False, "memory": 1.0}


def search_of(tree, seed=0, outcomes=(0, 2), **values):
    chosen = Settings(SEARCH, {**PAPER, **values})  # what has no effect is left out
    return TreeSearch(toy_game(tree, outcomes), settings=chosen, seed=seed, pure=True)


def by_move(search, node=0):
    return {int(search.tree.nodes[c]["move"]): search.tree.nodes[c] for c in children_of(search.tree, node)}


def index_of(search, *line):
    node = 0
    for move in line:
        node = next(c for c in children_of(search.tree, node) if int(search.tree.nodes[c]["move"]) == move)
    return node


def test_counts_simulation_by_simulation():
    """max(1, min(2, 0)): the first visit to a finished game settles its bounds; a min node is expanded at its second visit."""
    search = search_of(("max", [1, ("min", [2, 0])]), exploration=0.0, cuts=False)
    root = search.tree.nodes[0]
    search.run(Limits(playouts=2))  # each child once, in either order
    assert (root["visits"], root["child_count"]) == (2, 2)
    children = by_move(search)
    assert [int(children[m]["visits"]) for m in (0, 1)] == [1, 1]
    assert (int(children[0]["lower"]), int(children[0]["upper"])) == (1, 1)
    assert (int(children[1]["lower"]), int(children[1]["upper"])) == (0, 2)
    assert (int(root["lower"]), int(root["upper"])) == (1, 2)
    assert children[1]["child_count"] == 0
    first_playout = int(children[1]["sum"])
    assert first_playout in (0, 2)
    assert int(root["sum"]) == 1 + first_playout
    search.run(Limits(playouts=1))  # the decided child is skipped: the min node is expanded and one reply visited
    assert children[1]["child_count"] == 2 and int(children[1]["visits"]) == 2
    replies = by_move(search, index_of(search, 1))
    visited = [m for m in (0, 1) if replies[m]["visits"] == 1]
    assert len(visited) == 1
    outcome = (2, 0)[visited[0]]
    assert int(children[1]["sum"]) == first_playout + outcome
    if outcome == 0:  # Min can hold it to 0, so the draw is best: proven
        assert (int(root["lower"]), int(root["upper"])) == (1, 1)
    else:
        assert (int(children[1]["lower"]), int(children[1]["upper"])) == (0, 2)


def test_cut_of_the_papers_figure_1():
    """a = max(c = 1, d = min(f = 1, e = ?)): once c and f are seen, d cannot improve on c, and e is never visited."""
    tree = ("max", [1, ("min", [1, ("max", [2, 0, 2, 0])])])
    found_cut = False
    for seed in range(20):
        search = search_of(tree, seed, exploration=0.3)
        result = search.run(Limits(playouts=100))
        assert (result.lower, result.upper) == (1, 1)
        d = search.tree.nodes[index_of(search, 1)]
        if int(d["lower"]) < int(d["upper"]):  # decided without knowing the value of d
            found_cut = True
            assert int(d["upper"]) <= 1
    assert found_cut


@pytest.mark.parametrize("cuts", ["on", "off"])
def test_cuts_skip_exactly_what_cannot_matter(cuts):
    """With cuts the search never enters a child whose optimistic bound is no better than what the parent has."""
    tree = ("max", [1, ("min", [1, ("max", [0, ("min", [2, 2]), ("min", [0, 2])])]), ("min", [2, ("max", [0, 1])])])
    search = search_of(tree, 3, cuts=cuts, exploration=0.5)
    before = None
    while not search.is_decided():
        before = {c: int(search.tree.nodes[c]["visits"]) for c in children_of(search.tree, 0)}
        cut = {c for c in before if int(search.tree.nodes[c]["upper"]) <= int(search.tree.nodes[0]["lower"])}
        search.run(Limits(playouts=1))
        entered = {c for c in before if int(search.tree.nodes[c]["visits"]) > before[c]}
        if cuts == "on":
            assert not entered & cut
    assert before is not None
    assert int(search.tree.nodes[0]["lower"]) == value_of(tree)


def test_a_decided_move_is_not_visited_again():
    """Move 0 is a draw (1), move 1 loses in every playout (0), though its bounds do not say so yet."""
    search = search_of(("max", [1, LOST]), exploration=0.0)
    search.run(Limits(playouts=2))
    root, children = search.tree.nodes[0], by_move(search)
    assert [int(children[m]["visits"]) for m in (0, 1)] == [1, 1] and int(root["sum"]) == 1
    search.run(Limits(playouts=2))
    assert [int(children[m]["visits"]) for m in (0, 1)] == [1, 3]
    assert int(root["visits"]) == 4 and int(root["sum"]) == 1
    assert search.run(Limits(playouts=100)).proven


def test_win_loss_solver_leaves_draws_open():
    """The MCTS-Solver proves wins and losses and never a draw; score bounds prove the draw."""
    tree = ("max", [1, ("min", [1, 2]), ("min", [0, 2])])
    plain = search_of(tree, solver="win-loss")
    assert not plain.run(Limits(playouts=300)).proven
    assert search_of(tree, solver="bounds").run(Limits(playouts=300)).proven
    won = ("max", [1, ("min", [2, ("max", [0, 2])])])
    result = search_of(won, solver="win-loss").run(Limits(playouts=300))
    assert result.proven and result.lower > 1 and result.best_move == 1


def test_off_proves_nothing_and_visits_everything():
    search = search_of(("max", [0, 2]), solver="off", exploration=1.0)
    result = search.run(Limits(playouts=50))
    assert (result.lower, result.upper, result.proven, result.playouts) == (0, 2, False, 50)
    assert min(m.visits for m in result.moves) > 1


def test_expand_after_waits():
    search = search_of(("max", [("min", [("max", [0, 2]), 2]), ("min", [1, 2])]), expand_after=5, exploration=1.0, solver="off")
    search.run(Limits(playouts=8))
    assert all(int(n["child_count"]) == 0 for n in by_move(search).values() if int(n["visits"]) <= 5)
    search.run(Limits(playouts=20))
    assert all(int(n["child_count"]) == 2 for n in by_move(search).values())


def trees(depth=4):
    leaf = st.integers(0, 2)
    return st.recursive(
        leaf,
        lambda children: st.tuples(st.sampled_from(["max", "min"]), st.lists(children, min_size=1, max_size=4)),
        max_leaves=30,
    ).filter(lambda t: not isinstance(t, int))


def size(tree):
    return 1 if isinstance(tree, int) else 1 + sum(size(c) for c in tree[1])


def true_bounds_everywhere(search, tree, node=0):
    record = search.tree.nodes[node]
    assert record["lower"] <= value_of(tree) <= record["upper"]
    for child in children_of(search.tree, node):
        true_bounds_everywhere(search, tree[1][int(search.tree.nodes[child]["move"])], child)


@settings(max_examples=60)
@given(
    trees().filter(lambda t: size(t) <= 100),
    st.fixed_dictionaries(
        {
            "cuts": st.booleans(),
            "rave": st.booleans(),
            "probe_children": st.booleans(),
            "transpositions": st.booleans(),
            "opti_bias": st.sampled_from([0.0, -0.1, 10000.0]),
            "pess_bias": st.sampled_from([0.0, 0.5]),
            "bias_decay": st.sampled_from([0.0, 10.0]),
            "exploration": st.sampled_from([0.0, 0.3]),
            "first_play": st.sampled_from([1e6, 0.5]),
        }
    ),
    st.integers(0, 3),
)
def test_every_setting_proves_the_minimax_value(tree, values, seed):
    """Bounds are true at every node at every moment, and the root's meet at the minimax value."""
    search = search_of(tree, seed, **values)
    for _ in range(4):
        search.run(Limits(playouts=4))
        true_bounds_everywhere(search, tree)
    result = search.run(Limits(playouts=4000))
    assert result.proven
    assert result.lower == result.upper == value_of(tree)
    assert value_of(tree[1][result.best_move]) == value_of(tree)
    true_bounds_everywhere(search, tree)


@settings(max_examples=40)
@given(trees().filter(lambda t: size(t) <= 100), st.integers(0, 5))
def test_visits_and_sums_add_up(tree, seed):
    """A node's visits are those of its children and its own first one; a sum never leaves the range of outcomes."""
    search = search_of(tree, seed, solver="off", exploration=0.5)
    search.run(Limits(playouts=60))
    nodes = search.tree.nodes
    for node in range(int(search.tree.counters[0])):
        below = sum(int(nodes[c]["visits"]) for c in children_of(search.tree, node))
        if nodes[node]["child_count"]:
            assert int(nodes[node]["visits"]) == below + (0 if node == 0 else 1)
        assert 0 <= int(nodes[node]["sum"]) <= 2 * int(nodes[node]["visits"])


def test_a_max_node_under_a_max_node():
    tree = ("max", [("max", [0, ("max", [1, 0])]), ("min", [("min", [2, 1]), 2])])
    result = search_of(tree).run(Limits(playouts=500))
    assert result.lower == result.upper == value_of(tree) == 1


def test_same_tree_compiled_and_pure():
    tree = ("max", [("min", [("max", [0, 2]), 1]), ("min", [1, ("max", [0, 1, 2])]), ("max", [0, 1])])
    hashes = []
    for pure in (True, False):
        chosen = SEARCH.settings({"memory": 1.0, "probe_children": False})
        search = TreeSearch(toy_game(tree), settings=chosen, seed=5, pure=pure)
        search.run(Limits(playouts=40))
        hashes.append((search.tree_hash(), search.playouts))
    assert hashes[0] == hashes[1]


# -- moves left out ----------------------------------------------------------------------------------------------------
def value_without(tree, depths, depth=0) -> int:
    """Minimax without the moves that are barred at each depth; a position that would have none keeps all of its moves."""
    if isinstance(tree, int):
        return tree
    kind, children = tree
    player = 0 if kind == "max" else 1
    left = [child for move, child in enumerate(children) if depths.get((player, move), 0) <= depth]
    return (max if kind == "max" else min)(value_without(child, depths, depth + 1) for child in left or children)


def test_what_is_proven_without_some_moves_holds_for_equal_positions_at_other_depths():
    """Max wins by move 0, which is barred at depths 0 to 2: in the position at depth 1, not in the same one at depth 3."""
    known = ("max", [2, 0])
    for tree in (
        ("min", [("max", [2, ("min", [known, known])]), known]),
        ("min", [known, ("max", [0, ("min", [known, known])])]),
        ("max", [0, ("min", [known, 1]), ("min", [("max", [0, ("min", [known, 2])]), 2])]),
    ):
        for seed in range(5):
            depths = {(0, 0): 3}
            search = search_of(tree, seed, transpositions=True, probe_children=True)
            search.bar(depths)
            search.run(Limits(playouts=200))
            found = search.result()
            assert found.lower == found.upper == value_without(tree, depths)
