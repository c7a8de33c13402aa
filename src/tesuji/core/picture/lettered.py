"""A position in a terminal with short texts on its places: the game's picture, in characters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tesuji.core.picture.drawing import picture_of
from tesuji.core.position import Position

if TYPE_CHECKING:
    from tesuji.core.game import Game, State

WIDE = 4  # characters from one place to the next: three for a text, and a blank
TEXT = WIDE - 1
SIGNS = "XO"
NOBODYS = "#"
EMPTY = "."


def lettered_board(game: Game, state: State, texts: Mapping[str, str]) -> str:
    """The board with texts of three characters at most on places that have one, X and O for the players' pieces.

    A game without a picture is drawn by itself, without texts.
    """
    picture = picture_of(game)
    if picture is None or not picture.places:
        return game.drawing(state)
    heights = sorted({place.y for place in picture.places})
    written = {(place.x, place.y): EMPTY for place in picture.places}
    spots = {place.name: (place.x, place.y) for place in picture.places}
    written |= {spots[name]: text for name, text in texts.items() if name in spots}
    for piece in picture.pieces(Position(game, state)):
        if piece.at in spots:
            written[spots[piece.at]] = NOBODYS if piece.player is None else SIGNS[piece.player]
    lines: dict[int, dict[int, str]] = {}
    for (x, y), text in written.items():
        lines.setdefault(heights.index(y), {})[round(WIDE * x)] = text
    for label in picture.labels:
        if label.y < heights[0] - 0.5:
            row = -1
        elif label.y > heights[-1] + 0.5:
            row = len(heights)
        else:
            row = min(range(len(heights)), key=lambda number: abs(heights[number] - label.y))
        lines.setdefault(row, {})[round(WIDE * label.x)] = label.text
    left = min(min(line) for line in lines.values())
    return "\n".join(_line(lines[row], left) for row in sorted(lines))


def _line(texts: Mapping[int, str], left: int) -> str:
    """Texts that end at their columns, counted from `left`; what has no room for that goes on where there is some."""
    line = ""
    for column, text in sorted(texts.items()):
        end = column - left + TEXT
        line += text.rjust(max(len(text) + (line != ""), end - len(line)))
    return line.rstrip()
