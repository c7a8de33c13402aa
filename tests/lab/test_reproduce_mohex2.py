"""The experiments of the MoHex 2.0 paper: which players they compare, and that a short run prints its table."""

from dataclasses import replace

import pytest

from tesuji.games.registry import find_game
from tesuji.lab import reproduce
from tesuji.lab.reproduce.matches import MatchRow, MatchTable
from tesuji.lab.reproduce.mohex2 import PAPER, part
from tesuji.players.presets import find_player


@pytest.mark.parametrize("name", PAPER.experiments)
def test_every_comparison_changes_something_and_nothing_that_has_no_effect(name):
    for match in PAPER.experiments[name].measure.matches:
        game = find_game(match.game)
        for limit in (match.limit, match.full_limit):
            settings = [dict(find_player(player).settings_for(game)) for player in match.players(limit)]
            assert match.times > 1.0 or settings[0] != settings[1], match.label


def test_limits_and_scores():
    assert part("", "mohex1", "wolve", times=2.0)[0].players("playouts=1000") == ("mohex1:playouts=2000", "wolve:playouts=1000")
    assert part("", "mohex2:pruning=off", "hex", times=2.0)[0].players("seconds=0.1")[0] == "mohex2:pruning=off,seconds=0.2"
    assert PAPER.experiments["patterns"].measure.matches[0].paper == pytest.approx(0.7325, abs=1e-4)
    assert MatchRow("", "loa", "mcts", "mcts-solver").options("seconds=0.2") == {"seconds": 0.2}


def test_a_short_run(monkeypatch, tmp_path):
    """On a board of three lines, a few playouts a move, from first moves that are drawn."""
    monkeypatch.chdir(tmp_path)
    small = part("small", "mohex2", "mohex1", 0.8, boards=(3,))[0]._replace(limit="playouts=12", games=4)
    figure = MatchTable([small], 9, "Figure 10.", {"random_plies": 1})
    monkeypatch.setitem(PAPER.experiments, "match", replace(PAPER.experiments["match"], measure=figure))
    monkeypatch.setenv("TESUJI_PURE", "1")
    report = reproduce.run("mohex2/match", runs=2, jobs=1)
    assert isinstance(report, reproduce.Report)
    (row,) = report.rows
    assert (row.label, row.paper, row.n) == ("small, 3x3, playouts 12", 0.8, 2)
    assert "small, 3x3, playouts 12" in report.text and "0.800" in report.text
