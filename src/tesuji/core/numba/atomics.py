"""Atomic operations on memory that threads share. In pure Python, which runs one thread, they are plain operations.

Numba has no atomics for CPUs, so these are short LLVM intrinsics on the address of an element of an integer array, which may be
a field of a record array. All of them order memory: a thread that sees the new value also sees what was written before it.
"""

from __future__ import annotations

from tesuji.core.dispatch import on_compiler_start


def atomic_add(array, index, value):
    """array[index] += value; returns the value before."""
    before = array[index]
    array[index] = before + value
    return before


def atomic_or(array, index, value):
    """array[index] |= value; returns the value before."""
    before = array[index]
    array[index] = before | value
    return before


def atomic_max(array, index, value):
    """array[index] = max(array[index], value); returns the value before."""
    before = array[index]
    array[index] = max(before, value)
    return before


def atomic_min(array, index, value):
    """array[index] = min(array[index], value); returns the value before."""
    before = array[index]
    array[index] = min(before, value)
    return before


def compare_and_swap(array, index, expected, value):
    """Writes the value if array[index] equals the expected one; returns the value before."""
    before = array[index]
    if before == expected:
        array[index] = value
    return before


def load(array, index):
    """array[index], read before anything that the program reads after it."""
    return array[index]


def _compile() -> None:
    from numba.core import types
    from numba.core.cgutils import get_item_pointer
    from numba.extending import intrinsic, overload

    options = {"nogil": True, "_nrt": False, "forceinline": True}

    def element(context, builder, array_type, index_type, array, index):
        """The address of array[index]."""
        structure = context.make_array(array_type)(context, builder, array)
        position = context.cast(builder, index, index_type, types.intp)
        return get_item_pointer(context, builder, array_type, structure, [position], wraparound=False)

    def read_modify_write(step):
        @intrinsic
        def change(typingctx, array, index, value):
            def generate(context, builder, sig, args):
                pointer = element(context, builder, sig.args[0], sig.args[1], args[0], args[1])
                amount = context.cast(builder, args[2], sig.args[2], sig.args[0].dtype)
                return builder.atomic_rmw(step, pointer, amount, "acq_rel")

            return array.dtype(array, index, value), generate

        return change

    @intrinsic
    def swap(typingctx, array, index, expected, value):
        def generate(context, builder, sig, args):
            pointer = element(context, builder, sig.args[0], sig.args[1], args[0], args[1])
            old, new = (context.cast(builder, args[i], sig.args[i], sig.args[0].dtype) for i in (2, 3))
            return builder.extract_value(builder.cmpxchg(pointer, old, new, "acq_rel", "acquire"), 0)

        return array.dtype(array, index, expected, value), generate

    @intrinsic
    def read(typingctx, array, index):
        def generate(context, builder, sig, args):
            pointer = element(context, builder, sig.args[0], sig.args[1], args[0], args[1])
            size = context.get_abi_sizeof(context.get_value_type(sig.args[0].dtype))
            return builder.load_atomic(pointer, "acquire", size)

        return array.dtype(array, index), generate

    def choose(change):
        def chooser(array, index, value):
            return lambda array, index, value: change(array, index, value)

        return chooser

    for function, step in ((atomic_add, "add"), (atomic_or, "or"), (atomic_max, "max"), (atomic_min, "min")):
        overload(function, strict=False, jit_options=options)(choose(read_modify_write(step)))  # type: ignore[arg-type]

    @overload(compare_and_swap, strict=False, jit_options=options)  # type: ignore[arg-type]
    def choose_swap(array, index, expected, value):
        return lambda array, index, expected, value: swap(array, index, expected, value)  # type: ignore[call-arg]

    @overload(load, strict=False, jit_options=options)  # type: ignore[arg-type]
    def choose_load(array, index):
        return lambda array, index: read(array, index)  # type: ignore[call-arg]


on_compiler_start(_compile)
