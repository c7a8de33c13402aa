"""Connect Four as a game, for a game string."""

from __future__ import annotations

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.picture.board import Board
from tesuji.games.connect4 import rules as rules  # registers the rules
from tesuji.games.connect4.picture import picture
from tesuji.games.connect4.planes import encoding
from tesuji.games.connect4.state import STATE
from tesuji.games.connect4.text import draw, move_text, point_of, stones_of
from tesuji.games.strings import whole_numbers


def _word(number: int) -> str:
    return {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}.get(number, str(number))


def make(text: str) -> Game:
    """The game for 'WxH' or 'WxH:length'; '' is 7x6."""
    usage = "connect4:WxH with W*(H+1) <= 64, or connect4:WxH:LENGTH (default 7x6 and 4)"
    size, _, length_text = text.partition(":")
    width, height = whole_numbers(size or "7x6", "x", 2, usage)
    (length,) = whole_numbers(length_text or "4", "x", 1, usage)
    if not (1 <= width and 1 <= height and width * (height + 1) <= 64):
        raise UserError(f"connect4:{text}: a board of {width}x{height} is out of range: {usage}")
    if not 2 <= length <= 64:
        raise UserError(f"connect4:{text}: a length of {length} is out of range: 2 to 64")
    start = np.zeros(1, STATE)[0]
    step = height + 1
    bottom = sum(1 << (column * step) for column in range(width))
    start["bottom"] = bottom
    start["cells"] = bottom * ((1 << height) - 1)
    start["width"], start["height"], start["length"] = width, height, length
    start["left"] = width * height
    return Game(
        name=f"connect4:{width}x{height}" + (f":{length}" if length != 4 else ""),
        title="Connect Four",
        goal=f"Get {_word(length)} discs of your colour in a row.",
        how_to_play=(
            "The players take turns to drop a disc into a column, where it falls to the lowest free cell; Red begins. "
            f"{_word(length).capitalize()} in a row win: across, up or diagonally. A full board without such a row is a draw."
        ),
        click="Click anywhere in a column to drop a disc there.",
        won_by="1 2 2 3 3 4 3 4 4 1 4",
        won_in="connect4:5x4",
        initial=start,
        outcomes=(-1, 1),
        move_count=width,
        max_plies=width * height,
        player_names=("Red", "Yellow"),
        move_text=move_text,
        draw=draw,
        points=width * height,
        board=Board(width, height, stones_of, point_of),
        picture=picture(width, height),
        encoding=encoding(width, height),
    )
