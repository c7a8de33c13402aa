"""Go as a game: the game string, positions that are set up, handicap stones, and what SGF and GTP need to know."""

from __future__ import annotations

from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.game import Game, copy_state
from tesuji.core.parameters import Declaration, Parameter, parse_assignments
from tesuji.core.picture.board import Board, Point
from tesuji.games.go import rules as rules  # registers the rules
from tesuji.games.go.picture import picture
from tesuji.games.go.planes import encoding
from tesuji.games.go.state import LARGEST, NOWHERE, STRIDE, empty_board, longest_game, start_history
from tesuji.games.go.strings import put_stone
from tesuji.games.go.text import (
    draw,
    move_text,
    parse_move,
    parse_sgf_move,
    point_of,
    point_text,
    result_text,
    sgf_move,
    stones_of,
    why_illegal,
)
from tesuji.games.strings import whole_numbers

USAGE = f"go:N with N from 2 to {LARGEST}, or go:N:komi=K,superko=simple|positional (default: komi 7.5, simple)"
MOST_HANDICAP, MOST_ON_EVEN = 9, 4
PARAMETERS = Declaration(
    Parameter("komi", 7.5, "points that White is given, in halves", -LARGEST * LARGEST, LARGEST * LARGEST),
    Parameter("superko", "simple", "what may not come back", choices=("simple", "positional")),
)


def make(text: str) -> Game:
    """The game for 'N' or 'N:komi=K,superko=S'; '' is 9x9."""
    size_text, _, options = (text or "9").partition(":")
    (size,) = whole_numbers(size_text, "x", 1, USAGE)
    if not 2 <= size <= LARGEST:
        raise UserError(f"go:{text}: a board of {size}x{size} is out of range: {USAGE}")
    settings = PARAMETERS.settings(parse_assignments(options))
    return new_game(size, float(settings["komi"]), str(settings["superko"]))


def new_game(size: int, komi: float, superko: str) -> Game:
    settings = PARAMETERS.settings({"komi": komi, "superko": superko})
    halves = round(settings["komi"] * 2)
    if halves != settings["komi"] * 2:
        raise UserError(f"komi={komi:g} is not possible: whole and half points only, as in 6.5")
    described = PARAMETERS.settings({"komi": halves / 2, "superko": superko}).describe()
    farthest = 2 * size * size + abs(halves)

    def vary(size: int | None = None, komi: float | None = None, superko: str = superko) -> Game:
        """The same rules at another size or komi, or with the other ko rule."""
        if size is not None and not 2 <= size <= LARGEST:
            raise UserError(f"a board of {size}x{size} is out of range: 2 to {LARGEST}")
        return new_game(size or board.columns, halves / 2 if komi is None else komi, superko)

    board = Board(
        columns=size,
        rows=size,
        stones=stones_of,
        point=point_of,
        set_up=set_up,
        handicap=lambda count: handicap_points(size, count),
    )
    return Game(
        name=f"go:{size}" + (f":{described}" if described else ""),
        title="Go",
        goal="Surround more of the board than your opponent.",
        how_to_play=(
            "The players take turns to put a stone on a free crossing; Black begins. Stones that hang together along the lines "
            "are captured when no free crossing is left beside them; a single stone may not be taken back at once (ko). Two "
            "passes end the game: stones count, and the crossings that only they enclose, and White gets "
            f"{halves / 2:g} points more."
        ),
        click="Click a crossing to put a stone there; Pass is a button below the board.",
        won_by="C3 D3 C2 D2 C4 D4 C1 D1 C5 D5 pass pass",
        won_in="go:5:komi=0.5",
        initial=empty_board(size, halves, superko == "positional"),
        outcomes=(-farthest, farthest),
        move_count=size * size + 1,
        max_plies=longest_game(size),
        player_names=("Black", "White"),
        draw_value=0,
        move_text=move_text,
        parse_move=parse_move,
        draw=draw,
        points=size * size,
        outcome_unit=0.5,
        board=board,
        picture=picture(size),
        encoding=encoding(size),
        sgf_number=1,
        sgf_move=sgf_move,
        parse_sgf_move=parse_sgf_move,
        why_illegal=why_illegal,
        rule_sets=("area scoring", "Chinese", "CN", "Tromp-Taylor", "TT", "AGA", "NZ", "New Zealand", "area"),
        vary=vary,
        result_text=result_text,
        extra={"komi": halves / 2, "superko": superko},
    )


def set_up(state: Any, stones: dict[Point, int], player: int) -> Any:
    """A game that begins with just these stones and `player` to move, by the rules of the game that `state` is from."""
    size = int(state["size"])
    for (column, row), owner in stones.items():
        if not (0 <= column < size and 0 <= row < size) or owner not in (0, 1):
            raise UserError(f"there is no point ({column}, {row}) on a board of {size}x{size} for a stone of player {owner}")
    if player not in (0, 1):
        raise UserError(f"player {player} cannot be to move: 0 (Black) or 1 (White)")
    if "history" in (state.dtype.names or ()) and state["ply"] < state["longest"] and stones == stones_of(state):
        return _other_turn(state, player)
    _demand_liberties(stones, size)
    new = empty_board(size, int(state["komi"]), "history" in (state.dtype.names or ()))
    # As every string ends with a liberty, none is without one on the way: nothing is captured.
    with np.errstate(over="ignore"):
        for (column, row), owner in sorted(stones.items()):
            put_stone(new, np.int64((row + 1) * STRIDE + column + 1), np.int64(owner))
    new["to_play"] = player
    start_history(new)
    return new


def _other_turn(state: Any, player: int) -> Any:
    """The same game with `player` to move, as after passes: superko still knows the positions that there were."""
    new = copy_state(state)
    new["to_play"] = player
    new["passes"] = 0
    new["ko"] = NOWHERE
    new["last_move"] = -1
    new["second_last_move"] = -1
    return new


def _demand_liberties(stones: dict[Point, int], size: int) -> None:
    seen: set[Point] = set()
    for start in sorted(stones):
        if start in seen:
            continue
        seen.add(start)
        waiting, free = [start], False
        while waiting:
            column, row = waiting.pop()
            for near in ((column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)):
                if not (0 <= near[0] < size and 0 <= near[1] < size):
                    continue
                if near not in stones:
                    free = True
                elif stones[near] == stones[start] and near not in seen:
                    seen.add(near)
                    waiting.append(near)
        if not free:
            raise UserError(f"the {('black', 'white')[stones[start]]} string at {point_text(*start)} has no liberty")


def handicap_points(size: int, count: int) -> list[Point]:
    """The fixed handicap of GTP 2: no board below 7x7, up to 4 stones on 7x7 and on even boards, 9 on the others.

    The points are on the third line below 13x13, from there on on the fourth. Opposite corners come first, the point of
    the board's centre is taken by odd numbers of stones from five on.
    """
    most = 0 if size < 7 else MOST_ON_EVEN if size % 2 == 0 or size == 7 else MOST_HANDICAP
    if not 2 <= count <= most:
        if not most:
            raise UserError(f"a {size}x{size} board has no handicap points")
        raise UserError(f"a handicap of {count} does not fit a board of {size}x{size}: 2 to {most} stones")
    near = 2 if size < 13 else 3
    far, middle = size - 1 - near, size // 2
    points = [(near, near), (far, far), (near, far), (far, near)]
    sides = [(near, middle), (far, middle), (middle, near), (middle, far)]
    if count <= 4:
        return points[:count]
    chosen = points + sides[: (count - 4) // 2 * 2]
    return [*chosen, (middle, middle)] if count % 2 else chosen
