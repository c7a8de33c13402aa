"""Breakthrough against OpenSpiel; what the bounds say of pieces about to arrive.

On boards of fewer than six rows OpenSpiel has one row of pieces each.
"""

from __future__ import annotations

import pytest
from openspiel_comparison import agree

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game


@pytest.mark.parametrize(("columns", "rows"), [(2, 6), (5, 6), (8, 8), (10, 7), (7, 10)])
def test_against_openspiel(columns, rows) -> None:
    pyspiel = pytest.importorskip("pyspiel")

    def written(theirs, action):
        """There, the player who moves first begins at the top."""
        text = theirs.action_to_string(theirs.current_player(), action).rstrip("*").replace("10", ":")
        here, there = ((text[at], rows + 1 - (ord(text[at + 1]) - ord("0"))) for at in (0, 2))
        return f"{here[0]}{here[1]}-{there[0]}{there[1]}"

    theirs = pyspiel.load_game("breakthrough", {"rows": rows, "columns": columns})
    agree(find_game(f"breakthrough:{columns}x{rows}"), theirs, games=4, ours_of=written)


def test_bounds_of_pieces_about_to_arrive() -> None:
    game = find_game("breakthrough:3x4")
    state = game.state_after(["a2-b3", "a4-b3", "c2-b3"])  # White's third piece on b3; Black can capture it with c4
    assert rules.bounds(state, -1, 1) == (-1, 1)
    rules.play(state, game.parse(state, "a3-a2"))  # Black lets it be, and is himself one step away
    assert rules.bounds(state, -1, 1) == (1, 1)


@pytest.mark.parametrize("text", ["breakthrough:3", "breakthrough:1x5", "breakthrough:11", "breakthrough:5x5x5"])
def test_wrong_sizes(text) -> None:
    with pytest.raises(UserError, match="W columns"):
        find_game(text)
