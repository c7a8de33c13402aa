"""Whether the game of a file is the game at hand: the one test for saved searches, files of proofs, certificates and matches.

A file says the game's string and a digest (`core/game_digest.py`). A game of the package needs no digest where the rules are
asked again for all that the file holds: its string says which game it is. Any other game is code, which is never loaded
because a file names it: somebody gives the game, and the digest tells whether it is the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tesuji.core.errors import UserError, shortened
from tesuji.core.game_digest import game_digest
from tesuji.core.user_files import is_path
from tesuji.games.registry import find_built_in, is_built_in

if TYPE_CHECKING:
    from tesuji.core.game import Game

SHOWN = 12  # digits of a digest


class OtherGame(UserError):
    """The file is about another game than the one that was given."""


def own_digest(game: Game) -> str:
    """The digest of a game that is not one of the package; '' for one of the package."""
    return "" if is_built_in(game) else game_digest(game)


def find_same_game(path: str | Path, what: str, name: str, digest: str, game: Game | None = None) -> Game:
    """The game that a file is about: `game`, if it is the same, or without that a game of the package.

    `what` is what the file is, as in 'is a search'; `name` and `digest` are what it says of its game. A game without a digest
    is one of the package.
    """
    shown = shortened(name)
    if not digest and not is_path(name):
        try:
            found = find_built_in(name)
        except UserError as error:
            raise UserError(f"{path}: {error}") from None
        if game is not None and game != found:
            raise OtherGame(f"{path} {what} of {shown}, not of {game.name}")
        return found
    if game is None:
        if is_path(name):
            last = shortened(name.rpartition("/")[2])
            way = f"a user's own game: name the game too, as in path/to/{last}"
        else:
            way = "a game that was made in a program: give the game too, as in tesuji.load(path, game)"
        raise UserError(f"{path} {what} of {shown}, {way}")
    its_digest = game_digest(game)
    if its_digest == digest:
        return game
    if name != game.name_without_folder:
        raise OtherGame(f"{path} {what} of {shown}, not of {game.name}")
    raise OtherGame(
        f"{path} {what} of another {shown}, with another start, other rules or another version of them: "
        f"its digest is {shortened(digest, SHOWN)}, that of the game here is {its_digest[:SHOWN]}"
    )
