"""Lines of Action: the nine features against plain second versions, winning moves, the policy, alpha-beta's questions."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.random import make_rng
from tesuji.games.loa.lines import PASS, list_moves, move_in
from tesuji.games.loa.state import QUIET_LIMIT
from tesuji.games.registry import find_game
from tesuji.knowledge.loa import POLICIES
from tesuji.knowledge.loa.categories import category_of
from tesuji.knowledge.loa.evaluation import BY_HAND, POINTS, evaluation, hand_weights
from tesuji.knowledge.loa.evaluation_weights import SHIPPED, is_evaluation_file, load_evaluation, shipped_evaluation
from tesuji.knowledge.loa.features import FEATURE_COUNT, FEATURES, features
from tesuji.knowledge.loa.mobility import transposed, turned_left, turned_right
from tesuji.knowledge.loa.winning import linking_squares, winning_entry
from tesuji.search.alphabeta import hooks
from tesuji.search.alphabeta.engine import AlphaBeta
from tesuji.search.alphabeta.options import ALPHABETA
from tesuji.search.options import SEARCH
from tesuji.search.playout import evaluate, playout_move, set_priors

GAME = find_game("loa")
EIGHT = [(c, r) for c in (-1, 0, 1) for r in (-1, 0, 1) if (c, r) != (0, 0)]


def set_of(points):
    return np.uint64(sum(1 << (8 * row + column) for column, row in points))


def points_of(bits):
    return {(n % 8, n // 8) for n in range(64) if int(bits) >> n & 1}


@cache
def positions():
    """Positions of random games, after all sorts of numbers of moves, some of one side with few pieces."""
    found = []
    for seed in range(8):
        chooser, state = random.Random(seed), GAME.new_state()
        for ply in range(120):
            if rules.is_over(state):
                break
            if ply % 5 == seed % 5:
                found.append((points_of(state["stones"][0]), points_of(state["stones"][1]), int(state["to_play"])))
            legal = GAME.legal_moves(state)
            captures = [m for m in legal if "x" in GAME.text(state, m)]
            rules.play(state, chooser.choice(captures or legal if chooser.random() < 0.6 else legal))
    for seed in range(120):
        chooser = random.Random(1000 + seed)
        low, high = seed % 4, 8 if seed % 3 else 8 - seed % 4  # some of them huddled
        low = low if high == 8 else 0
        squares = chooser.sample([(c, r) for c in range(low, high) for r in range(low, high)], 24)
        first, second = chooser.randint(1, 12), chooser.randint(1, 12)
        found.append((set(squares[:first]), set(squares[12 : 12 + second]), seed % 2))
    return found


# -- the features once more, from sets of points ---------------------------------------------------------------------------
def naive_centre(own):
    return tuple(int(sum(p[i] for p in own) / len(own) + 0.5) for i in (0, 1))


def king(one, other):
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def naive_concentration(own, _other):
    centre = naive_centre(own)
    least = ([0] + [1] * 8 + [2] * 16)[: len(own)]
    surplus = sum(king(p, centre) for p in own) - sum(least)
    return 1 / (1 + surplus / len(own))


TABLE = """-80 -25 -20 -20 -20 -20 -25 -80
-25 10 10 10 10 10 10 -25
-20 10 25 25 25 25 10 -20
-20 10 25 50 50 25 10 -20
-20 10 25 50 50 25 10 -20
-20 10 25 25 25 25 10 -20
-25 10 10 10 10 10 10 -25
-80 -25 -20 -20 -20 -20 -25 -80"""
WORTH = [[int(word) for word in line.split()] for line in TABLE.splitlines()]


def naive_centralisation(own, _other):
    return sum(WORTH[row][column] for column, row in own) / len(own)


def naive_centre_of_mass(own, _other):
    column, row = naive_centre(own)
    return WORTH[row][column]


def naive_quads(own, _other):
    centre = naive_centre(own)
    found = 0
    for column in range(7):
        for row in range(7):
            window = {(column + i, row + j) for i in (0, 1) for j in (0, 1)}
            if len(window & own) >= 3 and king((column + 0.5, row + 0.5), centre) <= 2:
                found += 1
    return found


def naive_moves(own, other):
    """(origin, target, direction) of every legal move, by walking."""
    for column, row in own:
        for dc, dr in EIGHT:
            line = {(column + n * dc, row + n * dr) for n in range(-7, 8)}
            steps = len(line & (own | other))
            path = [(column + n * dc, row + n * dr) for n in range(1, steps + 1)]
            target = path[-1]
            if min(target) < 0 or max(target) > 7 or target in own or set(path[:-1]) & other:
                continue
            yield (column, row), target, (dc, dr)


def naive_mobility(own, other):
    total = 0.0
    for origin, target, (dc, dr) in naive_moves(own, other):
        worth = 2.0 if target in other else 1.0
        if {0, 7} & set(target):
            worth /= 2
        along = (dr == 0 and origin[1] in (0, 7)) or (dc == 0 and origin[0] in (0, 7))
        total += worth / 2 if along else worth
    return total


def naive_walled(own, other):
    total = 0.0
    for column, row in own:
        inward = [(1, 0)] * (column == 0) + [(-1, 0)] * (column == 7) + [(0, 1)] * (row == 0) + [(0, -1)] * (row == 7)
        for dc, dr in inward:
            before = [(column + dc + n * dr, row + dr + n * dc) for n in (-1, 0, 1)]
            taken = [square in other for square in before]
            if taken[1] and any(taken[::2]):
                total += 1.0 if all(taken) else 0.5
    return total


def naive_walls(own, other):
    return naive_walled(other, own)


def naive_connectedness(own, _other):
    return 2 * sum(king(a, b) == 1 for a, b in combinations(own, 2)) / len(own)


def naive_uniformity(own, _other):
    columns, rows = [p[0] for p in own], [p[1] for p in own]
    return 1 / ((max(columns) - min(columns) + 1) * (max(rows) - min(rows) + 1))


NAIVE = (
    naive_concentration,
    naive_centralisation,
    naive_centre_of_mass,
    naive_quads,
    naive_mobility,
    naive_walls,
    naive_connectedness,
    naive_uniformity,
)


@pytest.mark.parametrize("number", range(8), ids=FEATURES[:8])
def test_feature_against_naive(number):
    naive = NAIVE[number]
    different = set()
    for blacks, whites, player in positions():
        found = features(set_of(blacks), set_of(whites), player)[number]
        expected = naive(blacks, whites) - naive(whites, blacks)
        assert found == pytest.approx(expected, abs=1e-12), (sorted(blacks), sorted(whites))
        different.add(round(float(found), 6))
    assert len(different) > 5  # the positions tell something of the feature


def test_the_turn_is_a_feature_and_sides_are_equal():
    for blacks, whites, player in positions()[::7]:
        one = features(set_of(blacks), set_of(whites), player)
        other = features(set_of(whites), set_of(blacks), 1 - player)
        assert one[8] == (1.0 if player == 0 else -1.0)
        assert np.allclose(one, -np.array(other))


def test_features_do_not_depend_on_how_the_board_lies():
    """A half turn moves the rounding of the centre, so only the others must stay; a mirror along the diagonal keeps all."""
    for blacks, whites, player in positions()[::7]:
        mirrored = features(set_of((r, c) for c, r in blacks), set_of((r, c) for c, r in whites), player)
        assert np.allclose(features(set_of(blacks), set_of(whites), player), mirrored)
        turned = features(set_of((7 - c, 7 - r) for c, r in blacks), set_of((7 - c, 7 - r) for c, r in whites), player)
        for n in (1, 4, 5, 6, 7, 8):
            assert turned[n] == pytest.approx(features(set_of(blacks), set_of(whites), player)[n])


def test_turning_rows_sets_diagonals_upright():
    chooser = random.Random(5)
    for _ in range(50):
        bits = np.uint64(chooser.getrandbits(64))
        points = points_of(bits)
        assert points_of(transposed(bits)) == {(r, c) for c, r in points}
        assert points_of(turned_left(bits)) == {((c - r) % 8, r) for c, r in points}
        assert points_of(turned_right(bits)) == {((c + r) % 8, r) for c, r in points}


def test_walls_by_hand():
    """Three white pieces before the black b1, two before h5: one and a half for White."""
    blacks, whites = {(1, 0), (7, 4)}, {(0, 1), (1, 1), (2, 1), (6, 4), (6, 5)}
    assert features(set_of(blacks), set_of(whites), 0)[5] == -1.5


def test_features_are_the_same_compiled():
    from tesuji.core.compiler import compiled, is_pure
    from tesuji.learn.evaluation import write_features

    if is_pure():
        pytest.skip("nothing is compiled in pure mode")
    chooser, state, moves = random.Random(2), GAME.new_state(), []
    while len(moves) < 80 and not rules.is_over(state):
        moves.append(chooser.choice(GAME.legal_moves(state)))
        rules.play(state, moves[-1])
    tables = [np.zeros((len(moves), FEATURE_COUNT)) for _ in range(2)]
    write_features(GAME.new_state(), np.array(moves, np.int32), 0, tables[0])
    compiled(write_features)(GAME.new_state(), np.array(moves, np.int32), 0, tables[1])
    assert (tables[0] == tables[1]).all() and tables[0].any()


# -- evaluators --------------------------------------------------------------------------------------------------------------
def test_evaluation_is_the_sum_of_weighted_features():
    terms = np.array([float(n + 1) for n in range(FEATURE_COUNT)])
    for blacks, whites, player in positions()[::9]:
        found = features(set_of(blacks), set_of(whites), player)
        assert evaluation(terms, set_of(blacks), set_of(whites), player) == pytest.approx(float(terms @ np.array(found)))


def test_three_evaluators():
    assert [int((hand_weights(name) != 0).sum()) for name in BY_HAND] == [3, 9]
    assert set(BY_HAND["mia2000"]) < set(BY_HAND["mia2002"]) == set(FEATURES)
    shipped = shipped_evaluation()
    assert shipped.games > 1000 and shipped.positions > 20000 and (shipped.terms != 0).all()
    assert 1 / (1 + np.exp(-1000 / POINTS)) == pytest.approx(0.95)
    terms = [policy(name).terms for name in ("mia2000", "mia2002", "mia2006", "mc-loa")]
    assert (terms[0] == hand_weights("mia2000")).all() and (terms[1] == hand_weights("mia2002")).all()
    assert (terms[2] == shipped.terms).all() and (terms[3] == shipped.terms).all()


def test_a_side_that_is_almost_connected_is_ahead():
    huddled = {(3, 3), (3, 4), (4, 3), (4, 4), (5, 4), (2, 2), (5, 6)}
    scattered = {(0, 0), (7, 0), (0, 7), (7, 6), (1, 4), (6, 1), (3, 7)}
    for name in ("mia2000", "mia2002", "mia2006"):
        terms = policy(name).terms
        assert evaluation(terms, set_of(huddled), set_of(scattered), 1) > 1000
        assert evaluation(terms, set_of(scattered), set_of(huddled), 0) < -1000


def changed(tmp_path, **values):
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(json.loads(SHIPPED.read_text()) | values))
    return path


WEIGHTS = dict.fromkeys(FEATURES, 1.0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"version": 2}, "has version 2, not 1"),
        ({"game": "hex"}, "of the game hex, not of loa"),
        ({"format": "something"}, "is not a file of evaluation weights"),
        ({"weights": {"walls": 1.0}}, "damaged"),
        ({"weights": WEIGHTS | {"more": 1.0}}, "damaged"),
        ({"weights": WEIGHTS | {"walls": "much"}}, "damaged"),
        ({"weights": WEIGHTS | {"walls": float("nan")}}, "damaged"),
        ({"weights": [1.0]}, "damaged"),
        ({"games": None}, "damaged"),
    ],
)
def test_other_files_are_refused(tmp_path, values, message):
    with pytest.raises(UserError, match=message) as error:
        load_evaluation(changed(tmp_path, **values))
    assert "\n" not in str(error.value)


def test_files_are_read_back(tmp_path):
    shipped_evaluation().save(tmp_path / "w.json")
    assert (tmp_path / "w.json").read_text() == SHIPPED.read_text()
    assert (load_evaluation(tmp_path / "w.json").terms == shipped_evaluation().terms).all()
    for content in (b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000):
        (tmp_path / "no.json").write_bytes(content)
        assert not is_evaluation_file(tmp_path / "no.json")
        with pytest.raises(UserError, match="is not a file of evaluation weights"):
            load_evaluation(tmp_path / "no.json")
    with pytest.raises(UserError, match="cannot be read"):
        load_evaluation(tmp_path / "nowhere")


# -- winning moves -----------------------------------------------------------------------------------------------------------
def near_the_end(count, mover_wins=0):
    """Positions with a few pieces near each other, the game not over, in many of which a move wins."""
    made = []
    seed = 0
    blank = find_game("loa:simultaneous=mover" if mover_wins else "loa").start
    while len(made) < count:
        chooser = random.Random(seed)
        seed += 1
        room = [(c, r) for c in range(1, 6) for r in range(1, 6)]
        chooser.shuffle(room)
        split, end = chooser.randint(2, 8), chooser.randint(9, 16)
        stones = dict.fromkeys(room[:split], 0) | dict.fromkeys(room[split:end], 1)
        try:
            state = GAME.board.set_up(blank, stones, seed % 2)
        except UserError:
            continue
        if not rules.is_over(state):
            made.append(state)
    return made


def winners(state):
    """The moves after which the mover has won, by making them all."""
    found = []
    for move in GAME.legal_moves(state):
        after = np.zeros(1, state.dtype)
        after[0] = state
        rules.play(after[0], move)
        if after[0]["over"] and rules.outcome(after[0]) == (1 if state["to_play"] == 0 else -1):
            found.append(move)
    return found


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
def policy(name):
    return POLICIES[name](SEARCH.settings())


def test_the_best_policy_comes_first():
    assert next(iter(POLICIES)) == "mc-loa" and "categories" in POLICIES


def test_mc_loa_draws_as_categories_do():
    one, other = policy("mc-loa"), policy("categories")
    buffer = np.zeros(GAME.buffer_size, np.int32)
    first, second = make_rng(7), make_rng(7)
    state = GAME.position(["c8-c6", "h2-f2", "g1-g3", "a3xc1"])
    for _ in range(80):
        if rules.is_over(state):
            break
        move = int(playout_move(one, state, buffer, first))
        assert move == playout_move(other, state, buffer, second)
        rules.play(state, move)


def test_priors_are_the_probabilities_of_categories():
    mine = policy("mc-loa")
    for state in [*near_the_end(20), blocked_state(), GAME.new_state()]:
        legal = np.array(GAME.legal_moves(state), np.int32)
        priors = np.zeros(len(legal))
        set_priors(mine, state, legal, len(legal), priors)
        assert priors.tolist() == [float(mine.weights[category_of(state, m)]) for m in legal]


def test_decisive_playouts_win_at_once():
    buffer, rng = np.zeros(GAME.buffer_size, np.int32), make_rng(3)
    plain, decisive = policy("mc-loa"), policy("decisive")
    missed = 0
    for state in near_the_end(80):
        won = winners(state)
        if won:
            assert int(playout_move(decisive, state, buffer, rng)) in won
            missed += int(playout_move(plain, state, buffer, rng)) not in won
    assert missed > 10


def after(state, move):
    copy = np.zeros(1, state.dtype)
    copy[0] = state
    rules.play(copy[0], move)
    return copy[0]


def test_best_of_many_plays_what_looks_best():
    """Of very many drawn moves the best evaluated is the best of all those that are drawn now and then."""
    greedy = policy("mc-loa")._replace(best_of=400)
    buffer, rng = np.zeros(GAME.buffer_size, np.int32), make_rng(4)
    for moves in (["c8-c6"], ["c8-c6", "h2-f2"], ["c8-c6", "h2-f2", "g1-g3", "a3xc1"]):
        state = GAME.position(moves)
        sign = 1 if state["to_play"] == 0 else -1
        legal = GAME.legal_moves(state)
        weights = {m: greedy.weights[category_of(state, m)] for m in legal}
        likely = [m for m in legal if weights[m] > 0.03 * sum(weights.values())]
        chosen = int(playout_move(greedy, state, buffer, rng))
        assert chosen in legal
        points = sign * evaluate(greedy, after(state, chosen))
        assert points >= max(sign * evaluate(greedy, after(state, m)) for m in likely)


def blocked_state():
    points = {("abcdefgh".index(s[0]), int(s[1]) - 1): 0 for s in ("a2", "b1", "b2", "g1", "g2", "h2", "d8")}
    return GAME.board.set_up(GAME.start, points | {(0, 0): 1, (7, 0): 1}, 1)


@pytest.mark.parametrize("name", list(POLICIES))
def test_every_policy_passes_where_there_is_no_move(name):
    assert playout_move(policy(name), blocked_state(), np.zeros(96, np.int32), make_rng(1)) == PASS


# -- what alpha-beta asks ----------------------------------------------------------------------------------------------------
def test_keys_forget_the_way_but_not_the_turn():
    mine = policy("mia2006")
    there = GAME.position(["c8-c6", "h7-f7"])
    back = GAME.position(["c8-c6", "h7-f7", "c6-c8", "f7-h7", "c8-c6", "h7-f7"])
    assert (there["stones"] == back["stones"]).all()
    assert rules.position_hash(there) != rules.position_hash(back)
    assert hooks.search_hash(mine, there) == hooks.search_hash(mine, back)
    turned, late, later = (GAME.position(["c8-c6", "h7-f7"]) for _ in range(3))
    turned["to_play"] = 1 - turned["to_play"]
    late["ply"], later["ply"] = 990, 992
    assert len({int(hooks.search_hash(mine, s)) for s in (there, turned, late, later)}) == 4


def test_skipping_a_turn_is_a_pass():
    mine = policy("mia2006")
    state = GAME.position(["c8-c6", "h2-f2", "g1-g3"])
    before = after(state, GAME.legal_moves(state)[0])
    copy = GAME.position(["c8-c6", "h2-f2", "g1-g3"])
    assert hooks.skip_turn(mine, copy)
    assert (copy["to_play"], copy["ply"], copy["quiet"]) == (0, 4, 4) == (before["to_play"], before["ply"], before["quiet"])
    assert (copy["stones"] == state["stones"]).all() and copy["seen"][4] == copy["seen"][3]
    copy["quiet"] = QUIET_LIMIT - 1
    kept = bytes(copy)
    assert not hooks.skip_turn(mine, copy) and bytes(copy) == kept


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
        hooks.rate_moves(mine, state, legal, len(legal), orders, chances)
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
