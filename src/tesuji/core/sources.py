"""Source files: of this package or of the user, what they import, and digests of them, which tell code and games apart."""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
INSTALLED = {"site-packages", "dist-packages"}  # folders of installed packages; the second is Debian's
COARSE = 0.02  # seconds by which the date of a file may be behind the clock
PLAYING_FOLDERS = ("core", "games", "search", "knowledge", "players")
root_file: str | None = None  # while a user's file is being loaded: that file; what it imports belongs to it

_started = time.time()
_read_at: dict[Path, float] = {}  # files that were read later than this module
_imports: dict[bytes, list[str]] = {}  # by digest of a file's content: the modules that it names


@functools.cache
def playing_digest() -> str:
    """Digest of everything that determines how built-in players play: rules, kernels, policies, presets and learned weights."""
    return folders_digest(PLAYING_FOLDERS)


def folders_digest(folders: Iterable[str]) -> str:
    """Digest of the sources and learned weights in these folders of the package."""
    paths = [p for folder in folders for form in ("*.py", "*.json") for p in (PACKAGE / folder).rglob(form)]
    return _digest(sorted(paths), PACKAGE)


def is_in_package(path: str | Path) -> bool:
    return PACKAGE in Path(path).resolve().parents


def is_installed(path: str | Path) -> bool:
    """Whether a file is of this package, of another one, or of Python itself: not one of the user's own."""
    path = Path(path)
    return bool(INSTALLED & {*path.parts}) or bool({PACKAGE, Path(os.__file__).parent} & {*path.parents})


def is_of_package(kind: type) -> bool:
    """Whether a class is defined in this package."""
    return kind.__module__.split(".")[0] == PACKAGE.name


def described(kind: type) -> str:
    """A class for a message: its name, and file and line if it is a user's."""
    if is_of_package(kind):
        return kind.__name__
    try:
        line = inspect.getsourcelines(kind)[1]
        return f"{kind.__name__} ({shown_path(inspect.getfile(kind))}:{line})"
    except (OSError, TypeError):  # made where there is no file, as in an interactive session
        return kind.__name__


def shown_path(path: str | Path) -> str:
    """A path for a message: relative to the working folder or the package's parent if it lies there, otherwise absolute."""
    for base in (Path.cwd(), PACKAGE.parent):
        if base in Path(path).parents:
            return str(Path(path).relative_to(base))
    return str(path)


def source_digest(path: str) -> str:
    """Digest of a file outside the package with the files that it imports from its own folder; '' inside the package."""
    if is_in_package(path) or not Path(path).is_file():
        return ""
    start = Path(path).resolve()
    return _digest(sorted(own_closure(path)), start.parent)


def own_closure(path: str) -> frozenset[Path]:
    """A file with those that it imports from its own folder, as they are now."""
    return frozenset(_closure_now(Path(path).resolve(), own_folder=True))


def _digest(paths: list[Path], base: Path) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(os.path.relpath(path, base).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


# -- what a file imports -------------------------------------------------------------------------------------------------
@functools.cache
def closure(start: Path) -> frozenset[Path]:
    """The file with all that it imports, and what that imports: of this package, and for a file outside it from anywhere but
    installed packages.
    """
    return frozenset(_closure_now(start))


def _closure_now(start: Path, own_folder: bool = False) -> set[Path]:
    """The same, read anew; with `own_folder` only the files in the start file's folder, whatever modules are loaded."""
    files: set[Path] = set()
    waiting = [start]
    while waiting:
        path = waiting.pop()
        if path not in files:
            files.add(path)
            inside = PACKAGE in path.parents or is_in_package(path)
            for name in _imported(path):
                if name.split(".")[0] == PACKAGE.name:
                    waiting += _package_files(name) if not own_folder else []
                elif name.startswith("."):
                    waiting += _relative_files(name, path)
                elif not inside:
                    local = start.parent / name.split(".")[0]
                    neighbours = [*_module_files(local), *local.rglob("*.py")]
                    # The own folder comes first on the path: a module of that name which is loaded from elsewhere is another's.
                    waiting += neighbours or ([] if own_folder else _loaded_files(name, path))
    return files


def _relative_files(name: str, importer: Path) -> list[Path]:
    """The files of a module that is named relative to the one that imports it: '.', '.helper', '..rules.moves'."""
    words = name.lstrip(".").split(".")
    base = importer
    while name.startswith("."):
        name, base = name[1:], base.parent
    return [file for end in range(len(words) + 1) for file in _module_files(base.joinpath(*words[:end]))]


def _loaded_files(name: str, importer: Path) -> list[Path]:
    """The files of a module that this process has loaded (from PYTHONPATH, say), and of the packages that it is in.

    Those of installed packages do not count, unless the importer is of the same package.
    """
    words = name.split(".")
    modules = [sys.modules.get(".".join(words[: end + 1])) for end in range(len(words))]
    files = [Path(file) for file in (getattr(module, "__file__", None) for module in modules) if file]
    within = is_installed(importer) and words[0] in importer.parts
    return [file.resolve() for file in files if file.is_file() and (within or not is_installed(file))]


@functools.cache
def _package_files(name: str) -> list[Path]:
    """The files of a module of this package, if it is one. Remembered: a new module is imported by a file that has changed."""
    return _module_files(PACKAGE.parent / name.replace(".", "/"))


def _module_files(base: Path) -> list[Path]:
    return [file for file in (Path(f"{base}.py"), base / "__init__.py") if file.is_file()]


def _imported(path: Path) -> list[str]:
    """The modules that a file may import; of `from a import b` both a and a.b, since b may be a module; of `from . import b`
    both . and .b.

    Each content is parsed once a process: every kernel asks about most of the same files, which took a tenth of a second start.
    """
    content = path.read_bytes()
    key = hashlib.sha256(content).digest()
    if key not in _imports:
        _imports[key] = _imports_in(content)
    return _imports[key]


def _imports_in(content: bytes) -> list[str]:
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return []
    names = []
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            names += [module, *(f"{module}{'.' if node.module else ''}{alias.name}" for alias in node.names)]
    return names


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements below a node. Much quicker than to look at every expression too."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, field, ()) if not isinstance(node, ast.expr) else ():
            yield child
            yield from _statements(child)


# -- what compiled code was made from ------------------------------------------------------------------------------------
def mark_read(path: Path) -> None:
    """Notes that a file, with what it imports, is about to be read; only the first time counts."""
    for file in _closure_now(path, own_folder=True):
        _read_at.setdefault(file, time.time())


def stamp_of(files: Iterable[Path]) -> str | None:
    """One digest of the files' contents, the same wherever they lie; None if one may have changed since this process read it.

    Then what runs is not what the file says, and code compiled from it must not pass for the file's.
    """
    parts = []
    for file in files:
        label = str(file.relative_to(PACKAGE)) if is_in_package(file) else file.name
        try:
            parts.append(f"{label} {_file_digest(file)}")
            if _changed_at(file) > _read_at.get(file, _started) - COARSE:
                return None
        except OSError:  # it has gone since
            return None
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()


def dated_ahead(files: Iterable[Path]) -> Path | None:
    """A file of which nobody can say whether it has changed, as all of its dates lie in the future."""
    return next((file for file in files if file.is_file() and _changed_at(file) > time.time()), None)


def _changed_at(file: Path) -> float:
    """When a file was last changed.

    Its own date (mtime) may have been set to anything. One in the future says nothing, so the time at which the system last
    wrote the file's contents or date (ctime) takes its place; Windows does not have that.
    """
    status = file.stat()
    return status.st_ctime if status.st_mtime > time.time() and os.name == "posix" else status.st_mtime


@functools.cache
def _file_digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
