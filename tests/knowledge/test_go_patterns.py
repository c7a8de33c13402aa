"""The 3x3 patterns: each drawing on a board, the table against a slow reader of the drawings, and playouts that answer."""

import random

import numpy as np
import pytest
from go_positions import name_of, notes_for, picture, point, ratings_of

from tesuji.core import rules
from tesuji.core.random import make_rng
from tesuji.games.go.state import BORDER
from tesuji.knowledge.go.local import SHAPE, Local
from tesuji.knowledge.go.patterns import DRAWINGS, FITTING, code_of, fits_pattern, pattern_near
from tesuji.search.policy import playout_move

POLICY = Local(useless_rules=True, prior_games=20)
SIGNS = {0: ".", 1: "X", 2: "O", 3: "#"}
MEANINGS = {"X": "X", "O": "O", ".": ".", "x": "X.", "o": "O.", "?": "XO.", "#": "#", "*": "*"}


def views(rows):
    """The eight symmetries of three rows of text."""
    for _ in range(4):
        rows = ["".join(row) for row in zip(*rows[::-1], strict=True)]
        yield rows
        yield [row[::-1] for row in rows]


def matches(rows, drawing):
    return all(
        sign in MEANINGS[wanted]
        for row, want in zip(rows, drawing, strict=True)
        for sign, wanted in zip(row, want, strict=True)
    )


def slow_fit(rows, mover):
    """Whether the mover's stone in the middle fits a drawing, sign by sign."""
    swap = str.maketrans("XO", "OX")
    for drawing in DRAWINGS:
        for colours in (1, 0):
            seen = rows if colours else [row.translate(swap) for row in rows]
            who = mover if colours else mover.translate(swap)
            if drawing.mover not in ("", who):
                continue
            for view in views(seen):
                if matches(view, (*drawing.rows, "###")[:3]) and not any(matches(view, wrong) for wrong in drawing.but_not):
                    return True
    return False


def rows_of(points):
    signs = [SIGNS[n] for n in points]
    return ["".join(signs[:3]), signs[3] + "*" + signs[4], "".join(signs[5:])]


def test_the_table_says_what_the_drawings_say():
    chooser = random.Random(1)
    seen = 0
    for number in range(1500):
        points = [chooser.randrange(3) for _ in range(8)]
        if number % 3 == 0:
            for place in chooser.choice([(0, 1, 2), (5, 6, 7), (0, 3, 5), (2, 4, 7)]):
                points[place] = BORDER
        for player, mover in enumerate("XO"):
            fits = bool(int(FITTING[code_of(tuple(points))]) >> player & 1)
            assert fits == slow_fit(rows_of(points), mover), rows_of(points)
            seen += fits
    assert seen > 300


def test_nothing_fits_in_a_corner_or_far_from_stones():
    assert FITTING[0] == 0
    corner = [BORDER, BORDER, BORDER, BORDER, 1, BORDER, 2, 1]
    assert FITTING[code_of(tuple(corner))] == 0


ON_BOARDS = [  # each drawing by hand: the board, the point, and whether it fits for X and for O
    ("..... .XOX. ..... ..... .....", "C3", True, True),  # hane, enclosing
    ("..... .XO.. ..... ..... .....", "C3", True, True),  # hane
    ("..... .XO.. .X... ..... .....", "C3", True, True),  # hane at a bend
    ("..... .XOO. ..... ..... .....", "C3", True, False),  # hane, thick: X's alone
    ("..... .XO.. .O... ..... .....", "C3", True, True),  # cut
    ("..... .XO.. .O.O. ..... .....", "C3", False, False),  # no cut where three are around, and the fourth is empty
    ("..... ..X.. .O.O. ..... .....", "C3", True, True),  # cut between two
    ("..... ..X.. .O.O. ..O.. .....", "C3", False, False),  # which O would not hold together below
    ("..... ..... ..... .X... .O...", "C1", True, True),  # edge: chase
    ("..... ..... ..... ..X.. ...O.", "C1", True, True),  # edge: block
    ("..... ..... ..... ..XO. .....", "C1", True, True),  # edge: X connects under, O descends
    ("..... ..... ..... ..XO. .O.X.", "C1", True, True),  # edge: O cuts; for X it still connects under
    ("..... ..... ..... ..XO. ...X.", "C1", True, False),  # O has no cut without the stone on the other side
    ("..... ..... ..... ..... .....", "C3", False, False),
]


@pytest.mark.parametrize(("rows", "where", "for_x", "for_o"), ON_BOARDS)
def test_drawings_on_a_board(rows, where, for_x, for_o):
    _, state = picture(rows)
    assert bool(fits_pattern(state, point(where), np.int64(0))) == for_x
    assert bool(fits_pattern(state, point(where), np.int64(1))) == for_o


def test_a_pattern_next_to_the_last_move_is_played_and_each_as_often():
    game, state = picture(".X... ..... ..... ..... .....", "O")
    rules.play(state, game.parse(state, "C5"))  # White beside Black on the edge
    rng = make_rng(1, 0)
    player = np.int64(state["to_play"])
    last = np.int64(state["point_of"][state["last_move"]])
    found = [name_of(int(pattern_near(state, last, player, rng))) for _ in range(400)]
    expected = {
        name_of(int(p))
        for p in state["empties"][: state["empty_count"]]
        if fits_pattern(state, np.int64(p), player) and max(abs(int(p) % 20 - 3), abs(int(p) // 20 - 5)) <= 1
    }
    assert expected and set(found) == expected
    assert all(found.count(name) > 400 / len(expected) / 2 for name in expected)
    notes = notes_for(POLICY, game)
    moves = {name_of(int(state["point_of"][playout_move(POLICY, notes, state, rng)])) for _ in range(100)}
    assert moves == expected


def test_a_string_in_atari_comes_before_a_pattern():
    game, state = picture("..... .XO.. XO... .X... .....")  # the white stone B3 has one liberty, C3, which is a cut too
    notes = notes_for(POLICY, game)
    rng = make_rng(2, 0)
    assert {game.text(state, int(playout_move(POLICY, notes, state, rng))) for _ in range(30)} == {"C3"}


@pytest.mark.parametrize(
    ("rows", "played"), [(".OO.. OX... .OO.. ..... .....", False), (".OO.. OX... ..O.. ..... .....", True)]
)
def test_a_pattern_that_puts_a_string_into_atari_is_left_alone(rows, played):
    """C4 cuts between two. In the first position B4 and C4 would have one liberty together."""
    _, state = picture(rows)
    assert fits_pattern(state, point("C4"), np.int64(0))
    rng = make_rng(3, 0)
    near = {name_of(int(pattern_near(state, point("D4"), np.int64(0), rng))) for _ in range(50)}
    assert ("C4" in near) == played


def test_shapes_are_expected_to_bring_more():
    _, state = picture("..... .XO.. ..... ..... .....")
    listed = np.array([state["move_of"][point(name)] for name in ("C3", "E1")], np.int32)
    ratings = ratings_of(POLICY, state, listed)
    assert ratings[0]["value"] >= SHAPE > ratings[1]["value"] and (ratings["games"] == 20).all()
    assert (ratings_of(POLICY._replace(prior_games=0), state, listed)["games"] == 0).all()
