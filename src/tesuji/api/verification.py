"""Checking a certificate. Like the checker itself, this imports the games and their rules and nothing of the search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tesuji.core.arguments import file_name, game_object, seconds_number, whole
from tesuji.core.game import Game
from tesuji.core.words import bounds_text, move_texts
from tesuji.proof.budget import MEMORY, Budget
from tesuji.proof.trusted import checker

Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Verification:
    """Whether a certificate proves its claim. `moves` lead to the position that the claim is about.

    `bounds` are what it claims, in the game's own units; None if the claim is about another game than the one named.
    """

    valid: bool
    reason: str  # why it was refused; '' if it was not
    game: str
    moves: tuple[str, ...]
    bounds: tuple[float, float] | None
    proof: str  # what is proven, in words
    nodes: int  # positions that were checked

    def __bool__(self) -> bool:
        return self.valid


def verify(
    path: str | Path,
    game: str | Game | None = None,
    *,
    rule_bounds: bool = True,
    symmetry: bool = True,
    connections: bool = True,
    positions: int | None = None,
    memory: int = MEMORY,
    seconds: float | None = None,
    on_progress: Progress | None = None,
) -> Verification:
    """Checks a certificate with the rules of its game alone, in plain Python.

    A file that is no certificate, or that exceeds a limit, is an Error; a proof that does not hold is not `valid`.

    path         the certificate
    game         for a game of your own, which must be named: a file is never run because another file names it
    rule_bounds  False refuses proofs that rely on bounds given by the rules
    symmetry     False refuses proofs that rely on the game's symmetries
    connections  False refuses proofs that rely on connections
    positions    most positions that the file may announce; None = as many as a certificate of its size may have
    memory       most memory to use, in MiB
    seconds      most CPU time to use; None = as much as a certificate of its size may take
    on_progress  called with (positions checked, positions in all)
    """
    most = None if positions is None else whole("positions", positions, 1)
    budget = Budget(most, whole("memory", memory, 1), None if seconds is None else seconds_number(seconds))
    if game is not None and not isinstance(game, str):
        game_object(game)
    reliances = {"initial_bounds": rule_bounds, "symmetry": symmetry, "connections": connections}
    allowed = [name for name, is_allowed in reliances.items() if is_allowed]
    verdict = checker.check_certificate(file_name(path), game, allowed, on_progress, budget)
    of_game = verdict.rules_of
    if of_game is None:
        return Verification(False, verdict.reason, verdict.game, (), None, "", verdict.nodes)
    bounds = of_game.in_points(verdict.lower), of_game.in_points(verdict.upper)
    if not verdict.valid:
        return Verification(False, verdict.reason, of_game.name, (), bounds, "", verdict.nodes)
    moves = tuple(move_texts(of_game, of_game.initial, verdict.moves))
    return Verification(
        True, "", of_game.name, moves, bounds, bounds_text(of_game, verdict.lower, verdict.upper), verdict.nodes
    )
