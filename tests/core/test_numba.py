"""What tesuji does to Numba: nothing that a host program could notice, and nothing that a search depends on."""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tesuji.core.dispatch import kernel
from tesuji.core.limits import Limits
from tesuji.core.numba import cache, registration, versions
from tesuji.core.numba.registration import compiled, is_pure, pipelines
from tesuji.games.registry import find_game
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.kernel.threads import Sharing

pytestmark = [
    pytest.mark.skipif(is_pure(), reason="there is no compiler in pure Python"),
    pytest.mark.once_for_its_sources,  # passed_before.py
]


def run(folder: Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "TESUJI_CACHE_DIR": str(folder / "cache"), **environment}
    (folder / "script.py").write_text(code)
    done = subprocess.run([sys.executable, folder / "script.py"], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return done


# -- the host program ----------------------------------------------------------------------------------------------------
HOST = '''
import gc, json, threading
from typing import NamedTuple
import numpy as np
import numba
from llvmlite.binding import ffi
from numba.core import config, event, postproc
from numba.core.base import BaseContext
from numba.core.callconv import CPUCallConv
from numba.core.cpu import CPUContext
from numba.core.lowering import BaseLower, Lower
from numba.core.targetconfig import TargetConfig
from numba.core.types import Type
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import Context
from numba.core.typing.templates import _OverloadFunctionTemplate
from numba.np import arrayobj

RECORD = np.dtype([("a", np.int64), ("b", np.float64, (4,))], align=True)

class Pair(NamedTuple):
    x: int
    y: float

def sum_of_last(values, count):
    total = 0.0
    for i in range(-count, 0):
        total += values[i]
    return total

def use_records(records, pair):
    records[-1] = records[0]
    records[-1].a += pair.x
    return records[-1].a + pair.y

def sum_twice(values, other):
    for i in range(len(values)):
        values[i] += other[i]
    return np.sum(values) + max(values[-1], other[-1]) ** 2

LIKE_KERNELS = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}
ARGUMENTS = {
    sum_of_last: lambda: (np.arange(5.0), 3),
    use_records: lambda: (np.array([(7, (0, 0, 0, 0)), (0, (0, 0, 0, 0))], RECORD), Pair(2, 0.5)),
    sum_twice: lambda: (np.arange(4.0), np.arange(4.0)),
}

def host_code():
    """Results and code of functions that are compiled now, by the options that a host program may choose."""
    results, codes = [], []
    for function, arguments in ARGUMENTS.items():
        for options in ({}, {**LIKE_KERNELS, "forceinline": True}):
            compiled = numba.njit(**options)(function)
            results.append(float(compiled(*arguments())))
            # Numba numbers the functions that it compiles, and names them by these numbers.
            codes += [len(text) for of in (compiled.inspect_llvm(), compiled.inspect_asm()) for text in of.values()]
            codes += [instructions(text) for text in compiled.inspect_asm().values()]
    return results, codes

def instructions(assembly):
    return [line.split()[0] for line in assembly.splitlines() if line.startswith("\\t") and not line.startswith("\\t.")]

def attributes():
    classes = (BaseContext, CPUContext, CPUCallConv, BaseLower, Lower, TargetConfig, Type, BaseFunction, Context,
               _OverloadFunctionTemplate, postproc.PostProcessor)
    return [
        *[dict(vars(of)) for of in classes],
        {name: value for name, value in vars(arrayobj).items() if callable(value)},
        {name: value for name, value in vars(config).items() if name.isupper()},
        list(ffi.lib._lock._cblist),
        {kind: list(listeners) for kind, listeners in event._registered.items() if listeners},
        gc.get_threshold(), gc.isenabled(), threading.stack_size(),
    ]

host_code()  # which loads what Numba loads at the first use
results, codes = host_code()
before = attributes()

from tesuji.core.dispatch import kernel
from tesuji.core.numba import pipeline, registration
pipeline.is_in_package = lambda path: True  # this file passes for one of the package

@kernel
def first_of(records):
    return records[0].a

def entry(records, values):
    records[1] = records[0]
    total = 0
    for i in range(len(values)):
        total += values[i]
    return total + first_of(records)

arguments = np.zeros(2, RECORD), np.arange(100)
assert registration.compiled(entry)(*arguments) == 4950
assert registration.compilations == 2
again = host_code()
assert registration.compilations == 2  # what the host program compiles is not counted
print(json.dumps({
    "results": results, "expected": [float(f(*make())) if f is not use_records else 9.5 for f, make in ARGUMENTS.items()],
    "same_results": results == again[0], "same_code": codes == again[1], "same_attributes": attributes() == before,
}))
'''


def test_functions_of_the_host_program_are_compiled_as_ever(tmp_path):
    """The same machine code before and after a kernel was compiled, and no attribute of Numba is another."""
    found = json.loads(run(tmp_path, HOST).stdout)
    expected = found.pop("expected")
    assert found.pop("results") == [value for value in expected for _ in range(2)]
    assert found == {"same_results": True, "same_code": True, "same_attributes": True}


def test_tuples_of_the_host_program_keep_the_models_that_it_registered(monkeypatch):
    from numba import typeof
    from numba.core import types
    from numba.core.datamodel.manager import DataModelManager

    from tesuji.core.numba import context

    class Pair(NamedTuple):
        x: int
        y: float

    usual = dict(context.default_manager._handlers)
    managers = [DataModelManager({**usual, types.NamedTuple: lambda models, kind: "the host's"}) for _ in range(2)]
    for name, manager in zip(("default_manager", "_flat_models"), managers, strict=True):
        monkeypatch.setattr(context, name, manager)
    context.register_tuples()
    for manager in managers:
        assert manager[typeof(Pair(1, 0.5))] == "the host's"
    whole, flat = (manager[typeof(Sharing(False, 1))] for manager in managers)
    assert (type(whole).__name__, type(flat).__name__) == ("_WholeTuple", "TupleModel")


# -- other versions of Numba ---------------------------------------------------------------------------------------------
PLAIN = """
from tesuji.core.numba import registration, versions
versions.TESTED_NUMBA = ()
assert registration.pipelines() is None
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
search = TreeSearch(find_game("tictactoe"), settings=SEARCH.settings({"memory": 1.0}), seed=1)
search.run(Limits(playouts=300))
print(search.tree_hash(), registration.compilations > 0)
"""


def test_plain_numba_builds_the_same_tree_and_says_why_that_is_slow(tmp_path):
    """Nothing of Numba is patched, and the cache is off: as with an untested version."""
    search = TreeSearch(find_game("tictactoe"), settings=SEARCH.settings({"memory": 1.0}), seed=1)
    search.run(Limits(playouts=300))
    done = run(tmp_path, PLAIN)
    assert done.stdout.split() == [search.tree_hash(), "True"]
    assert done.stderr.count("\n") == 1 and done.stderr.startswith("tesuji: compiling takes two to three times as long")
    assert "at every start" in done.stderr and not list((tmp_path / "cache").rglob("*.code"))


def test_which_versions_were_tested(monkeypatch):
    assert pipelines() is not None and versions.why_slow() == ""
    for version, is_tested in (("0.68.9", True), ("0.69.0", False), ("0.70.0rc1", False), ("0.6", False)):
        monkeypatch.setattr(versions.metadata, "version", lambda package, version=version: version)
        assert (versions.why_slow() == "") is is_tested, version


def test_private_parts_of_numba_are_as_expected():
    """With a new version of Numba: see whether pipeline.py, context.py and patches.py still work, then add it to the tested."""
    from numba.core.compiler import DefaultPassBuilder
    from numba.core.compiler_machinery import PassManager
    from numba.core.cpu import CPUContext

    from tesuji.core.numba.context import KernelContext
    from tesuji.core.numba.patches import PATCHES
    from tesuji.core.numba.pipeline import UNNEEDED_PASSES, KernelLibrary

    source = inspect.getsource(DefaultPassBuilder)
    assert all(f"add_pass({name}," in source for name in UNNEEDED_PASSES)
    assert all(name in vars(owner) for owner, name, _patch in PATCHES)
    # What is overridden would do nothing under another name.
    assert "_runPass" in vars(PassManager)
    for kind, base in ((KernelContext, CPUContext), (KernelLibrary, KernelLibrary.__mro__[1])):
        names = [name for name, value in vars(kind).items() if inspect.isfunction(value)]
        assert len(names) > 1 and all(hasattr(base, name) for name in names)


# -- the cache -----------------------------------------------------------------------------------------------------------
@kernel
def one_more(x):
    return x + 1


def two_more(x):
    return one_more(one_more(x))


@pytest.fixture
def fresh(monkeypatch, tmp_path, capfd):
    """A cache folder, entries and a warning of the test's own."""
    monkeypatch.setenv("TESUJI_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(registration, "_entries", {})
    monkeypatch.setattr(cache, "_warned", False)
    return capfd


def test_without_the_private_parts_that_the_cache_needs_only_the_cache_is_lost(fresh, monkeypatch):
    monkeypatch.setitem(sys.modules, "tesuji.core.numba.kernel_files", None)
    assert compiled(two_more)(3) == 5
    assert "tesuji: compiled code is not kept, so every start compiles: " in fresh.readouterr().err


@pytest.mark.parametrize("name", ["_path", "_Pickler"])
def test_a_kernel_that_cannot_be_saved_or_looked_for_is_compiled_all_the_same(name, fresh, monkeypatch):
    from tesuji.core.numba import kernel_files

    def fail(*_arguments, **_options):
        raise AttributeError("of another Numba")

    monkeypatch.setattr(kernel_files if name == "_Pickler" else kernel_files.KernelFiles, name, fail)
    assert compiled(two_more)(np.int32(3)) == 5
    message = fresh.readouterr().err
    assert "AttributeError: of another Numba" in message and message.count("\n") == 1
