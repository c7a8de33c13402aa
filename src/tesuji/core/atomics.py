"""Atomic additions for threads that share one tree. In pure Python they are plain additions.

Numba has no atomics for the processor, so these are two-line LLVM intrinsics: the address of an element of a field of
a record array, and `atomicrmw add` on it. They also order memory: what was written before is seen by whoever sees the
addition.
"""

from __future__ import annotations

from tesuji.core.dispatch import on_compiler_start


def atomic_add(array, index, value):
    """array[index] += value as one indivisible step; returns the value before. `array` is one-dimensional, of integers."""
    before = array[index]
    array[index] = before + value
    return before


def _compile() -> None:
    from numba.core import types
    from numba.core.cgutils import get_item_pointer
    from numba.extending import intrinsic, overload

    @intrinsic
    def add(typingctx, array, index, value):
        signature = array.dtype(array, index, value)

        def generate(context, builder, sig, args):
            array_type, index_type, value_type = sig.args
            structure = context.make_array(array_type)(context, builder, args[0])
            position = context.cast(builder, args[1], index_type, types.intp)
            amount = context.cast(builder, args[2], value_type, array_type.dtype)
            pointer = get_item_pointer(context, builder, array_type, structure, [position], wraparound=False)
            return builder.atomic_rmw("add", pointer, amount, "acq_rel")

        return signature, generate

    @overload(atomic_add, strict=False, jit_options={"nogil": True, "_nrt": False, "forceinline": True})  # type: ignore[arg-type]
    def choose(array, index, value):
        return lambda array, index, value: add(array, index, value)  # type: ignore[call-arg]


on_compiler_start(_compile)
