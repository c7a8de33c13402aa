"""Semeai as a game, for a game string."""

from __future__ import annotations

import re

import numpy as np

from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game
from tesuji.games.semeai import rules as rules  # registers the rules
from tesuji.games.semeai.picture import picture
from tesuji.games.semeai.state import AWAY_LIMIT, MOST_LIBERTIES, STATE
from tesuji.games.semeai.text import draw, move_text
from tesuji.games.strings import whole_numbers

_PROBABILITY = re.compile(r"(\d{1,3}\.?\d{0,17}|\.\d{1,17})(e-\d{1,2})?", re.ASCII)


def make(text: str) -> Game:
    """The game for 'A,B' or 'A,B,P'; '' is 5,4."""
    usage = f"semeai:A,B or semeai:A,B,P with A and B from 1 to {MOST_LIBERTIES} and 0 <= P < 1"
    text = text or "5,4"
    parts = text.split(",")
    a, b = whole_numbers(",".join(parts[:2]), ",", 2, usage)
    if len(parts) > 3 or (len(parts) == 3 and not _PROBABILITY.fullmatch(parts[2])):
        raise UserError(f"{shortened(text, quoted=True)} is not of the form expected: {usage}")
    elsewhere = float(parts[2]) if len(parts) == 3 else 0.0
    if not (1 <= a <= MOST_LIBERTIES and 1 <= b <= MOST_LIBERTIES and 0 <= elsewhere < 1):
        raise UserError(f"semeai:{text} is out of range: {usage}")
    start = np.zeros(1, STATE)[0]
    start["open"] = (1 << (a + b)) - 1
    start["liberties"] = start["sizes"] = (a, b)
    start["elsewhere"] = elsewhere
    return Game(
        name=f"semeai:{a},{b}" + (f",{elsewhere!r}" if elsewhere > 0 else ""),
        title="Semeai",
        goal="Capture the opponent's string before yours is captured.",
        how_to_play=(
            "A black and a white string face each other, and only one of them can live. A move fills one liberty of either "
            "string; Black begins. Who takes the last liberty of the other string captures it and wins."
        ),
        click="Click a free point to fill it.",
        won_by="w1 b1 w2 b2 w3 b3 w4",
        won_in="semeai:5,4",
        initial=start,
        outcomes=(-1, 1),
        move_count=a + b + (1 if elsewhere > 0 else 0),
        max_plies=(a + b) * (AWAY_LIMIT if elsewhere > 0 else 1),
        player_names=("Black", "White"),
        move_text=move_text,
        draw=draw,
        picture=picture(a, b),
    )
