"""The compiler's errors, of fifty lines each, in one line: the reason, and the place in the rules that caused it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tesuji.core import dispatch
from tesuji.core.sources import PACKAGE, is_installed, shown_path

_PLACE = re.compile(r'(?:File "([^"]+)", line (\d+))|(?:(?:at|from) (\S+\.py) \((\d+)\))')
_CALL = re.compile(r">>> (.+)")
_PLAIN_FUNCTION = re.compile(r"Untyped global name '(\w+)'.*<class 'function'>")


def explain(error: BaseException) -> tuple[str, str]:
    """(reason, file:line). The place is in the user's file if one is named, else in a game or policy of the package."""
    text = str(error)
    for is_wanted in (_is_users, _is_knowledge, _is_ours):
        for match in _PLACE.finditer(text):
            path = Path(os.path.abspath(match.group(1) or match.group(3)))
            if is_wanted(path):
                return _reason(text[: match.start()]), f"{shown_path(path)}:{match.group(2) or match.group(4)}"
    lines = text.strip().splitlines()
    reason = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    return reason, _place_in_frames(error)


def _is_users(path: Path) -> bool:
    return str(path) in dispatch.user_source_files() or (path.is_file() and not is_installed(path))


def _is_knowledge(path: Path) -> bool:
    return PACKAGE / "games" in path.parents or PACKAGE / "knowledge" in path.parents


def _is_ours(path: Path) -> bool:
    return PACKAGE in path.parents


def _reason(before: str) -> str:
    """The innermost message: what follows the last '(step: ...)' before the place."""
    inner = before.rsplit("(step: ", 1)[-1].split(")", 1)[-1] if "(step: " in before else before
    lines = [line.strip() for line in inner.splitlines() if line.strip()]
    reason = lines[0] if lines else before.strip()
    call = _CALL.search(inner)
    if reason.startswith("No implementation of function") and call:
        reason = f"there is no {_short(call.group(1))}"
    if reason.startswith(("NRT required", "Only accept returning of array passed")):
        reason = "rules make nothing new: no lists, dictionaries, strings or arrays, only numbers and the state's fields"
    plain = _PLAIN_FUNCTION.search(reason)
    if plain:
        reason = f"{plain.group(1)} is a plain function; put @kernel above it so that compiled code may call it"
    return _short(reason.removesuffix("Raised").rstrip(" .:"))


def _short(text: str) -> str:
    return text if len(text) <= 200 else text[:197] + "..."


def _place_in_frames(error: BaseException) -> str:
    """For an error inside the compiler itself: the innermost line of the rules that one of its frames was working on."""
    place = ""
    trace = error.__traceback__
    while trace is not None:
        for value in list(trace.tb_frame.f_locals.values()):
            location = getattr(value, "loc", None)
            name, line = getattr(location, "filename", None), getattr(location, "line", None)
            if isinstance(name, str) and isinstance(line, int):
                path = Path(os.path.abspath(name))
                if _is_users(path) or _is_knowledge(path):
                    place = f"{shown_path(path)}:{line}"
        trace = trace.tb_next
    return place
