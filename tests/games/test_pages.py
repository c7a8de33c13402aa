"""The doc page of each game: the same headings everywhere, game strings that exist, boards as the program draws them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from write_pictures import picture_of_page

from tesuji.games.registry import ENTRIES, find_game

PAGES = Path(__file__).parents[2] / "docs" / "games"
HEADINGS = [
    "Play it",
    "Rules",
    "Moves",
    "Outcomes",
    "Game string and sizes",
    "What the search knows",
    "How it is checked",
]
DRAWING = re.compile(r"After `([^`]+)` in `([^`]+)`:\n\n```text\n(.*?)\n```", re.DOTALL)


def page(name):
    return (PAGES / f"{name}.md").read_text(encoding="utf-8")


def test_there_are_no_other_pages() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} - {"index", "README"} == {entry.name for entry in ENTRIES}


@pytest.mark.parametrize("name", [entry.name for entry in ENTRIES])
def test_headings(name) -> None:
    assert re.findall(r"^## (.*)$", page(name), re.MULTILINE) == HEADINGS


@pytest.mark.parametrize("name", [entry.name for entry in ENTRIES])
def test_game_strings(name) -> None:
    commands = re.findall(r"^    tesuji (?!learn )\w+ (\S+)", page(name), re.MULTILINE)
    assert commands
    for text in commands:
        assert find_game(text).name == text


@pytest.mark.parametrize("name", [entry.name for entry in ENTRIES])
def test_drawings(name) -> None:
    drawings = DRAWING.findall(page(name))
    assert drawings
    for moves, text, drawing in drawings:
        game = find_game(text)
        assert game.drawing(game.state_after(moves.split())) == drawing


@pytest.mark.parametrize("name", [entry.name for entry in ENTRIES])
def test_pictures(name) -> None:
    """`python tests/write_pictures.py` writes them anew."""
    assert f"(../images/{name}.svg)" in page(name)
    assert (PAGES.parent / "images" / f"{name}.svg").read_text(encoding="utf-8") == picture_of_page(name)
