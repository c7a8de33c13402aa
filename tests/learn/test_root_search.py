"""How searches of self-play look at their roots, and what is learned from them."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.knowledge.network.file import LearnedNetwork, save_network
from tesuji.knowledge.network.network import random_network
from tesuji.learn.network.settings import RunSettings
from tesuji.learn.root_search import (
    DRAW,
    LOSS,
    WIN,
    Exploration,
    RootMove,
    RootSearch,
    completed,
    exact_shares,
    forced_visits,
    noisy_priors,
    pruned_visits,
    root_moves,
    visit_shares,
)
from tesuji.learn.self_play import SelfPlay, TwoLengths, Variety, outcome_of
from tesuji.players.presets import find_player

GAME = find_game("connect4:4x4")


@pytest.fixture
def engine(tmp_path):
    """A search of a position, after these moves, by a network of random weights."""

    def make(moves="", seed=1):
        encoding, path = GAME.encoding, tmp_path / "network"
        network = random_network(RunSettings(1, 4, 8).shape(encoding), 3)
        save_network(path, LearnedNetwork("connect4", encoding.names, encoding.policy_planes, network, {}))
        player = find_player(f"network:memory=4,exploration=0.2,network={path}", may_load=True)
        state = GAME.state_after([GAME.parse(GAME.initial, move) for move in moves.split()])
        return player.engine(GAME, state, seed)

    return make


def move(number, visits=0, prior=0.25, value=0.5, exact=None, at_most=None):
    return RootMove(number, visits, prior, value, exact, at_most if at_most is not None else WIN if exact is None else exact)


# -- goals of the root ---------------------------------------------------------------------------------------------------------
def test_goals_are_reached_before_the_rule_chooses(engine):
    search = engine()
    search.run(Limits(playouts=1))
    search.set_root_goals({0: 3, 2: 5})
    search.run(Limits(playouts=8))
    visits = {one.move: one.visits for one in root_moves(search, search.result())}
    assert visits == {0: 3, 1: 0, 2: 5, 3: 1}  # the first playout had no goals
    plain, goals = engine(), engine()
    goals.set_root_goals({})
    for one in (plain, goals):
        one.run(Limits(playouts=40))
    assert plain.tree_hash() == goals.tree_hash()


def test_a_move_that_is_proven_is_visited_no_more(engine):
    """The move 4 wins at once for the second player wherever the first does not play it."""
    search = engine("1 4 1 4 2 4")
    search.run(Limits(playouts=200))
    proven = {one.move: one.exact for one in root_moves(search, search.result()) if one.exact is not None}
    assert LOSS in proven.values()
    lost = next(number for number, value in proven.items() if value == LOSS)
    before = {one.move: one.visits for one in root_moves(search, search.result())}
    search.set_root_goals({lost: 10**6})
    search.run(Limits(playouts=5))
    assert {one.move: one.visits for one in root_moves(search, search.result())}[lost] == before[lost]


def test_every_move_with_a_prior_is_forced_and_not_learned(engine):
    found = RootSearch(Exploration(noise=0.0, forced=4.0)).full(engine(), 120, random.Random(1))
    assert abs(sum(share for _, share in found.learned.shares) - 1.0) < 1e-6
    search, noisy = engine(), engine()
    RootSearch(Exploration(noise=0.0, forced=0.0)).full(search, 120, random.Random(1))
    RootSearch(Exploration(noise=0.0, forced=20.0)).full(noisy, 120, random.Random(1))
    plain, forced = (root_moves(one, one.result()) for one in (search, noisy))
    assert sum(one.visits for one in plain) == sum(one.visits for one in forced)
    tried = [one for one in forced if one.visits > 0 and one.exact is None]
    assert all(one.visits >= forced_visits(one, 20.0, 119) - 1 for one in tried)
    assert max(one.visits for one in forced) < max(one.visits for one in plain)


def test_noise_leaves_a_distribution():
    moves = [move(number, prior=prior) for number, prior in enumerate((0.7, 0.2, 0.1))]
    priors = noisy_priors(moves, 0.25, random.Random(1))
    assert sum(priors.values()) == pytest.approx(1.0) and all(priors[n] >= 0.75 * p for n, p in enumerate((0.7, 0.2, 0.1)))
    assert noisy_priors(moves, 0.0, random.Random(1)) == pytest.approx({0: 0.7, 1: 0.2, 2: 0.1})


def test_forced_visits_are_taken_away_as_far_as_they_were_forced():
    """By hand: the leader is worth 0.6 + 0.5 * 10 / 81, the others as little as leaves them below that."""
    moves = [move(0, 80, 0.5, 0.6), move(1, 10, 0.25, 0.3), move(2, 9, 0.25, 0.65), move(3, 1, 0.0, 0.0)]
    kept = pruned_visits(moves, 2.0, 1.0)
    aim = 0.6 + 0.5 * 10.0 / 81.0
    assert kept[0] == 80 and kept[3] == 0
    assert kept[1] == max(10 - int(math.sqrt(2.0 * 0.25 * 100)), math.ceil(0.25 * 10.0 / (aim - 0.3) - 1.0))
    assert kept[2] == 9 and 0.65 + 0.25 * 10.0 / (1 + 9) > aim  # it is worth more as it is: nothing was forced
    assert visit_shares(moves, kept)[0] == pytest.approx(80 / (80 + kept[1] + 9))


# -- what is proven --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "moves, right",
    [
        ([move(0), move(1)], {0: 0.6, 1: 0.4}),
        ([move(0, exact=WIN), move(1)], {0: 1.0}),
        ([move(0, exact=WIN), move(1, exact=WIN), move(2, exact=LOSS)], {0: 0.5, 1: 0.5}),
        ([move(0, exact=DRAW), move(1, exact=LOSS)], {0: 1.0}),
        ([move(0, exact=LOSS), move(1)], {1: 1.0}),
        ([move(0, exact=DRAW), move(1), move(2, exact=LOSS)], {0: 0.6, 1: 0.4}),
        ([move(0, exact=LOSS), move(1, exact=LOSS)], {0: 0.6, 1: 0.4}),
        ([move(0, exact=DRAW), move(1, at_most=DRAW)], {0: 1.0}),
    ],
)
def test_proofs_decide_what_is_learned_of_moves(moves, right):
    assert exact_shares(moves, {0: 0.6, 1: 0.4}) == pytest.approx(right)


def test_an_outcome_is_what_it_says():
    for value, sign in ((WIN, 1), (DRAW, 0), (LOSS, -1)):
        assert outcome_of(GAME, 0, value) == sign == -outcome_of(GAME, 1, value)


# -- Gumbel ----------------------------------------------------------------------------------------------------------------
def test_halving_visits_the_moves_it_goes_on_with(engine):
    """Of four moves two go on after the first round: their visits are about three times those of the others."""
    search = engine()
    found = RootSearch(Exploration("gumbel"), learns_proofs=False).full(search, 33, random.Random(2))
    visits = sorted(one.visits for one in root_moves(search, search.result()))
    assert sum(visits) <= 33 and visits[0] >= 3 and visits[-1] >= 10
    assert found.move in {one.move for one in root_moves(search, search.result()) if one.visits == visits[-1]}
    assert abs(sum(share for _, share in found.learned.shares) - 1.0) < 1e-6


def test_a_better_value_raises_the_improved_policy():
    moves = [move(0, 5, 0.5, 0.4), move(1, 5, 0.25, 0.9), move(2, 0, 0.25, 0.0)]
    scores = completed(moves, 0.6)
    assert scores[1] - math.log(0.25) > scores[2] - math.log(0.25) > scores[0] - math.log(0.5)


# -- games -----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", ("forced", "gumbel"))
def test_games_are_learned_from_where_searches_were_full(engine, tmp_path, method):
    engine()
    player = find_player(f"network:memory=4,network={tmp_path / 'network'}", may_load=True)
    searches = TwoLengths(RootSearch(Exploration(method)), 3, 12, 0.5)
    play = SelfPlay(GAME, player, 5, 12, Variety((0, 2), 4), searches)
    games = [play.game_number(number) for number in range(4)]
    assert games == [play.game_number(number) for number in range(4)]
    learned = [search for one in games for search in one.searches]
    assert None in learned and any(search is not None for search in learned)
    assert any(search.proven for search in learned if search is not None)
    for one in games:
        assert len(one.searches) == len(one.moves)
    whole = SelfPlay(GAME, player, 5, 12, Variety((0, 2), 4, resigning=0.0), searches).game_number(0)
    state = GAME.state_after(list(whole.moves))
    from tesuji.core import rules

    assert rules.is_over(state) and whole.outcome == rules.outcome(state)


# -- networks that grow ------------------------------------------------------------------------------------------------------
def test_a_network_that_grows_says_the_same():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (make network)")
    from tesuji.core.errors import UserError
    from tesuji.learn.network.growth import begin_with_network, enlarged
    from tesuji.learn.network.training import Trainer

    game = find_game("go:4")  # it has a move beside the board
    encoding = game.encoding
    small, large = RunSettings(2, 6, 8), RunSettings(4, 40, 8)
    trainer = Trainer(small.shape(encoding), small)
    planes = torch.from_numpy(np.random.default_rng(0).random((8, *encoding.shape), np.float32))

    def says(model):
        with torch.no_grad():
            return [part.numpy() for part in model.eval()(planes)]

    with torch.no_grad():
        for parameter in trainer.model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
        trainer.model.train()(planes)
        trainer.average.load_state_dict(trainer.model.state_dict())
    larger = enlarged(trainer, large, large.shape(encoding), 3, 1)
    for before, after in ((trainer.model, larger.model), (trainer.average, larger.average)):
        for one, other in zip(says(before), says(after), strict=True):
            assert np.abs(one).max() > 0.01 and one == pytest.approx(other, abs=1e-5)
    with pytest.raises(UserError, match="can only grow"):
        enlarged(larger, small, small.shape(encoding), 3, 1)
    begun = Trainer(small.shape(encoding), small)
    begin_with_network(begun, trainer.network(), planes.numpy())
    for one, other in zip(says(trainer.average), says(begun.average), strict=True):
        assert one == pytest.approx(other, abs=1e-4)
    with torch.no_grad():  # with the normalisation of learning too, nearly
        learning = [part.numpy() for part in begun.model.train()(planes)]
    assert learning[0] == pytest.approx(says(trainer.average)[0], abs=0.05)
