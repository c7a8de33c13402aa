"""Generic functions: chosen by type, with defaults, and types that are a game's own."""

from typing import NamedTuple

import numpy as np
import pytest

from tesuji.core.dispatch import implements, kernel, operation, operation_with_default, state_type
from tesuji.core.errors import UserError
from tesuji.core.numba.registration import compiled

LEFT = state_type("left", [("x", np.int64)])
RIGHT = state_type("right", [("x", np.int64)])


class Plain(NamedTuple):
    x: int


class Scaled(NamedTuple):
    x: int


@operation
def doubled(thing, times):
    """A test operation."""


@operation_with_default
def named(thing):
    return 0


@implements(doubled, LEFT)
def doubled_left(state, times):
    return state["x"] * 2 * times


@implements(doubled, RIGHT)
def doubled_right(state, times):
    return state["x"] * 2 * times + 1


@implements(doubled, Scaled)
def doubled_scaled(thing, times):
    return thing.x * 20 * times


@implements(named, RIGHT)
def named_right(thing):
    return 7


@kernel
def both(a, b, c):
    return doubled(a, 1) + 1000 * doubled(b, 1) + 1_000_000 * doubled(c, 1) + 10**9 * (named(a) + 10 * named(b))


def record(dtype, x):
    made = np.zeros(1, dtype)
    made["x"] = x
    return made[0]


def test_equal_fields_are_different_types():
    assert LEFT != RIGHT and LEFT.itemsize == RIGHT.itemsize


def test_compiled_and_pure_choose_alike():
    arguments = (record(LEFT, 3), record(RIGHT, 4), Scaled(5))
    expected = 6 + 1000 * 9 + 1_000_000 * 100 + 10**9 * 70
    assert both(*arguments) == compiled(both)(*arguments) == expected


def test_missing_implementations_are_named():
    with pytest.raises(UserError, match="doubled"):
        doubled(Plain(1), 1)


def test_wrong_number_of_parameters_is_named():
    with pytest.raises(UserError, match=r"\(thing, times\)"):

        @implements(doubled, Plain)
        def wrong(thing):
            return thing


def test_an_implementation_registered_twice_is_refused():
    def again(thing, times):
        return 0

    with pytest.raises(
        UserError, match=r"^doubled for Scaled is implemented twice: .*test_dispatch.py:\d+ and .*test_dispatch.py:\d+$"
    ):
        implements(doubled, Scaled)(again)
    with pytest.raises(UserError, match="doubled for the state left"):
        implements(doubled, LEFT)(again)
    assert doubled(Scaled(1), 1) == 20


def test_the_very_same_code_may_come_again():
    """A file that is loaded twice."""
    implements(doubled, Scaled)(doubled_scaled)
    assert doubled(Scaled(1), 1) == 20


def test_an_implementation_that_comes_after_compilation_is_refused():
    """The compiler would go on with the default."""

    class Late(NamedTuple):
        x: int

    assert compiled(named_twice)(Late(1)) == 0
    with pytest.raises(UserError, match="named for Late comes too late"):
        implements(named, Late)(lambda thing: 1)


def named_twice(thing):
    return named(thing) * 2
