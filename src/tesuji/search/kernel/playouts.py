"""The playout: a random game from a leaf to its end, or to a position that the policy's evaluation scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import kernel, operation_with_default
from tesuji.core.parameters import Parameter, filled
from tesuji.core.rules import is_over, outcome, play, to_play
from tesuji.search.kernel.quality import note_win
from tesuji.search.kernel.scale import score_of, score_of_share
from tesuji.search.kernel.scratch import GAMES, SQUARES, SUM
from tesuji.search.playouts.interface import chosen_move, leaves_all_to_policy
from tesuji.search.policy import (
    EVALUATION,
    EXPECTATION,
    begin_playout,
    evaluate,
    play_whole_game,
    played,
    playout_ended,
    plays_whole_games,
)

EVALUATION_LIMIT = Parameter(
    "evaluation_limit", 1000.0, "evaluation at which a playout counts as won (odds 19 to 1)", 0.0, 1e9, tuning="200..5000:log"
)
ENDINGS = (
    Parameter("playout_cap", 0, "moves after which a playout counts as a draw; 0 = no limit", 0, 1 << 30),
    Parameter(
        "evaluate_every",
        0,
        "moves between two evaluations of a playout by the policy; 0 = never",
        0,
        1 << 30,
        needs=EVALUATION,
        brings=(EVALUATION_LIMIT,),
        tuning="1..10",
    ),
    Parameter(
        "judge_after",
        -1,
        "moves after which a playout stops and is scored by the policy's evaluation; -1 = never",
        -1,
        1 << 30,
        needs=EVALUATION,
        brings=(EVALUATION_LIMIT,),
        off=-1,
        tuning="0..30",
    ),
)
VALUE_SHARE = Parameter(
    "value_share",
    0.0,
    "share of a simulation's score that is the result the policy expects of the last node it rated, the rest is the playout's; "
    "1 = no playouts",
    0.0,
    1.0,
    needs=EXPECTATION,
    tuning="0..0.8",
)
WATCHED, LAST_PLY = 0, 1  # cells of Scratch.checks: playouts watched so far, and the last ply of one that went wrong
NO_END, WRONG_MOVE, NO_EVALUATION = -1, -2, -3  # instead of the length of a game
LOG_ODDS, MOST_ODDS = math.log(19.0), 40.0  # logarithms


class Ending(NamedTuple):
    playout_cap: int
    evaluate_every: int
    judge_after: int
    evaluation_limit: float


def make_ending(settings: Mapping[str, Any]) -> Ending:
    return filled(Ending, {"evaluate_every": 0, "judge_after": -1, "evaluation_limit": 0.0, **settings})


@kernel
def chance_of(value, limit):
    """The chance that player 0 wins a position with this evaluation, if the odds at the limit are 19 to 1."""
    odds = min(max(LOG_ODDS * value / max(limit, 1e-6), -MOST_ODDS), MOST_ODDS)
    return 1.0 / (1.0 + math.exp(-odds))


@operation_with_default
def is_allowed(policy, state, move, scratch, first):
    """Whether a playout, of which this may be the first move, may make it. Policies of the package are trusted."""
    return True


@kernel
def play_out(policy, state, scratch, ply, options):
    """Plays to the end of the game; returns the length of the whole game and its score for player 0; without an
    end, (NO_END, 0), (WRONG_MOVE, 0) or (NO_EVALUATION, 0).

    With `keeps_moves`, the moves and their players are added to the history, after those of the tree.
    """
    ending = options.ending
    scale = options.scale
    notes = scratch.notes[0]
    longest = len(scratch.history)
    start = ply
    if plays_whole_games(policy) and leaves_all_to_policy(options.chooser):
        length, result = play_whole_game(policy, notes, state, scratch.rng, scratch.history, scratch.movers, ply)
        note_win(scratch.wins, np.int64(result))
        return length, score_of(scale, np.int64(result))
    begin_playout(policy, notes, state)
    while not is_over(state):
        if ply >= longest:
            scratch.checks[LAST_PLY] = longest - 1
            return NO_END, np.int64(0)
        made = ply - start
        if ending.playout_cap > 0 and made >= ending.playout_cap:
            return ply, np.int64(scale.draw_score)
        if ending.evaluate_every > 0 and made > 0 and made % ending.evaluate_every == 0:
            value = evaluate(policy, state)
            if value >= ending.evaluation_limit:
                return ply, score_of(scale, np.int64(scale.highest))
            if value <= -ending.evaluation_limit:
                return ply, score_of(scale, np.int64(scale.lowest))
            if value != value:
                return NO_EVALUATION, np.int64(0)
        if ending.judge_after >= 0 and made >= ending.judge_after:
            value = evaluate(policy, state)
            if value != value:
                return NO_EVALUATION, np.int64(0)
            return ply, score_of_share(scale, chance_of(value, ending.evaluation_limit))
        move = chosen_move(options.chooser, policy, notes, state, scratch, start, ply)
        if options.keeps_moves:
            scratch.history[ply] = move
            scratch.movers[ply] = to_play(state)
        if not is_allowed(policy, state, move, scratch, made == 0):
            scratch.checks[LAST_PLY] = ply
            return WRONG_MOVE, np.int64(0)
        play(state, move)
        played(policy, notes, state, move)
        ply += 1
    playout_ended(policy, notes, state)
    result = np.int64(outcome(state))
    note_outcome(scratch, start, result)
    return ply, score_of(scale, result)


@kernel
def note_outcome(scratch, depth, result):
    """Notes the outcome of a finished game, and counts it for the root's move that led to it; `depth` is that of its last
    node in the tree.

    Where only winning counts, these say who leads by how much.
    """
    note_win(scratch.wins, result)
    outcomes = scratch.outcomes
    if depth > 0 and len(outcomes) > 1:
        move = scratch.history[0]
        outcomes[move, GAMES] += 1.0
        outcomes[move, SUM] += result
        outcomes[move, SQUARES] += np.float64(result) * result


@kernel
def run_playouts(policy, root_state, scratch, options, count):
    """Makes `count` playouts without a tree, for measuring; returns how many moves they had, below 0 if one failed."""
    state = scratch.states[0]
    plies = 0
    for _ in range(count):
        scratch.states[0] = root_state
        length, _score = play_out(policy, state, scratch, 0, options)
        if length < 0:
            return length
        plies += length
    return plies
