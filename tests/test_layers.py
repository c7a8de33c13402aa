"""A folder imports only from those before it; the search names no game; the checker knows no search."""

import ast
import re
from pathlib import Path

import pytest

import tesuji

ROOT = Path(tesuji.__file__).parent
ORDER = ["core", "games", "search", "knowledge", "players", "proof", "io", "learn", "lab", "cli"]
FILES = sorted(p for folder in ORDER for p in (ROOT / folder).rglob("*.py"))


def imported_folders(path):
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != "tesuji" else [f"tesuji.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "tesuji" and len(parts) > 1 and parts[1] in ORDER:
                yield parts[1]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_upwards(path):
    own = ORDER.index(path.relative_to(ROOT).parts[0])
    for folder in imported_folders(path):
        assert ORDER.index(folder) <= own, f"{path.relative_to(ROOT)} imports {folder}"


def test_the_search_names_no_game():
    games = [p.name for p in (ROOT / "games").iterdir() if p.is_dir() and not p.name.startswith("_")]
    for path in (ROOT / "search").glob("*.py"):
        for name in games:
            # As a word, in a path or in quotes: "go" and "loa" are parts of English words, and "go" is one.
            named = re.search(rf"games[./]{name}\b|[\"'`]{name}\b[:\"'`]", path.read_text())
            assert not named, f"{path.name} names {name}"


def test_the_checker_knows_no_search():
    for name in ("checker.py", "format.py"):
        assert "search" not in imported_folders(ROOT / "proof" / name)


def test_files_are_of_a_readable_size():
    long = {str(p.relative_to(ROOT)): n for p in FILES if (n := len(p.read_text().splitlines())) > 400}
    assert not long
