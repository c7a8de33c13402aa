"""The computer as a player of one game: the one search that follows the game, and a move at a level."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.position import Position
from tesuji.play.explanation import Thought
from tesuji.play.time_plan import TimeLeft, longest_for_move, moves_left, seconds_for_move
from tesuji.players.levels import FULL, LEVELS, Level, choose_move
from tesuji.players.player import Player
from tesuji.players.presets import DEFAULT

if TYPE_CHECKING:
    from tesuji.players.search import Search
    from tesuji.search.engine.tree_search import Result

WEAK_TREE_MIB = 64.0


class FollowedSearch:
    """The search that is kept from move to move: its tree goes along with the game, as long as that goes on from there."""

    def __init__(self) -> None:
        self.search: Search | None = None
        self._key: tuple[Any, ...] = ()

    def at(self, position: Position, player: Player, new_seed: Callable[[], int]) -> Search:
        """The player's search of this position: the one that is kept, if the position follows on its own, or a new one."""
        follows = self.leads_to(position, player)
        kept, self.search = self.search, None  # whatever goes wrong from here on, no search is left at a wrong position
        if kept is not None and follows:
            if len(position.move_numbers) > len(kept.position.move_numbers):
                kept.move_to(position)
            self.search = kept
            return kept
        del kept  # its memory is free for the next one
        self.search, self._key = player.search(position, new_seed()), _key_of(position, player)
        return self.search

    def leads_to(self, position: Position, player: Player) -> bool:
        """Whether the kept search is that player's, and of this position or an earlier one of the same game."""
        if self.search is None or self._key != _key_of(position, player):
            return False
        made = self.search.position.move_numbers
        return position.move_numbers[: len(made)] == made

    def drop(self) -> None:
        self.search = None


def _key_of(position: Position, player: Player) -> tuple[Any, ...]:
    values = sorted(player.values_for(position.game).items(), key=lambda item: item[0])
    return position.game.name, player.name, player.digest, str(values), position.begin.tobytes()


def stand_in(player: Player) -> Player:
    """The player, or one that compares moves where it does not: alpha-beta counts no visits."""
    return DEFAULT if player.alphabeta else player


@dataclass
class Opponent:
    """A player at a level. `limits` are those of full strength."""

    player: Player
    limits: Limits
    level: int = FULL
    followed: FollowedSearch = field(default_factory=FollowedSearch)
    weak_memory: float = WEAK_TREE_MIB  # of a tree that is used for one move

    @property
    def strength(self) -> Level:
        return LEVELS[self.level]

    @property
    def playing(self) -> Player:
        """Who searches at this level."""
        return self.player if self.strength.keeps_tree else stand_in(self.player)

    def searching(self, game: Game) -> Player:
        """The player as it searches at this level."""
        if self.strength.keeps_tree:
            return self.player
        settings = self.playing.settings_for(game)
        changes = {"memory": min(self.weak_memory, settings["memory"]), "threads": 1}
        changes |= {} if self.strength.proves else {"solver": "off"}
        return self.playing.overridden({name: value for name, value in changes.items() if name in settings})

    def search(self, position: Position, chance: random.Random, new_seed: Callable[[], int]) -> Search:
        """The search of a move: at weak levels one whose tree is used for this move only."""
        if self.strength.keeps_tree:
            return self.followed.at(position, self.player, new_seed)
        return self.searching(position.game).search(position, chance.getrandbits(63))

    def move(
        self,
        position: Position,
        chance: random.Random,
        new_seed: Callable[[], int],
        run: Callable[[Search, Limits], Result],
    ) -> Thought:
        """The move that it makes, and what its search has found, which `run` does."""
        result = run(self.search(position, chance, new_seed), self.strength.limits(self.limits))
        move = choose_move(self.strength, result, position.game, chance)
        return Thought(position, result, position.game.legal_moves(position.state)[0] if move is None else move)


class Pace:
    """The time of the moves of a game with a clock. A move that took longer than planned shortens the next one."""

    def __init__(self) -> None:
        self._overrun = 0.0

    def limits(self, own: Limits, left: TimeLeft, game: Game, plies: int) -> Limits:
        """Those of the next move: the player's own, and what the clock allows."""
        seconds = seconds_for_move(left, moves_left(game, plies), self._overrun)
        return own.within(seconds, longest_for_move(left, seconds))

    def took(self, limits: Limits, seconds: float) -> None:
        """A move with these limits has taken so long."""
        planned = limits.seconds if limits.longest is None else limits.longest
        if planned is not None:
            self._overrun = max(0.0, seconds - planned)
