"""What a search is set up with: the loop's options and the rule of selection from the parameters, and each thread's memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.parameters import Settings
from tesuji.core.random import make_rng
from tesuji.search.gaussian import Gaussian
from tesuji.search.notes import SLOTS
from tesuji.search.options import BACKUPS, SOLVERS, sum_unit
from tesuji.search.playout import evaluate
from tesuji.search.selection import Bandit
from tesuji.search.simulate import Options, Scratch

CACHE_LINES = 128  # bytes: two lines, as processors fetch them in pairs


def make_options(game: Game, settings: Settings, policy: type) -> Options:
    """The loop's options, all of one type each, so that every search of a game uses the same compiled code.

    A policy without an evaluation, such as the uniform one, judges no playout: they go on to the end.
    """
    lowest, highest = game.outcomes
    solver = SOLVERS.index(settings["solver"])
    only_wins = settings["reward"] == "win" and game.players == 2
    unit = sum_unit(settings)
    least, most = (-unit, unit) if only_wins else (int(lowest) * unit, int(highest) * unit)
    return Options(
        lowest=int(lowest),
        highest=int(highest),
        middle=float((lowest + highest) / 2 if game.middle is None else game.middle),
        least=least,
        most=most,
        scale=1.0 / max(1, most - least),
        bounds_scale=1.0 / max(1, highest - lowest),
        unit=unit,
        only_wins=only_wins,
        solver=solver,
        cuts=bool(settings["cuts"]),
        clamp_scores=bool(settings["clamp_scores"]) and solver > 0,
        initial_bounds=bool(settings["initial_bounds"]) and solver > 0,
        probe_children=bool(settings["probe_children"]) and solver > 0,
        revisit_proven=bool(settings["revisit_proven"]),
        transpositions=bool(settings["transpositions"]) and solver > 0 and game.shares_bounds,
        use_priors=settings["prior_weight"] != 0.0 or settings["selection"] == "gaussian",
        estimates=settings["minimax_weight"] != 0.0 or settings["estimate_games"] != 0.0,
        rave=bool(settings["rave"]),
        prior_games=int(settings["prior_games"]),
        expand_after=int(settings["expand_after"]),
        policy_below=policy_threshold(game, settings),
        playout_cap=int(settings["playout_cap"]),
        evaluate_every=int(settings["evaluate_every"]),
        evaluation_limit=float(settings["evaluation_limit"]),
        judge_after=int(settings["judge_after"]) if evaluate.is_implemented(policy) else -1,
        shared=settings["threads"] > 1,
        virtual_loss=int(settings["virtual_loss"]),
    )


def policy_threshold(game: Game, settings: Settings) -> int:
    """Visits from which on the rule of selection chooses, not the policy."""
    return points_of(game) if settings["policy_below"] < 0 else int(settings["policy_below"])


def points_of(game: Game) -> int:
    return game.points or game.move_count


def make_rule(game: Game, settings: Settings) -> Bandit | Gaussian:
    """The rule of selection with its constants."""
    if settings["selection"] == "bandit":
        if settings["backup"] != "mean":
            raise UserError(f"backup={settings['backup']} goes with selection=gaussian; the bandit's values are means")
        return Bandit(**{name: settings[name] for name in Bandit._fields})
    if settings["minimax_weight"] != 0.0 or settings["estimate_games"] != 0.0:
        raise UserError(
            "minimax_weight and estimate_games go with selection=bandit; the parameter backup is what goes with gaussian"
        )
    if settings["judge_after"] >= 0:
        raise UserError("judge_after goes with selection=bandit: the scores of gaussian selection are whole outcomes")
    if settings["reward"] == "win":
        raise UserError("selection=gaussian compares scores: it goes with reward=outcome")
    points = points_of(game)
    return Gaussian(
        slope=float(settings["gauss_slope"]),
        floor=float(settings["gauss_floor"]),
        rank=float(settings["gauss_rank"]),
        prior=float(settings["gauss_prior"]),
        backup=BACKUPS.index(settings["backup"]),
        points=float(points),
        doubt=float(settings["gauss_doubt"])
        * (2.0 * points / game.outcome_unit if game.points else float(game.outcomes[1] - game.outcomes[0])) ** 2,
        variance_visits=float(settings["variance_visits"]),
        divide_external=bool(settings["divide_external"]),
    )


def make_scratch(game: Game, seed: int, thread: int) -> Scratch:
    """One thread's own memory, each array on cache lines of its own: threads that write to one line slow each other down.

    Each thread draws from a stream of its own.
    """
    longest = game.max_plies
    scratch = Scratch(
        states=apart(3, game.start.dtype),
        rng=apart(4, np.uint64),
        buffer=apart(game.buffer_size, np.int32),
        priors=apart(game.buffer_size, np.float64),
        weights=apart(game.buffer_size, np.float64),
        path=apart(longest + 2, np.int64),
        hashes=apart(longest + 2, np.uint64),
        history=apart(longest, np.int32),
        movers=apart(longest, np.int8),
        seen=apart(2 * (game.move_count + 1), np.int64).reshape(2, -1),
        virtual=apart(longest + 2, np.int32),
        noted_node=apart(SLOTS, np.int64),
        noted_visits=apart(SLOTS, np.int64),
        noted_sum=apart(SLOTS, np.int64),
    )
    scratch.rng[:] = make_rng(seed, thread)
    return scratch


def apart(count: int, dtype: Any) -> np.ndarray:
    """Zeros that share no cache line with anything else."""
    size = count * np.dtype(dtype).itemsize
    room = np.zeros(size + 2 * CACHE_LINES, np.uint8)
    start = -room.ctypes.data % CACHE_LINES
    return room[start : start + size].view(dtype)
