"""The overlays of positions of Hex by their names, as in `tesuji analyze --show NAME` or `NAME=POINTS`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State
from tesuji.games.hex.state import MAY_SWAP
from tesuji.knowledge.hex.overlays.board import fill_overlay, inferior_overlay, mustplay_overlay
from tesuji.knowledge.hex.overlays.circuit import circuit_overlay
from tesuji.knowledge.hex.overlays.connections import connections_overlay
from tesuji.knowledge.hex.overlays.positions import AssessedPosition
from tesuji.knowledge.overlays import Overlay

OVERLAYS: dict[str, Callable[[AssessedPosition, State, Sequence[str]], Overlay]] = {
    "connections": connections_overlay,
    "inferior": inferior_overlay,
    "fill": fill_overlay,
    "mustplay": mustplay_overlay,
    "circuit": circuit_overlay,
}
NAMES = tuple(OVERLAYS)


def overlay(_game: Game, state: State, name: str, points: Sequence[str] = (), mover: int | None = None) -> Overlay:
    """The overlay of this name, for the player whose turn it is, or for `mover`."""
    if rules.is_over(state):
        raise UserError("the game is over in this position")
    if state["swap"] == MAY_SWAP:
        raise UserError("nothing is known of a position as long as there may be a swap: play on, or leave swap=on out")
    if points and name != "connections":
        raise UserError(f"{name} takes no cells: leave ={','.join(points)} out")
    return OVERLAYS[name](AssessedPosition(state, mover), state, points)
