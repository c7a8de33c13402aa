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
        goal="Close more boxes than your opponent.",
        how_to_play=(
            "The players take turns to draw an edge between two dots; Blue begins. Who draws the fourth edge of a box owns it "
            "and moves again. When all edges are drawn, whoever owns more boxes has won."
        ),
        click="Click between two dots to draw that edge.",
        won_by="h11 h21 h22 v13 h32 v22 v23 v11 v12 v21 h12 h31",
        won_in="dotsandboxes:2x2",
        initial=start,
        outcomes=(-boxes, boxes),
        move_count=edges,
        max_plies=edges,
        player_names=("Blue", "Orange"),
        move_text=move_text,
        draw=draw,
        picture=picture(start),
        encoding=encoding(rows, columns),
    )
