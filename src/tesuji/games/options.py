"""What can be chosen of each built-in game, for dialogs: the game string is the pattern with the choices filled in.

Whatever is chosen, `find_game` has the last word: this only says what to offer.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class GameOption(NamedTuple):
    """A choice among `values`, or, without values, a number from `low` to `high`."""

    name: str
    label: str
    default: str
    values: tuple[str, ...] = ()
    low: float = 0
    high: float = 0
    step: float = 1
    labels: tuple[str, ...] = ()  # of the values, where these say little
    open: bool = False  # other values can be written, too

    def as_data(self) -> dict[str, Any]:
        if self.values:
            choices = {
                "values": list(self.values),
                "labels": list(self.labels or self.values),
                "default": self.default,
                "open": self.open,
            }
            return {"name": self.name, "label": self.label, "kind": "choice", **choices}
        limits = {"low": self.low, "high": self.high, "step": self.step}
        return {"name": self.name, "label": self.label, "kind": "number", "default": float(self.default), **limits}


class GameForm(NamedTuple):
    pattern: str
    options: tuple[GameOption, ...] = ()


def _size(default: str, *values: str) -> GameOption:
    return GameOption("size", "Size", default, values, open=True)


FORMS = {
    "tictactoe": GameForm("tictactoe"),
    "connect4": GameForm(
        "connect4:{size}:{length}",
        (
            _size("7x6", "4x4", "5x4", "5x5", "6x5", "6x6", "7x6", "8x7"),
            GameOption("length", "In a row", "4", low=2, high=8),
        ),
    ),
    "go": GameForm(
        "go:{size}:komi={komi},superko={superko}",
        (
            _size("9", "5", "7", "9", "13", "19"),
            GameOption("komi", "Komi", "7.5", low=-100, high=100, step=0.5),
            GameOption("superko", "Ko", "simple", ("simple", "positional")),
        ),
    ),
    "seki": GameForm(
        "seki:{own},{other},{shared}",
        (
            GameOption("own", "Black's outside liberties", "3", low=0, high=10),
            GameOption("other", "White's outside liberties", "4", low=0, high=10),
            GameOption("shared", "Shared liberties", "2", low=1, high=6),
        ),
    ),
    "semeai": GameForm(
        "semeai:{own},{other}",
        (
            GameOption("own", "Black's liberties", "5", low=1, high=20),
            GameOption("other", "White's liberties", "4", low=1, high=20),
        ),
    ),
    "dotsandboxes": GameForm("dotsandboxes:{size}", (_size("3x3", "2x2", "2x3", "3x3", "3x4", "4x4", "5x5"),)),
    "hex": GameForm(
        "hex:{size}:swap={swap}",
        (_size("11", "5", "7", "9", "11", "13", "14", "19"), GameOption("swap", "Swap", "off", ("off", "on"))),
    ),
    "loa": GameForm(
        "loa:{start}simultaneous={simultaneous},no_move={no_move}",
        (
            GameOption("start", "Start", "", ("", "scrambled,"), labels=("default", "scrambled")),
            GameOption("simultaneous", "Both connected", "draw", ("draw", "mover")),
            GameOption("no_move", "No move", "pass", ("pass", "loss")),
        ),
    ),
    "samegame": GameForm(
        "samegame:{size}:{seed}:{colours}",
        (
            _size("10x10", "5x5", "8x8", "10x10", "15x15"),
            GameOption("seed", "Number of the position", "1", low=0, high=999_999),
            GameOption("colours", "Colours", "5", low=2, high=9),
        ),
    ),
    "othello": GameForm("othello:{size}", (_size("8", "4", "6", "8", "10"),)),
    "breakthrough": GameForm("breakthrough:{size}", (_size("8", "5", "6", "6x5", "7", "8"),)),
    "gomoku": GameForm(
        "gomoku:{size}:{length}",
        (
            _size("15", "3", "4", "5", "6", "7", "9", "11", "13", "15", "19"),
            GameOption("length", "In a row", "5", low=2, high=19),
        ),
    ),
    "amazons": GameForm(
        "amazons:{size}:steps={steps}",
        (
            _size("10", "5", "6", "7", "8", "9", "10"),
            GameOption("steps", "Moves a turn", "2", ("2", "1"), labels=("an amazon, then an arrow", "both at once")),
        ),
    ),
    "nogo": GameForm("nogo:{size}", (_size("9", "3", "4", "5", "6", "7", "9", "10"),)),
    "ataxx": GameForm("ataxx:{size}", (_size("7", "4", "5", "6", "7", "8", "10"),)),
    "havannah": GameForm("havannah:{size}", (_size("8", "3", "4", "5", "6", "8", "10"),)),
    "y": GameForm("y:{size}", (_size("9", "4", "6", "9", "11", "13", "15", "19"),)),
    "clobber": GameForm("clobber:{size}", (_size("6x5", "4", "5", "6x5", "6", "8", "10"),)),
    "domineering": GameForm("domineering:{size}", (_size("8", "4", "5", "6", "7", "8", "9", "10"),)),
}
