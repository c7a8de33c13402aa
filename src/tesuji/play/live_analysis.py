"""What an analysis of a position in a game does besides searching: other moves get visits too, and points their owners."""

from __future__ import annotations

from tesuji.core import rules
from tesuji.core.position import Position
from tesuji.knowledge.registry import ownership_of
from tesuji.search.engine.final_move import Result

WIDENING = 0.2  # root_widening while analysing: a fifth of the visits goes to other moves than the most visited one
OWNERSHIP_PLAYOUTS = 200
OWNERSHIP_PLIES = 10  # of the expected line, after which it is looked at whose the points are


def owners_after_line(position: Position, result: Result) -> dict[tuple[int, int], float] | None:
    """Whose each point, (column, row), is likely to be after the expected line: 1 the first player's, -1 the second's.

    None in games without territory.
    """
    game, owners = position.game, ownership_of(position.game)
    if owners is None or game.board is None:
        return None
    state = position.state
    for move in result.moves[0].pv[:OWNERSHIP_PLIES] if result.moves else []:
        if rules.is_over(state) or game.board.point(state, move) is None or move not in game.legal_moves(state):
            break
        rules.play(state, move)
    return owners(game, state, OWNERSHIP_PLAYOUTS)
