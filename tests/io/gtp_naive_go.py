"""A second, slow board of Go, as unlike the first as possible, for sessions to be compared with."""

from __future__ import annotations


class NaiveGo:
    """A dictionary of stones; captures by flood fill; simple ko."""

    def __init__(self, size):
        self.size = size
        self.stones, self.turn, self.ko, self.passes = {}, 0, None, 0

    def near(self, point):
        x, y = point
        around = ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1))
        return [(a, b) for a, b in around if 0 <= a < self.size and 0 <= b < self.size]

    def string(self, point, stones):
        found, edge, free = {point}, [point], set()
        while edge:
            for other in self.near(edge.pop()):
                if other not in stones:
                    free.add(other)
                elif stones[other] == stones[point] and other not in found:
                    found.add(other)
                    edge.append(other)
        return found, free

    def after(self, player, point):
        """The position after the move, or None if it is illegal."""
        new = NaiveGo(self.size)
        new.stones, new.turn = dict(self.stones), 1 - player
        resumed = player != self.turn or self.passes >= 2
        if point is None:
            new.passes = 1 if resumed else self.passes + 1
            return new
        if point in self.stones or (point == self.ko and not resumed):
            return None
        new.stones[point] = player
        taken = set()
        for other in self.near(point):
            if new.stones.get(other) == 1 - player:
                string, free = self.string(other, new.stones)
                if not free:
                    taken |= string
        for other in taken:
            del new.stones[other]
        string, free = self.string(point, new.stones)
        if not free:
            return None
        if len(taken) == 1 and len(string) == 1 and len(free) == 1:
            new.ko = taken.pop()
        return new


def vertex(point):
    return "ABCDEFGHJ"[point[0]] + str(point[1] + 1)


def named(stones):
    return {vertex(point): ("black", "white")[owner] for point, owner in stones.items()}
