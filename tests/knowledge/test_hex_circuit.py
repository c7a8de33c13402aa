"""The circuit of Hex: against a dense solver, under symmetry, against brute force; the search on it proves nothing false."""

from __future__ import annotations

import math
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from tesuji.core.game import copy_state
from tesuji.core.limits import Limits
from tesuji.core.rules import play
from tesuji.games.hex.game import set_up
from tesuji.games.hex.state import BLACK, WHITE, empty_board
from tesuji.games.registry import find_game
from tesuji.knowledge.hex.connections.build import build, new_connections
from tesuji.knowledge.hex.connections.circuit import LIMIT, add_currents, compared, natural_log, new_circuit_work, solve_circuit
from tesuji.knowledge.hex.connections.listing import carriers
from tesuji.knowledge.hex.policies.circuit import DECIDED, Circuit
from tesuji.players.presets import find_player
from tesuji.search.alphabeta.hooks import known_bounds, rate_order
from tesuji.search.policy import evaluate

sys.path.insert(0, str(Path(__file__).parents[1] / "games"))
from naive_hex import AROUND, NaiveSolver

Stones = dict[tuple[int, int], int]


def random_stones(size: int, count: int, chooser: random.Random) -> Stones:
    """Stones of both in about equal numbers, so that nobody has won."""
    cells = [(column, row) for row in range(size) for column in range(size)]
    while True:
        stones = {cell: number % 2 for number, cell in enumerate(chooser.sample(cells, count))}
        if set_up(empty_board(size, size), stones, 0)["winner"] == 0:
            return stones


def mirrored(stones: Stones) -> Stones:
    """The same for the other player: mirrored at the long diagonal, with exchanged colours."""
    return {(row, column): 1 - owner for (column, row), owner in stones.items()}


def policy_for(size: int, room: int = 1 << 12) -> Circuit:
    policy = find_player(f"wolve:connection_room={room}").engine(find_game(f"hex:{size}"), pure=True).policy
    assert isinstance(policy, Circuit)
    return policy


# -- the circuit ------------------------------------------------------------------------------------------------------------
def naive_nodes(size: int, stones: Stones, colour: int) -> dict[int, list[int]]:
    """By its lowest cell: the cells of each chain of the colour that reaches no edge, and each empty cell; the edges."""
    cells = size * size
    owner = [stones.get((cell % size, cell // size), 2) for cell in range(cells)]
    group = list(range(cells + 2))
    for _ in range(cells):
        for cell in range(cells):
            if owner[cell] != colour:
                continue
            column, row = cell % size, cell // size
            place = row if colour == BLACK else column
            near = [(column + c, row + r) for c, r in AROUND]
            own = [r * size + c for c, r in near if 0 <= c < size and 0 <= r < size and owner[r * size + c] == colour]
            numbers = [group[other] for other in [*own, cell]]
            edges = [number for number in numbers if number >= cells]
            edges += [cells] * (place == 0) + [cells + 1] * (place == size - 1)
            group[cell] = edges[0] if edges else min(numbers)
    found: dict[int, list[int]] = {cells: [], cells + 1: []}
    for cell in range(cells):
        if owner[cell] != 1 - colour:
            found.setdefault(group[cell], []).append(cell)
    return found


def dense_circuit(known, size: int, stones: Stones, colour: int) -> tuple[float, np.ndarray]:
    """The resistance, and the current through each cell, with NumPy's solver and all pairs of points."""
    nodes = sorted(naive_nodes(size, stones, colour))
    is_empty = [node < size * size and (node % size, node // size) not in stones for node in nodes]
    links = np.zeros((len(nodes), len(nodes)))
    for i, one in enumerate(nodes):
        for j, other in enumerate(nodes[:i]):
            sets = [set(carrier) for carrier in carriers(known, one, other, full=True)]
            if sets and (is_empty[i] or is_empty[j]):
                links[i, j] = links[j, i] = (1 if is_empty[i] and is_empty[j] else 2) / (1 + len(set.intersection(*sets)))
    source, sink = nodes.index(size * size), nodes.index(size * size + 1)
    laplacian = np.diag(links.sum(axis=0)) - links
    kept = [i for i in range(len(nodes)) if i != sink and laplacian[i, i] > 0]
    voltage = np.zeros(len(nodes))
    voltage[kept] = np.linalg.solve(laplacian[np.ix_(kept, kept)], np.array([float(i == source) for i in kept]))
    flow = np.abs(links * (voltage[:, None] - voltage[None, :])).sum(axis=1) / 2
    currents = np.zeros(size * size)
    for i, node in enumerate(nodes):
        if is_empty[i]:
            currents[node] = flow[i]
    return voltage[source], currents


@pytest.mark.parametrize(("size", "stones"), [(3, 0), (3, 2), (4, 4), (4, 7), (5, 10), (5, 12)])
def test_resistance_and_currents_agree_with_a_dense_solver(size, stones):
    chooser = random.Random(f"{size}:{stones}")
    for _ in range(3):
        placed = random_stones(size, stones, chooser)
        for colour in (BLACK, WHITE):
            known = new_connections(size, size, colour, 1 << 12)
            build(known, set_up(empty_board(size, size), placed, 0))
            work = new_circuit_work(known)
            currents = np.zeros(size * size)
            resistance = solve_circuit(known, work.node, work.matrix, work.voltage)
            add_currents(known, work.voltage, currents)
            expected, expected_currents = dense_circuit(known, size, placed, colour)
            assert resistance == pytest.approx(expected, rel=1e-9)
            assert currents == pytest.approx(expected_currents, rel=1e-9, abs=1e-12)


def test_edges_without_a_link_between_them():
    """An arena too small for the neighbours of all cells leaves parts without a link to the second edge."""
    known = new_connections(4, 4, BLACK, 12)
    build(known, empty_board(4, 4))
    work = new_circuit_work(known)
    assert solve_circuit(known, work.node, work.matrix, work.voltage) == 1e6
    assert np.isfinite(work.voltage).all()


def test_the_logarithm_and_its_limits():
    for x in (1.0, 1.5, 0.7071, 1e-6, 123.456, 1e6):
        assert natural_log(x) == pytest.approx(math.log(x), abs=1e-14)
    assert compared(0.3, 0.3) == 0.0
    assert compared(0.3, 0.4) == -compared(0.4, 0.3) > 0.0
    assert compared(1e-3, 1e6) == LIMIT and compared(1e6, 1e-3) == -LIMIT


# -- positions --------------------------------------------------------------------------------------------------------------
def value_by_circuits(size: int, stones: Stones) -> float:
    """Without fill-in, so that no position is decided."""
    resistances = []
    for colour in (BLACK, WHITE):
        known = new_connections(size, size, colour, 1 << 12)
        build(known, set_up(empty_board(size, size), stones, 0))
        work = new_circuit_work(known)
        resistances.append(solve_circuit(known, work.node, work.matrix, work.voltage))
    return compared(*resistances)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_empty_board_favours_nobody(size):
    assert value_by_circuits(size, {}) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("size", "stones"), [(4, 3), (5, 8)])
def test_mirrored_positions_have_the_opposite_value(size, stones):
    """Nearly: which connections are kept of many depends on the order of the cells."""
    chooser = random.Random(f"mirror {size}:{stones}")
    for _ in range(4):
        placed = random_stones(size, stones, chooser)
        value = value_by_circuits(size, placed)
        assert abs(value) > 0.01
        assert value_by_circuits(size, mirrored(placed)) == pytest.approx(-value, abs=0.3)


def test_positions_stay_as_they_are():
    policy = policy_for(4)
    state = set_up(empty_board(4, 4), random_stones(4, 4, random.Random(1)), 0)
    before = state.tobytes()
    value = evaluate(policy, state)
    assert state.tobytes() == before and evaluate(policy, state) == value


def bits_of(solver: NaiveSolver, stones: Stones, player: int) -> int:
    return sum(solver.bit[cell] for cell, owner in stones.items() if owner == player)


@pytest.mark.parametrize(("size", "room"), [(3, 1 << 12), (3, 40), (4, 1 << 12), (4, 90)])
def test_decided_positions_and_considered_moves_are_right(size, room):
    """Against brute force, with room for all connections and for few."""
    policy, solver = policy_for(size, room), NaiveSolver(size, size)
    chooser = random.Random(f"decided {size}:{room}")
    cells = size * size
    open_positions = 0
    for _ in range(25):
        stones = random_stones(size, chooser.randrange(2, cells - 2), chooser)
        mover = chooser.randrange(2)
        state = set_up(empty_board(size, size), stones, mover)
        black, white = bits_of(solver, stones, 0), bits_of(solver, stones, 1)
        truth = 1 if solver.mover_wins(black, white, mover) == (mover == 0) else -1
        lower, upper = known_bounds(policy, state, -1, 1)
        value = evaluate(policy, state)
        assert lower <= truth <= upper
        if lower == upper:
            assert value == DECIDED * truth
            continue
        open_positions += 1
        assert abs(value) <= LIMIT
        moves = np.array([c for c in range(cells) if (c % size, c // size) not in stones], np.int32)
        orders, chances = np.zeros(len(moves)), np.ones(len(moves))
        rate_order(policy, state, moves, len(moves), orders, chances)
        assert (orders != 0).all() and (orders > 0).any() and not chances.any()
        if truth == (1 if mover == 0 else -1):  # a winning move is among those that are considered
            wins = []
            for move in moves[orders > 0]:
                after = {**stones, (int(move) % size, int(move) // size): mover}
                owned = bits_of(solver, after, 0), bits_of(solver, after, 1)
                wins.append(solver.is_joined(owned[mover], mover) or not solver.mover_wins(*owned, 1 - mover))
            assert any(wins)
    assert open_positions > 0 or room > 1000


def test_a_swap_is_considered_and_leaves_the_better_side_to_the_second_player():
    game = find_game("hex:4:swap=on")
    policy = find_player("wolve:connection_room=300").engine(game, pure=True).policy
    state = game.new_state()
    play(state, 5)
    plain = copy_state(state)
    plain["swap"] = 0
    assert evaluate(policy, state) == -abs(evaluate(policy, plain))
    assert known_bounds(policy, state, -1, 1) == (-1, 1)
    moves = np.array(game.legal_moves(state), np.int32)
    orders, chances = np.zeros(len(moves)), np.zeros(len(moves))
    rate_order(policy, state, moves, len(moves), orders, chances)
    assert moves[int(orders.argmax())] == 16


# -- the search -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("width", "room"), [(1, 60), (2, 60), (3, 1 << 12)])
def test_a_narrow_search_proves_nothing_false(width, room):
    game, solver = find_game("hex:3"), NaiveSolver(3, 3)
    player = find_player(f"wolve:width={width},connection_room={room},memory=1")
    chooser = random.Random(f"narrow {width}:{room}")
    for number in range(6):
        stones = random_stones(3, chooser.randrange(0, 4), chooser)
        mover = number % 2
        state = set_up(empty_board(3, 3), stones, mover)
        search = player.engine(game, state, seed=number, pure=True)
        for nodes in (5, 20, 200):
            result = search.run(Limits(playouts=nodes))
            truth = 1 if solver.mover_wins(*(bits_of(solver, stones, p) for p in (0, 1)), mover) == (mover == 0) else -1
            assert result.lower <= truth <= result.upper
            for report in result.moves:
                after = {**stones, (report.move % 3, report.move // 3): mover}
                owned = bits_of(solver, after, 0), bits_of(solver, after, 1)
                mover_won = solver.is_joined(owned[mover], mover) or not solver.mover_wins(*owned, 1 - mover)
                assert report.lower <= (1 if mover_won == (mover == 0) else -1) <= report.upper


def test_a_won_game_is_played_to_its_end():
    """Every move of the winner keeps the win, and serves to join his edges: there are few, whatever the other does."""
    game, chooser = find_game("hex:4"), random.Random(4)
    search = find_player("wolve:memory=1,connection_room=4096").engine(game, seed=1, pure=True)
    moves = 0
    while search.state["winner"] == 0:
        if search.state["to_play"] == BLACK:
            result = search.run(Limits(playouts=60))
            assert result.proven and result.lower == 1
            move, moves = result.best_move, moves + 1
        else:
            move = chooser.choice(game.legal_moves(search.state))
        search.advance(move)
    assert search.state["winner"] == 1 and moves <= 5


def test_pure_and_compiled_are_the_same():
    """Without proofs, and with room for few connections: so pure Python gets to some depth in little time."""
    game = find_game("hex:5")
    player = find_player("wolve:connection_room=200,initial_bounds=off,width=4,memory=1")
    searches = [player.engine(game, seed=3, pure=pure) for pure in (True, None)]
    results = [search.run(Limits(playouts=40)) for search in searches]
    assert searches[0].depth >= 2
    assert searches[0].tree_hash() == searches[1].tree_hash() and results[0].moves == results[1].moves
    views = [search.policy.views for search in searches]
    assert views[0].tobytes() == views[1].tobytes()
