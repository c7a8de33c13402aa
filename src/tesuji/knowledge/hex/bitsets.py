"""Sets of points as bits: point p is bit p & 63 of word p >> 6.

There is one NamedTuple for each number of words, so that compiled code has no loop over words and keeps a set in registers: two
words hold the cells and edges of boards of up to 11x11, three of 13x13, four of 15x15, six of 19x19. Kernels are compiled
for the widths that are used.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, operation
from tesuji.core.numba.bits import bit_count, lowest_bit

NONE = np.uint64(0)
UNIT = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
IN_WORD = np.int64(63)


class Bits2(NamedTuple):
    """128 points."""

    a: Any
    b: Any


class Bits3(NamedTuple):
    """192 points."""

    a: Any
    b: Any
    c: Any


class Bits4(NamedTuple):
    """256 points."""

    a: Any
    b: Any
    c: Any
    d: Any


class Bits6(NamedTuple):
    """384 points."""

    a: Any
    b: Any
    c: Any
    d: Any
    e: Any
    f: Any


WIDTHS = (Bits2, Bits3, Bits4, Bits6)


def bits_for(points: int) -> Any:
    """The empty set of the narrowest kind that holds so many points."""
    for kind in WIDTHS:
        if points <= 64 * len(kind._fields):
            return kind(*[NONE] * len(kind._fields))
    raise ValueError(f"{points} points are more than {64 * len(WIDTHS[-1]._fields)}")


# -- the operations ------------------------------------------------------------------------------------------------------------
@operation
def load(kind, words, number):
    """Set number `number` of a flat array of words; `kind` is any set of its width."""


@operation
def store(bits, words, number):
    """Writes the set as number `number` of a flat array of words."""


@operation
def everything(kind):
    """The set of all points."""


@operation
def both(one, other):
    """The intersection."""


@operation
def either(one, other):
    """The union."""


@operation
def minus(one, other):
    """What is in the one and not in the other."""


@operation
def within(one, other):
    """Whether the one is a subset of the other."""


@operation
def is_empty(bits):
    """Whether no point is in the set."""


@operation
def has_point(bits, point):
    """Whether the point is in the set."""


@operation
def with_point(bits, point):
    """The set and this point."""


@operation
def lowest_point(bits):
    """The lowest point of a set that is not empty."""


@operation
def points_in(bits):
    """How many points the set has."""


# -- 2 words -----------------------------------------------------------------------------------------------------------------
@implements(load, Bits2)
def _load2(kind, words, number):
    first = number * 2
    return Bits2(words[first], words[first + 1])


@implements(store, Bits2)
def _store2(bits, words, number):
    first = number * 2
    words[first] = bits.a
    words[first + 1] = bits.b


@implements(everything, Bits2)
def _everything2(kind):
    return Bits2(ALL, ALL)


@implements(both, Bits2)
def _both2(one, other):
    return Bits2(one.a & other.a, one.b & other.b)


@implements(either, Bits2)
def _either2(one, other):
    return Bits2(one.a | other.a, one.b | other.b)


@implements(minus, Bits2)
def _minus2(one, other):
    return Bits2(one.a & ~other.a, one.b & ~other.b)


@implements(within, Bits2)
def _within2(one, other):
    return (one.a & ~other.a | one.b & ~other.b) == NONE


@implements(is_empty, Bits2)
def _is_empty2(bits):
    return (bits.a | bits.b) == NONE


@implements(has_point, Bits2)
def _has_point2(bits, point):
    place = point >> 6
    word = bits.a
    if place == 1:
        word = bits.b
    return word >> np.uint64(point & IN_WORD) & UNIT != NONE


@implements(with_point, Bits2)
def _with_point2(bits, point):
    place = point >> 6
    unit = UNIT << np.uint64(point & IN_WORD)
    return Bits2(bits.a | (unit if place == 0 else NONE), bits.b | (unit if place == 1 else NONE))


@implements(lowest_point, Bits2)
def _lowest_point2(bits):
    if bits.a != NONE:
        return lowest_bit(bits.a)
    return 64 + lowest_bit(bits.b)


@implements(points_in, Bits2)
def _points_in2(bits):
    return bit_count(bits.a) + bit_count(bits.b)


# -- 3 words -----------------------------------------------------------------------------------------------------------------
@implements(load, Bits3)
def _load3(kind, words, number):
    first = number * 3
    return Bits3(words[first], words[first + 1], words[first + 2])


@implements(store, Bits3)
def _store3(bits, words, number):
    first = number * 3
    words[first] = bits.a
    words[first + 1] = bits.b
    words[first + 2] = bits.c


@implements(everything, Bits3)
def _everything3(kind):
    return Bits3(ALL, ALL, ALL)


@implements(both, Bits3)
def _both3(one, other):
    return Bits3(one.a & other.a, one.b & other.b, one.c & other.c)


@implements(either, Bits3)
def _either3(one, other):
    return Bits3(one.a | other.a, one.b | other.b, one.c | other.c)


@implements(minus, Bits3)
def _minus3(one, other):
    return Bits3(one.a & ~other.a, one.b & ~other.b, one.c & ~other.c)


@implements(within, Bits3)
def _within3(one, other):
    return (one.a & ~other.a | one.b & ~other.b | one.c & ~other.c) == NONE


@implements(is_empty, Bits3)
def _is_empty3(bits):
    return (bits.a | bits.b | bits.c) == NONE


@implements(has_point, Bits3)
def _has_point3(bits, point):
    place = point >> 6
    word = bits.a
    if place == 1:
        word = bits.b
    if place == 2:
        word = bits.c
    return word >> np.uint64(point & IN_WORD) & UNIT != NONE


@implements(with_point, Bits3)
def _with_point3(bits, point):
    place = point >> 6
    unit = UNIT << np.uint64(point & IN_WORD)
    return Bits3(
        bits.a | (unit if place == 0 else NONE),
        bits.b | (unit if place == 1 else NONE),
        bits.c | (unit if place == 2 else NONE),
    )


@implements(lowest_point, Bits3)
def _lowest_point3(bits):
    if bits.a != NONE:
        return lowest_bit(bits.a)
    if bits.b != NONE:
        return 64 + lowest_bit(bits.b)
    return 128 + lowest_bit(bits.c)


@implements(points_in, Bits3)
def _points_in3(bits):
    return bit_count(bits.a) + bit_count(bits.b) + bit_count(bits.c)


# -- 4 words -----------------------------------------------------------------------------------------------------------------
@implements(load, Bits4)
def _load4(kind, words, number):
    first = number * 4
    return Bits4(words[first], words[first + 1], words[first + 2], words[first + 3])


@implements(store, Bits4)
def _store4(bits, words, number):
    first = number * 4
    words[first] = bits.a
    words[first + 1] = bits.b
    words[first + 2] = bits.c
    words[first + 3] = bits.d


@implements(everything, Bits4)
def _everything4(kind):
    return Bits4(ALL, ALL, ALL, ALL)


@implements(both, Bits4)
def _both4(one, other):
    return Bits4(one.a & other.a, one.b & other.b, one.c & other.c, one.d & other.d)


@implements(either, Bits4)
def _either4(one, other):
    return Bits4(one.a | other.a, one.b | other.b, one.c | other.c, one.d | other.d)


@implements(minus, Bits4)
def _minus4(one, other):
    return Bits4(one.a & ~other.a, one.b & ~other.b, one.c & ~other.c, one.d & ~other.d)


@implements(within, Bits4)
def _within4(one, other):
    return (one.a & ~other.a | one.b & ~other.b | one.c & ~other.c | one.d & ~other.d) == NONE


@implements(is_empty, Bits4)
def _is_empty4(bits):
    return (bits.a | bits.b | bits.c | bits.d) == NONE


@implements(has_point, Bits4)
def _has_point4(bits, point):
    place = point >> 6
    word = bits.a
    if place == 1:
        word = bits.b
    if place == 2:
        word = bits.c
    if place == 3:
        word = bits.d
    return word >> np.uint64(point & IN_WORD) & UNIT != NONE


@implements(with_point, Bits4)
def _with_point4(bits, point):
    place = point >> 6
    unit = UNIT << np.uint64(point & IN_WORD)
    return Bits4(
        bits.a | (unit if place == 0 else NONE),
        bits.b | (unit if place == 1 else NONE),
        bits.c | (unit if place == 2 else NONE),
        bits.d | (unit if place == 3 else NONE),
    )


@implements(lowest_point, Bits4)
def _lowest_point4(bits):
    if bits.a != NONE:
        return lowest_bit(bits.a)
    if bits.b != NONE:
        return 64 + lowest_bit(bits.b)
    if bits.c != NONE:
        return 128 + lowest_bit(bits.c)
    return 192 + lowest_bit(bits.d)


@implements(points_in, Bits4)
def _points_in4(bits):
    return bit_count(bits.a) + bit_count(bits.b) + bit_count(bits.c) + bit_count(bits.d)


# -- 6 words -----------------------------------------------------------------------------------------------------------------
@implements(load, Bits6)
def _load6(kind, words, number):
    first = number * 6
    return Bits6(words[first], words[first + 1], words[first + 2], words[first + 3], words[first + 4], words[first + 5])


@implements(store, Bits6)
def _store6(bits, words, number):
    first = number * 6
    words[first] = bits.a
    words[first + 1] = bits.b
    words[first + 2] = bits.c
    words[first + 3] = bits.d
    words[first + 4] = bits.e
    words[first + 5] = bits.f


@implements(everything, Bits6)
def _everything6(kind):
    return Bits6(ALL, ALL, ALL, ALL, ALL, ALL)


@implements(both, Bits6)
def _both6(one, other):
    return Bits6(one.a & other.a, one.b & other.b, one.c & other.c, one.d & other.d, one.e & other.e, one.f & other.f)


@implements(either, Bits6)
def _either6(one, other):
    return Bits6(one.a | other.a, one.b | other.b, one.c | other.c, one.d | other.d, one.e | other.e, one.f | other.f)


@implements(minus, Bits6)
def _minus6(one, other):
    return Bits6(one.a & ~other.a, one.b & ~other.b, one.c & ~other.c, one.d & ~other.d, one.e & ~other.e, one.f & ~other.f)


@implements(within, Bits6)
def _within6(one, other):
    return (
        one.a & ~other.a | one.b & ~other.b | one.c & ~other.c | one.d & ~other.d | one.e & ~other.e | one.f & ~other.f
    ) == NONE


@implements(is_empty, Bits6)
def _is_empty6(bits):
    return (bits.a | bits.b | bits.c | bits.d | bits.e | bits.f) == NONE


@implements(has_point, Bits6)
def _has_point6(bits, point):
    place = point >> 6
    word = bits.a
    if place == 1:
        word = bits.b
    if place == 2:
        word = bits.c
    if place == 3:
        word = bits.d
    if place == 4:
        word = bits.e
    if place == 5:
        word = bits.f
    return word >> np.uint64(point & IN_WORD) & UNIT != NONE


@implements(with_point, Bits6)
def _with_point6(bits, point):
    place = point >> 6
    unit = UNIT << np.uint64(point & IN_WORD)
    return Bits6(
        bits.a | (unit if place == 0 else NONE),
        bits.b | (unit if place == 1 else NONE),
        bits.c | (unit if place == 2 else NONE),
        bits.d | (unit if place == 3 else NONE),
        bits.e | (unit if place == 4 else NONE),
        bits.f | (unit if place == 5 else NONE),
    )


@implements(lowest_point, Bits6)
def _lowest_point6(bits):
    if bits.a != NONE:
        return lowest_bit(bits.a)
    if bits.b != NONE:
        return 64 + lowest_bit(bits.b)
    if bits.c != NONE:
        return 128 + lowest_bit(bits.c)
    if bits.d != NONE:
        return 192 + lowest_bit(bits.d)
    if bits.e != NONE:
        return 256 + lowest_bit(bits.e)
    return 320 + lowest_bit(bits.f)


@implements(points_in, Bits6)
def _points_in6(bits):
    return bit_count(bits.a) + bit_count(bits.b) + bit_count(bits.c) + bit_count(bits.d) + bit_count(bits.e) + bit_count(bits.f)
