"""How kernels are compiled: an entry kernel to machine code, all others to LLVM's intermediate form and no further.

Numba makes machine code of every function, though all but the entry kernels are inlined and theirs is never called: more
than half of the time went there. Here the library of an inlined function keeps the intermediate form for whoever links it.

An index that may be negative costs a comparison and an addition wherever it is used: a sixth of the time of a game of Go. The
kernels of this package never use one, so theirs are compiled without; NUMBA_BOUNDSCHECK=1 finds an index below 0 as any other
out of range. Functions that users write keep the indices of Python.

All of this is chosen by `pipeline_class`, one function at a time, so other functions of the process are compiled as ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llvmlite import binding as llvm
from llvmlite import ir
from llvmlite.binding import Linkage
from numba.core import config, errors
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager
from numba.core.cpu import CPUContext
from numba.core.targetconfig import ConfigStack
from numba.core.typing import templates

from tesuji.core.numba import patches
from tesuji.core.numba.context import KernelContext, register_tuples
from tesuji.core.sources import is_in_package

# No kernel has closures, `with`, comprehensions, array expressions, raised exceptions, literally() or literal_unroll().
UNNEEDED_PASSES = {
    "WithLifting",
    "InlineClosureLikes",
    "RewriteDynamicRaises",
    "MakeFunctionToJitFunction",
    "InlineInlinables",
    "FindLiterallyCalls",
    "LiteralUnroll",
    "LiteralPropagationSubPipelinePass",
    "InlineOverloads",
    "NopythonRewrites",
    "NoPythonSupportedFeatureValidation",
    "DumpParforDiagnostics",
}
NO_RUNTIME_UNROLLING = "llvm.loop.unroll.runtime.disable"

register_tuples()


# -- Numba's passes ------------------------------------------------------------------------------------------------------
class KernelCompiler(Compiler):
    """What inlined functions and entry kernels have in common."""

    def define_pipelines(self) -> list[Any]:
        managers = super().define_pipelines()
        return [_needed_passes(manager) for manager in managers] if self._is_ours else managers

    def _compile_core(self) -> Any:
        context: Any = self.state.targetctx
        if context.__class__ is CPUContext:
            context.__class__ = KernelContext
            context.counts_from_zero = self._is_ours
        with patches.applied():
            return super()._compile_core()

    @property
    def _is_ours(self) -> bool:
        return is_in_package(self.state.func_id.filename)


class InlinedCompiler(KernelCompiler):
    """Compiles functions that become part of others."""

    def _compile_core(self) -> Any:
        self.state.library = InlinedLibrary(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super()._compile_core()


class EntryCompiler(KernelCompiler):
    """Compiles functions that Python calls."""

    def _compile_core(self) -> Any:
        context, function = self.state.targetctx, self.state.func_id
        self.state.library = EntryLibrary(context.codegen(), function.func_qualname)
        self.state.library.enable_object_caching()
        context.entry_name, context.entry_arguments = function.unique_name, []
        code = super()._compile_core()
        for environment in code._find_referenced_environments():  # those of inlined functions have an address only now
            code.library.codegen.set_env(environment.env_name, environment)
        return code


class _QuietPassManager(PassManager):
    """Neither describes a function before each pass nor measures the pass, nor puts the function's blocks in order again after
    a pass that changes them: the passes that are left need no more than their own order.
    """

    def _runPass(self, index: int, pss: Any, internal_state: Any) -> None:  # type: ignore[override]
        errors_module: Any = errors  # which the type checker does not know all of
        pss.analysis = self._analysis
        with errors_module.new_error_context("Pass {name}", name=pss.name()):
            pss.run_initialization(internal_state)
            pss.run_pass(internal_state)
            pss.run_finalizer(internal_state)


def _needed_passes(manager: Any) -> PassManager:
    quiet = _QuietPassManager(manager.pipeline_name)
    quiet.passes.extend(step for step in manager.passes if step[0].__name__ not in UNNEEDED_PASSES)
    quiet.finalize()
    return quiet


def compile_once(kernel: Any) -> None:
    """Compiles a kernel, just registered as an overload, once for all kernels that call it: inlined ones, called ones, entries.

    Numba compiles it anew for callers with other flags. Among kernels only the two below differ, and each kernel has its own.
    """
    # Searched from the end: another thread may have registered something of its own meanwhile.
    template = next(one for one in reversed(templates.builtin_registry.functions) if one.key is kernel)

    def get_impl(self: Any, args: Any, kws: Any) -> Any:
        caller = ConfigStack.top_or_none()
        if caller is not None:
            caller = caller.copy()
            caller.forceinline, caller.no_cpython_wrapper = False, True
        key = self.context, tuple(args), tuple(kws.items()), caller
        return self._impl_cache[key] if key in self._impl_cache else self._build_impl(key, args, kws)

    template._get_impl = get_impl


# -- LLVM's passes -------------------------------------------------------------------------------------------------------
class KernelLibrary(JITCodeLibrary):
    """LLVM code of one kernel."""

    def add_ir_module(self, ir_module: Any) -> None:
        _forbid_runtime_unrolling(ir_module)
        super().add_ir_module(ir_module)

    def _optimize_functions(self, ll_module: Any) -> None:
        """As Numba does it, but with one pass manager for the module, not for functions that are only declared, and only the
        passes that make the code short: what is inlined later is optimised then, and other passes copy calls that are still to
        be inlined. The search for connections of Hex became four times as large by that.
        """
        ll_module.data_layout = self._codegen._data_layout
        passes = llvm.create_new_function_pass_manager()
        passes.add_sroa_pass()
        passes.add_simplify_cfg_pass()
        passes.add_instruction_combine_pass()
        builder = llvm.create_pass_builder(self._codegen._tm, llvm.create_pipeline_tuning_options())
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)


class InlinedLibrary(KernelLibrary):
    """Code for linking only: not optimised as a whole, never loaded, without the functions that it needs itself."""

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
        return _CodegenWithoutEnvironments(self._codegen)


class _CodegenWithoutEnvironments:
    """The real one, except that the environment of an inlined function has no address before it is part of an entry kernel."""

    def __init__(self, real: Any):
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def set_env(self, _name: str, _environment: Any) -> None:
        pass


class EntryLibrary(KernelLibrary):
    """The code of an entry kernel, linked with all the functions that it needs, each once."""

    def finalize(self) -> None:
        self._linking_libraries = _callers_first(self)
        super().finalize()

    def _optimize_final_module(self) -> None:
        """As Numba does it: everything is inlined, then optimised. But loops are not vectorised, and unrolled only where their
        length is a constant: most are short or end early, and the copies took half of the time.
        """
        settings: Any = config  # which the type checker knows nothing of
        codegen, module = self._codegen, self._final_module
        passes, builder = codegen._module_pass_manager(loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap")
        passes.run(module, builder)
        tuning = llvm.create_pipeline_tuning_options(speed_level=min(2, int(settings.OPT)))
        tuning.loop_interleaving = tuning.loop_vectorization = tuning.slp_vectorization = False
        builder = llvm.create_pass_builder(codegen._tm, tuning)
        builder.getModulePassManager().run(module, builder)


def _callers_first(library: EntryLibrary) -> list[Any]:
    """All that the library needs, directly or not, each before what it needs itself: LLVM links what is missing so far."""
    visited: dict[Any, None] = {}

    def visit(needed: Any) -> None:
        if needed not in visited:
            if needed is library or isinstance(needed, InlinedLibrary):
                for further in needed._linking_libraries:
                    visit(further)
            visited[needed] = None

    visit(library)
    return [needed for needed in reversed(visited) if needed is not library]


def _forbid_runtime_unrolling(module: ir.Module) -> None:
    """Marks all loops, so that LLVM does not copy the body of one whose length is only known when it runs.

    The mark is metadata at the branch that leads back to the beginning of a loop. LLVM's option -unroll-runtime=false would do
    the same, but for all functions of the process.
    """
    mark: Any = None
    for function in module.functions:
        for block in _ends_of_loops(function):
            if mark is None:
                mark = module.add_metadata([module.add_metadata([NO_RUNTIME_UNROLLING])])
                mark.operands = (mark, *mark.operands)  # LLVM knows a loop's metadata by its first part, which is itself
            block.terminator.set_metadata("llvm.loop", mark)


def _ends_of_loops(function: ir.Function) -> Iterator[Any]:
    """The blocks of a function from which a branch leads back to one that is on the way to it."""
    if not function.blocks:
        return
    seen, on_the_way = {function.entry_basic_block}, {function.entry_basic_block}
    way = [(function.entry_basic_block, iter(_successors(function.entry_basic_block)))]
    while way:
        block, successors = way[-1]
        for successor in successors:
            if successor in on_the_way:
                yield block
            elif successor not in seen:
                seen.add(successor)
                on_the_way.add(successor)
                way.append((successor, iter(_successors(successor))))
                break
        else:
            on_the_way.remove(block)
            way.pop()


def _successors(block: Any) -> list[Any]:
    end = block.terminator
    targets = [*getattr(end, "operands", ()), *(target for _, target in getattr(end, "cases", ()))]
    return [target for target in targets if isinstance(target, ir.Block)]
