"""SGF of Hex: HexGui's way of writing, Little Golem's, and faults."""

from __future__ import annotations

import pytest

from tesuji.games.registry import find_game
from tesuji.io.sgf import Record, SgfError, parse_result, parse_sgf, read_record, record_tree, sgf_text
from tesuji.io.sgf.played import open_tree
from tesuji.play.game import GameInPlay


@pytest.fixture(autouse=True)
def pure_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESUJI_PURE", "1")


def read(text: str, **options) -> Record:
    return read_record(parse_sgf(text)[0], "x.sgf", **options)


def moves(record: Record) -> str:
    return " ".join(f"{'bw'[turn.player]}:{record.game.text(state, turn.move or 0)}" for state, turn in record.replay())


@pytest.mark.parametrize(
    ("text", "game", "played", "result"),
    [
        ("(;FF[4]GM[11]AP[HexGui:0.10]SZ[11];B[a10];W[f6];B[k11])", "hex:11", "b:a10 w:f6 b:k11", ""),
        ("(;GM[11]SZ[11];B[a10];W[swap-pieces];B[f6];W[resign])", "hex:11:swap=on", "b:a10 w:swap-pieces b:f6", "B+R"),
        ("(;GM[11]SZ[7:4];B[g4];W[a1];B[forfeit])", "hex:7x4", "b:g4 w:a1", "W+R"),
        # The players change places: the stone stays, and White moves.
        ("(;GM[11]SZ[11];B[a10];W[swap-sides];W[f6])", "hex:11", "b:a10 w:f6", ""),
        ("(;GM[11]AP[HexGui:0.9]SZ[11];B[a10];W[swap-pieces];W[f6])", "hex:11", "b:a10 w:f6", ""),
        # Little Golem: no GM, letter pairs, and the first player's moves marked W; PB is the first player all the same.
        (
            "(;FF[4]EV[hex.ch.1.1.1]PB[x]PW[y]SZ[13]RE[W]SO[http://www.littlegolem.com];W[mf];B[swap];W[kj];B[ie];W[resign])",
            "hex:13:swap=on",
            "b:m6 w:swap-pieces b:k10 w:i5",
            "W",
        ),
        ("(;FF[4]EV[hex.ch.1.1.1]SZ[13];W[am];B[ii];W[de];B[resign])", "hex:13", "b:a13 w:i9 b:d5", "B+R"),
        ("(;GM[11]SZ[5]AB[a1][bb]AW[c3]AE[a1]PL[W];W[e5])", "hex:5", "w:e5", ""),
        # Letter pairs and W first, but of a position that says who is who: not Little Golem's colours.
        ("(;GM[11]SZ[5]AB[c3]PL[W];W[aa];B[bb])", "hex:5", "w:a1 b:b2", ""),
        ("(;GM[11]SZ[5]AB[c3];W[aa];B[bb])", "hex:5", "w:a1 b:b2", ""),
        ("(;GM[11]SZ[5]AW[c3];W[aa];B[bb])", "hex:5", "w:a1 b:b2", ""),
        ("(;GM[11]SZ[5]PL[W];W[aa];B[bb])", "hex:5", "w:a1 b:b2", ""),
        ("(;GM[11]SZ[3]TESUJI[hex:3:3/1b1/2w:b];B[a1];W[c1])", "hex:3:3/1b1/2w:b", "b:a1 w:c1", ""),
    ],
)
def test_dialects_and_round_trips(text: str, game: str, played: str, result: str) -> None:
    record = read(text)
    assert (record.game.name, moves(record), record.result) == (game, played, result)
    written = sgf_text([record_tree(record)])
    again = read(written)
    assert (again.game.name, moves(again), again.result) == (game, played, result)
    assert again.position().tobytes() == record.position().tobytes()


def test_a_record_without_a_number_is_read_as_the_game_that_is_named() -> None:
    text = "(;FF[4]EV[null]SZ[13]RE[B];W[ac];B[gg])"
    assert moves(read(text, game=find_game("hex:13"))) == "b:a3 w:g7"
    assert read(text).game.name.startswith("go:13")
    with pytest.raises(SgfError, match="13x13, not that of hex:11"):
        read(text, game=find_game("hex:11"))
    with pytest.raises(SgfError, match="swap"):
        read("(;SZ[5];W[ac];B[swap];W[aa])", game=find_game("hex:5"))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("(;GM[11]SZ[20];B[a1])", "a board of 20x20 is out of range"),
        ("(;GM[11]SZ[0];B[a1])", "a board of 0x0 is out of range"),
        ("(;GM[11]SZ[5:4];B[a5])", "'a5' is not a cell of a board of 5x4"),
        ("(;GM[11]SZ[5];B[f1])", "'f1' is not a cell"),
        ("(;GM[11]SZ[5];B[])", "'' is not a cell"),
        ("(;GM[11]SZ[5];B[a1];W[a1])", r"W\[a1\] is not a legal move of hex:5 here"),
        ("(;GM[11]SZ[5];B[swap-pieces])", "is not a legal move"),
        ("(;GM[11]SZ[5];B[a1];W[b1];B[swap-pieces])", "is not a legal move"),
        ("(;GM[11]SZ[5:4];B[a1];W[swap-pieces];B[b1])", "a board of 5x4 has no swap"),
        ("(;GM[11]SZ[5];B[a1];W[swap-sides];B[b1])", "after swap-sides"),
        ("(;GM[11]SZ[5];B[a1];W[b2];B[swap-sides];W[c3])", r"move 3 .*: B\[swap-sides\] is only possible as the second move"),
        ("(;GM[11]SZ[5];B[swap-sides];W[a1])", r"move 1 .*: B\[swap-sides\] is only possible as the second move"),
        ("(;GM[11]SZ[5];B[a1];B[swap-sides];B[b2])", r"move 2 .*: B\[swap-sides\] is out of turn"),
        ("(;GM[11]SZ[5];B[a1];W[swap-sides];W[swap-sides];B[b2])", "only possible as the second move"),
        ("(;GM[11]SZ[5];B[a1];W[swap-pieces];W[swap-pieces];B[b2])", r"W\[swap-pieces\] is only possible as the second move"),
        ("(;GM[11]SZ[5];B[a1];W[swap-pieces];B[swap-pieces])", "is not a legal move"),
        ("(;EV[hex.ch.1]SZ[5];W[aa];B[swap];B[swap];W[bb])", r"B\[swap\] is only possible as the second move"),
        ("(;GM[11]SZ[5];B[a1];W[resign];B[b2])", r"move 3 .*: B\[b2\] comes after W has resigned"),
        ("(;GM[11]SZ[5];B[resign];W[resign])", r"move 2 .*: W\[resign\] comes after B has resigned"),
        ("(;EV[hex.ch.1]SZ[5];W[aa];B[bb];W[resign];B[cc])", r"move 4 .*: B\[cc\] comes after W has resigned"),
        ("(;GM[11]SZ[2];B[a1];W[b1];B[a2];W[b2])", "comes after the end of the game"),
        ("(;GM[11]SZ[5]AB[f6];B[a1])", "'f6' is not a point"),
        ("(;GM[11]SZ[3]TESUJI[hex:3:3/3/4:b];B[a1])", "row 3 has 4 cells, not 3"),
    ],
)
def test_faults_are_named(text: str, wrong: str) -> None:
    with pytest.raises(SgfError, match=wrong) as caught:
        read(text)
    assert "\n" not in str(caught.value)


def test_a_result_without_a_margin() -> None:
    assert parse_result("B").winner == 0 and parse_result("w").winner == 1 and parse_result("Black").winner is None
    assert parse_result("W+").winner == 1


def test_positions_of_other_built_in_games_may_have_slashes() -> None:
    game = find_game("loa:8/2b5/8/2b1w3/8/8/3w4/8:b")
    record = Record(game)
    assert read(sgf_text([record_tree(record)])).game == game


def test_the_stones_of_a_position_are_written_for_other_programs_too() -> None:
    game = find_game("hex:3:3/1b1/2w:b")
    text = sgf_text([record_tree(Record(game))])
    assert "AB[b2]" in text and "AW[c3]" in text and "PL[B]" in text
    record = read(text)
    assert record.game == game and record.start.tobytes() == game.initial.tobytes()
    elsewhere = read(text.replace("TESUJI[hex:3:3/1b1/2w:b]", ""))  # what a program without our property understands
    assert elsewhere.start.tobytes() == game.initial.tobytes()
    assert "PL" not in sgf_text([record_tree(Record(find_game("hex:3:swap=on")))])


def test_a_record_with_a_swap_can_be_loaded_where_the_game_has_none(tmp_path) -> None:
    path = tmp_path / "swap.sgf"
    path.write_text("(;GM[11]SZ[5];B[a2];W[swap-pieces];B[c3])")
    loaded, _, _ = open_tree(path.read_bytes(), "swap.sgf", ours=find_game("hex:5"))
    assert loaded.game.name == "hex:5:swap=on" and GameInPlay(loaded).stones() == {(1, 0): 1, (2, 2): 0}
