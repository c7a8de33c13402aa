"""The game so far: every position since the start and what led to it. A change either succeeds or leaves all as it was.

GTP lets one colour move twice, and set stones up. Where the game's board can be set up, the record does that: such a move
is made from a position with the same stones and the other player to move.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tesuji.core import rules
from tesuji.core.game import Game, State, copy_state
from tesuji.core.picture.board import Point
from tesuji.io.gtp.protocol import COLOUR_NAMES, GtpError

START, SETUP, TURN, PLAY = "start", "setup", "turn", "play"
MOST_BYTES = 1 << 28  # of all positions together: a record is no reason to run out of memory
FEWEST_ENTRIES = 2000


@dataclass(frozen=True, eq=False)  # an entry is itself: the kept search remembers the one that it belongs to
class HistoryEntry:
    """A position and what led to it: the start, stones set up, the turn given to the other player, or a move."""

    kind: str
    state: State
    mover: int = 0  # who moved, or (TURN) who is to move now
    move: int = -1
    stones: dict[Point, int] | None = None  # SETUP


class GameHistory:
    def __init__(self, game: Game):
        self.game = game
        self.entries = [HistoryEntry(START, game.new_state())]

    # -- looking -----------------------------------------------------------------------------------------------------
    @property
    def last(self) -> HistoryEntry:
        return self.entries[-1]

    @property
    def state(self) -> State:
        return self.last.state

    @property
    def is_over(self) -> bool:
        return bool(rules.is_over(self.state))

    @property
    def to_move(self) -> int:
        """Whose turn it is. After the end it is the turn of the one who did not move last."""
        if self.is_over and self.last.kind == PLAY and self.game.players == 2:
            return 1 - self.last.mover
        return int(rules.to_play(self.state)) if not self.is_over else 0

    @property
    def plays(self) -> list[HistoryEntry]:
        return [entry for entry in self.entries if entry.kind == PLAY]

    @property
    def is_fresh(self) -> bool:
        """Whether nothing stands on the board and nothing was played."""
        return all(entry.kind in (START, SETUP) for entry in self.entries) and not self.stones()

    def stones(self) -> dict[Point, int]:
        return {} if self.game.board is None else dict(self.game.board.stones(self.state))

    def before(self, entry: HistoryEntry) -> State:
        """The position in which the entry's move was made."""
        return self.entries[self.entries.index(entry) - 1].state

    # -- changing ----------------------------------------------------------------------------------------------------
    def copy(self) -> GameHistory:
        other = GameHistory.__new__(GameHistory)
        other.game, other.entries = self.game, list(self.entries)
        return other

    def ready_for(self, colour: int) -> HistoryEntry:
        """The entry from which that colour can move: the last one, or one with the turn changed, not yet in the record."""
        if self.game.players == 1 and colour != 0:
            raise GtpError(f"illegal move: {self.game.name} is played by {COLOUR_NAMES[0]} alone")
        if not self.is_over and self.to_move == colour:
            return self.last
        over = self.is_over
        board = self.game.board
        if board is not None and board.set_up is not None:
            state = board.set_up(self.state, self.stones(), colour)
            if not rules.is_over(state) and int(rules.to_play(state)) == colour:
                return HistoryEntry(TURN, state, mover=colour)
        raise GtpError("illegal move: the game is over" if over else f"illegal move: it is {COLOUR_NAMES[self.to_move]}'s turn")

    def play_from(self, entry: HistoryEntry, move: int) -> HistoryEntry:
        """Plays a legal move of the position of `entry`, which `ready_for` gave."""
        self._check_room()
        state = copy_state(entry.state)
        mover = int(rules.to_play(state))
        rules.play(state, move)
        added = HistoryEntry(PLAY, state, mover=mover, move=move)
        self.entries += [added] if entry is self.last else [entry, added]
        return added

    def set_up(self, stones: dict[Point, int], to_move: int) -> None:
        """Just these stones on the board."""
        board = self.game.board
        if board is None or board.set_up is None:
            raise GtpError(f"{self.game.name} cannot be set up")
        self._check_room()
        state = board.set_up(self.state, stones, to_move)
        self.entries.append(HistoryEntry(SETUP, state, mover=to_move, stones=dict(stones)))

    def undo(self, count: int = 1) -> None:
        """Takes back moves. Stones that were set up are no move: `undo_setup` takes them back."""
        left = list(self.entries)
        for _ in range(count):
            if left[-1].kind != PLAY:
                raise GtpError("cannot undo")
            left.pop()
            if left[-1].kind == TURN:
                left.pop()
        self.entries = left

    def undo_setup(self) -> None:
        if self.last.kind != SETUP:
            raise GtpError("cannot undo: no stones were set up last")
        self.entries = self.entries[:-1]

    def replayed_in(self, game: Game) -> GameHistory:
        """The same moves in a variant of the game, as after a change of komi."""
        other = GameHistory(game)
        for entry in self.entries[1:]:
            if entry.kind == PLAY:
                if entry.move not in game.legal_moves(other.state):
                    raise GtpError("the moves so far are not possible then; clear_board first")
                other.play_from(other.last, entry.move)
            elif entry.kind == SETUP:
                other.set_up(entry.stones or {}, entry.mover)
            elif (ready := other.ready_for(entry.mover)) is not other.last:  # it may be that player's turn already
                other.entries.append(ready)
        return other

    def moves_since(self, entry: HistoryEntry) -> list[int] | None:
        """The moves from that entry to the last one; None if it is not in the record, or something was set up since."""
        moves: list[int] = []
        for later in reversed(self.entries):
            if later is entry:
                return moves[::-1]
            if later.kind != PLAY:
                return None
            moves.append(later.move)
        return None

    def _check_room(self) -> None:
        most = max(FEWEST_ENTRIES, MOST_BYTES // max(1, self.game.initial.dtype.itemsize))
        if len(self.entries) >= most:
            raise GtpError(f"the record is full after {len(self.entries)} entries; clear_board starts a new game")


def strings(stones: dict[Point, int], points: Iterable[Point]) -> list[list[Point]]:
    """The points, all of them occupied, in groups of connected stones of one colour."""
    left = set(points)
    groups = []
    for start in sorted(left):
        if start not in left:
            continue
        left.remove(start)
        group, edge = [start], [start]
        while edge:
            column, row = edge.pop()
            for near in ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)):
                if near in left and stones.get(near) == stones.get(start):
                    left.remove(near)
                    group.append(near)
                    edge.append(near)
        groups.append(sorted(group))
    return groups
