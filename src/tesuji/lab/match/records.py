"""A match game as an SGF record, and the games of an SGF file as openings."""

from __future__ import annotations

from collections.abc import Sequence

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.io.sgf import Record, load_sgf, read_record, record_tree, sgf_text


def record_of(game: Game, moves: Sequence[int], names: tuple[str, str], result: str, comment: str) -> str:
    """The game as SGF text: whether it went to its end or not, and why not."""
    record = Record(game, black=names[0], white=names[1], result=result, comment=comment)
    state = game.new_state()
    for move in moves:
        record.add(int(rules.to_play(state)), move)
        rules.play(state, move)
    return sgf_text([record_tree(record)])


def main_lines(game: Game, path: str, plies: int | None) -> list[list[int]]:
    """The moves of the main line of each game in the file. A game must begin at the start, or the moves would mean nothing."""
    found = []
    for number, tree in enumerate(load_sgf(path), 1):
        record = read_record(tree, path, number, game, moves=plies)
        if not record.is_plain or record.start.tobytes() != game.start.tobytes():
            raise UserError(f"{path}, game {number}: it sets up stones; an opening is made of moves from the start")
        found.append(record.moves)
    return found
