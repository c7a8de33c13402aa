"""Records are equal by their fields, whatever lies between these."""

from __future__ import annotations

import numpy as np

from tesuji.core.records import is_same_record, record_bytes, without_gaps

INNER = np.dtype([("small", np.int8), ("large", np.int32)], align=True)
RECORD = np.dtype([("flag", np.int8), ("word", np.uint64), ("pairs", INNER, (2,)), ("one", INNER)], align=True)


def filled(gaps: int) -> np.ndarray:
    """Two records with equal fields, and every byte of the gaps like this."""
    records = np.full(2 * RECORD.itemsize, gaps, np.uint8).view(RECORD)
    records["flag"], records["word"] = 1, 2
    for place in (records["pairs"], records["one"]):
        place["small"], place["large"] = 3, 4
    return records


def test_gaps_do_not_count():
    ours, theirs = filled(0), filled(255)
    assert ours.tobytes() != theirs.tobytes() and without_gaps(ours).tobytes() == without_gaps(theirs).tobytes()
    assert record_bytes(ours[0]) == record_bytes(theirs[1]) and is_same_record(ours[0], theirs[0])
    assert (theirs == without_gaps(theirs)).all()


def test_every_field_counts():
    for name in RECORD.names:
        ours, theirs = filled(0)[0], filled(0)[0]
        if RECORD[name].base.names:
            theirs[name]["large"] = 5
        else:
            theirs[name] = 5
        assert not is_same_record(ours, theirs)


def test_types_count():
    assert not is_same_record(filled(0)[0], filled(0).view(np.dtype([("bytes", np.uint8, (RECORD.itemsize,))]))[0])
