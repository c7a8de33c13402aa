"""`tesuji` and `python -m tesuji`: handles Ctrl-C before anything else is loaded."""

from __future__ import annotations

import sys

from tesuji.cli import interrupts


def main() -> int:
    interrupts.install()
    try:
        from tesuji.cli.main import main as run

        code = run()
    except KeyboardInterrupt:  # while the command was being loaded, or once more while it ended
        code = interrupts.stopped_early()
    interrupts.leave(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
