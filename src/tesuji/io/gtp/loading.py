"""Between GTP's record of a session and SGF files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, copy_state
from tesuji.core.records import is_same_record
from tesuji.io.gtp.protocol import GtpError
from tesuji.io.gtp.record import PLAY, SETUP, TURN, GameHistory, HistoryEntry

if TYPE_CHECKING:
    from tesuji.core.picture.board import Point
    from tesuji.io.sgf.tree import Node


def load_record(game: Game, path: str, before: int | None) -> GameHistory:
    """The first game of an SGF file, with its start, size and komi and our other rules, up to the position before the move of
    that number; to its end if there is no such move."""
    from tesuji.io.sgf import load_sgf, read_record
    from tesuji.io.sgf.tree import SGF

    def read(root: Node, played: Game | None):
        return read_record(root, path, game=played, moves=None if before is None else before - 1, own_rules=True)

    try:
        trees = load_sgf(path, replace(SGF, pipes=False))  # a pipe may never end
        if not trees:
            raise GtpError("cannot load file: there is no game in it")
        root = trees[0]
        if game.vary is None or game.sgf_number == 0:
            found = read(root, game)
        else:
            named = read_record(root, path, moves=0).game
            if named.sgf_number != game.sgf_number:
                raise GtpError(f"cannot load file: it is a game of {named.name}, not of {game.name}")
            found = read(root, fitting(game, named, root))
    except GtpError:
        raise
    except UserError as error:
        raise GtpError(f"cannot load file: {error}") from None
    return _as_session(found)


def fitting(game: Game, named: Game, root: Node) -> Game:
    """Our game with the size and the komi of the record's, `named`; with our komi if the record's is none.

    A position that our game begins with is not the record's: it is left out. If the record itself names a game that begins with
    other stones, it is that game.
    """
    from tesuji.io.sgf.conversion import PRIVATE

    if named.board is not None and game.board is not None:
        usual = game.of_size(named.board.columns, named.board.rows)
        if PRIVATE in root and _beginning(named) != _beginning(usual):
            return named
        game = game if usual == game else usual
    assert game.vary is not None
    try:
        return game.vary(komi=float(root.simple_text("KM").replace(",", ".")))
    except (UserError, ValueError):
        return game


def _beginning(game: Game) -> tuple[dict[Point, int], int]:
    """The stones that a game begins with, and who moves first."""
    assert game.board is not None
    return dict(game.board.stones(game.initial)), int(rules.to_play(game.initial))


def _as_session(found) -> GameHistory:
    game: Game = found.game
    record = GameHistory(game)
    board = game.board
    if not is_same_record(found.start, game.initial) and board is not None:
        state = copy_state(found.start)
        record.entries.append(HistoryEntry(SETUP, state, int(rules.to_play(state)), stones=dict(board.stones(state))))
    for turn in found.turns:
        if turn.move is not None:
            record.play_from(record.last, turn.move)
            continue
        state = copy_state(turn.position)
        stones = dict(board.stones(state)) if board is not None else {}
        kind = TURN if stones == record.stones() else SETUP
        record.entries.append(HistoryEntry(kind, state, turn.player, stones=stones))
    return record


def record_text(record: GameHistory, result: str = "") -> str:
    """The session as an SGF file, with the result of a game that is over."""
    from tesuji.io.sgf import sgf_text

    return sgf_text([record_node(record, result)])


def record_node(record: GameHistory, result: str = "", names: tuple[str, str] = ("", "")) -> Node:
    """The session as a game tree of SGF."""
    from tesuji.io.sgf import record_tree
    from tesuji.io.sgf.record import Record as SgfRecord
    from tesuji.io.sgf.record import Turn

    entries = record.entries
    first = 0
    while first + 1 < len(entries) and entries[first + 1].kind == SETUP:
        first += 1
    turns = [
        Turn(entry.mover, entry.move) if entry.kind == PLAY else Turn(entry.mover, None, copy_state(entry.state))
        for entry in entries[first + 1 :]
    ]
    start, handicap = copy_state(entries[first].state), _handicap(record, entries[first])
    return record_tree(SgfRecord(record.game, start, turns, black=names[0], white=names[1], result=result, handicap=handicap))


def _handicap(record: GameHistory, start: HistoryEntry) -> int:
    """The number of handicap stones that a session begins with: two or more, all of them black, and White is to move."""
    board = record.game.board
    if start.kind != SETUP or board is None or board.handicap is None or start.mover != 1:
        return 0
    stones = list((start.stones or {}).values())
    return len(stones) if len(stones) >= 2 and set(stones) == {0} else 0
