"""How Hex is written: moves, positions, and the board in a terminal.

Moves: the column as a letter and the row as a number from the top, `a1` is the top left cell; `swap-pieces`. SGF has the same;
Little Golem's dialect is read too: two letters such as `fd`, `swap`, and the first player's moves marked W. In a position the
rows follow from the top down, then whose turn it is: `3/1b1/2w:b`. In it b and w are stones and a number stands for so many
empty cells.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tesuji.core.errors import UserError, shortened
from tesuji.core.game import NO_MOVE, RESIGNS, SgfDialect
from tesuji.core.picture.board import Point
from tesuji.games import strings
from tesuji.games.hex.state import BLACK, NO_SWAP, WHITE

State = Any

COLUMNS = "abcdefghijklmnopqrs"
SWAP = "swap-pieces"
SWAP_SIDES = "swap-sides"  # the players change places instead of the stone: nothing on the board changes
SWAP_WORDS = (SWAP, "swap")
RESIGN_WORDS = ("resign", "forfeit")
SIGNS = "XO"
SIDES = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
_CELL = re.compile(r"([a-z])([1-9][0-9]?)", re.IGNORECASE | re.ASCII)
_LETTER_PAIR = re.compile(r"[a-z]{2}", re.IGNORECASE | re.ASCII)
_RUN = re.compile(r"[bw]|[1-9][0-9]?", re.IGNORECASE | re.ASCII)
LONGEST_POSITION = 100  # characters of one that a message shows
FORM = "rows from the top, b and w for stones, numbers for empty cells, / between rows, then :b or :w for the side to move"


# -- moves -------------------------------------------------------------------------------------------------------------
def cell_text(column: int, row: int) -> str:
    return f"{COLUMNS[column]}{row + 1}"


def move_text(state: State, move: int) -> str:
    width = int(state["width"])
    return SWAP if move == width * int(state["height"]) else cell_text(move % width, move // width)


def parse_move(state: State, text: str) -> int:
    """The move that a text names, legal or not; -1 if it names none."""
    width, height = int(state["width"]), int(state["height"])
    text = text.strip().lower()
    if text in SWAP_WORDS:
        return width * height
    match = _CELL.fullmatch(text)
    if match is None:
        return -1
    column, row = COLUMNS.find(match[1]), int(match[2]) - 1
    return row * width + column if 0 <= column < width and row < height else -1


def why_illegal(state: State, move: int) -> str:
    """Why a move that has a name is not legal."""
    width, height = int(state["width"]), int(state["height"])
    if move < width * height:
        owner = stones_of(state).get((move % width, move // width))
        return "the game is over" if owner is None else f"there is a {('black', 'white')[owner]} stone"
    if state["swap"] == NO_SWAP and state["count"] <= 1:
        return f"this game has no swap, as hex:{width}:swap=on has" if width == height else "this board is not square"
    return "a swap is only possible in place of the second move"


# -- SGF ---------------------------------------------------------------------------------------------------------------
def parse_sgf_move(state: State, text: str) -> int:
    """The move of an SGF value, legal or not; a UserError if it is none."""
    word = text.strip().lower()
    if word in RESIGN_WORDS:
        return RESIGNS
    if word == SWAP_SIDES:
        return NO_MOVE
    if _LETTER_PAIR.fullmatch(word):
        row = COLUMNS.find(word[1])
        word = word[0] + str(row + 1) if row >= 0 else ""
    move = parse_move(state, word)
    if move < 0:
        raise UserError(f"{shortened(text, quoted=True)} is not a cell of a board of {state['width']}x{state['height']}")
    return move


def sgf_dialect(first: Sequence[tuple[int, str]]) -> SgfDialect:
    """Little Golem marks the first player's moves W, and writes letter pairs. Old versions of HexGui wrote `swap-pieces` when
    the players changed places: then the next stone is White's as well.
    """
    texts = [text.lower() for _colour, text in first]
    colours = [colour for colour, _text in first]
    black = BLACK
    if first and colours[0] == WHITE and _LETTER_PAIR.fullmatch(texts[0]):
        black = WHITE
    if len(first) < 2 or texts[1] not in (*SWAP_WORDS, SWAP_SIDES):
        return SgfDialect(black)
    same = len(first) > 2 and colours[2] == colours[1]
    if texts[1] == SWAP_SIDES and len(first) > 2 and not same:
        raise UserError(f"after {SWAP_SIDES} the same colour moves, as the other player has it now")
    if texts[1] == SWAP_SIDES or same:
        return SgfDialect(black, words={texts[1]: SWAP_SIDES})
    return SgfDialect(black, rules={"swap": True})


# -- the board ---------------------------------------------------------------------------------------------------------
def stones_of(state: State) -> dict[Point, int]:
    """The stones on the board and whose they are, by rows from the top."""
    rows = state["stones"].tolist()
    found = {}
    for row in range(int(state["height"])):
        for column in range(int(state["width"])):
            for player in (BLACK, WHITE):
                if rows[player][row] >> column & 1:
                    found[column, row] = player
    return found


def point_of(state: State, move: int) -> Point | None:
    width = int(state["width"])
    return None if move == width * int(state["height"]) else (move % width, move // width)


def draw(state: State, marks: Mapping[Point, str] | None = None) -> str:
    """The board as a rhombus with its coordinates: X Black, O White, the last stone in brackets; marks on empty cells."""
    width, height = int(state["width"]), int(state["height"])
    stones, last = stones_of(state), int(state["last_move"])
    letters = " ".join(COLUMNS[:width])
    digits = len(str(height))
    lines = [" " * (digits + 1) + letters]
    for row in range(height):
        line = " " * row + f"{row + 1:>{digits}}"
        for column in range(width):
            owner = stones.get((column, row))
            is_last = row * width + column == last and owner is not None
            after_last = column > 0 and row * width + column - 1 == last
            empty = (marks or {}).get((column, row), ".")
            line += ("(" if is_last else ")" if after_last else " ") + (empty if owner is None else SIGNS[owner])
        closing = ")" if row * width + width - 1 == last else " "
        lines.append(line + closing + str(row + 1))
    lines.append(" " * (digits + 1 + height) + letters)
    return "\n".join(lines)


# -- positions ---------------------------------------------------------------------------------------------------------
def position_text(stones: Mapping[Point, int], player: int, width: int, height: int) -> str:
    """The text of the position with these stones, and this player to move."""
    return strings.position_text(stones, player, width, range(height))


def parse_position(text: str, width: int, height: int) -> tuple[dict[Point, int], int]:
    """The stones and the player to move; a UserError says what is wrong. A blank may stand in place of the colon."""
    board, _, side = text.strip().replace(" ", ":").partition(":")
    rows = board.split("/")
    player = SIDES.get(side.strip().lower())
    if player is None:
        raise UserError(f"{_no_position(text)}: {FORM}")
    if len(rows) != height:
        raise UserError(f"{_no_position(text)}: it has {len(rows)} rows, not {height}; {FORM}")
    return {point: owner for row, row_text in enumerate(rows) for point, owner in _row(text, row_text, row, width)}, player


def _row(text: str, row_text: str, row: int, width: int) -> list[tuple[Point, int]]:
    found: list[tuple[Point, int]] = []
    column = place = 0
    while place < len(row_text):
        run = _RUN.match(row_text, place)
        if run is None:
            raise UserError(f"{_no_position(text)}: {row_text[place]!r} in row {row + 1}; {FORM}")
        if run[0].isdigit():
            column += int(run[0])
        else:
            found.append(((column, row), strings.STONES.index(run[0].lower())))
            column += 1
        place = run.end()
    if column != width:
        raise UserError(f"{_no_position(text)}: row {row + 1} has {column} cells, not {width}")
    return found


def _no_position(text: str) -> str:
    return f"{shortened(text, LONGEST_POSITION, quoted=True)} is not a position of hex"
