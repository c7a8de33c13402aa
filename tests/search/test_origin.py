"""How a position came about: what a saved search holds instead of a record."""

import numpy as np
import pytest
from plain_search import plain_search

from tesuji.cli.main import main
from tesuji.core.errors import UserError
from tesuji.core.records import is_same_record
from tesuji.games.registry import find_game
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.files.origin import Origin, set_up_of, true_origin
from tesuji.search.files.saved_search import load_search, save_search

GO = find_game("go:5")


@pytest.fixture(autouse=True)
def pure_python(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    with np.errstate(over="ignore"):
        yield


def test_moves_and_stones_lead_to_the_position():
    state = GO.state_after(["C3", "B2"])
    moves = tuple(GO.parse(GO.initial, text) for text in ("C3", "B2"))
    assert is_same_record(Origin(moves).position(GO), state)
    assert true_origin(GO, state, Origin(moves)) == Origin(moves)
    origin = set_up_of(GO, state)
    assert origin is not None and GO.drawing(origin.position(GO)).count("X") == GO.drawing(state).count("X")
    assert true_origin(GO, origin.position(GO), Origin()) == origin
    assert true_origin(find_game("tictactoe"), find_game("tictactoe").state_after(["b2"]), Origin()) is None


@pytest.mark.parametrize(
    "origin",
    [
        Origin((12, 12)),
        Origin((99,)),
        Origin((25,) * 5),
        Origin((0,) * 100_000),
        Origin((), ((9, 9, 0),)),
        Origin((), ((0, 0, 5),)),
        Origin((), ((0, 0, 0), (1, 0, 1), (0, 1, 1))),
        Origin((), (), 7),
    ],
)
def test_what_leads_nowhere_is_refused(origin):
    with pytest.raises(UserError):
        origin.position(GO)


def test_a_search_without_a_known_origin_is_not_saved(tmp_path):
    game = find_game("tictactoe")
    search = TreeSearch(game, game.state_after(["b2"]), SEARCH.settings({"memory": 1.0}))
    with pytest.raises(UserError, match="the moves that led to the position are not known"):
        save_search(search, tmp_path / "s")
    search.origin = Origin((game.parse(game.initial, "b2"),))
    search.advance(0)
    save_search(search, tmp_path / "s")
    assert is_same_record(load_search(tmp_path / "s", plain_search).state, search.state)


@pytest.mark.parametrize(
    "text",
    [
        "(;GM[1]SZ[5];B[bb];W[cc])",
        "(;GM[1]SZ[5]AB[bb][cc]AW[dd]PL[W];W[aa];B[ee])",
        "(;GM[1]SZ[5];B[bb];AW[cc][dd]AE[bb];B[aa];W[ee])",
    ],
)
def test_positions_of_records_are_saved(tmp_path, monkeypatch, capsys, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.sgf").write_text(text)
    words = ["--playouts", "2", "--memory", "1", "--top", "1"]
    assert main(["analyze", "--sgf", "x.sgf", "--moves", "pass", *words, "--save", "s"]) == 0
    board = capsys.readouterr().out.partition("\n\n")[0]
    assert main(["analyze", "--load", "s", "--playouts", "2", "--top", "1"]) == 0
    assert capsys.readouterr().out.partition("\n\n")[0] == board
