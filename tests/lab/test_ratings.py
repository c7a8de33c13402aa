"""Ratings against values that can be computed by hand."""

from __future__ import annotations

import math
import random

import pytest

from tesuji.core.errors import UserError
from tesuji.lab.elo import Z95, score_of_elo
from tesuji.lab.ratings import LOG, RatedGame, rate


def games(first: str, second: str, wins: int, draws: int, losses: int) -> list[RatedGame]:
    """Half of the games with each colour where that is possible; the counts are those of `first`."""
    points = [1.0] * wins + [0.5] * draws + [0.0] * losses
    swapped = [RatedGame(second, first, 1.0 - p) for p in points[::2]]
    return swapped + [RatedGame(first, second, p) for p in points[1::2]]


def by_name(ratings):
    return {rating.player: rating for rating in ratings.players}


def test_two_players():
    ratings = rate(games("A", "B", 30, 0, 10))
    found = by_name(ratings)
    difference = found["A"].elo - found["B"].elo
    assert difference == pytest.approx(400 * math.log10(3))
    assert found["A"].elo == pytest.approx(-found["B"].elo)
    assert (found["A"].wins, found["A"].draws, found["A"].losses, found["A"].score) == (30, 0, 10, 0.75)
    spread = Z95 / math.sqrt(40 * 0.75 * 0.25) / LOG / 2  # of half the difference
    assert found["A"].high - found["A"].elo == pytest.approx(spread)
    assert not ratings.virtual


def test_a_draw_is_half_a_win():
    with_draws, without = (by_name(rate(games("A", "B", *counts))) for counts in ((10, 20, 0), (20, 0, 10)))
    assert with_draws["A"].elo == pytest.approx(without["A"].elo)
    assert with_draws["A"].draws == 20


def test_an_anchor():
    found = by_name(rate(games("A", "B", 30, 0, 10), anchor="B"))
    assert (found["B"].elo, found["B"].low, found["B"].high) == (0.0, 0.0, 0.0)
    assert found["A"].elo == pytest.approx(400 * math.log10(3))
    assert found["A"].high - found["A"].elo == pytest.approx(Z95 / math.sqrt(7.5) / LOG)
    with pytest.raises(UserError, match="no player 'C'"):
        rate(games("A", "B", 1, 0, 1), anchor="C")


def test_a_chain_of_three():
    """Who have not met are compared through a third: in a tree of pairings each difference is that of its own games."""
    found = by_name(rate(games("A", "B", 20, 0, 10) + games("B", "C", 15, 0, 5)))
    assert found["A"].elo - found["B"].elo == pytest.approx(400 * math.log10(2))
    assert found["B"].elo - found["C"].elo == pytest.approx(400 * math.log10(3))
    assert [r.player for r in rate(games("A", "B", 20, 0, 10) + games("B", "C", 15, 0, 5)).players] == ["A", "B", "C"]


def test_who_wins_everything_gets_a_virtual_draw():
    ratings = rate(games("A", "B", 10, 0, 0))
    found = by_name(ratings)
    assert ratings.virtual == {1: 1.0}
    assert found["A"].elo - found["B"].elo == pytest.approx(400 * math.log10(10.5 / 0.5))
    none = rate(games("A", "B", 10, 0, 1))
    assert not none.virtual
    more = rate(games("A", "B", 10, 0, 1), prior=2.0)
    assert more.virtual == {1: 2.0}
    found = by_name(more)
    assert found["A"].elo - found["B"].elo == pytest.approx(400 * math.log10(11 / 2))


def test_without_virtual_draws_who_wins_everything_has_no_rating():
    with pytest.raises(UserError, match="leave --prior out"):
        rate(games("A", "B", 10, 0, 0), prior=0.0)
    assert not rate(games("A", "B", 10, 0, 1), prior=0.0).virtual


def test_one_half_beats_the_other():
    """Nobody has won everything, but A and B have won every game against C and D: no finite ratings fit that."""
    results = games("A", "B", 1, 0, 1) + games("C", "D", 1, 0, 1) + games("A", "C", 2, 0, 0) + games("B", "D", 2, 0, 0)
    ratings = rate(results)
    assert ratings.virtual == {1: 1.0}
    assert all(abs(rating.elo) < 1000 for rating in ratings.players)


def test_groups_that_have_not_met():
    ratings = rate(games("A", "B", 3, 0, 1) + games("C", "D", 5, 0, 0) + games("D", "E", 1, 0, 1))
    groups = {rating.player: rating.group for rating in ratings.players}
    assert groups == {"C": 1, "D": 1, "E": 1, "A": 2, "B": 2}
    assert ratings.virtual == {1: 1.0}
    for number in (1, 2):
        assert sum(r.elo for r in ratings.players if r.group == number) == pytest.approx(0.0, abs=1e-6)
    assert by_name(ratings)["A"].elo == pytest.approx(200 * math.log10(3))


def test_a_player_against_itself():
    ratings = rate([RatedGame("A", "A", 1.0), RatedGame("A", "A", 0.0), RatedGame("A", "A", 0.5)])
    (alone,) = ratings.players
    assert (alone.elo, alone.low, alone.high, alone.games) == (0.0, 0.0, 0.0, 6)
    ratings = rate([RatedGame("A", "A", 1.0)] * 3 + [RatedGame("A", "A", 0.0)], colour=True)
    assert ratings.colour == pytest.approx(400 * math.log10(3))


def test_the_advantage_of_moving_first():
    """A scores 8 of 10 first and 6 of 10 second: with a = log(4), b = log(1.5), r = (a + b) / 2 and c = (a - b) / 2."""
    results = [RatedGame("A", "B", float(n < 8)) for n in range(10)] + [RatedGame("B", "A", float(n < 4)) for n in range(10)]
    ratings = rate(results, colour=True)
    found = by_name(ratings)
    assert found["A"].elo - found["B"].elo == pytest.approx((math.log(4) + math.log(1.5)) / 2 / LOG)
    assert ratings.colour == pytest.approx((math.log(4) - math.log(1.5)) / 2 / LOG)
    assert ratings.colour_low is not None and ratings.colour_low < ratings.colour
    assert rate(results).colour is None


def test_first_movers_who_always_win():
    ratings = rate([RatedGame("A", "B", 1.0), RatedGame("B", "A", 1.0)] * 5, colour=True)
    assert ratings.virtual == {1: 1.0}
    assert ratings.colour is not None and 0 < ratings.colour < 1000


def test_true_ratings_are_found_again():
    chance = random.Random(1)
    true = {"A": 150.0, "B": 50.0, "C": -50.0, "D": -150.0}
    results = []
    for first in true:
        for second in true:
            if first != second:
                expected = score_of_elo(true[first] - true[second] + 40)
                results += [RatedGame(first, second, float(chance.random() < expected)) for _ in range(400)]
    ratings = rate(results, colour=True)
    for rating in ratings.players:
        assert abs(rating.elo - true[rating.player]) < 2 * (rating.high - rating.elo)
        assert rating.high - rating.elo < 25
    assert ratings.colour == pytest.approx(40, abs=25)
