"""Playing Go in the terminal: captures, passes, agreeing on dead stones, komi, handicap; and records of any game."""

from __future__ import annotations

import io
import random

import pytest

from tesuji.cli.play import converse
from tesuji.cli.terminal import TerminalGame
from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.presets import DEFAULT, STRONGEST, default_player, find_player

PLAYER = find_player("tesuji:memory=4")


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture(autouse=True)
def column_b_is_dead(monkeypatch):
    """In place of playouts: white stones on the column B are dead."""

    def status(game, state):
        return {point: "dead" if point[0] == 1 and owner == 1 else "alive" for point, owner in game.board.stones(state).items()}

    for module in ("cli.terminal", "play.game"):
        monkeypatch.setattr(
            f"tesuji.{module}.status_for", lambda game: status if game.name.startswith("go") and game.board else None
        )


def make(said, game="go:5", side="both", **options) -> TerminalGame:
    return TerminalGame(find_game(game), PLAYER, Limits(playouts=20), side=side, say=said.append, **options)


def type_in(session, text: str) -> None:
    for line in text.split(";"):
        assert session.answer(line.strip())


def passed(said, **options) -> TerminalGame:
    """Black has a wall on the column C, White one on D and a lost stone at B3; both have passed."""
    session = make(said, **options)
    type_in(session, "c1; d1; c2; d2; c3; d3; c4; d4; c5; d5; pass; b3; pass; pass")
    return session


# -- the end -----------------------------------------------------------------------------------------------------------
def test_dead_stones_come_off_by_agreement(said):
    session = passed(said)
    assert session.played.turn == "scoring" and not session.played.is_over and session.outcome is None
    assert "dead White stones: B3" in said and said[-1] == "Type agree to end the game so, or play on."
    said.clear()
    session.answer("a1")
    assert said[-1].startswith("type agree to end the game")
    session.answer("agree")
    assert session.played.is_over and session.result == "W+2.5" and session.outcome == -2.5
    assert said[-1] == ("The game is over: White wins (score -2.5 for Black); area scoring, komi 7.5, 1 dead stone taken off.")


@pytest.mark.parametrize("words", ["play on", "no"])
def test_who_does_not_agree_plays_on(said, words):
    session = passed(said)
    session.answer(words)
    assert session.played.turn == "person" and session.played.mover == 0 and not rules.is_over(session.played.state)
    type_in(session, "a3; pass; b2; pass; b4")
    assert said.count("Black plays B4, taking 1 stone") == 1
    assert "captured by Black: 1, by White: 0" in said
    type_in(session, "pass; pass")
    assert session.played.turn == "scoring" and "No stones are judged dead." in said
    session.answer("agree")
    assert session.result == "W+2.5"
    type_in(session, "undo; undo; undo; undo; undo; undo; undo; undo")
    assert session.played.move_texts()[-2:] == ["pass", "pass"] and session.played.turn == "scoring", "before playing on"
    session.answer("undo")
    assert session.played.move_texts()[-2:] == ["B3", "pass"] and session.played.turn == "person"


def test_passes_are_announced(said):
    session = make(said)
    type_in(session, "c3; pass")
    assert "White passes" in said and "Black passes" not in said


def test_without_dead_stones_people_are_asked_too(said):
    """The estimate may miss dead stones: who sees one must be able to play on."""
    session = make(said)
    type_in(session, "c3; c2; pass; pass")
    assert session.played.turn == "scoring" and session.outcome is None
    assert said[-3] == "No stones are judged dead." and said[-2].startswith("The score: White wins")
    session.answer("play on")
    assert session.played.turn == "person" and session.played.mover == 0
    type_in(session, "pass; pass; agree")
    assert session.played.is_over and session.result == "W+7.5"
    session.answer("play on")
    assert session.played.turn == "person", "also after it was agreed on"


def test_play_on_is_refused_where_nobody_has_passed(said):
    session = make(said)
    for line in ("play on", "c3; play on", "resign; play on"):
        type_in(session, line)
        assert said[-1] == "play on works only after two passes, in Go"
    other = make(said, "tictactoe")
    type_in(other, "a1; b1; a2; b2; a3; play on")
    assert said[-1] == "play on works only after two passes, in Go" and other.played.is_over


def test_without_people_nobody_is_asked(said):
    session = make(said, side="none", opening=("c3", "pass", "pass"))
    assert session.played.is_over and session.result == "B+17.5"


def test_the_end_of_input_agrees_and_json_counts_points(tesuji, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("C3\npass\nC2\npass\npass\n"))
    found = tesuji("play", "go:5", "--side", "both", "--json").json
    assert found["over"] is True and found["outcome"] == 17.5
    assert found["result"].startswith("Black wins (score +17.5 for Black)")


def test_resigning(said):
    session = make(said)
    type_in(session, "c3; resign")
    assert session.played.is_over and session.result == "B+R" and session.outcome is None
    assert said[-1] == "The game is over: Black wins by resignation."
    session.answer("d3")
    assert said[-1].startswith("the game is over: Black wins by resignation; new")
    session.answer("resign")
    assert said[-1] == "the game is over: there is nothing to resign"
    session.answer("undo")
    assert session.played.turn == "person" and len(session.played.moves()) == 1


def test_the_score_of_a_game_that_goes_on(said):
    session = make(said)
    type_in(session, "c1; d1; c2; d2; c3; d3; c4; d4; c5; d5; pass; b3; score")
    assert said[-1].startswith("The score now: White wins (score -2.5 for Black); area scoring, komi 7.5, 1 dead")
    other = make(said, "tictactoe")
    other.answer("score")
    assert said[-1] == "this game has no score before its end; why says who is ahead"


# -- komi and handicap -------------------------------------------------------------------------------------------------
def test_komi(said):
    session = make(said)
    type_in(session, "c3; komi 0.5")
    assert session.played.game.name == "go:5:komi=0.5" and session.played.move_texts() == ["C3"]
    session.answer("komi")
    assert said[-1] == "komi 0.5"
    for text, why in (("x", "not a number"), ("0.3", "whole and half points"), ("900", "-361 .. 361")):
        session.answer(f"komi {text}")
        assert why in said[-1] and session.played.game.extra["komi"] == 0.5
    other = make(said, "tictactoe")
    other.answer("komi 3")
    assert said[-1] == "tictactoe has no komi"


def test_handicap(said):
    session = make(said, "go:9", handicap=2)
    assert session.played.mover == 1 and len(session.played.game.board.stones(session.played.state)) == 2
    session.answer("handicap 4")
    assert len(session.played.game.board.stones(session.played.state)) == 4
    session.answer("e5")
    session.answer("handicap 3")
    assert said[-1].startswith("handicap stones come before the first move")
    session.answer("new")
    assert len(session.played.game.board.stones(session.played.state)) == 4 and session.played.mover == 1
    session.answer("handicap 0")
    assert session.played.game.board.stones(session.played.state) == {} and session.played.mover == 0
    session.answer("handicap 99")
    assert said[-1] == "a handicap of 99 does not fit a board of 9x9: 2 to 9 stones"
    make(said).answer("handicap 2")
    assert said[-1] == "a 5x5 board has no handicap points"
    with pytest.raises(UserError, match="no handicap stones"):
        make(said, "tictactoe", handicap=2)


@pytest.mark.parametrize("line", ["handicap {}", "level {}", "komi {}", "c{}", "{}", "undo {}"])
def test_a_number_of_5000_digits_is_told_and_the_game_goes_on(said, line):
    session = make(said)
    session.answer(line.format("9" * 5000))
    assert session.played.moves() == [] and len(said[-1]) < 300


def test_a_typed_line_that_raises_is_told(said, monkeypatch):
    session = make(said)
    for error in (ValueError, OverflowError):

        def raises(_words, error=error):
            raise error("too large")

        monkeypatch.setattr(session, "_do_komi", raises)
        session.answer("komi 3")
        assert said[-1] == "'komi 3' cannot be done: too large"


def test_help_names_what_the_game_has(said):
    make(said).answer("help")
    assert all(word in said[-1] for word in ("komi", "handicap", "agree", "save FILE", "load FILE", "why", "resign", "score"))
    make(said, "tictactoe").answer("help")
    assert "save FILE" in said[-1] and not any(word in said[-1] for word in ("komi", "handicap", "agree"))


# -- records -----------------------------------------------------------------------------------------------------------
def test_a_game_is_saved_and_loaded(said, tmp_path):
    path = tmp_path / "my game.sgf"
    session = passed(said)
    type_in(session, "agree")
    assert session.is_unsaved
    session.answer(f"save {path}")
    assert said[-1] == f"saved: {path}" and not session.is_unsaved
    assert "RE[W+2.5]" in path.read_text() and "PB[person]" in path.read_text()
    other = make(said, "go:9")
    other.answer(f"load {path}")
    assert (
        other.played.game.name == "go:5"
        and other.played.move_texts() == session.played.move_texts()
        and other.played.turn == "scoring"
    )
    type_in(other, "undo; undo; undo; a1")
    assert other.played.move_texts()[-1] == "A1" and other.is_unsaved


@pytest.mark.parametrize(("end", "result"), [("resign", "RE[B+R]"), ("pass; pass; agree", "RE[B+17.5]")])
def test_the_end_of_a_saved_game_is_not_saved_yet(said, tmp_path, end, result):
    path = tmp_path / "game.sgf"
    session = make(said)
    moves = end.removesuffix("; agree") if "agree" in end else ""
    type_in(session, "; ".join(["c3", *([moves] if moves else []), f"save {path}"]))
    assert not session.is_unsaved
    session.answer(end.split("; ")[-1])
    assert session.is_unsaved and "RE[" not in path.read_text()
    session.answer(f"save {path}")
    assert not session.is_unsaved and result in path.read_text()
    session.answer("undo")
    assert not session.is_unsaved


def test_a_file_of_another_game_is_replaced_only_on_request(said, tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[1]SZ[5];B[aa])(;GM[1]SZ[5];B[bb])")
    session = make(said)
    refused = f"{path} exists already; name another file, or type: save! {path}"
    type_in(session, f"c3; save {path}")
    assert said[-1] == refused and session.is_unsaved and "bb" in path.read_text()
    type_in(session, f"load {path}; c3; save {path}")
    assert said[-1] == refused, "the second game would be lost"
    type_in(session, f"save! {path}; d3; save {path}")
    assert said[-1] == f"saved: {path}" and "bb" not in path.read_text() and "B[dc]" in path.read_text()
    type_in(session, f"new; c3; save {path}")
    assert said[-1] == refused
    type_in(session, f"load {path}; b2; save {path}")
    assert said[-1] == f"saved: {path}"
    session.answer("save!")
    assert said[-1] == "save! FILE: which file?"
    note = tmp_path / "note.txt"
    note.write_text("dear diary")
    session.answer(f"save! {note}")
    assert "so it is not overwritten" in said[-1]


def test_what_a_record_says_and_its_variations_stay(said, tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[1]SZ[5]PB[Honinbo]EV[final]RE[B+R]C[hello];B[cc](;W[dd]C[well])(;W[bb]TR[aa];B[ab]))")
    session = make(said)
    session.answer(f"load {path}")
    session.answer(f"save {path}")
    assert said[-1] == f"saved: {path}" and "RE[B+R]" in path.read_text()
    type_in(session, f"undo; b1; save {path}")
    text = path.read_text()
    assert all(kept in text for kept in ("PB[Honinbo]", "EV[final]", "C[hello]", "(;W[bb]TR[aa];B[ab])", "PW[person]"))
    assert "RE[" not in text, "the game goes on"
    assert "W[dd]" not in text, "it was taken back"
    other = make(said)
    other.answer(f"load {path}")
    assert other.played.move_texts() == session.played.move_texts() != [], "what was played is the main line"


@pytest.mark.parametrize("more", [";B[cc](;W[dd])(;W[cc])", f"C[{'x' * 20_001}];B[cc]"])
def test_a_record_that_cannot_all_be_read_is_replaced_only_on_request(said, tmp_path, more):
    path = tmp_path / "game.sgf"
    path.write_text(f"(;GM[1]SZ[5]{more})")
    before = path.read_text()
    session = make(said)
    type_in(session, f"load {path}; undo; a1; save {path}")
    assert said[-1].startswith(f"{path} exists already") and path.read_text() == before


def test_another_komi_begins_a_game_of_one_line(said, tmp_path):
    path = tmp_path / "game.sgf"
    session = make(said)
    type_in(session, f"c3; save {path}; komi 0.5; save {path}")
    assert said[-1] == f"saved: {path}"
    path.write_text("(;GM[1]SZ[5];B[cc](;W[dd])(;W[bb]))")
    type_in(session, f"load {path}; komi 1.5; save {path}")
    assert said[-1].startswith(f"{path} exists already")


def test_a_game_with_handicap_and_a_game_that_was_played_on_are_saved(said, tmp_path):
    path = tmp_path / "game.sgf"
    session = make(said, "go:9:komi=0.5", handicap=3)
    type_in(session, f"e5; d5; save {path}")
    other = make(said, "go:9")
    other.answer(f"load {path}")
    assert other.played.game.name == "go:9:komi=0.5" and bytes(other.played.state) == bytes(session.played.state)
    session = passed(said)
    type_in(session, f"play on; a3; save! {path}")
    other.answer(f"load {path}")
    stones = session.played.game.board.stones
    assert stones(other.played.state) == stones(session.played.state) and other.played.mover == session.played.mover == 1


def test_other_games_are_saved_too(said, tmp_path):
    path = tmp_path / "game.sgf"
    session = make(said, "tictactoe")
    type_in(session, f"b2; a1; save {path}")
    other = make(said, "tictactoe")
    other.answer(f"load {path}")
    assert other.played.move_texts() == ["b2", "a1"]


def test_files_that_cannot_be_used(said, tmp_path):
    session = make(said)
    session.answer("c3")
    note = tmp_path / "note.txt"
    note.write_text("dear diary")
    for line, why in (
        ("save", "which file?"),
        (f"save {note}", "is not an SGF file, so it is not overwritten"),
        (f"save {tmp_path}", "is a folder"),
        (f"save {tmp_path}/none/x.sgf", "there is no folder"),
        ("load", "which file?"),
        (f"load {note}", "cannot load file"),
        (f"load {tmp_path}/none.sgf", "cannot load file"),
    ):
        session.answer(line)
        assert why in said[-1] and session.played.move_texts() == ["C3"], line
    assert note.read_text() == "dear diary"


def test_play_takes_a_record(tesuji, tmp_path, monkeypatch):
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[1]FF[4]SZ[5]KM[0.5];B[cc];W[dd])")
    monkeypatch.setattr("sys.stdin", io.StringIO("b2\nquit\n"))
    found = tesuji("play", "--sgf", str(path), "--side", "both", "--json").json
    assert found["game"] == "go:5:komi=0.5" and found["moves"] == ["C3", "D2", "B2"]
    for words in (("--sgf", str(path), "--komi", "3"), ("--sgf", "none.sgf"), (), ("go:9", "--handicap", "12")):
        answer = tesuji("play", *words)
        assert answer.code == 2 and answer.err.count("\n") == 1
    found = tesuji("play", "go:9", "--komi", "0.5", "--handicap", "2", "--side", "both", "--json").json
    assert found["game"] == "go:9:komi=0.5" and found["moves"] == []


# -- why ---------------------------------------------------------------------------------------------------------------
def test_why_explains_the_computers_last_move(said):
    session = make(said, "tictactoe", side="first")
    session.answer("b2")
    session.computer_move()
    move = session.played.move_texts()[-1]
    said.clear()
    session.answer("why")
    assert said[0].startswith(f"The expected line is {move}")
    assert "playouts began with" in said[1] and said[1].startswith("o is ") and said[2].startswith("The second choice is ")


def test_why_explains_a_position_that_the_person_is_in(said):
    session = make(said, "tictactoe", opening=("a1", "b1"))
    session.limits = Limits(playouts=300)
    session.answer("why")
    assert any(text == "This is proven: x wins with perfect play." for text in said)
    type_in(session, "a2; b2; a3; why")
    assert said[-1] == "the game is over: there is nothing to explain"


# -- Ctrl-C ------------------------------------------------------------------------------------------------------------
def typed(*lines):
    left = list(lines)

    def read(_prompt):
        line = left.pop(0)
        if line == "^C":
            raise KeyboardInterrupt
        return line

    read.left = left
    return read


@pytest.mark.parametrize(
    ("lines", "leaves", "left"),
    [
        (("^C", "later"), True, 1),  # nothing is lost
        (("c3", "^C", "yes", "later"), True, 1),
        (("c3", "^C", "^C", "later"), True, 1),
        (("c3", "^C", "no", "d3", None), False, 0),
        (("c3", "^C", "what?", "n", "d3", None), False, 0),
    ],
)
def test_ctrl_c_asks_before_a_game_is_lost(said, lines, leaves, left):
    session, read = make(said), typed(*lines)
    if leaves:
        with pytest.raises(KeyboardInterrupt):
            converse(session, read, asks=True)
    else:
        converse(session, read, asks=True)
        assert session.played.move_texts() == ["C3", "D3"]
    assert len(read.left) == left


def test_ctrl_c_can_save(said, tmp_path):
    path = tmp_path / "kept.sgf"
    with pytest.raises(KeyboardInterrupt):
        converse(make(said), typed("c3", "^C", f"save {path}", "later"), asks=True)
    assert ";B[cc]" in path.read_text()


def test_without_a_person_nobody_is_asked(said):
    with pytest.raises(KeyboardInterrupt):
        converse(make(said), typed("c3", "^C", "later"), asks=False)


# -- the player --------------------------------------------------------------------------------------------------------
def test_the_strongest_player_of_a_game_plays_it():
    assert default_player(find_game("loa")).name == "loa"
    assert default_player(find_game("loa"), {"first_play": 0.5}) == DEFAULT.changed({"first_play": 0.5})
    assert default_player(find_game("loa"), {"memory": 1, "expected-games": 3}).name == "loa"
    assert default_player(find_game("go:9")).name == "go"
    assert default_player(find_game("connect4:7x6")).name == "tesuji"


def test_the_strongest_player_may_be_alpha_beta(monkeypatch):
    monkeypatch.setitem(STRONGEST, "loa", "mia2006")
    game = find_game("loa")
    assert default_player(game, {"memory": 1, "null-move": "off"}).name == "mia2006"
    assert default_player(game, {"exploration": 0.5}) == DEFAULT.changed({"exploration": 0.5})
    assert default_player(game, with_tree=True) == DEFAULT, "mia2006 keeps no tree"


def test_the_strongest_player_with_a_tree_analyzes(tesuji):
    def player_of(game: str, *options: str) -> str:
        return tesuji("analyze", game, "--playouts", "2", "--memory", "8", "--json", *options).json["player"]

    assert player_of("go:3") == "go"
    assert player_of("go:3", "--prior-games", "5") == "tesuji", "it has no effect for go"
    assert player_of("loa") == "loa"


def test_the_computer_says_which_player_it_is(said):
    for game, player, level, side, told in (
        ("loa", "mia2006", 10, "first", "you play Black. The computer is mia2006. Level 10."),
        ("loa", "mia2006", 3, "first", "you play Black. The computer is tesuji. Level 3."),
        ("tictactoe", "uct", 4, "both", "you play x and o. Level 4."),
    ):
        session = TerminalGame(find_game(game), find_player(player), level=level, side=side, say=said.append)
        converse(session, typed("quit"))
        assert told in said[0]
        said.clear()


def test_weak_levels_of_alpha_beta_are_a_tree_search(said):
    session = TerminalGame(
        find_game("loa"), find_player("mia2006:memory=1"), Limits(playouts=20), side="second", say=said.append
    )
    from tesuji.search.engine.tree_search import TreeSearch

    searches = []
    for session.level in (3, 10):
        search = session.opponent.search(session.played.position, random.Random(1), lambda: 1)
        searches.append(search.engine)
    assert isinstance(searches[0], TreeSearch) and not isinstance(searches[1], TreeSearch)
