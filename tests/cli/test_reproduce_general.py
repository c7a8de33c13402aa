"""`tesuji reproduce general`: a match for each technique and game, its table, its heat map, and the games behind it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.lab import reproduce
from tesuji.lab.reproduce import general
from tesuji.lab.reproduce.general import BASE, BOARDS, TECHNIQUES, Cell, average, cells_of_games, picture_of, table
from tesuji.lab.reproduce.recorded import recorded_scores
from tesuji.players.presets import find_player


def test_every_technique_is_one_of_the_default_player_in_every_game():
    for board in BOARDS:
        game = find_game(board)
        for technique in TECHNIQUES:
            settings = find_player(f"{BASE}:{technique.values}").settings_for(game)
            assert settings != find_player(BASE).settings_for(game)


@pytest.fixture
def small(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TESUJI_PURE", "1")
    monkeypatch.setattr(general, "TECHNIQUES", TECHNIQUES[2:3])
    monkeypatch.setattr(general, "BOARDS", ("tictactoe",))
    return tmp_path


def test_a_run_its_games_and_its_picture(small, tesuji):
    words = ("reproduce", "general", "--runs", "2", "--seconds", "0.001", "--jobs", "1")
    files = ("--picture", "map.svg", "--games-file", "games.tsv")
    first = tesuji(*words, *files)
    assert first.code == 0 and "bonus for short wins" in first.out and "average" in first.out
    (cell,) = cells_of_games(["games.tsv"])
    assert (cell.technique, cell.game, cell.games) == ("bonus for short wins", "tictactoe", 2)
    (kept,) = recorded_scores(["games.tsv"])
    assert kept.match == "bonus for short wins, tictactoe" and kept.standing.games == 2
    drawn = (small / "map.svg").read_text()
    assert ElementTree.fromstring(drawn).tag.endswith("svg") and f"{cell.score:.2f}" in drawn
    assert tesuji(*words).out == first.out  # all games are there: none is played
    again = tesuji("reproduce", "--recorded", "games.tsv", "--picture", "other.svg")
    assert again.code == 0 and (small / "other.svg").read_text() == drawn
    assert first.out.splitlines()[1:] == again.out.splitlines()[1:]


CELLS = [Cell("A", "y:8", 0.8, 40), Cell("B", "y:8", 0.5, 40), Cell("A", "clobber:6x5", 0.4, 20), Cell("B", "nogo:7", 0.0, 10)]


def test_averages_count_every_game_alike():
    mean = average(CELLS[:1] + CELLS[2:3])
    assert mean.score == pytest.approx(0.6) and mean.games == 60 and mean.low < 0.6 < mean.high
    # By hand: shares 33/42 and 9/22, variances 33/42 9/42 / 40 and 9/22 13/22 / 20, their sum / 4.
    assert mean.high - mean.score == pytest.approx(1.96 * ((33 * 9 / 42**2 / 40 + 9 * 13 / 22**2 / 20) / 4) ** 0.5)
    assert average(CELLS[3:]).high > 0.0


def test_a_table_that_is_not_full():
    lines = table(CELLS).splitlines()
    assert len(lines) == 2 + 3 + 2 and lines[3].startswith("clobber:6x5") and lines[3].endswith("-")
    root = ElementTree.fromstring(picture_of(CELLS))
    assert sum(part.tag.endswith("rect") for part in root) == 2 * 4
    bold = [part.text for part in root if part.get("font-weight") == "bold"]
    assert bold[1:] == ["0.80", "0.00", "0.25"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("reproduce", "mohex2/rave", "--picture", "x.svg"), "mohex2/rave has no picture, so leave --picture out"),
        (("reproduce", "mohex2/rave", "--games-file", "x.tsv"), "leave --games-file out; general/techniques take it"),
        (("reproduce", "general", "--picture", "nowhere/x.svg"), "nowhere/x.svg cannot be written"),
        (("reproduce", "--recorded", "x.tsv", "--games-file", "y.tsv"), "leave --games-file out"),
        (("reproduce", "--recorded", "--picture", "x.svg"), "name their file after --recorded"),
    ],
)
def test_files_without_a_use_are_refused(small, tesuji, words, message):
    answer = tesuji(*words)
    assert answer.code == 2 and message in answer.err and answer.err.count("\n") == 1


def test_other_games_are_no_table(tmp_path):
    file = tmp_path / "games.tsv"
    file.write_text("match\tnumber\tblack\twhite\tresult\tmoves\nx\t0\ta\tb\tB+1\t\n")
    with pytest.raises(UserError, match="x is not a match of a technique against default"):
        cells_of_games([file])


def test_it_is_listed():
    assert "general/techniques" in reproduce.summaries()
