"""The rules of a game as a proof uses them: plain Python functions, without the compiler."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tesuji.core import rules
from tesuji.core.game import Game, State
from tesuji.proof.trusted.claims import Refused
from tesuji.proof.trusted.connections import ProvenConnections, Step

OVER = 2  # in place of the player to move, when the game has ended


class RuleView(NamedTuple):
    """What the rules say of a position without search: bounds of its value for player 0, and who is to move."""

    lower: int
    upper: int
    mover: int  # 0, 1 or OVER


class PlainRules:
    """A game's rules. `initial_bounds`, `symmetry`: whether the proof may rely on the bounds and the images that they give."""

    def __init__(self, game: Game, initial_bounds: bool, symmetry: bool = False):
        kind = game.initial.dtype
        self.game = game
        self.lowest, self.highest = game.outcomes
        self._moves = rules.moves.find(kind)
        self._play = rules.play.find(kind)
        self._is_over = rules.is_over.find(kind)
        self._outcome = rules.outcome.find(kind)
        self._to_play = rules.to_play.find(kind)
        self._bounds = rules.bounds.find(kind) if initial_bounds and rules.bounds.is_implemented(kind) else None
        self._symmetries = rules.symmetries.find(kind)
        self._image = rules.image.find(kind) if symmetry and game.has_symmetries else None
        self._neighbours = rules.neighbours.find(kind)
        self._holder = rules.holder.find(kind)
        self._image_buffer = np.zeros(1, kind)
        self._move_buffer = np.zeros(game.buffer_size, np.int32)

    def legal_moves(self, state: State) -> list[int]:
        """The legal moves in the order of the rules, which is what the choices count in."""
        count = int(self._moves(state, self._move_buffer))
        if not 0 < count <= len(self._move_buffer):
            raise Refused(f"the rules give {count} moves in a position that is not over")
        return self._move_buffer[:count].tolist()

    def view(self, state: State) -> RuleView:
        if self._is_over(state):
            outcome = int(self._outcome(state))
            return RuleView(outcome, outcome, OVER)
        if self._bounds is None:
            return RuleView(self.lowest, self.highest, int(self._to_play(state)))
        lower, upper = self._bounds(state, self.lowest, self.highest)
        return RuleView(int(lower), int(upper), int(self._to_play(state)))

    def after(self, state: State, moves: Sequence[int]) -> tuple[np.ndarray, list[Any]]:
        """The positions after each of the moves, and the view of each."""
        children = np.zeros(len(moves), state.dtype)
        views = []
        for index, move in enumerate(moves):
            children[index] = state
            child = children[index]
            self._play(child, move)
            views.append(self.view(child))
        return children, views

    def key(self, state: State, record: bytes) -> bytes:
        """What identifies a position: the bytes of its record or, with symmetry, the least bytes of all its images."""
        if self._image is None:
            return record
        images = []
        for number in range(int(self._symmetries(state))):
            self._image_buffer[0] = state
            self._image(state, number, self._image_buffer[0])
            images.append(self._image_buffer.tobytes())
        if not images:
            raise Refused("the rules give a position no symmetry, not even the identity")
        return min(images)

    def check_win(self, state: State, player: int, steps: Iterable[Step]) -> ProvenConnections:
        """The connections that the steps prove for a player; Refused unless the last one wins the position for him."""
        connections = self.new_connections(state, player)
        for step in steps:
            connections.add(step)
        connections.check_win(lambda cell: int(self._holder(state, cell)))
        return connections

    def new_connections(self, state: State, player: int) -> ProvenConnections:
        """An empty list of connections of a player, by what touches what according to the rules."""
        buffer = np.zeros(self.game.move_count + len(rules.ENDS), np.int32)
        touching: dict[int, list[int]] = {}

        def neighbours(cell: int) -> list[int]:
            if cell not in touching:
                touching[cell] = buffer[: int(self._neighbours(state, player, cell, buffer))].tolist()
            return touching[cell]

        def name(cell: int) -> str:
            try:
                return self.game.text(state, cell)
            except Exception:  # not a move of this position, in a user's game
                return f"cell {cell}"

        return ProvenConnections(player, self.game.move_count, neighbours, name)
