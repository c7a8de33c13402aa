"""The experiments of the MoHex 2.0 paper: which players they compare, and that a short run prints its table."""

import pytest

from tesuji.games.registry import find_game
from tesuji.lab import reproduce
from tesuji.lab.reproduce.mohex2 import matches
from tesuji.players.presets import find_player


@pytest.mark.parametrize("name", matches.EXPERIMENTS)
def test_every_comparison_changes_something_and_nothing_that_has_no_effect(name):
    for one in matches.EXPERIMENTS[name].matches:
        for board in one.boards:
            for limit in one.limits:
                game = find_game(board)
                strings = matches.named(one.with_part, limit.own, one.twice), matches.named(one.without, limit.full)
                sides = [find_player(text) for text in strings]
                settings = [dict(side.settings_for(game)) for side in sides]
                assert one.twice or settings[0] != settings[1], one.label


def test_all_are_listed():
    listed = {entry.name for entry in reproduce.EXPERIMENTS if entry.name.startswith("mohex2/")}
    assert listed == {f"mohex2/{name}" for name in matches.EXPERIMENTS}


def test_limits_and_scores():
    assert matches.named("mohex1", "playouts=1000", True) == "mohex1:playouts=2000"
    assert matches.named("mohex2:pruning=off", "seconds=0.1", True) == "mohex2:pruning=off,seconds=0.2"
    assert matches.EXPERIMENTS["patterns"].matches[0].paper == pytest.approx(0.7325, abs=1e-4)


def test_a_short_run(monkeypatch, tmp_path):
    """On a board of three lines, a few playouts a move, from first moves that are drawn."""
    monkeypatch.chdir(tmp_path)
    limit = matches.Limit("playouts=12", "playouts=99")
    small = matches.PartMatch("small", "mohex2", "mohex1", 0.8, (limit,), ("hex:3",), 4)
    monkeypatch.setitem(matches.EXPERIMENTS, "match", matches.PartMatches("Figure 10.", (small,)))
    monkeypatch.setenv("TESUJI_PURE", "1")
    report = reproduce.run("mohex2/match", runs=2, jobs=1)
    assert isinstance(report, reproduce.Report)
    (row,) = report.rows
    assert (row.label, row.paper, row.n) == ("small, 3x3, playouts 12", 0.8, 2)
    assert "small, 3x3, playouts 12" in report.text and "0.800" in report.text
