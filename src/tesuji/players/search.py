"""A player's search of a position, as Python programs use it: moves are texts, results are in the game's own units.

The work is done in a thread of its own. KeyboardInterrupt comes to the main thread only, so it never finds the tree half
changed: the thread ends its slice, what was done is kept, and the exception goes on to the caller. No signal handler is
touched.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tesuji.core.arguments import file_name
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.position import Position
from tesuji.games.registry import find_game
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.files.origin import position_of_origin
from tesuji.search.report.analysis import Analysis, analysis_of
from tesuji.search.report.nodes import TreeNode, View

if TYPE_CHECKING:
    from tesuji.players.player import Player

POLL_SECONDS = 0.1
T = TypeVar("T")


class StopRequest:
    """Stops one run and no other. `stop` may be called at any time, by any thread or signal handler: it takes no lock."""

    def __init__(self, search: Search):
        self.asked = False
        self._search = search

    def stop(self) -> None:
        self.asked = True  # first: work that begins just now says so, and then looks here
        if self._search._at_work is self:
            self._search._engine.stop()


class _Cancelled(Exception):
    """The caller waits for the result no longer."""


class Search:
    """A search of one position that can be run again and again, moved along with the game, walked, saved and loaded."""

    def __init__(self, player: Player, position: Position, engine: Any, seed: int = 0):
        self.player = player
        self.seed = seed
        self._position = position
        self._engine = engine
        self._view: View | None = None
        self._busy = threading.Lock()  # held by the thread that works on the tree
        self._at_work: StopRequest | None = None  # that of the thread that holds the lock
        self._preparing = threading.Lock()
        self._requests: list[StopRequest] = []  # of the calls of `run` under way

    @property
    def position(self) -> Position:
        """The position that is searched."""
        return self._position

    @property
    def engine(self) -> Any:
        """What does the work, in which moves are numbers: a TreeSearch or AlphaBeta. To be used by `work` of `apart` alone."""
        return self._engine

    def outdate_nodes(self) -> None:
        """Nodes of the tree that were handed out cannot be used any more: for `work` of `apart` that changes the tree."""
        self._outdate_nodes()

    def __repr__(self) -> str:
        return f"<Search by {self.player.name} of {self._position!r}: {self._engine.playouts} playouts>"

    # -- running -----------------------------------------------------------------------------------------------------
    def run(
        self,
        *,
        playouts: int | None = None,
        seconds: float | None = None,
        cpu: float | None = None,
        on_progress: Callable[[Analysis], object] | None = None,
    ) -> Analysis:
        """Searches on: so many playouts more, or so long, or until nothing is left to find. Returns what is known then.

        `cpu` is in seconds of CPU time, of all threads of the search together: other programs on the machine do not count.

        Without limits those of the player hold, as in `tesuji.player("uct", playouts=1000)`. `on_progress` gets an Analysis
        without moves about five times a second. KeyboardInterrupt reaches the caller; the search can then be used as before.
        """
        limits = Limits(seconds, playouts, cpu)
        limits = self.player.limits if limits == Limits() else limits
        if limits == Limits():
            raise UserError("say how long to search: run(playouts=10_000) or run(seconds=2)")
        return self.run_within(limits, on_progress)

    def run_within(
        self,
        limits: Limits,
        on_progress: Callable[[Analysis], object] | None = None,
        request: StopRequest | None = None,
    ) -> Analysis:
        """The same with Limits, which may also be none: then only a proof ends it.

        Who must be able to stop it before it has even begun makes the `request` beforehand, by `stop_request`.
        """
        request = self.stop_request() if request is None else request

        def work(tell: Callable[[Any], None]) -> Analysis:
            self._outdate_nodes()
            position = self._position

            def progress(result: Any) -> None:
                tell(analysis_of(position, result))

            return analysis_of(position, self._engine.run(limits, progress if on_progress is not None else None))

        try:
            self._requests.append(request)
            if not self._position.is_over:
                self.prepare()
            return self.apart(work, on_progress, request)
        finally:
            with contextlib.suppress(ValueError):  # KeyboardInterrupt may have come before it was there
                self._requests.remove(request)

    def prepare(self) -> None:
        """Compiles what a run needs, or loads it from the cache, which a run does first if it was not done before."""
        with self._preparing:
            self._engine.prepare()  # the compiler has a thread of its own, for which KeyboardInterrupt does not wait

    def stop(self) -> None:
        """Ends the run that is under way in another thread: it returns what is known by then. Without one, nothing happens."""
        for request in list(self._requests):
            request.stop()

    def stop_request(self) -> StopRequest:
        """For `run_within`: a request to stop that run, which can be made before the run begins."""
        return StopRequest(self)

    def analysis(self) -> Analysis:
        """What is known now, without searching on."""
        return self.apart(lambda _tell: analysis_of(self._position, self._engine.result()))

    def play(self, *moves: str | int) -> None:
        """Makes these moves and keeps the part of the tree below them (unless the player's `reuse_tree` is off)."""

        def work(_tell: Callable[[Any], None]) -> None:
            target = self._position.play(*moves)  # all of them, or none
            self._outdate_nodes()
            for number in target.move_numbers[len(self._position.move_numbers) :]:
                self._engine.advance(number)
            self._position = target

        self.apart(work)

    def apart(
        self,
        work: Callable[[Callable[[Any], None]], T],
        on_message: Callable[[Any], object] | None = None,
        request: StopRequest | None = None,
    ) -> T:
        """Does the work in a thread and waits. What it tells is handed to `on_message` here, in the caller's thread.

        The thread holds the lock while it works: it is taken and given back where no KeyboardInterrupt can come. After
        KeyboardInterrupt, or an error in `on_message`, the thread is asked to stop and waited for. A second KeyboardInterrupt
        waits no longer: until the thread has ended the search is busy.
        """
        request = StopRequest(self) if request is None else request
        messages: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        cancelled = False

        def tell(message: Any) -> None:
            if cancelled:
                raise _Cancelled
            messages.put(("told", message))

        def do() -> None:
            if not self._busy.acquire(blocking=False):
                messages.put(("failed", UserError("this search is busy: a run of it is under way")))
                return
            try:
                self._engine.forget_stop()  # one that came too late for the work before
                self._at_work = request
                if cancelled:
                    raise _Cancelled
                if request.asked:
                    self._engine.stop()
                last = ("done", work(tell))
            except BaseException as error:
                last = ("failed", error)
            finally:
                self._at_work = None
                self._busy.release()
            messages.put(last)

        thread = threading.Thread(target=do, name="tesuji search", daemon=True)
        try:
            thread.start()
            kind, value = _last_message(thread, messages, on_message)
        except BaseException:
            cancelled = True  # a thread that has not begun does nothing
            request.stop()
            _last_message(thread, messages)
            raise
        if kind == "failed":
            raise value
        return value

    # -- the tree ----------------------------------------------------------------------------------------------------
    @property
    def tree(self) -> TreeNode:
        """The root of the tree as it is now. Its nodes can be read until the search runs on or a move is played."""
        view = self._view
        return self.apart(self._new_view).root if view is None else view.root

    def _new_view(self, _tell: Callable[[Any], None]) -> View:
        self._view = View(self.tree_search("the tree cannot be walked"), self._position)
        return self._view

    def _outdate_nodes(self) -> None:
        if self._view is not None:
            self._view.is_current = False
        self._view = None

    def save(self, path: str | Path) -> None:
        """Writes the search to a file; `tesuji.load(path)` goes on with it, `tesuji.load(path, game)` if the game is yours."""
        name = file_name(path)
        engine = self.tree_search("the search cannot be saved")
        self.apart(lambda _tell: engine.save(name))

    def save_proofs(self, path: str | Path) -> int:
        """Writes the positions that are proven, or bounded, to a file for `load_proofs`; returns how many there are."""
        from tesuji.search.files.proof_table import save_known

        name, engine = file_name(path), self.tree_search("there are no proofs to save")
        return self.apart(lambda _tell: save_known(engine, name))

    def load_proofs(self, path: str | Path) -> tuple[int, int]:
        """Takes over what an earlier search of the same game has proven; returns how many positions are known then, and how
        many the file has: there may be more than the memory has room for.

        The file is taken at its word. A certificate of the result does not rest on it.
        """
        from tesuji.search.files.proof_table import load_known

        name, engine = file_name(path), self.tree_search("proofs cannot be used")
        return self.apart(lambda _tell: load_known(engine, name))

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


def load_search(
    path: str | Path, game: Game | None = None, files: Mapping[str, Any] | None = None, memory: float | None = None
) -> Search:
    """The search in a file that `Search.save` has written, exactly as it was, as far as its tree shows what it says.

    A game of your own must be given, and so must the parameters that name files, such as `weights`: a file is never opened, let
    alone run, because another one names it.
    """
    from tesuji.players.player import Player, search_from

    engine = TreeSearch.load(file_name(path), search_from, game, files, memory)
    player = Player("saved", values=dict(engine.settings))
    return Search(player, position_of_origin(engine.game, engine.origin), engine, engine.seed)
