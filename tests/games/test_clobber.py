"""Clobber against OpenSpiel."""

from __future__ import annotations

import pytest
from openspiel_comparison import agree

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game


@pytest.mark.parametrize(("columns", "rows"), [(2, 2), (4, 3), (6, 5), (5, 8), (9, 9)])
def test_against_openspiel(columns, rows) -> None:
    pyspiel = pytest.importorskip("pyspiel")

    def written(theirs, action):
        text = theirs.action_to_string(theirs.current_player(), action)
        return f"{text[:2]}-{text[2:]}"

    # There, the first player's stone is at a1 only where the number of rows is even.
    if rows % 2 == 0:
        theirs = pyspiel.load_game("clobber", {"rows": rows, "columns": columns})
        agree(find_game(f"clobber:{columns}x{rows}"), theirs, games=4, ours_of=written)
        return

    def upside_down(theirs, action):
        text = theirs.action_to_string(theirs.current_player(), action)
        return f"{text[0]}{rows + 1 - int(text[1])}-{text[2]}{rows + 1 - int(text[3])}"

    theirs = pyspiel.load_game("clobber", {"rows": rows, "columns": columns})
    agree(find_game(f"clobber:{columns}x{rows}"), theirs, games=4, ours_of=upside_down)


@pytest.mark.parametrize(("text", "value"), [("clobber:2", 1), ("clobber:3x2", -1), ("clobber:1x3", 1), ("clobber:3", 1)])
def test_values(text, value, minimax) -> None:
    game = find_game(text)
    assert minimax(game, game.new_state()) == value


def test_whoever_cannot_move_has_lost() -> None:
    state = find_game("clobber:2x1").state_after(["a1-b1"])
    assert rules.is_over(state) and rules.outcome(state) == 1


@pytest.mark.parametrize("text", ["clobber:1", "clobber:1x1", "clobber:11", "clobber:0x5", "clobber:x"])
def test_wrong_sizes(text) -> None:
    with pytest.raises(UserError, match="W columns"):
        find_game(text)
