"""The text of SGF files: from bytes to text by character set, and from the text between two brackets to what it says.

The property CA names the character set of a game; without it, it is UTF-8 if the bytes are that, else Latin-1. Latin-1
(ISO-8859-1) is the standard's default; files that are UTF-8 and do not say so are more common.

A *raw* value is what stands between the brackets: escapes, soft line breaks, composed values, points that are named by
letters. Only the property's type says how it is to be read, so trees keep raw values and these functions read and make them.
"""

from __future__ import annotations

import codecs
import functools
import re
from collections.abc import Iterator

from tesuji.core.picture.board import Point

DEFAULT = "iso-8859-1"
MOST_NAMED = 200_000  # properties CA that are looked at
MOST_BRACKETS = 1_000_000  # of games and variations; a file with more is read in one character set
_NAMES_ONE = rb"(?<![A-Za-z])CA\s*+\[\s*+([A-Za-z0-9_.:+-]{1,40})\s*+\]"
_ANY_CA = re.compile(_NAMES_ONE)
_VALUE_BYTES = rb"\[(?:[^\\\]]++|\\.)*+\]?"  # a backslash takes away the meaning of what follows it
_NEXT_CA = re.compile(rb"(?:[^\[C]++|" + _VALUE_BYTES + rb"|(?!" + _NAMES_ONE + rb")C)*+" + _NAMES_ONE, re.DOTALL)  # group 2
_NEXT_BRACKET = re.compile(rb"(?:[^()\[]++|" + _VALUE_BYTES + rb")*+([()])", re.DOTALL)
_GAME = re.compile(rb"\(\s*+;")
_PLAIN = b"(;CA[x]SZ[9];B[aa])"
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
)
# Python has other codecs, too, which are no character sets of files or take long: idna, punycode, unicode_escape, utf-7.
_CHARSETS = ("ascii", "utf-8", "iso8859", "iso2022", "cp", "koi8", "mac", "kz1048", "tis-620", "ptcp154", "gb2312", "euc")

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
            return _decode_as(data, charset).removeprefix("\ufeff")
    named = list(_named(data))
    if len(set(named)) > 1 and not any(_is_risky(charset) for charset in set(named)):
        return "".join(_decode_as(part, next(_named(part), None)) for part in _games(data))
    return _decode_as(data, named[0] if named else _hidden(data))


def _named(data: bytes) -> Iterator[str | None]:
    """The character sets that the property CA names, in order. One that is named inside a value, as in a comment, is none."""
    start = _GAME.search(data)  # before the first game there may be anything, as the head of a mail
    position = start.start() if start else len(data)
    for _ in range(MOST_NAMED):
        match = _NEXT_CA.match(data, position)
        if match is None:
            return
        yield _lookup(match[2])
        position = match.end()


def _hidden(data: bytes) -> str | None:
    """A character set whose property seems to stand inside a value because bytes before it only look like a backslash or
    a bracket: read in that character set, the file must name it. Each character set is tried once."""
    found = (match[1] for _, match in zip(range(MOST_NAMED), _ANY_CA.finditer(data), strict=False))
    for charset in dict.fromkeys(map(_lookup, dict.fromkeys(found))):
        if _is_risky(charset) and charset in set(_named(_decode_as(data, charset).encode("ascii", "replace"))):
            return charset
    return None


def _decode_as(data: bytes, charset: str | None) -> str:
    for attempt in filter(None, (charset, "utf-8")):
        try:
            return data.decode(attempt)
        except UnicodeDecodeError:
            continue
    charset = charset or DEFAULT
    table = _single_byte_table(charset)
    return data.decode(charset, "replace") if table is None else codecs.charmap_decode(data, "strict", table)[0]  # type: ignore[arg-type]


@functools.cache
def _single_byte_table(charset: str) -> str | None:
    """The characters of all bytes, if each byte is one; Python's own codecs take long to replace what is no character."""
    letters = [bytes([byte]).decode(charset, "replace") for byte in range(256)]
    is_single = all(len(letter) == 1 for letter in letters) and b"\xa1\xa1".decode(charset, "replace") == 2 * letters[0xA1]
    return "".join(letters) if is_single and not _is_risky(charset) else None


@functools.lru_cache(1000)
def _lookup(name: bytes) -> str | None:
    """Python's name of a character set; None for one that does not exist, or that this file cannot be in.

    The property that names it was read as ASCII, so it must be a set in which ASCII is ASCII: UTF-16 is not.
    """
    try:
        charset = codecs.lookup(name.decode("ascii")).name
        known = charset.startswith(_CHARSETS) or charset in _NOT_ASCII_SAFE
        return charset if known and _PLAIN.decode(charset) == _PLAIN.decode("ascii") else None
    except (LookupError, UnicodeError):
        return None


def _is_risky(charset: str | None) -> bool:
    return charset is not None and (charset in _NOT_ASCII_SAFE or charset.startswith("iso2022"))


def _games(data: bytes) -> list[bytes]:
    """The bytes cut before each game of a collection, so that each can be read in its own character set."""
    cuts = [0]
    position, depth = 0, 0
    for _ in range(MOST_BRACKETS):
        if depth == 0:
            start = _GAME.search(data, position)
            if start is None:
                break
            cuts.append(start.start())
            position, depth = start.end(), 1
        match = _NEXT_BRACKET.match(data, position)
        if match is None:
            break
        depth += 1 if match[1] == b"(" else -1
        position = match.end()
    else:
        return [data]
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


def point_of(text: str, columns: int, rows: int, from_top: bool = False) -> Point | None:
    """The board's point that two letters name (column, then row from the top); None if they name none.

    `from_top` says that the board's own rows are numbered from the top, too.
    """
    if len(text) != 2 or text[0] not in LETTERS or text[1] not in LETTERS:
        return None
    column, down = LETTERS.index(text[0]), LETTERS.index(text[1])
    return (column, down if from_top else rows - 1 - down) if column < columns and down < rows else None


def letters_of(point: Point, rows: int, from_top: bool = False) -> str:
    column, row = point
    return LETTERS[column] + LETTERS[row if from_top else rows - 1 - row]
