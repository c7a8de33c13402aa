"""A process that plays games: the plan and one job a line come in on stdin, as JSON; what became of them goes out on stdout.

When stdin closes, because the match is over, stopped or killed, the process ends at once and takes its engines with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
import traceback
from typing import Any, TextIO

from tesuji.core.errors import UserError
from tesuji.io.gtp.client import kill_all
from tesuji.lab.match.jobs import GamesJob
from tesuji.lab.match.plan import Plan
from tesuji.lab.match.playing import JobPlayer


def main() -> None:
    """Serves until stdin closes. Whatever else writes to stdout writes to stderr instead."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    lines: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_read_lines, args=(lines,), daemon=True).start()
    with contextlib.suppress(BrokenPipeError):
        _serve(lines, out)
    kill_all()
    os._exit(1)  # a server that returns has had a fault


def _read_lines(lines: queue.Queue[str]) -> None:
    for line in sys.stdin:
        lines.put(line)
    kill_all()
    os._exit(0)


def _serve(lines: queue.Queue[str], out: TextIO) -> None:
    order = json.loads(lines.get())
    try:
        player = JobPlayer(Plan.from_json(order["plan"]), order["game"])
    except UserError as error:
        _send(out, {"refused": str(error)})
        return
    except Exception as error:
        _send_fault(out, error, "")
        return
    _send(out, {"ready": player.programs})
    while True:
        order = json.loads(lines.get())
        if order["job"] is None:
            player.close()
            os._exit(0)
        try:
            games = player.play(GamesJob.from_json(order["job"]))
        except Exception as error:  # not a contestant's fault: those are forfeits
            _send_fault(out, error, player.place)
            return
        _send(out, {"id": order["id"], "played": [played.as_json() for played in games]})


def _send_fault(out: TextIO, error: Exception, place: str) -> None:
    """Tells of an error that is ours, or that of a user's game."""
    if os.environ.get("TESUJI_DEBUG") == "1":
        traceback.print_exception(error)
    _send(out, {"fault": f"{place}{type(error).__name__}: {error}"})


def _send(out: TextIO, message: dict[str, Any]) -> None:
    out.write(json.dumps(message) + "\n")
    out.flush()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
