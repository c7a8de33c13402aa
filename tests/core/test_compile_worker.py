"""Compilation in a thread of its own: Ctrl-C at any moment, nothing done twice, and how much is left."""

import gc
import json
import os
import signal
import subprocess
import sys
import threading
from typing import ClassVar

import pytest

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.core.numba import cache, worker
from tesuji.core.numba.registration import compiled

once = pytest.mark.once_for_its_sources  # passed_before.py

INTERRUPTED = """
import os, signal, sys, threading, time
from tesuji.__main__ import main
from tesuji.core.numba import worker

def interrupt(functions):
    while worker.under_way is None or worker.under_way.functions < functions:
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, args=(int(sys.argv.pop()),), daemon=True).start()
sys.exit(main())
"""


@pytest.mark.parametrize("functions", [0, 60])
def test_ctrl_c_while_compiling_ends_the_command(tmp_path, functions):
    """When the compiler begins, and among the inlined functions."""
    command = [sys.executable, "-c", INTERRUPTED, "analyze", "tictactoe", "--playouts", "10", str(functions)]
    env = {**os.environ, "TESUJI_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "tesuji: stopped before there was an answer\n")


def test_an_interrupted_caller_is_gone_and_the_work_is_not_lost():
    begun, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def work():
        begun.set()
        go_on.wait()
        done.set()

    def interrupt():
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        worker.run(work)
    assert worker._workers and not done.is_set()
    go_on.set()
    done.wait()


def test_what_goes_wrong_is_raised_where_it_was_asked_for():
    def work():
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        worker.run(work)
    assert worker.run(lambda: worker.run(lambda: 7)) == 7  # from within: in the same thread


AT_EXIT = """
import sys, threading
from tesuji.core.numba import worker
worker.in_background(threading.Event().wait)
print("said")
"""


@pytest.mark.parametrize(
    ("end", "code"), [("raise KeyboardInterrupt", 130), ("1 / 0", 1), ("worker.exit_code = 3; sys.exit(3)", 3)]
)
def test_a_process_ends_though_the_compiler_is_at_work(end, code):
    done = subprocess.run([sys.executable, "-c", AT_EXIT + end], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (code, "said\n")


TWICE = """
import json, threading
from tesuji.core.numba import registration, worker
from tesuji.core.dispatch import kernel
@kernel
def one_more(x): return x + 1
def entry(x): return one_more(x) * 2
worker.in_background(lambda: registration.compiled(entry)(1))
values = []
threads = [threading.Thread(target=lambda: values.append(registration.compiled(entry)(3))) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(json.dumps([values, registration.compilations]))
"""


@once
def test_whoever_asks_for_what_is_being_compiled_waits_for_it(tmp_path):
    env = {**os.environ, "TESUJI_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, text=True, env=env)
    assert json.loads(done.stdout) == [[8, 8, 8], 2], done.stderr
    assert json.loads((tmp_path / cache.TIMES).read_text())["__main__.entry"][0] == 2


def test_how_much_is_left(monkeypatch):
    monkeypatch.setattr(worker.time, "monotonic", lambda: 104.0)
    assert worker.Compilation("kernel", (10, 20.0), 100.0).seconds_left == 16.0
    assert worker.Compilation("kernel", (10, 2.0), 100.0).seconds_left == 0.2  # late: not much more, but some


def test_times_that_cannot_be_read_are_none(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_CACHE_DIR", str(tmp_path))
    for text in ("", "[]", "{", '{"a": 1}', '{"a": [1, "x"]}'):
        (tmp_path / cache.TIMES).write_text(text)
        assert cache.compile_times() == {}
    cache.keep_compile_time("kernel", 3, 1.25)
    assert cache.compile_times() == {"kernel": (3, 1.2)}


@kernel
def shared(x):
    return x + 1


@called_kernel
def called_with_it(x):
    return shared(x) * 2


@kernel
def inlined_with_it(x):
    return shared(x) * 3


@kernel
def uses_it_three_times(x):
    return shared(x) + called_with_it(x) + inlined_with_it(x)


def test_a_kernel_is_compiled_once_for_callers_of_all_kinds(tmp_path, monkeypatch):
    """By the entry kernel, by one that is called and by one that is inlined."""
    from numba.core import event

    monkeypatch.setenv("TESUJI_CACHE_DIR", str(tmp_path))  # an earlier run may have left them in the user's cache

    class Names(event.Listener):
        seen: ClassVar[list[str]] = []

        def on_start(self, event):
            self.seen.append(event.data["dispatcher"].py_func.__name__)

        def on_end(self, event):
            pass

    entry = compiled(uses_it_three_times)
    with event.install_listener("numba:compile", Names()):
        assert entry(4) == 5 + 10 + 15
    assert sorted(Names.seen) == ["called_with_it", "inlined_with_it", "shared", "uses_it_three_times"]


WRAPPED = """
import numpy as np
from tesuji.core.numba.registration import compiled
from tesuji.core.dispatch import kernel

@kernel
def before(values, index):
    return values[index - 1]

@kernel
def entry(values, index):
    return before(values, index)

print(compiled(entry)(np.arange(5), 0))
"""


@once
def test_users_functions_keep_the_negative_indices_of_python(tmp_path):
    """Those of the package do without: see core/numba/pipeline.py."""
    (tmp_path / "mine.py").write_text(WRAPPED)
    env = {**os.environ, "TESUJI_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, tmp_path / "mine.py"], capture_output=True, text=True, env=env)
    assert done.stdout == "4\n", done.stderr


@once
def test_an_index_below_0_in_the_package_is_found_by_the_check_of_indices(tmp_path):
    """Without the check it would read what lies before the array; this file passes for one of the package."""
    (tmp_path / "mine.py").write_text(
        "from tesuji.core.numba import pipeline\npipeline.is_in_package = lambda path: True\n" + WRAPPED
    )
    env = {**os.environ, "TESUJI_CACHE_DIR": str(tmp_path), "NUMBA_BOUNDSCHECK": "1"}
    done = subprocess.run([sys.executable, tmp_path / "mine.py"], capture_output=True, text=True, env=env)
    assert done.returncode == 1 and "IndexError: index is out of bounds" in done.stderr


RANGES_AND_ERRORS = """
from tesuji.core.numba import pipeline
from tesuji.core.numba.registration import compiled
from tesuji.core.dispatch import kernel

pipeline.is_in_package = lambda path: True  # this file passes for one of the package

@kernel
def cannot_fail(first, last, step):
    total = 0
    for i in range(first, last, step):
        total = 100 * total + i
    return total

@kernel
def may_fail(x):
    if x > 3:
        raise ValueError("too large")
    return x

@kernel
def passes_it_on(x):
    return may_fail(x) + cannot_fail(0, x, 1)

@kernel
def entry(first, last, step, x):
    return cannot_fail(first, last, step), passes_it_on(x)

run = compiled(entry)
ranges = [(f, l, s) for f in range(-3, 4) for l in range(-3, 4) for s in (-3, -2, -1, 1, 2, 3)]
assert all(run(*r, 3)[0] == entry(*r, 3)[0] for r in ranges)
try:
    run(0, 1, 1, 4)
except ValueError as error:
    print(error)
"""


@once
def test_ranges_and_errors_are_as_in_python(tmp_path):
    (tmp_path / "mine.py").write_text(RANGES_AND_ERRORS)
    env = {**os.environ, "TESUJI_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, tmp_path / "mine.py"], capture_output=True, text=True, env=env)
    assert done.stdout == "too large\n", done.stderr


def test_old_objects_are_not_searched_for_garbage_meanwhile(monkeypatch):
    usual = gc.get_threshold()
    assert worker.run(gc.get_threshold) == worker.GC_THRESHOLDS != usual == gc.get_threshold()
    monkeypatch.setattr(threading.Thread, "start", lambda thread: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        worker.run(gc.isenabled)
    assert gc.get_threshold() == usual and not worker._workers


def test_a_choice_of_the_host_program_meanwhile_is_left_alone():
    usual, stack = gc.get_threshold(), threading.stack_size()
    gc.disable()
    try:
        worker.run(lambda: gc.set_threshold(123, 4, 5))
        assert gc.get_threshold() == (123, 4, 5) and not gc.isenabled()
    finally:
        gc.enable()
        gc.set_threshold(*usual)
    assert threading.stack_size() == stack
