"""Counting and finding bits in a 64-bit set: one machine instruction each when compiled, plain integers in pure Python."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import on_compiler_start


def bit_count(bits):
    """How many bits of the uint64 are set."""
    return np.int64(int(bits).bit_count())


def lowest_bit(bits):
    """The number of the lowest bit that is set; 64 if none is."""
    word = int(bits)
    return np.int64((word & -word).bit_length() - 1 if word else 64)


def _compile() -> None:
    from numba.core import types
    from numba.core.cgutils import false_bit
    from numba.extending import intrinsic, overload

    @intrinsic
    def count_bits(typingctx, bits):
        def generate(context, builder, sig, args):
            return builder.ctpop(args[0])

        return types.int64(types.uint64), generate

    @intrinsic
    def count_zeros(typingctx, bits):
        def generate(context, builder, sig, args):
            return builder.cttz(args[0], false_bit)  # false: of 0 it is 64, not undefined

        return types.int64(types.uint64), generate

    options = {"nogil": True, "_nrt": False, "forceinline": True}

    @overload(bit_count, strict=False, jit_options=options)  # type: ignore[arg-type]
    def choose_count(bits):
        return lambda bits: count_bits(bits)  # type: ignore[call-arg]

    @overload(lowest_bit, strict=False, jit_options=options)  # type: ignore[arg-type]
    def choose_lowest(bits):
        return lambda bits: count_zeros(bits)  # type: ignore[call-arg]


on_compiler_start(_compile)
