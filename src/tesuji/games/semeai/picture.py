"""How a semeai is drawn: as a position of Go."""

from __future__ import annotations

from tesuji.core.picture.drawing import Picture
from tesuji.games.facing_strings import strings_picture
from tesuji.games.semeai.text import move_text


def picture(black: int, white: int) -> Picture:
    return strings_picture(black, white, 0, move_text)
