"""The experiments of the MoGo paper: which players they compare, and that a short run prints its table."""

import sqlite3

import pytest

from tesuji.games.registry import find_game
from tesuji.lab import reproduce
from tesuji.lab.reproduce.mogo import matches
from tesuji.players.presets import find_player


@pytest.mark.parametrize("name", matches.EXPERIMENTS)
def test_every_comparison_changes_something_and_nothing_that_has_no_effect(name):
    for one in matches.EXPERIMENTS[name].matches:
        game = find_game(one.game)
        sides = [find_player(matches.named(part, one.limit)).settings_for(game) for part in (one.with_part, one.without)]
        assert dict(sides[0]) != dict(sides[1]), one.label
        find_player(matches.named(one.with_part, one.printed_limit)).settings_for(game)


def test_all_are_listed():
    listed = {entry.name for entry in reproduce.EXPERIMENTS if entry.name.startswith("mogo/")}
    assert listed == {f"mogo/{name}" for name in (*matches.EXPERIMENTS, "positions")}


def test_a_short_run(monkeypatch, tmp_path):
    """On a board of three lines, a few playouts a move."""
    monkeypatch.chdir(tmp_path)
    small = matches.Comparison("small", "go:3", "", "nakade=0", 0.528, "playouts=9", "playouts=4", 4)
    monkeypatch.setitem(matches.EXPERIMENTS, "nakade", matches.Comparisons("Table 1.", (small,)))
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
