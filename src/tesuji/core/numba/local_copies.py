"""Working memory for kernels: a record that lives as long as the function that made it.

Kernels allocate nothing, and threads share the tables of policies. A kernel that tries something out, or needs lists while it
works, makes a local copy of a record, or a record of zeros: on the stack in compiled code, an ordinary one in pure Python.
Such a record must not be returned.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import on_compiler_start

ALIGNMENT = 64  # bytes: a cache line, and enough for vector instructions


def local_copy(record):
    """A copy of a record for the calling function alone."""
    copy = np.zeros(1, record.dtype)
    copy[0] = record
    return copy[0]


def local_zeros(like):
    """A record of the same type, all zeros, for the calling function alone.

    Not a copy of a constant record: LLVM took seconds over one of 16 kB.
    """
    return np.zeros(1, like.dtype)[0]


def _compile() -> None:
    from llvmlite import ir
    from numba.core import types
    from numba.core.cgutils import memset, raw_memcpy
    from numba.extending import lower_builtin, type_callable

    # Not overloads: these would be functions of their own, whose stack is gone when they return.
    def choose(_context):
        return lambda record: record if isinstance(record, types.Record) else None

    def place_for(context, builder, signature):
        """Memory on the stack, and its size."""
        size = signature.args[0].size
        # Not Numba's alloca_once: that fills the place with zeros byte by byte, which alone took 12 s to compile for Go.
        with builder.goto_entry_block():
            place = builder.alloca(ir.ArrayType(ir.IntType(8), size))
        place.align = ALIGNMENT  # type: ignore[attr-defined]
        return builder.bitcast(place, context.get_value_type(signature.return_type)), ir.Constant(ir.IntType(64), size)

    @lower_builtin(local_copy, types.Record)
    def generate_copy(context, builder, signature, arguments):
        copy, size = place_for(context, builder, signature)
        raw_memcpy(builder, copy, arguments[0], size, 1)
        return copy

    @lower_builtin(local_zeros, types.Record)
    def generate_zeros(context, builder, signature, _arguments):
        zeros, size = place_for(context, builder, signature)
        memset(builder, zeros, size, 0)
        return zeros

    for function in (local_copy, local_zeros):
        type_callable(function)(choose)


on_compiler_start(_compile)
