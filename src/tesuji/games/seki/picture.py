"""How a seki problem is drawn: as a position of Go."""

from __future__ import annotations

from tesuji.core.picture.drawing import Picture
from tesuji.games.facing_strings import strings_picture
from tesuji.games.seki.text import move_text


def picture(black: int, white: int, shared: int) -> Picture:
    return strings_picture(black, white, shared, move_text)
