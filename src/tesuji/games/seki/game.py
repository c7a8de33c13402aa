"""Seki problems as games, for a game string."""

from __future__ import annotations

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.games.seki import rules as rules  # registers the rules
from tesuji.games.seki.picture import picture
from tesuji.games.seki.state import MOST_OUTSIDE, MOST_SHARED, STATE
from tesuji.games.seki.text import draw, move_text
from tesuji.games.strings import whole_numbers


def make(text: str) -> Game:
    """The game for 'M,N' (two shared liberties) or 'M,N,S'; '' is 3,4."""
    usage = f"seki:M,N or seki:M,N,S with M and N from 0 to {MOST_OUTSIDE} and S from 0 to {MOST_SHARED} (default 2)"
    text = text or "3,4"
    numbers = whole_numbers(text, ",", 3 if text.count(",") == 2 else 2, usage)
    m, n = numbers[:2]
    s = numbers[2] if len(numbers) == 3 else 2
    if m > MOST_OUTSIDE or n > MOST_OUTSIDE or s > MOST_SHARED:
        raise UserError(f"seki:{text} is out of range: {usage}")
    if m + s < 1 or n + s < 1:
        raise UserError(f"seki:{text}: each string needs a liberty: M + S and N + S must be 1 or more")
    start = np.zeros(1, STATE)[0]
    points = m + n + s
    start["open"] = (1 << points) - 1
    start["outside"] = (m, n)
    start["shared"] = s
    start["sizes"] = (m, n, s)
    return Game(
        name=f"seki:{m},{n}" + (f",{s}" if s != 2 else ""),
        title="Seki",
        goal="Capture the opponent's string, or at least save your own.",
        how_to_play=(
            "A black and a white string face each other; everything else on the board is alive. A move fills one of the free "
            "points, which are the liberties of the strings, or passes; Black begins. Who takes the last liberty of the other "
            "string captures it and wins; two passes in a row are a draw, as both live."
        ),
        click="Click a free point to fill it; Pass is a button below the board.",
        won_by="w1 b1 w2 b2 w3 b3 s1 pass s2",
        won_in="seki:4,3",
        initial=start,
        outcomes=(-1, 1),
        move_count=points + 1,
        max_plies=2 * points + 2,
        player_names=("Black", "White"),
        move_text=move_text,
        draw=draw,
        picture=picture(m, n, s),
    )
