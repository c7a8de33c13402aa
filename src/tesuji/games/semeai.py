"""Semeai: a race to capture between two strings that share no liberty.

After Cazenave and Saffidine, "Score Bounded Monte-Carlo Tree Search", section 4. A turn fills one liberty, the
opponent's or one's own; who fills the opponent's last one captures and wins. Filling one's own last liberty is suicide
and illegal, but the opponent always has a liberty to fill, so there is always a move.

The number `elsewhere` is the probability that a random game plays somewhere else on the board (`random_move`
reads it). If it is above 0, playing elsewhere is also a move; the 16th such move in a row ends the game as a draw, which
keeps games finite.

Points are numbered: player 0's liberties (b1 b2 ...), then player 1's (w1 w2 ...); the number after the last is the move
elsewhere.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implement_all, implements, state_type
from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game
from tesuji.core.hashing import mixed
from tesuji.core.random import below, unit
from tesuji.games.common import TURNS, winner
from tesuji.games.facing_strings import strings_picture
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


@implements(rules.position_hash, STATE)
def position_hash(state):
    """Liberties of one string are interchangeable, so only their counts, the side to move and the moves away are mixed."""
    liberties = state["liberties"]
    key = ((liberties[0] * 32 + liberties[1]) * 32 + state["away"]) * 2 + state["to_play"]
    return mixed(ONE, np.uint64(key))


@implements(rules.image, STATE)
def image(state, number, out):
    """The position itself, with the highest liberties of each string filled first: those of one string are interchangeable."""
    liberties = state["liberties"]
    sizes = state["sizes"]
    out["open"] = ((ONE << np.uint64(liberties[0])) - ONE) | ((ONE << np.uint64(liberties[1])) - ONE) << np.uint64(sizes[0])


implement_all(STATE, TURNS, {rules.outcome: winner})


# -- texts -------------------------------------------------------------------------------------------------------------------
def move_text(state: Any, move: int) -> str:
    black, white = (int(size) for size in state["sizes"])
    if move < black:
        return f"b{move + 1}"
    if move < black + white:
        return f"w{move - black + 1}"
    return "elsewhere"


def draw(state: Any) -> str:
    """The liberties still open under their names, and -- for the filled ones."""
    is_open = int(state["open"])
    lines = []
    point = 0
    for title, size, left in zip(("Black", "White"), state["sizes"], state["liberties"], strict=True):
        names = [move_text(state, p) if is_open >> p & 1 else "--" for p in range(point, point + int(size))]
        lines.append(f"{title}, {int(left):>2} left:  {' '.join(f'{name:<3}' for name in names)}".rstrip())
        point += int(size)
    if state["elsewhere"] > 0:
        lines.append(f"moves elsewhere in a row: {int(state['away'])}")
    return "\n".join(lines)


# -- the game ----------------------------------------------------------------------------------------------------------------
_PROBABILITY = re.compile(r"(\d{1,3}\.?\d{0,17}|\.\d{1,17})(e-\d{1,2})?", re.ASCII)


def make(text: str) -> Game:
    """The game for 'A,B' or 'A,B,P'; '' is 5,4."""
    usage = f"semeai:A,B or semeai:A,B,P with A and B from 1 to {MOST_LIBERTIES} and 0 <= P < 1"
    text = text or "5,4"
    parts = text.split(",")
    a, b = whole_numbers(",".join(parts[:2]), ",", 2, usage)
    if len(parts) > 3 or (len(parts) == 3 and not _PROBABILITY.fullmatch(parts[2])):
        raise UserError(f"{shortened(text, quoted=True)} is not of the form expected: {usage}")
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
        goal="Capture the opponent's string before yours is captured.",
        how_to_play=(
            "A black and a white string face each other, and only one of them can live. A move fills one liberty of either "
            "string; Black begins. Who takes the last liberty of the other string captures it and wins."
        ),
        click="Click a free point to fill it.",
        won_by="w1 b1 w2 b2 w3 b3 w4",
        won_in="semeai:5,4",
        initial=start,
        outcomes=(-1, 1),
        move_count=a + b + (1 if elsewhere > 0 else 0),
        max_plies=(a + b) * (AWAY_LIMIT if elsewhere > 0 else 1),
        player_names=("Black", "White"),
        move_text=move_text,
        draw=draw,
        picture=strings_picture(a, b, 0, move_text),
    )


# -- what random games come to -----------------------------------------------------------------------------------------------
def win_probability(own: int, other: int, elsewhere: float = 0.0) -> float:
    """The probability that the side to move, with `own` liberties against `other`, wins a random game: exactly, by dynamic
    programming (Table 1 of the paper).

    A player who can capture does; a player with one liberty left then loses. Otherwise a liberty is chosen at random among all
    that are left, its own included, or with the probability `elsewhere` none of them is played.
    """
    if own < 1 or other < 1:
        raise UserError(f"{own} liberties against {other}: each side needs 1 or more")
    if not 0 <= elsewhere < 1:
        raise UserError(f"a probability of {elsewhere:g} of playing elsewhere is out of range: 0 or more and below 1")
    most = max(own, other)
    wins: dict[tuple[int, int], float] = {}
    for total in range(2, own + other + 1):  # a move leaves one liberty fewer, so smaller totals come first
        for a in range(max(1, total - most), min(most, total - 1) + 1):
            b = total - a
            if b == 1 or a == 1:
                wins[a, b] = 1.0 if b == 1 else 0.0
                continue
            # The two positions that playing elsewhere turns into each other: x = (1-p) r + p (1-y), y likewise.
            here = (1 - elsewhere) * _after_filling(wins, a, b) + elsewhere
            turned = (1 - elsewhere) * _after_filling(wins, b, a) + elsewhere
            wins[a, b] = (here - elsewhere * turned) / (1 - elsewhere * elsewhere)
    return wins[own, other]


def _after_filling(wins: dict[tuple[int, int], float], a: int, b: int) -> float:
    """The mean over the a + b liberties, one of which is filled, of the chance that the opponent then does not win."""
    return (a * (1 - wins[b, a - 1]) + b * (1 - wins[b - 1, a])) / (a + b)
