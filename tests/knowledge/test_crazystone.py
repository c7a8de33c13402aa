"""Crazy Stone's policy: how often each move is drawn, whole playouts compiled and pure, what enters the tree, and priors."""

import math

import numpy as np
import pytest
from go_positions import picture, playout, ratings_of, run, run_policy, slow_urgencies
from naive_useless import expected_moves

from tesuji.core import rules
from tesuji.core.game import copy_state
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import compiled, is_pure
from tesuji.games.registry import find_game
from tesuji.knowledge.go.crazystone import CrazyStone
from tesuji.knowledge.go.local import Local
from tesuji.knowledge.registry import make_policy, policies_of
from tesuji.players.presets import find_player

PAPER, URGENCIES = CrazyStone(useless_rules=True, prior_games=0), CrazyStone(useless_rules=False, prior_games=0)


def check_draws(policy, game, state, seed):
    """Draws often from one position and compares the counts with the chances by the text, within five deviations."""
    expected = expected_moves(state, policy.useless_rules) or {game.move_count - 1: 1.0}
    draws = 1000 if is_pure() else 100_000
    _, _, _, counts, after = run(policy, game, state, seed, draws, compiled(run_policy))
    assert after == state.tobytes()
    for move, count in enumerate(counts):
        chance = expected.get(move, 0.0)
        spread = math.sqrt(draws * chance * (1.0 - chance))
        assert abs(count - draws * chance) <= 5.0 * spread + (2.0 if chance > 0.0 else 0.0), game.text(state, move)


# -- the draw --------------------------------------------------------------------------------------------------------------
POSITIONS = {
    "the empty board": ("... ... ...", "X"),
    "one very urgent point": ("..... ..... OOO.. XX... OOOX.", "X"),
    "two urgent points": ("..... ..... XX... OOXO. .OXO.", "X"),
    "nothing urgent, much useless": ("..... ..... XXXX. X..XO .X.XO", "X"),
    "urgent but in vain": ("..... ..... OOOO. XX.X. OOOO.", "X"),
    "the same for the enemy": ("..... ..... OOOO. XX.X. OOOO.", "O"),
    "a capture instead": ("..... ..... OOXXX .XOO. O.XX.", "X"),
    "hardly a point may be played": ("XX.XX X.XXX .XX.X XX.XX X.X.X", "O"),
    "only eyes are left but for one point": ("XX.XX X.XXX .XX.X XX.XX X.X..", "X"),
    "nothing may be played": ("XX.XX X.XXX .XX.X XX.XX X.X.X", "X"),
    "many strings in atari": ("X.XOO OX.XO .OOX. OXO.X .XO.X", "X"),
    "many strings in atari, the other side": ("X.XOO OX.XO .OOX. OXO.X .XO.X", "O"),
}


@pytest.mark.parametrize("policy", [PAPER, URGENCIES], ids=["with the rules", "urgencies alone"])
@pytest.mark.parametrize("position", POSITIONS)
def test_moves_are_drawn_as_often_as_the_text_says(position, policy):
    game, state = picture(*POSITIONS[position])
    check_draws(policy, game, state, seed=7)


@pytest.mark.parametrize("seed", range(12))
def test_draws_in_positions_of_random_games(seed):
    """The same in the midst of playouts on 5x5, where much is in atari."""
    game = find_game("go:5")
    plies, _, made, _ = playout(URGENCIES, game, seed)
    state = game.new_state()
    for move in made[: min(plies - 4, 10 + 3 * seed)]:
        rules.play(state, move)
    check_draws(PAPER, game, state, seed)


# -- whole playouts --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("policy", [PAPER, URGENCIES], ids=["with the rules", "urgencies alone"])
@pytest.mark.parametrize("text", ["go:2", "go:3", "go:5", "go:9"])
def test_playouts_are_legal_and_the_same_in_both_worlds(text, policy):
    game = find_game(text)
    for seed in range(1 if text == "go:9" else 3):
        fast = playout(policy, game, seed)
        assert fast[1] == 0 and fast[0] <= game.max_plies
        assert fast == playout(policy, game, seed, pure=True)


@pytest.mark.parametrize("text", ["go:2:superko=positional", "go:3:superko=positional", "go:5:superko=positional"])
def test_playouts_keep_to_superko(text):
    game = find_game(text)
    for seed in range(4):
        plies, illegal, _, _ = playout(PAPER, game, seed, pure=True)
        assert illegal == 0 and plies <= game.max_plies


@pytest.mark.parametrize("text, games", [("go:2", 300), ("go:4", 300), ("go:9", 100), ("go:19", 5)])
def test_playouts_end_by_two_passes_and_leave_only_eyes(text, games):
    if is_pure():
        games = 1 + games // 300
    game = find_game(text)
    cut_short = 0
    for seed in range(games):
        plies, illegal, _, last = playout(PAPER, game, seed + 50)
        state = np.frombuffer(bytearray(last), game.initial.dtype)[0]
        assert illegal == 0
        cut_short += plies == game.max_plies
        if state["passes"] == 2:
            state["passes"] = 0
            assert not slow_urgencies(state)  # of the player who passed first
    assert cut_short <= games // 20


# -- the tree --------------------------------------------------------------------------------------------------------------
def listed(policy, game, state):
    """The moves that enter the tree."""
    legal = game.legal_moves(state)
    return [move for move, rating in zip(legal, ratings_of(policy, state, legal), strict=True) if rating["kept"]]


def test_the_moves_with_urgency_are_kept():
    game, state = picture("..... ..X.. .X.X. ..X.. .....", "X")
    pass_move = game.move_count - 1
    assert sorted(listed(PAPER, game, state)) == sorted(int(state["move_of"][p]) for p in slow_urgencies(state))
    assert game.parse(state, "C3") in game.legal_moves(state) and game.parse(state, "C3") not in listed(PAPER, game, state)
    rules.play(state, pass_move)
    assert pass_move in listed(PAPER, game, state) and len(listed(PAPER, game, state)) > 1


def test_a_player_without_urgencies_passes():
    game, state = picture("XX.XX X.XXX .XX.X XX.XX X.X.X", "X")
    assert listed(PAPER, game, state) == [game.move_count - 1]


SEKI = "X.OO XXOO XXOO X.OO"  # who plays first on B4 or B1 is taken
# The upper left: Black has one eye and White two, of which D8 is false. Who plays there is taken; Black is 5.5 points behind.
LATE_SEKI = ".XXXXOOOX XXO.OOXXX XOOOOXX.X XXO.OXXXX OXOOOXX.X OOXXXXXXX .OOXOX.XO O.OXOXXOO .OOOOOOOO"


@pytest.mark.parametrize("policy", [PAPER, Local(useless_rules=True, prior_games=0)])
def test_a_pass_is_kept_where_few_moves_are_left(policy):
    game, state = picture(SEKI)
    assert {game.text(state, move) for move in listed(policy, game, state)} == {"B4", "B1", "pass"}
    game, state = picture(" ".join(["." * 9] * 9))
    assert "pass" not in {game.text(state, move) for move in listed(policy, game, state)}


@pytest.mark.parametrize(("player", "playouts"), [("crazystone", 600), ("uct-rave", 150), ("tesuji", 150)])
@pytest.mark.parametrize("to_move", ["X", "O"])
def test_nobody_must_move_in_a_seki(player, playouts, to_move):
    game, state = picture(LATE_SEKI, to_move)
    result = find_player(player).engine(game, state, seed=1, pure=True).run(Limits(playouts=playouts))
    assert result.best_move is not None and game.text(state, result.best_move) == "pass"
    assert result.value < 0  # White wins; if White had to move, Black would


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_played_in_a_playout_is_kept(seed):
    game = find_game("go:5")
    plies, _, made, _ = playout(PAPER, game, seed)
    state = game.new_state()
    for move in made[: min(plies, 120)]:
        assert move in listed(PAPER, game, state)
        rules.play(state, move)


def test_priors_mark_the_moves_that_give_atari():
    # B2 and C2 have three liberties, E5 has two, A4 is in atari already.
    game, state = picture("X...O O..X. X.X.. .OOX. .XX..", "X")
    out = np.array(game.legal_moves(state), np.int32)
    priors = ratings_of(PAPER, state, out)["prior"]
    marked = {game.text(state, int(move)) for move, prior in zip(out, priors, strict=True) if prior == 1.0}
    expected = set()
    for move in out:
        child = copy_state(state)
        heads = {int(h) for h in child["ataris"][: child["atari_count"]] if child["colour"][h] == 2}
        rules.play(child, int(move))
        if any(child["colour"][h] == 2 and int(h) not in heads for h in child["ataris"][: child["atari_count"]]):
            expected.add(game.text(state, int(move)))
    assert marked == expected and "E4" in marked and "B4" not in marked
    assert set(priors.tolist()) == {0.0, 1.0}


def test_the_registry_makes_each_policy():
    game = find_game("go:5")
    made = {}
    for rules_text in ("on", "off"):
        settings = find_player(f"crazystone:useless_rules={rules_text}").settings_for(game)
        made[rules_text] = make_policy(game, policies_of(game)["crazystone"], settings)
    assert made == {"on": PAPER, "off": URGENCIES}
    assert type(make_policy(game, policies_of(game)["auto"], find_player("uct-rave").settings_for(game))) is Local


def test_a_search_with_the_policy(monkeypatch):
    """Whoever plays C2 first takes or saves two stones."""
    monkeypatch.setenv("TESUJI_PURE", "1")  # to compile a whole search takes longer than these few playouts
    game, state = picture("..... ..... OOO.. XX.X. OOO..", "O")
    search = find_player("crazystone:memory=4,policy_below=-1").engine(game, state, seed=1)
    result = search.run(Limits(playouts=60))
    assert 0 < result.playouts <= 60 and game.text(state, result.best_move) == "C2"
