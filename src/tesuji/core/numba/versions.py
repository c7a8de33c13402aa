"""The versions of Numba that pipeline.py, context.py, patches.py and kernel_files.py were tested with; others go without."""

from __future__ import annotations

import functools
import sys
from importlib import metadata

TESTED_NUMBA = ("0.68",)


def why_slow() -> str:
    """Why compiling is slow with the installed version of Numba, in one line; '' with a version that was tested."""
    try:
        version = metadata.version("numba")
    except metadata.PackageNotFoundError:
        version = "of an unknown version"
    if version.rpartition(".")[0] in TESTED_NUMBA:
        return ""
    return (
        f"compiling takes two to three times as long as it could, at every start: tesuji was not tested with Numba {version}, "
        f"so it leaves out its shortcuts and its cache, which depend on the inside of Numba {' or '.join(TESTED_NUMBA)}"
    )


@functools.cache
def warn_if_slow() -> None:
    """One line on stderr, once a process."""
    if reason := why_slow():
        print(f"tesuji: {reason}", file=sys.stderr)
