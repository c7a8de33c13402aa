"""Splits a stream of bytes into lines as they arrive, with a limit on their length."""

from __future__ import annotations

from collections.abc import Callable, Iterator

PIECE = 1 << 16


def read_pieces(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """What `read(count)` gives, until that is b"" or fails: a stream that cannot be read any more has ended."""
    while True:
        try:
            piece = read(PIECE)
        except (OSError, ValueError):
            return
        if not piece:
            return
        yield piece


def split_lines(pieces: Iterator[bytes], longest: int) -> Iterator[bytes | None]:
    """The lines in pieces of any size, the last one also without its end; None in place of one that is longer."""
    rest = bytearray()
    skipping = False
    for piece in pieces:
        *whole, last = piece.split(b"\n")
        for part in whole:
            rest += part
            yield None if skipping or len(rest) > longest else bytes(rest)
            rest.clear()
            skipping = False
        rest += last
        if len(rest) > longest:  # what is too long already need not be kept
            skipping = True
            rest.clear()
    if skipping or rest:
        yield None if skipping else bytes(rest)
