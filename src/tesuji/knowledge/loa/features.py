"""The nine features by which a position of Lines of Action is judged (Winands, van den Herik and Uiterwijk 2003).

Each is found for both sides, Black's less White's. What the paper leaves open is our choice, and is said at the feature. All
rest on the two sets of squares alone, so that a position after a move can be judged without making the move.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.numba.bits import bit_count
from tesuji.games.loa.connection import NOT_FIRST, NOT_LAST
from tesuji.games.loa.state import BLACK, MOST_PIECES, ONE
from tesuji.knowledge.loa.categories import centre_of_mass
from tesuji.knowledge.loa.mobility import mobility, transposed

FEATURES = (
    "concentration",
    "centralisation",
    "centre of mass",
    "quads",
    "mobility",
    "walls",
    "connectedness",
    "uniformity",
    "player to move",
)
FEATURE_COUNT = len(FEATURES)

_U8, _U9, _U16, _U32 = np.uint64(8), np.uint64(9), np.uint64(16), np.uint64(32)
_FIRST_COLUMN = np.uint64(0x0101010101010101)
_LAST_COLUMN = np.uint64(0x8080808080808080)
_LOWEST_ROW = np.uint64(0x00000000000000FF)
_HIGHEST_ROW = np.uint64(0xFF00000000000000)
_BYTE = np.uint64(255)

WORTH_ROWS = (
    (-80, -25, -20, -20),  # of a square, by its distance from the nearest edges, row and column; the rest by symmetry
    (-25, 10, 10, 10),
    (-20, 10, 25, 25),
    (-20, 10, 25, 50),
)
SQUARE_WORTH = np.array([WORTH_ROWS[min(n // 8, 7 - n // 8)][min(n % 8, 7 - n % 8)] for n in range(64)], np.int64)


def _set_of(squares) -> int:
    return sum(1 << n for n in range(64) if squares(n))


def _with_worth(worth: int) -> np.uint64:
    return np.uint64(_set_of(lambda n: SQUARE_WORTH[n] == worth))


CORNERS, BESIDE_CORNERS, EDGES = _with_worth(-80), _with_worth(-25), _with_worth(-20)
SECOND_RING, THIRD_RING, MIDDLE = _with_worth(10), _with_worth(25), _with_worth(50)


def _near(centre: int, radius: int) -> int:
    """The squares within so many king's moves."""
    return _set_of(lambda n: max(abs(n % 8 - centre % 8), abs(n // 8 - centre // 8)) <= radius)


def _windows_near(centre: int) -> int:
    """The 2x2 windows, named by their lower left squares, whose middle is within 2 squares of the centre."""
    return _set_of(lambda n: max(abs(n % 8 + 0.5 - centre % 8), abs(n // 8 + 0.5 - centre // 8)) <= 2)


WITHIN = np.array([[_near(centre, radius) for radius in range(7)] for centre in range(64)], np.uint64)
WINDOWS_NEAR = np.array([_windows_near(centre) for centre in range(64)], np.uint64)
# The least sum of distances from one square: nothing for one piece, 1 for each of the next 8, 2 for the rest.
LEAST_DISTANCE = np.array([max(0, n - 1) + max(0, n - 9) for n in range(MOST_PIECES + 1)], np.int64)
SHARE = np.array([0.0] + [1.0 / n for n in range(1, 65)])
LENGTH = np.array([0] + [n.bit_length() - ((n & -n).bit_length() - 1) for n in range(1, 256)], np.int64)  # first to last bit


@kernel
def concentration(pieces, count, centre):
    """1 / (1 + s), with s the mean surplus: how much farther the pieces are from their centre than they need be.

    The paper has 1 / s, which is infinite for pieces that are as close as possible.
    """
    distance = 0
    for radius in range(7):
        distance += bit_count(pieces & ~WITHIN[centre, radius])
    return count / np.float64(count + distance - LEAST_DISTANCE[count])


@kernel
def centralisation(pieces, count):
    """The mean worth of the squares of the pieces. A mean, so that having more pieces is no advantage."""
    worth = 50 * bit_count(pieces & MIDDLE) + 25 * bit_count(pieces & THIRD_RING) + 10 * bit_count(pieces & SECOND_RING)
    worth -= 20 * bit_count(pieces & EDGES) + 25 * bit_count(pieces & BESIDE_CORNERS) + 80 * bit_count(pieces & CORNERS)
    return worth * SHARE[count]


@kernel
def quads(pieces, centre):
    """Windows of 2x2 squares near the centre of mass with three or four pieces: what one capture cannot take apart."""
    right = (pieces >> ONE) & NOT_LAST
    above = pieces >> _U8
    corner = (pieces >> _U9) & NOT_LAST
    full = (pieces & right & (above | corner)) | (above & corner & (pieces | right))
    return bit_count(full & WINDOWS_NEAR[centre])


@kernel
def blocked(edge_pieces, straight, one_side, other_side):
    """1 for each piece with all three squares before it taken, 1/2 for the one straight ahead and one beside it."""
    ahead = edge_pieces & straight
    return 0.5 * (bit_count(ahead & (one_side | other_side)) + bit_count(ahead & one_side & other_side))


@kernel
def walls(pieces, others):
    """How many of the pieces on the edges are walled in: the squares before them, towards the middle, are the other side's."""
    left = (others << ONE) & NOT_FIRST  # bit n: whether the left neighbour of square n is the other side's
    right = (others >> ONE) & NOT_LAST
    total = blocked(pieces & _LOWEST_ROW, others >> _U8, left >> _U8, right >> _U8)
    total += blocked(pieces & _HIGHEST_ROW, others << _U8, left << _U8, right << _U8)
    total += blocked(pieces & _FIRST_COLUMN, right, right << _U8, right >> _U8)
    return total + blocked(pieces & _LAST_COLUMN, left, left << _U8, left >> _U8)


@kernel
def connectedness(pieces, count):
    """The mean number of neighbours that a piece has."""
    right = (pieces >> ONE) & NOT_LAST
    pairs = bit_count(pieces & right) + bit_count(pieces & (pieces >> _U8))
    pairs += bit_count(pieces & (right >> _U8)) + bit_count(right & (pieces >> _U8))
    return 2 * pairs * SHARE[count]


@kernel
def width(pieces):
    """The columns from the first to the last that hold a piece."""
    columns = pieces | (pieces >> _U32)
    columns |= columns >> _U16
    return LENGTH[(columns | (columns >> _U8)) & _BYTE]


@kernel
def uniformity(pieces):
    """1 / area of the smallest rectangle with all pieces in it."""
    return SHARE[width(pieces) * width(transposed(pieces))]


@kernel
def features(blacks, whites, player):
    """All nine, in the order of FEATURES; `player` is to move."""
    count_b, count_w = bit_count(blacks), bit_count(whites)
    centre_b, centre_w = centre_of_mass(blacks), centre_of_mass(whites)
    return (
        concentration(blacks, count_b, centre_b) - concentration(whites, count_w, centre_w),
        centralisation(blacks, count_b) - centralisation(whites, count_w),
        np.float64(SQUARE_WORTH[centre_b] - SQUARE_WORTH[centre_w]),
        np.float64(quads(blacks, centre_b) - quads(whites, centre_w)),
        np.float64(mobility(blacks, whites)),
        walls(whites, blacks) - walls(blacks, whites),
        connectedness(blacks, count_b) - connectedness(whites, count_w),
        uniformity(blacks) - uniformity(whites),
        1.0 if player == BLACK else -1.0,
    )
