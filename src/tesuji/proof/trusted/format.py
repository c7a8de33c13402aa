"""The certificate file: what is in it, and how it becomes bytes and back. Knows no rules; docs/proofs.md explains the format.

    tesuji certificate 1\\n                 the first line names the format and its version: 2 if the proof relies on
                                           symmetries, 3 if it relies on concessions, 4 if on connections
    uint32, uint64 (little endian)         lengths of the header and of the payload
    header                                 JSON, keys sorted, no spaces: exactly one way to write it
    payload                                zlib: the choices of the strategies, each a LEB128 number
    32 bytes                               SHA-256 of everything before

Everything that is wrong at this level (not a certificate, cut short, damaged) is a UserError.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.files import MIB, FileKind, read_file, unpack_zlib, write_file
from tesuji.proof.budget import Budget, most_positions

NAME = b"tesuji certificate "
# The first line; equally long.
PLAIN, SYMMETRIC, CONCEDING, CONNECTING = (NAME + version + b"\n" for version in (b"1", b"2", b"3", b"4"))
FORMATS = (PLAIN, SYMMETRIC, CONCEDING, CONNECTING)
LENGTHS = struct.Struct("<IQ")
CHECKSUM_SIZE = hashlib.sha256().digest_size
CLOSELY, AS_THEY_ARE = 9, 0  # zlib's levels
MOST_CHOICES = 64 * MIB  # bytes; a proof so large takes an hour to check
CERTIFICATE = FileKind("a certificate", (NAME,), MOST_CHOICES + 16 * MIB)
LONGEST_HEADER = MIB
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
    walk: str  # SHA-256 (hex) of the walk through the proof, see checker.WalkDigest
    symmetry: bool = False  # whether it relies on the game's symmetries (rules.image): format 1 lacks this, in 2 it is true
    concessions: bool = False  # whether it relies on concessions (rules.concede): formats 3, where it is true, and 4
    connections: bool = False  # whether it relies on connections (rules.neighbours); only format 4 has this, and it is true


@dataclass(frozen=True)
class Certificate:
    header: Header
    choices: tuple[int, ...]  # indices into the legal moves and so on, in the order in which the checker asks for them
    packed: int = field(default=0, compare=False)  # bytes that they took in the file, if they come from one


# -- bytes -----------------------------------------------------------------------------------------------------------
def encode(certificate: Certificate) -> bytes:
    """The certificate as the bytes of a file."""
    header, choices = encode_header(certificate.header), encode_choices(certificate.choices)
    payload = zlib.compress(choices, CLOSELY)
    if certificate.header.nodes > most_positions(len(payload), players=2):  # who checks it would not expect so many
        payload = zlib.compress(choices, AS_THEY_ARE)
    return seal(header, payload, format_of(certificate.header))


def format_of(header: Header) -> bytes:
    """The first line of a certificate with this header: the oldest format that can hold it."""
    if header.connections:
        return CONNECTING
    return CONCEDING if header.concessions else SYMMETRIC if header.symmetry else PLAIN


def seal(header: bytes, payload: bytes, magic: bytes = PLAIN) -> bytes:
    """The file around a header and a payload, with its checksum."""
    contents = magic + LENGTHS.pack(len(header), len(payload)) + header + payload
    return contents + hashlib.sha256(contents).digest()


def decode(data: bytes, name: str = "the file", budget: Budget | None = None) -> Certificate:
    """The certificate in the bytes of a file; `name` is for error messages."""
    header_text, payload = unseal(data, name)
    header = decode_header(header_text, data[: len(PLAIN)], name)
    if header.choices_size > MOST_CHOICES:
        raise UserError(f"{name} is too large a certificate: {header.choices_size} bytes of choices, {MOST_CHOICES} at most")
    (budget or Budget()).take(CHOICE_MEMORY * header.choices_size)
    choices = unpack_zlib(payload, header.choices_size)
    if choices is None:
        raise UserError(f"{name} is a damaged certificate: its payload is not the {header.choices_size} bytes announced")
    return Certificate(header, decode_choices(choices, name), len(payload))


def unseal(data: bytes, name: str = "the file") -> tuple[bytes, bytes]:
    """(header, payload) of a file whose lengths and checksum are right."""
    if not data.startswith(FORMATS):
        if data and any(first_line.startswith(data) for first_line in FORMATS):
            raise UserError(f"{name} is a certificate that was cut short: write it again with tesuji solve --certificate")
        if data.startswith(NAME):
            version = ascii(data[len(NAME) : len(NAME) + 12].split(b"\n")[0].decode("latin-1"))[1:-1]
            raise UserError(f"{name} is a certificate of format {version}; this version reads formats 1 to 4")
        raise UserError(f"{name} is not a certificate; one is written by tesuji solve --certificate")
    start = len(PLAIN) + LENGTHS.size
    if len(data) >= start:
        header_size, payload_size = LENGTHS.unpack_from(data, len(PLAIN))
        end = start + header_size + payload_size
    else:
        header_size, end = 0, start
    if len(data) < end + CHECKSUM_SIZE:
        raise UserError(f"{name} is a certificate that was cut short: write it again with tesuji solve --certificate")
    if len(data) > end + CHECKSUM_SIZE:
        raise UserError(f"{name} is a damaged certificate: there is something after its end")
    if hashlib.sha256(data[:end]).digest() != data[end:]:
        raise UserError(f"{name} is a damaged certificate: its checksum is wrong")
    return data[start : start + header_size], data[start + header_size : end]


def encode_header(header: Header) -> bytes:
    values = asdict(header)
    for name in OPTIONAL.keys() - MORE_TYPES[format_of(header)].keys():
        del values[name]
    return json.dumps(values, sort_keys=True, separators=(",", ":")).encode()


def decode_header(text: bytes, first_line: bytes = PLAIN, name: str = "the file") -> Header:
    """The header, if it has exactly the fields that it must have, each of its type, written in the one way."""
    problem = UserError(f"{name} is a damaged certificate: its header is not that of a certificate")
    if len(text) > LONGEST_HEADER:
        raise problem
    try:
        values: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise problem from None
    types = {**HEADER_TYPES, **MORE_TYPES[first_line]}
    if not isinstance(values, dict) or values.keys() != types.keys():
        raise problem
    if any(type(values[key]) is not kind for key, kind in types.items()):
        raise problem
    if any(type(move) is not int or abs(move) > LARGEST_NUMBER for move in values["moves"]):
        raise problem
    if not all(0 <= values[key] <= LARGEST_NUMBER for key in ("nodes", "choices_size")):
        raise problem
    if not all(values[key].isprintable() for key in ("game", "source", "walk")):
        raise problem
    header = Header(**{**values, "moves": tuple(values["moves"])})
    if encode_header(header) != text or format_of(header) != first_line:
        raise problem
    return header


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
}


OPTIONAL = {"symmetry": bool, "concessions": bool, "connections": bool}
MORE_TYPES = {
    PLAIN: {},
    SYMMETRIC: {"symmetry": bool},
    CONCEDING: {"symmetry": bool, "concessions": bool},
    CONNECTING: OPTIONAL,
}


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


# -- files -----------------------------------------------------------------------------------------------------------
def read_certificate(path: str | Path, budget: Budget | None = None) -> Certificate:
    return decode(read_file(path, CERTIFICATE), str(path), budget)


def save_certificate(path: str | Path, certificate: Certificate) -> int:
    """Writes the file; returns its size."""
    data = encode(certificate)
    if certificate.header.choices_size > MOST_CHOICES:
        raise UserError(f"{path} is not written: the proof has more than {MOST_CHOICES} bytes of choices")
    write_file(path, data, CERTIFICATE)
    return len(data)
