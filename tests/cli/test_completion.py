"""Completion: the scripts are what each shell can read, and complete what there is."""

import shutil
import subprocess

import pytest

from tesuji.cli import main

COMMANDS = [module.__name__.rpartition(".")[2] for module in main.COMMANDS]


@pytest.fixture
def completed(tesuji):
    """What bash offers after some words, of which the last one is being typed."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    script = tesuji("completion", "bash").out

    def complete(*words):
        typed = " ".join(f"'{word}'" for word in ("tesuji", *words))
        program = f'{script}\nCOMP_WORDS=({typed}); COMP_CWORD={len(words)}; _tesuji; printf "%s\\n" "${{COMPREPLY[@]}}"'
        done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return done.stdout.split()

    return complete


def test_commands_options_games_and_players(completed):
    assert set(completed("")) == {*COMMANDS, "--help", "--version"}
    assert completed("so") == ["solve"]
    assert {"--moves", "--level", "connect4", "hex"} <= set(completed("play", ""))
    assert completed("play", "--no") == ["--no-browser"]
    assert completed("analyze", "go:9", "--player", "moh") == ["mohex1", "mohex2"]
    assert completed("verify", "go") == []  # it takes a file, which bash completes itself


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells(tesuji, shell):
    script = tesuji("completion", shell).out
    assert all(command in script for command in COMMANDS)
    if shutil.which(shell):
        done = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


def test_an_unknown_shell_is_one_line(tesuji):
    assert "invalid choice" in tesuji("completion", "csh").error
