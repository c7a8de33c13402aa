"""`tesuji report`: how a game plays, measured in games of random moves and in games of a search against itself.

A position is *decided* when the game is over, or when the search of the player to move proves the result there: who wins, or
that it is a draw; in a puzzle the best score. From then on the game counts as decided. In random games nobody searches, so only
their end decides them. Plies are counted from 0, the start.
"""

from __future__ import annotations

import random
import statistics
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import GameError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.lab.elo import score_interval
from tesuji.lab.reproduce.runner import ExperimentRunner
from tesuji.players.player import Player

DEFAULT_LIMITS = Limits(playouts=1000)
TREE_MIB = 64.0  # of a search, unless the player says otherwise: many games run at a time
Progress = Callable[[float, str], object]


class PlayedGame(NamedTuple):
    outcome: int  # for the first player
    choices: tuple[int, ...]  # how many legal moves each position had
    decided: int  # the ply from which on it was decided

    @property
    def length(self) -> int:
        return len(self.choices)


@dataclass
class Play:
    """Games of one kind: of random moves, or of a search."""

    game: Game
    wanted: int
    played: list[PlayedGame] = field(default_factory=list)

    # -- results -----------------------------------------------------------------------------------------------------
    @property
    def results(self) -> Counter[int]:
        """How often the first player won (1), drew (0) and lost (-1)."""
        even = self.game.break_even
        return Counter((one.outcome > even) - (one.outcome < even) for one in self.played)

    @property
    def score(self) -> float:
        """The first player's share of the points, a draw being half of one."""
        return (self.results[1] + self.results[0] / 2) / len(self.played)

    @property
    def score_interval(self) -> tuple[float, float]:
        return score_interval(self.score, len(self.played))

    @property
    def draws(self) -> float:
        return self.results[0] / len(self.played)

    @property
    def points(self) -> list[float]:
        """The outcomes in the game's own units, from the lowest."""
        return sorted(one.outcome * self.game.outcome_unit for one in self.played)

    # -- shape -------------------------------------------------------------------------------------------------------
    @property
    def lengths(self) -> list[int]:
        return sorted(one.length for one in self.played)

    @property
    def branching(self) -> tuple[float, int]:
        """Legal moves of a position: the mean over all positions, and the most."""
        counts = [count for one in self.played for count in one.choices]
        return (statistics.mean(counts), max(counts)) if counts else (0.0, 0)

    def share_over(self, ply: int) -> float:
        """The share of the games that were over after so many moves."""
        return sum(one.length <= ply for one in self.played) / len(self.played)

    def share_decided(self, ply: int) -> float:
        return sum(one.decided <= ply for one in self.played) / len(self.played)

    def decided_by(self, share: float) -> int:
        """The first ply at which this share of the games was decided."""
        plies = sorted(one.decided for one in self.played)
        return plies[max(0, int(np.ceil(share * len(plies))) - 1)]


def five_numbers(values: list[Any]) -> tuple[float, float, float, float, float]:
    """Least, lower quartile, median, upper quartile, most."""
    if len(values) == 1:
        return (values[0],) * 5
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return min(values), low, middle, high, max(values)


@dataclass
class GameReport:
    game: Game
    player: str
    limits: Limits
    seed: int
    by_random: Play
    by_search: Play
    proves: bool  # whether the player's search can prove anything
    interrupted: bool = False

    @property
    def plays(self) -> list[tuple[str, Play]]:
        """The kinds of play of which some games are finished."""
        both = [("random", self.by_random), ("search", self.by_search)]
        return [(name, play) for name, play in both if play.played]

    @property
    def is_puzzle(self) -> bool:
        return self.game.players == 1

    @property
    def limits_text(self) -> str:
        """What the search has for each move."""
        parts = [f"{self.limits.playouts:,} playouts"] if self.limits.playouts else []
        parts += [f"{self.limits.seconds:g} s"] if self.limits.seconds else []
        parts += [f"{self.limits.cpu:g} s of CPU time"] if self.limits.cpu else []
        return " or ".join(parts)

    @property
    def longest(self) -> int:
        return max(play.lengths[-1] for _name, play in self.plays)

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "game": self.game.name,
            "player": self.player,
            "playouts": self.limits.playouts,
            "seconds": self.limits.seconds,
            "cpu": self.limits.cpu,
            "seed": self.seed,
            "interrupted": self.interrupted,
            "random": None,
            "search": None,
        }
        for name, play in self.plays:
            found[name] = self._json_of(play, decided=name == "search" and self.proves)
        return found

    def _json_of(self, play: Play, decided: bool) -> dict[str, Any]:
        plies = range(play.lengths[-1] + 1)
        return {
            "games": len(play.played),
            **self._result_json(play),
            "length": _numbers_json(play.lengths),
            "branching": dict(zip(("mean", "max"), play.branching, strict=True)),
            "over_by_ply": [play.share_over(ply) for ply in plies],
            "decided_by_ply": [play.share_decided(ply) for ply in plies] if decided else None,
        }

    def _result_json(self, play: Play) -> dict[str, Any]:
        if self.is_puzzle:
            return {"score": _numbers_json(play.points)}
        results, (low, high) = play.results, play.score_interval
        first = {"score": play.score, "low": low, "high": high, "wins": results[1], "draws": results[0], "losses": results[-1]}
        return {"first_player": first, "draws": play.draws}


def _numbers_json(values: list[Any]) -> dict[str, float]:
    names = ("min", "lower_quartile", "median", "upper_quartile", "max")
    return {"mean": statistics.mean(values), **dict(zip(names, five_numbers(values), strict=True))}


# -- playing ---------------------------------------------------------------------------------------------------------------
def make_report(
    game: Game,
    player: Player,
    games: int = 100,
    limits: Limits = DEFAULT_LIMITS,
    seed: int = 0,
    workers: int | None = None,
    on_progress: Progress | None = None,
) -> GameReport:
    """Plays `games` random games and as many by the player against itself, `workers` at a time (None = one a processor).

    Ctrl-C ends it with the games that were finished. With a limit of playouts the same seed gives the same games.
    """
    settings = player.settings_for(game)
    if "memory" in settings and "memory" not in player.changes:
        player = player.overridden({"memory": min(TREE_MIB, settings["memory"])})
    proves = settings.get("solver", "bounds") != "off"
    report = GameReport(game, player.name, limits, seed, Play(game, games), Play(game, games), proves)
    runner = ExperimentRunner(seed, workers, on_progress)

    def by_random(number: int) -> Callable[[], PlayedGame]:
        return lambda: _random_game(game, random.Random(f"{seed} {number}"), runner)

    def by_search(number: int) -> Callable[[], PlayedGame]:
        return lambda: _searched_game(game, player, limits, runner.run_seed(number), runner)

    parts = ((report.by_random, by_random, "random games", 0.0), (report.by_search, by_search, "games by search", 0.05))
    try:
        player.engine(game, seed=seed).prepare()  # compiled once, before the games share the processors
        for play, task, title, begin in parts:
            runner.part(begin, 1.0 if begin else 0.05)
            found = runner.all([task(number) for number in range(games)], title)
            play.played = [one for one in found if one is not None]
    except KeyboardInterrupt:
        report.interrupted = True
        if not report.plays:
            raise
    report.interrupted = report.interrupted or runner.interrupted
    if not report.plays:
        raise KeyboardInterrupt
    return report


def _random_game(game: Game, chance: random.Random, runner: ExperimentRunner) -> PlayedGame:
    state = game.new_state()
    choices = []
    with np.errstate(over="ignore"):  # hashes wrap, on purpose
        while not rules.is_over(state):
            runner.check()
            if len(choices) >= game.max_plies:
                raise GameError(f"a random game of {game.name} did not end within {game.max_plies} moves, its max_plies")
            legal = game.legal_moves(state)
            choices.append(len(legal))
            rules.play(state, chance.choice(legal))
        return PlayedGame(int(rules.outcome(state)), tuple(choices), len(choices))


def _searched_game(game: Game, player: Player, limits: Limits, seed: int, runner: ExperimentRunner) -> PlayedGame:
    search = player.engine(game, seed=seed)
    choices: list[int] = []
    decided: int | None = None
    with np.errstate(over="ignore"):
        while not rules.is_over(search.state):
            runner.check()
            choices.append(len(game.legal_moves(search.state)))
            result = runner.search(search, limits, with_moves=False)
            if decided is None and is_decided(game, result.lower, result.upper):
                decided = len(choices) - 1
            search.advance(result.best_move)
        end = len(choices)
        return PlayedGame(int(rules.outcome(search.state)), tuple(choices), end if decided is None else decided)


def is_decided(game: Game, lower: int, upper: int) -> bool:
    """Whether bounds prove the result: who wins or that it is a draw; in a puzzle the score."""
    return lower == upper or (game.players == 2 and game.winner(lower, upper) is not None)
