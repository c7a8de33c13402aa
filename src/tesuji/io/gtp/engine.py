"""The engine behind the protocol: the game being played, the clock, the player and its search."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from threading import Event
from typing import TYPE_CHECKING, Any

from tesuji.core.errors import UserError
from tesuji.core.game import Game, State
from tesuji.core.limits import Limits
from tesuji.core.parameters import Declaration, Parameter, check_names_no_file
from tesuji.core.position import Position
from tesuji.io.gtp.clock import GtpClock
from tesuji.io.gtp.moves import move_text, with_plain_vertices
from tesuji.io.gtp.protocol import COLOUR_NAMES, GtpError, colour
from tesuji.knowledge.scoring import Status, dead_stones
from tesuji.play.explanation import Thought
from tesuji.play.game import GameInPlay, Score, score_of
from tesuji.play.opponent import FollowedSearch, Pace
from tesuji.play.time_plan import TimeLeft
from tesuji.play.tree import MoveTree
from tesuji.players.player import Player

if TYPE_CHECKING:
    from tesuji.search.engine.tree_search import Result, TreeSearch

ENGINE = Declaration(
    Parameter("playouts", 0, "playouts a move; 0 = no limit", 0, 1 << 62),
    Parameter("seconds", 0.0, "seconds a move, where no clock runs; 0 = no limit", 0.0, 1e9),
    Parameter("cpu", 0.0, "seconds of CPU time a move, of all threads together; 0 = no limit", 0.0, 1e9),
    Parameter("ponder", 0.0, "seconds that it goes on thinking, at most, while the opponent thinks", 0.0, 1e9),
)
DEFAULT_SECONDS = 1.0  # a move, when neither a clock nor the player says
PONDER_SECONDS = 0.05  # between two looks at the input while the opponent thinks


class Interrupted(Exception):
    """Ends a run of the search from its progress report."""


class Engine:
    """`has_input` and `is_interrupted` are set by whoever reads the input, anew for each command.

    `stopping(stop)` is a context in which Ctrl-C calls `stop`; without one it raises KeyboardInterrupt.
    """

    def __init__(self, game: Game, player: Player, seed: int | None = None, status: Status | None = None):
        self.played = GameInPlay(MoveTree(game.start))
        self.player = player
        self.status = status
        self.for_gogui = False
        self.clock = GtpClock()
        self.settings = ENGINE.settings(player.limits.values())
        self.has_input: Callable[[], bool] = lambda: True
        self.is_interrupted: Callable[[], bool] = lambda: False
        self.wait: Callable[[float], None] = time.sleep
        self.stopping: Callable[[Callable[[], None]], Any] = lambda _stop: contextlib.nullcontext()  # what Ctrl-C does in a run
        self._seed = int.from_bytes(os.urandom(4), "big") if seed is None else seed
        self._searches = 0
        self._pace = Pace()
        self._followed = FollowedSearch()
        self._own_move: Position | None = None  # after the last move that it made itself
        self._final: tuple[Position, Score] | None = None  # of the last position that was scored
        self._plain: tuple[Game, Game] | None = None  # a game, and as GoGui knows it
        self.check(game)

    # -- the game ----------------------------------------------------------------------------------------------------
    @property
    def game(self) -> Game:
        """For GoGui, whose only names of columns are GTP's letters, with these on every board."""
        game = self.played.game
        if not self.for_gogui:
            return game
        if self._plain is None or self._plain[0] is not game:
            self._plain = game, with_plain_vertices(game)
        return self._plain[1]

    @property
    def state(self) -> State:
        return self.played.state

    @property
    def search(self) -> TreeSearch | None:
        """The search that is kept, if there is one."""
        kept = self._followed.search
        return None if kept is None else kept.engine

    def colour(self, text: str) -> int:
        return colour(text, self.game.player_names)

    def new_game(self, game: Game | None = None) -> None:
        """An empty board, all the time on the clock."""
        self.played = GameInPlay(MoveTree((self.played.game if game is None else game).start))
        self.drop_search()
        self.clock.restart()

    def replay_in(self, game: Game) -> None:
        """The moves so far, by other rules."""
        self.check(game)
        if game.name != self.game.name:
            try:
                self.played = self.played.replayed_in(game)
            except UserError as error:
                raise GtpError(f"{error}; clear_board first") from None

    def turned_to(self, colour: int) -> Position:
        """The position from which that colour can move, as GTP lets one colour move twice; a GtpError if it cannot."""
        played = self.played
        if self.game.players == 1 and colour != 0:
            raise GtpError(f"illegal move: {self.game.name} is played by {COLOUR_NAMES[0]} alone")
        position = played.turned_to(colour)
        if position is None and played.position.is_over:
            raise GtpError("illegal move: the game is over")
        if position is None:
            raise GtpError(f"illegal move: it is {COLOUR_NAMES[played.to_move]}'s turn")
        return position

    def undo(self, count: int = 1) -> None:
        """Takes back moves. Stones that were set up are no move."""
        before = self.played.before_moves(count)
        if before is None:
            raise GtpError("cannot undo")
        self.played.take_back(before)

    def final(self) -> Score:
        """The score of the present position, without its dead stones. Whoever asks again gets the same answer at once."""
        position = self.played.position
        if self._final is None or self._final[0] != position:
            dead = dead_stones(position.game, position.state, self.status)
            self._final = position, score_of(position, dead)
        return self._final[1]

    def check(self, game: Game, player: Player | None = None) -> None:
        """A UserError now, and not at the next move, if the player (this one, or another) cannot play the game.

        It may be made for another game, its parameters may not go together, or its memory may not do for this board. Making
        a search finds all of that; the memory is not touched.
        """
        player = self.player if player is None else player
        try:
            player.engine(game)
        except MemoryError:
            memory = player.settings_for(game)["memory"]
            raise UserError(f"memory={memory:g} MiB is more than this machine can give") from None

    # -- parameters --------------------------------------------------------------------------------------------------
    def parameters(self) -> list[tuple[Parameter, Any]]:
        """Every parameter with its value now: those of this engine, then those of the search."""
        own, search = self.settings, self.player.settings_for(self.game)
        return [
            *((p, own[name]) for name, p in own.parameters.items()),
            *((p, search[name]) for name, p in search.parameters.items()),
        ]

    def set_parameter(self, name: str, text: str) -> None:
        """Sets a parameter within its declared range. The search starts anew if it is one of its own."""
        if name.replace("-", "_") in ENGINE:
            self.settings = self.settings.changed_by({name: text})
            return
        if name.replace("-", "_") not in self.player.declaration_for(self.game):
            raise self.unknown_parameter(name)
        check_names_no_file(self.player.declaration_for(self.game).all()[name.replace("-", "_")], text)
        player = self.player.overridden({name: text})
        self.check(self.game, player)
        self.player = player
        self.drop_search()

    def unknown_parameter(self, name: str) -> UserError:
        """Why there is no such parameter now, and which there are."""
        settings, key = self.player.settings_for(self.game), name.replace("-", "_")
        if key in settings.declaration:
            return settings.unknown(key)
        known = ", ".join(p.name for p, _ in self.parameters())
        return GtpError(f"there is no parameter {name[:40]!r}; there are: {known}")

    def limits(self, left: TimeLeft | None = None) -> Limits:
        """The player's limits, and what the clock allows, if it runs; with neither, the default, a second."""
        own = Limits(*(self.settings[name] or None for name in ("seconds", "playouts", "cpu")))
        if left is not None:
            return self._pace.limits(own, left, self.game, self.played.node.ply)
        return Limits(seconds=DEFAULT_SECONDS) if own == Limits() else own

    # -- thinking ----------------------------------------------------------------------------------------------------
    def set_seed(self, seed: int) -> None:
        """The searches to come are seeded from this."""
        self._seed, self._searches = seed, 0
        self.drop_search()

    def drop_search(self) -> None:
        self._followed.drop()

    def _new_seed(self) -> int:
        self._searches += 1
        return self._seed + self._searches - 1

    def search_at(self, position: Position) -> TreeSearch:
        """The search of the position: the kept one, moved along with the game if it can be, or a new one."""
        return self._followed.at(position, self.player, self._new_seed).engine

    def restricted_search(self, position: Position, depths: dict[tuple[int, int], int]) -> TreeSearch:
        """A new search of the position without some moves (`TreeSearch.bar`). It is not kept: what it finds does not hold for
        the whole game."""
        if self.player.alphabeta:
            raise GtpError(f"the player {self.player.name} cannot leave moves out: it is no tree search")
        self.drop_search()  # its memory is free for this one
        search = self.player.engine(position.game, position.state, self._new_seed())
        search.bar(depths)
        return search

    def kept_result(self) -> Result | None:
        """What the kept search knows of the present position, if it is there and has seen it."""
        position = self.played.position
        if not self._followed.leads_to(position, self.player):
            return None
        result = self.search_at(position).result()
        return result if result.proven or any(report.visits > 0 for report in result.moves) else None

    def run(self, search: TreeSearch, limits: Limits, until_input: bool = False) -> Result:
        """Runs the search; GoGui's interrupt (and, if asked for, any input) ends it with what it has."""

        def look(_result: Result) -> None:
            if self.is_interrupted() or (until_input and self.has_input()):
                raise Interrupted

        try:
            with self.stopping(search.stop):
                return search.run(limits, look)
        except Interrupted:
            return search.result()
        except BaseException:
            self.drop_search()
            raise

    def run_on(self, search: TreeSearch, limits: Limits, until_input: bool = False, widening: float = 0.0) -> Result:
        """One part of a longer run: it must not end early because nothing can change any more within this part.

        An analysis asks for a `widening` of the root besides, which the search does without when it thinks about a move.
        """
        answer = search.answer
        search.answer = answer._replace(stop_early=False, extend_unstable=0.0)
        before = search.widen_root(widening) if widening > 0.0 else None
        try:
            return self.run(search, limits, until_input)
        finally:
            search.answer = answer
            if before is not None:
                search.widen_root(before)

    def ponder(self) -> None:
        """Goes on thinking after its own move, until a line arrives. The next search begins with what this one leaves."""
        position, seconds = self.played.position, self.settings["ponder"]
        if seconds == 0.0 or position != self._own_move or position.is_over or self.has_input():
            return
        search, asked = self.search_at(position), Event()
        answer = search.answer
        search.answer = answer._replace(stop_early=False, extend_unstable=0.0)
        end = time.perf_counter() + seconds
        try:
            with self.stopping(asked.set):
                while not (self.has_input() or asked.is_set() or search.is_finished()):
                    left = end - time.perf_counter()
                    if left <= 0:
                        break
                    search.run(Limits(seconds=min(PONDER_SECONDS, left)), with_moves=False)
        finally:
            search.answer = answer

    def start_clock(self, clock: GtpClock) -> None:
        """Goes by this clock. What a search needs is compiled, or loaded, before it runs."""
        self.clock = clock
        if clock.is_running:
            small = {"memory": 1.0} if "memory" in self.player.settings_for(self.game) else {}
            self.player.overridden(small).engine(self.game).prepare()

    def think(self, position: Position, colour: int) -> tuple[TreeSearch, Limits]:
        """The search of the position, compiled, and the limits of one move."""
        search = self.search_at(position)
        search.prepare()
        return search, self.limits(self.clock.left(colour))

    def note_time(self, colour: int, limits: Limits, seconds: float) -> None:
        """After a move: our own count of the clock, and how much longer than planned it took, for the next plan."""
        if self.clock.is_running:
            self.clock.spend(colour, seconds)
        self._pace.took(limits, seconds)

    def choose(self, result: Result) -> str | int:
        """The move to play, or 'resign'."""
        if result.best_move is None:
            raise GtpError("the game is over")
        threshold = float(self.player.settings_for(self.game).get("resign", 0.0))
        return "resign" if self.game.players == 2 and result.is_hopeless(threshold) else result.best_move

    def stone_move(self, result: Result, position: Position) -> int:
        """The best move that puts a stone on the board; a pass only if there is no other."""
        if result.best_move is None:
            raise GtpError("the game is over")
        board, state = self.game.board, position.state
        ranked = [report.move for report in result.moves] or self.game.legal_moves(state)
        placed = [move for move in ranked if board is None or board.point(state, move) is not None]
        return placed[0] if placed else result.best_move

    def commit(self, position: Position, move: int, result: Result) -> str:
        """Plays the move that a search has found in a position that `turned_to` gave, and returns its text."""
        self.played.play_from(position, move, Thought(position, result, move).lines())
        self._own_move = self.played.position
        return move_text(self.game, position.state, move)


def best_chance(result: Result) -> float:
    """The mover's chance with the best move."""
    return result.chance(result.best_value)


def black_advantage(result: Result, value: float) -> float:
    """A value as a number from -1 (White wins) to 1 (Black wins)."""
    chance = result.chance(value)
    return 2.0 * (chance if result.to_move == 0 else 1.0 - chance) - 1.0
