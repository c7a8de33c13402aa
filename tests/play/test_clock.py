"""The clocks of a game, by a time that the test moves."""

import pytest

from tesuji.core.errors import UserError
from tesuji.play.clock import Clock, GameClock, TimeControl, parse_clock


@pytest.mark.parametrize(
    ("text", "control"), [("600+3x30", TimeControl(600, 0, 30, 1, 3)), ("5x10", TimeControl(0, 0, 10, 1, 5))]
)
def test_several_periods_as_text(text, control):
    assert parse_clock(text) == control and control.as_text() == text


@pytest.mark.parametrize("text", ["1234567", "123456.5+0.00001", "1234567.25+3x10.125", "1000000/25", "7200+1234567/9"])
def test_a_clock_as_text_is_the_same_clock(text):
    """Each part of a match reads it again."""
    control = parse_clock(text)
    assert control.as_text() == text and parse_clock(control.as_text()) == control


@pytest.mark.parametrize("text", ["600+0x30", "3x0", "x30", "3x", "600+3x30/5", "1e9+3x5", "3x99999999"])
def test_periods_that_are_none(text):
    with pytest.raises(UserError, match="is not a clock"):
        parse_clock(text)


def test_whoever_takes_longer_than_a_period_goes_on_in_the_next():
    clock = Clock(parse_clock("10+3x30"))
    assert clock.left == 100
    assert clock.spend(15, 0) and (clock.main, clock.period, clock.periods) == (0, 30, 3), (
        "a move within a period keeps it whole"
    )
    assert clock.spend(35, 0) and (clock.period, clock.periods) == (30, 2)
    assert clock.left == 60 and not clock.spend(61, 0)
    assert clock.time_left.seconds == 30, "nobody plans to use up a period"


class Time:
    now = 0.0

    def __call__(self):
        return self.now


def test_one_clock_runs_at_a_time():
    time = Time()
    clock = GameClock(parse_clock("60+5"), time)
    time.now = 7
    assert clock.left() == float("inf")
    clock.start(0)
    time.now = 17
    assert clock.left() == 50
    clock.moved()
    assert clock.sides[0].main == 55 and clock.running is None
    clock.start(1)
    time.now = 27
    clock.start(0)
    time.now = 28
    clock.stop()
    time.now = 99
    assert (clock.sides[0].main, clock.sides[1].main) == (54, 50)
