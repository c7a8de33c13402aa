"""What holds for all tests."""

import gc
import signal
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings
from passed_before import PassedBefore

HEAVIEST = "test_signatures.py"


def pytest_configure(config):
    """No test depends on the clock of a machine that others use, too, nor on where it was started.

    A shell starts programs in the background with Ctrl-C ignored; tests that interrupt something must not depend on that.
    """
    config.pluginmanager.register(PassedBefore())
    settings.register_profile("no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("no clock")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """The tests that take longest come first, half of them at the start of each half of all tests, where two workers begin.

    So no worker waits for another at the end; and these tests compile most of what the others need, each kernel once.
    """
    heavy = [item for item in items if Path(item.fspath).name == HEAVIEST]
    light = [item for item in items if Path(item.fspath).name != HEAVIEST]
    first, second = heavy[::2], heavy[1::2]
    cut = max(0, len(items) // 2 - len(first))
    items[:] = [*first, *light[:cut], *second, *light[cut:]]


def pytest_collection_finish():
    """What is loaded by now stays, so the garbage collector need not look through it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    # Nor is bytecode written from now on: what a test changes within a second, to the same length, would seem unchanged.
    sys.dont_write_bytecode = True
