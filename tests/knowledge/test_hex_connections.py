"""Virtual connections of Hex: each one found is real, judged by playing, and so is what follows from those of the edges."""

import random

import numpy as np
import pytest
from hex_connection_checks import as_bits, position, random_stones, template_joins, wrong_connections
from naive_connections import ConnectionJudge, plainly_joins
from naive_hex import NaiveSolver

from tesuji.core.numba.registration import compiled
from tesuji.games.hex.game import set_up
from tesuji.games.hex.state import BLACK, WHITE, empty_board
from tesuji.games.hex.text import parse_move, parse_position
from tesuji.knowledge.hex import bitsets
from tesuji.knowledge.hex.connections.build import build, new_connections
from tesuji.knowledge.hex.connections.edge_templates import edge_templates, instances, parse_template, template_text
from tesuji.knowledge.hex.connections.edge_to_edge import key_of, mustplay, wins_as_first, wins_as_second
from tesuji.knowledge.hex.connections.listing import all_pairs, carriers, sizes
from tesuji.knowledge.hex.connections.update import update

SMALL_ARENA = 4096


# -- the judge -------------------------------------------------------------------------------------------------------------
def test_the_judge_agrees_with_trying_every_move():
    rng = random.Random(3)
    judge = ConnectionJudge(3, 3, BLACK)
    answers = set()
    for _ in range(300):
        black, white = random_stones(rng, 9)
        x, y = rng.sample([point for point in range(11) if not white >> point & 1], 2)
        carrier = as_bits(cell for cell in range(9) if not (black | white | 1 << x | 1 << y) >> cell & 1 and rng.random() < 0.8)
        for moves_first in (False, True):
            judged = judge.joins(black, carrier, x, y, moves_first)
            assert judged == plainly_joins(judge, black | 1 << x | 1 << y, carrier, x, y, moves_first)
            answers.add((judged, moves_first))
    assert len(answers) == 4


# -- every connection is real ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("width", "height", "count"), [(3, 3, 300), (4, 3, 40), (2, 5, 40), (4, 4, 12)])
@pytest.mark.parametrize("colour", [BLACK, WHITE])
def test_all_connections_are_real(width, height, count, colour):
    rng = random.Random(width)
    judge = ConnectionJudge(width, height, colour)
    known = new_connections(width, height, colour, SMALL_ARENA)
    total = 0
    for _ in range(count):
        stones = random_stones(rng, width * height)
        compiled(build)(known, position(width, height, *stones))
        wrong, found = wrong_connections(known, judge, stones)
        assert not wrong
        assert sizes(known)["left_out"] == 0, "nothing is left out"
        total += found
    assert total > 10 * count


@pytest.mark.parametrize("arena", [8, 20, 60, 150])
def test_a_small_arena_has_fewer_connections_but_no_wrong_ones(arena):
    rng = random.Random(arena)
    judge = ConnectionJudge(3, 3, BLACK)
    small, large = new_connections(3, 3, BLACK, arena), new_connections(3, 3, BLACK, SMALL_ARENA)
    lacking = 0
    for _ in range(60):
        stones = random_stones(rng, 9)
        state = position(3, 3, *stones)
        compiled(build)(small, state)
        compiled(build)(large, state)
        assert not wrong_connections(small, judge, stones)[0]
        lacking += sizes(small)["semis"] < sizes(large)["semis"]
        assert (sizes(small)["left_out"] > 0) >= (sizes(small)["semis"] < sizes(large)["semis"])
    assert lacking or arena > 100


def test_a_low_soft_limit_keeps_fewer_semis():
    state = position(5, 5, 1 << 12, 0)
    few, many = new_connections(5, 5, BLACK, SMALL_ARENA, soft_limit=2), new_connections(5, 5, BLACK, 1 << 15)
    compiled(build)(few, state)
    compiled(build)(many, state)
    assert sizes(few)["semis"] < sizes(many)["semis"]


# -- the same in pure Python -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("colour", [BLACK, WHITE])
def test_pure_python_finds_the_same(colour):
    rng = random.Random(7)
    for _ in range(3):
        black, white = random_stones(rng, 16)
        more = rng.choice([1 << cell for cell in range(16) if not (black | white) >> cell & 1] or [0])
        states = position(4, 4, black, white), position(4, 4, black | more, white)
        twins = [[new_connections(4, 4, colour, 1000) for _ in range(2)] for _ in range(2)]
        for (first, second), do, go_on in zip(twins, (build, compiled(build)), (update, compiled(update)), strict=True):
            do(first, states[0])
            go_on(first, second, states[1])
        for pure, quick in zip(*twins, strict=True):
            for name in ("counts", "pairs", "common", "arena", "pair_of", "near", "captured", "captain", "status"):
                assert getattr(pure, name).tobytes() == getattr(quick, name).tobytes(), name


@pytest.mark.parametrize(("width", "height"), [(12, 11), (15, 14), (19, 19), (19, 1), (1, 1)])
def test_boards_of_all_widths_of_sets(width, height):
    """In pure Python: White's stones everywhere but on one column, where Black has a bridge or an end."""
    free = as_bits(row * width + column for row in range(height) for column in (0, 1) if column < width)
    known = new_connections(width, height, BLACK, SMALL_ARENA, templates=[])
    build(known, position(width, height, 0, (1 << width * height) - 1 & ~free))
    judge = ConnectionJudge(width, height, BLACK)
    for full in (True, False):
        for cells in carriers(known, 0, width * height, full):
            assert judge.joins(0, as_bits(cells), 0, width * height, not full)
    assert sizes(known)["fulls"] >= 2 * (width > 1) * height


# -- edge to edge ----------------------------------------------------------------------------------------------------------
def wins(solver, black, white, player):
    """Whether the player to move wins, by trying everything; the game may be over."""
    for colour, bits in ((0, black), (1, white)):
        if solver.is_joined(bits, colour):
            return colour == player
    return solver.mover_wins(black, white, player)


@pytest.fixture(scope="module")
def solver():
    return NaiveSolver(4, 4)


def test_what_edges_and_mustplay_say_is_true(solver):
    rng = random.Random(11)
    known = [new_connections(4, 4, colour, SMALL_ARENA) for colour in (BLACK, WHITE)]
    marks = np.zeros(16, np.int8)
    said = {"second": 0, "first": 0, "must": 0}
    for _ in range(120):
        cells = rng.sample(range(16), rng.randrange(6, 11))
        black, white = as_bits(cells[::2]), as_bits(cells[1::2])
        if solver.is_joined(black, 0) or solver.is_joined(white, 1):
            continue
        state = position(4, 4, black, white)
        for colour in (BLACK, WHITE):
            compiled(build)(known[colour], state)
            if wins_as_second(known[colour]):
                assert not wins(solver, black, white, 1 - colour)
                said["second"] += 1
            elif wins_as_first(known[colour]):
                assert wins(solver, black, white, colour)
                said["first"] += 1
        for player in (BLACK, WHITE):
            count = mustplay(known[1 - player], marks)
            assert count == marks.sum()
            for cell in range(16):
                if not (black | white) >> cell & 1 and not marks[cell]:
                    after = (black | 1 << cell, white) if player == BLACK else (black, white | 1 << cell)
                    assert wins(solver, *after, 1 - player), "a move outside loses"
                    said["must"] += 1
    assert min(said.values()) > 20


def test_the_key_of_a_semi_makes_it_a_full_one():
    rng = random.Random(5)
    judge = ConnectionJudge(4, 4, WHITE)
    known = new_connections(4, 4, WHITE, SMALL_ARENA)
    keys = 0
    for _ in range(15):
        black, white = random_stones(rng, 16)
        compiled(build)(known, position(4, 4, black, white))
        for x, y in all_pairs(known):
            for number, cells in enumerate(carriers(known, x, y, False)):
                key = int(key_of(known, x, y, number))
                assert key in cells
                assert judge.joins(white | 1 << key, as_bits(cells) & ~(1 << key), x, y, False)
                keys += 1
    assert keys > 100


def test_a_won_position_is_known_as_such():
    state = set_up(empty_board(3, 3), *parse_position("b2/b1w/bw1:w", 3, 3))
    for colour, wins in ((BLACK, True), (WHITE, False)):
        known = new_connections(3, 3, colour, SMALL_ARENA)
        build(known, state)
        assert bool(wins_as_second(known)) == wins == bool(wins_as_first(known))
    before = new_connections(3, 3, BLACK, SMALL_ARENA)
    build(before, empty_board(3, 3))
    known = new_connections(3, 3, BLACK, SMALL_ARENA)
    update(before, known, state)
    assert wins_as_second(known)


# -- after a move ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("colour", [BLACK, WHITE])
def test_an_update_is_real_and_nearly_as_large(colour):
    rng = random.Random(colour)
    judge = ConnectionJudge(4, 4, colour)
    before, after, anew = (new_connections(4, 4, colour, SMALL_ARENA) for _ in range(3))
    updated = built = 0
    for _ in range(25):
        black, white = random_stones(rng, 16)
        compiled(build)(before, position(4, 4, black, white))
        kept = before.arena.tobytes()
        free = [1 << cell for cell in range(16) if not (black | white) >> cell & 1]
        for bit in rng.sample(free, min(len(free), rng.randrange(1, 4))):
            black, white = (black | bit, white) if rng.random() < 0.5 else (black, white | bit)
        state = position(4, 4, black, white)
        compiled(update)(before, after, state)
        compiled(build)(anew, state)
        assert before.arena.tobytes() == kept, "the earlier position stays"
        wrong, found = wrong_connections(after, judge, (black, white))
        assert not wrong
        updated += found
        built += wrong_connections(anew, judge, (black, white))[1]
    assert updated > 0.97 * built > 100


def test_an_update_of_another_position_builds_anew():
    before, after, anew = (new_connections(4, 4, BLACK, SMALL_ARENA) for _ in range(3))
    compiled(build)(before, position(4, 4, 1 << 5, 1 << 9))
    state = position(4, 4, 1 << 6, 1 << 9)
    compiled(update)(before, after, state)
    compiled(build)(anew, state)
    assert after.arena.tobytes() == anew.arena.tobytes()


# -- edge templates --------------------------------------------------------------------------------------------------------
def test_templates_are_real():
    small = [template for template in edge_templates() if len(template.carrier) <= 12]
    assert len(small) > 10
    assert all(map(template_joins, small))
    assert not template_joins(parse_template("1 0,0"))


def test_templates_are_written_and_mirrored():
    bridge = parse_template("1 -1,0 0,0")
    assert bridge.mirrored() == bridge
    for template in edge_templates():
        assert parse_template(template_text(template)) == template == template.mirrored().mirrored()
    placed = instances([bridge], 3, 2, WHITE)
    cells = [tuple(cell for cell in range(6) if int(word) >> cell & 1) for word in placed.sets.reshape(-1, 2, 2)[:, 0, 0]]
    assert set(zip(placed.points.tolist(), placed.edges.tolist(), cells, strict=True)) == {(1, 6, (0, 3)), (4, 7, (2, 5))}


def test_a_wide_position_is_connected_by_templates():
    """Black to move joins his edges with h4; the south edge is his from seven points, on rows up to the seventh."""
    stones = [0, 0]
    for ply, word in enumerate(["b4", "b10", "d9", "d8", "e8", "e7", "g6", "f7", "g7", "g8", "f8", "g5", "h5", "e10"]):
        stones[ply % 2] |= 1 << parse_move(empty_board(11, 11), word)
    known = new_connections(11, 11, BLACK)
    compiled(build)(known, position(11, 11, *stones))
    south, north = 122, 121
    for word in ("h5", "h4", "i3", "i4", "f6", "c9"):
        point = int(known.captain[parse_move(empty_board(11, 11), word)])
        assert carriers(known, point, south, True), word
    semis = len(carriers(known, north, south, False))
    assert parse_move(empty_board(11, 11), "h4") in {int(key_of(known, north, south, number)) for number in range(semis)}


# -- sets of points --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("points", [128, 192, 256, 384])
def test_sets_of_points(points):
    rng = random.Random(points)
    kind = bitsets.bits_for(points)
    width = len(kind)
    assert width * 64 == points
    words = np.zeros(2 * width, np.uint64)

    def made(number):
        return type(kind)(*(np.uint64(number >> 64 * word & 0xFFFFFFFFFFFFFFFF) for word in range(width)))

    def number(bits):
        return sum(int(word) << 64 * place for place, word in enumerate(bits))

    for _ in range(50):
        a, b = rng.getrandbits(points) & rng.getrandbits(points), rng.getrandbits(points) | 1
        point = rng.randrange(points)
        assert number(bitsets.both(made(a), made(b))) == a & b
        assert number(bitsets.either(made(a), made(b))) == a | b
        assert number(bitsets.minus(made(a), made(b))) == a & ~b
        assert bitsets.within(made(a & b), made(a)) and bitsets.within(made(a), made(b)) == (a & ~b == 0)
        assert bitsets.has_point(made(a), point) == bool(a >> point & 1)
        assert number(bitsets.with_point(made(a), point)) == a | 1 << point
        assert bitsets.points_in(made(a)) == a.bit_count()
        assert bitsets.lowest_point(made(1 << point | 1 << points - 1)) == point
        bitsets.store(made(a), words, 1)
        assert number(bitsets.load(kind, words, 1)) == a
    assert bitsets.is_empty(kind) and number(bitsets.everything(kind)) == (1 << points) - 1
    with pytest.raises(ValueError, match="385 points"):
        bitsets.bits_for(385)
