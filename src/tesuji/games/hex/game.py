"""The game of Hex for a game string: the size, the swap rule, and positions that are set up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.parameters import Declaration, Parameter, parse_assignments
from tesuji.core.picture.board import Board, Point
from tesuji.games.hex import rules as rules  # registers the rules
from tesuji.games.hex.picture import picture
from tesuji.games.hex.planes import encoding
from tesuji.games.hex.rules import put_stone
from tesuji.games.hex.state import LARGEST, MAY_SWAP, empty_board
from tesuji.games.hex.text import (
    COLUMNS,
    draw,
    move_text,
    parse_move,
    parse_position,
    parse_sgf_move,
    point_of,
    position_text,
    sgf_dialect,
    stones_of,
    why_illegal,
)
from tesuji.games.strings import whole_numbers

State = Any

USAGE = f"hex:N or hex:WxH with sides from 1 to {LARGEST}; then :swap=on on square boards, or a position as in hex:3:3/1b1/2w:b"
DEFAULT_SIZE = "11"
RULES = Declaration(
    Parameter("swap", "off", "the second player may take over the first stone instead of moving", choices=("off", "on")),
)


def make(text: str) -> Game:
    """The game for '11', '14x10', '11:swap=on', a position as in '3:3/1b1/2w:b'; '' is 11x11."""
    size_text, colon, rest = (text or DEFAULT_SIZE).partition(":")
    if colon and not rest:
        raise UserError(f"hex:{text}: nothing follows the last colon; write {USAGE}")
    width, height = whole_numbers(size_text, "x", 2, USAGE) if "x" in size_text else whole_numbers(size_text, "x", 1, USAGE) * 2
    _demand_size(width, height)
    if not rest or "=" in rest.partition(":")[0]:
        return new_game(width, height, _swap_of(text, rest))
    stones, player = parse_position(rest, width, height)
    start = set_up(empty_board(width, height), stones, player)
    if start["winner"]:
        raise UserError(f"hex:{text}: the game is over in this position")
    return new_game(width, height, False, start)


def _swap_of(text: str, options: str) -> bool:
    try:
        return RULES.settings(parse_assignments(options))["swap"] == "on"
    except UserError as error:
        raise UserError(f"hex:{text}: {error}; write {USAGE}") from None


def _demand_size(width: int, height: int) -> None:
    if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
        raise UserError(f"a board of {width}x{height} is out of range: sides from 1 to {LARGEST}")


def new_game(width: int, height: int, swap: bool, start: State = None, swap_on_squares: bool | None = None) -> Game:
    """The game on this board; with `start`, from that position on.

    `swap_on_squares`: whether the same game on square boards has the swap rule, for a board that is not square.
    """
    if swap and width != height:
        raise UserError(f"a board of {width}x{height} has no swap: only square boards are the same to both players")
    named = ":swap=on" if swap else ""
    if start is None:
        start = empty_board(width, height, swap)
    else:
        named = ":" + position_text(stones_of(start), int(start["to_play"]), width, height)
    cells = width * height
    may_swap = swap
    on_squares = swap if swap_on_squares is None else swap_on_squares

    def vary(size: int | None = None, komi: float | None = None, columns: int | None = None, swap: bool | None = None) -> Game:
        """The same game on the empty board of another size: `size` rows, and as many columns unless `columns` says how many.

        The swap rule stays, unless `swap` says otherwise; on a board that is not square it rests until the next square one.
        """
        if komi:
            raise UserError(f"hex has no komi; {komi:g} is not possible")
        if size is None and swap in (None, may_swap):
            return game
        rows = height if size is None else size
        across = columns if columns is not None else width if size is None else size
        _demand_size(across, rows)
        wanted = on_squares if swap is None else swap
        return new_game(across, rows, wanted and (across == rows or swap is not None), swap_on_squares=wanted)

    game = Game(
        name=f"hex:{width}" + ("" if width == height else f"x{height}") + named,
        title="Hex",
        goal="Join your two edges by a chain of stones: Black top and bottom, White left and right.",
        how_to_play=(
            "The players take turns to put a stone on a free cell; Black begins. Stones stay where they are, and neighbours "
            "share a side. One of the two always gets across, so there is no draw."
            + (" White may take over Black's first stone instead of answering it (Swap)." if swap else "")
        ),
        click="Click a free cell to put a stone there.",
        won_by="c3 b3 c2 d1 c1 b4 b5 a5 c4",
        won_in="hex:5",
        initial=start,
        outcomes=(-1, 1),
        move_count=cells + swap,
        max_plies=cells + swap,
        player_names=("Black", "White"),
        move_text=move_text,
        parse_move=parse_move,
        draw=draw,
        points=cells,
        board=Board(width, height, stones_of, point_of, set_up, captures=False, letters=COLUMNS, from_top=True),
        picture=picture(width, height),
        encoding=encoding(width) if width == height else None,
        sgf_number=11,
        sgf_move=move_text,
        parse_sgf_move=parse_sgf_move,
        why_illegal=why_illegal,
        sgf_dialect=sgf_dialect,
        vary=vary,
        has_rectangles=True,
        extra={"swap": swap},
    )
    return game


def set_up(state: State, stones: Mapping[Point, int], player: int) -> State:
    """A position with just these stones on the board of `state`. If a side is connected the game is over.

    A swap stays possible only if `state` allows one and the new board is empty with Black to move.
    """
    width, height = int(state["width"]), int(state["height"])
    for (column, row), owner in stones.items():
        if not (0 <= column < width and 0 <= row < height) or owner not in (0, 1):
            raise UserError(f"there is no cell ({column}, {row}) on a board of {width}x{height} for a stone of player {owner}")
    if player not in (0, 1):
        raise UserError(f"player {player} cannot be to move: 0 (Black) or 1 (White)")
    made = empty_board(width, height, bool(state["swap"] == MAY_SWAP) and not stones and player == 0)
    for (column, row), owner in sorted(stones.items()):
        before = int(made["winner"])
        put_stone(made, np.int64(owner), np.int64(row * width + column))
        made["winner"] = before or made["winner"]
    made["to_play"] = player
    return made
