"""Every parameter of the alpha-beta engine, declared once. Imports neither NumPy nor Numba, so that `--help` stays quick."""

from __future__ import annotations

from tesuji.core.parameters import Declaration, Parameter

ALPHABETA = Declaration(
    # How deep.
    Parameter("depth", 0, "maximum depth in plies; 0 = no limit", 0, 10_000),
    Parameter("quiescence", 4, "plies of quiescence search, where the policy names noisy moves; 0 = none", 0, 100),
    Parameter(
        "realization",
        True,
        "realization probability search: unlikely moves cost more depth, where the policy gives probabilities",
    ),
    Parameter("realization_base", 0.15, "probability of a move that costs just one ply", 1e-6, 0.999, tuning="0.03..0.5:log"),
    Parameter("realization_least", 0.5, "plies that the likeliest move costs", 0.1, 1.0),
    Parameter("realization_most", 4.0, "plies that the unlikeliest move costs", 1.0, 16.0, tuning="1.5..8"),
    # Windows.
    Parameter("pvs", True, "principal variation search: moves after the first get a null window first"),
    Parameter(
        "aspiration",
        50.0,
        "half width of the root's window, in units of the evaluation; 0 = off",
        0.0,
        1e9,
        tuning="5..500:log",
    ),
    # Order of moves.
    Parameter("killers", True, "killer moves: moves that cut at the same ply are tried early"),
    Parameter("history", True, "history heuristic: moves that often cut are tried early"),
    # Forward pruning: never part of a proof.
    Parameter("null_move", True, "null move: cut where even passing is good enough, if the policy supports it"),
    Parameter("null_reduction", 2.0, "plies by which the search after a null move is shallower", 0.0, 16.0, tuning="0.5..4"),
    Parameter("multi_cut", False, "multi-cut: cut where several moves cut in a shallower search"),
    Parameter("multi_cut_moves", 10, "moves that multi-cut searches", 1, 1000, tuning="3..20"),
    Parameter("multi_cut_needed", 3, "how many of them must cut", 1, 1000, tuning="1..8"),
    Parameter("multi_cut_reduction", 2.0, "plies by which multi-cut's searches are shallower", 0.0, 16.0, tuning="0.5..4"),
    Parameter("width", 0, "moves tried at a node, first in the policy's order, and none that it puts last; 0 = all", 0, 10_000),
    # Without a search: table and bounds.
    Parameter("transpositions", True, "use a transposition table"),
    Parameter("memory", 64.0, "MiB for the table", 0.0, 1e9),
    Parameter("reuse_table", True, "keep the table after a move"),
    Parameter("initial_bounds", True, "use the bounds that the game's rules and the policy give a position"),
    # Evaluation.
    Parameter("grain", 8.0, "steps per unit of the evaluation; values are rounded to them", 1e-6, 1e6),
    Parameter("evaluation_limit", 1000.0, "the evaluation that means a 95% chance of winning", 1e-6, 1e9),
    Parameter("noise", 0.0, "random amount added to evaluations, at most this, so that games differ", 0.0, 1e9),
)
