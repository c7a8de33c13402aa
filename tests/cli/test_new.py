"""`tesuji new`: the file plays and is without mistakes, its test passes, and nothing is ever replaced."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tesuji.games.registry import find_game
from tesuji.lab.check import check_game


def test_a_new_game_is_without_mistakes(tesuji, tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    path = tmp_path / "my_game.py"
    answer = tesuji("new", str(path), "--json")
    assert answer.code == 0 and answer.json == {
        "game": f"{path}:game",
        "file": str(path),
        "test": str(tmp_path / "test_my_game.py"),
    }
    game = find_game(f"{path}:game")
    assert game.title == "My game" and check_game(game, games=10).ok
    assert game.goal and game.how_to_play, "the page shows them as the rules"


def test_its_test_passes(tesuji, tmp_path):
    assert tesuji("new", str(tmp_path / "mine.py")).code == 0
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "TESUJI_PURE": "1"})
    assert done.returncode == 0 and "4 passed" in done.stdout, done.stdout


@pytest.mark.parametrize("there", ["mine.py", "test_mine.py"])
def test_nothing_is_replaced(tesuji, tmp_path, there):
    (tmp_path / there).write_text("")
    answer = tesuji("new", str(tmp_path / "mine.py"))
    assert answer.code == 2 and "exists already" in answer.err
    assert [path.name for path in tmp_path.iterdir()] == [there] and (tmp_path / there).read_text() == ""


@pytest.mark.parametrize(
    "name",
    [
        "mine",
        "mine.txt",
        "my game.py",
        "9.py",
        "-.py",
        "ä.py",
        "x'y.py",
        ".py",
        "missing/mine.py",
        "class.py",
        "numpy.py",
        "tesuji.py",
    ],
)
def test_wrong_names(tesuji, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    answer = tesuji("new", "--", name) if name.startswith("-") else tesuji("new", name)
    assert answer.code == 2 and len(answer.err.strip().splitlines()) == 1
    assert not [*tmp_path.iterdir()]
