"""The score as players count it: stones that are judged dead come off the board, then the rules count what is left.

For games that passes end and whose positions can be set up: Go. Where nobody can tell dead stones none are taken off.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State, copy_state
from tesuji.core.picture.board import Point
from tesuji.knowledge.registry import status_of

MOST_PASSES = 4


Status = Callable[[Game, State], dict[Point, str]]  # every stone of a position: alive, dead or seki


def status_for(game: Game) -> Status | None:
    """What judges the stones of this game, if it has such a thing and stones can be taken off."""
    return status_of(game) if game.board is not None and game.board.set_up is not None else None


def dead_stones(game: Game, state: State, status: Status | None) -> set[Point]:
    """The stones that are judged dead; none where nobody can tell."""
    return set() if status is None else {point for point, fate in status(game, state).items() if fate == "dead"}


def without_stones(game: Game, state: State, dead: Collection[Point]) -> State:
    """The end of the game, reached by passing, with these stones taken off. A UserError where passing does not end it."""
    board = game.board
    if dead and board is not None and board.set_up is not None:
        left = {point: owner for point, owner in board.stones(state).items() if point not in dead}
        state = board.set_up(state, left, int(rules.to_play(state)))
    state = copy_state(state)
    with np.errstate(over="ignore"):  # hashes wrap, on purpose
        for _ in range(MOST_PASSES):
            if rules.is_over(state):
                break
            passes = [move for move in game.legal_moves(state) if board is not None and board.point(state, move) is None]
            if len(passes) != 1 or game.text(state, passes[0]).lower() != "pass":
                break
            rules.play(state, passes[0])
    if not rules.is_over(state):
        raise UserError("cannot score: the game is not over")
    return state


def rule_text(game: Game, dead: Collection[Point], judged: bool) -> str:
    """The rule by which a position was scored, in words; '' for a game that has only one."""
    komi = game.extra.get("komi")
    if komi is None:
        return ""
    removed = f"{len(dead)} dead {'stone' if len(dead) == 1 else 'stones'} taken off" if dead else "no dead stones"
    return f"area scoring, komi {komi:g}, {removed if judged else 'all stones alive'}"
