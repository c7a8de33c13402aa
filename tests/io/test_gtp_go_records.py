"""GTP for Go: games from SGF files and to them, and what the record remembers of the game."""

import pytest
from gtp_helpers import GO_PLAYER, Session, play

pytestmark = pytest.mark.usefixtures("pure_gtp")


def test_a_file_that_says_whose_turn_it_is_though_it_is(go, tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[1]SZ[5];B[aa];PL[W];W[bb];PL[B])")
    go.ok(f"loadsgf {path}")
    before = go.stones()
    go.ok("komi 1.5")
    assert go.ok("move_history").splitlines() == ["white B4", "black A5"] and go.stones() == before
    go.ok("printsgf")
    go.ok("undo")
    go.ok("undo")
    go.fails("undo")


def test_superko_is_kept_when_a_colour_moves_twice():
    session = Session("go:4:superko=positional", GO_PLAYER)
    play(session, "b b3 w c3 b a2 w d2 b b1 w c1 b pass w b2 b c2")
    assert session.fails("play w b2").startswith("illegal move")
    session.ok("play w pass")
    assert session.fails("play w b2").startswith("illegal move"), "the position that it would make was there"
    session.ok("play w a4")


def test_handicap_after_an_empty_setup_and_in_sgf(go):
    go.ok("gogui-setup")
    go.ok("fixed_handicap 2")
    assert "HA[2]" in go.ok("printsgf")


def test_loadsgf(go, tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text("(;FF[4]GM[1]SZ[13]KM[6.5]HA[2]AB[dd][jj];W[cc];B[dc](;W[];B[mm])(;W[aa]))")
    assert go.ok(f"loadsgf {path}") == "white"
    assert go.ok("query_boardsize") == "13" and go.ok("get_komi") == "6.5"
    assert go.stones() == {"D10": "black", "K4": "black", "C11": "white", "D11": "black", "N1": "black"}
    go.ok("gg-undo 4")
    assert len(go.stones()) == 2
    assert go.ok(f"loadsgf {path} 2") == "black" and len(go.stones()) == 3
    assert go.ok(f"loadsgf {path} 1") == "white" and len(go.stones()) == 2
    path.write_text("(;GM[1]SZ[9];B[ee];W[ee])")
    assert "move 2" in go.fails(f"loadsgf {path}")
    path.write_text("(;GM[1]SZ[9];B[ee];B[ef];B[eg]AW[aa])")
    assert go.ok(f"loadsgf {path}") == "white" and len(go.stones()) == 4


def test_superko_stays_with_the_game(tmp_path):
    session = Session("go:9:superko=positional", GO_PLAYER)
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[1]SZ[5]KM[2.5];B[cc])")
    session.ok(f"loadsgf {path}")
    assert session.engine.game.name == "go:5:komi=2.5,superko=positional"


def test_a_session_as_sgf_and_back(go, tmp_path):
    go.ok("boardsize 5")
    go.ok("komi 3.5")
    go.ok("gogui-setup b A1 w E5")
    play(go, "b C3 b C4 w B2")
    path = tmp_path / "game.sgf"
    path.write_text(go.ok("printsgf"))
    other = Session("go:9", GO_PLAYER)
    assert other.ok(f"loadsgf {path}") == "black"
    assert other.stones() == go.stones() and other.ok("get_komi") == "3.5"
