"""That indices_checked finds what it is made for."""

import numpy as np
import pytest
from checked_indices import checking_code, indices_checked

from tesuji.core.numba.atomics import atomic_add, load

KERNEL = """
def entry(numbers, table, i, j):
    numbers[i] += table[j, numbers[i - 1]]
    return numbers[0] + table[0][j] + numbers[len(numbers) - 1:][0]


def with_hints(numbers: list[int], i):
    return numbers[i]
"""


def test_an_index_below_0_is_found_wherever_it_stands(tmp_path):
    file = tmp_path / "kernels.py"
    file.write_text(KERNEL)
    scope = {}
    exec(compile(KERNEL, str(file), "exec"), scope)
    entry, with_hints = scope["entry"], scope["with_hints"]
    code = checking_code(str(file))
    entry.__code__ = code["entry", entry.__code__.co_firstlineno]
    with_hints.__code__ = code["with_hints", with_hints.__code__.co_firstlineno]
    table = np.ones((2, 3), np.int64)
    assert entry(np.array([1, 2]), table, 1, 0) == 1 + 1 + 3
    for numbers, i, j in (([1, 2], 0, 0), ([1, 2], -1, 0), ([1, 2], 1, -1), ([-1, 2], 1, 0)):
        with pytest.raises(AttributeError, match="is_below_0"):
            entry(np.array(numbers), table, i, j)
    with pytest.raises(IndexError):
        entry(np.array([1, 2]), table, 1, 2)
    assert with_hints([1, 2], -1) == 2


def test_kernels_of_the_package_are_as_before_afterwards():
    numbers = np.zeros(3, np.int64)
    with indices_checked() as count:
        assert count >= 5 and load(numbers, 2) == 0
        for index in (-1, np.int32(-2)):
            with pytest.raises(AttributeError, match="is_below_0"):
                atomic_add(numbers, index, 1)
    assert not numbers.any() and load(numbers, -1) == 0
