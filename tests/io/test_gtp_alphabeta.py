"""The alpha-beta players of Lines of Action behind GTP: the same commands, answers that make sense, no endless answer."""

from __future__ import annotations

import re

import pytest
from gtp_helpers import Session

from tesuji.core.errors import UserError
from tesuji.io.gtp import analysis
from tesuji.io.gtp.engine import Engine

WON = "loa:8/2b5/8/2b1w3/8/8/3w4/8:b"
WINS = {"c7-b6", "c5-d6", "c5-b6"}  # at once
LOST = "loa:8/2w5/8/8/2w5/7b/8/b7:b"


pytestmark = pytest.mark.usefixtures("pure_gtp")


@pytest.fixture
def parts(monkeypatch):
    """Counts the parts of a streamed answer; one that does not end is an error, not a test that hangs."""
    run_on, counted = Engine.run_on, []

    def limited(engine, search, limits, until_input=False, widening=0.0):
        counted.append(limits)
        assert len(counted) < 20, "the answer does not end"
        return run_on(engine, search, limits, until_input, widening)

    monkeypatch.setattr(Engine, "run_on", limited)
    return counted


def session(player="mia2006:playouts=60,memory=1", game="loa"):
    return Session(game, player)


def infos(text):
    """move -> the numbers of the last line of an analysis."""
    last = [line for line in text.splitlines() if line.startswith("info")][-1]
    found = re.findall(
        r"info move (\S+) visits (\d+) winrate (\d+) prior (\d+) lcb (\d+) order (\d+) pv (.*?)(?= info move|$)", last
    )
    return {move: (int(visits), int(rate), int(lcb), int(order), pv.split()) for move, visits, rate, _, lcb, order, pv in found}


def test_a_game_with_undo_and_clock():
    gtp = session()
    first = gtp.ok("genmove b")
    second = gtp.ok("genmove w")
    gtp.ok("undo")
    assert gtp.ok("reg_genmove w")
    gtp.ok(f"play w {second}")
    gtp.ok("time_settings 3 0 0")
    gtp.ok("time_left b 1 0")
    assert gtp.ok("genmove b") not in ("pass", "resign", first)
    gtp.ok("kata-time_settings fischer 1 0.1")
    assert gtp.ok("genmove w") not in ("pass", "resign")
    gtp.ok("gg-undo 4")
    gtp.ok("clear_board")
    assert gtp.ok("genmove b")


def test_parameters_are_its_own():
    gtp = session()
    shown = gtp.ok("tesuji-params")
    assert "depth" in shown and "rave" not in shown
    gtp.ok("tesuji-param depth 1")
    gtp.ok("tesuji-param null_move 0")
    gtp.ok("tesuji-param playouts 30")
    assert gtp.ok("tesuji-param depth") == "1"
    for name, value in (("threads", "2"), ("exploration", "1"), ("depth", "-1"), ("multi_cut_needed", "50"), ("policy", "go")):
        gtp.fails(f"tesuji-param {name} {value}")
    assert gtp.ok("genmove b")
    with pytest.raises(UserError, match="no parameter 'threads'"):
        session("mia2006:threads=2")


def test_it_plays_no_other_game():
    with pytest.raises(UserError, match="the player mia2006 plays loa, not connect4"):
        session(game="connect4")


@pytest.mark.parametrize("player", ["mia2000", "mia2006"])
def test_an_analysis(parts, player):
    gtp = session(f"{player}:memory=1", "loa:scrambled")
    found = infos(gtp.ok("lz-analyze b 5"))
    assert set(found) <= set(gtp.ok("all_legal b").split())
    assert [order for *_, order, _pv in found.values()] == list(range(len(found)))
    for move, (visits, rate, lcb, _order, pv) in found.items():
        assert visits > 0 and 0 <= lcb <= rate <= 10000 and pv[0] == move
    best = next(iter(found.values()))
    assert all(rate <= best[1] for _visits, rate, *_ in found.values())
    assert 3000 < best[1] < 7000  # nobody is ahead by much


def test_what_is_asked_before_the_search_knows_anything_is_searched_for():
    gtp = session()
    gtp.ok("genmove b")
    table = gtp.ok("tesuji-search")
    assert "Playouts: 60" in table
    visits = [int(line.split()[0]) for line in table.splitlines()[3:]]
    assert visits and sum(visits) > 0
    assert gtp.ok("tesuji-pv w")


def test_a_search_that_may_go_no_deeper_answers_at_once(parts):
    """It has used neither its playouts nor its time, and never will."""
    for limit in ("playouts=1000000", "seconds=1000"):
        parts.clear()
        gtp = session(f"mia2006:depth=1,memory=1,{limit}")
        text = gtp.ok("lz-genmove_analyze b 1000")
        assert text.splitlines()[-1].startswith("play ") and len(parts) == 1
        assert gtp.ok("genmove w") and gtp.ok("reg_genmove b")


def test_an_analysis_that_has_ended_waits_for_input(parts):
    gtp = session("mia2006:depth=1,memory=1")
    waits = []
    gtp.engine.wait = waits.append
    gtp.engine.has_input = lambda: len(waits) > 3
    text = gtp.ok("lz-analyze b 1000")
    assert len([line for line in text.splitlines() if line.startswith("info")]) == 1 and len(waits) == 4


def test_a_win_is_proven_and_played(monkeypatch):
    monkeypatch.setattr(analysis, "FIRST_LOOK", 60.0)  # the proof ends it
    gtp = session("mia2006:memory=1,seconds=60", WON)
    found = infos(gtp.ok("lz-analyze b 6000"))
    move, (_visits, rate, _lcb, order, pv) = next(iter(found.items()))
    assert move in WINS and (rate, order, pv) == (10000, 0, [move])
    assert "Proven: yes" in gtp.ok("tesuji-search")
    assert gtp.ok("genmove b") in WINS
    assert gtp.ok("final_score").startswith("B+")
    assert gtp.fails("genmove w")
    assert gtp.fails("lz-analyze w 10")
    gtp.ok("undo")
    assert gtp.ok("genmove b") in WINS


def test_it_does_not_resign():
    """There is no parameter for it: a loss is played on."""
    gtp = session("mia2006:memory=1,seconds=60,depth=2", LOST)
    assert gtp.ok("genmove b") not in ("resign", "pass")


def test_moves_cannot_be_left_out():
    assert "cannot leave moves out" in session().fails("lz-analyze b 10 avoid b b1-b3 1")
