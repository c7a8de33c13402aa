"""Running a search under a progress line: shared by the commands that search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tesuji.cli import interrupts
from tesuji.cli.output import Progress, note
from tesuji.cli.results import progress_text
from tesuji.core.limits import Limits

if TYPE_CHECKING:
    from tesuji.search.engine import Result, Search


def run_search(search: Search, limits: Limits, title: str) -> Result:
    """Searches within the limits; shows how it goes if stderr is a terminal. Ctrl-C ends it with the answer so far."""
    game, state = search.game, search.state

    with Progress(title, limits.seconds or limits.playouts) as progress:

        def show(result: Result) -> None:
            progress.update(result.seconds if limits.seconds else result.playouts, progress_text(game, state, result))

        search.prepare()  # to stop this takes KeyboardInterrupt
        with interrupts.stopping(search.stop):
            return search.run(limits, show if progress.is_shown else None)


def say_why_stopped(result: Result) -> None:
    """One line on stderr when a search ended early for a reason that is worth knowing."""
    if result.interrupted:
        note("interrupted; this is the answer so far")
    elif result.full and not result.proven:
        note("the memory was full, so less visited parts of the tree were dropped; --memory gives it more")
