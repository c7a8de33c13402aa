"""Learning on batches of samples: Muon for the convolutions of the blocks, AdamW for all else (Jordan 2024, "Muon: an optimizer
for hidden layers"). Beside the weights their average is kept, which is what is measured and written.

Everything that it keeps is arrays by name, so that a run can be saved and goes on where it was.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tesuji.core.errors import UserError
from tesuji.knowledge.network.network import Network, NetworkShape
from tesuji.learn.network.measures import Measure, measure
from tesuji.learn.network.model import Convolution, Model, exported
from tesuji.learn.network.samples import PositionSampler
from tesuji.learn.network.settings import RunSettings

WEIGHT_DECAY = 0.02  # of matrices; biases and normalisations are left alone
AVERAGE_OLD, AVERAGE_BEGIN = 0.998, 10.0  # how much of the average stays at a step; in the beginning it is over a tenth of them
MEASURE_BATCH = 256
ILLEGAL = -1e9  # in place of the logit of a place that no legal move has
ADAMW_MOMENTS, MUON_MOMENTS = ("exp_avg", "exp_avg_sq"), ("momentum_buffer",)
MUON_RATE, MUON_DECAY = 5.0, 0.1  # its learning rate as a multiple of AdamW's, and its weight decay


class Diverged(UserError):
    """A loss or a weight is no number any more."""

    def __init__(self, step: int):
        super().__init__(f"step {step}: the loss is no number any more; begin again with a lower --rate")


class Trainer:
    """A network and the state of its optimizer."""

    def __init__(self, shape: NetworkShape, settings: RunSettings, threads: int = 1):
        torch.set_num_threads(threads)
        torch.manual_seed(settings.seed)
        self.settings = settings
        self.model = Model(shape)
        self.average = Model(shape)
        self.average.load_state_dict(self.model.state_dict())
        hidden = [c.weight for block in self.model.blocks for c in block.children() if isinstance(c, Convolution)]
        of_muon = set(hidden)
        rest = [parameter for parameter in self.model.parameters() if parameter not in of_muon]
        self._muon = torch.optim.Muon(hidden, lr=MUON_RATE * settings.rate, weight_decay=MUON_DECAY)
        self._adamw = torch.optim.AdamW(
            [
                {"params": [p for p in rest if p.ndim > 1], "weight_decay": WEIGHT_DECAY},
                {"params": [p for p in rest if p.ndim <= 1], "weight_decay": 0.0},
            ],
            lr=settings.rate,
        )
        # The state as both begin; made here so that there is something to save and to load.
        for parameter in hidden:
            self._muon.state[parameter] = {moment: torch.zeros_like(parameter) for moment in MUON_MOMENTS}
        for parameter in rest:
            moments = {moment: torch.zeros_like(parameter) for moment in ADAMW_MOMENTS}
            self._adamw.state[parameter] = {"step": torch.tensor(0.0), **moments}

    @property
    def rate(self) -> float:
        """The learning rate of the last step."""
        return float(self._adamw.param_groups[0]["lr"])

    # -- learning ----------------------------------------------------------------------------------------------------------
    def step(self, samples: PositionSampler, number: int, rate: float) -> float:
        """Learns from one batch, the one of that number; returns its loss."""
        batch = samples.draw(self.settings.batch, self.settings.seed, number)
        self.model.train()
        with torch.autocast("cpu", torch.bfloat16, enabled=self.settings.numbers == "bfloat16"):
            logits, results = self.model(torch.from_numpy(batch.planes))
        logits = logits.float().masked_fill(torch.from_numpy(~batch.legal), ILLEGAL)
        loss = functional.cross_entropy(logits, torch.from_numpy(batch.policy))
        known = float(batch.result.sum())
        if known > 0.0:
            result = -(torch.from_numpy(batch.result) * functional.log_softmax(results.float(), 1)).sum() / known
            loss = loss + self.settings.value_weight * result
        for optimizer, factor in ((self._adamw, 1.0), (self._muon, MUON_RATE)):
            for group in optimizer.param_groups:
                group["lr"] = factor * rate
        self.model.zero_grad()
        loss.backward()
        self._adamw.step()
        self._muon.step()
        self._add_to_average(number)
        total = float(loss.item())
        if not np.isfinite(total):
            raise Diverged(number)
        return total

    @torch.no_grad()
    def _add_to_average(self, step: int) -> None:
        new = 1.0 - min(AVERAGE_OLD, step / (step + AVERAGE_BEGIN))
        for average, now in zip(_tensors(self.average).values(), _tensors(self.model).values(), strict=True):
            average.lerp_(now, new)

    # -- results -----------------------------------------------------------------------------------------------------------
    def measure(self, samples: PositionSampler, most: int, check: Callable[[], None]) -> Measure:
        """How well the average predicts, on at most so many positions. `check` is called for each batch, and may raise."""
        self.average.eval()

        @torch.no_grad()
        def evaluate(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            check()
            logits, results = self.average(torch.from_numpy(planes))
            return logits.numpy(), results.numpy()

        return measure(evaluate, samples.some(most, MEASURE_BATCH, self.settings.seed))

    def network(self) -> Network:
        return exported(self.average.eval())

    # -- saving ------------------------------------------------------------------------------------------------------------
    def _all_tensors(self) -> dict[str, Tensor]:
        tensors = {f"model.{name}": tensor for name, tensor in _tensors(self.model).items()}
        tensors |= {f"average.{name}": tensor for name, tensor in _tensors(self.average).items()}
        for name, parameter in self.model.named_parameters():
            state = self._adamw.state.get(parameter) or self._muon.state[parameter]
            tensors |= {f"{moment}.{name}": state[moment] for moment in (*ADAMW_MOMENTS, *MUON_MOMENTS) if moment in state}
        return tensors

    @property
    def sizes(self) -> dict[str, tuple[int, ...]]:
        """Of the arrays, by name."""
        return {name: tuple(tensor.shape) for name, tensor in self._all_tensors().items()}

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: tensor.detach().numpy() for name, tensor in self._all_tensors().items()}

    @torch.no_grad()
    def begin_with(self, arrays: dict[str, np.ndarray]) -> None:
        """Takes the average of another run's weights; the optimizers begin anew."""
        for model in (self.model, self.average):
            for name, tensor in _tensors(model).items():
                tensor.copy_(torch.from_numpy(arrays[f"average.{name}"]))

    @torch.no_grad()
    def restore(self, arrays: dict[str, np.ndarray], step: int) -> None:
        for name, tensor in self._all_tensors().items():
            tensor.copy_(torch.from_numpy(arrays[name]))
        for state in self._adamw.state.values():
            state["step"].fill_(step)


def _tensors(model: Model) -> dict[str, Any]:
    """Weights and running statistics, by name. The numbers of batches that PyTorch counts are never used."""
    return {name: tensor for name, tensor in model.state_dict().items() if tensor.dtype.is_floating_point}
