"""The checker against certificates made by brute force: it accepts the right ones, and nothing else."""

from __future__ import annotations

import contextlib
import hashlib
import json
import struct
import subprocess
import sys
from dataclasses import asdict, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from proof_helpers import Solver, after, check, forge, prove, with_choices

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.games.registry import find_game
from tesuji.proof.trusted import walk
from tesuji.proof.trusted.checker import check_certificate
from tesuji.proof.trusted.format import Certificate, encode, save_certificate

IN_TEMPORARY_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
TICTACTOE = find_game("tictactoe")
SMALL = {  # game: value
    "tictactoe": 0,
    "connect4:3x3": 0,
    "connect4:3x3:3": 0,
    "connect4:4x3:3": 1,
    "seki:1,1": 0,
    "seki:2,1": 1,
    "seki:1,3": -1,
}


# -- what is accepted ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", SMALL)
def test_perfect_play_is_a_proof(name, tmp_path):
    game = find_game(name)
    value = Solver(game).value(game.initial)
    assert value == SMALL[name]
    lowest, highest = game.outcomes
    for lower, upper in {(value, value), (lowest, value), (value, highest)}:
        certificate = prove(game, lower, upper)
        verdict = check(certificate, tmp_path)
        assert verdict.valid, verdict.reason
        assert (verdict.game, verdict.moves, verdict.lower, verdict.upper) == (name, (), lower, upper)
        assert verdict.nodes == certificate.header.nodes


def test_a_position_after_moves(tmp_path):
    certificate = prove(TICTACTOE, 1, 1, moves=(0, 1))
    verdict = check(certificate, tmp_path)
    assert verdict.valid and verdict.moves == (0, 1)


def test_a_position_that_is_over(tmp_path):
    moves = (0, 3, 1, 4, 2)
    certificate = prove(TICTACTOE, 1, 1, moves)
    assert certificate.choices == () and check(certificate, tmp_path).valid
    false = replace(certificate.header, lower=-1, upper=0)
    verdict = check(forge(TICTACTOE, Certificate(false, ())), tmp_path)
    assert not verdict.valid and "ends with 1" in verdict.reason


def test_the_ends_of_the_range_need_no_proof(tmp_path):
    certificate = prove(TICTACTOE, -1, 1)
    assert certificate.header.nodes == 0 and check(certificate, tmp_path).valid


def test_many_outcomes_and_bounds_of_the_rules(tmp_path):
    game = find_game("dotsandboxes:1x2")
    value = Solver(game).value(game.initial)
    plain = prove(game, value, value)
    bounded = prove(game, value, value, initial_bounds=True)
    assert bounded.header.nodes < plain.header.nodes
    assert check(plain, tmp_path).valid and check(bounded, tmp_path).valid
    assert check(plain, tmp_path, allow_bounds=False).valid
    verdict = check(bounded, tmp_path, allow_bounds=False)
    assert not verdict.valid and "bounds" in verdict.reason
    hidden = Certificate(replace(bounded.header, initial_bounds=False), bounded.choices)
    assert not check(forge(game, hidden), tmp_path).valid


def test_a_puzzle_for_one(tmp_path):
    game = find_game("samegame:3x3:1")
    value = Solver(game).value(game.initial)
    certificate = prove(game, value, value)
    assert check(certificate, tmp_path).valid
    too_much = replace(certificate.header, lower=value + 1, upper=game.outcomes[1])
    assert not check(forge(game, Certificate(too_much, certificate.choices)), tmp_path).valid


# -- what is refused -------------------------------------------------------------------------------------------------
def test_every_dropped_choice_is_refused(small, tmp_path):
    _, certificate = small
    for index in range(len(certificate.choices)):
        choices = certificate.choices[:index] + certificate.choices[index + 1 :]
        assert not check(with_choices(certificate, choices), tmp_path).valid


def test_every_changed_choice_is_refused(small, tmp_path):
    """Also where the other move happens to be good: the file must be the one that was written."""
    game, certificate = small
    for index, choice in enumerate(certificate.choices):
        for other in range(game.move_count):
            if other != choice:
                choices = [*certificate.choices[:index], other, *certificate.choices[index + 1 :]]
                assert not check(with_choices(certificate, choices), tmp_path).valid


def test_an_illegal_choice_is_refused_and_named(draw, tmp_path):
    choices = [*draw.choices[:5], 9, *draw.choices[6:]]
    verdict = check(with_choices(draw, choices), tmp_path)
    assert not verdict.valid
    assert "move number 9 of" in verdict.reason and verdict.reason.startswith("node ")


def test_missing_and_extra_choices_are_refused(draw, tmp_path):
    verdict = check(with_choices(draw, draw.choices[:-1]), tmp_path)
    assert not verdict.valid and "ends before" in verdict.reason
    verdict = check(with_choices(draw, (*draw.choices, 0)), tmp_path)
    assert not verdict.valid and "after the end" in verdict.reason
    verdict = check(forge(TICTACTOE, with_choices(draw, (*draw.choices, 0))), tmp_path)
    assert not verdict.valid and "after the end" in verdict.reason


def test_another_number_of_positions_is_refused(draw, tmp_path):
    for nodes in (0, draw.header.nodes - 1, draw.header.nodes + 1, 2 * draw.header.nodes):
        assert not check(Certificate(replace(draw.header, nodes=nodes), draw.choices), tmp_path).valid
    with pytest.raises(UserError, match="raise that with --positions"):
        check(Certificate(replace(draw.header, nodes=10**30), draw.choices), tmp_path)


@pytest.mark.parametrize("lower, upper", [(0, 2), (-2, 0), (1, 0), (10**400, 10**400)])
def test_claims_that_are_none_are_refused(draw, lower, upper, tmp_path):
    header = replace(draw.header, lower=lower, upper=upper)
    verdict = check(forge(TICTACTOE, Certificate(header, draw.choices)), tmp_path)
    assert not verdict.valid and "range" in verdict.reason


@pytest.mark.parametrize("moves", [(0, 0), (9,), (-1,), (0, 3, 1, 4, 2, 5), (10**40,)])
def test_illegal_moves_to_the_position_are_refused(draw, moves, tmp_path):
    verdict = check(Certificate(replace(draw.header, moves=moves), draw.choices), tmp_path)
    assert not verdict.valid and "not legal" in verdict.reason


@IN_TEMPORARY_FOLDER
@given(choices=st.lists(st.integers(0, 4), max_size=60), side=st.booleans())
def test_a_false_claim_has_no_proof(choices, side, draw, tmp_path):
    header = replace(draw.header, lower=1, upper=1) if side else replace(draw.header, lower=-1, upper=-1)
    forged = forge(TICTACTOE, with_choices(Certificate(header, ()), choices))
    assert not check(forged, tmp_path).valid


@settings(IN_TEMPORARY_FOLDER, max_examples=60)
@given(changes=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 2)), min_size=1, max_size=4))
def test_forged_digests_help_nobody(changes, small, tmp_path):
    """With count and digest made to fit, other choices pass only if they are a proof by themselves."""
    game, certificate = small
    choices = list(certificate.choices)
    for place, choice in changes:
        choices[place % len(choices)] = choice
    forged = forge(game, with_choices(certificate, choices))
    assert check(forged, tmp_path).valid == is_proof(game, forged)


def is_proof(game: Game, certificate: Certificate) -> bool:
    """The meaning of a certificate, written once more without sharing code: both strategies, by recursion."""
    rest = list(certificate.choices)

    def shows(state, player, bound, seen) -> bool:
        if rules.is_over(state):
            outcome = int(rules.outcome(state))
            return outcome >= bound if player == 0 else outcome <= bound
        if state.tobytes() in seen:
            return True
        seen.add(state.tobytes())
        moves = game.legal_moves(state)
        if rules.to_play(state) == player:
            if not rest or rest[0] >= len(moves):
                return False
            moves = [moves[rest.pop(0)]]
        for move in moves:
            if not shows(after(state, move), player, bound, seen):
                return False
        return True

    header = certificate.header
    return shows(game.new_state(), 0, header.lower, set()) and shows(game.new_state(), 1, header.upper, set()) and not rest


def test_the_digest_is_the_one_that_the_page_describes(small):
    game, certificate = small
    header = certificate.header
    rest = list(certificate.choices)
    parts = []

    def visit(state, came_by, player, bound, seen) -> None:
        if rules.is_over(state) or state.tobytes() in seen:
            return
        seen.add(state.tobytes())
        moves = game.legal_moves(state)
        chosen = [moves[rest.pop(0)]] if rules.to_play(state) == player else moves
        parts.append(struct.pack("<3i", came_by, len(moves), chosen[0] if rules.to_play(state) == player else -1))
        for move in chosen:
            visit(after(state, move), move, player, bound, seen)

    for player, sign, bound in ((0, ">=", header.lower), (1, "<=", header.upper)):
        parts.append(f"value {sign} {bound}".encode())
        visit(game.new_state(), -1, player, bound, set())
    fields = {**asdict(header), "walk": ""}
    parts.append(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode())
    assert hashlib.sha256(b"".join(parts)).hexdigest() == header.walk


@settings(IN_TEMPORARY_FOLDER, max_examples=300)
@given(data=st.data())
def test_damaged_bytes_are_never_accepted(data, small, tmp_path):
    _, certificate = small
    written = bytearray(encode(certificate))
    for _ in range(data.draw(st.integers(1, 4))):
        kind = data.draw(st.sampled_from(["change", "drop", "add"]))
        place = data.draw(st.integers(0, len(written) - 1))
        if kind == "change":
            written[place] = data.draw(st.integers(0, 255))
        elif kind == "drop":
            del written[place : place + data.draw(st.integers(1, 9))]
        else:
            written[place:place] = data.draw(st.binary(min_size=1, max_size=9))
    if bytes(written) == encode(certificate):
        return
    path = tmp_path / "damaged.cert"
    path.write_bytes(bytes(written))
    with pytest.raises(UserError):
        check_certificate(path)


@settings(IN_TEMPORARY_FOLDER, max_examples=300)
@given(data=st.data())
def test_changed_contents_under_a_right_checksum_are_never_accepted(data, small, tmp_path):
    _, certificate = small
    header, choices = certificate.header, list(certificate.choices)
    field = data.draw(st.sampled_from(sorted(asdict(header).keys() - {"choices_size"} | {"choices"})))
    if field == "choices":
        place = data.draw(st.integers(0, len(choices)))
        choices[place : place + data.draw(st.integers(0, 2))] = data.draw(st.lists(st.integers(0, 300), max_size=3))
    else:
        values = {
            "game": st.sampled_from(
                ["tictactoe", "connect4:3x3", "connect4:4x3:3", "connect4:7x6", "x", "", "no.py:x", "seki:1,1"]
            ),
            "moves": st.lists(st.integers(0, 3), max_size=3).map(tuple),
            "lower": st.integers(-3, 3),
            "upper": st.integers(-3, 3),
            "initial_bounds": st.booleans(),
            "symmetry": st.booleans(),
            "connections": st.booleans(),
            "nodes": st.integers(0, 1000),
            "source": st.sampled_from(["", "0" * 64]),
            "walk": st.sampled_from(["", "0" * 64]),
        }
        header = replace(header, **{field: data.draw(values[field])})
    changed = with_choices(Certificate(header, ()), choices)
    if changed == certificate:
        return
    with contextlib.suppress(UserError):
        assert not check(changed, tmp_path).valid


# -- what must be believed -------------------------------------------------------------------------------------------
def test_the_checker_needs_neither_the_search_nor_the_compiler(draw, tmp_path):
    path = tmp_path / "draw.cert"
    save_certificate(path, draw)
    program = (
        "import sys; from tesuji.proof.trusted.checker import check_certificate; "
        "assert check_certificate(sys.argv[1]).valid; "
        "names = {name for name in sys.modules if name.startswith(('tesuji.', 'numba', 'llvmlite'))}; "
        "allowed = ('tesuji.core', 'tesuji.games', 'tesuji.proof'); "
        "foreign = ('writer', 'strategy', 'compiler'); "
        "print(*sorted(name for name in names if not name.startswith(allowed) or name.endswith(foreign)))"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_progress_is_told(draw, tmp_path, monkeypatch):
    monkeypatch.setattr(walk, "PROGRESS_EVERY", 100)
    path = tmp_path / "draw.cert"
    save_certificate(path, draw)
    calls = []
    assert check_certificate(path, on_progress=lambda done, total: calls.append((done, total))).valid
    assert calls == [(done, draw.header.nodes) for done in range(100, draw.header.nodes + 1, 100)] != []
