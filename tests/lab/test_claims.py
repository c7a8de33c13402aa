"""The papers' claims: every one has a row on its page, with a verdict that its figures bear out, and README counts them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tesuji.cli.main import main
from tesuji.core.errors import UserError
from tesuji.lab import reproduce
from tesuji.lab.reproduce import claims
from tesuji.lab.reproduce.claims import VERDICTS, ClaimRow, PaperClaim, counted_anew, read_rows, verdict_of
from tesuji.lab.reproduce.matches import MatchTable

ROOT = Path(__file__).parents[2]
PAPERS = {paper.name: paper for paper in reproduce.papers()}


# -- the pages of the five papers ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", PAPERS)
def test_every_claim_has_a_row_and_a_verdict_that_its_figures_bear_out(name):
    paper, rows = PAPERS[name], read_rows(name)
    assert [row.claim[:3] for row in rows] == [claim[:3] for claim in paper.claims]
    for row in rows:
        assert row.verdict in VERDICTS, row
        assert row.measured or row.verdict in ("not shown", "not recoverable here"), f"nothing measured: {row}"
        assert row.verdict in (verdict_of(row.claim, row.measured) or row.verdict, "not recoverable here"), row
        anew = counted_anew(row)
        assert (anew.measured, anew.n, anew.verdict) == (row.measured, row.n, row.verdict), "not what its games say"


@pytest.mark.parametrize("name", PAPERS)
def test_every_printed_score_of_an_experiment_is_claimed_and_every_claim_names_an_experiment_that_is_there(name):
    paper = PAPERS[name]
    assert {claim.table for claim in paper.claims} - {""} <= paper.experiments.keys()
    for table, experiment in paper.experiments.items():
        if isinstance(experiment.measure, MatchTable):
            printed = {round(row.paper, 2) for row in experiment.measure.matches if row.paper is not None}
            assert printed == {round(claim.score, 2) for claim in paper.claims if claim.table == table and claim.score}, table


def test_readme_counts_the_verdicts():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    total: dict[str, int] = {verdict: 0 for verdict in VERDICTS}
    for name in reproduce.PAPERS:
        counts = reproduce.count_verdicts(read_rows(name))
        assert f"[{name}.md](docs/papers/{name}.md) | {' | '.join(map(str, counts.values()))} |" in text, counts
        total = {verdict: total[verdict] + count for verdict, count in counts.items()}
    assert f"**{sum(total.values())} claims**: {reproduce.verdicts_text(total)}" in re.sub(r"\s+", " ", text), total


def test_the_command_prints_them(capsys):
    assert main(["reproduce", "mcts-solver", "--recorded"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("mcts-solver\nwhere") and "0.6465" in printed
    assert printed.splitlines()[-1].startswith("mcts-solver: ") and printed.count("not recoverable here") >= 6
    assert main(["reproduce", "--recorded", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["paper"] for one in found["papers"]] == list(reproduce.PAPERS) and found["matches"]
    for one in found["papers"]:
        assert sum(one["verdicts"].values()) == len(one["rows"]) == len(PAPERS[one["paper"]].claims)
        assert {row["verdict"] for row in one["rows"]} <= set(VERDICTS)
        assert not any("](" in row["why"] for row in one["rows"])


# -- verdicts --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("figure", "measured", "verdict"),
    [
        ("0.617", "0.65 (0.52 to 0.76)", "reproduced"),
        ("0.617", "**0.80 (0.70 to 0.90)**", "sign only"),
        ("0.617", "0.55 (0.45 to 0.65)", "not shown"),
        ("0.617", "0.40 (0.31 to 0.49)", "contradicted"),
        ("0.25", "0.10 (0.06 to 0.17)", "sign only"),
        ("0.25", "0.70 (0.60 to 0.80)", "contradicted"),
        ("0.509 ± 0.015", "0.51 (0.45 to 0.57)", "reproduced"),
        ("0.509 ± 0.015", "0.51 (0.35 to 0.67)", "not shown"),
        ("0.509 ± 0.015", "0.60 (0.55 to 0.65)", "contradicted"),
        ("245 Elo", "0.60 (0.55 to 0.65)", None),
        ("0.617", "3 of 3", None),
    ],
)
def test_verdicts(figure, measured, verdict):
    assert verdict_of(PaperClaim("a", "b", figure), measured) == verdict


HEADING = f"| {' | '.join(claims.COLUMNS)} |\n|---|---|---|---|---|---|---|\n"


def page_of(apart, monkeypatch, rows):
    (apart / "docs" / "papers").mkdir(parents=True)
    (apart / "docs" / "papers" / "one.md").write_text(f"# One\n\n{rows}\n\nText\n")
    return "one"


def test_figures_of_games_are_counted_anew(apart, monkeypatch):
    name = page_of(
        apart, monkeypatch, f"{HEADING}| T 1 | x | 0.9 | 0.10 (0.00 to 0.20) | 7 | contradicted | [g](g.tsv) `two` |"
    )
    lines = ["match\tnumber\tblack\twhite\tresult\tmoves", *(f"one\t{n}\tx\ty\tB+R\t" for n in range(9))]
    (apart / "docs" / "papers" / "g.tsv").write_text("\n".join([*lines, *(f"two\t{n}\tx\ty\tB+R\t" for n in range(12)), ""]))
    (row,) = read_rows(name)
    assert row == ClaimRow(PaperClaim("T 1", "x", "0.9"), "0.10 (0.00 to 0.20)", "7", "contradicted", "[g](g.tsv) `two`")
    anew = counted_anew(row)
    assert (anew.measured, anew.n, anew.verdict) == ("1.00 (0.76 to 1.00)", "12", "reproduced")
    monkeypatch.setattr(claims, "_GAMES", re.compile(r"\]\(([^)\s]+\.tsv)\) `(t)"))
    with pytest.raises(UserError, match=r"g.tsv: there is no match 't'"):
        counted_anew(row)


def test_a_page_names_no_games_outside_of_the_docs(apart, monkeypatch):
    name = page_of(
        apart, monkeypatch, f"{HEADING}| T 1 | x | 0.9 | 0.10 (0.00 to 0.20) | 7 | contradicted | [g](../../g.tsv) |"
    )
    (apart / "g.tsv").write_text("black\twhite\tresult\nx\ty\tB+R\n")
    with pytest.raises(UserError, match=r"\.\./\.\./g\.tsv is not below"):
        counted_anew(read_rows(name)[0])


@pytest.mark.parametrize(
    ("rows", "message"), [("", "no table of the paper's claims"), (f"{HEADING}| a | b |", "2 cells in place of 7")]
)
def test_a_page_without_such_a_table_is_an_error(apart, monkeypatch, rows, message):
    with pytest.raises(UserError, match=message):
        read_rows(page_of(apart, monkeypatch, rows))


def test_without_the_pages_there_is_one_line(apart, monkeypatch, capsys):
    monkeypatch.setattr(claims, "PACKAGE", apart / "lib" / "tesuji")
    assert main(["reproduce", "mogo", "--recorded"]) == 2
    assert "there is no folder docs/papers here" in capsys.readouterr().err
