"""How kernels that are only ever part of others are compiled: to LLVM's intermediate form, and no further.

Numba makes machine code of every function, though all but the entry kernels are inlined and theirs is never called: more
than half of the time went there. Here a leaf's library keeps the intermediate form for whoever links it in.

An index that may be negative costs a comparison and an addition wherever it is used: a sixth of the time of a game of Go. The
kernels of this package never use one, so theirs are compiled without; NUMBA_BOUNDSCHECK=1 finds an index below 0 as any other
out of range. Functions that users write keep the indices of Python.

This rests on parts of Numba that are not its public face, so it is used only with versions that it was tested with; with
others `pipelines` is None and leaves are compiled like everything else, to the same results, only slower.
"""

from __future__ import annotations

import functools
from typing import Any

from tesuji.core.numba import patches
from tesuji.core.numba.sources import is_in_package

TESTED_NUMBA = ("0.68",)


@functools.cache
def pipelines() -> tuple[type, type] | None:
    """The `pipeline_class` for leaves and that for entry kernels; None with a Numba that this was not tested with."""
    import numba

    if numba.__version__.rpartition(".")[0] not in TESTED_NUMBA:
        return None
    from llvmlite import binding as llvm
    from llvmlite.binding import Linkage
    from llvmlite.ir import Constant
    from numba.core import config, types
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler
    from numba.np import arrayobj

    class Codegen:
        """The real one, except that a leaf's environment has no place yet: that comes with the kernel it becomes part of."""

        def __init__(self, real: Any):
            self._real = real

        def __getattr__(self, name: str) -> Any:
            return getattr(self._real, name)

        def set_env(self, _name: str, _environment: Any) -> None:
            pass

    class EntryLibrary(JITCodeLibrary):
        """The code of an entry kernel, linked with all the leaves that it needs, each once."""

        def finalize(self) -> None:
            self._linking_libraries = callers_first(self)
            super().finalize()

        def _optimize_functions(self, ll_module: Any) -> None:
            optimize_functions(self, ll_module)

        def _optimize_final_module(self) -> None:
            optimize_whole(self)

    class LeafLibrary(JITCodeLibrary):
        """Code for linking only: not optimised as a whole, never added to the engine, without the leaves that it needs."""

        def _optimize_functions(self, ll_module: Any) -> None:
            optimize_functions(self, ll_module)

        def finalize(self) -> None:
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage == Linkage.external:
                    function.linkage = "linkonce_odr"
            self._finalized = True

        def _get_module_for_linking(self) -> Any:
            self._ensure_finalized()
            return self._final_module

        def get_pointer_to_function(self, name: str) -> int:
            self._ensure_finalized()
            return 0

        @property
        def codegen(self) -> Any:
            return Codegen(self._codegen)

    def callers_first(library: Any) -> list[Any]:
        """All that the library needs, directly or not, each before what it needs itself: LLVM links what is missing so far."""
        found: dict[Any, None] = {}

        def visit(needed: Any) -> None:
            if needed not in found:
                if needed is library or isinstance(needed, LeafLibrary):
                    for further in needed._linking_libraries:
                        visit(further)
                found[needed] = None

        visit(library)
        return [needed for needed in reversed(found) if needed is not library]

    def optimize_functions(library: Any, module: Any) -> None:
        """As Numba does it, but with one pass manager for the module, not for functions that are only declared, and only the
        passes that make the code short: what is inlined later is optimised then, and other passes copy calls that are still to
        be inlined. The search for connections of Hex became four times as large by that.
        """
        module.data_layout = library._codegen._data_layout
        passes = llvm.create_new_function_pass_manager()
        passes.add_sroa_pass()
        passes.add_simplify_cfg_pass()
        passes.add_instruction_combine_pass()
        builder = llvm.create_pass_builder(library._codegen._tm, llvm.create_pipeline_tuning_options())
        for function in module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def optimize_whole(library: Any) -> None:
        """As Numba does it: everything is inlined, then optimised. But loops are not vectorised, and unrolled only where their
        length is known: most are short or end early, and the copies took half of the time.
        """
        codegen, module = library._codegen, library._final_module
        settings: Any = config  # which the type checker knows nothing of
        passes, builder = codegen._module_pass_manager(loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap")
        passes.run(module, builder)
        tuning = llvm.create_pipeline_tuning_options(speed_level=min(2, int(settings.OPT)))
        tuning.loop_interleaving = tuning.loop_vectorization = tuning.slp_vectorization = False
        builder = llvm.create_pass_builder(codegen._tm, tuning)
        builder.getModulePassManager().run(module, builder)

    from_zero = [""]  # functions of this package that are being compiled, the one at hand last; "" for one of a user
    fix_index = arrayobj.fix_integer_index

    def index_from_zero(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        # Numba's own functions, which may be compiled in between, are shared with users' ones: their modules have other names.
        if builder.module.name == from_zero[-1] and kind.signed and not isinstance(index, Constant):
            return context.cast(builder, index, kind, types.intp)
        return fix_index(context, builder, kind, index, size)

    arrayobj.fix_integer_index = index_from_zero
    llvm.set_option("", "-unroll-runtime=false")  # loops whose length is not known: for all that this process compiles
    patches.install(lambda builder: builder.module.name == from_zero[-1])

    def pipelines_for(function: Any, usual: list[Any]) -> list[Any]:
        return patches.fewer_passes(usual) if is_in_package(function.filename) else usual

    class LeafCompiler(Compiler):
        def define_pipelines(self) -> list[Any]:
            return pipelines_for(self.state.func_id, super().define_pipelines())

        def _compile_core(self) -> Any:
            function = self.state.func_id
            self.state.library = LeafLibrary(self.state.targetctx.codegen(), function.func_qualname)
            from_zero.append(function.unique_name if is_in_package(function.filename) else "")
            try:
                return super()._compile_core()
            finally:
                from_zero.pop()

    class EntryCompiler(Compiler):
        def define_pipelines(self) -> list[Any]:
            return pipelines_for(self.state.func_id, super().define_pipelines())

        def _compile_core(self) -> Any:
            context, function = self.state.targetctx, self.state.func_id
            self.state.library = EntryLibrary(context.codegen(), function.func_qualname)
            self.state.library.enable_object_caching()
            patches.flatten_arguments(context, function.unique_name)
            return super()._compile_core()

    return LeafCompiler, EntryCompiler
