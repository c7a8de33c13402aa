"""A player is data: a name, a set of parameters, and limits of its own where its paper gives some."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.parameters import Settings, parse_assignments
from tesuji.search.options import SEARCH


@dataclass(frozen=True)
class Player:
    name: str
    summary: str
    settings: Settings
    limits: Limits = field(default_factory=Limits)


_OFF = {"initial_bounds": False, "probe_children": False, "transpositions": False}
_PAPER = {"exploration": 0.05, **_OFF}  # Cazenave and Saffidine's constant, recovered from their Table 6

PLAYERS = (
    Player("tesuji", "the default: bounds, cuts, known positions; plays and proves", SEARCH.settings()),
    Player("uct", "plain UCT: no proof, every move tried, means and visits only", SEARCH.settings({"solver": "off", **_OFF})),
    Player(
        "uct-rave",
        "UCT with all moves as first, no proof",
        SEARCH.settings({"solver": "off", "rave": True, "exploration": 0.1, **_OFF}),
    ),
    Player(
        "mcts-solver",
        "wins and losses proven, draws not (Winands, Bjornsson and Saito 2008)",
        SEARCH.settings({"solver": "win-loss", "cuts": False, **_OFF}),
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
    return replace(chosen, settings=chosen.settings.changed_by(values), limits=limits)


def _number(text: str, kind: type, name: str):
    try:
        return kind(text)
    except ValueError:
        raise UserError(f"{name}={text} is not a number") from None
