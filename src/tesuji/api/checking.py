"""Looking for mistakes in the rules of a game."""

from __future__ import annotations

from tesuji.api.naming import game_of
from tesuji.core.arguments import seconds_number, seed_number, whole
from tesuji.core.game import Game
from tesuji.lab.check import CheckReport, check_game


def check(game: str | Game, *, games: int = 100, seconds: float = 20.0, seed: int = 0) -> CheckReport:
    """Plays random games, compiled and in pure Python, and reports the mistakes of the rules in plain words.

    It takes about `seconds`, and the time of compiling. Mistakes of the game are in the report; they raise no error.
    """
    report = check_game(game_of(game, trial=False), whole("games", games, 1), seed_number(seed), seconds_number(seconds))
    if report.interrupted:
        raise KeyboardInterrupt
    return report
