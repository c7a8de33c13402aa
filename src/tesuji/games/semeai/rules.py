"""Semeai: a race to capture between two strings that share no liberty.

After Cazenave and Saffidine, "Score Bounded Monte-Carlo Tree Search", section 4. A turn fills one liberty, the
opponent's or one's own; who fills the opponent's last one captures and wins. Filling one's own last liberty is suicide
and illegal, but the opponent always has a liberty to fill, so there is always a move.

The number `elsewhere` is the probability that a random game plays somewhere else on the board (`random_move`
reads it). If it is above 0, playing elsewhere is also a move; the 16th such move in a row ends the game as a draw, which
keeps games finite.

Points are numbered: player 0's liberties, then player 1's; the number after the last is the move elsewhere.
"""

from __future__ import annotations

import re

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, state_type
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.random import below, unit
from tesuji.games.mixing import mixed
from tesuji.games.semeai.drawing import draw, move_text
from tesuji.games.strings import whole_numbers

STATE = state_type(
    "semeai",
    [
        ("open", np.uint64),  # one bit a point, set while it is empty
        ("elsewhere", np.float64),  # probability that a random game plays elsewhere
        ("liberties", np.int32, (2,)),  # liberties left to each string
        ("sizes", np.int32, (2,)),  # liberties at the start
        ("to_play", np.int32),
        ("away", np.int32),  # moves elsewhere in a row
        ("winner", np.int32),  # +1 player 0 captured, -1 player 1 captured, 0 nobody
    ],
)
ZERO, ONE = np.uint64(0), np.uint64(1)
MOST_LIBERTIES = 30
AWAY_LIMIT = 16  # so many moves elsewhere in a row are a draw
_PROBABILITY = re.compile(r"(\d{1,3}\.?\d{0,17}|\.\d{1,17})(e-\d{1,2})?", re.ASCII)


def make(text: str) -> Game:
    """The game for 'A,B' or 'A,B,P'; '' is 5,4."""
    usage = f"semeai:A,B or semeai:A,B,P with A and B from 1 to {MOST_LIBERTIES} and 0 <= P < 1"
    text = text or "5,4"
    parts = text.split(",")
    a, b = whole_numbers(",".join(parts[:2]), ",", 2, usage)
    if len(parts) > 3 or (len(parts) == 3 and not _PROBABILITY.fullmatch(parts[2])):
        raise UserError(f"{text!r} is not of the form expected: {usage}")
    elsewhere = float(parts[2]) if len(parts) == 3 else 0.0
    if not (1 <= a <= MOST_LIBERTIES and 1 <= b <= MOST_LIBERTIES and 0 <= elsewhere < 1):
        raise UserError(f"semeai:{text} is out of range: {usage}")
    start = np.zeros(1, STATE)[0]
    start["open"] = (1 << (a + b)) - 1
    start["liberties"] = start["sizes"] = (a, b)
    start["elsewhere"] = elsewhere
    return Game(
        name=f"semeai:{a},{b}" + (f",{elsewhere!r}" if elsewhere > 0 else ""),
        title="Semeai",
        start=start,
        outcomes=(-1, 1),
        move_count=a + b + (1 if elsewhere > 0 else 0),
        max_plies=(a + b) * (AWAY_LIMIT if elsewhere > 0 else 1),
        player_names=("Black", "White"),
        move_text=move_text,
        draw=draw,
    )


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    sizes = state["sizes"]
    liberties = state["liberties"]
    still_open = state["open"]
    player = state["to_play"]
    count = 0
    first = 0  # the first liberty of this string
    for owner in range(2):
        after = first + sizes[owner]
        if owner != player or liberties[player] > 1:
            for point in range(first, after):
                out[count] = point  # written over by the next one if this point is filled
                if still_open >> np.uint64(point) & ONE != ZERO:
                    count += 1
        first = after
    if state["elsewhere"] > 0.0:
        out[count] = first
        count += 1
    return count


@implements(rules.random_move, STATE)
def random_move(state, buffer, rng):
    """The paper's random player: captures if it can; else elsewhere, with its probability; else any liberty, its own too.

    So the share of games that the side to move wins is `win_probability` of the position. With one liberty left to it and
    nothing to capture, the side to move may only fill the opponent's, and loses all the same.
    """
    sizes = state["sizes"]
    liberties = state["liberties"]
    player = state["to_play"]
    points = rules.moves(state, buffer)  # liberties in order of their numbers, and elsewhere at the end if it is a move at all
    if liberties[1 - player] == 1:
        for i in range(points):
            is_second = buffer[i] >= sizes[0]
            if is_second != (player == 1):  # the first one listed that belongs to the opponent is the one to capture
                return buffer[i]
    if state["elsewhere"] > 0.0:
        points -= 1
        if unit(rng) < state["elsewhere"]:
            return buffer[points]
    return buffer[below(rng, points)]


@implements(rules.play, STATE)
def play(state, move):
    sizes = state["sizes"]
    liberties = state["liberties"]
    player = state["to_play"]
    state["to_play"] = 1 - player
    if move == sizes[0] + sizes[1]:
        state["away"] += 1
        return
    state["away"] = 0
    state["open"] ^= ONE << np.uint64(move)
    if move < sizes[0]:
        liberties[0] -= 1
    else:
        liberties[1] -= 1
    if liberties[1 - player] == 0:
        state["winner"] = 1 - 2 * player


@implements(rules.is_over, STATE)
def is_over(state):
    return state["winner"] != 0 or state["away"] == AWAY_LIMIT


@implements(rules.outcome, STATE)
def outcome(state):
    return state["winner"]


@implements(rules.position_hash, STATE)
def position_hash(state):
    """Liberties of one string are interchangeable, so only their counts, the side to move and the moves away are mixed."""
    liberties = state["liberties"]
    key = ((liberties[0] * 32 + liberties[1]) * 32 + state["away"]) * 2 + state["to_play"]
    return mixed(ONE, np.uint64(key))
