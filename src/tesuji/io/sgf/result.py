"""The result of a game as records write it (property RE): B+3.5, W+R, W+T, W+F, 0, Void. Black is player 0."""

from __future__ import annotations

import re
from dataclasses import dataclass

SCORE, RESIGN, TIME, FORFEIT, DRAW, VOID, UNKNOWN = "score", "resign", "time", "forfeit", "draw", "void", "unknown"
_WON = re.compile(r"([BW])\s*\+\s*(.*)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,]\d*)?|[.,]\d+")
_REASONS = {"R": RESIGN, "T": TIME, "F": FORFEIT}


@dataclass(frozen=True)
class GameResult:
    winner: int | None  # player 0 or 1; None = nobody, or not known
    by: str  # how it ended: one of the words above
    margin: float | None = None  # points, where the record gives them

    def __str__(self) -> str:
        """As SGF writes it; '?' if the result is not known."""
        if self.winner is None:
            return {DRAW: "0", VOID: "Void"}.get(self.by, "?")
        letters = {reason: letter for letter, reason in _REASONS.items()}
        score = f"{self.margin:g}" if self.margin is not None else ""
        return f"{'BW'[self.winner]}+{letters.get(self.by, score)}"


def parse_result(text: str) -> GameResult:
    """What a value of RE says; words that nobody has agreed on are an unknown result, not an error."""
    text = text.strip()
    if text.lower() in ("0", "draw", "jigo", "tie"):
        return GameResult(None, DRAW)
    if text.lower() == "void":
        return GameResult(None, VOID)
    match = _WON.fullmatch(text)
    if match is None:
        return GameResult(None, UNKNOWN)
    winner = "BW".index(match[1].upper())
    rest = match[2]
    if _NUMBER.fullmatch(rest):
        return GameResult(winner, SCORE, float(rest.replace(",", ".")))
    return GameResult(winner, _REASONS.get(rest[:1].upper(), UNKNOWN))
