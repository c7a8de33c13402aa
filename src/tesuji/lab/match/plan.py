"""What a match is: its players, limits and openings, and which game has which players, colours, opening and seed.

The plan fixes every game by its number before any is played, so that a match can be stopped, gone on with, and made longer.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.parameters import parse_assignments
from tesuji.core.sources import source_digest
from tesuji.io.gtp.client import split_command
from tesuji.lab.match.clock import parse_clock
from tesuji.players.presets import find_player, split_player

GTP = "gtp:"
DEFAULT_SECONDS = 1.0  # a move, for a player of ours that is given no limit at all
MOST_PLAYERS = 64


@dataclass(frozen=True)
class PlayerSpec:
    """A contestant. `given` is what the user wrote, `label` says also which limits it plays with: its name in ratings."""

    given: str
    label: str
    seconds: float | None = None  # a move
    playouts: int | None = None
    source: str = ""  # digest of the file of a user's own player

    @property
    def is_gtp(self) -> bool:
        return self.given.startswith(GTP)

    @property
    def command(self) -> str:
        return self.given[len(GTP) :].strip()


@dataclass(frozen=True)
class Plan:
    """All that the games depend on, except how many there are. Two runs with equal plans belong to one match."""

    game: str
    players: tuple[PlayerSpec, ...]
    clock: str = ""
    grace: float = 0.1
    move_timeout: float = 300.0
    random_plies: int = 0
    openings: str = ""  # digest of the openings from a file
    seed: int = 0
    source: str = ""  # digest of a user's own game

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Who plays whom, by slots: everyone against everyone."""
        return list(combinations(range(len(self.players)), 2))

    def entry(self, number: int) -> Entry:
        """Game `number`, from 0. Each pairing plays every opening twice, with colours exchanged."""
        pairings = self.pairings
        turn, index = divmod(number, len(pairings))
        a, b = pairings[index]
        first, second = (a, b) if turn % 2 == 0 else (b, a)
        return Entry(number, index, turn, first, second, turn // 2, game_seed(self.seed, number))

    # -- as text -----------------------------------------------------------------------------------------------------
    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(values: dict[str, Any]) -> Plan:
        players = tuple(PlayerSpec(**player) for player in values["players"])
        return Plan(**{**values, "players": players})

    def fingerprint(self) -> dict[str, str]:
        """What must be equal for two runs to belong to one match: names for the user, with values to compare."""
        limits = {f"limits of player {n}": _limits_text(p) for n, p in enumerate(self.players, 1)}
        return {
            "game": self.game,
            "players": ", ".join(player.given for player in self.players),
            **limits,
            "--clock": self.clock or "none",
            "--grace": f"{self.grace:g}" if self.clock else "",
            "--random-plies": str(self.random_plies),
            "--openings": self.openings[:12] or "none",
            "--seed": str(self.seed),
            "the game's file": self.source[:12],
            **{f"the file of player {n}": p.source[:12] for n, p in enumerate(self.players, 1) if p.source},
        }

    def default_file(self) -> str:
        """A name that is the same for the same match and another for any other one."""
        digest = hashlib.sha256(json.dumps(self.fingerprint(), sort_keys=True).encode()).hexdigest()[:8]
        words = [self.game, *(_short(player) for player in self.players[:2])]
        name = "_".join(re.sub(r"[^\w.=-]+", "-", word).strip("-")[:32] for word in words)
        return f"matches/{name}_{digest}.db"


@dataclass(frozen=True)
class Entry:
    """One game of a plan."""

    number: int
    pairing: int
    turn: int  # of its pairing
    first: int  # the slot that plays first (Black)
    second: int
    opening: int
    seed: int


@dataclass(frozen=True)
class Wishes:
    """Limits as the command line gives them, for every player that does not bring its own."""

    seconds: float | None = None
    playouts: int | None = None
    clock: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


def make_plan(game: Game, texts: list[str], wishes: Wishes) -> Plan:
    """The plan of a match between the players of these strings."""
    if game.players != 2:
        raise UserError(f"{game.name} is a game for one: a match needs a game for two")
    if not 2 <= len(texts) <= MOST_PLAYERS:
        raise UserError(f"a match needs 2 players or more, up to {MOST_PLAYERS}; {len(texts)} given")
    clock = parse_clock(wishes.clock).as_text() if wishes.clock else ""
    if clock and wishes.seconds is not None:
        raise UserError("give either --clock or --seconds: a move is timed by the game's clock or by itself")
    players = tuple(player_spec(text, replace(wishes, clock=clock)) for text in texts)
    source = source_digest(game.source) if game.source else ""
    return Plan(game=game.name, players=players, clock=clock, source=source, **wishes.extra)


def player_spec(text: str, wishes: Wishes) -> PlayerSpec:
    """A player of ours, or a GTP program, with its limits: its own if its string gives any, else those for all."""
    text = text.strip()
    if text.startswith(GTP):
        split_command(text[len(GTP) :])  # an open quote is an error here
        with_time = f" @{wishes.clock}" if wishes.clock else f" @{wishes.seconds:g}s" if wishes.seconds else ""
        return PlayerSpec(text, text + with_time, seconds=wishes.seconds)
    player = find_player(text, may_load=True)
    name, rest = split_player(text)
    given = parse_assignments(rest)
    if not given.keys() & {"seconds", "playouts"}:
        wanted = Limits(wishes.seconds, wishes.playouts)
        if wanted == Limits() and not wishes.clock:
            wanted = player.limits if player.limits != Limits() else Limits(seconds=DEFAULT_SECONDS)
        limits = wanted
    else:
        limits = player.limits
    parts = [f"{key}={value}" for key, value in given.items() if key not in ("seconds", "playouts")]
    parts += [f"seconds={limits.seconds:g}"] if limits.seconds is not None else []
    parts += [f"playouts={limits.playouts}"] if limits.playouts is not None else []
    version = f"@{player.digest[:8]}" if player.digest else ""  # an edited file is another player
    label = name + version + (":" + ",".join(parts) if parts else "")
    if wishes.clock:
        label += f" @{wishes.clock}"
    return PlayerSpec(text, label, limits.seconds, limits.playouts, player.digest)


def game_seed(seed: int, number: int, stream: int = 0) -> int:
    """A seed of 63 bits for game `number`; streams of one game (its players) are independent."""
    digest = hashlib.sha256(f"{seed}/{number}/{stream}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def _limits_text(player: PlayerSpec) -> str:
    parts = [f"{player.seconds:g} s a move"] if player.seconds is not None else []
    parts += [f"{player.playouts} playouts a move"] if player.playouts is not None else []
    return " and ".join(parts) or "none"


def _short(player: PlayerSpec) -> str:
    if not player.is_gtp:
        return player.label
    return split_command(player.command)[0].rpartition("/")[2]
