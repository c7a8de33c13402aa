"""A network's formulas (knowledge/network/network.py) in plain NumPy and double precision."""

from __future__ import annotations

import numpy as np

from tesuji.knowledge.network.network import Network


def relu(x):
    return np.maximum(x, 0)


def convolution(x, weights):
    """x: [rows, columns, in]; weights: [9 in, out]."""
    rows, columns, _ = x.shape
    padded = np.pad(x, ((1, 1), (1, 1), (0, 0)))
    patches = [padded[i : i + rows, j : j + columns] for i in range(3) for j in range(3)]
    return np.concatenate(patches, axis=-1) @ weights


def pooled(x):
    mean = x.mean((0, 1))
    side = np.sqrt(x.shape[0] * x.shape[1])
    return np.concatenate([mean, mean * (side - 14) / 10, x.max((0, 1))])


def naive_network(network, planes, policy_planes):
    """The logits of all places, and what the value head says."""
    net = Network(*(array.astype(np.float64) for array in network))
    x = relu(convolution(planes.astype(np.float64), net.entry) + net.entry_bias)
    for block in range(len(net.layers) // 2):
        bias = net.biases[2 * block]
        if block % 2 == 1 and len(net.pools):
            bias = bias + pooled(x) @ net.pools[block // 2]
        y = relu(convolution(x, net.layers[2 * block]) + bias)
        x = relu(convolution(y, net.layers[2 * block + 1]) + net.biases[2 * block + 1] + x)
    heads = x @ net.heads + net.head_bias
    features = pooled(relu(heads[..., policy_planes:]))
    policy = np.concatenate([heads[..., :policy_planes].transpose(2, 0, 1).ravel(), features @ net.others + net.others_bias])
    return policy, relu(features @ net.hidden + net.hidden_bias) @ net.value + net.value_bias


def softmax(logits):
    chances = np.exp(logits - logits.max())
    return chances / chances.sum()
