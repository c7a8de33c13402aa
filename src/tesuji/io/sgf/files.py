"""SGF files: read in whatever character set, plain or packed by gzip; always written in UTF-8."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Sequence
from pathlib import Path

from tesuji.core.errors import UserError
from tesuji.core.files import write_whole
from tesuji.io.sgf.node import Node
from tesuji.io.sgf.parser import parse_sgf
from tesuji.io.sgf.writer import sgf_text

GZIP = b"\x1f\x8b"
MOST_BYTES = 512 << 20


def load_sgf(path: str | Path, most: int = MOST_BYTES) -> list[Node]:
    """The game trees of a file; a UserError says what is wrong with it, where."""
    return parse_sgf(read_bytes(path, most), str(path))


def read_bytes(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """What is in a file, unpacked; no more than `most` bytes of it are ever held."""
    try:
        with open(path, "rb") as file:
            data = file.read(most + 1)
        if data.startswith(GZIP) and len(data) <= most:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                data = packed.read(most + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise UserError(f"{path} is a broken gzip file") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise UserError(f"{str(path)!r} is no file name: {error}") from None
    if len(data) > most:
        raise UserError(f"{path} is too large: more than {most >> 20} MiB")
    return data


def sgf_bytes(trees: Sequence[Node]) -> bytes:
    """The collection in UTF-8, which every game says of itself (CA[UTF-8])."""
    return sgf_text(_in_utf8(tree) for tree in trees).encode("utf-8", "replace")


def save_sgf(path: str | Path, trees: Sequence[Node]) -> None:
    write_whole(Path(path), sgf_bytes(trees))


def _in_utf8(root: Node) -> Node:
    """The same tree with CA[UTF-8]; the tree itself stays as it is."""
    if root.values("CA") == ["UTF-8"]:
        return root
    properties = dict(root.properties)
    if "CA" not in properties:
        first = {name: properties.pop(name) for name in ("FF", "GM") if name in properties}
        properties = {**first, "CA": [], **properties}
    properties["CA"] = ["UTF-8"]
    return Node(properties, root.children)
