"""Crazy Stone's useless moves (Coulom 2006, appendix A.2) a second time: on dicts of stones, with moves made and looked at."""

from __future__ import annotations

from go_positions import slow_urgencies

from tesuji.core import rules
from tesuji.core.game import copy_state
from tesuji.games.go.state import STRIDE

EMPTY, BORDER = 0, 3


class Board:
    def __init__(self, state):
        self.colour = [int(c) for c in state["colour"]]

    def around(self, point):
        """The neighbours on the board."""
        near = (point - STRIDE, point - 1, point + 1, point + STRIDE)
        return [p for p in near if self.colour[p] != BORDER]

    def string(self, stone):
        found, waiting = {stone}, [stone]
        while waiting:
            for near in self.around(waiting.pop()):
                if self.colour[near] == self.colour[stone] and near not in found:
                    found.add(near)
                    waiting.append(near)
        return frozenset(found)

    def liberties(self, string):
        return {near for stone in string for near in self.around(stone) if self.colour[near] == EMPTY}

    def strings_next_to(self, points, colour):
        return {self.string(near) for p in points for near in self.around(p) if self.colour[near] == colour}


def naive_instead(state, may_be_played, point, is_urgent):
    """The answers that the text allows: a set of points, {0} to keep the move, {-1} to draw again.

    `may_be_played` holds the points whose urgency is not zero.
    """
    own = int(state["to_play"]) + 1
    before = Board(state)
    child = copy_state(state)
    rules.play(child, int(state["move_of"][point]))
    after = Board(child)
    around = before.around(point)
    empty = [p for p in around if before.colour[p] == EMPTY]
    others = {before.colour[p] for p in around} - {EMPTY}
    if len(empty) == 1 and empty[0] in may_be_played:
        friends = before.strings_next_to([point], own)
        if others == {own} and len(friends) == 1 and before.strings_next_to(empty, own) & friends:
            return {empty[0]}
        if others == {3 - own}:
            enemies = before.strings_next_to([point], 3 - own)
            changed = [s for s in enemies if (len(before.liberties(s)) == 1) != (len(after.liberties(s)) == 1)]
            taken = [s for s in enemies if after.colour[next(iter(s))] == EMPTY]
            if not changed and not taken:
                return {empty[0]}
    created = after.string(point)
    if len(created) == 1 or len(after.liberties(created)) != 1:
        return {0}
    if is_urgent:
        return {-1}
    joined = before.strings_next_to([point], own)
    contiguous = before.strings_next_to([p for s in joined for p in s], 3 - own)
    captures = {}  # where -> stones of the largest string that is taken there
    for s in contiguous:
        where = before.liberties(s)
        if len(where) == 1 and point not in where and where <= set(may_be_played):
            captures[min(where)] = max(captures.get(min(where), 0), len(s))
    if captures:
        return {where for where, stones in captures.items() if stones == max(captures.values())}
    for s in joined:
        where = before.liberties(s)
        if len(where) == 2 and where - {point} <= set(may_be_played):
            return where - {point}
    return {0}


def expected_moves(state, with_rules):
    """Move -> its chance by the text: a draw by urgency, corrected. Where the text allows several moves they share it."""

    def chances(urgencies, share, found):
        total = sum(urgencies.values())
        for point, value in urgencies.items():
            part = share * value / total
            answers = naive_instead(state, urgencies, point, value >= 1000) if with_rules else {0}
            if answers == {-1}:
                chances({**urgencies, point: 1}, part, found)
                continue
            for answer in answers:
                move = int(state["move_of"][answer or point])
                found[move] = found.get(move, 0.0) + part / len(answers)
        return found

    return chances(slow_urgencies(state), 1.0, {})
