"""Analysis as JSON lines: reads one request per line and writes one answer per line, with the request's id.

The main thread reads requests and answers bad ones at once; worker threads run the searches, one each. Code is compiled
by one thread at a time and shared by all. At the end of input, the remaining requests are finished. If the output is closed,
everything stops.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tesuji import __version__
from tesuji.core.errors import UserError
from tesuji.io.jsonl_requests import Defaults, Job, check_keys, id_of, is_id, read_job, read_object
from tesuji.io.lines import read_pieces, split_lines

if TYPE_CHECKING:
    from tesuji.search.engine.tree_search import Result, TreeSearch

LONGEST_LINE = 1 << 24
TOO_LONG = b"\0"  # stands for a line that is too long
MOST_WAITING = 1 << 12  # lines read ahead
MOST_PENDING = 10_000  # requests that wait for a worker
POLL_SECONDS = 0.05  # while the compiler is at work, between two looks for a request to stop

Describe = Callable[["TreeSearch", "Result"], dict[str, Any]]


class RequestStopped(Exception):
    """Raised inside a search to end it."""


class JsonLinesServer:
    """`read(count)` gives bytes, b"" at the end; `write` sends one answer; `describe` makes a JSON object of a result."""

    def __init__(
        self,
        read: Callable[[int], bytes],
        write: Callable[[dict[str, Any]], None],
        describe: Describe,
        defaults: Defaults | None = None,
        workers: int = 1,
    ):
        self._read = read
        self._write = write
        self._describe = describe
        self._defaults = defaults or Defaults()
        self._workers = workers
        self._lines: queue.Queue[bytes | None] = queue.Queue(MOST_WAITING)
        self._pending: deque[Job] = deque()
        self._running: list[Job] = []
        self._changed = threading.Condition()  # guards the two above and `_closed`
        self._closed = False
        self._writing = threading.Lock()
        self._compiling = threading.Lock()
        self._failure: OSError | ValueError | None = None

    # -- the main thread ---------------------------------------------------------------------------------------------
    def serve(self) -> None:
        """Answers requests until the end of input, "stop" or Ctrl-C. Raises the error if answers cannot be written."""
        threading.Thread(target=self._read_lines, daemon=True, name="jsonl input").start()
        workers = [threading.Thread(target=self._work, daemon=True, name=f"search {n}") for n in range(self._workers)]
        for worker in workers:
            worker.start()
        try:
            self._take_requests()
            self._finish(workers)
        except KeyboardInterrupt:
            self._stop_all()
            self._finish(workers)
        if self._failure is not None:
            raise self._failure

    def _take_requests(self) -> None:
        while self._failure is None:
            line = self._lines.get()
            if line is None:
                return
            if line == TOO_LONG:
                self._send({"id": None, "error": f"the line is too long: {LONGEST_LINE} bytes at most"})
                continue
            text = line.decode("utf-8", "replace").strip()
            with np.errstate(over="ignore"):  # hashes wrap, on purpose
                go_on = not text or self._handle(text)
            if not go_on:
                self._stop_all()
                return

    def _finish(self, workers: list[threading.Thread]) -> None:
        """Waits until the workers have finished all requests."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for worker in workers:
            worker.join()

    def _handle(self, text: str) -> bool:
        """One request; False if it was the last."""
        request: dict[str, Any] = {}
        try:
            request = read_object(text)
            action = check_keys(request)
            if action == "analyze":
                self._add(read_job(request, self._defaults))
                return True
            answer = {"id": id_of(request), "action": action}
            if action in ("terminate", "cancel"):
                if not is_id(request.get("terminateId")):
                    raise UserError(f'"{action}" needs "terminateId", the id of the request to end')
                answer["terminateId"] = request["terminateId"]
                self._stop_jobs(lambda job: job.id == request["terminateId"])
            elif action == "terminate_all":
                self._stop_jobs(lambda _job: True)
            elif action == "query_version":
                answer["version"] = __version__
            self._send(answer)
            return action != "stop"
        except UserError as error:
            self._send({"id": id_of(request), "error": _one_line(error)})
        except Exception as error:  # a user's own game may raise anything
            self._send({"id": id_of(request), "error": _fault(error)})
        return True

    def _add(self, job: Job) -> None:
        with self._changed:
            if len(self._pending) >= MOST_PENDING:
                raise UserError(f"too many requests are waiting: {MOST_PENDING} at most; ask again when some are answered")
            self._pending.append(job)
            self._changed.notify()

    def _stop_all(self) -> None:
        self._stop_jobs(lambda _job: True)

    def _stop_jobs(self, chosen: Callable[[Job], bool]) -> None:
        """Ends requests: running searches answer with what they have, waiting ones with `noResults`."""
        with self._changed:
            for job in self._running:
                if chosen(job):
                    job.stop.set()
            dropped = [job for job in self._pending if chosen(job)]
            for job in dropped:
                self._pending.remove(job)
        for job in dropped:
            self._send(_no_result(job))

    # -- input -------------------------------------------------------------------------------------------------------
    def _read_lines(self) -> None:
        try:
            for line in split_lines(read_pieces(self._read), LONGEST_LINE):
                self._lines.put(TOO_LONG if line is None else line)
        finally:
            self._lines.put(None)

    # -- output ------------------------------------------------------------------------------------------------------
    def _send(self, answer: dict[str, Any]) -> None:
        with self._writing:
            if self._failure is not None:
                return
            try:
                self._write(answer)
                return
            except (OSError, ValueError) as error:  # a closed pipe, a full disk, a closed stream
                self._failure = error
        self._stop_all()
        with contextlib.suppress(queue.Full):
            self._lines.put_nowait(None)  # wakes the main thread; if it is full, that one is awake

    # -- workers -----------------------------------------------------------------------------------------------------
    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._pending and not self._closed:
                    self._changed.wait()
                if not self._pending:
                    return
                job = self._pending.popleft()
                self._running.append(job)
            try:
                with np.errstate(over="ignore"):
                    answer = self._answer(job)
            except UserError as error:
                answer = {"id": job.id, "error": _one_line(error)}
            except MemoryError:
                answer = {"id": job.id, "error": "not enough memory; the player's memory=N sets the size of the tree in MiB"}
            except Exception as error:
                answer = {"id": job.id, "error": _fault(error)}
            with self._changed:
                self._running.remove(job)
            self._send(answer)

    def _answer(self, job: Job) -> dict[str, Any]:
        with self._compiling:
            if job.stop.is_set() or self._failure is not None:
                return _no_result(job)
            search = job.player.engine(job.game, job.state, job.seed)
            if not _prepared(search, job.stop):
                return _no_result(job)
        reported = time.monotonic()

        def look(_result: Result) -> None:
            nonlocal reported
            if job.stop.is_set():
                raise RequestStopped
            now = time.monotonic()
            if job.report_every is not None and now - reported >= job.report_every:
                reported = now
                self._send(self._in_words(job, search, search.result(), True))

        try:
            result = search.run(job.limits, look)
        except RequestStopped:
            result = search.result()
            result.interrupted = True
        return self._in_words(job, search, result, False)

    def _in_words(self, job: Job, search: TreeSearch, result: Result, during: bool) -> dict[str, Any]:
        notes = {"notes": job.notes} if job.notes else {}
        described = self._describe(search, result)
        return {"id": job.id, "isDuringSearch": during, **described, "player": job.player.name, "seed": job.seed, **notes}


def _prepared(search: TreeSearch, stop: threading.Event) -> bool:
    """Compiles what the search needs; False if it is stopped meanwhile. The compiler itself cannot be: it is left behind."""
    failures: list[BaseException] = []

    def prepare() -> None:
        try:
            search.prepare()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=prepare, daemon=True, name="jsonl compiler")
    thread.start()
    while thread.is_alive():
        thread.join(POLL_SECONDS)
        if stop.is_set() and thread.is_alive():
            return False
    if failures:
        raise failures[0]
    return True


def _no_result(job: Job) -> dict[str, Any]:
    return {"id": job.id, "isDuringSearch": False, "noResults": True, "interrupted": True}


def _one_line(text: object) -> str:
    return " ".join(str(text).split())


def _fault(error: Exception) -> str:
    return f"{type(error).__name__}: {_one_line(error)[:300]}"
