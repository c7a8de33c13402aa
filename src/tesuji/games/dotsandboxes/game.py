"""Dots and boxes as a game, for a game string."""

from __future__ import annotations

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.games.dotsandboxes import rules as rules  # registers the rules
from tesuji.games.dotsandboxes.picture import picture
from tesuji.games.dotsandboxes.planes import encoding
from tesuji.games.dotsandboxes.state import LARGEST, STATE
from tesuji.games.dotsandboxes.text import draw, move_text
from tesuji.games.strings import whole_numbers


def make(text: str) -> Game:
    """The game for 'RxC' boxes; '' is 2x2."""
    usage = f"dotsandboxes:RxC with R rows and C columns of boxes, from 1 to {LARGEST} each"
    rows, columns = whole_numbers(text or "2x2", "x", 2, usage)
    if not (1 <= rows <= LARGEST and 1 <= columns <= LARGEST):
        raise UserError(f"dotsandboxes:{text} is out of range: {usage}")
    boxes = rows * columns
    start = np.zeros(1, STATE)[0]
    start["rows"], start["columns"] = rows, columns
    start["horizontals"] = boxes + columns
    start["edges"] = edges = 2 * boxes + rows + columns
    start["left"] = boxes
    return Game(
        name=f"dotsandboxes:{rows}x{columns}",
        title="Dots and boxes",
        initial=start,
        outcomes=(-boxes, boxes),
        move_count=edges,
        max_plies=edges,
        player_names=("x", "o"),
        move_text=move_text,
        draw=draw,
        picture=picture(start),
        encoding=encoding(rows, columns),
    )
