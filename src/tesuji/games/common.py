"""Rules that several games have in common, for records with the fields that they read: `implement_all` registers them."""

from __future__ import annotations

from tesuji.core import rules


def to_play(state):
    return state["to_play"]


def is_over(state):
    return state["over"] != 0


def won_by_the_other(state):
    return 2 * state["to_play"] - 1


def has_winner(state):
    return state["winner"] != 0


def is_won_or_full(state):
    return state["winner"] != 0 or state["left"] == 0


def winner(state):
    return state["winner"]


TURNS = {rules.to_play: to_play}
# `over` is 1 when the player to move has no move.
LAST_TO_MOVE_WINS = {**TURNS, rules.is_over: is_over, rules.outcome: won_by_the_other}
# `winner` is +1 for player 0, -1 for player 1, 0 for nobody yet; a game can be drawn if there are cells `left` to be filled.
FIRST_TO_SUCCEED = {**TURNS, rules.is_over: has_winner, rules.outcome: winner}
FIRST_TO_SUCCEED_OR_DRAW = {**TURNS, rules.is_over: is_won_or_full, rules.outcome: winner}
