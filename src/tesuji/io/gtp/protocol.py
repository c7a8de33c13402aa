"""The text of GTP 2: from a raw line to a request, and from an answer to the lines that carry it. Knows no command.

A line loses its control characters and what follows a hash sign, tabs become blanks, and what is left blank is no
request. A request may begin with a number, its id, which the answer repeats. An answer begins with = or ? and ends with
an empty line, so none may hold one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tesuji.core.errors import UserError

HIGHEST_ID = (1 << 31) - 1
INTERRUPT = "# interrupt"  # GoGui's comment line that ends the command under way
COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
COLOUR_NAMES = ("black", "white")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")  # all but the tab


class GtpError(UserError):
    """An answer that begins with a question mark. The position stays as it was."""


@dataclass(frozen=True)
class Request:
    id: str  # digits, or nothing
    command: str
    words: list[str]  # the arguments


def clean(line: str) -> str:
    """The line as the protocol reads it: without control characters, comment and surrounding blanks."""
    return _CONTROL.sub("", line).partition("#")[0].replace("\t", " ").strip()


def is_interrupt(line: str) -> bool:
    return _CONTROL.sub("", line).strip().lower() == INTERRUPT


def parse(line: str) -> Request | None:
    """The request in a raw line; None if there is none. A number that is no id is left to be an unknown command."""
    words = clean(line).split()
    if not words:
        return None
    request_id = ""
    if re.fullmatch(r"[0-9]{1,10}", words[0]) and int(words[0]) <= HIGHEST_ID:
        request_id = words.pop(0)
    return Request(request_id, words[0] if words else "", words[1:])


def answer(request_id: str, text: str, ok: bool = True) -> str:
    """A whole answer, the empty line at its end included."""
    return f"{'=' if ok else '?'}{request_id} {body(text)}\n\n"


def body(text: str) -> str:
    """The text without what would break an answer: line ends of other systems, control characters, empty lines."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = [_CONTROL.sub("", line).rstrip() for line in text.split("\n")]
    first, rest = lines[0], [line for line in lines[1:] if line]
    return "\n".join([first, *rest])


# -- arguments -----------------------------------------------------------------------------------------------------------
def whole_number(text: str, what: str, low: int = 0, high: int = HIGHEST_ID) -> int:
    if re.fullmatch(r"[+-]?[0-9]{1,10}", text) and low <= int(text) <= high:
        return int(text)
    raise GtpError(f"syntax error: {what} must be a whole number from {low} to {high}, not {text[:40]!r}")


def real_number(text: str, what: str, low: float = -1e9, high: float = 1e9) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if low <= value <= high:  # False for what is not a number
        return value
    raise GtpError(f"syntax error: {what} must be a number from {low:g} to {high:g}, not {text[:40]!r}")


def colour(text: str, names: tuple[str, str] = ("", "")) -> int:
    """0 for black, 1 for white; the game's own names of its players are understood too."""
    word = text.lower()
    if word in COLOURS:
        return COLOURS[word]
    known = [name.lower() for name in names]
    if word in known:
        return known.index(word)
    raise GtpError(f"syntax error: a colour is b, black, w or white, not {text[:40]!r}")
