"""Boards for the page: core/picture describes and draws them; places have names there, points of a `Board` do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tesuji.core.errors import UserError, shortened
from tesuji.core.picture.drawing import describe, picture_of

if TYPE_CHECKING:
    from tesuji.core.game import Game
    from tesuji.core.picture.board import Point
    from tesuji.core.position import Position


def place_names(game: Game) -> dict[Point, str]:
    """The name of the place of each point of the game's board."""
    board = game.board
    if board is None:
        return {}
    found = {
        (place["column"], place["row"] if board.from_top else board.rows - 1 - place["row"]): place["name"]
        for place in describe(game)["places"]
    }
    if found:
        return found
    letters = board.letters.lower()
    return {
        (column, row): f"{letters[column]}{row + 1}"
        for column in range(min(board.columns, len(letters)))
        for row in range(board.rows)
    }


def points_named(game: Game, names: Any) -> list[Point]:
    """The points of places out of a request."""
    points = {name: point for point, name in place_names(game).items()}
    if not isinstance(names, list) or len(names) > len(points):
        raise UserError("a list of places of the board is needed")
    for name in names:
        if not isinstance(name, str) or name not in points:
            raise UserError(f"{shortened(str(name), quoted=True)} is no place of the board of {game.name}")
    return [points[name] for name in names]


def moves_at(position: Position, region: Sequence[str]) -> list[int]:
    """The legal moves that happen at one of these places; a UserError if there is none."""
    picture, places, state = picture_of(position.game), set(region), position.state
    found = [] if picture is None else [m for m in position.game.legal_moves(state) if places & set(picture.at(state, m))]
    if not found:
        raise UserError("there is no legal move at these points: choose others")
    return found


def named_points(game: Game, points: Any) -> list[str]:
    names = place_names(game)
    return sorted(names[(column, row)] for column, row in points if (column, row) in names)
