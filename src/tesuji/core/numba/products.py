"""Products of small matrices of float32 numbers, in one fixed order of sums: the same bits compiled and in pure Python.

A library of linear algebra takes as long to begin as such a product takes. In compiled code a block of three rows and 32
columns is kept in vectors of the processor (lanes.py) while it is summed up.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from tesuji.core.dispatch import on_compiler_start
from tesuji.core.numba.lanes import LANES, Places

ROWS, VECTORS = 3, 2  # of a block


def matrix_products(a, a_at, b, b_at, c, c_at, count, rows, inner, columns):
    """c = a b for `count` pairs of matrices, one behind the other in flat float32 arrays, in C order.

    Each a has `rows` x `inner` numbers, each b `inner` x `columns`; the number of columns is a multiple of LANES.
    """
    left = a[a_at : a_at + count * rows * inner].reshape(count, rows, inner)
    right = b[b_at : b_at + count * inner * columns].reshape(count, inner, columns)
    total = np.zeros((count, rows, columns), np.float32)
    for k in range(inner):
        total += left[:, :, k, None] * right[:, k, None, :]
    c[c_at : c_at + total.size] = total.ravel()


def _compile() -> None:
    from numba.core import types
    from numba.extending import intrinsic, overload

    @intrinsic
    def all_products(typingctx, a, a_at, b, b_at, c, c_at, count, rows, inner, columns):
        def generate(context, builder, sig, args):
            _Blocks(context, builder, sig, args).write()
            return context.get_dummy_value()

        return types.void(a, a_at, b, b_at, c, c_at, count, rows, inner, columns), generate

    options = {"nogil": True, "_nrt": False, "forceinline": True}

    @overload(matrix_products, strict=False, jit_options=options)  # type: ignore[arg-type]
    def choose(a, a_at, b, b_at, c, c_at, count, rows, inner, columns):
        return lambda a, a_at, b, b_at, c, c_at, count, rows, inner, columns: all_products(  # type: ignore[call-arg]
            a, a_at, b, b_at, c, c_at, count, rows, inner, columns
        )


on_compiler_start(_compile)


class _Blocks:
    """Writes the loops over products, rows and columns, and the blocks within them."""

    def __init__(self, context: Any, builder: Any, sig: Any, args: Any):
        place = Places(context, builder, sig, args)
        self.builder = builder
        self.a, self.b, self.c = place.of(0, 1), place.of(2, 3), place.of(4, 5)
        self.count, self.rows, self.inner, self.columns = (place.number(argument) for argument in (6, 7, 8, 9))

    def write(self) -> None:
        from numba.core import cgutils

        builder, number = self.builder, self.rows.type
        firsts = self.a, self.b, self.c
        sizes = [
            builder.mul(*pair) for pair in ((self.rows, self.inner), (self.inner, self.columns), (self.rows, self.columns))
        ]
        with cgutils.for_range(builder, self.count) as product:
            self.a, self.b, self.c = (
                builder.gep(first, [builder.mul(product.index, size)]) for first, size in zip(firsts, sizes, strict=True)
            )
            for rows, row in self._parts(self.rows, ROWS, number(1)):
                with row as at:
                    for vectors, column in self._parts(self.columns, VECTORS, number(LANES)):
                        with column as first:
                            self._block(at(), rows, first(), vectors)

    def _parts(self, length: Any, most: int, unit: Any) -> Any:
        """Loops over a length: `most` units at a time, then the rest one by one."""
        from numba.core import cgutils

        builder = self.builder
        units = builder.sdiv(length, unit)
        whole = builder.sdiv(units, unit.type(most))
        rest = builder.srem(units, unit.type(most))

        @contextlib.contextmanager
        def loop(times: Any, step: int, start: Any) -> Any:
            with cgutils.for_range(builder, times) as part:
                yield lambda: builder.mul(builder.add(start, builder.mul(part.index, unit.type(step))), unit)

        yield most, loop(whole, most, unit.type(0))
        yield 1, loop(rest, 1, builder.mul(whole, unit.type(most)))

    def _block(self, row: Any, rows: int, column: Any, vectors: int) -> None:
        """The results of so many rows and vectors of columns, from there on."""
        from llvmlite import ir

        builder, number = self.builder, self.rows.type
        single = ir.FloatType()
        vector = ir.VectorType(single, LANES)
        zero = number(0)

        def vector_at(base: Any, place: Any) -> Any:
            return builder.bitcast(builder.gep(base, [place]), vector.as_pointer())

        before, loop, after = builder.basic_block, builder.append_basic_block("sum"), builder.append_basic_block("summed")
        builder.branch(loop)
        builder.position_at_end(loop)
        k = builder.phi(number)
        k.add_incoming(zero, before)
        sums = [[builder.phi(vector) for _ in range(vectors)] for _ in range(rows)]
        across = builder.add(builder.mul(k, self.columns), column)
        right = [builder.load(vector_at(self.b, builder.add(across, number(LANES * v))), align=4) for v in range(vectors)]
        following = builder.add(k, number(1))
        lane = ir.IntType(32)
        for r, line in enumerate(sums):
            place = builder.add(builder.mul(builder.add(row, number(r)), self.inner), k)
            factor = builder.load(builder.gep(self.a, [place]))
            one = builder.insert_element(ir.Constant(vector, ir.Undefined), factor, lane(0))
            factors = builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(lane, LANES), [0] * LANES))
            for total, numbers in zip(line, right, strict=True):
                total.add_incoming(ir.Constant(vector, [0.0] * LANES), before)
                total.add_incoming(builder.fadd(total, builder.fmul(factors, numbers)), loop)
        k.add_incoming(following, loop)
        builder.cbranch(builder.icmp_signed("<", following, self.inner), loop, after)
        builder.position_at_end(after)
        for r, line in enumerate(sums):
            first = builder.add(builder.mul(builder.add(row, number(r)), self.columns), column)
            for v, total in enumerate(line):
                builder.store(total.incomings[1][0], vector_at(self.c, builder.add(first, number(LANES * v))), align=4)
