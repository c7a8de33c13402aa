"""A few files of each kind; the script that runs for as long as one likes uses the same functions."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from fuzz.saved_files import mutate_proof_files, mutate_saved_searches


def after(count: int) -> Callable[[], bool]:
    left = iter(range(count))
    return lambda: next(left, None) is None


@pytest.mark.parametrize("mutate", [mutate_saved_searches, mutate_proof_files])
def test_no_false_bound_is_believed(mutate):
    with np.errstate(over="ignore"):
        tried = mutate(random.Random(30), after(100))
    assert sum(tried.values()) == 100
    assert all(any(word in way for way in tried) for word in ("game: refused", "damage: refused", "none: accepted"))
