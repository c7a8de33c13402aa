"""The result of a search in the terms of its game: moves as texts, values and bounds in the game's own units."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tesuji.core.tables import plain_table
from tesuji.core.words import bounds_text, has_scores, move_texts, outcome_word, signed

if TYPE_CHECKING:
    from tesuji.core.game import Game
    from tesuji.core.position import Position
    from tesuji.search.engine.final_move import Outcomes, Result
    from tesuji.search.report.nodes import TreeNode

Bounds = tuple[float, float]
COLUMNS = ("move", "visits", "value", "bounds", "line")
NUMBERS = ("visits", "value", "bounds")  # the columns that are aligned to the right
TOP = 12
LONGEST_LINE = 12


class ExpectedScore(NamedTuple):
    """Points by which the first player is ahead, komi included: the mean of games and their standard deviation."""

    mean: float
    deviation: float | None  # None where it is not known


@dataclass(frozen=True)
class MoveAnalysis:
    """What the search knows of one move. `value` and `bounds` are the first player's, `chance` and `outcome` the mover's."""

    move: str
    visits: int
    value: float
    chance: float  # from 0, the worst for the player to move, to 1
    prior: float
    rave: float | None  # the value by all games in which the move came later; None = no RAVE, or no such game
    bounds: Bounds
    outcome: str  # win, draw, loss or unknown: what the bounds prove
    line: tuple[str, ...]  # the expected line of play, which begins with the move
    score: ExpectedScore | None = None

    def to_json(self) -> dict[str, Any]:
        return {**statistics_of(self), **score_values(self.score), "pv": list(self.line)}


@dataclass(frozen=True, repr=False)
class Analysis:
    """What a search knows of a position, its moves best first. `value` is that of the best move."""

    position: Position
    moves: tuple[MoveAnalysis, ...]
    best: str | None  # None = the game is over
    value: float
    chance: float
    bounds: Bounds
    proven: bool
    outcome: str
    playouts: int
    nodes: int
    seconds: float
    full: bool = False  # the memory was full, so less visited parts of the tree were dropped
    interrupted: bool = False
    cpu: float = 0.0  # seconds of CPU time, of all threads of the search together
    score: ExpectedScore | None = None  # of the best move
    proof: str = field(default="", compare=False)  # what the bounds prove, in words

    @property
    def line(self) -> tuple[str, ...]:
        """The expected line of play."""
        return self.moves[0].line if self.moves else ()

    def __repr__(self) -> str:
        return f"<Analysis of {self.position.game.name}: {self.summary()}>"

    def __str__(self) -> str:
        return f"{plain_table(COLUMNS, self.rows(), NUMBERS)}\n\n{self.summary()}"

    def summary(self) -> str:
        """One line: the best move, its value, what is proven."""
        best = f"{self.position.to_move} to move: {self.best}, {self.shown(self)}" if self.best else "the game is over"
        return f"{best}; {self.proof}" if self.proof else best

    def shown(self, of: Analysis | MoveAnalysis) -> str:
        """A value for people: the mover's chance; in a puzzle the score to be expected."""
        return f"{100.0 * of.chance:.1f}%" if self.position.game.players == 2 else f"{of.value:.1f}"

    def rows(self, top: int = TOP) -> list[list[str]]:
        """The table of moves, under COLUMNS. Bounds are shown where they are narrower than the whole range."""
        game = self.position.game
        whole_range = tuple(game.in_points(outcome) for outcome in game.outcomes)
        rows = []
        for one in self.moves[:top]:
            lower, upper = one.bounds
            has_bounds = one.bounds != whole_range
            bounds = signed(lower) if lower == upper else f"{signed(lower)}..{signed(upper)}"
            value = self.shown(one) if one.visits or has_bounds else ""
            rows.append([one.move, f"{one.visits:,}", value, bounds if has_bounds else "", " ".join(one.line[:LONGEST_LINE])])
        return rows

    def to_json(self) -> dict[str, Any]:
        """The keys of `tesuji analyze --json` that come from the search."""
        game = self.position.game
        lower, upper = self.bounds
        return {
            "game": game.name,
            "to_move": self.position.to_move,
            "playouts": self.playouts,
            "seconds": self.seconds,
            "cpu": self.cpu,
            "best_move": self.best,
            "value": self.value,
            **score_values(self.score),
            "lower": lower,
            "upper": upper,
            "moves": [one.to_json() for one in self.moves],
            "nodes": self.nodes,
            "proven": self.proven,
            "interrupted": self.interrupted,
            "full": self.full,
        }


def analysis_of(position: Position, result: Result) -> Analysis:
    """A search's result in the terms of its game."""
    game, state = position.game, position.state

    def bounds(lower: int, upper: int) -> Bounds:
        return game.in_points(lower), game.in_points(upper)

    moves = tuple(
        MoveAnalysis(
            move=game.text(state, report.move),
            visits=report.visits,
            value=in_own_units(game, result.value_range, report.value),
            chance=result.chance(report.value),
            prior=report.prior,
            rave=None if report.rave is None else in_own_units(game, result.value_range, report.rave),
            bounds=bounds(report.lower, report.upper),
            outcome=outcome_word(game, report.lower, report.upper, result.to_move),
            line=tuple(move_texts(game, state, report.pv)),
            score=score_of(game, result, report.value, report.outcomes),
        )
        for report in result.moves
    )
    over = position.is_over
    return Analysis(
        position=position,
        moves=moves,
        best=None if over or result.best_move is None else game.text(state, result.best_move),
        value=in_own_units(game, result.value_range, result.best_value),
        chance=result.chance(result.best_value),
        bounds=bounds(result.lower, result.upper),
        proven=result.proven,
        outcome=outcome_word(game, result.lower, result.upper, result.to_move),
        playouts=result.playouts,
        nodes=result.nodes,
        seconds=result.seconds,
        cpu=result.cpu,
        full=result.full,
        interrupted=result.interrupted,
        score=score_of(game, result, result.best_value, result.outcomes),
        proof=bounds_text(game, result.lower, result.upper),
    )


def score_of(game: Game, result: Result, value: float, outcomes: Outcomes | None) -> ExpectedScore | None:
    """The score to be expected: the mean outcome of games, which is the value where that is one.

    None in games without points, and where neither games nor values say it.
    """
    if not has_scores(game):
        return None
    if result.values_are_outcomes:
        return ExpectedScore(game.in_points(value), None)
    return None if outcomes is None else ExpectedScore(game.in_points(outcomes.mean), outcomes.deviation * game.outcome_unit)


def score_values(score: ExpectedScore | None) -> dict[str, float | None]:
    """A score as the keys of JSON have it."""
    mean, deviation = (None, None) if score is None else score
    return {"score": mean, "score_deviation": deviation}


def in_own_units(game: Game, value_range: tuple[float, float], value: float) -> float:
    """A search's value in the game's own units. Where only winning counts (reward=win), it stays -1 .. 1."""
    return game.in_points(value) if tuple(value_range) == tuple(game.outcomes) else value


def statistics_of(move: MoveAnalysis | TreeNode) -> dict[str, Any]:
    """The numbers of one move, as both the list of moves and the tree have them in JSON."""
    lower, upper = move.bounds
    return {
        "move": move.move,
        "visits": move.visits,
        "value": move.value,
        "prior": move.prior,
        "rave": move.rave,
        "lower": lower,
        "upper": upper,
    }
