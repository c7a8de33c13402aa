"""Crazy Stone's useless moves (Coulom 2006, appendix A.2), a situation at a time and against a second implementation."""

import numpy as np
import pytest
from go_positions import fast_urgencies, name_of, picture, point, slow_urgencies
from naive_useless import naive_instead

from tesuji.core import rules
from tesuji.core.random import below, make_rng
from tesuji.games.registry import find_game
from tesuji.knowledge.go.useless import replacement_for

# The situation: (board from the top row down, who is to move, {drawn point: played instead; = the same; ? drawn again}).
SITUATIONS = {
    "the middle of a three-point eye": ("..... ..... ..... XXXX. ...X.", "X", {"A1": "B1", "B1": "=", "C1": "B1"}),
    "a two-point eye": ("..... ..... ..... XXX.. ..X..", "X", {"A1": "B1", "B1": "A1"}),
    "two strings around the point": ("..... ..... ..... XXXO. ...X.", "X", {"C1": "=", "A1": "B1"}),
    "the gap does not touch the string": ("..... ..... ..... X.... .....", "X", {"A1": "="}),
    "an enemy stone among them": ("..... ..... ..... XXX.. ..O..", "X", {"B1": "="}),
    "two empty points next to it": ("..... ..... ..... XX... .....", "X", {"B1": "="}),
    "inside the enemy's eye": ("..... ..... ..... OOO.. ..O..", "X", {"A1": "B1", "B1": "A1"}),
    "inside, and the enemy comes into atari": ("..... ..... XXX.. OOOX. ..OX.", "X", {"A1": "=", "B1": "="}),
    "inside, and an enemy is taken": ("..... ..... X.... OXO.. ..O..", "X", {"A1": "="}),
    "inside, next to an own stone": ("..... ..... ..... OOOO. X..O.", "X", {"B1": "="}),
    # C2 connects A2 and B2 with D2, and then E2 is all that is left; its urgency is 2001.
    "urgent but in vain": ("..... ..... OOOO. XX.X. OOOO.", "X", {"C2": "?"}),
    # A2 and B2 would have B1 only. C2 and D2 can be taken although they are hopeless and nothing is in atari.
    "a capture instead": ("..... ..... OOXXX .XOO. O.XX.", "X", {"A2": "E2"}),
    "no capture, the other liberty instead": ("..... ..... OOXXX .XOO. O.X..", "X", {"A2": "B1"}),
    "in atari before as well: nothing is better": ("..... ..... OOO.. XX... OOO..", "X", {"C2": "="}),
    "the other liberty is an own eye": ("..... ..... OO... XXO.. .X.O.", "X", {"C1": "="}),
    # B1 takes A1, whose place is then the only liberty of B1 and C1.
    "what takes a stone is looked at after the capture": ("..... ..... ..... XOO.. O.XO.", "X", {"B1": "?"}),
}


SIZES = [("go:2", 20, 40), ("go:3", 20, 60), ("go:4", 12, 80), ("go:5", 6, 90), ("go:9", 1, 140)]  # games, plies of each


def answer(state, drawn, is_urgent):
    found = int(replacement_for(state, drawn, np.int64(state["to_play"]), is_urgent))
    return {0: "=", -1: "?"}.get(found) or name_of(found)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_situation(situation):
    board, to_move, expected = SITUATIONS[situation]
    game, state = picture(board, to_move)
    before = state.tobytes()
    for drawn, played in expected.items():
        value = slow_urgencies(state)[int(point(drawn))]
        assert fast_urgencies(game, state)[int(point(drawn))] == value
        assert answer(state, point(drawn), value >= 1000) == played
    assert state.tobytes() == before


def test_a_point_that_was_reset_is_judged_by_the_rest_of_the_rule():
    """Drawn once more with the urgency 1, the connection is still in vain: D2 has another liberty."""
    _, state = picture(SITUATIONS["urgent but in vain"][0], "X")
    assert slow_urgencies(state)[int(point("C2"))] == 2001
    assert answer(state, point("C2"), True) == "?"
    assert answer(state, point("C2"), False) == "E2"


def test_a_capture_that_a_ko_forbids_is_not_chosen():
    """White B3 takes C3. At A4 Black would have A2 only; to take B3 instead he must wait for a move."""
    game, state = picture("OO... .XO.. X.XO. .XO.. .....", "O")
    rules.play(state, game.parse(state, "B3"))
    assert answer(state, point("A4"), False) == "A2"
    for move in ("E1", "E5"):
        rules.play(state, game.parse(state, move))
    assert answer(state, point("A4"), False) == "C3"


@pytest.mark.parametrize("text, games, most", SIZES)
def test_every_point_of_random_games_is_judged_as_the_text_says(text, games, most):
    game = find_game(text)
    answers = {"=": 0, "?": 0, "else": 0}
    for seed in range(games):
        rng = make_rng(seed + 100)
        state = game.new_state()
        while not rules.is_over(state) and state["ply"] < most:
            urgencies = slow_urgencies(state)
            for drawn, value in urgencies.items():
                found = int(replacement_for(state, np.int64(drawn), np.int64(state["to_play"]), value >= 1000))
                assert found in naive_instead(state, urgencies, drawn, value >= 1000), (game.drawing(state), name_of(drawn))
                answers[{0: "=", -1: "?"}.get(found, "else")] += 1
                if value >= 1000:
                    found = int(replacement_for(state, np.int64(drawn), np.int64(state["to_play"]), False))
                    assert found in naive_instead(state, urgencies, drawn, False), (game.drawing(state), name_of(drawn))
            legal = game.legal_moves(state)
            points = len(legal) - (1 if len(legal) > 1 else 0)  # the last is pass
            rules.play(state, legal[int(below(rng, points))])
    assert min(answers.values()) > 0 or text == "go:2", answers
