"""Every GTP command, good and bad, in games of lines: none of these knows komi, handicap or dead stones."""

import re

import pytest
from gtp_helpers import Session

import tesuji
from tesuji.core.errors import UserError

pytestmark = pytest.mark.usefixtures("pure_gtp")


# -- administration --------------------------------------------------------------------------------------------------------
def test_who_it_is(four):
    assert four.ok("protocol_version") == "2"
    assert four.ok("name") == "Tesuji"
    assert four.ok("version") == tesuji.__version__
    assert four.ok("gogui-title") == "Tesuji (tesuji, connect4:7x6)"


def test_ids_are_repeated(four):
    assert four.raw("12 name") == "=12 Tesuji\n\n"
    assert four.raw("12 nonsense") == "?12 unknown command\n\n"
    assert four.raw("0 name") == "=0 Tesuji\n\n"
    assert four.raw("99") == "?99 unknown command\n\n"


def test_lines_without_a_request_are_not_answered(four):
    for line in ("", "   ", "\t", "# a comment", "\x01\x02"):
        assert four.raw(line) == ""


def test_commands_that_are_listed_are_known_and_the_others_not(four):
    listed = four.ok("list_commands").split()
    assert len(listed) == len(set(listed))
    for name in (
        "play",
        "genmove",
        "undo",
        "boardsize",
        "clear_board",
        "time_left",
        "lz-analyze",
        "gogui-interrupt",
        "loadsgf",
    ):
        assert name in listed
    for name in listed:
        assert four.ok(f"known_command {name}") == "true"
    for name in ("get_komi", "fixed_handicap", "final_status_list", "gogui-setup", "kgs-genmove_cleanup", "nonsense", "PLAY"):
        assert name not in listed and four.ok(f"known_command {name}") == "false"
        assert four.fails(f"{name} 1") == "unknown command"


def test_komi_is_known_to_every_game_as_gtp_demands(four):
    assert "komi" in four.ok("list_commands").split() and four.ok("known_command komi") == "true"
    assert four.fails("komi 6.5") == "this game has no komi"
    assert four.fails("komi much").startswith("syntax error")
    assert Session("loa", "uct:playouts=2,memory=4").fails("komi 6.5") == "this game has no komi"


def test_quit_ends(four):
    assert four.raw("quit") == "= \n\n" and not four.goes_on
    assert four.raw("name") and four.goes_on


def test_wrong_numbers_of_arguments(four):
    for line in (
        "play",
        "play b",
        "boardsize",
        "boardsize 1 2 3",
        "genmove",
        "genmove b 1",
        "undo 1",
        "known_command",
        "name x",
    ):
        assert four.fails(line).startswith("syntax error"), line
    for line in ("time_settings 1", "time_left b 1", "final_score x", "loadsgf", "kgs-time_settings", "tesuji-params rave"):
        assert "syntax error" in four.fails(line), line


def test_cputime(four):
    assert float(four.ok("cputime")) > 0


# -- playing ---------------------------------------------------------------------------------------------------------------
def test_moves_as_vertices_and_as_the_game_writes_them(four):
    for line in ("play b D1", "play w 4", "play black d6", "PLAY".lower() + " WHITE e1", "play red 1", "play Yellow A2"):
        assert four.ok(line) == ""
    assert four.stones() == {
        "D1": "black",
        "D2": "white",
        "D3": "black",
        "E1": "white",
        "A1": "black",
        "A2": "white",
    }
    assert four.ok("move_history").split("\n")[0] == "white A2"
    assert four.ok("last_move") == "white A2"


def test_illegal_moves(four):
    for line in (
        "play b H1",
        "play b 8",
        "play b pass",
        "play b",
        "play w D1",
        "play blue D1",
        "play b 4 4",
        "play b I1",
        "play b \x00",
    ):
        four.fails(line)
    for _ in range(3):
        four.ok("play b 1")
        four.ok("play w 1")
    assert four.fails("play b 1").startswith("illegal move")
    assert four.fails("play b A1").startswith("illegal move")


def test_nobody_moves_after_the_end(three):
    for line in ("play b a1", "play w a2", "play b b1", "play w b2", "play b c1"):
        three.ok(line)
    assert three.fails("play w c2") == "illegal move: the game is over"
    assert three.fails("genmove w") == "illegal move: the game is over"
    assert three.ok("final_score") == "B+1"
    assert three.ok("gogui-rules_final_result") == "black wins: B+1"
    assert three.ok("gogui-rules_legal_moves") == ""
    assert "over" in three.ok("showboard")
    three.ok("undo")
    assert three.fails("final_score").startswith("cannot score")
    assert three.ok("gogui-rules_final_result") == "unknown"


def test_undo(four):
    assert four.fails("undo") == "cannot undo"
    four.ok("play b 4")
    four.ok("play w 4")
    four.ok("undo")
    assert four.stones() == {"D1": "black"}
    four.ok("play w 3")
    four.ok("play b 3")
    assert four.fails("gg-undo 4") == "cannot undo"
    four.ok("gg-undo 2")
    four.ok("gg-undo")
    assert four.stones() == {}
    assert four.fails("gg-undo -1").startswith("syntax error")


def test_clear_board_and_boardsize(four):
    four.ok("play b 4")
    four.ok("clear_board")
    assert four.stones() == {}
    four.ok("play b 4")
    assert four.fails("boardsize 9") == "unacceptable size"
    assert four.fails("boardsize x").startswith("syntax error")
    assert four.fails("boardsize 6") == "unacceptable size"
    four.ok("boardsize 7")
    assert four.stones() == {}
    four.ok("boardsize 7 6")
    four.fails("boardsize 6 7")
    assert four.ok("query_boardsize") == "7"


def test_questions_about_the_position(four):
    four.ok("play b 4")
    assert four.ok("color D1") == "black" and four.ok("color D2") == "empty"
    four.fails("color H1")
    assert four.ok("is_legal w D2") == "1" and four.ok("is_legal w pass") == "0" and four.ok("is_legal b D2") == "0"
    assert four.ok("all_legal w") == "A1 B1 C1 D2 E1 F1 G1"
    four.fails("all_legal b")
    assert four.ok("showboard").splitlines()[-1] == "Yellow to move"
    assert Session("connect4").fails("last_move")


def test_a_game_without_a_board():
    boxes = Session("dotsandboxes:1x1", "uct:playouts=20,memory=1")
    assert "list_stones" not in boxes.ok("list_commands").split()
    assert boxes.fails("boardsize 9") == "unacceptable size"
    first = boxes.ok("all_legal b").split()[0]
    boxes.ok(f"play b {first}")
    boxes.fails(f"play w {first}")
    while not boxes.engine.played.position.is_over:
        boxes.ok(f"genmove {'bw'[boxes.engine.played.to_move]}")
    assert boxes.ok("final_score") in ("B+1", "W+1", "0")


def test_a_puzzle_is_played_by_black():
    puzzle = Session("samegame:3x3:1", "tesuji:playouts=20,memory=1")
    puzzle.fails("genmove w")
    while not puzzle.engine.played.position.is_over:
        puzzle.ok("genmove b")
    assert puzzle.ok("final_score").lstrip("-").isdigit()


def test_a_player_of_another_game_is_refused():
    with pytest.raises(UserError, match="crazystone"):
        Session("tictactoe", "crazystone")


# -- GoGui -----------------------------------------------------------------------------------------------------------------
def test_gogui_rules(four):
    four.ok("play b 4")
    assert four.ok("gogui-rules_game_id") == "Connectfour"
    assert four.ok("gogui-rules_board_size") == "7"
    board = four.ok("gogui-rules_board").splitlines()
    assert len(board) == 7 and board[-1] == ". . . X . . ." and board[0] == ". . . . . . ."
    assert four.ok("gogui-rules_side_to_move") == "white"
    assert four.ok("gogui-rules_legal_moves") == "A1 B1 C1 D2 E1 F1 G1"


def test_play_sequence_is_all_or_nothing(four):
    four.ok("gogui-play_sequence b 4 w d2 b 1")
    assert len(four.stones()) == 3
    four.fails("gogui-play_sequence w 1 b 1 w 99")
    four.fails("gogui-play_sequence w")
    four.ok("gogui-play_sequence")
    assert len(four.stones()) == 3


def test_analyze_commands_on_points_are_for_moves_that_are_points(four):
    assert "dboard/" in four.ok("gogui-analyze_commands")
    kinds = {line.split("/")[0] for line in Session("loa", "uct:playouts=2,memory=4").ok("gogui-analyze_commands").splitlines()}
    assert "hstring" in kinds and not kinds & {"gfx", "dboard", "sboard", "plist"}


def test_analyze_commands_exist(four):
    for line in four.ok("gogui-analyze_commands").splitlines():
        kind, _, words = line.split("/")
        assert kind in ("gfx", "dboard", "sboard", "varc", "hstring", "param", "plist", "string", "none")
        command = words.replace("%c", "b")
        if command != "final_score":
            four.ok(command)


def test_what_gogui_draws(four):
    four.ok("reg_genmove b")
    gfx = four.ok("tesuji-search-gfx").splitlines()
    assert [line.split()[0] for line in gfx] == ["VAR", "INFLUENCE", "LABEL", "TEXT"]
    assert re.match(r"VAR b [A-G]1 w ", gfx[0] + " w ")
    values = [row.split() for row in four.ok("tesuji-values").splitlines()]
    assert len(values) == 7 and all(len(row) == 7 and all(-1 <= float(value) <= 1 for value in row) for row in values)
    visits = [row.split() for row in four.ok("tesuji-visits").splitlines()]
    assert sum(int(cell) for row in visits for cell in row if cell != '""') > 0
    four.fails("tesuji-pv w")


# -- records ---------------------------------------------------------------------------------------------------------------
def test_loadsgf_and_printsgf(four, tmp_path):
    for line in ("play b 4", "play w 4", "play b 3"):
        four.ok(line)
    path = tmp_path / "a game.sgf"
    path.write_text(four.ok("printsgf"))
    before = four.stones()
    four.ok("clear_board")
    assert four.ok(f"loadsgf {path}") == "white" and four.stones() == before
    assert four.ok(f'loadsgf "{path}" 2') == "white" and four.stones() == {"D1": "black"}
    four.ok("undo")
    assert four.ok(f"loadsgf {path} 1") == "black" and four.stones() == {}
    assert four.ok(f"loadsgf {path} 9") == "white" and four.stones() == before, "all of it, if there is no such move"
    four.ok("clear_board")
    assert four.fails(f"loadsgf {tmp_path}/none.sgf").startswith("cannot load file")
    assert four.fails(f"loadsgf {tmp_path}").startswith("cannot load file")
    path.write_text("(;GM[1]SZ[9];B[aa])")
    assert four.fails(f"loadsgf {path}").startswith("cannot load file")
    path.write_bytes(b"\xff\xfe nonsense (;")
    assert four.fails(f"loadsgf {path}").startswith("cannot load file")
