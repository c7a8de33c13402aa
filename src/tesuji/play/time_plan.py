"""How long to think about a move when a clock runs: one plan for GTP and for matches.

Main time is divided by the number of own moves that may still come; an increment is spent as it comes in. In Canadian
byo-yomi what is left of the period is divided by the stones still to be played in it. A Japanese period is there for one move.
A search whose best move is in doubt may take longer than its share, at the expense of the moves after it.
"""

from __future__ import annotations

from dataclasses import dataclass

from tesuji.core.game import Game

LAG = 0.2  # seconds a move kept for communication and the last slice
LAG_SHARE = 0.2  # but no more than this part
LEAST = 0.01  # seconds a move at least
LONGEST_GAME = 120  # plies: of a game that does not say how large its board is
FILLED = 0.65  # part of the board that is full when most games are decided
FEWEST_MOVES = 6
LEAST_SHARE = 0.15  # own moves still to come, at the least, as a part of the points of the board: games may be long
STRETCH = 2.5  # times its share that a move in doubt may take
BORROWED = 0.1  # but no more of the time of later moves than this part


@dataclass(frozen=True)
class TimeLeft:
    """What a player has for its moves: `seconds` for the rest of the game, or for the next `stones` moves if there are some."""

    seconds: float
    stones: int = 0
    increment: float = 0.0  # comes after each move
    later: float = 0.0  # seconds a move when main time is over; 0 = then the game is lost


def seconds_for_move(left: TimeLeft, moves: float, overrun: float = 0.0) -> float:
    """Seconds for this move, when so many own moves may still come and the last one took `overrun` longer than planned."""
    if left.stones:
        share = left.seconds / left.stones
    else:
        share = min(left.seconds / max(1.0, moves) + left.increment, left.seconds)
        share = max(share, left.later)  # entering byo-yomi does no harm
    share -= min(LAG, LAG_SHARE * share)
    return max(LEAST, share - min(overrun, share / 2))


def longest_for_move(left: TimeLeft, seconds: float) -> float:
    """Seconds that the search may take if its best move is in doubt, where the plan gives it `seconds`."""
    later = 0.0 if left.stones == 1 else max(0.0, left.seconds - seconds - LAG)
    return min(STRETCH * seconds, seconds + BORROWED * later)


def moves_left(game: Game, plies: int) -> float:
    """An estimate of one player's moves to come, from the size of the board and the plies made."""
    board = game.board
    points = game.points or (board.columns * board.rows if board is not None else 0)
    longest = min(float(game.max_plies), FILLED * points if points else LONGEST_GAME)
    least = max(FEWEST_MOVES, LEAST_SHARE * points)
    return max(least, (longest - plies) / game.players)
