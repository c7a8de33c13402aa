"""Output of the commands: JSON, tables and lines on stdout; progress on stderr, if that is a terminal.

rich is imported only to show a table or progress on a terminal: quick commands stay quick, and output to a pipe is plain text.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import Any

from tesuji.core.numba import worker
from tesuji.core.tables import plain_table

_json_stream: Any = None  # the real stdout, while everything that is printed goes to stderr


@contextmanager
def only_json(wanted: bool) -> Iterator[None]:
    """Keeps stdout for the one JSON object: whatever else is printed meanwhile, by a user's game too, goes to stderr."""
    global _json_stream
    if not wanted:
        yield
        return
    _json_stream = sys.stdout
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _json_stream = None


def print_json(value: dict[str, Any]) -> None:
    """One JSON object on stdout. NumPy numbers become plain ones; what is not a number becomes null."""
    print(json.dumps(plain(value), allow_nan=False), file=_json_stream or sys.stdout, flush=True)


def plain(value: Any) -> Any:
    """The value in the types that JSON knows."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "item"):  # a NumPy scalar
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def one_line(text: object) -> str:
    """The text as one line that a terminal only shows: white space as single blanks, control characters as escapes."""
    line = " ".join(str(text).split())
    return line if line.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)


def note(text: object) -> None:
    """One line on stderr, in the form that errors have too."""
    print(f"tesuji: {one_line(text)}", file=sys.stderr)


# -- tables ------------------------------------------------------------------------------------------------------------
def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], right: Sequence[str] = ()) -> None:
    """Rows under headings, the columns named in `right` aligned to the right. Drawn by rich on a terminal, else plain."""
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    if is_terminal(sys.stdout):
        from rich.console import Console

        Console(highlight=False).print(rich_table(columns, cells, right))
    else:
        print(plain_table(columns, cells, right))


def rich_table(columns: Sequence[str], cells: Sequence[Sequence[str]], right: Sequence[str] = ()) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    return table


def is_terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):  # no stream at all, or a closed one
        return False


# -- progress ----------------------------------------------------------------------------------------------------------
class Progress:
    """A line on stderr that says how far the work is; nothing at all where stderr is no terminal.

    While code is being compiled, the line says how much of that is left.
    """

    def __init__(self, title: str, total: float | None = None):
        self._title = title
        self._total = total
        self._bar: Any = None
        self._task: Any = None
        self._text = ""

    def __enter__(self) -> Progress:
        if is_terminal(sys.stderr):
            self._bar = _rich_bar(lambda: _compiling() or self._text)
            self._bar.start()
            self._task = self._bar.add_task(self._title, total=self._total)
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    @property
    def is_shown(self) -> bool:
        return self._bar is not None

    def update(self, done: float | None = None, text: str = "") -> None:
        self._text = text
        if self._bar is not None:
            self._bar.update(self._task, completed=done)


def _rich_bar(text: Callable[[], str]) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column
    from rich.text import Text

    class Now(ProgressColumn):
        max_refresh = 0.1

        def render(self, task: Any) -> Any:
            return Text(text())

    now = Now(Column(no_wrap=True, overflow="ellipsis"))
    columns = (SpinnerColumn("line"), TextColumn("{task.description}", markup=False), BarColumn(12), TimeElapsedColumn(), now)
    return Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=8)


def _compiling() -> str:
    now = worker.under_way
    if now is None:
        return ""
    functions = f"{now.functions} of {max(now.expected[0], now.functions + 1)}"
    return f"compiling, once: {functions}, about {math.ceil(now.seconds_left)} s left"
