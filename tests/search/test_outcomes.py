"""What a search that counts only wins knows of the score: the outcomes of its games, by the root's move."""

import numpy as np
import pytest

import tesuji
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.search.report.analysis import analysis_of


def searched(game, player, playouts=60, threads=1, pure=True):
    search = find_player(player).changed({"memory": 4, "threads": threads}).engine(find_game(game), seed=1, pure=pure)
    return search, search.run(Limits(playouts=playouts))


def test_each_game_is_counted_once_for_its_first_move():
    search, result = searched("go:3", "uct:expand_after=3")
    outcomes = search.scratches[0].outcomes
    visits = {report.move: report.visits for report in result.moves}
    assert sum(outcomes[:, 0]) == result.playouts and {m: n for m, n in enumerate(outcomes[:, 0]) if n} == {
        m: n for m, n in visits.items() if n
    }


def test_mean_and_deviation_are_those_of_the_outcomes():
    """On 2x2 with a komi of 100 every game is lost, but by different scores."""
    search, result = searched("go:2:komi=100", "uct")
    games, total, squares = search.scratches[0].outcomes.sum(axis=0)
    assert result.moves[0].value == -1 and -104 <= total / games / 2 <= -96
    best = result.moves[0].outcomes
    assert result.outcomes == best
    games, total, squares = search.scratches[0].outcomes[result.best_move]
    assert best.mean == total / games and best.deviation == pytest.approx(np.sqrt(squares / games - best.mean**2))


def test_points_are_the_first_players_with_komi():
    position = tesuji.game("go:3:komi=0").start
    analysis = tesuji.player("uct").search(position, seed=1).run(playouts=200)
    assert analysis.best == "B2" and 0 < analysis.score.mean <= 9 and analysis.score.deviation > 0
    said = analysis.to_json()
    assert said["score"] == analysis.score.mean and said["moves"][0]["score_deviation"] == analysis.moves[0].score.deviation


def test_where_values_are_points_they_are_the_score():
    position = tesuji.game("dotsandboxes:1x2").start
    analysis = tesuji.player("uct").search(position, seed=1).run(playouts=50)
    assert analysis.score == (analysis.value, None)


def test_games_without_points_have_no_score():
    for name in ("tictactoe", "hex:3"):
        _search, result = searched(name, "uct", 20)
        assert result.outcomes is None and analysis_of(tesuji.game(name).start, result).score is None


def test_counting_begins_anew_after_a_move():
    search, result = searched("go:3", "uct")
    search.advance(result.best_move)
    assert not search.scratches[0].outcomes.any() and search.result().outcomes is None


def test_expectations_are_no_points():
    """The values of the player `network` are the results that it expects, on the scale of outcomes."""
    _search, result = searched("go:5", "network", 20)
    assert result.value_range == (-65, 35) or result.value_range[1] > 1
    assert not result.values_are_outcomes and analysis_of(tesuji.game("go:5").start, result).score is None
