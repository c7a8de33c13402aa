"""The 100 openings of three plies that every match begins with. The paper's set (Billings and Bjornsson 2003) is not printed.

They were drawn once and are kept in a file: `write_openings` makes just that file. Every opening is three random legal moves
that do not end the game, and no two lead to the same position, nor to mirror images of each other.
"""

from __future__ import annotations

import random
from pathlib import Path

from tesuji.core import rules
from tesuji.core.files import write_file
from tesuji.core.picture.board import Point
from tesuji.games.registry import find_game
from tesuji.lab.match.plan import OPENINGS_FILE

GAME = "loa"
FILE = Path(__file__).with_name("openings.txt")
OPENINGS, OPENING_PLIES, SEED = 100, 3, 2008


def make_openings(count: int = OPENINGS, plies: int = OPENING_PLIES, seed: int = SEED) -> list[list[str]]:
    """Openings as move texts."""
    game = find_game(GAME)
    assert game.board is not None
    chance = random.Random(seed)
    found: list[list[str]] = []
    seen: set[object] = set()
    while len(found) < count:
        state = game.new_state()
        texts = []
        while len(texts) < plies and not rules.is_over(state):
            move = chance.choice(game.legal_moves(state))
            texts.append(game.text(state, move))
            rules.play(state, move)
        image = _image(game.board.stones(state))
        if not rules.is_over(state) and image not in seen:
            seen.add(image)
            found.append(texts)
    return found


def _image(stones: dict[Point, int]) -> object:
    """The same for positions that are mirror images of each other, left and right or top and bottom, as the start allows."""
    turned = [
        sorted(((abs(across - column), abs(up - row)), owner) for (column, row), owner in stones.items())
        for across in (0, 7)
        for up in (0, 7)
    ]
    return str(min(turned))


def write_openings() -> None:
    lines = ["# Three plies of Lines of Action each, drawn at random; openings.py makes this file."]
    lines += [" ".join(texts) for texts in make_openings()]
    write_file(FILE, ("\n".join(lines) + "\n").encode(), OPENINGS_FILE)
