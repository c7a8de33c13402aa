"""Changes of texts and bytes by chance: single bytes, pieces, words and numbers."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

NUMBERS = (b"0", b"-1", b"1", b"2147483648", b"-9223372036854775808", b"18446744073709551616", b"9" * 400, b"-" + b"9" * 400)
NUMBERS += (
    b"9" * 5000,
    b"1e400",
    b"-1e400",
    b"nan",
    b"inf",
    b"1e-400",
    b"0.5",
    b"1_0",
    "٣".encode(),
    b"0x10",
    b"1e5",
    b"00007",
)
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
TEXTS = (
    b"\0",
    b"\xff",
    b"\xc3",
    b"\x1b[2J",
    b"\n",
    b"\r\n",
    b"\t",
    b" ",
    b'"',
    b"'",
    b"\\",
    b"]",
    b"[",
    b")",
    b"(",
    b";",
    b":",
    b"{",
    b"}",
)
TEXTS += (
    b",",
    b"=",
    b"/",
    b"+",
    b"#",
    "\u202e".encode(),
    "\U0001f600".encode(),
    b"a" * 5000,
    b"[" * 3000,
    b"None",
    b"true",
    b"pass",
)


def mutated(rng: random.Random, data: bytes, words: Sequence[bytes] = ()) -> bytes:
    """The bytes with one to six changes; `words` are those of the format, and come in at random."""
    for _ in range(rng.randint(1, 6)):
        data = _changed(rng, data, words)
    return data


def _changed(rng: random.Random, data: bytes, words: Sequence[bytes]) -> bytes:
    begin = rng.randint(0, len(data))
    end = min(len(data), begin + int(2 ** rng.uniform(0, 8)))
    kind = rng.randrange(9)
    if kind == 0:
        return data[:begin] + bytes([rng.randrange(256)]) + data[begin + 1 :]
    if kind == 1:
        return data[:begin] + data[end:]
    if kind == 2:
        return data[:end] + data[begin:end] * rng.randint(1, 20) + data[end:]
    if kind == 3:
        return data[:begin]
    if kind == 4:
        return data[:begin] + rng.choice(TEXTS) + data[begin:]
    if kind == 5 and words:
        return data[:begin] + rng.choice(words) + data[begin:]
    if kind == 6:
        other = rng.randint(0, len(data))
        return data[:begin] + data[other : other + end - begin] + data[end:]
    numbers = list(_NUMBER.finditer(data[: 1 << 16]))
    if not numbers:
        return data[:begin] + rng.choice(NUMBERS) + data[end:]
    chosen = rng.choice(numbers)
    return data[: chosen.start()] + rng.choice(NUMBERS) + data[chosen.end() :]
