"""MoHex 2.0 as a policy (Huang et al. 2013): learned patterns as priors and in playouts, moves that need not be considered left
out.

What the playouts are and where the priors come from are parameters, so that each part can be compared with what came before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.game import Game
from tesuji.core.numba.local_copies import local_zeros
from tesuji.core.parameters import Parameter
from tesuji.games.hex.rules import can_swap
from tesuji.games.hex.state import MAY_SWAP
from tesuji.knowledge.hex.geometry import move_of_place, place_of_move
from tesuji.knowledge.hex.inferior.board import NO_WINDOW_WORK, is_left
from tesuji.knowledge.hex.inferior.fill_in import fill_in_by_windows
from tesuji.knowledge.hex.inferior.pruning import prune_by_windows
from tesuji.knowledge.hex.inferior.windows import WindowTables, window_tables
from tesuji.knowledge.hex.patterns.codes import BOARD_FIELDS, see_position
from tesuji.knowledge.hex.patterns.inferior import inferior_patterns
from tesuji.knowledge.hex.patterns.playout_table import PatternTable, make_table
from tesuji.knowledge.hex.patterns.priors import FeatureTable, strength_of, summed_strength_of
from tesuji.knowledge.hex.patterns.weights import KIND, HexPatterns
from tesuji.knowledge.hex.policies import board_filling as full_board
from tesuji.knowledge.hex.policies.board_filling import (
    NOWHERE,
    bridge_to_save,
    fill_board,
    last_place,
    list_cells,
    random_place,
    take_place,
    winner_of,
)
from tesuji.knowledge.hex.policies.openings import FAIR, FirstMoves, fairest
from tesuji.knowledge.hex.policies.pattern_playouts import NOTES, draw_place, put_weighed_stone, weigh_position, weighed_board
from tesuji.knowledge.weight_files import WEIGHTS, files_by_kind
from tesuji.search.policy import (
    PRIOR,
    VALUE,
    begin_playout,
    declines,
    play_whole_game,
    played,
    playout_move,
    plays_whole_games,
    rate_moves,
)

SIMULATIONS = ("patterns", "bridges", "uniform")
BY_PATTERNS, BY_BRIDGES, BY_CHANCE = range(3)
PRIORS = ("features", "patterns", "nothing")
FROM_FEATURES, FROM_PATTERNS, FROM_NOTHING = range(3)
MOST_TABLES = 4  # of playout weights that are kept in memory, at 4 MB each
NO_OPENINGS = np.zeros(0)
USELESS, WEAK = 1e-5, 1e-4  # the strength, in playouts, of moves that are dead, captured or vulnerable, and of dominated ones

RATED = np.dtype([*BOARD_FIELDS], align=True)
EMPTY_RATED = np.zeros(1, RATED)[0]


class MoHex(NamedTuple):
    """The tables and constants of the policy, for one board."""

    table: PatternTable
    start: np.ndarray  # one record: the empty board with its weights
    features: FeatureTable
    windows: WindowTables  # for the moves that are left out
    simulation: int
    prior_from: int
    rave_games: float
    openings: np.ndarray  # Black's winning chances by first move; empty = the search decides on a swap

    PARAMETERS = (
        Parameter("simulation", "patterns", "what playouts know: learned patterns, only bridges, nothing", choices=SIMULATIONS),
        Parameter(
            "weight_cap",
            0.157,
            "the largest weight in playouts of a pattern away from the last move",
            1e-6,
            1e6,
            tuning="0.02..2:log",
        ),
        Parameter(
            "prior_from",
            "features",
            "where priors come from: the product of all features, the sum of two patterns as in the paper, nothing",
            choices=PRIORS,
            needs=PRIOR,
        ),
        Parameter(
            "rave_games",
            8.0,
            "games of RAVE that a new move has beforehand, half of them won",
            0.0,
            1e6,
            needs=VALUE,
            tuning="0..40",
        ),
        Parameter(
            "swap_by",
            "openings",
            "what decides on a swap, and on the first move where there may be one: a table of openings, or the search; "
            "on boards of other sizes than the table has, always the search",
            choices=("openings", "search"),
        ),
        WEIGHTS,
    )
    GIVES = (PRIOR, VALUE)
    NOTES = (*NOTES, *(field for field in full_board.NOTES if field[0] != "colours"))

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> MoHex:
        weights = HexPatterns.chosen(files_by_kind(settings["weights"], [KIND]))
        table = playout_table(weights, float(settings["weight_cap"]))
        prior = settings["prior_from"] if settings["prior_from"] in PRIORS else "nothing"
        features = weights.sum_table if prior == "patterns" else weights.product_table
        return cls(
            table,
            weighed_board(table, int(game.initial["width"]), int(game.initial["height"])),
            features,
            window_tables(),
            SIMULATIONS.index(settings["simulation"]),
            PRIORS.index(prior),
            float(settings["rave_games"]),
            known_openings(game) if settings["swap_by"] == "openings" else NO_OPENINGS,
        )


# -- tables --------------------------------------------------------------------------------------------------------------------
@lru_cache(maxsize=MOST_TABLES)
def playout_table(weights: HexPatterns, cap: float) -> PatternTable:
    codes, local_codes = (part.keys.astype(np.uint32) for part in (weights.everywhere, weights.replies))
    return make_table(codes, weights.everywhere.gammas, local_codes, weights.replies.gammas, cap, strength_if_useless)


def strength_if_useless(codes: np.ndarray, player: int) -> np.ndarray:
    """The strength of patterns that playouts should hardly play; 0 for all others."""
    useless, dominated = inferior_patterns(codes, player)
    return np.where(useless, USELESS, np.where(dominated, WEAK, 0.0))


def known_openings(game: Game) -> np.ndarray:
    """Black's winning chances by first move, if the size is known; else none. Only the swap rule makes them matter."""
    width, height = int(game.initial["width"]), int(game.initial["height"])
    return FirstMoves.shipped().chances.get(width, NO_OPENINGS) if width == height else NO_OPENINGS


# -- playouts ------------------------------------------------------------------------------------------------------------------
@implements(plays_whole_games, MoHex)
def mohex_plays_whole_games(policy):
    return True


@implements(play_whole_game, MoHex)
def play_mohex_game(policy, notes, state, rng, history, movers, ply):
    if policy.simulation != BY_PATTERNS:
        return fill_board(notes, state, rng, history, movers, ply, policy.simulation == BY_BRIDGES)
    weigh_position(policy.table, policy.start[0], notes, state)
    width, height = np.int64(state["width"]), np.int64(state["height"])
    player = np.int64(state["to_play"])
    total, reply_total = notes["total"], notes["reply_total"]
    for _ in range(width * height - np.int64(state["count"])):
        place = draw_place(notes, player, total, reply_total, rng)
        history[ply] = move_of_place(place, width)
        movers[ply] = player
        total, reply_total = put_weighed_stone(policy.table, notes, place, player, total)
        player = 1 - player
        ply += 1
    return ply, winner_of(notes["colours"], width, height)


@implements(begin_playout, MoHex)
def begin_mohex_playout(policy, notes, state):
    if policy.simulation == BY_PATTERNS:
        weigh_position(policy.table, policy.start[0], notes, state)
    else:
        list_cells(notes, state)


@implements(playout_move, MoHex)
def mohex_move(policy, notes, state, rng):
    player = np.int64(state["to_play"])
    if policy.simulation == BY_PATTERNS:
        place = draw_place(notes, player, notes["total"], notes["reply_total"], rng)
    else:
        place = np.int64(NOWHERE)
        if policy.simulation == BY_BRIDGES:
            place = bridge_to_save(notes["colours"], last_place(state), player, rng)
        if place == NOWHERE:
            place = random_place(notes, rng)
    return move_of_place(place, np.int64(state["width"]))


@implements(played, MoHex)
def note_mohex_move(policy, notes, state, move):
    if move >= state["width"] * state["height"]:
        begin_playout(policy, notes, state)  # a swap
        return
    place = place_of_move(np.int64(move), np.int64(state["width"]))
    player = 1 - np.int64(state["to_play"])
    if policy.simulation == BY_PATTERNS:
        notes["total"], notes["reply_total"] = put_weighed_stone(policy.table, notes, place, player, notes["total"])
    else:
        take_place(notes, place, player)


# -- the tree ------------------------------------------------------------------------------------------------------------------
@implements(rate_moves, MoHex)
def rate_mohex_moves(policy, state, moves, count, ratings):
    rate_with_patterns(policy, True, 0.0, state, moves, count, ratings)


@kernel
def rate_with_patterns(policy, prune, reply_bonus, state, moves, count, ratings):
    """`reply_bonus` is added to the strength of a reply that a study asks for, before strengths become shares of their sum."""
    cells = np.int64(state["width"]) * np.int64(state["height"])
    board = local_zeros(EMPTY_RATED)
    see_position(board, state)
    if prune:
        leave_out_useless(policy.windows, state, moves, count, cells, ratings)
    total, best = 0.0, 0.0
    if policy.prior_from != FROM_NOTHING:
        for i in range(count):
            if ratings[i]["kept"] and moves[i] < cells:
                ratings[i]["prior"] = strength_of_move(policy, board, state, np.int64(moves[i]))
                if ratings[i]["asked_for"]:
                    ratings[i]["prior"] += reply_bonus
                total += ratings[i]["prior"]
                best = max(best, ratings[i]["prior"])
    for i in range(count):
        if moves[i] == cells:  # a swap is looked at as soon as the best answer: their games decide
            ratings[i]["prior"] = best
        if total > 0.0:
            ratings[i]["prior"] /= total
        ratings[i]["value"] = 0.5
        ratings[i]["games"] = policy.rave_games


@kernel
def leave_out_useless(windows, state, moves, count, cells, ratings):
    """Prunes the moves that need not be considered. `moves` are all legal ones; while there may be a swap, none is pruned."""
    if state["swap"] == MAY_SWAP or count + np.int64(state["count"]) != cells:
        return
    work = local_zeros(NO_WINDOW_WORK)
    fill_in_by_windows(windows, work, state)
    if prune_by_windows(windows, work, np.int64(state["to_play"])) == 0:
        return  # lost, or already won; a move must stay
    for i in range(count):
        ratings[i]["kept"] = is_left(work, np.int64(moves[i]))


@kernel
def strength_of_move(policy, board, state, move):
    width, height = np.int64(state["width"]), np.int64(state["height"])
    player, last = np.int64(state["to_play"]), np.int64(state["last_move"])
    last_column, last_row = np.int64(-1), np.int64(-1)
    if last >= 0:
        last_column, last_row = last % width, last // width
    row = move // width
    column = move - row * width
    if policy.prior_from == FROM_PATTERNS:
        return summed_strength_of(policy.features, board, column, row, last_column, last_row, player)
    return strength_of(policy.features, board, column, row, width, height, last_column, last_row, player)


# -- openings ------------------------------------------------------------------------------------------------------------------
@implements(declines, MoHex)
def declines_by_openings(policy, state, move):
    """Begins with the fairest first move if the other may swap; swaps those that are better for Black, and no others."""
    if len(policy.openings) == 0 or state["swap"] != MAY_SWAP:
        return False
    if state["count"] == 0:
        return move != fairest(policy.openings)
    if not can_swap(state):
        return False
    return (move == len(policy.openings)) != (policy.openings[state["last_move"]] > FAIR)
