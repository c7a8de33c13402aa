"""Amazons: an amazon moves like a queen of chess and shoots an arrow in the same way; whoever has no move has lost.

The amazon and its arrow are two moves of the same player, or one (`steps`). Numbers of moves, for N cells: an amazon's is
from * N + to, an arrow's that comes by itself N * N + cell, and both in one (from * N + to) * N + cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implement_all, implements, kernel, state_type
from tesuji.core.encoding import Encoding
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.hashing import mixed
from tesuji.core.numba.bits import lowest_bit
from tesuji.core.parameters import Declaration, Parameter, parse_assignments
from tesuji.games import bitboard
from tesuji.games.bitboard import ZERO, add, bit_of, cell_of, holds, lowered, raised, remove
from tesuji.games.common import LAST_TO_MOVE_WINS
from tesuji.games.grid import NOBODY, Grid, turned_steps
from tesuji.games.strings import board_size, size_text

SMALLEST, LARGEST = 4, bitboard.LARGEST
STEPS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))  # columns and rows of each direction
DIRECTIONS, FARTHEST = len(STEPS), LARGEST - 1
NOWHERE = -1
RULES = Declaration(Parameter("steps", "2", "moves for an amazon and its arrow: two, or one for both", choices=("2", "1")))

STATE = state_type(
    "amazons",
    [
        ("amazons", np.uint64, (2, 2)),  # of each player
        ("free", np.uint64, (2,)),
        ("arrows", np.uint64, (2,)),
        ("size", np.int32),
        ("steps", np.int32),
        ("archer", np.int32),  # the bit of the amazon that has moved and is to shoot; NOWHERE if none is
        ("to_play", np.int32),
        ("over", np.int32),  # 1 when the player to move has no move
    ],
)


@kernel
def step_of(direction, size):
    """How many bits a step in a direction is; the second four are the first four backwards."""
    axis = direction & 3
    step = 1 if axis == 0 else size + 3 - axis
    return step if direction < 4 else -step


@kernel
def write_targets(free, start, left, size, factor, offset, out, count):
    """Writes factor * cell + offset for every cell to which a queen can go from `start`; the cell `left` counts as free."""
    for direction in range(DIRECTIONS):
        step = step_of(direction, size)
        bit = start + step
        while bit >= 0 and (holds(free, bit) or bit == left):
            out[count] = factor * cell_of(bit, size) + offset
            count += 1
            bit += step
    return count


@implements(rules.moves, STATE)
def moves(state, out):
    free, amazons, size = state["free"], state["amazons"], np.int64(state["size"])
    cells, count = size * size, 0
    if state["archer"] != NOWHERE:
        return write_targets(free, np.int64(state["archer"]), NOWHERE, size, 1, cells * cells, out, 0)
    for half in range(2):
        word = amazons[state["to_play"], half]
        while word != ZERO:
            start = np.int64(lowest_bit(word) + 64 * half)
            word &= word - bitboard.ONE
            if state["steps"] == 1:
                count = write_turns(free, start, size, out, count)
            else:
                count = write_targets(free, start, NOWHERE, size, 1, cell_of(start, size) * cells, out, count)
    return count


@kernel
def write_turns(free, start, size, out, count):
    """Writes all moves of an amazon with all arrows, which may cross the cell that it has left."""
    cells = size * size
    for direction in range(DIRECTIONS):
        step = step_of(direction, size)
        bit = start + step
        while bit >= 0 and holds(free, bit):
            move = cell_of(start, size) * cells + cell_of(bit, size)
            count = write_targets(free, bit, start, size, 1, move * cells, out, count)
            bit += step
    return count


@implements(rules.play, STATE)
def play(state, move):
    size = np.int64(state["size"])
    cells = size * size
    if state["steps"] == 1:
        move_amazon(state, np.int64(move) // cells)
        shoot(state, bit_of(np.int64(move) % cells, size))
    elif state["archer"] == NOWHERE:
        move_amazon(state, np.int64(move))
    else:
        shoot(state, bit_of(np.int64(move) - cells * cells, size))


@kernel
def move_amazon(state, move):
    free, amazons, size = state["free"], state["amazons"], np.int64(state["size"])
    origin = move // (size * size)
    start, target = bit_of(origin, size), bit_of(move - origin * size * size, size)
    remove(amazons[state["to_play"]], start)
    add(free, start)
    add(amazons[state["to_play"]], target)
    remove(free, target)
    state["archer"] = target


@kernel
def shoot(state, target):
    remove(state["free"], target)
    add(state["arrows"], target)
    state["archer"] = NOWHERE
    state["to_play"] = 1 - state["to_play"]
    find_end(state)


@kernel
def find_end(state):
    """The game is over when no amazon of the player to move has a free cell beside it."""
    free, amazons, size = state["free"], state["amazons"], np.int64(state["size"])
    low, high = amazons[state["to_play"], 0], amazons[state["to_play"], 1]
    for direction in range(4):
        step = np.uint64(step_of(direction, size))
        up_low, up_high = raised(low, high, step)
        down_low, down_high = lowered(low, high, step)
        if (up_low | down_low) & free[0] | (up_high | down_high) & free[1] != ZERO:
            return
    state["over"] = 1


implement_all(STATE, LAST_TO_MOVE_WINS)


# -- equal positions ---------------------------------------------------------------------------------------------------------
@kernel
def rest_of(state, number):
    """A word for all but the sets of cells, in the image of this number."""
    archer, size = np.int64(state["archer"]), np.int64(state["size"])
    if number == 1 and archer != NOWHERE:
        archer = mirrored(archer, size)
    return np.uint64(2 * (archer + 1) + np.int64(state["to_play"]))


@kernel
def mirrored(bit, size):
    row = bit // (size + 1)
    return row * (size + 1) + size - 1 - (bit - row * (size + 1))


@implements(rules.position_hash, STATE)
def position_hash(state):
    amazons, free = state["amazons"], state["free"]
    key = mixed(mixed(mixed(ZERO, rest_of(state, 0)), free[0]), free[1])
    return bitboard.hash_of_sets(amazons[0], amazons[1], key)


@implements(rules.symmetries, STATE)
def symmetries(state):
    """Itself and its mirror image, of those that can come up in one game."""
    return 2


@implements(rules.image, STATE)
def image(state, number, out):
    amazons, images, size = state["amazons"], out["amazons"], np.int64(state["size"])
    for player in range(2):
        bitboard.write_image(amazons[player], size, size, number, images[player])
    bitboard.write_image(state["free"], size, size, number, out["free"])
    bitboard.write_image(state["arrows"], size, size, number, out["arrows"])
    if number == 1 and state["archer"] != NOWHERE:
        out["archer"] = mirrored(np.int64(state["archer"]), size)


@implements(rules.symmetric_hash, STATE)
def symmetric_hash(state, _image_buffer):
    amazons, size = state["amazons"], np.int64(state["size"])
    first, second = bitboard.image_keys(amazons[0], size, size), bitboard.image_keys(amazons[1], size, size)
    free = bitboard.image_keys(state["free"], size, size)
    plain = mixed(mixed(mixed(mixed(ZERO, rest_of(state, 0)), free[0]), first[0]), second[0])
    return min(plain, mixed(mixed(mixed(mixed(ZERO, rest_of(state, 1)), free[1]), first[1]), second[1]))


# -- what networks see -------------------------------------------------------------------------------------------------------
@implements(rules.planes, STATE)
def planes(state, planes):
    amazons, free, size = state["amazons"], state["free"], np.int64(state["size"])
    for side in range(2):
        own = amazons[state["to_play"] ^ side]
        bitboard.show_set(own[0], own[1], size, size, False, planes, side)
    bitboard.show_set(free[0], free[1], size, size, False, planes, 2)
    if state["archer"] != NOWHERE:
        row = np.int64(state["archer"]) // (size + 1)
        planes[row, np.int64(state["archer"]) - row * (size + 1), 3] = np.float32(1)


@implements(rules.place, STATE)
def place(state, move):
    """An amazon's cell, in the plane of the direction and of how far it goes; an arrow's cell in the last plane."""
    size = np.int64(state["size"])
    cells = size * size
    if state["archer"] != NOWHERE:
        return DIRECTIONS * FARTHEST * cells + np.int64(move) - cells * cells
    origin = np.int64(move) // cells
    start, target = bit_of(origin, size), bit_of(np.int64(move) - origin * cells, size)
    plane = 0
    for direction in range(DIRECTIONS):
        step = step_of(direction, size)
        away = (target - start) // step
        bit = start + step
        while bit != target and bit >= 0 and holds(state["free"], bit):
            bit += step
        if bit == target and away > 0:
            plane = direction * FARTHEST + away - 1
    return plane * cells + origin


# -- the game ----------------------------------------------------------------------------------------------------------------
def make(text: str) -> Game:
    """The game for 'N', then perhaps 'steps=1'; '' is 10 with moves in two steps."""
    usage = (
        f"amazons:N on a board of NxN, N from {SMALLEST} to {LARGEST}, then :steps=1 for an amazon and its arrow in one move"
    )
    size_part, _, options = text.partition(":")
    size, rows = board_size(size_part or "10", usage, (SMALLEST, SMALLEST), (LARGEST, LARGEST))
    if size != rows:
        raise UserError(f"amazons:{text}: the board is square: {usage}")
    try:
        steps = int(RULES.settings(parse_assignments(options))["steps"])
    except UserError as error:
        raise UserError(f"amazons:{text}: {error}; write {usage}") from None
    cells, corner = size * size, size // 2 - 2
    start = np.zeros(1, STATE)[0]
    bitboard.set_words(start["free"], bitboard.board_bits(size, size))
    start["size"], start["steps"], start["archer"] = size, steps, NOWHERE
    for row, column in ((corner, 0), (0, corner), (0, size - 1 - corner), (corner, size - 1)):
        for player, r in enumerate((row, size - 1 - row)):
            add(start["amazons"][player], r * (size + 1) + column)
            remove(start["free"], r * (size + 1) + column)

    whose = bitboard.holder_of(size, "amazons")

    def holder(state: Any, cell: int) -> int | None:
        if bitboard.has_cell(state["arrows"], cell, size):
            return NOBODY
        return whose(state, cell)

    def parts(state: Any, move: int) -> tuple[int, ...]:
        """The cells of a move; for an arrow alone, that of the amazon too."""
        if steps == 1:
            return (*divmod(move // cells, cells), move % cells)
        archer = int(state["archer"])
        return divmod(move, cells) if archer == NOWHERE else (archer - archer // (size + 1), move - cells * cells)

    def move_text(state: Any, move: int) -> str:
        return grid.names(*parts(state, move)[1 if state["archer"] != NOWHERE else 0 :])

    grid = Grid(size, size, holder)
    turned = [
        (*(way * FARTHEST + far for way in ways for far in range(FARTHEST)), DIRECTIONS * FARTHEST)
        for ways in turned_steps(STEPS, 2)
    ]
    names, planes = ("own", "other's", "free", "archer"), DIRECTIONS * FARTHEST + 1
    most = DIRECTIONS // 2 * (size - 1)  # targets of one amazon
    return Game(
        name=f"amazons:{size_text(size, size)}" + (":steps=1" if steps == 1 else ""),
        title="Amazons",
        goal="Be the last who can move an amazon.",
        how_to_play=(
            "In turn, one of your amazons goes any number of free cells in a straight line, like a queen of "
            "chess, and then shoots an arrow in the same way; White begins. The arrow blocks its cell for good. "
            "Nothing is captured; who has no move has lost."
        ),
        click="Click an amazon and the cell that it goes to, then the cell that it shoots at."
        if steps == 2
        else "Type a move, as in d1-d7-g7: from where the amazon goes, to where, and where its arrow ends.",
        won_by="a1-c1 d2 a4-b3 a2 c1-c3 b2 d4-a4 b4 d1-c1 d1 b3-a3 b3 c3-c4 c3",
        won_in="amazons:4",
        initial=start,
        outcomes=(-1, 1),
        move_count=cells**3 if steps == 1 else cells * cells + cells,
        max_plies=steps * (cells - 4),
        max_moves=4 * most * most if steps == 1 else 4 * most,
        player_names=("White", "Black"),
        move_text=move_text,
        draw=grid.draw,
        points=cells,
        picture=grid.picture(parts, surface="chequered", input="from-to", colours=("white", "black"), signs=("○", "●")),
        encoding=Encoding(size, size, names, policy_planes=planes, turns=(0, 1), policy_turns=tuple(turned))
        if steps == 2
        else None,
    )
