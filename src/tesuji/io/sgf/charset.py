"""Bytes to text: the property CA names the character set of a game; without it, UTF-8 if the bytes are that, else Latin-1.

Latin-1 (ISO-8859-1) is the standard's default; files that are UTF-8 and do not say so are more common.
"""

from __future__ import annotations

import codecs
import re

DEFAULT = "iso-8859-1"
_CA = re.compile(rb"(?<![A-Za-z])CA\s*\[\s*([A-Za-z0-9_.:+-]+)\s*\]")
_VALUE = rb"\[(?:[^\\\]]++|\\.)*+\]?"  # a backslash takes away the meaning of what follows it
_CA_OR_VALUE = re.compile(_CA.pattern + rb"|" + _VALUE, re.DOTALL)
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
