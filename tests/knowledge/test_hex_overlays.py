"""What is shown of positions of Hex, in pure Python on small boards: by hand, and against brute force."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import pytest

from tesuji.core.errors import UserError
from tesuji.games.hex.game import set_up
from tesuji.games.hex.state import empty_board
from tesuji.games.registry import find_game
from tesuji.knowledge.hex.overlays.positions import AssessedPosition
from tesuji.knowledge.hex.overlays.requests import NAMES
from tesuji.knowledge.overlays import overlay, overlay_names

sys.path.insert(0, str(Path(__file__).parents[1] / "games"))
from naive_hex import NaiveSolver


@pytest.fixture(autouse=True)
def _pure(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")


def shown(game_text: str, what: str, moves: str = "", mover: int | None = None):
    """(what is shown, the marks by the names of cells)"""
    game = find_game(game_text)
    found = overlay(game, game.state_after(moves.split()), what, mover)
    json.dumps(found.to_json(game))
    assert game.board is not None
    return found, {game.board.name(cell): mark for cell, mark in found.marks.items()}


# -- by hand -------------------------------------------------------------------------------------------------------------------
def test_fill():
    """The stone on the second row has the two cells under it, and a1 and a2 are of no use to Black then."""
    found, marks = shown("hex:4", "fill", "b2")
    assert {name: (mark.text, mark.player) for name, mark in marks.items()} == {
        "a1": ("o", 1),
        "b1": ("x", 0),
        "c1": ("x", 0),
        "a2": ("o", 1),
    }
    assert found.drawing.splitlines()[1:3] == ["1 o x x . 1", " 2 o(X). . 2"]
    assert found.lines[0] == "x is filled in for Black, o is filled in for White"
    assert "captured, in a window of up to four cells, for Black: b1 c1" in found.lines
    assert {one["cell"]: one["player"] for one in found.data["filled"]} == {
        "a1": "White",
        "b1": "Black",
        "c1": "Black",
        "a2": "White",
    }
    assert found.data["winner"] is None


def test_reasons_of_fill():
    """b2 has black stones on four sides in a row; a4 and b4 are the two ways of b3 to the edge."""
    found, marks = shown("hex:4:1bb1/2b1/1b2/4:w", "fill")
    assert (marks["b2"].kind, marks["b2"].why) == ("dead", "by the cells around it")
    assert {(marks[name].kind, marks[name].player) for name in ("a4", "b4")} == {("captured", 0)}
    assert any(line.startswith("dead, by the cells around it, for Black: ") and " b2" in line for line in found.lines)


def test_a_filled_board_that_is_won():
    found, _ = shown("hex:3", "fill", "b2")
    assert found.data["winner"] == "Black" and found.lines[-1] == "Black wins: top and bottom are joined"
    for what in ("inferior", "mustplay"):
        again, marks = shown("hex:3", what, "b2")
        assert {mark.kind for mark in marks.values()} <= {"dead", "captured", "cut off"}
        assert again.lines[-1].startswith("Black wins: ")
    found, _ = shown("hex:3", "connections", "b2")
    black, white = found.data["players"]
    assert black["second"] and black["first"] and not white["first"]
    assert "Black has joined top and bottom" in found.lines


def test_a_board_where_nothing_can_be_filled():
    found, marks = shown("hex:3", "fill")
    assert marks == {} and found.lines == ["nothing can be filled in"] and found.data["filled"] == []


def test_inferior():
    """On the empty board of 3x3 every other cell is worse than the middle, which wins."""
    found, marks = shown("hex:3", "inferior")
    assert found.data["kept"] == ["b2"] and len(marks) == 8
    assert found.data["dominated"]["c1"] == "b2" and marks["c1"].text == "d"
    assert found.data["reversible"]["a1"] == "a2" and marks["a1"].text == "r"
    assert set(found.data["dominated"]) | set(found.data["reversible"]) == set(marks)
    assert found.title == "Inferior cells for Black"
    assert found.lines[-1] == "1 of 9 empty cells are left to consider"
    other, _ = shown("hex:3", "inferior", mover=1)
    assert other.title == "Inferior cells for White" and other.data["kept"] == ["b2"]


def test_a_bridge():
    """Two black stones a bridge apart, each of them joined with its edge by filled cells."""
    bridge = "hex:5:5/2b2/5/1b3/2w2:w"
    found, marks = shown(bridge, "connections")
    black, white = found.data["players"]
    assert black["second"] and black["smallest"] == {"player": "Black", "kind": "full", "carrier": ["b3", "c3"], "key": None}
    assert (black["edge_to_edge"], white["first"], white["smallest"]) == ({"full": 1, "semi": 2}, False, None)
    assert {name for name, mark in marks.items() if mark.kind == "carrier"} == {"b3", "c3"}
    assert found.drawing.splitlines()[3] == "  3 o b b . . 3"
    assert "Black joins top and bottom whoever moves: b3 c3" in found.lines
    between, _ = shown(bridge, "connections=c2,b4")
    assert [(one["kind"], one["carrier"], one["key"]) for one in between.data["connections"]] == [
        ("full", ["b3", "c3"], None),
        ("semi", ["b3"], "b3"),
        ("semi", ["c3"], "c3"),
    ]
    assert shown(bridge, "connections=NORTH,b4")[0].data["connections"] == between.data["connections"]
    joined, _ = shown(bridge, "connections=c2,top")
    assert joined.lines[-1] == "Black has joined them already"
    partners, marks = shown(bridge, "connections=c2")
    (full, semi) = partners.data["connected"]
    assert (full["player"], full["kind"], semi["kind"]) == ("Black", "full", "semi")
    assert {"top", "bottom"} <= set(full["with"]) and marks["b3"].kind == "connected"
    assert "top" not in shown(bridge, "connections=top")[0].data["connected"][0]["with"]


def test_connections_of_empty_cells_are_both_players():
    found, _ = shown("hex:3", "connections=a1,b2")
    fulls = [(one["player"], one["carrier"]) for one in found.data["connections"] if one["kind"] == "full"]
    bridge, by_the_top, by_the_left = ["b1", "a2"], ["b1", "c1"], ["a2", "a3"]
    assert ("Black", bridge) in fulls and ("White", bridge) in fulls
    assert all(one in (("Black", bridge), ("White", bridge), ("Black", by_the_top), ("White", by_the_left)) for one in fulls)


def test_mustplay():
    """All of Black's ways to the top that are known share c1 alone: White must move there. (It loses as well.)"""
    found, marks = shown("hex:4", "mustplay", "a4")
    assert found.data == {"mustplay": ["c1"], "consider": ["c1"], "winner": None, "how": None}
    assert [name for name, mark in marks.items() if mark.kind == "consider"] == ["c1"]
    assert found.lines == ["! White may consider: c1", "14 of 15 empty cells are outside the must-play region"]
    found, marks = shown("hex:5", "mustplay", "c2 d1 b1")
    assert (found.data["mustplay"], found.data["consider"]) == (["c1", "b2", "c3", "b5"], ["b2", "c3", "b5"])
    assert marks["c1"].kind == "reversible" and marks["b2"].text == "!"


def test_mustplay_of_a_decided_position():
    found, marks = shown("hex:3", "mustplay")
    assert found.data["winner"] == "Black" and found.lines[-1] == "! Black wins with b2"
    assert [name for name, mark in marks.items() if mark.kind == "winning"] == ["b2"]
    found, _ = shown("hex:5:5/2b2/5/1b3/2w2:w", "mustplay")
    assert found.data["winner"] == "Black" and found.data["mustplay"] == []
    assert found.lines[-1] == "Black wins: a full connection from edge to edge"


def test_circuit():
    """On the empty board both players' circuits are the same."""
    found, marks = shown("hex:3", "circuit")
    assert len(marks) == 9 and marks[next(iter(found.data["energy"]))].text == "9" == max(mark.text for mark in marks.values())
    resistance = found.data["resistance"]
    assert resistance["Black"] == pytest.approx(resistance["White"]) and found.data["evaluation"] == pytest.approx(
        0.0, abs=1e-9
    )
    better, _ = shown("hex:5", "circuit", "c2 d1 b1")
    assert better.data["evaluation"] > 0 and better.data["resistance"]["Black"] < better.data["resistance"]["White"]
    won, _ = shown("hex:3", "circuit", "b2")
    assert won.data == {"winner": "Black"}


# -- against brute force -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("size", "positions"), [(3, 60), (4, 25)])
def test_who_wins_is_true(size, positions):
    solver, chooser = NaiveSolver(size, size), random.Random(size)
    cells = [(column, row) for column in range(size) for row in range(size)]
    decided = 0
    while positions:
        chosen = chooser.sample(cells, chooser.randrange(max(0, len(cells) - 10), len(cells)))
        stones, mover = {cell: number % 2 for number, cell in enumerate(chosen)}, chooser.randrange(2)
        state = set_up(empty_board(size, size), stones, mover)
        if state["winner"]:
            continue
        positions -= 1
        position = AssessedPosition(state)
        black, white = (sum(solver.bit[cell] for cell, owner in stones.items() if owner == player) for player in (0, 1))
        wins = solver.mover_wins(black, white, mover)
        if position.decided is not None:
            decided += 1
            assert position.decided.winner == (mover if wins else 1 - mover)
        for player in (0, 1):
            smallest = position.smallest(player)
            if smallest is not None and smallest.full and player != mover:
                assert not wins
            if smallest is not None and player == mover:
                assert wins
    assert decided > 0


# -- what is wrong with a request ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("game", "moves", "request_text", "message"),
    [
        ("seki:3,4", "", "fill", "there is nothing to show of seki:3,4 but what a search finds"),
        ("hex:3", "", "everything", "'everything' cannot be shown of hex:3; there are: connections, inferior, fill, mustplay"),
        ("hex:3", "", "", "'' cannot be shown"),
        ("hex:3", "", "fill=a1", "fill takes no cells: leave =a1 out"),
        ("hex:3", "", "connections=a1,b2,c3", "connections takes two cells or edges"),
        ("hex:3", "", "connections=", "'' is no cell of this board"),
        ("hex:3", "", "connections=a4,b2", "'a4' is no cell of this board, nor one of the edges top, bottom, left, right"),
        ("hex:3", "", "connections=swap,b2", "'swap' is no cell"),
        ("hex:3", "", "connections=top,left", "top and left are of different colours"),
        ("hex:5", "a1 b2", "connections=a1,b2", "a1 and b2 are of different colours"),
        ("hex:3", "a1 b1 a2 b2 a3", "fill", "the game is over in this position"),
        ("hex:3:swap=on", "", "fill", "as long as there may be a swap"),
        ("hex:3:swap=on", "a1", "mustplay", "as long as there may be a swap"),
    ],
)
def test_bad_requests(game, moves, request_text, message):
    with pytest.raises(UserError) as caught:
        shown(game, request_text, moves)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_after_the_swap_there_is_something_to_show():
    found, marks = shown("hex:4:swap=on", "fill", "b2 swap-pieces")
    assert found.lines[0].startswith(("x is filled in", "o is filled in")) and marks


def test_names():
    assert overlay_names(find_game("samegame")) == [] and overlay_names(find_game("connect4")) == ["network"]
    assert overlay_names(find_game("hex:5")) == [*NAMES, "network"]
    assert overlay_names(find_game("hex:3x4")) == list(NAMES)
    assert NAMES == ("connections", "inferior", "fill", "mustplay", "circuit")
