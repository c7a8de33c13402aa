"""Patterns of 3x3 points, with the move in the middle: a move that fits one answers or threatens its surroundings.

The patterns are those of MoGo's playouts (Wang and Gelly 2007; Gelly et al., INRIA report 6062): hane, cuts, and moves on the
edge. In the drawings X and O are the two colours, `.` is empty, `x` and `o` are X or O or empty, `?` is anything on the
board. The top line of a drawing on the edge is the second line of the board, its bottom line the first. A drawing holds in
all symmetries and with colours exchanged, for either player or, if `mover` names a colour, for that one only.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.random import below
from tesuji.games.go.state import AROUND, BLACK, BORDER, EMPTY, NOWHERE, WHITE
from tesuji.knowledge.go.liberties import self_atari
from tesuji.knowledge.go.urgency import is_open


class Drawing(NamedTuple):
    name: str
    rows: tuple[str, ...]
    mover: str = ""
    but_not: tuple[tuple[str, ...], ...] = ()


DRAWINGS = (
    Drawing("hane, enclosing", ("XOX", ".*.", "???")),
    Drawing("hane", ("XO.", ".*.", "?.?")),
    Drawing("hane at a bend", ("XO?", "X*.", "?.?")),
    Drawing("hane, thick", ("XOO", ".*.", "?.?"), "X"),
    Drawing("cut", ("XO?", "O*?", "???"), "", (("XO?", "O*O", "?.?"), ("XO?", "O*.", "?O?"))),
    Drawing("cut between two", ("?X?", "O*O", "xxx")),
    Drawing("edge: chase", ("X.?", "O*?")),
    Drawing("edge: block", ("?X?", "o*O")),
    Drawing("edge: connect under", ("?XO", "?*?"), "X"),
    Drawing("edge: descend", ("?XO", "?*o"), "O"),
    Drawing("edge: cut", ("?XO", "O*X"), "O"),
)
ON_BOARD = (EMPTY, BLACK, WHITE)
FITS = {"X": (BLACK,), "O": (WHITE,), ".": (EMPTY,), "x": (BLACK, EMPTY), "o": (WHITE, EMPTY), "?": ON_BOARD, "#": (BORDER,)}
_OTHER = {EMPTY: EMPTY, BLACK: WHITE, WHITE: BLACK, BORDER: BORDER}


def surroundings(rows: tuple[str, ...]) -> set[tuple[int, ...]]:
    """The eight points around the move, in the order of AROUND, in every way that fits the drawing as it stands."""
    whole = (*rows, "###")[:3]
    cells = "".join(whole)
    return set(product(*(FITS[cell] for place, cell in enumerate(cells) if place != 4)))


def turned(points: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The eight symmetries."""
    square = np.array([*points[:4], 0, *points[4:]]).reshape(3, 3)
    views = [np.rot90(side, turns) for side in (square, square.T) for turns in range(4)]
    return [tuple(int(n) for place, n in enumerate(view.ravel()) if place != 4) for view in views]


def _table() -> np.ndarray:
    """By the code of the surroundings: 1 if a move of Black's fits a pattern, plus 2 if one of White's does."""
    table = np.zeros(4**8, np.uint8)
    for drawing in DRAWINGS:
        fitting = surroundings(drawing.rows)
        for rows in drawing.but_not:
            fitting -= surroundings(rows)
        black = drawing.mover != "O"
        white = drawing.mover != "X"
        for points in fitting:
            for view in turned(points):
                table[code_of(view)] |= black + 2 * white
                table[code_of(tuple(_OTHER[who] for who in view))] |= white + 2 * black
    return table


def code_of(points: tuple[int, ...]) -> int:
    return sum(who << 2 * place for place, who in enumerate(points))


FITTING = _table()


@kernel
def fits_pattern(state, point, player):
    """Whether a move of the player on an empty point fits one of the patterns."""
    return (FITTING[state["around"][point]] >> player) & 1 != 0


@kernel
def pattern_near(state, last, player, rng):
    """One of the moves next to the last one that fit a pattern, each as likely; NOWHERE if none does.

    A move that leaves a string of two stones or more with one liberty does not count."""
    colour = state["colour"]
    chosen = NOWHERE
    count = 0
    for place in range(8):
        point = last + AROUND[place]
        if colour[point] != EMPTY or not fits_pattern(state, point, player):
            continue
        if is_open(state, point, player) and self_atari(state, point, player) == NOWHERE:
            count += 1
            if below(rng, count) == 0:
                chosen = point
    return chosen
