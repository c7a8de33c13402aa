"""The terms of each selection rule add up to its worth; a step is one simulation of the search's own loop."""

import random
from typing import NamedTuple

import pytest

import tesuji
from tesuji.core.dispatch import implements
from tesuji.search.engine.setup import make_rule
from tesuji.search.report.explanations import choices_at, step
from tesuji.search.report.terms import terms
from tesuji.search.selection.choose_child import choose_child, root_of_log
from tesuji.search.selection.interface import Child, Parent, spec_of, worth
from tesuji.search.selection.registry import RULES

GAME = tesuji.game("tictactoe")


def rule_named(name):
    settings = dict(tesuji.player("uct").settings_for(GAME)) | {"selection": name}
    settings |= {p.name: p.default for p in spec_of(RULES[name]).parameters} | {"bias_decay": 20.0, "rave_skip": 3}
    return make_rule(GAME, settings, RULES[name])


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if not choose_child.is_implemented(rule)])
def test_the_terms_add_up_to_the_worth(name):
    rule, chance = rule_named(name), random.Random(name)
    names = set()
    for _ in range(200):
        visits, rave = float(chance.choice([0, 1, 5, 4000, 5000])), float(chance.choice([-1, 0, 3, 900]))
        child = Child(
            visits,
            chance.random() if visits else 0.0,
            chance.random(),
            rave,
            chance.random() if rave > 0 else 0.0,
            *sorted((chance.random(), chance.random())),
            visits**-0.5 if visits else 1.0,
            chance.random(),
        )
        total = chance.choice([1, 30, 5000])
        parent = Parent(float(total), float(root_of_log(total)), 9, chance.choice([0, 2]), chance.random() < 0.5)
        value = float(worth(rule, child, parent))
        shown = terms(rule, child, parent, value)
        names |= {term for term, _ in shown}
        assert sum(part for _, part in shown) == pytest.approx(value)
    assert names > {"mean"} and "other" not in names  # there is more than one term, and each has a name of its own


class Asking(NamedTuple):
    """Treats its numbers as more than summands: it asks whether they are 0, and takes a root."""


@implements(worth, Asking)
def asking(rule, child, parent):
    if child.prior and child.mean == 0.0:
        return 2.0 * child.prior**0.5
    return child.mean + 0.25


def test_the_terms_of_a_rule_that_branches_on_its_numbers_add_up_too():
    parent = Parent(9.0, 1.0, 3, 0, True)
    for mean, prior, names in ((0.0, 0.5, None), (0.5, 0.5, {"mean", "other"}), (0.0, 0.0, None)):
        child = Child(4.0, mean, prior, 0.0, 0.0, 0.0, 1.0, 0.5)
        value = float(worth(Asking(), child, parent))
        shown = terms(Asking(), child, parent, value)
        assert sum(part for _, part in shown) == pytest.approx(value)
        assert names is None or {name for name, _ in shown} == names


def pure_search(player="tesuji", game=GAME, seed=3, **parameters):
    return tesuji.player(player, **parameters).engine(game, seed=seed, pure=True)


@pytest.mark.parametrize("player", ["uct", "uct-rave", "tesuji"])
def test_a_step_is_one_simulation_of_the_search(player):
    stepped, run = pure_search(player), pure_search(player)
    for _ in range(40):
        done = step(stepped)
        run.run(tesuji.Limits(playouts=1))
        assert stepped.tree_hash() == run.tree_hash()
        assert done is not None
        first, last = done.path[0], done.path[-1]
        assert first.move is None and first.visits[1] == first.visits[0] + 1 == stepped.playouts
        assert last.visits[1] > last.visits[0]
        assert [visited.move for visited in done.path[1:]] == [
            int(stepped.tree.nodes[visited.index]["move"]) for visited in done.path[1:]
        ]


def test_a_step_shows_the_whole_game():
    """Path and playout together are a game that the rules allow, and the score is its outcome."""
    search = pure_search("uct")
    for _ in range(25):
        done = step(search)
        position = GAME.start.after([*[v.move for v in done.path[1:]], *done.playout])
        assert position.is_over and position.outcome == done.score
        assert len(done.movers) == len(done.playout)


def test_nothing_is_left_to_simulate_once_all_is_proven():
    search = pure_search("tesuji", tesuji.game("connect4:2x2:2"))
    for _ in range(1000):
        if step(search) is None:
            break
    assert search.is_decided() and step(search) is None


def test_the_chosen_child_is_the_one_that_the_loop_visits_next():
    search = pure_search("uct")
    search.run(tesuji.Limits(playouts=30))
    for _ in range(30):
        chosen = [choice.index for choice in choices_at(search, 0, 0) if choice.chosen]
        move = int(search.tree.nodes[chosen[0]]["move"])
        assert len(chosen) == 1 and step(search).path[1].move == move


def test_nodes_of_a_tree_tell_their_terms():
    search = tesuji.player("uct").search(GAME, seed=1)
    search.run(playouts=50)
    found = search.tree.choices()
    assert [node.move for node, _ in found] == [node.move for node in search.tree.children()]
    assert sum(choice.chosen for _, choice in found) == 1
    assert {name for name, _ in found[0][1].terms} == {"mean", "exploration"}
