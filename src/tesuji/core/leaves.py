"""How kernels that are only ever part of others are compiled: to LLVM's intermediate form, and no further.

Numba makes machine code of every function, though all but the entry kernels are inlined and theirs is never called: more
than half of the time went there. Here a leaf's library keeps the intermediate form for whoever links it in. This rests on
parts of Numba that are not its public face, so it is used only with versions that it was tested with; with others
`leaf_pipeline` is None and leaves are compiled like everything else, which only takes longer.
"""

from __future__ import annotations

import functools
from typing import Any

TESTED_NUMBA = ("0.68",)


@functools.cache
def leaf_pipeline() -> type | None:
    """The `pipeline_class` for leaves, or None where Numba is of a version that this was not tested with."""
    import numba

    if numba.__version__.rpartition(".")[0] not in TESTED_NUMBA:
        return None
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler

    class Codegen:
        """The real one, except that a leaf's environment has no place yet: that comes with the kernel it becomes part of."""

        def __init__(self, real: Any):
            self._real = real

        def __getattr__(self, name: str) -> Any:
            return getattr(self._real, name)

        def set_env(self, _name: str, _environment: Any) -> None:
            pass

    class LeafLibrary(JITCodeLibrary):
        """Code for linking only: not optimised as a whole, never added to the engine."""

        def _optimize_final_module(self) -> None:
            pass

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._finalized = True

        def get_pointer_to_function(self, name: str) -> int:
            self._ensure_finalized()
            return 0

        @property
        def codegen(self) -> Any:
            return Codegen(self._codegen)

    class LeafCompiler(Compiler):
        def _compile_core(self) -> Any:
            self.state.library = LeafLibrary(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
            return super()._compile_core()

    return LeafCompiler
