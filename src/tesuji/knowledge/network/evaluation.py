"""What a network says of one position, for people and programs: a prior of every legal move, the result that it expects, and
the score where it estimates one.
"""

from __future__ import annotations

import functools
import math
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.game import Game, State
from tesuji.core.numba.registration import compile_errors_explained, compiled
from tesuji.core.parameters import SHIPPED
from tesuji.knowledge.network.file import load_network_for, network_file
from tesuji.knowledge.network.forward import add_priors, board_network, network_room, run_network, show_position
from tesuji.knowledge.network.network import DRAW, LOSS, SCORE, WIN

MOST_BOARDS, LONGEST_BOARD = 4, 12  # what is shown of a file's own words


@dataclass(frozen=True)
class NetworkOutput:
    """What a network says, for the player to move."""

    priors: Mapping[int, float]  # of every legal move, the highest first; they sum up to 1
    win: float
    draw: float
    loss: float
    score: float | None  # in the game's own points; None if the network does not estimate it

    @property
    def chance(self) -> float:
        """The result that it expects: 1 for a win, 0 for a loss."""
        return self.win + 0.5 * self.draw


class PositionEvaluator:
    """A network of a file, ready for the positions of a game."""

    def __init__(self, game: Game, path: str | Path):
        learned = load_network_for(game, path)
        assert game.encoding is not None
        self.game = game
        self.encoding = game.encoding
        self.name = name_of(path)
        boards = learned.learned.get("boards")
        known = [str(board) for board in boards[:MOST_BOARDS]] if isinstance(boards, list) else []
        self.boards = tuple(board for board in known if len(board) <= LONGEST_BOARD and board.isascii() and board.isprintable())
        self._network = board_network(learned.network, game.encoding)
        self._room = network_room(self._network, game.encoding)
        self._lock = threading.Lock()  # there is one room

    @property
    def about(self) -> str:
        """The network in a few words: its name, and the boards that it was learned on, if this is another."""
        here = f"{self.encoding.columns}x{self.encoding.rows}"
        return self.name if not self.boards or here in self.boards else f"{self.name} (learned on {', '.join(self.boards)})"

    def evaluate(self, state: State, image: int = 0, quick: bool = False) -> NetworkOutput:
        """What it says of a position that is not over, seen in its symmetric image of that number.

        Compiled if `quick`: for many positions, or where a search compiles anyway. The numbers are the same.
        """
        moves = np.array(self.game.legal_moves(state), np.int32)
        if len(moves) == 0:
            raise UserError("the game is over in this position")
        priors = np.zeros(len(moves))
        run = compiled(evaluate_image) if quick else evaluate_image
        with self._lock, compile_errors_explained(self.game.name), np.errstate(all="ignore"):
            run(self._network, self._room, np.int64(image), state, moves, np.int64(len(moves)), priors)
            result = self._room.result.astype(np.float64)
            shares = np.exp(result[: LOSS + 1] - result[: LOSS + 1].max())
            shares /= shares.sum()
        if not (np.isfinite(shares).all() and np.isfinite(priors).all() and abs(priors.sum() - 1.0) < 1e-3):
            raise UserError(f"the numbers of the network {self.name} overflow in this position: it says nothing")
        score = None
        if len(result) > SCORE:
            score = float(result[SCORE]) * math.sqrt(self.encoding.rows * self.encoding.columns)
        ranked = sorted(zip(moves.tolist(), priors.tolist(), strict=True), key=lambda pair: -pair[1])
        return NetworkOutput(dict(ranked), float(shares[WIN]), float(shares[DRAW]), float(shares[LOSS]), score)


def evaluate_image(network, room, image, state, moves, count, priors):
    """Adds the chances of the moves to `priors`; `room.result` then holds the rest."""
    show_position(network, room, state)
    run_network(network, room, image)
    add_priors(network, room, image, state, moves, count, priors)
    return 0


def evaluator_for(game: Game, named: str = SHIPPED, how: str = "network=FILE") -> PositionEvaluator:
    """The evaluator by the network that the parameter `network` names; a UserError if there is none."""
    path = network_file(game, named, how)
    return _evaluator(game, path, _stamp(path))


def offered(game: Game, named: str = SHIPPED) -> str | None:
    """The name of the network for the game, if there is one that can be used: of the package, or of a file."""
    try:
        path = network_file(game, named)
        _check(game, path, _stamp(path))
    except UserError:
        return None
    return name_of(path)


def _stamp(path: str | Path) -> tuple[int, int]:
    """What changes with a file that is written anew; what cannot be read has none, and is no network."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return 0, 0
    return status.st_size, status.st_mtime_ns


# A network is read once, and again if its file has changed.
@functools.lru_cache(maxsize=4)
def _evaluator(game: Game, path: str | Path, _version: tuple[int, int]) -> PositionEvaluator:
    return PositionEvaluator(game, path)


@functools.lru_cache(maxsize=64)
def _check(game: Game, path: str | Path, _version: tuple[int, int]) -> None:
    load_network_for(game, path)


def name_of(path: str | Path) -> str:
    return Path(path).name.removesuffix(".network")
