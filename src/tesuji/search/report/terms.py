"""The terms of a selection rule's formula, which show why a child was chosen. Plain Python, never compiled.

The formula is written once, as `worth`. To get its summands, it is called with `Sum`s in place of some numbers: they record
which named parts they are the sum of.
"""

from __future__ import annotations

import math
from functools import total_ordering
from typing import Any

from tesuji.search.selection.interface import Child, Parent, spec_of, worth

CHILD_TERMS = {
    "mean": "mean",
    "prior": "prior",
    "rave_mean": "RAVE",
    "lower": "bounds",
    "upper": "bounds",
    "bonus": "bonus",
}
PARENT_TERMS = {"root_of_log": "exploration"}
RULE_TERMS = {"first_play": "first play"}
OTHER = "other"  # what has no name: a constant, or what is no sum


@total_ordering
class Sum:
    """A number as a sum of named parts. Sums, differences, and products with plain numbers keep the names apart."""

    __array_ufunc__ = None  # a NumPy number on the left leaves the operation to this class

    def __init__(self, parts: dict[str, float]):
        self.parts = parts

    def __float__(self) -> float:
        return float(sum(self.parts.values()))

    def __add__(self, other: Any) -> Sum:
        parts = dict(self.parts)
        for name, value in _parts_of(other).items():
            parts[name] = parts.get(name, 0.0) + value
        return Sum(parts)

    __radd__ = __add__

    def __neg__(self) -> Sum:
        return self * -1.0

    def __sub__(self, other: Any) -> Sum:
        return self + -other

    def __rsub__(self, other: Any) -> Sum:
        return -self + other

    def __mul__(self, other: Any) -> Sum:
        """Of two sums the product belongs to what both are made of; where that differs, to nothing in particular."""
        if not isinstance(other, Sum):
            return Sum({name: value * float(other) for name, value in self.parts.items()})
        if len(self.parts) == 1 and self.parts.keys() == other.parts.keys():
            return Sum({name: value * float(other) for name, value in self.parts.items()})
        return Sum({OTHER: float(self) * float(other)})

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Sum:
        return self * (1.0 / float(other)) if not isinstance(other, Sum) else Sum({OTHER: float(self) / float(other)})

    def __rtruediv__(self, other: Any) -> Sum:
        return Sum({OTHER: float(other) / float(self)})

    def __eq__(self, other: object) -> bool:
        return float(self) == float(other)  # type: ignore[arg-type]

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return float(self) != 0.0

    def __abs__(self) -> Sum:
        return self if float(self) >= 0.0 else -self

    def __pow__(self, exponent: Any) -> Sum:
        return Sum({OTHER: float(self) ** float(exponent)})

    def __lt__(self, other: Any) -> bool:
        return float(self) < float(other)


def _parts_of(number: Any) -> dict[str, float]:
    return number.parts if isinstance(number, Sum) else {OTHER: float(number)}


def terms(rule: Any, child: Child, parent: Parent, value: float) -> tuple[tuple[str, float], ...]:
    """The summands of `value`, the child's worth, each with its name; they add up to it but for rounding.

    What a formula makes of a number that is more than a multiple of it (a root of the prior, say) is in `other`.
    """
    own = spec_of(type(rule)).term_names
    try:
        traced = worth(
            _named(rule, {**RULE_TERMS, **own}), _named(child, {**CHILD_TERMS, **own}), _named(parent, {**PARENT_TERMS, **own})
        )
    except (TypeError, ValueError, AttributeError, ArithmeticError):
        return (("worth", value),)
    if not math.isclose(float(traced), value, rel_tol=1e-9, abs_tol=1e-9):
        return (("worth", value),)
    parts = {name: part for name, part in _parts_of(traced).items() if part != 0.0 or name in _MAIN}
    return tuple(parts.items()) if set(parts) - {OTHER} else (("worth", value),)


_MAIN = ("mean", "exploration")  # shown even where they are 0


def _named(record: Any, names: dict[str, str]) -> Any:
    """The NamedTuple with `Sum`s in the place of fields that are summands of a formula."""
    named = {field: Sum({term: float(getattr(record, field))}) for field, term in names.items() if field in record._fields}
    return record._replace(**named)
