"""Which stones are dead: settled positions that players of Go agree on."""

import numpy as np
import pytest
from go_positions import name_of, picture

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.numba.registration import is_pure
from tesuji.games.go.state import STRIDE
from tesuji.games.registry import find_game
from tesuji.knowledge.go.status import _owner_counts, ownership, point_status
from tesuji.knowledge.scoring import dead_stones, rule_text, status_for, without_stones

PLAYOUTS = 16 if is_pure() else 400

# (board from the top row down, the dead stones, the stones in seki)
POSITIONS = {
    "two territories": ("...XO.. ...XO.. ...XO.. ...XO.. ...XO.. ...XO.. ...XO..", "", ""),
    "a prisoner in each": ("..XO.. ..XO.. ..XO.. O.XO.X ..XO.. ..XO..", "A3 F3", ""),
    "one eye is not enough": (".OX.... OOX.... XXX.... ......X XXXXXXX OOOOOOO .O.O.O.", "A6 B6 B7", ""),
    "two eyes in the corner": (".O.OX.. OOOOX.. XXXXX.. ......X XXXXXXX OOOOOOO .O.O.O.", "", ""),
    "a neutral point left": ("..XO.. ..XO.. ..XO.. ..X.O. ..X.O. ..XOO.", "", ""),
    # The black string of C1 and the white one of E1 share D6 and D7: whoever plays there is taken.
    "seki": (
        ".OX.OX. OOX.OXX .OXXOX. OOXXOXX .OXXOX. OOXXOXX .OXXOX.",
        "",
        " ".join(sorted([f"{column}{row}" for row in range(1, 8) for column in "CE"] + [f"D{row}" for row in range(1, 6)])),
    ),
}


def named(status, wanted):
    return " ".join(
        sorted(name_of((row + 1) * STRIDE + column + 1) for (column, row), found in status.items() if found == wanted)
    )


@pytest.mark.parametrize("to_move", "XO")
@pytest.mark.parametrize("position", POSITIONS)
def test_settled_positions(position, to_move):
    board, dead, seki = POSITIONS[position]
    game, state = picture(board, to_move)
    before = state.tobytes()
    status = point_status(game, state, playouts=PLAYOUTS)
    assert state.tobytes() == before
    assert set(status) == set(game.board.stones(state))
    assert named(status, "dead") == dead and named(status, "seki") == seki


def test_a_game_that_is_over_is_looked_at_as_well():
    game, state = picture(POSITIONS["a prisoner in each"][0], "X")
    for _ in range(2):
        rules.play(state, game.move_count - 1)
    assert rules.is_over(state)
    assert named(point_status(game, state, playouts=PLAYOUTS), "dead") == "A3 F3"


def test_the_empty_board_has_no_stones():
    game, state = picture("... ... ...", "X")
    assert point_status(game, state, playouts=4) == {}


def test_superko_games_have_a_status_too(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    game, state = picture(POSITIONS["one eye is not enough"][0], "X", ":superko=positional")
    assert named(point_status(game, state, playouts=12), "dead") == "A6 B6 B7"


def test_the_same_seed_gives_the_same_counts_in_both_worlds(monkeypatch):
    _, state = picture(POSITIONS["a prisoner in each"][0], "X")
    first = _owner_counts(state, 10, seed=3)
    assert first.sum() == 10 * 36
    monkeypatch.setenv("TESUJI_PURE", "1")
    assert np.array_equal(first, _owner_counts(state, 10, seed=3))


def test_ownership_tells_whose_the_points_will_be():
    game, state = picture(POSITIONS["a prisoner in each"][0], "X")
    owners = ownership(game, state, playouts=PLAYOUTS)
    assert len(owners) == 36 and all(-1.0 <= share <= 1.0 for share in owners.values())
    assert owners[2, 0] > 0.4 and owners[3, 0] < -0.4
    assert owners[0, 2] > 0.1, "the white prisoner's point is Black's"
    assert owners == ownership(game, state, playouts=PLAYOUTS), "by the same seed"


def test_the_score_after_two_passes_is_without_dead_stones():
    game, state = picture(POSITIONS["a prisoner in each"][0], "X")
    for _ in range(2):
        rules.play(state, game.move_count - 1)
    before = state.tobytes()
    assert game.result(state) == "W+7.5", "as the board stands: a prisoner makes its whole side nobody's"
    dead = dead_stones(game, state, lambda game, state: point_status(game, state, PLAYOUTS))
    assert dead == {(0, 2), (5, 2)}
    end = without_stones(game, state, dead)
    assert rules.is_over(end) and state.tobytes() == before and game.result(end) == "W+7.5"
    assert game.result(without_stones(game, state, {(0, 2)})) == "B+5.5"
    assert rule_text(game, dead, judged=True) == "area scoring, komi 7.5, 2 dead stones taken off"
    assert rule_text(game, (), judged=True) == "area scoring, komi 7.5, no dead stones"
    assert rule_text(game, (), judged=False) == "area scoring, komi 7.5, all stones alive"


def test_a_game_that_passes_do_not_end_has_no_score():
    game = find_game("tictactoe")
    assert status_for(game) is None and dead_stones(game, game.new_state(), None) == set()
    with pytest.raises(UserError, match="the game is not over"):
        without_stones(game, game.new_state(), ())
