"""What a match is: its players, limits, time control and openings, and which game has which players, colours, opening and seed.

The plan fixes every game by its number before any is played, so that a match can be stopped, resumed, and made longer.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from itertools import combinations
from typing import Any, Self

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.files import FileKind, read_unpacked
from tesuji.core.game import Game, copy_state
from tesuji.core.limits import Limits
from tesuji.core.parameters import parse_assignments
from tesuji.core.records import is_same_record
from tesuji.games.same_game import own_digest
from tesuji.io.gtp.client import split_command
from tesuji.io.sgf import decode, load_sgf, read_record
from tesuji.play.clock import parse_clock
from tesuji.players.presets import LIMITS, find_player, split_player

GTP = "gtp:"
NO_LIMITS = Limits()
DEFAULT_SECONDS = 1.0  # a move, for a built-in player without any limit
MOST_PLAYERS = 64

OPENINGS_FILE = FileKind("a file of openings", (b"#",), 64 << 20)
SGF_NAMES = (".sgf", ".sgfs", ".sgf.gz", ".sgfs.gz")
SGF_BEGINS = re.compile(r"\s*\(\s*;")
TRIES = 100  # at an opening that has not been there yet
NOTHING: tuple[int, ...] = ()
PASS = "pass"
Opening = tuple[int, ...]


@dataclass(frozen=True)
class PlayerSpec:
    """A player of a match. `given` is what the user wrote; `label`, its name in ratings, says its limits, too."""

    given: str
    label: str
    seconds: float | None = None  # a move
    playouts: int | None = None
    source: str = ""  # digest of the file of a user's own player
    commands: tuple[str, ...] = ()  # sent to a GTP program before each game
    folder: str = ""  # in which a GTP program runs; none = where we do
    cpu: float | None = None  # seconds of CPU time a move

    @property
    def limits(self) -> Limits:
        return Limits(self.seconds, self.playouts, self.cpu)

    @property
    def is_gtp(self) -> bool:
        return self.given.startswith(GTP)

    @property
    def command(self) -> str:
        return self.given[len(GTP) :].strip()

    @property
    def settings_text(self) -> str:
        """What a GTP program is told beside its command line, as a part of its label."""
        told = [*([f"in {self.folder}"] if self.folder else []), *self.commands]
        return f" [{'; '.join(told)}]" if told else ""


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
    handicap: int = 0  # stones that the first of two players gives the second, who is Black in every game
    free_handicap: bool = False  # Black chooses where they are

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Who plays whom, by slots: everyone against everyone."""
        return list(combinations(range(len(self.players)), 2))

    def entry(self, number: int) -> ScheduledGame:
        """Game `number`, from 0. Each pairing plays every opening twice, with colours exchanged but for games with handicap."""
        pairings = self.pairings
        turn, index = divmod(number, len(pairings))
        a, b = pairings[index]
        first, second = (b, a) if turn % 2 or self.handicap else (a, b)
        return ScheduledGame(number, index, turn, first, second, turn // 2, game_seed(self.seed, number))

    def for_workers(self) -> Plan:
        """What those who play need to know: which games there are they hear with each job."""
        return Plan(**{field.name: getattr(self, field.name) for field in fields(Plan)})

    # -- as text -----------------------------------------------------------------------------------------------------
    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        players = tuple(PlayerSpec(**{**p, "commands": tuple(p.get("commands", ()))}) for p in values["players"])
        return cls(**{**values, "players": players})

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
            **({"--handicap": f"{self.handicap} {'free' if self.free_handicap else 'fixed'}"} if self.handicap else {}),
            "--seed": str(self.seed),
            "the game's file": self.source[:12],
            **{f"the file of player {n}": p.source[:12] for n, p in enumerate(self.players, 1) if p.source},
            **{f"--gtp-command {n}": "; ".join(p.commands) for n, p in enumerate(self.players, 1) if p.commands},
            **{f"--gtp-dir {n}": p.folder for n, p in enumerate(self.players, 1) if p.folder},
        }

    def default_file(self) -> str:
        """A name that is the same for the same match and another for any other one."""
        digest = hashlib.sha256(json.dumps(self.fingerprint(), sort_keys=True).encode()).hexdigest()[:8]
        words = [self.game, *(_short(player) for player in self.players[:2])]
        name = "_".join(re.sub(r"[^\w.=-]+", "-", word).strip("-")[:32] for word in words)
        return f"matches/{name}_{digest}.db"


@dataclass(frozen=True)
class ScheduledGame:
    """One game of a plan."""

    number: int
    pairing: int
    turn: int  # of its pairing
    first: int  # the slot that plays first (Black)
    second: int
    opening: int
    seed: int


def make_plan(
    game: Game,
    players: Sequence[str | PlayerSpec],
    seconds: float | None = None,
    playouts: int | None = None,
    clock: str = "",
    cpu: float | None = None,
    **others: Any,
) -> Plan:
    """The plan of a match between the players of these strings, or specifications.

    The limits are for players that bring none of their own; `others` are more fields of the plan.
    """
    if game.players != 2:
        raise UserError(f"{game.name} is a game for one: a match needs a game for two")
    if not 2 <= len(players) <= MOST_PLAYERS:
        raise UserError(f"a match needs 2 players or more, up to {MOST_PLAYERS}; {len(players)} given")
    clock = parse_clock(clock).as_text() if clock else ""
    limits = Limits(seconds, playouts, cpu)
    if clock and limits.is_timed:
        option = "--seconds" if seconds is not None else "--cpu"
        raise UserError(f"give either --clock or {option}: a move is timed by the game's clock or by itself")
    specs = tuple(one if isinstance(one, PlayerSpec) else player_spec(one, limits, clock) for one in players)
    return Plan(game=game.name, players=specs, clock=clock, source=own_digest(game), **others)


def player_spec(text: str, others: Limits = NO_LIMITS, clock: str = "") -> PlayerSpec:
    """A built-in player or a GTP program with its limits: its own if its string gives any, else these."""
    text = text.strip()
    if text.startswith(GTP):
        split_command(text[len(GTP) :])  # an open quote is an error here
        times = [f"{others.seconds:g}s"] if others.seconds else []
        times += [f"{others.cpu:g}s of CPU"] if others.cpu else []
        with_time = f" @{clock or ' and '.join(times)}" if clock or times else ""
        return PlayerSpec(text, text + with_time, seconds=others.seconds, cpu=others.cpu)
    player = find_player(text, may_load=True)
    name, rest = split_player(text)
    given = parse_assignments(rest)
    limits = player.limits
    if not given.keys() & LIMITS.keys():
        if others != NO_LIMITS or clock:
            limits = others
        elif limits == NO_LIMITS:
            limits = Limits(seconds=DEFAULT_SECONDS)
    parts = [f"{key}={value}" for key, value in given.items() if key not in LIMITS]
    parts += [f"seconds={limits.seconds:g}"] if limits.seconds is not None else []
    parts += [f"cpu={limits.cpu:g}"] if limits.cpu is not None else []
    parts += [f"playouts={limits.playouts}"] if limits.playouts is not None else []
    version = f"@{player.digest[:8]}" if player.digest else ""  # an edited file is another player
    label = name + version + (":" + ",".join(parts) if parts else "")
    if clock:
        label += f" @{clock}"
    return PlayerSpec(text, label, limits.seconds, limits.playouts, player.digest, cpu=limits.cpu)


def game_seed(seed: int, number: int, stream: int = 0) -> int:
    """A seed of 63 bits for game `number`; streams of one game (its players) are independent."""
    digest = hashlib.sha256(f"{seed}/{number}/{stream}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def _limits_text(player: PlayerSpec) -> str:
    parts = [f"{player.seconds:g} s a move"] if player.seconds is not None else []
    parts += [f"{player.cpu:g} s of CPU time a move"] if player.cpu is not None else []
    parts += [f"{player.playouts} playouts a move"] if player.playouts is not None else []
    return " and ".join(parts) or "none"


def _short(player: PlayerSpec) -> str:
    if not player.is_gtp:
        return player.label
    return split_command(player.command)[0].rpartition("/")[2]


# -- openings ------------------------------------------------------------------------------------------------------------
def read_openings(game: Game, path: str, plies: int | None = None) -> list[Opening]:
    """The openings of a file: one a line, moves separated by blanks, '#' begins a comment; or the main lines of an SGF file.

    With `plies`, only so many moves of each.
    """
    data = read_unpacked(path, OPENINGS_FILE)
    if path.lower().endswith(SGF_NAMES) or SGF_BEGINS.match(decode(data)):
        return [check_opening(game, moves, f"{path}, game {n}") for n, moves in enumerate(main_lines(game, path, plies), 1)]
    found = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        words = line.partition("#")[0].split()[:plies]
        if words:
            found.append(check_opening(game, words, f"{path}, line {number}"))
    if not found:
        raise UserError(f"{path} holds no opening: one a line, moves separated by blanks")
    return found


def main_lines(game: Game, path: str, plies: int | None) -> list[list[int]]:
    """The moves of the main line of each game in the file. A game must begin at the start, or the moves would mean nothing."""
    found = []
    for number, tree in enumerate(load_sgf(path), 1):
        record = read_record(tree, path, number, game, moves=plies)
        if not record.is_plain or not is_same_record(record.start, game.initial):
            raise UserError(f"{path}, game {number}: it sets up stones; an opening is made of moves from the start")
        found.append(record.moves)
    return found


def check_opening(game: Game, moves: list[str] | list[int], place: str) -> Opening:
    """The moves as numbers; a UserError names the place of one that is illegal or ends the game."""
    state = game.new_state()
    numbers = []
    for move in moves:
        try:
            if rules.is_over(state):
                raise UserError("the game is over before this")
            number = game.parse(state, move) if isinstance(move, str) else move
            if number not in game.legal_moves(state):
                raise UserError("it is not legal")
        except UserError as error:
            raise UserError(f"{place}: move {len(numbers) + 1} ({move}): {error}") from None
        numbers.append(number)
        rules.play(state, number)
    if rules.is_over(state):
        raise UserError(f"{place}: the game is over after this opening; leave moves out")
    return tuple(numbers)


def openings_digest(openings: list[Opening]) -> str:
    return hashlib.sha256(repr(openings).encode()).hexdigest() if openings else ""


def handicap_opening(game: Game, count: int) -> Opening:
    """Handicap stones on their fixed points as moves of Black, with passes of White between them."""
    board = game.board
    if board is None or board.handicap is None:
        raise UserError(f"{game.name} has no handicap stones")
    state = game.new_state()
    moves: list[int] = []
    for point in board.handicap(count):
        if moves:
            moves.append(game.parse(state, PASS))
            rules.play(state, moves[-1])
        moves.append(next(move for move in game.legal_moves(state) if board.point(state, move) == point))
        rules.play(state, moves[-1])
    return tuple(moves)


class Openings:
    """Opening k of a match. Random ones are made in order, each unlike those before it where that is possible."""

    def __init__(self, game: Game, listed: list[Opening], random_plies: int, seed: int):
        self._game = game
        self._listed = listed
        self._plies = random_plies
        self._seed = seed
        self.generated: list[Opening] = []  # random openings so far
        self._seen: set[Opening] = set()

    def restore(self, generated: list[Opening]) -> None:
        """Takes those that the match has from earlier runs."""
        self.generated = list(generated)
        self._seen = set(generated)

    def __getitem__(self, number: int) -> Opening:
        if self._listed:
            return self._listed[number % len(self._listed)]
        if not self._plies:
            return NOTHING
        while len(self.generated) <= number:
            chance = random.Random(f"{self._seed}/opening/{len(self.generated)}")
            opening = next(
                (found for _ in range(TRIES) if (found := self._random(chance)) not in self._seen), None
            ) or self._random(chance)
            self._seen.add(opening)
            self.generated.append(opening)
        return self.generated[number]

    def _random(self, chance: random.Random) -> Opening:
        """Legal moves, none of which ends the game; fewer than asked for if every move would."""
        state = self._game.new_state()
        moves: list[int] = []
        while len(moves) < self._plies:
            legal = self._game.legal_moves(state)
            chance.shuffle(legal)
            board = self._game.board
            if board is not None:  # a pass opens nothing: it comes last
                legal.sort(key=lambda move, state=state, board=board: board.point(state, move) is None)
            for move in legal:
                after = copy_state(state)
                rules.play(after, move)
                if not rules.is_over(after):
                    break
            else:
                break
            state = after
            moves.append(move)
        return tuple(moves)
