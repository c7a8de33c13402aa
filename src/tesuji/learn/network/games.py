"""The games that a network learns from: their moves one after the other, in a file of the run's folder.

Positions are not stored. A sample is replayed from the start of its game: that takes microseconds, a step of learning
milliseconds. So the file is as small as it can be, and whatever is in it is checked against the rules when it is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.container import SealedFormat, damaged, open_sealed, write_sealed
from tesuji.core.dispatch import kernel
from tesuji.core.errors import UserError, shortened
from tesuji.core.files import FileKind
from tesuji.core.game import Game
from tesuji.core.numba.registration import compiled
from tesuji.knowledge.network.file import game_word
from tesuji.learn.records import EXACT_VALUES, Collection, RecordedGame

KIND = FileKind("games to learn a network from", (b"tesuji games ",), 1 << 32)
FORMAT = SealedFormat(KIND, 3, "has games for", "tesuji learn network GAME RECORDS --run FOLDER")
FIRST_WON, DRAWN, SECOND_WON, NO_RESULT = 0, 1, 2, 3
EVERY = 12  # every twelfth game is held out
NO_VALUE = -1.0
SUM_ERROR = 1e-3  # of shares, by rounding
MOST_GAMES, MOST_MOVES, MOST_VARIANTS = 1 << 24, 1 << 30, 1 << 12


@dataclass(frozen=True, eq=False)
class Games:
    """`variants` are the boards and rules that occur. Game n is one of variants[variant[n]]; its moves begin at first[n].

    Where a program's search chose a move, what that found is known too: of moves[p] the result that it expected, values[p], and
    the shares of its visits, from first_target[p] on.
    """

    variants: tuple[Game, ...]
    variant: np.ndarray  # int32
    result: np.ndarray  # int8: FIRST_WON ...
    first: np.ndarray  # int64, one more than there are games
    moves: np.ndarray  # int32
    values: np.ndarray  # float32 a move: from 0 to 1 for the player to move; NO_VALUE = it is not known
    proven: np.ndarray  # bool a move: the value is exact, one of EXACT_VALUES
    first_target: np.ndarray  # int64, one more than there are moves
    targets: np.ndarray  # int32: moves
    shares: np.ndarray  # float32, parallel to targets: of the visits; the sum for each position is 1

    @property
    def count(self) -> int:
        return len(self.variant)

    @property
    def positions(self) -> int:
        return len(self.moves)

    @property
    def starts(self) -> np.ndarray:
        """The record in which each variant begins."""
        starts = np.zeros(len(self.variants), self.variants[0].initial.dtype)
        for number, variant in enumerate(self.variants):
            starts[number] = variant.initial
        return starts

    @property
    def teaches(self) -> np.ndarray:
        """Which moves teach: all but those that were drawn at random before the searches of a game began."""
        game = np.repeat(np.arange(self.count), np.diff(self.first))
        searched = np.zeros(self.count, np.bool_)
        searched[game[self.values != NO_VALUE]] = True
        return ~searched[game] | (self.values != NO_VALUE)

    @property
    def held_out(self) -> np.ndarray:
        """Which games are only measured on."""
        return np.arange(self.count) % EVERY == 0


def network_game(game: Game) -> Game:
    """The game, if networks can learn it."""
    if game.encoding is None:
        raise UserError(f"{game.name} does not say what a network sees of it (rules.planes), so there is nothing to learn")
    if game.players != 2:
        raise UserError(f"{game.name} is a puzzle: networks learn games of two")
    return game


def games_of(game: Game, collection: Collection, distinct: bool = True) -> Games:
    """The games of records. `distinct`: of games with the same moves on the same board one is taken, or one might be learned
    and the other held out."""
    network_game(game)
    variants: dict[str, int] = {}
    played: list[Game] = []
    seen: set[tuple[tuple[int, ...], bytes]] = set()
    chosen: list[tuple[int, RecordedGame]] = []
    for one in collection.games:
        variant = one.game or game
        if variant.encoding is None or variant.initial.dtype != game.initial.dtype:
            collection.refused.append(f"{one.label}: a network of {game.name} cannot see {variant.name}")
            continue
        key = (variant.encoding.shape, np.array(one.moves, np.int32).tobytes())
        if distinct and key in seen:
            continue
        seen.add(key)
        if variant.name not in variants:
            variants[variant.name] = len(played)
            played.append(variant)
        chosen.append((variants[variant.name], one))
    if len(chosen) < 2 and distinct:
        raise UserError(f"{len(chosen)} different games of {game.name} are too few: one is held out, so two are the least")
    searches = [search for _, one in chosen for search in (one.searches or (None,) * len(one.moves))]
    shares = [share for search in searches if search is not None for share in search.shares]
    games = Games(
        variants=tuple(played),
        variant=np.array([variant for variant, _ in chosen], np.int32),
        result=np.array([_result(played[variant], one.outcome) for variant, one in chosen], np.int8),
        first=_offsets([len(one.moves) for _, one in chosen]),
        moves=np.concatenate([np.array(one.moves, np.int32) for _, one in chosen]),
        values=np.array([NO_VALUE if search is None else search.value for search in searches], np.float32),
        proven=np.array([search is not None and search.proven for search in searches], np.bool_),
        first_target=_offsets([0 if search is None else len(search.shares) for search in searches]),
        targets=np.array([move for move, _ in shares], np.int32),
        shares=np.array([share for _, share in shares], np.float32),
    )
    if shares or not distinct:  # games of a run come from its file as they are
        _check_legal(games, "the records")
    return games


def _offsets(lengths: Sequence[int] | np.ndarray) -> np.ndarray:
    """Where each of several pieces begins, and where the last ends."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _result(game: Game, outcome: int | None) -> int:
    if outcome is None:
        return NO_RESULT
    winner = game.winner(outcome, outcome)
    return FIRST_WON if winner == rules.FIRST else SECOND_WON if winner == rules.SECOND else DRAWN


# -- the file ------------------------------------------------------------------------------------------------------------------
def save_games(path: str | Path, games: Games) -> None:
    header = {
        "variants": [one.name_without_folder for one in games.variants],
        "games": games.count,
        "moves": games.positions,
        "targets": len(games.targets),
    }
    arrays = [games.variant.astype("<i4"), games.result, np.diff(games.first).astype("<i4"), games.moves.astype("<i4")]
    arrays += [games.values.astype("<f4"), games.proven.astype("i1"), np.diff(games.first_target).astype("<i4")]
    arrays += [games.targets.astype("<i4"), games.shares.astype("<f4")]
    write_sealed(path, FORMAT, header, arrays)


def load_games(path: str | Path, game: Game) -> Games:
    """The games of such a file, if they are of this game and legal."""
    network_game(game)
    with open_sealed(path, FORMAT) as (header, body):
        names = header.get("variants")
        if not isinstance(names, list) or not 1 <= len(names) <= MOST_VARIANTS or not all(isinstance(n, str) for n in names):
            raise damaged(path)
        count, total = _number(header.get("games"), 2, MOST_GAMES, path), _number(header.get("moves"), 2, MOST_MOVES, path)
        wanted = _number(header.get("targets"), 0, MOST_MOVES, path)
        variants = tuple(_variant(game, name, path) for name in names)
        body.check_size(9 * count + 13 * total + 8 * wanted)
        variant = body.read(np.dtype("<i4"), count).astype(np.int32)
        result = body.read(np.dtype("i1"), count)
        lengths = body.read(np.dtype("<i4"), count).astype(np.int64)
        moves = body.read(np.dtype("<i4"), total).astype(np.int32)
        values = body.read(np.dtype("<f4"), total).astype(np.float32)
        proven = body.read(np.dtype("i1"), total)
        target_counts = body.read(np.dtype("<i4"), total).astype(np.int64)
        targets = body.read(np.dtype("<i4"), wanted).astype(np.int32)
        shares = body.read(np.dtype("<f4"), wanted).astype(np.float32)
        body.end()
    if lengths.min() < 1 or lengths.sum() != total or not _within(variant, len(names)) or not _within(result, NO_RESULT + 1):
        raise damaged(path)
    if target_counts.min() < 0 or target_counts.sum() != wanted or np.any((target_counts > 0) != (values != NO_VALUE)):
        raise damaged(path)
    in_range = (values == NO_VALUE) | ((values >= 0.0) & (values <= 1.0))
    first_target = _offsets(target_counts)
    sums = np.add.reduceat(np.append(shares, 0.0), first_target[:-1])[target_counts > 0]
    if not _within(proven, 2) or not np.all(np.isin(values[proven == 1], EXACT_VALUES)):
        raise damaged(path)
    if not np.all(in_range) or not np.all(shares >= 0.0) or not np.all(np.abs(sums - 1.0) < SUM_ERROR):
        raise damaged(path)
    searched = values, proven.astype(np.bool_), first_target, targets, shares
    games = Games(variants, variant, result, _offsets(lengths), moves, *searched)
    _check_legal(games, path)
    return games


def _number(value: Any, least: int, most: int, path: str | Path) -> int:
    if type(value) is not int or not least <= value <= most:
        raise damaged(path)
    return value


def _within(numbers: np.ndarray, end: int) -> bool:
    return bool(numbers.min() >= 0 and numbers.max() < end)


def _variant(game: Game, name: str, path: str | Path) -> Game:
    """A variant by its name. Names in files load no code: a user's game is the one that the command names."""
    from tesuji.games.registry import find_game

    if name == game.name_without_folder:
        return game
    if game.source or name.partition(":")[0] != game_word(game):
        raise UserError(f"{path} has games of {shortened(name)}, not of {game.name}")
    variant = find_game(name)
    assert game.encoding is not None
    if variant.encoding is None or variant.initial.dtype != game.initial.dtype:
        raise UserError(f"{path} has games of {shortened(name)}, which a network of {game.name} cannot see")
    return variant


@kernel
def legal_plies(states, starts, variant, first, moves, first_target, targets, buffer, plies):
    """How many of the moves of each game are legal, one after the other, and those that a search visited in their place."""
    for game in range(len(variant)):
        states[0] = starts[variant[game]]
        plies[game] = 0
        for at in range(first[game], first[game + 1]):
            if rules.is_over(states[0]):
                break
            count = rules.moves(states[0], buffer)
            if not is_among(moves[at], buffer, count):
                break
            visited = True
            for target in range(first_target[at], first_target[at + 1]):
                visited = visited and is_among(targets[target], buffer, count)
            if not visited:
                break
            rules.play(states[0], moves[at])
            plies[game] += 1


@kernel
def is_among(move, buffer, count):
    for i in range(count):
        if buffer[i] == move:
            return True
    return False


def _check_legal(games: Games, path: str | Path) -> None:
    states, plies = np.zeros(1, games.variants[0].initial.dtype), np.zeros(games.count, np.int64)
    buffer = move_buffer(games.variants)
    with np.errstate(over="ignore"):
        arrays = (games.variant, games.first, games.moves, games.first_target, games.targets)
        compiled(legal_plies)(states, games.starts, *arrays, buffer, plies)
    wrong = np.flatnonzero(plies != np.diff(games.first))
    if len(wrong):
        raise UserError(f"{path}: game {wrong[0] + 1}, move {plies[wrong[0]] + 1}: it, or a move visited there, is not legal")


def move_buffer(variants: Sequence[Game]) -> np.ndarray:
    return np.zeros(max(one.buffer_size for one in variants), np.int32)
