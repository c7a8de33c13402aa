"""The checker and the game: rules that are wrong prove nothing, and a user's own game must be the one that was proven."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from proof_helpers import check, forge, prove

from tesuji.core import rules
from tesuji.core.dispatch import implements, state_type
from tesuji.core.errors import GameError, UserError
from tesuji.core.game import Game
from tesuji.core.sources import source_digest
from tesuji.games.registry import find_game
from tesuji.proof.trusted.checker import check_certificate
from tesuji.proof.trusted.format import Certificate, save_certificate

# -- games that are wrong --------------------------------------------------------------------------------------------
FAULTY = state_type("faulty", [("at", np.int32), ("fault", np.int32)])
CIRCLE, NO_MOVES, OUT_OF_RANGE, ENDLESS, RAISES, WRONG_PLAYER = range(1, 7)


@implements(rules.to_play, FAULTY)
def to_play(state):
    return 7 if state["fault"] == WRONG_PLAYER and state["at"] == 1 else 1


@implements(rules.moves, FAULTY)
def moves(state, out):
    if state["fault"] == NO_MOVES and state["at"] == 1:
        return 0
    out[0] = 0
    return 1


@implements(rules.play, FAULTY)
def play(state, move):
    if state["fault"] == RAISES and state["at"] == 1:
        raise ZeroDivisionError("of the game")
    state["at"] = 0 if state["fault"] == CIRCLE and state["at"] == 1 else state["at"] + 1


@implements(rules.is_over, FAULTY)
def is_over(state):
    return state["at"] == 3 and state["fault"] != ENDLESS


@implements(rules.outcome, FAULTY)
def outcome(state):
    return 5 if state["fault"] == OUT_OF_RANGE else 1


def faulty(fault: int) -> Game:
    start = np.zeros(1, FAULTY)[0]
    start["fault"] = fault
    return Game("faulty", start, outcomes=(-1, 1), move_count=1, max_plies=8)


def test_the_game_without_a_fault_is_proven(tmp_path):
    assert check(prove(faulty(0), 1, 1), tmp_path, faulty(0)).valid


@pytest.mark.parametrize(
    "fault, reason",
    [
        (CIRCLE, "circular"),
        (NO_MOVES, "0 moves"),
        (OUT_OF_RANGE, "outside of the game's range"),
        (ENDLESS, "longer than its maximum"),
        (WRONG_PLAYER, "player 7"),
    ],
)
def test_a_faulty_game_proves_nothing(fault, reason, tmp_path):
    certificate = prove(faulty(0), 1, 1)
    many = Certificate(replace(certificate.header, nodes=1000), certificate.choices)
    verdict = check(many, tmp_path, faulty(fault))
    assert not verdict.valid and reason in verdict.reason


def test_a_game_that_raises_is_named(tmp_path):
    with pytest.raises(GameError, match=r"faulty fail.*ZeroDivisionError: of the game"):
        check(prove(faulty(0), 1, 1), tmp_path, faulty(RAISES))


# -- a user's own game -----------------------------------------------------------------------------------------------
OWN_GAME = '''
"""Two players take one or two stones from a heap; who takes the last one wins."""

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, state_type
from tesuji.core.game import Game

STATE = state_type("heap", [("stones", np.int32), ("player", np.int32)])


@implements(rules.to_play, STATE)
def to_play(state):
    return state["player"]


@implements(rules.moves, STATE)
def moves(state, out):
    count = min(2, state["stones"])
    for i in range(count):
        out[i] = i
    return count


@implements(rules.play, STATE)
def play(state, move):
    state["stones"] -= move + 1
    state["player"] = 1 - state["player"]


@implements(rules.is_over, STATE)
def is_over(state):
    return state["stones"] == 0


@implements(rules.outcome, STATE)
def outcome(state):
    return 1 if state["player"] == 1 else 0


start = np.zeros(1, STATE)[0]
start["stones"] = 7
game = Game("heap", start, outcomes=(0, 1), move_count=2, max_plies=7)
other = Game("other heap", start, outcomes=(0, 1), move_count=2, max_plies=9)
'''


@pytest.fixture
def own(tmp_path):
    """A user's game, and a certificate of it in a file."""
    file = tmp_path / "heap.py"
    file.write_text(OWN_GAME)
    game = find_game(f"{file}:game")
    certificate = prove(game, 1, 1)
    certificate = forge(game, Certificate(replace(certificate.header, source=source_digest(game.source)), certificate.choices))
    path = tmp_path / "heap.cert"
    save_certificate(path, certificate)
    return file, path


def test_a_users_game_is_checked(own):
    file, path = own
    with pytest.raises(UserError, match="name the game to check it by"):
        check_certificate(path)
    assert check_certificate(path, f"{file}:game").valid
    assert check_certificate(path, find_game(f"{file}:game")).valid


def test_a_users_game_that_has_changed_is_refused(own):
    file, path = own
    file.write_text(OWN_GAME.replace("min(2,", "min(1,"))
    for override in (f"{file}:game", find_game(f"{file}:game")):
        verdict = check_certificate(path, override)
        assert not verdict.valid and "another version" in verdict.reason


def test_a_users_game_may_move(own):
    file, path = own
    (file.parent / "there").mkdir()
    moved = file.rename(file.parent / "there" / file.name)
    assert check_certificate(path, f"{moved}:game").valid


def test_a_certificate_is_about_one_game(own, draw, tmp_path):
    file, path = own
    verdict = check_certificate(path, f"{file}:other")
    assert not verdict.valid and "not about" in verdict.reason
    verdict = check_certificate(path, "tictactoe")
    assert not verdict.valid
    verdict = check(draw, tmp_path, "connect4:3x3")
    assert not verdict.valid and "not about" in verdict.reason
    verdict = check(draw, tmp_path, f"{file}:game")
    assert not verdict.valid
