"""Hex over GTP, as HexGui and GoGui use it."""

from __future__ import annotations

import pytest
from gtp_helpers import Session

from tesuji.games.registry import find_game
from tesuji.io.gtp import moves

PLAYER = "uct:playouts=4,memory=4,policy=uniform"


@pytest.fixture
def session(pure_gtp):
    return Session("hex:5:swap=on", PLAYER)


def test_vertices_are_hexguis(session):
    """Rows from the top, the letter I, small letters."""
    session.ok("boardsize 11 11")
    session.ok("play b i3")
    session.ok("play w J11")
    assert session.ok("list_stones black") == "i3"
    assert session.ok("list_stones white") == "j11"
    assert session.ok("color i3") == "black"
    assert session.ok("last_move") == "white j11"
    drawing = session.ok("showboard").splitlines()
    assert drawing[3] == "   3 . . . . . . . . X . . 3"
    assert drawing[-1] == "Black to move"
    assert "illegal move" in session.fails("play b i3")
    assert "illegal move" in session.fails("play b l1")
    assert "illegal move" in session.fails("play b pass")


def test_swap(session):
    assert "illegal move" in session.fails("play b swap-pieces")
    session.ok("play b b4")
    assert session.ok("all_legal w").split()[-1] == "swap-pieces"
    assert session.ok("is_legal w swap-pieces") == "1"
    session.ok("play w swap-pieces")
    assert session.ok("list_stones white") == "d2" and session.ok("list_stones black") == ""
    assert session.ok("last_move") == "white swap-pieces"
    assert "illegal move" in session.fails("play b swap-pieces")
    assert "W[swap-pieces]" in session.ok("printsgf")
    session.ok("undo")
    session.ok("play w a1")
    assert "illegal move" in session.fails("play b swap")


def test_the_swap_comes_back_with_a_square_board(session):
    session.ok("boardsize 7 4")
    session.ok("play b c3")
    assert session.ok("is_legal w swap-pieces") == "0"
    session.ok("boardsize 5")
    session.ok("play b c3")
    assert session.ok("is_legal w swap-pieces") == "1"


def test_sizes(session):
    session.ok("boardsize 7 4")
    assert session.engine.game.name == "hex:7x4"
    session.ok("play b g4")
    assert "illegal" in session.fails("play w d5")
    session.ok("boardsize 13")
    assert session.engine.game.name == "hex:13:swap=on"
    for wrong in ("boardsize 20", "boardsize 0 3", "boardsize 3 20", "boardsize x"):
        session.fails(wrong)
    other = Session("hex:5:swap=on", PLAYER)
    other.ok("boardsize 9 9")
    assert other.engine.game.name == "hex:9:swap=on"


def test_a_game_to_its_end(session):
    session.ok("boardsize 2 2")
    session.ok("clear_board")
    answer = session.ok("genmove b")
    assert answer in ("a1", "b1", "a2", "b2")
    session.ok("clear_board")
    assert "not over" in session.fails("final_score")
    for line in ("play b a1", "play w b1", "play b a2"):
        session.ok(line)
    assert session.ok("final_score") == "B+1"
    assert "over" in session.fails("genmove w")


def test_hexgui_commands(session):
    lines = session.ok("hexgui-analyze_commands").splitlines()
    known = session.ok("list_commands").splitlines()
    assert all(len(line.split("/")) == 3 and line.split("/")[2].split()[0] in known for line in lines)
    assert "[string] playouts 4" in session.ok("param_tesuji").splitlines()
    assert session.fails("param_tesuji playouts") == "syntax error: param_tesuji [NAME VALUE]"
    assert session.fails("tesuji-params playouts") == "syntax error: tesuji-params [NAME VALUE]"
    session.ok("param_tesuji playouts 3")
    assert session.ok("tesuji-param playouts") == "3"
    go = Session("go:5", PLAYER)
    assert go.ok("known_command hexgui-analyze_commands") == go.ok("known_command param_tesuji") == "false"


def test_gogui_gets_its_own_letters(session):
    """GoGui knows no column I; from its first command on it is spoken to in its own letters."""
    session.ok("boardsize 11 11")
    session.ok("play b i3")
    assert session.ok("gogui-rules_game_id") == "Hex"
    assert session.ok("list_stones black") == "J3"
    legal = session.ok("gogui-rules_legal_moves").split()
    assert "J4" in legal and "I4" not in legal and "J3" not in legal and "swap-pieces" not in legal
    assert len(legal) == 120
    board = session.ok("gogui-rules_board").splitlines()
    assert [row.split()[8] for row in board][-3] == "X" and "\n".join(board).count("X") == 1
    session.ok("play w L11")
    assert session.ok("list_stones white") == "L11"
    session.ok("clear_board")
    session.ok("play b J1")
    assert session.ok("list_stones black") == "J1"
    session.ok("gogui-setup b A1 w B2")
    assert session.ok("list_stones white") == "B2"
    assert session.ok("gogui-rules_final_result") == "unknown"


def test_records_go_out_and_come_back(session, tmp_path):
    for line in ("play b a2", "play w swap-pieces", "play b c3", "play w d4"):
        session.ok(line)
    text = session.ok("printsgf")
    assert "GM[11]" in text and "B[a2]" in text
    (tmp_path / "game.sgf").write_text(text)
    (tmp_path / "golem.sgf").write_text("(;FF[4]EV[hex.ch.1]SZ[7]RE[B];W[ab];B[cc];W[gg];B[resign])")
    session.ok("clear_board")
    assert session.ok(f"loadsgf {tmp_path / 'game.sgf'}") == "black"
    assert session.stones() == {"b1": "white", "c3": "black", "d4": "white"}
    assert session.ok(f"loadsgf {tmp_path / 'golem.sgf'}") == "white"
    assert session.engine.game.name == "hex:7:swap=on"
    assert session.stones() == {"a2": "black", "c3": "white", "g7": "black"}
    (tmp_path / "go.sgf").write_text("(;FF[4]GM[1]SZ[5];B[aa])")
    assert "not of hex" in session.fails(f"loadsgf {tmp_path / 'go.sgf'}")
    (tmp_path / "wrong.sgf").write_text("(;FF[4]GM[11]SZ[5];B[a1];W[a1])")
    assert "not a legal move" in session.fails(f"loadsgf {tmp_path / 'wrong.sgf'}")


SET_UP = "hex:3:3/1b1/2w:b"
SET_UP_LOA = "loa:8/2b5/8/2b1w3/8/8/3w4/8:b"


@pytest.mark.parametrize(
    ("game", "record", "loaded", "stones"),
    [
        (SET_UP, "(;GM[11]SZ[3];B[a1];W[b1])", "hex:3", {"a1": "black", "b1": "white"}),
        (SET_UP, "(;GM[11]SZ[3]AB[c1]PL[W];W[a1])", "hex:3", {"c1": "black", "a1": "white"}),
        (SET_UP, "(;GM[11]SZ[4];B[a1])", "hex:4", {"a1": "black"}),
        (SET_UP, f"(;GM[11]SZ[3]TESUJI[{SET_UP}];B[a1])", SET_UP, {"b2": "black", "c3": "white", "a1": "black"}),
        ("hex:3", f"(;GM[11]SZ[3]TESUJI[{SET_UP}];B[a1])", SET_UP, {"b2": "black", "c3": "white", "a1": "black"}),
        ("hex:3:swap=on", "(;GM[11]SZ[3]TESUJI[hex:3];B[a1])", "hex:3:swap=on", {"a1": "black"}),
        (SET_UP_LOA, "(;GM[9]SZ[8];B[b1-b3])", "loa", None),
        (SET_UP_LOA, f"(;GM[9]SZ[8]TESUJI[{SET_UP_LOA}])", SET_UP_LOA, None),
        ("loa:no_move=loss", f"(;GM[9]SZ[8]TESUJI[{SET_UP_LOA}])", SET_UP_LOA, None),
        (f"{SET_UP_LOA},no_move=loss", "(;GM[9]SZ[8];B[b1-b3])", "loa:no_move=loss", None),
        ("loa:scrambled", "(;GM[9]SZ[8])", "loa:scrambled", None),
        ("loa:scrambled", "(;GM[9]SZ[8]TESUJI[loa])", "loa", None),
        ("loa", "(;GM[9]SZ[8]TESUJI[loa:scrambled])", "loa:scrambled", None),
        ("go:3:komi=2", "(;GM[1]SZ[3];B[aa])", "go:3:komi=2", {"A3": "black"}),
    ],
)
def test_a_loaded_record_begins_with_its_own_stones(pure_gtp, tmp_path, game, record, loaded, stones):
    session = Session(game, PLAYER)
    (tmp_path / "game.sgf").write_text(record)
    session.ok(f"loadsgf {tmp_path / 'game.sgf'}")
    assert session.engine.game.name == loaded
    if stones is None:
        same = Session(loaded, PLAYER)
        if "b1-b3" in record:
            same.ok("play b b1-b3")
        stones = same.stones()
    assert session.stones() == stones


def test_names_of_points_belong_to_the_board():
    hex_game, go = find_game("hex:11"), find_game("go:11")
    assert moves.vertex_text(hex_game, (8, 0)) == "i1" and moves.vertex_text(go, (8, 0)) == "J1"
    assert moves.parse_vertex(hex_game, "I1") == (8, 0) and moves.parse_vertex(go, "I1") is None
    plain = moves.with_plain_vertices(hex_game)
    assert moves.vertex_text(plain, (8, 0)) == "J1" and moves.with_plain_vertices(go) is go
