"""Kernels in pure Python that accept no index below 0, as compiled code of this package does not (core/numba/pipeline.py).

NumPy refuses an index beyond the end but counts a negative one from there, so that pure Python would not notice one; compiled,
it is memory of something else. NUMBA_BOUNDSCHECK=1 notices, but has to compile all searches once more for that.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType

from tesuji.core import dispatch
from tesuji.core.sources import is_in_package

TEST = "_index if (_index := VALUE) >= 0 else _index.is_below_0"  # of which there is no such attribute


class Checking(ast.NodeTransformer):
    """Writes a test into every index that is no constant."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        self.generic_visit(node)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        checked = [part if isinstance(part, ast.Constant | ast.Slice | ast.Starred) else self.check(part) for part in parts]
        node.slice = ast.Tuple(checked, ast.Load()) if isinstance(node.slice, ast.Tuple) else checked[0]
        return node

    def check(self, index: ast.expr) -> ast.expr:
        class Fill(ast.NodeTransformer):
            def visit_Name(self, node: ast.Name) -> ast.expr:
                return index if node.id == "VALUE" else node

        return ast.copy_location(Fill().visit(ast.parse(TEST, mode="eval").body), index)


@functools.cache
def checking_code(file: str) -> dict[tuple[str, int], CodeType]:
    """The code of all functions of a file with tests in them, by name and line."""
    module = next((one for one in list(sys.modules.values()) if getattr(one, "__file__", None) == file), None)
    found, waiting = {}, []
    for text in (Path(file).read_text(), *getattr(module, "GENERATED", ())):  # functions that the module makes from a text
        tree = ast.parse(text)
        for function in tree.body:
            if isinstance(function, ast.FunctionDef) and not has_hints(function):
                function.body = [Checking().visit(statement) for statement in function.body]
        waiting.append(compile(ast.fix_missing_locations(tree), file, "exec", dont_inherit=True))
    for code in waiting:
        found[code.co_name, code.co_firstlineno] = code
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return found


def has_hints(function: ast.FunctionDef) -> bool:
    """Kernels have none."""
    return function.returns is not None or any(argument.annotation for argument in function.args.args)


def kernels() -> list[FunctionType]:
    """What is compiled: registered functions, and entry kernels, which like all kernels have no type hints."""
    registered = [*dispatch.KERNELS, *(one.default for one in dispatch.OPERATIONS)]
    registered += [function for one in dispatch.OPERATIONS for function in one.implementations.values()]
    modules = [module for name, module in sys.modules.items() if name.startswith("tesuji.") and module is not None]
    plain = [item for module in modules for item in vars(module).values() if isinstance(item, FunctionType)]
    found = [*registered, *(function for function in plain if not function.__annotations__)]
    return [one for one in dict.fromkeys(found) if isinstance(one, FunctionType) and is_in_package(one.__code__.co_filename)]


@contextlib.contextmanager
def indices_checked() -> Iterator[int]:
    """While it lasts, those kernels of the package that are loaded raise at an index below 0. Tells how many there are."""
    before = {}
    try:
        for function in kernels():
            code = function.__code__
            checking = checking_code(code.co_filename).get((code.co_name, code.co_firstlineno))
            if checking is not None and checking.co_freevars == code.co_freevars:
                before[function] = code
                function.__code__ = checking
        yield len(before)
    finally:
        for function, code in before.items():
            function.__code__ = code
