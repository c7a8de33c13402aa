"""What reading a small file may cost, whatever is in it: 1 GiB of address space, 10 s of CPU time, and one line.

`in_child` calls a function once for each list of arguments, all of them in one child process with these limits, in pure Python:

    in_child("budget:command", [[["ratings", "forged.db"]]], folder)

`command` is the function for commands of `tesuji`, `opened` the one for certificates on the page.
A child that is killed for its time, raises anything or runs out of memory
is an AssertionError that names the arguments.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import re
import resource
import subprocess
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

GIB = 1 << 30
CPU_SECONDS = 10
NUMBERS = (
    "9" * 400,
    "-" + "9" * 400,
    "1e400",
    "-1e400",
    "NaN",
    "Infinity",
    "9" * 5000,
    "9" * 25,
    "1e-400",
    "0." + "0" * 400 + "1",
)
_OUR_FAULT = re.compile(r'"error": "[A-Z]\w*(Error|Exception): ')  # as JSON lines tell of what they did not expect


class Answer(NamedTuple):
    """What a command has said; of long texts only the ends. `fault` is what is wrong with that; '' if nothing is."""

    code: int
    out: str
    err: str
    fault: str


def _fault(code: int, out: str, err: str) -> str:
    """What is wrong with an answer, whether the input was right or wrong."""
    lines = [line for line in err.splitlines() if not line.startswith("tesuji: left out: ")]
    if any(words in text for words in ("internal error", "Traceback") for text in (out, err)) or _OUR_FAULT.search(out):
        return "an internal error"
    if "not enough memory" in out + err:
        return "more memory than it may have"
    if code not in (0, 1, 2):
        return f"exit code {code}"
    if code == 2 and (len(lines) != 1 or not lines[0].startswith("tesuji: ")):
        return f"{len(lines)} lines in place of one that says what is wrong"
    return ""


def command(words: Sequence[str], standard_input: bytes | str = b"") -> Answer:
    """A command of `tesuji` in this process, with these bytes, or those of a file of this name, as its standard input."""
    from tesuji.cli.main import main

    data = Path(standard_input).read_bytes() if isinstance(standard_input, str) else standard_input
    before, out, err = sys.stdin, io.StringIO(), io.StringIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(data), errors="replace")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(list(words))
    finally:
        sys.stdin = before
    said = out.getvalue(), err.getvalue()
    return Answer(code, _ends(said[0]), _ends(said[1]), _fault(code, *said))


def opened(path: str) -> str:
    """What the page says of a certificate: 'valid', 'refused', or what is wrong with the file."""
    from tesuji.core.errors import UserError
    from tesuji.proof.follow.open_certificate import OpenCertificate

    try:
        return "valid" if OpenCertificate(Path(path).read_bytes(), path).verdict.valid else "refused"
    except UserError as error:
        return str(error)


def _ends(text: str, most: int = 4000) -> str:
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 2 :]}"


# -- in a child ------------------------------------------------------------------------------------------------------------
def in_child(
    function: str, calls: Sequence[Sequence[Any]], folder: Path, memory: int = GIB, seconds: int = CPU_SECONDS
) -> list[Any]:
    """The results of `function` ("module:name") for each list of arguments, called one after the other in the folder.

    Arguments and results are JSON. Every call has the CPU time for itself, and all have the same memory.
    """
    order = {"function": function, "calls": list(calls), "memory": memory, "seconds": seconds}
    paths = os.pathsep.join([str(Path(__file__).parent), *(path for path in sys.path if path)])
    settings = {"PYTHONPATH": paths, "TESUJI_PURE": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    child = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps(order),
        capture_output=True,
        text=True,
        cwd=folder,
        env={**{name: value for name, value in os.environ.items() if name != "TESUJI_DEBUG"}, **settings},
    )
    answers = [json.loads(line) for line in child.stdout.splitlines()]
    for call, answer in zip(calls, answers, strict=False):
        assert "raised" not in answer, f"{function}{tuple(call)} raised\n{answer['raised']}"
    done = len(answers)
    assert child.returncode == 0 and done == len(calls), (
        f"{function}{tuple(calls[done]) if done < len(calls) else ''} ended with {child.returncode}\n{child.stderr[-4000:]}"
    )
    return [answer["result"] for answer in answers]


def check_commands(commands: Sequence[Sequence[Any]], folder: Path) -> list[Answer]:
    """The answers of `command` to each list of arguments, in a child; an AssertionError if one has a fault."""
    answers = [Answer(*found) for found in in_child("budget:command", commands, folder)]
    for call, answer in zip(commands, answers, strict=True):
        assert not answer.fault, f"{call}: {answer}"
    return answers


def _work(order: dict[str, Any]) -> None:
    """What the child does."""
    import numpy as np

    np.seterr(over="ignore")
    module, _, name = order["function"].partition(":")
    function = globals()[name] if module == "budget" else getattr(importlib.import_module(module), name)
    resource.setrlimit(resource.RLIMIT_AS, (order["memory"], order["memory"]))
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    out = sys.stdout
    for call in order["calls"]:
        used = resource.getrusage(resource.RUSAGE_SELF)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 1 + order["seconds"], hard))
        try:
            answer = {"result": function(*call)}
        except BaseException:
            answer = {"raised": traceback.format_exc()[-4000:]}
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    _work(json.load(sys.stdin))
