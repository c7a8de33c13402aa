"""Lines of Action against a naive second implementation, known counts, and OpenSpiel where its conventions allow."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_loa import NaiveLoa

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import copy_state
from tesuji.core.random import make_rng
from tesuji.games.loa.connection import euler_number, group_of, is_connected
from tesuji.games.loa.lines import LINE_SQUARES, PASS
from tesuji.games.loa.rules import is_capture, target_of
from tesuji.games.loa.state import PLY_LIMIT, QUIET_LIMIT, key_of
from tesuji.games.registry import find_game

VARIANTS = [(a, b) for a in ("draw", "mover") for b in ("pass", "loss")]
SQUARES = st.tuples(st.integers(0, 7), st.integers(0, 7))


def game_of(simultaneous="draw", no_move="pass", start=""):
    return find_game(f"loa:{start}simultaneous={simultaneous},no_move={no_move}")


def placed(game, black, white, player=0):
    """The position with pieces on these squares, as in 'a1 b2'."""
    points = {}
    for owner, squares in enumerate((black, white)):
        points |= {("abcdefgh".index(s[0]), int(s[1]) - 1): owner for s in squares.split()}
    return game.board.set_up(game.initial, points, player)


def same(game, state, naive, check_moves=True) -> None:
    """Both say the same of the position."""
    assert bool(rules.is_over(state)) == (naive.result is not None), naive.reason
    assert game.board.stones(state) == naive.pieces
    sets = [int(s) for s in state["stones"]]
    assert [int(n) for n in state["counts"]] == [((sets[0] | sets[1]) & int(line)).bit_count() for line in LINE_SQUARES]
    assert state["seen"][state["quiet"]] == key_of(*state["stones"])
    if naive.result is not None:
        assert rules.outcome(state) == naive.result
        return
    assert rules.to_play(state) == naive.player
    if check_moves:
        assert sorted(game.text(state, m) for m in game.legal_moves(state)) == naive.moves()


@pytest.mark.parametrize(("simultaneous", "no_move"), VARIANTS)
@pytest.mark.parametrize("start", ["", "scrambled,"])
def test_random_games_against_naive(simultaneous, no_move, start, random_line) -> None:
    game = game_of(simultaneous, no_move, start)
    for seed in range(2):
        naive = NaiveLoa(game.board.stones(game.initial), 0, simultaneous == "mover", no_move == "loss")
        for state, _legal, move in random_line(game, seed):
            same(game, state, naive, check_moves=naive.ply % 5 == 0)
            if move is not None:
                naive.play(game.text(state, move))


@given(st.data())
@settings(max_examples=120)
def test_endgames_against_naive(data) -> None:
    """Few pieces anywhere: passes, repetitions, and captures that connect come up often."""
    simultaneous, no_move = data.draw(st.sampled_from(VARIANTS))
    game = game_of(simultaneous, no_move)
    squares = data.draw(st.lists(SQUARES, min_size=2, max_size=9, unique=True))
    points = {square: number % 2 for number, square in enumerate(squares)}
    player = data.draw(st.integers(0, 1))
    state = game.board.set_up(game.initial, points, player)
    naive = NaiveLoa(points, player, simultaneous == "mover", no_move == "loss")
    if rules.is_over(state):
        assert naive.connected(0) or naive.connected(1) or naive.moves() == ["pass"]
        return
    assert not naive.connected(0) and not naive.connected(1)
    chooser = random.Random(data.draw(st.integers(0, 10**6)))
    for _ in range(12):
        same(game, state, naive)
        if rules.is_over(state):
            break
        move = chooser.choice(game.legal_moves(state))
        naive.play(game.text(state, move))
        rules.play(state, move)
    same(game, state, naive)


@given(st.sets(SQUARES, min_size=1, max_size=20))
@settings(max_examples=400)
def test_connection_of_any_set(squares) -> None:
    """The fill finds just the connected sets, and an Euler number above 1 means several groups."""
    pieces = np.uint64(sum(1 << (8 * row + column) for column, row in squares))
    expected = NaiveLoa(dict.fromkeys(squares, 0)).connected(0)
    assert bool(is_connected(pieces)) == expected
    assert euler_number(pieces) == quads(squares)
    assert (group_of(pieces & (~pieces + np.uint64(1)), pieces) == pieces) == expected
    if expected:
        assert euler_number(pieces) <= 1


def quads(squares):
    """The Euler number by Gray's quads: (windows with 1 - windows with 3 - 2 windows with a diagonal pair) / 4."""
    total = 0
    for column in range(-1, 8):
        for row in range(-1, 8):
            inside = [(column + i, row + j) in squares for i, j in ((0, 0), (1, 1), (1, 0), (0, 1))]
            crossed = inside in ([True, True, False, False], [False, False, True, True])
            total += {1: 1, 3: -1}.get(sum(inside), 0) - 2 * crossed
    return total // 4


# -- counts ----------------------------------------------------------------------------------------------------------------
def test_perft(tree_size) -> None:
    assert [tree_size(find_game("loa"), depth)[2] for depth in (1, 2)] == [36, 1_244]


@pytest.mark.parametrize(("depth", "positions"), [(3, 44_952), (4, 1_563_208)])
def test_deep_perft(depth, positions, tree_size, needs_compiler) -> None:
    assert tree_size(find_game("loa"), depth)[2] == positions


def test_random_moves_are_legal_and_uniform() -> None:
    game = find_game("loa")
    state = game.state_after(["c8-c6", "h2-f2", "g1-g3", "a3xc1"])
    legal = game.legal_moves(state)
    buffer, rng = np.zeros(game.buffer_size, np.int32), make_rng(3)
    draws = [int(rules.random_move(state, buffer, rng)) for _ in range(100 * len(legal))]
    assert set(draws) == set(legal)
    squares = sum((draws.count(move) - 100) ** 2 / 100 for move in legal)
    assert squares < 2 * len(legal)  # chi squared, far out in its tail


# -- single rules ------------------------------------------------------------------------------------------------------------
def test_a_capture_can_connect_the_other_side() -> None:
    game = find_game("loa")
    state = placed(game, "a2 c1 h8", "d1 d2 f6")
    moved = copy_state(state)
    rules.play(moved, game.parse(state, "h8xf6"))
    assert rules.is_over(moved) and rules.outcome(moved) == -1


@pytest.mark.parametrize(("simultaneous", "result"), [("draw", 0), ("mover", 1)])
def test_both_connected_at_once(simultaneous, result) -> None:
    game = game_of(simultaneous)
    state = placed(game, "a1 c2", "c1 g7")
    rules.play(state, game.parse(state, "a1xc1"))
    assert rules.is_over(state) and rules.outcome(state) == result


def shut_in(game, player):
    """White's pieces on a1 and h1 are behind black ones in every direction they could go."""
    return placed(game, "a2 b1 b2 g1 g2 h2 d8", "a1 h1", player)


def test_no_move_is_a_pass() -> None:
    game = find_game("loa")
    state = shut_in(game, 1)
    naive = NaiveLoa(game.board.stones(state), 1)
    assert naive.moves() == ["pass"]
    assert game.legal_moves(state) == [PASS]
    assert game.text(state, PASS) == "pass" and game.parse(state, "Pass") == PASS
    assert game.board.point(state, PASS) is None
    assert rules.random_move(state, np.zeros(96, np.int32), make_rng(1)) == PASS
    assert not is_capture(state, PASS) and target_of(state, PASS) == -1
    rules.play(state, PASS)
    assert rules.to_play(state) == 0 and not rules.is_over(state)
    with pytest.raises(UserError):
        game.parse(state, "pass")


def test_no_move_loses_by_the_other_rule() -> None:
    game = game_of(no_move="loss")
    state = shut_in(game, 1)
    assert rules.is_over(state) and rules.outcome(state) == 1
    before = placed(game, "a2 b1 b2 g1 g2 h2 d7", "a1 h1", 0)
    assert not rules.is_over(before)
    rules.play(before, game.parse(before, next(t for t in NaiveLoa(game.board.stones(before), 0).moves() if t[:2] == "d7")))
    assert rules.is_over(before) and rules.outcome(before) == 1


def test_third_occurrence_is_a_draw() -> None:
    game = find_game("loa")
    around = ["c1-c3", "h7-f7", "c3-c1", "f7-h7"]  # checked below: they lead back to the start
    state = game.new_state()
    for turn in range(2):
        assert int(state["quiet"]) == 4 * turn
        for text in around:
            assert not rules.is_over(state)
            move = game.parse(state, text)
            rules.play(state, move)
    assert game.board.stones(state) == game.board.stones(game.initial)
    assert rules.is_over(state) and rules.outcome(state) == 0


def test_the_same_pieces_with_the_other_player_to_move_do_not_count() -> None:
    """White passes when he is shut in: the pieces stay, but it is another position."""
    game = find_game("loa")
    state = shut_in(game, 1)
    for times in range(1, 6):
        if rules.is_over(state):
            break
        rules.play(state, PASS if rules.to_play(state) == 1 else game.legal_moves(state)[0])
        assert not rules.is_over(state) or times > 2


def test_draws_by_length() -> None:
    """The counters are set by hand: a game that long takes a while."""
    game = find_game("loa")
    for field, limit in (("quiet", QUIET_LIMIT), ("ply", PLY_LIMIT)):
        state = game.new_state()
        state[field] = limit - 2
        state["seen"][:] = np.arange(1, len(state["seen"]) + 1)
        for last in (False, True):
            rules.play(state, game.parse(state, "c1-c3" if not last else "a2-c2"))
            assert bool(rules.is_over(state)) == last
        assert rules.outcome(state) == 0


def test_hash_knows_history() -> None:
    """Equal positions are told apart by what was seen since the last capture, and found equal after one."""
    game = find_game("loa")
    one = game.state_after(["c1-c3", "h7-f7", "e1-e3"])
    other = game.state_after(["e1-e3", "h7-f7", "c1-c3"])
    assert game.board.stones(one) == game.board.stones(other)
    assert rules.position_hash(one) != rules.position_hash(other)
    capture = next(m for m in game.legal_moves(one) if is_capture(one, m))
    for state in (one, other):
        rules.play(state, capture)
    assert rules.position_hash(one) == rules.position_hash(other)
    assert rules.position_hash(one) != rules.position_hash(game.initial)


# -- text and set-up ---------------------------------------------------------------------------------------------------------
def test_moves_are_read_in_many_spellings() -> None:
    game = find_game("loa")
    state = game.state_after(["c8-c6", "h2-f2", "g1-g3"])
    move = game.parse(state, "a3xc1")
    assert [game.parse(state, t) for t in ("A3:C1", "a3-c1", "a3c1", " a3 x c1 ")] == [move] * 4
    assert game.text(state, move) == "a3xc1" and game.sgf_move(state, move) == "a3:c1"
    assert [game.parse_sgf_move(state, t) for t in ("a3:c1", "A3-C1!", "a3:c1++")] == [move] * 3
    assert game.sgf_move(game.initial, game.parse(game.initial, "c8-c6")) == "c8-c6"
    assert is_capture(state, move) and target_of(state, move) == 2
    assert game.board.point(state, move) == (2, 0)
    for wrong in ("a3-c2", "a3", "a3-a3", "i3-c1", "a3xa4", "", "c8-c6"):
        with pytest.raises(UserError, match="is not a legal move"):
            game.parse(state, wrong)
        if wrong:
            with pytest.raises(UserError, match="is not a legal move"):
                game.parse_sgf_move(state, wrong)


def test_scrambled_eggs() -> None:
    """Colours in turn all round the edge; the corners are empty; White has a2."""
    stones = find_game("loa:scrambled").board.stones(find_game("loa:scrambled").initial)
    around = [(i, 0) for i in range(8)] + [(7, i) for i in range(1, 8)]
    around += [(i, 7) for i in range(6, -1, -1)] + [(0, i) for i in range(6, 0, -1)]
    edge = [stones[p] for p in around if p in stones]
    assert len(edge) == len(stones) == 24
    assert all(a != b for a, b in zip(edge, edge[1:] + edge[:1], strict=True))
    assert stones[0, 1] == 1 and stones[1, 0] == 0


def test_names() -> None:
    for text, name in (
        ("loa:simultaneous=draw", "loa"),
        ("loa:no_move=loss,simultaneous=mover", "loa:simultaneous=mover,no_move=loss"),
        ("loa:scrambled,no_move=pass", "loa:scrambled"),
        ("loa:scrambled,no-move=loss", "loa:scrambled,no_move=loss"),
    ):
        assert find_game(text).name == name


@pytest.mark.parametrize(
    "text",
    ["loa:8", "loa:eggs", "loa:swap=on", "loa:simultaneous=both", "loa:no_move", "loa:simultaneous=mover,scrambled"],
)
def test_wrong_strings(text) -> None:
    with pytest.raises(UserError, match="loa"):
        find_game(text)


def test_set_up_refuses_what_is_no_position() -> None:
    game = find_game("loa")
    with pytest.raises(UserError, match="White has 0 pieces"):
        placed(game, "a1 c3", "")
    with pytest.raises(UserError, match="Black has 13 pieces"):
        game.board.set_up(game.initial, {(i % 8, i // 8): 0 for i in range(13)} | {(0, 7): 1}, 0)
    with pytest.raises(UserError, match="not on the board"):
        game.board.set_up(game.initial, {(8, 0): 0, (0, 7): 1}, 0)
    with pytest.raises(UserError, match="8x8"):
        game.vary(size=9)
    assert game.vary(size=8, komi=0).name == "loa"


@pytest.mark.parametrize(
    ("black", "white", "player", "result"),
    [("a1 b2", "a8 h8", 0, 1), ("a1 c3", "a8 b7", 0, -1), ("a1 b2", "a8 b7", 0, 0), ("a1", "c3 e5", 1, 1)],
)
def test_set_up_positions_may_be_over(black, white, player, result) -> None:
    state = placed(find_game("loa"), black, white, player)
    assert rules.is_over(state) and rules.outcome(state) == result


# -- OpenSpiel ---------------------------------------------------------------------------------------------------------------
def test_against_openspiel() -> None:
    """Its rules: the mover wins on simultaneous connection, no move loses, and the first repetition of
    a board, whoever is to move, ends the game."""
    pyspiel = pytest.importorskip("pyspiel")
    game = game_of("mover", "loss")
    their_game = pyspiel.load_game("lines_of_action")
    chooser = random.Random(1)
    for _ in range(3):
        ours, theirs = game.new_state(), their_game.new_initial_state()
        seen = set()
        while not theirs.is_terminal():
            assert bytes(ours["stones"]) not in seen
            seen.add(bytes(ours["stones"]))
            assert not rules.is_over(ours)
            player = theirs.current_player()
            assert rules.to_play(ours) == player
            texts = {theirs.action_to_string(player, a): a for a in theirs.legal_actions()}
            assert sorted(texts) == sorted(game.text(ours, m) for m in game.legal_moves(ours))
            chosen = chooser.choice(sorted(texts))
            rules.play(ours, game.parse(ours, chosen))
            theirs.apply_action(texts[chosen])
        if bytes(ours["stones"]) not in seen:
            assert rules.is_over(ours) and rules.outcome(ours) == theirs.returns()[0]
