"""Moves in GTP's words: vertices such as E5 where a move is a point of the board, else the game's own notation.

Columns are letters, by default without I, rows are numbers from the bottom; in Hex there is an I and rows count from the top,
unless GoGui asks, which knows only its own names of points. Reading takes both forms; where they differ, the vertex counts in
games whose moves are points, so that board programs see what they clicked on.
"""

from __future__ import annotations

import re
from dataclasses import replace

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State, copy_state
from tesuji.core.picture.board import Board, Point
from tesuji.io.gtp.protocol import GtpError
from tesuji.io.sgf.record import stepper

LETTERS = Board.letters
_VERTEX = re.compile(r"([A-Z])([1-9][0-9]?)", re.IGNORECASE)


def has_vertices(game: Game) -> bool:
    """Whether every point of the game's board has a name in GTP."""
    return game.board is not None and game.board.columns <= len(game.board.letters) and game.board.rows <= 99


def with_plain_vertices(game: Game) -> Game:
    """The same game with columns named as GTP does, for GoGui."""
    if game.board is None or game.board.letters == LETTERS:
        return game
    return replace(game, board=replace(game.board, letters=LETTERS))


def moves_are_points(game: Game) -> bool:
    """Whether a move is a point (or a column, or a pass), and not a way from one point to another."""
    return has_vertices(game) and game.board is not None and game.move_count <= game.board.columns * game.board.rows + 1


def moves_are_columns(game: Game) -> bool:
    """Whether a stone falls: as many moves as columns, on more points than that."""
    board = game.board
    return moves_are_points(game) and board is not None and game.move_count == board.columns and board.rows > 1


def vertex_text(game: Game, point: Point) -> str:
    assert game.board is not None
    return game.board.name(point)


def parse_vertex(game: Game, text: str) -> Point | None:
    """The point that the text names on the game's board; None if it names none."""
    found = _VERTEX.fullmatch(text)
    if found is None or game.board is None or not has_vertices(game):
        return None
    column, row = game.board.letters.upper().find(found[1].upper()), int(found[2]) - 1
    return (column, row) if 0 <= column < game.board.columns and row < game.board.rows else None


def need_vertex(game: Game, text: str) -> Point:
    point = parse_vertex(game, text)
    if point is None:
        raise GtpError(f"invalid vertex {text[:40]!r}")
    return point


def move_text(game: Game, state: State, move: int) -> str:
    """A legal move as GTP writes it."""
    if moves_are_points(game) and game.board is not None:
        point = game.board.point(state, move)
        if point is not None:
            return vertex_text(game, point)
    return game.text(state, move)


def line_texts(game: Game, state: State, moves: list[int]) -> list[str]:
    """A line of play; it stops at a move that is not legal, as a line may outrun a known position.

    Called after a search, for every move of it: the rules are then compiled anyway, and plain ones would take too long.
    """
    step = stepper(game, quick=True)
    state = copy_state(state)
    texts = []
    for move in moves:
        before = copy_state(state)
        if rules.is_over(state) or not step(state, move):
            break
        texts.append(move_text(game, before, move))
    return texts


def parse_move(game: Game, state: State, text: str) -> int:
    """The legal move that the text means in this position; a GtpError says that there is none."""
    vertex_first = moves_are_points(game)
    move = _by_vertex(game, state, text) if vertex_first else _by_text(game, state, text)
    if move is None:
        move = _by_text(game, state, text) if not (vertex_first and parse_vertex(game, text)) else None
    if move is None and not vertex_first:
        move = _by_vertex(game, state, text)
    if move is None:
        raise GtpError(f"illegal move: {text[:40]!r} is not possible here")
    return move


def _by_text(game: Game, state: State, text: str) -> int | None:
    try:
        return game.parse(state, text)
    except UserError:
        return None
    except Exception:  # a user's own game may not be ready for what programs send
        return None


def _by_vertex(game: Game, state: State, text: str) -> int | None:
    """The one legal move that puts its stone there; where stones fall, any point of the column will do."""
    point = parse_vertex(game, text)
    if point is None or game.board is None:
        return None
    legal = [(move, game.board.point(state, move)) for move in game.legal_moves(state)]
    there = [move for move, target in legal if target == point]
    if not there and moves_are_columns(game):
        there = [move for move, target in legal if target is not None and target[0] == point[0]]
    if len(there) > 1:
        shown = " ".join(game.text(state, move) for move in there[:8])
        raise GtpError(f"invalid vertex: {text} may mean {shown}")
    return there[0] if there else None
