"""One image for all: a position that has symmetries is solved as the one of its images that stands for them.

Moves that look alike are tried in some order, and what is known of a position may depend on how its cells are numbered. So two
images of one position may take a search very different times. If it is always given the same one, they take the same.
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


def image_for_all(position: Position) -> tuple[Position, int]:
    """The image that stands for all, and its number: the one whose sorted list of legal moves comes last.

    0: the position itself, also where a move of that image has no partner: rules may have images of some positions alone.
    """
    game, state = position.game, position.state
    count = int(rules.symmetries(state)) if game.has_symmetries and not position.is_over else 1
    images = [turned(state, number) for number in range(count)]

    def order(number: int) -> tuple[list[int], int, int]:
        key = int(rules.position_hash(images[number])) if game.shares_bounds else 0
        return sorted(game.legal_moves(images[number])), key, -number

    with np.errstate(over="ignore"):  # hashes wrap, on purpose
        number = max(range(count), key=order)
    image = Position(game, images[number])
    whole = number > 0 and len(partners(position, image, number)) == len(image.legal_moves)
    return (image, number) if whole else (position, 0)


def turned(state: State, number: int) -> State:
    """The image of that number."""
    image = copy_state(state)
    rules.image(state, number, image)
    return image


def partners(position: Position, image: Position, number: int) -> dict[str, Position]:
    """By move of the image of that number: the position after the move that it is the image of, where there is one.

    Equal records are partners. For other moves it is enough that what follows means the same, as records may hold what does
    not matter for the game.
    """
    own = [position.play(move) for move in position.legal_moves]
    theirs = {move: image.play(move) for move in image.legal_moves}
    found: dict[str, Position] = {}
    for key in (_record, _meaning):
        known: dict[Any, list[Position]] = {}
        for after in own:
            known.setdefault(key(after, number), []).append(after)
        for move, after in theirs.items():
            same = known.get(key(after, 0)) if move not in found else None
            if same:
                found[move] = same.pop(0)
                own = [other for other in own if other is not found[move]]
    return found


def _record(position: Position, number: int) -> bytes | None:
    """The image of that number, if the rules have one."""
    has_image = number < int(rules.symmetries(position.state))
    return record_bytes(turned(position.state, number)) if has_image else None


def _meaning(position: Position, number: int) -> Any:
    """Of games that are over, the outcome; of others what knows the image, if the rules have one."""
    if position.is_over:
        return f"over with {rules.outcome(position.state)}"
    record = _record(position, number)
    if record is None or not position.game.shares_bounds:
        return record
    with np.errstate(over="ignore"):
        return int(rules.position_hash(turned(position.state, number)))


def analysis_by_image(position: Position, image: Position, number: int, found: Analysis) -> Analysis:
    """What was found of the image of that number, as moves of the position."""

    def own(line: Sequence[str]) -> tuple[str, ...]:
        return line_by_image(position, image, number, line)

    moves = tuple(replace(one, move=own([one.move])[0], line=own(one.line)) for one in found.moves)
    return replace(found, position=position, moves=moves, best=None if found.best is None else own([found.best])[0])


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
