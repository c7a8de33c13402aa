"""The final move: proofs come first, then visits, value or the secure child."""

from toytree import toy_game, value_of

from tesuji.core.limits import Limits
from tesuji.search.engine.final_move import ANSWER, ranked_children
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch


def ranked(children, to_play=0, **values):
    """Moves in order for a root whose children are (visits, sum, lower, upper)."""
    chosen = (SEARCH + ANSWER).settings({"memory": 1.0, "solver": "off", **values})
    kind = "max" if to_play == 0 else "min"
    search = TreeSearch(toy_game((kind, [("max", [0, 2])] * len(children))), settings=chosen, pure=True)
    search.run(Limits(playouts=1))
    nodes = search.tree.nodes
    first = int(nodes[0]["first_child"])
    for i, (visits, total, lower, upper) in enumerate(children):
        node = nodes[first + i]
        node["move"], node["visits"], node["sum"], node["lower"], node["upper"] = i, visits, total, lower, upper
    return [int(nodes[c]["move"]) for c in ranked_children(search, 0)]


def test_most_visits_and_best_value_and_secure():
    children = [(100, 120, 0, 2), (60, 90, 0, 2), (2, 4, 0, 2)]
    assert ranked(children)[0] == 0
    assert ranked(children, final_move="value")[0] == 2
    assert ranked(children, final_move="secure", secure_constant=0.5)[0] == 1  # 0.55, 0.685, 0.646
    assert ranked(children, final_move="secure", secure_constant=-0.5)[0] == 2  # the formula as it is printed
    assert ranked(children, final_move="secure", secure_constant=0.0)[0] == 2


def test_min_prefers_low_outcomes():
    assert ranked([(10, 18, 0, 2), (10, 2, 0, 2)], to_play=1, final_move="value")[0] == 1


def test_a_proven_win_is_played_however_few_its_visits():
    assert ranked([(1000, 1900, 0, 2), (1, 0, 2, 2)])[0] == 1
    assert ranked([(1000, 0, 0, 2), (1, 2, 0, 0)], to_play=1)[0] == 1


def test_a_proven_loss_is_never_preferred():
    for rule in ("visits", "value", "secure"):
        assert ranked([(1000, 1900, 0, 0), (1, 0, 0, 2)], final_move=rule)[0] == 1


def test_a_proven_draw_beats_a_doubtful_move_and_yields_to_a_promising_one():
    assert ranked([(5, 5, 1, 1), (1000, 400, 0, 2)])[0] == 0
    assert ranked([(5, 5, 1, 1), (1000, 1700, 0, 2)])[0] == 1


def test_best_moves_of_proven_positions_are_true():
    tree = ("max", [("min", [1, 2]), ("min", [0, 2]), 1, ("min", [1, 1])])
    for seed in range(5):
        result = TreeSearch(toy_game(tree), settings=SEARCH.settings({"memory": 1.0}), seed=seed, pure=True).run(
            Limits(playouts=200)
        )
        assert result.proven and value_of(tree[1][result.best_move]) == value_of(tree)
        assert result.moves[0].move == result.best_move and result.moves[0].pv[0] == result.best_move


def test_a_secured_win_is_not_put_at_risk():
    """Outcomes 0 to 2, middle 1: a move that keeps the win comes before one whose games look better but that is not proven."""
    chosen = (SEARCH + ANSWER).settings({"memory": 1.0, "solver": "off", "final_move": "secure"})
    search = TreeSearch(toy_game(("max", [("max", [0, 2])] * 2), outcomes=(-3, 3)), settings=chosen, pure=True)
    search.run(Limits(playouts=1))
    nodes, first = search.tree.nodes, int(search.tree.nodes[0]["first_child"])
    for i, (visits, total, lower, upper) in enumerate([(50, 60, 1, 3), (50, 140, -1, 3)]):
        node = nodes[first + i]
        node["move"], node["visits"], node["sum"], node["lower"], node["upper"] = i, visits, total, lower, upper
    order = [int(nodes[c]["move"]) for c in ranked_children(search, 0)]
    assert order == [0, 1]


def test_a_search_is_unstable_if_most_visits_and_best_value_differ():
    def is_unstable(children, to_play=0):
        kind = "max" if to_play == 0 else "min"
        settings = (SEARCH + ANSWER).settings({"memory": 1.0, "solver": "off"})
        search = TreeSearch(toy_game((kind, [("max", [0, 2])] * len(children))), settings=settings, pure=True)
        search.run(Limits(playouts=1))
        nodes = search.tree.nodes
        first = int(nodes[0]["first_child"])
        for i, (visits, total) in enumerate(children):
            nodes[first + i]["visits"], nodes[first + i]["sum"] = visits, total
        return search._is_unstable()

    assert is_unstable([(100, 120), (60, 90)]) and not is_unstable([(100, 120), (60, 60)])
    assert is_unstable([(100, 120), (60, 60)], to_play=1) and not is_unstable([(100, 120), (60, 90)], to_play=1)
    assert not is_unstable([(100, 120), (0, 0)]) and not is_unstable([(50, 60), (50, 60)])
