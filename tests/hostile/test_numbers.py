"""Numbers of 400 digits, and others that no type holds, wherever one is read: refused or left out, never an error of ours.

A text of 400 digits is a whole number to `int`, infinite to `float`, and an OverflowError to whoever takes one for the other.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.parameters import Parameter
from tesuji.games.registry import ENTRIES, find_game
from tesuji.io.sgf import parse_sgf, read_record
from tesuji.io.sgf.played import open_tree
from tesuji.lab.tune.space import read_parameter
from tesuji.play.clock import parse_clock
from tesuji.players.presets import all_parameters, find_player

LONG = "9" * 400
NUMBERS = (LONG, f"-{LONG}", f"{LONG}.5", "1e400", "-1e400", "inf", "-inf", "nan", "9" * 5000, "9" * 25, f"0.{'0' * 400}1")
LONGEST_MESSAGE = 500


def refusal(reader: Any, *arguments: Any) -> str:
    """What the reader says against its arguments; empty if it takes them."""
    try:
        reader(*arguments)
    except UserError as error:
        message = str(error)
        assert "\n" not in message and len(message) <= LONGEST_MESSAGE, message[:400]
        return message
    return ""


@pytest.mark.parametrize("number", NUMBERS, ids=lambda text: text[:12])
def test_parameters_of_players(number):
    for parameter in (*all_parameters().values(), Parameter("own", 1, "a user's"), Parameter("own", 1.0, "a user's")):
        if not isinstance(parameter.default, bool | str):
            refused = refusal(parameter.parse, number)
            size = 0.0 if refused else abs(float(parameter.parse(number)))
            assert size < 1e-300 or (size < 1e26 and parameter.name == "own" and isinstance(parameter.default, float)), number


@pytest.mark.parametrize("number", NUMBERS, ids=lambda text: text[:12])
def test_limits_in_player_strings(number):
    assert refusal(find_player, f"uct:playouts={number}")
    if not number.startswith("0."):
        assert refusal(find_player, f"uct:seconds={number}")


def test_limits_of_programs():
    wrongs: list[dict[str, Any]] = [{"playouts": 10**400}, {"seconds": 10**400}, {"playouts": 1e300}, {"seconds": 1e300}]
    for wrong in wrongs:
        with pytest.raises(UserError):
            Limits(**wrong)


@pytest.mark.parametrize("number", NUMBERS, ids=lambda text: text[:12])
def test_game_strings(number):
    patterns = [
        "go:9:komi=N",
        "go:N",
        "hex:N",
        "hex:5xN",
        "connect4:Nx4",
        "connect4:4x4:N",
        "seki:N,1",
        "seki:1,1,N",
        "semeai:N,1",
    ]
    patterns += ["dotsandboxes:Nx2", "samegame:Nx5:1", "samegame:5x5:N", "samegame:5x5:1:N", "loa:N", "tictactoe:N"]
    patterns += ["othello:N", "breakthrough:N", "breakthrough:Nx6"]
    patterns += ["clobber:N", "clobber:Nx6", "domineering:N"]
    patterns += ["gomoku:N", "gomoku:5xN", "gomoku:5:N"]
    patterns += ["amazons:N", "amazons:6:steps=N", "nogo:N", "ataxx:N"]
    patterns += ["havannah:N", "y:N"]
    assert {pattern.partition(":")[0] for pattern in patterns} == {entry.name for entry in ENTRIES}
    for pattern in patterns:
        if not (pattern == "go:9:komi=N" and number.startswith("0.")):
            assert refusal(find_game, pattern.replace("N", number)), pattern


@pytest.mark.parametrize("number", NUMBERS, ids=lambda text: text[:12])
def test_records(number):
    """In a record a wrong number of no move is left out, and the game is read all the same."""
    root = f"GM[1]SZ[5]KM[{number}]HA[{number}]TM[{number}]"
    text = f"(;{root};B[aa]BL[{number}]OB[{number}]MN[{number}];W[bb]WL[{number}]OW[{number}])"
    record = read_record(parse_sgf(text, "x")[0], "x")
    assert len(record.turns) == 2
    for name in ("SZ", "GM"):
        assert refusal(read_record, parse_sgf(f"(;{name}[{number}];B[aa])", "x")[0], "x")


@pytest.mark.parametrize("number", NUMBERS, ids=lambda text: text[:12])
def test_analyses_in_records(number):
    """LZ, SBKV and TESUJIVALUE, as the page reads them: what cannot be read says nothing."""

    def own(**values):
        return json.dumps({"mover": 1, "chance": 0.5, "playouts": 1, **values}).replace(
            '"N"', number.replace("inf", "Infinity")
        )

    lizzie = (f"0.7.4 50.0 {number}", f"0.7.4 50.0 {number}k", f"0.7.4 {number} 10", f"0.7.4 {number} {number}m")
    values = [f"LZ[{text}]" for text in lizzie] + [f"SBKV[{number}]", f"LZ[{number}]"]
    values += [f"TESUJIVALUE[{own(**{name: 'N'})}]" for name in ("mover", "chance", "playouts", "value", "lower", "upper")]
    for value in values:
        tree, _, _ = open_tree(f"(;GM[1]SZ[5];B[aa]{value})", "x", 1, None)
        analysis = tree[tree.line()[-1]].analysis
        if analysis is not None:
            json.dumps(analysis, allow_nan=False)
            assert 0.0 <= analysis["chance"] <= 1.0 and 0 <= analysis["playouts"] < 1 << 62, value[:80]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda text: text[:12])
def test_clocks_and_ranges(number):
    for clock in ("N", "1+N", "N/5", "5/N", "1+5/N", "N+5/5"):
        assert refusal(parse_clock, clock.replace("N", number)) or number.startswith("0."), clock
    player, game = find_player("uct"), find_game("tictactoe")
    for text in ("exploration=0.1..N", "exploration=N..2", "expand_after=1..N", "expand_after=N..3:int"):
        refused = refusal(read_parameter, text.replace("N", number), player, game)
        assert refused or number.startswith("0."), text
