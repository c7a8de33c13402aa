"""A user's own game: 'path/to/file.py:name' as a Game.

Before a game is handed out, some random games are played in pure Python, so that one that raises, loops or contradicts
itself is refused in one line and not in the middle of a search.
"""

from __future__ import annotations

import contextlib
import dataclasses
import random
import sys
import time
from pathlib import Path

from tesuji.core.game import Game
from tesuji.core.user_files import load_file, pick
from tesuji.core.watchdog import Watchdog
from tesuji.games.referee import Fault, Referee, structure_faults

FORM = "a game of your own is path/to/file.py:name"
TRIAL_GAMES = 20
TRIAL_SECONDS = 0.5  # for all trial games together; what is not played then is not played

_tried: set[tuple[Path, str, str]] = set()  # (file, digest, name) of games that passed the trial


def load_user_game(text: str, trial: bool = True) -> Game:
    """The game that 'path/to/file.py:name' names; a UserError in one line says what is wrong with it, where.

    Without the trial, which the checker does better, the game may be one that breaks its own rules.
    """
    path_text, colon, name = text.rpartition(":")
    if not colon or name.endswith(".py"):
        path_text, name = text, ""
    file = load_file(path_text, FORM)
    game = pick(file, path_text, name, Game)
    game = dataclasses.replace(game, name=text, source=str(file.path), title=game.title or game.name)
    if trial and (file.path, file.digest, name) not in _tried:
        with contextlib.redirect_stdout(sys.stderr), Watchdog() as watchdog:
            _try(game, watchdog)
        _tried.add((file.path, file.digest, name))
    return game


def _try(game: Game, watchdog: Watchdog) -> None:
    """Plays some random games; the first fault is raised with the way to learn more."""
    hint = f"`tesuji check {game.name}` says more"
    try:
        for fault in structure_faults(game):
            raise fault
        referee = Referee(game, watchdog)
        chance = random.Random(1)
        began = time.monotonic()
        for _ in range(TRIAL_GAMES):
            position = referee.start()
            referee.drawing(position)
            while not referee.is_over(position):
                if time.monotonic() - began > TRIAL_SECONDS:
                    return
                referee.check_length(position)
                referee.to_play(position)
                referee.bounds(position)
                referee.position_hash(position)
                legal = referee.moves(position)
                position = referee.play(position, chance.choice(legal))
            referee.outcome(position)
            referee.drawing(position)
    except Fault as fault:
        raise Fault(fault.kind, f"{game.name}: {fault}; {hint}") from None
