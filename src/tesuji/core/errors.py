"""Errors for the caller to handle. The text of each is one line, which the command line prints as it is."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST_SHOWN = 40  # characters of wrong input that a message repeats
CLOSE_ENOUGH = 0.65  # of 1, by difflib: one letter wrong in three, or two exchanged


class Error(Exception):
    """The base of all errors that a call of the public API may raise on purpose."""


class UserError(Error):
    """Wrong input: the message says what is wrong and what would be right. The command line exits with 2."""


class GameError(UserError):
    """A game of the user's is broken: its rules raised an exception, looped, or gave an impossible answer."""


class Terminated(KeyboardInterrupt):
    """SIGTERM: the process is to end. A server that handles Ctrl-C and goes on ends all the same."""


def shortened(text: str, longest: int = LONGEST_SHOWN, quoted: bool = False) -> str:
    """A text for a message: cut off where it is long, and with escapes and quotes if it could not be printed otherwise."""
    part = text[:longest]
    shown = repr(part) if quoted or not part.isprintable() else part
    return shown + "..." if len(text) > longest else shown


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """' (did you mean mohex2?)', for a message, if a wrong name is much like one of the right `names`; else ''."""
    from difflib import get_close_matches

    by_letters = {other.lower().replace("_", "-"): other for other in names}
    near = get_close_matches(name[:LONGEST_SHOWN].lower().replace("_", "-"), by_letters, n=1, cutoff=CLOSE_ENOUGH)
    return f" (did you mean {by_letters[near[0]]}?)" if near else ""
