"""Matches and tunes on a terminal: tables that are drawn anew as games end, and what the players have done wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tesuji.cli import output
from tesuji.core.tables import TablePart

if TYPE_CHECKING:
    from tesuji.lab.match.games_run import GamesRun

MOST_TOLD = 10
View = Callable[[Any], Sequence[str | TablePart]]


def watch(run: GamesRun, view: View) -> None:
    """Plays what is missing, with live tables on stderr if a person is watching."""
    if not output.is_terminal(sys.stderr):
        run.tell = first_faults(output.note, run.store.path)
        run.run()
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True, highlight=False)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        run.tell = first_faults(lambda text: console.print(Text(f"tesuji: {text}")), run.store.path)
        run.on_tick = lambda run: live.update(drawn(view(run)), refresh=True)
        run.run()


def first_faults(say: Callable[[str], object], file: str) -> Callable[[str], None]:
    """Tells of the first faults of the players only; the file of the games has them all."""
    told = 0

    def tell(text: str) -> None:
        nonlocal told
        told += 1
        if told <= MOST_TOLD:
            say(output.one_line(text))
        if told == MOST_TOLD:
            say(f"further faults are not shown here; {file} has them all")

    return tell


def drawn(parts: Sequence[str | TablePart]) -> Any:
    """The parts one below the other, by rich. A line that is too long is cut off."""
    from rich.console import Group
    from rich.text import Text

    return Group(
        *(
            output.rich_table(*part) if isinstance(part, TablePart) else Text(part, no_wrap=True, overflow="ellipsis")
            for part in parts
        )
    )
