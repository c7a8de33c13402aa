"""Sealed files: whatever is written can be read."""

from __future__ import annotations

import numpy as np
import pytest

from tesuji.core.container import ALWAYS_FITS, SealedFormat, open_sealed, write_sealed
from tesuji.core.files import FileKind

FORMAT = SealedFormat(FileKind("a test", (b"test ",), 1 << 30), 1, "is of", "none")


@pytest.mark.parametrize("size", [0, 1000, ALWAYS_FITS, ALWAYS_FITS + 8, 4 * ALWAYS_FITS])
def test_zeros_come_back(tmp_path, size):
    """They pack a thousand to one; a reader lets a hundred pass."""
    write_sealed(tmp_path / "x", FORMAT, {"size": size}, [np.zeros(size, np.uint8)])
    with open_sealed(tmp_path / "x", FORMAT) as (header, body):
        body.check_size(header["size"])
        assert not body.read(np.dtype(np.uint8), size).any()
        body.end()
