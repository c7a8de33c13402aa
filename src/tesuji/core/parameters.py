"""Declared parameters: name, default, range and meaning in one place, read by the command line, player strings and docs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tesuji.core.errors import UserError

Value = int | float | bool | str
SHIPPED = "shipped"  # value of the parameter `weights`: those that come with the package


@dataclass(frozen=True)
class Parameter:
    """One thing that can be set. The type of the default is the type of the parameter."""

    name: str
    default: Value
    meaning: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    files: bool = False  # a text that names files

    @property
    def range_text(self) -> str:
        if self.choices:
            return " | ".join(self.choices)
        if isinstance(self.default, bool):
            return "on | off"
        if self.files:
            return f"{self.default} | files"
        if isinstance(self.default, str):
            return "a name"
        low = "" if self.low is None else f"{self.low:g}"
        high = "" if self.high is None else f"{self.high:g}"
        return f"{low} .. {high}".strip() if low or high else "any number"

    @property
    def option(self) -> str:
        """The name as an option of the command line."""
        return "--" + self.name.replace("_", "-")

    def format(self, value: Value) -> str:
        if isinstance(value, bool):
            return "on" if value else "off"
        if isinstance(value, float):
            short = f"{value:g}"
            return short if float(short) == value else repr(value)  # whatever is written can be read back
        return str(value)

    def parse(self, value: Any) -> Value:
        """The value in the parameter's type and range, from text or from a number; a UserError says what is allowed."""
        text = str(value).strip()
        if self.choices:
            if text in self.choices:
                return text
            raise self._error(text)
        if isinstance(self.default, bool):
            if text.lower() in ("on", "true", "yes", "1"):
                return True
            if text.lower() in ("off", "false", "no", "0"):
                return False
            raise self._error(text)
        if isinstance(self.default, str):
            if re.fullmatch(r"[\w.-]+", text) or (self.files and text.isprintable() and text):
                return text
            raise self._error(text)
        try:
            number: int | float = int(text.replace("_", "")) if isinstance(self.default, int) else float(text)
        except ValueError:
            raise self._error(text) from None
        if math.isnan(number) or (self.low is not None and number < self.low) or (self.high is not None and number > self.high):
            raise self._error(text)
        return number

    def _error(self, text: str) -> UserError:
        kind = "a whole number, " if isinstance(self.default, int) and not isinstance(self.default, bool) else ""
        return UserError(f"{self.name}={text} is not possible: {kind}{self.range_text} ({self.meaning})")


class Declaration:
    """An ordered set of parameters."""

    def __init__(self, *parameters: Parameter):
        self._by_name = {p.name: p for p in parameters}

    def __iter__(self) -> Iterator[Parameter]:
        return iter(self._by_name.values())

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Parameter:
        key = name.replace("-", "_")
        if key not in self._by_name:
            raise UserError(f"there is no parameter {name!r}; there are: {', '.join(self._by_name)}")
        return self._by_name[key]

    def settings(self, values: Mapping[str, Any] | None = None) -> Settings:
        """All defaults with the given values in place of some."""
        chosen = {p.name: p.default for p in self}
        for name, value in (values or {}).items():
            parameter = self[name]
            chosen[parameter.name] = parameter.parse(value)
        return Settings(self, chosen)


class Settings(Mapping[str, Value]):
    """One frozen choice of every parameter of a declaration."""

    def __init__(self, declaration: Declaration, values: dict[str, Value]):
        self.declaration = declaration
        self._values = values

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and self._values == other._values

    def __hash__(self) -> int:
        return hash(tuple(self._values.items()))

    def __repr__(self) -> str:
        return f"Settings({self.describe()})"

    def replace(self, **values: Any) -> Settings:
        return self.changed_by(values)

    def changed_by(self, values: Mapping[str, Any]) -> Settings:
        """These settings with some values changed; names that are not declared are a UserError."""
        known = {self.declaration[name].name: value for name, value in values.items()}
        return self.declaration.settings({**self._values, **known})

    def changed(self) -> dict[str, Value]:
        """What differs from the defaults."""
        return {p.name: self[p.name] for p in self.declaration if self[p.name] != p.default}

    def describe(self) -> str:
        return ",".join(f"{name}={self.declaration[name].format(value)}" for name, value in self.changed().items())


def parse_assignments(text: str) -> dict[str, str]:
    """'a=1,b=2' as a dictionary."""
    pairs = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, equals, value = part.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UserError(f"{part!r} is not of the form name=value")
        if name.strip() in pairs:
            raise UserError(f"{name.strip()} is given twice in {text!r}")
        pairs[name.strip()] = value.strip()
    return pairs
