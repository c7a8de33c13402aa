"""The canonical image of a position: of all its mirrored and rotated images, the one that is solved in place of any of them.

Moves that look alike are tried in some order, and what the policy knows of a position may depend on how its cells are numbered.
So a search may need very different times for two images of one position. As it always solves the canonical image, the times are
the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.game import State, copy_state
from tesuji.core.position import Position
from tesuji.core.records import record_bytes
from tesuji.search.report.analysis import Analysis


def canonical_image(position: Position) -> tuple[Position, int]:
    """The canonical image and its number: the image whose sorted list of legal moves comes last.

    Number 0 is the position itself. It is also the answer where a move of the image has no partner: the rules may define images
    for some positions only.
    """
    game, state = position.game, position.state
    count = int(rules.symmetries(state)) if game.has_symmetries and not position.is_over else 1
    images = [image_of(state, number) for number in range(count)]

    def order(number: int) -> tuple[list[int], int, int]:
        key = int(rules.position_hash(images[number])) if game.shares_bounds else 0
        return sorted(game.legal_moves(images[number])), key, -number

    with np.errstate(over="ignore"):  # hashes wrap, on purpose
        number = max(range(count), key=order)
    image = Position(game, images[number])
    whole = number > 0 and len(partners(position, image, number)) == len(image.legal_moves)
    return (image, number) if whole else (position, 0)


def image_of(state: State, number: int) -> State:
    """The image of that number."""
    image = copy_state(state)
    rules.image(state, number, image)
    return image


def partners(position: Position, image: Position, number: int) -> dict[str, Position]:
    """For each move of the image: the position after the move of `position` that corresponds to it, where there is one.

    Moves correspond if they lead to equal records. For the others it is enough that the positions mean the same, as records may
    hold what does not matter for the game.
    """
    own = [position.play(move) for move in position.legal_moves]
    theirs = {move: image.play(move) for move in image.legal_moves}
    partner_of: dict[str, Position] = {}
    for key in (_record, _meaning):
        by_key: dict[Any, list[Position]] = {}
        for after in own:
            by_key.setdefault(key(after, number), []).append(after)
        for move, after in theirs.items():
            same = by_key.get(key(after, 0)) if move not in partner_of else None
            if same:
                partner_of[move] = same.pop(0)
                own = [other for other in own if other is not partner_of[move]]
    return partner_of


def _record(position: Position, number: int) -> bytes | None:
    """The image of that number, if the rules have one."""
    has_image = number < int(rules.symmetries(position.state))
    return record_bytes(image_of(position.state, number)) if has_image else None


def _meaning(position: Position, number: int) -> Any:
    """Of a game that is over the outcome, of another the hash of the image or its record, if the rules have that image."""
    if position.is_over:
        return f"over with {rules.outcome(position.state)}"
    record = _record(position, number)
    if record is None or not position.game.shares_bounds:
        return record
    with np.errstate(over="ignore"):
        return int(rules.position_hash(image_of(position.state, number)))


def analysis_by_image(position: Position, image: Position, number: int, analysis: Analysis) -> Analysis:
    """The analysis of the image of that number, with the moves of the position itself."""

    def own(line: Sequence[str]) -> tuple[str, ...]:
        return line_by_image(position, image, number, line)

    moves = tuple(replace(one, move=own([one.move])[0], line=own(one.line)) for one in analysis.moves)
    best = None if analysis.best is None else own([analysis.best])[0]
    return replace(analysis, position=position, moves=moves, best=best)


def line_by_image(position: Position, image: Position, number: int, line: Sequence[str]) -> tuple[str, ...]:
    """The moves of the position whose images are those of a line from its image, as far as there are any."""
    moves = []
    for text in line:
        after = partners(position, image, number).get(text)
        if after is None:
            break
        position, image = after, image.play(text)
        moves.append(position.moves[-1])
    return tuple(moves)
