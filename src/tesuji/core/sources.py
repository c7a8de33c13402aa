"""Which source files stand behind compiled code, and one digest of them: what keeps the compile cache from being stale."""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
KERNEL_FOLDERS = ("core", "games", "search", "knowledge")
PLAYING_FOLDERS = (*KERNEL_FOLDERS, "players")
root_file: str | None = None  # while a user's file is being loaded: that file, which whatever it imports belongs to


@functools.cache
def package_digest() -> str:
    """Digest of every module that holds rules, kernels or policies. Editing the command line does not change it."""
    paths = sorted(p for folder in KERNEL_FOLDERS for p in (PACKAGE / folder).rglob("*.py"))
    return _digest(paths, PACKAGE)


@functools.cache
def playing_digest() -> str:
    """Digest of all that says how our players play: the same modules, the presets, and the learned weights."""
    paths = [p for folder in PLAYING_FOLDERS for form in ("*.py", "*.json") for p in (PACKAGE / folder).rglob(form)]
    return _digest(sorted(paths), PACKAGE)


def is_in_package(path: str | Path) -> bool:
    return PACKAGE in Path(path).resolve().parents


def is_installed(path: str | Path) -> bool:
    """Whether a file is of this package, of another one, or of Python itself: not one of the user's own."""
    return "site-packages" in str(path) or bool({PACKAGE, Path(os.__file__).parent} & set(Path(path).parents))


def is_of_package(kind: type) -> bool:
    """Whether a class is defined in this package."""
    return kind.__module__.split(".")[0] == PACKAGE.name


def described(kind: type) -> str:
    """A class for a message: its name, with file and line if it is someone's own."""
    if is_of_package(kind):
        return kind.__name__
    try:
        line = inspect.getsourcelines(kind)[1]
        return f"{kind.__name__} ({shown_path(inspect.getfile(kind))}:{line})"
    except (OSError, TypeError):  # made where there is no file, as in an interactive session
        return kind.__name__


def holds_kernels(path: str | Path) -> bool:
    """Whether a file's folder is one of those behind `package_digest`."""
    return any(PACKAGE / folder in Path(path).resolve().parents for folder in KERNEL_FOLDERS)


def shown_path(path: str | Path) -> str:
    """A path for a message, as short as it can be: from the working folder, or from the package's parent, or whole."""
    for base in (Path.cwd(), PACKAGE.parent):
        if base in Path(path).parents:
            return str(Path(path).relative_to(base))
    return str(path)


def source_digest(path: str) -> str:
    """Digest of a file outside the package with the files that it imports from its own folder; '' inside the package."""
    if is_in_package(path) or not Path(path).is_file():
        return ""
    start = Path(path).resolve()
    return _digest(sorted(_with_local_imports(start)), start.parent)


def _digest(paths: list[Path], base: Path) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(str(path.relative_to(base)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _with_local_imports(start: Path) -> set[Path]:
    found: set[Path] = set()
    waiting = [start]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            for name in names:
                local = start.parent / name.split(".")[0]
                waiting += [f for f in [local.with_suffix(".py"), *local.rglob("*.py")] if f.is_file()]
    return found
