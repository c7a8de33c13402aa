"""The players that come with the package, and player strings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tesuji.core.errors import UserError, did_you_mean, shortened
from tesuji.core.parameters import Parameter, check_names_no_file, parse_assignments
from tesuji.core.user_files import is_path, split_path
from tesuji.core.words import has_scores
from tesuji.knowledge.registry import family
from tesuji.players.parameters import all_parameters, known_parameters
from tesuji.players.player import Player
from tesuji.players.user import load_user_player

if TYPE_CHECKING:
    from tesuji.core.game import Game

_KNOWING_NOTHING = {"initial_bounds": False, "probe_children": False, "transpositions": False}
_PAPER = {"exploration": 0.05, **_KNOWING_NOTHING}  # Cazenave and Saffidine's constant, recovered from their Table 6
_RAVE_GO = {"solver": "off", "selection": "rave", "exploration": 0.0, "first_play": 0.55, "reward": "win", "expand_after": 2}
_RAVE_GO |= {"rave_bias": 0.001, "prior_games": 20, "stop_early": True, "resign": 0.08}

_MOGO = {"solver": "off", "selection": "rave-prior", "first_play": 0.5, "reward": "win", "expand_after": 4, "policy": "mogo"}
_MOGO |= {"prior_bonus": 0.3, "stop_early": True, "resign": 0.08}
# The network says in one number what H and the rules say in many (docs/experiments/network-search.md).
_GO = _MOGO | {"policy": "network", "prior_share": 0.0, "prior_bonus": 0.05, "expand_after": 8, "value_share": 0.3}

# The constants are those of MoHex's source; those of 2011 that are not set here are defaults.
_MOHEX1 = {"solver": "win-loss", "cuts": False, "transpositions": False, "initial_bounds": False, "probe_children": False}
_MOHEX1 |= {"selection": "rave-outside", "exploration": 0.0, "first_play": 1e4, "rave_skip": 20}
_MOHEX1 |= {"policy": "knowledge", "simulation": "bridges", "prior_from": "nothing", "prune_new": False, "study_after": 400}
_MOHEX1 |= {"rave_games": 0.0, "presearch": 0.2}
_MOHEX2 = _MOHEX1 | {"selection": "rave-progressive-bias", "exploration": 0.22, "first_play": 0.35, "rave_skip": 30}
_MOHEX2 |= {"rave_initial": 2.12, "rave_final": 830.0, "prior_weight": 2.47, "expand_after": 10, "simulation": "patterns"}
_MOHEX2 |= {"prior_from": "patterns", "prune_new": True, "study_after": 256, "rave_games": 8.0, "extend_unstable": 0.5}
_MOHEX2 |= {"reply_bonus": 282.0}
# Better priors, nodes expanded and studied earlier, no time spent before the search (docs/papers/mohex2.md).
_HEX = _MOHEX2 | {"prior_from": "features", "presearch": 0.0, "study_after": 100, "expand_after": 5}
# The width is Wolve's. Its evaluation swings from ply to ply, as it does not say whose move it is: no aspiration window.
_WOLVE = {"policy": "circuit", "width": 15, "null_move": False, "aspiration": 0.0, "grain": 1000.0, "evaluation_limit": 1.5}
_HEX_TREE = {name: _HEX[name] for name in ("selection", "exploration", "first_play", "rave_skip", "rave_initial", "rave_final")}
_HEX_TREE |= {"prior_weight": _HEX["prior_weight"], "policy": "knowledge", "prior_from": "features", "study_after": 10}
# Every node is studied, and the first quarter of its moves looked at (docs/experiments/proof-numbers.md).
_HEX_PROOF = {"policy": "knowledge", "prior_from": "features", "rave_games": 0.0, "study_after": 0}
_HEX_PROOF |= {"widening": 0.25, "number_sum": False}

# The paper's constants are for values from -1 to 1, ours for 0 to 1: half of each. Its exploration constant is not printed;
# 0.15 beat larger ones here, and smaller ones prove less (docs/papers/mcts-solver.md).
_MC_LOA = {"selection": "progressive-bias", "exploration": 0.15, "prior_weight": 50.0, "policy_below": 50}
_MC_LOA |= {"playout_cap": 200, "evaluate_every": 3, "evaluation_limit": 1000.0}
_SOLVER = {"solver": "win-loss", "cuts": False, "initial_bounds": False, "transpositions": False}
_SOLVER |= {"final_move": "secure", "secure_constant": 0.5}
# No playouts: a leaf is worth its evaluation, and a new move begins with that of the position after it, as if it had been
# played five times (docs/experiments/loa-player.md).
_LOA = {"selection": "expected-value", "exploration": 0.2, "expected_games": 5, "prior_by": "evaluation", "judge_after": 0}
_LOA |= {"evaluation_limit": 1000.0}
# Short playouts of 8 moves, each the best of four drawn, scored by the evaluation.
_LOA_PLAYOUTS = _MC_LOA | {"decisive": True, "best_of": 4, "exploration": 0.1, "policy_below": 0, "judge_after": 8}
_LOA_PLAYOUTS |= {"prior_weight": 10.0}

# Playouts without gross mistakes (docs/experiments/values.md).
_CONNECT4 = {"policy": "decisive", "exploration": 0.5}
_TESUJI = {"connect4": _CONNECT4, "go": _RAVE_GO, "hex": _HEX_TREE, "loa": _LOA}

PLAYERS = (
    Player("tesuji", "the default: bounds, cuts, transpositions; plays and proves", by_game=_TESUJI),
    Player(
        "uct",
        "plain UCT, the baseline: means and visits, no proof",
        {"solver": "off"},
        by_game={"go": {"reward": "win", "policy": "uniform"}, "loa": {"policy": "uniform"}, "hex": {"policy": "uniform"}},
    ),
    Player(
        "uct-rave",
        "UCT with RAVE, no proof",
        {"solver": "off", "selection": "rave"},
        by_game={"go": _RAVE_GO, "hex": {"policy": "bridges"}},
    ),
    Player(
        "crazystone",
        "Go as in Coulom 2006: games shared out by the probability of being best, mix backup, urgency playouts",
        {"solver": "off", "selection": "gaussian", "allocation": "shares", "backup": "mix", "mean_below": -1}
        | {"policy": "crazystone", "stop_early": True, "resign": 0.33},
        games=("go",),
    ),
    Player(
        "mogo",
        "Go as in Chaslot et al. 2009: what is known before, RAVE and own games in one formula; playouts of MoGo",
        _MOGO,
        games=("go",),
    ),
    Player(
        "go",
        "the default of Go: a network rates moves and expects results, beside RAVE and MoGo's playouts",
        _GO,
        games=("go",),
    ),
    Player(
        "mohex1",
        "Hex as in MoHex of 2011: UCT, RAVE, virtual connections, bridges saved in playouts",
        _MOHEX1,
        games=("hex",),
    ),
    Player(
        "mohex2",
        "Hex as in Huang et al. 2013 (MoHex 2.0): learned patterns as priors and in playouts, virtual connections",
        _MOHEX2,
        games=("hex",),
    ),
    Player(
        "hex",
        "Hex as mohex2, with priors from more features of a move, and nodes expanded and studied earlier",
        _HEX,
        games=("hex",),
    ),
    Player(
        "wolve",
        "Hex as in Wolve: alpha-beta on the resistance of both players' circuits, virtual connections",
        _WOLVE,
        games=("hex",),
        alphabeta=True,
    ),
    Player(
        "mcts-solver",
        "proves wins and losses, not draws (Winands, Bjornsson and Saito 2008)",
        _SOLVER,
        by_game={"loa": _MC_LOA},
    ),
    Player(
        "mcts",
        "the same without the solver",
        _SOLVER | {"solver": "off"},
        by_game={"loa": _MC_LOA},
    ),
    Player(
        "mc-loa",
        "Lines of Action as in the same paper: move categories, progressive bias, playouts cut by evaluation, the solver",
        _SOLVER | _MC_LOA,
        games=("loa",),
    ),
    Player(
        "loa",
        "the default of Lines of Action: no playouts, leaves and new moves are worth their evaluation",
        _SOLVER | _LOA,
        games=("loa",),
    ),
    *(
        Player(
            name,
            f"alpha-beta for Lines of Action, in the spirit of MIA with its evaluation of {name[3:]}",
            {"evaluator": name, "multi_cut": True, "noise": 3.0},
            games=("loa",),
            alphabeta=True,
        )
        for name in ("mia2000", "mia2002", "mia2006")
    ),
    Player(
        "pn-mcts",
        "bounds, and UCT with a bonus for moves of which little is left to prove (Kowalski et al. 2024)",
        {"selection": "pn-mcts"},
        by_game={"loa": _SOLVER | _LOA_PLAYOUTS | {"selection": "pn-progressive-bias"}},
    ),
    Player(
        "prove",
        "proof-number search: goes where least is left to prove, without playouts; what `solve` uses",
        {"selection": "most-proving"},
        by_game={"connect4": {"policy": "threats"}, "hex": _HEX_PROOF, "loa": {"policy": "threats"}},
    ),
    Player(
        "network",
        "any game by a network alone (Silver et al. 2017): PUCT, what the network expects in place of playouts; and it proves",
        {"policy": "network", "selection": "puct", "value_share": 1.0},
    ),
    Player(
        "bounds-plain",
        "bounds without cuts: the 'plain' solver of Cazenave and Saffidine 2010",
        {"cuts": False, **_PAPER},
    ),
    Player("bounds-cuts", "bounds with cuts (the same paper)", _PAPER),
    Player(
        "bounds-guided",
        "bounds, cuts and delta = -0.1 (the same paper, Table 6)",
        {"selection": "bound-bias", "opti_bias": -0.1, **_PAPER},
    ),
    Player(
        "bounds-best",
        "follows one line to its end first: fewest playouts for the paper's seki problems",
        {"first_play": 0.0},
    ),
)

DEFAULT = PLAYERS[0]
LIMITS = {"playouts": int, "seconds": float, "cpu": float}  # what a player string may hold besides parameters
# Games in which `play` and `gtp` take another player than the default: in Go one that beats `mogo` at equal time
# (docs/experiments/network-search.md), in Lines of Action one that beats alpha-beta (docs/experiments/loa-player.md). There and
# in Hex it has not been compared with the default.
STRONGEST = {"go": "go", "loa": "loa", "hex": "hex"}


def default_player(game: Game, parameters: Mapping[str, Any] | None = None, with_tree: bool = False) -> Player:
    """The strongest player of a game, with these parameters in place of its own.

    If it lacks one of these parameters, or is alpha-beta where a tree is needed, it is `DEFAULT`, or where they name a network
    the player by that.
    """
    strongest = find_player(STRONGEST.get(family(game), DEFAULT.name)).changed(parameters or {})
    try:
        strongest.settings_for(game)
    except UserError:
        return (by_network(game) if "network" in (parameters or {}) else DEFAULT).changed(parameters or {})
    return DEFAULT.changed(parameters or {}) if with_tree and strongest.alphabeta else strongest


def by_network(game: Game) -> Player:
    """The player by a network alone. Networks expect wins, draws and losses, so scores count as these."""
    player = find_player("network")
    return player.changed({"reward": "win"}) if has_scores(game) else player


def split_player(text: str) -> tuple[str, str]:
    """('uct', 'exploration=0.2,playouts=1000'), or ('path/to/file.py:name', 'exploration=0.2,playouts=1000')."""
    if is_path(text):
        path, name, rest = split_path(text)
        return f"{path}:{name}", rest
    name, _, rest = text.partition(":")
    return name, rest


def find_player(text: str, may_load: bool = False) -> Player:
    """The player that a player string names: 'uct', or 'uct:exploration=0.2,playouts=1000'.

    A user's own player ('path/to/file.py:name') is Python code. It is only run with `may_load`: where the person
    who runs this program has named it on the command line, never because a request or a file does. The same holds for weights.
    """
    name, rest = split_player(text)
    if is_path(text):
        if not may_load:
            raise UserError(f"{name}: a player of your own can only be named on the command line")
        player = load_user_player(text)
        player.check_names()
        return _with_assignments(player, parse_assignments(rest), {**all_parameters(), **player.own_parameters()})
    preset = next((p for p in PLAYERS if p.name == name), None)
    if preset is None:
        if name == "gtp":
            raise UserError("GTP programs play in tesuji match, and on the page of tesuji play with --engine 'gtp:COMMAND'")
        names, hint = ", ".join(p.name for p in PLAYERS), did_you_mean(name, (p.name for p in PLAYERS))
        raise UserError(
            f"there is no player {shortened(name, quoted=True)}{hint}; there are: {names}, or path/to/file.py:name for your own"
        )
    if not rest:
        return preset
    values = parse_assignments(rest)
    parameters = known_parameters(name.replace("-", "_") for name in values if name not in LIMITS)
    player = _with_assignments(preset, values, parameters)
    if not may_load:
        for key, value in player.changes.items():
            check_names_no_file(parameters[key], str(value))
    return player


def _with_assignments(player: Player, values: dict[str, Any], parameters: Mapping[str, Parameter]) -> Player:
    """The player with these values, which are texts. Only names are checked here: their effect depends on the game."""
    own = {name: _number(values.pop(name), kind, name) for name, kind in LIMITS.items() if name in values}
    limits = replace(player.limits, **own)
    for name in values:
        if name.replace("-", "_") not in parameters:
            raise player.no_parameter(name, parameters)
    return replace(player, limits=limits).changed(values)


def _number(text: str, kind: type, name: str):
    try:
        return kind(text)
    except ValueError:
        raise UserError(f"{name}={shortened(text)} is not a number") from None
