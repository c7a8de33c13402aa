"""A player is data: a name, a set of parameters, and limits of its own where its paper gives some."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.parameters import Settings, parse_assignments
from tesuji.search.alphabeta.options import ALPHABETA
from tesuji.search.options import SEARCH

if TYPE_CHECKING:
    from tesuji.core.game import Game, State


@dataclass(frozen=True)
class Player:
    """`changes` are what someone asked for by name; they stand above what the preset has for one game."""

    name: str
    summary: str
    settings: Settings
    limits: Limits = field(default_factory=Limits)
    by_game: Mapping[str, Mapping[str, Any]] = field(
        default_factory=dict, hash=False
    )  # first word of the game string -> values
    changes: Mapping[str, Any] = field(default_factory=dict, hash=False)
    games: tuple[str, ...] = ()  # first words of the games it is made for; () = every game

    def settings_for(self, game: Game) -> Settings:
        """The parameters with which this player plays the game."""
        from tesuji.knowledge.registry import family

        if self.games and family(game) not in self.games:
            raise UserError(f"the player {self.name} plays {', '.join(self.games)}, not {game.name}")
        return self.settings.changed_by(self.by_game.get(family(game), {})).changed_by(self.changes)

    def policy_for(self, game: Game) -> Any:
        from tesuji.knowledge.registry import policy_for

        return policy_for(game, self.settings_for(game))


_OFF = {"initial_bounds": False, "probe_children": False, "transpositions": False}
_PAPER = {"exploration": 0.05, **_OFF}  # Cazenave and Saffidine's constant, recovered from their Table 6
_GO = {"solver": "off", "rave": True, "exploration": 0.0, "first_play": 0.55, "reward": "win", "expand_after": 2, **_OFF}
_GO |= {"rave_bias": 0.001, "prior_games": 20, "stop_early": True, "resign": 0.08}

# The paper's constants are for values from -1 to 1, ours for 0 to 1: half of each. Its exploration constant is not printed;
# 0.15 beat larger ones here, and smaller ones prove less (docs/papers/mcts-solver.md).
_MC_LOA = {"policy": "mc-loa", "exploration": 0.15, "prior_weight": 50.0, "policy_below": 50}
_MC_LOA |= {"playout_cap": 200, "evaluate_every": 3, "evaluation_limit": 1000.0}
_SOLVER = {"solver": "win-loss", "cuts": False, "initial_bounds": False, "transpositions": False, "probe_children": True}
_SOLVER |= {"final_move": "secure", "secure_constant": 0.5}
# Short playouts, each move the best of four that were drawn, judged by the evaluation after 8 moves: docs/games/loa.md.
_LOA = _MC_LOA | {"policy": "best-of-4", "exploration": 0.1, "policy_below": 0, "judge_after": 8, "prior_weight": 10.0}

PLAYERS = (
    Player(
        "tesuji",
        "the default: bounds, cuts, known positions; plays and proves",
        SEARCH.settings(),
        by_game={"go": _GO, "loa": _LOA},
    ),
    Player(
        "uct",
        "plain UCT: no proof, every move tried, means and visits only",
        SEARCH.settings({"solver": "off", **_OFF}),
        by_game={"go": {"reward": "win", "policy": "uniform"}, "loa": {"policy": "uniform"}},
    ),
    Player(
        "uct-rave",
        "UCT with all moves as first, no proof",
        SEARCH.settings({"solver": "off", "rave": True, "exploration": 0.1, **_OFF}),
        by_game={"go": _GO},
    ),
    Player(
        "crazystone",
        "Go as in Coulom 2006: moves drawn by their chance of being best, mixed backup, urgency playouts",
        SEARCH.settings(
            {"solver": "off", "selection": "gaussian", "backup": "mix", "policy": "crazystone", "policy_below": -1, **_OFF}
            | {"stop_early": True, "resign": 0.33}
        ),
        games=("go",),
    ),
    Player(
        "mcts-solver",
        "wins and losses proven, draws not (Winands, Bjornsson and Saito 2008)",
        SEARCH.settings(_SOLVER),
        by_game={"loa": _MC_LOA},
    ),
    Player(
        "mcts",
        "the same without the solver",
        SEARCH.settings(_SOLVER | {"solver": "off"}),
        by_game={"loa": _MC_LOA},
    ),
    Player(
        "mc-loa",
        "Lines of Action as in the same paper: move categories, progressive bias, playouts cut by evaluation, the solver",
        SEARCH.settings(_SOLVER | _MC_LOA),
        games=("loa",),
    ),
    Player(
        "loa",
        "the strongest tree search at Lines of Action: short playouts of well chosen moves, judged by evaluation",
        SEARCH.settings(_SOLVER | _LOA),
        games=("loa",),
    ),
    *(
        Player(
            name,
            f"alpha-beta for Lines of Action, in the spirit of MIA with its evaluation of {name[3:]}",
            ALPHABETA.settings({"policy": name, "multi_cut": True, "noise": 3.0}),
            games=("loa",),
        )
        for name in ("mia2000", "mia2002", "mia2006")
    ),
    Player(
        "bounds-plain",
        "bounds without cuts: the 'plain' solver of Cazenave and Saffidine 2010",
        SEARCH.settings({"cuts": False, **_PAPER}),
    ),
    Player("bounds-cuts", "bounds with cuts (the same paper)", SEARCH.settings(_PAPER)),
    Player(
        "bounds-guided",
        "bounds, cuts and delta = -0.1 (the same paper, Table 6)",
        SEARCH.settings({"opti_bias": -0.1, **_PAPER}),
    ),
    Player(
        "bounds-best",
        "goes deep first, with all that bounds offer: proves the paper's seki problems soonest",
        SEARCH.settings({"first_play": 0.0}),
    ),
)


def new_search(player: Player, game: Game, state: State = None, seed: int = 0, pure: bool | None = None) -> Any:
    """The search that this player makes of a position of the game (the start if none is given)."""
    return search_with(game, player.settings_for(game), state, seed, pure)


def search_with(game: Game, settings: Settings, state: State = None, seed: int = 0, pure: bool | None = None) -> Any:
    """A search with just these settings and the policy that they name: a tree search, or alpha-beta for settings of its own.

    Both are used alike (`run`, `advance`, `result`, `state`, `settings`).
    """
    from tesuji.knowledge.registry import policy_for

    if settings.declaration is ALPHABETA:
        from tesuji.search.alphabeta.engine import AlphaBeta as Engine
    else:
        from tesuji.search.engine import Search as Engine
    return Engine(game, state, settings, policy_for(game, settings), seed, pure)


def find_player(text: str) -> Player:
    """The player that a string names: 'uct', or 'uct:exploration=0.2,playouts=1000'."""
    name, _, rest = text.partition(":")
    chosen = next((p for p in PLAYERS if p.name == name), None)
    if chosen is None:
        raise UserError(f"there is no player {name!r}; there are: {', '.join(p.name for p in PLAYERS)}")
    values = parse_assignments(rest)
    limits = chosen.limits
    if "playouts" in values:
        limits = replace(limits, playouts=_number(values.pop("playouts"), int, "playouts"))
    if "seconds" in values:
        limits = replace(limits, seconds=_number(values.pop("seconds"), float, "seconds"))
    return changed(replace(chosen, limits=limits), values)


def changed(player: Player, values: Mapping[str, Any]) -> Player:
    """The player with these parameters in place of its own, in every game."""
    settings = player.settings.changed_by(values)
    names = [settings.declaration[name].name for name in values]
    named = {name: settings[name] for name in names}
    return replace(player, settings=settings, changes={**player.changes, **named})


def _number(text: str, kind: type, name: str):
    try:
        return kind(text)
    except ValueError:
        raise UserError(f"{name}={text} is not a number") from None
