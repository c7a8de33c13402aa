"""A second, naive Lines of Action: a dictionary of squares, every rule by walking over it. Nothing of it is fast."""

from __future__ import annotations

from collections import Counter

COLUMNS = "abcdefgh"
WAYS = [(across, up) for across in (-1, 0, 1) for up in (-1, 0, 1) if (across, up) != (0, 0)]
QUIET_LIMIT = 250
PLY_LIMIT = 1000


def name(square):
    return COLUMNS[square[0]] + str(square[1] + 1)


class NaiveLoa:
    """`pieces` maps (column, row) to 0 (Black) or 1 (White). `result` is None until the game is over."""

    def __init__(self, pieces=None, player=0, mover_wins=False, no_move_loses=False):
        if pieces is None:
            pieces = {square: 0 for i in range(1, 7) for square in ((i, 0), (i, 7))}
            pieces |= {square: 1 for i in range(1, 7) for square in ((0, i), (7, i))}
        self.pieces = dict(pieces)
        self.player = player
        self.mover_wins = mover_wins
        self.no_move_loses = no_move_loses
        self.result = None
        self.reason = ""
        self.ply = 0
        self.quiet = 0
        self.times = Counter([self._position()])

    def _position(self):
        return frozenset(self.pieces.items()), self.player

    def moves(self):
        """Texts of the legal moves, as a sorted list."""
        texts = [self.text(origin, target) for origin, target in self._steps(self.player)]
        return sorted(texts) or ["pass"]

    def text(self, origin, target):
        return name(origin) + ("x" if target in self.pieces else "-") + name(target)

    def _steps(self, player):
        for (column, row), owner in self.pieces.items():
            if owner != player:
                continue
            for across, up in WAYS:
                length = sum((column + k * across, row + k * up) in self.pieces for k in range(-7, 8))
                target = (column + length * across, row + length * up)
                if min(target) < 0 or max(target) > 7 or self.pieces.get(target) == player:
                    continue
                passed = [(column + k * across, row + k * up) for k in range(1, length)]
                if not any(self.pieces.get(square) == 1 - player for square in passed):
                    yield (column, row), target

    def connected(self, player):
        left = {square for square, owner in self.pieces.items() if owner == player}
        waiting = [left.pop()]
        while waiting:
            column, row = waiting.pop()
            for across, up in WAYS:
                if (column + across, row + up) in left:
                    left.remove((column + across, row + up))
                    waiting.append((column + across, row + up))
        return not left

    def play(self, text):
        mover = self.player
        captured = False
        if text != "pass":
            origin, target = ((COLUMNS.index(text[i]), int(text[i + 1]) - 1) for i in (0, 3))
            captured = target in self.pieces
            self.pieces[target] = self.pieces.pop(origin)
        self.player = 1 - mover
        self.ply += 1
        self.quiet = 0 if captured else self.quiet + 1
        self.times[self._position()] += 1
        mine, others = self.connected(mover), self.connected(1 - mover)
        sign = 1 if mover == 0 else -1
        if mine and others:
            self._end(sign if self.mover_wins else 0, "both connected")
        elif mine or others:
            self._end(sign if mine else -sign, "connected")
        elif self.no_move_loses and not any(True for _ in self._steps(self.player)):
            self._end(sign, "no move")
        elif self.times[self._position()] == 3:
            self._end(0, "repetition")
        elif self.quiet == QUIET_LIMIT:
            self._end(0, "no capture")
        elif self.ply == PLY_LIMIT:
            self._end(0, "length")

    def _end(self, result, reason):
        self.result, self.reason = result, reason
