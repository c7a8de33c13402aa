"""`python -m tesuji`."""

from __future__ import annotations

import sys

from tesuji.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
