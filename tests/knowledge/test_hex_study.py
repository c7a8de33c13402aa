"""Studies of Hex positions keep their values: against brute force, in pure Python. `benchmarks/hex_study.py` does many more."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import pytest

from tesuji.core.compiler import is_pure
from tesuji.core.limits import Limits
from tesuji.games.hex.game import set_up
from tesuji.games.hex.state import empty_board
from tesuji.games.registry import find_game
from tesuji.knowledge.hex.knowing import KnowingMoHex, study_position
from tesuji.players.presets import find_player
from tesuji.search.policy import NO_LOWER, NO_UPPER, RATING, rate_moves, study
from tesuji.search.tree import PLACED

sys.path.insert(0, str(Path(__file__).parents[1] / "games"))
from naive_hex import NaiveSolver


def policy_for(size: int, **values) -> KnowingMoHex:
    policy = find_player("mohex2").changed(values).new_search(find_game(f"hex:{size}"), pure=True).policy
    assert isinstance(policy, KnowingMoHex)
    return policy


def random_position(size: int, chooser: random.Random):
    """A position in which nobody has won yet, with stones of both in about equal numbers."""
    cells = [(column, row) for row in range(size) for column in range(size)]
    while True:
        chosen = chooser.sample(cells, chooser.randrange(max(0, len(cells) - 10), len(cells)))
        stones = {cell: number % 2 for number, cell in enumerate(chosen)}
        state = set_up(empty_board(size, size), stones, chooser.randrange(2))
        if state["winner"] == 0:
            return state, stones


def winning_moves(solver: NaiveSolver, stones, free, mover: int) -> set[int]:
    """Moves, as bits, that win for the mover."""
    black, white = (sum(solver.bit[cell] for cell, owner in stones.items() if owner == player) for player in (0, 1))
    found = set()
    for cell in free:
        after = (black, white | cell) if mover else (black | cell, white)
        if solver.is_joined(after[mover], mover) or not solver.mover_wins(*after, 1 - mover):
            found.add(cell)
    return found


@pytest.mark.parametrize(
    ("size", "positions", "room"), [(3, 60, 1 << 12), (3, 40, 12), (4, 25, 1 << 12), (4, 25, 30)], ids=lambda value: str(value)
)
def test_a_study_keeps_the_value_of_a_position(size, positions, room):
    """With all moves of a position, and with those that a new node has; with room for all connections, and for few."""
    policy = policy_for(size, connection_room=room)
    solver = NaiveSolver(size, size)
    chooser = random.Random(f"{size}:{room}")
    undecided = 0
    for _ in range(positions):
        state, stones = random_position(size, chooser)
        mover = int(state["to_play"])
        taken = {row * size + column for column, row in stones}
        cells = np.array([cell for cell in range(size * size) if cell not in taken], np.int32)
        winning = winning_moves(solver, stones, [1 << int(cell) for cell in cells], mover)
        ratings = np.zeros(len(cells), RATING)
        ratings["kept"] = True
        rate_moves(policy, state, cells, len(cells), ratings)
        for moves in (cells, cells[ratings["kept"]]):
            studied, kept = state.copy(), np.ones(len(moves), np.bool_)
            lower, upper, replaced = study_position(policy, studied, moves, len(moves), kept)
            value = 1 if bool(winning) == (mover == 0) else -1
            assert (lower, upper) in ((value, value), (NO_LOWER, NO_UPPER))
            assert replaced == (studied["stones"].tobytes() != state["stones"].tobytes())
            if lower == NO_LOWER:
                undecided += 1
                left = {1 << int(move) for move in moves[kept]}
                assert left and bool(left & winning) == bool(winning)
                occupied = studied["stones"][0] | studied["stones"][1]
                assert not any(int(occupied[int(move) // size]) >> int(move) % size & 1 for move in moves[kept])
    assert (undecided > 0) == (room < 100)


def test_nothing_is_studied_while_there_may_be_a_swap():
    game = find_game("hex:3:swap=on")
    policy = find_player("mohex2").new_search(game, pure=True).policy
    state = game.state_after(["b2"])
    moves = np.array(game.legal_moves(state), np.int32)
    kept = np.ones(len(moves), np.bool_)
    assert study_position(policy, state, moves, len(moves), kept) == (NO_LOWER, NO_UPPER, False) and kept.all()


def test_rooms_are_given_back_and_a_thread_without_one_learns_nothing():
    policy = policy_for(3)
    state = find_game("hex:3").initial.copy()
    moves, kept = np.arange(9, dtype=np.int32), np.ones(9, np.bool_)
    assert study_position(policy, state, moves, 9, kept)[0] == 1 and policy.rooms.taken.tolist() == [0]
    policy.rooms.taken[0] = 1
    assert study_position(policy, state, moves, 9, kept)[0] == NO_LOWER and policy.rooms.taken.tolist() == [1]


@pytest.mark.parametrize("player", ["mohex1", "mohex2", "hex"])
def test_searches_with_studies_prove_small_boards(player):
    """Every opening of 3x3, with studies early: the search is right, and needs few playouts."""
    game, winning = find_game("hex:3"), NaiveSolver(3, 3).winning_openings()
    for text in ("a1", "b1", "b2", "a3", "c1"):
        search = find_player(f"{player}:study_after=2").new_search(game, game.state_after([text]), seed=1, pure=True)
        result = search.run(Limits(playouts=200))
        assert (result.lower, result.upper) == ((1, 1) if text in winning else (-1, -1))


def test_a_win_by_a_filled_cell_is_not_lost():
    """A move on a cell that the study fills may be the only winning one in the tree: others were pruned for its sake.

    White, to move, wins by d5. Studies once took this for lost, because the moves that were left in the tree lose.
    """
    game = find_game("hex:7:7/2wb1w1/3b3/3b3/7/7/7:w")
    search = find_player("hex:study_after=4").new_search(game, seed=0)
    result = search.run(Limits(playouts=4000))
    assert result.lower == -1  # not proven to be Black's


@pytest.mark.parametrize("player", ["tesuji:solver=off,expand_after=3", "hex:study_after=8", "mohex1:study_after=5"])
def test_no_line_of_play_leads_to_a_filled_cell(player, monkeypatch):
    """Children that were expanded before a position above was replaced had moves on cells that were filled there."""
    seen = []

    def checked(policy, state, moves, count, kept):
        seen.append(int(np.count_nonzero(state["stones"][0] & state["stones"][1])))
        return study_position(policy, state, moves, count, kept)

    monkeypatch.setitem(study.implementations, KnowingMoHex, checked)
    for seed in range(2):
        find_player(player).new_search(find_game("hex:4"), seed=seed, pure=True).run(Limits(playouts=250))
    assert len(seen) > 3 and not any(seen)


def test_a_tree_with_studies_can_be_compacted_moved_along_and_be_short_of_room(monkeypatch):
    """Also where there is no room for a position that a study puts in place of another: the old one is gone on with."""
    game, taken = find_game("hex:5"), []

    def checked(policy, state, moves, count, kept):
        taken.append(int(np.count_nonzero(state["stones"][0] & state["stones"][1])))
        return study_position(policy, state, moves, count, kept)

    monkeypatch.setitem(study.implementations, KnowingMoHex, checked)
    for full in (False, True):
        search = find_player("mohex2:study_after=4,expand_after=3,solver=off").new_search(game, seed=3, pure=True)
        if full:
            search.tree.counters[PLACED] = len(search.tree.positions)
        search.run(Limits(playouts=150))
        search.advance(search.result().best_move)
        search.run(Limits(playouts=50))
        assert search.result().moves
    assert len(taken) > 3 and not any(taken)


@pytest.mark.skipif(is_pure(), reason="pure Python has one thread")
@pytest.mark.parametrize("threads", [2, 4])
def test_threads_prove_the_openings_of_4x4(threads):
    game, winning = find_game("hex:4"), NaiveSolver(4, 4).winning_openings()
    for move in game.legal_moves(game.initial):
        text = game.text(game.initial, move)
        player = find_player(f"tesuji:threads={threads},study_after=4,connection_room=60")
        result = player.new_search(game, game.state_after([text]), seed=1).run(Limits(playouts=200_000))
        assert (result.lower, result.upper) == ((1, 1) if text in winning else (-1, -1)), text
