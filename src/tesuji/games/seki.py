"""Seki problems: two facing strings, each with outside liberties of its own, and shared liberties between them.

After Cazenave and Saffidine, "Score Bounded Monte-Carlo Tree Search", section 5.1. A turn fills one empty point of any
kind, or passes. Who takes the other's last liberty captures and wins; a move that takes only one's own last liberty is
suicide and illegal. Two passes in a row, or three, end the game as a draw, both strings alive: the seki. The paper does not
state its pass rule; both give its table of results.

Every point is a move of its own, numbered: Max's outside points (b1 b2 ...), Min's (w1 ...), the shared ones (s1 ...); the
number after the last point is the pass.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implement_all, implements, state_type
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.hashing import mixed
from tesuji.core.parameters import Declaration, Parameter, parse_assignments
from tesuji.games.common import TURNS, winner
from tesuji.games.facing_strings import strings_picture
from tesuji.games.strings import whole_numbers

STATE = state_type(
    "seki",
    [
        ("open", np.uint64),  # one bit a point, set while it is empty
        ("outside", np.int32, (2,)),  # outside liberties left to each string
        ("shared", np.int32),  # shared liberties left
        ("sizes", np.int32, (3,)),  # points at the start: Max's outside, Min's outside, shared
        ("to_play", np.int32),
        ("passes", np.int32),  # passes in a row
        ("last_pass", np.int32),  # so many in a row end the game
        ("winner", np.int32),  # +1 Max captured, -1 Min captured, 0 nobody
    ],
)
ZERO, ONE = np.uint64(0), np.uint64(1)
SHARED = 2  # the index of the shared points in `sizes`
MOST_OUTSIDE, MOST_SHARED = 20, 8


@implements(rules.moves, STATE)
def moves(state, out):
    outside = state["outside"]
    sizes = state["sizes"]
    still_open = state["open"]
    player = state["to_play"]
    own = outside[player] + state["shared"]
    other = outside[1 - player] + state["shared"]
    count = 0
    first = 0  # the first point of this kind
    for kind in range(3):
        after = first + sizes[kind]
        if kind == player:
            legal = own > 1
        elif kind == SHARED:
            legal = own > 1 or other == 1
        else:
            legal = True
        if legal:
            for point in range(first, after):
                out[count] = point  # written over by the next one if this point is filled
                if still_open >> np.uint64(point) & ONE != ZERO:
                    count += 1
        first = after
    out[count] = first  # pass
    return count + 1


@implements(rules.play, STATE)
def play(state, move):
    outside = state["outside"]
    sizes = state["sizes"]
    player = state["to_play"]
    state["to_play"] = 1 - player
    if move == sizes[0] + sizes[1] + sizes[SHARED]:
        state["passes"] += 1
        return
    state["passes"] = 0
    state["open"] ^= ONE << np.uint64(move)
    if move < sizes[0]:
        outside[0] -= 1
    elif move < sizes[0] + sizes[1]:
        outside[1] -= 1
    else:
        state["shared"] -= 1
    if outside[1 - player] + state["shared"] == 0:
        state["winner"] = 1 - 2 * player


@implements(rules.is_over, STATE)
def is_over(state):
    return state["winner"] != 0 or state["passes"] == state["last_pass"]


@implements(rules.position_hash, STATE)
def position_hash(state):
    """Points of one kind are interchangeable, so only their counts, the side to move and the passes are mixed."""
    outside = state["outside"]
    key = ((outside[0] * 32 + outside[1]) * 16 + state["shared"]) * 8 + state["to_play"] * 4 + state["passes"]
    return mixed(ONE, np.uint64(key))


@implements(rules.image, STATE)
def image(state, number, out):
    """The position itself, with the highest points of each kind filled first: points of one kind are interchangeable."""
    outside = state["outside"]
    sizes = state["sizes"]
    first = ((ONE << np.uint64(outside[0])) - ONE) | ((ONE << np.uint64(outside[1])) - ONE) << np.uint64(sizes[0])
    out["open"] = first | ((ONE << np.uint64(state["shared"])) - ONE) << np.uint64(sizes[0] + sizes[1])


implement_all(STATE, TURNS, {rules.outcome: winner})


# -- texts -------------------------------------------------------------------------------------------------------------------
KINDS = "bws"


def move_text(state: Any, move: int) -> str:
    for kind, size in zip(KINDS, state["sizes"], strict=True):
        if move < size:
            return f"{kind}{move + 1}"
        move -= int(size)
    return "pass"


def draw(state: Any) -> str:
    """The points still open under their names, and -- for the filled ones."""
    is_open = int(state["open"])
    shared = int(state["shared"])
    black, white = (int(count) + shared for count in state["outside"])
    lines = []
    point = 0
    for title, size in zip(("Black's outside points", "White's outside points", "shared points"), state["sizes"], strict=True):
        names = [move_text(state, p) if is_open >> p & 1 else "--" for p in range(point, point + int(size))]
        lines.append(f"{title:<24}{' '.join(f'{name:<3}' for name in names)}".rstrip())
        point += int(size)
    lines.append(f"liberties: Black {black}, White {white}" + (" (last move: pass)" if state["passes"] else ""))
    return "\n".join(lines)


# -- the game ----------------------------------------------------------------------------------------------------------------
PARAMETERS = Declaration(Parameter("passes", 2, "passes in a row that end the game as a draw", 2, 3))


def make(text: str) -> Game:
    """The game for 'M,N' (two shared liberties) or 'M,N,S', and ':passes=3'; '' is 3,4."""
    usage = f"seki:M,N or seki:M,N,S with M and N from 0 to {MOST_OUTSIDE} and S from 0 to {MOST_SHARED} (default 2)"
    text, _, options = text.partition(":")
    settings = PARAMETERS.settings(parse_assignments(options))
    passes = int(settings["passes"])
    text = text or "3,4"
    numbers = whole_numbers(text, ",", 3 if text.count(",") == 2 else 2, usage)
    m, n = numbers[:2]
    s = numbers[2] if len(numbers) == 3 else 2
    if m > MOST_OUTSIDE or n > MOST_OUTSIDE or s > MOST_SHARED:
        raise UserError(f"seki:{text} is out of range: {usage}")
    if m + s < 1 or n + s < 1:
        raise UserError(f"seki:{text}: each string needs a liberty: M + S and N + S must be 1 or more")
    start = np.zeros(1, STATE)[0]
    points = m + n + s
    start["open"] = (1 << points) - 1
    start["outside"] = (m, n)
    start["shared"] = s
    start["sizes"] = (m, n, s)
    start["last_pass"] = passes
    return Game(
        name=f"seki:{m},{n}" + (f",{s}" if s != 2 else "") + (f":{described}" if (described := settings.describe()) else ""),
        title="Seki",
        goal="Capture the opponent's string, or at least save your own.",
        how_to_play=(
            "A black and a white string face each other; everything else on the board is alive. A move fills one of the free "
            "points, which are the liberties of the strings, or passes; Black begins. Who takes the last liberty of the other "
            f"string captures it and wins; {('two', 'three')[passes - 2]} passes in a row are a draw, as both live."
        ),
        click="Click a free point to fill it; Pass is a button below the board.",
        won_by="w1 b1 w2 b2 w3 b3 s1 pass s2",
        won_in="seki:4,3",
        initial=start,
        outcomes=(-1, 1),
        move_count=points + 1,
        max_plies=passes * (points + 1),
        player_names=("Black", "White"),
        move_text=move_text,
        draw=draw,
        picture=strings_picture(m, n, s, move_text),
    )
