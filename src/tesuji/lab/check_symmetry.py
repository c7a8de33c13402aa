"""What `tesuji check` looks at in a game's symmetries: an image must have the same future as its position.

The same player is to move in both, the moves of the one lead to images of what the moves of the other lead to, and games that
go on alike end alike. Proofs carry over to images, so a wrong one proves nonsense; so does a `symmetric_hash` of the game's own
that other positions than images share.
"""

from __future__ import annotations

import random
from collections import defaultdict

from tesuji.core import rules
from tesuji.core.game import Game
from tesuji.games.referee import Fault, Referee, RulesPosition, place_of
from tesuji.lab.check_positions import Observation

MOST_POSITIONS = 200  # looked at in all, one image of each


class SymmetryChecks:
    """Looks at the positions of random games; tells the referee's `found` what is wrong."""

    def __init__(self, game: Game, referee: Referee, chance: random.Random):
        self.referee, self.chance = referee, chance
        self.has_hash = rules.position_hash.is_implemented(game.initial.dtype)
        self.hashes_images = rules.symmetric_hash.is_implemented(game.initial.dtype)
        self._place = place_of(game, rules.image)
        self._hash_place = place_of(game, rules.symmetric_hash)
        self._by_hash: dict[int, RulesPosition] = {}  # by symmetric_hash: the first position that has it
        self._most = MOST_POSITIONS if game.has_symmetries else 0
        self._seen = 0

    def compare_game(self, line: list[Observation]) -> None:
        """Compares each position of a game with one of its images, up to the first that is wrong."""
        for observation in line[: self._most - self._seen]:
            position = observation.position
            number = self.chance.randrange(self.referee.symmetries(position))
            self._seen += 1
            fault = self._fault(position, number) or self._weak_hash(observation)
            if fault is not None:
                self.referee.found(fault)
                break

    def _fault(self, position: RulesPosition, number: int) -> Fault | None:
        """What is wrong with the image of that number.

        Every move is tried in both; one of those that lead to images of each other is followed, until the game is over.
        """
        here, there = position, self.referee.image(position, number)
        if self.hashes_images and self.referee.symmetric_hash(here) != self.referee.symmetric_hash(there):
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

    def _weak_hash(self, observation: Observation) -> Fault | None:
        """A position that shares its symmetric_hash with one seen before must be one of its images."""
        position, ask = observation.position, self.referee
        if not (self.hashes_images and self.has_hash) or observation.over:
            return None
        code = ask.symmetric_hash(position)
        twin = self._by_hash.setdefault(code, position)
        if twin is position or code == 0:
            return None
        images = {self._key(ask.image(twin, number)) for number in range(ask.symmetries(twin))}
        if observation.hash in images:
            return None
        what = f"symmetric_hash is too weak: it is equal {twin.line()} and {position.line()}, which are no images of each other"
        drawings = (ask.drawing(twin), ask.drawing(position))
        return Fault("hash-weak", what, position, self._hash_place, told=True, drawings=drawings)

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
