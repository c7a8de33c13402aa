"""A player's search of a position, as Python programs use it: moves are texts, results are in the game's own units.

The work is done in a separate thread. Since KeyboardInterrupt is raised in the main thread only, it never leaves the tree half
changed: the thread finishes its slice, its results stay in the tree, and the exception reaches the caller. No signal handler is
installed.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tesuji.core.arguments import file_name
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.position import Position
from tesuji.games.registry import find_game
from tesuji.search.report.analysis import Analysis, analysis_of
from tesuji.search.report.nodes import TreeNode, View

if TYPE_CHECKING:
    from tesuji.players.player import Player

POLL_SECONDS = 0.1
T = TypeVar("T")


class StopRequest:
    """Stops one run and no other. `stop` may be called at any time, by any thread or signal handler: it takes no lock."""

    def __init__(self, search: Search):
        self.is_made = False
        self._search = search

    def stop(self) -> None:
        self.is_made = True  # first: work that is just beginning sets `_current`, and then checks this
        if self._search._current is self:
            self._search.engine.stop()


class _Cancelled(Exception):
    """The caller waits for the result no longer."""


class Search:
    """A search of one position that can be run again and again, moved along with the game, walked, saved and loaded."""

    def __init__(self, player: Player, position: Position, engine: Any, seed: int = 0):
        self.player = player
        self.seed = seed
        self.engine = engine  # the TreeSearch or AlphaBeta, whose moves are numbers: only to be used within `in_thread`
        self._position = position
        self._view: View | None = None
        self._busy = threading.Lock()  # held by the thread that works on the tree
        self._current: StopRequest | None = None  # of the thread that holds the lock
        self._preparing = threading.Lock()
        self._requests: list[StopRequest] = []  # of the calls of `run` under way

    @property
    def position(self) -> Position:
        """The position that is searched."""
        return self._position

    def __repr__(self) -> str:
        return f"<Search by {self.player.name} of {self._position!r}: {self.engine.playouts} playouts>"

    # -- running -----------------------------------------------------------------------------------------------------
    def run(
        self,
        *,
        playouts: int | None = None,
        seconds: float | None = None,
        cpu: float | None = None,
        on_progress: Callable[[Analysis], object] | None = None,
    ) -> Analysis:
        """Continues the search for that many playouts or seconds, or until the value is proven, and returns an Analysis.

        `cpu` is CPU time in seconds, summed over all threads of the search; other programs on the machine do not count.

        Without limits those of the player apply, as in `tesuji.player("uct", playouts=1000)`. `on_progress` is called with an
        Analysis without moves about five times a second. After a KeyboardInterrupt the search can be used as before.
        """
        limits = Limits(seconds, playouts, cpu)
        limits = self.player.limits if limits == Limits() else limits
        if limits == Limits():
            raise UserError("run needs a limit, as in run(playouts=10_000) or run(seconds=2)")
        return self.run_within(limits, on_progress)

    def run_within(
        self,
        limits: Limits,
        on_progress: Callable[[Analysis], object] | None = None,
        request: StopRequest | None = None,
    ) -> Analysis:
        """`run` with a Limits object. Without any limit the search ends only when the value is proven.

        To be able to stop the run even before it begins, make a `stop_request` first and pass it as `request`.
        """
        request = self.stop_request() if request is None else request

        def work(send: Callable[[Any], None]) -> Analysis:
            self.outdate_nodes()
            position = self._position

            def progress(result: Any) -> None:
                send(analysis_of(position, result))

            return analysis_of(position, self.engine.run(limits, progress if on_progress is not None else None))

        try:
            self._requests.append(request)
            if not self._position.is_over:
                self.prepare()
            return self.in_thread(work, on_progress, request)
        finally:
            with contextlib.suppress(ValueError):  # if KeyboardInterrupt came before it was added
                self._requests.remove(request)

    def prepare(self) -> None:
        """Compiles what a run needs, or loads it from the cache. The first run does so by itself."""
        with self._preparing:
            self.engine.prepare()  # the compiler runs in its own thread, which KeyboardInterrupt does not wait for

    def stop(self) -> None:
        """Stops a run in another thread, which then returns its Analysis. Without a run this does nothing."""
        for request in list(self._requests):
            request.stop()

    def stop_request(self) -> StopRequest:
        """A request that stops one call of `run_within`; it can be made before that call."""
        return StopRequest(self)

    def analysis(self) -> Analysis:
        """The present results, without searching further."""
        return self.in_thread(lambda _send: analysis_of(self._position, self.engine.result()))

    def play(self, *moves: str | int) -> None:
        """Makes these moves and keeps the part of the tree below them (unless the player's `reuse_tree` is off)."""

        self.in_thread(lambda _send: self._advance_to(self._position.play(*moves)))  # an illegal one raises before any is made

    def move_to(self, position: Position) -> None:
        """`play` to a position that comes later in the same game."""
        self.in_thread(lambda _send: self._advance_to(position))

    def _advance_to(self, position: Position) -> None:
        self.outdate_nodes()
        for number in position.move_numbers[len(self._position.move_numbers) :]:
            self.engine.advance(number)
        self._position = position

    def in_thread(
        self,
        work: Callable[[Callable[[Any], None]], T],
        on_message: Callable[[Any], object] | None = None,
        request: StopRequest | None = None,
    ) -> T:
        """Calls `work` in a separate thread and waits for its result.

        `work` gets a function that sends messages; `on_message` is called with them here, in the caller's thread. The thread
        holds the search's lock, which is acquired and released where no KeyboardInterrupt can occur. After a
        KeyboardInterrupt, or an error in `on_message`, the thread is stopped and waited for. A second KeyboardInterrupt ends
        the waiting; the search is then busy until the thread has ended.
        """
        request = StopRequest(self) if request is None else request
        messages: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        cancelled = False

        def send(message: Any) -> None:
            if cancelled:
                raise _Cancelled
            messages.put(("message", message))

        def do() -> None:
            try:
                with self.held(request):
                    if cancelled:
                        raise _Cancelled
                    last = ("done", work(send))
            except BaseException as error:
                last = ("failed", error)
            messages.put(last)

        thread = threading.Thread(target=do, name="tesuji search", daemon=True)
        try:
            thread.start()
            kind, value = _last_message(thread, messages, on_message)
        except BaseException:
            cancelled = True  # a thread that has not started yet does nothing
            request.stop()
            _last_message(thread, messages)
            raise
        if kind == "failed":
            raise value
        return value

    @contextlib.contextmanager
    def held(self, request: StopRequest | None = None) -> Iterator[None]:
        """Keeps the search's lock for this thread, which may use the engine meanwhile; `request` stops that. Only for threads
        that no KeyboardInterrupt can reach; all others use `in_thread`."""
        if not self._busy.acquire(blocking=False):
            raise UserError("this search is busy: another call is running")
        try:
            self.engine.forget_stop()  # a stop that came too late for the previous work
            self._current = request
            if request is not None and request.is_made:
                self.engine.stop()
            yield
        finally:
            self._current = None
            self._busy.release()

    # -- the tree ----------------------------------------------------------------------------------------------------
    @property
    def tree(self) -> TreeNode:
        """The root of the present tree. Its nodes can be read until the search continues or a move is played."""
        view = self._view
        return (self.in_thread(self._new_view) if view is None else view).root

    def _new_view(self, _send: Callable[[Any], None]) -> View:
        self._view = View(self.tree_search("the tree cannot be walked"), self._position)
        return self._view

    def outdate_nodes(self) -> None:
        """Makes the nodes of `tree` unusable: to be called within `in_thread` before the tree is changed."""
        if self._view is not None:
            self._view.is_current = False
        self._view = None

    def save(self, path: str | Path) -> None:
        """Saves the search. `tesuji.load(path)` continues it; a game of your own must be passed: `tesuji.load(path, game)`."""
        from tesuji.search.files.saved_search import save_search

        name, engine = file_name(path), self.tree_search("the search cannot be saved")
        self.in_thread(lambda _send: save_search(engine, name))

    def save_proofs(self, path: str | Path) -> int:
        """Saves the bounds of all positions in the transposition table, for `load_proofs`; returns their number."""
        from tesuji.search.files.proof_table import save_proof_table

        name, engine = file_name(path), self.tree_search("there are no proofs to save")
        return self.in_thread(lambda _send: save_proof_table(engine, name))

    def load_proofs(self, path: str | Path) -> tuple[int, int]:
        """Adds the bounds that `save_proofs` has written after another search of the same game. Returns how many positions the
        table then holds and how many the file has, which may be more than fit into memory.

        The file is trusted, not checked. A certificate of the result does not depend on it.
        """
        from tesuji.search.files.proof_table import load_proof_table

        name, engine = file_name(path), self.tree_search("proofs cannot be used")
        return self.in_thread(lambda _send: load_proof_table(engine, name))

    def tree_search(self, why: str) -> Any:
        if self.player.alphabeta:
            raise UserError(f"{why}: the player {self.player.name} searches by alpha-beta, which keeps no tree")
        return self.engine


def _last_message(
    thread: threading.Thread, messages: queue.SimpleQueue[tuple[str, Any]], on_message: Callable[[Any], object] | None = None
) -> tuple[str, Any]:
    """Waits for the last message of a thread; earlier ones are passed to `on_message`."""
    while True:
        try:
            kind, value = messages.get(timeout=POLL_SECONDS)  # not every platform can interrupt a wait without a time limit
        except queue.Empty:
            if not thread.is_alive() and messages.empty():  # the last message was lost when an exception interrupted `get`
                return "failed", RuntimeError("the thread of the search has died")
            continue
        if kind != "message":
            return kind, value
        if on_message is not None:
            on_message(value)


def position_of(position: Position | Game | str) -> Position:
    """The position itself, or the start of a game or of the game that a string names."""
    if isinstance(position, Position):
        return position
    if isinstance(position, str):
        return find_game(position).start
    if isinstance(position, Game):
        return position.start
    raise UserError(f"a position, a game, or a game string as in 'connect4:7x6' is needed, not {type(position).__name__}")
