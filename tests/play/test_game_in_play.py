"""One game being played: its tree, whose turn it is, how it ends, the search that follows it. Front ends test the rest."""

from __future__ import annotations

import random

import pytest

from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.io.sgf import sgf_text
from tesuji.io.sgf.played import open_tree, sgf_of, take_info
from tesuji.play import tree as trees
from tesuji.play.game import (
    OF_COMPUTER,
    OF_PERSON,
    OVER,
    SCORING,
    GameInPlay,
    Loss,
    can_set_up,
    handicap_start,
    score_of,
    set_up,
    stones_of,
    with_komi,
)
from tesuji.play.opponent import FollowedSearch, Opponent
from tesuji.play.review import AnalysisSummary, keep_analysis, mistakes_of
from tesuji.play.side import PERSON, Side
from tesuji.play.tree import ROOT, MoveTree
from tesuji.players.presets import find_player

PLAYER = find_player("uct:memory=4,playouts=20,policy=uniform")


@pytest.fixture(autouse=True)
def pure_python(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")


@pytest.fixture
def nothing_is_dead(monkeypatch):
    monkeypatch.setattr("tesuji.play.game.status_for", lambda _game: lambda _game, _state: {})


def played(game, moves="", sides=(PERSON, PERSON)) -> GameInPlay:
    found = GameInPlay(MoveTree(find_game(game).start), sides)
    found.play_all(moves.split())
    return found


# -- the tree ----------------------------------------------------------------------------------------------------------
def test_a_move_that_was_made_before_is_no_new_variation():
    game = played("tictactoe", "a1 b1")
    tree = game.tree
    first = tree.current
    game.go_to(ROOT)
    game.play("b2")
    assert len(tree.nodes) == 4 and tree[ROOT].children == [1, 3] and tree.line() == [0, 3]
    game.go_to(ROOT)
    game.play_all(["a1", "b1"])
    assert tree.current == first and len(tree.nodes) == 4
    tree.promote(3)
    assert tree.in_order() == [0, 3, 1, 2]
    deleted = tree.delete(1)
    assert tree.current == ROOT and len(tree.nodes) == 2
    tree.restore(deleted)
    assert tree.position(2).moves == ("a1", "b1") and tree[ROOT].children == [3, 1]


def test_positions_that_are_forgotten_are_made_anew(monkeypatch):
    monkeypatch.setattr(trees, "FEWEST_KEPT", 2)
    monkeypatch.setattr(trees, "KEPT_BYTES", 0)
    game = played("go:9", "a1 b1 c1 d1 e1 f1")
    for number in (2, 5, 1, 6):
        assert len(game.tree.position(number).moves) == number


def test_a_game_may_not_fill_the_memory(monkeypatch):
    game = played("go:9")
    monkeypatch.setattr(trees, "SETUP_BYTES", 3 * game.game.initial.dtype.itemsize)
    game.set_up({(0, 0): 0}, 1)
    game.set_up({(0, 0): 0}, 0)
    with pytest.raises(UserError, match="3 positions are set up in this game"):
        game.set_up({}, 0)
    monkeypatch.setattr(trees, "MOST_NODES", 3)
    with pytest.raises(UserError, match="delete some variations"):
        game.play("b2")


# -- the game ----------------------------------------------------------------------------------------------------------
def test_one_player_may_move_twice_where_stones_can_be_set_up():
    game = played("go:5", "c3")
    position = game.turned_to(0)
    assert position is not None and len(game.tree.nodes) == 2, "nothing has happened yet"
    game.play_from(position, game.game.parse(position.state, "d3"))
    assert game.stones() == {(2, 2): 0, (3, 2): 0} and game.move_texts() == ["C3", "D3"]
    assert game.before_moves(1) == 1 and game.before_moves(2) == ROOT and game.before_moves(3) is None
    game.take_back(1)
    assert game.move_texts() == ["C3"] and len(game.tree.nodes) == 2
    assert played("connect4", "4").turned_to(0) is None


def test_whose_turn_it_is(nothing_is_dead):
    game = played("go:5", sides=(PERSON, Side(3)))
    assert game.turn == OF_PERSON and game.has_person
    game.play("c3")
    assert game.turn == OF_COMPUTER and game.last_move_text() == "Black plays C3"
    game.play("pass")
    assert game.last_move_text() == "White passes"
    game.play("pass")
    assert game.turn == SCORING and game.to_move == 1 and game.ending() is None
    with pytest.raises(UserError, match="still being looked for"):
        game.agree()
    game.play_on()
    assert game.turn == OF_COMPUTER, "White has passed first"
    game.play("pass")
    game.play("pass")
    game.agree([])
    ending = game.ending()
    assert game.turn == OVER and ending is not None and ending.result == "B+17.5" and ending.winner == 0
    assert ending.text.endswith("; area scoring, komi 7.5, no dead stones")
    with pytest.raises(UserError, match="over here"):
        game.play("a1")


def test_who_resigns_is_the_person():
    game = played("tictactoe", "b2", sides=(PERSON, Side(10)))
    assert game.resign() == 0
    ending = game.ending()
    assert ending is not None and ending.result == "W+R" and ending.score is None
    game.go_to(ROOT)
    assert game.turn == OF_PERSON, "only that position has come to an end"


def test_going_back_ends_where_a_person_may_move():
    game = played("tictactoe", "b2 a1 c3 a3", sides=(PERSON, Side(10)))
    assert [node.mover for node in game.moves()] == [0, 1, 0, 1] and game.before_last_move() == 2
    game.sides = (Side(10), PERSON)
    assert game.before_last_move() == 3
    game.go_to(1)
    assert game.before_last_move() is None, "only the computer has moved"
    game.sides = (Side(1), Side(1))
    assert game.before_last_move() == ROOT, "nobody plays: one move"


def test_what_is_taken_back_is_gone_and_other_variations_stay():
    game = played("tictactoe", "b2 a1 c3")
    game.go_to(1)
    game.play_all(["a3", "b1"])
    game.resign()
    assert game.loss == Loss(1) and game.is_over
    assert game.take_back_loss() and game.turn == OF_PERSON and not game.take_back_loss()
    game.take_back(1)
    assert game.move_texts() == ["b2"] and [node.move for node in game.tree.nodes.values()] == [None, "b2", "a1", "c3"]
    game.take_back(1)
    assert len(game.tree.nodes) == 4, "nothing was played from there"


def test_positions_are_set_up_by_the_rules_of_the_game():
    position = set_up(find_game("go:5").start, {(1, 1): 0, (2, 2): 1}, 1)
    assert stones_of(position) == {(1, 1): 0, (2, 2): 1} and position.to_move == "White"
    assert can_set_up(position.game) and not can_set_up(find_game("connect4"))
    with pytest.raises(UserError, match="positions of connect4:7x6 cannot be set up"):
        played("connect4").set_up({(0, 0): 0}, 1)


def test_captures_and_komi_and_handicap():
    game = played("go:5", "b1 a1 a2")
    assert game.captures() == (1, 0) and game.last_move_text() == "Black plays A2, taking 1 stone"
    other = game.replayed_in(with_komi(game.game, 0.5))
    assert other.game.name == "go:5:komi=0.5" and other.stones() == game.stones()
    assert score_of(other.position, []).result == "B+24.5"
    start = handicap_start(find_game("go:9"), 3)
    game = GameInPlay(MoveTree(start))
    assert game.mover == 1 and "HA[3]" in sgf_text([sgf_of(game.tree, {})])
    assert len(game.replayed_in(with_komi(game.game, 0.5)).stones()) == 3
    for refused, why in ((lambda: with_komi(find_game("hex:5"), 1), "no komi"), (lambda: with_komi(start.game, "x"), "'x'")):
        with pytest.raises(UserError, match=why):
            refused()


def test_a_game_is_read_as_it_was_written():
    game = played("go:5", "c3 d3")
    game.go_to(1)
    game.play("b2")
    game.tree[2].comment = "the main line"
    text = sgf_text([sgf_of(game.tree, {"black": "a", "event": "b]c", "result": "B+R"})])
    tree, record, games = open_tree(text, "x")
    assert take_info(tree, record) == {"black": "a", "event": "b]c", "result": "B+R"} and games == 1
    assert [tree[number].move for number in tree.in_order()] == [None, "C3", "D3", "B2"] and tree[2].comment == "the main line"


# -- the computer ------------------------------------------------------------------------------------------------------
def test_a_search_follows_the_game_and_no_other():
    followed, seeds = FollowedSearch(), iter(range(1, 100))
    game = played("tictactoe")

    def at(player=PLAYER):
        return followed.at(game.position, player, lambda: next(seeds))

    first = at()
    game.play_all(["a1", "b1"])
    assert at() is first and first.position == game.position and first.seed == 1
    game.go_to(1)
    second = at()
    assert second is not first and second.seed == 2, "the game went back"
    assert at(PLAYER.changed({"exploration": 0.5})) is not second
    third = at()
    followed.drop()
    assert at() is not third


def test_a_weak_level_keeps_no_tree_and_says_why():
    game, followed = played("tictactoe"), FollowedSearch()
    for level, keeps in ((1, False), (10, True)):
        opponent = Opponent(PLAYER, Limits(playouts=20), level, followed)
        thought = opponent.move(game.position, random.Random(1), lambda: 1, lambda search, limits: search.engine.run(limits))
        assert (followed.search is not None) is keeps
        game.play(thought.move, thought.lines())
        assert any(line.startswith("The expected line is") for line in game.why())
    game.go_to(1)
    assert game.why(), "the reasons of earlier moves are kept"
    game.go_to(0)
    assert game.why() == []


def test_mistakes_are_the_moves_that_lost_most():
    game = played("tictactoe", "a1 b2 c3")
    for number, chance in ((0, 0.5), (1, 0.75), (2, 0.5)):
        mover = number % 2
        summary = AnalysisSummary(
            player="uct", mover=mover, chance=chance, value=None, best="b2", playouts=100, lower=None, upper=None, proven=False,
            outcome="unknown", top=[],
        )  # fmt: skip
        keep_analysis(game.tree, number, summary)
    found = mistakes_of(game.tree, game.tree.line(), 0.1)
    assert [(mistake["move"], mistake["loss"]) for mistake in found] == [("a1", 0.25), ("b2", 0.25)]
