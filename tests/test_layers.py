"""A folder imports only from those before it; games have the same files; the search names none; the checker knows no search."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import tesuji
from tesuji.core.dispatch import Operation
from tesuji.games.registry import ENTRIES
from tesuji.search import policy

ROOT = Path(tesuji.__file__).parent
ORDER = ["core", "games", "search", "knowledge", "players", "proof", "play", "io", "learn", "lab", "api", "web", "cli"]
FILES = sorted(p for folder in ORDER for p in (ROOT / folder).rglob("*.py"))
GAMES = sorted(entry.name for entry in ENTRIES)
FOLDERS = sorted(p.name for p in (ROOT / "games").iterdir() if p.is_dir() and not p.name.startswith("_"))
GAME_FILES = ("state", "rules", "text", "picture", "game")


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


def test_imports_point_upwards():
    wrong = [
        f"{path.relative_to(ROOT)} imports {folder}"
        for path in FILES
        for folder in sorted(set(imported_folders(path)))
        if ORDER.index(folder) > ORDER.index(path.relative_to(ROOT).parts[0])
    ]
    assert len(FILES) > 100 and not wrong


def test_every_operation_of_policies_says_what_it_promises():
    """Its docstring is the contract; the page on the architecture sends the reader there."""
    operations = {name: one for name, one in vars(policy).items() if isinstance(one, Operation)}
    assert len(operations) > 10 and [name for name, one in operations.items() if not one.__doc__] == []


def test_every_game_is_one_file_or_a_folder_with_the_same_files():
    missing = [f"{g}/{name}.py" for g in FOLDERS for name in GAME_FILES if not (ROOT / "games" / g / f"{name}.py").is_file()]
    assert not missing
    for name in GAMES:
        assert (name in FOLDERS) != (ROOT / "games" / f"{name}.py").is_file()
    assert set(FOLDERS) <= set(GAMES)


def test_a_game_alone_brings_its_rules():
    """In a process of its own, where nothing else has imported any rules."""
    code = """
from tesuji.core import rules
from tesuji.games.registry import game_module
for name in %r:
    state = game_module(name).make("").initial
    for operation in (rules.to_play, rules.moves, rules.play, rules.is_over, rules.outcome):
        assert operation.is_implemented(state.dtype), f"{name} does not implement {operation.__name__}"
"""
    found = subprocess.run([sys.executable, "-c", code % GAMES], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr


def test_the_search_names_no_game():
    for path in (ROOT / "search").rglob("*.py"):
        for name in GAMES:
            # As a word, in a path or in quotes: "go" and "loa" are parts of English words, and "go" is one.
            named = re.search(rf"games[./]{name}\b|[\"'`]{name}\b[:\"'`]", path.read_text())
            assert not named, f"{path.name} names {name}"


def test_kernel_and_selection_are_in_one_order():
    """selection/interface.py, the kernel, selection/choose_child.py, the rules; only the loop itself chooses children."""

    def imported(path, folder):
        return set(re.findall(rf"tesuji\.search\.{folder}(?:\.| import )(\w+)", path.read_text()))

    for path in (ROOT / "search" / "kernel").glob("*.py"):
        assert imported(path, "selection") <= {"interface"} | ({"choose_child"} if path.name == "loop.py" else set()), path.name
    for path in (ROOT / "search" / "selection").glob("*.py"):
        assert "loop" not in imported(path, "kernel"), path.name
    assert not imported(ROOT / "search" / "selection" / "interface.py", "kernel")
    assert imported(ROOT / "search" / "selection" / "choose_child.py", "selection") == {"interface"}


def test_the_checker_knows_no_search():
    files = [*(ROOT / "proof" / "trusted").glob("*.py"), *(ROOT / "proof" / "follow").glob("*.py")]
    assert len(files) > 5
    for path in (*files, ROOT / "api" / "verification.py"):
        assert not {"search", "knowledge", "players"} & set(imported_folders(path)), path.name


TRUSTED = ROOT / "proof" / "trusted"
# What a mistake in cannot make a false claim pass: it turns bytes into a header and choices, limits a check, or words messages.
HARMLESS = {"container", "errors", "files", "sources", "user_files"}


def test_what_must_be_trusted_needs_nothing_of_the_rest_of_proof():
    """Its limits aside, which can end a check, but not end it well."""
    for path in TRUSTED.glob("*.py"):
        modules = {node.module for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)}
        others = {name for name in modules if name and name.startswith("tesuji.proof")}
        assert {name for name in others if not name.startswith("tesuji.proof.trusted")} <= {"tesuji.proof.budget"}


def test_what_must_be_trusted_is_listed_in_the_folder_and_on_the_page():
    listed = ast.get_docstring(ast.parse((TRUSTED / "__init__.py").read_text()))
    page = (Path(__file__).parent.parent / "docs" / "proofs.md").read_text()
    for path in TRUSTED.glob("*.py"):
        if path.name != "__init__.py":
            assert f"\n    {path.name} " in listed and f"`proof/trusted/{path.name}`" in page, path.name
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module.startswith(("tesuji.core", "tesuji.games")):
                names = [node.module] if node.module != "tesuji.core" else [f"tesuji.core.{one.name}" for one in node.names]
                for name in (name.removeprefix("tesuji.") for name in names):
                    file = name.replace(".", "/") + ".py"
                    known = name.removeprefix("core.") in HARMLESS or (f"\n    {file} " in listed and f"`{file}`" in page)
                    assert known, f"{path.name} imports {file}, which is not listed"
