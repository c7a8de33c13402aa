"""Reading the numbers in a game string."""

from __future__ import annotations

from tesuji.core.errors import UserError, shortened


def whole_numbers(text: str, separator: str, count: int, usage: str) -> list[int]:
    """Exactly `count` whole numbers between separators; a UserError shows how the game string is written."""
    parts = text.split(separator)
    if len(parts) == count and all(p.isascii() and p.isdigit() and len(p) < 10 for p in parts):
        return [int(p) for p in parts]
    raise UserError(f"{shortened(text, quoted=True)} is not of the form expected: {usage}")
