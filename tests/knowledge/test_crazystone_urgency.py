"""Crazy Stone's urgencies (Coulom 2006, appendix A.1), a clause at a time, and the quick form against the text."""

import pytest
from go_positions import fast_urgencies, picture, point, slow_urgencies

from tesuji.core import rules
from tesuji.core.random import below, make_rng
from tesuji.games.registry import find_game

# The clause: (board from the top row down, who is to move, {point: urgency}).
CLAUSES = {
    "urgency is 1 unless something is special": ("..... ..... ..X.. ..... .....", "X", {"A1": 1, "C4": 1, "C3": 0}),
    "suicide is illegal": (".O... O.... ..... ..... .....", "X", {"A5": 0, "B4": 1}),
    "suicide of two strings in atari": (".OOO. OX.XO .OOO. ..... .....", "X", {"C4": 0}),
    "what captures is no suicide": (".OX.. OX... X.... ..... .....", "X", {"A5": 1}),
    "own stones all around": ("..... ..X.. .X.X. ..X.. .....", "X", {"C3": 0}),
    "own stones all around, at the edge": ("..... ..... ..... ..X.. .X.X.", "X", {"C1": 0}),
    "own stones all around, in the corner": ("..... ..... ..... X.... .X...", "X", {"A1": 0}),
    "false eyes are not filled either": ("..... .OXO. .X.X. .OXO. .....", "X", {"C3": 0}),
    "an empty neighbour": ("..... ..X.. .X.X. ..... .....", "X", {"C3": 1}),
    "an enemy among the neighbours": ("..... ..X.. .X.X. ..O.. .....", "X", {"C3": 1}),
    "a neighbour in atari needs the point": ("..O.. .OXO. .X.X. ..X.. .....", "X", {"C3": 1001}),
    "two stones extend": ("..... OO... XX... OO... .....", "X", {"C3": 2001}),
    "two stones are taken before they extend": ("..... OO... XX... OO... .....", "O", {"C3": 20001}),
    "hopeless: one empty point next to it": ("..... ..... OOO.. XX... OOO..", "X", {"C2": 1}),
    "no hurry to take what is hopeless": ("..... ..... OOO.. XX... OOO..", "O", {"C2": 1}),
    "not hopeless with a friend that has liberties": ("..... ..... OOO.. XX.X. OOO..", "X", {"C2": 2001}),
    "then the enemy hurries as well": ("..... ..... OOO.. XX.X. OOO..", "O", {"C2": 20001}),
    # Three white stones with the same only liberty make it not hopeless; they are not hopeless themselves, since two
    # black stones can be taken there; and those two are in atari next to them.
    "not hopeless with an enemy to take": ("..... ..... OOO.. XX... OOOX.", "X", {"C2": 1 + 2000 + 30000 + 300000}),
    "and for the enemy in turn": ("..... ..... OOO.. XX... OOOX.", "O", {"C2": 1 + 3000 + 20000 + 200000}),
    "urgencies of two strings add up": (".O.O. OX.XO .O.O. ..... .....", "X", {"C4": 2001}),
    "also of two that can be taken": (".O.O. OX.XO .O.O. ..... .....", "O", {"C4": 20001}),
    "friends in atari do not help each other": (".OOO. OX.XO .O.O. ..... .....", "X", {"C4": 1}),
    "hopeless ones are left alone": (".OOO. OX.XO .O.O. ..... .....", "O", {"C4": 1}),
    # A1 and B1 are hopeless, but C1 is in atari next to them.
    "a capture that saves a string": ("..... ..... X.... .XO.. OOX..", "X", {"A2": 200001, "D1": 1001}),
    "the same when nothing is to be saved": ("..... ..... X.... .X... OOX..", "X", {"A2": 1, "D1": 1}),
    "a string that touches the point twice counts once": ("..... ..... XX... OOXO. .OXO.", "X", {"A1": 300001, "C3": 2001}),
}


@pytest.mark.parametrize("clause", CLAUSES)
def test_clause(clause):
    board, to_move, expected = CLAUSES[clause]
    game, state = picture(board, to_move)
    for name, value in expected.items():
        assert slow_urgencies(state).get(int(point(name)), 0) == value
        assert fast_urgencies(game, state).get(int(point(name)), 0) == value


def test_a_ko_has_no_urgency_until_it_may_be_taken():
    game, state = picture("..... .XO.. X.XO. .XO.. .....", "O")
    assert slow_urgencies(state)[int(point("B3"))] == 10001
    rules.play(state, game.parse(state, "B3"))
    assert int(point("C3")) not in slow_urgencies(state)
    assert int(point("C3")) not in fast_urgencies(game, state)
    rules.play(state, game.parse(state, "E1"))
    rules.play(state, game.parse(state, "E5"))
    assert slow_urgencies(state)[int(point("C3"))] == fast_urgencies(game, state)[int(point("C3"))] == 10001


def test_superko_takes_the_urgency_away():
    """Two kos at once: what positional superko forbids has no urgency, in either form."""
    for text in ("go:2:superko=positional", "go:3:superko=positional"):
        game = find_game(text)
        forbidden = 0
        for seed in range(12):
            rng = make_rng(seed)
            state = game.new_state()
            while not rules.is_over(state) and state["ply"] < 60:
                legal = game.legal_moves(state)
                open_points = slow_urgencies(state)
                assert open_points == fast_urgencies(game, state)
                assert {int(state["move_of"][p]) for p in open_points} <= set(legal)
                forbidden += len(legal) < state["empty_count"] + 1
                rules.play(state, legal[int(below(rng, len(legal) - (len(legal) > 1)))])
        assert forbidden > 0


@pytest.mark.parametrize("text, games", [("go:2", 20), ("go:3", 20), ("go:5", 12), ("go:9", 3)])
def test_both_forms_agree_at_every_ply_of_random_games(text, games):
    game = find_game(text)
    urgent = 0
    for seed in range(games):
        rng = make_rng(seed)
        state = game.new_state()
        while not rules.is_over(state) and state["ply"] < 200:
            expected = slow_urgencies(state)
            assert fast_urgencies(game, state) == expected
            urgent += max(expected.values(), default=0) > 1
            legal = game.legal_moves(state)
            points = len(legal) - (1 if len(legal) > 1 else 0)  # the last is pass
            rules.play(state, legal[int(below(rng, points))])
    assert urgent > 0


def test_an_entry_of_the_buffer_has_room_for_the_most_urgent_point():
    """All stones of a full board of 19x19 but one, in atari and next to a string in atari."""
    from tesuji.games.go.state import BOARD
    from tesuji.knowledge.go.urgency import CAPTURE, POINT_BITS, RESCUE, SAVE, UNIT

    most = (SAVE + CAPTURE + RESCUE) * 361
    assert BOARD <= 1 << POINT_BITS and most << POINT_BITS < 1 << 31
    assert most * UNIT + 361 < 1 << 32  # what `below` can draw from
