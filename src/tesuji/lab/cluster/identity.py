"""What a machine must have in common with this one to be used: the code, the weights, and the compiler.

A machine with another version plays other games under the same name. It is refused, and the line that says so names what
differs.
"""

from __future__ import annotations

import functools
import os
import platform
import socket
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from tesuji import __version__
from tesuji.core.game import Game
from tesuji.core.sources import PLAYING_FOLDERS, folders_digest
from tesuji.games.registry import find_game
from tesuji.games.same_game import own_digest
from tesuji.lab.match.plan import Plan
from tesuji.players.player import Player
from tesuji.players.presets import find_player

FOLDERS = (*PLAYING_FOLDERS, "proof", "io", "learn", "lab/match", "lab/cluster", "lab/self_play")  # what jobs are done by
SHOWN = 12  # digits of a digest


@functools.cache
def program_identity() -> dict[str, str]:
    """The program here: by name, what must be equal."""
    return {
        "tesuji": __version__,
        "code": folders_digest(FOLDERS)[:SHOWN],
        "numba": metadata.version("numba"),
        "numpy": metadata.version("numpy"),
        "python": ".".join(platform.python_version_tuple()[:2]),
    }


def plan_identity(plan: Plan, game_text: str) -> dict[str, str]:
    """What must be equal for the games of a match."""
    players = [None if spec.is_gtp else find_player(spec.given, may_load=True) for spec in plan.players]
    return files_identity(find_game(game_text, False), players)


def files_identity(game: Game, players: Sequence[Player | None]) -> dict[str, str]:
    """The program, and the files that jobs name: weights, the user's own game and players. None stands for a GTP program."""
    found = dict(program_identity())
    if digest := own_digest(game):
        found["the game"] = digest[:SHOWN]
    for number, player in enumerate(players, 1):
        if player is None:
            continue
        for name, digest in player.settings_for(game).file_digests().items():
            found[f"{name} of player {number}"] = digest[:SHOWN]
        if player.digest:
            found[f"the file of player {number}"] = player.digest[:SHOWN]
    return found


def differences(ours: Mapping[str, str], theirs: Mapping[str, str]) -> str:
    """What differs, in words; nothing if all is equal."""
    names = [name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)]
    return ", ".join(f"{name} {theirs.get(name, 'none')} there and {ours.get(name, 'none')} here" for name in names)


def refusal(ours: Mapping[str, str], answer: Mapping[str, Any], needs_token: bool) -> str:
    """Why a machine is not used, by what it says of itself (tasks.check_machine); nothing if it can be."""
    why = answer.get("refused", "") or differences(ours, answer.get("identity", {}))
    if not why and needs_token and answer["auth"] != "token":
        why = "its Ray was started without a token (RAY_AUTH_MODE=token)"
    return why


def machine() -> dict[str, str | int]:
    """The machine of this process: its name, its processor, and how its Ray was started."""
    return {
        "host": socket.gethostname(),
        "processor": processor_name(),
        "threads_per_core": threads_per_core(),
        "auth": os.environ.get("RAY_AUTH_MODE", "").lower(),
    }


@functools.cache
def processor_name() -> str:
    return _cpu_info().get("model name") or platform.processor() or platform.machine()


@functools.cache
def threads_per_core() -> int:
    """Logical processors for each core: 2 where cores run two threads at once. 1 if it is not known."""
    found = _cpu_info()
    try:
        return max(1, int(found["siblings"]) // int(found["cpu cores"]))
    except (KeyError, ValueError, ZeroDivisionError):
        return 1


def _cpu_info() -> dict[str, str]:
    """What Linux says of the first processor."""
    try:
        text = Path("/proc/cpuinfo").read_text().partition("\n\n")[0]
    except OSError:
        return {}
    pairs = (line.partition(":") for line in text.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}
