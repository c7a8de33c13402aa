"""Playing: what people type, whose turn it is, and how strong the computer is."""

from __future__ import annotations

import io
import random
from collections import Counter

import pytest

from tesuji.cli.play import converse
from tesuji.cli.terminal import TerminalGame
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.levels import LEVELS, Level, choose_move
from tesuji.players.presets import find_player
from tesuji.search.engine.tree_search import MoveReport, Result, TreeSearch

PLAYER = find_player("tesuji:memory=4")


@pytest.fixture
def said() -> list[str]:
    return []


def make(said, game="tictactoe", playouts=60, **options) -> TerminalGame:
    return TerminalGame(find_game(game), PLAYER, Limits(playouts=playouts), say=said.append, **options)


def drive(session: TerminalGame, *lines: str) -> None:
    """Types the lines, each when it is the person's turn, and lets the computer answer."""
    for line in lines:
        while session.played.turn == "computer":
            session.computer_move()
        assert session.answer(line)
    while session.played.turn == "computer":
        session.computer_move()


def test_a_move_is_played_and_answered(said):
    session = make(said)
    drive(session, "b2")
    assert session.played.move_texts()[0] == "b2" and len(session.played.moves()) == 2
    assert session.played.turn == "person"
    assert any(text.startswith("o plays ") for text in said)


def test_the_tree_goes_along_with_the_game(said):
    session = make(said, playouts=200)
    drive(session, "b2")
    search = session.opponent.search(session.played.position, random.Random(1), lambda: 1).engine
    assert search.result().nodes > 1
    assert bytes(search.state) == bytes(session.played.state)


def test_a_bad_move_says_why_and_changes_nothing(said):
    session = make(said)
    assert session.answer("z9")
    assert "'z9' is not a legal move of tictactoe here; legal: a1 b1" in said[-1] and "help" in said[-1]
    assert session.played.moves() == []


def test_a_game_that_raises_on_what_people_type_is_no_end(said):
    import dataclasses

    def parse(_state, text):
        return int(text)

    game = dataclasses.replace(find_game("tictactoe"), parse_move=parse)
    session = TerminalGame(game, PLAYER, Limits(playouts=10), say=said.append)
    assert session.answer("zwei")
    assert "'zwei' is no move: ValueError" in said[-1]


def test_undo_goes_back_to_ones_own_move(said):
    session = make(said)
    drive(session, "b2")
    first = list(session.played.moves())
    legal = session.played.game.text(session.played.state, session.played.game.legal_moves(session.played.state)[0])
    drive(session, legal)
    session.answer("undo")
    assert session.played.moves() == first
    session.answer("undo")
    assert session.played.moves() == [] and session.played.turn == "person"
    session.answer("undo")
    assert said[-1] == "there is no move of yours to take back"


def test_undo_with_both_sides_takes_back_one_move(said):
    session = make(said, side="both")
    drive(session, "b2", "a1", "undo")
    assert session.played.move_texts() == ["b2"]


def test_undo_never_takes_back_the_computers_first_move_alone(said):
    session = make(said, side="second")
    drive(session, "undo")
    assert len(session.played.moves()) == 1 and said[-1] == "there is no move of yours to take back"


def test_hints_show_percentages_and_proofs(said):
    session = make(said, side="both", playouts=300, opening=("a1", "b1"))
    session.answer("hint")
    assert "Proven: x wins with perfect play." in said
    assert any(text.endswith("proven win") and "%" in text for text in said)


def test_a_proof_is_told_once(said):
    session = make(said, side="both", playouts=300, opening=("a1", "b1"))
    session.answer("hint")
    session.answer("hint")
    assert said.count("Proven: x wins with perfect play.") == 1


def test_levels_and_suggestions_are_set(said):
    session = make(said)
    for line, reply in {
        "level": "level 10 of 10",
        "level 3": "level 3 of 10",
        "level 0": "'0' is not a level: 1 (beginner) to 10 (full strength)",
        "level three": "'three' is not a level: 1 (beginner) to 10 (full strength)",
        "suggest on": "suggestions are on",
        "suggest OFF": "suggestions are off",
        "suggest": "suggest on or suggest off?",
    }.items():
        session.answer(line)
        assert said[-1] == reply
    assert session.level == 3 and not session.suggests


def test_sides_are_switched(said):
    session = make(said)
    drive(session, "switch sides")
    assert said[0] == "you play o now" and len(session.played.moves()) == 1 and session.played.turn == "person"


@pytest.mark.parametrize(("side", "why"), [("both", "you play both sides already"), ("none", "the computer plays both sides")])
def test_there_may_be_no_sides_to_switch(said, side, why):
    make(said, side=side).answer("switch")
    assert said[-1] == why


def test_help_moves_board_new_and_quit(said):
    session = make(said)
    session.answer("help")
    assert all(word in said[-1] for word in ("hint", "suggest", "undo", "level", "switch", "moves", "new", "quit"))
    session.answer("moves")
    assert said[-1] == "a1 b1 c1 a2 b2 c2 a3 b3 c3"
    drive(session, "b2", "", "board")
    session.answer("new")
    assert session.played.moves() == []
    assert session.answer("quit") is False


def test_after_the_end_there_is_new_and_undo(said):
    session = make(said, side="both")
    drive(session, "a1", "b1", "a2", "b2", "a3")
    assert session.played.turn == "over" and said[-1] == "The game is over: x wins."
    session.answer("c3")
    assert said[-1].startswith("the game is over: x wins; new starts another")
    session.answer("hint")
    assert said[-1].startswith("the game is over")
    session.answer("undo")
    assert session.played.turn == "person" and len(session.played.moves()) == 4


@pytest.mark.parametrize("game", ["tictactoe", "connect4:4x4", "seki:2,2", "semeai:3,3", "dotsandboxes:1x2"])
def test_full_strength_keeps_what_it_has_proven(said, game):
    for seed in range(2):
        session = make(said, game, playouts=100, side="first" if seed % 2 else "second", seed=seed)
        chance = random.Random(seed)
        said.clear()
        while not session.played.is_over:
            if session.played.turn == "computer":
                session.computer_move()
            else:
                session.play(chance.choice(session.played.game.legal_moves(session.played.state)))
        computer = session.people.index(False)
        proven = [text for text in said if text.startswith(f"Proven: {session.played.game.player_names[computer]} wins")]
        assert not proven or session.end_text.startswith(f"{session.played.game.player_names[computer]} wins")


@pytest.mark.parametrize("game", ["connect4:4x4", "seki:2,2", "semeai:3,3", "samegame:3x3:1"])
def test_what_is_proven_is_kept_by_the_move_that_is_named(said, game):
    """Also where the proof came from an equal position elsewhere, or from the rules, and not from a move."""
    session = make(said, game, playouts=100, side="both")
    chance = random.Random(1)
    proven = 0
    for _ in range(2):
        session.answer("new")
        while not session.played.is_over:
            result = session.hints()
            if result.proven:
                best = result.moves[0]
                assert best.lower >= result.lower if result.to_move == 0 else best.upper <= result.upper
                proven += 1
            session.play(chance.choice(session.played.game.legal_moves(session.played.state)))
    assert proven


def test_a_puzzle_is_played_by_a_person_or_by_the_computer(said):
    session = make(said, "samegame:3x3:1", playouts=20)
    move = session.played.game.text(session.played.state, session.played.game.legal_moves(session.played.state)[0])
    session.answer(move)
    assert len(session.played.moves()) == 1 and session.played.turn in ("person", "over")
    session.answer("switch")
    assert said[-1] == "this game has only one side"
    session = make(said, "samegame:3x3:1", playouts=20, side="none")
    while session.played.turn == "computer":
        session.computer_move()
    assert session.end_text.startswith("score ")


# -- levels ------------------------------------------------------------------------------------------------------------
def reports(*visits: int) -> Result:
    moves = [MoveReport(i, n, 0.0, 0.0, None, -1, 1, [i]) for i, n in enumerate(visits)]
    return Result(0, sum(visits), 9, 0.0, 0, 0.0, -1, 1, False, moves=moves)


def test_levels_rise():
    numbers = [level.playouts or float("inf") for level in LEVELS.values()]
    lapses = [level.random for level in LEVELS.values()]
    assert lapses == sorted(lapses, reverse=True)
    shares = [level.share for level in LEVELS.values()]
    temperatures = [level.temperature for level in LEVELS.values()]
    assert numbers == sorted(numbers) and shares == sorted(shares) and temperatures == sorted(temperatures, reverse=True)
    assert list(LEVELS) == list(range(1, 11)) and LEVELS[10] == Level(1.0)
    different = {(level.share, level.playouts, level.temperature, level.random) for level in LEVELS.values()}
    assert len(different) == len(LEVELS)


def test_low_levels_draw_by_visits_and_high_ones_do_not():
    game, chance = find_game("tictactoe"), random.Random(1)
    result = reports(80, 20, 0)
    drawn = Counter(choose_move(LEVELS[3], result, game, chance) for _ in range(2000))  # temperature 1
    assert drawn[2] == 0 and 1500 < drawn[0] < 1700
    assert {choose_move(LEVELS[8], result, game, chance) for _ in range(50)} == {0}


def test_the_lowest_levels_make_some_moves_at_random():
    game, chance = find_game("tictactoe"), random.Random(1)
    for level, share in ((1, 0.6), (2, 0.25)):
        drawn = Counter(choose_move(LEVELS[level], reports(100, 0), game, chance) for _ in range(2000))
        assert abs(drawn[1] / 2000 - share / 2) < 0.04


def test_middle_levels_keep_to_proofs():
    game, chance = find_game("tictactoe"), random.Random(1)
    result = reports(50, 50)
    result.moves[0].lower = result.moves[0].upper = -1  # lost for x, who is to move
    assert {choose_move(LEVELS[5], result, game, chance) for _ in range(50)} == {1}
    assert {choose_move(LEVELS[2], result, game, chance) for _ in range(50)} == {0, 1}
    result.proven, result.best_move = True, 1
    assert choose_move(LEVELS[5], result, game, chance) == 1
    assert choose_move(LEVELS[1], reports(0, 0), game, chance) in (0, 1)


def test_a_level_stays_within_the_limits_of_full_strength():
    assert LEVELS[6].limits(Limits(seconds=2.0)) == Limits(2.0 / 16, 1_000)
    assert LEVELS[7].limits(Limits(seconds=2.0)) == Limits(2.0 / 16, None)
    assert LEVELS[5].limits(Limits(playouts=1_600)) == LEVELS[7].limits(Limits(playouts=1_600)) == Limits(None, 100)
    assert LEVELS[5].limits(Limits(playouts=160_000)) == Limits(None, 400)
    assert LEVELS[1].limits(Limits(playouts=2)) == Limits(None, 1)
    assert LEVELS[10].limits(Limits(playouts=100)) == Limits(None, 100)


# -- the command -------------------------------------------------------------------------------------------------------
def test_play_reads_a_move_a_line_to_the_end_of_input(tesuji, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("b2\nbad\n"))
    answer = tesuji("play", "tictactoe", "--terminal", "--playouts", "30", "--seed", "1")
    assert answer.code == 0 and answer.err == ""
    assert "Tic-tac-toe: you play x. The computer is tesuji. Level 10." in answer.out
    assert "o plays " in answer.out and "'bad' is not a legal move" in answer.out
    assert "> " not in answer.out  # nobody is there to see a prompt


def test_play_gives_json_in_the_end(tesuji, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("c3\nundo\nb2\nquit\nnever read\n"))
    answer = tesuji("play", "tictactoe", "--moves", "a1", "--side", "both", "--suggest", "--playouts", "20", "--json")
    found = answer.json
    assert (found["moves"], found["over"], found["outcome"], found["result"]) == (["a1", "b2"], False, None, None)
    assert "visits" in answer.err and answer.code == 0


@pytest.mark.parametrize("level", ["0", "11", "x", "9" * 5000])
def test_a_level_that_does_not_exist(tesuji, level):
    error = tesuji("play", "tictactoe", "--level", level).error
    assert "is not a level: 1 (beginner) to 10 (full strength)" in error and len(error) < 200


def test_the_computer_plays_alone(tesuji):
    seed = ("--seed", "3", "--json")
    found = tesuji("play", "connect4:4x4", "--side", "none", "--level", "2", "--playouts", "400", *seed).json
    assert found["over"] is True and found["outcome"] in (-1, 0, 1)
    again = tesuji("play", "connect4:4x4", "--side", "none", "--level", "2", "--playouts", "400", *seed).json
    assert again["moves"] == found["moves"]


def test_ctrl_c_at_the_prompt_leaves(tesuji, monkeypatch):
    class Interrupting(io.StringIO):
        def readline(self, *_size):
            raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", Interrupting())
    answer = tesuji("play", "tictactoe", "--playouts", "10", "--json")
    assert answer.code == 130 and answer.json["interrupted"] is True


def test_ctrl_c_while_the_computer_thinks_plays_the_best_so_far(tesuji, monkeypatch):
    import signal

    run_round = TreeSearch._run_round

    def interrupted(self, *arguments):
        run_round(self, *arguments)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(TreeSearch, "_run_round", interrupted)
    monkeypatch.setattr("sys.stdin", io.StringIO("4\n"))
    answer = tesuji("play", "connect4:7x6", "--seconds", "60", "--json")
    assert answer.code == 0 and len(answer.json["moves"]) == 2


@pytest.mark.parametrize(
    ("side", "typed", "expected"), [("first", True, 1), ("second", True, 0), ("both", True, 0), ("first", False, 0)]
)
def test_what_the_computer_needs_is_compiled_while_the_person_thinks(said, monkeypatch, side, typed, expected):
    """Only where it will be needed, and where there is a person who thinks."""
    asked = []
    monkeypatch.setattr("tesuji.core.numba.worker.in_background", asked.append)
    monkeypatch.setattr("tesuji.cli.output.is_terminal", lambda _stream: typed)
    session = make(said, side=side)
    converse(session, lambda _prompt: None)
    assert len(asked) == expected
    for prepare in asked:
        prepare()


@pytest.mark.parametrize("level", [1, 5])
def test_a_weak_level_plays_whatever_was_asked_for(said, level):
    """It has one thread, and the weakest no solver: what is asked for of these has no effect then."""
    player = find_player("tesuji:memory=4,threads=2,virtual_loss=3,cuts=off")
    session = TerminalGame(find_game("tictactoe"), player, Limits(playouts=30), level=level, side="second", say=said.append)
    session.computer_move()
    assert len(session.played.moves()) == 1


def test_why_names_the_move_that_a_weak_level_made_at_random():
    from tesuji.play.explanation import why_lines

    game = find_game("connect4:4x4")
    result = find_player("uct").engine(game, seed=1, pure=True).run(Limits(playouts=60))
    best, other = (game.text(game.initial, report.move) for report in result.moves[:2])
    plain = why_lines(game, game.initial, result, result.moves[0].move)
    assert plain == why_lines(game, game.initial, result) and plain[0].startswith(f"The expected line is {best}")
    lines = why_lines(game, game.initial, result, result.moves[1].move)
    assert lines[1:] == plain and lines[0].startswith(f"Weak levels choose at random: {other}, which is worth ")


def test_a_swap_takes_no_stone(said):
    session = make(said, "hex:3:swap=on")
    session.play(session.played.game.parse(session.played.state, "b2"))
    session.play(session.played.game.parse(session.played.state, "swap"))
    session.show()
    assert session.played.captures() == (0, 0) and not any("captured" in text for text in said)


@pytest.mark.parametrize(
    ("files", "reason"), [(["run.db"], "no network has won its match yet"), ([], "there is no network in this folder")]
)
def test_a_folder_without_a_network_is_told_of_before_the_game(tesuji, tmp_path, files, reason):
    for name in files:
        (tmp_path / name).touch()
    answer = tesuji("play", "tictactoe", "--network", str(tmp_path), "--terminal")
    assert (answer.code, answer.out, answer.error) == (2, "", f"{tmp_path}: {reason}")
    missing = tmp_path / "none"
    answer = tesuji("play", "tictactoe", "--network", str(missing), "--terminal")
    assert (answer.code, answer.out, answer.error) == (2, "", f"{missing} cannot be read: No such file or directory")
