"""What holds for all tests."""

import signal


def pytest_configure():
    """A shell starts programs in the background with Ctrl-C ignored; tests that interrupt something must not depend on that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
