"""Positions that are won by force: the shortest win against brute force, what is taken from games, files, and the command."""

from __future__ import annotations

import json
import random

import pytest

from tesuji.cli.main import main
from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import copy_state
from tesuji.games.registry import find_game
from tesuji.learn import tactics
from tesuji.learn.records import RecordedGame
from tesuji.learn.tactics import Problem, candidates_of, problems_of, read_problems, shortest_win, write_problems

GAME = find_game("loa")
IN_THREE = "8/2b5/1w6/8/b2w4/8/4b3/8:w"
AT_ONCE = "8/8/8/6b1/5b2/2w5/3b4/1w6:w"
IN_FIVE = "8/4b1b1/7w/8/8/8/3w4/1b6:w"
OTHERS = (
    "#fen(rank8..1, b/w stones)\tside_to_move (win proven)\tnodes\tproven_first_moves(not exhaustive)\tplies_to_game_end\tgame"
)


def wins_within(state, player, plies):
    """Brute force: does `player` win within so many plies, whoever is to move?"""
    if rules.is_over(state):
        return int(rules.outcome(state)) == (1 if player == 0 else -1)
    if plies == 0:
        return False
    answers = []
    for move in GAME.legal_moves(state):
        after = copy_state(state)
        rules.play(after, move)
        answers.append(wins_within(after, player, plies - 1))
        if answers[-1] == (int(rules.to_play(state)) == player):
            break
    return (any if int(rules.to_play(state)) == player else all)(answers)


@pytest.mark.parametrize(
    ("text", "plies"),
    [(AT_ONCE, 1), (IN_THREE, 3), (IN_FIVE, None), ("4w3/4b3/4b3/8/8/8/8/w2b4:w", None)],
)
def test_the_shortest_win_and_its_moves_are_those_of_brute_force(text, plies):
    state = find_game(f"loa:{text}").initial
    player = int(rules.to_play(state))
    assert plies == next((n for n in (1, 3) if wins_within(state, player, n)), None)
    win = shortest_win(GAME, state, 3, pure=True)
    if plies is None:
        assert win is None
        return
    right = []
    for move in GAME.legal_moves(state):
        after = copy_state(state)
        rules.play(after, move)
        if wins_within(after, player, plies - 1):
            right.append(move)
    assert win == (plies, tuple(right)) and right


def a_game(seed):
    """A random game of few pieces to its end."""
    chance, start = random.Random(seed), find_game(f"loa:{IN_FIVE}").initial
    state, moves = copy_state(start), []
    while not rules.is_over(state):
        moves.append(chance.choice(GAME.legal_moves(state)))
        rules.play(state, moves[-1])
    return RecordedGame(f"some: game {seed}", start, tuple(moves)), int(rules.outcome(state))


def test_candidates_have_the_winner_to_move_shortly_before_the_end():
    decided = 0
    for seed in range(8):
        game, outcome = a_game(seed)
        found = list(candidates_of(GAME, [game]))
        winner = {1: 0, -1: 1}.get(outcome)
        lefts = [left for left in range(3, 10) if len(game.moves) >= left and (len(game.moves) - left) % 2 == 1 - (winner or 0)]
        wanted = [] if winner is None else lefts  # White begins here
        assert [source for _, source in found] == [f"some: game {seed}, {left} plies before its end" for left in wanted]
        for (name, _), left in zip(found, wanted, strict=True):
            state = copy_state(game.start)
            for move in game.moves[: len(game.moves) - left]:
                rules.play(state, move)
            begins = find_game(name).initial
            assert (begins["stones"] == state["stones"]).all() and begins["to_play"] == state["to_play"] == winner
        decided += bool(found)
        cut_short = RecordedGame("unknown", game.start, game.moves[:-1])
        assert not list(candidates_of(GAME, [cut_short]))
    assert decided


@pytest.fixture
def pure(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")


def test_problems_are_no_wins_at_once_and_none_comes_twice(pure):
    candidates = [(f"loa:{text}", f"source {n}") for n, text in enumerate((AT_ONCE, IN_THREE, IN_THREE))]
    told = []
    problems = problems_of(candidates, 3, on_progress=lambda share, text: told.append((share, text)))
    assert [(one.game, one.plies, one.source) for one in problems] == [(f"loa:{IN_THREE}", 3, "source 1")]
    assert told[-1][1] == "1 of 3 plies"
    state = find_game(f"loa:{IN_THREE}").initial
    assert {GAME.parse(state, text) for text in problems[0].winning} == set(shortest_win(GAME, state, 3).moves)
    assert problems_of(candidates, 3, each=1) == problems


def test_a_file_of_problems_comes_back(tmp_path):
    problems = [Problem(f"loa:{IN_THREE}", 3, ("d4-f6",), "here"), Problem(f"loa:{AT_ONCE}", None, (), "there")]
    moves = find_game(problems[0].game)
    first = moves.text(moves.initial, moves.legal_moves(moves.initial)[0])
    problems[0] = problems[0]._replace(winning=(first,))
    path = tmp_path / "positions.tsv"
    write_problems(path, problems)
    assert read_problems(path) == problems


def test_tables_of_others_are_read_and_their_moves_are_not_all(tmp_path):
    path = tmp_path / "others.tsv"
    board, _, side = IN_THREE.partition(":")
    legal = find_game(f"loa:{IN_THREE}")
    first = legal.text(legal.initial, legal.legal_moves(legal.initial)[0])
    path.write_text(f"{OTHERS}\n{board}\t{side}\t12\t{first}\t5\tsome/board 1\n")
    assert read_problems(path) == [Problem(f"loa:{IN_THREE}", None, (first,), "some/board 1")]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "holds no positions"),
        ("#position\tto_move\n", "holds no positions"),
        ("#file\tmoves\nx\ty\n", "must name tab-separated columns"),
        ("#position\tto_move\n8/8\tb\n", "line 2: .*not a position"),
        ("#position\tto_move\n\n8/8/2b5/8/3b4/w5w1/8/8\tz\n", "line 3: .*not a position"),
        (
            "#position\tto_move\tplies\twinning_moves\n8/8/2b5/8/3b4/w5w1/8/8\tb\t3\ta1-a2\n",
            "line 2: 'a1-a2' is not a legal move",
        ),
        ("#position\tto_move\tplies\twinning_moves\n8/8/2b5/8/3b4/w5w1/8/8\tb\t4\tc6-c5\n", "line 2: .*odd number"),
        ("#position\tto_move\nbb6/8/8/8/w6w/8/8/8\tb\n", "line 2: .*over in this position"),
        (
            "#position\tto_move\tplies\twinning_moves\n8/8/2b5/8/3b4/w5w1/8/8\tb\t" + "3" * 5000 + "\tc6-c5\n",
            "line 2: 3+[.]{3} is not the length of a win",
        ),
        ("#position\tto_move\n8/8/2b5/8/3b4/w5w1/8/8\tb,no_move=loss\n", "line 2: a position must not contain a comma"),
        ("#position\tto_move\n" + "8/" * 2000 + "8\tb\n", "line 2: there is no game 'loa:[8/]+'[.]{3}"),
    ],
)
def test_bad_files_are_named_with_their_line(tmp_path, text, why):
    path = tmp_path / "bad.tsv"
    path.write_text(text)
    with pytest.raises(UserError, match=why) as error:
        read_problems(path)
    assert "bad.tsv" in str(error.value)


# -- the command -----------------------------------------------------------------------------------------------------------
def test_the_command_measures_positions_of_a_table(tmp_path, pure, capsys):
    table, out = tmp_path / "others.tsv", tmp_path / "out.tsv"
    rows = [text.replace(":", "\t") for text in (IN_THREE, AT_ONCE)]
    table.write_text("\n".join([OTHERS, *rows]) + "\n")
    assert main(["learn", "tactics", str(table), "--out", str(out), "--plies", "3", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["games"], facts["candidates"], facts["positions"]) == (0, 2, {"3": 1})
    assert [(one.game, one.plies) for one in read_problems(out)] == [(f"loa:{IN_THREE}", 3)]
    assert main(["learn", "tactics", str(table), "--out", str(out), "--plies", "3"]) == 0  # its own file may be replaced
    assert "1 in 3 plies" in capsys.readouterr().out


def test_the_command_reads_records_and_names_bad_games(tmp_path, pure, capsys, monkeypatch):
    chance, state, texts = random.Random(5), GAME.new_state(), []
    for _ in range(12):
        move = chance.choice(GAME.legal_moves(state))
        texts.append(GAME.text(state, move))
        rules.play(state, move)
    records, out = tmp_path / "games.tsv", tmp_path / "out.tsv"
    records.write_text(f"#game\twinner\tmoves\none\tB\t{' '.join(texts)}\ntwo\tW\ta1-a8\n")
    seen = []

    def pretend(candidates, plies, each, _progress):
        seen.extend(candidates)
        return [Problem(seen[0][0], 3, (), seen[0][1])]

    monkeypatch.setattr(tactics, "problems_of", pretend)
    assert main(["learn", "tactics", str(records), "--out", str(out)]) == 0
    assert "game 2 (two), ply 1: a1-a8" in capsys.readouterr().err
    assert [source.rpartition(", ")[2] for _, source in seen] == [f"{left} plies before its end" for left in (4, 6, 8)]
    assert all("game 1 (one), " in source for _, source in seen)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--out", "new.tsv"], "give files"),
        (["missing.tsv", "--out", "new.tsv"], "cannot be read"),
        (["table.tsv", "--out", "other.txt"], "not overwritten"),
        (["table.tsv", "--out", "table.tsv"], "name another file"),
        (["table.tsv", "--out", "new.tsv", "--plies", "4"], "odd number of plies"),
        (["table.tsv", "--out", "new.tsv", "--plies", "3"], "of 1 position none is won by force within 3 plies"),
    ],
)
def test_wrong_calls_end_with_one_line_and_write_nothing(tmp_path, pure, capsys, monkeypatch, words, why):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.tsv").write_text(f"{OTHERS}\n{AT_ONCE.replace(':', chr(9))}\n")
    (tmp_path / "other.txt").write_text("mine\n")
    try:
        code = main(["learn", "tactics", *words])
    except SystemExit as error:
        code = error.code
    assert code == 2
    assert why in capsys.readouterr().err
    assert (tmp_path / "other.txt").read_text() == "mine\n" and not (tmp_path / "new.tsv").exists()
