"""Hex against a second, naive implementation (naive_hex.py), brute force, and OpenSpiel where it is installed."""

from __future__ import annotations

import random

import numpy as np
import pytest
from naive_hex import NaiveHex, NaiveSolver, winning_openings
from openspiel_comparison import agree

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import NO_MOVE, RESIGNS, copy_state
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import compiled, is_pure
from tesuji.core.random import make_rng
from tesuji.games.hex.rules import random_move, winning_cells
from tesuji.games.hex.state import NO_SWAP
from tesuji.games.registry import LONGEST_NAME, find_game
from tesuji.players.presets import find_player

SIZES = ("1", "1x2", "2x1", "2", "3", "4x3", "3x7", "5", "19x2", "7", "11", "8x13", "19")


# -- against other implementations ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", [*SIZES, "4:swap=on", "11:swap=on"])
@pytest.mark.parametrize("seed", range(2))
def test_random_games_are_those_of_the_naive_board(text: str, seed: int) -> None:
    game = find_game(f"hex:{text}")
    board = game.board
    assert board is not None
    naive = NaiveHex(board.columns, board.rows, "swap=on" in text)
    chooser = random.Random(f"{text}:{seed}")
    state = game.new_state()
    while naive.winner is None:
        assert not rules.is_over(state)
        assert rules.to_play(state) == naive.player
        legal = game.legal_moves(state)
        texts = {game.text(state, move): move for move in legal}
        assert list(texts) == naive.moves()
        chosen = "swap-pieces" if "swap-pieces" in texts and seed % 2 else chooser.choice(list(texts))
        assert board.point(state, texts[chosen]) not in board.stones(state)
        rules.play(state, texts[chosen])
        naive.play(chosen)
        assert board.stones(state) == naive.stones
    assert rules.is_over(state)
    assert rules.outcome(state) == (1, -1)[naive.winner]


@pytest.mark.parametrize(("columns", "rows"), [(3, 3), (5, 5), (4, 7), (7, 4), (11, 11)])
def test_openspiel_has_the_same_games(columns: int, rows: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    agree(find_game(f"hex:{columns}x{rows}"), pyspiel.load_game(f"hex(num_cols={columns},num_rows={rows})"), 3)


def play_to_the_end(state, buffer, rng, seen):
    """A random game of which the bits of all `joined` rows are added up, as a check of compiled code."""
    plies = 0
    while not rules.is_over(state):
        move = rules.random_move(state, buffer, rng)
        rules.play(state, move)
        seen[0] = seen[0] * np.uint64(31) + np.uint64(move)
        plies += 1
    return plies


@pytest.mark.parametrize("text", ["hex:5", "hex:9x4", "hex:11:swap=on"])
def test_compiled_random_games_are_those_of_pure_python(text: str) -> None:
    if is_pure():
        pytest.skip("compares with the compiler")
    game = find_game(text)
    found = []
    for run in (play_to_the_end, compiled(play_to_the_end)):
        state, rng, seen = game.new_state(), make_rng(5), np.zeros(1, np.uint64)
        with np.errstate(over="ignore"):
            plies = int(run(state, np.zeros(game.buffer_size, np.int32), rng, seen))
        found.append((plies, int(seen[0]), state.tobytes(), rng.tobytes()))
    assert found[0] == found[1]


def test_a_random_move_is_any_move_with_equal_probability() -> None:
    """On a crowded board, where drawing cells fails for long, and with the swap among the moves."""
    for text, moves in (("hex:3", "b2 a1 c1 a3 a2 c3"), ("hex:2:swap=on", "a1")):
        game = find_game(text)
        state = game.state_after(moves.split())
        legal = game.legal_moves(state)
        buffer, rng = np.zeros(game.buffer_size, np.int32), make_rng(1)
        with np.errstate(over="ignore"):
            drawn = [int(random_move(state, buffer, rng)) for _ in range(600)]
        counts = [drawn.count(move) for move in legal]
        assert sum(counts) == 600 and min(counts) > 600 / len(legal) - 75


# -- the end -------------------------------------------------------------------------------------------------------------
def test_top_and_bottom_are_blacks_left_and_right_are_whites() -> None:
    game = find_game("hex:3")
    black = game.state_after(["a1", "b1", "a2", "b2", "a3"])
    assert rules.is_over(black) and rules.outcome(black) == 1 and game.result(black) == "B+1"
    white = game.state_after(["a2", "a1", "b2", "b1", "b3", "c1"])
    assert rules.is_over(white) and rules.outcome(white) == -1 and game.result(white) == "W+1"


def test_only_six_cells_are_neighbours() -> None:
    """c1-b2 touch, a1-b2 do not."""
    game = find_game("hex:3x2")
    assert rules.is_over(game.state_after(["c1", "a1", "b2"]))
    assert not rules.is_over(game.state_after(["a1", "c1", "b2"]))


@pytest.mark.parametrize(("columns", "rows"), [(3, 3), (3, 4), (4, 3)])
def test_every_full_board_has_one_winner(columns: int, rows: int) -> None:
    """All ways to colour the cells of 3x3, and a sample of the others: one side is joined, and the record says which."""
    game, solver = find_game(f"hex:{columns}x{rows}"), NaiveSolver(columns, rows)
    board = game.board
    assert board is not None and board.set_up is not None
    cells = list(solver.bit)
    for colours in range(0, 1 << len(cells), 1 if len(cells) == 9 else 31):
        stones = {cell: colours >> number & 1 for number, cell in enumerate(cells)}
        sets = [sum(solver.bit[cell] for cell in cells if stones[cell] == player) for player in (0, 1)]
        joined = [solver.is_joined(sets[player], player) for player in (0, 1)]
        assert sum(joined) == 1
        assert int(board.set_up(game.initial, stones, 0)["winner"]) == (1 if joined[0] else -1)


def test_the_number_of_games_of_small_boards() -> None:
    """Leaves of the whole game tree, by the rules and by the naive board."""

    def leaves(game, state) -> int:
        if rules.is_over(state):
            return 1
        found = 0
        for move in game.legal_moves(state):
            child = copy_state(state)
            rules.play(child, move)
            found += leaves(game, child)
        return found

    def naive_leaves(moves: tuple[str, ...], size: tuple[int, int]) -> int:
        board = NaiveHex(*size)
        for move in moves:
            board.play(move)
        return 1 if board.winner is not None else sum(naive_leaves((*moves, move), size) for move in board.moves())

    for columns, rows in ((1, 1), (2, 2), (3, 2), (2, 3)):
        game = find_game(f"hex:{columns}x{rows}")
        assert leaves(game, game.initial) == naive_leaves((), (columns, rows))


# -- who wins ------------------------------------------------------------------------------------------------------------
def test_brute_force_finds_known_openings() -> None:
    assert NaiveSolver(3, 3).winning_openings() == {"a2", "a3", "b2", "c1", "c2"}
    assert NaiveSolver(3, 4).winning_openings() == set()
    assert len(NaiveSolver(4, 3).winning_openings()) == 12


def test_every_opening_of_4x4_is_proven_as_brute_force_finds_it() -> None:
    winning = winning_openings(4, 4)
    assert winning == {"a4", "b3", "c2", "d1"}
    game = find_game("hex:4")
    for move in game.legal_moves(game.initial):
        state = game.state_after([move])
        result = find_player("tesuji:memory=16").engine(game, state, seed=1).run(Limits(playouts=200_000))
        assert result.proven
        assert result.lower == result.upper == (1 if game.text(game.initial, move) in winning else -1)


def test_bounds_are_those_of_brute_force() -> None:
    """In positions of random games on 4x4 that are not over, with enough empty cells to be of interest."""
    game, solver = find_game("hex:4"), NaiveSolver(4, 4)
    chooser = random.Random(2)
    decided = 0
    for _ in range(60):
        state = game.new_state()
        while not rules.is_over(state):
            if int(state["count"]) >= 6:
                black, white = (
                    sum(solver.bit[point] for point, owner in game.board.stones(state).items() if owner == player)  # type: ignore[union-attr]
                    for player in (0, 1)
                )
                player = int(rules.to_play(state))
                value = 1 if solver.mover_wins(black, white, player) == (player == 0) else -1
                lower, upper = rules.bounds(state, -1, 1)
                assert lower <= value <= upper
                decided += lower == upper
                free = [bit for bit in solver.cells if not bit & (black | white)]
                for one, stones in ((0, black), (1, white)):
                    wins = sum(solver.is_joined(stones | bit, one) for bit in free)
                    assert min(int(winning_cells(state, one, 16)), 16) == wins
            rules.play(state, chooser.choice(game.legal_moves(state)))
    assert decided > 50


# -- swap ----------------------------------------------------------------------------------------------------------------
def test_swap_mirrors_the_stone_and_changes_its_colour() -> None:
    game = find_game("hex:5:swap=on")
    assert game.text(game.initial, 25) == "swap-pieces" and 25 not in game.legal_moves(game.initial)
    first = game.state_after(["b4"])
    assert game.legal_moves(first)[-1] == 25
    state = game.state_after(["b4", "swap"])
    assert game.board is not None and game.board.stones(state) == {(3, 1): 1}  # d2
    assert rules.to_play(state) == 0 and 25 not in game.legal_moves(state)
    assert 25 not in game.legal_moves(game.state_after(["b4", "a1"]))
    direct = find_game("hex:5:5/3w1/5/5/5:b").initial
    assert rules.position_hash(state) == rules.position_hash(direct)
    assert state["joined"].tobytes() == direct["joined"].tobytes()


def test_a_stone_that_is_taken_over_means_the_same_to_its_new_owner() -> None:
    """White who swaps wins just when Black, whose stone it was, would have: all openings of 3x3."""
    solver = NaiveSolver(3, 3)
    for (column, row), bit in solver.bit.items():
        black_wins = not solver.mover_wins(bit, 0, 1)
        white_wins = not solver.mover_wins(0, solver.bit[row, column], 0)
        assert black_wins == white_wins


def test_games_without_the_swap_have_none() -> None:
    game = find_game("hex:5")
    assert game.move_count == 25 and int(game.initial["swap"]) == NO_SWAP
    with pytest.raises(UserError, match="'swap-pieces' is not a legal move"):
        game.state_after(["a1", "swap-pieces"])


@pytest.mark.parametrize(
    ("text", "moves", "why"),
    [
        ("hex:5", "a1 a1", "'a1' is not a legal move of hex:5 here; there is a black stone"),
        ("hex:5", "a1 b1 b1", "there is a white stone"),
        ("hex:5", "a1 swap", "this game has no swap, as hex:5:swap=on has"),
        ("hex:5:swap=on", "swap", "a swap is only possible in place of the second move"),
        ("hex:5:swap=on", "a1 b1 swap-pieces", "a swap is only possible in place of the second move"),
        ("hex:5:swap=on", "a1 swap-pieces swap-pieces", "a swap is only possible in place of the second move"),
        ("hex:5x4", "a1 swap", "this board is not square"),
        ("hex:5", "a9", "legal: a1 b1"),
    ],
)
def test_an_error_says_why_a_move_is_not_legal(text: str, moves: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        find_game(text).state_after(moves.split())


def test_a_game_string_does_not_end_with_a_colon() -> None:
    with pytest.raises(UserError, match="hex:5:: nothing follows the last colon; write hex:N"):
        find_game("hex:5:")


# -- game strings and text -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("hex", "hex:11"),
        ("hex:5x5", "hex:5"),
        ("hex:5:swap=off", "hex:5"),
        ("hex:5:swap=on", "hex:5:swap=on"),
        ("hex:3x2:1B1/w2:White", "hex:3x2:1b1/w2:w"),
        ("hex:3x1:3:b", "hex:3x1:3:b"),
        ("hex:12x2:12/11w:b", "hex:12x2:12/11w:b"),
    ],
)
def test_game_strings(text: str, name: str) -> None:
    assert find_game(text).name == name
    assert find_game(name).name == name


def test_the_longest_position_is_a_game_string() -> None:
    game = find_game("hex:19")
    chooser = random.Random(1)
    stones = {(c, r): (c + r // 2) % 2 for r in range(19) for c in range(19) if chooser.random() < 0.9}
    assert game.board is not None and game.board.set_up is not None
    state = game.board.set_up(game.initial, stones, 1)
    rows = "/".join("b" * 19 for _ in range(19))
    assert len(f"hex:19:{rows}:b") <= LONGEST_NAME
    if not rules.is_over(state):
        from tesuji.games.hex.text import position_text

        assert find_game(f"hex:19:{position_text(stones, 1, 19, 19)}").initial["stones"].tobytes() == state["stones"].tobytes()


def test_moves_are_read_in_any_case_and_nothing_else_is() -> None:
    game = find_game("hex:12x9")
    assert game.parse(game.initial, " L9 ") == 107
    for wrong in ("", "a", "1a", "a0", "a01", "a10", "m1", "aa", "a1 ", "é1", "swap", "pass"):
        if wrong.strip() == "a1":
            continue
        with pytest.raises(UserError, match="is not a legal move of hex:12x9 here"):
            game.parse(game.initial, wrong)


def test_drawing_marks_the_last_stone() -> None:
    game = find_game("hex:3x2")
    assert game.drawing(game.initial) == "  a b c\n1 . . . 1\n 2 . . . 2\n    a b c"
    assert game.drawing(game.state_after(["a1", "c2"])) == "  a b c\n1 X . . 1\n 2 . .(O)2\n    a b c"


def test_set_up_refuses_what_is_not_on_the_board() -> None:
    game = find_game("hex:4x3")
    assert game.board is not None and game.board.set_up is not None
    for stones, player in (({(4, 0): 0}, 0), ({(0, 3): 0}, 0), ({(0, 0): 2}, 0), ({}, 2)):
        with pytest.raises(UserError):
            game.board.set_up(game.initial, stones, player)


def test_variants() -> None:
    game = find_game("hex:5:swap=on")
    assert game.vary is not None
    assert game.of_size(7, 7).name == "hex:7:swap=on"
    assert game.of_size(7, 6).name == "hex:7x6"
    assert game.vary(swap=False).name == "hex:5"
    assert find_game("hex:5").vary(swap=True).name == "hex:5:swap=on"  # type: ignore[misc]
    assert find_game("hex:3:3/1b1/3:w").vary().name == "hex:3:3/1b1/3:w"  # type: ignore[misc]
    for wrong in ({"size": 20}, {"komi": 7.5}, {"size": 5, "columns": 20}, {"size": 5, "columns": 4, "swap": True}):
        with pytest.raises(UserError):
            game.vary(**wrong)
    with pytest.raises(UserError, match="loa is not played on 8x7"):
        find_game("loa").of_size(8, 7)


def test_words_of_sgf() -> None:
    game = find_game("hex:13:swap=on")
    read = game.parse_sgf_move
    assert read is not None
    state = game.initial
    assert [read(state, text) for text in ("a1", "M13", "aa", "mm", "fd", "swap", "swap-pieces")] == [
        0,
        168,
        0,
        168,
        44,
        169,
        169,
    ]
    assert [read(state, text) for text in ("resign", "forfeit", "swap-sides")] == [RESIGNS, RESIGNS, NO_MOVE]
    for wrong in ("", "n1", "a14", "an", "na", "pass", "abc", "1a"):
        with pytest.raises(UserError, match="is not a cell of a board of 13x13"):
            read(state, wrong)
