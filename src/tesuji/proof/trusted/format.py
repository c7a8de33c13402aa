"""The certificate file: what its header and its body say. Knows no rules; docs/proofs.md explains the format.

The file is a container (core/container.py): a first line with the version, lengths, a checksum, a header in JSON, and a packed
body, which are the choices of the strategies, each a LEB128 number. What is wrong at this level (not a certificate, another
version, cut short, damaged) is a UserError.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.core.container import Body, SealedFormat, header_text, open_sealed, read_sealed, sealed_bytes
from tesuji.core.errors import UserError
from tesuji.core.files import MIB, FileKind, write_file
from tesuji.proof.budget import Budget, most_positions

MOST_CHOICES = 64 * MIB  # bytes; a proof so large takes an hour to check
CERTIFICATE = FileKind("a certificate", (b"tesuji certificate ",), MOST_CHOICES + 16 * MIB)
FORMAT = SealedFormat(
    CERTIFICATE, 5, "is not a certificate of format 5 but of", "tesuji solve GAME --certificate FILE", level=9
)
CHOICE_MEMORY = 48  # bytes that a byte of choices may take when it is read
LARGEST_NUMBER = 10**40  # in the header: what is larger is not even repeated in a message
MAX_CHOICE_BYTES = 5  # a choice is below 2**35: no position has so many moves


@dataclass(frozen=True)
class Header:
    """What is claimed, and of which position. Bounds are outcomes for player 0."""

    game: str  # the game string
    moves: tuple[int, ...]  # from the start of the game to the position
    lower: int  # claimed: lower <= value <= upper
    upper: int
    initial_bounds: bool  # whether the proof relies on bounds that the rules themselves give (rules.bounds)
    source: str  # digest of the source of a user's game, '' for a game of the package
    nodes: int  # positions that the proof goes through, both claims together, and steps of connections
    choices_size: int  # bytes of the choices before compression
    walk: str  # SHA-256 (hex) of the walk through the proof, see walk.WalkDigest
    symmetry: bool = False  # whether it relies on the game's symmetries (rules.image)
    connections: bool = False  # whether it relies on connections (rules.neighbours)


@dataclass(frozen=True)
class Certificate:
    header: Header
    choices: tuple[int, ...]  # indices into the legal moves and so on, in the order in which the walk asks for them
    packed: int = field(default=0, compare=False)  # bytes that they took in the file, if they come from one


# -- files ---------------------------------------------------------------------------------------------------------------
def read_certificate(path: str | Path, budget: Budget | None = None) -> Certificate:
    with open_sealed(path, FORMAT) as (header, body):
        return _certificate(header, body, str(path), budget)


def decode(data: bytes, name: str = "the file", budget: Budget | None = None) -> Certificate:
    """The certificate in the bytes of a file; `name` is for messages."""
    return _certificate(*read_sealed(io.BytesIO(data), name, FORMAT), name, budget)


def _certificate(values: dict[str, Any], body: Body, name: str, budget: Budget | None) -> Certificate:
    header = decode_header(values, name)
    if header.choices_size > MOST_CHOICES:
        raise UserError(f"{name} is too large: {header.choices_size} bytes of choices, {MOST_CHOICES} at most")
    body.check_size(header.choices_size)
    (budget or Budget()).take(CHOICE_MEMORY * header.choices_size)
    choices = body.read(np.dtype(np.uint8), header.choices_size).tobytes()
    body.end()
    return Certificate(header, decode_choices(choices, name), body.packed_size)


def save_certificate(path: str | Path, certificate: Certificate) -> int:
    """Writes the file; returns its size."""
    if certificate.header.choices_size > MOST_CHOICES:
        raise UserError(f"{path} is not written: the proof has more than {MOST_CHOICES} bytes of choices")
    data = encode(certificate, path)
    write_file(path, data, CERTIFICATE)
    return len(data)


def encode(certificate: Certificate, path: str | Path = "the file") -> bytes:
    """The certificate as the bytes of a file."""
    header = certificate.header
    choices = np.frombuffer(encode_choices(certificate.choices), np.uint8)
    # A reader expects no more positions than fit the size of the file.
    return sealed_bytes(
        FORMAT, asdict(header), [choices], path, fits=lambda size: header.nodes <= most_positions(size, players=2)
    )


# -- the header ----------------------------------------------------------------------------------------------------------
HEADER_TYPES = {
    "game": str,
    "moves": list,
    "lower": int,
    "upper": int,
    "initial_bounds": bool,
    "source": str,
    "nodes": int,
    "choices_size": int,
    "walk": str,
    "symmetry": bool,
    "connections": bool,
}
assert HEADER_TYPES.keys() == {one.name for one in fields(Header)}


def encode_header(header: Header) -> bytes:
    """The header as it is in the file, which is what the digest of the walk covers."""
    return header_text(asdict(header))


def decode_header(values: dict[str, Any], name: str = "the file") -> Header:
    """The header, if it has exactly the fields that it must have, each of its type."""
    if (
        values.keys() != HEADER_TYPES.keys()
        or any(type(values[key]) is not kind for key, kind in HEADER_TYPES.items())
        or any(type(move) is not int or abs(move) > LARGEST_NUMBER for move in values["moves"])
        or not all(0 <= values[key] <= LARGEST_NUMBER for key in ("nodes", "choices_size"))
        or not all(values[key].isprintable() for key in ("game", "source", "walk"))
    ):
        raise UserError(f"{name} is a damaged certificate: its header is not that of a certificate")
    return Header(**{**values, "moves": tuple(values["moves"])})


# -- the choices ---------------------------------------------------------------------------------------------------------
def encode_choices(choices: Sequence[int]) -> bytes:
    """LEB128: seven bits a byte, the lowest first, the eighth bit set in all but the last byte of a number."""
    out = bytearray()
    for choice in choices:
        while choice > 127:
            out.append(choice & 127 | 128)
            choice >>= 7
        out.append(choice)
    return bytes(out)


def decode_choices(data: bytes, name: str = "the file") -> tuple[int, ...]:
    """The numbers again. Each must be written in the shortest way, so that different bytes are different choices."""
    if not data or max(data) < 128:
        return tuple(data)
    choices = []
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        if byte > 127:
            shift += 7
            if shift >= 7 * MAX_CHOICE_BYTES:
                break
        else:
            if byte == 0 and shift > 0:
                break
            choices.append(value)
            value = shift = 0
    else:
        if shift == 0:
            return tuple(choices)
    raise UserError(f"{name} is a damaged certificate: choice {len(choices) + 1} is not a number")
