"""What a policy can tell the search, and the parameters that ask for it: each seen at work on a small game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from tesuji.core.dispatch import implements
from tesuji.core.errors import GameError, UserError
from tesuji.core.limits import Limits
from tesuji.core.parameters import Settings
from tesuji.core.rules import moves, random_move
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.search.engine.final_move import ANSWER
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch, final_move
from tesuji.search.kernel.tree import PRUNED, ROOT
from tesuji.search.policy import (
    PRIOR,
    VALUE,
    begin_playout,
    evaluate,
    notes_type,
    played,
    playout_move,
    prunes_by_guess,
    rate_moves,
    uniform_move,
)
from tesuji.search.selection.rave import Rave
from tesuji.search.selection.registry import features_of
from tesuji.search.selection.uct import Uct

HASTY = (SEARCH + ANSWER).settings({"solver": "off", "stop_early": True})


class Stubborn(NamedTuple):
    """Always the legal move of the least number; never move 4 in the tree; expects much of move 0; likes player 0."""

    liking: float
    games: int = 8


@implements(playout_move, Stubborn)
def least_move(policy, notes, state, rng):
    listed = notes["moves"]
    count = moves(state, listed)
    least = listed[0]
    for i in range(1, count):
        least = min(least, listed[i])
    return least


@implements(rate_moves, Stubborn)
def hope_for_0_and_leave_4_out(policy, state, listed, count, ratings):
    for i in range(count):
        ratings[i]["value"] = 1.0 if listed[i] == 0 else 0.25
        ratings[i]["games"] = policy.games
        ratings[i]["kept"] = listed[i] != 4 or count == 1


@implements(prunes_by_guess, Stubborn)
def guesses(policy):
    return True


@implements(evaluate, Stubborn)
def liking(policy, state):
    return policy.liking


def searched(playouts, game="tictactoe", liking=0.0, pure=True, **values):
    settings = Settings(SEARCH, {"memory": 4.0, "solver": "off", **values})  # what has no effect is left out
    search = TreeSearch(find_game(game), settings=settings, policy=Stubborn(liking), seed=1, pure=pure)
    search.run(Limits(playouts=playouts))
    return search


def root_moves(search):
    nodes = search.tree.nodes
    return {int(nodes[child]["move"]): child for child in final_move.children_of(search.tree, ROOT)}


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
    assert TreeSearch(game, settings=settings).options.policy_below == 9


def test_all_moves_as_first_begins_with_expectations():
    search = searched(2, selection="rave")
    children = root_moves(search)
    untouched = [move for move in (7, 8) if search.tree.nodes[children[move]]["visits"] == 0]
    entry = search.tree.statistics[children[untouched[0]]]
    assert entry["visits"] >= 8
    fresh = searched(1, selection="rave")
    children = root_moves(fresh)
    sums = {move: int(fresh.tree.statistics[child]["sum"]) for move, child in children.items()}
    games = {move: int(fresh.tree.statistics[child]["visits"]) for move, child in children.items()}
    # Outcomes run from -1 to 1: 8 games at 1.0 are 8, at 0.25 they are -4; a real game adds a result to its moves.
    assert abs(sums[0] - 8) <= 1 and all(abs(sums[move] + 4) <= 1 for move in children if move != 0)
    assert set(games.values()) <= {8, 9}


def test_player_1_expects_for_itself():
    game = find_game("tictactoe")
    settings = SEARCH.settings({"memory": 4.0, "solver": "off", "selection": "rave"})
    search = TreeSearch(game, game.state_after(["b2"]), settings, Stubborn(0.0), seed=1, pure=True)
    search.run(Limits(playouts=1))
    entry = search.tree.statistics[root_moves(search)[0]]
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
    settings = SEARCH.settings({"memory": 4.0, "reward": "win"})
    search = TreeSearch(find_game("dotsandboxes:2x2"), settings=settings, seed=2, pure=pure)
    result = search.run(Limits(playouts=100))
    nodes = search.tree.nodes[: search.result().nodes]
    assert np.all(np.abs(nodes["sum"]) <= nodes["visits"])
    assert result.value_range == (-1, 1) and all(-1 <= report.value <= 1 for report in result.moves)
    assert result.lower >= -4 and result.upper <= 4  # bounds stay outcomes


def test_with_only_wins_pure_and_compiled_agree():
    hashes = []
    for pure in (True, False):
        settings = SEARCH.settings({"memory": 4.0, "reward": "win", "policy_below": 5})
        search = TreeSearch(find_game("dotsandboxes:2x2"), settings=settings, seed=2, pure=pure)
        search.run(Limits(playouts=200))
        hashes.append(search.tree_hash())
    assert hashes[0] == hashes[1]


def test_stopping_early_never_changes_a_number_of_playouts():
    for seed in (1, 2):
        search = TreeSearch(find_game("tictactoe"), settings=HASTY, seed=seed)
        assert search.run(Limits(playouts=137)).playouts == 137


def test_a_time_that_cannot_change_the_move_is_not_used_up():
    search = TreeSearch(find_game("tictactoe"), settings=HASTY, pure=True)
    search.run(Limits(playouts=50))
    for child in final_move.children_of(search.tree, ROOT):
        search.tree.nodes[child]["visits"] = 1
    search.tree.nodes[final_move.children_of(search.tree, ROOT)[0]]["visits"] = 1000
    search._at_start = 0
    search.playouts = 1000
    assert search._can_stop_early(0.6)  # 666 more in four seconds: not enough
    assert not search._can_stop_early(0.2)
    result = search.run(Limits(seconds=1e-6))
    assert result.best_move is not None


def test_a_move_is_in_doubt_while_another_is_better_or_may_overtake_it():
    search = TreeSearch(find_game("tictactoe"), settings=HASTY, pure=True)
    search.run(Limits(playouts=50))
    children = search.tree.nodes[final_move.children_of(search.tree, ROOT)[0] :][:9]
    children["visits"], children["sum"] = 1, 0
    children["visits"][:2] = 700, 200
    search._at_start, search.playouts = 0, 1000
    assert not search._is_in_doubt(0.5)  # 1,000 more: 700 for the second and 300 for the first are not likely
    assert search._is_in_doubt(0.4)
    children["sum"][0] = -100 * search.options.scale.unit
    assert search._is_in_doubt(0.9), "the second is better than the first, and the first player moves"
    children["sum"][0] = 100 * search.options.scale.unit
    assert not search._is_in_doubt(0.5)


def test_a_forced_move_takes_no_more_than_it_takes_to_resign():
    game = find_game("tictactoe")
    state = game.state_after([0, 1, 2, 4, 3, 5, 7, 6])
    search = TreeSearch(game, state, settings=HASTY, pure=True)
    assert search.run(Limits(playouts=50)).moves[0].visits == 50
    assert not search._can_stop_early(0.1)
    search.run(Limits(playouts=50))
    assert search._can_stop_early(0.1)


def test_moves_that_are_proven_or_pruned_are_not_in_the_race_for_the_most_visits():
    settings = (SEARCH + ANSWER).settings({"solver": "bounds", "stop_early": True})
    search = TreeSearch(find_game("connect4:5x4"), settings=settings, pure=True)
    search.run(Limits(playouts=50))
    children = search.tree.nodes[final_move.children_of(search.tree, ROOT)[0] :][:5]
    children["visits"] = (10_000, 500, 499, 1, 1)
    search._at_start, search.playouts = 0, 1000
    assert search._can_stop_early(0.5)  # as long as it may be played
    children["upper"][0] = children["lower"][0]
    assert not search._can_stop_early(0.5)  # 1,000 more in the other half of the time
    children["upper"][0], children["flags"][0] = 1, PRUNED
    search.options = search.options._replace(studies=True)
    assert not search._can_stop_early(0.5)


def test_resigning_takes_a_hundred_playouts():
    settings = SEARCH.settings({"memory": 4.0, "solver": "off"})
    for playouts, expected in ((99, False), (100, True)):
        result = TreeSearch(find_game("tictactoe"), settings=settings, seed=1, pure=True).run(Limits(playouts=playouts))
        assert result.is_hopeless(0.999) is expected
        assert not result.is_hopeless(0.0)
        assert result.best_value == result.moves[0].value


def test_a_policy_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(UserError, match=r"auto \| uniform \| network \| local \| crazystone \| mogo"):
        find_player("uct-rave:policy=mine").engine(find_game("go:5"))
    with pytest.raises(UserError, match="plays go"):
        find_player("crazystone").engine(find_game("tictactoe"))


def test_a_player_differs_by_game_and_changes_stand_above():
    player = find_player("uct-rave")
    assert player.settings_for(find_game("go:5"))["reward"] == "win"
    assert player.settings_for(find_game("tictactoe"))["reward"] == "outcome"
    assert find_player("uct-rave:reward=outcome").settings_for(find_game("go:5"))["reward"] == "outcome"


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
        nodes = search.tree.nodes[: final_move.node_count(search.tree)]
        proven = nodes[(nodes["lower"] > 0) | (nodes["upper"] < 0)]
        most_visits.append(int(proven["visits"].max()))
    assert most_visits[0] > 300 and most_visits[1] < 20


def test_judging_needs_an_evaluation_and_whole_outcomes():
    """Without an evaluation every game of eight moves would be a draw."""
    settings = SEARCH.settings({"memory": 4.0, "solver": "off", "judge_after": 0})
    with pytest.raises(UserError, match="an evaluation, which the policy Uniform does not have"):
        TreeSearch(find_game("tictactoe"), settings=settings, seed=1, pure=True)
    with pytest.raises(UserError, match="judge_after cannot be used with Gaussian"):
        searched(1, selection="gaussian", judge_after=2)
    with pytest.raises(UserError, match=r"judge_after has no effect here: it needs a policy with an evaluation"):
        find_player("tesuji:judge_after=3").settings_for(find_game("tictactoe"))


def test_judged_playouts_and_all_moves_as_first_and_proofs():
    for more in ({"selection": "rave"}, {"solver": "bounds"}, {"reward": "win"}):
        search = searched(60, liking=1000.0, judge_after=1, **more)
        result = search.result()
        assert -1 <= result.value <= 1 and all(-1 <= move.value <= 1 for move in result.moves)
        assert all(move.rave is None or -1 <= move.rave <= 1 for move in result.moves)
        assert result.value > 0.5


def test_parameters_need_what_rule_and_policy_have_in_common():
    class Rating(NamedTuple):
        GIVES = (PRIOR, VALUE)

    assert features_of(Rave, Rating) >= {VALUE} and PRIOR not in features_of(Rave, Rating)
    assert not features_of(Uct, Rating) & {PRIOR, VALUE}
    with pytest.raises(UserError, match="prior_games has no effect here: it needs a policy with values"):
        find_player("uct:policy=local,prior_games=3").settings_for(find_game("go:5"))


# -- notes -------------------------------------------------------------------------------------------------------------------
class Diary(NamedTuple):
    """Counts the moves of a playout, adds up their numbers, and plays them in turn from there."""

    NOTES = (("length", np.int64), ("sum", np.float64), ("begun", np.int64))


@implements(begin_playout, Diary)
def open_diary(policy, notes, state):
    notes["length"] = 0
    notes["sum"] = 0.0
    notes["begun"] += 1


@implements(played, Diary)
def write_diary(policy, notes, state, move):
    notes["length"] += 1
    notes["sum"] += move


@implements(playout_move, Diary)
def turn_page(policy, notes, state, rng):
    count = moves(state, notes["moves"])
    return notes["moves"][(notes["length"] + np.int64(notes["sum"])) % count]


@pytest.mark.parametrize("pure", [True, False])
def test_a_policy_keeps_notes_during_a_playout(pure):
    settings = SEARCH.settings({"memory": 4.0, "solver": "off", "expand_after": 1000})
    search = TreeSearch(find_game("tictactoe"), settings=settings, policy=Diary(), seed=1, pure=pure)
    search.run(Limits(playouts=1))
    notes = search.scratches[0].notes[0]
    assert notes["begun"] == 1 and 4 <= notes["length"] <= 8  # the first move was the tree's
    search.run(Limits(playouts=9))
    assert notes["begun"] == 10


def test_notes_are_the_same_compiled():
    hashes = []
    for pure in (True, False):
        settings = SEARCH.settings({"memory": 4.0, "policy_below": 5})
        search = TreeSearch(find_game("tictactoe"), settings=settings, policy=Diary(), seed=1, pure=pure)
        search.run(Limits(playouts=60))
        hashes.append(search.tree_hash())
    assert hashes[0] == hashes[1]


def test_the_room_for_moves_is_one_for_all_sizes_of_a_game():
    uniform = TreeSearch(find_game("tictactoe"), settings=SEARCH.settings({"memory": 1.0})).policy
    assert notes_type(uniform, 9) == notes_type(uniform, 362) != notes_type(uniform, 600)


def test_notes_that_are_no_record_are_refused():
    class Sloppy(NamedTuple):
        NOTES = "nothing"

    implements(playout_move, Sloppy)(uniform_move)
    with pytest.raises(UserError, match=r"the NOTES of the policy Sloppy \(.*\) are not valid record fields"):
        TreeSearch(find_game("tictactoe"), settings=SEARCH.settings({"memory": 1.0}), policy=Sloppy())


def test_a_policy_that_prunes_every_move_is_named(untried):
    class Lazy(NamedTuple):
        """Sees nothing worth a move once two were made."""

    @implements(playout_move, Lazy)
    def lazy_move(policy, notes, state, rng):
        return random_move(state, notes["moves"], rng)

    @implements(rate_moves, Lazy)
    def lose_interest(policy, state, listed, count, ratings):
        for i in range(count):
            ratings[i]["kept"] = count > 7

    for solver in ("off", "bounds"):
        settings = SEARCH.settings({"memory": 4.0, "solver": solver})
        search = TreeSearch(find_game("tictactoe"), settings=settings, policy=Lazy(), seed=1, pure=True)
        with pytest.raises(GameError, match=r"the policy Lazy .* prunes every move of tictactoe after [abc][123] [abc][123]$"):
            search.run(Limits(playouts=500))
