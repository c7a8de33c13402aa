"""The games that come with the package, and game strings. This imports no rules: a game's module is loaded when named."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from tesuji.core.errors import UserError, did_you_mean, shortened
from tesuji.core.user_files import is_path

if TYPE_CHECKING:
    from tesuji.core.game import Game


class GameEntry(NamedTuple):
    name: str
    form: str
    example: str
    summary: str
    small: str = ""  # an example for fixed searches that must also end soon in pure Python; "" = the example


ENTRIES = (
    GameEntry("tictactoe", "tictactoe", "tictactoe", "Tic-tac-toe: three in a row on 3x3"),
    GameEntry("connect4", "connect4:WxH[:LENGTH]", "connect4:7x6", "Connect Four on any board with W*(H+1) <= 64"),
    GameEntry("go", "go:N[:komi=K,superko=S]", "go:9", "Go on boards of 2x2 to 19x19, area scoring", "go:4"),
    GameEntry("seki", "seki:M,N[,S]", "seki:3,4", "Go: capture or live together, with M and N outside and S shared liberties"),
    GameEntry(
        "semeai", "semeai:A,B[,P]", "semeai:5,4", "Go: a race to capture, with A and B liberties, P of playing elsewhere"
    ),
    GameEntry("dotsandboxes", "dotsandboxes:RxC", "dotsandboxes:2x2", "Dots and boxes: close a box and move again"),
    GameEntry("hex", "hex:N|WxH[:swap=on|POSITION]", "hex:11", "Hex on boards of up to 19x19: join your two edges", "hex:4"),
    GameEntry("loa", "loa[:START,RULE=CHOICE,...]", "loa", "Lines of Action: bring all your pieces together"),
    GameEntry(
        "samegame",
        "samegame:RxC[:SEED[:COLOURS]]",
        "samegame:5x5:1",
        "SameGame, a puzzle for one: remove groups of equal colour",
    ),
)


LONGEST_NAME = 400  # characters of a built-in game's string; positions of Hex on 19x19 are the longest


def find_built_in(text: str):
    """The same for a string out of a file or a request, which never makes a user's own file run."""
    if is_path(text):
        raise UserError(f"{shortened(text)} is a file, which is code; only the person who runs this program can name it")
    return find_game(text)


def is_built_in(game: Game) -> bool:
    """Whether it is the game of the package that its name says: not someone's own, nor one that only bears the name."""
    try:
        return not is_path(game.name) and find_built_in(game.name) == game
    except UserError:
        return False


def find_game(text: str, trial: bool = True):
    """The Game that a string names: 'connect4:7x6', or 'path/to/file.py:name' for a user's own.

    A user's own game plays a few trial games first, unless `trial` is off: the checker wants to see broken ones too.
    """
    name, _, rest = text.partition(":")
    if is_path(text):
        from tesuji.games.user import load_user_game

        return load_user_game(text, trial)
    if len(text) > LONGEST_NAME or not text.isprintable():
        raise UserError(f"there is no game {shortened(text, quoted=True)}: 'tesuji games' lists them")
    for entry in ENTRIES:
        if entry.name == name:
            import_module("tesuji.games.pickling").register()
            return import_module(f"tesuji.games.{name}.game").make(rest)
    known, hint = ", ".join(e.form for e in ENTRIES), did_you_mean(name, (e.name for e in ENTRIES))
    raise UserError(
        f"there is no game {shortened(text, quoted=True)}{hint}; there are: {known}, or path/to/file.py:name for your own"
    )
