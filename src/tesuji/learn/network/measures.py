"""How well a network predicts the moves and the winners of games it has not learned from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tesuji.learn.network.samples import UNKNOWN, WIN, Batch

BINS = 10  # of the calibration
Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # planes to the logits of places and of win, draw, loss


@dataclass(frozen=True)
class Measure:
    """Of the network alone, without search. Moves are predicted among the legal ones. nats: mean of -log(probability)."""

    positions: int
    top1: float
    top5: float
    nats: float
    with_result: int  # positions of games whose result is known; the value is measured on these
    value_nats: float | None
    value_right: float | None  # share whose result was the likeliest
    # For each tenth of the expected score (win 1, draw 1/2) that has positions: how many, the mean of it, the mean score.
    calibration: tuple[tuple[int, float, float], ...] = ()

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def measure(evaluate: Evaluate, batches: Iterable[Batch]) -> Measure:
    positions = top1 = top5 = with_result = right = 0
    nats = value_nats = 0.0
    counts, expected_sum, score_sum = np.zeros(BINS, np.int64), np.zeros(BINS), np.zeros(BINS)
    for batch in batches:
        logits, results = evaluate(batch.planes)
        logits = np.where(batch.legal, logits.astype(np.float64), -np.inf)
        rows = np.arange(len(logits))
        played = logits[rows, batch.played]
        nats -= float((played - _log_sum(logits)).sum())
        better = (logits > played[:, None]).sum(1)
        positions += len(logits)
        top1 += int((better < 1).sum())
        top5 += int((better < 5).sum())
        ended = batch.value != UNKNOWN
        if ended.any():
            results, value = results[ended].astype(np.float64), batch.value[ended]
            chances = np.exp(results - _log_sum(results)[:, None])
            with_result += len(value)
            right += int((chances.argmax(1) == value).sum())
            value_nats -= float(np.log(np.maximum(chances[np.arange(len(value)), value], 1e-30)).sum())
            expected, score = chances @ [1.0, 0.5, 0.0], np.array([1.0, 0.5, 0.0])[value - WIN]
            bins = np.minimum((expected * BINS).astype(int), BINS - 1)
            counts += np.bincount(bins, minlength=BINS)
            expected_sum += np.bincount(bins, expected, BINS)
            score_sum += np.bincount(bins, score, BINS)
    rows = [(int(n), float(e / n), float(s / n)) for n, e, s in zip(counts, expected_sum, score_sum, strict=True) if n]
    return Measure(
        positions=positions,
        top1=top1 / positions,
        top5=top5 / positions,
        nats=nats / positions,
        with_result=with_result,
        value_nats=value_nats / with_result if with_result else None,
        value_right=right / with_result if with_result else None,
        calibration=tuple(rows),
    )


def _log_sum(logits: np.ndarray) -> np.ndarray:
    """The logarithm of the sum of the exponentials of each row."""
    highest = logits.max(1)
    return highest + np.log(np.exp(logits - highest[:, None]).sum(1))
