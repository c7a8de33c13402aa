"""The forward pass against the formulas in plain NumPy; compiled against pure; images; threads."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from naive_network import naive_network, softmax

from tesuji.core import rules
from tesuji.core.dispatch import kernel
from tesuji.core.encoding import Encoding
from tesuji.core.errors import UserError
from tesuji.core.numba.registration import compiled, is_pure
from tesuji.games.registry import find_game
from tesuji.knowledge.network.forward import ALL, RANDOM, SAME, board_network, evaluate_network, network_room, run_network
from tesuji.knowledge.network.network import Network, NetworkShape, random_network
from tesuji.knowledge.network.winograd import TILES, best_tile, transformed_weights, transforms


def network_for(game, channels=20, blocks=4, pools=2, value_channels=5, hidden=9, outputs=3, seed=1):
    encoding = game.encoding
    shape = NetworkShape(
        *(encoding.planes, encoding.policy_planes, encoding.others),
        *(channels, blocks, pools, value_channels, hidden, outputs),
    )
    return random_network(shape, seed)


def position_of(game, plies=5, seed=0):
    chance = random.Random(seed)
    state = game.new_state()
    for _ in range(plies):
        legal = game.legal_moves(state)
        if legal:
            rules.play(state, chance.choice(legal))
    return game.new_state() if rules.is_over(state) else state


def evaluated(game, state, network, run=evaluate_network, temperature=1.0, view=SAME):
    ready = board_network(network, game.encoding, temperature, view)
    room = network_room(ready, game.encoding)
    moves = np.array(game.legal_moves(state), np.int32)
    priors = np.zeros(len(moves))
    value = run(ready, room, state, moves, len(moves), priors)
    return value, priors, room.result


def expected(game, state, network, temperature=1.0, image=0):
    planes = game.encoding.empty()
    rules.planes(state, planes)
    policy, result = naive_network(network, game.encoding.image_of_planes(planes, image), game.encoding.policy_planes)
    policy = policy[game.encoding.place_images[image]]
    win, draw, _loss = softmax(result[:3])
    places = [int(rules.place(state, move)) for move in game.legal_moves(state)]
    return win + draw / 2, softmax(policy[places] / temperature), result


GAMES = ["go:2", "go:5", "go:6", "go:7", "go:9", "hex:1", "hex:4", "loa", "connect4:7x6", "connect4:2x9", "tictactoe"]


@pytest.mark.parametrize("name", [*GAMES, "dotsandboxes:2x3"])
def test_the_formulas(name):
    game = find_game(name)
    state = position_of(game)
    network = network_for(game, outputs=4)
    value, priors, result = evaluated(game, state, network)
    naive_value, naive_priors, naive_result = expected(game, state, network)
    assert result == pytest.approx(naive_result, abs=1e-5)
    assert value == pytest.approx(naive_value, abs=1e-6) and 0 < value < 1
    assert priors == pytest.approx(naive_priors, abs=1e-6) and priors.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "sizes",
    [
        {"channels": 16, "blocks": 1, "pools": 0, "value_channels": 16, "hidden": 16},
        {"channels": 1, "blocks": 3, "pools": 1, "value_channels": 1, "hidden": 1},
        {"channels": 33, "blocks": 2, "pools": 0, "value_channels": 17, "hidden": 40},
    ],
)
def test_networks_of_other_shapes(sizes):
    game = find_game("go:5")
    state, network = position_of(game), network_for(game, **sizes)
    value, priors, _result = evaluated(game, state, network)
    naive_value, naive_priors, _naive_result = expected(game, state, network)
    assert value == pytest.approx(naive_value, abs=1e-6) and priors == pytest.approx(naive_priors, abs=1e-6)


def test_a_temperature_evens_the_priors_out():
    game = find_game("go:5")
    state, network = position_of(game), network_for(game)
    warm = evaluated(game, state, network, temperature=3.0)[1]
    assert warm == pytest.approx(expected(game, state, network, temperature=3.0)[1], abs=1e-6)
    assert warm.max() < evaluated(game, state, network)[1].max()


@pytest.mark.parametrize("tile", TILES)
def test_transforms_are_exact(tile):
    """One row: results of a convolution by the transforms, in fractions."""
    results, inputs, weights = (np.array(matrix) for matrix in transforms(tile))
    numbers, kernel_ = np.arange(1, tile + 3) ** 2, np.array([3, -1, 5])
    products = (weights @ kernel_) * (inputs @ numbers)
    assert [*(results @ products)] == [sum(numbers[i + k] * kernel_[k] for k in range(3)) for i in range(tile)]
    assert transformed_weights(np.ones((3, 3, 2, 4), np.float32), tile).shape == ((tile + 2) ** 2, 2, 4)


def test_the_tile_with_the_fewest_products():
    assert [best_tile(size, size) for size in (3, 8, 9, 11, 13, 19)] == [3, 4, 3, 4, 4, 4]


def test_images_of_a_symmetric_network_agree():
    """Weights that are equal in all eight directions see no difference between a position and its images."""
    game = find_game("tictactoe")
    network = network_for(game)

    def even(weights):
        square = weights.reshape(*weights.shape[:-2], 3, 3, -1, weights.shape[-1])
        rows, columns = square.ndim - 4, square.ndim - 3
        for axis in (rows, columns):
            square = (square + np.flip(square, axis)) / 2
        return np.ascontiguousarray(((square + square.swapaxes(rows, columns)) / 2).reshape(weights.shape).astype(np.float32))

    network = network._replace(entry=even(network.entry), layers=even(network.layers))
    state = position_of(game, plies=3)
    value, priors, _result = evaluated(game, state, network)
    policy = np.zeros(9)
    policy[game.legal_moves(state)] = priors
    for number in range(8):
        image = game.new_state()
        rules.image(state, number, image)
        image["to_play"] = state["to_play"]
        image_value, image_priors, _ = evaluated(game, image, network)
        assert image_value == pytest.approx(value, abs=1e-6)
        turned = np.empty(9)
        turned[game.encoding.place_images[number]] = policy
        assert image_priors == pytest.approx(turned[game.legal_moves(image)], abs=1e-6)


@pytest.mark.parametrize("factor", [1e9, 1e20, 1e38])
def test_numbers_that_overflow_never_reach_a_search(factor):
    game = find_game("tictactoe")
    network = network_for(game)
    with np.errstate(all="ignore"):
        for name in ("layers", "heads", "value"):
            broken = network._replace(**{name: getattr(network, name) * np.float32(factor)})
            value, priors, _result = evaluated(game, game.initial, broken)
            assert 0 <= value <= 1 and priors.min() >= 0 and priors.sum() == pytest.approx(1)


def test_a_network_that_gives_no_numbers_has_no_opinion():
    game = find_game("tictactoe")
    network = network_for(game)
    for broken in (network._replace(head_bias=network.head_bias * np.nan), network._replace(value_bias=np.full(3, np.inf))):
        with np.errstate(all="ignore"):
            value, priors, _result = evaluated(game, game.initial, broken)
        assert value == 0.5 and np.all(priors == 1 / 9)


def test_a_network_of_other_planes_is_refused():
    game = find_game("tictactoe")
    with pytest.raises(UserError, match=r"a network of 15 planes .* 3 planes"):
        board_network(network_for(find_game("go:5")), game.encoding)


@kernel
def evaluate_often(network, room, states, moves, count, priors, values):
    for i in range(len(values)):
        values[i] = evaluate_network(network, room, states[i % len(states)], moves, count, priors)


@pytest.mark.parametrize("name", ["go:5", "hex:4", "connect4:5x4", "loa"])
def test_images_of_a_position(name):
    """All of them: their mean. One at random: one of them, the same each time, and not the same one for all positions."""
    game = find_game(name)
    network, chosen = network_for(game), set()
    for seed in range(8):
        state = position_of(game, 5, seed)
        images = [expected(game, state, network, image=image) for image in range(len(game.encoding.turns))]
        value, priors, _result = evaluated(game, state, network, view=ALL)
        assert value == pytest.approx(np.mean([one[0] for one in images]), abs=1e-6)
        assert priors == pytest.approx(np.mean([one[1] for one in images], 0), abs=1e-6)
        value, priors, _result = evaluated(game, state, network, view=RANDOM)
        like = [n for n, one in enumerate(images) if abs(one[0] - value) < 1e-6 and np.allclose(one[1], priors, atol=1e-6)]
        assert like and evaluated(game, state, network, view=RANDOM)[0] == value
        chosen |= set(like)
    assert len(chosen) > 1 or len(images) == 1


@pytest.mark.skipif(is_pure(), reason="the compiler is off")
class TestCompiled:
    @pytest.mark.parametrize("size", [2, 5, 7, 9])
    def test_the_same_bits_as_in_pure_python(self, size):
        game = find_game(f"go:{size}")
        for seed in range(2):
            state, network = position_of(game, 2 * size, seed), network_for(game, outputs=3 + seed, pools=2 * seed)
            runs = (evaluate_network, compiled(evaluate_network))
            pure, fast = (evaluated(game, state, network, run, view=(SAME, ALL)[seed]) for run in runs)
            assert [np.asarray(one).tobytes() for one in pure] == [np.asarray(one).tobytes() for one in fast]

    def test_one_network_serves_threads_with_rooms_of_their_own(self):
        game = find_game("go:5")
        network = board_network(network_for(game), game.encoding)
        states = np.array([position_of(game, plies) for plies in range(6)], game.initial.dtype)
        moves = np.arange(26, dtype=np.int32)

        def run(_number):
            values, room = np.zeros(600), network_room(network, game.encoding)
            compiled(evaluate_often)(network, room, states, moves, 26, np.zeros(26), values)
            return values

        first = run(0)
        with ThreadPoolExecutor(4) as pool:
            assert all(np.array_equal(first, values) for values in pool.map(run, range(8)))
        assert len({*first}) == 6


def test_planes_of_ones_own_without_a_game():
    encoding = Encoding(3, 5, ("a",), policy_planes=2, others=2)
    network = random_network(NetworkShape(1, 2, 2, 8, 1, 0, 4, 8, 3), seed=3)
    ready = board_network(network, encoding)
    room = network_room(ready, encoding)
    room.planes[...] = np.random.default_rng(1).random(encoding.shape)
    run_network(ready, room, 0)
    policy, result = naive_network(network, room.planes, 2)
    assert room.result == pytest.approx(result, abs=1e-5) and room.others == pytest.approx(policy[-2:], abs=1e-5)
    assert isinstance(network, Network)
