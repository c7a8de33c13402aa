"""A game record: a game, where it began, its moves, and what is known of the players and the result.

The result is as records write it (property RE): B+3.5, W+R, W+T, W+F, 0, Void. Black is player 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State, copy_state
from tesuji.core.numba.registration import compile_errors_explained, compiled, is_pure
from tesuji.core.rules import moves, play

SCORE, RESIGN, TIME, FORFEIT, DRAW, VOID, UNKNOWN = "score", "resign", "time", "forfeit", "draw", "void", "unknown"
_WON = re.compile(r"([BW])(?:\s*\+\s*(.*))?", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,]\d*)?|[.,]\d+")
_REASONS = {"R": RESIGN, "T": TIME, "F": FORFEIT}


@dataclass(frozen=True)
class GameResult:
    winner: int | None  # player 0 or 1; None = nobody, or not known
    by: str  # how it ended: one of the words above
    margin: float | None = None  # points, where the record gives them

    def __str__(self) -> str:
        """As SGF writes it; '?' if the result is not known."""
        if self.winner is None:
            return {DRAW: "0", VOID: "Void"}.get(self.by, "?")
        letters = {reason: letter for letter, reason in _REASONS.items()}
        score = f"{self.margin:g}" if self.margin is not None else ""
        return f"{'BW'[self.winner]}+{letters.get(self.by, score)}"


def parse_result(text: str) -> GameResult:
    """What a value of RE says; words that nobody has agreed on are an unknown result, not an error."""
    text = text.strip()
    if text.lower() in ("0", "draw", "jigo", "tie"):
        return GameResult(None, DRAW)
    if text.lower() == "void":
        return GameResult(None, VOID)
    match = _WON.fullmatch(text)
    if match is None:
        return GameResult(None, UNKNOWN)
    winner = "BW".index(match[1].upper())
    rest = match[2] or ""
    if _NUMBER.fullmatch(rest):
        return GameResult(winner, SCORE, float(rest.replace(",", ".")))
    return GameResult(winner, _REASONS.get(rest[:1].upper(), UNKNOWN))


@dataclass
class Turn:
    """A move, or a position that is set up in the middle of the game (then `move` is None and `position` is that)."""

    player: int  # who moves; in a position that is set up, who moves next
    move: int | None
    position: State = None
    comment: str = ""
    seconds_left: float | None = None  # on the player's clock after the move (BL, WL)
    stones_left: int | None = None  # moves still to be made in this period of byo-yomi (OB, OW)
    line: int = 0  # where it stands in the file
    column: int = 0


@dataclass
class Record:
    """Black is player 0, White player 1. Texts are plain, without SGF's escapes."""

    game: Game
    start: State = None  # None = the start of the game
    turns: list[Turn] = field(default_factory=list)
    black: str = ""
    white: str = ""
    result: str = ""
    handicap: int = 0
    date: str = ""
    rules: str = ""
    comment: str = ""
    notes: list[str] = field(default_factory=list)  # what the reader could not take as it was written

    def __post_init__(self) -> None:
        if self.start is None:
            self.start = self.game.new_state()

    @property
    def outcome(self) -> GameResult:
        return parse_result(self.result)

    @property
    def moves(self) -> list[int]:
        """The moves alone. They lead from `start` to the end only if nothing is set up in between."""
        return [turn.move for turn in self.turns if turn.move is not None]

    @property
    def is_plain(self) -> bool:
        """Whether the moves alone lead from the start to the end."""
        return all(turn.move is not None for turn in self.turns)

    def add(self, player: int, move: int, comment: str = "", seconds_left: float | None = None) -> None:
        self.turns.append(Turn(player, move, comment=comment, seconds_left=seconds_left))

    def position(self, count: int | None = None, quick: bool = False) -> State:
        """The position after so many moves, and after what is set up right behind them; None = at the end."""
        total = len(self.moves)
        if count is None:
            count = total
        if not 0 <= count <= total:
            raise UserError(f"there is no position after {count} moves: the game has {total}")
        state = copy_state(self.start)
        step = stepper(self.game, quick, check=False)
        for turn in self.turns:
            if turn.move is None:
                state = copy_state(turn.position)
            elif count == 0:
                break
            else:
                step(state, turn.move)
                count -= 1
        return state

    def replay(self, quick: bool = False) -> Iterator[tuple[State, Turn]]:
        """Each move with the position that it is played in. The position is changed as you go on: copy what you keep."""
        state = copy_state(self.start)
        step = stepper(self.game, quick, check=False)
        for turn in self.turns:
            if turn.move is None:
                state = copy_state(turn.position)
            else:
                yield state, turn
                step(state, turn.move)


@kernel
def play_if_legal(state, move, buffer):
    """Plays the move if it is legal; says whether it was. The game must not be over."""
    for index in range(moves(state, buffer)):
        if buffer[index] == move:
            play(state, move)
            return True
    return False


def stepper(game: Game, quick: bool, check: bool = True) -> Callable[[State, int], bool]:
    """`play_if_legal` for positions of the game. Compiled if `quick`: for many games, or where a search compiles anyway.

    Without `check` the moves are known to be legal, which in pure Python saves most of the time.
    """
    buffer = np.zeros(game.buffer_size, np.int32)
    if quick and not is_pure():
        fast = compiled(play_if_legal)

        def step(state: State, move: int) -> bool:
            with compile_errors_explained(game.name):
                return bool(fast(state, move, buffer))

        return step

    def plain_step(state: State, move: int) -> bool:
        with np.errstate(over="ignore"):
            if check:
                return bool(play_if_legal(state, move, buffer))
            play(state, move)
            return True

    return plain_step
