"""A network of PyTorch as the evaluator of a player. This one has weights by chance; put yours there.

tesuji analyze connect4:7x6 --player examples/torch_evaluator.py:player --playouts 400
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

import tesuji

GAME = tesuji.game("connect4:7x6")


class SmallNetwork(nn.Module):
    """From planes to the logits of all places of moves, and a value from -1 to 1 for the player to move."""

    def __init__(self, encoding: tesuji.Encoding):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(encoding.planes, 16, 3, padding=1), nn.ReLU(), nn.Flatten())
        self.heads = nn.Linear(16 * encoding.rows * encoding.columns, encoding.places + 1)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        numbers = self.heads(self.body(planes))
        return numbers[:, 1:], torch.tanh(numbers[:, 0])


assert GAME.encoding is not None
device = "cuda" if torch.cuda.is_available() else "cpu"
model = SmallNetwork(GAME.encoding).to(device).eval()


@torch.inference_mode()
def evaluate(planes: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    policies, values = model(torch.from_numpy(planes).to(device))
    return policies.cpu(), (values.cpu() + 1) / 2


player = tesuji.player("network", evaluator=tesuji.Evaluator(evaluate), batch=16)
