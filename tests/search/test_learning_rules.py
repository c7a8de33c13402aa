"""UCB1-Tuned, GRAVE, progressive history, implicit minimax and bonuses for good wins, simulation by simulation.

The second implementation here keeps nothing but the games so far, and computes every formula anew from these.
"""

from __future__ import annotations

import math
import random
import statistics
from typing import NamedTuple

import numpy as np
import pytest
from plain_search import plain_search
from toytree import toy_game, value_of

from tesuji.core.dispatch import implements
from tesuji.core.errors import GameError, UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.parameters import Settings
from tesuji.core.rules import play
from tesuji.games.registry import find_game
from tesuji.players.player import search_from
from tesuji.players.presets import find_player
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.files.saved_search import load_search, save_search
from tesuji.search.kernel.tree import USED, halve
from tesuji.search.policy import evaluate, playout_move, uniform_move
from tesuji.search.report.explanations import choices_at, step

PLAIN = {"solver": "off", "memory": 1.0, "exploration": 0.7}
LIMIT = 10.0


class Guessing(NamedTuple):
    """A policy with an evaluation, which has nothing to do with who wins."""

    sign: int = 1


implements(playout_move, Guessing)(uniform_move)


@implements(evaluate, Guessing)
def guess(policy, state):
    return policy.sign * float((state["at"] * 7) % 23 - 11)


def random_tree(chance, depth, outcomes=(-2, -1, 0, 1, 2)):
    """Both players move in any order; some games are over soon."""
    if depth == 0 or (depth < 4 and chance.random() < 0.15):
        return chance.choice(outcomes)
    return chance.choice(["max", "min"]), [random_tree(chance, depth - 1, outcomes) for _ in range(chance.choice([2, 3, 3]))]


TREE = random_tree(random.Random(4), 4)
MOST = 2


def search_of(rule, tree=TREE, seed=1, pure=True, **values):
    settings = Settings(SEARCH, {**PLAIN, "selection": rule, **values})
    return TreeSearch(toy_game(tree, (-MOST, MOST)), settings=settings, seed=seed, policy=Guessing(), pure=pure)


# -- the second implementation -----------------------------------------------------------------------------------------------
class Played(NamedTuple):
    line: tuple[int, ...]  # the moves of the whole game
    movers: tuple[int, ...]
    depth: int  # moves in the tree
    share: float  # the result from 0 to 1, for player 0


class Games:
    """All games so far, in a tree of positions that are known by the moves to them."""

    def __init__(self, tree):
        self.tree = tree
        self.games: list[Played] = []

    def node(self, line):
        node = self.tree
        for move in line:
            node = node[1][move]
        return node

    def mover(self, line):
        return 0 if self.node(line)[0] == "max" else 1

    def through(self, line):
        return [game.share for game in self.games if game.depth >= len(line) and game.line[: len(line)] == line]

    def view(self, line, share):
        return share if self.mover(line) == 0 else 1.0 - share

    def is_expanded(self, line):
        return not isinstance(self.node(line), int) and (not line or len(self.through(line)) > 1)

    def uct(self, line, move, c, first_play=1e6):
        """Mean, bonus and the games, for the mover; None for a move never tried."""
        here, there = self.through(line), self.through((*line, move))
        if not there:
            return None
        return self.view(line, statistics.fmean(there)), c * math.sqrt(math.log(len(here)) / len(there)), len(there)


def tuned(games, line, move, rule):
    plain = games.uct(line, move, 1.0)
    if plain is None:
        return 1e6
    mean, bound, _ = plain
    there = games.through((*line, move))
    spread = statistics.pvariance(there) + math.sqrt(2.0) * bound
    return mean + rule.exploration * bound * math.sqrt(min(0.25, spread))


def history(games, line, move, rule):
    plain, me = games.uct(line, move, rule.exploration), games.mover(line)
    made = [g.share for g in games.games for m, who in zip(g.line, g.movers, strict=True) if (m, who) == (move, me)]
    mean = games.view(line, statistics.fmean(made)) if made else 0.5
    if plain is None:
        return 1e6 + rule.history_weight * mean
    return plain[0] + plain[1] + rule.history_weight * mean / (plain[2] * (1.0 - plain[0]) + 1.0)


def grave(games, line, move, rule):
    me, source = games.mover(line), line
    for above in (line[:d] for d in range(len(line), -1, -1)):
        if games.mover(above) == me:
            source = above
            if len(games.through(above)) >= rule.grave_visits:
                break
    if move >= len(games.node(source)[1]):
        source = line
    credited = [
        g.share
        for g in games.games
        if g.depth >= len(source) and g.line[: len(source)] == source and since_expanded(games, source, g)
        if any((m, who) == (move, me) for m, who in list(zip(g.line, g.movers, strict=True))[len(source) :])
    ]
    if rule.rave_first:
        credited = [
            g.share
            for g in games.games
            if g.depth >= len(source) and g.line[: len(source)] == source and since_expanded(games, source, g)
            if next((who for m, who in list(zip(g.line, g.movers, strict=True))[len(source) :] if m == move), None) == me
        ]
    plain = games.uct(line, move, rule.exploration)
    n, m = (plain[2] if plain else 0), len(credited)
    weight = m / (n + m + rule.rave_bias * n * m) if m else 0.0
    rave = games.view(line, statistics.fmean(credited)) if m else 0.0
    mean = plain[0] if plain else rule.first_play
    here = len(games.through(line))
    explore = rule.exploration * math.sqrt(math.log(here) / max(n, 1)) if here else 0.0
    return (1.0 - weight) * mean + weight * rave + explore


def since_expanded(games, line, game):
    """Whether the node had children when the game was played: RAVE is kept by these."""
    if not line:
        return True
    first = next(g for g in games.games if g.depth >= len(line) and g.line[: len(line)] == line)
    return game is not first


def chance(value):
    return 1.0 / (1.0 + math.exp(-math.log(19.0) * value / LIMIT))


def minimax(games, line, state_of):
    node = games.node(line)
    if isinstance(node, int):
        return (node + MOST) / (2 * MOST)
    if not games.is_expanded(line):
        return chance(guess(Guessing(), state_of(line)))
    values = [minimax(games, (*line, move), state_of) for move in range(len(node[1]))]
    return max(values) if node[0] == "max" else min(values)


def with_minimax(state_of):
    def worth(games, line, move, rule):
        plain = games.uct(line, move, rule.exploration)
        value = games.view(line, minimax(games, (*line, move), state_of))
        if plain is None:
            return 1e6 + rule.minimax_share * value
        return (1.0 - rule.minimax_share) * plain[0] + rule.minimax_share * value + plain[1]

    return worth


def follow(search, worth, simulations, tree=TREE):
    """Simulates one by one; before each, the formula computed from the games must name the moves that it then makes."""
    games, decisions = Games(tree), 0
    for _ in range(simulations):
        taken = step(search)
        assert taken is not None and taken.score is not None
        in_tree = [node.move for node in taken.path[1:]]
        line = (*in_tree, *taken.playout)
        movers = tuple(games.mover(line[:d]) for d in range(len(line)))
        # This game is not among the games yet; the engine's counts of the leaf's parent do not have it either.
        for depth, move in enumerate(in_tree):
            here = tuple(in_tree[:depth])
            values = [worth(games, here, other, search.rule) for other in range(len(games.node(here)[1]))]
            assert values[move] == pytest.approx(max(values), abs=1e-9)
            decisions += max(values) - sorted(values)[-2] > 1e-9
        games.games.append(Played(line, movers, len(in_tree), (taken.score + MOST) / (2 * MOST)))
    return decisions


@pytest.mark.parametrize("seed", [1, 2])
def test_ucb1_tuned(seed):
    assert follow(search_of("ucb1-tuned", seed=seed), tuned, 120) > 100


@pytest.mark.parametrize("visits", [0, 6, 1000])
@pytest.mark.parametrize("rave_first", [True, False])
def test_grave(visits, rave_first):
    search = search_of("grave", seed=3, grave_visits=visits, rave_first=rave_first, first_play=0.6, rave_bias=0.05)
    assert follow(search, grave, 100) > 100


@pytest.mark.parametrize("seed", [1, 2])
def test_progressive_history(seed):
    assert follow(search_of("progressive-history", seed=seed, history_weight=2.0), history, 100) > 100


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_implicit_minimax(share):
    search = search_of("implicit-minimax", seed=2, minimax_share=share, evaluation_limit=LIMIT)

    def state_of(line):
        state = search.state.copy()
        for move in line:
            play(state, move)
        return state

    assert follow(search, with_minimax(state_of), 100) > 50


# -- bonuses -----------------------------------------------------------------------------------------------------------------
def bonus(values, value, slope):
    if len(values) < 2 or statistics.pstdev(values) == 0.0:
        return 0.0
    return 2.0 / (1.0 + math.exp(-slope * (value - statistics.fmean(values)) / statistics.pstdev(values))) - 1.0


@pytest.mark.parametrize("reward", ["outcome", "win"])
def test_bonuses_for_good_wins(reward):
    weights = {"length_bonus": 0.25, "margin_bonus": 0.5 if reward == "win" else 0.0}
    values = {name: value for name, value in weights.items() if value}
    search = search_of("uct", reward=reward, bonus_slope=2.0, **values)
    games, seen, changed = Games(TREE), {0: ([], []), 1: ([], [])}, 0
    for _ in range(80):
        taken = step(search)
        line = (*(node.move for node in taken.path[1:]), *taken.playout)
        result = games.node(line)
        result_share = (result > 0) - (result < 0) if reward == "win" else result / MOST
        if result != 0:
            lengths, margins = seen[int(result < 0)]
            by_length = weights["length_bonus"] * -bonus(lengths, len(line), 2.0)
            by_margin = weights["margin_bonus"] * bonus(margins, abs(result), 2.0)
            result_share += (by_length + by_margin) * (1 if result > 0 else -1)
            lengths.append(len(line))
            margins.append(abs(result))
            changed += by_length != 0.0
        expected = min(max(result_share / (1.0 + sum(weights.values())), -1.0), 1.0)
        least = search.options.scale.least / search.options.scale.unit
        assert taken.score == pytest.approx(expected * -least, abs=2e-3)
    assert changed > 40


def test_a_proven_win_counts_more_than_any_playout():
    won = ("max", [1, ("min", [("max", [-1, 1]), ("max", [1, -1])])])
    settings = Settings(SEARCH, {"memory": 1.0, "length_bonus": 0.25, "probe_children": False})
    search = TreeSearch(toy_game(won, (-1, 1)), settings=settings, pure=True)
    result = search.run(Limits(playouts=200))
    assert result.proven and result.best_move == 0 and value_of(won) == 1


# -- the same compiled, with threads, in a full arena, out of a file ---------------------------------------------------------
RULES = ("ucb1-tuned", "grave", "progressive-history", "implicit-minimax")


@pytest.mark.parametrize("rule", RULES)
def test_compiled_as_in_pure_python_and_with_threads(rule):
    values = {"solver": "bounds", "cuts": False, "length_bonus": 0.25, "exploration": 0.5}
    hashes = []
    for pure in (True, False):
        search = search_of(rule, pure=pure, **values)
        search.run(Limits(playouts=150))
        hashes.append(search.tree_hash())
    assert hashes[0] == hashes[1]
    search = search_of(rule, pure=False, threads=2, **{**values, "solver": "off"})
    assert search.run(Limits(playouts=3000)).playouts == 3000
    assert int(search.tree.nodes[0]["visits"]) == 3000
    records = search.tree.statistics[: int(search.tree.counters[USED])]
    assert all(np.isfinite(records[name].astype(float)).all() for name in records.dtype.names)


class NoNumber(NamedTuple):
    sign: int = 1


implements(playout_move, NoNumber)(uniform_move)


@implements(evaluate, NoNumber)
def no_number(policy, state):
    return math.nan


def test_an_evaluation_that_is_no_number_ends_the_search(untried):
    settings = Settings(SEARCH, {**PLAIN, "selection": "implicit-minimax"})
    search = TreeSearch(toy_game(TREE, (-MOST, MOST)), settings=settings, policy=NoNumber(), pure=True)
    with pytest.raises(GameError, match="evaluate gives nan"):
        search.run(Limits(playouts=50))


@pytest.mark.parametrize("rule", RULES)
def test_bounds_stay_true_and_find_the_value(rule):
    for seed in range(6):
        tree = random_tree(random.Random(seed), 4)
        if isinstance(tree, int):
            continue
        result = search_of(rule, tree, seed, solver="bounds", length_bonus=0.2).run(Limits(playouts=3000))
        assert result.proven and result.lower == result.upper == value_of(tree)


@pytest.mark.parametrize("rule", RULES[:3])
def test_a_full_arena(rule):
    settings = SEARCH.settings({"selection": rule, "memory": 0.05, "solver": "off"})
    search = TreeSearch(find_game("tictactoe"), settings=settings, pure=True)
    assert search.run(Limits(playouts=1500)).playouts == 1500
    assert search.was_full
    halve(search.rule, search.tree.nodes, search.tree.statistics, int(search.tree.counters[USED]))
    search.advance(4)
    best = search.run(Limits(playouts=400))
    assert best.best_move in (0, 2, 6, 8)


def test_halved_counts_keep_mean_and_variance():
    search = search_of("ucb1-tuned")
    search.run(Limits(playouts=101))
    records = search.tree.statistics
    before = [records[name][0] / records["games"][0] for name in ("sum", "squares")]
    halve(search.rule, search.tree.nodes, records, int(search.tree.counters[USED]))
    assert float(records[0]["games"]) == 51.0
    after = [records[name][0] / records["games"][0] for name in ("sum", "squares")]
    assert np.allclose(before, after)


SAVED = [
    ("connect4:4x4", {"selection": "ucb1-tuned"}),
    ("connect4:4x4", {"selection": "grave", "grave_visits": 10}),
    ("connect4:4x4", {"selection": "progressive-history"}),
    ("othello:4", {"selection": "uct", "length_bonus": 0.25, "margin_bonus": 0.25, "reward": "win"}),
]


@pytest.mark.parametrize(("game", "values"), SAVED)
def test_a_saved_search_goes_on_as_if_it_had_not_been(game, values, tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    settings = SEARCH.settings({**values, "memory": 4.0, "solver": "off"})
    whole = TreeSearch(find_game(game), settings=settings, seed=3, pure=True)
    whole.run(Limits(playouts=80))
    save_search(whole, tmp_path / "s")
    other = load_search(tmp_path / "s", plain_search)
    for search in (whole, other):
        search.pure = True
        search.run(Limits(playouts=80))
    assert whole.tree_hash() == other.tree_hash()
    assert np.array_equal(whole.scratches[0].wins, other.scratches[0].wins)


def test_a_saved_search_with_evaluations(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    player = find_player("tesuji:selection=implicit-minimax,judge_after=0,policy=mc-loa,memory=4")
    search = player.engine(find_game("loa"), seed=2, pure=True)
    search.run(Limits(playouts=20))
    save_search(search, tmp_path / "s")
    other = load_search(tmp_path / "s", search_from)
    for one in (search, other):
        one.run(Limits(playouts=20))
    assert search.tree_hash() == other.tree_hash()


@pytest.mark.parametrize(
    ("game", "values", "change"),
    [
        ("connect4:4x4", {"selection": "ucb1-tuned"}, lambda s: s.tree.statistics["squares"].__setitem__(0, math.nan)),
        ("connect4:4x4", {"selection": "ucb1-tuned"}, lambda s: s.tree.statistics["squares"].__setitem__(0, 1e9)),
        (
            "connect4:4x4",
            {"selection": "progressive-history"},
            lambda s: s.scratches[0].by_move["games"].__setitem__((0, 0), -1),
        ),
        (
            "connect4:4x4",
            {"selection": "progressive-history"},
            lambda s: s.scratches[0].by_move["sum"].__setitem__((0, 0), 1 << 50),
        ),
        ("othello:4", {"selection": "uct", "length_bonus": 0.25}, lambda s: s.scratches[0].wins.__setitem__(2, -1.0)),
        ("othello:4", {"selection": "uct", "length_bonus": 0.25}, lambda s: s.scratches[0].wins.__setitem__(13, 0.5)),
    ],
)
def test_impossible_numbers_in_a_file_are_refused(game, values, change, tmp_path):
    search = TreeSearch(find_game(game), settings=SEARCH.settings({**values, "memory": 4.0, "solver": "off"}), pure=True)
    search.run(Limits(playouts=30))
    change(search)
    save_search(search, tmp_path / "s")
    with pytest.raises(UserError, match="impossible numbers"):
        load_search(tmp_path / "s", plain_search)


# -- what people see ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("rule", "term"),
    [("ucb1-tuned", "exploration"), ("grave", "RAVE"), ("progressive-history", "history"), ("implicit-minimax", "evaluation")],
)
def test_the_terms_of_a_choice_add_up(rule, term):
    search = search_of(rule)
    search.run(Limits(playouts=60))
    choices = choices_at(search, 0, 0)
    assert sum(choice.chosen for choice in choices) == 1
    for choice in choices:
        parts = dict(choice.terms)
        assert {"mean", term} <= parts.keys() and "other" not in parts
        assert sum(parts.values()) == pytest.approx(choice.worth)


@pytest.mark.parametrize(
    ("game", "player", "message"),
    [
        ("connect4:4x4", "uct:selection=implicit-minimax", "needs a policy with an evaluation"),
        ("loa", "uct:selection=implicit-minimax,policy=mc-loa,minimax_share=1.5", "minimax_share=1.5 is not possible"),
        ("connect4:4x4", "uct:selection=grave,grave_visits=-1", "grave_visits=-1 is not possible"),
        ("connect4:4x4", "uct:selection=progressive-history,history_weight=nan", "history_weight=nan is not possible"),
        ("connect4:4x4", "uct:selection=ucb1-tuned,history_weight=1", "history_weight has no effect here"),
        ("connect4:4x4", "uct:length_bonus=-0.1", "length_bonus=-0.1 is not possible"),
        ("connect4:4x4", "uct:margin_bonus=0.1", "it needs a game with scores"),
        ("connect4:4x4", "uct:bonus_slope=2", "bonus_slope has no effect here"),
        ("samegame:5x5:1", "uct:length_bonus=0.2", "it needs a game of two players"),
        ("othello:4", "uct:margin_bonus=0.2", "margin_bonus goes with reward=win"),
        ("othello:4", "uct:selection=gaussian,length_bonus=0.2", "whole outcomes"),
    ],
)
def test_what_makes_no_sense_is_refused(game, player, message):
    with pytest.raises(UserError, match=message):
        find_player(player).engine(find_game(game), pure=True)


def test_a_puzzle_has_no_bonus_for_a_win():
    puzzle = find_game("samegame:5x5:1")
    assert isinstance(puzzle, Game)
    with pytest.raises(UserError, match="no winner"):
        TreeSearch(puzzle, settings=SEARCH.settings({"length_bonus": 0.1}), pure=True)
