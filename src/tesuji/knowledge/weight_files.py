"""Files of learned weights: JSON that names its format, its version and its game; how they are written, read and chosen.

A file in which any of these is another is refused with one line, and so is what is no such file at all.
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from tesuji.core.errors import UserError, shortened
from tesuji.core.files import FileKind, read_file, unpack_zlib, write_file
from tesuji.core.parameters import NAMED_FILE, SHIPPED, Parameter, named_files

STEPS_A_NAT = 1000.0  # strengths are kept as thousandths of their natural logarithm
MIDDLE = 1 << 15  # stands for a strength of 1
MOST_STRENGTHS = 1 << 22
MOST_LOADED = 4  # files that are kept in memory: two kinds for each of two players
DAMAGE = (AttributeError, KeyError, OverflowError, TypeError, ValueError)
WEIGHTS = Parameter("weights", SHIPPED, "files of learned weights ('tesuji learn'), several joined by +", files=True)


@dataclass(frozen=True)
class Kind:
    """One kind of such files. `format` is what they call themselves, `what` what people do; `command` writes them."""

    format: str
    version: int
    game: str
    what: str
    command: str
    shipped: Path  # the one that comes with the package
    numbers: tuple[tuple[str, int], ...] = ()  # more that must be the same: names in the header, and values

    def header(self) -> dict[str, Any]:
        return {"format": self.format, "version": self.version, "game": self.game}

    @property
    def file(self) -> FileKind:
        """Files of this kind begin with their format, as `json.dumps(indent=2)` writes the header."""
        begin = json.dumps({"format": self.format}, indent=2)[:-2].encode()
        return replace(NAMED_FILE, what=f"a file of {self.what}", begins=(begin,))

    def load(self, path: str | Path) -> dict[str, Any]:
        """What is in a file of this kind, of this version and for this game; a UserError for any other."""
        data = read_json(path, self.what)
        if not isinstance(data, dict) or data.get("format") != self.format:
            raise UserError(f"{path} is not a file of {self.what} ('{self.command}' writes them)")
        if data.get("game") != self.game:
            raise UserError(f"{path} holds {self.what} of the game {value_text(data.get('game'))}, not of {self.game}")
        if not same_number(data.get("version"), self.version):
            found = f"version {value_text(data.get('version'))}"
            raise UserError(f"{path} holds {self.what} of {found}, not of version {self.version}: learn them again")
        for name, number in self.numbers:
            if not same_number(data.get(name), number):
                found = f"{name} {value_text(data.get(name))}"
                raise UserError(f"{path} holds {self.what} with {found}, not {number}: learn them again")
        return data


class Weights:
    """What was learned, in memory: each class says of which KIND its files are, and what is in them."""

    KIND: ClassVar[Kind]

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """What `as_text` writes; for anything else one of the errors in DAMAGE. The header is right."""
        raise NotImplementedError

    def as_text(self) -> str:
        raise NotImplementedError

    def save(self, path: str | Path) -> None:
        write_file(path, self.as_text().encode(), self.KIND.file)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The weights in a file; a UserError says in one line why it cannot be used."""
        data = cls.KIND.load(path)
        try:
            return cls.from_json(data)
        except DAMAGE:
            raise UserError(f"{path} is damaged: it holds no {cls.KIND.what} that can be used; learn them again") from None

    @classmethod
    @cache
    def shipped(cls) -> Self:
        """Those that come with the package."""
        return cls.load(cls.KIND.shipped)

    @classmethod
    def chosen(cls, files: Mapping[Kind, str]) -> Self:
        """Those of the file that was chosen, if there is one of this kind, or the shipped ones."""
        if cls.KIND not in files:
            return cls.shipped()
        path = files[cls.KIND]
        try:
            status = os.stat(path)
        except OSError:
            return cls.load(path)  # which says what is wrong with it
        return cls._of_version(path, (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size))

    @classmethod
    @lru_cache(maxsize=MOST_LOADED)
    def _of_version(cls, path: str, _version: tuple[int, ...]) -> Self:
        """Read again only when the file has changed: searches that follow each other share their tables."""
        return cls.load(path)


def read_json(path: str | Path, what: str) -> Any:
    data = read_file(path, replace(NAMED_FILE, what=f"a file of {what}"))
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise UserError(f"{path} is not a file of {what}: it is not JSON") from None


def files_by_kind(weights: str, kinds: Sequence[Kind]) -> dict[Kind, str]:
    """The files that the parameter `weights` names, each under its kind. The shipped file serves for a kind not named."""
    found: dict[Kind, str] = {}
    for path in named_files(weights):
        all_kinds = " or ".join(kind.what for kind in kinds)
        data = read_json(path, all_kinds)
        name = data.get("format") if isinstance(data, dict) else None
        kind = next((kind for kind in kinds if kind.format == name), None)
        if kind is None:
            raise UserError(f"{path} is not a file of {all_kinds} ('tesuji learn' writes them)")
        if kind in found:
            raise UserError(f"{found[kind]} and {path} are both files of {kind.what}; give one")
        found[kind] = path
    return found


def value_text(value: Any) -> str:
    """A value of a file on one short line."""
    return shortened(value if isinstance(value, str) else json.dumps(value))


def same_number(value: Any, number: int) -> bool:
    return type(value) is int and value == number  # True is not 1 here


def count_of(value: Any) -> int:
    """A count of a file; a ValueError if it is none."""
    if type(value) is not int or not 0 <= value < 1 << 53:
        raise ValueError
    return value


def packed(numbers: np.ndarray) -> str:
    """Numbers from 0 as text: eight bytes each, all first bytes first, packed by zlib and written in base 64."""
    planes = numbers.astype("<u8").view(np.uint8).reshape(-1, 8).T
    return base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode()


def unpacked(text: Any, count: int) -> np.ndarray:
    """The numbers again; a ValueError if it is not just so many."""
    if not isinstance(text, str):
        raise ValueError
    data = unpack_zlib(base64.b64decode(text, validate=True), 8 * count)
    if data is None:
        raise ValueError
    return np.frombuffer(data, np.uint8).reshape(8, count).T.copy().view("<u8").reshape(count).astype(np.uint64)


@dataclass(frozen=True)
class Strengths:
    """Keys in order, and the strength of what each stands for."""

    keys: np.ndarray  # uint64
    gammas: np.ndarray  # float64

    def as_json(self) -> dict[str, Any]:
        keys = packed(np.diff(self.keys, prepend=np.uint64(0)))
        return {"count": len(self.keys), "keys": keys, "strengths": packed(in_steps(self.gammas))}

    @classmethod
    def from_json(cls, data: Any) -> Strengths:
        """A ValueError if it is not what `as_json` returns."""
        if not isinstance(data, dict):
            raise ValueError
        count = count_of(data["count"])
        if not 0 < count <= MOST_STRENGTHS:
            raise ValueError
        with np.errstate(over="ignore"):
            keys = np.cumsum(unpacked(data["keys"], count), dtype=np.uint64)
        if np.any(keys[1:] <= keys[:-1]):
            raise ValueError
        return cls(keys, from_steps(unpacked(data["strengths"], count)))


def in_steps(gammas: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(STEPS_A_NAT * np.log(gammas)) + MIDDLE, 0, 2 * MIDDLE - 1).astype(np.uint64)


def from_steps(steps: np.ndarray) -> np.ndarray:
    if len(steps) and int(steps.max()) >= 2 * MIDDLE:
        raise ValueError
    return np.exp((steps.astype(np.float64) - MIDDLE) / STEPS_A_NAT)
