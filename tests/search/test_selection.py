"""The formula of selection, recomputed naively from the tree; and all moves as first, recounted from the games."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toytree import toy_game

from tesuji.core.dispatch import implements
from tesuji.core.errors import GameError, UserError
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.search.engine.final_move import children_of
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.kernel.expansion import FEW_MOVES, sort_by_prior
from tesuji.search.policy import RATING, playout_move, rate_moves, uniform_move
from tesuji.search.selection.choose_child import TABLE_SIZE, back_up, choose_child, count_game, inverses, root_of_log, view_of
from tesuji.search.selection.interface import selection_rule, worth
from tesuji.search.selection.rave import RAVE

WIDE = ("max", [("min", [("max", [0, 2]), 1])] * 5)


def expected(child, rave, parent, to_play, chosen, lowest=0, highest=2):
    """The formulas of the rules' docstrings in plain Python."""
    n, m = int(child["visits"]), int(rave["visits"])
    sign = 1 if to_play == 0 else -1

    def scaled(x):
        return (x - lowest) / (highest - lowest)

    def for_mover(x):
        return scaled(x) if sign > 0 else 1 - scaled(x)

    kind = chosen["selection"]
    if kind == "expected-value":
        games = n + chosen["expected_games"]
        average = int(child["sum"]) / n if n else 0.0
        value = n * for_mover(average) + chosen["expected_games"] * float(child["prior"])
        return value / games + chosen["exploration"] * math.sqrt(math.log(max(1, int(parent["visits"]))) / games)
    if kind == "puct":
        mean = for_mover(int(child["sum"]) / n) if n else chosen["first_play"]
        return mean + chosen["exploration"] * float(child["prior"]) * math.sqrt(int(parent["visits"])) / (1 + n)
    uses_rave = kind == "rave"
    if n == 0 and (m == 0 or not uses_rave):
        value = chosen["first_play"]
    else:
        weight = m / (n + m + chosen["rave_bias"] * n * m) if uses_rave and m else 0.0
        average = int(child["sum"]) / n if n else 0.0
        mean = for_mover(average) if n else 0.0
        value = (1 - weight) * mean + (weight * for_mover(int(rave["sum"]) / m) if weight else 0.0)
    if n or uses_rave:
        value += chosen["exploration"] * math.sqrt(math.log(max(1, int(parent["visits"]))) / max(1, n))
    if kind == "progressive-bias":
        value += chosen["prior_weight"] * float(child["prior"]) / (n + 1)
    if kind == "bound-bias":
        pess, opti = scaled(int(child["lower"])), scaled(int(child["upper"]))
        gamma, delta = chosen["pess_bias"], chosen["opti_bias"]
        bias = gamma * pess + delta * opti if sign > 0 else -gamma * opti - delta * pess
        if chosen["bias_decay"] > 0:
            bias *= chosen["bias_decay"] / (chosen["bias_decay"] + n)
        value += bias
    return value


counts = st.tuples(st.integers(0, 50), st.integers(0, 50), st.sampled_from([(0, 2), (0, 1), (1, 2)]))
rules = st.one_of(
    st.just({"selection": "uct"}),
    st.just({"selection": "puct"}),
    st.builds(lambda bias: {"selection": "rave", "rave_bias": bias}, st.sampled_from([0.0, 0.001, 0.1])),
    st.builds(lambda weight: {"selection": "progressive-bias", "prior_weight": weight}, st.floats(0, 5)),
    st.builds(lambda games: {"selection": "expected-value", "expected_games": games}, st.integers(1, 40)),
    st.builds(
        lambda gamma, delta, decay: {"selection": "bound-bias", "pess_bias": gamma, "opti_bias": delta, "bias_decay": decay},
        st.floats(-1, 1),
        st.floats(-1, 1),
        st.sampled_from([0.0, 20.0]),
    ),
)


@pytest.mark.parametrize("games", [1, 2, 7, TABLE_SIZE - 1, TABLE_SIZE, TABLE_SIZE + 1, 1_000_003])
def test_numbers_from_tables_are_the_computed_ones(games):
    assert inverses(games) == (1.0 / games, math.sqrt(1.0 / games))
    assert root_of_log(games) == math.sqrt(math.log(games))
    assert inverses(0) == (1.0, 1.0)


@settings(max_examples=200)
@given(st.lists(counts, min_size=5, max_size=5), st.sampled_from([0, 1]), rules, st.floats(0, 2), st.sampled_from([1e6, 0.5]))
def test_the_chosen_child_has_the_highest_value(stats, to_play, rule, exploration, first_play):
    values = {"memory": 1.0, "exploration": exploration, "cuts": False, "probe_children": False}
    if rule["selection"] != "expected-value":  # an untried move has its expectation there
        values["first_play"] = first_play
    chosen = SEARCH.settings({**values, **rule})
    search = TreeSearch(toy_game(WIDE), settings=chosen, pure=True)
    search.run(Limits(playouts=1))
    nodes, first = search.tree.nodes, int(search.tree.nodes[0]["first_child"])
    nodes[0]["to_play"], nodes[0]["visits"] = to_play, max(1, sum(n for n, _, _ in stats))
    worths = []
    table = search.tree.statistics if rule["selection"] == "rave" else np.zeros(20, RAVE.record)
    for i, (n, m, (lower, upper)) in enumerate(stats):
        child, entry = nodes[first + i], table[first + i]
        child["visits"], child["sum"], child["lower"], child["upper"] = n, (n * (7 * i % 3)) // 2, lower, upper
        child["prior"] = (3 * i % 4) / 4
        entry["visits"], entry["sum"] = m, (m * (5 * i % 3)) // 2
        worths.append(expected(child, entry, nodes[0], to_play, chosen))
    options = search.options._replace(in_order=False)  # the priors are not
    index = choose_child(search.rule, search.tree, search.scratches[0], 0, options)
    assert worths[index - first] == pytest.approx(max(worths), rel=1e-9, abs=1e-9)


class Guessing(NamedTuple):
    """Priors that have nothing to do with the game, many of them equal."""


@implements(playout_move, Guessing)
def any_move(policy, notes, state, rng):
    return uniform_move(policy, notes, state, rng)


@implements(rate_moves, Guessing)
def guess(policy, state, moves, count, ratings):
    for i in range(count):
        ratings[i]["prior"] = ((7 * int(moves[i]) + 3 * int(state["left"])) % 5) / 5


class Tenths(NamedTuple):
    """A prior of 0.1 for each number of the move."""


@implements(playout_move, Tenths)
def some_move(policy, notes, state, rng):
    return uniform_move(policy, notes, state, rng)


@implements(rate_moves, Tenths)
def by_number(policy, state, moves, count, ratings):
    for i in range(count):
        ratings[i]["prior"] = int(moves[i]) / 10


@pytest.mark.parametrize("more", [{}, {"solver": "off"}, {"exploration": 1.0}, {"root_widening": 0.5}])
@pytest.mark.parametrize("rule", [{"selection": "expected-value", "expected_games": 2}, {"selection": "puct"}])
def test_moves_are_tried_in_the_order_of_their_priors(rule, more):
    """The loop that ends at the first untried child chooses what the whole loop chooses."""
    chosen = SEARCH.settings({"memory": 4.0, **rule, **more})
    search = TreeSearch(find_game("connect4:5x4"), settings=chosen, policy=Guessing(), pure=True)
    search.run(Limits(playouts=400))
    assert search.options.in_order
    nodes, scratch, looked_at = search.tree.nodes, search.scratches[0], 0
    for index in range(search.tree.counters[0]):
        if nodes[index]["child_count"] > 0:
            children = children_of(search.tree, index)
            priors = [float(nodes[child]["prior"]) for child in children]
            assert priors == sorted(priors, reverse=True)
            scratch.path[0] = index
            short = choose_child(search.rule, search.tree, scratch, 0, search.options)
            assert short == choose_child(search.rule, search.tree, scratch, 0, search.options._replace(in_order=False))
            looked_at += 0 < sum(nodes[child]["visits"] == 0 for child in children) < len(children)
    assert looked_at > 20


@pytest.mark.parametrize(("change", "exploration"), [("goals", 0.01), ("priors", 1.0)])
def test_what_is_done_to_the_root_leaves_the_order_of_moves_elsewhere(change, exploration):
    """Moves that were made to be visited come after untried ones; so do higher priors that were put in later."""
    chosen = SEARCH.settings({"memory": 4.0, "selection": "puct", "solver": "off", "exploration": exploration})
    search = TreeSearch(find_game("connect4:5x4"), settings=chosen, policy=Guessing(), pure=True)
    search.run(Limits(playouts=3))
    nodes = search.tree.nodes
    children = children_of(search.tree, 0)
    last = int(nodes[children[-1]]["move"])
    if change == "goals":
        search.set_root_goals({last: 6})
        search.run(Limits(playouts=6))
        search.set_root_goals({})
        for child in children:
            nodes[child]["sum"] = int(nodes[child]["visits"]) * (1 if child == children[-1] else -1)  # all won, or all lost
    else:
        search.set_root_priors({last: 0.99})
    assert any(nodes[child]["visits"] == 0 for child in children[:-1])
    search.scratches[0].path[0] = 0
    assert choose_child(search.rule, search.tree, search.scratches[0], 0, search.options) == children[-1]
    assert search.options.in_order, "below the root nothing has changed"
    search.advance(last)
    assert search.options.root_in_order


def test_puct_shares_visits_out_by_the_priors():
    """Where all moves are worth the same, PUCT visits them in proportion to their priors; a prior of 0 is not visited."""
    values = {"memory": 1.0, "selection": "puct", "solver": "off", "first_play": 0.5}
    search = TreeSearch(toy_game(("max", [1] * 5)), settings=SEARCH.settings(values), policy=Tenths(), pure=True)
    search.run(Limits(playouts=1000))
    children = search.tree.nodes[children_of(search.tree, 0)]
    assert sorted(children["prior"]) == [0.0, 0.1, 0.2, 0.3, 0.4]
    assert np.allclose(children["visits"] / 1000, children["prior"], atol=0.01)


def test_puct_makes_no_sense_without_priors():
    with pytest.raises(UserError, match="selection=puct needs a policy with priors"):
        find_player("uct:selection=puct").settings_for(find_game("connect4:5x4"))


def test_sorting_keeps_moves_and_ratings_together():
    chance = np.random.default_rng(5)
    for count in (1, 2, 9, 40, FEW_MOVES, FEW_MOVES + 1, 1000):
        buffer, ratings = np.arange(count, dtype=np.int32), np.zeros(count, RATING)
        ratings["prior"] = chance.integers(0, 6, count) / 5
        for name in ("value", "games", "own_value", "own_games"):
            ratings[name] = chance.random(count)
        before = ratings.copy()
        sort_by_prior(buffer, ratings, count)
        assert (np.diff(ratings["prior"]) <= 0).all() and sorted(buffer) == list(range(count))
        for name in ("prior", "value", "games", "own_value", "own_games"):
            assert (ratings[name] == before[name][buffer]).all()


def test_as_many_moves_as_a_game_may_have_are_sorted_in_few_steps():
    """Selection sort takes 500 million comparisons of so many. Different priors have one order, whatever sorts them."""
    count = 32_767
    priors = np.random.default_rng(7).permutation(count) / count
    buffer, ratings = np.arange(count, dtype=np.int32), CountedRatings(priors)
    sort_by_prior(buffer, ratings, count)
    assert np.array_equal(buffer, np.argsort(-priors))
    assert ratings.reads < 8 * count * math.log2(count)


class CountedRatings:
    """An array of ratings that counts how often one is looked at."""

    def __init__(self, priors):
        self.entries = np.zeros(len(priors), RATING)
        self.entries["prior"] = priors
        self.reads = 0

    def __getitem__(self, index):
        self.reads += 1
        return self.entries[index]

    def __setitem__(self, index, rating):
        self.entries[index] = rating


def test_what_does_not_keep_to_the_order_looks_at_all_children():
    chosen = SEARCH.settings({"memory": 4.0, "selection": "expected-value", "policy_below": 3})
    assert not TreeSearch(find_game("connect4:5x4"), settings=chosen, policy=Guessing(), pure=True).options.in_order


def test_the_paper_s_rules_fit_the_seam(untried):
    """MoGo's eq. 1-4 and MoHex's eq. 1-3 need these: the depth, the parent's count, RAVE, priors, a count of children."""
    seen = []

    @selection_rule(statistics=RAVE)
    class Curious(NamedTuple):
        """Notes what it is shown."""

    @implements(worth, Curious)
    def look(rule, child, parent):
        seen.append((child, parent))
        return 1.0 / (1.0 + child.visits)

    search = TreeSearch(toy_game(WIDE), settings=SEARCH.settings({"memory": 1.0, "solver": "off"}), rule=Curious, pure=True)
    search.run(Limits(playouts=40))
    depths = {parent.depth for _, parent in seen}
    assert depths >= {0, 1} and all(parent.children == 5 for _, parent in seen if parent.depth == 0)
    assert [parent.visits for _, parent in seen if parent.depth == 0][::5] == list(range(40))
    assert any(child.rave_visits > child.visits for child, _ in seen)
    assert all(0.0 <= child.mean <= 1.0 and 0.0 <= child.rave_mean <= 1.0 for child, _ in seen)
    assert {parent.maximises for _, parent in seen} == {True, False}


def test_a_rule_without_numbers_is_named(untried):
    class Broken(NamedTuple):
        """Knows no number."""

    @implements(worth, Broken)
    def nothing(rule, child, parent):
        return math.nan

    search = TreeSearch(toy_game(WIDE), settings=SEARCH.settings({"memory": 1.0}), rule=Broken, pure=True)
    with pytest.raises(GameError, match=r"the selection rule Broken \(.*\) gives no child of toytree a number"):
        search.run(Limits(playouts=10))


def test_a_rule_may_count_games_in_its_own_way():
    class Twice(NamedTuple):
        """Counts every game twice."""

    implements(worth, Twice)(lambda rule, child, parent: -child.visits)

    @implements(back_up, Twice)
    def twice(rule, tree, scratch, depth, score, options):
        count_game(rule, tree, scratch, depth, score, options)
        count_game(rule, tree, scratch, depth, score, options)

    search = TreeSearch(toy_game(WIDE), settings=SEARCH.settings({"memory": 1.0, "solver": "off"}), rule=Twice, pure=True)
    search.run(Limits(playouts=3))
    assert int(search.tree.nodes[0]["visits"]) == 6


@pytest.mark.parametrize("first", [False, True])
def test_all_moves_as_first_counts_games_with_the_move_now_or_later(first):
    """One game at a time: a child's count rises just if its mover made its move from there on, with `first` before the other.

    In Connect Four both can make the same move: drop a stone into the same column.
    """
    game = find_game("connect4:4x4")
    chosen = SEARCH.settings({"memory": 1.0, "selection": "rave", "solver": "off", "rave_first": first})
    search = TreeSearch(game, settings=chosen, seed=4, pure=True)
    for _ in range(150):
        before = search.tree.statistics["visits"][: search.result(with_moves=False).nodes].copy()
        sums = search.tree.statistics["sum"][: len(before)].copy()
        visits = search.tree.nodes["visits"][: len(before)].copy()
        search.run(Limits(playouts=1))
        scratch = search.scratches[0]
        path = [0]
        while True:
            step = [
                c
                for c in children_of(search.tree, path[-1])
                if search.tree.nodes[c]["visits"] > (visits[c] if c < len(visits) else 0)
            ]
            if not step:
                break
            path.append(step[0])
        score = int(search.tree.nodes[0]["sum"]) - getattr(search, "last_sum", 0)
        search.last_sum = int(search.tree.nodes[0]["sum"])
        made = played_moves(game, scratch, path, search)
        for depth, node in enumerate(path):
            mover = int(search.tree.nodes[node]["to_play"])
            credited = set()
            for player, move in reversed(made[depth:]):
                if player == mover:
                    credited.add(move)
                elif first:
                    credited.discard(move)
            for child in children_of(search.tree, node):
                rise = int(search.tree.statistics[child]["visits"]) - (int(before[child]) if child < len(before) else 0)
                assert rise == (int(search.tree.nodes[child]["move"]) in credited)
                gain = int(search.tree.statistics[child]["sum"]) - (int(sums[child]) if child < len(sums) else 0)
                assert gain == rise * score


def played_moves(game, scratch, path, search):
    """The moves of the last game, replayed until it is over."""
    from tesuji.core import rules

    state = game.new_state()
    made = []
    while not rules.is_over(state):
        move = int(scratch.history[len(made)])
        made.append((int(rules.to_play(state)), move))
        rules.play(state, move)
    return made


def test_priors_come_from_the_policy():
    """Progressive bias: W P / (n + 1), with P as the policy writes it."""

    class Keen(NamedTuple):
        """Likes move 3 best."""

    implements(playout_move, Keen)(uniform_move)

    @implements(rate_moves, Keen)
    def keen(policy, state, moves, count, ratings):
        for i in range(count):
            ratings[i]["prior"] = 1.0 if moves[i] == 3 else 0.0

    values = {"memory": 1.0, "solver": "off", "selection": "progressive-bias", "prior_weight": 50.0, "exploration": 0.0}
    search = TreeSearch(toy_game(WIDE), settings=SEARCH.settings(values), policy=Keen(), pure=True)
    result = search.run(Limits(playouts=30))
    assert result.best_move == 3 and result.moves[0].prior == 1.0 and result.moves[1].prior == 0.0
    assert result.moves[0].visits > 20


@pytest.mark.parametrize(("own", "by_rave"), [(8, 0), (0, 8), (8, 4)])
def test_expected_games_are_seen_as_the_moves_own_or_as_those_of_rave(own, by_rave):
    """For the player who makes the move, whoever that is: of the first children and of their children, none of them visited."""

    class Expecting(NamedTuple):
        """Expects every move to win a quarter of some games, and three quarters of others."""

    implements(playout_move, Expecting)(uniform_move)

    @implements(rate_moves, Expecting)
    def expecting(policy, state, moves, count, ratings):
        for i in range(count):
            ratings[i]["own_games"], ratings[i]["own_value"] = own, 0.25
            ratings[i]["games"], ratings[i]["value"] = by_rave, 0.75

    values = {"memory": 1.0, "solver": "off", "selection": "rave-prior"}
    search = TreeSearch(toy_game(WIDE, shared=False), settings=SEARCH.settings(values), policy=Expecting(), pure=True)
    search.run(Limits(playouts=8))
    tree = search.tree
    parents = [0, *(child for child in children_of(tree, 0) if tree.nodes[child]["child_count"])]
    seen = 0
    for node in parents:
        maximises = bool(tree.nodes[node]["to_play"] == 0)
        for child in children_of(tree, node):
            view = view_of(search.rule, tree, search.scratches[0], child, maximises, search.options)
            played, credited = view.visits - own, view.rave_visits - by_rave
            assert played == view.played == int(tree.nodes[child]["visits"]) and credited >= played
            if played == credited == 0:
                assert view.mean == (0.25 if own else 0.0) and view.rave_mean == (0.75 if by_rave else 0.0)
                seen += 1 if maximises else 100
    assert seen % 100 > 0 and seen > 100


def test_expected_values_need_a_policy_that_gives_priors():
    """Without priors every move would begin with lost games."""
    for player, game, reason in (
        ("tesuji:selection=expected-value", "connect4:5x4", "policy=decisive is not: policy=network can be used"),
        ("uct:selection=expected-value", "loa", "policy=uniform is not: policy=network or mc-loa or categories can be used"),
    ):
        with pytest.raises(UserError, match=f"selection=expected-value needs a policy with priors, which {reason}"):
            find_player(player).settings_for(find_game(game))


def test_rave_with_priors_needs_a_policy_that_gives_them():
    """Without priors a new move would be worth nothing until RAVE has seen it."""
    for policy in ("uniform", "local"):
        with pytest.raises(UserError, match=f"rave-prior needs a policy with priors, which policy={policy} is not: policy="):
            find_player(f"uct:selection=rave-prior,policy={policy}").settings_for(find_game("go:9"))


def test_a_player_whose_policy_is_taken_away_has_another_rule():
    loa = find_game("loa")
    assert find_player("mogo:policy=uniform").settings_for(find_game("go:9"))["selection"] == "uct"
    assert find_player("tesuji").settings_for(loa)["selection"] == "expected-value"
    assert find_player("tesuji:policy=uniform").settings_for(loa)["selection"] == "uct"
