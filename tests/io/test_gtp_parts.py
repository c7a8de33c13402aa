"""The parts of the GTP engine that need no engine: lines, vertices, the clock."""

import random
import threading
import time

import numpy as np
import pytest

from tesuji.core import rules
from tesuji.games.registry import find_game
from tesuji.io.gtp import clock as clocks
from tesuji.io.gtp import lines as line_module
from tesuji.io.gtp import moves, protocol
from tesuji.io.gtp.lines import Lines
from tesuji.io.gtp.protocol import GtpError, Request
from tesuji.io.lines import split_lines
from tesuji.play import time_plan
from tesuji.play.time_plan import LAG, LAG_SHARE, TimeLeft, seconds_for_move


# -- lines -----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("name", Request("", "name", [])),
        ("17 play b E5", Request("17", "play", ["b", "E5"])),
        ("  play\tb   E5  \r\n", Request("", "play", ["b", "E5"])),
        ("na\x07me # says who it is", Request("", "name", [])),
        ("7", Request("7", "", [])),
        ("007 name", Request("007", "name", [])),
        ("2147483647 name", Request("2147483647", "name", [])),
        ("2147483648 name", Request("", "2147483648", ["name"])),
        ("-1 name", Request("", "-1", ["name"])),
        ("\x7fname\x00", Request("", "name", [])),
        ("", None),
        ("   \t ", None),
        ("# only words", None),
        ("\x01\x02\r", None),
    ],
)
def test_what_a_line_asks_for(line, request_):
    assert protocol.parse(line) == request_


def test_an_answer_never_holds_an_empty_line():
    assert protocol.answer("3", "a\n\n\nb\r\n\r\nc\x00") == "=3 a\nb\nc\n\n"
    assert protocol.answer("", "", ok=False) == "? \n\n"
    assert protocol.answer("", "\nrow 1\n \nrow 2\n") == "= \nrow 1\nrow 2\n\n"


def test_interrupt_is_a_comment_line():
    assert protocol.is_interrupt("# interrupt\r\n") and protocol.parse("# interrupt") is None
    assert not protocol.is_interrupt("genmove b # interrupt")


def test_lines_from_pieces_of_any_size():
    data = b"one\ntwo\r\n\nlast"
    for size in (1, 2, 3, 100):
        pieces = (data[i : i + size] for i in range(0, len(data), size))
        assert list(split_lines(pieces, 100)) == [b"one", b"two\r", b"", b"last"]


def test_a_line_that_does_not_end_is_cut_off(monkeypatch):
    pieces = [b"x" * 8, b"x" * 8, b"x" * 8, b"\nname\n", b"y" * 11, b"\nversion", b"\n" + b"y" * 10 + b"\n"]
    assert list(split_lines(iter(pieces), 10)) == [None, b"name", None, b"version", b"y" * 10]
    assert list(split_lines(iter([b"z" * 50]), 10)) == [None]
    monkeypatch.setattr(line_module, "LONGEST_LINE", 10)
    assert [line.text for line in Lines(reader(*pieces))] == ["line-too-long", "name", "line-too-long", "version", "y" * 10]


def reader(*pieces):
    left = list(pieces)
    return lambda _count: left.pop(0) if left else b""


def test_lines_come_in_order_and_the_end_stays_the_end():
    lines = Lines(reader(b"a\nb", b"\nc\xff\n"))
    assert [line.text for line in lines] == ["a", "b", "c\ufffd"]
    assert list(lines) == [] and lines.is_waiting()


def test_a_failing_read_is_the_end():
    def read(_count):
        raise OSError("gone")

    assert list(Lines(read)) == []


def test_an_interrupt_concerns_the_commands_before_it():
    ready = threading.Event()
    pieces = [b"genmove b\n# interrupt\nname\n"]

    def read(_count):
        if pieces:
            return pieces.pop()
        ready.set()
        return b""

    lines = Lines(read)
    ready.wait(60)
    numbers = {line.text: line.number for line in lines}
    assert lines.is_interrupted(numbers["genmove b"]) and not lines.is_interrupted(numbers["name"])


def test_waiting_ends_when_something_arrives():
    release = threading.Event()

    def read(_count):
        release.wait(60)
        return b""

    lines = Lines(read)
    assert not lines.is_waiting()
    lines.wait(0.01)
    release.set()
    lines.wait(60)
    assert lines.is_waiting()


def test_a_flood_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(line_module, "MOST_WAITING", 100)
    lines = Lines(reader(*[b"name\n" * 1000] * 100))
    while lines._queue.qsize() < 100:
        time.sleep(0.001)
    time.sleep(0.01)  # in which more would come
    assert lines._queue.qsize() <= 100
    assert sum(1 for _ in lines) == 100_000


# -- vertices --------------------------------------------------------------------------------------------------------------
def test_vertices_have_no_i():
    game = find_game("connect4:9x6")
    assert moves.vertex_text(game, (8, 0)) == "J1" and moves.parse_vertex(game, "j1") == (8, 0)
    for text in ("I1", "A0", "A7", "K1", "A", "1", "A1x", "", "AA1", "A01", "pass"):
        assert moves.parse_vertex(game, text) is None, text


def test_a_falling_stone_takes_any_point_of_its_column():
    game = find_game("connect4")
    state = game.state_after(["4", "4"])
    for text in ("D1", "d3", "D6", "4"):
        assert moves.parse_move(game, state, text) == 3
    assert moves.move_text(game, state, 3) == "D3"
    with pytest.raises(GtpError, match="illegal move"):
        moves.parse_move(game, state, "D7")


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "connect4:4x4", "go:5"])
def test_the_board_of_a_game_fits_its_moves(name):
    game = find_game(name)
    chance = random.Random(7)
    state = game.new_state()
    with np.errstate(over="ignore"):
        for _ in range(60):
            legal = game.legal_moves(state)
            points = {game.board.point(state, move) for move in legal}
            before = game.board.stones(state)
            assert len(points) == len(legal) and not points & set(before)
            for move in legal:
                assert moves.parse_move(game, state, moves.move_text(game, state, move)) == move
            if not legal:
                break
            move, mover = chance.choice(legal), int(rules.to_play(state))
            point = game.board.point(state, move)
            rules.play(state, move)
            if point is not None:
                assert game.board.stones(state)[point] == mover


def test_names_agree_with_the_terminal_in_tictactoe():
    game = find_game("tictactoe")
    for move in game.legal_moves(game.initial):
        assert moves.move_text(game, game.initial, move).lower() == game.text(game.initial, move)


def test_a_game_without_a_board_is_written_its_own_way():
    game = find_game("dotsandboxes:2x2")
    assert not moves.has_vertices(game)
    for move in game.legal_moves(game.initial):
        text = moves.move_text(game, game.initial, move)
        assert text == game.text(game.initial, move) and moves.parse_move(game, game.initial, text) == move


# -- the clock -------------------------------------------------------------------------------------------------------------
def budget(clock, colour, moves):
    return seconds_for_move(clock.left(colour), moves)


def test_no_clock_no_budget():
    assert clocks.GtpClock().left(0) is None
    unlimited = clocks.canadian_clock(10, 5, 0)  # a period without stones: no limit
    assert not unlimited.is_running
    unlimited.time_left(0, 0, 0)
    assert unlimited.left(0) is None, "whatever the controller says is left"


def test_main_time_is_shared_by_the_moves_to_come():
    clock = clocks.canadian_clock(60, 0, 0)
    assert budget(clock, 0, 30) == pytest.approx(2.0 - LAG)
    clock.time_left(0, 6, 0)
    assert budget(clock, 0, 30) == pytest.approx(0.2 * (1 - LAG_SHARE))
    clock.time_left(0, 0, 0)
    assert budget(clock, 0, 30) == time_plan.LEAST


def test_a_game_on_absolute_time_is_never_lost_on_time():
    for seconds in (1.0, 60.0, 1800.0):
        clock = clocks.canadian_clock(seconds, 0, 0)
        game = find_game("connect4")
        for plies in range(0, 42, 2):
            clock.spend(1, budget(clock, 1, time_plan.moves_left(game, plies)) + 0.001)
        assert clock.sides[1].seconds > 0 and clock.sides[0].seconds == seconds


def test_canadian_byo_yomi_is_shared_by_its_stones():
    clock = clocks.canadian_clock(0, 30, 10)
    assert budget(clock, 0, 100) == pytest.approx(3.0 - LAG)
    for _ in range(9):
        clock.spend(0, 2.0)
    assert (clock.sides[0].seconds, clock.sides[0].stones) == (12.0, 1)
    assert budget(clock, 0, 100) == pytest.approx(12.0 - LAG)
    clock.spend(0, 2.0)
    assert (clock.sides[0].seconds, clock.sides[0].stones) == (30, 10)
    clock.time_left(0, 5.0, 25)
    assert budget(clock, 0, 100) == pytest.approx(0.2 * (1 - LAG_SHARE))


def test_main_time_runs_into_byo_yomi():
    clock = clocks.canadian_clock(10, 30, 10)
    assert budget(clock, 0, 100) == pytest.approx(3.0 - LAG)  # no quicker than byo-yomi asks for
    clock.spend(0, 11)
    assert (clock.sides[0].seconds, clock.sides[0].stones) == (29, 9), "one second of the period, and one of its stones"
    clock = clocks.byoyomi_clock(10, 30, 3)
    clock.spend(0, 45)
    assert (clock.sides[0].seconds, clock.sides[0].stones) == (30, 2)


def test_a_japanese_period_is_for_one_move():
    clock = clocks.byoyomi_clock(0, 10, 3)
    assert budget(clock, 0, 100) == pytest.approx(10 - LAG)
    clock.spend(0, 9)
    assert (clock.sides[0].seconds, clock.sides[0].stones) == (10, 3)
    clock.spend(0, 11)
    assert (clock.sides[0].seconds, clock.sides[0].stones) == (10, 2)


def test_an_increment_is_spent_as_it_comes_in():
    clock = clocks.fischer_clock(60, 3)
    assert budget(clock, 0, 30) == pytest.approx(5.0 - LAG)
    clock.spend(0, 5)
    assert clock.sides[0].seconds == 58
    clock.time_left(0, 1, 0)
    assert budget(clock, 0, 30) == pytest.approx(1.0 - LAG), "it comes after the move only"
    for _ in range(500):
        clock.spend(0, budget(clock, 0, 10) + 0.05)
        assert clock.sides[0].seconds > 3


def test_what_the_last_move_took_too_long_is_kept_back():
    left = TimeLeft(60)
    assert seconds_for_move(left, 30, 0.5) == pytest.approx(2.0 - LAG - 0.5)
    assert seconds_for_move(left, 30, 100) == pytest.approx((2.0 - LAG) / 2)


def test_a_new_game_has_all_its_time():
    clock = clocks.canadian_clock(60, 30, 5)
    clock.time_left(0, 3, 2)
    clock.restart()
    assert [(side.seconds, side.stones) for side in clock.sides] == [(60, 0), (60, 0)]


def test_moves_left_never_runs_out():
    for name in ("tictactoe", "connect4", "dotsandboxes:2x2", "samegame:5x5:1"):
        game = find_game(name)
        counts = [time_plan.moves_left(game, plies) for plies in range(200)]
        assert min(counts) >= time_plan.FEWEST_MOVES and counts == sorted(counts, reverse=True)
