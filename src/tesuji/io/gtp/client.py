"""The other end of GTP: starts a program that speaks the protocol, sends it commands, and trusts nothing that it answers.

Whatever an engine does wrong becomes an EngineFailure with a kind and one line: it could not be started, it ended, it did not
answer in time, it answered something that is not GTP, or it refused the command.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from typing import Any

from tesuji.core.errors import UserError

LONGEST_ANSWER = 1 << 20  # bytes: more than this without an end is no answer
KEPT_WORDS = 3  # lines of what the engine last wrote on stderr, to explain why it ended
END_SECONDS = 1.0  # that an engine gets for ending by itself
KILL_WITH_PARENT = 1  # Linux, PR_SET_PDEATHSIG

LIVE: set[GtpEngine] = set()  # engines that run, so that a process that must end at once can take them with it


class EngineFailure(Exception):
    """What an engine did wrong. Kinds: start, crash, hang, garbage, refusal."""

    def __init__(self, kind: str, text: str):
        super().__init__(text)
        self.kind = kind


def split_command(text: str) -> list[str]:
    """The words of a command line, quotes as in a shell; a UserError for an empty one or an open quote."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UserError(f"{text!r} is not a command: {str(error).lower()}") from None
    if not words:
        raise UserError("a GTP program needs a command, as in 'gtp:gnugo --mode gtp'")
    return words


def check_program(command: str) -> None:
    """A UserError if there is no program of this name, which can be told without starting it."""
    name = split_command(command)[0]
    if shutil.which(name) is None and not os.path.exists(name):
        raise UserError(f"{name!r} cannot be started: No such file or directory on the PATH; give the whole path")


class GtpEngine:
    """A running GTP program. `send` returns the text of an answer; every failure ends the process and is an EngineFailure,
    except a refusal (an answer that begins with '?'), after which the engine goes on."""

    def __init__(self, command: str):
        self.command = command
        self.commands: frozenset[str] = frozenset()
        self.name = ""
        self.version = ""
        self._process: Any = None
        self._buffer = bytearray()
        self._said: deque[str] = deque(maxlen=KEPT_WORDS)
        self._listener: threading.Thread | None = None

    # -- the process -------------------------------------------------------------------------------------------------
    def start(self, timeout: float) -> None:
        """Starts the program and asks who it is. It runs in a session of its own: Ctrl-C in a terminal does not reach it."""
        words = split_command(self.command)
        self._buffer.clear()
        self._said.clear()
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,
            )
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise EngineFailure("start", f"{words[0]!r} cannot be started: {reason}") from None
        LIVE.add(self)
        os.set_blocking(self._stdout.fileno(), False)
        self._listener = threading.Thread(target=self._listen, args=(self._process.stderr,), daemon=True)
        self._listener.start()
        self.name = self.send("name", timeout)
        self.version = self._optional("version", timeout)
        self.commands = frozenset(self._optional("list_commands", timeout).split())

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def close(self) -> None:
        """Asks the engine to quit; ends it, and whatever it has started, if it does not."""
        process = self._process
        if process is None:
            return
        if process.poll() is None:
            with contextlib.suppress(OSError, ValueError):
                assert process.stdin is not None
                process.stdin.write(b"quit\n")
                process.stdin.flush()
                process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(END_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Ends the engine and the processes of its session at once."""
        process, self._process = self._process, None
        LIVE.discard(self)
        if process is None:
            return
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            process.kill()
        process.wait()
        if self._listener is not None:
            self._listener.join(END_SECONDS)
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError, ValueError):
                if stream is not None:
                    stream.close()

    def _listen(self, stderr: Any) -> None:
        """Reads what the engine writes on stderr, so that it never waits for a reader, and keeps the last lines."""
        with contextlib.suppress(OSError, ValueError):
            while piece := stderr.readline(4096):
                text = piece.decode("utf-8", "replace").strip()
                if text:
                    self._said.append(text)

    # -- commands ----------------------------------------------------------------------------------------------------
    def knows(self, command: str) -> bool:
        return command in self.commands

    def send(self, command: str, timeout: float) -> str:
        """Sends one command and returns the text of the answer."""
        process = self._process
        if process is None:
            raise EngineFailure("crash", "the engine is not running")
        try:
            assert process.stdin is not None
            process.stdin.write(command.encode() + b"\n")
            process.stdin.flush()
        except (OSError, ValueError):
            raise self._ended(command) from None
        answer = self._read_answer(command, timeout)
        mark, text = answer[:1], answer[1:].lstrip("0123456789").strip()
        if mark == "?":
            raise EngineFailure("refusal", f"it answered {command!r} with: {text[:200] or 'an error'}")
        return text

    def _optional(self, command: str, timeout: float) -> str:
        """The answer, or nothing from an engine that does not know the command."""
        try:
            return self.send(command, timeout)
        except EngineFailure as failure:
            if failure.kind != "refusal":
                raise
            return ""

    def _read_answer(self, command: str, timeout: float) -> str:
        """Everything up to the empty line that ends an answer, which must begin with '=' or '?'."""
        deadline = time.monotonic() + timeout
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdout, selectors.EVENT_READ)
            while True:
                answer = self._cut_answer(command)
                if answer is not None:
                    return answer
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    self.kill()
                    raise EngineFailure("hang", f"it did not answer {command!r} within {timeout:.6g} s")
                piece = os.read(self._stdout.fileno(), 65536)
                if not piece:
                    raise self._ended(command)
                self._buffer += piece.replace(b"\r", b"")
                if len(self._buffer) > LONGEST_ANSWER:
                    self.kill()
                    raise EngineFailure("garbage", f"its answer to {command!r} has no end")

    def _cut_answer(self, command: str) -> str | None:
        """Takes one whole answer from the front of what has been read. Empty lines before it are overlooked."""
        buffer = self._buffer
        while buffer[:1] == b"\n":
            del buffer[:1]
        if buffer and buffer[:1] not in (b"=", b"?"):
            line = bytes(buffer).split(b"\n")[0].decode("utf-8", "replace")
            self.kill()
            raise EngineFailure("garbage", f"it answered {command!r} with something that is not GTP: {line[:100]!r}")
        end = buffer.find(b"\n\n")
        if end < 0:
            return None
        answer = bytes(buffer[:end]).decode("utf-8", "replace")
        del buffer[: end + 2]
        return answer

    def _ended(self, command: str) -> EngineFailure:
        """The engine has closed its output: why, as far as that can be known."""
        process = self._process
        code: int | None = None
        if process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = process.wait(END_SECONDS)
        if self._listener is not None:
            self._listener.join(END_SECONDS)
        said = "; ".join(self._said)
        self.kill()
        if code is None:
            how = "it closed its output"
        elif code < 0:
            how = f"it was ended by signal {-code}"
        else:
            how = f"it ended with exit code {code}"
        return EngineFailure("crash", f"{how} at {command!r}" + (f"; it wrote: {said[:300]}" if said else ""))

    @property
    def _stdout(self) -> Any:
        if self._process is None or self._process.stdout is None:
            raise EngineFailure("crash", "the engine is not running")
        return self._process.stdout


def kill_all() -> None:
    """Ends every engine of this process: the last thing that a process does which must end at once."""
    for engine in list(LIVE):
        with contextlib.suppress(OSError):
            if engine.pid is not None:
                os.killpg(engine.pid, signal.SIGKILL)


_libc: Any = None
if sys.platform == "linux":
    with contextlib.suppress(OSError):
        _libc = ctypes.CDLL(None)


def _die_with_parent() -> None:
    """In the new process: the system ends it when we end, however we end. Loads and allocates nothing."""
    if _libc is not None:
        _libc.prctl(KILL_WITH_PARENT, signal.SIGKILL)
