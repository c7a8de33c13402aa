"""Games as text: a match moves to another machine with them, and the figures of pages are counted anew from them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tesuji.cli.main import main
from tesuji.lab.match import games_file
from tesuji.lab.match.games_file import read_games_file
from tesuji.lab.match.store import read_match
from tesuji.lab.reproduce import recorded

WEAK, STRONG = "uct:playouts=2", "uct:playouts=12"
WORDS = [WEAK, STRONG, "--game", "connect4:4x4", "--random-plies", "2", "--workers", "1", "--games-file", "games.tsv"]
ROOT = Path(__file__).parents[2]


def games_of(path):
    """All that a match file says of its games, times to six digits."""
    games = read_match(path)[1]
    times = ("seconds_first", "seconds_second", "cpu_first", "cpu_second")
    return [replace(game, **{name: float(f"{getattr(game, name) or 0.0:.6g}") for name in times}) for game in games]


def test_a_match_goes_on_elsewhere_from_the_text_of_its_games(match, apart):
    code, whole, _ = match(*WORDS[:-2], "--games", "8", "--file", "whole.db")
    code, _, _ = match(*WORDS, "--games", "4", "--file", "here.db")
    assert code == 0
    text = (apart / "games.tsv").read_text()
    for path in apart.glob("here.db*"):
        path.unlink()
    code, found, err = match(*WORDS, "--games", "4", "--file", "there.db")
    assert (code, err) == (0, "") and found["games"] == 4
    assert (apart / "games.tsv").read_text() == text, "nothing was played, and the text is the same"
    code, found, _ = match(*WORDS, "--games", "8", "--file", "there.db")
    assert [found[key] for key in ("games", "a_wins", "b_wins", "draws", "pairs")] == [
        whole[key] for key in ("games", "a_wins", "b_wins", "draws", "pairs")
    ]
    there, reference = games_of("there.db"), games_of("whole.db")
    assert [game.sgf for game in there] == [game.sgf for game in reference]
    timeless = {"seconds_first": 0.0, "seconds_second": 0.0, "cpu_first": 0.0, "cpu_second": 0.0}
    assert [replace(game, **timeless) for game in there] == [replace(game, **timeless) for game in reference]
    assert len((apart / "games.tsv").read_text().splitlines()) == 2 + 8


def test_times_and_versions_come_along(match, apart, monkeypatch):
    match(*WORDS, "--games", "4", "--file", "here.db")
    text = (apart / "games.tsv").read_text()
    (apart / "games.tsv").write_text(re.sub(r'"runs": \[\["(.*?)", "(.*?)"\]\]', r'"runs": [["0.0.1", "abc"]]', text))
    _, found, err = match(*WORDS, "--games", "4", "--file", "there.db")
    assert games_of("there.db") == games_of("here.db")
    assert found["other_code"] and "played by another version" in err
    match(*WORDS, "--games", "6", "--file", "there.db")
    (again,) = read_games_file(apart / "games.tsv")
    assert sorted(code == "abc" for _, code in again.runs) == [False, True]
    assert sum(again.runs[int(row["run"])] == ("0.0.1", "abc") for row in again.rows) == 4


def test_the_text_is_written_while_the_match_goes_on(match, apart, monkeypatch):
    monkeypatch.setattr("tesuji.lab.match.runner.SAVE_SECONDS", 0.0)
    lengths, save = [], games_file.save_games

    def note(*words):
        save(*words)
        lengths.append(len((apart / "games.tsv").read_text().splitlines()) - 2)

    monkeypatch.setattr("tesuji.lab.match.runner.save_games", note)
    match(*WORDS, "--games", "3", "--file", "here.db")
    assert lengths == [1, 2, 3, 3]


def changed(text, old, new):
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.partition("\n")[2], "does not begin with the plan"),
        (lambda text: changed(text, '{"plan": {', '{"plan": {"no": 1, '), "the plan in its first line cannot be read"),
        (lambda text: changed(text, '"seed": 0', '"seed": 3'), "holds another match (--seed)"),
        (lambda text: changed(text, "\tmoves\n", "\tmove\n"), "is not a file of games"),
        (lambda text: changed(text, "\nnumber\t", "\nNumber\t"), "is not a file of games"),
        (lambda text: changed(text, "\treason\t", "\tcause\t"), "game 0 is not of this match: not all columns are there"),
        (lambda text: changed(text, "\n1\tB\tA\t", "\n1\tA\tB\t"), "game 1 is not of this match: it has the players A and B"),
        (lambda text: changed(text, "\n1\tB", "\n0\tB"), "line 4: game 0 is there twice"),
        (lambda text: changed(text, "\n1\tB", "\nx\tB"), "line 4: this is no game"),
        (lambda text: changed(text, "\n1\tB", "\n99999998\tB"), "line 4: this is no game"),
        (lambda text: changed(text, "\n1\tB\tA\t", "\n1\tB\tA\t?"), "line 4: this is no game"),
        (lambda text: text[: text.rindex("\n", 0, -1)] + "\n1\tB\n", "line 4: this is no game"),
        (lambda text: text.rstrip()[:-1] + "9\n", "game 1 is not of this match: "),
        (lambda text: text.rstrip()[:-2] + "\n", "game 1 is not of this match: it is not over"),
        (lambda text: re.sub(r"\t\d \d (\d(?: \d)*)\n", r"\t4 4 \1\n", text), "game 0 is not of this match: "),
        (lambda text: re.sub(r"\tscore\t(\d)\t[^\t]*", r"\tscore\t\1\t", text), "its times are missing"),
        (lambda text: re.sub(r"\tscore\t(\d)\t[^\t]*", r"\tscore\t\1\tnan", text), "nan is no time"),
    ],
)
def test_a_text_that_is_not_of_this_match_is_refused_in_one_line(match, apart, change, message):
    match(*WORDS, "--games", "2", "--file", "here.db")
    (apart / "games.tsv").write_text(changed_text := change((apart / "games.tsv").read_text()))
    code, found, err = match(*WORDS, "--games", "2", "--file", "there.db")
    assert (code, found, err.count("\n")) == (2, {}, 1) and message in err, err
    assert (apart / "games.tsv").read_text() == changed_text and not (apart / "there.db").exists()


def test_two_lines_of_one_match_are_not_mixed(match, apart):
    """Limits in playouts give the same games; here one is another, as with limits in time."""
    match(*WORDS, "--games", "2", "--file", "here.db")
    (apart / "kept.tsv").write_text((apart / "games.tsv").read_text())
    lines = (apart / "games.tsv").read_text().splitlines()
    columns = lines[1].split("\t")
    row = dict(zip(columns, lines[2].split("\t"), strict=True))
    row |= {"reason": "resign", "result": "B+R" if row["result"] != "B+R" else "W+R"}
    (apart / "games.tsv").write_text("\n".join([*lines[:2], "\t".join(row[name] for name in columns), ""]))
    code, _, err = match(*WORDS, "--games", "2", "--file", "here.db")
    assert code == 2 and "have different games 0" in err


def test_a_file_of_another_kind_is_not_overwritten(match, apart):
    (apart / "games.tsv").write_text("mine\n")
    code, _, err = match(*WORDS, "--games", "2")
    assert code == 2 and "is not a file of games, so it is not overwritten" in err
    assert (apart / "games.tsv").read_text() == "mine\n"


# -- counting anew -------------------------------------------------------------------------------------------------------
def counted(capsys, *words):
    capsys.readouterr()
    assert main(["reproduce", "--recorded", *map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)["matches"]


def test_games_that_a_match_has_written_are_counted_as_it_counts_them(match, apart, capsys):
    _, found, _ = match(*WORDS, "--games", "6", "--file", "here.db")
    (again,) = counted(capsys, "games.tsv")
    assert again.pop("match") == "" and again.pop("file") == "games.tsv"
    assert again == {key: found[key] for key in again}


def test_a_small_table_by_hand(apart, capsys):
    rows = [
        "one\t0\tx\ty\tB+R\te2",
        "one\t1\ty\tx\tW+1.5\te2",
        "one\t2\tx\ty\t0\t",
        "two\t0\ty\tx\tB+F\t",
        "two\t1\tx\tz\tW+T\t",
    ]
    (apart / "some.tsv").write_text("\n".join(["match\tnumber\tblack\twhite\tresult\tmoves", *rows, ""]))
    found = [(one["match"], one["a"], one["b"], one["a_wins"], one["b_wins"], one["draws"]) for one in counted(capsys, ".")]
    assert found == [("one", "x", "y", 2, 0, 1), ("two", "y", "x", 1, 0, 0), ("two", "x", "z", 0, 1, 0)]
    assert main(["reproduce", "--recorded"]) == 0, "those of the pages"
    assert "mogo-tree.tsv" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "there is no folder docs/experiments/games here: name files of games"),
        (["none.tsv"], "none.tsv cannot be read"),
        (["."], ". holds no file of games: their names end with .tsv"),
    ],
)
def test_without_games_there_is_one_line(apart, capsys, monkeypatch, words, message):
    monkeypatch.setattr(recorded, "PACKAGE", apart / "lib" / "tesuji")
    assert main(["reproduce", "--recorded", *words]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and message in err


@pytest.mark.parametrize("words", [["mogo/patterns"], ["--runs", "3"], ["--full"], ["--seed", "2"]])
def test_what_only_an_experiment_has_is_refused(capsys, words):
    assert main(["reproduce", *words, "--recorded"]) == 2
    assert f"so leave {words[0]} out" in capsys.readouterr().err


def test_every_figure_of_a_page_is_that_of_its_games():
    """Each page that links to a file of games has the number of games, the score and the interval of every match in it."""
    for path in sorted((ROOT / recorded.KEPT).glob("*.tsv")):
        (page,) = [page for page in (ROOT / "docs").rglob("*.md") if f"games/{path.name})" in page.read_text()]
        text = page.read_text().replace("**", "")
        for one in recorded.recorded_scores([str(path)]):
            figures = rf"{one.standing.a_wins} of {one.standing.games}[^\n]*{one.standing.score:.2f}"
            low, high = one.standing.interval
            claim = rf"{figures}[ ,(]+{low:.2f} to {high:.2f}"
            claim = claim.replace(rf"{one.standing.a_wins} of", rf"\b{one.standing.a_wins} of")
            row = rf"\| {one.standing.score:.2f} \({low:.2f} to {high:.2f}\) \| {one.standing.games} \|[^\n]*/{path.name}\)"
            assert re.search(claim, text) or re.search(row, text), f"{page.name}: {one.match or path.stem}: {one.text}"
