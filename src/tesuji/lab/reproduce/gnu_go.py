"""GNU Go, which some experiments play against."""

from __future__ import annotations

import shutil
from pathlib import Path

from tesuji.core.errors import UserError

FOLDERS = ("/usr/games",)  # where Debian puts it, which is not on every path


def gnu_go() -> str:
    """GNU Go as an opponent. It is told to play on until all dead stones are captured, since the board is counted as it is."""
    found = shutil.which("gnugo") or next((f"{folder}/gnugo" for folder in FOLDERS if Path(folder, "gnugo").exists()), None)
    if found is None:
        raise UserError("this needs GNU Go; install it, as in: apt-get install gnugo")
    return f"gtp:{found} --mode gtp --level 10 --chinese-rules --capture-all-dead"
