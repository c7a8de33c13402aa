"""Sets up a search: the loop's options and the selection rule from the parameters, and each thread's memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.parameters import Settings, filled
from tesuji.core.random import make_rng
from tesuji.core.words import has_scores
from tesuji.search.engine.evaluator import Evaluation
from tesuji.search.engine.trial import check_rule
from tesuji.search.kernel.bounds import OFF, make_proof
from tesuji.search.kernel.leaves import NoLeaves
from tesuji.search.kernel.loop import Options
from tesuji.search.kernel.playouts import LAST_PLY, is_allowed, make_ending
from tesuji.search.kernel.quality import WIN_NOTES, make_quality
from tesuji.search.kernel.scale import FINE_UNIT, make_scale
from tesuji.search.kernel.scratch import Scratch
from tesuji.search.kernel.threads import LOCAL_COUNTS, SLOTS, Sharing
from tesuji.search.playouts.interface import leaves_all_to_policy
from tesuji.search.playouts.setup import make_chooser, make_memory
from tesuji.search.policy import RATING, evaluate, notes_type, plays_whole_games, prunes_by_guess, rate_moves, study_at
from tesuji.search.selection.interface import NOTHING, credit_game, spec_of, tries_in_order

CACHE_LINES = 128  # bytes: two lines, as processors fetch them in pairs


def make_options(game: Game, settings: Settings, policy: Any, rule: Any, has_leaves: bool = False) -> Options:
    """The loop's options, all of one type each, so that every search of a game with the same rule uses the same code.

    `has_leaves`: leaves wait for an evaluator.
    """
    kind, spec = type(policy), spec_of(type(rule))
    proof = make_proof(game, settings)
    ending = make_ending(settings)
    quality = make_quality(game, settings)
    value_share = float(settings.get("value_share", 0.0))
    counts_parts = (
        ending.judge_after >= 0 or value_share > 0.0 or quality.is_used or (ending.playout_cap > 0 and game.break_even % 1 > 0)
    )
    if spec.compares_scores and settings["reward"] != "outcome":
        raise UserError(f"{type(rule).__name__} compares scores: it needs reward=outcome")
    for name, is_used in (
        ("judge_after", ending.judge_after >= 0),
        ("value_share", value_share > 0.0),
        ("length_bonus", quality.length_bonus > 0.0),
        ("margin_bonus", quality.margin_bonus > 0.0),
    ):
        if spec.compares_scores and is_used:
            raise UserError(f"{name} cannot be used with {type(rule).__name__}, which needs whole outcomes as scores")
    if spec.proves and proof.solver == OFF:
        raise UserError(f"{type(rule).__name__} goes by what is left to prove: it needs a solver, not solver=off")
    if spec.evaluates and not evaluate.is_implemented(kind):
        raise UserError(f"{type(rule).__name__} needs an evaluation, which the policy {kind.__name__} does not have")
    if (ending.judge_after >= 0 or ending.evaluate_every > 0) and not evaluate.is_implemented(kind):
        raise UserError(f"judge_after and evaluate_every need an evaluation, which the policy {kind.__name__} does not have")
    scale = make_scale(game, settings["reward"], FINE_UNIT if counts_parts else 1)
    chooser = make_chooser(game, settings, scale)
    chooses = not leaves_all_to_policy(chooser)
    if ending.playout_cap > 0 and plays_whole_games.is_implemented(kind) and not chooses:
        raise UserError(f"playout_cap cannot be used with the policy {kind.__name__}, whose playouts go to the end")
    guesses = bool(prunes_by_guess(policy)) and proof.solver != OFF
    # A policy that chooses moves in place of the rule does not keep to its order. Widening of the root does: to it all untried
    # moves are worth the same, and it takes the first of them.
    policy_chooses = policy_threshold(game, settings) > 0
    sorts = bool(tries_in_order(rule))
    return Options(
        scale=scale,
        proof=proof,
        ending=ending,
        quality=quality,
        sharing=filled(Sharing, {"virtual_loss": 0, **settings}, shared=settings["threads"] > 1 or has_leaves),
        expand_after=int(settings["expand_after"]),
        policy_below=policy_threshold(game, settings),
        value_share=value_share,
        rates=rate_moves.is_implemented(kind),
        prunes=bool(settings.get("pruning", True)) and not guesses,
        studies=bool(settings.get("pruning", True)) and study_at.is_implemented(kind),
        bars=False,
        root_moves=0,
        root_widening=float(settings["root_widening"]),
        has_root_goals=False,
        sorts=sorts,
        in_order=sorts and not policy_chooses,
        root_in_order=True,
        keeps_moves=is_allowed.is_implemented(kind) or credit_game.is_implemented(type(rule)) or chooses,
        chooser=chooser,
    )


def policy_threshold(game: Game, settings: Settings) -> int:
    """Visits from which on the selection rule chooses, not the policy."""
    return (game.points or game.move_count) if settings["policy_below"] < 0 else int(settings["policy_below"])


def make_rule(game: Game, settings: Settings, rule: type) -> Any:
    """The selection rule with its constants."""
    check_rule(rule)
    # The settings lack a parameter whose needs the policy does not meet; its value has no effect.
    values = {**{p.name: p.default for p in spec_of(rule).parameters}, **settings}
    return rule.made_for(game, values) if hasattr(rule, "made_for") else filled(rule, values)


def make_end(game: Game, settings: Settings, rule: type) -> tuple[float, Any]:
    """The last part of a search in which its rule has other constants, as a share, and the rule then; 0 = there is none."""
    values = {**{p.name: p.default for p in spec_of(rule).parameters}, **settings}
    share = float(values.get("end_share", 0.0))
    return share, rule.made_for_the_end(game, values) if share > 0.0 and hasattr(rule, "made_for_the_end") else None


def make_scratch(
    game: Game, policy: Any, rule: type, options: Options, seed: int, thread: int, evaluation: Evaluation | None = None
) -> Scratch:
    """One thread's own memory, each array on cache lines of its own: threads that write to one line slow each other down.

    Each thread draws from a stream of its own.
    """
    longest = game.max_plies
    counts_outcomes = options.scale.only_wins and has_scores(game)  # elsewhere values are outcomes, or there are no points
    by_move = spec_of(rule).by_move
    moves = 1 if by_move == NOTHING else 2 * (game.move_count + 1)
    scratch = Scratch(
        states=on_own_cache_lines(3, game.initial.dtype),
        image=on_own_cache_lines(1, game.initial.dtype),
        rng=on_own_cache_lines(4, np.uint64),
        notes=on_own_cache_lines(1, notes_type(type(policy), game.buffer_size)),
        buffer=on_own_cache_lines(game.buffer_size, np.int32),
        ratings=on_own_cache_lines(game.buffer_size, RATING),
        kept=on_own_cache_lines(game.buffer_size, np.int32),
        bounds=on_own_cache_lines(2 * game.buffer_size, np.int64).reshape(2, -1),
        values=on_own_cache_lines(game.buffer_size, np.float64),
        weights=on_own_cache_lines(game.buffer_size, np.float64),
        path=on_own_cache_lines(longest + 2, np.int64),
        hashes=on_own_cache_lines(longest + 2, np.uint64),
        history=on_own_cache_lines(longest, np.int32),
        movers=on_own_cache_lines(longest, np.int8),
        move_stamps=on_own_cache_lines(2 * (game.move_count + 1), np.int64).reshape(2, -1),
        by_move=on_own_cache_lines(moves, by_move).reshape(1 if moves == 1 else 2, -1),
        barred=on_own_cache_lines(2 * game.move_count, np.int32).reshape(2, -1),
        root_goals=on_own_cache_lines(game.move_count, np.int32),
        virtual_losses=on_own_cache_lines(longest + 2, np.int32),
        outcomes=on_own_cache_lines(3 * (game.move_count if counts_outcomes else 1), np.float64).reshape(-1, 3),
        wins=on_own_cache_lines(WIN_NOTES, np.float64),
        local_counts=on_own_cache_lines(SLOTS, LOCAL_COUNTS),
        leaves=NoLeaves() if evaluation is None else evaluation.leaves(game, thread),
        learned=make_memory(game, options.chooser),
        checks=on_own_cache_lines(2, np.int64),
    )
    scratch.rng[:] = make_rng(seed, thread)
    scratch.checks[LAST_PLY] = -1
    return scratch


def on_own_cache_lines(count: int, dtype: Any) -> np.ndarray:
    """An array of zeros that shares no cache line with anything else."""
    size = count * np.dtype(dtype).itemsize
    memory = np.zeros(size + 2 * CACHE_LINES, np.uint8)
    start = -memory.ctypes.data % CACHE_LINES
    return memory[start : start + size].view(dtype)
