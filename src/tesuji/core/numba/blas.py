"""Products of matrices, by the BLAS that SciPy brings: in compiled code without Python, in pure Python the same call.

NumPy's own product is refused in kernels (it counts references), and NumPy has a BLAS of its own, which need not round as
SciPy's does. A program that uses no network does without SciPy.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
from pathlib import Path
from typing import Any

from tesuji.core.dispatch import on_compiler_start
from tesuji.core.errors import UserError

LIBRARY_FOLDERS = ("../scipy.libs", ".dylibs")  # where SciPy's packages keep their BLAS, seen from SciPy's folder
SETTERS = (
    "scipy_openblas_set_num_threads",
    "scipy_openblas_set_num_threads64_",
    "openblas_set_num_threads",
    "MKL_Set_Num_Threads",
)


def matrix_product(a, a_at, b, b_at, c, c_at, rows, inner, columns):
    """c = a b, for flat float32 arrays: a has `rows` x `inner` numbers from a_at on, b `inner` x `columns`, in C order."""
    sgemm = _sgemm()
    left = a[a_at : a_at + rows * inner].reshape(rows, inner)
    right = b[b_at : b_at + inner * columns].reshape(inner, columns)
    # BLAS counts columns first: what it sees is the product of the transposed matrices, the other way round.
    c[c_at : c_at + rows * columns] = sgemm(1.0, right.T, left.T).T.ravel()


@functools.cache
def _sgemm() -> Any:
    demand_blas()
    from scipy.linalg.blas import sgemm  # type: ignore[attr-defined]

    return sgemm


@functools.cache
def demand_blas() -> None:
    """Must be called before a kernel is run that multiplies: a UserError where SciPy is missing; one thread for each product.

    The products here are too small to be shared, and a search has threads of its own. This is for all of the process.
    """
    try:
        import scipy
        import scipy.linalg.cython_blas
    except ImportError:
        raise UserError("networks need SciPy, which is not installed: pip install scipy") from None
    for library in _libraries(Path(scipy.__file__).parent):
        with contextlib.suppress(OSError):
            loaded = ctypes.CDLL(str(library))
            for name in SETTERS:
                with contextlib.suppress(AttributeError):
                    getattr(loaded, name)(1)


def _libraries(scipy: Path) -> list[Path]:
    """The files of the BLAS that SciPy uses; those of other installations are known by what this process has loaded (Linux)."""
    files = [file for folder in LIBRARY_FOLDERS for file in sorted((scipy / folder).glob("*openblas*"))]
    if files:
        return files
    with contextlib.suppress(OSError):
        mapped = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "/" in line}
        return [Path(name) for name in sorted(mapped) if "openblas" in name or "mkl_rt" in name]
    return []


def _compile() -> None:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic, overload

    @intrinsic
    def product(typingctx, a, a_at, b, b_at, c, c_at, rows, inner, columns):
        def generate(context, builder, sig, args):
            byte, size = ir.IntType(8), ir.IntType(64)
            address = byte.as_pointer()

            def number(argument):
                return context.cast(builder, args[argument], sig.args[argument], types.intp)

            def place(argument):
                data = context.make_array(sig.args[argument])(context, builder, args[argument]).data
                return builder.bitcast(builder.gep(data, [number(argument + 1)]), address)

            def constant(value):
                return builder.bitcast(cgutils.alloca_once_value(builder, ir.Constant(ir.FloatType(), value)), address)

            kinds = [byte] * 3 + [size] * 3 + [address, address, size, address, size, address, address, size]
            function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.IntType(32), kinds), "numba_xxgemm")
            m, k, n = number(6), number(7), number(8)
            single, plain = ir.Constant(byte, ord("s")), ir.Constant(byte, ord("n"))
            shape = [single, plain, plain, n, m, k]
            builder.call(function, [*shape, constant(1.0), place(2), n, place(0), k, constant(0.0), place(4), n])
            return context.get_dummy_value()

        return types.void(a, a_at, b, b_at, c, c_at, rows, inner, columns), generate

    @overload(matrix_product, strict=False, jit_options={"nogil": True, "_nrt": False, "forceinline": True})  # type: ignore[arg-type]
    def choose(a, a_at, b, b_at, c, c_at, rows, inner, columns):
        return lambda a, a_at, b, b_at, c, c_at, rows, inner, columns: product(  # type: ignore[call-arg]
            a, a_at, b, b_at, c, c_at, rows, inner, columns
        )


on_compiler_start(_compile)
