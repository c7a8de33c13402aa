"""The cluster: its machines, and functions that run on them. Whatever is said to Ray is said here.

A cluster runs what it is sent. So one that others can reach, which is any that is not on this machine's loopback, must have
been started with a token (RAY_AUTH_MODE=token), and so must each of its machines: others are not used.
"""

from __future__ import annotations

import contextlib
import importlib
import ipaddress
import logging
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tesuji.core.errors import UserError, shortened
from tesuji.lab.processors import processors

LOCAL, AUTO = "local", "auto"
REACH_SECONDS = 5.0  # for the first answer of an address
CONNECT_SECONDS = 20.0  # for a cluster to let us in
RETRIES = 4  # by Ray, of a task whose process or machine ends
NODE = "ray.io/node-id"  # the label by which Ray knows a machine
OBJECT_STORE = 80 << 20  # bytes, the least that Ray takes: games are small and do not go through it
_ADDRESS = re.compile(r"(\[[0-9a-fA-F:]+\]|[\w.-]+):(\d{1,5})")
_connections: dict[str, Cluster] = {}


class MachineLost(Exception):
    """A task did not end: all machines that it was for are gone."""


class TaskFailed(Exception):
    """A task did not end: its process ended each time that it was tried."""


class MachineInfo(NamedTuple):
    id: str
    name: str  # address
    cpus: float


class Cluster:
    """A cluster that we are connected to."""

    def __init__(self, ray: Any, needs_token: bool):
        self.needs_token = needs_token
        self._ray = ray
        self._run = ray.remote(run_there)
        self._errors: Any = importlib.import_module("ray.exceptions")

    def machines(self) -> list[MachineInfo]:
        """The machines that are there now."""
        alive = [node for node in self._ray.nodes() if node["Alive"]]
        return [MachineInfo(n["NodeID"], n["NodeManagerAddress"], float(n["Resources"].get("CPU", 0))) for n in alive]

    def send(self, machines: Sequence[str], cpus: int, function: Callable[..., Any], *arguments: Any) -> Any:
        """Runs a function of this package on one of these machines, where as many processors are free; returns what stands for
        its result. Ray chooses, and tries again, also on another of them, when the process or the machine ends.
        """
        place = {NODE: f"in({','.join(machines)})"}
        return self._run.options(num_cpus=cpus, max_retries=RETRIES, label_selector=place).remote(function, *arguments)

    def wait(self, tasks: Sequence[Any], seconds: float) -> list[Any]:
        """Those that have ended, as soon as there is one, or none after so many seconds."""
        tasks = list(tasks)
        ended, _ = self._ray.wait(tasks, num_returns=1, timeout=seconds)
        if ended and len(tasks) > 1:
            ended, _ = self._ray.wait(tasks, num_returns=len(tasks), timeout=0)
        return ended

    def result(self, task: Any) -> tuple[str, Any]:
        """The machine that did a task that has ended, and what it returned."""
        try:
            return self._ray.get(task)
        except self._errors.RayError as error:
            cause = str(error).strip().splitlines() or [type(error).__name__]
            is_gone = isinstance(error, self._errors.TaskUnschedulableError | self._errors.NodeDiedError)
            kind = MachineLost if is_gone else TaskFailed
            raise kind(f"{type(error).__name__}: {shortened(cause[-1], 200)}") from None

    def cancel(self, task: Any) -> None:
        with contextlib.suppress(self._errors.RayError, ValueError, TypeError):  # it has ended
            self._ray.cancel(task, force=True)


def run_there(function: Callable[..., Any], *arguments: Any) -> tuple[str, Any]:
    """What Ray runs: the machine that this is, and what the function returns."""
    return importlib.import_module("ray").get_runtime_context().get_node_id(), function(*arguments)


def connect(address: str, workers: int | None = None) -> Cluster:
    """The cluster at an address, or with 'local' one of our own on this machine, for so many jobs at once.

    A UserError if it does not answer within CONNECT_SECONDS. Connections last as long as this process.
    """
    if address in _connections:
        return _connections[address]
    host, port = parse_address(find_cluster() if address == AUTO else address)
    needs_token = address != LOCAL and not is_loopback(host)
    if needs_token and os.environ.get("RAY_AUTH_MODE", "").lower() != "token":
        raise UserError(
            f"the cluster {address} can be reached by others, so it must be used with a token: "
            "start it, and this command, with RAY_AUTH_MODE=token (docs/cluster.md)"
        )
    if port:
        check_reachable(address, host, port)
    ray = import_ray()
    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False, "configure_logging": False}
    if address == LOCAL:
        options |= {"address": "local", "num_cpus": workers or processors(), "include_dashboard": False}
        options |= {"object_store_memory": OBJECT_STORE}
    else:
        options["address"] = address
    logging.getLogger("ray").setLevel(logging.ERROR)
    failure = _start(ray, options) if address == LOCAL else _join(ray, address, options)
    if failure is not None:
        text = next(iter(str(failure).strip().splitlines()), type(failure).__name__)
        raise UserError(f"the cluster {address} cannot be used: {shortened(text, 300)}")
    messages: Any = importlib.import_module("ray._private.worker")
    messages.print_to_stdstream = _say_nothing
    _connections[address] = Cluster(ray, needs_token)
    return _connections[address]


def disconnect() -> None:
    """Leaves the cluster, and ends one of our own."""
    if _connections:
        _connections.clear()
        importlib.import_module("ray").shutdown()


def find_cluster() -> str:
    """The address of the cluster that this machine is part of."""
    import_ray()
    logging.getLogger("ray").setLevel(logging.ERROR)
    services = importlib.import_module("ray._private.services")
    try:
        return str(services.canonicalize_bootstrap_address_or_die(AUTO))
    except Exception:  # it finds none, or several, or what RAY_ADDRESS says is none
        raise UserError(
            "no cluster answers: this machine is part of none. To start one: ray start --head --port=6379 (docs/cluster.md "
            "says how, with a token); to use another: --cluster HOST:PORT; for a trial: --cluster local"
        ) from None


def import_ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent anywhere unless the user wants it
    os.environ.setdefault("RAY_task_oom_retries", str(RETRIES))  # Ray's default is to try again without end
    os.environ.setdefault("RAY_worker_niceness", "0")  # in a cluster of our own: Ray's default is to let all others go first
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise UserError("a cluster needs Ray, which is not installed: pip install ray") from None


def parse_address(address: str) -> tuple[str, int]:
    """Host and port; none of a cluster of our own."""
    if address == LOCAL:
        return "", 0
    found = _ADDRESS.fullmatch(address)
    if found is None or not 0 < int(found[2]) < 65536:
        raise UserError(
            f"{shortened(address)!r} is not the address of a cluster: local, auto, or HOST:PORT as in 10.0.0.1:6379"
        )
    return found[1].strip("[]"), int(found[2])


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it. A name other than localhost may be anything; no host = not known."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_reachable(address: str, host: str, port: int) -> None:
    try:
        socket.create_connection((host, port), timeout=REACH_SECONDS).close()
    except OSError as error:
        why = "no answer" if isinstance(error, TimeoutError) else (error.strerror or str(error))
        raise UserError(f"no cluster answers at {address}: {why}") from None


def _start(ray: Any, options: dict[str, Any]) -> Exception | None:
    """Starts a cluster; returns why that failed, if it did. The handlers of signals stay as they are.

    Ray's processes end with the thread that started them, so this is no work for another thread.
    """
    with _own_signals():
        try:
            ray.init(**options)
        except Exception as error:
            return error
    return None


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """SIGTERM does what it did before, also meanwhile: Ray's own handler ends the process on the spot, by a trace of Ray's.

    That of SIGINT may be another for a while, as Ray starts its processes without an interruption; in the end it is back.
    """
    set_handler, kept = signal.signal, signal.getsignal(signal.SIGINT)

    def set_others(number: int, handler: Any) -> Any:
        return signal.getsignal(number) if number == signal.SIGTERM else set_handler(number, handler)

    signal.signal = set_others  # type: ignore[assignment]
    try:
        yield
    finally:
        signal.signal = set_handler
        with contextlib.suppress(ValueError):  # not the main thread: then Ray could not change it either
            signal.signal(signal.SIGINT, kept)


def _join(ray: Any, address: str, options: dict[str, Any]) -> Exception | None:
    """Joins a cluster that runs; returns why that failed, if it did. Ray would wait for minutes, and we do not."""
    failure: list[Exception] = []

    def work() -> None:
        try:
            ray.init(**options)
        except Exception as error:
            failure.append(error)

    thread = threading.Thread(target=work, daemon=True)
    with _without_errors_of_ray():
        thread.start()
        thread.join(CONNECT_SECONDS)
    if thread.is_alive():
        raise UserError(f"no cluster answers at {address}: what listens there is not Ray, or it is too busy")
    return failure[0] if failure else None


def _say_nothing(*_message: Any, **_options: Any) -> None:
    """In place of Ray's own, which puts pages on standard output when a node is lost; the user gets a line of ours."""


@contextlib.contextmanager
def _without_errors_of_ray() -> Iterator[None]:
    """Ray's compiled part writes to file 2 each time that it tries in vain; the user gets one line of ours instead.

    What Python writes to sys.stderr meanwhile still gets there, by another number.
    """
    stream = sys.stderr
    stream.flush()
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    os.close(nothing)
    ours = os.fdopen(kept, "w", buffering=1, encoding=stream.encoding, errors="replace", closefd=False)
    if _writes_to(stream, 2):
        sys.stderr = ours
    try:
        yield
    finally:
        if sys.stderr is ours:
            sys.stderr = stream
        ours.close()
        os.dup2(kept, 2)
        os.close(kept)


def _writes_to(stream: Any, number: int) -> bool:
    try:
        return stream.fileno() == number
    except (AttributeError, OSError, ValueError):  # what is written to it is kept somewhere else
        return False
