"""The papers' experiments: the cheap ones in full, the long ones on their smallest problems."""

from __future__ import annotations

import argparse
import math
import re
import statistics
from dataclasses import replace
from pathlib import Path

import pytest

from tesuji.cli import reproduce as command
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.lab import reproduce
from tesuji.lab.reproduce import score_bounded
from tesuji.lab.reproduce.experiment import OPTIONS
from tesuji.lab.reproduce.matches import MatchTable
from tesuji.lab.reproduce.report import Row, grid, mean_interval, number
from tesuji.lab.reproduce.runner import ExperimentRunner, Sample
from tesuji.lab.reproduce.score_bounded import PLAYOUTS, TABLE_2, TABLE_6, is_drawn, seki_problems
from tesuji.players.presets import find_player

AGAINST_GNU_GO = ("crazy-stone/2", "mogo/handicap")  # the tables are made when it is known where GNU Go is


def check_row(row: Row) -> None:
    assert isinstance(row.label, str) and row.n >= 1
    assert isinstance(row.paper, int | float | str | None)
    assert isinstance(row.measured, int | float | str)
    if row.low is not None and row.high is not None:
        assert isinstance(row.measured, int | float)
        assert row.low <= row.measured <= row.high


# -- names -----------------------------------------------------------------------------------------------------------------
def test_every_experiment_is_declared_with_all_that_it_needs():
    for paper in reproduce.papers():
        assert paper.name in reproduce.PAPERS and paper.title and paper.experiments
        for table, experiment in paper.experiments.items():
            assert experiment.table == table and experiment.summary and 0.0 < experiment.share <= 1.0
            assert set(experiment.takes) <= set(OPTIONS)
            assert experiment.has_matches == isinstance(experiment.measure, MatchTable) or experiment.name in AGAINST_GNU_GO


@pytest.mark.parametrize("text", ["", "score", "score-bounded/", "score-bounded/7", "score-bounded/1/2", "SCORE-BOUNDED"])
def test_unknown_experiments_are_named_with_what_there_is(text):
    with pytest.raises(UserError, match=r"there is no experiment .* score-bounded/match"):
        reproduce.run(text)


# -- the paper -------------------------------------------------------------------------------------------------------------
def test_table_1_agrees_everywhere():
    progress = []
    report = reproduce.run("score-bounded/1", on_progress=lambda done, text: progress.append(done))
    assert (report.paper, report.table, len(report.rows)) == ("score-bounded", "1", 81)
    assert all(round(float(row.measured), 2) == row.paper for row in report.rows)
    assert "81 of 81 agree" in report.text
    for row in report.rows:
        check_row(row)
        assert (row.low, row.high, row.n) == (None, None, 1)


def test_table_2_proves_and_checks(tmp_path):
    problems = [(1, 1), (2, 1), (1, 3), (2, 2)]
    folder = tmp_path / "new" / "certificates"
    rows, text = score_bounded.table_2(ExperimentRunner(), None, folder, problems)
    assert [row.measured for row in rows] == ["Draw", "Won", "Lost", "Draw"] == [row.paper for row in rows]
    assert "4 of 4" in text and str(folder) in text
    assert len(list(folder.iterdir())) == 4
    for row in rows:
        check_row(row)


def test_certificates_need_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot use the folder"):
        score_bounded.table_2(ExperimentRunner(), None, tmp_path / "file", [(1, 1)])


def test_playouts_tables_and_their_order():
    runner = ExperimentRunner(jobs=1)
    problems = [(1, 1), (1, 2), (2, 1)]
    means = {}
    for algorithm in PLAYOUTS:
        rows, text = score_bounded.playouts_table(runner, 12, algorithm, problems)
        assert [row.label for row in rows] == ["seki:1,1", "seki:1,2", "seki:2,1"]
        assert [row.n for row in rows] == [12] * 3
        assert "Solved in every run: 3 of 3" in text
        for row in rows:
            check_row(row)
            assert row.low is not None and row.high is not None
        means[algorithm] = [row.measured for row in rows]
    kept = {key: len(cell[1, 1]) for key, cell in runner.kept.items()}
    rows, text = score_bounded.order_of_algorithms(runner, 12, problems)
    assert kept == {key: len(cell[1, 1]) for key, cell in runner.kept.items()}, "measured once only"
    assert [row.measured for row in rows[:3]] == [means[algorithm][0] for algorithm in PLAYOUTS]
    assert len(rows) == 6  # two of the three are drawn
    assert "The order holds in 2 and does not hold in 0" in text


def test_runs_do_not_depend_on_how_many_go_on_at_a_time():
    alone, together = (score_bounded.playouts_table(ExperimentRunner(7, jobs), 4, "cuts", [(1, 1), (2, 1)]) for jobs in (1, 3))
    assert alone == together
    assert alone != score_bounded.playouts_table(ExperimentRunner(8, 1), 4, "cuts", [(1, 1), (2, 1)])


def test_rules_for_passing_on_the_smallest_problems():
    rows, text = score_bounded.rules_table(ExperimentRunner(jobs=1), 6, [(1, 1), (2, 1)], [0.1])
    assert [row.n for row in rows] == [6] * 12 and [row.paper for row in rows[:4]] == [359, 479, 192, 421]
    two, three = (sum(float(row.measured) for row in rows if f"{passes} passes" in row.label) for passes in (2, 3))
    assert two < 0.8 * three, "with three passes there is more to search"
    assert text.count(" passes, exploration 0.1") == 2 and "factor" in text


def test_gamma_and_delta_on_the_smallest_board():
    rows, text = score_bounded.bias_table(ExperimentRunner(jobs=1), 4, ["3x3"])
    playouts = {row.label.partition(", ")[2]: row.measured for row in rows}
    assert len(playouts) == len(score_bounded.DELTAS) + len(score_bounded.GAMMAS) and [row.n for row in rows] == [4] * len(rows)
    guided, cuts = playouts["gamma = 0, delta = -0.1"], playouts["gamma = 0, delta = 0"]
    assert 1550 < guided < 1650 < 2450 < cuts < 2600, "as in Table 6"
    assert text.count("gamma = ") == len(rows)
    for row in rows:
        check_row(row)
        assert (row.paper is not None) == (row.label == "3x3, gamma = 0, delta = -0.1")


def test_hopeless_problems_are_given_up(monkeypatch):
    monkeypatch.setattr(score_bounded, "LIMIT", 50)
    rows, text = score_bounded.playouts_table(ExperimentRunner(), None, "plain", [(2, 2)])
    assert rows[0].label == "seki:2,2 (solved 0 of 3)"
    assert (rows[0].measured, rows[0].high, rows[0].n) == (50, None, score_bounded.TRIALS)
    assert ">50/11,047" in text
    assert score_bounded.playouts_table(ExperimentRunner(), 5, "plain", [(2, 2)])[0][0].n == 5


def test_order_verdicts():
    limit = score_bounded.LIMIT
    assert score_bounded.order_verdict([300, 200, 100]) == score_bounded.order_verdict([300, 200, 200]) == "holds"
    assert score_bounded.order_verdict([limit, limit, 100]) == "only guided is solved"
    assert score_bounded.order_verdict([limit, 200, 100]) == "holds"
    assert score_bounded.order_verdict([300, limit, 100]) == score_bounded.order_verdict([300, limit, limit]) == "does not hold"
    assert score_bounded.order_verdict([200, 200, 100]) == score_bounded.order_verdict([300, 200, 201]) == "does not hold"
    assert score_bounded.order_verdict([limit, limit, limit]) == "none is solved"


def test_best_configuration_takes_few_playouts():
    rows, text = score_bounded.best_table(ExperimentRunner(), 2, [(1, 1), (3, 3)])
    assert [row.n for row in rows] == [2, 2]
    assert all(float(row.measured) < 1000 for row in rows)
    assert "Proven in every run: 2 of 2" in text and "first_play=0" in text


def test_table_6_on_the_smallest_board(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    rows, text = score_bounded.table_6(ExperimentRunner(), 1, ["3x3"])
    assert [row.label for row in rows] == ["3x3 plain", "3x3 cuts", "3x3 guided"]
    for row in rows:
        check_row(row)
        assert row.n == 1
        assert abs(float(row.measured) / float(row.paper) - 1) < 0.1
    assert text.count("1 of 1") == 3


def test_match_counts_games():
    rows, text = score_bounded.match_table(ExperimentRunner(), 4, playouts=30, game="connect4:4x4")
    assert [row.n for row in rows] == [4] * 4
    points = rows[0].measured * 4
    assert points == rows[1].measured + rows[2].measured / 2
    assert sum(row.measured for row in rows[1:]) == 4
    assert rows[0].paper == 0.5725
    assert f"{points:g} of 4" in text


def test_algorithms_differ_only_in_what_the_paper_says():
    game = find_game("seki:1,1")
    plain, cuts, guided = (dict(find_player(name).settings_for(game)) for name in score_bounded.PLAYERS.values())
    assert plain | {"cuts": True} == cuts == guided | {"opti_bias": 0.0} != guided
    first, second = (dict(find_player(name).settings_for(find_game("connect4:4x4"))) for name in score_bounded.MATCH_PLAYERS)
    assert second | {"cuts": True} == first
    for settings in (plain, cuts, guided, first):
        assert not settings["transpositions"] and not settings["probe_children"] and not settings.get("initial_bounds")


def test_ctrl_c_keeps_what_is_done():
    runner = ExperimentRunner(jobs=1)
    done = []

    def stop():
        raise KeyboardInterrupt

    found = runner.all([lambda: done.append(1) or 1, lambda: 2, stop, lambda: done.append(4)], "runs")
    assert found == [1, 2, None, None] and done == [1]
    assert runner.interrupted
    assert runner.all([lambda: 5], "more") == [None]


def test_ctrl_c_ends_a_paper_and_says_so(monkeypatch):
    def stopped(runner, runs):
        runner.interrupted = True
        return [Row("a", 1, 2)], "Table 1."

    experiments = score_bounded.PAPER.experiments
    monkeypatch.setitem(experiments, "1", replace(experiments["1"], measure=stopped))
    reports = reproduce.run("score-bounded")
    assert isinstance(reports, list) and len(reports) == 1
    assert reports[0].text == "Table 1.\nInterrupted: these are the figures measured so far."


def test_a_failure_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        ExperimentRunner(jobs=2).all([lambda: 1, lambda: 1 // 0], "runs")


# -- figures ---------------------------------------------------------------------------------------------------------------
def test_printed_tables_have_their_shapes():
    assert len(seki_problems()) == 36 and sum(map(is_drawn, seki_problems())) == 11
    for problem in seki_problems():
        difference = problem[1] - problem[0]
        assert score_bounded.paper_figure(TABLE_2, problem) == (
            "Won" if difference < 0 else "Draw" if difference < 2 else "Lost"
        )
    assert all(len(table) == 6 and all(len(line) == 6 for line in table) for table in PLAYOUTS.values())
    assert all(list(line) == ["plain", "cuts", "guided"] for line in TABLE_6.values())


def test_intervals():
    assert mean_interval([3.0]) == (3.0, None, None)
    mean, low, high = mean_interval([1.0, 2.0, 3.0])
    assert mean == 2.0 and high is not None and low is not None
    assert math.isclose(high - mean, 4.303 / math.sqrt(3)) and math.isclose(mean - low, high - mean)
    values = [float(n % 10) for n in range(1000)]
    mean, low, high = mean_interval(values)
    assert high is not None
    assert math.isclose(high - mean, 1.962 * statistics.stdev(values) / math.sqrt(1000), rel_tol=1e-3)


def test_stopped_runs_count_as_the_limit():
    samples = [Sample(100, True, 0, 0), Sample(1000, False, -1, 1)]
    row = score_bounded.playouts_row("x", ">5", samples, 1000)
    assert (row.label, row.measured, row.high, row.n) == ("x (solved 1 of 2)", 550, None, 2)


def test_figures_as_text():
    assert [number(value) for value in (None, ">1000000", "Draw", 12345.6, 31.17, 7)] == [
        "-",
        ">1,000,000",
        "Draw",
        "12,346",
        "31.17",
        "7",
    ]
    assert grid("", ["a", "bb"], [("x", ["1", "2"]), ("long", ["333", "4"])]) == "        a  bb\nx       1   2\nlong  333   4"


def test_every_command_on_a_page_can_be_run():
    """All experiments that pages name are there, and take the options that stand beside them."""
    parser = argparse.ArgumentParser(exit_on_error=False)
    command.add_options(parser)
    declared = [*reproduce.papers(), *map(reproduce._load, reproduce.OWN)]
    known = {experiment.name: experiment for paper in declared for experiment in paper.experiments.values()}
    root, commands = Path(__file__).parents[2], set()
    for page in [root / "README.md", *root.glob("docs/**/*.md")]:
        commands |= set(re.findall(r"(?:`|^ {4}|\n)tesuji reproduce ([^`\n]+)", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert len(commands) > 10
    for words in commands:
        args = parser.parse_args([word for word in words.split() if word[:1] != "["])
        if args.experiment is None:
            assert args.recorded is not None
            continue
        of_paper = [one for name, one in known.items() if args.experiment in (name, one.paper)]
        assert of_paper, words
        for option in OPTIONS:
            if getattr(args, option):
                assert any(option in one.takes for one in of_paper), words


def test_no_figure_of_the_page_is_missing():
    """The page of each paper names all of its experiments."""
    for name in reproduce.summaries():
        paper = name.partition("/")[0]
        if paper in reproduce.PAPERS:
            text = (Path(__file__).parents[2] / "docs" / "papers" / f"{paper}.md").read_text(encoding="utf-8")
            assert any(way in text for way in (f"`{name}`", f"`tesuji reproduce {name}`", f"    tesuji reproduce {name}\n")), (
                name
            )
