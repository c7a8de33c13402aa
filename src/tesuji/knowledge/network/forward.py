"""What a network says of a position: its forward pass as a kernel. network.py has the formulas.

Positions lie in flat arrays: rows of points with a border of zeros, and at each point the numbers of all channels, as many as
fill whole vectors (core/numba/lanes.py). Convolutions are made tile by tile (winograd.py). Nothing is allocated: all working
memory is a `NetworkRoom`, of which every thread has its own. A network is made ready for a size of board once, and then shared.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import called_kernel, implements, kernel, operation
from tesuji.core.encoding import Encoding
from tesuji.core.errors import UserError
from tesuji.core.numba.lanes import in_lanes, larger, on_rows
from tesuji.core.numba.products import matrix_products
from tesuji.knowledge.network.network import DRAW, LOSS, MEAN_SIDE, SIDE_SCALE, WIN, Network, shape_of
from tesuji.knowledge.network.winograd import (
    best_tile,
    end_block_3,
    end_block_4,
    end_layer_3,
    end_layer_4,
    transform_inputs_3,
    transform_inputs_4,
    transform_results_3,
    transform_results_4,
    transformed_weights,
)

ZERO, U32 = np.float32(0), np.uint64(32)
# In which of its symmetric images a position is evaluated.
VIEWS = ("same", "random", "all")
SAME, RANDOM, ALL = range(3)


class BoardNetwork(NamedTuple):
    """A network ready for one size of board: weights transformed, all channels in whole vectors. Arrays are flat."""

    entry: np.ndarray
    entry_bias: np.ndarray
    layers: np.ndarray
    biases: np.ndarray
    pools: np.ndarray
    heads: np.ndarray  # value channels, then policy planes
    head_bias: np.ndarray
    others: np.ndarray
    others_bias: np.ndarray
    hidden: np.ndarray
    hidden_bias: np.ndarray
    value: np.ndarray
    value_bias: np.ndarray
    rows: int
    columns: int
    tile: int
    line: int  # points of a row with its border
    inputs: int  # channels of the planes
    channels: int
    value_channels: int
    head_columns: int
    blocks: int
    pool_count: int
    policy_planes: int
    other_moves: int
    scale: float  # of the second run of pooled numbers
    temperature: float
    view: int  # SAME, RANDOM or ALL
    cell_images: np.ndarray  # int64 [image, cell], as of the encoding
    place_images: np.ndarray  # int64 [image, place]


class NetworkRoom(NamedTuple):
    """The working memory of one thread."""

    planes: np.ndarray  # rows x columns x planes, for `rules.planes`
    board: np.ndarray  # the planes with their border
    x: np.ndarray  # what goes from block to block
    y: np.ndarray  # what is between the two layers of a block
    line: np.ndarray  # rows of tiles, transformed along the columns
    numbers: np.ndarray  # transformed tiles; products of dense layers
    products: np.ndarray
    heads: np.ndarray
    pooled: np.ndarray
    bias: np.ndarray  # of the layer at hand
    more: np.ndarray  # what is added to it
    zeros: np.ndarray
    others: np.ndarray  # logits of the other moves
    hidden: np.ndarray
    result: np.ndarray  # logits of win, draw and loss, and the score


def board_network(network: Network, encoding: Encoding, temperature: float = 1.0, view: int = SAME) -> BoardNetwork:
    """The network ready for the boards of an encoding.

    `view`: a position is evaluated as it is; in an image that is as good as random, but the same each time; or in all images,
    whose policies and values are averaged.
    """
    shape = shape_of(network, encoding.policy_planes)
    if (shape.planes, shape.other_moves) != (encoding.planes, encoding.others):
        ours = f"{encoding.planes} planes and {encoding.others} other moves"
        raise UserError(f"a network of {shape.planes} planes and {shape.other_moves} other moves does not fit a game of {ours}")
    inputs, channels, values = in_lanes(shape.planes), in_lanes(shape.channels), in_lanes(shape.value_channels)
    head_columns = values + in_lanes(shape.policy_planes)
    hidden = in_lanes(shape.hidden)
    tile = best_tile(encoding.rows, encoding.columns)

    def convolution(weights: np.ndarray, before: int, after: int) -> np.ndarray:
        square = weights.reshape(3, 3, -1, weights.shape[-1])
        return transformed_weights(_padded(square, (3, 3, before, after)), tile).ravel()

    def pooled(weights: np.ndarray, before: int, after: int) -> np.ndarray:
        return _padded(weights.reshape(3, len(weights) // 3, weights.shape[-1]), (3, before, after)).ravel()

    p = shape.policy_planes
    heads = np.concatenate(
        [_padded(network.heads[:, p:], (channels, values)), _padded(network.heads[:, :p], (channels, head_columns - values))], 1
    )
    head_bias = np.concatenate(
        [_padded(network.head_bias[p:], (values,)), _padded(network.head_bias[:p], (head_columns - values,))]
    )
    return BoardNetwork(
        entry=convolution(network.entry, inputs, channels),
        entry_bias=_padded(network.entry_bias, (channels,)),
        layers=np.concatenate([convolution(layer, channels, channels) for layer in network.layers]),
        biases=_padded(network.biases, (len(network.biases), channels)).ravel(),
        pools=np.concatenate([np.zeros(0, np.float32), *(pooled(pool, channels, channels) for pool in network.pools)]),
        heads=heads.ravel(),
        head_bias=head_bias,
        others=pooled(network.others, values, in_lanes(shape.other_moves)),
        others_bias=network.others_bias,
        hidden=pooled(network.hidden, values, hidden),
        hidden_bias=_padded(network.hidden_bias, (hidden,)),
        value=_padded(network.value, (hidden, in_lanes(shape.outputs))).ravel(),
        value_bias=network.value_bias,
        rows=encoding.rows,
        columns=encoding.columns,
        tile=tile,
        line=-(-encoding.columns // tile) * tile + 2,
        inputs=inputs,
        channels=channels,
        value_channels=values,
        head_columns=head_columns,
        blocks=shape.blocks,
        pool_count=shape.pools,
        policy_planes=p,
        other_moves=shape.other_moves,
        scale=(math.sqrt(encoding.rows * encoding.columns) - MEAN_SIDE) * SIDE_SCALE,
        temperature=float(temperature),
        view=view,
        cell_images=encoding.cell_images,
        place_images=encoding.place_images,
    )


def _padded(array: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    """The array with zeros up to that size."""
    result = np.zeros(size, np.float32)
    result[tuple(slice(0, length) for length in array.shape)] = array
    return result


def network_room(network: BoardNetwork, encoding: Encoding) -> NetworkRoom:
    """Working memory for one thread."""
    tile, most = network.tile, max(network.inputs, network.channels)
    down, across = -(-network.rows // tile), -(-network.columns // tile)
    points = (down * tile + 2) * network.line
    size = (tile + 2) ** 2 * down * across

    def numbers(count: int) -> np.ndarray:
        return np.zeros(count, np.float32)

    return NetworkRoom(
        planes=encoding.empty(),
        board=numbers(points * network.inputs),
        x=numbers(points * network.channels),
        y=numbers(points * network.channels),
        line=numbers((tile + 2) * network.line * most),
        numbers=numbers(max(size * most, len(network.hidden_bias))),
        products=numbers(size * network.channels),
        heads=numbers(network.rows * network.line * network.head_columns),
        pooled=numbers(3 * max(network.channels, network.value_channels)),
        bias=numbers(network.channels),
        more=numbers(network.channels),
        zeros=numbers(network.channels),
        others=numbers(max(1, network.other_moves)),
        hidden=numbers(len(network.hidden_bias)),
        result=numbers(len(network.value_bias)),
    )


# -- layers ------------------------------------------------------------------------------------------------------------------
@called_kernel
def convolve(network, room, source, inputs, weights, weights_at, target, adds):
    """target = relu(conv(source) + room.bias), or with what `target` holds added before relu."""
    outputs, bias = network.channels, room.bias
    tile, rows, columns = network.tile, network.rows, network.columns
    size = tile + 2
    down, across = (rows + tile - 1) // tile, (columns + tile - 1) // tile
    tiles = down * across
    line = network.line * inputs  # numbers of a row
    step = tiles * inputs
    lines, numbers, results = room.line, room.numbers, room.products
    for i in range(down):
        if tile == 3:
            transform_inputs_3(lines, 0, line, source, i * tile * line, line, bias, size, line)
        else:
            transform_inputs_4(lines, 0, line, source, i * tile * line, line, bias, size, line)
        for j in range(across):
            for k in range(size):
                at, place = k * line + j * tile * inputs, (k * size * tiles + i * across + j) * inputs
                if tile == 3:
                    transform_inputs_3(numbers, place, step, lines, at, inputs, bias, size, inputs)
                else:
                    transform_inputs_4(numbers, place, step, lines, at, inputs, bias, size, inputs)
    multiply(numbers, 0, weights, weights_at, results, size * size, tiles, inputs, outputs)
    step = tiles * outputs
    for k in range(size):
        if tile == 3:
            transform_results_3(results, k * step, size * step, results, k * step, size * step, bias, tile, step)
        else:
            transform_results_4(results, k * step, size * step, results, k * step, size * step, bias, tile, step)
    for row in range(rows):
        i = row // tile
        for j in range(across):
            at = ((row - i * tile) * size * tiles + i * across + j) * outputs
            place = ((row + 1) * network.line + j * tile + 1) * outputs
            count = min(tile, columns - j * tile)
            if tile == 3:
                if adds:
                    end_block_3(target, place, outputs, results, at, step, bias, count, outputs)
                else:
                    end_layer_3(target, place, outputs, results, at, step, bias, count, outputs)
            elif adds:
                end_block_4(target, place, outputs, results, at, step, bias, count, outputs)
            else:
                end_layer_4(target, place, outputs, results, at, step, bias, count, outputs)


def _gathered(rows, bias, before):
    value = larger(rows[0] + bias, 0.0)
    return before[0] + value, larger(value, before[1])


gather = on_rows(_gathered, 1, 2)


@called_kernel
def pool(network, pooled, source, first, row_step, step, bias, channels):
    """Writes pooled(relu(source + bias)) for the points that lie `step` apart, their rows `row_step`."""
    for k in range(3 * channels):
        pooled[k] = ZERO
    for row in range(network.rows):
        for column in range(network.columns):
            gather(pooled, 0, 2 * channels, source, first + row * row_step + column * step, 0, bias, 2, channels)
    share, scale = np.float32(1.0 / (network.rows * network.columns)), np.float32(network.scale)
    for k in range(channels):
        mean = pooled[k] * share
        pooled[k] = mean
        pooled[channels + k] = mean * scale


@kernel
def add_pooled(network, room, number):
    """Adds to the bias what a block's first layer is told of the whole board."""
    channels, line, width = network.channels, network.line, network.channels
    bias, more, pooled = room.bias, room.more, room.pooled
    pool(network, pooled, room.x, (line + 1) * width, line * width, width, room.zeros, channels)
    multiply(pooled, 0, network.pools, number * 3 * channels * channels, more, 1, 1, 3 * channels, channels)
    for k in range(channels):
        bias[k] += more[k]


@kernel
def read_planes(network, room, image):
    """Copies the planes into the board with a border, as the image of that number."""
    planes, board, cell_images = room.planes, room.board, network.cell_images
    count, columns = planes.shape[2], network.columns
    for row in range(network.rows):
        for column in range(columns):
            cell = cell_images[image, row * columns + column]
            at = ((cell // columns + 1) * network.line + cell % columns + 1) * network.inputs
            for k in range(count):
                board[at + k] = planes[row, column, k]


@called_kernel
def run_network(network, room, image):
    """The whole forward pass from that image of `room.planes`: `room.heads`, `room.others` and `room.result`."""
    channels, line = network.channels, network.line
    x, y, pooled, bias, biases = room.x, room.y, room.pooled, room.bias, network.biases
    read_planes(network, room, image)
    for k in range(channels):
        bias[k] = network.entry_bias[k]
    convolve(network, room, room.board, network.inputs, network.entry, 0, x, False)
    size = (network.tile + 2) * (network.tile + 2) * channels * channels
    for layer in range(0, 2 * network.blocks, 2):
        for k in range(channels):
            bias[k] = biases[layer * channels + k]
        if layer & 2 != 0 and network.pool_count != 0:
            add_pooled(network, room, layer >> 2)
        convolve(network, room, x, channels, network.layers, layer * size, y, False)
        for k in range(channels):
            bias[k] = biases[(layer + 1) * channels + k]
        convolve(network, room, y, channels, network.layers, (layer + 1) * size, x, True)
    heads, width = room.heads, network.head_columns
    multiply(x, line * channels, network.heads, 0, heads, 1, network.rows * line, channels, width)
    pool(network, pooled, heads, width, line * width, width, network.head_bias, network.value_channels)
    inner = 3 * network.value_channels
    if network.other_moves > 0:
        dense(room, pooled, network.others, network.others_bias, room.others, inner)
    hidden = room.hidden
    dense(room, pooled, network.hidden, network.hidden_bias, hidden, inner)
    for k in range(len(hidden)):
        hidden[k] = max(hidden[k], ZERO)
    dense(room, hidden, network.value, network.value_bias, room.result, len(hidden))


@kernel
def dense(room, source, weights, bias, target, inner):
    multiply(source, 0, weights, 0, room.numbers, 1, 1, inner, len(weights) // inner)
    for k in range(len(bias)):
        target[k] = room.numbers[k] + bias[k]


@called_kernel
def multiply(a, a_at, b, b_at, c, count, rows, inner, columns):
    """`matrix_products` to the beginning of c, compiled once for all layers."""
    matrix_products(a, a_at, b, b_at, c, 0, count, rows, inner, columns)


# -- what is said of a position ------------------------------------------------------------------------------------------------
# By a network of ours, or by an evaluator of the user's, which has answered before (outside.py).
@operation
def show_position(network, room, state):
    """The position that the following calls are about."""


@operation
def run_on_image(network, room, image):
    """Has `logit_at` and `result_of` tell of that image of the position."""


@operation
def logit_at(network, room, place):
    """The policy's number at a place of its output."""


@operation
def result_of(network, room):
    """The result that is expected for the player to move: 1 for a win, 0 for a loss."""


@operation
def room_of(rooms, slot):
    """The memory of one thread out of that of all, whose arrays have the number of the room as their first axis."""


@implements(room_of, NetworkRoom)
def network_room_of(rooms, slot):
    return NetworkRoom(
        rooms.planes[slot],
        rooms.board[slot],
        rooms.x[slot],
        rooms.y[slot],
        rooms.line[slot],
        rooms.numbers[slot],
        rooms.products[slot],
        rooms.heads[slot],
        rooms.pooled[slot],
        rooms.bias[slot],
        rooms.more[slot],
        rooms.zeros[slot],
        rooms.others[slot],
        rooms.hidden[slot],
        rooms.result[slot],
    )


@implements(show_position, BoardNetwork)
def write_planes(network, room, state):
    planes = room.planes
    for row in range(planes.shape[0]):
        for column in range(planes.shape[1]):
            for k in range(planes.shape[2]):
                planes[row, column, k] = ZERO
    rules.planes(state, planes)


@implements(run_on_image, BoardNetwork)
def run_network_on_image(network, room, image):
    run_network(network, room, image)


@implements(logit_at, BoardNetwork)
def logit_of_heads(network, room, place):
    cells = network.rows * network.columns
    if place >= cells * network.policy_planes:
        return np.float64(room.others[place - cells * network.policy_planes])
    plane = place // cells
    cell = place - plane * cells
    row = cell // network.columns
    channel = network.value_channels + plane
    at = (row * network.line + cell - row * network.columns + 1) * network.head_columns
    return np.float64(room.heads[at + channel]) + np.float64(network.head_bias[channel])


@implements(result_of, BoardNetwork)
def result_of_heads(network, room):
    return expected_result(room.result)


@kernel
def evaluate_network(network, room, state, moves, count, priors):
    """What the network says of a position that is not over: the result that it expects for the player to move, from 0 to 1.

    Writes the prior of each of the first `count` moves; they sum up to 1. Other moves are as if they were not there. A network
    whose numbers overflow says nothing: equal priors and one half.
    `room.result` then holds the logits of win, draw and loss, and the score, if there is one, of the last image.
    """
    show_position(network, room, state)
    for i in range(count):
        priors[i] = 0.0
    first, last = images_of(network, state)
    value = 0.0
    for image in range(first, last):
        run_on_image(network, room, image)
        add_priors(network, room, image, state, moves, count, priors)
        value += result_of(network, room)
    value /= last - first
    total = 0.0
    for i in range(count):
        total += priors[i]
    if not (0.0 < total < np.inf and 0.0 <= value <= 1.0):  # its numbers overflowed
        for i in range(count):
            priors[i] = 1.0 / count
        return 0.5
    for i in range(count):
        priors[i] /= total
    return value


@kernel
def images_of(network, state):
    """The first of the images of the position that are looked at, and one more than the last."""
    images = np.int64(len(network.cell_images))
    if network.view == RANDOM:
        image = np.int64((rules.position_hash(state) >> U32) % np.uint64(images))  # its lowest bit is not random
        return image, image + 1
    return np.int64(0), images if network.view == ALL else np.int64(1)


@kernel
def add_priors(network, room, image, state, moves, count, priors):
    """Adds the chances of the moves, by the policy of an image."""
    place_images = network.place_images
    highest = -np.inf
    for i in range(count):
        highest = max(highest, logit_at(network, room, place_images[image, rules.place(state, moves[i])]))
    total = 0.0
    for i in range(count):
        total += chance_of_move(network, room, place_images[image, rules.place(state, moves[i])], highest)
    for i in range(count):
        priors[i] += chance_of_move(network, room, place_images[image, rules.place(state, moves[i])], highest) / total


@kernel
def chance_of_move(network, room, place, highest):
    """Not yet divided by the sum for all moves; 1 for that of the highest logit."""
    return math.exp((logit_at(network, room, place) - highest) / network.temperature)


@kernel
def expected_result(result):
    """1 for a win, 0 for a loss, from the logits of win, draw and loss."""
    win, draw, loss = np.float64(result[WIN]), np.float64(result[DRAW]), np.float64(result[LOSS])
    highest = max(win, draw, loss)
    win, draw, loss = math.exp(win - highest), math.exp(draw - highest), math.exp(loss - highest)
    return (win + 0.5 * draw) / (win + draw + loss)
