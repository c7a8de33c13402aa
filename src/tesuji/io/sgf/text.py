"""The text of SGF files: from bytes to text by character set, and from the text between two brackets to what it says.

The property CA names the character set of a game; without it, it is UTF-8 if the bytes are that, else Latin-1. Latin-1
(ISO-8859-1) is the standard's default; files that are UTF-8 and do not say so are more common.

A *raw* value is what stands between the brackets: escapes, soft line breaks, composed values, points that are named by
letters. Only the property's type says how it is to be read, so trees keep raw values and these functions read and make them.
"""

from __future__ import annotations

import codecs
import re

from tesuji.core.board import Point

DEFAULT = "iso-8859-1"
_CA = re.compile(rb"(?<![A-Za-z])CA\s*\[\s*([A-Za-z0-9_.:+-]+)\s*\]")
_VALUE_BYTES = rb"\[(?:[^\\\]]++|\\.)*+\]?"  # a backslash takes away the meaning of what follows it
_CA_OR_VALUE = re.compile(_CA.pattern + rb"|" + _VALUE_BYTES, re.DOTALL)
_PLAIN = b"(;CA[x]SZ[9];B[aa])"
_GAME = re.compile(rb"\(\s*;")
_MARKS = (  # the longer ones first: UTF-32's begins as UTF-16's does
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# In these a byte of a longer character may look like a bracket or a backslash.
_NOT_ASCII_SAFE = (
    "gbk",
    "gb18030",
    "hz",
    "big5",
    "big5hkscs",
    "cp950",
    "shift_jis",
    "cp932",
    "shift_jis_2004",
    "johab",
    "utf-7",
)

_LINE_END = r"\r\n|\n\r|\n|\r"
_SPECIAL = re.compile(rf"\\(?P<escaped>{_LINE_END}|.)|(?P<line>{_LINE_END})|(?P<blank>[\t\v\f])", re.DOTALL)
_COMPOSED = re.compile(r"([^\\:]*+(?:\\.[^\\:]*+)*+):(.*)", re.DOTALL)
RAW = re.compile(r"[^\\\]]*+(?:\\.[^\\\]]*+)*+", re.DOTALL)  # what may stand between brackets
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


# -- character sets ----------------------------------------------------------------------------------------------------
def decode(data: bytes) -> str:
    """The text of an SGF file. It never fails: what cannot be read in the character set becomes a replacement sign."""
    for mark, charset in _MARKS:
        if data.startswith(mark):
            text = data.decode(charset, "replace")
            return text.removeprefix("\ufeff")
    named = _named(data)
    if len(set(named)) > 1 and not any(_is_risky(charset) for charset in named):
        return "".join(_decode_part(part) for part in _games(data))
    return _decode_as(data, named[0] if named else _hidden(data))


def _decode_part(data: bytes) -> str:
    named = _named(data)
    return _decode_as(data, named[0] if named else None)


def _named(data: bytes) -> list[str | None]:
    """The character sets that the property CA names, in order. One that is named inside a value, as in a comment, is none."""
    start = _GAME.search(data)  # before the first game there may be anything, as the head of a mail
    if start is None:
        return []
    return [_lookup(match[1]) for match in _CA_OR_VALUE.finditer(data, start.start()) if match[1] is not None]


def _hidden(data: bytes) -> str | None:
    """A character set whose property seems to stand inside a value because bytes before it only look like a backslash or
    a bracket: read in that character set, the file must name it."""
    for match in _CA.finditer(data):
        charset = _lookup(match[1])
        if charset is not None and _is_risky(charset):
            plain = data.decode(charset, "replace").encode("ascii", "replace")
            if charset in _named(plain):
                return charset
    return None


def _decode_as(data: bytes, charset: str | None) -> str:
    for attempt in filter(None, (charset, "utf-8")):
        try:
            return data.decode(attempt)
        except UnicodeDecodeError:
            continue
    return data.decode(charset or DEFAULT, "replace")


def _lookup(name: bytes) -> str | None:
    """Python's name of a character set; None for one that does not exist, or that this file cannot be in.

    The property that names it was read as ASCII, so it must be a set in which ASCII is ASCII: UTF-16 is not.
    """
    try:
        info = codecs.lookup(name.decode("ascii"))
        return info.name if _PLAIN.decode(info.name) == _PLAIN.decode("ascii") else None
    except (LookupError, UnicodeError):
        return None


def _is_risky(charset: str | None) -> bool:
    return charset is not None and (charset in _NOT_ASCII_SAFE or charset.startswith(("iso2022", "utf-16", "utf-32")))


def _games(data: bytes) -> list[bytes]:
    """The bytes cut before each game of a collection, so that each can be read in its own character set."""
    cuts = [0]
    depth, value, skip = 0, False, False
    for position, byte in enumerate(data):
        if skip:
            skip = False
        elif value:
            skip = byte == 0x5C  # a backslash
            value = byte != 0x5D  # a closing bracket
        elif byte == 0x5B and depth:
            value = True
        elif byte == 0x28 and (depth or _GAME.match(data, position)):
            if depth == 0:
                cuts.append(position)
            depth += 1
        elif byte == 0x29 and depth:
            depth -= 1
    return [data[a:b] for a, b in zip(cuts, [*cuts[1:], len(data)], strict=True)]


# -- values ------------------------------------------------------------------------------------------------------------
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
