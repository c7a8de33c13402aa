"""One image for all: a position that has symmetries is solved as the one of its images that stands for them.

Moves that look alike are tried in some order, and what is known of a position may depend on how its cells are numbered. So two
images of one position may take a search very different times. If it is always given the same one, they take the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tesuji.core import rules
from tesuji.core.game import State, copy_state
from tesuji.core.position import Position
from tesuji.search.analysis import Analysis


def image_for_all(position: Position) -> tuple[Position, int]:
    """The image that stands for all, that with the last legal moves, and its number; 0: the position itself."""
    game, state = position.game, position.state
    count = int(rules.symmetries(state)) if game.has_symmetries and not position.is_over else 1
    images = [turned(state, number) for number in range(count)]

    def order(number: int) -> tuple[list[int], int, int]:
        key = int(rules.position_hash(images[number])) if game.shares_bounds else 0
        return sorted(game.legal_moves(images[number])), key, -number

    with np.errstate(over="ignore"):  # hashes wrap, on purpose
        number = max(range(count), key=order)
    return (Position(game, images[number]), number) if number > 0 else (position, 0)


def turned(state: State, number: int) -> State:
    """The image of that number."""
    image = copy_state(state)
    rules.image(state, number, image)
    return image


def bytes_of(state: State) -> bytes:
    """The fields of a record: the gaps between them do not count."""
    return b"".join(np.asarray(state[name]).tobytes() for name in state.dtype.names or ())


def analysis_by_image(position: Position, image: Position, number: int, found: Analysis) -> Analysis:
    """What was found of the image of that number, as moves of the position."""

    def own(line: Sequence[str]) -> tuple[str, ...]:
        return line_by_image(position, image, number, line)

    moves = tuple(replace(one, move=own([one.move])[0], line=own(one.line)) for one in found.moves)
    return replace(found, position=position, moves=moves, best=None if found.best is None else own([found.best])[0])


def line_by_image(position: Position, image: Position, number: int, line: Sequence[str]) -> tuple[str, ...]:
    """The moves of the position whose images are those of a line from its image."""
    moves = []
    for text in line:
        image = image.play(text)
        wanted = bytes_of(turned(image.state, 0))
        ways = (position.play(move) for move in position.legal_moves)
        position = next(after for after in ways if bytes_of(turned(after.state, number)) == wanted)
        moves.append(position.moves[-1])
    return tuple(moves)
