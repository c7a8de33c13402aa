"""A user's own Python file: what 'path/to/file.py:name' names in it, a game or a player.

The file is run as a module whose name depends on its contents alone and which stays in sys.modules: compiled code that
comes from the disk cache finds its functions by that name, and for equal contents the cache is shared.
"""

from __future__ import annotations

import contextlib
import linecache
import os
import re
import sys
import traceback
import types
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

from tesuji.core import sources
from tesuji.core.errors import UserError
from tesuji.core.files import MIB, FileKind, read_file
from tesuji.core.sources import is_installed, shown_path
from tesuji.core.watchdog import TimeUp, Watchdog

IMPORT_SECONDS = 20.0
PROGRAM = FileKind("a Python file", (), 16 * MIB)
T = TypeVar("T")


class UserFile(NamedTuple):
    path: Path
    digest: str  # of its source and of what it imports from its folder
    module: types.ModuleType


_loaded: dict[Path, UserFile] = {}
_folder_modules: set[str] = set()  # names of the modules that the last file imported from its own folder


def is_path(text: str) -> bool:
    """Whether a string names something in a file, not something of the package."""
    first = text.partition(":")[0]
    return first.endswith(".py") or "/" in first


def split_path(text: str) -> tuple[str, str, str]:
    """('path/to/file.py', 'name', 'rest') of 'path/to/file.py:name:rest'; the last two may be ''."""
    match = re.fullmatch(r"(.*?\.py)(?::([^:]*)(?::(.*))?)?", text, re.DOTALL)
    if match:
        return match.group(1), match.group(2) or "", match.group(3) or ""
    path, _, name = text.rpartition(":")
    return (path, name, "") if path else (text, "", "")


def pick(file: UserFile, path_text: str, name: str, kind: type[T]) -> T:
    """The game or player of that name; a UserError lists those that are in the file."""
    word = kind.__name__.lower()
    there = [key for key, value in vars(file.module).items() if isinstance(value, kind)]
    listed = f"{word}s in it: {', '.join(f'{path_text}:{key}' for key in there)}"
    contents = listed if there else f"there is no tesuji.{kind.__name__} in it"
    if not name:
        raise UserError(f"{path_text}: say which {word} of the file; {contents}")
    if name not in vars(file.module):
        raise UserError(f"{path_text} has no {name!r}; {contents}")
    value = vars(file.module)[name]
    if not isinstance(value, kind):
        raise UserError(f"{path_text}: {name!r} is of type {type(value).__name__}, not a tesuji.{kind.__name__}; {contents}")
    return value


def load_file(text: str, form: str) -> UserFile:
    """Runs the file, unless it was run before and neither it nor what it imports from its folder has changed since.

    `form` says what the text should look like, for the message if there is no such file.
    """
    path = _existing_file(text, form)
    try:
        source = read_file(path, PROGRAM)
        sources.mark_read(path)
        digest = sources.source_digest(str(path))
    except OSError as error:
        raise UserError(f"{shown_path(str(path))} cannot be read: {error.strerror or error}") from None
    if path not in _loaded or _loaded[path].digest != digest:
        _loaded[path] = UserFile(path, digest, _run(path, source, digest))
    return _loaded[path]


def _existing_file(text: str, form: str) -> Path:
    try:
        path = Path(text).expanduser().resolve()
        if path.suffix != ".py":
            raise UserError(f"{text!r} is not a Python file; {form}")
        if not path.exists():
            raise UserError(f"there is no file {text}; {form}")
        if not path.is_file():
            raise UserError(f"{text} is not a file; {form}")
    except (OSError, ValueError, RuntimeError) as error:  # a zero byte, links in a circle
        raise UserError(f"{text!r} cannot be opened: {error_text(error)}; {form}") from None
    return path


def _run(path: Path, source: bytes, digest: str) -> types.ModuleType:
    shown = shown_path(str(path))
    try:
        code = compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        raise UserError(f"{shown}:{error.lineno or 1}: not Python: {error.msg}") from None
    except ValueError as error:
        raise UserError(f"{shown} is not Python: {error}") from None
    name = f"tesuji_user_{digest[:16]}"
    module = types.ModuleType(name)
    module.__file__ = str(path)
    linecache.checkcache(str(path))
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        with _importing_from(path), Watchdog() as watchdog:
            watchdog.call(IMPORT_SECONDS, exec, code, module.__dict__)
    except BaseException as error:
        del sys.modules[name]
        if before is not None:
            sys.modules[name] = before
        if isinstance(error, KeyboardInterrupt):
            raise
        place = raised_at(error, str(path)) or shown
        if isinstance(error, TimeUp):
            raise UserError(f"{place}: the file does not end (stopped after {IMPORT_SECONDS:g} seconds)") from None
        what = str(error) if isinstance(error, UserError) else f"the file raises {error_text(error)}"
        raise UserError(f"{place}: {what}") from None
    return module


@contextlib.contextmanager
def _importing_from(path: Path) -> Iterator[None]:
    """Puts the file's folder first on sys.path, sends what the file prints to stderr, and writes no bytecode into the folder.

    Modules that an earlier file imported from its own folder are unloaded first: another folder's may have the same names.
    """
    for name in _folder_modules:
        sys.modules.pop(name, None)
    _folder_modules.clear()
    folder = str(path.parent)
    modules_before = set(sys.modules)
    write_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, folder)
    sources.root_file = str(path)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sources.root_file = None
        with contextlib.suppress(ValueError):
            sys.path.remove(folder)
        sys.dont_write_bytecode = write_bytecode
        for name in set(sys.modules) - modules_before:
            file = getattr(sys.modules[name], "__file__", None)
            if file and path.parent in Path(file).parents and not sources.is_installed(Path(file)):
                _folder_modules.add(name)


# -- errors in it, and where they were raised -----------------------------------------------------------------------------
def error_text(error: BaseException) -> str:
    """The kind of an exception and the first line of its text."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def raised_at(error: BaseException, source: str = "") -> str:
    """file:line of the innermost frame in the user's own files, or failing that of the innermost of all."""
    frames = traceback.extract_tb(error.__traceback__)
    folder = str(Path(source).parent) + os.sep if source else ""
    own = [f for f in frames if folder and f.filename.startswith(folder) and not is_installed(f.filename)]
    chosen = (own or list(frames))[-1:]
    return f"{shown_path(chosen[0].filename)}:{chosen[0].lineno}" if chosen else ""
