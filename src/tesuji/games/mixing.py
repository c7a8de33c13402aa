"""Mixing the parts of a position into its 64-bit hash."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
ONE = np.uint64(1)
U27, U30, U31 = np.uint64(27), np.uint64(30), np.uint64(31)


@kernel
def mixed(so_far, word):
    """The hash `so_far` with one more uint64 mixed in, never 0 (which would opt out): one step of splitmix64."""
    x = (so_far ^ word) + STEP
    x = (x ^ (x >> U30)) * FIRST_FACTOR
    x = (x ^ (x >> U27)) * SECOND_FACTOR
    return (x ^ (x >> U31)) | ONE
