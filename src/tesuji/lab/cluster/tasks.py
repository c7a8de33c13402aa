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
from importlib import import_module
from typing import Any, Protocol

from tesuji.core.errors import UserError
from tesuji.lab.cluster.identity import machine, program_identity

MATCH, PROOF, SELF_PLAY, NETWORK_PLAY, STATUS = "match", "proof", "self-play", "network-play", "status"
HANDLERS = {
    MATCH: ("pool", "GameHandler"),
    PROOF: ("proof_jobs", "ProofHandler"),
    SELF_PLAY: ("self_play", "SelfPlayHandler"),
    NETWORK_PLAY: ("network_play", "NetworkPlayHandler"),
}


class Handler(Protocol):
    """Does jobs of one kind."""

    programs: list[str]

    def __init__(self, setup: dict[str, Any]): ...

    @staticmethod
    def identity(setup: dict[str, Any]) -> dict[str, str]:
        """What must be equal here and there: the program, and the files that its jobs name."""
        ...

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
    return dict(program_identity()) if setup["kind"] == STATUS else handler_class(setup["kind"]).identity(setup)


def handler_class(kind: str) -> type[Handler]:
    module, name = HANDLERS[kind]
    return getattr(import_module(f"tesuji.lab.cluster.{module}"), name)


def handler_of(setup: str) -> Handler:
    if setup not in _handlers:
        _handlers.clear()  # it may hold large trees
        values = json.loads(setup)
        _handlers[setup] = handler_class(values["kind"])(values)
    return _handlers[setup]


def _fault(error: Exception) -> str:
    if os.environ.get("TESUJI_DEBUG") == "1":
        traceback.print_exception(error)
    return str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
