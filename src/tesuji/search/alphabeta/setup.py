"""Sets up an alpha-beta search: the kernel's options from the parameters, and its memory."""

from __future__ import annotations

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.parameters import Settings, filled
from tesuji.core.random import make_rng
from tesuji.search.alphabeta.frames import CONTROLS, FRAME, NO_MOVE, PLY, ROOT_MOVE, AlphaBetaOptions, AlphaBetaScratch
from tesuji.search.alphabeta.hooks import search_hash
from tesuji.search.alphabeta.ordering import cost_thresholds

DEEPEST = 256  # plies of the stack
MOST_CELLS = 1 << 22  # moves that all plies of the stack have room for
NULL_PLIES = 16  # null moves make a line longer than the game allows
LONGEST_HISTORY = 1 << 16


def make_options(game: Game, settings: Settings, policy: type) -> AlphaBetaOptions:
    lowest, highest = game.outcomes
    return filled(
        AlphaBetaOptions,
        settings,
        lowest=lowest,
        highest=highest,
        twice_break_even=2 * game.break_even,
        null_cost=units(1.0 + settings["null_reduction"]),
        multi_cut_cost=units(1.0 + settings["multi_cut_reduction"]),
        least_cost=units(settings["realization_least"]),
        exact_keys=not search_hash.is_implemented(policy),
        thorough=False,
    )


def units(plies: float) -> int:
    return round(plies * PLY)


def make_scratch(game: Game, settings: Settings, seed: int) -> AlphaBetaScratch:
    if settings["multi_cut_needed"] > settings["multi_cut_moves"]:
        raise UserError(
            f"multi_cut_needed={settings['multi_cut_needed']} is not possible: "
            f"no more than multi_cut_moves={settings['multi_cut_moves']}"
        )
    width = game.buffer_size
    plies = min(game.max_plies + NULL_PLIES, DEEPEST, max(16, MOST_CELLS // width)) + 3
    least, most = units(settings["realization_least"]), units(settings["realization_most"])
    return AlphaBetaScratch(
        states=np.zeros(plies, game.initial.dtype),
        frames=np.zeros(plies, FRAME),
        moves=np.zeros((plies, width), np.int32),
        keys=np.zeros((plies, width), np.int64),
        costs=np.zeros((plies, width), np.int16),
        lines=np.zeros((plies, plies), np.int32),
        lengths=np.zeros(plies, np.int32),
        line=np.zeros(plies, np.int32),
        killers=np.full((plies, 2), NO_MOVE, np.int32),
        history=np.zeros((2, min(game.move_count, LONGEST_HISTORY)), np.int64),
        root=np.zeros(0, ROOT_MOVE),
        thresholds=cost_thresholds(settings["realization_base"], least, most),
        buffer=np.zeros(width, np.int32),
        orders=np.zeros(width, np.float64),
        chances=np.zeros(width, np.float64),
        control=np.zeros(CONTROLS, np.int64),
        salt=make_rng(seed)[:2].copy(),
    )
