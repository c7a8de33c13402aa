"""A game's own `evaluate`: it scores playouts that are cut short; an answer that is no number ends the search in one line."""

import math

import numpy as np
import pytest

from tesuji.core.errors import GameError, UserError
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.games.user import load_user_game
from tesuji.players.presets import find_player
from tesuji.search.kernel.tree import ROOT
from tesuji.search.policy import Uniform

# Two piles of which each player takes one or two from his own; whose is empty last has won. `evaluate` is the lead.
FILE = """
import numpy as np

from tesuji import Game, implements, rules, state_type

STATE = state_type("piles", [("left", np.int32, (2,)), ("to_play", np.int32), ("taken", np.int32)])


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    out[0] = 1
    out[1] = 2
    return 2


@implements(rules.play, STATE)
def play(state, move):
    left = state["left"]
    left[state["to_play"]] -= move
    state["taken"] += 1
    state["to_play"] = 1 - state["to_play"]


@implements(rules.is_over, STATE)
def is_over(state):
    left = state["left"]
    return left[0] <= 0 or left[1] <= 0


@implements(rules.outcome, STATE)
def outcome(state):
    left = state["left"]
    return 1 if left[0] > left[1] else -1


@implements(rules.evaluate, STATE)
def evaluate(state):
    left = state["left"]
    {body}


start = np.zeros(1, STATE)[0]
start["left"] = (12, 12)
game = Game("piles", start, (-1, 1), move_count=3, max_plies=24, max_moves=2)
"""
LEAD = "return 1.0 * left[0] - left[1]"


@pytest.fixture
def piles(tmp_path):
    def load(body=LEAD, name="piles"):
        (tmp_path / f"{name}.py").write_text(FILE.replace("{body}", body))
        return load_user_game(f"{tmp_path / name}.py:game")

    return load


def searched(game, playouts=30, **values):
    player = find_player("uct").changed({"memory": 2.0, **values})
    search = player.engine(game, seed=1, pure=True)
    search.run(Limits(playouts=playouts))
    return search


def test_a_playout_is_scored_by_the_game_s_evaluation(piles):
    game = piles("return 5.0")
    search = searched(game, judge_after=3, evaluation_limit=5.0, expand_after=1000)
    assert int(search.tree.nodes[ROOT]["sum"]) == 30 * 900  # 19 to 1 are 0.95 of the range -1 to 1, in thousandths
    ended = searched(game, evaluate_every=2, evaluation_limit=5.0, expand_after=1000)
    assert int(ended.tree.nodes[ROOT]["sum"]) == 30


def test_the_evaluation_goes_with_no_knowledge_under_every_name(piles):
    game = piles()
    for policy in ("auto", "uniform"):
        assert searched(game, 3, policy=policy, judge_after=2).options.ending.judge_after == 2
    with pytest.raises(UserError, match="judge_after has no effect here: it needs a policy with an evaluation"):
        searched(find_game("tictactoe"), judge_after=2)
    assert type(find_player("uct").engine(find_game("tictactoe")).policy) is Uniform


def test_without_a_cut_it_changes_nothing(piles):
    plain = searched(piles(name="plain")).tree_hash()
    assert plain == searched(piles("return math.nan", name="other")).tree_hash()


@pytest.mark.parametrize("cut", [{"judge_after": 2}, {"evaluate_every": 1}])
def test_nan_is_one_line_with_the_place(piles, cut):
    game = piles("return 1.0 * left[0] - left[1] if state['taken'] < 5 else np.nan")
    with pytest.raises(GameError) as error:
        searched(game, 200, **cut)
    text = str(error.value)
    assert text.startswith("evaluate gives nan in ") and "\n" not in text
    line = FILE.splitlines().index("@implements(rules.evaluate, STATE)") + 1
    assert "piles" in text and text.endswith(f"piles.py:{line})")


def test_numbers_without_end_are_the_best_and_the_worst(piles):
    for sign, share in ((1, 1000), (-1, -1000)):
        search = searched(piles(f"return {sign} * np.inf", f"inf{sign + 1}"), judge_after=1, expand_after=1000)
        assert int(search.tree.nodes[ROOT]["sum"]) == 30 * share and not math.isnan(search.result().value)


def test_it_is_no_rule(piles):
    """Two games that differ in their evaluation alone are the same for certificates."""
    from tesuji.core.game_digest import RULES

    assert "evaluate" not in [one.__name__ for one in RULES] and np.any(piles().initial["left"])
