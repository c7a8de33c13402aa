"""Lines of Action: winning moves, the policies of its players, and what the alpha-beta engine asks of them."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from loa_positions import (
    GAME,
    after,
    blocked_state,
    king,
    near_the_end,
    notes_for,
    points_of,
    policy,
    priors_of,
    set_of,
    winners,
)

from tesuji.core import rules
from tesuji.core.limits import Limits
from tesuji.core.random import make_rng
from tesuji.games.loa.lines import PASS, list_moves, move_in
from tesuji.games.loa.state import QUIET_LIMIT
from tesuji.games.registry import find_game
from tesuji.knowledge.loa.categories import category_of
from tesuji.knowledge.loa.evaluation import DECIDED, POINTS
from tesuji.knowledge.loa.mc_loa import McLoa
from tesuji.knowledge.loa.winning import can_win, linking_squares, winning_entry
from tesuji.knowledge.registry import load_for_alphabeta, policies_of
from tesuji.search.alphabeta import hooks
from tesuji.search.alphabeta.engine import AlphaBeta
from tesuji.search.alphabeta.options import ALPHABETA
from tesuji.search.policy import RATING, Uniform, evaluate, playout_move, rate_moves

load_for_alphabeta(find_game("loa"))


# -- winning moves -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("mover_wins", [0, 1])
def test_winning_moves_are_found_and_no_others(mover_wins):
    buffer = np.zeros(96, np.int32)
    seen = Counter()
    for state in near_the_end(250, mover_wins):
        player = int(state["to_play"])
        own, other = state["stones"][player], state["stones"][1 - player]
        count = list_moves(state["counts"], own, other, buffer)
        index = int(winning_entry(own, other, linking_squares(own), buffer, count, state["mover_wins"]))
        expected = winners(state)
        assert (int(move_in(buffer[index])) if index >= 0 else None) == (expected[0] if expected else None)
        for move in GAME.legal_moves(state):
            if move != PASS:
                assert (hooks.move_order(policy("mc-loa"), state, move) > 0) == (move in expected)
        seen[bool(expected)] += 1
    assert seen[True] > 40 and seen[False] > 40


def test_linking_squares_touch_all_groups_but_one():
    corners = {(0, 0), (7, 7)}
    assert points_of(linking_squares(set_of(corners))) == {(0, 1), (1, 0), (1, 1), (7, 6), (6, 7), (6, 6)}
    assert linking_squares(set_of({(0, 0), (4, 0), (0, 4), (4, 4), (7, 7), (2, 2)})) == 0
    assert (3, 3) in points_of(linking_squares(set_of({(2, 2), (2, 4), (4, 2), (4, 4), (7, 7)})))


# -- the policy --------------------------------------------------------------------------------------------------------------
def test_the_usual_policy_comes_first():
    found = policies_of(GAME)
    assert list(found) == ["auto", "uniform", "network", "mc-loa", "categories", "threats"]
    assert found["auto"] is found["mc-loa"] is McLoa and found["uniform"] is Uniform


def test_mc_loa_draws_as_categories_do():
    one, other = policy("mc-loa"), policy("mc-loa:policy=categories")
    notes = notes_for(one)
    first, second = make_rng(7), make_rng(7)
    state = GAME.state_after(["c8-c6", "h2-f2", "g1-g3", "a3xc1"])
    for _ in range(80):
        if rules.is_over(state):
            break
        move = int(playout_move(one, notes, state, first))
        assert move == playout_move(other, notes, state, second)
        rules.play(state, move)


def test_priors_are_the_probabilities_of_categories():
    mine = policy("mc-loa")
    for state in [*near_the_end(20), blocked_state(), GAME.new_state()]:
        legal = np.array(GAME.legal_moves(state), np.int32)
        assert priors_of(mine, state, legal).tolist() == [float(mine.weights[category_of(state, m)]) for m in legal]


def test_decisive_playouts_win_at_once():
    plain, decisive = policy("mc-loa"), policy("mc-loa:decisive=on")
    notes, rng = notes_for(plain), make_rng(3)
    missed = 0
    for state in near_the_end(80):
        won = winners(state)
        if won:
            assert int(playout_move(decisive, notes, state, rng)) in won
            missed += int(playout_move(plain, notes, state, rng)) not in won
    assert missed > 10


def test_best_of_many_plays_what_looks_best():
    """Of very many drawn moves the best evaluated is the best of all those that are drawn now and then."""
    greedy = policy("mc-loa")._replace(best_of=400)
    notes, rng = notes_for(greedy), make_rng(4)
    for moves in (["c8-c6"], ["c8-c6", "h2-f2"], ["c8-c6", "h2-f2", "g1-g3", "a3xc1"]):
        state = GAME.state_after(moves)
        sign = 1 if state["to_play"] == 0 else -1
        legal = GAME.legal_moves(state)
        weights = {m: greedy.weights[category_of(state, m)] for m in legal}
        likely = [m for m in legal if weights[m] > 0.03 * sum(weights.values())]
        chosen = int(playout_move(greedy, notes, state, rng))
        assert chosen in legal
        points = sign * evaluate(greedy, after(state, chosen))
        assert points >= max(sign * evaluate(greedy, after(state, m)) for m in likely)


def test_parameters_of_the_policy_reach_it():
    assert (policy("mc-loa").decisive, policy("mc-loa").best_of) == (False, 1)
    assert (policy("pn-mcts").decisive, policy("pn-mcts").best_of) == (True, 4)
    changed = policy("pn-mcts:decisive=off,best_of=2")
    assert (changed.decisive, changed.best_of) == (False, 2)
    assert [policy(player).prior_from_evaluation for player in ("loa", "mc-loa", "loa:prior_by=categories")] == [
        True,
        False,
        False,
    ]
    assert not policy("mia2006").prior_from_evaluation


def test_priors_are_chances_by_the_evaluation():
    mine = policy("loa")
    for state in [*near_the_end(20), blocked_state(), GAME.new_state()]:
        legal = np.array(GAME.legal_moves(state), np.int32)
        sign = 1 if state["to_play"] == 0 else -1
        points = [sign * evaluate(mine, after(state, move)) for move in legal]
        chances = [1 / (1 + math.exp(-p / POINTS)) for p in points]
        assert priors_of(mine, state, legal) == pytest.approx(chances)


@pytest.mark.parametrize("mover_wins", [0, 1])
def test_a_side_that_could_win_at_once_is_seen(mover_wins):
    seen = Counter()
    for state in near_the_end(150, mover_wins):
        player = int(state["to_play"])
        found = can_win(state["counts"], state["stones"][player], state["stones"][1 - player], state["mover_wins"])
        assert found == bool(winners(state))
        seen[found] += 1
    assert seen[True] > 20 and seen[False] > 20


def test_values_for_provers_go_by_evaluation_and_threats():
    mine = policy("prove")
    seen = Counter()
    for state in [*near_the_end(20), blocked_state(), GAME.new_state()]:
        legal = np.array(GAME.legal_moves(state), np.int32)
        ratings = np.zeros(len(legal), RATING)
        before = bytes(state)
        rate_moves(mine, state, legal, len(legal), ratings)
        assert bytes(state) == before
        sign = 1 if state["to_play"] == 0 else -1
        for move, rating in zip(legal, ratings, strict=True):
            later = after(state, move)
            points = sign * evaluate(policy("mc-loa"), later)
            if move != PASS and not later["over"]:
                again = after(state, move)
                again["to_play"] = state["to_play"]
                threat = -2 if winners(later) else 1 if winners(again) else 0
                points += threat * mine.threat_points
                seen[threat] += 1
                assert rating["value"] == pytest.approx(1 / (1 + math.exp(-points / DECIDED)))
            assert rating["games"] == mine.evaluation_games
    assert min(seen[threat] for threat in (-2, 0, 1)) > 10


@pytest.mark.parametrize(
    "player", ["mc-loa", "mc-loa:decisive=on", "mc-loa:best_of=4", "mc-loa:policy=categories", "mc-loa:policy=uniform", "prove"]
)
def test_every_policy_passes_where_there_is_no_move(player):
    mine = policy(player)
    assert playout_move(mine, notes_for(mine), blocked_state(), make_rng(1)) == PASS


# -- what alpha-beta asks ----------------------------------------------------------------------------------------------------
def test_keys_forget_the_way_but_not_the_turn():
    mine = policy("mia2006")
    there = GAME.state_after(["c8-c6", "h7-f7"])
    back = GAME.state_after(["c8-c6", "h7-f7", "c6-c8", "f7-h7", "c8-c6", "h7-f7"])
    assert (there["stones"] == back["stones"]).all()
    assert rules.position_hash(there) != rules.position_hash(back)
    assert hooks.search_hash(mine, there) == hooks.search_hash(mine, back)
    turned, late, later = (GAME.state_after(["c8-c6", "h7-f7"]) for _ in range(3))
    turned["to_play"] = 1 - turned["to_play"]
    late["ply"], later["ply"] = 990, 992
    assert len({int(hooks.search_hash(mine, s)) for s in (there, turned, late, later)}) == 4


def test_skipping_a_turn_is_a_pass():
    mine = policy("mia2006")
    state = GAME.state_after(["c8-c6", "h2-f2", "g1-g3"])
    before = after(state, GAME.legal_moves(state)[0])
    copy = GAME.state_after(["c8-c6", "h2-f2", "g1-g3"])
    assert hooks.skip_turn(mine, copy)
    assert (copy["to_play"], copy["ply"], copy["quiet"]) == (0, 4, 4) == (before["to_play"], before["ply"], before["quiet"])
    assert (copy["stones"] == state["stones"]).all() and copy["seen"][4] == copy["seen"][3]
    copy["quiet"] = QUIET_LIMIT - 1
    kept = bytes(copy)
    assert not hooks.skip_turn(mine, copy) and bytes(copy) == kept
    strict = find_game("loa:no_move=loss").new_state()
    assert not hooks.skip_turn(mine, strict), "there is no pass by that rule"


def naive_groups(points):
    left, groups = set(points), 0
    while left:
        groups += 1
        edge = [left.pop()]
        while edge:
            here = edge.pop()
            near = {p for p in left if king(p, here) == 1}
            left -= near
            edge += near
    return groups


def test_noisy_moves_are_captures_that_change_groups():
    mine = policy("mia2006")
    buffer = np.zeros(96, np.int32)
    listed = 0
    for state in near_the_end(150):
        found = [int(m) for m in buffer[: hooks.noisy_moves(mine, state, buffer)]]
        won = winners(state)
        if won:
            assert found == won[:1]
            continue
        player = int(state["to_play"])
        legal = GAME.legal_moves(state)
        assert set(found) <= {m for m in legal if "x" in GAME.text(state, m)} and len(set(found)) == len(found)
        for move in legal:
            then = after(state, move)
            own, own_then = (points_of(s["stones"][player]) for s in (state, then))
            other, other_then = (points_of(s["stones"][1 - player]) for s in (state, then))
            if "x" in GAME.text(state, move) and not any(map(_has_hole, (own, own_then, other, other_then))):
                joins = naive_groups(own_then) < naive_groups(own)
                assert (move in found) == (joins or naive_groups(other_then) > naive_groups(other))
        listed += len(found)
    assert listed > 50


def _has_hole(points):
    """Whether some square outside of the set cannot be reached from beyond the board by steps to the side."""
    outside = {(c, r) for c in range(-1, 9) for r in range(-1, 9)} - set(points)
    edge, seen = [(-1, -1)], {(-1, -1)}
    while edge:
        column, row = edge.pop()
        for near in ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)):
            if near in outside and near not in seen:
                seen.add(near)
                edge.append(near)
    return seen != outside


def test_rates_are_the_orders_and_chances_of_single_moves():
    mine = policy("mia2006")
    for state in [*near_the_end(30), blocked_state(), GAME.new_state()]:
        legal = np.array(GAME.legal_moves(state), np.int32)
        orders, chances = np.zeros(len(legal)), np.zeros(len(legal))
        hooks.rate_order(mine, state, legal, len(legal), orders, chances)
        assert orders.tolist() == [hooks.move_order(mine, state, m) for m in legal]
        assert chances.tolist() == [hooks.transition_probability(mine, state, m) for m in legal]
        assert (chances > 0).all() and (chances < 1).all()


def test_alpha_beta_wins_at_once_with_what_the_policy_says():
    won = 0
    for state in near_the_end(12):
        search = AlphaBeta(GAME, state, ALPHABETA.settings({"depth": 1, "memory": 0.1}), policy("mia2006"), pure=True)
        result = search.run(Limits(playouts=200))
        assert result.best_move in GAME.legal_moves(state)
        if winners(state):
            assert result.best_move in winners(state) and result.lower == result.upper
            won += 1
    assert won > 2
