"""Results in words and in JSON. Values and bounds come in for player 0, as everywhere; percentages are for the mover."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tesuji.core import rules
from tesuji.core.game import copy_state

if TYPE_CHECKING:
    from tesuji.core.game import Game
    from tesuji.search.engine import Result


def best_text(game: Game, result: Result) -> str:
    """What the best move is worth: the figure of every output, and not the mean of all moves, the bad ones among them."""
    return value_text(game, result, result.best_value)


def value_text(game: Game, result: Result, value: float) -> str:
    """The mover's chances; in a puzzle the score to be expected."""
    return f"{100.0 * result.chance(value):.1f}%" if game.players == 2 else f"{value:.1f}"


def in_points(game: Game, outcome: float) -> float:
    """An outcome in the points of the game: Go counts in halves."""
    return outcome if game.outcome_unit == 1.0 else outcome * game.outcome_unit


def value_in_points(game: Game, result: Result, value: float) -> float:
    """A value in the points of the game, unless it is one of wins and losses."""
    return in_points(game, value) if result.value_range == tuple(game.outcomes) else value


def winner(game: Game, lower: float, upper: float) -> int | None:
    """Who wins for sure when the outcome lies in lower .. upper: player 0 or 1; -1 for a draw, None for not known."""
    low, high = game.outcomes
    centre = game.middle if game.middle is not None else (low + high) / 2
    if lower > centre:
        return rules.FIRST
    if upper < centre:
        return rules.SECOND
    return -1 if lower == upper else None


def outcome_word(game: Game, lower: float, upper: float, mover: int) -> str:
    """win, draw, loss or unknown for the mover. A puzzle has nobody to lose to: it is won when its best score is proven."""
    if game.players == 1:
        return "win" if lower == upper else "unknown"
    side = winner(game, lower, upper)
    if side is None:
        return "unknown"
    return "draw" if side < 0 else "win" if side == mover else "loss"


def has_scores(game: Game) -> bool:
    """Whether an outcome says more than who wins."""
    low, high = game.outcomes
    return game.players == 1 or high - low > 2 or (high - low == 2 and game.middle is None)


def end_text(game: Game, outcome: int) -> str:
    """How a game ended, in words."""
    if game.players == 1:
        return f"score {outcome}"
    side = winner(game, outcome, outcome)
    text = "a draw" if side is None or side < 0 else f"{game.player_names[side]} wins"
    return f"{text} (score {signed(in_points(game, outcome))} for {game.player_names[0]})" if has_scores(game) else text


def bounds_text(game: Game, lower: float, upper: float) -> str:
    """What the bounds prove, in words; '' if they prove nothing."""
    low, high = game.outcomes
    if game.players == 1:
        if lower == upper:
            return f"the best score is {lower:g}"
        known = lower > low or upper < high
        return f"the best score is between {lower:g} and {upper:g}" if known else ""
    side = winner(game, lower, upper)
    first = game.player_names[0]
    worst, best = in_points(game, lower), in_points(game, upper)
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


def move_texts(game: Game, state: Any, moves: list[int]) -> list[str]:
    """A line of play in the game's own notation. Stops at a move that is not legal: a line may outrun a known position.

    Its first move is legal: most lines are no longer, and to list all moves again for each of them would take seconds.
    """
    texts = [game.text(state, move) for move in moves[:1]]
    state = copy_state(state)
    for played, move in pairwise(moves):
        with np.errstate(over="ignore"):  # hashes wrap, on purpose
            rules.play(state, played)
        if move not in game.legal_moves(state):
            break
        texts.append(game.text(state, move))
    return texts


def move_text(game: Game, state: Any, move: int | None) -> str | None:
    return None if move is None else game.text(state, move)


def moves_json(game: Game, state: Any, result: Result) -> list[dict[str, Any]]:
    return [
        {
            "move": game.text(state, report.move),
            "visits": report.visits,
            "value": value_in_points(game, result, report.value),
            "prior": report.prior,
            "rave": None if report.rave is None else value_in_points(game, result, report.rave),
            "lower": in_points(game, report.lower),
            "upper": in_points(game, report.upper),
            "pv": move_texts(game, state, report.pv),
        }
        for report in result.moves
    ]


def move_rows(game: Game, state: Any, result: Result, top: int) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of the table of moves, best first. Bounds stand there once something is known of them."""
    columns = ["move", "visits", "value", "bounds", "line"]
    rows = []
    for report in result.moves[:top]:
        known = (report.lower, report.upper) != tuple(game.outcomes)
        lower, upper = in_points(game, report.lower), in_points(game, report.upper)
        bounds = signed(lower) if lower == upper else f"{signed(lower)}..{signed(upper)}"
        rows.append(
            [
                game.text(state, report.move),
                f"{report.visits:,}",
                value_text(game, result, report.value) if report.visits or known else "",
                bounds if known else "",
                " ".join(move_texts(game, state, report.pv)[:12]),
            ]
        )
    return columns, rows


def progress_text(game: Game, state: Any, result: Result) -> str:
    best = move_text(game, state, result.best_move)
    value = f", {best} {best_text(game, result)}" if best is not None else ""
    low, high = game.outcomes
    lower, upper = in_points(game, result.lower), in_points(game, result.upper)
    bounds = f", {signed(lower)}..{signed(upper)}" if result.lower > low or result.upper < high else ""
    return f"{result.playouts:,} playouts, {result.nodes:,} nodes{value}{bounds}"


def why_lines(game: Game, state: Any, result: Result) -> list[str]:
    """What a search expects of a position, in words: the line of play, what it is worth, and what else there is."""
    if not result.moves:
        return ["There is no move to explain."]
    best, others = result.moves[0], result.moves[1:]
    name = game.player_names[result.to_move]
    line = " ".join(move_texts(game, state, best.pv)[:12])
    lines = [f"The expected line is {line}."]
    proof = bounds_text(game, result.lower, result.upper) if result.proven else ""
    if proof:
        lines.append(f"This is proven: {proof}.")
    elif game.players == 1:
        lines.append(f"It is worth a score of {best.value:.1f}, by {best.visits:,} of {result.playouts:,} playouts.")
    else:
        chance = 100.0 * result.chance(best.value)
        lines.append(f"{name} {_standing(chance)}: {chance:.1f}%, by {best.visits:,} of {result.playouts:,} playouts.")
    second = next((report for report in others if report.visits > 0), None)
    if second is not None and not proof:
        lines.append(f"The next best move, {game.text(state, second.move)}, is worth {value_text(game, result, second.value)}.")
    return lines


def _standing(chance: float) -> str:
    """The mover's chances, in per cent, in words."""
    words = ((95, "has all but won"), (75, "is far ahead"), (57, "is ahead"), (43, "is about even"), (25, "is behind"))
    return next((text for least, text in words if chance >= least), "is far behind" if chance >= 5 else "has all but lost")
