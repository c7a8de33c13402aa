"""Looking for mistakes in a game."""

from __future__ import annotations

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.games.registry import find_game
from tesuji.lab.check import CheckReport, check_game


def check(game: str | Game, *, games: int = 100, seconds: float = 20.0, seed: int = 0) -> CheckReport:
    """Plays random games, compiled and in pure Python, and reports the mistakes of the rules in plain words.

    It takes about `seconds`, besides what the compiler takes. A game with mistakes is a report, not an error.
    """
    found = find_game(game, trial=False) if isinstance(game, str) else game
    if not isinstance(found, Game):
        raise UserError(f"a game is a string as in 'connect4:7x6', or a tesuji.Game, not {type(game).__name__}")
    report = check_game(found, games=games, seed=seed, seconds=seconds)
    if report.interrupted:
        raise KeyboardInterrupt
    return report
