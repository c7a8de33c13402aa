"""Show the installation and test it: versions, machine, compile cache, and a small search.

Exit code 0: all is well. 1: something is wrong. JSON: tesuji, python, numpy, numba, platform, processor, cores,
memory_mib, cache (folder, bytes, cleared), compiled_works, pure_agrees, ok, problems, notes.
"""

from __future__ import annotations

import argparse
import os
import platform
from pathlib import Path
from typing import Any

from tesuji import __version__
from tesuji.cli import options, output
from tesuji.lab.processors import processors

SUMMARY = "show the installation and test it"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--clear-cache", action="store_true", help="remove all compiled code first")
    options.add_common(parser)


def run(args: argparse.Namespace) -> int:
    from tesuji.core.numba import cache, versions

    cleared = cache.clear() if args.clear_cache else None
    problems: list[str] = []
    with output.Progress("doctor"):
        works, agrees = _try_search(problems, args.seed or 0)
    root = cache.cache_root()
    if root is not None and (refused := cache.refused(root)):
        problems.append(refused)
    found: dict[str, Any] = {
        "tesuji": __version__,
        "python": platform.python_version(),
        "numpy": _version("numpy"),
        "numba": _version("numba"),
        "platform": platform.platform(),
        "processor": _processor(),
        "cores": processors(),
        "memory_mib": _memory_mib(),
        "cache": {"folder": str(root) if root else None, "bytes": cache.cache_size(root), "cleared": cleared},
        "compiled_works": works,
        "pure_agrees": agrees,
        "ok": not problems,
        "problems": problems,
        "notes": [reason] if (reason := versions.why_slow()) else [],
    }
    if args.json:
        output.print_json(found)
    else:
        _show(found)
    return 1 if problems else 0


def _try_search(problems: list[str], seed: int) -> tuple[bool | None, bool | None]:
    """(whether a compiled search works, whether pure Python builds the same tree). None = not tried."""
    from tesuji.core.limits import Limits
    from tesuji.core.numba.registration import is_pure
    from tesuji.games.registry import find_game
    from tesuji.search.engine.parameters import SEARCH
    from tesuji.search.engine.tree_search import TreeSearch

    def tree_of(pure: bool) -> str:
        search = TreeSearch(find_game("tictactoe"), settings=SEARCH.settings({"memory": 4.0}), seed=seed, pure=pure)
        search.run(Limits(playouts=200))
        return search.tree_hash()

    try:
        expected = tree_of(pure=True)
    except Exception as error:
        problems.append(f"a search in pure Python fails: {type(error).__name__}: {output.one_line(error)}")
        return None, False
    if is_pure():
        return None, None
    try:
        found = tree_of(pure=False)
    except Exception as error:
        problems.append(f"a compiled search fails: {type(error).__name__}: {output.one_line(error)}")
        return False, None
    if found != expected:
        problems.append("a compiled search differs from the same search in pure Python; try 'tesuji doctor --clear-cache'")
    return True, found == expected


def _version(package: str) -> str | None:
    from importlib import metadata  # slow to import, and needed here only

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _memory_mib() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    except (AttributeError, ValueError, OSError):
        return None


def _show(found: dict[str, Any]) -> None:
    versions = f"tesuji {found['tesuji']}, Python {found['python']}, NumPy {found['numpy']}, Numba {found['numba']}"
    memory = f"{found['memory_mib']:,} MiB of memory" if found["memory_mib"] else "memory unknown"
    cache = found["cache"]
    cleared = f", {cache['cleared'] / 1e6:.1f} MB cleared before" if cache["cleared"] is not None else ""
    words = {None: "not tried", True: "yes", False: "NO"}
    print(f"versions       {versions}")
    print(f"machine        {found['platform']}")
    print(f"processor      {found['processor']}; {found['cores']} cores, {memory}")
    print(f"compile cache  {cache['folder'] or 'no folder'} ({cache['bytes'] / 1e6:.1f} MB{cleared})")
    print(f"compiled search works: {words[found['compiled_works']]}; pure Python agrees: {words[found['pure_agrees']]}")
    for note in found["notes"]:
        print(f"note: {note}")
    for problem in found["problems"]:
        print(f"problem: {problem}")
    print("all is well" if found["ok"] else "something is wrong")
