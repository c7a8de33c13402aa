"""Which tests are not run again, and when they are."""

from pathlib import Path

import passed_before
import pytest
from passed_before import REASON, files, stamp

from tesuji.core import sources

MODULE = """
import pytest

@pytest.mark.once_for_its_sources
@pytest.mark.parametrize("number", [1, 2])
def test_one(number):
    assert number == 1
"""
pytest_plugins = ["pytester"]


@pytest.fixture
def outcome(pytester, monkeypatch):
    """What pytest says of a test that passes and one that fails, and whether it says why it skips."""
    pytester.makepyfile(MODULE)
    source = pytester.path / "source"
    monkeypatch.setattr(passed_before, "files", lambda test: [source])

    def run(text, environment=(), *words):
        source.write_text(text)
        plugins = [passed_before.PassedBefore(environment)]
        done = pytester.inline_run("-p", "no:xdist", *words, plugins=plugins)
        passed, skipped, failed = done.listoutcomes()
        return len(passed), len(failed), [REASON in str(report.longrepr) for report in skipped]

    return run


def test_what_passed_is_skipped_until_a_source_changes_and_never_in_ci(outcome):
    assert outcome("a") == (1, 1, [])
    assert outcome("a") == (0, 1, [True]), "what failed runs again"
    assert outcome("a", ["CI"]) == (1, 1, [])
    assert outcome("b") == (1, 1, []) and outcome("b") == (0, 1, [True])
    assert outcome("b", (), "--cache-clear") == (1, 1, [])


def test_the_sources_are_all_that_players_are_made_of(monkeypatch, tmp_path):
    whole = files(Path(__file__))
    listed = {file.relative_to(sources.PACKAGE).as_posix() for file in whole if file.is_relative_to(sources.PACKAGE)}
    assert {
        "knowledge/go/go9.network",
        "knowledge/hex/patterns/patterns.json",
        "lab/signature.py",
        "search/kernel/loop.py",
    } <= listed
    assert {Path(__file__).name, "signatures.json"} <= {file.name for file in whole}
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text("1")
    other.write_text("1")
    assert len({stamp([one]), stamp([other]), stamp([one, other])}) == 3
    monkeypatch.setenv("TESUJI_PURE", "1")
    before = stamp([one])
    monkeypatch.delenv("TESUJI_PURE")
    assert stamp([one]) != before
