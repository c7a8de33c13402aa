"""The file of evaluation weights: points for one unit of each feature, in JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.knowledge.loa.features import FEATURES
from tesuji.knowledge.weight_files import Kind, Weights, count_of

GAME = "loa"
SHIPPED = Path(__file__).parent / "evaluation.json"
KIND = Kind("tesuji evaluation weights", 1, GAME, "evaluation weights", "tesuji learn evaluation", SHIPPED)
MOST_POINTS = 1e9  # for one unit of a feature; far more would overflow on the way


@dataclass(frozen=True)
class EvaluationWeights(Weights):
    """`terms` are float64, one for each of FEATURES; `games` and `positions` say what they were fitted to."""

    KIND = KIND

    terms: np.ndarray
    games: int
    positions: int

    def as_text(self) -> str:
        data = {
            **KIND.header(),
            "games": self.games,
            "positions": self.positions,
            "weights": {name: float(term) for name, term in zip(FEATURES, self.terms, strict=True)},
        }
        return json.dumps(data, indent=2) + "\n"

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> EvaluationWeights:
        weights = data["weights"]
        if set(weights) != set(FEATURES):
            raise ValueError
        terms = np.array([_number(weights[name]) for name in FEATURES])
        return cls(terms, count_of(data["games"]), count_of(data["positions"]))


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not abs(value) <= MOST_POINTS:  # no number at all is not below it either
        raise ValueError
    return float(value)
