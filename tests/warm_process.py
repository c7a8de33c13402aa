"""New processes that need not load the compiler: children of one that has loaded it and compiled nothing for the script.

A start of Python with Numba takes most of a second of processor time, and most of what a test of the compile cache did.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

PARENT = """
import json, os, resource, runpy, sys, time, traceback
import numba
import tesuji.search.engine.tree_search, tesuji.search.kernel.playouts
from tesuji.core import sources
from tesuji.core.numba import registration
numba.njit(lambda number: number + 1)(1)  # which loads what Numba loads at the first use
registration._start()

def run(words, environment, file_size):
    os.environ.clear()
    os.environ.update(environment)
    if file_size:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
    time.sleep(2 * sources.COARSE)  # a new process is not that quick: what was just written would count as changed meanwhile
    sources._started = time.time()
    sys.dont_write_bytecode = True  # for the same reason as in conftest.py
    sys.argv = words
    folders = environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[1:1] = [folder for folder in folders if folder not in ("", *sys.path)]
    if words[0] == "-c":
        sys.argv, sys.path[0] = ["-c", *words[2:]], ""
        exec(words[1], {"__name__": "__main__"})
    elif words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
        runpy.run_path(words[0], run_name="__main__")

for line in sys.stdin:
    request = json.loads(line)
    child = os.fork()
    if child == 0:
        code = 0
        os.close(0)
        for number, name in enumerate(request.pop("outputs"), 1):
            os.dup2(os.open(name, os.O_WRONLY), number)
        try:
            run(**request)
        except BaseException as error:
            code = 1
            if isinstance(error, SystemExit):
                code = error.code if isinstance(error.code, int) else int(error.code is not None)
            else:
                traceback.print_exc()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@functools.cache
def parent() -> subprocess.Popen[str]:
    """One for each process of tests."""
    started = subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def end() -> None:
        started.kill()
        started.wait()

    atexit.register(end)
    return started


def run_warm(
    words: list[str], environment: Mapping[str, str] | None = None, file_size: int = 0
) -> subprocess.CompletedProcess[str]:
    """What `python WORDS...` would do; with `file_size` no file may become larger."""
    process = parent()
    assert process.stdin is not None and process.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        outputs = [Path(folder) / name for name in ("out", "err")]
        for output in outputs:
            output.touch()
        request = {"words": words, "environment": dict(environment or os.environ), "file_size": file_size}
        print(json.dumps({**request, "outputs": [str(output) for output in outputs]}), file=process.stdin, flush=True)
        code = int(process.stdout.readline())
        return subprocess.CompletedProcess(words, code, *(output.read_text() for output in outputs))
