"""Openings: from a file, or some random moves. Opening k serves the k-th pair of games of every pairing."""

from __future__ import annotations

import hashlib
import random
import re

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.files import FileKind, read_unpacked
from tesuji.core.game import Game, copy_state
from tesuji.io.sgf import decode, load_sgf, read_record

OPENINGS_FILE = FileKind("a file of openings", (b"#",), 64 << 20)
SGF_NAMES = (".sgf", ".sgfs", ".sgf.gz", ".sgfs.gz")
SGF_BEGINS = re.compile(r"\s*\(\s*;")
TRIES = 100  # at an opening that has not been there yet
NOTHING: tuple[int, ...] = ()
Opening = tuple[int, ...]


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
        if not record.is_plain or record.start.tobytes() != game.initial.tobytes():
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


def digest(openings: list[Opening]) -> str:
    return hashlib.sha256(repr(openings).encode()).hexdigest() if openings else ""


class Openings:
    """Opening k of a match. Random ones are made in order, each unlike those before it where that is possible."""

    def __init__(self, game: Game, listed: list[Opening], random_plies: int, seed: int):
        self._game = game
        self._listed = listed
        self._plies = random_plies
        self._seed = seed
        self.made: list[Opening] = []  # random openings; a match that goes on brings those that it has
        self._seen: set[Opening] = set()

    def take_made(self, made: list[Opening]) -> None:
        self.made = list(made)
        self._seen = set(made)

    def __getitem__(self, number: int) -> Opening:
        if self._listed:
            return self._listed[number % len(self._listed)]
        if not self._plies:
            return NOTHING
        while len(self.made) <= number:
            chance = random.Random(f"{self._seed}/opening/{len(self.made)}")
            opening = next(
                (found for _ in range(TRIES) if (found := self._random(chance)) not in self._seen), None
            ) or self._random(chance)
            self._seen.add(opening)
            self.made.append(opening)
        return self.made[number]

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
