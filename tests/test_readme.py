"""Every example of the README runs and prints what it says ('...' stands for anything)."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from tesuji.cli.main import main

README = Path(__file__).parent.parent / "README.md"
BLOCKS = re.findall(r"```console\n(.*?)```", README.read_text(), re.S)


def test_commands_print_what_the_readme_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert len(BLOCKS) >= 5
    for block in BLOCKS:
        command, _, expected = block.partition("\n")
        assert command.startswith("$ tesuji ")
        code = main(shlex.split(command)[2:])
        printed = capsys.readouterr().out
        assert code == 0, command
        checker = doctest.OutputChecker()
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        assert checker.check_output(expected, printed, flags), f"{command}\n{printed}"


def test_python_examples():
    failed, tried = doctest.testfile(str(README), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried > 5 and failed == 0


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", *sorted(f"docs/{p.name}" for p in (README.parent / "docs").glob("*.md"))]
)
def test_links_lead_somewhere(page):
    path = README.parent / page
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
        assert (path.parent / target).exists(), f"{page} links to {target}"
