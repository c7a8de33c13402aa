"""Running a search under a progress line: shared by the commands that search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tesuji.cli import interrupts
from tesuji.cli.output import Progress, note
from tesuji.cli.results import progress_text
from tesuji.core.limits import Limits
from tesuji.core.position import Position
from tesuji.search.report.analysis import Analysis, analysis_of

if TYPE_CHECKING:
    from tesuji.players.search import Search
    from tesuji.search.engine.tree_search import Result, TreeSearch


def run_analysis(search: Search, limits: Limits, title: str) -> Analysis:
    """Runs the search; Ctrl-C ends it with the answer so far."""
    with Progress(title, progress_goal(limits)) as progress:

        def show(analysis: Analysis) -> None:
            progress.update(progress_made(limits, analysis), progress_text(analysis))

        search.prepare()  # to stop this takes KeyboardInterrupt
        request = search.stop_request()  # made here: a signal may come before the run begins
        with interrupts.stopping(request.stop):
            return search.run_within(limits, show if progress.is_shown else None, request)


def run_search(search: TreeSearch, limits: Limits, title: str) -> Result:
    """The same for a session, which keeps an engine of its own."""
    with Progress(title, progress_goal(limits)) as progress:
        position = Position(search.game, search.state)

        def show(result: Result) -> None:
            analysis = analysis_of(position, result)
            progress.update(progress_made(limits, result), progress_text(analysis))

        search.prepare()  # to stop this takes KeyboardInterrupt
        with interrupts.stopping(search.stop):
            return search.run(limits, show if progress.is_shown else None)


def progress_goal(limits: Limits) -> float | None:
    """What a progress line counts up to."""
    return limits.seconds or limits.cpu or limits.playouts


def progress_made(limits: Limits, found: Analysis | Result) -> float:
    return found.seconds if limits.seconds else found.cpu if limits.cpu else found.playouts


def say_why_stopped(found: Analysis) -> None:
    """One line on stderr when a search ended early for a reason that is worth knowing."""
    if found.interrupted:
        note("interrupted; this is the answer so far")
    elif found.full and not found.proven:
        note("the memory was full, so less visited parts of the tree were dropped; --memory gives it more")
