"""The parts of a match by themselves: clocks, the plan, openings, the standing."""

from __future__ import annotations

import pytest

from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.io.gtp.clock import canadian_clock, fischer_clock
from tesuji.io.gtp.program import gtp_settings
from tesuji.lab.match.plan import Openings, Plan, game_seed, make_plan
from tesuji.lab.match.standing import Standing
from tesuji.lab.match.store import COLUMNS
from tesuji.play.clock import Clock, TimeControl, parse_clock
from tesuji.play.opponent import Pace
from tesuji.play.time_plan import LEAST, TimeLeft, moves_left, seconds_for_move


# -- clocks ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "control", "gtp"),
    [
        ("300", TimeControl(300), "time_settings 300 0 0"),
        ("300+2.5", TimeControl(300, 2.5), "time_settings 300 0 0"),
        ("60/10", TimeControl(0, 0, 60, 10), "time_settings 0 60 10"),
        ("300+60/10", TimeControl(300, 0, 60, 10), "time_settings 300 60 10"),
        ("0.5", TimeControl(0.5), "time_settings 1 0 0"),
    ],
)
def test_clocks_as_text(text, control, gtp):
    assert parse_clock(text) == control
    assert parse_clock(control.as_text()) == control
    assert gtp_settings(control) == gtp


@pytest.mark.parametrize("text", ["", "0", "0+0", "60/0", "0/5", "300+0/5", "a", "-5", "5+", "1e9", "5/5/5", "99999999", "nan"])
def test_clocks_that_are_none(text):
    with pytest.raises(UserError, match="is not a clock"):
        parse_clock(text)


def test_absolute_time_and_increment():
    clock = Clock(TimeControl(10, 2))
    assert clock.spend(4, 0) and clock.left == 8
    assert clock.spend(8, 0) and clock.left == 2
    assert not clock.spend(2.5, 0.4)
    assert clock.spend(2.3, 0.4), "within the grace"


def test_the_grace_is_given_once():
    clock = Clock(parse_clock("1"))
    assert clock.spend(1.0, 0.1) and clock.spend(0.09, 0.1)
    assert clock.gtp_time == (0, 0) and not clock.spend(0.02, 0.1)
    clock = Clock(parse_clock("1/2"))
    assert clock.spend(0.5, 0.1) and clock.spend(0.55, 0.1)
    assert clock.left == pytest.approx(0.95), "what was too much is taken from the next period"
    assert not clock.spend(1.06, 0.1)


def test_canadian_time():
    clock = Clock(TimeControl(5, 0, 6, 2))
    assert (clock.left, clock.gtp_time) == (11, (5, 0))
    assert clock.spend(6, 0), "one second of the period, and one of its two stones"
    assert (clock.left, clock.gtp_time) == (5, (5, 1))
    assert clock.spend(4, 0)
    assert (clock.left, clock.gtp_time) == (6, (6, 2)), "the next period"
    assert not clock.spend(6.5, 0.1)


def test_no_player_of_ours_plans_to_lose_on_time():
    for control in (
        TimeControl(30),
        TimeControl(1, 0.5),
        TimeControl(0, 0, 20, 5),
        TimeControl(10, 0, 20, 5),
        TimeControl(0.05),
    ):
        clock = Clock(control)
        game = find_game("go:9")
        for plies in range(0, 400, 2):
            seconds = seconds_for_move(clock.time_left, moves_left(game, plies))
            assert LEAST <= seconds < clock.left or seconds == LEAST
            assert clock.spend(seconds + 0.02, 0.1) or control.main == 0.05
            if clock.left <= 0.05:
                break
        assert plies > 40 or control.main == 0.05


def test_a_player_who_is_always_in_doubt_does_not_lose_on_time_either():
    game = find_game("go:9")
    for control in (
        TimeControl(30),
        TimeControl(1, 0.5),
        TimeControl(0, 0, 20, 5),
        TimeControl(10, 0, 20, 5),
        TimeControl(0, 0, 3, 1),
    ):
        clock, pace, longest_of_all = Clock(control), Pace(), 0.0
        for plies in range(0, 80, 2):
            limits = pace.limits(Limits(), clock.time_left, game, plies)
            assert limits.seconds <= limits.longest
            longest_of_all = max(longest_of_all, limits.longest / limits.seconds)
            took = limits.longest + 0.01
            pace.took(limits, took)
            assert clock.spend(took, 0.0), (control, plies)
        assert (longest_of_all > 1.05) == (control != TimeControl(0, 0, 3, 1)), "a single stone has its whole period"


def test_a_players_own_seconds_hold_in_doubt_too():
    left = TimeLeft(60.0)
    assert Pace().limits(Limits(seconds=0.1), left, find_game("go:9"), 0) == Limits(seconds=0.1)
    limits = Pace().limits(Limits(seconds=3.0, playouts=9), left, find_game("go:9"), 0)
    assert 1.0 < limits.seconds < 3.0 and limits.longest == 3.0 and limits.playouts == 9


def test_a_player_plans_alike_in_a_match_and_by_gtp():
    for control, gtp in (
        (TimeControl(30), canadian_clock(30, 0, 0)),
        (TimeControl(30, 2), fischer_clock(30, 2)),
        (TimeControl(0, 0, 20, 5), canadian_clock(0, 20, 5)),
        (TimeControl(10, 0, 20, 5), canadian_clock(10, 20, 5)),
    ):
        clock = Clock(control)
        for spent in (1.0, 3.0, 0.5, 7.0, 2.0, 2.0, 2.0):
            assert clock.time_left == gtp.left(0)
            clock.spend(spent, 0)
            gtp.spend(0, spent)


# -- the plan --------------------------------------------------------------------------------------------------------------
def plan_of(*players: str, **fields) -> Plan:
    return make_plan(find_game("tictactoe"), list(players), **fields)


def test_every_opening_is_played_with_both_colours():
    plan = plan_of("uct", "tesuji")
    entries = [plan.entry(number) for number in range(6)]
    assert [(e.first, e.second, e.opening) for e in entries] == [
        (0, 1, 0),
        (1, 0, 0),
        (0, 1, 1),
        (1, 0, 1),
        (0, 1, 2),
        (1, 0, 2),
    ]
    assert len({e.seed for e in entries} | {game_seed(e.seed, e.number, side) for e in entries for side in (0, 1)}) == 18


def test_everyone_plays_everyone():
    plan = plan_of("uct", "tesuji", "uct-rave", "mcts-solver")
    rounds = [plan.entry(number) for number in range(12)]
    assert {frozenset((e.first, e.second)) for e in rounds[:6]} == {frozenset((e.first, e.second)) for e in rounds[6:]}
    assert all(
        (a.first, a.second, a.opening) == (b.second, b.first, b.opening) for a, b in zip(rounds[:6], rounds[6:], strict=True)
    )


def test_limits_come_from_the_player_first():
    labels = [player.label for player in plan_of("uct:playouts=5", "uct", "uct:seconds=2,exploration=0.1", playouts=9).players]
    assert labels == ["uct:playouts=5", "uct:playouts=9", "uct:exploration=0.1,seconds=2"]
    assert [p.label for p in plan_of("uct", "gtp:x -y").players] == ["uct:seconds=1", "gtp:x -y"]
    assert [p.label for p in plan_of("uct", "gtp:x", clock="60").players] == ["uct @60", "gtp:x @60"]
    timed = plan_of("uct:playouts=5", "uct", clock="60").players
    assert [p.label for p in timed] == ["uct:playouts=5 @60", "uct @60"], "with a clock it is another player in ratings"
    assert [p.label for p in plan_of("uct", "gtp:x", seconds=0.5).players] == ["uct:seconds=0.5", "gtp:x @0.5s"]


def test_a_plan_comes_back_from_json():
    plan = plan_of("uct", "gtp:x 'y z'", clock="60+1", seed=4, random_plies=2)
    assert Plan.from_json(plan.as_json()) == plan
    assert plan.default_file() != plan_of("uct", "gtp:x 'y z'", clock="60+1").default_file()


# -- openings and standing ---------------------------------------------------------------------------------------------------
def test_random_openings_do_not_end_the_game_and_repeat_only_when_they_must():
    game = find_game("tictactoe")
    one, two = Openings(game, [], 6, 1), Openings(game, [], 6, 1)
    found = [one[number] for number in range(40)]
    assert len(set(found)) == 40 and {len(opening) for opening in found} == {6}
    two.restore(found[:20])
    assert [two[number] for number in (39, 0)] == [found[39], found[0]], "a match that goes on makes the same ones"
    few = Openings(game, [], 1, 1)
    assert len({few[number] for number in range(9)}) == 9
    assert few[20] in {few[number] for number in range(9)}
    long = Openings(game, [], 20, 1)
    assert all(len(long[number]) < 9 for number in range(5))


def test_pairs_are_counted_when_both_games_are_there():
    from tesuji.lab.match.games import Played

    def played(number: int, first: int, winner: int | None, reason: str = "score") -> Played:
        values = dict.fromkeys(COLUMNS, 0) | {"number": number, "first": first, "second": 1 - first, "opening": number // 2}
        return Played(**{**values, "winner": winner, "reason": reason})

    standing = Standing()
    for game in [played(0, 0, 0), played(2, 0, None), played(1, 1, 0), played(3, 1, 1, "crash"), played(4, 0, 1)]:
        standing.add(game, 0)
    assert standing.pairs == [0, 1, 0, 0, 1]
    assert (standing.a_wins, standing.draws, standing.b_wins, standing.a_forfeits, standing.b_forfeits) == (2, 1, 2, 1, 0)
    assert (standing.score, standing.a_first_games, standing.a_first_points) == (0.5, 3, 1.5)
