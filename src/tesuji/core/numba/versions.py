"""The versions of Numba for which pipeline.py, context.py and patches.py were tested. With others they are not used."""

from __future__ import annotations

from importlib import metadata

TESTED_NUMBA = ("0.68",)


def why_slow() -> str:
    """Why compiling is slow with the installed version of Numba, in one line; '' with a version that was tested."""
    version = metadata.version("numba")
    if version.rpartition(".")[0] in TESTED_NUMBA:
        return ""
    return (
        f"compiling takes about three times as long as it could, since tesuji was not tested with Numba {version} and "
        f"its shortcuts through the compiler are only used with Numba {' or '.join(TESTED_NUMBA)}"
    )
