"""Game records: which game, where it begins, its moves and what is known of it; for every game there and back."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.games.registry import ENTRIES, find_game
from tesuji.io.sgf import (
    GameResult,
    Record,
    SgfError,
    Turn,
    parse_result,
    parse_sgf,
    read_record,
    record_tree,
    sgf_bytes,
    sgf_text,
)


@pytest.fixture(autouse=True)
def pure_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESUJI_PURE", "1")


def read(text: str, **options) -> Record:
    return read_record(parse_sgf(text)[0], "x.sgf", **options)


def again(record: Record, **options) -> Record:
    return read_record(parse_sgf(sgf_bytes([record_tree(record)]))[0], **options)


def stones(record: Record, count: int | None = None) -> dict:
    board = record.game.board
    assert board is not None
    return board.stones(record.position(count))


def text(record: Record) -> str:
    return " ".join(record.game.text(state, turn.move) for state, turn in record.replay() if turn.move is not None)


# -- any game, there and back --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", [entry.example for entry in ENTRIES])
def test_a_random_game_of_every_game_there_and_back(name):
    game = find_game(name)
    chance = random.Random(3)
    record = Record(game, black="A ] \\ :", white="Б", date="2026-01-02", rules="ours", comment="two\nlines: ] \\")
    state = game.new_state()
    while not rules.is_over(state) and len(record.turns) < 40:
        move = chance.choice(game.legal_moves(state))
        record.add(int(rules.to_play(state)), move, f"[{move}]", 60.25)
        with np.errstate(over="ignore"):
            rules.play(state, move)
    record.result = game.result(state) if rules.is_over(state) else "Void"
    back = again(record)
    assert back.game.name == game.name
    assert [(t.player, t.move, t.comment, t.seconds_left) for t in back.turns] == [
        (t.player, t.move, t.comment, t.seconds_left) for t in record.turns
    ]
    for field in ("black", "white", "date", "rules", "comment", "result"):
        assert getattr(back, field) == getattr(record, field)
    assert back.position().tobytes() == state.tobytes()
    assert back.is_plain and back.notes == [] and back.start.tobytes() == game.initial.tobytes()


def test_a_game_without_a_number_is_written_by_its_game_string():
    record = Record(find_game("connect4:7x6"))
    for player, move in ((0, 3), (1, 3), (0, 2)):
        record.add(player, move)
    written = sgf_text([record_tree(record)])
    assert "GM[0]" in written and "TESUJI[connect4:7x6]" in written and ";B[4]" in written.replace("\n", "")
    assert read(written, game=find_game("connect4:7x6")).moves == [3, 3, 2]
    with pytest.raises(UserError, match=r"this is a game of connect4:7x6, not of connect4:5x5"):
        read(written, game=find_game("connect4:5x5"))


def test_go_is_written_as_others_read_it():
    game = find_game("go:9:komi=5.5,superko=positional")
    record = Record(game, black="b", white="w", result="B+R", date="2026-01-02")
    record.turns = [Turn(0, 40, seconds_left=59.5, stones_left=3), Turn(1, 81, comment="why?")]
    (root,) = parse_sgf(sgf_text([record_tree(record)]))
    names = ["FF", "GM", "CA", "AP", "SZ", "TESUJI", "KM", "PB", "PW", "RE", "DT"]
    assert list(root.properties) == names
    assert [root.raw(name) for name in ("FF", "GM", "CA", "SZ", "KM")] == ["4", "1", "UTF-8", "9", "5.5"]
    assert root.children[0].properties == {"B": ["ee"], "BL": ["59.5"], "OB": ["3"]}
    assert root.children[0].children[0].properties == {"W": [""], "C": ["why?"]}
    back = again(record)
    assert back.game.name == game.name and back.turns[0].stones_left == 3


def test_what_cannot_be_written_is_refused():
    record = Record(find_game("go:5"), turns=[Turn(0, 12), Turn(1, 12)])
    with pytest.raises(UserError, match="move 2 of the record, 12, is not legal in go:5"):
        record_tree(record)
    assert len(list(record_tree(Record(find_game("go:5"), turns=[Turn(0, 12)]), check=False).main_line())) == 2
    with pytest.raises(UserError, match="99, is not possible"):
        record_tree(Record(find_game("go:5"), turns=[Turn(0, 99)]))
    with pytest.raises(UserError, match="cannot be written; begin with the moves"):
        record_tree(Record(find_game("connect4:7x6"), find_game("connect4:7x6").state_after(["1"])))


# -- which game ----------------------------------------------------------------------------------------------------------
def test_size_and_komi_are_the_files():
    assert read("(;GM[1]SZ[13]KM[0.5])").game.name == "go:13:komi=0.5"
    assert read("(;)").game.name == "go:19"
    assert read("(;SZ[9:9]KM[])").game.name == "go:9"
    assert read("(;SZ[9]KM[5,5])").game.name == "go:9:komi=5.5"


@pytest.mark.parametrize("komi", ["375", "3.75", "reverse", "nan", "inf"])
def test_a_komi_that_cannot_be_is_noted_and_the_moves_are_read(komi):
    record = read(f"(;SZ[9]KM[{komi}];B[ee])")
    assert record.game.name == "go:9" and len(record.moves) == 1
    assert len(record.notes) == 1 and f"KM[{komi}]" in record.notes[0]


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ("GM[3]", r"GM\[3\] is not a game that is known here; known: 1 \(Go\)"),
        ("GM[go]", r"GM\[go\] is not the number of a game"),
        ("GM[0]", "is not a game that is known here"),
        ("SZ[x]", r"SZ\[x\] is not a size"),
        ("SZ[7:6]", "go is not played on 7x6"),
        ("SZ[25]", "out of range"),
        ("GM[0]TESUJI[nosuch:3]", "there is no game 'nosuch:3'"),
        ("GM[0]TESUJI[connect4:7x6]SZ[0", "does not end"),
    ],
)
def test_games_that_are_not_ours(properties, words):
    with pytest.raises(SgfError, match=words):
        read(f"(;{properties})")


def test_a_record_never_runs_a_file_that_it_names(tmp_path):
    trap = tmp_path / "trap.py"
    trap.write_text("raise SystemExit('run')")
    with pytest.raises(UserError, match="code that a record must not run; name the game yourself"):
        read(f"(;GM[0]TESUJI[{trap}:game];B[1])")


def test_the_game_that_is_named_by_the_caller_is_the_one_played():
    assert read("(;SZ[9]KM[5.5];B[ee])", game=find_game("go:9:komi=0")).game.name == "go:9:komi=0"
    with pytest.raises(UserError, match="on a board of 13x13, not that of go:9"):
        read("(;SZ[13])", game=find_game("go:9"))
    with pytest.raises(UserError, match=r"a game of number GM\[1\], not of tictactoe"):
        read("(;SZ[3])", game=find_game("tictactoe"))


# -- where it begins -----------------------------------------------------------------------------------------------------
def test_stones_are_set_up_and_the_first_move_tells_who_is_to_play():
    record = read("(;SZ[5]AB[aa][cb:dc]AW[ee];W[ea])")
    expected = {(0, 4): 0, (2, 3): 0, (3, 3): 0, (2, 2): 0, (3, 2): 0, (4, 0): 1}
    assert stones(record, 0) == expected and stones(record) == {**expected, (4, 4): 1}
    assert record.is_plain and rules.to_play(record.start) == 1
    assert rules.to_play(read("(;SZ[5]AB[aa])").start) == 0
    assert rules.to_play(read("(;SZ[5]AB[aa]PL[W])").start) == 1
    assert rules.to_play(read("(;SZ[5]PL[White])").start) == 1


def test_rectangles_may_name_any_two_corners():
    assert stones(read("(;SZ[5]AB[dc:cb])")) == stones(read("(;SZ[5]AB[cb:dc])"))
    assert stones(read("(;SZ[5]AB[aa:ca];AE[ba])")) == {(0, 4): 0, (2, 4): 0}


def test_handicap():
    record = read("(;SZ[9]HA[2]AB[gc][cg];W[ee])")
    assert (record.handicap, rules.to_play(record.start), stones(record, 0)) == (2, 1, {(6, 6): 0, (2, 2): 0})
    assert stones(read("(;SZ[9]HA[2];W[ee])"), 0) == {(6, 6): 0, (2, 2): 0}, "the fixed points, where none are named"
    assert read("(;SZ[9]HA[0];B[ee])").is_plain
    placed = read("(;SZ[9]HA[2];B[gc];B[cg];W[ee])")
    assert stones(placed) == {(6, 6): 0, (2, 2): 0, (4, 4): 1}
    with pytest.raises(SgfError, match="a handicap of 40 does not fit"):
        read("(;SZ[9]HA[40];W[ee])")


def test_a_set_up_start_there_and_back():
    record = read("(;SZ[5]KM[0]HA[2]AB[bb][dd]AW[cc];W[db];B[])")
    back = again(record)
    assert back.start.tobytes() == record.start.tobytes() and back.moves == record.moves and back.handicap == 2
    (root,) = parse_sgf(sgf_text([record_tree(record)]))
    assert (root.values("AB"), root.values("AW"), root.values("PL")) == (["bb", "dd"], ["cc"], ["W"])


def test_setting_up_in_the_middle():
    record = read("(;SZ[5];B[aa];AB[bb]AW[cc]AE[aa]PL[B]C[look];B[dd];W[ee])")
    assert stones(record, 1) == {(1, 3): 0, (2, 2): 1}
    assert stones(record) == {(1, 3): 0, (2, 2): 1, (3, 1): 0, (4, 0): 1}
    assert not record.is_plain and len(record.moves) == 3 and record.turns[1].comment == "look"
    back = again(record)
    assert [t.move for t in back.turns] == [t.move for t in record.turns]
    assert back.position().tobytes() == record.position().tobytes()


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ("AB[zz]", r"AB\[zz\]: 'zz' is not a point of go:5"),
        ("AB[aaa]", "is not a point"),
        ("AW[a:b]", "is not a point"),
        ("AB[a9]", "is not a point"),
        ("PL[green]", r"PL\[green\] is nobody; expected B or W"),
        ("AB[aa:ee]", "has no liberty"),
    ],
)
def test_positions_that_cannot_be(properties, words):
    with pytest.raises(SgfError, match=words) as caught:
        read(f"(;SZ[5]\n;{properties})")
    assert caught.value.line == 2


def test_a_game_that_cannot_be_set_up_says_so():
    with pytest.raises(UserError, match="positions of connect4:7x6 cannot be set up"):
        read("(;GM[0]TESUJI[connect4:7x6]AB[aa])")


# -- moves ---------------------------------------------------------------------------------------------------------------
def test_an_illegal_move_is_named_with_its_place():
    with pytest.raises(SgfError) as caught:
        read("(;SZ[5]\n;B[aa];W[aa])", number=7)
    assert str(caught.value) == "x.sgf: game 7, move 2 (line 2, column 7): W[aa] is not a legal move of go:5 here"
    with pytest.raises(SgfError, match=r"move 1 .*B\[zz\]: 'zz' is not a point"):
        read("(;SZ[5];B[zz])")
    with pytest.raises(SgfError, match=r"x.sgf, move 8 .*B\[1\] comes after the end of the game"):
        read("(;GM[0]TESUJI[connect4:7x6];B[1];W[2];B[1];W[2];B[1];W[2];B[1];B[1])")
    with pytest.raises(SgfError, match=r"move 2 .*B\[1\] is out of turn: W is to move"):
        read("(;GM[0]TESUJI[connect4:7x6];B[1];B[1])")


def test_passes_are_written_in_two_ways_and_play_may_be_resumed():
    record = read("(;SZ[5];B[cc];W[tt];B[];W[bb];B[aa];W[];B[];W[])")
    assert text(record) == "C3 pass pass B4 A5 pass pass pass"
    assert not record.is_plain
    assert text(again(record)) == text(record)


def test_a_player_may_move_twice_in_turn():
    record = read("(;SZ[5];B[cc];B[bb];W[aa])")
    assert stones(record) == {(2, 2): 0, (1, 3): 0, (0, 4): 1}
    assert [turn.player for turn in record.turns if turn.move is not None] == [0, 0, 1]


def test_the_main_line_is_read_and_as_many_moves_as_are_wanted():
    source = "(;SZ[5];B[cc](;W[bb];B[zz])(;W[aa]))"
    record = read(source, moves=2)
    assert text(record) == "C3 B4"
    assert len(read(source, moves=0).moves) == 0
    with pytest.raises(UserError, match="there is no position after 3 moves: the game has 2"):
        record.position(3)


def test_moves_in_the_root_and_two_in_one_node():
    assert text(read("(;SZ[5]B[cc];W[bb]B[aa])")) in ("C3 A5 B4", "C3 B4 A5")


def test_superko_of_the_game_holds_in_the_record():
    game = find_game("go:9:superko=positional")
    record = Record(game)
    record.add(0, 40)
    assert again(record).game.name == game.name


# -- results -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "winner", "by", "margin", "written"),
    [
        ("B+3.5", 0, "score", 3.5, "B+3.5"),
        ("w+12", 1, "score", 12.0, "W+12"),
        ("W+0,5", 1, "score", 0.5, "W+0.5"),
        ("W+R", 1, "resign", None, "W+R"),
        ("B+Resign", 0, "resign", None, "B+R"),
        ("W+T", 1, "time", None, "W+T"),
        ("W+Forfeit", 1, "forfeit", None, "W+F"),
        ("B+", 0, "unknown", None, "B+"),
        ("0", None, "draw", None, "0"),
        ("Draw", None, "draw", None, "0"),
        ("Void", None, "void", None, "Void"),
        ("?", None, "unknown", None, "?"),
        ("", None, "unknown", None, "?"),
        ("Black won, I think", None, "unknown", None, "?"),
    ],
)
def test_results(text, winner, by, margin, written):
    result = parse_result(text)
    assert result == GameResult(winner, by, margin)
    assert str(result) == written
    assert read(f"(;SZ[5]RE[{text}])").outcome == result
