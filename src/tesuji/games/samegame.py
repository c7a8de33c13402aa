"""SameGame: remove groups of equal colour; the stones above fall, empty columns close to the left.

A group is two or more stones of one colour joined by their sides. Removing n of them scores (n - 2)**2, clearing the board
1000 more; the game is over when no group is left. The outcome is the score.

Cells are numbered column by column, from the bottom: column * rows + row. A colour is 1 or more, 0 is an empty cell. A move is
the lowest cell number of its group, written as that cell: a1 is the corner at the bottom left; any cell of the group is read.
The groups are found once, after a move, and kept in the state, so listing moves is one scan.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, kernel, state_type
from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game
from tesuji.core.hashing import mixed
from tesuji.core.picture.drawing import BoardPlace, Picture, Piece, frame, grid_labels
from tesuji.core.position import Position
from tesuji.core.random import below, make_rng
from tesuji.games.strings import whole_numbers

LARGEST, MOST_COLOURS = 15, 9
CELLS = LARGEST * LARGEST
STATE = state_type(
    "samegame",
    [
        ("cells", np.int8, (CELLS,)),  # colours; 0 = empty
        ("group", np.int16, (CELLS,)),  # the lowest cell number of each stone's group
        ("size", np.int16, (CELLS,)),  # at the lowest cell of a group: its stones
        ("left", np.int32, (MOST_COLOURS + 1,)),  # stones left of each colour; index 0 holds the stones in all
        ("rows", np.int32),
        ("columns", np.int32),
        ("used", np.int32),  # columns that still hold stones, all at the left
        ("groups", np.int32),  # groups of two or more stones: legal moves
        ("score", np.int32),
    ],
)


CLEAR_BONUS = 1000
ONE = np.uint64(1)
U4 = np.uint64(4)


@kernel
def find_groups(state):
    """Labels every stone with the lowest cell number of its group, and counts the stones and the groups.

    Union-find in which the lower number is always the root: one pass over the cells joins each stone to those below it and
    to its left; a second pass in the same order meets every root before the stones that point to it.
    """
    cells = state["cells"]
    group = state["group"]
    size = state["size"]
    rows = state["rows"]
    end = state["used"] * rows
    row = 0
    for cell in range(end):
        colour = cells[cell]
        group[cell] = cell
        size[cell] = 0
        if colour != 0:
            if row > 0 and cells[cell - 1] == colour:
                group[cell] = root_of(group, cell - 1)
            if cell >= rows and cells[cell - rows] == colour:
                ours, theirs = group[cell], root_of(group, cell - rows)
                if theirs < ours:
                    group[ours] = theirs
                    group[cell] = theirs
                else:
                    group[theirs] = ours
        row += 1
        if row == rows:
            row = 0
    groups = 0
    for cell in range(end):
        if cells[cell] != 0:
            root = group[group[cell]]
            group[cell] = root
            size[root] += 1
            if size[root] == 2:
                groups += 1
    state["groups"] = groups


@kernel
def root_of(group, cell):
    """The lowest cell number of the group found so far; halves the path on the way."""
    while group[cell] != cell:
        group[cell] = group[group[cell]]
        cell = group[cell]
    return cell


@kernel
def most_to_come(state):
    """No more can be scored than by taking each colour in one piece and clearing the board; a lone stone cannot be taken."""
    left = state["left"]
    most = np.int64(CLEAR_BONUS)
    for colour in range(1, MOST_COLOURS + 1):
        stones = np.int64(left[colour])
        if stones >= 2:
            most += (stones - 2) * (stones - 2)
    for colour in range(1, MOST_COLOURS + 1):
        if left[colour] == 1:
            return most - CLEAR_BONUS
    return most


@implements(rules.to_play, STATE)
def to_play(_state):
    return 0


@implements(rules.moves, STATE)
def moves(state, out):
    size = state["size"]
    count = 0
    for cell in range(state["used"] * state["rows"]):
        if size[cell] >= 2:
            out[count] = cell
            count += 1
    return count


@implements(rules.play, STATE)
def play(state, move):
    cells = state["cells"]
    group = state["group"]
    size = state["size"]
    left = state["left"]
    rows = state["rows"]
    stones = np.int64(size[move])
    colour = cells[move]
    left[colour] -= stones
    left[0] -= stones
    state["score"] += (stones - 2) * (stones - 2)
    if left[0] == 0:
        state["score"] += CLEAR_BONUS
    to_column = 0  # columns and, within them, stones move down to the first free place
    for column in range(state["used"]):
        base, to = column * rows, to_column * rows
        kept = 0
        for cell in range(base, base + rows):
            stone = cells[cell]
            if stone == 0:
                break
            if group[cell] != move:
                cells[to + kept] = stone
                kept += 1
        if kept > 0:
            for cell in range(to + kept, to + rows):
                cells[cell] = 0
            to_column += 1
    for cell in range(to_column * rows, state["used"] * rows):
        cells[cell] = 0
        size[cell] = 0
        group[cell] = 0
    state["used"] = to_column
    find_groups(state)


@implements(rules.is_over, STATE)
def is_over(state):
    return state["groups"] == 0


@implements(rules.outcome, STATE)
def outcome(state):
    return state["score"]


@implements(rules.bounds, STATE)
def bounds(state, _lowest, _highest):
    return np.int64(state["score"]), state["score"] + most_to_come(state)


@implements(rules.position_hash, STATE)
def position_hash(state):
    """The score and the cells that can still hold stones, sixteen to a word."""
    cells = state["cells"]
    hashed = mixed(ONE, np.uint64(state["score"]))
    word = np.uint64(0)
    filled = 0
    for cell in range(state["used"] * state["rows"]):
        word = word << U4 | np.uint64(cells[cell])
        filled += 1
        if filled == 16:
            hashed = mixed(hashed, word)
            word = np.uint64(0)
            filled = 0
    return mixed(hashed, word)


# -- texts -------------------------------------------------------------------------------------------------------------------
LETTERS = "abcdefghijklmno"
_CELL = re.compile(r"([a-o])(\d{1,2})", re.ASCII)


def move_text(state: Any, move: int) -> str:
    column, row = divmod(move, int(state["rows"]))
    return f"{LETTERS[column]}{row + 1}"


def parse_move(state: Any, text: str) -> int:
    """The number of the group that the cell belongs to; -1 for what is no cell."""
    match = _CELL.fullmatch(text.lower())
    if match is None:
        return -1
    column, row = LETTERS.index(match[1]), int(match[2]) - 1
    rows = int(state["rows"])
    if column >= state["columns"] or not 0 <= row < rows or state["cells"][column * rows + row] == 0:
        return -1
    return int(state["group"][column * rows + row])


def draw(state: Any) -> str:
    rows, columns, cells = int(state["rows"]), int(state["columns"]), state["cells"]
    lines = []
    for row in reversed(range(rows)):
        colours = [int(cells[column * rows + row]) for column in range(columns)]
        lines.append(f"{row + 1:>2} " + " ".join(str(colour) if colour else "." for colour in colours))
    lines.append("   " + " ".join(LETTERS[:columns]))
    lines.append(f"score {int(state['score'])}")
    return "\n".join(lines)


# -- the picture -------------------------------------------------------------------------------------------------------------
TILE_COLOURS = ("blue", "orange", "green", "red", "purple", "yellow", "pink", "grey", "brown")


def picture(state: Any) -> Picture:
    rows, columns = int(state["rows"]), int(state["columns"])
    return Picture(
        "plain",
        *frame(columns, rows),
        places=tuple(
            BoardPlace(move_text(state, c * rows + r), c, rows - 1 - r, rows - 1 - r, c)
            for r in range(rows - 1, -1, -1)
            for c in range(columns)
        ),
        pieces=pieces,
        at=places_of,
        caption=lambda position: f"score {int(position.state['score'])}",
        colours=("blue", "orange"),
        ground=(-0.5, -0.5, columns, rows),
        labels=tuple(grid_labels(LETTERS[:columns], [str(row) for row in range(rows, 0, -1)])),
    )


def pieces(position: Position) -> Iterable[Piece]:
    state = position.state
    for cell in range(int(state["rows"]) * int(state["columns"])):
        colour = int(state["cells"][cell])
        if colour:
            yield Piece(move_text(state, cell), None, TILE_COLOURS[colour - 1], str(colour), "tile")


def places_of(state: Any, move: int) -> Sequence[str]:
    """The cells of the group, the one that names the move first."""
    cells = range(int(state["rows"]) * int(state["columns"]))
    return [move_text(state, cell) for cell in cells if state["cells"][cell] and int(state["group"][cell]) == move]


# -- the game ----------------------------------------------------------------------------------------------------------------
def make(text: str) -> Game:
    """The game for 'RxC', 'RxC:seed' or 'RxC:seed:colours'; '' is 5x5, seed 1, five colours."""
    usage = f"samegame:RxC[:SEED[:COLOURS]] with R and C from 1 to {LARGEST}, COLOURS from 2 to {MOST_COLOURS} (default 5)"
    size, *rest = (text or "5x5").split(":")
    if len(rest) > 2:
        raise UserError(f"{shortened(text, quoted=True)} is not of the form expected: {usage}")
    rows, columns = whole_numbers(size, "x", 2, usage)
    (seed,) = whole_numbers(rest[0], "x", 1, usage) if rest else (1,)
    (colours,) = whole_numbers(rest[1], "x", 1, usage) if len(rest) == 2 else (5,)
    if not (1 <= rows <= LARGEST and 1 <= columns <= LARGEST and 2 <= colours <= MOST_COLOURS):
        raise UserError(f"samegame:{text} is out of range: {usage}")
    start = np.zeros(1, STATE)[0]
    start["rows"], start["columns"], start["used"] = rows, columns, columns
    rng = make_rng(seed)
    for cell in range(rows * columns):
        with np.errstate(over="ignore"):
            colour = 1 + int(below(rng, colours))
        start["cells"][cell] = colour
        start["left"][colour] += 1
        start["left"][0] += 1
    find_groups(start)
    if start["groups"] == 0:
        raise UserError(f"samegame:{text}: no two equal stones touch on this board: take another seed or a larger board")
    return Game(
        name=f"samegame:{rows}x{columns}:{seed}" + (f":{colours}" if colours != 5 else ""),
        title="SameGame",
        goal="Get as many points as you can: large groups count most.",
        how_to_play=(
            "A move removes a group of two or more tiles of one colour that touch by their sides; n tiles are worth (n - 2) "
            "squared points. What lies above falls down, and empty columns close. Clearing the board is worth 1000 points more."
        ),
        click="Click a group of two or more tiles to remove it.",
        won_by=" ",
        won_in="samegame:5x5:1",
        initial=start,
        outcomes=(0, max(1, int(most_to_come(start)))),
        move_count=rows * columns,
        max_plies=max(1, rows * columns // 2),
        max_moves=max(1, rows * columns // 2),
        players=1,
        player_names=("the player", "nobody"),
        move_text=move_text,
        parse_move=parse_move,
        draw=draw,
        picture=picture(start),
    )
