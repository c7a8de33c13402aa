"""The checker attacked by truth, for a little while; `tests/fuzz` goes on for as long as one likes."""

from __future__ import annotations

import random
from itertools import count

import pytest
from fuzz import certificates
from proof_helpers import Solver

from tesuji.core.rules import FIRST_END, SECOND_END
from tesuji.games.registry import ENTRIES
from tesuji.proof.trusted.connections import ProvenConnection, ProvenConnections
from tesuji.proof.trusted.walk import Walk


def after(rounds: int):
    """A `stop` that is true after so many rounds."""
    numbers = count(1)
    return lambda: next(numbers) > rounds


def test_whatever_the_adversary_says_what_is_accepted_is_true():
    counts = certificates.attack_certificates(random.Random(1), after(250))
    assert counts["walks accepted"] > 20 and counts["walks refused"] > 20, counts
    assert counts["positions judged"] > 300 and counts["connections judged"] > 100, counts


def test_mutated_certificates_claim_the_truth_or_are_refused():
    counts = certificates.mutate_certificates(random.Random(1), after(60))
    assert counts["certificates accepted"] > 60 and counts["certificates refused"] > 60, counts
    assert counts["files that are none"] > 60, counts


def test_every_game_is_mutated():
    assert {name.partition(":")[0] for name in (*certificates.GAMES, *certificates.ENDING)} == {entry.name for entry in ENTRIES}


# -- the tests above could not fail if these did ---------------------------------------------------------------------------
def test_a_checker_that_looks_at_one_move_alone_is_found_out(monkeypatch):

    def only_the_first(walk, *arguments):
        return enter(walk, *arguments)[:1]

    enter = Walk._enter
    monkeypatch.setattr(Walk, "_enter", only_the_first)
    with pytest.raises(AssertionError, match="attack_once"):
        certificates.attack_certificates(random.Random(1), after(250))
    with pytest.raises(AssertionError, match="mutate_once"):
        certificates.mutate_certificates(random.Random(1), after(250))


def test_overlapping_connections_are_found_out(monkeypatch):
    def careless(connections, parts):
        ends = set()
        needs = carrier = 0
        for part in parts:
            ends ^= part.ends
            needs |= part.needs
            carrier |= part.carrier
        return careful(connections, parts) if len(ends) != 2 else ProvenConnection(frozenset(ends), needs & ~carrier, carrier)

    careful = ProvenConnections._and
    monkeypatch.setattr(ProvenConnections, "_and", careless)
    with pytest.raises(AssertionError, match="a false connection"):
        certificates.attack_certificates(random.Random(1), after(2000))


def test_the_brute_force_knows_hex():
    assert certificates.is_true(
        certificates.near_of(3, 3), ProvenConnection(frozenset((FIRST_END, 4)), 1 << 4, 1 << 1 | 1 << 2)
    )
    for name in ("hex:3x2", "hex:2"):
        game = certificates.find_game(name)
        board = (3, 2) if name == "hex:3x2" else (2, 2)
        assert certificates.is_won(board, game.initial, 0) == (Solver(game).value(game.initial) == 1)
    assert not certificates.is_true(
        certificates.near_of(3, 3), ProvenConnection(frozenset((FIRST_END, SECOND_END)), 1 << 4, 1 << 1 | 1 << 2)
    )
