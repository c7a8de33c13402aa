"""The network as PyTorch learns it: the function of `knowledge/network/network.py`, with batch normalisation still apart.

Planes are (positions, rows, columns, planes) as `rules.planes` writes them, policies flat as `rules.place` numbers them. All
boards of a batch have one size.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tesuji.knowledge.network.network import MEAN_SIDE, SIDE_SCALE, Network, NetworkShape

BOARD = (2, 3)  # the axes of rows and columns


def pooled(x: Tensor) -> Tensor:
    """Of each channel its mean over the board, that mean times the side, and its largest value."""
    mean = x.mean(BOARD)
    side = float(np.sqrt(x.shape[2] * x.shape[3]))
    return torch.cat([mean, mean * ((side - MEAN_SIDE) * SIDE_SCALE), x.amax(BOARD)], 1)


class Convolution(nn.Module):
    """3x3, without a bias. Its weights are a matrix, as the optimizer wants them: a row for each output channel."""

    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.weight = nn.Parameter(nn.Conv2d(inputs, outputs, 3, bias=False).weight.detach().flatten(1))

    @property
    def kernels(self) -> Tensor:
        """[output, input, row, column]"""
        return self.weight.unflatten(1, (-1, 3, 3))

    def forward(self, x: Tensor) -> Tensor:
        return functional.conv2d(x, self.kernels, padding=1)


class Block(nn.Module):
    def __init__(self, channels: int, has_pool: bool):
        super().__init__()
        self.first = Convolution(channels, channels)
        self.first_norm = nn.BatchNorm2d(channels)
        self.pool = nn.Linear(3 * channels, channels, bias=False) if has_pool else None
        self.second = Convolution(channels, channels)
        self.second_norm = nn.BatchNorm2d(channels)
        nn.init.zeros_(self.second_norm.weight)  # a block begins as the identity

    def forward(self, x: Tensor) -> Tensor:
        y = self.first_norm(self.first(x))
        if self.pool is not None:
            y = y + self.pool(pooled(x))[:, :, None, None]
        return functional.relu(x + self.second_norm(self.second(functional.relu(y))))


class Model(nn.Module):
    def __init__(self, shape: NetworkShape):
        super().__init__()
        self.shape = shape
        channels = shape.channels
        self.entry = Convolution(shape.planes, channels)
        self.entry_norm = nn.BatchNorm2d(channels)
        self.blocks = nn.ModuleList([Block(channels, shape.pools > 0 and i % 2 == 1) for i in range(shape.blocks)])
        self.heads = nn.Conv2d(channels, shape.policy_planes + shape.value_channels, 1)
        self.others = nn.Linear(3 * shape.value_channels, shape.other_moves) if shape.other_moves else None
        self.hidden = nn.Linear(3 * shape.value_channels, shape.hidden)
        self.value = nn.Linear(shape.hidden, shape.outputs)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """The logits of all places, and of win, draw and loss for the player to move."""
        x = functional.relu(self.entry_norm(self.entry(planes.permute(0, 3, 1, 2))))
        for block in self.blocks:
            x = block(x)
        policy, rest = self.heads(x).split([self.shape.policy_planes, self.shape.value_channels], 1)
        g = pooled(functional.relu(rest))
        logits = policy.flatten(1) if self.others is None else torch.cat([policy.flatten(1), self.others(g)], 1)
        return logits, self.value(functional.relu(self.hidden(g)))


# -- as plain arrays -------------------------------------------------------------------------------------------------------
def exported(model: Model) -> Network:
    """The network with batch normalisation folded into weights and biases."""
    blocks = [block for block in model.blocks if isinstance(block, Block)]
    entry, entry_bias = _folded(model.entry, model.entry_norm)
    parts = [pair for b in blocks for pair in (_folded(b.first, b.first_norm), _folded(b.second, b.second_norm))]
    pools = [_array(block.pool.weight.T) for block in blocks if block.pool is not None]
    channels, none = model.shape.channels, np.zeros((3 * model.shape.value_channels, 0), np.float32)
    return Network(
        entry=entry,
        entry_bias=entry_bias,
        layers=np.stack([matrix for matrix, _ in parts]),
        biases=np.stack([bias for _, bias in parts]),
        pools=np.stack(pools) if pools else np.zeros((0, 3 * channels, channels), np.float32),
        heads=_array(model.heads.weight.flatten(1).T),
        head_bias=_array(model.heads.bias),
        others=none if model.others is None else _array(model.others.weight.T),
        others_bias=none[0] if model.others is None else _array(model.others.bias),
        hidden=_array(model.hidden.weight.T),
        hidden_bias=_array(model.hidden.bias),
        value=_array(model.value.weight.T),
        value_bias=_array(model.value.bias),
    )


def _folded(convolution: Convolution, norm: nn.BatchNorm2d) -> tuple[np.ndarray, np.ndarray]:
    """The matrix and the bias of a convolution with the normalisation after it."""
    mean, variance = norm.running_mean, norm.running_var
    assert mean is not None and variance is not None
    factor = norm.weight / torch.sqrt(variance + norm.eps)
    weight = convolution.kernels * factor[:, None, None, None]  # out, in, row, column
    return _array(weight.permute(2, 3, 1, 0).flatten(0, 2)), _array(norm.bias - mean * factor)


def _array(tensor: Tensor | None) -> np.ndarray:
    assert tensor is not None
    return np.ascontiguousarray(tensor.detach().cpu().numpy(), np.float32)
