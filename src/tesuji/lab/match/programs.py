"""What the user tells a GTP program of a match beside its command: GTP commands to send, and the folder that it runs in."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from tesuji.core.errors import UserError, shortened
from tesuji.lab.match.plan import PlayerSpec

ForPlayer = tuple[int, str]  # the number of a player, from 1, and a command or a folder for it
LONGEST_COMMAND = 1000
# Commands by which a program would play another game than the one that the referee has set up.
OWN_COMMANDS = ("boardsize", "clear_board", "komi", "loadsgf", "play", "quit", "undo")


def with_settings(
    players: Sequence[PlayerSpec], commands: Sequence[ForPlayer], folders: Sequence[ForPlayer]
) -> tuple[PlayerSpec, ...]:
    """The players with these commands and folders; a UserError for a player that is none, or no program."""
    found = list(players)
    for number, command in commands:
        slot = _slot(players, number, "--gtp-command")
        found[slot] = replace(found[slot], commands=(*found[slot].commands, checked_command(command)))
    for number, folder in folders:
        slot = _slot(players, number, "--gtp-dir")
        if found[slot].folder:
            raise UserError(f"--gtp-dir is given twice for player {number}: a program runs in one folder")
        if not os.path.isdir(folder):
            raise UserError(f"--gtp-dir {number} {shortened(folder)}: there is no such folder")
        found[slot] = replace(found[slot], folder=folder)
    return tuple(replace(player, label=player.label + player.settings_text) for player in found)


def checked_command(text: str) -> str:
    """A GTP command that may be sent before a game, without blanks at its ends."""
    text = text.strip()
    shown = shortened(text, quoted=True)
    if not text or len(text) > LONGEST_COMMAND or not text.isprintable() or "#" in text:
        raise UserError(
            f"--gtp-command {shown} is not a GTP command: one line of text without '#', as in 'time_settings 0 5 1'"
        )
    word = text.split()[0]
    if word.isdigit():
        raise UserError(f"--gtp-command {shown} begins with an id: leave it out, the match numbers its commands itself")
    if word in OWN_COMMANDS or "genmove" in word or "handicap" in word:
        raise UserError(f"--gtp-command {shown}: {word} is left to the match, which sets up the game and asks for the moves")
    return text


def _slot(players: Sequence[PlayerSpec], number: int, option: str) -> int:
    if not 1 <= number <= len(players):
        raise UserError(f"{option} {number}: there is no such player; they are numbered from 1 to {len(players)}")
    player = players[number - 1]
    if not player.is_gtp:
        raise UserError(f"{option} {number}: player {number} is {player.given}; only a GTP program, 'gtp:COMMAND', takes this")
    return number - 1
