"""The certificate of a proof: all strategies are written by one walk, which is the one that will check them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.sources import source_digest
from tesuji.proof.trusted.claims import Claim, Refused, claims_of
from tesuji.proof.trusted.format import Certificate, Header, encode_choices
from tesuji.proof.trusted.walk import Strategy, Walk


class WrittenStrategy(Strategy, Protocol):
    choices: list[int]  # that it has made


def certificate_of(
    walk: Walk, moves: Sequence[int], lower: int, upper: int, strategy_of: Callable[[Claim], WrittenStrategy]
) -> Certificate:
    """The certificate of lower <= value <= upper for the position after `moves`, the root of the walk; bounds are for player 0.

    `strategy_of` makes the strategy for a claim. A UserError if one of them does not prove its claim.
    """
    game = walk.rules.game
    choices: list[int] = []
    with np.errstate(over="ignore"):
        for claim in claims_of(game, lower, upper):
            strategy = strategy_of(claim)
            try:
                walk.prove(claim, strategy)
            except RecursionError:
                raise UserError(f"no certificate: the proof of {claim} goes too deep to be written down") from None
            except Refused as refusal:
                raise UserError(f"no certificate: the proof of {claim} fails ({walk.where()}): {refusal}") from None
            choices += strategy.choices
    header = Header(
        game=game.name,
        moves=tuple(moves),
        lower=lower,
        upper=upper,
        initial_bounds=walk.bounded > 0,
        source=source_digest(game.source),
        nodes=walk.nodes,
        choices_size=len(encode_choices(choices)),
        walk="",
        symmetry=walk.images > 0,
        connections=walk.connections,
    )
    return Certificate(replace(header, walk=walk.digest.finish(header)), tuple(choices))
