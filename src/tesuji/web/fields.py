"""What a request says, before any command believes it: JSON, and its fields by kind.

Every number of a request and of a link is read here, so none that no type holds comes any further: `float` of a whole number of
400 digits is an OverflowError, and 1e400 is infinite.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping
from typing import Any

from tesuji.core.errors import UserError, shortened

Fields = dict[str, Any]
LONGEST_NAME = 200
LONGEST_NUMBER = 18  # digits of a whole number, which then has 64 bits
MOST_MOVES = 10_000
MOST_BODY = 8 << 20  # bytes of a command


# -- JSON --------------------------------------------------------------------------------------------------------------
def read_json(text: str | bytes, what: str) -> Any:
    """The value of a JSON text, in which every number is finite, and a whole one has 64 bits; `what` begins the refusal."""
    try:
        return json.loads(text, parse_constant=_no_number, parse_int=_whole, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{what}: {shortened(str(error), 80)}") from None


def read_fields(body: bytes) -> Fields:
    """The JSON object of a request."""
    found = read_json(body, "the request is not JSON")
    if not isinstance(found, dict):
        raise UserError("a request is one JSON object")
    return found


def _no_number(text: str) -> float:
    raise ValueError(f"{shortened(text)} is not a number that can be read here")


def _whole(text: str) -> int:
    return int(text) if len(text.lstrip("-")) <= LONGEST_NUMBER else int(_no_number(text))


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _no_number(text)


# -- fields ------------------------------------------------------------------------------------------------------------
def text_of(fields: Fields, name: str, longest: int = LONGEST_NAME, default: str | None = None) -> str:
    value = fields.get(name, default)
    if not isinstance(value, str):
        raise UserError(f'"{name}" must be a text')
    if len(value) > longest:
        raise UserError(f'"{name}" has {len(value):,} characters: {longest:,} at most')
    return value


def bytes_of(fields: Fields, name: str, refusal: str) -> bytes:
    """The bytes of a file, as base64 text."""
    try:
        return base64.b64decode(text_of(fields, name, MOST_BODY), validate=True)
    except (binascii.Error, ValueError, UserError):
        raise UserError(refusal) from None


def moves_of(fields: Fields, name: str = "moves") -> list[str]:
    value = fields.get(name) or []
    if not isinstance(value, list) or len(value) > MOST_MOVES or not all(isinstance(move, str) for move in value):
        raise UserError(f'"{name}" must be a list of moves, as in ["E5", "C3"]')
    return value


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_side(value: Any) -> bool:
    return is_whole(value) and value in (0, 1)


def whole_of(fields: Fields, name: str, low: int, high: int, default: int) -> int:
    value = fields.get(name)
    if value is None:
        return default
    if not is_whole(value) or not low <= value <= high:
        raise UserError(f'"{name}" must be a whole number from {low} to {high}')
    return value


def number_of(fields: Mapping[str, Any], name: str) -> float | None:
    value = fields.get(name)
    if value is not None and not is_whole(value) and not isinstance(value, float):
        raise UserError(f'"{name}" must be a number')
    return None if value is None else float(value)


def side_of(fields: Fields, name: str) -> int | None:
    value = fields.get(name)
    if value is not None and not is_side(value):
        raise UserError(f'"{name}" must be 0 or 1')
    return value
