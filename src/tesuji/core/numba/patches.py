"""Work of the compiler that comes to nothing for the kernels of this package, left out.

Without machine code for leaves (pipeline.py), more than half of the compile time is Numba's own Python code and the text
that it hands to LLVM. These parts of it can be spared, and the same is compiled as before:

- passes over every function that look for what no kernel holds (`fewer_passes`);
- taking NamedTuples apart for every call (`_pass_tuples_whole`, `flatten_arguments`);
- assigning a record byte by byte (`_copy_records_at_once`);
- searching the signature of an operator for types for which it was found before;
- fetching all compiler flags one by one, to compare them, at every look for an overload;
- hashing types again and again, asking LLVM for the size of a type that is known, and all registries for what makes an array
  of an array;
- importing all parts of Numba again before every function, telling each pass in words what it is about to do, and finding out
  which variables are set where a block begins, which only generators and Python's own objects need;
- code that is never of use: zeros for variables that are not needed any more, the error of a range with step 0, the passing on
  of errors of functions that have none (half of what a call was);
- compiling a function again for each kind of caller: inlined, called, or an entry kernel;
- events that nobody listens to.

All but the sixth to eighth together made the compile time of Connect Four 9.5 s instead of 13.2; the sixth, the eighth and the
settings of LLVM (pipeline.py) that of Hex 19.6 s instead of 27.2; the seventh that of tic-tac-toe 7.2 s instead of 8.3. Like
pipeline.py this knows the inside of Numba, and is used only with versions that it was tested with.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from tesuji.core.numba.sources import is_in_package

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

_flat_models: Any = None  # the data models of Numba, as they were


def install(is_ours: Callable[[Any], bool]) -> None:
    """Changes Numba, once, for this process; `is_ours` tells of a builder whether it makes code of a kernel of this package."""
    _pass_tuples_whole()
    _copy_records_at_once()
    _remember_operators()
    _fetch_flags_at_once()
    _hash_types_once()
    _measure_types_once()
    _look_for_no_arrays()
    _delete_nothing()
    _count_ranges(is_ours)
    _pass_on_no_errors()
    _compile_once_for_all_callers()
    _stop_lock_events()
    _import_once()
    _find_no_variables_of_blocks()


def fewer_passes(managers: list[Any]) -> list[Any]:
    """The same pipelines, without the passes that the kernels of this package do not need, and without a word about each."""
    from numba.core import errors
    from numba.core.compiler_machinery import PassManager

    in_words: Any = errors  # which the type checker does not know all of

    class Silent(PassManager):
        """Neither describes a function before each pass nor measures the pass, nor puts the function's blocks in order again
        after a pass that changes them: the passes that are left need no more than their own order.
        """

        def _runPass(self, index: int, pss: Any, internal_state: Any) -> None:  # type: ignore[override]
            pss.analysis = self._analysis
            with in_words.new_error_context("Pass {name}", name=pss.name()):
                pss.run_initialization(internal_state)
                pss.run_pass(internal_state)
                pss.run_finalizer(internal_state)

    shorter = []
    for manager in managers:
        shorter.append(Silent(manager.pipeline_name))
        shorter[-1].passes.extend(step for step in manager.passes if step[0].__name__ not in UNNEEDED_PASSES)
        shorter[-1].finalize()
    return shorter


def _pass_tuples_whole() -> None:
    """A NamedTuple of this package is one argument, not one for each number in it.

    A tree and the memory of a thread are some two hundred numbers, which every function put together and every call took apart.
    The machine code is the same: what is inlined has no arguments, and those of other functions LLVM takes apart.
    """
    from numba.core import types
    from numba.core.datamodel.manager import DataModelManager
    from numba.core.datamodel.models import TupleModel, UniTupleModel
    from numba.core.datamodel.registry import default_manager

    class Whole:
        def get_argument_type(self) -> Any:
            return self.get_value_type()  # type: ignore[attr-defined]

        def as_argument(self, builder: Any, value: Any) -> Any:
            return value

        def from_argument(self, builder: Any, value: Any) -> Any:
            return value

    class WholeTuple(Whole, TupleModel):
        pass

    class WholeUniTuple(Whole, UniTupleModel):
        pass

    def is_whole(kind: Any) -> bool:
        return len(kind) > 0 and kind.instance_class.__module__.partition(".")[0] == "tesuji"

    global _flat_models
    _flat_models = DataModelManager({types.NamedTuple: TupleModel, types.NamedUniTuple: UniTupleModel}).chain(default_manager)
    for numba_type, flat, whole in (
        (types.NamedTuple, TupleModel, WholeTuple),
        (types.NamedUniTuple, UniTupleModel, WholeUniTuple),
    ):
        default_manager.register(
            numba_type, lambda models, kind, flat=flat, whole=whole: (whole if is_whole(kind) else flat)(models, kind)
        )


def flatten_arguments(context: Any, name: str) -> None:
    """Has the function of this name take its arguments apart all the same: an entry kernel, into which all others are inlined.

    Numbers that are arguments are known to be the same everywhere in a function before LLVM optimises anything. Without this
    it copied whole loops for each of several options, and made twice as much code.
    """
    from numba.core.datamodel.packer import ArgPacker

    own: list[Any] = []  # the argument types of the function, the very object
    declare, packer = context.declare_function, context.get_arg_packer

    def declare_function(module: Any, descriptor: Any) -> Any:
        if descriptor.unique_name == name:
            own.append(descriptor.argtypes)
        return declare(module, descriptor)

    def get_arg_packer(argument_types: Any) -> Any:
        is_own = any(argument_types is known for known in own)
        return ArgPacker(_flat_models, argument_types) if is_own else packer(argument_types)

    context.declare_function = declare_function
    context.get_arg_packer = get_arg_packer


def _copy_records_at_once() -> None:
    """A record is assigned by one copy of its bytes.

    Numba loads and stores it as an array of bytes. LLVM makes an instruction of each: 1,080 to copy a position of Hex.
    """
    from llvmlite import ir
    from numba.core import types
    from numba.core.cgutils import raw_memcpy
    from numba.np import arrayobj

    store = arrayobj.store_item

    def store_item(context: Any, builder: Any, array: Any, value: Any, place: Any) -> None:
        if isinstance(array.dtype, types.Record):
            raw_memcpy(builder, place, value, ir.Constant(ir.IntType(64), array.dtype.size), 1)
        else:
            store(context, builder, array, value, place)

    arrayobj.store_item = store_item


def _remember_operators() -> None:
    """The signature of an operator on numbers, arrays and records depends on nothing but these types."""
    from numba.core import types
    from numba.core.types.functions import BaseFunction

    search = BaseFunction.get_call_type
    plain = (types.Number, types.Boolean, types.IntegerLiteral, types.BooleanLiteral, types.Array, types.Record)
    operators = {function for name, function in vars(operator).items() if not name.startswith("_") and callable(function)}

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or self.typing_key not in operators or not all(isinstance(kind, plain) for kind in args):
            return search(self, context, args, kws)
        known = self.__dict__.setdefault("_known_call_types", {})
        key = context, tuple(args)
        if key not in known:
            known[key] = search(self, context, args, kws)
        return known[key]

    BaseFunction.get_call_type = get_call_type


def _fetch_flags_at_once() -> None:
    from numba.core.targetconfig import TargetConfig

    defaults: dict[type, dict[str, Any]] = {}

    def values(self: Any) -> dict[str, Any]:
        kind = type(self)
        if kind not in defaults:
            defaults[kind] = {name: option.default for name, option in kind.options.items()}
        return {**defaults[kind], **self._values}

    TargetConfig.values = values


def _hash_types_once() -> None:
    """The type of a tree is made of those of all its arrays, and was hashed anew at every look into a table."""
    from numba.core.types import Type

    known: dict[int, tuple[Any, int]] = {}  # by identity; not in the type, which is pickled, and texts hash otherwise elsewhere

    def hash_once(self: Any) -> int:
        entry = known.get(id(self))
        if entry is None:
            entry = known[id(self)] = self, hash(self.key)  # with the type itself, so that its identity stays its own
        return entry[1]

    Type.__hash__ = hash_once


def _measure_types_once() -> None:
    """Numba has LLVM read a small module whenever it needs the size of a type: for every variable, and each time one is set."""
    from numba.core.base import BaseContext

    measure = BaseContext.get_abi_sizeof
    sizes: dict[tuple[str, str], int] = {}

    def get_abi_sizeof(self: Any, ty: Any) -> int:
        key = str(self.target_data), str(ty)
        if key not in sizes:
            sizes[key] = measure(self, ty)
        return sizes[key]

    BaseContext.get_abi_sizeof = get_abi_sizeof


def _look_for_no_arrays() -> None:
    """An array is its own array: whoever uses one need not look through all registries for what makes one of it."""
    from numba.core import types
    from numba.core.base import BaseContext

    look = BaseContext.get_function

    def get_function(self: Any, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        if fn == "__array__" and type(sig.args[0]) in (types.Array, types.NestedArray):
            raise NotImplementedError
        return look(self, fn, sig, _firstcall)

    BaseContext.get_function = get_function


def _delete_nothing() -> None:
    """Numba overwrites a variable with zeros where it is last used, so that nothing is freed twice. Kernels free nothing."""
    from numba.core.lowering import Lower

    usual = Lower.delvar

    def delvar(self: Any, name: str) -> None:
        if self.context.enable_nrt:
            usual(self, name)
            return
        if name not in self._blk_local_varmap and not self._disable_sroa_like_opt:
            self._singly_assigned_vars.discard(name)
        self._alloca_var(name, self.typeof(name))

    Lower.delvar = delvar


def range_iterators() -> list[Any]:
    """Numba's classes of iterators over ranges, one for each kind of integers; only the functions that use them know them."""
    from numba.core.imputils import builtin_registry
    from numba.cpython import rangeobj

    found = {}
    for implementation, name, _signature in builtin_registry.functions:
        if name == "getiter" and implementation.__module__ == rangeobj.__name__:
            function = getattr(implementation, "__wrapped__", implementation)
            found |= {cell.cell_contents: None for cell in function.__closure__ or () if isinstance(cell.cell_contents, type)}
    return [kind for kind in found if hasattr(kind, "from_range_state")]


def _count_ranges(is_ours: Callable[[Any], bool]) -> None:
    """The length of a range in a few instructions, without branches, and without an error where the step is 0.

    Steps of kernels are constants, and none is 0: that would be a division by 0. There are more than two hundred loops in Hex,
    and with the error every function with a loop was one that may fail.
    """
    from numba.core import cgutils

    for iterator in range_iterators():
        usual = iterator.from_range_state

        def from_range_state(cls: Any, context: Any, builder: Any, state: Any, usual: Any = usual) -> Any:
            if not is_ours(builder):
                return usual(context, builder, state)
            start, stop, step = state.start, state.stop, state.step
            zero, one = start.type(0), start.type(1)
            rises = builder.icmp_signed(">", step, zero)
            way = builder.sub(stop, start)
            way = builder.select(rises, way, builder.neg(way))
            size = builder.select(rises, step, builder.neg(step))
            steps = builder.sdiv(builder.add(way, builder.sub(size, one)), size)
            self = cls(context, builder)
            self.iter = cgutils.alloca_once_value(builder, start)
            self.stop, self.step = stop, step
            self.count = cgutils.alloca_once_value(builder, builder.select(builder.icmp_signed(">", way, zero), steps, zero))
            return self

        iterator.from_range_state = classmethod(from_range_state)


def _pass_on_no_errors() -> None:
    """After a call of a function that cannot fail, no code that passes its error on."""
    from numba.core import cgutils, types
    from numba.core.base import BaseContext
    from numba.core.callconv import RETCODE_OK, CPUCallConv, excinfo_t
    from numba.core.lowering import BaseLower

    may_fail: set[str] = set()  # names of LLVM functions
    finished: set[str] = set()
    return_code, lower, call = CPUCallConv._return_errcode_raw, BaseLower.lower_normal_function, BaseContext.call_internal

    def return_and_note(self: Any, builder: Any, code: Any) -> Any:
        if code is not RETCODE_OK:
            may_fail.add(builder.function.name)
        return return_code(self, builder, code)

    def lower_and_note(self: Any, fndesc: Any) -> None:
        lower(self, fndesc)
        finished.add(fndesc.llvm_func_name)

    def call_internal(self: Any, builder: Any, fndesc: Any, sig: Any, args: Any) -> Any:
        name, convention = fndesc.llvm_func_name, self.call_conv
        is_plain = isinstance(convention, CPUCallConv) and not isinstance(sig.return_type, types.Optional)
        if not is_plain or name not in finished or name in may_fail:
            return call(self, builder, fndesc, sig, args)
        callee = self.declare_function(builder.module, fndesc)
        result = cgutils.alloca_once(builder, convention.get_return_type(sig.return_type).pointee)
        error = cgutils.alloca_once(builder, excinfo_t.as_pointer())
        builder.call(callee, [result, error, *convention._get_arg_packer(sig.args).as_arguments(builder, args)])
        return self.get_returned_value(builder, sig.return_type, builder.load(result))

    CPUCallConv._return_errcode_raw = return_and_note
    BaseLower.lower_normal_function = lower_and_note
    BaseContext.call_internal = call_internal


def _compile_once_for_all_callers() -> None:
    """Whether a caller is inlined, or an entry kernel, is no reason to compile what it calls once more.

    Numba's key has all flags of the caller. Kernels have flags of their own. Numba's own functions take over whether to be
    inlined, so that the first caller decides that now: it may matter to speed, not to results.
    """
    from numba.core.targetconfig import ConfigStack
    from numba.core.typing.templates import _OverloadFunctionTemplate

    def get_impl(self: Any, args: Any, kws: Any) -> Any:
        caller = ConfigStack.top_or_none()
        if caller is not None:
            caller = caller.copy()
            caller.forceinline, caller.no_cpython_wrapper = False, True
        key = self.context, tuple(args), tuple(kws.items()), caller
        return self._impl_cache[key] if key in self._impl_cache else self._build_impl(key, args, kws)

    _OverloadFunctionTemplate._get_impl = get_impl


def _stop_lock_events() -> None:
    """Two events for each call of LLVM, told to a listener of every function that is being compiled."""
    from llvmlite.binding import ffi

    for callbacks in [both for both in ffi.lib._lock._cblist if both[0].__module__ == "numba.core.base"]:
        ffi.unregister_lock_callback(*callbacks)


def _import_once() -> None:
    """Before every function Numba looks for what was registered meanwhile, and imports all of its parts for that."""
    from numba.core.cpu import CPUContext
    from numba.core.typing.context import Context

    for kind in (CPUContext, Context):
        usual = kind.load_additional_registries

        def load_additional_registries(self: Any, usual: Any = usual) -> None:
            install = self.install_registry
            if "_registries_to_look_at" not in vars(self):
                found: list[Any] = []

                def note_and_install(registry: Any) -> None:
                    found.append(registry)
                    install(registry)

                self.install_registry = note_and_install
                try:
                    usual(self)
                finally:
                    del self.install_registry
                self._registries_to_look_at = found
            else:
                for registry in self._registries_to_look_at:
                    install(registry)

        kind.load_additional_registries = load_additional_registries


def _find_no_variables_of_blocks() -> None:
    """Of functions of this package Numba needs to know how long variables live, once, and nothing of them at each block."""
    from numba.core import postproc, transforms

    usual = postproc.PostProcessor.run
    is_ours = functools.cache(is_in_package)

    def run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        function = self.func_ir
        if function.is_generator or not is_ours(function.func_id.filename):
            usual(self, emit_dels, extend_lifetimes)
            return
        function.blocks = transforms.canonicalize_cfg(function.blocks)
        function.variable_lifetime = postproc.VariableLifetime(function.blocks)
        function.generator_info = None
        if emit_dels:
            self._insert_var_dels(extend_lifetimes=extend_lifetimes)

    postproc.PostProcessor.run = run
