"""Tic-tac-toe as a game."""

from __future__ import annotations

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.picture.board import Board
from tesuji.games.tictactoe import rules as rules  # registers the rules
from tesuji.games.tictactoe.picture import picture
from tesuji.games.tictactoe.planes import ENCODING
from tesuji.games.tictactoe.state import STATE
from tesuji.games.tictactoe.text import draw, move_text, parse_move, point_of, stones_of


def make(text: str) -> Game:
    if text:
        raise UserError(f"tictactoe:{text}: tictactoe takes no size")
    return Game(
        name="tictactoe",
        title="Tic-tac-toe",
        goal="Get three of your signs in a row.",
        how_to_play=(
            "The players take turns to put a sign into an empty cell; x begins. Three in a row win: across, down or "
            "diagonally. A full board without such a row is a draw."
        ),
        click="Click an empty cell to put your sign there.",
        won_by="b2 b1 a1 c2 c3",
        initial=np.zeros(1, STATE)[0],
        outcomes=(-1, 1),
        move_count=9,
        max_plies=9,
        player_names=("x", "o"),
        move_text=move_text,
        parse_move=parse_move,
        draw=draw,
        points=9,
        board=Board(3, 3, stones_of, point_of),
        picture=picture(),
        encoding=ENCODING,
    )
