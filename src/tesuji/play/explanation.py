"""Why a move was made: the line of play that its search expects, what that is worth, and what else there is, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tesuji.core.words import bounds_text, counted, move_texts

if TYPE_CHECKING:
    from tesuji.core.game import Game
    from tesuji.core.position import Position
    from tesuji.search.engine.tree_search import Result

LONGEST_LINE = 12  # moves of an expected line


@dataclass(frozen=True)
class Thought:
    """What a search has found of a position, and the move that was made then."""

    position: Position
    result: Result
    move: int

    def lines(self) -> list[str]:
        return why_lines(self.position.game, self.position.state, self.result, self.move)


def best_text(game: Game, result: Result) -> str:
    """What the best move is worth: the figure of every output, and not the mean of all moves, the bad ones among them."""
    return value_text(game, result, result.best_value)


def value_text(game: Game, result: Result, value: float) -> str:
    """The mover's chances; in a puzzle the score to be expected."""
    return f"{100.0 * result.chance(value):.1f}%" if game.players == 2 else f"{value:.1f}"


def why_lines(game: Game, state: Any, result: Result, played: int | None = None) -> list[str]:
    """What a search expects of a position, in words: the line of play, what it is worth, and what else there is.

    `played` is the move that was made, where one was: a weak level often makes another one than its search found best.
    """
    if not result.moves:
        return ["There is no move to explain."]
    best, others = result.moves[0], result.moves[1:]
    name = game.player_names[result.to_move]
    lines = []
    if played is not None and played != best.move:
        values = [value_text(game, result, one.value) for one in others if one.move == played and one.visits > 0]
        worth = f", which is worth {values[0]}," if values else ""
        lines.append(
            f"Weak levels choose at random: {game.text(state, played)}{worth} is not the move that the search prefers."
        )
    lines.append(f"The expected line is {' '.join(move_texts(game, state, best.pv[:LONGEST_LINE]))}.")
    proof = bounds_text(game, result.lower, result.upper) if result.proven else ""
    tried = f"{best.visits:,} of the {result.playouts:,} playouts began with {game.text(state, best.move)}"
    if proof:
        lines.append(f"This is proven: {proof}.")
    elif game.players == 1:
        lines.append(f"It is worth a score of {best.value:.1f}; {tried}.")
    else:
        chance = 100.0 * result.chance(best.value)
        lines.append(f"{name} {_standing(chance)}: {chance:.1f}%; {tried}.")
    second = next((report for report in others if report.visits > 0), None)
    if second is not None and not proof:
        text, worth = game.text(state, second.move), value_text(game, result, second.value)
        lines.append(f"The second choice is {text}, with {counted(second.visits, 'playout')}, worth {worth}.")
    return lines


def _standing(chance: float) -> str:
    """The mover's chances, in per cent, in words."""
    words = ((95, "has all but won"), (75, "is far ahead"), (57, "is ahead"), (43, "is about even"), (25, "is behind"))
    return next((text for least, text in words if chance >= least), "is far behind" if chance >= 5 else "has all but lost")
