"""When two games are the same: by what they are, not by what they are called."""

from __future__ import annotations

import dataclasses
import math
import os
import random
import subprocess
import sys
from enum import Enum
from typing import NamedTuple

import numpy as np
import pytest

from tesuji.core import rules
from tesuji.core.dispatch import implements, state_type
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.game_digest import game_digest
from tesuji.games.registry import find_game

STATE = state_type("digested", [("left", np.int32)])
TAKES = np.array([1, 2])  # how many a move takes
LAST_WINS = True
PRIZES = {"win": 1, "loss": (-1, 0)}


class Colour(Enum):
    RED = 1


class Payment(NamedTuple):
    amount: int = 1

    def doubled(self):
        return 2 * self.amount


PAYMENT, COLOUR, CHANCE = Payment(), Colour.RED, random.Random(1)


def taken(move):
    return TAKES[move]


@implements(rules.to_play, STATE)
def to_play(state):
    return state["left"] % 2


@implements(rules.moves, STATE)
def moves(state, out):
    out[0] = 0
    return 1


@implements(rules.play, STATE)
def play(state, move):
    state["left"] -= taken(move)


@implements(rules.is_over, STATE)
def is_over(state):
    return state["left"] <= 0


@implements(rules.outcome, STATE)
def outcome(state):
    if COLOUR is Colour.RED and CHANCE is not None and not math.isnan(PAYMENT.doubled()):
        return PRIZES["win"] if LAST_WINS else PRIZES["loss"][0]
    return 0


def digested(name: str = "digested", left: int = 3, **others) -> Game:
    start = np.zeros(1, STATE)[0]
    start["left"] = left
    return Game(name, start, **{"outcomes": (-1, 1), "move_count": 2, "max_plies": 9, **others})


def test_the_same_game_has_the_same_digest():
    assert game_digest(digested()) == game_digest(digested("another name", player_names=("a", "b"), title="t"))
    assert game_digest(find_game("go:4")) == game_digest(find_game("go:4"))


@pytest.mark.parametrize("change", [{"left": 4}, {"outcomes": (-1, 2)}, {"max_plies": 8}, {"draw_value": 1}, {"players": 1}])
def test_another_start_or_other_numbers_make_another_game(change):
    assert game_digest(digested()) != game_digest(digested(**change))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TAKES", np.array([1, 3])),
        ("TAKES", np.array([1, 2], np.int32)),
        ("TAKES", [1, 2]),
        ("LAST_WINS", False),
        ("PRIZES", {"win": 1, "loss": (-1, 1)}),
        ("PAYMENT", Payment(2)),
        ("COLOUR", None),
        ("CHANCE", random.Random(2)),
        ("taken", lambda move: TAKES[move] + 0),
        ("math", random),
    ],
)
def test_whatever_the_rules_read_is_part_of_the_game(monkeypatch, name, value):
    """Directly, through a function that they call, or within another value."""
    before = game_digest(digested())
    monkeypatch.setattr(sys.modules[__name__], name, value)
    assert game_digest(digested()) != before


def test_what_the_rules_do_not_read_is_not(monkeypatch):
    before = game_digest(digested())
    monkeypatch.setattr(sys.modules[__name__], "digested", None)
    monkeypatch.setattr(sys.modules[__name__], "pytest", None)
    start = np.zeros(1, STATE)[0]
    start["left"] = 3
    assert game_digest(Game("digested", start, (-1, 1), move_count=2, max_plies=9)) == before


def test_a_method_of_a_value_is_part_of_the_game(monkeypatch):
    before = game_digest(digested())
    monkeypatch.setattr(Payment, "doubled", lambda self: 3 * self.amount)
    assert game_digest(digested()) != before


def test_what_cannot_be_compared_is_said(monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "CHANCE", (one for one in ()))
    with pytest.raises(UserError, match="its rules read a value of generator"):
        game_digest(digested())
    endless: list = []
    endless.append(endless)
    monkeypatch.setattr(sys.modules[__name__], "CHANCE", endless)
    with pytest.raises(UserError, match="its rules read list values in one another without end"):
        game_digest(digested())


READINGS = {
    "a submodule": ("import tables.sub", "tables.sub.DATA[0]"),
    "a submodule by another name": ("import tables.sub as other", "other.DATA[0]"),
    "an import in the function": ("", "imported()"),
    "an import from a module in the function": ("", "imported_from()"),
    "an attribute of a class with an underscore": ("from tables.sub import Table", "Table._DATA[0]"),
    "a closure": ("", "held()"),
}
READERS = """
def imported():
    import tables.sub
    return tables.sub.DATA[0]
def imported_from():
    from tables import sub
    return sub.DATA[0]
def holding():
    import tables.sub as inner
    return lambda: inner.DATA[0]
held = holding()
"""


@pytest.mark.parametrize("way", READINGS)
def test_tables_are_part_of_the_game_wherever_they_lie(tmp_path, monkeypatch, way):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "__init__.py").write_text("")
    (tmp_path / "tables" / "sub.py").write_text("DATA = [1]\nclass Table:\n    _DATA = [1]\n")
    monkeypatch.syspath_prepend(tmp_path)
    head, value = READINGS[way]
    place: dict = {"__name__": "program"}
    exec(f"{head}\n{READERS}\ndef value(): return {value}\n", place)
    monkeypatch.setattr(sys.modules[__name__], "taken", place["value"])
    before = game_digest(digested())
    assert game_digest(digested()) == before
    sub = sys.modules["tables.sub"]
    monkeypatch.setattr(sub, "DATA", [2])
    monkeypatch.setattr(sub.Table, "_DATA", [2])
    after = game_digest(digested())
    for name in ("tables", "tables.sub"):
        del sys.modules[name]
    assert after != before


def test_a_module_that_is_imported_later_cannot_be_compared(monkeypatch):
    place: dict = {"__name__": "program"}
    exec("def value():\n    import nowhere_to_be_found\n    return nowhere_to_be_found.DATA\n", place)
    monkeypatch.setattr(sys.modules[__name__], "taken", place["value"])
    with pytest.raises(UserError, match="its rules read the module nowhere_to_be_found, which has not been imported yet"):
        game_digest(digested())


def test_games_of_the_package_differ_by_all_that_their_strings_say():
    names = [
        "go:4",
        "go:5",
        "go:4:komi=2.5",
        "go:4:superko=positional",
        "connect4:4x4",
        "connect4:4x4:3",
        "hex:4",
        "hex:4:swap=on",
    ]
    assert len({game_digest(find_game(name)) for name in names}) == len(names)
    start = find_game("tictactoe").state_after(["b2"])
    assert game_digest(dataclasses.replace(find_game("tictactoe"), initial=start)) != game_digest(find_game("tictactoe"))


PROGRAM = """
import sys
import numpy as np
import tesuji
from tesuji import rules
from tesuji.core.game_digest import game_digest
STATE = tesuji.state_type("coins", [("left", np.int32)])
WORDS = {"one", "two", "three"}
def helper(state):
    return len(WORDS) * 0 + state["left"]
for operation, function in (
    (rules.to_play, lambda state: helper(state) % 2), (rules.moves, lambda state, out: 1), (rules.is_over, lambda state: True),
    (rules.play, lambda state, move: None), (rules.outcome, lambda state: 0),
):
    tesuji.implements(operation, STATE)(function)
print(game_digest(tesuji.Game("coins", np.zeros(1, STATE)[0], (-1, 1), move_count=1, max_plies=9)))
"""


def test_a_program_s_game_has_the_digest_in_every_run(tmp_path):
    """Also after an edit elsewhere in the program, and without a file; not after one of the rules."""

    def digest(text: str, *command: str) -> str:
        (tmp_path / "program.py").write_text(text)
        paths = os.pathsep.join(path for path in sys.path if path)
        words = [sys.executable, *(command or [str(tmp_path / "program.py")])]
        environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(words, capture_output=True, text=True, check=True, env=environment).stdout

    first = digest(PROGRAM)
    assert len(first) == 65 and digest(f"import os\n{PROGRAM}\nprint(end='')\n") == first
    assert digest("", "-c", PROGRAM) == first
    assert digest(PROGRAM.replace("* 0", "* 1")) != first
    assert digest(PROGRAM.replace('"three"', '"four"')) != first


def test_a_user_s_file_that_has_changed_since_is_another_game(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = PROGRAM.rpartition("print(")[0] + 'game = tesuji.Game("coins", np.zeros(1, STATE)[0], (-1, 1), 1, 9)\n'
    path = tmp_path / "coins.py"
    path.write_text(text)
    game = find_game("coins.py:game", trial=False)
    first = game_digest(game)
    path.write_text(text + "# edited\n")
    assert game_digest(game) != first  # what is in memory is not what the file says
    edited = game_digest(find_game("coins.py:game", trial=False))
    assert edited not in (first, game_digest(game))
    path.write_text(text)
    assert game_digest(find_game("coins.py:game", trial=False)) == first
