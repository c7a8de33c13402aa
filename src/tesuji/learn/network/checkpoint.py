"""A run as it stands, in one file: numbers only, sealed, and written as a whole or not at all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.core.container import SealedFormat, damaged, open_sealed, write_sealed
from tesuji.core.files import FileKind
from tesuji.learn.network.settings import RunSettings

KIND = FileKind("a run of network learning", (b"tesuji learning ",), 1 << 31)
FORMAT = SealedFormat(KIND, 2, "is of", "tesuji learn network GAME RECORDS --run FOLDER")
MOST_ROWS = 100_000
LARGEST = 1e18  # of a number in the header
FLOAT = np.dtype("<f4")
NUMBERS = ("step", "samples", "seconds", "rate", "loss", "positions", "top1", "top5", "nats")  # of every row
PERHAPS = ("value_nats", "value_right")


@dataclass
class RunProgress:
    """How far a run is. `rows`: what was measured, in order, each with NUMBERS, PERHAPS and calibration."""

    step: int = 0
    samples: int = 0
    seconds: float = 0.0  # of learning; measuring and reading aside
    loss_sum: float = 0.0  # since the last row
    loss_steps: int = 0
    rows: list[dict[str, Any]] = field(default_factory=list)


def save_checkpoint(
    path: str | Path, game: str, settings: RunSettings, progress: RunProgress, arrays: Mapping[str, np.ndarray]
) -> None:
    header = {"game": game, "settings": settings.as_json(), "progress": dict(progress.__dict__)}
    write_sealed(path, FORMAT, header, [array.astype(FLOAT) for array in arrays.values()])


def load_head(path: str | Path) -> tuple[str, RunSettings, RunProgress]:
    """Of which game a run is, its settings, and how far it is."""
    with open_sealed(path, FORMAT) as (header, body):
        head = _head(header, path)
        # The layers alone, with their average and its momentum: before anybody makes room for a network of that size.
        blocks, channels = head[1].blocks, head[1].channels
        body.check_size(FLOAT.itemsize * 3 * 2 * blocks * 9 * channels * channels)
        return head


def load_arrays(path: str | Path, sizes: Mapping[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    """The arrays, which must have these sizes."""
    with open_sealed(path, FORMAT) as (_header, body):
        body.check_size(FLOAT.itemsize * sum(math.prod(size) for size in sizes.values()))
        arrays = {name: body.read(FLOAT, math.prod(size)).astype(np.float32).reshape(size) for name, size in sizes.items()}
        body.end()
    if not all(np.all(np.isfinite(array)) for array in arrays.values()):
        raise damaged(path)
    return arrays


def _head(header: Mapping[str, Any], path: str | Path) -> tuple[str, RunSettings, RunProgress]:
    game, settings, progress = header.get("game"), RunSettings.from_json(header.get("settings")), header.get("progress")
    if not isinstance(game, str) or settings is None or not isinstance(progress, dict):
        raise damaged(path)
    if set(progress) != set(RunProgress().__dict__):
        raise damaged(path)
    step, rows = progress["step"], progress["rows"]
    if not all(type(progress[name]) is int and progress[name] >= 0 for name in ("step", "samples", "loss_steps")):
        raise damaged(path)
    if not all(_is_number(progress[name]) for name in ("seconds", "loss_sum")) or progress["seconds"] < 0:
        raise damaged(path)
    if not isinstance(rows, list) or len(rows) > MOST_ROWS or not all(_is_row(row) and row["step"] <= step for row in rows):
        raise damaged(path)
    return game, settings, RunProgress(**progress)


def _is_row(row: Any) -> bool:
    if not isinstance(row, dict) or set(row) != {*NUMBERS, *PERHAPS, "with_result", "calibration"}:
        return False
    if not all(_is_number(row[name]) for name in (*NUMBERS, "with_result")):
        return False
    if not all(row[name] is None or _is_number(row[name]) for name in PERHAPS):
        return False
    bins = row["calibration"]
    return isinstance(bins, list | tuple) and all(
        isinstance(one, list | tuple) and len(one) == 3 and all(map(_is_number, one)) for one in bins
    )


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and -LARGEST < value < LARGEST
