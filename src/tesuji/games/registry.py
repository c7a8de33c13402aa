"""The games that come with the package, and game strings. This imports no rules: a game's module is loaded when named."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from tesuji.core.errors import UserError, did_you_mean, shortened
from tesuji.core.user_files import is_path

if TYPE_CHECKING:
    from tesuji.core.game import Game


class GameEntry(NamedTuple):
    name: str
    title: str
    group: str  # what decides it, one of GROUPS
    form: str
    example: str
    summary: str
    small: str = ""  # an example for fixed searches that must also end soon in pure Python; "" = the example


# What decides a game: `tesuji games` shows those of a group together, in this order.
LINES, CONNECTION, TERRITORY = "a line", "a connection", "territory or the majority"
RACE, LAST_MOVE, PUZZLE = "a goal", "the last move", "a score, alone"
GROUPS = (LINES, CONNECTION, TERRITORY, RACE, LAST_MOVE, PUZZLE)

ENTRIES = (
    GameEntry("tictactoe", "Tic-tac-toe", LINES, "tictactoe", "tictactoe", "three in a row on 3x3"),
    GameEntry(
        "connect4",
        "Connect Four",
        LINES,
        "connect4:WxH[:LENGTH]",
        "connect4:7x6",
        "on any board with W*(H+1) <= 64",
    ),
    GameEntry("go", "Go", TERRITORY, "go:N[:komi=K,superko=S]", "go:9", "on boards of 2x2 to 19x19, area scoring", "go:4"),
    GameEntry(
        "seki",
        "Seki (Go)",
        TERRITORY,
        "seki:M,N[,S][:passes=3]",
        "seki:3,4",
        "capture or live together, M and N outside, S shared liberties",
    ),
    GameEntry(
        "semeai",
        "Semeai (Go)",
        TERRITORY,
        "semeai:A,B[,P]",
        "semeai:5,4",
        "a race to capture, A and B liberties, P of playing elsewhere",
    ),
    GameEntry(
        "dotsandboxes", "Dots and boxes", TERRITORY, "dotsandboxes:RxC", "dotsandboxes:2x2", "close a box and move again"
    ),
    GameEntry(
        "hex",
        "Hex",
        CONNECTION,
        "hex:N|WxH[:swap=on|POSITION]",
        "hex:11",
        "on boards of up to 19x19: join your two edges",
        "hex:4",
    ),
    GameEntry("loa", "Lines of Action", CONNECTION, "loa[:START,RULE=CHOICE,...]", "loa", "bring all your pieces together"),
    GameEntry(
        "samegame",
        "SameGame",
        PUZZLE,
        "samegame:RxC[:SEED[:COLOURS]]",
        "samegame:5x5:1",
        "remove groups of equal colour, alone",
    ),
    GameEntry("othello", "Othello", TERRITORY, "othello:N", "othello:8", "on even boards of 4x4 to 10x10", "othello:6"),
    GameEntry(
        "breakthrough",
        "Breakthrough",
        RACE,
        "breakthrough:N|WxH",
        "breakthrough:8",
        "on boards of up to 10x10: reach the far side",
        "breakthrough:5",
    ),
    GameEntry(
        "gomoku",
        "Gomoku and m,n,k games",
        LINES,
        "gomoku:N|WxH[:LENGTH]",
        "gomoku:15",
        "five in a row, or another number, on boards of up to 19x19",
        "gomoku:4:3",
    ),
    GameEntry(
        "amazons",
        "Amazons",
        LAST_MOVE,
        "amazons:N[:steps=1]",
        "amazons:10",
        "on boards of up to 10x10: move like a queen and shoot",
        "amazons:5",
    ),
    GameEntry("nogo", "NoGo", LAST_MOVE, "nogo:N|WxH", "nogo:9", "Go without captures, on boards of up to 10x10", "nogo:3"),
    GameEntry(
        "ataxx", "Ataxx", TERRITORY, "ataxx:N", "ataxx:7", "split, jump and turn over, on boards of up to 10x10", "ataxx:4"
    ),
    GameEntry(
        "havannah",
        "Havannah",
        CONNECTION,
        "havannah:N",
        "havannah:8",
        "a bridge, a fork or a ring on sides of up to 10",
        "havannah:3",
    ),
    GameEntry("y", "Y", CONNECTION, "y:N", "y:9", "join three sides of a triangle, sides of up to 19", "y:4"),
    GameEntry(
        "clobber", "Clobber", LAST_MOVE, "clobber:N|WxH", "clobber:6x5", "on boards of up to 10x10: take a stone", "clobber:4"
    ),
    GameEntry(
        "domineering",
        "Domineering",
        LAST_MOVE,
        "domineering:N|WxH",
        "domineering:8",
        "dominoes upright and across, on boards of up to 10x10",
        "domineering:5",
    ),
)


def game_module(name: str) -> Any:
    """The module with `make`: a game is one file until it needs more, and then a folder."""
    module = import_module(f"tesuji.games.{name}")
    return import_module(f"tesuji.games.{name}.game") if hasattr(module, "__path__") else module


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
            return game_module(name).make(rest)
    known, hint = ", ".join(e.form for e in ENTRIES), did_you_mean(name, (e.name for e in ENTRIES))
    raise UserError(
        f"there is no game {shortened(text, quoted=True)}{hint}; there are: {known}, or path/to/file.py:name for your own"
    )
