"""Sets up a search: the loop's options and the selection rule from the parameters, and each thread's memory."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.parameters import Settings, filled
from tesuji.core.random import make_rng
from tesuji.search.engine.trial import check_rule
from tesuji.search.kernel.bounds import OFF, SKIP, make_proof
from tesuji.search.kernel.loop import Options
from tesuji.search.kernel.playouts import LAST_PLY, is_allowed, make_ending
from tesuji.search.kernel.scale import FINE_UNIT, make_scale
from tesuji.search.kernel.scratch import Scratch
from tesuji.search.kernel.threads import LOCAL_COUNTS, SLOTS, Sharing
from tesuji.search.kernel.tree import NO_EXTRA
from tesuji.search.policy import RATING, evaluate, notes_type, plays_whole_games, prunes_by_guess, rate_moves, study_at
from tesuji.search.selection.interface import keeps_moves, tries_in_order

UNSEEN_GROWTH = 100  # exploration grows from this part of its base on: less than 1% there
CACHE_LINES = 128  # bytes: two lines, as processors fetch them in pairs


def make_options(game: Game, settings: Settings, policy: Any, rule: Any) -> Options:
    """The loop's options, all of one type each, so that every search of a game with the same rule uses the same code."""
    kind, kind_of_rule = type(policy), type(rule)
    proof = make_proof(game, settings)
    ending = make_ending(settings)
    if getattr(kind_of_rule, "OUTCOMES", False):
        if settings["reward"] != "outcome":
            raise UserError(f"{kind_of_rule.__name__} compares scores: it needs reward=outcome")
        if ending.judge_after >= 0:
            raise UserError(f"judge_after cannot be used with {kind_of_rule.__name__}, which needs whole outcomes as scores")
    if getattr(kind_of_rule, "PROVES", False) and proof.solver == OFF:
        raise UserError(f"{kind_of_rule.__name__} goes by what is left to prove: it needs a solver, not solver=off")
    if (ending.judge_after >= 0 or ending.evaluate_every > 0) and not evaluate.is_implemented(kind):
        raise UserError(f"judge_after and evaluate_every need an evaluation, which the policy {kind.__name__} does not have")
    if ending.playout_cap > 0 and plays_whole_games.is_implemented(kind):
        raise UserError(f"playout_cap cannot be used with the policy {kind.__name__}, whose playouts go to the end")
    base = float(settings.get("exploration_base", 0.0))
    guesses = bool(prunes_by_guess(policy)) and proof.solver != OFF
    # A policy that chooses moves past the rule does not keep to its order, and decided moves that count may come last. Widening
    # of the root does: all untried moves are worth the same to it, and the first of them is taken.
    passed_over = policy_threshold(game, settings) > 0 or proof.decided_moves != SKIP
    sorts = bool(tries_in_order(rule))
    counts_parts = ending.judge_after >= 0 or (ending.playout_cap > 0 and game.centre % 1 > 0)
    return Options(
        scale=make_scale(game, settings["reward"], FINE_UNIT if counts_parts else 1),
        proof=proof,
        ending=ending,
        sharing=filled(Sharing, {"virtual_loss": 0, **settings}, shared=settings["threads"] > 1),
        expand_after=int(settings["expand_after"]),
        policy_below=policy_threshold(game, settings),
        rates=rate_moves.is_implemented(kind),
        prunes=bool(settings.get("pruning", True)) and not guesses,
        studies=bool(settings.get("pruning", True)) and study_at.is_implemented(kind),
        bars=False,
        root_moves=0,
        root_widening=float(settings["root_widening"]),
        exploration_base=base,
        growing_from=int(base / UNSEEN_GROWTH) if base > 0.0 else sys.maxsize,
        sorts=sorts,
        in_order=sorts and not passed_over,
        keeps_moves=is_allowed.is_implemented(kind) or bool(keeps_moves(np.zeros(1, extra_type(kind_of_rule))[0])),
    )


def policy_threshold(game: Game, settings: Settings) -> int:
    """Visits from which on the selection rule chooses, not the policy."""
    return (game.points or game.move_count) if settings["policy_below"] < 0 else int(settings["policy_below"])


def make_rule(game: Game, settings: Settings, rule: type) -> Any:
    """The selection rule with its constants."""
    check_rule(rule)
    # A parameter that needs what the policy does not give is not among the settings, and without effect.
    given = {**{p.name: p.default for p in getattr(rule, "PARAMETERS", ())}, **settings}
    return rule.made_for(game, given) if hasattr(rule, "made_for") else filled(rule, given)


def extra_type(rule: type) -> np.dtype:
    return getattr(rule, "EXTRA", NO_EXTRA)


def memo_type(rule: type) -> np.dtype:
    return getattr(rule, "MEMO", NO_EXTRA)


def make_scratch(game: Game, policy: Any, seed: int, thread: int) -> Scratch:
    """One thread's own memory, each array on cache lines of its own: threads that write to one line slow each other down.

    Each thread draws from a stream of its own.
    """
    longest = game.max_plies
    scratch = Scratch(
        states=apart(3, game.initial.dtype),
        image=apart(1, game.initial.dtype),
        rng=apart(4, np.uint64),
        notes=apart(1, notes_type(type(policy), game.buffer_size)),
        buffer=apart(game.buffer_size, np.int32),
        ratings=apart(game.buffer_size, RATING),
        kept=apart(game.buffer_size, np.int32),
        bounds=apart(2 * game.buffer_size, np.int64).reshape(2, -1),
        values=apart(game.buffer_size, np.float64),
        weights=apart(game.buffer_size, np.float64),
        path=apart(longest + 2, np.int64),
        hashes=apart(longest + 2, np.uint64),
        history=apart(longest, np.int32),
        movers=apart(longest, np.int8),
        move_stamps=apart(2 * (game.move_count + 1), np.int64).reshape(2, -1),
        barred=apart(2 * game.move_count, np.int32).reshape(2, -1),
        virtual_losses=apart(longest + 2, np.int32),
        decided=apart(longest + 2, np.int32),
        local_counts=apart(SLOTS, LOCAL_COUNTS),
        checks=apart(2, np.int64),
    )
    scratch.rng[:] = make_rng(seed, thread)
    scratch.checks[LAST_PLY] = -1
    return scratch


def apart(count: int, dtype: Any) -> np.ndarray:
    """Zeros that share no cache line with anything else."""
    size = count * np.dtype(dtype).itemsize
    room = np.zeros(size + 2 * CACHE_LINES, np.uint8)
    start = -room.ctypes.data % CACHE_LINES
    return room[start : start + size].view(dtype)
