"""Working memory for kernels: a copy of a record that lives as long as the function that made it.

Kernels allocate nothing, and policies share their tables among threads. A kernel that must try something out, or keep lists
while it works, takes a local copy of a record (of a position, or of an empty record with the fields that it needs): on the
stack in compiled code, an ordinary copy in pure Python. Such a copy must not be returned.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import on_compiler_start

ALIGNMENT = 64  # bytes: a cache line, and enough for vector instructions


def local_copy(record):
    """A copy of a record, for the calling function alone."""
    copy = np.zeros(1, record.dtype)
    copy[0] = record
    return copy[0]


def _compile() -> None:
    from llvmlite import ir
    from numba.core import types
    from numba.core.cgutils import raw_memcpy
    from numba.extending import lower_builtin, type_callable

    # Not an overload: that would be a function of its own, whose stack is gone when it returns.
    @type_callable(local_copy)
    def choose(_context):
        return lambda record: record if isinstance(record, types.Record) else None

    @lower_builtin(local_copy, types.Record)
    def generate(context, builder, signature, arguments):
        size = signature.args[0].size
        # Not Numba's alloca_once: that fills the place with zeros byte by byte, which alone took 12 s to compile for Go.
        with builder.goto_entry_block():
            place = builder.alloca(ir.ArrayType(ir.IntType(8), size))
        place.align = ALIGNMENT  # type: ignore[attr-defined]
        copy = builder.bitcast(place, context.get_value_type(signature.return_type))
        raw_memcpy(builder, copy, arguments[0], ir.Constant(ir.IntType(64), size), 1)
        return copy


on_compiler_start(_compile)
