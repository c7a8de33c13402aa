"""What `tesuji check` looks at in what networks see of a game: `planes`, `place` and the `encoding` that gives their shape.

Every number is finite and in range, every legal move has a place of its own, and an image of a position looks like the position
turned by the encoding, its moves too: a network learns from images.
"""

from __future__ import annotations

import random

import numpy as np

from tesuji.core import rules
from tesuji.core.encoding import Encoding
from tesuji.core.game import Game
from tesuji.games.referee import Fault, Referee, RulesPosition, place_of
from tesuji.lab.check_positions import Observation

MOST_POSITIONS = 200  # looked at in all, one image of each


class PlaneChecks:
    """Looks at the positions of random games; tells the referee's `found` what is wrong."""

    def __init__(self, game: Game, referee: Referee, chance: random.Random):
        self.game, self.referee, self.chance = game, referee, chance
        self._most = MOST_POSITIONS if game.encoding is not None else 0
        self._seen = 0

    def look_at_game(self, line: list[Observation]) -> None:
        """Looks at each position of a game, up to the first that is wrong."""
        encoding = self.game.encoding
        for observation in line[: self._most - self._seen]:
            if encoding is None or observation.over:
                break
            self._seen += 1
            fault = self._fault(encoding, observation.position, observation.legal)
            if fault is not None:
                self.referee.found(fault)
                break

    def _fault(self, encoding: Encoding, position: RulesPosition, legal: list[int]) -> Fault | None:
        planes = self.referee.planes(position)
        text = wrong_numbers(encoding, planes)
        if text:
            return Fault("planes", text, position, place_of(self.game, rules.planes))
        places = [self.referee.place(position, move) for move in legal]
        text = wrong_places(encoding, places)
        if text:
            return Fault("place", text, position, place_of(self.game, rules.place))
        return self._image_fault(encoding, position)

    def _image_fault(self, encoding: Encoding, position: RulesPosition) -> Fault | None:
        """What is wrong with one image, against image number 0: that one, too, may have forgotten what cannot matter."""
        ask = self.referee
        number = self.chance.randrange(min(ask.symmetries(position), len(encoding.turns)))
        if not self.game.has_symmetries or number == 0:
            return None
        here, there = ask.image(position, 0), ask.image(position, number)
        ours, theirs = encoding.image_of_planes(ask.planes(here), number), ask.planes(there)
        if not np.array_equal(ours, theirs):
            name = next(name for k, name in enumerate(encoding.names) if not np.array_equal(ours[..., k], theirs[..., k]))
            text = f"the encoding is wrong for image {number}: its plane {name!r} is not that of the position, turned"
            return Fault("planes", text, position, place_of(self.game, rules.planes))
        turned = {int(encoding.place_images[number][ask.place(here, move)]) for move in ask.moves(here)}
        if turned != {ask.place(there, move) for move in ask.moves(there)}:
            text = f"the encoding is wrong for image {number}: the places of its moves are not those of the position, turned"
            return Fault("place", text, position, place_of(self.game, rules.place))
        return None


def wrong_numbers(encoding: Encoding, planes: np.ndarray) -> str:
    """What `planes` wrote that it must not; '' if nothing."""
    for number, name in enumerate(encoding.names):
        plane = planes[..., number]
        inside = (plane >= encoding.lowest) & (plane <= encoding.highest)  # what is no number is not
        if not inside.all():
            row, column = np.argwhere(~inside)[0]
            value = f"{plane[row, column]:g}, not {encoding.lowest:g} to {encoding.highest:g}"
            return f"planes writes {value}, in plane {name!r}, row {row}, column {column}"
    return ""


def wrong_places(encoding: Encoding, places: list[int]) -> str:
    """What is wrong with the places of the legal moves; '' if nothing."""
    for place in places:
        if not 0 <= place < encoding.places:
            return f"place gives {place}; places are 0 to {encoding.places - 1}"
    double = next((place for place in places if places.count(place) > 1), None)
    return "" if double is None else f"place gives {double} for two legal moves; each needs a place of its own"


def compare_planes(game: Game, line: list[Observation], planes: np.ndarray, places: np.ndarray) -> None:
    """Raises a Fault at the first position that the compiled functions see otherwise; theirs is what is given."""
    for observation, theirs, their_places in zip(line, planes, places, strict=False):
        position = observation.position
        ours = np.zeros(theirs.shape, np.float32)
        rules.planes(position.state, ours)
        if ours.tobytes() != theirs.tobytes():
            text = "planes writes other numbers compiled than in pure Python"
            raise Fault("unequal", text, position, place_of(game, rules.planes))
        if [int(rules.place(position.state, move)) for move in observation.legal] != [
            int(place) for place in their_places[: len(observation.legal)]
        ]:
            text = "place gives other places compiled than in pure Python"
            raise Fault("unequal", text, position, place_of(game, rules.place))
