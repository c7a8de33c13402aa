"""The game of Lines of Action for a game string: start positions, rule options, and positions that are set up by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.parameters import Declaration, Parameter, parse_assignments
from tesuji.core.picture.board import Board, Point
from tesuji.games.loa import rules as rules  # registers the rules
from tesuji.games.loa.connection import is_connected
from tesuji.games.loa.lines import LINE_OF, MOVE_COUNT, can_move
from tesuji.games.loa.picture import picture
from tesuji.games.loa.planes import ENCODING
from tesuji.games.loa.state import BLACK, MOST_PIECES, PLY_LIMIT, STATE, WHITE, key_of
from tesuji.games.loa.text import (
    draw,
    move_text,
    parse_move,
    parse_position,
    parse_sgf_move,
    point_of,
    position_text,
    sgf_move,
    square_at,
    stones_of,
)

State = Any

RULES = Declaration(
    Parameter(
        "simultaneous", "draw", "a move that connects both sides is a draw, or won by the mover", choices=("draw", "mover")
    ),
    Parameter("no_move", "pass", "a player who cannot move passes, or has lost", choices=("pass", "loss")),
)
SCRAMBLED = "scrambled"
USAGE = (
    "loa, or loa: with scrambled, simultaneous=draw|mover, no_move=pass|loss, joined by commas, as in "
    "loa:scrambled,no_move=loss; a position in place of scrambled is written as in loa:8/2b5/8/2b1w3/8/8/3w4/8:b"
)


def default_start() -> dict[Point, int]:
    """Black on the lowest and highest row, White on the first and last column, the corners empty."""
    stones = {(i, edge): BLACK for i in range(1, 7) for edge in (0, 7)}
    return stones | {(edge, i): WHITE for i in range(1, 7) for edge in (0, 7)}


def scrambled_start() -> dict[Point, int]:
    """Scrambled Eggs: black and white pieces in turn all round the edge, with White on a2 and Black on b1."""
    around = [(i, 0) for i in range(1, 7)] + [(7, i) for i in range(1, 7)]
    around += [(i, 7) for i in range(6, 0, -1)] + [(0, i) for i in range(6, 0, -1)]
    return {point: number % 2 for number, point in enumerate(around)}


def make(text: str) -> Game:
    """The game for '', 'scrambled', 'simultaneous=mover', 'scrambled,no_move=loss', a position and so on."""
    first, _, rest = text.partition(",")
    stones, player, named = default_start(), BLACK, ""
    if first.strip() == SCRAMBLED:
        stones, named = scrambled_start(), SCRAMBLED
    elif "/" in first:
        stones, player = parse_position(first)
        named = position_text(stones, player)
    elif text and "=" not in first:
        raise UserError(f"loa:{text} is not a game: {USAGE}")
    try:
        options = RULES.settings(parse_assignments(rest if named else text))
    except UserError as error:
        raise UserError(f"loa:{text}: {error}; write {USAGE}") from None
    blank = np.zeros(1, STATE)[0]
    blank["mover_wins"] = options["simultaneous"] == "mover"
    blank["no_move_loses"] = options["no_move"] == "loss"
    tail = ",".join(part for part in (named, options.describe()) if part)
    start = set_up(blank, stones, player)
    if start["over"]:
        raise UserError(f"loa:{text}: the game is over in this position")
    return Game(
        name="loa" + (f":{tail}" if tail else ""),
        title="Lines of Action",
        goal="Bring all your pieces together into one group.",
        how_to_play=(
            "A piece moves along a row, a column or a diagonal, by exactly as many squares as there are pieces of both colours "
            "on that whole line; Black begins. It may jump over pieces of its own side, not over the opponent's, and captures "
            "an opposing piece on which it lands. Whoever's pieces all touch, side by side or corner to corner, has won."
        ),
        click="Click one of your pieces, then the square to move it to.",
        won_by="g3-d3",
        won_in="loa:8/2b3w1/3bb3/2b1b3/3b4/w5bw/3w4/8:b",
        initial=start,
        outcomes=(-1, 1),
        move_count=MOVE_COUNT,
        max_moves=8 * MOST_PIECES,
        max_plies=PLY_LIMIT,
        player_names=("Black", "White"),
        move_text=move_text,
        parse_move=parse_move,
        draw=draw,
        points=64,
        board=Board(8, 8, stones=stones_of, point=point_of, set_up=set_up),
        picture=picture(),
        encoding=ENCODING,
        sgf_number=9,
        sgf_move=sgf_move,
        parse_sgf_move=parse_sgf_move,
        vary=vary_by(text, rest if "/" in first else text),
    )


def vary_by(text: str, without_position: str) -> Any:
    """What `Game.vary` is: there is one size, and no komi. With a size it is the game from its default start."""

    def vary(size: int | None = None, komi: float | None = None) -> Game:
        if size not in (None, 8):
            raise UserError(f"loa is played on 8x8, not on {size}x{size}")
        if komi:
            raise UserError(f"loa has no komi; {komi:g} is not possible")
        return make(text if size is None else without_position)

    return vary


def set_up(state: State, stones: Mapping[Point, int], player: int) -> State:
    """A position with just these pieces, by the rules of `state`. If a side is connected the game is over.

    Nothing is known of what came before: the position counts as seen once, and all plies are still to come.
    """
    for one in (BLACK, WHITE):
        pieces = sum(owner == one for owner in stones.values())
        if not 1 <= pieces <= MOST_PIECES:
            raise UserError(f"{('Black', 'White')[one]} has {pieces} pieces; in loa it must be 1 to {MOST_PIECES}")
    made = np.zeros(1, STATE)[0]
    for rule in ("mover_wins", "no_move_loses"):
        made[rule] = state[rule]
    sets = [0, 0]
    for point, owner in stones.items():
        square = square_at(point)
        sets[owner] |= 1 << square
        for line in LINE_OF[square]:
            made["counts"][line] += 1
    made["stones"] = sets
    made["to_play"] = player
    made["seen"][0] = key_of(*sets)
    connected = [bool(is_connected(pieces)) for pieces in made["stones"]]
    if any(connected):
        mover = 1 - player  # as if his move had led here
        draw_here = all(connected) and not made["mover_wins"]
        winner = mover if connected[mover] else player
        made["over"] = 1
        made["result"] = 0 if draw_here else 1 if winner == BLACK else -1
    elif made["no_move_loses"] and not can_move(made["counts"], made["stones"][player], made["stones"][1 - player]):
        made["over"] = 1
        made["result"] = -1 if player == BLACK else 1
    return made
