"""A game between a person and the computer: its position, the computer's moves, its end, its file. Text goes out by `say`."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tesuji.cli import results
from tesuji.core import rules
from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game, State, copy_state
from tesuji.core.limits import Limits
from tesuji.core.numba import worker
from tesuji.core.picture.board import Point
from tesuji.core.words import counted
from tesuji.io.gtp.loading import load_record, record_node
from tesuji.io.gtp.record import PLAY, GameHistory
from tesuji.knowledge.scoring import dead_stones, rule_text, status_for, without_stones
from tesuji.players.levels import FULL, LEVELS, Level, choose_move
from tesuji.players.player import Player
from tesuji.players.presets import DEFAULT
from tesuji.search.engine.tree_search import Result, TreeSearch

if TYPE_CHECKING:
    from tesuji.io.sgf.tree import Node

SIDES = {"first": (True, False), "second": (False, True), "both": (True, True), "none": (False, False)}  # what people play
DEFAULT_LIMITS = Limits(seconds=1.0)
WEAK_TREE_MIB = 64.0

Think = Callable[[TreeSearch, Limits, str], Result]


def just_run(search: TreeSearch, limits: Limits, _title: str) -> Result:
    return search.run(limits)


class GameSession:
    """The state of play. Whoever drives it asks `turn`: the computer's is made by `computer_move`, a person's by `play`."""

    def __init__(
        self,
        game: Game,
        player: Player,
        limits: Limits = DEFAULT_LIMITS,
        level: int = FULL,
        side: str = "first",
        seed: int = 0,
        opening: Sequence[str] = (),
        say: Callable[[str], None] = print,
        think: Think = just_run,
        handicap: int = 0,
    ):
        if game.players == 1 and side == "second":
            raise UserError(f"{game.name} is played by one: --side first, or --side none to see the computer play")
        player.settings_for(game)
        self.player = player
        self.limits = limits
        self.level = level
        self.people = SIDES[side]
        self.seed = seed
        self.say = say
        self.think = think
        self.suggests = False
        self.interrupted = False
        self._random = random.Random(seed)
        self._opening = list(opening)
        self._handicap = handicap
        self._own_files: set[str] = set()  # this game was saved there or loaded from there: `save` may replace them
        self._take(self._new_record(game))

    def _new_record(self, game: Game) -> GameHistory:
        """The game as it begins: with the handicap stones and the moves of the opening, if there are any."""
        record = GameHistory(game)
        if self._handicap:
            record.set_up(dict.fromkeys(handicap_points(game, self._handicap), rules.FIRST), rules.SECOND)
        for number, text in enumerate(self._opening, 1):
            if record.is_over:
                raise UserError(f"move {number} ({text}) comes after the end of the game")
            try:
                record.play_from(record.last, game.parse(record.state, text))
            except UserError as error:
                raise UserError(f"move {number}: {error}") from None
        return record

    def _take(self, record: GameHistory) -> None:
        """Continues with this game. Searches of other positions are dropped."""
        self.record = record
        self._search: TreeSearch | None = None
        self._thought: tuple[State, Result, int] | None = None  # of the computer's last move
        self._proof = ""
        self._resigned: int | None = None
        self._proposed: frozenset[Point] | None = None  # dead stones to agree on
        self._agreed: frozenset[Point] | None = None
        self._settle()
        self._kept = len(record.entries), self.result  # entries and result that need no saving

    def prepare_in_background(self) -> None:
        """Compiles what the computer's moves need while the person thinks, with a search that is not used for them."""
        player, state = self.player.changed({"memory": 1.0}), copy_state(self.state)
        worker.in_background(lambda: player.engine(self.game, state).prepare())

    # -- the position ------------------------------------------------------------------------------------------------
    @property
    def game(self) -> Game:
        return self.record.game

    @property
    def state(self) -> Any:
        return self.record.state

    @property
    def moves(self) -> list[int]:
        return [entry.move for entry in self.record.plays]

    @property
    def is_over(self) -> bool:
        return self.turn == "over"

    @property
    def mover(self) -> int:
        return int(rules.to_play(self.state))

    @property
    def turn(self) -> str:
        """'over', 'agree' (two passes were made, and the score is not agreed on), 'person' or 'computer'."""
        if self._resigned is not None:
            return "over"
        if rules.is_over(self.state):
            return "over" if self._agreed is not None else "agree"
        return "person" if self.people[self.mover] else "computer"

    @property
    def outcome(self) -> float | None:
        """Of a game that was played to its end, for the first player, in points; None before that, and after a resignation."""
        outcome = self._rules_outcome
        return None if outcome is None else self.game.in_points(outcome)

    @property
    def _rules_outcome(self) -> int | None:
        """The outcome as the rules count it."""
        if self._resigned is not None or self._agreed is None or not rules.is_over(self.state):
            return None
        return int(rules.outcome(without_stones(self.game, self.state, self._agreed)))

    @property
    def end_text(self) -> str:
        if self._resigned is not None:
            return f"{self.game.player_names[1 - self._resigned]} wins by resignation"
        outcome = self._rules_outcome
        if outcome is None:
            return "not over yet"
        rule = rule_text(self.game, self._agreed or (), status_for(self.game) is not None)
        return results.end_text(self.game, outcome) + (f"; {rule}" if rule else "")

    @property
    def result(self) -> str:
        """As game records have it: B+3.5, W+R; '' while the game goes on."""
        if self._resigned is not None:
            return f"{'WB'[self._resigned]}+R"
        if self.outcome is None or self.game.players == 1:
            return ""
        return self.game.result(without_stones(self.game, self.state, self._agreed or ()))

    @property
    def is_unsaved(self) -> bool:
        """Whether leaving would lose moves or the result."""
        entries, result = self._kept
        return any(self.people) and (len(self.record.entries) > entries or self.result not in ("", result))

    def prompt(self) -> str:
        if self.turn == "agree":
            return "agree, or play on> "
        if self.is_over:
            return "game over (new, undo or quit)> "
        return f"{self.game.player_names[self.mover]} to move> "

    def show(self) -> None:
        self.say("")
        self.say(self.game.drawing(self.state))
        captured = self._captures()
        if any(captured):
            first, second = self.game.player_names
            self.say(f"captured by {first}: {captured[0]}, by {second}: {captured[1]}")
        self.say("")
        if self.turn == "agree":
            self._show_proposal()
        elif self.is_over:
            self.say(f"The game is over: {self.end_text}.")

    def move_texts(self) -> list[str]:
        """All moves since the start, in the game's notation."""
        entries = self.record.entries
        return [
            self.game.text(entries[number].state, entry.move) for number, entry in enumerate(entries[1:]) if entry.kind == PLAY
        ]

    def _captures(self) -> tuple[int, int]:
        """The stones that each player has taken."""
        taken = [0, 0]
        entries = self.record.entries
        for before, entry in pairwise(entries):
            if entry.kind == PLAY:
                taken[entry.mover] += self._taken(before.state, entry.state, entry.mover)
        return taken[0], taken[1]

    def _taken(self, before: State, after: State, mover: int) -> int:
        """How many of the opponent's stones a move took off the board."""
        board = self.game.board
        if board is None or not board.captures or self.game.players == 1:
            return 0
        old, new = board.stones(before), board.stones(after)
        return sum(owner != mover for owner in old.values()) - sum(owner != mover for owner in new.values())

    # -- moving ------------------------------------------------------------------------------------------------------
    def play(self, move: int) -> None:
        before, mover = self.state, self.mover
        self.record.play_from(self.record.last, move)
        if self._search is not None:
            self._search.advance(move)
        taken = self._taken(before, self.state, mover)
        self._last_words = f", taking {taken} {'stone' if taken == 1 else 'stones'}" if taken > 0 else ""
        self._settle()

    def _settle(self) -> None:
        """After the last move: is there a score to agree on? Dead stones are estimated, so a person is asked even if none are
        found; without a person nobody objects."""
        self._proposed = self._agreed = None
        if not rules.is_over(self.state):
            return
        status = status_for(self.game)
        if status is None:
            self._agreed = frozenset()
            return
        self._proposed = frozenset(dead_stones(self.game, self.state, status))
        if not any(self.people):
            self._agreed = self._proposed

    def computer_move(self) -> int:
        """Searches as the level says, plays, and reports its move and what it has proven."""
        level = LEVELS[self.level]
        name = self.game.player_names[self.mover]
        limits, title = level.limits(self.limits), f"{name} thinks"
        search = self._kept_search() if level.keeps_tree else self._weak_search(level)
        result = self.think(search, limits, title)
        self.interrupted = result.interrupted
        move = choose_move(level, result, self.game, self._random)
        if move is None:
            move = self.game.legal_moves(self.state)[0]
        known = f", {results.best_text(self.game, result)} for {name}" if level.keeps_tree and self.game.players == 2 else ""
        state, text = self.state, self.game.text(self.state, move)
        self.play(move)
        self._thought = state, result, move
        done = f"{name} passes" if text.lower() == "pass" else f"{name} plays {text}{self._last_words}"
        self.say(f"{done}  ({counted(result.playouts, 'playout')}{known})")
        self._tell_proof(result)
        return move

    @property
    def opponent(self) -> Player:
        """The player at the current level."""
        return self._player_at(LEVELS[self.level])

    def _player_at(self, level: Level) -> Player:
        """Alpha-beta counts no visits to draw a move by: at weak levels the tree search stands in."""
        return DEFAULT if self.player.alphabeta and not level.keeps_tree else self.player

    def _weak_search(self, level: Level) -> TreeSearch:
        """A search whose tree is used for one move only."""
        player = self._player_at(level)
        settings = player.settings_for(self.game)
        changes = {"memory": min(WEAK_TREE_MIB, settings["memory"]), "threads": 1}
        changes |= {} if level.proves else {"solver": "off"}
        weak = player.overridden({name: value for name, value in changes.items() if name in settings})
        return weak.engine(self.game, self.state, self._random.getrandbits(63))

    def _kept_search(self) -> TreeSearch:
        """The search at full strength, in the tree that goes along with the game."""
        search: TreeSearch = self._search or self.player.engine(self.game, self.state, self.seed)
        self._search = search
        return search

    def hints(self) -> Result:
        """What the search at full strength thinks of the moves, after some more time. For alpha-beta,
        which compares no moves, the tree search stands in."""
        search = DEFAULT.engine(self.game, self.state, self.seed) if self.player.alphabeta else self._kept_search()
        result = self.think(search, self.limits, "hint")
        self._tell_proof(result)
        return result

    def _tell_proof(self, result: Result) -> None:
        text = results.bounds_text(self.game, result.lower, result.upper) if result.proven else ""
        if text and text != self._proof:
            self.say(f"Proven: {text}.")
            self._proof = text

    # -- the end of a game -------------------------------------------------------------------------------------------
    def _show_proposal(self) -> None:
        """The stones that are judged dead, by colour, and the score without them."""
        board = self.game.board
        assert board is not None and self._proposed is not None
        stones = board.stones(self.state)
        if not self._proposed:
            self.say("No stones are judged dead.")
        for owner, name in enumerate(self.game.player_names):
            points = sorted(point for point in self._proposed if stones.get(point) == owner)
            if points:
                self.say(f"dead {name} stones: {' '.join(self._point_text(point) for point in points)}")
        end = without_stones(self.game, self.state, self._proposed)
        score = results.end_text(self.game, int(rules.outcome(end)))
        self.say(f"The score{' without them' if self._proposed else ''}: {score}.")
        self.say("Type agree to end the game so, or play on.")

    def _point_text(self, point: Point) -> str:
        """As the game writes a move there."""
        board = self.game.board
        start = self.game.initial
        moves = self.game.legal_moves(start)
        return next((self.game.text(start, move) for move in moves if board and board.point(start, move) == point), str(point))

    def _continue_with(self, record: GameHistory) -> None:
        """Continues with a changed version of this game, which is not saved yet."""
        kept, result = self._kept
        self._take(record)
        self._kept = min(kept, len(record.entries) - 1), result
        self.show()

    # -- files -------------------------------------------------------------------------------------------------------
    def node(self) -> Node:
        """The game as SGF has it."""
        names = ["person" if plays else f"tesuji ({self.player.name}, level {self.level})" for plays in self.people]
        return record_node(self.record, self.result, (names[0], names[1]))

    def save(self, path: str, replace: bool = False) -> None:
        """Writes the game. A file that exists stays as it is unless it is to be replaced, or holds this game."""
        from tesuji.core.files import check_can_write, real_path
        from tesuji.io.sgf import save_sgf
        from tesuji.io.sgf.tree import SGF

        check_can_write(path, SGF)
        real = real_path(path)
        if not replace and real not in self._own_files and os.path.exists(real):
            raise UserError(f"{path} exists already; name another file, or type: save! {path}")
        save_sgf(path, [self.node()])
        self._own_files.add(real)
        self._kept = len(self.record.entries), self.result
        self.say(f"saved: {path}")

    def load(self, path: str) -> None:
        """Goes on with the first game of an SGF file, from its end."""
        from tesuji.core.files import real_path
        from tesuji.io.sgf import load_sgf

        record = load_record(self.game, path, None)
        self.player.settings_for(record.game)
        self._handicap, self._opening = 0, []
        self._take(record)
        only_game = len(load_sgf(path)) == 1  # else saving would lose the others
        self._own_files = {real_path(path)} if only_game else set()


def handicap_points(game: Game, count: int) -> list[Point]:
    """Where the stones go; a UserError if the game, or its board, has no such handicap."""
    if game.board is None or game.board.handicap is None or game.board.set_up is None:
        raise UserError(f"{game.name} has no handicap stones")
    return game.board.handicap(count)


def with_komi(game: Game, text: str) -> Game:
    """The game with another komi; a UserError if it has none, or not this one."""
    if "komi" not in game.extra or game.vary is None:
        raise UserError(f"{game.name} has no komi")
    try:
        komi = float(text)
    except ValueError:
        raise UserError(f"komi {shortened(text, quoted=True)} is not a number, as in 6.5") from None
    return game.vary(komi=komi)
