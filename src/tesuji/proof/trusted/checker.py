"""The checker: does a certificate prove what it claims? It knows the rules and nothing of the search, and runs in plain Python.

What must be trusted is this file, `format.py`, `links.py`, and the rules of the game, its symmetries among them where a
proof relies on these. docs/proofs.md says why that is enough.

A proof of `value >= L` is a strategy of Max (player 0): one move wherever Max is to move, an answer to every move of Min,
and an outcome of at least L at the end of every game. `value <= U` is the same with the players exchanged. The file holds
only the strategy's choices; the checker makes the positions itself, in an order of its own, and takes the next choice
when it needs one.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import GameError, UserError, shortened
from tesuji.core.game import Game, State
from tesuji.core.numba.sources import source_digest
from tesuji.core.user_files import is_path
from tesuji.games.registry import LONGEST_NAME, find_built_in, find_game
from tesuji.proof.budget import Budget, OverBudget
from tesuji.proof.trusted.format import Certificate, Header, encode_header, read_certificate
from tesuji.proof.trusted.links import KINDS, Links, LinkStep, Refused

OVER = 2  # in place of the player to move, when the game has ended
ALL_MOVES = -1  # in place of a chosen move, where every move must be answered
PROGRESS_EVERY = 1000  # positions between two calls of on_progress
ENTRY, MOVE = 200, 36  # bytes of memory, in round numbers: for a key beside its own bytes, and for a move in a list

Progress = Callable[[int, int], object]  # (positions checked, positions in all)


@dataclass(frozen=True)
class Verdict:
    """The result of a check. Bounds are outcomes for player 0; `reason` says why a certificate was refused."""

    valid: bool
    reason: str
    game: str
    moves: tuple[int, ...]
    lower: int
    upper: int
    nodes: int  # positions that the proof goes through, as far as it was followed
    rules_of: Game | None = None  # what it was checked by; None if the claim is not one about the game that was named


class Claim(NamedTuple):
    """`value >= bound` by a strategy of player 0, or `value <= bound` by one of player 1."""

    player: int
    bound: int

    def holds(self, lower: int, upper: int) -> bool:
        """Whether the claim follows from lower <= value <= upper."""
        return lower >= self.bound if self.player == rules.FIRST else upper <= self.bound

    def __str__(self) -> str:
        return f"value {'>=' if self.player == rules.FIRST else '<='} {self.bound}"


class RuleView(NamedTuple):
    """The player to move and the bounds that the rules give a position, without search."""

    lower: int
    upper: int
    mover: int  # 0, 1 or OVER


class Strategy(Protocol):
    """Where the choices come from: a certificate, or the writer of one."""

    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        """Called at each position entered, parents first. Returns the index of the move to make where `chooses` is set."""
        ...

    def keep(self, state: State, moves: Sequence[int]) -> Sequence[int]:
        """Called, in a proof with concessions, where the opponent moves: which moves to answer. All others are conceded; none =
        none is.
        """
        ...

    def connect(self, state: State) -> Sequence[LinkStep]:
        """Called before, in a proof with connections: the steps of one that wins whatever the opponent plays; none = there is
        none.
        """
        ...


class PlainRules:
    """A game's rules for the walk, as plain Python functions."""

    def __init__(self, game: Game, initial_bounds: bool, symmetry: bool = False):
        kind = game.initial.dtype
        self.game = game
        self.lowest, self.highest = game.outcomes
        self._moves = rules.moves.find(kind)
        self._play = rules.play.find(kind)
        self._is_over = rules.is_over.find(kind)
        self._outcome = rules.outcome.find(kind)
        self._to_play = rules.to_play.find(kind)
        self._bounds = rules.bounds.find(kind) if initial_bounds and rules.bounds.is_implemented(kind) else None
        self._symmetries = rules.symmetries.find(kind)
        self._image = rules.image.find(kind) if symmetry and game.has_symmetries else None
        self._concede = rules.concede.find(kind) if rules.concede.is_implemented(kind) else None
        self._neighbours = rules.neighbours.find(kind)
        self._holder = rules.holder.find(kind)
        self._turned = np.zeros(1, kind)
        self._buffer = np.zeros(game.buffer_size, np.int32)

    def legal(self, state: State) -> list[int]:
        """The legal moves in the order of the rules, which is what the choices count in."""
        count = int(self._moves(state, self._buffer))
        if not 0 < count <= len(self._buffer):
            raise Refused(f"the rules give {count} moves in a position that is not over")
        return self._buffer[:count].tolist()

    def view(self, state: State) -> RuleView:
        if self._is_over(state):
            outcome = int(self._outcome(state))
            return RuleView(outcome, outcome, OVER)
        if self._bounds is None:
            return RuleView(self.lowest, self.highest, int(self._to_play(state)))
        lower, upper = self._bounds(state, self.lowest, self.highest)
        return RuleView(int(lower), int(upper), int(self._to_play(state)))

    def key(self, state: State, record: bytes) -> bytes:
        """What a position is known by: its record, or the least record of its images where symmetries count."""
        if self._image is None:
            return record
        images = []
        for number in range(int(self._symmetries(state))):
            self._turned[0] = state
            self._image(state, number, self._turned[0])
            images.append(self._turned.tobytes())
        if not images:
            raise Refused("the rules give a position no symmetry, not even that it is itself")
        return min(images)

    def without(self, state: State, mover: int, moves: Sequence[int], kept: Sequence[int]) -> np.ndarray:
        """The position in which all moves but those of the indices `kept` are conceded to the player to move."""
        if self._concede is None:
            raise Refused("the proof relies on concessions, and the game has none")
        answered = [moves[index] for index in kept]
        conceded = canonical(state)
        for move in moves:
            if move not in answered:
                self._concede(conceded[0], mover, move)
        if self._is_over(conceded[0]):
            raise Refused("the game is over by what is conceded")
        if int(self._to_play(conceded[0])) != mover or self.legal(conceded[0]) != answered:
            raise Refused("after the concession others than the moves to answer are left")
        return conceded

    def connected(self, state: State, player: int, steps: Iterable[LinkStep]) -> Links:
        """The links that the steps show for a player, the last of which wins for him; Refused if that is not so."""
        found = self.new_links(state, player)
        for step in steps:
            found.add(step)
        found.demand_win(
            lambda cell: int(self._holder(state, cell)) == player, lambda cell: int(self._holder(state, cell)) == rules.FREE
        )
        return found

    def new_links(self, state: State, player: int) -> Links:
        out = np.zeros(self.game.move_count + len(rules.ENDS), np.int32)
        touching: dict[int, list[int]] = {}

        def neighbours(cell: int) -> list[int]:
            if cell not in touching:
                touching[cell] = out[: int(self._neighbours(state, player, cell, out))].tolist()
            return touching[cell]

        def name(cell: int) -> str:
            try:
                return self.game.text(state, cell)
            except Exception:  # not a move of the position, in a user's game
                return f"cell {cell}"

        return Links(self.game.move_count, neighbours, name)

    def after(self, state: State, moves: Sequence[int]) -> tuple[np.ndarray, list[Any]]:
        """The positions after each of the moves, and a look at each."""
        children = np.zeros(len(moves), state.dtype)
        views = []
        for index, move in enumerate(moves):
            children[index] = state
            child = children[index]
            self._play(child, move)
            views.append(self.view(child))
        return children, views


class WalkDigest:
    """SHA-256 of a walk: each position's way in, number of moves and choice, in the order visited; then the header.

    A certificate carries the digest of its own walk. So a choice that was changed is noticed even if what it leads to
    happens to be another proof of the same claim.
    """

    def __init__(self) -> None:
        self._sum = hashlib.sha256()
        self._pack = struct.Struct("<iii").pack

    def claim(self, claim: Claim) -> None:
        self._sum.update(str(claim).encode())

    def node(self, came_by: int, count: int, choice: int) -> None:
        self._sum.update(self._pack(came_by, count, choice))

    def kept(self, moves: Sequence[int]) -> None:
        self._sum.update(struct.pack(f"<{len(moves)}i", *moves))

    def connected(self, steps: Sequence[LinkStep]) -> None:
        for kind, numbers in steps:
            self._sum.update(struct.pack(f"<{len(numbers) + 2}i", kind, len(numbers), *numbers))

    def finish(self, header: Header) -> str:
        """The digest in hex, of the walk and of all that the header says except the digest itself."""
        self._sum.update(encode_header(replace(header, walk="")))
        return self._sum.hexdigest()


class Walk:
    """Goes through every position of a proof, depth first, each position once. The writer and the checker share it.

    A position is known by the bytes of its whole record, its own or that of an image which the rules make: nothing is taken to
    be equal that is not. Positions are made one at a time: a frame is a position on the way down, with its moves still to come.
    """

    def __init__(
        self,
        game: Game,
        root: State,
        game_rules: PlainRules,
        digest: WalkDigest,
        max_nodes: int | None = None,
        concessions: bool = False,
        connections: bool = False,
        budget: Budget | None = None,
    ):
        self.game = game
        self.concessions = concessions
        self.connections = connections
        self.root = canonical(root)
        self.rules = game_rules
        self.digest = digest
        self.max_nodes = max_nodes
        self.budget = budget or Budget(memory=None)
        self.on_progress: Progress | None = None
        self.nodes = 0
        self.bounded = 0  # positions where the rules' own bounds showed the claim
        self.images = 0  # positions that were proven before, but only as an image
        self.proven: dict[bytes, bool] = {}  # positions met; False while one is being proven
        self._records: set[bytes] = set()  # of the positions met, as they were, where they are known by images
        self._frames: list[_Frame] = []
        self._kept = 0  # bytes of what is known of positions

    def prove(self, claim: Claim, strategy: Strategy) -> None:
        """Returns if the strategy proves the claim, raises Refused if not."""
        self.digest.claim(claim)
        self.budget.take(-self._kept)
        self.proven, self._records, self._frames, self._kept = {}, set(), [], 0
        frames, after = self._frames, self.rules.after
        self._meet(claim, strategy, self.root, self.rules.view(self.root[0]), ALL_MOVES)
        while frames:
            frame = frames[-1]
            frame.move = next(frame.moves, None)
            if frame.move is None:
                self.proven.update(dict.fromkeys(frame.proves, True))
                self.budget.take(-frame.size)
                frames.pop()
            else:
                states, views = after(frame.state, [frame.move])
                self._meet(claim, strategy, states, views[0], frame.move)

    def _meet(self, claim: Claim, strategy: Strategy, states: np.ndarray, view: RuleView, came_by: int) -> None:
        """A position of the proof, an array of one record: shown by the rules, or proven before, or else entered."""
        self.budget.check_time()
        lower, upper, mover = view
        if mover == OVER and not self.rules.lowest <= lower <= self.rules.highest:
            raise Refused(f"the game ends with {lower}, outside of the game's range {self.game.outcomes}")
        if claim.holds(lower, upper):
            self.bounded += mover != OVER
            return
        if mover == OVER:
            raise Refused(f"the game ends with {lower}, and the claim is {claim}")
        record = states.tobytes()
        key = self.rules.key(states[0], record)
        if key in self.proven:
            self._demand_proven(key)
            self.images += key is not record and record not in self._records
            return
        moves, state, conceded = self._enter(claim, strategy, states[0], mover, came_by)
        self._begin_proof(key)
        if key is not record:
            self._records.add(record)
            self._keep(len(record) + ENTRY)
        proves = [key]
        if conceded:
            if conceded in self.proven:
                self._demand_proven(conceded)
                self.proven[key] = True
                return
            self._begin_proof(conceded)
            proves.append(conceded)
        frame = _Frame(proves, state, iter(moves), len(record) + ENTRY + MOVE * len(moves))
        self.budget.take(frame.size)
        self._frames.append(frame)

    def _begin_proof(self, key: bytes) -> None:
        self.proven[key] = False
        self._keep(len(key) + ENTRY)

    def _keep(self, size: int) -> None:
        self._kept += size
        self.budget.take(size)

    def _demand_proven(self, key: bytes) -> None:
        if not self.proven[key]:
            raise Refused("the position repeats: the proof is circular")

    def _enter(
        self, claim: Claim, strategy: Strategy, state: State, mover: int, came_by: int
    ) -> tuple[list[int], State, bytes]:
        """Counts the position. Returns the moves to follow from it, the strategy's choice or all that are not conceded; the
        position to follow them from; and the key of that position if it is another one.
        """
        self._count(1)
        if len(self._frames) > self.game.max_plies:
            raise Refused(f"the game is longer than its maximum of {self.game.max_plies} moves")
        if mover not in (rules.FIRST, rules.SECOND):
            raise Refused(f"the rules name player {mover} to move")
        moves = self.rules.legal(state)
        chooses = mover == claim.player
        choice = strategy.visit(state, moves, chooses)
        if chooses:
            if not 0 <= choice < len(moves):
                raise Refused(f"move number {choice} of {len(moves)} is not legal")
            self.digest.node(came_by, len(moves), moves[choice])
            moves = [moves[choice]]
        else:
            self.digest.node(came_by, len(moves), ALL_MOVES)
        if self.on_progress is not None and self.nodes % PROGRESS_EVERY == 0:
            self.on_progress(self.nodes, self.max_nodes or 0)
        if self.connections and not chooses:
            steps = strategy.connect(state)
            if steps:
                self._count(len(steps))
                self.rules.connected(state, claim.player, self.budget.timed(steps))
                self.digest.connected(steps)
                return [], state, b""
        if chooses or not self.concessions:
            return moves, state, b""
        kept = strategy.keep(state, moves)
        if any(not 0 <= index < len(moves) for index in kept) or list(kept) != sorted(set(kept)):
            raise Refused(f"the moves to answer are not some of the {len(moves)}, in their order")
        if not kept:
            return moves, state, b""
        conceded = self.rules.without(state, mover, moves, kept)
        moves = [moves[index] for index in kept]
        self.digest.kept(moves)
        return moves, conceded[0], self.rules.key(conceded[0], conceded.tobytes())

    def _count(self, more: int) -> None:
        if self.max_nodes is not None and self.nodes + more > self.max_nodes:
            raise Refused(f"the proof has more than the {self.max_nodes} positions that its header gives")
        self.nodes += more

    def where(self) -> str:
        """The position that the walk has come to, in words."""
        line = [frame.move for frame in self._frames if frame.move is not None]
        if not line:
            return f"node {self.nodes}, the first position"
        try:
            state = canonical(self.root[0])[0]
            texts = []
            for move in line:
                texts.append(self.game.text(state, move))
                rules.play(state, move)
        except Exception:  # a user's game that fails here too: its moves as numbers then
            texts = [str(move) for move in line]
        return f"node {self.nodes}, after {' '.join(texts)}"


class _Frame:
    """A position on the way down, and the moves from it that are still to be followed."""

    __slots__ = ("move", "moves", "proves", "size", "state")

    def __init__(self, proves: list[bytes], state: State, moves: Iterator[int], size: int):
        self.proves = proves  # the keys of what is proven when all moves are followed
        self.state = state
        self.moves = moves
        self.move: int | None = None  # the one that is being followed
        self.size = size  # bytes, in round numbers


def canonical(state: State) -> np.ndarray:
    """An array of one record with the state's fields, and zeros in the gaps between them.

    Rules write only fields and copies keep the gaps, so from here on equal positions have equal bytes.
    """
    array = np.zeros(1, state.dtype)
    for name in state.dtype.names or ():
        array[name] = state[name]
    return array


# -- certificates ----------------------------------------------------------------------------------------------------
class Choices:
    """The strategies of a certificate: hands out its choices one by one."""

    def __init__(self, choices: tuple[int, ...]):
        self.choices = choices
        self.used = 0

    def begin(self, claim: Claim, game_rules: PlainRules) -> None:
        """Called before the walk of each claim."""

    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        return self._next() if chooses else ALL_MOVES

    def keep(self, state: State, moves: Sequence[int]) -> Sequence[int]:
        count = self._next()
        if count >= len(moves):
            raise Refused(f"{count} of {len(moves)} moves to answer are named: it must be fewer, or none for all")
        return [self._next() for _ in range(count)]

    def connect(self, state: State) -> Sequence[LinkStep]:
        steps = []
        for _ in range(self._next()):
            count, kind = divmod(self._next(), KINDS)
            steps.append(LinkStep(kind, tuple(self._next() for _ in range(count))))
        return steps

    def _next(self) -> int:
        if self.used == len(self.choices):
            raise Refused("the proof ends before this position is proven")
        self.used += 1
        return self.choices[self.used - 1]


def claims_of(game: Game, lower: int, upper: int) -> list[Claim]:
    """What must be proven for lower <= value <= upper; the ends of the game's range need no proof."""
    lowest, highest = game.outcomes
    claims = []
    if lower > lowest:
        claims.append(Claim(rules.FIRST, lower))
    if upper < highest:
        claims.append(Claim(rules.SECOND, upper))
    return claims


def check_certificate(
    path: str | Path,
    game: Game | str | None = None,
    allow_bounds: bool = True,
    allow_symmetry: bool = True,
    allow_concessions: bool = True,
    allow_connections: bool = True,
    on_progress: Progress | None = None,
    budget: Budget | None = None,
) -> Verdict:
    """Checks a certificate file. A file that is none, or is damaged, is a UserError; a proof that fails is a verdict.

    `game` must be given for a user's own game, and must be the very game that the certificate was written for: a file never
    makes code run. `allow_bounds=False` refuses proofs that rely on bounds given by the rules, `allow_symmetry=False` those
    that rely on the game's symmetries, `allow_concessions=False` those that rely on concessions, and `allow_connections=False`
    those that rely on connections. A file that announces or takes more than the `budget` is a UserError too.
    """
    budget = budget or Budget()
    certificate = read_certificate(path, budget)
    choices = Choices(certificate.choices)
    allowed = allow_bounds, allow_symmetry, allow_concessions, allow_connections
    return check_choices(certificate, choices, path, game, *allowed, on_progress, budget)


def check_choices(
    certificate: Certificate,
    strategy: Choices,
    path: str | Path,
    game: Game | str | None = None,
    allow_bounds: bool = True,
    allow_symmetry: bool = True,
    allow_concessions: bool = True,
    allow_connections: bool = True,
    on_progress: Progress | None = None,
    budget: Budget | None = None,
) -> Verdict:
    """The same for a certificate that was read already; `path` is what messages call it."""
    header, budget = certificate.header, budget or Budget()

    def verdict(valid: bool, reason: str, nodes: int = 0) -> Verdict:
        name = shortened(header.game, LONGEST_NAME)
        return Verdict(valid, reason, name, header.moves, header.lower, header.upper, nodes, found)

    found = walk = None
    try:
        same = _find_same_game(path, header, game)
        _check_claim(same, header)
        found = same
        budget.admit(str(path), header.nodes, certificate.packed, found.players)
        root = _find_position(found, header, budget)
        if header.initial_bounds and not allow_bounds:
            raise Refused("the proof relies on bounds that the rules give, and these are not allowed here")
        if header.symmetry and not allow_symmetry:
            raise Refused("the proof relies on symmetries of the game, and these are not allowed here")
        if header.concessions and not allow_concessions:
            raise Refused("the proof relies on concessions, and these are not allowed here")
        if header.connections and not allow_connections:
            raise Refused("the proof relies on connections, and these are not allowed here")
        if header.symmetry and not found.has_symmetries:
            raise Refused("the proof relies on symmetries, and the game has none")
        digest = WalkDigest()
        plain_rules = PlainRules(found, header.initial_bounds, header.symmetry)
        walk = Walk(found, root, plain_rules, digest, header.nodes, header.concessions, header.connections, budget)
        walk.on_progress = on_progress
        with np.errstate(over="ignore"):
            for claim in claims_of(found, header.lower, header.upper):
                strategy.begin(claim, walk.rules)
                walk.prove(claim, strategy)
    except Refused as refusal:
        at = f"{walk.where()}: " if walk is not None else ""
        return verdict(False, f"{at}{refusal}", walk.nodes if walk is not None else 0)
    except (UserError, MemoryError):
        raise
    except Exception as error:
        at = f" ({walk.where()})" if walk is not None else ""
        raise GameError(f"the rules of {shortened(header.game)} fail{at}: {type(error).__name__}: {error}") from error
    left = len(strategy.choices) - strategy.used
    if left:
        return verdict(False, f"there are {left} choices after the end of the proof", walk.nodes)
    if walk.nodes != header.nodes:
        return verdict(False, f"the proof goes through {walk.nodes} positions, not the {header.nodes} announced", walk.nodes)
    if digest.finish(header) != header.walk:
        return verdict(False, "this is not the proof that was written: the digest of its positions differs", walk.nodes)
    return verdict(True, "", walk.nodes)


def _find_same_game(path: str | Path, header: Header, named: Game | str | None) -> Game:
    """The game that the certificate is about: one of the package, or the one that was named if it is the same."""
    is_users_own = bool(header.source) or is_path(header.game)
    shown = shortened(header.game)
    if named is None:
        if is_users_own:
            raise UserError(
                f"{path} is a certificate of {shown}, a user's own game: "
                f"name the game to check it by, as in --game path/to/{shortened(header.game.rpartition('/')[2])}"
            )
        try:
            return find_built_in(header.game)
        except UserError as error:
            raise UserError(f"{path}: {error}") from None
    game = find_game(named) if isinstance(named, str) else named
    if is_users_own != bool(game.source):
        kind = "a user's own game" if is_users_own else "a game of the package"
        raise Refused(f"the certificate is about {shown}, {kind}, not about {game.name}")
    if not is_users_own:
        if game.name != header.game:
            raise Refused(f"the certificate is about {shown}, not about {game.name}")
        return game
    digest = source_digest(game.source)
    if digest != header.source:
        raise Refused(
            f"the certificate was written for another version of {shown}: "
            f"its source had the digest {shortened(header.source, 12)}, {game.name} has {digest[:12]}"
        )
    if game.name.rpartition(":")[2] != header.game.rpartition(":")[2]:
        raise Refused(f"the certificate is about {shown}, not about {game.name}")
    return game


def _find_position(game: Game, header: Header, budget: Budget) -> State:
    try:
        return game.state_after(budget.timed(header.moves))
    except OverBudget:
        raise
    except UserError as error:
        raise Refused(f"the moves to the position are not legal: {error}") from None


def _check_claim(game: Game, header: Header) -> None:
    lowest, highest = game.outcomes
    if not lowest <= header.lower <= header.upper <= highest:
        raise Refused(
            f"the claim {_shown(header.lower)} .. {_shown(header.upper)} is not within the game's range {lowest} .. {highest}"
        )


def _shown(number: int) -> str:
    return str(number) if abs(number) < 10**20 else "a huge number"
