"""Every parameter of the search, declared once. Imports neither NumPy nor Numba, so that `--help` stays quick."""

from __future__ import annotations

from tesuji.core.parameters import SHIPPED, Declaration, Parameter, Settings

SEARCH = Declaration(
    # Selection. Values are means scaled to [0, 1] between the lowest and the highest outcome of the game.
    Parameter("exploration", 0.3, "UCT constant C of mean + C sqrt(ln N / n), on values in [0, 1]", 0.0, 1e6),
    Parameter(
        "first_play",
        1e6,
        "value of a move never tried, before all-moves-as-first knows it; high = try every move first",
        -1e6,
        1e6,
    ),
    Parameter("rave", False, "all moves as first: share statistics between a move now and the same move later"),
    Parameter("rave_bias", 1.0 / 3000.0, "c of the RAVE weight m / (n + m + c n m)", 0.0, 1e6),
    Parameter("prior_games", 0, "games with the policy's expectation that all moves as first begins with", 0, 1_000_000),
    Parameter("prior_weight", 0.0, "progressive bias W: adds W P / (n + 1), P the policy's prior of the move", 0.0, 1e6),
    Parameter(
        "minimax_weight",
        0.0,
        "weight, beside the mean, of the policy's estimate of a move, backed up by minimax (implicit minimax)",
        0.0,
        1.0,
    ),
    Parameter(
        "estimate_games",
        0.0,
        "games that the same estimate counts for, so that it fades; a move never tried is then worth its estimate",
        0.0,
        1e6,
    ),
    Parameter("expand_after", 1, "visits of a leaf before its moves enter the tree", 1, 1_000_000),
    Parameter(
        "selection",
        "bandit",
        "how a move of the tree is chosen: by the best upper confidence bound, or at random by its chance of being best",
        choices=("bandit", "gaussian"),
    ),
    # Gaussian selection and the backup of values (Coulom 2006).
    Parameter(
        "backup",
        "mean",
        "value of a node from its moves, with selection=gaussian",
        choices=("mean", "max", "robust-max", "mix"),
    ),
    Parameter("gauss_slope", 2.4, "slope of exp(-slope (best - value) / sqrt(2 (var + var)))", 0.0, 1e6),
    Parameter("gauss_floor", 0.1, "part of epsilon that every move has, divided by the number of moves", 0.0, 1e6),
    Parameter("gauss_rank", 1.0, "epsilon's part that halves with each place in the order of values", 0.0, 1e6),
    Parameter("gauss_prior", 1.0, "epsilon's part by the policy's prior of the move (Go: moves that give atari)", 0.0, 1e6),
    Parameter("gauss_doubt", 1.0, "variance of the virtual game that every node begins with, in units of (2P)^2", 0.0, 1e6),
    Parameter("variance_visits", 500, "a backed-up variance is divided by the visits, but by no more than this", 1, 1 << 30),
    Parameter("divide_external", True, "divide the variance of external nodes by their visits too"),
    # Policy: what a player knows beyond the rules.
    Parameter("policy", "auto", "playout policy by name; auto = the usual one of the game"),
    Parameter("weights", SHIPPED, "files of learned weights ('tesuji learn') for the policy, several joined by +", files=True),
    Parameter(
        "policy_below",
        0,
        "visits below which the policy draws a node's moves; -1 = as many as the board has points",
        -1,
        1 << 30,
    ),
    Parameter(
        "reward",
        "outcome",
        "what a game adds to the means: its outcome (a score in some games), or only who won",
        choices=("outcome", "win"),
    ),
    Parameter("playout_cap", 0, "moves after which a playout is a draw; 0 = it goes on to the end", 0, 1 << 30),
    Parameter("evaluate_every", 0, "moves between two looks of the policy's evaluation at a playout; 0 = none", 0, 1 << 30),
    Parameter(
        "evaluation_limit", 1000.0, "a playout evaluated beyond plus or minus this is over and won (odds 19 to 1)", 0.0, 1e9
    ),
    Parameter(
        "judge_after",
        -1,
        "moves after which a playout ends and counts as much as the policy's evaluation (if it has one) gives it; -1 = never",
        -1,
        1 << 30,
    ),
    # Proof.
    Parameter(
        "solver",
        "bounds",
        "what is proven: nothing, wins and losses, or bounds of every outcome",
        choices=("off", "win-loss", "bounds"),
    ),
    Parameter("cuts", True, "skip moves that their bounds show to be useless, as alpha-beta does"),
    Parameter("pess_bias", 0.0, "gamma: weight of a move's pessimistic bound in its value", -1e9, 1e9),
    Parameter("opti_bias", 0.0, "delta: weight of a move's optimistic bound in its value", -1e9, 1e9),
    Parameter("bias_decay", 0.0, "k: both weights times k / (k + n); 0 = constant", 0.0, 1e9),
    Parameter("clamp_scores", False, "keep the score backed up to a node within the node's bounds"),
    Parameter("initial_bounds", True, "use the bounds that the game's rules give a position"),
    Parameter("probe_children", True, "look at every new move at once: the end of the game, its bounds, known positions"),
    Parameter("revisit_proven", True, "the policy, where it draws moves (policy_below), may draw proven ones too"),
    Parameter("transpositions", True, "share bounds between equal positions reached by different moves"),
    # The answer.
    Parameter("final_move", "visits", "the move chosen in the end; proofs come first", choices=("visits", "value", "secure")),
    Parameter("secure_constant", 1.0, "A of the secure child, the largest v - A / sqrt(n), v from 0 to 1", -1e6, 1e6),
    Parameter("stop_early", False, "end a search when the time left cannot change the most visited move"),
    Parameter("resign", 0.0, "give a game up when the value for the mover, from 0 to 1, is below this; 0 = never", 0.0, 1.0),
    # The machine.
    Parameter("threads", 1, "threads on one shared tree", 1, 256),
    Parameter("virtual_loss", 1, "losses assumed for a simulation under way, with more than one thread", 0, 100),
    Parameter("memory", 1024.0, "MiB for the tree and the table of known positions", 0.0, 1e9),
    Parameter("reuse_tree", True, "keep the part of the tree that is still of use after a move"),
)
JUDGED_UNIT = 1000  # sums are counted in parts of an outcome so small where playouts are judged


def sum_unit(settings: Settings) -> int:
    """What an outcome of 1 adds to the sums of the tree."""
    return JUDGED_UNIT if settings["judge_after"] >= 0 else 1


BACKUPS = ("mean", "max", "robust-max", "mix")
MEAN, MAX, ROBUST_MAX, MIX = 0, 1, 2, 3
SOLVERS = ("off", "win-loss", "bounds")
SOLVER_OFF, SOLVER_WIN_LOSS, SOLVER_BOUNDS = 0, 1, 2
