"""Which moves of Go enter the tree, and what a pass is worth there. The large positions are from games that were lost by it."""

import numpy as np
import pytest
from go_positions import picture, ratings_of

from tesuji.core import rules
from tesuji.core.limits import Limits
from tesuji.core.random import make_rng
from tesuji.games.go.legality import is_eye
from tesuji.games.go.state import NEIGHBOURS
from tesuji.games.registry import find_game
from tesuji.knowledge.registry import make_policy
from tesuji.players.presets import find_player
from tesuji.search.engine.final_move import children_of
from tesuji.search.kernel.tree import ROOT
from tesuji.search.selection.rave import NOT_KEPT

# Black to move: only A3 wins. It fills a false eye.
FALSE_EYE = ".O.XXXX.X OXXXOXXXX OOOOOXOOX .OXXXO.OO XOX.XOO.O XOXXXXO.. .XXXOXO.. X.XOOOO.. .XOO....."
# Black to move: ahead by 2.5 points as it stands, and every move but a pass loses stones.
PASS_WINS = "OO.OOXXXX OOOO.OX.X OXOOOOOXX XXXOO.OXX XXXXOOXOX XXXXXXXOX X.XOOOOO. XXXXXXXOO XX.X.XOO."
PLAYERS = ("mogo", "uct-rave", "crazystone")


def searched(rows, player, playouts, seed):
    game, state = picture(rows)
    search = find_player(player).engine(game, state, seed)
    result = search.run(Limits(playouts=playouts))
    return game.text(state, result.best_move), result, search.answer.resign


@pytest.mark.parametrize("seed", range(4))
def test_a_false_eye_is_filled_where_nothing_else_wins(seed):
    assert searched(FALSE_EYE, "mogo", 300, seed)[0] == "A3"


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("seed", range(4))
def test_a_pass_is_found_where_every_other_move_loses(player, seed):
    best, result, resign = searched(PASS_WINS, player, 300, seed)
    assert best == "pass"
    assert not result.is_hopeless(resign)


def kept(rows, to_move="X", player="mogo"):
    """The moves that enter the tree, by name, with their ratings."""
    game, state = picture(rows, to_move)
    settings = find_player(player).settings_for(game)
    policy = make_policy(game, find_player(player).policies(game)[settings["policy"]], settings)
    legal = game.legal_moves(state)
    ratings = zip(legal, ratings_of(policy, state, legal), strict=True)
    return {game.text(state, move): rating for move, rating in ratings if rating["kept"]}


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize(
    ("rows", "point", "enters"),
    [
        ("..... .XXX. .X.X. .XXX. .....", "C3", False),
        ("..... .OXX. .X.X. .XXX. .....", "C3", False),  # one enemy at the corners of a point inside the board is harmless
        ("..... .OXO. .X.X. .XXX. .....", "C3", True),
        ("X.X.. .X... ..... ..... .....", "B5", False),
        ("X.X.. OX... ..... ..... .....", "B5", True),  # at the edge one is enough
        (".X... X.... ..... ..... .....", "A5", False),
        (".X... XO... ..... ..... .....", "A5", True),
    ],
)
def test_real_eyes_stay_out_of_the_tree_and_false_ones_enter(rows, point, enters, player):
    assert (point in kept(rows, player=player)) == enters


def test_no_string_beside_a_real_eye_is_saved_by_filling_it():
    """Why nothing but the shape of an eye is looked at: where a move is legal, no own string beside a real eye is in atari."""
    game = find_game("go:5")
    rng, eyes = make_rng(3), 0
    for _ in range(200):
        state = game.new_state()
        while not rules.is_over(state):
            own = int(state["to_play"]) + 1
            for move in game.legal_moves(state)[:-1]:
                point = int(state["point_of"][move])
                if is_eye(state, point, own):
                    eyes += 1
                    assert all(state["atari_at"][state["head"][point + step]] == 0 for step in NEIGHBOURS)
            rules.play(state, rules.random_move(state, np.zeros(game.buffer_size, np.int32), rng))
    assert eyes > 1000


@pytest.mark.parametrize("player", PLAYERS)
def test_a_pass_enters_the_tree_when_few_moves_are_left_and_has_no_rave(player):
    assert not kept(PASS_WINS, player=player)["pass"]["rave"]
    assert all(rating["rave"] for name, rating in kept(PASS_WINS, player=player).items() if name != "pass")
    assert ("pass" in kept("..... " * 5, player=player)) == (player == "mogo")  # the others have no expectation of it


def test_a_pass_begins_even_when_few_moves_are_left_and_is_tried_before_a_game_is_given_up():
    few, many = kept(PASS_WINS)["pass"], kept("..... " * 5)["pass"]
    assert few["own_value"] == 0.5 and few["own_games"] == many["own_games"] > 0
    assert find_player("mogo").values["resign"] < many["own_value"] < 0.5


def test_games_in_which_a_pass_came_later_are_not_counted_for_it():
    game, state = picture(PASS_WINS)
    search = find_player("mogo").engine(game, state, 1, pure=True)
    search.run(Limits(playouts=20))
    records = {
        game.text(state, int(search.tree.nodes[child]["move"])): search.tree.statistics[child]
        for child in children_of(search.tree, ROOT)
    }
    assert records["pass"]["visits"] == NOT_KEPT and records["pass"]["sum"] == 0
    assert records["J3"]["visits"] > 0
    reports = {game.text(state, report.move): report.rave for report in search.result().moves}
    assert reports["pass"] is None and reports["J3"] is not None
