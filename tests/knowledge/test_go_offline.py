"""Offline knowledge of Go: what each rule and shape says of moves on small boards, and how ratings add up."""

import numpy as np
import pytest
from go_positions import picture, point, ratings_of

from tesuji.core import rules
from tesuji.core.limits import Limits
from tesuji.core.numba.local_copies import local_zeros
from tesuji.core.numba.registration import compiled
from tesuji.games.registry import find_game
from tesuji.knowledge.expected_games import BOTH, OWN, RAVE, add_games
from tesuji.knowledge.go import shapes, tactics
from tesuji.knowledge.go.mogo import MoGo
from tesuji.knowledge.go.nearest_patterns import EMPTY_WORK, see_board
from tesuji.knowledge.go.offline import (
    BY_DEGREE,
    BY_SHAPES,
    BY_TACTICS,
    EVEN,
    PASS_GAMES,
    OfflineKnowledge,
    games_of,
    rate_by_knowledge,
)
from tesuji.knowledge.registry import make_policy
from tesuji.players.presets import find_player
from tesuji.search.engine.final_move import children_of
from tesuji.search.policy import RATING
from tesuji.search.selection.choose_child import view_of


def seen(state):
    work, extensions = local_zeros(EMPTY_WORK), local_zeros(tactics.NO_EXTENSIONS)
    see_board(work, state)
    tactics.read_extensions(extensions, state)
    return work["board"], extensions


def names(bits, among):
    return {name for n, name in enumerate(among) if bits >> n & 1}


def tactics_at(state, move):
    _, extensions = seen(state)
    return names(tactics.tactics_of(extensions, state, point(move)), tactics.TACTICS)


def shapes_at(state, move):
    board, extensions = seen(state)
    found = tactics.tactics_of(extensions, state, point(move))
    return names(shapes.shapes_of(board, state, point(move), found), shapes.SHAPES)


def played(game, state, *moves):
    for move in moves:
        rules.play(state, game.parse(state, move))
    return state


def test_every_source_has_a_weight_of_its_own():
    assert list(BY_TACTICS) == list(tactics.TACTICS)
    assert list(BY_SHAPES) == list(shapes.SHAPES)
    assert tactics.CAPTURE == 1 << tactics.TACTICS.index("capture")
    assert tactics.SELF_ATARI == 1 << tactics.TACTICS.index("self_atari")
    assert shapes.TERRITORY_LINE == 1 << shapes.SHAPES.index("territory_line")
    assert shapes.CUT == 1 << shapes.SHAPES.index("cut")


# -- the rules of section 2 ----------------------------------------------------------------------------------------------------
CAPTURES = """
    .......
    .......
    .......
    .......
    .XX....
    XOO....
    .XX...."""


def test_captures_and_their_size():
    _, state = picture(CAPTURES)
    assert {"capture_more"} <= tactics_at(state, "D2")
    _, state = picture(CAPTURES.replace("XOO.", ".XOX").replace(".XX....", "..X....", 1).replace("\n    .XX", "\n    ..."))
    assert {"capture"} <= tactics_at(state, "C1") and "capture_more" not in tactics_at(state, "C1")


def test_a_capture_next_to_an_own_string_in_atari_rescues_it():
    position = """
        .......
        .......
        .......
        ..{}....
        .OX....
        .XOX...
        ......."""
    _, state = picture(position.format("O"))
    assert {"capture", "rescue"} <= tactics_at(state, "C1")
    _, state = picture(position.format("."))  # the stone on C3 is not in atari
    assert "capture" in tactics_at(state, "C1") and "rescue" not in tactics_at(state, "C1")


def test_extensions_are_told_by_ladders():
    ladder = """
        .........
        .........
        .........
        .........
        .........
        ...O.....
        ..OX.....
        ...OO....
        ........."""
    _, state = picture(ladder)
    assert "ladder_run" in tactics_at(state, "E3") and "extend" not in tactics_at(state, "E3")
    broken = ladder.replace("........." + "\n        ...O", ".....X..." + "\n        ...O")
    _, state = picture(broken)
    assert "extend" in tactics_at(state, "E3") and "ladder_run" not in tactics_at(state, "E3")


def test_ataris_count_more_while_there_is_a_ko():
    ko = """
        .......
        .......
        .......
        .......
        .XO....
        XO.O...
        .XO...X"""
    game, state = picture(ko)
    played(game, state, "C2")  # takes B2: White may not take back
    assert state["ko"] == point("B2")
    assert {"atari", "atari_in_ko"} <= tactics_at(state, "F1")
    _, state = picture(ko, "O")
    assert "atari" in tactics_at(state, "F1") and "atari_in_ko" not in tactics_at(state, "F1")


def test_self_atari():
    _, state = picture(
        """
        .....
        .....
        OO...
        XXO..
        ..O.."""
    )
    assert "self_atari" in tactics_at(state, "A1") and "self_atari" in tactics_at(state, "B1")
    assert "self_atari" not in tactics_at(state, "D1")


def test_degrees_of_nearness_and_lines():
    game = find_game("go:9")
    state = played(game, game.new_state(), "E5", "C3")
    last, before = np.int64(state["last_move"]), np.int64(state["second_last_move"])
    assert tactics.nearness(state, point("C4"), last) == 1.0 and tactics.nearness(state, point("E6"), before) == 1.0
    assert 0.0 < tactics.nearness(state, point("E3"), last) < tactics.nearness(state, point("D4"), last) < 1.0
    assert tactics.nearness(state, point("J9"), last) == 0.0 and tactics.nearness(state, point("J9"), np.int64(-1)) == 0.0
    assert tactics.nearness(state, point("J9"), np.int64(81)) == 0.0  # a pass
    lines = [tactics.closeness_to_best_line(n) for n in (1, 2, 3, 4, 5, 6)]
    assert lines[2] == 1.0 and lines == pytest.approx([1 / 3, 2 / 3, 1, 2 / 3, 1 / 3, 0])
    assert [tactics.line_of(state, point(p)) for p in ("A1", "J5", "B8", "C7", "E5")] == [1, 1, 2, 3, 5]


# -- the shapes of Fig. 1 ------------------------------------------------------------------------------------------------------
def shape_on_empty(*rows):
    """A board of 9x9 with these rows in its middle, beginning at C, the lowest on line 4."""
    board = ["." * 9 for _ in range(9)]
    for n, row in enumerate(rows):
        at = 5 - (len(rows) - 1 - n)
        board[at] = ".." + row + "." * (7 - len(row))
    return picture(" ".join(board))[1]


@pytest.mark.parametrize(
    ("rows", "move", "shape"),
    [
        (("XO.", "...", "..."), "D5", "hane"),
        (("XO.", "O..", "..."), "D5", "cut"),
        ((".X.", "O.O", "..."), "D5", "cut"),
        (("XX..", "OO.."), "E5", "wall"),
        ((".O.", "..X"), "C5", "bad_kogeima"),
        (("...", ".OX"), "C5", "bad_kogeima"),
        ((".X", "X."), "C5", "empty_triangle"),
        ((".X", ".X"), "C5", "empty_triangle"),
        (("X.X", "O.."), "D5", "peep_connect"),
        (("X.X", "..."), "D5", "connect"),
    ],
)
def test_each_shape_and_its_mirror_images(rows, move, shape):
    state = shape_on_empty(*rows)
    assert shape in shapes_at(state, move)
    turned = [row[::-1] for row in rows]
    width = max(map(len, rows))
    column = "CDEFGH"["CDEFGH".index(move[0]) * -1 + width - 1]
    assert shape in shapes_at(shape_on_empty(*turned), column + move[1])


@pytest.mark.parametrize(
    ("rows", "move", "shape"),
    [
        (("XO.", "X..", "..."), "D5", "hane"),  # an own stone beside: a bend, no hane
        (("XO.", "X..", "..."), "D5", "cut"),
        (("X...", "OO.."), "D5", "wall"),
        (("...", "..X"), "C5", "bad_kogeima"),
        ((".X", "XX"), "C5", "empty_triangle"),  # fills the square
        (("O.X", ".X."), "D5", "empty_triangle"),  # an enemy stone is near
        (("X.X", "..."), "D5", "peep_connect"),  # nobody peeps
        (("XX", "X."), "D4", "connect"),  # one string
    ],
)
def test_what_is_not_that_shape(rows, move, shape):
    assert shape not in shapes_at(shape_on_empty(*rows), move)


def test_a_second_common_liberty_is_no_peep():
    state = shape_on_empty("X.X", "X.X", "O..")
    assert "connect" in shapes_at(state, "D5") and "peep_connect" not in shapes_at(state, "D5")


def test_lines_and_threats():
    game = find_game("go:9")
    state = game.new_state()
    assert shapes_at(state, "E3") == {"territory_line"} and shapes_at(state, "E1") == {"line_of_death"}
    assert shapes_at(state, "E2") == set()
    assert "threat" in shapes_at(shape_on_empty(".X.", "XO.", "..."), "E5")
    assert "threat" not in shapes_at(shape_on_empty("...", "XO.", "..."), "E5")


# -- ratings -------------------------------------------------------------------------------------------------------------------
def settings(**changes):
    return {p.name: p.default for p in MoGo.PARAMETERS} | changes


def silent(**changes):
    """Everything off but what is named."""
    sources = [f"{name}_games" for name in (*BY_TACTICS, *BY_DEGREE, *BY_SHAPES)]
    off = dict.fromkeys([*sources, "pattern_prior", "rules_prior", "shapes_prior"], 0.0)
    return settings(**off | changes)


def test_games_add_up_to_a_mean():
    rating = np.zeros(1, RATING)[0]
    rating["value"], rating["own_value"] = 0.5, 0.5
    add_games(rating, 0.5, 10.0, BOTH)
    add_games(rating, 1.0, 30.0, RAVE)
    add_games(rating, 0.0, 10.0, BOTH)
    add_games(rating, 1.0, 0.0, OWN)
    assert rating["games"] == 50.0 and rating["value"] == pytest.approx(0.7)
    assert rating["own_games"] == 20.0 and rating["own_value"] == pytest.approx(0.25)
    assert games_of(np.array([2.0, -3.0, 5.0]), 0b011) == (2.0, 3.0)


def test_each_source_is_a_switch():
    game, state = picture(CAPTURES)
    moves = game.legal_moves(state)
    at = moves.index(game.parse(state, "D2"))
    for name, value in (("capture_more_games", 30.0), ("capture_more_games", -8.0)):
        ratings = ratings_of(make_policy(game, MoGo, silent(**{name: value})), state, moves)
        assert ratings["games"][at] == abs(value) and ratings["value"][at] == (value > 0)
        assert ratings["games"][moves.index(game.parse(state, "G7"))] == 0.0
    ratings = ratings_of(make_policy(game, MoGo, silent(capture_more_games=30.0, rules_prior=0.01)), state, moves)
    assert ratings["prior"][at] == pytest.approx(0.3)
    ratings = ratings_of(make_policy(game, MoGo, silent(capture_more_games=-30.0, rules_prior=0.01)), state, moves)
    assert ratings["prior"][at] == 0.0  # never below


def test_shapes_count_on_large_boards_only():
    for size, on in (("go:9", False), ("go:19", True)):
        game = find_game(size)
        knowledge = OfflineKnowledge.made_for(game, settings())
        assert bool(knowledge.shapes.any()) == on
    assert OfflineKnowledge.made_for(find_game("go:9"), settings(shapes_from=9)).shapes.any()


def test_patterns_give_the_prior_alone():
    game = find_game("go:9")
    state = played(game, game.new_state(), "E5", "C3")
    moves = game.legal_moves(state)
    ratings = ratings_of(make_policy(game, MoGo, silent(pattern_prior=1.0)), state, moves)
    kept = ratings[ratings["kept"]]
    assert kept["prior"].sum() == pytest.approx(1.0)
    assert not kept["games"].any() and kept["own_games"].sum() == PASS_GAMES, "the pass alone has games"
    assert ratings["prior"][moves.index(game.parse(state, "A1"))] < ratings["prior"][moves.index(game.parse(state, "G7"))]


def test_compiled_ratings_are_those_of_pure_python():
    game = find_game("go:19")
    knowledge = OfflineKnowledge.made_for(game, settings())
    chooser = np.random.default_rng(2)
    state = game.new_state()
    fast = compiled(rate_by_knowledge)
    for ply in range(161):
        moves = np.array(game.legal_moves(state), np.int32)
        if ply % 40 == 0:
            found = [np.zeros(len(moves), RATING) for _ in range(2)]
            for ratings, function in zip(found, (fast, rate_by_knowledge), strict=True):
                ratings["value"], ratings["rave"], ratings["kept"] = 0.5, True, True
                function(knowledge, state, moves, len(moves), EVEN if ply > 80 else 0.1, ratings)
            for name in RATING.names:
                assert found[0][name] == pytest.approx(found[1][name], rel=1e-12)
        rules.play(state, int(chooser.choice(moves[:-1])))


def test_rules_count_whether_the_search_uses_values_or_priors():
    game = find_game("go:9")
    for player, has_priors in (("uct-rave:policy=mogo", False), ("uct-rave:policy=mogo,selection=progressive-bias", True)):
        chosen = find_player(player).settings_for(game)
        assert ("pattern_prior" in chosen) == has_priors and "capture_games" in chosen
        knowledge = make_policy(game, MoGo, chosen).knowledge
        assert knowledge.uses_rules and (knowledge.pattern_prior > 0.0) == has_priors


@pytest.mark.parametrize(
    ("named", "games", "value"),
    [
        ({"border_games": -6.0}, 6, 0.0),
        ({"territory_line_games": 8.0, "shapes_from": 2}, 8, 1.0),
        ({"pattern_prior": 1.0}, 0, 0.0),
    ],
)
def test_rave_begins_with_the_games_of_a_source(named, games, value):
    """What selection sees of a move in the middle of 5x5 after one game, which may have been won or lost with that move."""
    game = find_game("go:5")
    values = silent(**named)
    del values["weights"]
    search = find_player("mogo").changed(values).engine(game, seed=1, pure=True)
    search.run(Limits(playouts=1))
    centre = game.parse(game.initial, "C3")
    index = next(i for i in children_of(search.tree, 0) if search.tree.nodes[i]["move"] == centre)
    view = view_of(search.rule, search.tree, search.scratches[0], index, True, search.options)
    assert games <= view.rave_visits <= games + 1 and view.visits <= 1
    assert games == 0 or abs(view.rave_mean - value) <= 1.0 / games


def test_a_search_with_it_plays(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    for name in ("go:2", "go:5", "go:5:superko=positional"):
        search = find_player("uct-rave:policy=mogo,expand_after=1").engine(find_game(name), seed=1)
        assert search.run(Limits(playouts=12)).playouts == 12


def test_all_searches_share_one_table_of_patterns():
    """To make it takes longer than a short search."""
    first, second = (make_policy(find_game(name), MoGo, silent()).knowledge.patterns for name in ("go:5", "go:9"))
    assert first is second
