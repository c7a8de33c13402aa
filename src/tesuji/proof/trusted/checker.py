"""The checker: does a certificate prove what it claims? It knows the rules and nothing of the search, and runs in plain Python.

The file holds only the choices of a strategy. The walk (walk.py) makes the positions itself, and takes the next choice when it
needs one. The package's docstring lists what must be trusted; docs/proofs.md says why that is enough.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tesuji.core.errors import GameError, UserError, shortened
from tesuji.core.game import Game, State
from tesuji.core.sources import source_digest
from tesuji.core.user_files import is_path
from tesuji.games.registry import LONGEST_NAME, find_built_in, find_game
from tesuji.proof.budget import Budget, OverBudget
from tesuji.proof.trusted.claims import Claim, Refused, claims_of
from tesuji.proof.trusted.connections import KIND_COUNT, Step
from tesuji.proof.trusted.format import Certificate, Header, read_certificate
from tesuji.proof.trusted.plain_rules import PlainRules
from tesuji.proof.trusted.walk import ALL_MOVES, Progress, Walk

# What a proof may rely on besides the course of games, by its field in the header.
RELIANCES = {
    "initial_bounds": "bounds that the rules give",
    "symmetry": "symmetries of the game",
    "connections": "connections",
}


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


class Choices:
    """The strategies of a certificate: the walk gets its choices one by one."""

    def __init__(self, choices: tuple[int, ...]):
        self.choices = choices
        self.used = 0

    def begin(self, claim: Claim, game_rules: PlainRules) -> None:
        """Called before the walk of each claim."""

    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        return self._next() if chooses else ALL_MOVES

    def connect(self, state: State) -> Sequence[Step]:
        steps = []
        for _ in range(self._next()):
            count, kind = divmod(self._next(), KIND_COUNT)
            steps.append(Step(kind, tuple(self._next() for _ in range(count))))
        return steps

    def _next(self) -> int:
        if self.used == len(self.choices):
            raise Refused("the proof ends before this position is proven")
        self.used += 1
        return self.choices[self.used - 1]


def check_certificate(
    path: str | Path,
    game: Game | str | None = None,
    allowed: Collection[str] = RELIANCES.keys(),
    on_progress: Progress | None = None,
    budget: Budget | None = None,
) -> Verdict:
    """Checks a certificate file. A file that is none, or is damaged, is a UserError; a proof that fails is a verdict.

    `game` must be given for a user's own game, and must be the very game that the certificate was written for: a file never
    makes code run. A proof that relies on what is not `allowed` (of RELIANCES) is refused. A file that announces or takes more
    than the `budget` is a UserError too.
    """
    budget = budget or Budget()
    certificate = read_certificate(path, budget)
    return check_choices(certificate, Choices(certificate.choices), path, game, allowed, on_progress, budget)


def check_choices(
    certificate: Certificate,
    strategy: Choices,
    path: str | Path,
    game: Game | str | None = None,
    allowed: Collection[str] = RELIANCES.keys(),
    on_progress: Progress | None = None,
    budget: Budget | None = None,
) -> Verdict:
    """The same for a certificate that has been read.

    certificate  what is claimed
    strategy     its choices; a subclass may record what they are while they are checked
    path         what messages call it
    game, allowed, on_progress, budget: as above
    """
    header, budget = certificate.header, budget or Budget()
    checked_by = walk = None

    def verdict(valid: bool, reason: str) -> Verdict:
        name, nodes = shortened(header.game, LONGEST_NAME), 0 if walk is None else walk.nodes
        return Verdict(valid, reason, name, header.moves, header.lower, header.upper, nodes, checked_by)

    try:
        same_game = _find_same_game(path, header, game)
        _check_claim(same_game, header)
        checked_by = same_game
        budget.admit(str(path), header.nodes, certificate.packed, same_game.players)
        root = _find_position(same_game, header, budget)
        _check_reliances(same_game, header, allowed)
        plain_rules = PlainRules(same_game, header.initial_bounds, header.symmetry)
        walk = Walk(root, plain_rules, header.nodes, header.connections, budget)
        walk.on_progress = on_progress
        with np.errstate(over="ignore"):
            for claim in claims_of(same_game, header.lower, header.upper):
                strategy.begin(claim, walk.rules)
                walk.prove(claim, strategy)
    except Refused as refusal:
        return verdict(False, f"{walk.where()}: {refusal}" if walk is not None else str(refusal))
    except (UserError, MemoryError):
        raise
    except Exception as error:
        at = f" ({walk.where()})" if walk is not None else ""
        raise GameError(f"the rules of {shortened(header.game)} fail{at}: {type(error).__name__}: {error}") from error
    left = len(strategy.choices) - strategy.used
    if left:
        return verdict(False, f"there are {left} choices after the end of the proof")
    if walk.nodes != header.nodes:
        return verdict(False, f"the proof goes through {walk.nodes} positions, not the {header.nodes} announced")
    if walk.digest.finish(header) != header.walk:
        return verdict(False, "this is not the proof that was written: the digest of its positions differs")
    return verdict(True, "")


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
        claim = f"{_shortened(header.lower)} .. {_shortened(header.upper)}"
        raise Refused(f"the claim {claim} is not within the game's range {lowest} .. {highest}")


def _check_reliances(game: Game, header: Header, allowed: Collection[str]) -> None:
    for name, what in RELIANCES.items():
        if getattr(header, name) and name not in allowed:
            raise Refused(f"the proof relies on {what}, and these are not allowed here")
    if header.symmetry and not game.has_symmetries:
        raise Refused("the proof relies on symmetries, and the game has none")


def _shortened(number: int) -> str:
    return str(number) if abs(number) < 10**20 else "a huge number"
