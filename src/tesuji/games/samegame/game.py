"""SameGame as a game, for a game string: the seed fills the board."""

from __future__ import annotations

import numpy as np

from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game
from tesuji.core.random import below, make_rng
from tesuji.games.samegame.picture import picture
from tesuji.games.samegame.rules import find_groups, most_to_come
from tesuji.games.samegame.state import LARGEST, MOST_COLOURS, STATE
from tesuji.games.samegame.text import draw, move_text, parse_move
from tesuji.games.strings import whole_numbers


def make(text: str) -> Game:
    """The game for 'RxC', 'RxC:seed' or 'RxC:seed:colours'; '' is 5x5, seed 1, five colours."""
    usage = f"samegame:RxC[:SEED[:COLOURS]] with R and C from 1 to {LARGEST}, COLOURS from 2 to {MOST_COLOURS} (default 5)"
    size, *rest = (text or "5x5").split(":")
    if len(rest) > 2:
        raise UserError(f"{shortened(text, quoted=True)} is not of the form expected: {usage}")
    rows, columns = whole_numbers(size, "x", 2, usage)
    (seed,) = whole_numbers(rest[0], "x", 1, usage) if rest else (1,)
    (colours,) = whole_numbers(rest[1], "x", 1, usage) if len(rest) == 2 else (5,)
    if not (1 <= rows <= LARGEST and 1 <= columns <= LARGEST and 2 <= colours <= MOST_COLOURS):
        raise UserError(f"samegame:{text} is out of range: {usage}")
    start = np.zeros(1, STATE)[0]
    start["rows"], start["columns"], start["used"] = rows, columns, columns
    rng = make_rng(seed)
    for cell in range(rows * columns):
        with np.errstate(over="ignore"):
            colour = 1 + int(below(rng, colours))
        start["cells"][cell] = colour
        start["left"][colour] += 1
        start["left"][0] += 1
    find_groups(start)
    if start["groups"] == 0:
        raise UserError(f"samegame:{text}: no two equal stones touch on this board: take another seed or a larger board")
    return Game(
        name=f"samegame:{rows}x{columns}:{seed}" + (f":{colours}" if colours != 5 else ""),
        title="SameGame",
        goal="Get as many points as you can: large groups count most.",
        how_to_play=(
            "A move removes a group of two or more tiles of one colour that touch by their sides; n tiles are worth (n - 2) "
            "squared points. What lies above falls down, and empty columns close. Clearing the board is worth 1000 points more."
        ),
        click="Click a group of two or more tiles to remove it.",
        won_by=" ",
        won_in="samegame:5x5:1",
        initial=start,
        outcomes=(0, max(1, int(most_to_come(start)))),
        move_count=rows * columns,
        max_plies=max(1, rows * columns // 2),
        max_moves=max(1, rows * columns // 2),
        players=1,
        player_names=("the player", "nobody"),
        move_text=move_text,
        parse_move=parse_move,
        draw=draw,
        picture=picture(start),
    )
