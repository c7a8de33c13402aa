"""What is published agrees: tag, version, changelog; and the workflow does what the checklist says."""

import re
from pathlib import Path

from check_release import faults

import tesuji

ROOT = Path(__file__).parent.parent
DATED = "## [1.2.0] - 2026-01-31\n"


def test_tag_version_and_changelog_agree():
    source = '"""x"""\n__version__ = "1.2.0"\n'
    assert faults("v1.2.0", source, DATED) == []
    assert "should be v1.2.0" in faults("v1.3.0", source, DATED)[0]
    assert "no heading" in faults("v1.2.0", source, "## [Unreleased]\n## [1.20] - 2026-01-31\n")[0]


def test_the_version_is_found_in_the_source():
    source = (ROOT / "src" / "tesuji" / "__init__.py").read_text(encoding="utf-8")
    assert not any("the tag" in fault for fault in faults(f"v{tesuji.__version__}", source, ""))


def test_the_workflow_names_no_registry_and_keeps_no_password():
    text = (ROOT / ".github" / "workflows" / "publish.yml").read_text(encoding="utf-8")
    assert not re.search(r"https?://|password|secrets\.", text.replace("there is no password", ""))
    for part in ("tests/check_release.py", "make test", "python -m build", "id-token: write"):
        assert part in text
