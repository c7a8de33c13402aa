"""Declared parameters: name, default, range and meaning in one place, by the component that uses them.

The command line, player strings, GTP and the docs read these declarations; the tuples that compiled code gets are filled from
them by field name, so that a parameter is spelled once.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tesuji.core.errors import UserError, did_you_mean, shortened
from tesuji.core.files import MIB, FileKind, read_file
from tesuji.core.sources import described

Value = int | float | bool | str
SHIPPED = "shipped"  # value of a parameter that names files: those that come with the package
NAMED_FILE = FileKind("a file of weights", (), 64 * MIB)
MOST_WHOLE = (1 << 63) - 1  # without a range of its own: compiled code has 64 bits for it


@dataclass(frozen=True)
class Parameter:
    """One thing that can be set. The type of the default is the type of the parameter.

    Other parameters may depend on it: each of `parts` exists with one of its choices, and `brings` with every value but `off`.
    Where they do not exist, a value for them is refused: nothing would read it. `needs` names what a selection rule and a
    policy must have in common for it to matter (see `search/policy.py`).

    `tuning` is the range of values worth trying, for `tesuji tune`: LOW..HIGH, with :log if ratios matter and not differences.
    What is possible (`low` to `high`) is often much more than that.
    """

    name: str
    default: Value
    meaning: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    files: bool = False  # a text that names files
    needs: str = ""
    parts: Mapping[str, Sequence[Parameter]] = field(default_factory=dict, hash=False, compare=False)
    brings: tuple[Parameter, ...] = ()
    off: Value = 0
    tuning: str = ""

    def dependents(self, value: Value) -> Sequence[Parameter]:
        """The parameters that exist because this one has that value."""
        if self.parts:
            return self.parts.get(str(value), ())
        return self.brings if value != self.off else ()

    def all_dependents(self) -> Iterator[Parameter]:
        """Those of any of its values."""
        for part in self.parts.values():
            yield from part
        yield from self.brings

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

    @staticmethod
    def format(value: Value) -> str:
        """The value as text, exact when it is read again."""
        if isinstance(value, bool):
            return "on" if value else "off"
        if isinstance(value, float):
            short = f"{value:g}"
            return short if float(short) == value else repr(value)
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
        most = MOST_WHOLE if isinstance(self.default, int) else sys.float_info.max
        low, high = -most if self.low is None else self.low, most if self.high is None else self.high
        if not low <= number <= high:  # false for nan, too
            raise self._error(text)
        return number

    def _error(self, text: str) -> UserError:
        kind = "a whole number, " if isinstance(self.default, int) and not isinstance(self.default, bool) else ""
        hint = did_you_mean(text, self.choices)
        return UserError(f"{self.name}={shortened(text)} is not possible{hint}: {kind}{self.range_text} ({self.meaning})")


class Declaration:
    """An ordered set of parameters, with those that depend on them."""

    def __init__(self, *parameters: Parameter):
        self.parameters = parameters

    def __add__(self, other: Declaration) -> Declaration:
        return Declaration(*self.parameters, *other.parameters)

    def all(self) -> dict[str, Parameter]:
        """Every parameter that some choice of values has, by name."""
        by_name: dict[str, Parameter] = {}
        waiting = list(self.parameters)
        while waiting:
            parameter = waiting.pop(0)
            by_name.setdefault(parameter.name, parameter)
            waiting[:0] = parameter.all_dependents()
        return by_name

    def __contains__(self, name: object) -> bool:
        return name in self.all()

    def settings(self, values: Mapping[str, Any] | None = None) -> Settings:
        """All defaults with the given values in place of some; a name that has no effect beside the others is a UserError."""
        return Settings(self, {}).changed_by(values or {})


class Settings(Mapping[str, Value]):
    """A value for every parameter that has an effect. Immutable."""

    def __init__(self, declaration: Declaration, values: Mapping[str, Any], features: Set[str] | None = None):
        """`values` instead of defaults; those of parameters that do not exist beside the others are left out.

        `features` are those that parameters may need; None = all.
        """
        self.declaration = declaration
        self.features = features
        self.parameters: dict[str, Parameter] = {}
        self._values: dict[str, Value] = {}
        self._explicit: dict[str, Value] = {}
        waiting = list(declaration.parameters)
        while waiting:
            parameter = waiting.pop(0)
            name = parameter.name
            if name in self.parameters or (parameter.needs and features is not None and parameter.needs not in features):
                continue
            self.parameters[name] = parameter
            self._values[name] = parameter.default
            if name in values:
                self._values[name] = self._explicit[name] = parameter.parse(values[name])
            waiting[:0] = parameter.dependents(self._values[name])

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

    def overridden(self, values: Mapping[str, Any]) -> Settings:
        """These settings with those of the values that have an effect."""
        return Settings(self.declaration, {**self._explicit, **values}, self.features)

    def changed_by(self, values: Mapping[str, Any]) -> Settings:
        """These settings with some values changed. A name without effect is a UserError that lists those that have one.

        Values set before that have no effect any more are left out: they belonged to what was replaced.
        """
        named = {name.replace("-", "_"): value for name, value in values.items()}
        return Settings(self.declaration, {**self._explicit, **named}, self.features).checked(named)

    def checked(self, names: Iterable[str]) -> Settings:
        """The same; a UserError if one of these names has no effect here."""
        for name in names:
            if name not in self.parameters:
                raise self.unknown(name)
        return self

    def unknown(self, name: str) -> UserError:
        """Why a parameter cannot be set here, and what can."""
        declared = self.declaration.all()
        there = f"there are: {', '.join(self.parameters)}"
        if name not in declared:
            return UserError(f"there is no parameter {name!r}{did_you_mean(name, self.parameters)}; {there}")
        if name in Settings(self.declaration, self._explicit).parameters:  # only what it needs is not there
            reason = f"it needs {declared[name].needs}"
        else:
            reason = f"it goes with {_owner_of(self.declaration, name)}"
        return UserError(f"{name} has no effect here: {reason}; {there}")

    def named_files(self) -> list[str]:
        """The parameters whose values name files that do not come with the package."""
        return [name for name, parameter in self.parameters.items() if parameter.files and self[name] != SHIPPED]

    def file_digests(self) -> dict[str, str]:
        """By these parameters, digests of the contents of the files."""
        return {name: files_digest(str(self[name])) for name in self.named_files()}

    def describe(self) -> str:
        """What differs from the defaults."""
        changed = [name for name, value in self._values.items() if value != self.parameters[name].default]
        return ",".join(f"{name}={Parameter.format(self[name])}" for name in changed)


def _owner_of(declaration: Declaration, name: str) -> str:
    """What must be set for a parameter to exist, as in 'selection=rave'."""
    owners = []
    for parameter in declaration.all().values():
        owners += [f"{parameter.name}={choice}" for choice, part in parameter.parts.items() if name in [p.name for p in part]]
        if name in [brought.name for brought in parameter.brings]:
            owners.append(f"{parameter.name} other than {parameter.format(parameter.off)}")
    return " or ".join(owners)


T = TypeVar("T")


def filled(kind: type[T], settings: Mapping[str, Any], **others: Any) -> T:
    """A NamedTuple for compiled code, each field from `others`, or else from the parameter of its name, or its default.

    Values are converted to the type of the field: an int where the field is a float would be another type of argument, and
    every kernel would be compiled once more for it.
    """
    values = {}
    defaults: Mapping[str, Any] = kind._field_defaults  # type: ignore[attr-defined]
    for name in kind._fields:  # type: ignore[attr-defined]
        origin = others if name in others else settings if name in settings else defaults
        if name not in origin:
            raise UserError(
                f"the field {name} of {described(kind)} has no value: declare a parameter of that name, "
                f'as in Parameter("{name}", 1.0, "what it means"), or give it a default'
            )
        value = origin[name]
        cast = {"int": int, "float": float, "bool": bool}.get(_type_name(kind.__annotations__[name]))
        values[name] = cast(value) if cast else value
    return kind(**values)


def _type_name(annotation: Any) -> str:
    """The name of a field's type, whether annotations are evaluated in its module or not."""
    return getattr(annotation, "__forward_arg__", None) or getattr(annotation, "__name__", str(annotation))


def check_names_no_file(parameter: Parameter, value: str) -> None:
    """Refuses a value, out of a request or a file, that would make a file be opened."""
    if parameter.files and value != SHIPPED:
        raise UserError(f"{parameter.name}={shortened(value)} names a file: only the command line can do that")


def named_files(value: str) -> list[str]:
    """The files that a parameter's value names, joined by +; a file whose own name has a + in it is one.

    A folder stands for the file `network` in it, where a run of learning keeps its network.
    """
    if value == SHIPPED:
        return []
    paths = [value] if Path(value).exists() else value.split("+")
    if not all(path.strip() for path in paths):
        raise UserError(f"{shortened(value)} names a file with no name; join files by one + between two names")
    return [str(Path(path) / "network") if Path(path).is_dir() else path for path in paths]


def check_named_files(value: str) -> None:
    """A UserError if one of these files is not there. What is in them is left to those who read them."""
    for path in named_files(value):
        if Path(path).exists():
            continue
        folder = Path(path).parent
        if path != value and Path(value).is_dir():
            is_run = (folder / "run.db").exists()
            raise UserError(
                f"{folder}: {'no network has won its match yet' if is_run else 'there is no network in this folder'}"
            )
        raise UserError(f"{path} cannot be read: No such file or directory")


def files_digest(value: str) -> str:
    """Digest of the contents of these files, as far as they can be read."""
    digest = hashlib.sha256()
    for path in named_files(value):
        with contextlib.suppress(UserError):
            digest.update(hashlib.sha256(read_file(path, NAMED_FILE)).digest())
    return digest.hexdigest()


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
