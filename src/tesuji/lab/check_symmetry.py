"""What `tesuji check` looks at in a game's symmetries: an image must have the same future as its position.

The same player is to move in both, the moves of the one lead to images of what the moves of the other lead to, and games that
go on alike end alike. Proofs carry over to images, so a wrong one proves nonsense.
"""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np

from tesuji.core import rules
from tesuji.core.game import Game
from tesuji.games.referee import Fault, Referee, RulesPosition, place_of
from tesuji.lab.check_positions import Observation

MOST_POSITIONS = 200  # looked at in all, one image of each


def symmetric_hash_of(position: RulesPosition) -> int:
    """The hash that a position shares with its images, where the game has its own way to find it."""
    with np.errstate(over="ignore"):
        return int(rules.symmetric_hash(position.state, np.zeros(1, position.state.dtype)))


class SymmetryChecks:
    """Looks at the positions of random games; tells the referee's `found` what is wrong."""

    def __init__(self, game: Game, referee: Referee, chance: random.Random):
        self.referee, self.chance = referee, chance
        self.has_hash = rules.position_hash.is_implemented(game.initial.dtype)
        self.hashes_images = rules.symmetric_hash.is_implemented(game.initial.dtype)
        self._place = place_of(game, rules.image)
        self._most = MOST_POSITIONS if game.has_symmetries else 0
        self._seen = 0

    def compare_game(self, line: list[Observation]) -> None:
        """Compares each position of a game with one of its images, up to the first that is wrong."""
        for observation in line[: self._most - self._seen]:
            position = observation.position
            number = self.chance.randrange(self.referee.symmetries(position))
            self._seen += 1
            fault = self._fault(position, number)
            if fault is not None:
                self.referee.found(fault)
                break

    def _fault(self, position: RulesPosition, number: int) -> Fault | None:
        """What is wrong with the image of that number.

        Every move is tried in both; one of those that lead to images of each other is followed, until the game is over.
        """
        here, there = position, self.referee.image(position, number)
        if self.hashes_images and symmetric_hash_of(here) != symmetric_hash_of(there):
            return self._contradiction("symmetric_hash differs", number, here, there)
        if number == 0 and self._key(here) != self._key(there):
            return self._contradiction("number 0 must be the position itself", number, here, there)
        while True:
            difference = self._difference(here, there)
            if difference:
                return self._contradiction(difference, number, here, there)
            if self.referee.is_over(here):
                return None
            pairs, lost = self._pairs(here, there, number)
            if lost is not None:
                text = "no move leads to it from the image of the position before"
                return self._contradiction(text, number, lost, self.referee.image(lost, number))
            if not pairs:
                return None
            here, there = self.chance.choice(pairs)

    def _contradiction(self, text: str, number: int, position: RulesPosition, image: RulesPosition) -> Fault:
        drawings = (self.referee.drawing(position), self.referee.drawing(image))
        return Fault("symmetry", f"image {number} is wrong: {text}", position, self._place, drawings=drawings)

    def _difference(self, position: RulesPosition, image: RulesPosition) -> str:
        """How an image contradicts its position at first sight; '' if it does not."""
        ask = self.referee
        over = ask.is_over(position)
        if over != ask.is_over(image):
            return f"only {'the position' if over else 'the image'} is over"
        if over:
            ours, theirs = ask.outcome(position), ask.outcome(image)
            return f"the outcome is {ours}, and {theirs} in the image" if ours != theirs else ""
        ours, theirs = ask.to_play(position), ask.to_play(image)
        if ours != theirs:
            return f"player {ours} is to move, and player {theirs} in the image"
        ours, theirs = len(ask.moves(position)), len(ask.moves(image))
        return f"there are {ours} moves, and {theirs} in the image" if ours != theirs else ""

    def _pairs(
        self, position: RulesPosition, image: RulesPosition, number: int
    ) -> tuple[list[tuple[RulesPosition, RulesPosition]], RulesPosition | None]:
        """The positions a move ahead, each with the one that corresponds to it; or, second, one to which none does.

        Positions that have no such image by `symmetries` are left out: the game promises nothing of them.
        """
        ask = self.referee
        reached: dict[int | bytes | str, list[RulesPosition]] = defaultdict(list)
        for move in ask.moves(image):
            after = ask.play(image, move)
            reached[self._key(after)].append(after)
        pairs = []
        for move in ask.moves(position):
            after = ask.play(position, move)
            if number < ask.symmetries(after):
                found = reached[self._key(ask.image(after, number))]
                if not found:
                    return [], after
                pairs.append((after, found.pop()))
        return pairs, None

    def _key(self, position: RulesPosition) -> int | bytes | str:
        """What two positions have in common if they are equal: of games that are over, only the outcome matters."""
        if self.referee.is_over(position):
            return f"over with {self.referee.outcome(position)}"
        if self.has_hash:
            return self.referee.position_hash(position)
        return self.referee.image(position, 0).state.tobytes()
