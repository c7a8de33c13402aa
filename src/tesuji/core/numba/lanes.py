"""The same arithmetic on many float32 numbers at once: formulas that are written once, for compiled code and for NumPy.

A formula is a plain function of a few values that only adds, subtracts, multiplies and takes the larger one. In pure Python its
values are arrays, in compiled code vectors of the processor: the search is compiled without vectorising loops
(core/numba/pipeline.py), so these are made by hand. Neither ever joins a product and a sum into one rounding, so the results
are equal, bit for bit.

All arrays are flat. A row of numbers is named by where it begins; its length is a multiple of LANES.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tesuji.core.dispatch import on_compiler_start

LANES = 16  # float32 numbers of a vector of 512 bits; processors with shorter ones take several

Formula = Callable[..., Sequence[Any]]


def in_lanes(count: int) -> int:
    """The next multiple of LANES."""
    return -(-count // LANES) * LANES


def larger(a: Any, b: Any) -> Any:
    """The larger of two values, number by number; `b` where they are equal."""
    return a.larger(b) if isinstance(a, _Vector) else np.where(a > b, a, b)


class _Vector:
    """A value of a formula in compiled code."""

    def __init__(self, builder: Any, value: Any):
        self.builder, self.value = builder, value

    def _other(self, other: Any) -> Any:
        from llvmlite import ir

        return other.value if isinstance(other, _Vector) else ir.Constant(self.value.type, [float(np.float32(other))] * LANES)

    def __add__(self, other: Any) -> _Vector:
        return _Vector(self.builder, self.builder.fadd(self.value, self._other(other)))

    def __sub__(self, other: Any) -> _Vector:
        return _Vector(self.builder, self.builder.fsub(self.value, self._other(other)))

    def __mul__(self, other: Any) -> _Vector:
        return _Vector(self.builder, self.builder.fmul(self.value, self._other(other)))

    def larger(self, other: Any) -> _Vector:
        value = self._other(other)
        above = self.builder.fcmp_ordered(">", self.value, value)
        return _Vector(self.builder, self.builder.select(above, self.value, value))


def on_rows(formula: Formula, inputs: int, outputs: int) -> Callable[..., None]:
    """The operation that applies a formula to rows of an array: formula(rows, bias, before) gives `outputs` rows.

    `rows` are those of `source`, `step` apart from `at` on, `bias` is the row at the beginning of that array, and `before` is
    what the places of the results hold, `out_step` apart from `out_at` on. Of the results only the first `count` are of use:
    zeros are written in place of the others. The results may take the place of the rows.
    """

    def apply(out, out_at, out_step, source, at, step, bias, count, length):
        rows = [source[at + k * step : at + k * step + length] for k in range(inputs)]
        before = [out[out_at + k * out_step : out_at + k * out_step + length] for k in range(outputs)]
        results = [*formula(rows, bias[:length], before)]
        for number, result in enumerate(results):
            before[number][:] = result if number < count else np.float32(0)

    def compile_rows() -> None:
        from llvmlite import ir
        from numba.core import cgutils, types
        from numba.extending import intrinsic, overload

        @intrinsic
        def rows_of(typingctx, out, out_at, out_step, source, at, step, bias, count, length):
            def generate(context, builder, sig, args):
                place = Places(context, builder, sig, args)
                target, target_step, origin, origin_step = place.of(0, 1), place.number(2), place.of(3, 4), place.number(5)
                biases, of_use, lanes = place.of(6, None), place.number(7), place.number(8)
                with cgutils.for_range(builder, place.blocks(lanes)) as loop:
                    first = place.lane(loop.index)
                    rows = [place.load(origin, first, k, origin_step) for k in range(inputs)]
                    before = [place.load(target, first, k, target_step) for k in range(outputs)]
                    for number, result in enumerate(formula(rows, place.load(biases, first, 0, origin_step), before)):
                        is_used = builder.icmp_signed("<", ir.Constant(of_use.type, number), of_use)
                        zeros = ir.Constant(result.value.type, [0.0] * LANES)
                        place.store(builder.select(is_used, result.value, zeros), target, first, number, target_step)
                return context.get_dummy_value()

            return types.void(out, out_at, out_step, source, at, step, bias, count, length), generate

        options = {"nogil": True, "_nrt": False, "forceinline": True}

        @overload(apply, strict=False, jit_options=options)  # type: ignore[arg-type]
        def choose(out, out_at, out_step, source, at, step, bias, count, length):
            return lambda out, out_at, out_step, source, at, step, bias, count, length: rows_of(  # type: ignore[call-arg]
                out, out_at, out_step, source, at, step, bias, count, length
            )

    on_compiler_start(compile_rows)
    return apply


class Places:
    """Addresses, loads and stores for the arguments of an intrinsic."""

    def __init__(self, context: Any, builder: Any, sig: Any, args: Any):
        self.context, self.builder, self.sig, self.args = context, builder, sig, args

    def number(self, argument: int) -> Any:
        from numba.core import types

        return self.context.cast(self.builder, self.args[argument], self.sig.args[argument], types.intp)

    def of(self, array: int, at: int | None) -> Any:
        """The address of an element of an array."""
        data = self.context.make_array(self.sig.args[array])(self.context, self.builder, self.args[array]).data
        return data if at is None else self.builder.gep(data, [self.number(at)])

    def blocks(self, length: Any) -> Any:
        return self.builder.sdiv(length, length.type(LANES))

    def lane(self, block: Any) -> Any:
        return self.builder.mul(block, block.type(LANES))

    def _address(self, base: Any, first: Any, number: int, step: Any) -> Any:
        from llvmlite import ir

        place = self.builder.add(first, self.builder.mul(step.type(number), step))
        vector = ir.VectorType(ir.FloatType(), LANES)
        return self.builder.bitcast(self.builder.gep(base, [place]), vector.as_pointer())

    def load(self, base: Any, first: Any, number: int, step: Any) -> _Vector:
        return _Vector(self.builder, self.builder.load(self._address(base, first, number, step), align=4))

    def store(self, value: Any, base: Any, first: Any, number: int, step: Any) -> None:
        self.builder.store(value, self._address(base, first, number, step), align=4)
