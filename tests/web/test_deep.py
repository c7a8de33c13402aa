"""Clocks, teaching, regions and GTP programs on the server of the page, with engines that search in pure Python."""

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from web_client import COMPUTER, PERSON, Client, RunningServer

from tesuji.core.limits import Limits
from tesuji.play.clock import parse_clock
from tesuji.web.clocks import TabClock
from tesuji.web.tasks import Tasks

PROGRAM = f"gtp:{sys.executable} {Path(__file__).parent / 'small_program.py'}"
BY_PROGRAM = {"kind": "computer", "player": PROGRAM, "seconds": 1}


def begin(tab, **fields):
    before = tab.state["generation"]
    tab.post("new", **{"game": "tictactoe", "sides": [PERSON, PERSON], **fields})
    tab.until(lambda state: state["generation"] > before)


# -- clocks ------------------------------------------------------------------------------------------------------------
def test_the_clocks_wait_for_the_first_move_and_stop_when_somebody_goes_back(tab):
    begin(tab, clock="60+5")
    assert tab.state["clock"]["control"] == "60+5" and tab.state["clock"]["running"] is None
    tab.play("a1")
    assert tab.state["clock"]["running"] == 1 and tab.state["clock"]["sides"][0]["left"] == 60
    tab.play("b1")
    assert tab.state["clock"]["running"] == 0 and 64 < tab.state["clock"]["sides"][1]["left"] <= 65
    tab.post("undo")
    tab.until(lambda state: state["ply"] == 1)
    assert tab.state["clock"]["running"] is None
    tab.play("c1")
    assert tab.state["clock"]["running"] == 0


def test_whose_time_is_over_has_lost(tab):
    begin(tab, clock="0.05")
    tab.play("a1")
    tab.until(lambda state: state["turn"] == "over")
    assert tab.state["result"] == {"text": "x wins on time", "sgf": "B+T", "winner": 0, "outcome": None}
    assert "RE[B+T]" in tab.post("sgf-save")["text"] and "over" in tab.refused("move", move="b1")
    tab.post("undo")
    tab.until(lambda state: state["turn"] == "person")
    assert tab.state["clock"] is None, "else it would be lost again at once"
    tab.play("b1")
    tab.play("c1")
    assert tab.state["turn"] == "person"


def test_a_clock_that_was_held_for_an_engine_that_died_runs_at_the_next_turn():
    async def play():
        clock = TabClock(parse_clock("60"), lambda side: None)
        clock.is_live = True
        clock.run(0)
        clock.hold(True)
        assert clock.times.running is None
        clock.run(0)
        assert clock.times.running is None, "its search is still compiled"
        clock.run(1)
        assert clock.times.running == 1
        clock.run(None)

    asyncio.run(play())


def test_the_computers_clock_is_held_as_long_as_its_search_is_compiled():
    """From its turn on, not from when the compiler is heard of next; the page is told, since it counts on by itself."""

    async def play():
        now, told = [0.0], []
        tab = SimpleNamespace(turn="person", clock=TabClock(parse_clock("60+2"), lambda side: None))
        tab.outbox = SimpleNamespace(state=lambda: told.append(tab.clock.data()["running"]), tell_latest=lambda *told: None)
        tab.clock.times._now = lambda: now[0]
        tab.tasks = tasks = Tasks(tab)
        tab.clock.is_live = True
        compiling = {"event": "compile", "done": 4.0, "of": 16.0, "text": "compiling"}
        tab.clock.run(0, is_held=False)
        tasks._tell_compiling(compiling)
        assert tasks.is_compiling and tab.clock.data()["running"] == 0 and told == [], "a person's clock runs"
        tab.clock.moved()
        tab.turn = "computer"
        tab.clock.run(1, is_held=tasks.is_compiling)
        now[0] += 4
        tasks._tell_compiling(compiling)
        assert tab.clock.data()["running"] is None and tab.clock.data()["sides"][1]["left"] == 60
        tasks._tell_compiling(compiling | {"final": True})
        assert told == [1]
        now[0] += 1
        tasks._tell_compiling(compiling)
        now[0] += 30
        assert told == [1, None] and tab.clock.data()["sides"][1]["left"] == 59
        tab.clock.took(1, Limits(1.0), 35.0)
        assert tab.clock._paces[1]._overrun == 0.0, "the next move is not shortened for it"
        tab.clock.moved()  # made by the one that stands in
        assert tab.clock.data()["sides"][1]["left"] == 61, "a move adds its time all the same"
        tab.clock.run(None)

    asyncio.run(play())


def test_a_clock_that_is_none_is_refused_and_other_games_have_none(tab):
    assert "is not a clock" in tab.refused("new", game="tictactoe", sides=[PERSON, PERSON], clock="soon")
    begin(tab, clock="60")
    begin(tab)
    assert tab.state["clock"] is None


def test_the_computer_plans_its_move_by_the_clock(tab):
    """One that has 1,000 s a move would not answer within the test's patience."""
    begin(tab, clock="20", sides=[PERSON, COMPUTER | {"level": 10, "player": "uct", "playouts": None, "seconds": 1000}])
    tab.play("b2")
    tab.until(lambda state: state["ply"] == 2)
    assert 0 < tab.state["clock"]["sides"][1]["left"] < 20


# -- teaching ----------------------------------------------------------------------------------------------------------
def test_a_large_mistake_is_pointed_out_before_the_computer_answers(tab):
    tab.post("teach", loss=0.3)
    begin(tab, moves=["b2", "a1", "b1"], sides=[COMPUTER, PERSON])  # b3 must be stopped
    tab.play("c3")
    tab.until(lambda state: state["mistake"] is not None)
    found = tab.state["mistake"]
    assert (found["move"], found["best"], found["mover"]) == ("c3", "b3", 1) and found["loss"] > 0.3
    assert tab.state["turn"] == "paused" and tab.state["ply"] == 4, "the computer waits"
    tab.post("undo")
    tab.until(lambda state: state["ply"] == 3 and state["mistake"] is None)
    tab.play("c3")
    tab.until(lambda state: state["mistake"] is not None)
    tab.post("mistake-ok")
    tab.until(lambda state: state["ply"] == 5)


def test_a_good_move_is_answered_at_once_and_nothing_is_said_when_it_is_off(tab):
    tab.post("teach", loss=0.3)
    begin(tab, moves=["b2", "a1", "b1"], sides=[COMPUTER, PERSON])
    tab.play("b3")
    tab.until(lambda state: state["ply"] == 5 or state["mistake"])
    assert tab.state["mistake"] is None
    tab.post("teach", loss=None)
    tab.until(lambda state: state["teaching"] is None)
    assert "above 0" in tab.refused("teach", loss=2)


# -- some points alone -------------------------------------------------------------------------------------------------
def test_only_moves_at_some_points_are_analysed_and_nothing_of_it_is_kept(tab):
    begin(tab, moves=["b2", "a1", "b1"])
    tab.post("analyse", on=True, player=None, parameters={}, region=["c3", "a3"])
    found = tab.wait("analysis", lambda values: values["final"])
    assert {move["move"] for move in found["moves"]} == {"c3", "a3"} and found["proven"]
    assert tab.state["nodes"][tab.state["node"]]["analysis"] is None, "a proof of these moves is none of the position"
    tab.post("analyse", on=True, player=None, parameters={}, region=["b2"])
    assert "no legal move" in tab.wait("error")["text"]
    assert "places" in tab.refused("analyse", on=True, player=None, parameters={}, region=["z9"])


# -- GTP programs ------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def with_program(pure):
    running = RunningServer(programs=(PROGRAM,))
    yield running
    running.close()


def test_a_program_of_the_command_line_plays_and_analyses(with_program):
    tab = Client(with_program)
    assert PROGRAM in [player["name"] for player in tab.post("players")["players"]]
    begin(tab, moves=["b2", "a1", "c3"], sides=[PERSON, BY_PROGRAM])
    tab.until(lambda state: state["ply"] == 4)
    assert tab.state["last_move"] == "b1", "the first free cell"
    tab.post("undo")
    tab.until(lambda state: state["ply"] < 4)
    assert tab.post("sgf-save")["text"].count("tesuji (") == 0
    begin(tab, moves=["b2", "a1", "b1"])
    tab.post("analyse", on=True, player=PROGRAM, parameters={})
    found = tab.wait("analysis")
    assert (found["best"], found["chance"], found["moves"][1]["move"]) == ("c1", 0.79, "a2")
    tab.wait("analysis", lambda values: values["playouts"] > found["playouts"])
    tab.post("analyse", on=False)
    assert "proves nothing" in tab.refused("solve", player=PROGRAM, parameters={}, playouts=10)
    tab.post("close")
    tab.disconnect()


def test_no_other_program_is_started(with_program, tab):
    for client in (Client(with_program), tab):
        other = [PERSON, BY_PROGRAM | {"player": "gtp:touch /tmp/never"}]
        assert "command line" in client.refused("new", game="tictactoe", sides=other)
        assert "command line" in client.refused("analyse", on=True, player="gtp:touch /tmp/never", parameters={})


def test_a_program_that_ends_is_a_sentence(pure):
    running = RunningServer(programs=(f"gtp:{sys.executable} -c pass",))
    tab = Client(running)
    begin(tab, sides=[PERSON, {"kind": "computer", "player": running.opening.programs[0]}])
    tab.play("b2")
    assert "it ended" in tab.wait("error")["text"]
    running.close()


def test_a_program_is_told_of_the_clock_of_the_page(pure, tmp_path):
    log = tmp_path / "log"
    script = Path(__file__).parent.parent / "lab" / "scripted_engine.py"
    running = RunningServer(programs=(f"gtp:{sys.executable} {script} '' A1,A2 {log}",))
    tab = Client(running)
    begin(tab, clock="60+5", sides=[PERSON, {"kind": "computer", "player": running.opening.programs[0]}])
    tab.play("b2")
    tab.until(lambda state: state["ply"] == 2)
    settings, left = (line for line in log.read_text().splitlines() if line.startswith("time"))
    assert settings == "time_settings 60 0 0" and left in ("time_left w 60 0", "time_left w 59 0")
    running.close()


# -- markup ------------------------------------------------------------------------------------------------------------
def test_markup_of_a_file_is_shown_changed_and_saved(tab):
    tab.post("sgf-open", text="(;GM[1]SZ[3];B[bb]TR[aa]LB[cc:x]AR[aa:cc])", name="x.sgf")
    tab.until(lambda state: state.get("markup"))
    kinds = {(mark["kind"], *mark["at"], mark["text"]) for mark in tab.state["markup"]}
    assert kinds == {("triangle", "A3", ""), ("label", "C1", "x"), ("arrow", "A3", "C1", "")}
    tab.post("mark", node=tab.state["node"], at="A3", kind="label", text="1")
    tab.until(lambda state: len(state["markup"]) == 3 and state["markup"][0]["kind"] == "label")
    assert "AR[aa:cc]LB[cc:x][aa:1]" in tab.post("sgf-save")["text"].replace("\n", "")
    assert "kind" in tab.refused("mark", node=0, at="A3", kind="star")
    assert "place" in tab.refused("mark", node=0, at="Z9", kind="circle")
