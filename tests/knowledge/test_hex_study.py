"""Studies of Hex positions keep their values: against brute force, in pure Python. `benchmarks/hex_study.py` does many more."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import pytest

from tesuji.core.limits import Limits
from tesuji.core.numba.registration import is_pure
from tesuji.core.rules import is_over, play
from tesuji.games.hex.game import set_up
from tesuji.games.hex.state import empty_board
from tesuji.games.registry import find_game
from tesuji.knowledge.hex.connections import deduction as connection_search
from tesuji.knowledge.hex.connections.build import build, new_connections
from tesuji.knowledge.hex.connections.closed_carriers import fill_closed_carriers
from tesuji.knowledge.hex.connections.deduction import combine_next
from tesuji.knowledge.hex.connections.lists import ATTEMPTS
from tesuji.knowledge.hex.connections.replies import MOST_PAIRS, ask_for_replies
from tesuji.knowledge.hex.inferior.board import WORK
from tesuji.knowledge.hex.overlays.positions import AssessedPosition
from tesuji.knowledge.hex.policies.studies import MoHexWithStudies, study_position
from tesuji.players.presets import find_player
from tesuji.search.engine.final_move import children_of
from tesuji.search.files.tree_checks import is_tree
from tesuji.search.kernel.tree import PRESEARCHED, PRUNED, REPLACED, REPLACEMENTS, ROOT, USED
from tesuji.search.policy import FIRST_REPLY, NO_LOWER, NO_UPPER, RATING, rate_moves, study, study_moves

sys.path.insert(0, str(Path(__file__).parents[1] / "games"))
from naive_hex import NaiveSolver, winning_openings


def policy_for(size: int, **values) -> MoHexWithStudies:
    policy = find_player("mohex2").changed(values).engine(find_game(f"hex:{size}"), pure=True).policy
    assert isinstance(policy, MoHexWithStudies)
    return policy


def move_number(game, text: str) -> int:
    return next(move for move in range(game.move_count) if game.text(game.initial, move) == text)


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
    ("size", "positions", "room"), [(3, 40, 1 << 12), (3, 40, 12), (4, 25, 1 << 12), (4, 25, 30)], ids=lambda value: str(value)
)
@pytest.mark.parametrize("fill", [True, False])
def test_a_study_keeps_the_value_of_a_position(size, positions, room, fill):
    """With all moves of a position, and with those that a new node has; with room for all connections, and for few."""
    policy = policy_for(size, connection_room=room, fill=fill)
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
            assert fill or not replaced
    assert (undecided > 0) == (room < 100)


def test_nothing_is_studied_while_there_may_be_a_swap():
    game = find_game("hex:3:swap=on")
    policy = find_player("mohex2").engine(game, pure=True).policy
    state = game.state_after(["b2"])
    moves = np.array(game.legal_moves(state), np.int32)
    kept = np.ones(len(moves), np.bool_)
    assert study_position(policy, state, moves, len(moves), kept) == (NO_LOWER, NO_UPPER, False) and kept.all()


def test_rooms_are_given_back_and_a_thread_without_one_learns_nothing():
    policy = policy_for(3)
    state = find_game("hex:3").initial.copy()
    moves, kept = np.arange(9, dtype=np.int32), np.ones(9, np.bool_)
    assert study_position(policy, state, moves, 9, kept)[0] == 1 and policy.workspaces.taken.tolist() == [0]
    policy.workspaces.taken[0] = 1
    assert study_position(policy, state, moves, 9, kept)[0] == NO_LOWER and policy.workspaces.taken.tolist() == [1]


@pytest.mark.parametrize("player", ["mohex1", "mohex2", "hex"])
def test_searches_with_studies_prove_small_boards(player):
    """Every opening of 3x3, with studies early: the search is right, and needs few playouts."""
    game, winning = find_game("hex:3"), winning_openings(3, 3)
    for text in ("a1", "b1", "b2", "a3", "c1"):
        search = find_player(f"{player}:study_after=2").engine(game, game.state_after([text]), seed=1, pure=True)
        result = search.run(Limits(playouts=200))
        assert (result.lower, result.upper) == ((1, 1) if text in winning else (-1, -1))


def test_a_win_by_a_filled_cell_is_not_lost():
    """A move on a cell that the study fills may be the only winning one in the tree: others were pruned for its sake.

    White, to move, wins by d5. Studies once took this for lost, because the moves that were left in the tree lose.
    """
    game = find_game("hex:7:7/2wb1w1/3b3/3b3/7/7/7:w")
    search = find_player("hex:study_after=4").engine(game, seed=0)
    result = search.run(Limits(playouts=4000))
    assert result.lower == -1  # not proven to be Black's


@pytest.mark.parametrize(
    "player", ["tesuji:solver=off,expand_after=3", "hex:study_after=8,presearch=0", "mohex1:study_after=5,presearch=0"]
)
def test_no_line_of_play_leads_to_a_filled_cell(player, monkeypatch):
    """Children that were expanded before a position above was replaced had moves on cells that were filled there."""
    seen = []

    def checked(policy, state, moves, count, kept):
        seen.append(int(np.count_nonzero(state["stones"][0] & state["stones"][1])))
        return study_position(policy, state, moves, count, kept)

    monkeypatch.setitem(study.implementations, MoHexWithStudies, checked)
    for seed in range(2):
        find_player(player).engine(find_game("hex:4"), seed=seed, pure=True).run(Limits(playouts=250))
    assert len(seen) > 3 and not any(seen)


def test_a_tree_with_studies_can_be_compacted_moved_along_and_be_short_of_room(monkeypatch):
    """Also where there is no room for a position that a study puts in place of another: the old one is gone on with."""
    game, taken = find_game("hex:5"), []

    def checked(policy, state, moves, count, kept):
        taken.append(int(np.count_nonzero(state["stones"][0] & state["stones"][1])))
        return study_position(policy, state, moves, count, kept)

    monkeypatch.setitem(study.implementations, MoHexWithStudies, checked)
    for full in (False, True):
        search = find_player("mohex2:study_after=4,expand_after=3,connection_room=150,solver=off").engine(
            game, seed=3, pure=True
        )
        if full:
            search.tree.counters[REPLACEMENTS] = len(search.tree.positions)
        search.run(Limits(playouts=80))
        search.advance(search.result().best_move)
        search.run(Limits(playouts=30))
        assert search.result().moves
    assert len(taken) > 3 and not any(taken)


def test_what_is_proven_of_a_filled_position_is_not_taken_along_with_the_game():
    """After White's best move, Black's a bad one: with the cells that were filled in White wins; without them Black does."""
    game, solver = find_game("hex:4:1w2/bb2/4/3w:w"), NaiveSolver(4, 4)
    player = find_player("tesuji:study_after=20,connection_room=12,prune_new=off,probe_children=off,transpositions=off")
    search = player.engine(game, seed=53, pure=True)
    search.run(Limits(playouts=400))
    assert not search.tree.nodes[ROOT]["flags"] & REPLACED
    for text in ("b3", "c4", "b4", "a4"):
        search.advance(move_number(game, text))
        nodes, checked = search.tree.nodes, []

        def walk(node, state, nodes=nodes, checked=checked):
            if node != ROOT and nodes[node]["flags"] & REPLACED:
                return
            stones = [sum(int(state["stones"][player, row]) << 4 * row for row in range(4)) for player in range(2)]
            wins = state["winner"] == 1 or (state["winner"] == 0 and solver.mover_wins(*stones, int(state["to_play"])))
            value = int(state["winner"]) or (1 if wins == (state["to_play"] == 0) else -1)
            assert nodes[node]["lower"] <= value <= nodes[node]["upper"]
            checked.append(node)
            for child in children_of(search.tree, node):
                after = state.copy()
                play(after, int(nodes[child]["move"]))
                walk(child, after)

        walk(ROOT, search.state)
        search.run(Limits(playouts=3))
    assert checked


@pytest.mark.skipif(is_pure(), reason="pure Python has one thread")
@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("player", ["tesuji:study_after=4", "prove:study_after=0"])
def test_threads_prove_the_openings_of_4x4(player, threads):
    game, winning = find_game("hex:4"), winning_openings(4, 4)
    for move in game.legal_moves(game.initial):
        text = game.text(game.initial, move)
        chosen = find_player(f"{player},threads={threads},connection_room=60")
        result = chosen.engine(game, game.state_after([text]), seed=1).run(Limits(playouts=200_000))
        assert (result.lower, result.upper) == ((1, 1) if text in winning else (-1, -1)), text


@pytest.mark.parametrize(("size", "positions"), [(3, 80), (4, 60)])
def test_closed_carriers_can_be_filled(size, positions):
    """Whoever moves: the value with the filled carriers is the one without. Fill-in would find most of these by itself."""
    solver, chooser, changed = NaiveSolver(size, size), random.Random(f"closed:{size}"), 0
    known, work = [new_connections(size, size, colour, 1 << 10) for colour in range(2)], np.zeros(1, WORK)[0]
    for _ in range(positions):
        state, stones = random_position(size, chooser)
        board, cells = state.copy(), [(column, row) for row in range(size) for column in range(size)]
        for colour in range(2):
            build(known[colour], board)
        changed += sum(fill_closed_carriers(one, work, board) for one in known) > 0
        masks = []
        for one in (state, board):
            rows = one["stones"]
            masks.append([sum(solver.bit[c, r] for c, r in cells if int(rows[p, r]) >> c & 1) for p in range(2)])
        assert masks[0] == [sum(solver.bit[cell] for cell, owner in stones.items() if owner == p) for p in range(2)]
        assert masks[1][0] & masks[1][1] == 0
        for mover in range(2):
            before = solver.mover_wins(*masks[0], mover)
            if board["winner"] != 0:
                assert before == ((int(board["winner"]) == 1) == (mover == 0))
            else:
                assert before == solver.mover_wins(*masks[1], mover)
    assert changed > positions // 20


# -- before the search -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("size", "positions", "room"), [(3, 40, 1 << 12), (4, 12, 1 << 12), (4, 12, 30)])
def test_a_look_one_move_ahead_is_right(size, positions, room):
    policy, solver = policy_for(size, connection_room=room), NaiveSolver(size, size)
    chooser, told = random.Random(f"ahead:{size}:{room}"), 0
    for _ in range(positions):
        state, stones = random_position(size, chooser)
        before, mover = state.copy(), int(state["to_play"])
        taken = {row * size + column for column, row in stones}
        moves = np.array([cell for cell in range(size * size) if cell not in taken], np.int32)
        winning = winning_moves(solver, stones, [1 << int(cell) for cell in moves], mover)
        bounds = np.stack([np.full(len(moves), NO_LOWER), np.full(len(moves), NO_UPPER)])
        study_moves(policy, state, moves, len(moves), bounds)
        assert state == before and policy.workspaces.taken.tolist() == [0]
        for i, move in enumerate(moves):
            value = 1 if (1 << int(move) in winning) == (mover == 0) else -1
            assert tuple(bounds[:, i]) in ((value, value), (NO_LOWER, NO_UPPER))
            told += int(bounds[0, i] != NO_LOWER)
    assert told > positions


def test_a_winning_connection_is_played_out_without_a_search():
    """Black wins 4x4 by connections from b3 on; White resists where most of Black's connections need a cell."""
    game = find_game("hex:4")
    state, played = game.state_after(["b3"]), ["b3"]
    player = find_player("mohex2:connection_room=2000")
    while not is_over(state):
        result = player.engine(game, state.copy(), seed=1, pure=True).run(Limits(playouts=50))
        assert (result.playouts, result.proven, result.lower, result.upper) == (0, True, 1, 1)
        played.append(game.text(state, result.best_move))
        play(state, result.best_move)
    assert int(state["winner"]) == 1 and len(played) < 14
    assert "b3" in winning_openings(4, 4)
    without = find_player("mohex2:presearch=0").engine(game, game.state_after(["b3"]), seed=1, pure=True)
    assert without.run(Limits(playouts=5)).playouts == 5


def test_a_presearch_is_left_out_without_a_solver_studies_or_time():
    game = find_game("hex:4")
    for name in ("mohex2:solver=off", "mohex2:pruning=off"):
        assert find_player(name).engine(game, seed=1, pure=True).run(Limits(playouts=3)).playouts == 3
    search = find_player("mohex2:connection_room=20").engine(game, seed=1, pure=True)
    search._presearch(search.new_budget(Limits(seconds=1e-9)))
    looked_at = [child for child in children_of(search.tree, ROOT) if search.tree.nodes[child]["flags"] & PRESEARCHED]
    assert len(looked_at) == 1  # as little as can be, the move of the highest prior
    open_ones = [child for child in children_of(search.tree, ROOT) if not search.tree.nodes[child]["flags"] & PRUNED]
    assert looked_at[0] == max(open_ones, key=lambda child: search.tree.nodes[child]["prior"])


# -- replies ---------------------------------------------------------------------------------------------------------------
def test_the_other_cell_of_a_bridge_is_asked_for_and_gets_a_larger_prior():
    """White's stones b2 and c3 of 5x5 are joined by b3 and c2."""
    game = find_game("hex:5:5/1w3/2w2/5/5:b")
    cell = {text: move_number(game, text) for text in ("b3", "c2")}
    moves = np.array(game.legal_moves(game.initial), np.int32)
    white = new_connections(5, 5, 1, 1 << 12)
    build(white, game.initial)
    kept = np.where(moves == cell["c2"], 0, 1).astype(np.int32)
    ask_for_replies(white, np.zeros(MOST_PAIRS, np.int64), np.zeros(25, np.int64), moves, len(moves), kept)
    codes = dict(zip(moves.tolist(), kept.tolist(), strict=True))
    assert codes[cell["b3"]] == FIRST_REPLY + cell["c2"] and codes[cell["c2"]] == 0
    state = game.initial.copy()
    play(state, cell["b3"])
    replies = np.array(game.legal_moves(state), np.int32)
    priors = {}
    for bonus in (0.0, 282.0):
        ratings = np.zeros(len(replies), RATING)
        ratings["kept"], ratings["asked_for"] = True, replies == cell["c2"]
        rate_moves(policy_for(5, reply_bonus=bonus), state, replies, len(replies), ratings)
        assert ratings["prior"].sum() == pytest.approx(1.0)
        priors[bonus] = ratings["prior"][list(replies).index(cell["c2"])]
    assert 1.0 > priors[282.0] > priors[0.0] + 0.05


def test_a_search_remembers_the_replies_that_studies_ask_for():
    game = find_game("hex:5:5/1w3/2w2/5/5:b")
    search = find_player("mohex2:study_after=2,expand_after=4,connection_room=150,presearch=0").engine(game, seed=1, pure=True)
    search.run(Limits(playouts=30))
    used = search.tree.nodes[: int(search.tree.counters[USED])]
    waiting = used[(used["child_count"] == 0) & (used["first_child"] < 0)]
    assert len(waiting) > 0 and np.all(-1 - waiting["first_child"] < 25)
    assert is_tree(used.copy(), 26)
    broken = used.copy()
    broken["first_child"][np.flatnonzero(used["first_child"] < 0)[0]] = -1000
    assert not is_tree(broken, 26)


# -- hard cases ------------------------------------------------------------------------------------------------------------
def test_an_interrupted_build_leaves_nothing_wrong_behind(monkeypatch):
    """Ctrl-C in pure Python: the room stays taken, so that studies tell nothing; once it is free, they tell what they told."""
    policy, state = policy_for(4, connection_room=1000), find_game("hex:4").state_after(["a1", "b3"])
    moves = np.array([cell for cell in range(16) if cell not in (0, 9)], np.int32)

    def studied():
        kept = np.ones(len(moves), np.int32)
        return study_position(policy, state.copy(), moves, len(moves), kept), kept.tolist()

    def interrupted(known, pair):
        if known.counts[ATTEMPTS] > 40:
            raise KeyboardInterrupt
        return combine_next(known, pair)

    before = studied()
    monkeypatch.setattr(connection_search, "combine_next", interrupted)
    with pytest.raises(KeyboardInterrupt):
        studied()
    monkeypatch.undo()
    assert studied() == ((NO_LOWER, NO_UPPER, False), [1] * len(moves))
    policy.workspaces.taken[0] = 0
    assert studied() == before and before[0][0] != NO_LOWER


@pytest.mark.parametrize("room", [8, 24, 64])
def test_an_arena_of_a_few_hundred_bytes_is_enough(room):
    """Sixteen bytes a carrier. Fewer connections are known; what is proven is right."""
    game, winning = find_game("hex:3"), winning_openings(3, 3)
    for text in ("a1", "b2"):
        search = find_player(f"mohex2:connection_room={room}").engine(game, game.state_after([text]), seed=1, pure=True)
        result = search.run(Limits(playouts=150))
        assert (result.lower, result.upper) == ((1, 1) if text in winning else (-1, -1))


def test_positions_that_are_won_or_all_filled_in():
    game = find_game("hex:3")
    won = game.state_after(["a1", "c1", "a2", "c2", "a3"])
    assert won["winner"] == 1
    result = find_player("mohex2").engine(game, won, seed=1, pure=True).run(Limits(playouts=5))
    assert (result.playouts, result.best_move, result.proven) == (0, None, True)
    filled = find_game("hex:3:1bw/2w/b2:w")  # a bridge: all empty cells are filled in for Black
    assert AssessedPosition(filled.initial).winner == 0
    result = find_player("mohex2").engine(filled, seed=1, pure=True).run(Limits(playouts=5))
    assert (result.playouts, result.lower, result.upper) == (0, 1, 1)
    assert result.best_move in filled.legal_moves(filled.initial)
