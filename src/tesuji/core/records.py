"""The bytes of records. Between the fields of a record there may be gaps, and the bytes in these mean nothing: they depend on
how the record was made. So records are compared, hashed and saved as the bytes that they have with zeros in the gaps.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def without_gaps(records: Any) -> np.ndarray:
    """A copy of a record, or of an array of them, with zeros in the gaps: always an array.

    Rules write only fields, and copying a whole record copies its gaps, so the bytes of such a record stay comparable.
    """
    records = np.atleast_1d(np.asarray(records))
    copy = np.zeros(records.shape, records.dtype)
    _copy_fields(records, copy)
    return copy


def _copy_fields(records: np.ndarray, copy: np.ndarray) -> None:
    for name in records.dtype.names or ():
        if records[name].dtype.names:
            _copy_fields(records[name], copy[name])
        else:
            copy[name] = records[name]


def record_bytes(record: Any) -> bytes:
    """Equal for records with equal fields."""
    return without_gaps(record).tobytes()


def is_same_record(a: Any, b: Any) -> bool:
    """Whether two records are of one type and have equal fields."""
    return a.dtype == b.dtype and record_bytes(a) == record_bytes(b)
