"""The experiments of the Crazy Stone paper at a small size: what they compute, not how long they take."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tesuji.cli.main import main
from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.lab import reproduce
from tesuji.lab.match.standing import Standing
from tesuji.lab.reproduce import crazy_stone, gnu_go, matches
from tesuji.lab.reproduce.crazy_stone import OPERATORS, PAPER, TABLE_1
from tesuji.lab.reproduce.matches import MatchRow, MatchScore, remarks
from tesuji.lab.reproduce.report import Row
from tesuji.lab.reproduce.runner import ExperimentRunner
from tesuji.players.presets import find_player


def test_table_1_has_a_row_for_every_figure(monkeypatch):
    monkeypatch.setattr(crazy_stone, "LAST", 256)
    monkeypatch.setattr(crazy_stone, "GAME", "go:4")
    monkeypatch.setattr(crazy_stone, "SELF_PLAY", 10)
    report = reproduce.run("crazy-stone/1", runs=3, jobs=1)
    assert isinstance(report, reproduce.Report)
    labels = [f"{size} {operator} {kind}" for size in (128, 256) for operator in OPERATORS for kind in ("rms", "error")]
    assert [row.label for row in report.rows] == labels
    for row in report.rows:
        assert row.n == 3 and isinstance(row.measured, float)
        if row.label.endswith("rms"):
            assert row.measured >= 0.0
    assert report.rows[0].paper == TABLE_1[128][0][0]
    assert "mix has the smallest error" in report.text


def test_table_1_can_measure_another_reading_of_the_paper(monkeypatch):
    monkeypatch.setattr(crazy_stone, "LAST", 128)
    monkeypatch.setattr(crazy_stone, "GAME", "go:4")
    monkeypatch.setattr(crazy_stone, "SELF_PLAY", 10)
    texts = [
        reproduce.run("crazy-stone/1", runs=1, jobs=1, player=player)
        for player in (None, "crazystone:allocation=draws,policy_below=-1")
    ]
    first, second = (one.text for one in texts if isinstance(one, reproduce.Report))
    assert "crazystone, 1 positions" in first and "allocation=draws" in second
    assert "robust max as a share of max" in first and first.splitlines()[2] != second.splitlines()[2]
    with pytest.raises(UserError, match="needs a player with selection=gaussian"):
        reproduce.run("crazy-stone/1", runs=1, jobs=1, player="uct")


def test_errors_are_the_movers_in_points():
    row, mean = crazy_stone.error_rows("x", (1.0, 2.0), [3.0, -1.0])
    assert row.measured == pytest.approx(math.sqrt(5.0)) and mean.measured == pytest.approx(1.0)


def test_the_operators_value_of_the_root_is_the_search_own():
    search = find_player("crazystone:memory=16").engine(find_game("go:4"), seed=3, pure=True)
    search.run(Limits(playouts=120))
    mix = crazy_stone.operator_values(search)[-1]
    assert search.result().value == pytest.approx(mix, abs=1e-4)


def test_positions_are_of_all_plies_and_before_the_end(monkeypatch):
    monkeypatch.setattr(crazy_stone, "SELF_PLAY", 4)
    runner, game = ExperimentRunner(seed=2, jobs=1), find_game("go:4")
    monkeypatch.setattr(crazy_stone, "LAST_PLY", 3)
    early = [crazy_stone.self_play_position(runner, game, index) for index in range(12)]
    assert {int(state["stone_count"].sum()) for state in early} >= {0, 1, 2, 3}
    monkeypatch.setattr(crazy_stone, "LAST_PLY", 500)
    late = [crazy_stone.self_play_position(runner, game, index) for index in range(2)]
    assert not any(rules.is_over(state) for state in late)


def test_without_gnu_go_the_matches_say_what_to_install(monkeypatch):
    monkeypatch.setattr(gnu_go.shutil, "which", lambda _name: None)
    monkeypatch.setattr(gnu_go, "FOLDERS", ())
    with pytest.raises(UserError, match="install"):
        reproduce.run("crazy-stone/2", runs=2)
    measure(monkeypatch, "1", lambda *_words: pytest.fail("hours of work before it is told"))
    with pytest.raises(UserError, match="install"):
        reproduce.run("crazy-stone")


def test_the_matches_against_gnu_go_and_their_table(monkeypatch):
    asked = []

    def play(runner, match, limit, games, part):
        asked.append((*match.players(limit), games))
        return MatchScore(match, limit, Standing(a_wins=1, b_wins=9), "", False)

    monkeypatch.setattr(crazy_stone, "gnu_go", lambda: "gtp:gnugo")
    monkeypatch.setattr(matches, "play", play)
    report = reproduce.run("crazy-stone/2", full=True)
    assert isinstance(report, reproduce.Report)
    limits = [("", "seconds=0.5"), ("", "playouts=140000"), ("policy_below=-1,", "playouts=140000")]
    limits += [("", "playouts=280000"), ("", "playouts=560000")]
    players = [*(f"crazystone:{parameters}{limit}" for parameters, limit in limits), "uct-rave:seconds=1"]
    assert asked == [(player, "gtp:gnugo", 100) for player in players]
    assert [row.paper for row in report.rows] == [None, 0.25, 0.25, 0.32, 0.36, None]
    assert {(row.measured, row.n) for row in report.rows} == {(0.1, 10)}
    words = " ".join(report.text.splitlines()[3].split())
    assert words == "crazystone 140,000 playouts a move 0.100 0.018 to 0.404 0.25 10"
    asked.clear()
    reproduce.run("crazy-stone/2")
    assert asked == [(player, "gtp:gnugo", 20) for player in (*players[:2], players[-1])]


def measure(monkeypatch, table, made, **others):
    """Lets an experiment do this in place of what it does."""
    monkeypatch.setitem(PAPER.experiments, table, replace(PAPER.experiments[table], measure=made, **others))


def test_what_was_measured_is_kept_when_a_later_experiment_fails(monkeypatch, capsys):
    def fails(*_words):
        raise UserError("the disk is full")

    done = [Row("a", 1, 2)], "Table 1. Measured."
    for table, made in (("1", lambda *_words: done), ("2", fails), ("speed", lambda *_words: done)):
        measure(monkeypatch, table, made, ready=lambda options: None)
    reports = reproduce.run("crazy-stone")
    assert isinstance(reports, list)
    assert [report.text for report in reports] == [done[1], "crazy-stone/2 was not measured: the disk is full", done[1]]
    assert reports[1].rows == []
    assert main(["reproduce", "crazy-stone"]) == 2 and "Table 1. Measured." in capsys.readouterr().out
    measure(monkeypatch, "1", fails)
    with pytest.raises(UserError, match="the disk is full"):
        reproduce.run("crazy-stone")


def test_faults_and_games_of_another_version_are_told():
    match = MatchRow("a", "go:9", "uct", "uct")
    fine = MatchScore(match, "", Standing(a_wins=3), "a.db", False)
    assert remarks([fine, fine]) == []
    lines = remarks([fine, MatchScore(match, "", Standing(a_wins=3, a_forfeits=1, b_forfeits=2), "b.db", True)])
    assert lines[0].startswith("3 games were lost by a fault") and lines[1].startswith("b.db: some of its games")


def test_speed_gives_both_policies_and_their_ratio(monkeypatch):
    monkeypatch.setattr(crazy_stone, "SECONDS", 0.01)
    monkeypatch.setattr(crazy_stone, "GAME", "go:5")
    report = reproduce.run("crazy-stone/speed", runs=2)
    assert isinstance(report, reproduce.Report)
    assert [row.paper for row in report.rows] == [17_000, None, None]
    assert all(isinstance(row.measured, float) and row.measured > 0 for row in report.rows)
