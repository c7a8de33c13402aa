"""What somebody needs who sees a game for the first time: its goal and rules in words, and a picture of a game that is won."""

from __future__ import annotations

from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.picture.drawing import describe, draw, picture_of
from tesuji.games.registry import find_built_in

CLICKS = {
    "place": "Click a place to play there.",
    "from-to": "Click one of your pieces, then where it goes.",
    "text": "Press the button of a move to play it.",
}


def guide_of(game: Game) -> dict[str, Any]:
    """The words of a game. One of the user's own need not have any; what a click does can be said of every game."""
    picture = picture_of(game)
    return {
        "goal": game.goal,
        "how_to_play": game.how_to_play,
        "click": game.click or CLICKS[picture.input if picture else "text"],
        "example": example_of(game),
    }


def example_of(game: Game) -> dict[str, Any] | None:
    """The board of a game that is won, as the page draws it; None where the game names none, or wrongly."""
    if not game.won_by:
        return None
    try:
        shown = find_built_in(game.won_in) if game.won_in else game
        position = shown.start
        for move in game.won_by.split():
            position = position.play(move)
    except UserError:
        return None
    if picture_of(shown) is None:
        return None
    return {"board": describe(shown), "position": draw(position, with_moves=False)}
