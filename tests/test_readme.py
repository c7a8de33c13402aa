"""Every example of the README runs and prints what it says ('...' stands for anything)."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from tesuji.cli.main import main
from tesuji.knowledge.registry import AUTO, POLICIES, UNIFORM
from tesuji.players.parameters import all_parameters

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
    assert tried >= 5 and failed == 0


OF_GAMES = {"komi", "superko", "swap", "simultaneous", "no_move", "steps", "passes"}
OF_CODE = {
    "statistics",
    "evaluates",
    "encoding",
    "planes_first",
    "batch",
}  # arguments of `selection_rule`, `Game` and `Evaluator`
NO_PARAMETERS = {"playouts", "seconds", "cpu", "rule_bounds", "symmetry", "connections"} | OF_GAMES | OF_CODE


@pytest.mark.parametrize(
    "page", ["README.md", *sorted(str(p.relative_to(README.parent)) for p in (README.parent / "docs").rglob("*.md"))]
)
def test_parameters_named_on_a_page_exist(page):
    known = all_parameters()
    policies = {AUTO, UNIFORM, *(name for names in POLICIES.values() for name in names)}
    for code in re.findall(r"`([^`\n]+)`", (README.parent / page).read_text()):
        for name, value in re.findall(r"(?:^|[\s,:])([a-z_]+)=([\w.+-]+)", code):
            if name in NO_PARAMETERS:
                continue
            assert name in known, f"{page}: {code}"
            choices = policies if name == "policy" else known[name].choices
            assert not choices or value in choices, f"{page}: {code}"
