"""When two games are the same: one digest of all that their positions and proofs depend on.

It covers the initial record, the numbers that the game states (outcomes, sizes), and its rules: the functions, and whatever
they read besides their arguments, such as tables of their module. A name proves nothing: a program can make many games with
one name and one type of record.

Functions of this package, or of the file of a user's game, count by their source, so that a digest is the same in another
process and under another version of Python. Functions of any other program count by their bytecode: a change elsewhere in
that program does not matter.
"""

from __future__ import annotations

import dis
import hashlib
import importlib.util
import os
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.core import dispatch, rules, sources
from tesuji.core.errors import UserError
from tesuji.core.game import Game

NUMBERS = ("outcomes", "move_count", "max_plies", "max_moves", "players", "draw_value")
RULES = [one for one in vars(rules).values() if isinstance(one, dispatch.Operation) and one not in rules.BESIDE_RULES]
PLAIN = (bool, int, str, bytes, type(None), type(Ellipsis), range)
NAMED = (types.BuiltinFunctionType, np.ufunc)  # identified by their names: they are the same everywhere
OF_PYTHON = ("_abc_impl",)  # attributes that Python adds to classes, besides names in double underscores
MOST_DEPTH = 100  # of nested values


def game_digest(game: Game) -> str:
    """Equal for games that are the same, in any process; a UserError if the rules read something that cannot be compared."""
    walk = _Walk(sources.own_closure(game.source) if game.source else frozenset())
    kind = game.initial.dtype
    try:
        walk.value([getattr(game, name) for name in NUMBERS])
        walk.value(game.initial)
        if game.source:
            walk.note(kind.names)  # with the tag, which stands for the source that was loaded: the file may have changed since
        for operation in RULES:
            if operation.is_implemented(kind):
                walk.note(operation.__name__)
                walk.value(operation.find(kind))
    except _Opaque as error:
        raise UserError(f"{game.name} cannot be compared with other games: its rules read {error}") from None
    return walk.digest(sources.source_digest(game.source) if game.source else "")


def functions_digest(functions: Iterable[Callable[..., Any]]) -> str:
    """A digest of the sources of functions of this package, wherever they lie; '' if there are none."""
    files: set[Path] = set()
    for function in functions:
        place = dispatch.file_of(function)
        files |= sources.closure(place) if place is not None else set()
    return _contents(files) if files else ""


def _contents(files: Iterable[Path]) -> str:
    return hashlib.sha256(b"".join(sorted(f.name.encode() + b"\0" + f.read_bytes() + b"\0" for f in files))).hexdigest()


class _Opaque(Exception):
    """A value whose contents cannot be hashed."""


class _Walk:
    """Goes through values and what they refer to, and hashes all of it."""

    def __init__(self, own_files: frozenset[Path] = frozenset()):
        self._hash = hashlib.sha256()
        self._own_files = own_files
        self._files: set[Path] = set()  # of this package
        self._seen: dict[int, Any] = {}  # functions, classes and modules: each is walked once
        self._depth = 0

    def digest(self, source: str = "") -> str:
        self.note(_contents(self._files), source)
        return self._hash.hexdigest()

    def note(self, *words: object) -> None:
        for word in words:
            data = word if isinstance(word, bytes) else str(word).encode("utf-8", "surrogatepass")
            self._hash.update(b"%d:" % len(data) + data)

    def value(self, value: Any) -> None:
        self._depth += 1
        if self._depth > MOST_DEPTH:  # or one that holds itself
            raise _Opaque(f"{type(value).__name__} values in one another without end")
        self._put(value)
        self._depth -= 1

    def _put(self, value: Any) -> None:
        kind = type(value)
        if kind in PLAIN:
            self.note(kind.__name__, repr(value))
        elif kind in (float, complex):
            self.note(kind.__name__, np.asarray(value).tobytes())
        elif isinstance(value, (np.ndarray, np.generic)):
            self._array(np.asarray(value))
        elif isinstance(value, np.dtype):
            self._dtype(value)
        elif kind in (list, tuple):
            self.note(kind.__name__, len(value))
            for one in value:
                self.value(one)
        elif isinstance(value, Mapping) and kind in (dict, types.MappingProxyType):
            self.value([*value.items()])
        elif kind in (set, frozenset):
            self.value(sorted(_digest_of(one) for one in value))
        elif isinstance(value, dispatch.Operation):
            self._operation(value)
        elif isinstance(value, NAMED):
            self.note("named", getattr(value, "__module__", ""), value.__name__)
        elif isinstance(value, (types.FunctionType, type, types.ModuleType)):
            self._once(value)
        elif isinstance(value, (staticmethod, classmethod, types.MethodType)):
            self.value(value.__func__)
        elif isinstance(value, property):
            self.value([value.fget, value.fset])
        elif isinstance(wrapped := getattr(value, "py_func", None) or getattr(value, "__wrapped__", None), types.FunctionType):
            self.value(wrapped)  # decorated, by a compiler or a cache
        else:
            self._object(value)

    def _array(self, array: np.ndarray) -> None:
        self.value(array.dtype)
        self.note(array.shape)
        if array.dtype.names:  # field by field: what lies between them means nothing
            for name in array.dtype.names:
                if not name.startswith(dispatch.TAG):
                    self._array(np.asarray(array[name]))
        elif array.dtype.hasobject:
            self.value(array.tolist())
        else:
            self.note(array.tobytes())

    def _dtype(self, kind: np.dtype) -> None:
        """Without the tag that `state_type` adds: that changes with every line of its file."""
        if kind.subdtype:
            self.note(kind.subdtype[1])
            self._dtype(kind.subdtype[0])
        elif kind.names:
            for name in kind.names:
                if not name.startswith(dispatch.TAG):
                    self.note(name)
                    self._dtype(kind[name])
        else:
            self.note(kind.str)

    def _operation(self, operation: dispatch.Operation) -> None:
        """The implementations of a user's own operation count; those of the rules are walked anyway."""
        self.note("operation", operation.__name__)
        if operation not in RULES and id(operation) not in self._seen:
            self._seen[id(operation)] = operation
            outside = [f for f in operation.implementations.values() if not sources.is_in_package(f.__code__.co_filename)]
            self.value(sorted(outside, key=lambda function: function.__qualname__))

    def _once(self, value: Any) -> None:
        self.note(type(value).__name__, getattr(value, "__qualname__", value.__name__))
        if id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, type) and not _is_installed(value.__module__):
            self._class(value)

    def _class(self, kind: type) -> None:
        for base in kind.__bases__:
            self.value(base)
        for name, member in sorted(vars(kind).items()):
            is_data = not isinstance(member, (types.FunctionType, staticmethod, classmethod, property))
            if not (is_data and (name in OF_PYTHON or (name.startswith("__") and name.endswith("__")))):
                self.note(name)
                self.value(member)

    def _function(self, function: types.FunctionType) -> None:
        path = function.__code__.co_filename
        self.value([function.__defaults__, function.__kwdefaults__])
        self.value([_contents_of(cell) for cell in function.__closure__ or ()])
        if sources.is_in_package(path):
            place = dispatch.file_of(function)
            self._files |= sources.closure(place) if place is not None else set()
            return
        if sources.is_installed(path):
            return
        if Path(path).resolve() not in self._own_files:
            self._code(function.__code__)
        for value in _read_by(function):
            self.value(value)

    def _code(self, code: types.CodeType) -> None:
        self.note(code.co_code, code.co_exceptiontable if hasattr(code, "co_exceptiontable") else b"")
        self.note(code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._code(constant)
            else:
                self.value(constant)

    def _object(self, value: Any) -> None:
        """Any other value is what it would be pickled as."""
        try:
            parts = value.__reduce_ex__(2)
        except Exception:  # a user's class may raise anything
            raise _Opaque(f"a value of {type(value).__qualname__}") from None
        self.note("object", type(value).__qualname__)
        self.value(
            [*parts[:3], *([*part] if part is not None else None for part in parts[3:])] if type(parts) is tuple else parts
        )


def _contents_of(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return None


def _digest_of(value: Any) -> str:
    walk = _Walk()
    walk.value(value)
    return walk.digest()


def _read_by(function: types.FunctionType) -> Iterator[Any]:
    """The values outside it that a function reads, sorted by name; of a user's module only the attributes that it reads."""
    place = {**function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        place[name] = _contents_of(cell)
    names, attributes = set(), set()
    waiting = [function.__code__]
    while waiting:
        code = waiting.pop()
        waiting += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
        steps = [one for one in dis.get_instructions(code) if one.opname != "EXTENDED_ARG"]
        for number, one in enumerate(steps):
            if one.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"):
                names.add(one.argval)
            elif one.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
                attributes.add(one.argval)
            elif one.opname == "IMPORT_NAME":  # before it come how many folders up the module is, and which names are wanted
                full = "." * steps[number - 2].argval + one.argval
                names.add(full)
                place[full] = _imported(full, function.__globals__.get("__package__"))
    yield from _values_of(names, place, attributes, set())


def _values_of(names: set[str], place: Mapping[str, Any], attributes: set[str], seen: set[str]) -> Iterator[Any]:
    """The values of these names, and where one is a user's module, those of its `attributes` as well."""
    for name in sorted(names & place.keys()):
        value = place[name]
        yield name
        yield value
        if isinstance(value, types.ModuleType) and not _is_installed(value.__name__) and value.__name__ not in seen:
            seen.add(value.__name__)
            yield from _values_of(attributes, vars(value), attributes, seen)


def _imported(name: str, package: str | None) -> Any:
    """The module that a function imports when it is called; one that was not imported yet can only be an installed one."""
    full = importlib.util.resolve_name(name, package) if package or not name.startswith(".") else name
    if full not in sys.modules and not _is_installed(full):
        raise _Opaque(f"the module {full}, which has not been imported yet")
    return sys.modules.get(full)


def _is_installed(module: str) -> bool:
    """Whether a module is of this package, of another one, or of Python itself."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return module in sys.builtin_module_names or (module.split(".")[0] in sys.stdlib_module_names and module != "__main__")
    return sources.is_installed(os.path.abspath(file))
