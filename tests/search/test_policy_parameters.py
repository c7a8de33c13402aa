"""What a policy can tell the search, and the parameters that ask for it: each seen at work on a small game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from tesuji.core.dispatch import implements
from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.rules import moves
from tesuji.games.registry import find_game
from tesuji.search import answer
from tesuji.search.engine import Search
from tesuji.search.options import SEARCH
from tesuji.search.playout import candidates, evaluate, playout_move, set_expectations
from tesuji.search.tree import ROOT


class Stubborn(NamedTuple):
    """Always the legal move of the least number; never move 4 in the tree; expects much of move 0; likes player 0."""

    liking: float


@implements(playout_move, Stubborn)
def least_move(policy, state, buffer, rng):
    count = moves(state, buffer)
    least = buffer[0]
    for i in range(1, count):
        least = min(least, buffer[i])
    return least


@implements(candidates, Stubborn)
def all_but_4(policy, state, out):
    count = moves(state, out)
    kept = 0
    for i in range(count):
        if out[i] != 4 or count == 1:
            out[kept] = out[i]
            kept += 1
    return kept


@implements(set_expectations, Stubborn)
def hope_for_0(policy, state, listed, count, values):
    for i in range(count):
        values[i] = 1.0 if listed[i] == 0 else 0.25


@implements(evaluate, Stubborn)
def liking(policy, state):
    return policy.liking


def searched(playouts, game="tictactoe", liking=0.0, pure=True, **values):
    settings = SEARCH.settings({"memory": 4.0, "solver": "off", **values})
    search = Search(find_game(game), settings=settings, policy=Stubborn(liking), seed=1, pure=pure)
    search.run(Limits(playouts=playouts))
    return search


def root_moves(search):
    nodes = search.tree.nodes
    return {int(nodes[child]["move"]): child for child in answer.children_of(search.tree, ROOT)}


def test_a_policy_leaves_moves_out_of_the_tree_but_not_out_of_a_proof():
    assert sorted(root_moves(searched(3))) == [0, 1, 2, 3, 5, 6, 7, 8]
    assert sorted(root_moves(searched(3, solver="bounds"))) == list(range(9))


def test_below_the_threshold_the_policy_draws_and_then_the_rule_chooses():
    search = searched(20, policy_below=20)
    visits = {move: int(search.tree.nodes[child]["visits"]) for move, child in root_moves(search).items()}
    assert visits[0] == 20 and sum(visits.values()) == 20
    search = searched(28, policy_below=20)
    visits = {move: int(search.tree.nodes[child]["visits"]) for move, child in root_moves(search).items()}
    assert visits[0] >= 20 and len([v for v in visits.values() if v]) > 5


def test_minus_one_means_the_points_of_the_board():
    game = find_game("go:3")
    settings = SEARCH.settings({"memory": 4.0, "solver": "off", "policy_below": -1})
    assert Search(game, settings=settings).options.policy_below == 9


@pytest.mark.parametrize("pure", [True, False])
def test_all_moves_as_first_begins_with_expectations(pure):
    search = searched(2, rave=True, prior_games=8, pure=pure)
    children = root_moves(search)
    untouched = [move for move in (7, 8) if search.tree.nodes[children[move]]["visits"] == 0]
    entry = search.tree.rave[children[untouched[0]]]
    assert entry["visits"] >= 8
    fresh = searched(1, rave=True, prior_games=8, pure=pure)
    children = root_moves(fresh)
    sums = {move: int(fresh.tree.rave[child]["sum"]) for move, child in children.items()}
    games = {move: int(fresh.tree.rave[child]["visits"]) for move, child in children.items()}
    # Outcomes run from -1 to 1: 8 games at 1.0 are 8, at 0.25 they are -4; a real game adds a result to its moves.
    assert abs(sums[0] - 8) <= 1 and all(abs(sums[move] + 4) <= 1 for move in children if move != 0)
    assert set(games.values()) <= {8, 9}


def test_player_1_expects_for_itself():
    game = find_game("tictactoe")
    settings = SEARCH.settings({"memory": 4.0, "solver": "off", "rave": True, "prior_games": 8})
    search = Search(game, game.position(["b2"]), settings, Stubborn(0.0), seed=1, pure=True)
    search.run(Limits(playouts=1))
    entry = search.tree.rave[root_moves(search)[0]]
    assert int(entry["sum"]) <= -7  # a win for player 1 is -1


def test_an_evaluation_beyond_the_limit_ends_a_playout():
    for liked, expected in ((2000.0, 1), (-2000.0, -1)):
        search = searched(1, liking=liked, evaluate_every=1, evaluation_limit=1000.0)
        assert int(search.tree.nodes[ROOT]["sum"]) == expected
    below = searched(9, liking=999.0, evaluate_every=1, evaluation_limit=1000.0)
    assert below.tree_hash() == searched(9).tree_hash()  # it goes on to the end


def test_a_playout_at_its_cap_is_a_draw():
    assert int(searched(1, playout_cap=2).tree.nodes[ROOT]["sum"]) == 0


@pytest.mark.parametrize("pure", [True, False])
def test_only_wins_count(pure):
    settings = SEARCH.settings({"memory": 4.0, "reward": "win", "rave": True})
    search = Search(find_game("dotsandboxes:2x2"), settings=settings, seed=2, pure=pure)
    result = search.run(Limits(playouts=100))
    nodes = search.tree.nodes[: search.result().nodes]
    assert np.all(np.abs(nodes["sum"]) <= nodes["visits"])
    assert result.value_range == (-1, 1) and all(-1 <= report.value <= 1 for report in result.moves)
    assert result.lower >= -4 and result.upper <= 4  # bounds stay outcomes


def test_with_only_wins_pure_and_compiled_agree():
    hashes = []
    for pure in (True, False):
        settings = SEARCH.settings({"memory": 4.0, "reward": "win", "policy_below": 5, "clamp_scores": True})
        search = Search(find_game("dotsandboxes:2x2"), settings=settings, seed=2, pure=pure)
        search.run(Limits(playouts=200))
        hashes.append(search.tree_hash())
    assert hashes[0] == hashes[1]


def test_stopping_early_never_changes_a_number_of_playouts():
    for seed in (1, 2):
        search = Search(find_game("tictactoe"), settings=SEARCH.settings({"solver": "off", "stop_early": True}), seed=seed)
        assert search.run(Limits(playouts=137)).playouts == 137


def test_a_time_that_cannot_change_the_move_is_not_used_up():
    search = Search(find_game("tictactoe"), settings=SEARCH.settings({"solver": "off", "stop_early": True}), pure=True)
    search.run(Limits(playouts=50))
    for child in answer.children_of(search.tree, ROOT):
        search.tree.nodes[child]["visits"] = 1
    search.tree.nodes[answer.children_of(search.tree, ROOT)[0]]["visits"] = 1000
    search._at_start = 0
    search.playouts = 1000
    assert search._is_settled(10.0, 6.0)  # 666 more in four seconds: not enough
    assert not search._is_settled(30.0, 6.0)
    result = search.run(Limits(seconds=1e-6))
    assert result.best_move is not None


def test_resigning_takes_a_hundred_playouts():
    settings = SEARCH.settings({"memory": 4.0, "solver": "off"})
    for playouts, expected in ((99, False), (100, True)):
        result = Search(find_game("tictactoe"), settings=settings, seed=1, pure=True).run(Limits(playouts=playouts))
        assert result.is_hopeless(0.999) is expected
        assert not result.is_hopeless(0.0)
        assert result.best_value == result.moves[0].value


def test_a_policy_that_does_not_exist_is_refused_with_those_that_do():
    from tesuji.core.errors import UserError
    from tesuji.players.presets import find_player, new_search

    with pytest.raises(UserError, match="uniform, local, crazystone"):
        new_search(find_player("uct-rave:policy=mogo"), find_game("go:5"))
    with pytest.raises(UserError, match="plays go"):
        new_search(find_player("crazystone"), find_game("tictactoe"))


def test_a_player_differs_by_game_and_changes_stand_above():
    from tesuji.players.presets import find_player

    player = find_player("uct-rave")
    assert player.settings_for(find_game("go:5"))["reward"] == "win"
    assert player.settings_for(find_game("tictactoe"))["reward"] == "outcome"
    assert find_player("uct-rave:reward=outcome").settings_for(find_game("go:5"))["reward"] == "outcome"


@pytest.mark.parametrize("solver", ["off", "win-loss", "bounds"])
def test_estimates_are_those_of_the_best_moves_everywhere_in_the_tree(solver):
    search = searched(150, solver=solver, minimax_weight=0.4, first_play=0.5, transpositions=False)
    nodes, estimates = search.tree.nodes, search.tree.estimates
    inner = 0
    for node in range(answer.node_count(search.tree)):
        children = answer.children_of(search.tree, node)
        if not children:
            continue
        inner += 1
        values = []
        for child in children:
            lower, upper = int(nodes[child]["lower"]), int(nodes[child]["upper"])
            proven = solver != "off" and (lower == upper or (solver == "win-loss" and (lower > 0 or upper < 0)))
            sure = lower if lower == upper else 1 if lower > 0 else -1
            values.append((sure + 1) / 2 if proven else float(estimates[child]))
            if not proven and nodes[child]["visits"] == 0:
                hoped = 1.0 if int(nodes[child]["move"]) == 0 else 0.25
                assert estimates[child] == (hoped if int(nodes[node]["to_play"]) == 0 else 1 - hoped)
        best = max(values) if int(nodes[node]["to_play"]) == 0 else min(values)
        assert estimates[node] == np.float32(best)
    assert inner > 5


def test_the_estimate_leads_the_choice():
    """Nothing is known of the moves but that much is expected of move 0."""
    search = searched(40, minimax_weight=1.0, first_play=0.5, exploration=0.0)
    visits = {move: int(search.tree.nodes[child]["visits"]) for move, child in root_moves(search).items()}
    assert visits[0] >= 30


def test_an_estimate_that_counts_for_some_games_fades():
    """Much is expected of move 0, which these playouts always lose. At first it is chosen; later others are."""
    values = {"estimate_games": 4.0, "exploration": 0.0, "liking": -1e12, "judge_after": 0, "expand_after": 1000}
    early = root_moves_visits(searched(2, **values))
    assert early[0] == 2
    late = root_moves_visits(searched(60, **values))
    assert late[0] < 40 and min(late.values()) > 0 and sum(late.values()) == 60


def root_moves_visits(search):
    return {move: int(search.tree.nodes[child]["visits"]) for move, child in root_moves(search).items()}


def test_estimates_and_scores_of_moves_do_not_mix():
    with pytest.raises(UserError, match="minimax_weight and estimate_games go with selection=bandit"):
        searched(1, selection="gaussian", minimax_weight=0.5)


@pytest.mark.parametrize(("liking", "chance"), [(0.0, 0.5), (1000.0, 0.95), (-1000.0, 0.05), (1e12, 1.0), (-1e12, 0.0)])
def test_a_judged_playout_counts_as_much_as_its_evaluation(liking, chance):
    search = searched(20, liking=liking, judge_after=0, expand_after=1000)
    root = search.tree.nodes[ROOT]
    assert int(root["sum"]) == 20 * round(1000 * (2 * chance - 1))
    result = search.result()
    assert result.value == pytest.approx(2 * chance - 1) and result.value_range == (-1, 1)
    assert result.chance(result.value) == pytest.approx(chance)


def test_a_playout_is_judged_after_so_many_moves():
    """Player 0's first three moves in a row win before ply 6 is over: at 9 nothing is left to judge."""
    with_end = searched(50, liking=-1e12, judge_after=9, expand_after=1000)
    assert int(with_end.tree.nodes[ROOT]["sum"]) > 0
    cut = searched(50, liking=-1e12, judge_after=2, expand_after=1000)
    assert int(cut.tree.nodes[ROOT]["sum"]) == -50 * 1000


def test_the_policy_may_be_kept_from_proven_moves():
    """The policy always draws the least move. Once that is proven lost, it is visited again only where that is allowed."""
    most_visits = []
    for revisit in (True, False):
        search = searched(
            400, solver="win-loss", policy_below=1 << 20, revisit_proven=revisit, cuts=False, transpositions=False
        )
        nodes = search.tree.nodes[: answer.node_count(search.tree)]
        proven = nodes[(nodes["lower"] > 0) | (nodes["upper"] < 0)]
        most_visits.append(int(proven["visits"].max()))
    assert most_visits[0] > 300 and most_visits[1] < 20


def test_judging_needs_an_evaluation_and_the_bandit():
    """Without an evaluation every game of eight moves would be a draw: playouts go on to their end instead."""
    settings = SEARCH.settings({"memory": 4.0, "solver": "off", "judge_after": 0})
    search = Search(find_game("tictactoe"), settings=settings, seed=1, pure=True)
    result = search.run(Limits(playouts=50))
    assert any(move.value != 0.0 for move in result.moves) and -1 <= result.value <= 1
    with pytest.raises(UserError, match="judge_after goes with selection=bandit"):
        searched(1, selection="gaussian", judge_after=2)


def test_judged_playouts_and_all_moves_as_first_and_clamped_scores():
    for more in ({"rave": True}, {"solver": "bounds", "clamp_scores": True}, {"reward": "win"}):
        search = searched(60, liking=1000.0, judge_after=1, **more)
        result = search.result()
        assert -1 <= result.value <= 1 and all(-1 <= move.value <= 1 for move in result.moves)
        assert all(move.rave is None or -1 <= move.rave <= 1 for move in result.moves)
        assert result.value > 0.5


def test_a_search_with_estimates_goes_on_from_a_file(tmp_path):
    values = {"memory": 4.0, "solver": "win-loss", "minimax_weight": 0.3, "estimate_games": 3.0, "first_play": 0.5}
    whole = Search(find_game("tictactoe"), settings=SEARCH.settings(values), seed=1, pure=True)
    whole.run(Limits(playouts=80))
    first = Search(find_game("tictactoe"), settings=SEARCH.settings(values), seed=1, pure=True)
    first.run(Limits(playouts=30))
    first.save(tmp_path / "s")
    second = Search.load(tmp_path / "s")
    second.pure = True
    second.run(Limits(playouts=50))
    assert second.tree_hash() == whole.tree_hash()


def test_the_end_of_a_game_is_its_estimate():
    search = searched(200, minimax_weight=0.5, first_play=0.5)
    nodes, estimates = search.tree.nodes, search.tree.estimates
    ends = [n for n in range(answer.node_count(search.tree)) if depth_of(nodes, n) == 9 and nodes[n]["visits"] > 0]
    assert ends and all(estimates[n] in (0.0, 0.5, 1.0) for n in ends)


def depth_of(nodes, node):
    depth = 0
    while node != ROOT:
        node, depth = int(nodes[node]["parent"]), depth + 1
    return depth
