"""Folders that nobody else can write to: files loaded from the cache run as code, so they must be the user's own.

The rule is that of ssh for keys. The folder and all folders above it, up to the home folder or else the root, belong to the
user or to root, and nobody else can write to them. Two exceptions: folders above in which only the owner of an entry can
rename it (sticky, like /tmp), and write access for root's group or the user's own, which systems with a umask of 002 give.
On systems other than POSIX every folder passes.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

try:
    import grp
    import pwd
except ImportError:  # not a POSIX system
    grp = pwd = None

ROOT_USER = ROOT_GROUP = 0
Stat = Callable[[Path], Any]


def foreign_writer(folder: Path, stat_of: Stat = os.stat) -> str:
    """Which folder others can write to, and who; '' if nobody can. A folder that does not exist yet passes (`make_private`)."""
    if os.name != "posix":
        return ""
    path = Path(os.path.realpath(folder))
    for place in _up_to_home(path):
        try:
            who = _writer(stat_of(place), is_above=place != path)
        except (FileNotFoundError, NotADirectoryError):  # writing there will fail and say why
            continue
        except OSError as error:
            return f"{place}: {error.strerror}"
        if who:
            return f"{place} {who}"
    return ""


def is_own(status: os.stat_result) -> bool:
    """Whether nobody else can have written a file; `status` comes from os.fstat."""
    return os.name != "posix" or not _writer(status, is_above=False)


def make_private(folder: Path) -> None:
    """Makes the folder, and those above it that are missing, accessible to the user alone."""
    if not folder.is_dir():
        make_private(folder.parent)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)


def _up_to_home(path: Path) -> Iterator[Path]:
    home: Path | None = None
    with contextlib.suppress(RuntimeError):
        home = Path(os.path.realpath(Path.home()))
    for place in (path, *path.parents):
        yield place
        if place == home:
            return


def _writer(status: Any, is_above: bool) -> str:
    user = os.geteuid()
    if status.st_uid not in (user, ROOT_USER):
        return f"belongs to another user ({_user_name(status.st_uid)})"
    if is_above and status.st_mode & stat.S_ISVTX:
        return ""
    if status.st_mode & stat.S_IWOTH:
        return "can be written to by everyone"
    if status.st_mode & stat.S_IWGRP and not _is_own_group(status.st_gid, user):
        return f"can be written to by the group {_group_name(status.st_gid)}"
    return ""


def _is_own_group(group: int, user: int) -> bool:
    """Whether a group is root's, or the user's own: it has the user's name, no other members, and is no other user's primary
    group, as far as the system lists its users.
    """
    if group == ROOT_GROUP:
        return True
    if grp is None or pwd is None:
        return False
    try:
        person, entry = pwd.getpwuid(user), grp.getgrgid(group)
    except KeyError:
        return False
    members = {*entry.gr_mem, *(other.pw_name for other in pwd.getpwall() if other.pw_gid == group)}
    return person.pw_gid == group and entry.gr_name == person.pw_name and members <= {person.pw_name}


def _user_name(user: int) -> str:
    with contextlib.suppress(KeyError):
        if pwd is not None:
            return pwd.getpwuid(user).pw_name
    return str(user)


def _group_name(group: int) -> str:
    with contextlib.suppress(KeyError):
        if grp is not None:
            return grp.getgrgid(group).gr_name
    return str(group)
