"""A player's search of a position, as Python programs use it: moves are texts, results are in the game's own units.

The work is done in a thread of its own. KeyboardInterrupt comes to the main thread only, so it never finds the tree half
changed: the thread ends its slice, what was done is kept, and the exception goes on to the caller. No signal handler is
touched.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.position import Position
from tesuji.games.registry import find_game
from tesuji.search.analysis import Analysis, analysis_of
from tesuji.search.engine import TreeSearch
from tesuji.search.nodes import TreeNode, View
from tesuji.search.origin import position_of_origin

if TYPE_CHECKING:
    from tesuji.players.player import Player

POLL_SECONDS = 0.1
T = TypeVar("T")


class Search:
    """A search of one position that can be run again and again, moved along with the game, walked, saved and loaded."""

    def __init__(self, player: Player, position: Position, engine: Any, seed: int = 0):
        self.player = player
        self.seed = seed
        self._position = position
        self._engine = engine
        self._view: View | None = None
        self._ended = threading.Event()  # whether the last piece of work has ended
        self._ended.set()

    @property
    def position(self) -> Position:
        """The position that is searched."""
        return self._position

    def __repr__(self) -> str:
        return f"<Search by {self.player.name} of {self._position!r}: {self._engine.playouts} playouts>"

    # -- running -----------------------------------------------------------------------------------------------------
    def run(
        self,
        *,
        playouts: int | None = None,
        seconds: float | None = None,
        on_progress: Callable[[Analysis], object] | None = None,
    ) -> Analysis:
        """Searches on: so many playouts more, or so long, or until nothing is left to find. Returns what is known then.

        Without limits those of the player hold, as in `tesuji.player("uct", playouts=1000)`. `on_progress` gets an Analysis
        without moves about five times a second. KeyboardInterrupt reaches the caller; the search can then be used as before.
        """
        limits = limits_of(playouts, seconds)
        limits = self.player.limits if limits == Limits() else limits
        if limits == Limits():
            raise UserError("say how long to search: run(playouts=10_000) or run(seconds=2)")
        return self.run_within(limits, on_progress)

    def run_within(self, limits: Limits, on_progress: Callable[[Analysis], object] | None = None) -> Analysis:
        """The same with Limits, which may also be none: then only a proof ends it."""
        if not self._position.is_over:
            self.prepare()

        def work(tell: Callable[[Any], None]) -> Analysis:
            self._outdate_nodes()
            position = self._position

            def progress(result: Any) -> None:
                tell(analysis_of(position, result))

            return analysis_of(position, self._engine.run(limits, progress if on_progress is not None else None))

        return self._apart(work, on_progress)

    def prepare(self) -> None:
        """Compiles what a run needs, or loads it from the cache, which a run does first if it was not done before."""
        self._engine.prepare()  # the compiler has a thread of its own, for which KeyboardInterrupt does not wait

    def stop(self) -> None:
        """Ends the run that is under way in another thread: it returns what is known by then."""
        self._engine.stop()

    def analysis(self) -> Analysis:
        """What is known now, without searching on."""
        return self._apart(lambda _tell: analysis_of(self._position, self._engine.result()))

    def play(self, *moves: str | int) -> None:
        """Makes these moves and keeps the part of the tree below them (unless the player's `reuse_tree` is off)."""

        def work(_tell: Callable[[Any], None]) -> None:
            target = self._position.play(*moves)  # all of them, or none
            self._outdate_nodes()
            for number in target.move_numbers[len(self._position.move_numbers) :]:
                self._engine.advance(number)
            self._position = target

        self._apart(work)

    def _apart(self, work: Callable[[Callable[[Any], None]], T], on_message: Callable[[Any], object] | None = None) -> T:
        """Does the work in a thread and waits. What it tells is handed to `on_message` here, in the caller's thread.

        After KeyboardInterrupt, or an error in `on_message`, the thread is asked to stop and waited for. A second
        KeyboardInterrupt waits no longer: until the thread has ended the search is busy.
        """
        if not self._ended.is_set():
            raise UserError("this search is busy: a run of it is under way in another thread")
        self._ended = ended = threading.Event()
        messages: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()

        def do() -> None:
            try:
                last = ("done", work(lambda message: messages.put(("told", message))))
            except BaseException as error:
                last = ("failed", error)
            ended.set()
            messages.put(last)

        thread = threading.Thread(target=do, name="tesuji search", daemon=True)
        try:
            thread.start()
            kind, value = _last_message(thread, messages, on_message)
        except BaseException:
            if thread.ident is None:  # it has not even begun
                ended.set()
            elif not ended.is_set():
                self._engine.stop()
                _last_message(thread, messages)
            self._engine.forget_stop()
            raise
        if kind == "failed":
            raise value
        return value

    # -- the tree ----------------------------------------------------------------------------------------------------
    @property
    def tree(self) -> TreeNode:
        """The root of the tree as it is now. Its nodes can be read until the search runs on or a move is played."""
        if self._view is None:
            self._view = View(self.tree_search("the tree cannot be walked"), self._position)
        return self._view.root

    def _outdate_nodes(self) -> None:
        if self._view is not None:
            self._view.is_current = False
        self._view = None

    def save(self, path: str | Path) -> None:
        """Writes the search to a file; `tesuji.load(path)` goes on with it."""
        self.tree_search("the search cannot be saved").save(path)

    def tree_search(self, why: str) -> Any:
        if self.player.alphabeta:
            raise UserError(f"{why}: the player {self.player.name} searches by alpha-beta, which keeps no tree")
        return self._engine


def _last_message(
    thread: threading.Thread, messages: queue.SimpleQueue[tuple[str, Any]], on_message: Callable[[Any], object] | None = None
) -> tuple[str, Any]:
    """Waits for the last message of a thread; those before go to `on_message`."""
    while True:
        try:
            kind, value = messages.get(timeout=POLL_SECONDS)  # a wait without end could not be interrupted everywhere
        except queue.Empty:
            if not thread.is_alive() and messages.empty():  # it was taken, and lost, as an exception came
                return "failed", RuntimeError("the thread of the search has died")
            continue
        if kind != "told":
            return kind, value
        if on_message is not None:
            on_message(value)


def position_of(given: Position | Game | str) -> Position:
    """The position itself, or the start of a game that is given or named."""
    if isinstance(given, Position):
        return given
    if isinstance(given, str):
        return find_game(given).start
    if isinstance(given, Game):
        return given.start
    raise UserError(f"a position, a game, or a game string as in 'connect4:7x6' is needed, not {type(given).__name__}")


def limits_of(playouts: int | None, seconds: float | None) -> Limits:
    """Limits from what a program gives, which may be of any type."""
    try:
        whole = None if playouts is None else int(playouts)
        time = None if seconds is None else float(seconds)
    except (TypeError, ValueError, OverflowError):
        raise UserError(f"playouts={playouts!r}, seconds={seconds!r}: numbers are needed") from None
    if whole != playouts:
        raise UserError(f"playouts={playouts} is not a whole number")
    return Limits(time, whole)


def load_search(path: str | Path, game: Game | None = None, files: Mapping[str, Any] | None = None) -> Search:
    """The search in a file that `Search.save` has written, exactly as it was.

    A game of your own must be given, and so must the parameters that name files, such as `weights`: a file is never opened, let
    alone run, because another one names it.
    """
    from tesuji.players.player import Player, search_from

    engine = TreeSearch.load(path, search_from, game, files)
    player = Player("saved", values=dict(engine.settings))
    return Search(player, position_of_origin(engine.game, engine.origin), engine, engine.seed)
