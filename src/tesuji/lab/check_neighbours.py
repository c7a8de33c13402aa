"""`tesuji check`: looks for positions of equal hash where they are most likely: among positions that differ in little.

Two positions of random games hardly ever differ in just the part that a hash ignores. Positions one or two moves from the same
position often do: with one stone here or there, or with the stones of both players exchanged.
"""

from __future__ import annotations

import random
import time

from tesuji.games.referee import Referee, RulesPosition
from tesuji.lab.check_positions import Observation, PositionChecks

MOST_NEIGHBOURS = 1500  # of one position, two or three moves on
MOST_COLLISIONS = 4  # of them that are looked into
DEPTHS = (1, 1, 3, 2)  # moves from a position to its neighbours, by turns


class NeighbourChecks:
    def __init__(self, referee: Referee, checks: PositionChecks, chance: random.Random):
        self.referee, self.checks, self.chance = referee, checks, chance

    def compare(self, lines: list[list[Observation]], until: float) -> None:
        """Compares the neighbours of positions of all games with each other until the clock says `until`."""
        places = [observation.position for line in lines for observation in line if not observation.over]
        self.chance.shuffle(places)
        for number, position in enumerate(places if self.checks.hashes else ()):
            if time.monotonic() > until:
                break
            self._around(position, DEPTHS[number % len(DEPTHS)], until)

    def _around(self, position: RulesPosition, depth: int, until: float) -> None:
        by_hash: dict[int, RulesPosition] = {}
        collisions = 0
        for neighbour in self._neighbours(position, depth):
            key = self.referee.position_hash(neighbour)
            twin = by_hash.setdefault(key, neighbour)
            if key and twin.state.tobytes() != neighbour.state.tobytes():
                self.checks.compare_of_equal_hash(self.checks.observe(twin), self.checks.observe(neighbour), "neighbours")
                collisions += 1
            if collisions == MOST_COLLISIONS or time.monotonic() > until:
                break

    def _neighbours(self, position: RulesPosition, depth: int) -> list[RulesPosition]:
        """The positions so many moves on; of many moves only some, the same ones again after each other."""
        referee = self.referee
        legal = referee.moves(position)
        most = max(3, round(MOST_NEIGHBOURS ** (1 / depth)))
        chosen = set(legal if len(legal) <= most else self.chance.sample(legal, most))
        reached = [position]
        for _ in range(depth):
            after = []
            for one in reached:
                if not referee.is_over(one):
                    moves = legal if one is position else referee.moves(one)
                    after += [referee.play(one, move) for move in moves if move in chosen or len(moves) <= 3]
            reached = after[:MOST_NEIGHBOURS]
        self.chance.shuffle(reached)  # the first of a hash is not always by the same first moves
        return reached
