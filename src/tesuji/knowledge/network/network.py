"""A network as data: the arrays of a small residual network that fits every size of its game.

Every layer but the last ones is a 3x3 convolution over the board, and what the heads need of the whole board is pooled, so
nothing depends on the number of rows and columns. Batch normalisation is folded into weights and biases. With
relu(x) = max(x, 0), a convolution that sees zeros beyond the border, and

    pooled(x) = for each channel: its mean over the board; that mean times (side - 14) / 10; its largest value
                (three runs of as many numbers as x has channels; side = the root of rows times columns)

the network computes, from planes of the player to move:

    x = relu(conv(planes, entry) + entry_bias)
    for block in 0 .. blocks - 1:
        bias = biases[2 block]; in every second block (1, 3, 5 ...) of a network with pools: + pooled(x) @ pools[block // 2]
        y = relu(conv(x, layers[2 block]) + bias)
        x = relu(conv(y, layers[2 block + 1]) + biases[2 block + 1] + x)
    h = x @ heads + head_bias                         at each point; the first columns are the policy planes: logits
    g = pooled(relu(the other columns of h))
    logits of the other moves = g @ others + others_bias
    value = relu(g @ hidden + hidden_bias) @ value + value_bias

The value's first three numbers are logits of win, draw and loss for the player to move. A fourth, if there is one, estimates by
how much he wins: times the side it is in the game's own points (`Game.in_points`).

A convolution's matrix has the rows (kernel row, kernel column, input channel) and a column for each output channel: of
PyTorch's weight [out, in, 3, 3] it is `weight.permute(2, 3, 1, 0).reshape(9 * in, out)`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

WIN, DRAW, LOSS, SCORE = 0, 1, 2, 3  # of the value head
MEAN_SIDE, SIDE_SCALE = 14.0, 0.1


class Network(NamedTuple):
    """float32, in C order. c channels, b blocks, p policy planes, v value channels, w hidden numbers."""

    entry: np.ndarray  # [9 * planes, c]
    entry_bias: np.ndarray  # [c]
    layers: np.ndarray  # [2 b, 9 c, c]
    biases: np.ndarray  # [2 b, c]
    pools: np.ndarray  # [b // 2, 3 c, c]; [0, 3 c, c] without
    heads: np.ndarray  # [c, p + v]
    head_bias: np.ndarray  # [p + v]
    others: np.ndarray  # [3 v, other moves]
    others_bias: np.ndarray  # [other moves]
    hidden: np.ndarray  # [3 v, w]
    hidden_bias: np.ndarray  # [w]
    value: np.ndarray  # [w, 3] or, with a score, [w, 4]
    value_bias: np.ndarray  # [3] or [4]


class NetworkShape(NamedTuple):
    """All numbers that the shapes of a network's arrays follow from."""

    planes: int
    policy_planes: int
    other_moves: int
    channels: int
    blocks: int
    pools: int  # blocks // 2, or 0
    value_channels: int
    hidden: int
    outputs: int  # of the value head: 3, or 4 with a score

    def of_arrays(self) -> Network:
        """The shape of each array, in place of the arrays."""
        c, v, heads = self.channels, self.value_channels, self.policy_planes + self.value_channels
        shapes: dict[str, tuple[int, ...]] = {
            "entry": (9 * self.planes, c),
            "entry_bias": (c,),
            "layers": (2 * self.blocks, 9 * c, c),
            "biases": (2 * self.blocks, c),
            "pools": (self.pools, 3 * c, c),
            "heads": (c, heads),
            "head_bias": (heads,),
            "others": (3 * v, self.other_moves),
            "others_bias": (self.other_moves,),
            "hidden": (3 * v, self.hidden),
            "hidden_bias": (self.hidden,),
            "value": (self.hidden, self.outputs),
            "value_bias": (self.outputs,),
        }
        return Network(**shapes)  # type: ignore[arg-type]


def shape_of(network: Network, policy_planes: int) -> NetworkShape:
    return NetworkShape(
        planes=len(network.entry) // 9,
        policy_planes=policy_planes,
        other_moves=network.others.shape[1],
        channels=network.entry.shape[1],
        blocks=len(network.layers) // 2,
        pools=len(network.pools),
        value_channels=network.heads.shape[1] - policy_planes,
        hidden=network.hidden.shape[1],
        outputs=network.value.shape[1],
    )


def random_network(shape: NetworkShape, seed: int = 0) -> Network:
    """Weights by chance, of a size that keeps the numbers of all layers alike (He 2015): for tests and measurements."""
    rng = np.random.default_rng(seed)

    def weights(size: tuple[int, ...]) -> np.ndarray:
        inputs = size[-2] if len(size) > 1 else 100
        return (rng.standard_normal(size) * np.sqrt(1.0 / inputs)).astype(np.float32)

    return Network(*(weights(size) for size in shape.of_arrays()))  # type: ignore[arg-type]
