"""Outcomes and lines of play in words. Outcomes come in as rules give them: for player 0, in steps of the game's unit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tesuji.core.game import Game, State


def outcome_word(game: Game, lower: float, upper: float, mover: int) -> str:
    """win, draw, loss or unknown for the mover. A puzzle has nobody to lose to: it is won when its best score is proven."""
    if game.players == 1:
        return "win" if lower == upper else "unknown"
    side = game.winner(lower, upper)
    if side is None:
        return "unknown"
    return "draw" if side < 0 else "win" if side == mover else "loss"


def has_scores(game: Game) -> bool:
    """Whether an outcome says more than who wins."""
    low, high = game.outcomes
    return game.players == 1 or high - low > 2 or (high - low == 2 and game.draw_outcome is None)


def end_text(game: Game, outcome: int) -> str:
    """How a game ended."""
    if game.players == 1:
        return f"score {outcome}"
    side = game.winner(outcome, outcome)
    text = "a draw" if side is None or side < 0 else f"{game.player_names[side]} wins"
    return f"{text} (score {signed(game.in_points(outcome))} for {game.player_names[0]})" if has_scores(game) else text


def bounds_text(game: Game, lower: float, upper: float) -> str:
    """What the bounds prove; '' if they prove nothing."""
    low, high = game.outcomes
    if game.players == 1:
        if lower == upper:
            return f"the best score is {lower:g}"
        is_narrower = lower > low or upper < high
        return f"the best score is between {lower:g} and {upper:g}" if is_narrower else ""
    side = game.winner(lower, upper)
    first = game.player_names[0]
    worst, best = game.in_points(lower), game.in_points(upper)
    scores = f" (score {_range(worst, best)} for {first})" if has_scores(game) else ""
    if side is not None:
        return (f"{game.player_names[side]} wins" if side >= 0 else "a draw") + " with perfect play" + scores
    if lower > low or upper < high:
        return f"the score for {first} is between {signed(worst)} and {signed(best)} with perfect play"
    return ""


def _range(lower: float, upper: float) -> str:
    return signed(lower) if lower == upper else f"{signed(lower)} to {signed(upper)}"


def signed(value: float) -> str:
    return f"{value:+g}" if value else "0"


def counted(number: int, noun: str) -> str:
    """'1 playout', '2,000 playouts'."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def move_texts(game: Game, state: State, moves: Sequence[int]) -> list[str]:
    """A line of play in the game's own notation. It ends before a move that is not legal: lines read from a tree may hold one.

    The first move must be legal and is not checked: most lines have no second, and checking all of them would take seconds.
    """
    import numpy as np  # here, so that using only `counted` loads none of this

    from tesuji.core import rules
    from tesuji.core.game import copy_state

    texts = [game.text(state, move) for move in moves[:1]]
    state = copy_state(state)
    for played, move in pairwise(moves):
        with np.errstate(over="ignore"):  # hashes wrap, on purpose
            rules.play(state, played)
        if move not in game.legal_moves(state):
            break
        texts.append(game.text(state, move))
    return texts
