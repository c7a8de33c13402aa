"""Errors that are the caller's business: the text is one line, the one that the command line prints."""

from __future__ import annotations

LONGEST_SHOWN = 40  # characters of wrong input that a message repeats


class Error(Exception):
    """The base of all errors that a call of the public API may raise on purpose."""


class UserError(Error):
    """Wrong input: the message says what is wrong and what would be right. The command line exits with 2."""


class GameError(UserError):
    """A game broke the rules of being a game: it raised, looped, or gave an impossible answer."""


class Terminated(KeyboardInterrupt):
    """The process was asked to end (SIGTERM). A server that answers Ctrl-C and goes on ends on this."""


def shortened(text: str, longest: int = LONGEST_SHOWN, quoted: bool = False) -> str:
    """A text for a message: cut off where it is long, and with escapes and quotes if it could not be printed otherwise."""
    part = text[:longest]
    shown = repr(part) if quoted or not part.isprintable() else part
    return shown + "..." if len(text) > longest else shown
