"""The other end of GTP: starts a program that speaks the protocol, sends it commands, and trusts nothing that it answers.

Every command has an id, which GTP 2 demands back in the answer, so a program cannot get out of step unnoticed. Whatever it does
wrong becomes an EngineFailure with a kind and one line. Lines that answer nothing are skipped and reported: many programs print
a remark now and then. Answers that nobody has asked for are a failure: whoever answers twice has lost count.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tesuji.core.errors import UserError
from tesuji.io.gtp.cpu_time import cpu_seconds

LONGEST_ANSWER = 1 << 20  # bytes that a program may write for one command
LONGEST_SHOWN = 100  # characters of what it wrote, in messages
KEPT_WORDS = 3  # lines of what the engine last wrote on stderr, to explain why it ended
LOOK_SECONDS = 0.05  # between two looks whether an answer without end is to be stopped
END_SECONDS = 1.0  # that an engine gets for ending by itself
KILL_WITH_PARENT = 1  # Linux, PR_SET_PDEATHSIG
_ANSWER = re.compile(r"([=?])([0-9]*)\s*(.*)", re.DOTALL)

START, CRASH, HANG, GARBAGE, FLOOD, TWICE, ID, REFUSAL = "start", "crash", "hang", "garbage", "flood", "twice", "id", "refusal"

LIVE: set[GtpEngine] = set()  # engines that run, so that a process that must end at once can take them with it


class EngineFailure(Exception):
    """What a program did wrong. Kinds:

    start    it cannot be started
    crash    it ended
    hang     it did not answer in time
    garbage  it did not answer in time, but wrote something that is not GTP
    flood    it writes without end
    twice    it answered a command again, or before one was sent
    id       its answer has no id, or that of no command
    refusal  it answered with an error; the only kind after which it goes on
    """

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


def check_program(command: str, folder: str = "") -> None:
    """A UserError if there is no program of this name, which can be told without starting it.

    A path that is not absolute counts from the folder in which the program will run.
    """
    name = split_command(command)[0]
    is_found = os.path.exists(os.path.join(folder, name)) if os.path.dirname(name) else shutil.which(name) is not None
    if not is_found:
        raise UserError(f"{name!r} cannot be started: No such file or directory on the PATH; give the whole path")


@dataclass(frozen=True)
class GtpAnswer:
    id: str  # digits, or nothing
    text: str
    is_error: bool

    @property
    def shown(self) -> str:
        return repr(f"{'?' if self.is_error else '='}{self.id} {self.text}"[:LONGEST_SHOWN])


class AnswerReader:
    """Cuts what a program writes into answers, which begin with = or ? and end with an empty line, and counts other lines."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0  # up to there, no answer ends
        self._taken = 0  # bytes since `begin`
        self.stray = 0  # lines outside of answers
        self.first_stray = ""
        self.last_stray = ""

    def clear(self) -> None:
        """The program is started anew. What is to be reported stays."""
        self._buffer.clear()
        self._searched = 0
        self.last_stray = ""

    def begin(self) -> None:
        """A command is sent: from here on its bytes are counted."""
        self._taken = 0

    def add(self, piece: bytes) -> int:
        """Takes what has been read; returns how much that is since the command."""
        self._buffer += piece.replace(b"\r", b"")
        self._taken += len(piece)
        return self._taken

    def next_answer(self) -> GtpAnswer | None:
        """The next whole answer, if it is there. Lines before it that are none are counted and dropped."""
        buffer = self._buffer
        while buffer:
            if buffer[:1] in (b"=", b"?"):
                return self._cut_answer()
            end = buffer.find(b"\n")
            if end < 0:
                return None
            line = bytes(buffer[:end]).decode("utf-8", "replace").strip()
            del buffer[: end + 1]
            if line:
                self.add_stray(line)
        return None

    def add_stray(self, line: str) -> None:
        self.stray += 1
        self.last_stray = line[:LONGEST_SHOWN]
        self.first_stray = self.first_stray or self.last_stray

    def _cut_answer(self) -> GtpAnswer | None:
        buffer = self._buffer
        end = buffer.find(b"\n\n", max(0, self._searched - 1))
        self._searched = 0 if end >= 0 else len(buffer)
        if end < 0:
            return None
        found = _ANSWER.fullmatch(bytes(buffer[:end]).decode("utf-8", "replace"))
        assert found is not None, "it begins with a mark, and the rest may be anything"
        del buffer[: end + 2]
        return GtpAnswer(found[2], found[3].strip(), found[1] == "?")


class _LineReader:
    """Cuts what a program writes into lines."""

    def __init__(self) -> None:
        self._rest = b""

    @property
    def waiting(self) -> int:
        """Bytes of a line that has not ended."""
        return len(self._rest)

    def add(self, piece: bytes) -> list[str]:
        *whole, self._rest = (self._rest + piece.replace(b"\r", b"")).split(b"\n")
        return [line.decode("utf-8", "replace").strip() for line in whole]


class GtpEngine:
    """A running GTP program. `send` returns the text of an answer; every failure but a refusal ends the process."""

    def __init__(self, command: str, folder: str | None = None):
        self.command = command
        self._folder = folder  # in which it runs; None = where we do
        self.commands: frozenset[str] = frozenset()
        self.name = ""
        self.version = ""
        self._process: Any = None
        self._id = 0  # of the last command
        self._output = AnswerReader()
        self._said: deque[str] = deque(maxlen=KEPT_WORDS)
        self._listener: threading.Thread | None = None

    # -- the process -------------------------------------------------------------------------------------------------
    def start(self, timeout: float) -> None:
        """Starts the program and asks who it is. It runs in a session of its own: Ctrl-C in a terminal does not reach it."""
        words = split_command(self.command)
        self._id = 0
        self._output.clear()
        self._said.clear()
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self._folder,
                start_new_session=True,
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,
            )
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise EngineFailure(START, f"{words[0]!r} cannot be started: {reason}") from None
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

    def cpu(self) -> float | None:
        """Seconds of CPU time that it has used so far, with the processes that it has started; None if that is not known."""
        return None if self._process is None else cpu_seconds(self._process.pid)

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
            raise EngineFailure(CRASH, "the program is not running")
        self._check_quiet(command)
        self._id += 1
        try:
            process.stdin.write(f"{self._id} {command}\n".encode())
            process.stdin.flush()
        except (OSError, ValueError):
            raise self._ended(command) from None
        answer = self._read_answer(command, timeout)
        if answer.is_error:
            raise EngineFailure(REFUSAL, f"it answered {command!r} with: {answer.text[:200] or 'an error'}")
        return answer.text

    def stream(self, command: str, timeout: float, take: Callable[[str], None], should_stop: Callable[[], bool]) -> None:
        """Sends a command that is answered line by line until another line comes: an empty one, once `should_stop` says so."""
        process = self._process
        if process is None:
            raise EngineFailure(CRASH, "the program is not running")
        self._check_quiet(command)
        self._id += 1
        lines, heard, has_begun, is_stopped = _LineReader(), time.monotonic(), False, False
        try:
            process.stdin.write(f"{self._id} {command}\n".encode())
            process.stdin.flush()
            with selectors.DefaultSelector() as selector:
                selector.register(self._stdout, selectors.EVENT_READ)
                while True:
                    if has_begun and not is_stopped and should_stop():
                        process.stdin.write(b"\n")
                        process.stdin.flush()
                        is_stopped, heard = True, time.monotonic()
                    if (not has_begun or is_stopped) and time.monotonic() - heard > timeout:
                        raise self._failed(HANG, f"it did not answer {command!r} within {timeout:.6g} s")
                    if not selector.select(LOOK_SECONDS):
                        continue
                    for line in lines.add(self._read_piece(command)):
                        if not has_begun:
                            has_begun = self._begins(command, line)
                        elif line:
                            take(line)
                        else:
                            return
                    if lines.waiting > LONGEST_ANSWER:
                        raise self._failed(FLOOD, f"its answer to {command!r} has no end")
        except (OSError, ValueError):
            raise self._ended(command) from None

    def _begins(self, command: str, line: str) -> bool:
        """Whether a line is the first of an answer; an error is a failure, and other lines are skipped."""
        found = _ANSWER.fullmatch(line)
        if found is None:
            if line:
                self._output.add_stray(line)
            return False
        answer = self._checked(command, GtpAnswer(found[2], found[3].strip(), found[1] == "?"))
        if answer.is_error:
            raise self._failed(REFUSAL, f"it answered {command!r} with: {answer.text[:200] or 'an error'}")
        return True

    def _optional(self, command: str, timeout: float) -> str:
        """The answer, or nothing from a program that does not know the command."""
        try:
            return self.send(command, timeout)
        except EngineFailure as failure:
            if failure.kind != REFUSAL:
                raise
            return ""

    def is_quiet(self) -> bool:
        """Whether it has written no answer since the last one that it was asked for. What else it wrote is read away."""
        try:
            self._check_quiet("nothing")
        except EngineFailure as failure:
            if failure.kind in (TWICE, FLOOD):
                self._output.add_stray(str(failure))
            return False
        return self.is_running

    def take_report(self) -> str:
        """What it has written that answers nothing since this was last asked, in one line; nothing if it kept to GTP."""
        count, first = self._output.stray, self._output.first_stray
        self._output.stray, self._output.first_stray = 0, ""
        return f"it wrote {count} line{'s' * (count > 1)} that answer nothing, as {first!r}" if count else ""

    def _check_quiet(self, next_command: str) -> None:
        """Reads what has come without being asked for; an answer among it is a failure."""
        self._output.begin()
        while piece := self._read_piece(next_command):
            if self._output.add(piece) > LONGEST_ANSWER:
                raise self._failed(FLOOD, "it writes without end, and was asked nothing")
        answer = self._output.next_answer()
        if answer is not None:
            what = "its last command again" if answer.id == str(self._id) else "a command that was not sent yet"
            raise self._failed(TWICE, f"it answered {what}: {answer.shown}")

    def _read_answer(self, command: str, timeout: float) -> GtpAnswer:
        """The answer to the last command, which must have its id."""
        deadline = time.monotonic() + timeout
        before = self._output.stray
        self._output.begin()
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdout, selectors.EVENT_READ)
            while True:
                answer = self._output.next_answer()
                if answer is not None:
                    return self._checked(command, answer)
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    if self._output.stray > before:
                        wrote = self._output.last_stray
                        raise self._failed(GARBAGE, f"it answered {command!r} with something that is not GTP: {wrote!r}")
                    raise self._failed(HANG, f"it did not answer {command!r} within {timeout:.6g} s")
                piece = self._read_piece(command)
                if self._output.add(piece) > LONGEST_ANSWER:
                    raise self._failed(FLOOD, f"its answer to {command!r} has no end")

    def _checked(self, command: str, answer: GtpAnswer) -> GtpAnswer:
        if answer.id == str(self._id):
            return answer
        if not answer.id:
            raise self._failed(ID, f"it answered {command!r} without its id, which GTP 2 demands: {answer.shown}")
        if len(answer.id) <= 9 and 0 < int(answer.id) < self._id:
            raise self._failed(TWICE, f"it answered an earlier command again, and not {command!r}: {answer.shown}")
        raise self._failed(ID, f"it answered {command!r}, which has the id {self._id}, with another id: {answer.shown}")

    def _read_piece(self, command: str) -> bytes:
        """What there is to read now; nothing if there is nothing. A failure if the program has ended."""
        try:
            piece = os.read(self._stdout.fileno(), 65536)
        except BlockingIOError:
            return b""
        if not piece:
            raise self._ended(command)
        return piece

    def _failed(self, kind: str, text: str) -> EngineFailure:
        self.kill()
        return EngineFailure(kind, text)

    def _ended(self, command: str) -> EngineFailure:
        """The engine has closed its output: why, as far as that can be known."""
        process = self._process
        code: int | None = None
        if process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = process.wait(END_SECONDS)
        if self._listener is not None:
            self._listener.join(END_SECONDS)
        said = "; ".join([*filter(None, [self._output.last_stray]), *self._said])
        self.kill()
        if code is None:
            how = "it closed its output"
        elif code < 0:
            how = f"it was ended by signal {-code}"
        else:
            how = f"it ended with exit code {code}"
        return EngineFailure(CRASH, f"{how} at {command!r}" + (f"; it wrote: {said[:300]}" if said else ""))

    @property
    def _stdout(self) -> Any:
        if self._process is None or self._process.stdout is None:
            raise EngineFailure(CRASH, "the program is not running")
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
