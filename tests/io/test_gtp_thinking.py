"""GTP commands that think, and what they go by: limits, clocks, seeds, parameters, memory."""

import re

import pytest
from gtp_helpers import Session

from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.play.time_plan import LAG, TimeLeft
from tesuji.search.engine import final_move
from tesuji.search.engine.tree_search import TreeSearch

pytestmark = pytest.mark.usefixtures("pure_gtp")


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
    sessions = [Session("connect4", "uct:playouts=12,memory=4", seed=seed) for seed in (1, 2)]

    def game(session):
        session.ok("clear_board")
        return [session.ok(f"genmove {'bw'[ply % 2]}") for ply in range(8)]

    def searched(session):
        return session.engine.search.result().moves

    for session in sessions:
        session.ok("reg_genmove b")  # they have drawn random numbers before
        session.ok("set_random_seed 7")
    assert game(sessions[0]) == game(sessions[1]) and searched(sessions[0]) == searched(sessions[1])
    sessions[0].ok("set_random_seed 7")
    sessions[1].ok("set_random_seed 8")
    assert game(sessions[0]) and game(sessions[1]) and searched(sessions[0]) != searched(sessions[1])
    for seed in ("x", "-1", "1.5", "99999999999"):
        sessions[0].fails(f"set_random_seed {seed}")


@pytest.mark.parametrize("command", ["tesuji-why", "gomill-explain_last_move"])
def test_the_last_move_is_explained(four, command):
    assert four.ok(command) == ""
    move = four.ok("genmove b")
    first = four.ok(command).splitlines()[0]
    assert first.startswith(f"The expected line is {four.engine.played.node.move}") and move
    four.ok("play w 4")
    assert four.ok(command) == "", "the opponent made that one"
    four.ok("undo")
    assert four.ok(command).splitlines()[0] == first


def test_the_tree_is_kept_between_moves(four):
    four.ok("tesuji-param playouts 60")
    four.ok("tesuji-param solver off")
    first = four.ok("genmove b")
    search = four.engine.search
    four.ok("play w 4")
    four.ok("tesuji-pv b")
    assert four.engine.search is search and int(search.tree.nodes[0]["visits"]) > 0
    four.ok("genmove b")
    assert four.engine.search is search
    four.ok("gg-undo 3")
    assert four.ok("genmove b")
    assert four.engine.search is not search, first


def test_an_interrupt_ends_a_long_search(four):
    four.ok("tesuji-param playouts 1000000")
    four.ok("tesuji-param solver off")
    four.engine.is_interrupted = lambda: True
    assert four.ok("genmove b")
    assert four.ok("lz-genmove_analyze w 30").splitlines()[-1].startswith("play ")


def test_ctrl_c_ends_an_analysis(four):
    run = four.engine.run

    def interrupted(*arguments):
        result = run(*arguments)
        result.interrupted = True
        return result

    four.engine.run = interrupted
    four.engine.has_input = lambda: False
    assert "info move" in four.ok("lz-analyze 5")


def test_limits(four):
    engine = four.engine
    assert engine.limits().playouts == 20 and engine.limits().seconds is None
    half_a_second = TimeLeft(0.5 + LAG, 1)
    assert engine.limits(half_a_second).seconds == pytest.approx(0.5, abs=0.1)
    four.ok("tesuji-param seconds 0.25")
    assert engine.limits(half_a_second).seconds == 0.25
    four.ok("tesuji-param seconds 0")
    four.ok("tesuji-param playouts 0")
    assert engine.limits().seconds == 1.0 and engine.limits(TimeLeft(3, 1)).seconds == 3 - LAG
    four.ok("tesuji-param cpu 0.5")
    assert engine.limits() == Limits(cpu=0.5) and engine.limits(TimeLeft(3, 1)) == Limits(
        seconds=3 - LAG, cpu=0.5, longest=3 - LAG
    )


def test_it_thinks_in_the_opponents_time_only_if_it_is_asked_to_and_has_moved_itself(four):
    engine, looks = four.engine, []

    def has_input():
        looks.append(int(engine.search.tree.nodes[0]["visits"]) if engine.search is not None else -1)
        return len(looks) > 4

    engine.has_input = has_input
    four.ok("genmove b")
    four.server.ponder()
    assert looks == [], "off by default"
    four.ok("tesuji-param ponder 1000")
    four.server.ponder()
    assert len(looks) == 5 and looks[1] < looks[2] < looks[3] < looks[4]
    search, answer = engine.search, engine.search.answer
    four.ok(f"play w {engine.game.text(engine.state, final_move.principal_variation(search, 0)[0])}")
    looks.clear()
    four.server.ponder()
    assert looks == [], "it is its own turn"
    assert four.ok("genmove b") and engine.search is search and search.answer == answer


def test_what_a_search_needs_is_compiled_before_a_clock_runs(four, monkeypatch):
    prepared = []
    monkeypatch.setattr(TreeSearch, "prepare", lambda search: prepared.append(search.settings["memory"]))
    for line in ("time_settings 10 0 0", "kgs-time_settings byoyomi 10 5 3", "kata-time_settings fischer 10 1"):
        four.ok(line)
        assert prepared.pop() == 1.0 and not prepared, line
    for line in ("kgs-time_settings none", "time_settings 0 1 0"):
        four.ok(line)
        assert not prepared


def test_what_goes_wrong_in_the_opponents_time_does_not_end_the_engine(four):
    four.ok("tesuji-param ponder 1000")
    four.ok("genmove b")
    four.engine.has_input = lambda: False

    def broken(*_arguments, **_options):
        raise ValueError

    four.engine.search.run = broken
    four.server.ponder()
    assert four.engine.search is None
    assert four.ok("genmove w")


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
    assert listed["exploration"] == "0.5" and listed["playouts"] == "20" and listed["cuts"] == "on"
    four.ok("tesuji-param exploration 0.6")
    four.ok("tesuji-param expand-after 3")
    assert four.ok("tesuji-param exploration") == "0.6" and four.ok("tesuji-param expand_after") == "3"
    assert "0 .. 1e+06" in four.fails("tesuji-param exploration -1")
    assert "uct | progressive-bias | puct | expected-value | bound-bias | " in four.fails("tesuji-param selection other")
    assert "0 .. 1" in four.fails("tesuji-param resign 1.5")
    assert "playouts" in four.fails("tesuji-param nonsense") and "playouts" in four.fails("tesuji-param nonsense 1")
    assert "policy" in four.fails("tesuji-param policy mine")
    four.fails("tesuji-param playouts many")
    assert four.ok("tesuji-param exploration") == "0.6"


def test_the_parameter_dialog(four):
    lines = four.ok("tesuji-params").splitlines()
    assert "[bool] cuts 1" in lines and "[string] exploration 0.5" in lines
    assert "[list/off/win-loss/bounds] solver bounds" in lines
    assert all(re.fullmatch(r"\[(bool|string|list(/[\w-]+)+)\] \w+ \S+", line) for line in lines)
    four.ok("tesuji-params cuts 0")
    assert "[bool] cuts 0" in four.ok("tesuji-params").splitlines()
    four.fails("tesuji-params cuts 2")
    assert four.ok("genmove b")


def test_parameters_that_do_not_go_together_are_refused_at_once(four):
    assert "selection=gaussian" in four.fails("tesuji-param backup mix")
    assert "backup has no effect here: it goes with selection=gaussian" in four.fails("tesuji-param backup")
    for memory in ("0", "0.0001"):
        assert "too small" in four.fails(f"tesuji-param memory {memory}")
        assert "too small" in four.fails(f"tesuji-params memory {memory}")
    assert "is more than there is" in four.fails("tesuji-param memory 900000000")
    assert four.ok("tesuji-param memory") == "4" and four.ok("genmove b")
    four.ok("tesuji-param selection gaussian")
    assert four.ok("tesuji-param backup") == "mean"
    four.ok("tesuji-param backup mix")
    assert "reward=outcome" in four.fails("tesuji-param reward win") and four.ok("tesuji-param reward") == "outcome"
    assert " | gaussian" in four.fails("tesuji-param selection other") and four.ok("tesuji-param selection") == "gaussian"


def test_a_parameter_may_take_the_effect_of_one_set_before(four):
    four.ok("tesuji-param cuts off")
    four.ok("tesuji-param solver off")
    assert "has no effect here: it goes with solver other than off" in four.fails("tesuji-param cuts on")
    four.ok("tesuji-param solver bounds")
    assert four.ok("tesuji-param cuts") == "off"


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
        context.setattr(engine.Player, "engine", none_left)
        assert four.raw("genmove b").startswith("? not enough memory")
    assert four.stones() == {} and four.ok("genmove b")
