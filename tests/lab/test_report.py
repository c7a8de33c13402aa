"""The report on a game: figures that can be counted by hand, the picture, and Ctrl-C."""

import json
import os
import re
import shlex
import signal
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tesuji.cli import interrupts
from tesuji.cli.main import main
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.lab import report as module
from tesuji.lab.report import GameReport, Play, PlayedGame, five_numbers, is_decided, make_report
from tesuji.lab.report_picture import picture
from tesuji.players.presets import find_player

CONNECT4, GO, PUZZLE = find_game("connect4:4x4"), find_game("go:5"), find_game("samegame")
LIMITS = Limits(playouts=20)


@pytest.fixture(autouse=True)
def pure_python(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")


def made_up(game=CONNECT4, proves=True):
    random = [PlayedGame(1, (4, 4, 3), 3), PlayedGame(-1, (4, 2), 2), PlayedGame(0, (4, 4, 4, 1), 4), PlayedGame(1, (4,), 1)]
    search = [PlayedGame(1, (4, 4, 4, 4), 1), PlayedGame(1, (4, 4), 2)]
    return GameReport(game, "tesuji", LIMITS, 7, Play(game, 4, random), Play(game, 4, search), proves)


# -- figures ---------------------------------------------------------------------------------------------------------------
def test_figures_of_made_up_games():
    play = made_up().by_random
    assert play.results == {1: 2, 0: 1, -1: 1}
    assert (play.score, play.draws) == (2.5 / 4, 1 / 4)
    assert play.score_interval == pytest.approx((0.2211, 0.9065), abs=2e-3)  # Wilson's formula for 0.625 of 4
    assert play.lengths == [1, 2, 3, 4]
    assert play.branching == (34 / 10, 4)
    assert [play.share_over(ply) for ply in range(5)] == [0, 1 / 4, 1 / 2, 3 / 4, 1]
    search = made_up().by_search
    assert [search.share_decided(ply) for ply in range(4)] == [0, 1 / 2, 1, 1]
    assert (search.decided_by(0.5), search.decided_by(0.9)) == (1, 2)


def test_quartiles():
    assert five_numbers([1, 2, 3, 4, 5]) == (1, 2, 3, 4, 5)
    assert five_numbers([1, 2]) == (1, 1.25, 1.5, 1.75, 2)
    assert five_numbers([3]) == (3, 3, 3, 3, 3)


@pytest.mark.parametrize(
    ("game", "lower", "upper", "expected"),
    [
        (CONNECT4, -1, 1, False),
        (CONNECT4, 0, 1, False),
        (CONNECT4, 0, 0, True),
        (CONNECT4, 1, 1, True),
        (GO, *GO.outcomes, False),
        (GO, GO.outcomes[1] - 1, GO.outcomes[1], True),  # by how much is open, but not who wins
        (PUZZLE, 5, 9, False),
        (PUZZLE, 9, 9, True),
    ],
)
def test_what_counts_as_decided(game, lower, upper, expected):
    assert is_decided(game, lower, upper) is expected


# -- games -----------------------------------------------------------------------------------------------------------------
def test_the_same_seed_gives_the_same_report_with_any_number_of_workers():
    a, b, other = (
        make_report(CONNECT4, find_player("tesuji"), 3, LIMITS, seed, workers).as_json()
        for seed, workers in ((3, 1), (3, 2), (4, 1))
    )
    assert a == b
    assert a["random"] != other["random"]


def test_games_end_and_are_decided_no_later_than_that():
    found = make_report(CONNECT4, find_player("tesuji"), 5, LIMITS, seed=1)
    for _name, play in found.plays:
        assert len(play.played) == 5
        for one in play.played:
            assert one.decided <= one.length <= CONNECT4.max_plies and one.outcome in (-1, 0, 1)
            assert all(1 <= count <= 4 for count in one.choices) and one.choices[0] == 4
    assert all(one.decided == one.length for one in found.by_random.played)
    assert any(one.decided < one.length for one in found.by_search.played)
    assert found.by_search.share_over(found.longest) == 1.0


def test_a_player_that_proves_nothing_has_no_decided_positions():
    found = make_report(find_game("tictactoe"), find_player("tesuji:solver=off"), 2, LIMITS)
    assert not found.proves and found.as_json()["search"]["decided_by_ply"] is None
    assert all(one.decided == one.length for one in found.by_search.played)
    assert "decided, search" not in picture(found)


def test_a_puzzle_has_scores_in_place_of_wins():
    found = make_report(PUZZLE, find_player("tesuji"), 4, LIMITS).as_json()
    for kind in ("random", "search"):
        assert "first_player" not in found[kind] and "draws" not in found[kind]
        score = found[kind]["score"]
        assert score["min"] <= score["lower_quartile"] <= score["median"] <= score["upper_quartile"] <= score["max"]
    assert found["search"]["score"]["mean"] > found["random"]["score"]["mean"]


# -- the command -----------------------------------------------------------------------------------------------------------
def test_the_command(capsys, tmp_path):
    path = tmp_path / "report.svg"
    words = ["report", "tictactoe", "--games", "4", "--playouts", "20", "--seed", "1", "--svg", str(path)]
    assert main(words) == 0
    text = capsys.readouterr().out
    for wanted in ("first player's score", "95% interval", "quartiles", "legal moves, most", "decided, search", "With search"):
        assert wanted in text
    assert main([*words, "--json"]) == 0  # and the picture is written over
    found = json.loads(capsys.readouterr().out)
    assert found["game"] == "tictactoe" and found["svg"] == str(path) and found["interrupted"] is False
    for kind in ("random", "search"):
        first = found[kind]["first_player"]
        assert first["wins"] + first["draws"] + first["losses"] == found[kind]["games"] == 4
        assert first["low"] <= first["score"] <= first["high"]
        assert found[kind]["over_by_ply"][-1] == 1.0 and found[kind]["branching"]["max"] == 9
    assert ElementTree.parse(path).getroot().tag.endswith("svg")


def test_both_limits_are_shown(capsys):
    assert main(["report", "tictactoe", "--games", "1", "--playouts", "20", "--seconds", "9"]) == 0
    assert "20 playouts or 9 s a move" in capsys.readouterr().out


def test_wrong_input(capsys, tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    for words, wanted in (
        (["--svg", str(other)], "not a picture of a report"),
        (["--svg", str(tmp_path / "no" / "file.svg")], "no folder"),
        (["--svg", ""], "cannot be empty"),
        (["--games", "0"], "from 1"),
    ):
        assert main(["report", "tictactoe", *words]) == 2
        assert wanted in capsys.readouterr().err
    assert other.read_text() == "mine"


def test_ctrl_c_reports_the_games_so_far(capsys, monkeypatch, tmp_path):
    played = []
    whole_game = module._searched_game

    def interrupted_in_the_third(*arguments):
        if len(played) == 2:
            os.kill(os.getpid(), signal.SIGINT)
            end = time.monotonic() + 60
            while not interrupts.received and time.monotonic() < end:
                time.sleep(0.01)  # until the main thread has the signal
        played.append(whole_game(*arguments))
        return played[-1]

    monkeypatch.setattr(module, "_searched_game", interrupted_in_the_third)
    path = tmp_path / "report.svg"
    words = ["report", "tictactoe", "--games", "50", "--playouts", "20", "--workers", "1", "--json", "--svg", str(path)]
    assert main(words) == 130
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert found["interrupted"] is True and found["random"]["games"] == 50
    assert 2 <= found["search"]["games"] < 50
    assert "games so far" in printed.err and path.exists()


def test_the_page_shows_what_is_printed(capsys, monkeypatch):
    monkeypatch.delenv("TESUJI_PURE")
    page = (Path(__file__).parents[2] / "docs" / "report.md").read_text()
    block = re.findall(r"```console\n(.*?)```", page, re.S)[0]
    command, _, expected = block.partition("\n")
    assert main(shlex.split(command)[2:]) == 0
    assert capsys.readouterr().out.split() == expected.split()


# -- the picture -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("game", [CONNECT4, PUZZLE], ids=["game", "puzzle"])
def test_the_picture_is_whole_and_inside_its_frame(game):
    root = ElementTree.fromstring(picture(made_up(game)))
    _, _, width, height = (float(number) for number in root.attrib["viewBox"].split())
    numbers = 0
    for element in root.iter():
        for name, limit in (("x", width), ("y", height), ("x1", width), ("y1", height), ("x2", width), ("y2", height)):
            if name in element.attrib:
                numbers += 1
                assert 0 <= float(element.attrib[name]) <= limit
        for point in re.findall(r"[\d.]+,[\d.]+", element.attrib.get("points", "")):
            assert 0 <= float(point.split(",")[0]) <= width and 0 <= float(point.split(",")[1]) <= height
    assert numbers > 60
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert texts.count("moves") == 2 and "over, random" in texts and "decided, search" in texts


def test_bars_are_as_high_as_what_they_show():
    """Of the four random games each has another length: four bars of one height, half as high as the search's two."""
    root = ElementTree.fromstring(picture(made_up()))
    heights = {}
    for element in root.iter():
        if element.tag.endswith("rect") and "fill-opacity" not in element.attrib and element.attrib["width"] != "12":
            heights.setdefault(element.attrib["fill"], []).append(float(element.attrib["height"]))
    random, search = heights.values()
    assert len(random) == 4 and len(search) == 2
    assert random == pytest.approx([random[0]] * 4) and search == pytest.approx([2 * random[0]] * 2)


def test_a_name_from_a_file_is_escaped():
    found = made_up()
    found.player = "<script>&"
    assert "<script>" not in picture(found) and ElementTree.fromstring(picture(found)) is not None


def test_one_game_is_enough_for_a_picture():
    found = made_up()
    found.by_random.played, found.by_search.played = [PlayedGame(1, (2,), 1)], []
    assert ElementTree.fromstring(picture(found)) is not None
