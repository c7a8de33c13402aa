"""Tables of plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class TablePart(NamedTuple):
    """A table as a part of what is shown, before it is drawn; the columns named in `right` are aligned to the right."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Sequence[str] = ()


def plain_table(columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = ()) -> str:
    """Rows under headings, the columns named in `right` aligned to the right."""
    widths = [max(len(line[i]) for line in [columns, *rows]) for i in range(len(columns))]
    lines = []
    for line in [columns, *rows]:
        parts = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, cell, width in zip(columns, line, widths, strict=True)
        ]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)
