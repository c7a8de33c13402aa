"""Every GTP command, good and bad, in games of lines: none of these knows komi, handicap or dead stones."""

import re
import time

import pytest
from gtp_helpers import Session

import tesuji
from tesuji.core.errors import UserError
from tesuji.io.gtp import analysis


@pytest.fixture(autouse=True)
def pure_python(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    monkeypatch.setattr(analysis, "FIRST_LOOK", 0.01)


@pytest.fixture
def four():
    return Session("connect4")


@pytest.fixture
def three():
    return Session("tictactoe", "tesuji:playouts=200,memory=4")


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
    for line in ("play b D1", "play w 4", "play black d6", "PLAY".lower() + " WHITE e1", "play x 1", "play o A2"):
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
        "play red D1",
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
    assert four.ok("showboard").splitlines()[-1] == "o to move"
    assert Session("connect4").fails("last_move")


def test_a_game_without_a_board():
    boxes = Session("dotsandboxes:1x1", "uct:playouts=20,memory=1")
    assert "list_stones" not in boxes.ok("list_commands").split()
    assert boxes.fails("boardsize 9") == "unacceptable size"
    first = boxes.ok("all_legal b").split()[0]
    boxes.ok(f"play b {first}")
    boxes.fails(f"play w {first}")
    while not boxes.engine.record.is_over:
        boxes.ok(f"genmove {'bw'[boxes.engine.record.to_move]}")
    assert boxes.ok("final_score") in ("B+1", "W+1", "0")


def test_a_puzzle_is_played_by_black():
    puzzle = Session("samegame:3x3:1", "tesuji:playouts=20,memory=1")
    puzzle.fails("genmove w")
    while not puzzle.engine.record.is_over:
        puzzle.ok("genmove b")
    assert puzzle.ok("final_score").lstrip("-").isdigit()


def test_a_player_of_another_game_is_refused():
    with pytest.raises(UserError, match="crazystone"):
        Session("tictactoe", "crazystone")


# -- thinking --------------------------------------------------------------------------------------------------------------
def test_a_game_of_genmoves_ends_in_a_draw(three):
    colours = ["b", "w"]
    for ply in range(9):
        move = three.ok(f"genmove {colours[ply % 2]}")
        assert re.fullmatch("[ABC][123]", move)
    assert three.ok("final_score") == "0" and three.ok("gogui-rules_final_result") == "draw"


def test_genmove_of_the_wrong_colour(four):
    four.fails("genmove w")
    four.fails("genmove green")
    four.ok("genmove b")
    four.fails("genmove b")


def test_reg_genmove_plays_nothing(four):
    move = four.ok("reg_genmove b")
    assert four.stones() == {}
    four.ok(f"play b {move}")


def test_it_takes_a_win(four):
    for line in ("play b 1", "play w 7", "play b 1", "play w 7", "play b 1", "play w 6"):
        four.ok(line)
    assert four.ok("genmove b") == "A4" and four.ok("final_score") == "B+1"


def test_it_resigns_only_if_asked_to(four):
    lost = ["play b 3", "play w 7", "play b 4", "play w 7", "play b 5"]
    for line in lost:
        four.ok(line)
    four.ok("tesuji-param resign 0.1")
    before = four.stones()
    assert four.ok("genmove w") == "resign" and four.stones() == before
    assert four.ok("lz-genmove_analyze w 10").splitlines()[-1] == "play resign"
    four.ok("tesuji-param resign 0")
    assert four.ok("genmove w") != "resign"


def test_a_short_search_does_not_resign_and_a_longer_one_does():
    for playouts, resigns in ((99, False), (100, True)):
        session = Session("connect4", f"uct:playouts={playouts},memory=4,resign=0.999")
        assert (session.ok("genmove b") == "resign") is resigns


def test_the_same_seed_gives_the_same_moves():
    sessions = [Session("connect4", "uct:playouts=30,memory=4", seed=seed) for seed in (1, 2)]

    def game(session):
        session.ok("clear_board")
        return [session.ok(f"genmove {'bw'[ply % 2]}") for ply in range(8)]

    def searched(session):
        return session.engine._search.result().moves

    for session in sessions:
        session.ok("reg_genmove b")  # they have drawn random numbers before
        session.ok("set_random_seed 7")
    assert game(sessions[0]) == game(sessions[1]) and searched(sessions[0]) == searched(sessions[1])
    sessions[0].ok("set_random_seed 7")
    sessions[1].ok("set_random_seed 8")
    assert game(sessions[0]) and game(sessions[1]) and searched(sessions[0]) != searched(sessions[1])
    for seed in ("x", "-1", "1.5", "99999999999"):
        sessions[0].fails(f"set_random_seed {seed}")


def test_the_tree_is_kept_between_moves(four):
    four.ok("tesuji-param playouts 200")
    four.ok("tesuji-param solver off")
    first = four.ok("genmove b")
    search = four.engine._search
    four.ok("play w 4")
    four.ok("tesuji-pv b")
    assert four.engine._search is search and int(search.tree.nodes[0]["visits"]) > 0
    four.ok("genmove b")
    assert four.engine._search is search
    four.ok("gg-undo 3")
    assert four.ok("genmove b")
    assert four.engine._search is not search, first


def test_an_interrupt_ends_a_long_search(four):
    four.ok("tesuji-param playouts 1000000")
    four.ok("tesuji-param solver off")
    four.engine.is_interrupted = lambda: True
    assert four.ok("genmove b")
    assert four.ok("lz-genmove_analyze w 30").splitlines()[-1].startswith("play ")


def test_limits(four):
    engine = four.engine
    assert engine.limits().playouts == 20 and engine.limits().seconds is None
    assert engine.limits(0.5).seconds == 0.5
    four.ok("tesuji-param seconds 0.25")
    assert engine.limits(0.5).seconds == 0.25
    four.ok("tesuji-param seconds 0")
    four.ok("tesuji-param playouts 0")
    assert engine.limits().seconds == 1.0 and engine.limits(3).seconds == 3


def test_time_settings(four):
    for line in ("time_settings 60 0 0", "time_settings 0 30 25", "time_settings 1.5 0 0", "kgs-time_settings none"):
        four.ok(line)
    assert not four.engine.clock.is_running
    for line in ("kgs-time_settings absolute 10", "kgs-time_settings canadian 10 5 3", "kgs-time_settings byoyomi 10 5 3"):
        four.ok(line)
    assert four.engine.clock.kind == "byoyomi"
    for line in (
        "time_settings -1 0 0",
        "time_settings a b c",
        "time_settings nan 0 0",
        "time_settings 1 1 1.5",
        "time_settings inf 1 1",
    ):
        assert four.fails(line).startswith("syntax error")
    for line in (
        "kgs-time_settings",
        "kgs-time_settings byoyomi 1 2",
        "kgs-time_settings blitz 1",
        "kgs-time_settings canadian 1 0 3",
    ):
        four.fails(line)
    assert four.engine.clock.kind == "byoyomi"
    four.ok("kata-time_settings fischer 300 2.5")
    assert (four.engine.clock.kind, four.engine.clock.main, four.engine.clock.increment) == ("fischer", 300, 2.5)
    four.ok("kata-time_settings canadian 10 5 3")
    for line in ("kata-time_settings fischer 300", "kata-time_settings fischer 1 -1", "kgs-time_settings fischer 300 2"):
        four.fails(line)
    assert four.engine.clock.kind == "canadian"


def test_time_left(four):
    four.ok("time_settings 600 0 0")
    four.ok("time_left w 3 0")
    assert four.engine.clock.sides[1].seconds == 3 and four.engine.clock.sides[0].seconds == 600
    for line in ("time_left green 1 0", "time_left b one 0", "time_left b 1 -1"):
        four.fails(line)
    four.ok("time_left b -3 0")
    assert four.engine.clock.sides[0].seconds == 0
    assert four.ok("genmove b")  # even without time there is a move


# -- parameters ------------------------------------------------------------------------------------------------------------
def test_parameters(four):
    listed = dict(line.split(" ", 1) for line in four.ok("tesuji-param").splitlines())
    assert listed["exploration"] == "0.3" and listed["playouts"] == "20" and listed["rave"] == "off"
    four.ok("tesuji-param exploration 0.7")
    four.ok("tesuji-param expand-after 3")
    assert four.ok("tesuji-param exploration") == "0.7" and four.ok("tesuji-param expand_after") == "3"
    assert "0 .. 1e+06" in four.fails("tesuji-param exploration -1")
    assert "bandit | gaussian" in four.fails("tesuji-param selection other")
    assert "0 .. 1" in four.fails("tesuji-param resign 1.5")
    assert "playouts" in four.fails("tesuji-param nonsense") and "playouts" in four.fails("tesuji-param nonsense 1")
    assert "policy" in four.fails("tesuji-param policy mine")
    four.fails("tesuji-param playouts many")
    assert four.ok("tesuji-param exploration") == "0.7"


def test_the_parameter_dialog(four):
    lines = four.ok("tesuji-params").splitlines()
    assert "[bool] rave 0" in lines and "[string] exploration 0.3" in lines
    assert "[list/off/win-loss/bounds] solver bounds" in lines
    assert all(re.fullmatch(r"\[(bool|string|list(/[\w-]+)+)\] \w+ \S+", line) for line in lines)
    four.ok("tesuji-params rave 1")
    assert "[bool] rave 1" in four.ok("tesuji-params").splitlines()
    four.fails("tesuji-params rave 2")
    assert four.ok("genmove b")


def test_parameters_that_do_not_go_together_are_refused_at_once(four):
    assert "selection=gaussian" in four.fails("tesuji-param backup mix")
    assert four.ok("tesuji-param backup") == "mean"
    for memory in ("0", "0.0001"):
        assert "too small" in four.fails(f"tesuji-param memory {memory}")
        assert "too small" in four.fails(f"tesuji-params memory {memory}")
    assert "more than this machine" in four.fails("tesuji-param memory 900000000")
    assert four.ok("tesuji-param memory") == "4" and four.ok("genmove b")
    four.ok("tesuji-param selection gaussian")
    four.ok("tesuji-param backup mix")
    assert "mean" in four.fails("tesuji-param selection bandit") and four.ok("tesuji-param selection") == "gaussian"


def test_a_player_whose_parameters_do_not_go_together_is_refused():
    for player in ("uct:backup=mix", "uct:memory=0", "uct:memory=900000000", "uct:selection=gaussian,reward=win"):
        with pytest.raises(UserError):
            Session("connect4", player)


def test_memory_that_does_for_one_board_only():
    session = Session("go:5", "uct:playouts=4,policy=uniform,memory=0.01")
    assert "too small" in session.fails("boardsize 19")
    assert session.ok("query_boardsize") == "5" and session.ok("genmove b")


def test_memory_that_is_not_there_at_a_move_is_an_answer(four, monkeypatch):
    from tesuji.io.gtp import engine

    def none_left(*_arguments):
        raise MemoryError

    with monkeypatch.context() as context:
        context.setattr(engine, "new_search", none_left)
        assert four.raw("genmove b").startswith("? not enough memory")
    assert four.stones() == {} and four.ok("genmove b")


# -- analysis --------------------------------------------------------------------------------------------------------------
LZ = re.compile(r"info move (\S+) visits (\d+) winrate (\d+) prior (\d+) lcb (\d+) order (\d+) pv (\S+(?: \S+)*?)(?= info |$)")
KATA = re.compile(
    r"info move (\S+) visits (\d+) winrate ([\d.]+) prior ([\d.]+) lcb ([\d.]+) order (\d+) pv (\S+(?: \S+)*?)(?= info |$)"
)


@pytest.mark.parametrize("line", ["lz-analyze", "lz-analyze 10", "lz-analyze b 10", "lz-analyze interval 10 minmoves 3"])
def test_lz_analyze(four, line):
    answer = four.raw(f"8 {line}")
    assert answer.startswith("=8\ninfo move ")
    found = LZ.findall(answer.splitlines()[1])
    assert answer.splitlines()[1].count("info ") == len(found) > 0
    for order, (move, visits, chance, prior, low, place, line) in enumerate(found):
        assert int(place) == order and int(visits) >= 0 and line.split()[0] == move
        assert 0 <= int(low) <= int(chance) <= 10000 and 0 <= int(prior) <= 10000
    assert four.stones() == {}


def test_kata_analyze(four):
    line = four.raw("kata-analyze b interval 10 ownership true maxmoves 2").splitlines()[1]
    found = KATA.findall(line)
    assert line.count("info ") == len(found) == 2
    assert all(0 <= float(low) <= float(chance) <= 1 for _, _, chance, _, low, _, _ in found)


def test_the_chances_are_those_of_the_player_to_move(four):
    for line in ("play b 1", "play w 7", "play b 1", "play w 7", "play b 1", "play w 6"):
        four.ok(line)
    assert LZ.findall(four.raw("lz-analyze 10").splitlines()[1])[0][:3:2] == ("A4", "10000")
    four.ok("play b 2")
    best = LZ.findall(four.raw("lz-analyze w 10").splitlines()[1])[0]
    assert best[0] == "A4"


def test_bad_analyses(four, three):
    for words in ("w", "b 10 maxmoves", "b 10 avoid b C3 10", "interval x", "maxmoves 0", "green 10"):
        four.fails(f"lz-analyze {words}")
        four.fails(f"kata-genmove_analyze {words}")
    for line in ("play b a1", "play w a2", "play b b1", "play w b2", "play b c1"):
        three.ok(line)
    three.fails("lz-analyze")


def test_an_analysis_goes_on_until_input_comes(four):
    asked = iter([False, False, False, False, False])
    four.engine.has_input = lambda: next(asked, True)
    lines = four.raw("lz-analyze 5").splitlines()
    assert len(lines) >= 3 and lines[-1] == ""


def test_an_analysis_keeps_its_intervals_where_a_move_would_end_early(four):
    four.ok("tesuji-param stop_early on")
    four.ok("tesuji-param solver off")
    for line in ("play b 1", "play w 7", "play b 1", "play w 7", "play b 1", "play w 6"):
        four.ok(line)
    began, asked = time.perf_counter(), iter([False] * 6)
    four.engine.has_input = lambda: next(asked, True)
    lines = four.raw("lz-analyze 5").splitlines()
    assert time.perf_counter() - began >= 0.05 * (len(lines) - 3) and four.engine._search.settings["stop_early"]


def test_an_analysis_of_something_proven_waits(three):
    for line in ("play b a1", "play w a2", "play b b1", "play w b2"):
        three.ok(line)
    waited = []
    three.engine.has_input = lambda: len(waited) > 2
    three.engine.wait = waited.append
    assert three.raw("lz-analyze 5").count("\n") == 3 and len(waited) == 3


@pytest.mark.parametrize("form", ["lz", "kata"])
def test_genmove_analyze(four, form):
    four.ok("tesuji-param playouts 60")
    lines = four.raw(f"5 {form}-genmove_analyze b 5").splitlines()
    assert lines[0] == "=5" and all(line.startswith("info move ") for line in lines[1:-2])
    assert re.fullmatch("play [A-G]1", lines[-2]) and lines[-1] == ""
    assert list(four.stones()) == [lines[-2].split()[1]]


def test_an_error_in_the_midst_of_an_analysis_ends_it(four, monkeypatch):
    def broken(*_arguments, **_options):
        raise RuntimeError("no\n\nmore")

    monkeypatch.setattr(four.engine, "run_on", broken)
    assert four.raw("lz-analyze 5") == "=\nerror: no more\n\n"
    assert four.ok("name")


def test_an_error_of_ours_is_an_answer(four, monkeypatch):
    monkeypatch.setattr(type(four.engine), "think", lambda *_: 1 / 0)
    assert four.raw("4 genmove b") == "?4 internal error: ZeroDivisionError: division by zero\n\n"
    assert four.stones() == {} and four.ok("play b 4") == ""


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
    assert four.fails(f"loadsgf {path} 9").startswith("cannot load file")
    assert four.fails(f"loadsgf {tmp_path}/none.sgf").startswith("cannot load file")
    assert four.fails(f"loadsgf {tmp_path}").startswith("cannot load file")
    path.write_text("(;GM[1]SZ[9];B[aa])")
    assert four.fails(f"loadsgf {path}").startswith("cannot load file")
    path.write_bytes(b"\xff\xfe nonsense (;")
    assert four.fails(f"loadsgf {path}").startswith("cannot load file")
