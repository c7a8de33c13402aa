"""What a search knows, as the page is told: numbers and texts that JSON can hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tesuji.core import rules
from tesuji.core.words import bounds_text, move_texts, outcome_word
from tesuji.search.report.analysis import in_own_units, score_of
from tesuji.web.messages import MoveData, SearchData

if TYPE_CHECKING:
    from tesuji.core.position import Position
    from tesuji.io.gtp.program import ProgramMove, ProgramReport
    from tesuji.search.engine.final_move import Result

MOST_LINES = 12  # moves whose expected line is told; the others are told alone
LONGEST_LINE = 30
FEWEST_VISITS = 10  # of a move whose line is worth telling


class Reporter:
    """Reports on the searches of one position. Lines of play are put into words once, since most stay as they are."""

    def __init__(self, position: Position, player: str):
        self.position = position
        self.player = player
        self._state = position.state
        self._names: dict[int, str] = {}
        self._lines: dict[tuple[int, ...], list[str]] = {}

    def report(self, result: Result) -> SearchData:
        game = self.position.game
        lower, upper = game.in_points(result.lower), game.in_points(result.upper)
        score = score_of(game, result, result.best_value, result.outcomes)
        return {
            "player": self.player,
            "mover": result.to_move,
            "playouts": result.playouts,
            "nodes": result.nodes,
            "seconds": round(result.seconds, 3),
            "speed": round(result.playouts / result.seconds) if result.seconds > 0 else 0,
            "value": self._units(result, result.best_value),
            "chance": result.chance(result.best_value),
            "lower": lower,
            "upper": upper,
            "proven": result.proven,
            "outcome": outcome_word(game, result.lower, result.upper, result.to_move),
            "proof": bounds_text(game, result.lower, result.upper),
            "best": None if result.best_move is None else self._name(result.best_move),
            "full": result.full,
            "score": None if score is None else _finite(score.mean),
            "ownership": None,
            "moves": [self._move(result, number) for number in range(len(result.moves))],
        }

    def _move(self, result: Result, number: int) -> MoveData:
        game, found = self.position.game, result.moves[number]
        told = number < MOST_LINES and (found.visits >= FEWEST_VISITS or number == 0)
        return {
            "move": self._name(found.move),
            "visits": found.visits,
            "value": self._units(result, found.value),
            "chance": result.chance(found.value),
            "prior": _finite(found.prior),
            "rave": None if found.rave is None else self._units(result, found.rave),
            "rave_chance": None if found.rave is None else result.chance(found.rave),
            "lower": game.in_points(found.lower),
            "upper": game.in_points(found.upper),
            "outcome": outcome_word(game, found.lower, found.upper, result.to_move),
            "pv": self._line(found.pv) if told else [self._name(found.move)],
        }

    def _units(self, result: Result, value: float) -> float:
        return _finite(in_own_units(self.position.game, result.value_range, value))

    def _name(self, move: int) -> str:
        if move not in self._names:
            self._names[move] = self.position.game.text(self._state, move)
        return self._names[move]

    def _line(self, moves: list[int]) -> list[str]:
        key = tuple(moves[:LONGEST_LINE])
        if key not in self._lines:
            if len(self._lines) > 1000:
                self._lines.clear()
            self._lines[key] = move_texts(self.position.game, self._state, list(key))
        return self._lines[key]


class ProgramReporter:
    """Reports on what a GTP program says of one position: it proves nothing."""

    def __init__(self, position: Position, player: str):
        self.position = position
        self.player = player
        self._mover = int(rules.to_play(position.state))

    def report(self, found: ProgramReport) -> SearchData:
        game = self.position.game
        low, high = (game.in_points(outcome) for outcome in game.outcomes)
        moves = [self._move(one, low, high) for one in found.moves]
        best = found.moves[0] if found.moves else None
        score = None if best is None or best.score is None else best.score * (1 if self._mover == rules.FIRST else -1)
        return {
            "player": self.player,
            "mover": self._mover,
            "playouts": found.visits,
            "nodes": 0,
            "seconds": round(found.seconds, 3),
            "speed": round(found.visits / found.seconds) if found.seconds > 0 else 0,
            "value": moves[0]["value"] if moves else 0.0,
            "chance": 0.5 if best is None else best.chance,
            "lower": low,
            "upper": high,
            "proven": False,
            "outcome": "unknown",
            "proof": "",
            "best": moves[0]["move"] if moves else None,
            "full": False,
            "score": None if score is None else _finite(score),
            "ownership": None,
            "moves": moves,
        }

    def _move(self, found: ProgramMove, low: float, high: float) -> MoveData:
        chance = found.chance if self._mover == rules.FIRST else 1.0 - found.chance
        return {
            "move": self.position.game.text(self.position.state, found.move),
            "visits": found.visits,
            "value": low + (high - low) * chance,
            "chance": found.chance,
            "prior": found.prior,
            "rave": None,
            "rave_chance": None,
            "lower": low,
            "upper": high,
            "outcome": "unknown",
            "pv": list(found.line),
        }


def _finite(value: float) -> float:
    return float(value) if math.isfinite(value) else 0.0
