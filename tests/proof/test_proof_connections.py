"""Proofs by connections: each step against brute force, the writer on small boards, and certificates that were forged."""

from __future__ import annotations

import itertools
import random
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fuzz.certificates import is_true, near_of, random_step

import tesuji
from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.rules import FIRST_END, SECOND_END
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.proof.follow.open_certificate import OpenCertificate
from tesuji.proof.trusted.checker import RELIANCES, check_certificate
from tesuji.proof.trusted.claims import Refused
from tesuji.proof.trusted.connections import (
    AND,
    KIND_COUNT,
    OR,
    PAIR,
    PATH,
    ProvenConnection,
    ProvenConnections,
    Step,
    cells_of,
    number_of,
)
from tesuji.proof.trusted.format import Certificate, encode, encode_choices, read_certificate
from tesuji.proof.trusted.plain_rules import PlainRules
from tesuji.proof.write import connection_strategy
from tesuji.proof.write.connection_steps import ConnectionBuilder
from tesuji.proof.write.writer import write_certificate

sys.path.insert(0, str(Path(__file__).parents[1] / "games"))
from naive_hex import NaiveSolver

KNOWING = "tesuji:policy=knowledge,study_after=1"
BLACK = 0


def new_connections(width: int, height: int, player: int = BLACK) -> ProvenConnections:
    near = near_of(width, height, player)
    return ProvenConnections(player, len(near), lambda cell: near[cell])


# -- what a connection says, by brute force ------------------------------------------------------------------------------------
@pytest.mark.parametrize(("size", "seed"), [(3, 1), (3, 2), (4, 3), (4, 4)])
def test_every_connection_that_is_accepted_is_true(size, seed):
    """Thousands of random steps: whatever is not refused holds by brute force."""
    near = near_of(size, size)
    chooser = random.Random(seed)
    accepted = dict.fromkeys(range(KIND_COUNT), 0)
    carriers = 0
    for _ in range(40):
        connections = new_connections(size, size)
        for _ in range(400):
            step = random_step(chooser, connections, near)
            try:
                connection = connections.add(step)
            except Refused:
                continue
            if connection.carrier.bit_count() > 8:
                connections.proven.pop()
                continue
            accepted[step.kind] += 1
            carriers += bool(connection.carrier)
            assert is_true(near, connection), (step, connection)
    assert min(accepted.values()) >= 5 and carriers > 100, accepted


def test_a_false_connection_is_noticed_by_the_brute_force():
    """The test above could not fail if this one did."""
    near = near_of(3, 3)
    assert is_true(near, ProvenConnection(frozenset((FIRST_END, 4)), 1 << 4, 1 << 1 | 1 << 2))
    assert not is_true(near, ProvenConnection(frozenset((FIRST_END, 4)), 1 << 4, 1 << 1))
    assert not is_true(near, ProvenConnection(frozenset((FIRST_END, SECOND_END)), 1 << 4, 1 << 1 | 1 << 2 | 1 << 6))


# -- steps that are refused ----------------------------------------------------------------------------------------------
BRIDGE_UP = (  # b2 with the first edge over b1 and c1
    Step(PATH, (0, number_of(1), number_of(4))),
    Step(PATH, (0, number_of(2), number_of(4))),
    Step(OR, (1, 2, 2, 1)),
)
BRIDGE_DOWN = (  # b2 with the second edge over a3 and b3
    Step(PATH, (1, number_of(6), number_of(4))),
    Step(PATH, (1, number_of(7), number_of(4))),
    Step(OR, (6, 2, 7, 1)),
)
BOTH = (*BRIDGE_UP, *BRIDGE_DOWN, Step(AND, (1, 4)))


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ((*BRIDGE_UP, Step(AND, (1, 1))), "overlap: both carriers have 1"),
        ((*BRIDGE_UP, *BRIDGE_DOWN, Step(AND, (1,)), Step(AND, (1, 2))), "overlap"),
        ((*BRIDGE_UP[:2], Step(OR, (1, 2))), "no reply to 1"),
        ((*BRIDGE_UP[:2], Step(OR, (1, 2, 1, 2))), "no reply to 1"),
        ((*BRIDGE_UP[:2], Step(OR, ())), "names no way"),
        ((*BRIDGE_UP[:2], Step(OR, (1, 2, 2))), "names no way"),
        ((*BRIDGE_UP[:2], Step(OR, (9, 2, 2, 1))), "outside of the board"),
        ((Step(PATH, (0, number_of(9))),), "outside of the board"),
        ((Step(PATH, (0, number_of(4))),), "do not touch"),
        ((Step(PATH, (0, 1)),), "do not touch"),
        ((Step(PATH, (number_of(4),)),), "does not join two points"),
        ((Step(PATH, ()),), "does not join two points"),
        ((Step(PATH, (number_of(1), number_of(4), number_of(1))),), "does not join two points"),
        ((*BRIDGE_UP, Step(AND, (4,))), "not before it"),
        ((*BRIDGE_UP, Step(AND, (0,))), "not before it"),
        ((*BRIDGE_UP, Step(AND, ())), "does not join two points"),
        ((*BRIDGE_UP, *BRIDGE_DOWN, Step(OR, (0, 4, 8, 1))), "do not join the same two points"),
        ((*BRIDGE_UP, Step(OR, (1, 1, 7, 2))), "which is in the carrier of its connection"),
        ((*BRIDGE_UP, Step(PATH, (number_of(1), number_of(4))), Step(AND, (1, 2))), "needs 1 and has it in its carrier too"),
        ((*BRIDGE_UP, Step(PAIR, (3, 1, 4))), "cannot be captured where one of them is needed"),
        ((*BRIDGE_UP, Step(PAIR, (3, 1, 0))), "are not captured"),
        ((*BRIDGE_UP, Step(PAIR, (3, 1, 1))), "is not a connection and two cells"),
        ((*BRIDGE_UP, Step(PAIR, (3, 1, 9))), "is not a connection and two cells"),
        ((*BRIDGE_UP, Step(PAIR, (3, 1))), "is not a connection and two cells"),
    ],
)
def test_steps_that_show_nothing_are_refused(steps, why):
    connections = new_connections(3, 3)
    for step in steps[:-1]:
        connections.add(step)
    with pytest.raises(Refused, match=why):
        connections.add(steps[-1])
    assert len(connections.proven) == len(steps) - 1


def test_a_captured_pair_is_accepted():
    """The two cells between b2 and the top edge."""
    connections = new_connections(3, 3)
    connections.add(Step(PATH, (0, number_of(1), number_of(4))))
    connection = connections.add(Step(PAIR, (1, 1, 2, 4)))
    assert connection == ProvenConnection(frozenset((FIRST_END, 4)), 1 << 4, 1 << 1 | 1 << 2)


@pytest.mark.parametrize(
    ("position", "steps", "why"),
    [
        ("hex:3:3/1b1/3:w", BOTH[:3], "does not join the two ends"),
        ("hex:3:3/1b1/3:w", (), "does not join the two ends"),
        ("hex:3:3/3/1b1:w", BOTH, "needs b2, which the player does not hold"),
        ("hex:3:3/1w1/1b1:w", BOTH, "needs b2, which the player does not hold"),
        ("hex:3:2w/1b1/3:w", BOTH, "has c1, which is not free"),
        ("hex:3:2b/1b1/3:w", BOTH, "has c1, which is not free"),
    ],
)
def test_a_connection_must_fit_the_position(position, steps, why):
    game = find_game(position)
    with pytest.raises(Refused, match=why):
        PlainRules(game, False).check_win(game.initial, BLACK, steps)


def test_a_connection_that_fits_wins():
    game = find_game("hex:3:3/1b1/3:w")
    assert PlainRules(game, False).check_win(game.initial, BLACK, BOTH).proven[-1].carrier == 0b011000110
    with pytest.raises(Refused):
        PlainRules(game, False).check_win(game.initial, 1, BOTH)  # for White the edges are others


@pytest.mark.parametrize("name", ["hex:3:swap=on", "tictactoe"])
def test_where_the_rules_promise_nothing_nothing_is_connected(name):
    game = find_game(name)
    with pytest.raises(Refused, match="do not touch"):
        PlainRules(game, False).check_win(game.state_after([game.legal_moves(game.initial)[4]]), BLACK, BOTH)


def test_neighbours_and_holders_are_those_of_the_naive_rules():
    import numpy as np

    for width, height in ((1, 1), (3, 2), (4, 4)):
        game = find_game(f"hex:{width}x{height}")
        out = np.zeros(16, np.int32)
        state = game.initial.copy()
        for player in (0, 1):
            for cell, expected in enumerate(near_of(width, height, player)):
                count = int(rules.neighbours(state, player, cell, out))
                assert sorted(out[:count].tolist()) == sorted(expected)
            assert rules.neighbours(state, player, width * height, out) == 0
        assert {int(rules.holder(state, cell)) for cell in range(width * height)} == {rules.FREE}
        assert rules.holder(state, width * height) == rules.NO_CELL
        if width * height > 1:
            rules.play(state, 0)
            rules.play(state, 1)
            assert [int(rules.holder(state, cell)) for cell in (0, 1, 2)] == [0, 1, rules.FREE]


# -- the writer -----------------------------------------------------------------------------------------------------------
class NothingFound:
    """A finder that knows nothing: every connection has to be played out."""

    def carriers(self, own, free):
        return self

    def fulls(self, one, other):
        return []

    semis = fulls


def test_every_position_that_black_wins_has_a_connection_and_no_other():
    """All 3x3 positions with White to move, by playing out without any knowledge, against brute force."""
    solver, near = NaiveSolver(3, 3), near_of(3, 3)
    connections = new_connections(3, 3)
    builder = ConnectionBuilder(connections, near, NothingFound())
    seen = {True: 0, False: 0}
    for owners in itertools.product(range(3), repeat=9):
        black, white = (sum(1 << cell for cell in range(9) if owners[cell] == player) for player in (0, 1))
        if len(cells_of(black)) - len(cells_of(white)) not in (0, 1) or solver.is_joined(white, 1):
            continue
        free = 511 & ~(black | white)
        wins = solver.is_joined(black, 0) or (bool(free) and not solver.mover_wins(black, white, 1))
        found = builder.full(black, free, FIRST_END, SECOND_END, 9)
        assert (found is not None) == wins
        if found is not None:
            connection = builder.connection(found)
            assert not connection.needs & ~black and not connection.carrier & ~free
            assert replayed(builder.steps_to(found)).proven[-1] == connection
        seen[wins] += 1
    assert min(seen.values()) > 500


def replayed(steps) -> ProvenConnections:
    connections = new_connections(3, 3)
    for step in steps:
        connections.add(step)
    return connections


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Certificates of all openings of 3x3 and one of 4x4, from searches in pure Python."""
    found = {}
    for name in (*(f"hex:3:{text}:w" for text in ("b2/3/3", "1b1/3/3", "2b/3/3", "3/b2/3", "3/1b1/3")), "hex:4:4/2b1/4/4:w"):
        game = find_game(name)
        search = find_player(KNOWING).engine(game, game.initial, seed=1, pure=True)
        search.run(Limits(playouts=300))
        path = tmp_path_factory.mktemp("certificates") / "opening.cert"
        found[name] = path, write_certificate(search, path)
    return found


def test_openings_are_proven_as_brute_force_says(written):
    for name, (path, facts) in written.items():
        verdict = check_certificate(path)
        assert verdict.valid and facts["connections"]
        state = find_game(name).initial
        solver = NaiveSolver(int(state["width"]), int(state["height"]))
        black = next(1 << cell for cell in range(16) if int(rules.holder(state, cell)) == 0)
        expected = -1 if solver.mover_wins(black, 0, 1) else 1
        assert (verdict.lower, verdict.upper) == (expected, expected)
        assert facts["nodes"] < 100


def test_who_does_not_trust_connections_can_refuse_them(written):
    verdict = check_certificate(written["hex:3:3/1b1/3:w"][0], allowed=RELIANCES.keys() - {"connections"})
    assert not verdict.valid and "relies on connections" in verdict.reason


def test_a_changed_number_is_refused(written):
    path, _ = written["hex:3:2b/3/3:w"]
    certificate = read_certificate(path)
    for place in range(len(certificate.choices)):
        for by in (-1, 1, 5, 2**33):
            choices = list(certificate.choices)
            choices[place] = max(0, choices[place] + by)
            if choices != list(certificate.choices):
                header = replace(certificate.header, choices_size=len(encode_choices(choices)))
                changed = path.with_suffix(".changed")
                changed.write_bytes(encode(Certificate(header, tuple(choices))))
                verdict = check_certificate(changed)
                assert not verdict.valid and "\n" not in verdict.reason


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ((*BRIDGE_UP, *BRIDGE_DOWN, Step(AND, (1, 4, 4, 4))), "overlap: both carriers have b1"),
        ((*BRIDGE_UP[:2], Step(OR, (1, 2)), *BRIDGE_DOWN, Step(AND, (1, 4))), "no reply to b1"),
        ((*BRIDGE_UP[:2], Step(OR, (1, 2, 2**34, 1)), *BRIDGE_DOWN, Step(AND, (1, 4))), "outside of the board"),
        ((*BRIDGE_UP, *BRIDGE_DOWN, Step(AND, (1, 2**34))), "not before it"),
    ],
)
def test_a_forged_certificate_is_refused_with_one_line(written, steps, why, tmp_path):
    header = read_certificate(written["hex:3:3/1b1/3:w"][0]).header
    choices = [len(steps)]
    for kind, numbers in steps:
        choices += [kind + KIND_COUNT * len(numbers), *numbers]
    path = tmp_path / "forged.cert"
    path.write_bytes(encode(Certificate(replace(header, nodes=99, choices_size=len(encode_choices(choices))), tuple(choices))))
    verdict = check_certificate(path)
    assert not verdict.valid and why in verdict.reason and "\n" not in verdict.reason


def test_more_steps_than_the_header_says_are_refused(written, tmp_path):
    certificate = read_certificate(written["hex:3:3/1b1/3:w"][0])
    path = tmp_path / "short.cert"
    path.write_bytes(encode(replace(certificate, header=replace(certificate.header, nodes=3))))
    assert "more than the 3 positions" in check_certificate(path).reason


# -- walking --------------------------------------------------------------------------------------------------------------
def walk_all(opened: OpenCertificate, moves: list[str], said: set[str]) -> int:
    """Plays every move of the losing side against the certificate; returns how many games there were."""
    shown = opened.walk(moves, opened.loser)
    said.add(shown.why)
    if shown.ended:
        assert shown.position.is_over and "as the certificate claims" in shown.why
        return 1
    line = list(shown.position.moves[len(opened.start.moves) :])
    return sum(walk_all(opened, [*line, move], said) for move in shown.position.legal_moves)


def test_every_game_against_a_certificate_is_lost(written):
    for name in ("hex:3:3/1b1/3:w", "hex:3:2b/3/3:w", "hex:3:b2/3/3:w"):
        said: set[str] = set()
        assert walk_all(OpenCertificate(written[name][0].read_bytes(), "the file"), [], said) > 20
        assert any("does not matter to the proof" in why for why in said)
        assert any("whatever you play now" in why for why in said)


def test_another_move_than_the_answer_leaves_the_proof(written):
    opened = OpenCertificate(written["hex:3:3/1b1/3:w"][0].read_bytes(), "the file")
    answered = opened.walk(["b1"], 1)
    assert answered.added == ("c1",)
    with pytest.raises(UserError, match="not part of the proof"):
        opened.walk(["b1", "a1"], 1)


def walk_some(opened: OpenCertificate, chooser: random.Random, said: set[str]) -> int:
    """Random games of the losing side, until the rules show who wins."""
    for _ in range(40):
        moves: list[str] = []
        while True:
            shown = opened.walk(moves, opened.loser)
            said.add(shown.why)
            if shown.ended:
                break
            moves = [*shown.position.moves[len(opened.start.moves) :], chooser.choice(shown.position.legal_moves)]
        assert "as the certificate claims" in shown.why or "rules alone show the rest" in shown.why
    return 40


def test_with_the_swap_rule_the_proof_begins_after_it(tmp_path):
    game = find_game("hex:2:swap=on")
    search = find_player(KNOWING).engine(game, game.initial, seed=1, pure=True)
    search.run(Limits(playouts=3000))
    path = tmp_path / "swap.cert"
    facts = write_certificate(search, path)
    verdict = check_certificate(path)
    assert verdict.valid and facts["connections"] and verdict.upper == -1
    walk_some(OpenCertificate(path.read_bytes(), "the file"), random.Random(1), set())


@pytest.mark.parametrize("text", ["1b3/5/5/5/5", "5/b4/5/5/5", "5/5/5/3b1/5"])
@pytest.mark.parametrize("few", [1, 200])
def test_parts_that_connections_do_not_show_quickly(text, few, monkeypatch, tmp_path):
    """Whether a missing part is found by connections alone or with all that is known, the proof holds."""
    monkeypatch.setattr(connection_strategy, "CONNECTION_PLAYOUTS", few)
    proof = tesuji.solve(f"hex:5:{text}:w")
    proof.save(tmp_path / "opening.cert")
    verdict = tesuji.verify(tmp_path / "opening.cert")
    assert verdict.valid and verdict.bounds == proof.bounds and proof.proven


def test_a_captured_pair_is_filled_before_moves_are_answered():
    """Two cells below a stone of the second row: the connection needs neither, and its carrier has both."""
    game = find_game("hex:4:4/4/1b2/4:w")
    near, out = [], np.zeros(18, np.int32)
    for cell in range(16):
        near.append(out[: int(rules.neighbours(game.initial, 0, cell, out))].tolist())
    builder = ConnectionBuilder(PlainRules(game, False).new_connections(game.initial, 0), near, None)
    stone, a4, b4 = 9, 12, 13
    pair = builder.pair_in(1 << stone, 0xFFFF & ~(1 << stone))
    assert pair == (a4, b4)
    found, way = builder.with_pair(builder.path_step((SECOND_END, b4, stone)), None, pair, 1 << stone)
    assert way is None
    assert builder.connection(found) == ProvenConnection(frozenset((SECOND_END, stone)), 1 << stone, 1 << a4 | 1 << b4)
    b1 = 1  # a way that needs none of the two stays as it is
    longer = b1, builder.path_step((FIRST_END, b1))
    assert builder.with_pair(None, longer, pair, 1 << stone) == (None, longer)
    assert builder.with_pair(None, None, pair, 1 << stone) == (None, None)
