"""Processes that play, forked from one that has loaded all they need: to start Python and NumPy took most of a short match."""

from __future__ import annotations

import atexit
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
from typing import Any

SERVER = """
import contextlib, json, os, socket, sys
from tesuji.lab.match import worker

def play(request, files):
    os.setsid()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    folders = request["environment"]["PYTHONPATH"].split(os.pathsep)
    sys.path[1:1] = [folder for folder in folders if folder not in ("", *sys.path)]
    with contextlib.suppress(KeyboardInterrupt):
        worker.main()

requests = socket.socket(fileno=int(sys.argv[1]))
while True:
    message, files, *_ = socket.recv_fds(requests, 1 << 20, 3)
    if not message:
        break
    if os.fork() == 0:  # it waits for the one that plays, and tells how that ended
        requests.close()
        *streams, told = files
        child = os.fork()
        if child == 0:
            os.close(told)
            play(json.loads(message), streams)
            os._exit(1)
        for stream in streams:
            os.close(stream)
        os.write(told, b"%d " % child)
        os.write(told, b"%d " % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        os._exit(0)
    for file in files:
        os.close(file)
    with contextlib.suppress(ChildProcessError):  # there is none
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
"""

PIPE, TimeoutExpired = subprocess.PIPE, subprocess.TimeoutExpired  # this module takes the place of `subprocess` in the pool


@functools.cache
def server() -> socket.socket:
    """One for each process of tests."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-c", SERVER, str(theirs.fileno())]
    started = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
    theirs.close()

    def end() -> None:
        ours.close()
        started.wait()

    atexit.register(end)
    return ours


class Popen:
    """As much of `subprocess.Popen` as the pool uses of it."""

    def __init__(self, command: list[str], *, env: dict[str, str], **_rest: Any):
        assert command[1:] == ["-m", "tesuji.lab.match.worker"]
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        self._told, told = os.pipe()
        request = json.dumps({"environment": env, "folder": os.getcwd()}).encode()
        socket.send_fds(server(), [request], [theirs_in, theirs_out, told])
        for file in (theirs_in, theirs_out, told):
            os.close(file)
        self.stdin, self.stdout = os.fdopen(ours_in, "wb"), os.fdopen(ours_out, "rb")
        self.pid = self._next_number()
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise TimeoutExpired("a process that plays", timeout or 0.0)
            self.returncode = self._next_number()
            os.close(self._told)
        return self.returncode

    def kill(self) -> None:
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)

    def _next_number(self) -> int:
        """Numbers end with a space; by then the other side may have written both."""
        text = b""
        while not text.endswith(b" "):
            text += os.read(self._told, 1) or sys.exit("the server of processes that play has ended")
        return int(text)
