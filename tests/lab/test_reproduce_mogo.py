"""The experiments of the MoGo paper: which players they compare, and that a short run prints its table."""

import sqlite3
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tesuji.games.registry import find_game
from tesuji.lab import reproduce
from tesuji.lab.match.standing import Standing
from tesuji.lab.reproduce import matches, mogo
from tesuji.lab.reproduce.matches import MatchScore, MatchTable
from tesuji.lab.reproduce.mogo import PAPER, part
from tesuji.players.presets import find_player

TABLES = [name for name, experiment in PAPER.experiments.items() if isinstance(experiment.measure, MatchTable)]


@pytest.mark.parametrize("name", TABLES)
def test_every_comparison_changes_something_and_nothing_that_has_no_effect(name):
    for match in PAPER.experiments[name].measure.matches:
        game = find_game(match.game)
        for limit in filter(None, (match.limit, match.full_limit)):
            sides = [dict(find_player(player).settings_for(game)) for player in match.players(limit)]
            assert sides[0] != sides[1], match.label


PRINTED = {  # Figures 2 and 3 and Table 1: board, limit and score of every row
    "patterns": [
        ("go:9", "playouts=3000", 0.56),
        ("go:19", "playouts=3000", 0.56),
        ("go:19", "seconds=2", 0.509),
        ("go:9", "seconds=1", 0.552),
        ("go:9", "seconds=1", 0.6172),
        ("go:19", "seconds=1", 0.6172),
    ],
    "fill-board": [
        ("go:9", "playouts=10000", 0.529),
        ("go:9", "seconds=5", 0.543),
        ("go:9", "playouts=100000", 0.552),
        ("go:9", "playouts=200000", 0.55),
        ("go:19", "playouts=10000", 0.493),
        ("go:19", "seconds=5", 0.77),
        ("go:19", "playouts=100000", 0.737),
        ("go:19", "playouts=200000", 0.784),
    ],
    "nakade": [
        ("go:9", "playouts=10000", 0.528),
        ("go:9", "playouts=100000", 0.556),
        ("go:9", "playouts=300000", 0.562),
        ("go:9", "seconds=5", 0.558),
        ("go:9", "seconds=15", 0.605),
        ("go:9", "seconds=45", 0.662),
        ("go:19", "playouts=100000", 0.532),
    ],
}


@pytest.mark.parametrize("name", PRINTED)
def test_every_printed_row_is_there_and_long_ones_are_played_in_full_runs_alone(monkeypatch, name):
    asked = []

    def play(runner, match, limit, games, part):
        asked.append((match, limit, games))
        return MatchScore(match, limit, Standing(a_wins=1, b_wins=1), "", False)

    monkeypatch.setattr(matches, "play", play)
    runner, table = SimpleNamespace(interrupted=False), PAPER.experiments[name].measure
    rows, _ = table(runner, None, full=True)
    assert [(one.game, limit, row.paper) for (one, limit, _), row in zip(asked, rows, strict=True)] == PRINTED[name]
    assert {games for _, _, games in asked} == {2000}
    asked.clear()
    rows, _ = table(runner, None)
    assert len(rows) == len([one for one in PRINTED[name] if name == "patterns" or not one[1].startswith("seconds")])
    for _one, limit, games in asked:
        kind, _, amount = limit.partition("=")
        assert 10 <= games <= 200 and float(amount) <= {"seconds": 0.05, "playouts": 4000}[kind]


def test_the_match_with_handicap_stones(monkeypatch):
    asked = []

    def play(runner, match, limit, games, part, **options):
        asked.append((match.game, match.players(limit), games, options))
        return MatchScore(match, limit, Standing(a_wins=1, b_wins=3), "", False)

    monkeypatch.setattr(mogo, "gnu_go", lambda: "gtp:gnugo")
    monkeypatch.setattr(matches, "play", play)
    report = reproduce.run("mogo/handicap")
    assert asked == [("go:19", ("mogo:playouts=13000", "gtp:gnugo"), 20, {"handicap": 4})]
    assert isinstance(report, reproduce.Report) and "mogo gives 4 stones, playouts 13000 a move" in report.text


def test_a_short_run(monkeypatch, tmp_path):
    """On a board of three lines, a few playouts a move."""
    monkeypatch.chdir(tmp_path)
    small = part("small", "go:3", "", "nakade=0", 0.528, "playouts=9", "playouts=4", 4)
    monkeypatch.setitem(
        PAPER.experiments, "nakade", replace(PAPER.experiments["nakade"], measure=MatchTable([small], 9, "Table 1."))
    )
    monkeypatch.setenv("TESUJI_PURE", "1")
    report = reproduce.run("mogo/nakade", runs=2, jobs=1)
    assert isinstance(report, reproduce.Report)
    (row,) = report.rows
    assert (row.label, row.paper, row.n) == ("small (here playouts 4)", 0.528, 2)
    assert "small (here playouts 4)" in report.text and "0.528" in report.text
    kept = {game["number"]: game["moves"] for game in games_in(tmp_path)}
    again = reproduce.run("mogo/nakade", runs=4, jobs=1)  # goes on with the games that are there
    assert isinstance(again, reproduce.Report) and again.rows[0].n == 4
    assert {game["number"]: game["moves"] for game in games_in(tmp_path) if game["number"] in kept} == kept
    assert [game["run"] for game in games_in(tmp_path)] == [1, 1, 2, 2]


def games_in(folder):
    (file,) = (folder / "matches").glob("*.db")
    with sqlite3.connect(file) as store:
        store.row_factory = sqlite3.Row
        return store.execute("SELECT * FROM games ORDER BY number").fetchall()
