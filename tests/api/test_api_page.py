"""docs/api.md: its examples print what it says, and it names everything that is public."""

import doctest
import re
from pathlib import Path

import tesuji

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def test_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried > 30 and failed == 0


def test_every_public_name_is_on_the_page():
    words = set(re.findall(r"\w+", PAGE.read_text()))
    assert [name for name in tesuji.__all__ if name not in words | {"__version__"}] == []
