"""What runs on the machines of a cluster. These functions are found there by their names: each machine runs its own code.

`setup` is JSON that says what kind of jobs there are, and all that they have in common; who does them is made once a process
and kept.
"""

from __future__ import annotations

import json
import os
import time
import traceback
from collections.abc import Sequence
from typing import Any, Protocol

from tesuji.core.errors import UserError
from tesuji.lab.cluster.identity import files_identity, machine, plan_identity, program_identity

MATCH, PROOF, SELF_PLAY, STATUS = "match", "proof", "self-play", "status"


class Handler(Protocol):
    """Does jobs of one kind."""

    programs: list[str]

    def work(self, job: dict[str, Any]) -> Any:
        """The result of a job, to become JSON."""
        ...


_handlers: dict[str, Handler] = {}  # the last one that was made


def check_machine(setup: str) -> dict[str, Any]:
    """What a machine is, and what it would do such jobs with."""
    found: dict[str, Any] = machine()
    try:
        found["identity"] = identity_of(json.loads(setup))
    except UserError as error:
        return {**found, "refused": str(error)}
    return found


def prepare_machine(setup: str) -> dict[str, Any]:
    """Makes all that jobs need, once, so that a machine compiles before there are many processes that would; returns who its
    GTP programs say they are.
    """
    try:
        return {"programs": handler_of(setup).programs}
    except UserError as error:
        return {"refused": str(error)}
    except Exception as error:
        return {"refused": _fault(error)}


def do_jobs(setup: str, jobs: Sequence[str]) -> dict[str, Any]:
    """The results of some jobs, as JSON, with the time that they took; a fault ends them all."""
    began = time.monotonic()
    try:
        handler = handler_of(setup)
        results = [json.dumps(handler.work(json.loads(job))) for job in jobs]
    except Exception as error:
        return {"fault": _fault(error)}
    return {"results": results, "seconds": time.monotonic() - began}


def identity_of(setup: dict[str, Any]) -> dict[str, str]:
    """What must be equal here and there for such jobs."""
    if setup["kind"] == STATUS:
        return dict(program_identity())
    if setup["kind"] == MATCH:
        from tesuji.lab.match.plan import Plan

        return plan_identity(Plan.from_json(setup["plan"]), setup["game"])
    from tesuji.games.registry import find_game

    game = find_game(setup["game"], False)
    if setup["kind"] == SELF_PLAY:
        from tesuji.players.presets import find_player

        return files_identity(game, [find_player(setup["player"], may_load=True)] if setup["player"] else [])
    from tesuji.lab.cluster.proof_jobs import proving_player

    return files_identity(game, [proving_player(setup["player"], game, setup["parameters"])])


def handler_of(setup: str) -> Handler:
    if setup not in _handlers:
        _handlers.clear()  # it may hold large trees
        _handlers[setup] = _make_handler(json.loads(setup))
    return _handlers[setup]


def _make_handler(setup: dict[str, Any]) -> Handler:
    if setup["kind"] == MATCH:
        from tesuji.lab.cluster.pool import GameHandler

        return GameHandler(setup)
    if setup["kind"] == SELF_PLAY:
        from tesuji.lab.cluster.self_play import SelfPlayHandler

        return SelfPlayHandler(setup)
    from tesuji.lab.cluster.proof_jobs import ProofHandler

    return ProofHandler(setup)


def _fault(error: Exception) -> str:
    if os.environ.get("TESUJI_DEBUG") == "1":
        traceback.print_exception(error)
    return str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
