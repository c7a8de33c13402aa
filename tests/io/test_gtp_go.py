"""GTP for Go: komi, handicap, captures, ko, moves out of turn, the score, dead stones; and GNU Go as a second opinion."""

import random
import re
import shutil
import subprocess

import pytest
from gtp_helpers import GO_PLAYER, Session, play, vertex

pytestmark = pytest.mark.usefixtures("pure_gtp")


# -- setting up ------------------------------------------------------------------------------------------------------------
def test_sizes(go):
    go.ok("boardsize 13")
    assert go.ok("query_boardsize") == "13" and go.engine.game.name == "go:13"
    go.ok("play b N13")
    go.fails("play w O1")
    for size in ("1", "20", "0", "-3", "x", "9 13", "1000000"):
        go.fails(f"boardsize {size}")
    assert go.stones() == {"N13": "black"}
    go.ok("boardsize 13")
    assert go.stones() == {}
    go.ok("boardsize 5")
    go.ok("play b E5")


def test_komi_keeps_the_game(go):
    play(go, "b E5 w E4")
    assert go.ok("final_score") == "W+7.5"  # what gomill reads a margin out of
    assert go.ok("tesuji-final_score") == "W+7.5 (area scoring, komi 7.5, all stones alive)"
    go.ok("komi 0.5")
    assert go.ok("get_komi") == "0.5" and go.ok("final_score") == "W+0.5" and len(go.stones()) == 2
    go.ok("komi 5.5")
    go.ok("undo")
    go.ok("undo")
    go.fails("undo")
    for komi in ("x", "nan", "inf"):
        go.fails(f"komi {komi}")
    go.ok("clear_board")
    go.ok("boardsize 5")
    assert go.ok("get_komi") == "5.5"


@pytest.mark.parametrize(
    ("komi", "taken"),
    [("6.25", "6.5"), ("3.75", "3.5"), ("-0.1", "-0.5"), ("-3.75", "-3.5"), ("7", "7"), ("400", "361"), ("-1e6", "-361")],
)
def test_any_komi_is_accepted_and_means_the_same(go, komi, taken):
    go.ok(f"komi {komi}")
    assert float(go.ok("get_komi")) == float(taken)


def test_fixed_handicap(go):
    assert sorted(go.ok("fixed_handicap 4").split()) == ["C3", "C7", "G3", "G7"]
    assert go.ok("gogui-rules_side_to_move") == "white"
    assert go.fails("fixed_handicap 2") == "board not empty"
    assert go.fails("undo") == "cannot undo"
    play(go, "w E5 b E6")
    go.ok("komi 0.5")
    assert len(go.stones()) == 6
    go.ok("clear_board")
    for stones in ("1", "10", "0", "-1", "x"):
        go.fails(f"fixed_handicap {stones}")
    assert sorted(go.ok("fixed_handicap 9").split()) == sorted(go.ok("list_stones b").split())


def test_place_free_handicap(go):
    assert len(go.ok("place_free_handicap 30").split()) == 9
    go.ok("clear_board")
    assert len(go.ok("place_free_handicap 3").split()) == 3
    go.fails("place_free_handicap 3")
    go.ok("clear_board")
    for stones in ("1", "81", "x"):
        go.fails(f"place_free_handicap {stones}")
    go.ok("boardsize 3")
    go.fails("place_free_handicap 2")


def test_set_free_handicap(go):
    for vertices in ("A1 A1", "A1 pass", "A1 Z1", "A1"):
        go.fails(f"set_free_handicap {vertices}")
    go.ok("set_free_handicap A1 J9 E5")
    assert go.stones() == {"A1": "black", "J9": "black", "E5": "black"}
    go.fails("set_free_handicap C3 D4")
    go.ok("genmove w")


def test_handicap_only_on_an_empty_board(go):
    play(go, "b A1")
    assert go.fails("fixed_handicap 2") == "board not empty"
    go.ok("undo")
    go.ok("fixed_handicap 2")


def test_gogui_setup(go):
    go.ok("gogui-setup b A1 w B2 b C3")
    assert go.stones() == {"A1": "black", "B2": "white", "C3": "black"}
    go.ok("gogui-setup e A1 w C3")
    assert go.stones() == {"B2": "white", "C3": "white"}
    go.ok("gogui-setup_player w")
    assert go.ok("gogui-rules_side_to_move") == "white"
    go.fails("undo")
    for _ in range(3):
        go.ok("gogui-undo_setup")
    go.fails("gogui-undo_setup")
    assert go.stones() == {}
    for words in ("b", "b Z1", "x A1", "b pass", "b A1 w A2 w B1"):  # the last one: a stone without liberties
        go.fails(f"gogui-setup {words}")


# -- playing ---------------------------------------------------------------------------------------------------------------
def test_captures_and_undo(go):
    play(go, "b A2 w A1 b B1")
    assert go.stones() == {"A2": "black", "B1": "black"}
    go.ok("undo")
    assert go.stones() == {"A2": "black", "A1": "white"}
    go.fails("play b A1")
    play(go, "b B1")
    go.fails("play w A1")  # suicide


def test_ko(go):
    play(go, "b B1 w C1 b A2 w D2 b B3 w C3 b C2 w B2")
    assert "C2" not in go.stones()
    go.fails("play b C2")
    assert go.ok("is_legal b C2") == "0" and "C2" not in go.ok("all_legal b").split()
    play(go, "b J9 w J1 b C2")
    assert "B2" not in go.stones()


def test_moves_out_of_turn(go):
    play(go, "b E5 b E4 b E3 w C3")
    assert len(go.stones()) == 4
    go.ok("undo")
    go.ok("undo")
    assert go.stones() == {"E5": "black", "E4": "black"}
    assert go.ok("gogui-rules_side_to_move") == "white"
    go.ok("genmove b")
    assert list(go.stones().values()).count("black") in (2, 3)
    assert go.ok("move_history").count("black") == 3
    go.fails("play b E5")


def test_play_goes_on_after_two_passes(go):
    play(go, "b E5 w PASS b pass")
    assert go.engine.played.position.is_over and go.ok("gogui-rules_final_result") == "black wins: B+73.5"
    play(go, "w C3 b C4")
    assert len(go.stones()) == 3
    go.ok("gg-undo 2")
    assert go.engine.played.position.is_over
    go.ok("genmove w")
    assert not go.engine.played.position.is_over


def test_analysis_of_either_colour(go):
    assert go.raw("lz-analyze w 5").splitlines()[1].startswith("info move ")
    assert re.search(r" scoreMean -?[\d.]+ scoreLead -?[\d.]+ scoreStdev [\d.]+ ", go.raw("kata-analyze 5").splitlines()[1])
    go.ok("tesuji-param reward outcome")
    assert "scoreLead" in go.raw("kata-analyze 5").splitlines()[1]
    assert go.stones() == {} and go.ok("gogui-rules_side_to_move") == "black"


def test_the_commands_of_go_are_there(go):
    listed = go.ok("list_commands").split()
    for name in (
        "komi",
        "fixed_handicap",
        "place_free_handicap",
        "set_free_handicap",
        "final_score",
        "gogui-setup",
        "get_komi",
    ):
        assert name in listed
    assert "final_status_list" not in listed  # nobody here can tell dead stones
    assert "final_status_list" in Session("go:9", GO_PLAYER, lambda *_: {}).ok("list_commands").split()


# -- rules -----------------------------------------------------------------------------------------------------------------
def test_rules_in_the_words_of_katago(go):
    import json

    play(go, "b C3 w D3")
    assert json.loads(go.ok("kata-get-rules"))["ko"] == "SIMPLE"
    go.ok("kata-set-rules chinese-kgs")
    found = json.loads(go.ok("kata-get-rules"))
    assert (found["ko"], found["scoring"], found["suicide"]) == ("POSITIONAL", "AREA", False)
    assert go.engine.game.name == "go:9:superko=positional" and len(go.stones()) == 2
    go.ok('kata-set-rules {"ko": "SIMPLE", "scoring": "AREA", "suicide": false}')
    assert go.engine.game.name == "go:9"
    go.ok("kata-set-rule ko positional")
    go.ok("kata-set-rules chinese")
    assert go.engine.game.name == "go:9"
    go.ok(f"kata-set-rules {go.ok('kata-get-rules')}")


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ("japanese", "scoring is AREA here, not TERRITORY"),
        ("tromp-taylor", "suicide is not allowed here"),
        ("house", "unknown rules 'house'"),
        ('{"ko": "SITUATIONAL"}', "ko SITUATIONAL is not supported: SIMPLE or POSITIONAL"),
        ('{"ko": "POSITIONAL", "tax": "SEKI"}', "tax SEKI is not supported: it is NONE here"),
        ('{"colour": "green"}', "unknown rule 'colour'"),
        ("{", "not JSON"),
    ],
)
def test_rules_that_we_do_not_have(go, rules, why):
    assert why in go.fails(f"kata-set-rules {rules}")
    assert go.engine.game.name == "go:9"


# -- the end ---------------------------------------------------------------------------------------------------------------
def wall(session):
    """Black has the left, White the right; one white stone is lost on the left."""
    stones = [f"b D{row} w E{row}" for row in range(1, 10)]
    session.ok("gogui-setup " + " ".join(stones) + " w B5 w B6")


def only_b5(game, state):
    return {point: "dead" if point[0] == 1 else "alive" for point in game.board.stones(state)}


def test_the_score_without_and_with_dead_stones(go):
    wall(go)
    assert go.ok("final_score") == "W+45.5"  # 11 stones, 36 points and komi against 9 stones; the left is nobody's
    judged = Session("go:9", GO_PLAYER, only_b5)
    wall(judged)
    score = "W+16.5 (area scoring, komi 7.5, 2 dead stones taken off)"
    assert judged.ok("tesuji-final_score") == score
    assert judged.ok("final_status_list dead") == "B5 B6"
    assert judged.ok("final_status_list alive").splitlines() == [
        " ".join(f"D{row}" for row in range(1, 10)),
        " ".join(f"E{row}" for row in range(1, 10)),
    ]
    assert judged.ok("final_status_list seki") == ""
    judged.fails("final_status_list sleeping")
    play(judged, "b pass w pass")
    assert judged.ok("tesuji-final_score") == score, "after two passes too"
    assert "RE[W+16.5]" in judged.ok("printsgf") and judged.ok("gogui-rules_final_result") == "white wins: W+16.5"
    assert judged.ok("final_status_list dead") == "B5 B6" and len(judged.stones()) == 20
    judged.ok("undo")
    assert judged.ok("tesuji-final_score") == score


def test_a_position_is_judged_once(go):
    asked = []

    def status(game, state):
        asked.append(1)
        return only_b5(game, state)

    judged = Session("go:9", GO_PLAYER, status)
    wall(judged)
    play(judged, "b pass w pass")
    for _ in range(2):
        assert judged.ok("final_score") == "W+16.5" and "RE[W+16.5]" in judged.ok("printsgf")
    assert len(asked) == 1
    judged.ok("undo")
    judged.ok("final_score")
    assert len(asked) == 2


def test_genmove_cleanup_does_not_pass():
    judged = Session("go:5", GO_PLAYER, lambda game, state: {point: "dead" for point in game.board.stones(state)})
    judged.ok("gogui-setup w C3")
    for _ in range(3):
        assert judged.ok("kgs-genmove_cleanup b").lower() != "pass"


# -- a second opinion -----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not shutil.which("gnugo", path="/usr/games:/usr/bin:/usr/local/bin"), reason="GNU Go is not installed")
def test_gnu_go_says_the_same():
    """The same lines to both: which are errors, which stones stand, whose handicap lies where."""
    path = shutil.which("gnugo", path="/usr/games:/usr/bin:/usr/local/bin")
    lines = [
        "boardsize 9",
        "clear_board",
        "komi 5.5",
        "play b Z9",
        "play b E5",
        "play w E5",
        "play w E4",
        "play b pass",
        "undo",
    ]
    lines += ["undo", "undo", "undo", "list_stones black", "boardsize 99", "nonsense", "known_command play", "boardsize 9"]
    for size, stones in ((9, 2), (9, 4), (9, 5), (13, 9), (19, 6), (19, 9), (9, 1), (19, 10), (8, 5), (8, 4)):
        lines += [f"boardsize {size}", "clear_board", f"fixed_handicap {stones}", "list_stones black", "undo"]
    lines += ["boardsize 9", "clear_board"]
    chance = random.Random(9)
    for _ in range(300):
        lines += [f"play {chance.choice('bw')} {vertex((chance.randrange(9), chance.randrange(9)))}"]
    lines += ["list_stones black", "list_stones white"]
    run = subprocess.run(
        [path, "--mode", "gtp"], input="\n".join(lines) + "\nquit\n", capture_output=True, text=True, timeout=60
    )
    theirs = [answer for answer in run.stdout.split("\n\n") if answer.strip()]
    session = Session("go:9", GO_PLAYER)
    for line, their in zip(lines, theirs, strict=False):
        ours = session.raw(line)
        assert ours[0] == their[0], (line, ours, their)
        if line.startswith(("list_stones", "fixed_handicap")) and their[0] == "=":
            assert sorted(ours[1:].split()) == sorted(their[1:].split()), line
