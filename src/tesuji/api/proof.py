"""Solving a position, and the certificate of the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tesuji.api.naming import player as find_player
from tesuji.core.arguments import file_name
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import is_pure
from tesuji.players.player import Player
from tesuji.players.proving import prover
from tesuji.players.search import Search, position_of
from tesuji.search.engine.canonical import analysis_by_image, canonical_image
from tesuji.search.report.analysis import Analysis

if TYPE_CHECKING:
    from tesuji.core.position import Position
    from tesuji.lab.cluster.proof_tree import ProofTree

Progress = Callable[[int, int], object]
JSON_KEYS = ("game", "outcome", "lower", "upper", "playouts", "nodes", "seconds", "best_move", "proven", "interrupted")
JSON_KEYS += ("full", "to_move")


@dataclass(frozen=True, repr=False)
class Proof(Analysis):
    """What is proven of a position: what the bounds say. `proven`: all that the solver asks for is known, that is the outcome,
    or with `solver=win-loss` who wins.

    `value` is the outcome with perfect play, for the first player in the game's own units; None if it is not known exactly.
    """

    value: float | None  # pyright: ignore[reportIncompatibleVariableOverride]
    search: Search = field(kw_only=True, compare=False)

    @classmethod
    def of(cls, analysis: Analysis, search: Search, **more: Any) -> Self:
        """The proof that an analysis holds, whose certificate is written from the search."""
        lower, upper = analysis.bounds
        values = {one.name: getattr(analysis, one.name) for one in fields(Analysis)}
        return cls(**{**values, "value": lower if lower == upper else None, **more}, search=search)

    def __repr__(self) -> str:
        return f"<Proof of {self.position!r}: {self.summary()}>"

    def summary(self) -> str:
        """What is proven, in words."""
        return self.proof or "nothing is proven"

    def save(self, path: str | Path, on_progress: Progress | None = None) -> int:
        """Writes a certificate of what is proven, for `tesuji.verify`. Returns the number of positions in it."""
        from tesuji.proof.write.writer import write_certificate

        name, engine = file_name(path), self.search.tree_search("there is no certificate")
        searched, _ = canonical_image(self.position)

        def work(send: Callable[[Any], None]) -> int:
            if self.search.position not in (self.position, searched):
                raise UserError("no certificate: the search has moved on to another position")
            moves = self.position.move_numbers
            written = write_certificate(engine, name, moves=moves, on_progress=lambda done, total: send((done, total)))
            return int(written["nodes"])

        return self.search.in_thread(work, None if on_progress is None else lambda counts: on_progress(*counts))

    def to_json(self) -> dict[str, Any]:
        """The keys of `tesuji solve --json` that come from the search."""
        known = {**super().to_json(), "outcome": self.outcome}
        return {key: known[key] for key in JSON_KEYS}


@dataclass(frozen=True, repr=False)
class ClusterProof(Proof):
    """What the machines of a cluster have proven of a position."""

    tree: ProofTree = field(kw_only=True, compare=False)

    def save(self, path: str | Path, on_progress: Progress | None = None) -> int:
        from tesuji.proof.trusted.format import save_certificate

        certificate = self.tree.certificate(on_progress, is_pure())
        save_certificate(file_name(path), certificate)
        return certificate.header.nodes


def solve(
    position: Position | Game | str,
    player: str | Player | None = None,
    *,
    playouts: int | None = None,
    seconds: float | None = None,
    cpu: float | None = None,
    seed: int = 0,
    **parameters: Any,
) -> Proof:
    """Searches until the value of the position is proven or a limit is reached. `parameters` are those of the player.

    Without limits those of the player apply; if it has none either, only a proof ends the search.
    """
    position = position_of(position)
    player = find_player(prover(position.game, parameters) if player is None else player, **parameters)
    search = proving_search(player, position, seed)
    limits = Limits(seconds, playouts, cpu)
    return proof_of(position, search.run_within(player.limits if limits == Limits() else limits), search)


def proving_search(player: Player, position: Position, seed: int, by_image: bool = True) -> Search:
    """A search by this player; an error if its settings cannot prove anything.

    Where the game has symmetries, the search is one of the image that stands for all images of the position, unless `by_image`
    or the player's `symmetry` is off. `proof_of` translates its results back.
    """
    settings = player.settings_for(position.game)
    if settings.get("solver") == "off":
        raise UserError("solver=off proves nothing; solve needs solver=bounds or solver=win-loss")
    by_image = by_image and not player.alphabeta and bool(settings.get("symmetry", False))
    return player.search(canonical_image(position)[0] if by_image else position, seed)


def proof_of(position: Position, analysis: Analysis, search: Search) -> Proof:
    """The proof of the position by a search of it, or of the image that stands for all of its images."""
    if search.position == position:
        return Proof.of(replace(analysis, position=position), search)
    image, number = canonical_image(position)
    return Proof.of(analysis_by_image(position, image, number, analysis), search)
