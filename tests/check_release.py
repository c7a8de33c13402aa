"""Whether a tag, the version of the package and the changelog agree: python tests/check_release.py v0.2.0

The version is read from the source: nothing need be installed.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def faults(tag: str, source: str, changelog: str) -> list[str]:
    """What does not agree, a sentence each."""
    found = re.search(r'^__version__ = "([^"]+)"$', source, re.MULTILINE)
    version = found[1] if found else ""
    wrong = [] if tag == f"v{version}" else [f"the tag is {tag}, and the version {version}: it should be v{version}"]
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE):
        wrong.append(f"CHANGELOG.md has no heading as '## [{version}] - 2026-01-31'")
    return wrong


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = (ROOT / "src" / "tesuji" / "__init__.py").read_text(encoding="utf-8")
    wrong = faults(sys.argv[1], source, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    print("\n".join(wrong) or "they agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
