"""The files of a game in the terminal: where it is saved or was loaded from, what they say of it, and whether anything of it
would be lost.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from tesuji.core.errors import UserError
from tesuji.core.files import check_can_write, real_path
from tesuji.core.game import Game
from tesuji.io.sgf.played import file_info, open_tree, read_game_file, sgf_of, take_info, without_our_players
from tesuji.io.sgf.tree import SGF, save_sgf
from tesuji.play.game import GameInPlay
from tesuji.play.tree import MoveTree


def result_of(played: GameInPlay) -> str:
    """As game records have it: B+3.5, W+R; '' while the game goes on."""
    ending = played.ending()
    return "" if ending is None else ending.result


class GameFiles:
    def __init__(self) -> None:
        self._holding: set[str] = set()  # the files that hold this game: `save` may replace them
        self._info: dict[str, str] = {}  # what a file that was loaded says of the game
        self._saved = 0, ""  # the length of the line that needs no saving, and its result

    def begin(self, played: GameInPlay) -> None:
        """Another game, which needs no saving and is in no file."""
        self._holding, self._info = set(), {}
        self._mark_saved(played)

    def go_on(self, played: GameInPlay, is_changed: bool) -> None:
        """The same game, with something taken back or, if it `is_changed`, something that is in no file."""
        length, result = self._saved
        self.moved()
        self._saved = min(length, _length(played) - is_changed), result

    def moved(self) -> None:
        self._info.pop("result", None)  # a file's was that of its last move

    def leave(self) -> None:
        """From now on the game has less than the files that hold it."""
        self._holding = set()

    def is_unsaved(self, played: GameInPlay) -> bool:
        """Whether moves or the result are in no file."""
        length, result = self._saved
        return _length(played) > length or result_of(played) not in ("", result)

    def save(self, path: str, played: GameInPlay, player: str, replace: bool = False) -> None:
        """Writes the game, with what was played as its main line. A file that exists stays as it is, unless it holds this game
        or is to be replaced."""
        check_can_write(path, SGF)
        real = real_path(path)
        if not replace and real not in self._holding and os.path.exists(real):
            raise UserError(f"{path} exists already; name another file, or type: save! {path}")
        played.tree.promote(played.tree.current)
        save_sgf(path, [sgf_of(played.tree, file_info(played, self._info, lambda _side: player))])
        self._holding.add(real)
        self._mark_saved(played)

    def read(self, path: str, game: Game) -> tuple[MoveTree, Mapping[str, str], bool]:
        """The first game of a file, by our rules: its tree, what is said of it, and whether this is all that the file has."""
        try:
            tree, record, games = open_tree(read_game_file(path), path, ours=game)
        except UserError as error:
            raise UserError(f"cannot load file: {error}") from None
        return tree, without_our_players(take_info(tree, record)), games == 1 and not record.notes

    def loaded(self, path: str, played: GameInPlay, info: Mapping[str, str], is_whole: bool) -> None:
        """The game is that of a file; if it `is_whole`, saving it there loses nothing."""
        self._holding, self._info = {real_path(path)} if is_whole else set(), dict(info)
        self._mark_saved(played)

    def _mark_saved(self, played: GameInPlay) -> None:
        self._saved = _length(played), result_of(played)


def _length(played: GameInPlay) -> int:
    return len(played.tree.path())
