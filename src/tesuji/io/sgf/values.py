"""The values of properties: escapes, soft line breaks, composed values, and points that are named by letters.

A *raw* value is what stands between the brackets. Only the property's type says how it is to be read, so trees keep raw
values and these functions read and make them.
"""

from __future__ import annotations

import re

from tesuji.core.board import Point

_LINE_END = r"\r\n|\n\r|\n|\r"
_SPECIAL = re.compile(rf"\\(?P<escaped>{_LINE_END}|.)|(?P<line>{_LINE_END})|(?P<blank>[\t\v\f])", re.DOTALL)
_COMPOSED = re.compile(r"([^\\:]*+(?:\\.[^\\:]*+)*+):(.*)", re.DOTALL)
RAW = re.compile(r"[^\\\]]*+(?:\\.[^\\\]]*+)*+", re.DOTALL)  # what may stand between brackets
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def text_of(raw: str) -> str:
    """A value of type Text: escapes undone, an escaped line end gone, line ends kept as newlines, other space as blanks."""
    return _unescaped(raw, "\n")


def simple_text_of(raw: str) -> str:
    """A value of type SimpleText: as Text, but on one line."""
    return _unescaped(raw, " ")


def _unescaped(raw: str, line_end: str) -> str:
    def plain(match: re.Match[str]) -> str:
        escaped = match["escaped"]
        if escaped is None:
            return line_end if match["line"] is not None else " "
        return "" if escaped[0] in "\r\n" else " " if escaped in "\t\v\f" else escaped

    return _SPECIAL.sub(plain, raw)


def escaped(text: str, composed: bool = False) -> str:
    """The raw value that reads as the text; part of a composed value if `composed`, where colons are escaped too."""
    text = text.replace("\\", "\\\\").replace("]", "\\]")
    return text.replace(":", "\\:") if composed else text


def split_composed(raw: str) -> tuple[str, str] | None:
    """The two raw parts of a composed value, cut at its first colon that is not escaped; None if there is none."""
    match = _COMPOSED.fullmatch(raw)
    return (match[1], match[2]) if match else None


def point_of(text: str, columns: int, rows: int) -> Point | None:
    """The board's point that two letters name (column, then row from the top); None if they name none."""
    if len(text) != 2 or text[0] not in LETTERS or text[1] not in LETTERS:
        return None
    column, row = LETTERS.index(text[0]), rows - 1 - LETTERS.index(text[1])
    return (column, row) if column < columns and row >= 0 else None


def letters_of(point: Point, rows: int) -> str:
    column, row = point
    return LETTERS[column] + LETTERS[rows - 1 - row]
