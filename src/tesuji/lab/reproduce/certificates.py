"""Where an experiment keeps the certificates of its proofs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tesuji.core.errors import UserError


@contextmanager
def certificate_folder(wanted: str | Path | None) -> Iterator[Path]:
    """The folder asked for, made if need be; without one, a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) if wanted is None else Path(wanted)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"cannot use the folder {folder} for certificates: {error.strerror or error}") from None
        yield folder
