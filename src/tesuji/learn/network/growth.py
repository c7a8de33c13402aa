"""A network that is learned becomes a larger one that computes the same, or begins with the numbers of a finished one.

New blocks add nothing at first (their last normalisation begins with 0), and no old channel reads a new one. All else that is
new is as in a new network, so that it learns to be of use (after Chen, Goodfellow and Shlens 2016, "Net2Net").
"""

# pyright: reportMissingImports=false
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tesuji.core.errors import UserError
from tesuji.knowledge.network.network import Network
from tesuji.learn.network.model import Block, Model
from tesuji.learn.network.settings import RunSettings
from tesuji.learn.network.training import Trainer

WEIGHTS = ("model.", "average.")
POOLED = (".pool.weight", ".others.weight", ".hidden.weight")  # their columns are three runs: mean, mean by side, largest
LEAST_VARIANCE = 1e-6


def grown(old: Mapping[str, np.ndarray], new: Trainer) -> dict[str, np.ndarray]:
    """The arrays of a smaller trainer as those of `new`, which has just been made and is larger."""
    arrays = {name: array.copy() for name, array in new.arrays().items()}
    for name, array in old.items():
        larger = arrays[name]
        if any(now < before for now, before in zip(larger.shape, array.shape, strict=True)):
            raise UserError("a network can only grow: neither its blocks nor its channels can become fewer")
        rows = np.arange(array.shape[0])
        if array.ndim == 1:
            larger[rows] = array
            continue
        if name.endswith(POOLED):
            each, before = larger.shape[1] // 3, array.shape[1] // 3
            columns = np.concatenate([run * each + np.arange(before) for run in range(3)])
        else:
            columns = np.arange(array.shape[1])
        if name.startswith(WEIGHTS):
            larger[rows] = 0.0
        larger[rows[:, None], columns] = array
    return arrays


def enlarged(trainer: Trainer, settings: RunSettings, shape: Any, step: int, threads: int) -> Trainer:
    """A trainer of the larger settings whose network computes what that of `trainer` does."""
    larger = Trainer(shape, settings, threads)
    larger.restore(grown(trainer.arrays(), larger), step)
    return larger


# -- from a finished network -------------------------------------------------------------------------------------------------
@torch.no_grad()
def begin_with_network(trainer: Trainer, network: Network, planes: np.ndarray) -> None:
    """Takes the weights of a network of the same shape. `planes`: positions to measure on what its layers compute, since the
    normalisation that learning needs is folded into the weights."""
    for model in (trainer.model, trainer.average):
        _take(model, network)
        _measure_normalisation(model, torch.from_numpy(planes))


def _take(model: Model, network: Network) -> None:
    blocks = [block for block in model.blocks if isinstance(block, Block)]
    pairs = [(model.entry, model.entry_norm, network.entry, network.entry_bias)]
    for number, block in enumerate(blocks):
        for part, (convolution, norm) in enumerate(((block.first, block.first_norm), (block.second, block.second_norm))):
            pairs.append((convolution, norm, network.layers[2 * number + part], network.biases[2 * number + part]))
        if block.pool is not None:
            block.pool.weight.copy_(torch.from_numpy(network.pools[number // 2].T.copy()))
    for convolution, norm, matrix, bias in pairs:
        kernels = torch.from_numpy(matrix.copy()).unflatten(0, (3, 3, -1)).permute(3, 2, 0, 1)
        convolution.weight.copy_(kernels.flatten(1))
        _set_norm(norm, torch.zeros(len(bias)), torch.ones(len(bias)) - norm.eps)
        norm.weight.fill_(1.0)
        norm.bias.copy_(torch.from_numpy(bias))
    model.heads.weight.copy_(torch.from_numpy(network.heads.T.copy())[:, :, None, None])
    assert model.heads.bias is not None
    model.heads.bias.copy_(torch.from_numpy(network.head_bias))
    parts = [(model.hidden, network.hidden, network.hidden_bias), (model.value, network.value, network.value_bias)]
    if model.others is not None:
        parts.append((model.others, network.others, network.others_bias))
    for layer, matrix, bias in parts:
        layer.weight.copy_(torch.from_numpy(matrix.T.copy()))
        layer.bias.copy_(torch.from_numpy(bias))


def _set_norm(norm: nn.BatchNorm2d, mean: Tensor, variance: Tensor) -> None:
    assert norm.running_mean is not None and norm.running_var is not None
    norm.running_mean.copy_(mean)
    norm.running_var.copy_(variance)


def _measure_normalisation(model: Model, planes: Tensor) -> None:
    """Splits each bias into a mean, a deviation and the rest, so that the network computes the same, in learning too."""
    seen: dict[nn.BatchNorm2d, tuple[Tensor, Tensor]] = {}

    def note(norm: Any, inputs: tuple[Tensor, ...]) -> None:
        seen[norm] = inputs[0].mean((0, 2, 3)), inputs[0].var((0, 2, 3)).clamp_min(LEAST_VARIANCE)

    norms = [module for module in model.modules() if isinstance(module, nn.BatchNorm2d)]
    hooks = [norm.register_forward_pre_hook(note) for norm in norms]
    model.eval()(planes)
    for hook in hooks:
        hook.remove()
    for norm, (mean, variance) in seen.items():
        norm.weight.copy_(torch.sqrt(variance + norm.eps))
        norm.bias.add_(mean)
        _set_norm(norm, mean, variance)
