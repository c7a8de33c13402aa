"""One game under a referee who knows the rules and trusts neither side: our rules decide what is legal, and who has won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, copy_state
from tesuji.io.gtp.moves import move_text
from tesuji.io.sgf import Record, record_tree, sgf_text
from tesuji.lab.match.contestants import RESIGN, Contestant, Forfeit
from tesuji.lab.match.plan import PASS, Plan, ScheduledGame, game_seed
from tesuji.lab.match.repetition import Cycle, PositionsSeen
from tesuji.play.clock import Clock, parse_clock

SCORE, RESIGNED, TOO_LONG, REPETITION = NO_FORFEIT = ("score", "resign", "length", "repetition")  # all others are Forfeits
LETTERS = ("B", "W")
HANDICAP_STREAM = 2  # of a game's seeds, after those of its players
Sides = tuple[Contestant, Contestant]  # the first and the second player


@dataclass(frozen=True)
class Played:
    """A finished game. `winner` is a slot of the plan, None for a draw; `result` is as game records have it."""

    number: int
    first: int
    second: int
    opening: int
    opening_plies: int
    seed: int
    winner: int | None
    result: str
    reason: str
    detail: str
    outcome: int | None
    moves: str
    plies: int
    seconds_first: float
    seconds_second: float
    sgf: str
    moves_first: int | None = None  # that it was asked for; None: a game of a file that does not say
    moves_second: int | None = None
    cpu_first: float | None = None  # seconds of CPU time in all; None = not known
    cpu_second: float | None = None

    @property
    def is_forfeit(self) -> bool:
        return self.reason not in NO_FORFEIT

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def play_game(plan: Plan, game: Game, entry: ScheduledGame, opening: Sequence[int], sides: Sides) -> Played:
    """Plays one game of the plan."""
    with np.errstate(over="ignore"):  # rules may count in numbers that wrap around
        played = GameInProgress(plan, game, entry, opening, sides)
        winner, reason, detail = played.play()
        reports = [side.take_report() for side in sides]
    if reason in NO_FORFEIT:
        names = (plan.players[entry.first].label, plan.players[entry.second].label)
        remarks = [f"{name}: {text}" for name, text in zip(names, reports, strict=True) if text]
        detail = "; ".join(filter(None, [detail, *remarks]))
    times = {
        "seconds_first": played.seconds[0],
        "seconds_second": played.seconds[1],
        "moves_first": played.asked[0],
        "moves_second": played.asked[1],
        "cpu_first": sides[0].cpu,
        "cpu_second": sides[1].cpu,
    }
    return completed(plan, game, entry, len(opening), played.moves, Ruling(winner, reason, detail), times)


class Ruling(NamedTuple):
    """What the referee says of a game: the winner (0 the first player, 1 the second, None a draw), why, and more of it."""

    winner: int | None
    reason: str
    detail: str = ""


def completed(
    plan: Plan,
    game: Game,
    entry: ScheduledGame,
    opening_plies: int,
    moves: Sequence[int],
    ruling: Ruling,
    times: Mapping[str, Any],
) -> Played:
    """The game with all that follows from its moves and its end. `times` does not: seconds, CPU time and moves of each side."""
    winner, reason, detail = ruling
    names = (plan.players[entry.first].label, plan.players[entry.second].label)
    texts: list[str] = []
    with np.errstate(over="ignore"):
        state = game.new_state()
        for move in moves:
            texts.append(game.text(state, move))
            rules.play(state, move)
        is_scored = reason == SCORE or (reason == REPETITION and winner is not None)
        outcome = int(rules.outcome(state)) if is_scored else None
        if winner is None:
            result = "0"
        elif is_scored:
            result = game.result(state)
        else:
            result = f"{LETTERS[winner]}+{ {RESIGNED: 'R', 'time': 'T'}.get(reason, 'F') }"
        sgf = record_of(game, moves, names, result, f"{reason}: {detail}" if detail else "")
    return Played(
        number=entry.number,
        first=entry.first,
        second=entry.second,
        opening=entry.opening,
        opening_plies=opening_plies,
        seed=entry.seed,
        winner=None if winner is None else (entry.first, entry.second)[winner],
        result=result,
        reason=reason,
        detail=detail,
        outcome=outcome,
        moves=" ".join(texts),
        plies=len(moves),
        sgf=sgf,
        **times,
    )


class GameInProgress:
    """A game in progress."""

    def __init__(self, plan: Plan, game: Game, entry: ScheduledGame, opening: Sequence[int], sides: Sides):
        self.game = game
        self.entry = entry
        self.free_stones = plan.handicap if plan.free_handicap else 0
        self.sides = sides
        self.grace = plan.grace
        self.clocks = (Clock(parse_clock(plan.clock)), Clock(parse_clock(plan.clock))) if plan.clock else None
        self.state = game.new_state()
        self.moves: list[int] = []
        self.words: list[str] = []  # in GTP's
        self.movers: list[int] = []
        self.seconds = [0.0, 0.0]
        self.asked = [0, 0]  # moves, of each side
        self._positions = PositionsSeen(game)
        for move in opening:
            self._make(int(move))

    def play(self) -> tuple[int | None, str, str]:
        """Plays to the end: the winner (0 first, 1 second, None a draw), how it ended, and what went wrong, if anything."""
        blamed = 0
        try:
            if self.free_stones:
                self._place_handicap()
            for blamed in (0, 1):
                self._begin(blamed)
            while not rules.is_over(self.state):
                if len(self.moves) >= self.game.max_plies:
                    return None, TOO_LONG, f"the game did not end within {self.game.max_plies} moves"
                blamed = mover = int(rules.to_play(self.state))
                move = self._ask(mover)
                if move == RESIGN:
                    return 1 - mover, RESIGNED, ""
                cycle = self._make(move)
                if rules.is_over(self.state):
                    break
                if cycle is not None:
                    return winner_of(self.game, self.state) if cycle.passes else None, REPETITION, cycle.text
                for blamed in (mover, 1 - mover):
                    self._tell(blamed, mover, move)
        except Forfeit as forfeit:
            return 1 - blamed, forfeit.kind, " ".join(str(forfeit).split())
        return winner_of(self.game, self.state), SCORE, ""

    def _begin(self, side: int) -> None:
        told = list(zip(self.movers, self.words, strict=True))
        with faults_forfeit():
            self.sides[side].new_game(
                self.game, side, copy_state(self.state), told, game_seed(self.entry.seed, self.entry.number, side)
            )

    def _place_handicap(self) -> None:
        """Black chooses where its stones are; White passes between them."""
        with faults_forfeit():
            chosen = self.sides[0].place_handicap(
                self.game, self.free_stones, game_seed(self.entry.seed, self.entry.number, HANDICAP_STREAM)
            )
        for move in chosen:
            if self.moves:
                self._make(self.game.parse(self.state, PASS))
            assert self.game.board is not None
            if move not in self.game.legal_moves(self.state) or self.game.board.point(self.state, move) is None:
                raise Forfeit("illegal", "no stone can be placed there")
            self._make(move)
        if len(chosen) != self.free_stones:
            raise Forfeit("illegal", f"it has placed {len(chosen)} of {self.free_stones} handicap stones")

    def _ask(self, mover: int) -> int:
        clock = self.clocks[mover] if self.clocks is not None else None
        with faults_forfeit():
            move = self.sides[mover].genmove(self.state, len(self.moves), clock)
        spent = self.sides[mover].thought
        self.seconds[mover] += spent
        self.asked[mover] += 1
        if clock is not None and not clock.spend(spent, self.grace):
            raise Forfeit("time", f"out of time: a move took {spent:.2f} s")
        if move != RESIGN and move not in self.game.legal_moves(self.state):
            raise Forfeit("illegal", f"move {move} is not legal")
        return move

    def _tell(self, side: int, mover: int, move: int) -> None:
        with faults_forfeit():
            self.sides[side].observe(mover, move, self.words[-1])

    def _make(self, move: int) -> Cycle | None:
        """Plays a move; the cycle that it closes, if it does."""
        before = copy_state(self.state)
        self.movers.append(int(rules.to_play(self.state)))
        self.words.append(move_text(self.game, self.state, move))
        self.moves.append(move)
        rules.play(self.state, move)
        return self._positions.add(before, move, self.state)


class faults_forfeit:
    """Turns any other error on a contestant's side into a forfeit: the match goes on."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: Any, error: BaseException | None, _trace: Any) -> None:
        if isinstance(error, Exception) and not isinstance(error, Forfeit):
            name = "" if isinstance(error, UserError) else f"{type(error).__name__}: "
            raise Forfeit("fault", f"{name}{error}"[:300]) from error


def winner_of(game: Game, state: Any) -> int | None:
    """Who has won a game that is over: 0, 1, or None for a draw."""
    outcome = int(rules.outcome(state))
    return None if outcome == game.break_even else 0 if outcome > game.break_even else 1


def record_of(game: Game, moves: Sequence[int], names: tuple[str, str], result: str, comment: str) -> str:
    """The game as SGF text: whether it went to its end or not, and why not."""
    record = Record(game, black=names[0], white=names[1], result=result, comment=comment)
    state = game.new_state()
    for move in moves:
        record.add(int(rules.to_play(state)), move)
        rules.play(state, move)
    return sgf_text([record_tree(record)])
