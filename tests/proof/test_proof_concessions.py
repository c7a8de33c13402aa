"""Proofs with concessions: moves that need not be answered, because the winner wins even if they are given to the other."""

from __future__ import annotations

import itertools
import random
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tesuji.core import rules
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.proof.trusted.checker import ALL_MOVES, PlainRules, Refused, Walk, WalkDigest, check_certificate, claims_of
from tesuji.proof.trusted.format import CONCEDING, Certificate, decode, encode, encode_choices, read_certificate
from tesuji.proof.write.writer import write_certificate

sys.path.insert(0, str(Path(__file__).parents[1] / "games"))
from naive_hex import NaiveSolver

KNOWING = "tesuji:policy=knowledge,study_after=1"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Certificates of two openings of 3x3, one that wins and one that loses."""
    found = {}
    game = find_game("hex:3")
    for text in ("c1", "a1"):
        search = find_player(KNOWING).engine(game, game.state_after([text]), seed=1, pure=True)
        search.run(Limits(playouts=300))
        path = tmp_path_factory.mktemp("certificates") / f"{text}.cert"
        found[text] = path, write_certificate(search, path, moves=[game.parse(game.initial, text)], connections=False)
    return found


def test_certificates_with_concessions_are_accepted_and_small(written):
    for text, value in (("c1", 1), ("a1", -1)):
        path, facts = written[text]
        verdict = check_certificate(path)
        assert verdict.valid and (verdict.lower, verdict.upper) == (value, value)
        assert facts["concessions"] and path.read_bytes().startswith(CONCEDING)
        assert facts["nodes"] < 100  # thousands without concessions


def test_who_does_not_trust_concessions_can_refuse_them(written):
    verdict = check_certificate(written["c1"][0], allow_concessions=False)
    assert not verdict.valid and "relies on concessions" in verdict.reason


def test_a_changed_choice_is_refused(written):
    certificate = read_certificate(written["c1"][0])
    chooser = random.Random(1)
    for place in chooser.sample(range(len(certificate.choices)), min(60, len(certificate.choices))):
        for by in (-1, 1):
            choices = list(certificate.choices)
            choices[place] = max(0, choices[place] + by)
            if choices == list(certificate.choices):
                continue
            header = replace(certificate.header, choices_size=len(encode_choices(choices)))
            path = written["c1"][0].with_suffix(".changed")
            path.write_bytes(encode(Certificate(header, tuple(choices))))
            assert not check_certificate(path).valid


class Conceding:
    """A strategy that answers the moves of `kept` at the first position of the opponent, and gives the last move elsewhere."""

    def __init__(self, kept):
        self.kept = kept

    def visit(self, state, moves, chooses):
        return len(moves) - 1 if chooses else ALL_MOVES

    def keep(self, state, moves):
        kept, self.kept = self.kept, ()
        return kept


@pytest.mark.parametrize(
    ("game", "moves", "kept", "why"),
    [
        ("hex:3", "b2", [9], "not some of the 8"),
        ("hex:3", "b2", [1, 0], "not some of the 8"),
        ("hex:3", "b2", [1, 1], "not some of the 8"),
        ("hex:3", "b2", list(range(9)), "not some of the 8"),
        ("hex:3", "b2", [0], "the game is over by what is conceded"),
        ("hex:3:swap=on", "b2", [0, 1], "others than the moves to answer are left"),
        ("tictactoe", "b2", [0], "the game has none"),
    ],
)
def test_concessions_that_make_no_sense_are_refused(game, moves, kept, why):
    found = find_game(game)
    walk = Walk(found, found.state_after(moves.split()), PlainRules(found, False), WalkDigest(), concessions=True)
    claim = claims_of(found, 1, 1)[0]
    with pytest.raises(Refused, match=why):
        walk.prove(claim, Conceding(kept))


def test_a_stone_more_never_helps_the_other_player():
    """What the rules promise of `concede`, by brute force on all positions of 3x3 with three stones or fewer."""
    solver = NaiveSolver(3, 3)
    game = find_game("hex:3")
    for stones in itertools.chain.from_iterable(itertools.permutations(range(9), count) for count in range(4)):
        black, white = (sum(1 << cell for cell in stones[player::2]) for player in (0, 1))
        if solver.is_joined(black, 0) or solver.is_joined(white, 1):
            continue
        mover = len(stones) % 2
        wins = solver.mover_wins(black, white, mover)
        state = game.state_after(list(stones))
        for cell in set(range(9)) - set(stones):
            given = state.copy()
            rules.concede(given, mover, cell)
            assert int(rules.to_play(given)) == mover and cell not in game.legal_moves(given)
            more = (black, white | 1 << cell) if mover else (black | 1 << cell, white)
            assert not wins or solver.is_joined(more[mover], mover) or solver.mover_wins(*more, mover)


def test_header_and_first_line_must_agree(written):
    data = written["c1"][0].read_bytes()
    certificate = decode(data)
    assert decode(encode(certificate)) == certificate
    assert np.array_equal(certificate.choices, read_certificate(written["c1"][0]).choices)
