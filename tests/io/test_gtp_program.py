"""A GTP program that follows a game on a board: what it is told of clocks."""

from __future__ import annotations

import contextlib
import shlex
import sys
from pathlib import Path

import pytest

from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.io.gtp.program import GtpProgram, ProgramClock
from tesuji.play.clock import Clock, parse_clock

SCRIPTED = Path(__file__).parent.parent / "lab" / "scripted_engine.py"
GAME = find_game("tictactoe")


def clock_of(text: str, used: float = 0.0) -> ProgramClock:
    clock = Clock(parse_clock(text))
    clock.run(used)
    return ProgramClock(clock.control, clock.gtp_time, clock.left)


@pytest.mark.parametrize(
    ("control", "used", "told"),
    [
        ("60", 59.5, ["time_settings 60 0 0", "time_left b 60 0", "time_left b 0 0"]),
        ("60+30/5", 70.0, ["time_settings 60 30 5", "time_left b 60 0", "time_left b 20 5"]),
    ],
)
def test_a_program_is_told_of_its_clock_once_and_of_what_is_left_before_each_move(tmp_path, control, used, told):
    log = tmp_path / "log"
    limits = Limits(seconds=1.5)  # a share of the clock, which a program finds by itself
    program = GtpProgram(shlex.join([sys.executable, str(SCRIPTED), "A1,A2,A3", "", str(log)]))
    with contextlib.closing(program):
        start = GAME.start
        move = program.move(start, limits, clock_of(control))
        assert move is not None
        later = start.after([move]).play("b1")
        assert program.move(later, limits, clock_of(control, used)) is not None
    assert [line for line in log.read_text().splitlines() if line.startswith("time")] == told


def test_without_a_clock_it_is_told_of_the_seconds_of_a_move(tmp_path):
    log = tmp_path / "log"
    with contextlib.closing(GtpProgram(shlex.join([sys.executable, str(SCRIPTED), "A1,A2", "", str(log)]))) as program:
        move = program.move(GAME.start, Limits(seconds=1.5))
        assert move is not None
        program.move(GAME.start.after([move]).play("b1"), Limits(seconds=1.5))
    assert [line for line in log.read_text().splitlines() if line.startswith("time")] == ["time_settings 0 2 1"]
