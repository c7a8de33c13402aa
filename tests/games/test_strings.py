"""Game strings that are wrong: each gives a UserError of one line."""

from __future__ import annotations

import pytest

from tesuji.core.errors import UserError
from tesuji.games.registry import find_game

WRONG = """
chess
connect
Connect4:7x6
:7x6
tictactoe:3
tictactoe:3x3
connect4:7
connect4:7x
connect4:x6
connect4:7x6x1
connect4:7,6
connect4:0x6
connect4:7x0
connect4:-7x6
connect4:8x8
connect4:64x1
connect4:1x64
connect4:7x6:1
connect4:7x6:65
connect4:7x6:four
connect4:7x6:4:4
connect4:7.0x6
connect4: 7x6
connect4:99999999999x1
seki:3
seki:3,
seki:3,4,2,1
seki:3,4,
seki:a,b
seki:-1,2
seki:21,1
seki:1,21
seki:1,1,9
seki:0,1,0
seki:1,0,0
seki:0,0,0
seki:3x4
hex:0
hex:20
hex:x
hex:11x
hex:0x5
hex:5x20
hex:5x5x5
hex:-5
hex: 5
hex:5,swap=on
hex:5:swap
hex:5:swap=maybe
hex:5:pie=on
hex:5x4:swap=on
hex:3:3/3/3
hex:3:3/3/3:x
hex:3:3/3:b
hex:3:3/3/4:b
hex:3:3/2/3:b
hex:3:3/b1x/3:b
hex:3:3/03/3:b
hex:3:b2/b2/b2:w
hex:3:3/3/3:b,swap=on
semeai:5
semeai:5,4,0.5,1
semeai:0,4
semeai:5,0
semeai:31,1
semeai:1,31
semeai:5,4,1
semeai:5,4,1.5
semeai:5,4,-0.1
semeai:5,4,nan
semeai:5,4,inf
semeai:5,4,half
semeai:5,4,
semeai:5,4,.
semeai:5,4,1e5
semeai:5,4,0_1
dotsandboxes:2
dotsandboxes:0x1
dotsandboxes:1x0
dotsandboxes:8x1
dotsandboxes:1x8
dotsandboxes:2x2x2
dotsandboxes:2x2:1
samegame:5
samegame:0x5
samegame:5x0
samegame:16x5
samegame:5x16
samegame:5x5:
samegame:5x5:-1
samegame:5x5:one
samegame:5x5:1:1
samegame:5x5:1:10
samegame:5x5:1:
samegame:5x5:1:5:5
samegame:1x1
samegame:1x1:2:2
"""


@pytest.mark.parametrize(
    "text", [line for line in WRONG.splitlines() if line] + ["", "connect4:\n7x6", "connect4:\u0667x\u0666", "seki:\u00b2,3"]
)
def test_wrong_game_strings(text) -> None:
    with pytest.raises(UserError) as caught:
        find_game(text)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) > 20


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("connect4", "connect4:7x6"),
        ("connect4:7x6:4", "connect4:7x6"),
        ("connect4:07x6", "connect4:7x6"),
        ("seki", "seki:3,4"),
        ("seki:3,4,2", "seki:3,4"),
        ("semeai", "semeai:5,4"),
        ("semeai:5,4,0", "semeai:5,4"),
        ("semeai:5,4,.5", "semeai:5,4,0.5"),
        ("semeai:5,4,1e-3", "semeai:5,4,0.001"),
        ("dotsandboxes", "dotsandboxes:2x2"),
        ("samegame", "samegame:5x5:1"),
        ("samegame:5x5", "samegame:5x5:1"),
        ("samegame:5x5:1:5", "samegame:5x5:1"),
        ("samegame:5x5:0", "samegame:5x5:0"),
    ],
)
def test_names_are_written_one_way(text, name) -> None:
    assert find_game(text).name == name


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("tictactoe", ["a1", "a1"]),
        ("tictactoe", ["d1"]),
        ("tictactoe", ["a1", "b1", "a2", "b2", "a3", "b3"]),
        ("connect4:7x6", ["8"]),
        ("connect4:7x6", ["0"]),
        ("connect4:7x1", ["3", "3"]),
        ("seki:1,0", ["pass", "pass", "pass"]),
        ("seki:1,1", ["b2"]),
        ("seki:1,5,0", ["b1"]),
        ("semeai:2,2", ["elsewhere"]),
        ("semeai:1,2", ["b1"]),
        ("dotsandboxes:1x1", ["h11", "h11"]),
        ("dotsandboxes:1x1", ["v21"]),
        ("samegame:5x5:1", ["f1"]),
        ("samegame:5x5:1", ["a0"]),
        ("samegame:5x5:1", ["a6"]),
        ("samegame:5x5:1", [""]),
    ],
)
def test_illegal_moves(text, moves) -> None:
    with pytest.raises(UserError):
        find_game(text).state_after(moves)
