"""GTP's streamed analyses: their numbers, how long they go on, and what may go wrong in the midst of one."""

import re
import time

import pytest
from gtp_helpers import GO_PLAYER, Session

from tesuji.core.limits import Limits
from tesuji.io.gtp.analysis import info_line

pytestmark = pytest.mark.usefixtures("pure_gtp")


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
    line = four.raw("kata-analyze b interval 10 ownership false maxmoves 2").splitlines()[1]
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


def test_colours_by_the_names_of_the_game(four):
    for name in ("red", "RED", "black"):
        assert four.raw(f"lz-analyze {name} 10").startswith("=")
    assert "'depth' is not supported" in four.fails("lz-analyze b depth 3")


def test_bad_analyses(four, three):
    for words in (
        "w",
        "b 10 maxmoves",
        "b 10 avoid b C3",
        "avoid b C3 0",
        "avoid b Z9 1",
        "interval x",
        "maxmoves 0",
        "green 10",
    ):
        four.fails(f"lz-analyze {words}")
        four.fails(f"kata-genmove_analyze {words}")
    for line in ("play b a1", "play w a2", "play b b1", "play w b2", "play b c1"):
        three.ok(line)
    three.fails("lz-analyze")


def named(answer):
    return {found[0] for found in LZ.findall(answer.splitlines()[1])}


def test_avoid_and_allow_leave_moves_out(four):
    assert named(four.raw("lz-analyze b 10")) == {f"{column}1" for column in "ABCDEFG"}
    assert named(four.raw("lz-analyze b 10 avoid b D1,A1 1")) == {"B1", "C1", "E1", "F1", "G1"}
    assert named(four.raw("lz-analyze b 10 allow b D1,A1 5")) == {"A1", "D1"}
    assert named(four.raw("lz-analyze b 10")) == {f"{column}1" for column in "ABCDEFG"}, "what was left out is not kept"
    everything = ",".join(f"{column}1" for column in "ABCDEFG")
    assert "leave no move" in four.fails(f"lz-analyze b 10 avoid b {everything} 1")
    assert "lz-analyze and kata-analyze only" in four.fails("lz-genmove_analyze b 10 avoid b D1 1")


def test_avoid_reaches_as_deep_as_it_says(four):
    from tesuji.search.engine.final_move import children_of

    for depth, barred in ((1, set()), (3, {0})):
        search = four.engine.restricted_search(four.engine.played.position, {(0, 0): depth})
        search.run(Limits(playouts=150))
        tree = search.tree
        roots = children_of(tree, 0)
        assert {int(tree.nodes[child]["move"]) for child in roots} == set(range(1, 7))
        below = [move for child in roots for reply in children_of(tree, child) for move in children_of(tree, reply)]
        replies = [reply for child in roots for reply in children_of(tree, child)]
        assert 0 in {int(tree.nodes[reply]["move"]) for reply in replies}, "the other player may"
        assert (0 in {int(tree.nodes[move]["move"]) for move in below}) == (not barred)


def test_alternatives_keep_being_searched(four):
    for line in ("play b 1", "play w 7", "play b 1", "play w 7"):
        four.ok(line)
    four.ok("tesuji-param policy uniform")
    four.ok("tesuji-param solver off")
    four.ok("tesuji-param exploration 0.05")
    search = four.engine.search_at(four.engine.played.position)
    search.run(Limits(playouts=150))
    before = {report.move: report.visits for report in search.result().moves}
    leader = max(before, key=lambda move: before[move])
    assert before[leader] > 0.75 * sum(before.values()), "left alone, it puts nearly all into one move"
    four.engine.run_on(search, Limits(playouts=300), widening=0.5)
    after = {report.move: report.visits for report in search.result().moves}
    assert 0.45 * sum(after.values()) < after[leader] <= 0.51 * sum(after.values())
    assert all(after[move] > before[move] for move in after if move != leader)
    assert search.options.root_widening == 0.0, "a move is thought about without it"


def test_fewer_moves_than_asked_for(four):
    first = four.engine.search_at(four.engine.played.position)
    first.run(Limits(playouts=3))
    state, result = four.engine.state, first.result()
    assert len(LZ.findall(info_line(four.engine.game, state, result, "lz"))) == 3
    assert len(LZ.findall(info_line(four.engine.game, state, result, "lz", fewest_moves=5))) == 5
    assert len(LZ.findall(info_line(four.engine.game, state, result, "lz", fewest_moves=5, most_moves=4))) == 4


def test_ownership(four):
    go = Session("go:5", GO_PLAYER)
    go.ok("gogui-setup " + " ".join(f"b B{row} w D{row}" for row in range(1, 6)))
    for colour, sign in (("b", 1), ("w", -1)):
        line = go.raw(f"kata-analyze {colour} 10 ownership true").splitlines()[1]
        owners = [sign * float(text) for text in line.partition(" ownership ")[2].split()]
        assert len(owners) == 25 and owners[0] > 0.5 and owners[4] < -0.5
        assert "ownership" not in go.raw(f"kata-analyze {colour} 10 ownership false")
    assert "no ownership" in four.fails("kata-analyze b 10 ownership true")
    assert "true or false" in go.fails("kata-analyze b 10 ownership perhaps")


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
    assert time.perf_counter() - began >= 0.05 * (len(lines) - 3) and four.engine.search.answer.stop_early


def test_an_analysis_of_something_proven_waits(three):
    for line in ("play b a1", "play w a2", "play b b1", "play w b2"):
        three.ok(line)
    waited = []
    three.engine.has_input = lambda: len(waited) > 2
    three.engine.wait = waited.append
    assert three.raw("lz-analyze 5").count("\n") == 3 and len(waited) == 3


@pytest.mark.parametrize("form", ["lz", "kata"])
def test_genmove_analyze_within_cpu_time(four, form):
    for words in ("solver off", "playouts 0", "cpu 0.03"):
        four.ok(f"tesuji-param {words}")

    lines = four.raw(f"5 {form}-genmove_analyze b 1").splitlines()
    assert lines[-2].startswith("play ")


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


def test_the_rules_bounds_do_not_count_moves_that_are_left_out(four):
    """White wins by D4 after any move of Black but that; the rules see it, but without that move White does not win."""
    for line in ("play b 1", "play w 4", "play b 2", "play w 4", "play b 7", "play w 4"):
        four.ok(line)
    for depth, proven in ((1, True), (2, False)):
        search = four.engine.restricted_search(four.engine.played.position, {(0, 3): 2, (1, 3): depth})
        search.run(Limits(playouts=50))
        assert search.result().proven == proven
