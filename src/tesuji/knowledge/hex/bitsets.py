"""Sets of points as bits: point p is bit p & 63 of word p >> 6.

There is one NamedTuple for each number of words, so that compiled code has no loop over words and keeps a set in registers: two
words hold the cells and edges of boards of up to 11x11, three of 13x13, four of 15x15, six of 19x19. Kernels are compiled
for the widths that are used. The functions of all widths are made from one text, in which each word stands by its name.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from tesuji.core.dispatch import implements, operation  # noqa: F401 (the text has it, too)
from tesuji.core.numba.bits import bit_count, lowest_bit  # noqa: F401

NONE = np.uint64(0)
UNIT = np.uint64(1)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
IN_WORD = np.int64(63)

Bits2 = namedtuple("Bits2", "a b")  # 128 points
Bits3 = namedtuple("Bits3", "a b c")  # 192
Bits4 = namedtuple("Bits4", "a b c d")  # 256
Bits6 = namedtuple("Bits6", "a b c d e f")  # 384
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


# -- their functions -----------------------------------------------------------------------------------------------------------
def functions_of(kind: Any) -> str:
    """The text of the functions for one width."""
    name, count = kind.__name__, len(kind._fields)
    words = [{"i": i, "word": word, "first": 64 * i} for i, word in enumerate(kind._fields)]

    def each(form: str, between: str = ", ") -> str:
        return between.join(form.format(**word) for word in words)

    def lines(form: str, which: slice = slice(None)) -> str:
        return "\n".join("    " + form.format(**word) for word in words[which])

    return f"""
@implements(load, {name})
def load_{name}(kind, words, number):
    first = number * {count}
    return {name}({each("words[first + {i}]")})

@implements(store, {name})
def store_{name}(bits, words, number):
    first = number * {count}
{lines("words[first + {i}] = bits.{word}")}

@implements(everything, {name})
def everything_{name}(kind):
    return {name}({each("ALL")})

@implements(both, {name})
def both_{name}(one, other):
    return {name}({each("one.{word} & other.{word}")})

@implements(either, {name})
def either_{name}(one, other):
    return {name}({each("one.{word} | other.{word}")})

@implements(minus, {name})
def minus_{name}(one, other):
    return {name}({each("one.{word} & ~other.{word}")})

@implements(within, {name})
def within_{name}(one, other):
    return ({each("one.{word} & ~other.{word}", " | ")}) == NONE

@implements(is_empty, {name})
def is_empty_{name}(bits):
    return ({each("bits.{word}", " | ")}) == NONE

@implements(has_point, {name})
def has_point_{name}(bits, point):
    place = point >> 6
    word = bits.{kind._fields[0]}
{lines("if place == {i}: word = bits.{word}", slice(1, None))}
    return word >> np.uint64(point & IN_WORD) & UNIT != NONE

@implements(with_point, {name})
def with_point_{name}(bits, point):
    place = point >> 6
    unit = UNIT << np.uint64(point & IN_WORD)
    return {name}({each("bits.{word} | (unit if place == {i} else NONE)")})

@implements(lowest_point, {name})
def lowest_point_{name}(bits):
{lines("if bits.{word} != NONE: return {first} + lowest_bit(bits.{word})", slice(-1))}
    return {64 * (count - 1)} + lowest_bit(bits.{kind._fields[-1]})

@implements(points_in, {name})
def points_in_{name}(bits):
    return {each("bit_count(bits.{word})", " + ")}
"""


GENERATED = [functions_of(kind) for kind in WIDTHS]
for text in GENERATED:
    exec(compile(text, __file__, "exec"))  # the compile cache asks for the file of each function
