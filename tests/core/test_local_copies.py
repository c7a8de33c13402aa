"""Local copies of records, and records of zeros: changes stay in them, in pure Python and compiled, also when made again."""

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.numba.local_copies import local_copy, local_zeros
from tesuji.core.numba.registration import compiled

RECORD = np.dtype([("count", np.int64), ("cells", np.int16, (50,))], align=True)
BLANK = np.zeros(1, RECORD)[0]
BLANK["count"] = 5  # its type is taken, not its contents


@kernel
def filled_up(record, value):
    """The sum of the cells of a copy after `value` was added to each, in a kernel that becomes part of another."""
    copy = local_copy(record)
    for i in range(50):
        copy["cells"][i] += value
    total = 0
    for i in range(50):
        total += copy["cells"][i]
    return total


@kernel
def try_out(record, rounds):
    total = 0
    for n in range(rounds):
        blank = local_zeros(BLANK)  # made anew: what the last round left is gone
        blank["count"] += n
        copy = local_copy(record)
        copy["count"] += n
        copy["cells"][0] += 1
        total += copy["count"] + blank["count"] + copy["cells"][0] + filled_up(copy, n)
    return total


def test_a_copy_is_a_copy():
    records = np.zeros(1, RECORD)
    records[0]["count"], records[0]["cells"] = 7, np.arange(50)
    before = records.tobytes()
    results = [int(function(records[0], 4)) for function in (try_out, compiled(try_out))]
    expected = sum((7 + n) + n + 1 + (sum(range(50)) + 1 + 50 * n) for n in range(4))
    assert results == [expected, expected]
    assert records.tobytes() == before and BLANK["count"] == 5
