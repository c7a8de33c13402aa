"""MoGo's playouts: every clause on a small board, the order of the clauses, and whole playouts compiled and pure."""

import numpy as np
import pytest
from go_positions import COLUMNS, name_of, notes_for, picture, playout, point, run, run_policy

from tesuji.core import rules
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import compiled
from tesuji.core.random import make_rng
from tesuji.games.go.legality import is_eye, is_legal, is_sensible
from tesuji.games.go.state import AROUND, EMPTY, NEIGHBOURS, NOWHERE
from tesuji.games.registry import find_game
from tesuji.knowledge.go.mogo import MoGo, MoGoPlayouts, mogo_move, pattern_move
from tesuji.knowledge.go.mogo_playouts import (
    approach_move,
    capturing_move,
    list_patterns,
    nakade_move,
    open_space_move,
    random_point,
    saving_move,
)
from tesuji.knowledge.go.offline import OfflineKnowledge
from tesuji.knowledge.go.patterns import fits_pattern
from tesuji.knowledge.go.two_liberties import two_liberty_move
from tesuji.knowledge.registry import make_policy
from tesuji.players.presets import find_player

DEFAULTS = {parameter.name: parameter.default for parameter in MoGo.PARAMETERS}


def changed(policy, **chances):
    """The policy with other chances of these clauses."""
    return policy._replace(playouts=policy.playouts._replace(**chances))


PAPER = make_policy(find_game("go:5"), MoGo, {**DEFAULTS, "fill_board": 4})
NOTHING = changed(PAPER, save_atari=0.0, nakade=0.0, fill_board=0, patterns=0.0, approach=0.0, captures=0.0)
EVERYTHING = changed(PAPER, save_atari=0.9, two_liberties=0.9, second_patterns=0.7, avoid_self_atari=0.6)


def after(rows, last, to_move="O", options=""):
    """A position in which `last` was played, which is in no picture: the game, the position and the player to move."""
    game, state = picture(rows, to_move, options)
    rules.play(state, game.parse(state, last))
    return game, state, np.int64(state["to_play"])


def names(clause, times=60):
    """All points that a clause plays, asked often: a set of names. It is given a buffer and a generator."""
    rng, buffer = make_rng(1), np.zeros(512, np.int32)
    found = (int(clause(buffer, rng)) for _ in range(times))
    return {name_of(p) for p in found if p != NOWHERE}


def answers(policy, game, state, times=60):
    notes, rng = notes_for(policy, game), make_rng(2)
    return {game.text(state, int(mogo_move(policy, notes, state, rng))) for _ in range(times)}


# -- strings in atari ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("rows", "last", "saves"),
    [
        ("..... ..O.. .OX.. ..... .....", "D3", {"C2"}),  # it has three liberties then
        ("..... ..... ..... .O.O. .OX..", "D1", set()),  # C2 would leave it one
        ("..... ..OO. ..X.O .XOX. .....", "B3", {"D3", "C1"}),  # D3 connects; C1 captures C2
        ("..... ..OO. ..X.O .XOXO ...O.", "B3", {"C1"}),  # D3 is suicide, capturing helps
        ("..... ..O.. .OXO. ..... .....", "A1", set()),  # in atari, but not beside the last move
    ],
)
def test_stones_in_atari_are_saved_by_liberty_count(rows, last, saves):
    _, state, player = after(rows, last)
    where = point(last)
    assert names(lambda buffer, rng: saving_move(state, where, player, buffer, rng)) == saves


def test_a_rescue_that_ko_forbids_is_none():
    game, state = picture("..... .XO.. X.XO. .XO.. .....", "O")
    rules.play(state, game.parse(state, "B3"))  # takes C3
    assert name_of(int(state["ko"])) == "C3"
    rng, buffer = make_rng(0), np.zeros(512, np.int32)
    assert saving_move(state, point("B3"), np.int64(0), buffer, rng) == NOWHERE
    assert capturing_move(state, np.int64(0), buffer, rng) == NOWHERE


# -- nakade ----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("rows", "last", "centre"),
    [
        ("..... ..... ..... OOOO. .....", "D1", "B1"),  # straight three, from its end
        ("..... ..... ..... O.OO. ...O.", "B2", "B1"),  # from its middle
        ("..... ..... O.... .O... .....", "C1", "A1"),  # bent three
        ("..... ..... ..... OOOO. ...O.", "E5", None),  # not beside the last move
        ("..... ..... ..... OOOOO .....", "E1", None),  # four points
        ("..... ..... ..... OOO.. .....", "C1", None),  # two
        ("..... ..... ..... OOXO. .....", "D1", None),  # a stone of one's own touches the three
        ("..... ..... ..... OO.O. ...O.", "A3", None),  # the hole is not closed
    ],
)
def test_the_centre_of_a_hole_of_three_is_played(rows, last, centre):
    _, state, player = after(rows, last)
    found = int(nakade_move(state, point(last), player))
    assert (None if found == NOWHERE else name_of(found)) == centre


def test_one_s_own_hole_is_no_nakade():
    _, state, _ = after("..... ..... ..... OOOO. .....", "D1")
    assert nakade_move(state, point("D1"), np.int64(1)) == NOWHERE


# -- fill the board --------------------------------------------------------------------------------------------------------
FAR = {4: 1, 8: 2, 12: 4, 20: 5, 24: 8}  # squared distance up to which all points are empty


@pytest.mark.parametrize("empty", FAR)
def test_open_spaces_are_filled(empty):
    game, state = picture(" ".join(["........X"] + ["........."] * 7 + [".O......."]))
    stones = [(8, 8), (1, 0)]
    expected = {
        f"{COLUMNS[column]}{row + 1}"
        for column in range(9)
        for row in range(9)
        if all(
            0 <= column + right < 9 and 0 <= row + up < 9 and (column + right, row + up) not in stones
            for right in range(-2, 3)
            for up in range(-2, 3)
            if right * right + up * up <= FAR[empty]
        )
    }
    assert expected
    assert names(lambda _, rng: open_space_move(state, np.int64(0), 200, empty, rng), 1000) == expected
    assert answers(changed(NOTHING, fill_board=1000, fill_empty=empty), game, state, 30) <= expected


def test_the_paper_s_22_points_are_the_nearest():
    """No symmetric surroundings have 22 points: two of the four far corners of 5x5 may be taken."""
    _, state = picture(" ".join(["........X"] + ["........."] * 7 + [".O......."]))

    def found(empty):
        return names(lambda _, rng: open_space_move(state, np.int64(0), 200, empty, rng), 1000)

    assert found(24) <= found(22) <= found(20)


def test_the_number_of_tries_limits_the_search_for_open_space():
    """On 5x5 nine points of 25 have eight empty ones around: one try finds one with that chance."""
    _, state = picture("..... ..... ..... ..... .....")
    rng = make_rng(3)
    once = sum(open_space_move(state, np.int64(0), 1, 8, rng) != NOWHERE for _ in range(2000))
    assert abs(once / 2000 - 9 / 25) < 0.05
    twice = sum(open_space_move(state, np.int64(0), 2, 8, rng) != NOWHERE for _ in range(2000))
    assert abs(twice / 2000 - (1 - (16 / 25) ** 2)) < 0.05
    assert open_space_move(state, np.int64(0), 0, 8, rng) == NOWHERE


# -- patterns and approach moves ---------------------------------------------------------------------------------------------
def fitting_around(state, middle, player):
    return {
        name_of(int(middle + offset))
        for offset in AROUND
        if state["colour"][middle + offset] == EMPTY
        and fits_pattern(state, middle + offset, player)
        and is_sensible(state, middle + offset, player)
    }


def test_patterns_beside_the_last_move_and_the_one_before():
    game, state, _ = after(".X... ..... ..... ..... ..O..", "D2", "X")
    rules.play(state, game.parse(state, "C5"))
    player = np.int64(state["to_play"])
    near, before = fitting_around(state, point("C5"), player), fitting_around(state, point("D2"), player)
    assert near and before and not near & before

    def found(**chances):
        policy = changed(NOTHING, **chances)
        return names(lambda buffer, rng: pattern_move(policy.playouts, state, point("C5"), player, buffer, rng), 200)

    assert found(patterns=1.0) == near
    assert found(second_patterns=1.0) == before
    assert found(patterns=1.0, second_patterns=1.0) == near | before
    assert found() == set()
    assert answers(changed(NOTHING, patterns=1.0), game, state) == near


def test_a_pattern_that_is_a_self_atari_can_be_avoided():
    _, state = picture(".OO.. OX... .OO.. ..... .....")  # Black's C4 leaves B4 and C4 one liberty
    for avoid, played in ((0.0, True), (1.0, False)):
        buffer, rng = np.zeros(512, np.int32), make_rng(1)
        count = list_patterns(state, point("D4"), np.int64(0), avoid, buffer, 0, rng)
        assert ("C4" in {name_of(int(p)) for p in buffer[:count]}) == played


@pytest.mark.parametrize(
    ("rows", "where", "instead"),
    [
        ("..... ..... ..... .O... O..X.", "B1", "C1"),  # C1 is the one liberty, and connects to D1
        ("..... ..... ..... .O... O....", "B1", None),  # nothing to connect to
        ("..... ..... ..... ..... O..X.", "B1", None),  # no self-atari
        ("..... ..... ..... .OOO. O..XO", "B1", None),  # C1 would leave one liberty as well
        ("..... ..... X.... XO... O.O..", "B1", None),  # the liberty is the point of the stone A1, captured
        ("..... ..... .OOO. OX..X OOO.O", "C2", "D2"),  # the string B2 with C2 has D2 left, and E2 is another
        ("..... ..... .OOO. OX..O OOO.O", "C2", None),
    ],
)
def test_what_to_play_before_a_self_atari(rows, where, instead):
    _, state = picture(rows)
    found = int(approach_move(state, point(where), np.int64(0)))
    assert (None if found == NOWHERE else name_of(found)) == instead


def test_an_approach_move_replaces_half_of_the_self_ataris():
    """White's only pattern beside E2 is E3, a self-atari; E4 connects it to D4 first."""
    game, state, player = after(".O... OXXO. XOOX. XXO.. .XO..", "E2", "X")
    for chance, expected in ((0.0, {"E3"}), (1.0, {"E4"}), (0.5, {"E3", "E4"})):
        policy = changed(NOTHING, patterns=1.0, approach=chance)
        assert answers(policy, game, state) == expected
    policy, buffer, rng = changed(NOTHING, patterns=1.0, approach=0.5), np.zeros(512, np.int32), make_rng(4)
    found = [name_of(int(pattern_move(policy.playouts, state, point("E2"), player, buffer, rng))) for _ in range(600)]
    assert 250 < found.count("E4") < 350


# -- two liberties ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("rows", "last", "found"),
    [
        ("..... ..... ..... ..... .....", "C5", set()),  # three liberties
        ("..... .X... .XX.. ..... .....", "B5", {"C5"}),  # an attack; on A5 it would be a self-atari
        ("..... .X... OXO.. .O... .....", "A4", {"B5", "C4"}),  # B4 and B3 have two left: both lead to more
        ("O.O.. .X.X. OXO.. .O... .....", "A4", {"C4"}),  # which connects; on B5 nothing is gained
        ("O.O.. .X... OXO.. .O... .....", "A4", set()),
    ],
)
def test_strings_with_two_liberties(rows, last, found):
    game, state, player = after(rows, last)
    where = point(last)
    assert names(lambda buffer, rng: two_liberty_move(state, where, player, buffer, rng)) == found
    if found:
        assert answers(changed(NOTHING, two_liberties=1.0), game, state) == found


# -- captures and random moves -----------------------------------------------------------------------------------------------
def test_something_is_captured_anywhere():
    game, state, player = after("X.... OX... ..... X.... O....", "C3")
    expected = {"A3", "B1"}
    assert names(lambda buffer, rng: capturing_move(state, player, buffer, rng)) == expected
    assert answers(changed(NOTHING, captures=1.0), game, state) == expected


def test_random_moves_fill_no_eye():
    game, state = picture(".XXX. XXXX. .XXOO XXOO. XO.O.")
    empty = {name_of(int(p)) for p in state["empties"][: state["empty_count"]]}
    legal = {name for name in empty if is_legal(state, point(name), np.int64(0))}
    expected = legal - {name for name in legal if is_eye(state, point(name), 1)}
    assert legal - expected == {"A5", "A3"} and expected
    assert names(lambda _, rng: random_point(state, np.int64(0), 0.0, rng), 200) == expected
    assert answers(NOTHING, game, state, 200) == expected


def test_a_seki_is_left_alone_where_self_atari_is_avoided():
    game, state = picture("X.OO XXOO XXOO X.OO")
    assert answers(NOTHING, game, state) == {"B4", "B1"}
    assert answers(changed(NOTHING, avoid_self_atari=1.0), game, state) == {"pass"}


# -- the order of the clauses ------------------------------------------------------------------------------------------------
def test_the_clauses_come_in_the_paper_s_order():
    """White's D1 puts E1 into atari and closes a hole of three; J9 could be captured. Clauses are left out one by one."""
    rows = [".......XO", *["........."] * 6, "OOO......", "....XO..."]
    game, state, player = after(" ".join(rows), "D1")
    policy = changed(PAPER, fill_board=1000)
    assert answers(policy, game, state, 20) == {"E2"}
    policy = changed(policy, save_atari=0.0)
    assert answers(policy, game, state, 20) == {"B1"}
    policy = changed(policy, nakade=0.0)
    spaces = names(lambda _, rng: open_space_move(state, player, 1000, 8, rng), 300)
    assert answers(policy, game, state) <= spaces and len(spaces) > 20
    policy = changed(policy, fill_board=0)
    patterns = fitting_around(state, point("D1"), player)
    assert answers(policy, game, state) == patterns and patterns
    policy = changed(policy, patterns=0.0)
    assert answers(policy, game, state, 20) == {"J8"}
    policy = changed(policy, captures=0.0)
    assert len(answers(policy, game, state, 100)) > 20


def test_a_chance_below_one_leaves_a_clause_out_now_and_then():
    game, state, _ = after("..... ..O.. .OX.. ..... .....", "D3")
    notes, rng = notes_for(NOTHING, game), make_rng(5)
    policy = changed(NOTHING, save_atari=0.8)
    saved = sum(game.text(state, int(mogo_move(policy, notes, state, rng))) == "C2" for _ in range(1000))
    assert abs(saved / 1000 - (0.8 + 0.2 / 20)) < 0.05  # at random it is one of some twenty points


# -- whole playouts ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("policy", [PAPER, EVERYTHING, NOTHING], ids=["the paper", "everything", "nothing"])
@pytest.mark.parametrize("text", ["go:2", "go:3", "go:5", "go:9"])
def test_playouts_are_legal_and_the_same_in_both_worlds(text, policy):
    game = find_game(text)
    for seed in range(1 if text == "go:9" else 3):
        fast = playout(policy, game, seed)
        assert fast[1] == 0 and fast[0] <= game.max_plies
        assert fast == playout(policy, game, seed, pure=True)


@pytest.mark.parametrize("policy", [PAPER, EVERYTHING], ids=["the paper", "everything"])
def test_playouts_fill_no_eye_that_holds(policy):
    """An eye beside an own string in atari can be captured through, and may be filled to save that string."""
    game = find_game("go:5")
    filled = 0
    for seed in range(20):
        state = game.new_state()
        for move in playout(policy, game, seed)[2]:
            p, own = int(state["point_of"][move]), int(state["to_play"]) + 1
            if p != NOWHERE and is_eye(state, np.int64(p), own):
                filled += 1
                assert any(state["atari_at"][state["head"][p + offset]] for offset in NEIGHBOURS)
            rules.play(state, move)


@pytest.mark.parametrize("text", ["go:3:superko=positional", "go:5:superko=positional"])
def test_playouts_keep_to_superko(text):
    game = find_game(text)
    for seed in range(3):
        plies, illegal, _, _ = playout(EVERYTHING, game, seed, pure=True)
        assert illegal == 0 and plies <= game.max_plies


def test_playouts_from_the_middle_of_a_game_are_legal():
    game, state, _ = after(".O... OXXO. XOOX. XXO.. .XO..", "E2", "X")
    for seed in range(30):
        assert run(EVERYTHING, game, state, seed, 0, compiled(run_policy))[1] == 0


# -- the player --------------------------------------------------------------------------------------------------------------
def test_the_player_and_its_parameters():
    settings = find_player("mogo:fill_board=0,two_liberties=0.9").settings_for(find_game("go:9"))
    assert settings["policy"] == "mogo" and settings["fill_board"] == 0 and settings["two_liberties"] == 0.9
    of_playouts = {parameter.name for parameter in MoGo.PARAMETERS} - {p.name for p in OfflineKnowledge.PARAMETERS}
    assert {*MoGoPlayouts._fields} == of_playouts


@pytest.mark.parametrize(("name", "size"), [("mogo", 2), ("mogo", 4), ("go", 2), ("go", 5)])
def test_a_game_of_the_player_against_itself_ends_by_two_passes(size, name):
    """Nobody fills the last eyes, and no game goes on for ever: with a few playouts a move, on small boards."""
    game = find_game(f"go:{size}")
    state, player, plies = game.new_state(), find_player(f"{name}:memory=4,resign=0"), 0
    while not rules.is_over(state):
        move = player.engine(game, state, plies, pure=True).run(Limits(playouts=3)).best_move
        assert move is not None
        rules.play(state, move)
        plies += 1
    assert plies < 8 * size * size < game.max_plies
    assert state["empty_count"] > 0
