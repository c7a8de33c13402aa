"""Writes the pictures of the games' pages anew (docs/images/*.svg): the position that each page shows first as text."""

import re
from pathlib import Path

from tesuji.core.picture.svg import svg_of
from tesuji.core.position import Position
from tesuji.games.registry import ENTRIES, find_game

DOCS = Path(__file__).parent.parent / "docs"


def picture_of_page(name: str) -> str:
    """The picture that belongs to the page of a game."""
    text = (DOCS / "games" / f"{name}.md").read_text(encoding="utf-8")
    found = re.search(r"After `([^`]+)` in `([^`]+)`:", text)
    assert found is not None
    game = find_game(found[2])
    position: Position = game.start.play(*found[1].split())
    return svg_of(position)


if __name__ == "__main__":
    for entry in ENTRIES:
        (DOCS / "images" / f"{entry.name}.svg").write_text(picture_of_page(entry.name), encoding="utf-8")
