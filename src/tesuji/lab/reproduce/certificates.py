"""Where an experiment keeps the certificates of its proofs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tesuji.core.errors import UserError


@contextmanager
def certificate_folder(wanted: str | Path | None) -> Iterator[Path]:
    """The folder asked for, made if need be; without one, a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as temporary:
        yield Path(temporary) if wanted is None else _made(Path(wanted))


def check_folder(options: Mapping[str, Any]) -> None:
    """A UserError if there is a folder to keep certificates in, and it cannot be used."""
    if options.get("certificates") is not None:
        _made(Path(options["certificates"]))


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot use the folder {folder} for certificates: {error.strerror or error}") from None
    return folder
