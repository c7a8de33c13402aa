"""Matches between two players, or against GTP programs."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tesuji.api.naming import game as find_game
from tesuji.api.naming import game_of, player_of
from tesuji.core.arguments import file_name, seed_number, text, whole
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.lab.elo import elo_of_score, elo_text
from tesuji.lab.match import open_match
from tesuji.players.player import Player
from tesuji.players.presets import find_player

if TYPE_CHECKING:
    from tesuji.lab.match.games import Played
    from tesuji.lab.match.plan import Plan
    from tesuji.lab.match.runner import Runner
    from tesuji.lab.match.standing import Standing

MOST_RANDOM_PLIES = 1000
NOT_BY_NAME = (
    "not found by its name, which is all that other processes and match files hold: put it into a file and name that, "
    "as in 'mine.py:player', or leave file and workers out"
)


@dataclass(frozen=True)
class CompletedGame:
    """One game of a match. Players are the strings that were passed to `match`."""

    number: int  # from 1
    first: str  # the player who moved first
    second: str
    score: float  # A's points: 1, 0.5 or 0
    result: str  # as game records write it: B+3.5, W+R; B is `first`
    reason: str  # how it ended: score, resign, length, repetition; or the fault of the loser: time, illegal, crash, hang, ...
    moves: tuple[str, ...]
    sgf: str

    def __repr__(self) -> str:
        end = f"{self.result} ({self.reason}), {len(self.moves)} moves"
        return f"<CompletedGame {self.number}: {self.first} - {self.second}, {end}>"


@dataclass(frozen=True, repr=False)
class Match:
    """A match between A and B, from A's point of view. Intervals are of 95%."""

    game: str
    a: str
    b: str
    games: tuple[CompletedGame, ...]
    standing: Standing
    file: str | None = None  # the match file, if there is one

    @property
    def wins(self) -> int:
        return self.standing.a_wins

    @property
    def losses(self) -> int:
        return self.standing.b_wins

    @property
    def draws(self) -> int:
        return self.standing.draws

    @property
    def score(self) -> float | None:
        """A's points per game, from 0 to 1; None before the first game."""
        return self.standing.score

    @property
    def score_interval(self) -> tuple[float, float]:
        return self.standing.interval

    @property
    def elo(self) -> float | None:
        """By how much A is stronger; infinite if it has won or lost all games."""
        return None if self.score is None else elo_of_score(self.score)

    @property
    def elo_interval(self) -> tuple[float, float]:
        low, high = self.score_interval
        return elo_of_score(low), elo_of_score(high)

    @property
    def forfeits(self) -> int:
        """Games that a player lost by a fault: an illegal move, a crash, too much time."""
        return self.standing.a_forfeits + self.standing.b_forfeits

    def __repr__(self) -> str:
        low, high = (elo_text(elo) for elo in self.elo_interval)
        counts = f"{self.wins} won, {self.losses} lost, {self.draws} drawn"
        return f"<Match {self.a} - {self.b} at {self.game}: {counts}, Elo {elo_text(self.elo)} ({low} .. {high})>"

    def to_json(self) -> dict[str, Any]:
        """The keys of `tesuji match --json` that come from the games."""
        return {"game": self.game, "a": self.a, "b": self.b, **self.standing.as_json()}


def match(
    a: str | Player,
    b: str | Player,
    *,
    game: str | Game,
    games: int = 100,
    playouts: int | None = None,
    seconds: float | None = None,
    cpu: float | None = None,
    clock: str = "",
    seed: int = 0,
    file: str | Path | None = None,
    workers: int | None = None,
    openings: str | Path | None = None,
    random_plies: int = 0,
    on_progress: Callable[[int, int], object] | None = None,
) -> Match:
    """Plays a match, colours exchanged after each game, several games at a time in processes of their own.

    A player or game that is in no file, as in a notebook, cannot be found there: then the games are played in this process, one
    after the other, without a match file.

    a, b          players: strings as on the command line ('uct:playouts=1000', 'gtp:gnugo --mode gtp'), or Players
    game          a game string or a Game
    games         games to play
    playouts, seconds, cpu
                  limits of a move for players that have none of their own; `cpu` is CPU time in seconds. Default: 1 second
    clock         of each player, as in '300+2'
    seed          of all random numbers
    file          the match file: every game is saved in it as it ends, and the same call resumes the match. Without one,
                  nothing is saved
    workers       games at a time; None = as many as the processors allow
    openings      a file of openings, each played with both colours
    random_plies  random moves to begin with, where there are no openings
    on_progress   called with (games played, games in all)
    """
    limits = Limits(seconds, playouts, cpu)
    match_file = None if file is None else file_name(file)
    named = [_name_of_player(a), _name_of_player(b)]
    game_name = _name_of_game(game)
    whole("games", games, 1)
    if game_name is None or None in named:
        if match_file is not None or workers not in (None, 1):
            raise UserError(f"{_nameless(a, b, game)} is {NOT_BY_NAME}")
        return _match_here(a, b, game, games, limits, clock, seed, openings, random_plies, on_progress)
    with contextlib.ExitStack() as stack:
        path = match_file or f"{stack.enter_context(tempfile.TemporaryDirectory(prefix='tesuji-'))}/match.db"
        runner = stack.enter_context(
            open_match(
                game_name,
                [name for name in named if name is not None],
                whole("games", games, 1),
                file=path,
                seed=seed_number(seed),
                workers=None if workers is None else whole("workers", workers, 1),
                playouts=limits.playouts,
                seconds=limits.seconds,
                cpu=limits.cpu,
                clock=text("clock", clock, "300+2"),
                openings=None if openings is None else file_name(openings),
                random_plies=whole("random_plies", random_plies, 0, MOST_RANDOM_PLIES),
            )
        )
        if on_progress is not None:

            def tick(runner: Runner) -> None:
                on_progress(runner.done, runner.total)

            runner.on_tick = tick
        runner.run()
        if runner.interrupted:
            raise KeyboardInterrupt
        played = [one for one in runner.store.games() if one.number < runner.total]
        (result,) = matches_of(runner.plan, runner.standings, played)
        return replace(result, file=match_file or None)


def matches_of(plan: Plan, standings: Sequence[Standing], games: Sequence[Played] = ()) -> list[Match]:
    """One Match for each pairing of a plan."""
    matches = []
    for index, ((a, b), standing) in enumerate(zip(plan.pairings, standings, strict=True)):
        own = tuple(_game_of(plan, played, a) for played in games if played.number % len(plan.pairings) == index)
        matches.append(Match(plan.game, plan.players[a].given, plan.players[b].given, own, standing))
    return matches


def _game_of(plan: Plan, played: Played, a: int) -> CompletedGame:
    return CompletedGame(
        number=played.number + 1,
        first=plan.players[played.first].given,
        second=plan.players[played.second].given,
        score=0.5 if played.winner is None else float(played.winner == a),
        result=played.result,
        reason=played.reason,
        moves=tuple(played.moves.split()),
        sgf=played.sgf,
    )


def _match_here(
    a: str | Player,
    b: str | Player,
    game: str | Game,
    games: int,
    limits: Limits,
    clock: str,
    seed: int,
    openings: str | Path | None,
    random_plies: int,
    on_progress: Callable[[int, int], object] | None,
) -> Match:
    from tesuji.lab.match.here import play_here

    plan, standings, played = play_here(
        find_game(game) if isinstance(game, str) else game,
        [a, b],
        games,
        limits,
        text("clock", clock, "300+2"),
        seed_number(seed),
        None if openings is None else file_name(openings),
        whole("random_plies", random_plies, 0, MOST_RANDOM_PLIES),
        on_progress,
    )
    (result,) = matches_of(plan, standings, played)
    return result


# -- games and players as strings: the processes that play receive nothing else ----------------------------------------------
def _name_of_game(game: str | Game) -> str | None:
    """The string that another process finds the game by; None if there is none."""
    if isinstance(game, str):
        return game
    game_of(game)  # an error if it is no Game either
    with contextlib.suppress(UserError):
        if find_game(game.name) == game:
            return game.name
    return None


def _name_of_player(player: str | Player) -> str | None:
    if isinstance(player, str):
        return player
    player_of(player)  # an error if it is no Player either
    with contextlib.suppress(UserError):
        namesake = find_player(player.name, may_load=True)
        if replace(namesake, changes={}, limits=player.limits) == replace(player, changes={}):
            return player.as_string()
    return None


def _nameless(a: str | Player, b: str | Player, game: str | Game) -> str:
    """The first of them that no other process finds."""
    if not isinstance(game, str) and _name_of_game(game) is None:
        return game.name
    return next(f"the player {one.name}" for one in (a, b) if isinstance(one, Player) and _name_of_player(one) is None)
