"""Games that a player plays against itself, as records to learn from: moves, result, and what its searches found.

Every game is a function of the seed and its number, so games can be played in any order, anywhere, and a run that was killed
goes on with the games that are missing. The first moves are drawn at random and some of the next in proportion to their visits,
so that games differ.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tesuji.core import rules
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.learn.records import NEXT_VISITS, NO_SEARCH, PROVEN, VISITS_OF, RecordedGame, SearchedMove
from tesuji.learn.root_search import LEAST_SHARE, LOSS, WIN, RootSearch
from tesuji.players.player import Player
from tesuji.search.engine.final_move import Result, children_of
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.kernel.tree import ROOT

PLAYOUTS = 300
WINNER_WORDS: dict[int | None, str] = {rules.FIRST: "b", rules.SECOND: "w", -1: "draw", None: "?"}


@dataclass(frozen=True)
class Variety:
    """What makes games differ."""

    random_plies: tuple[int, int] = (0, 4)  # how many moves are drawn at random, at least and at most
    drawn_plies: int = 12  # moves before this ply are drawn in proportion to the searches' visits
    resigning: float = 0.85  # share of the games that end when a player has hardly a chance; the others are played to their end
    hopeless: float = 0.05  # the chance below which a player resigns
    ends_proven: bool = True  # a game that may end early ends where a search that says so has proven its result


VARIETY = Variety()


@dataclass(frozen=True)
class TwoLengths:
    """Most searches are quick and choose a move; some are full, and are what is learned from (Wu 2019)."""

    root: RootSearch
    quick: int  # playouts
    full: int
    full_share: float  # of the searches

    def __call__(self, engine: TreeSearch, chance: random.Random) -> Found:
        is_full = chance.random() < self.full_share
        one = self.root.full(engine, self.full, chance) if is_full else self.root.quick(engine, self.quick)
        draws = self.root.exploration.method != "gumbel" or not is_full  # there the move was drawn already
        shares = one.learned.shares if draws and one.exact is None else ((one.move, 1.0),)
        return Found(one.result, one.move, shares, one.learned if is_full or one.learned.proven else None, one.exact)


class Found(NamedTuple):
    """What a search in a game of self-play has led to."""

    result: Result
    move: int
    shares: tuple[tuple[int, float], ...]  # of moves, by which one of the first moves is drawn
    learned: SearchedMove | None  # None: it was too short to be learned from
    exact: float | None  # WIN, DRAW or LOSS for the player to move, where that ends the game


class SelfPlay:
    """Games by their numbers. `searches` says how long they are, and what is learned of them; None = each up to the limits."""

    def __init__(
        self,
        game: Game,
        player: Player,
        seed: int = 0,
        playouts: int | None = None,
        variety: Variety = VARIETY,
        searches: TwoLengths | None = None,
    ):
        self.searches = searches
        self.game, self.player, self.seed, self.variety = game, player, seed, variety
        self.limits = player.limits
        if playouts is not None or self.limits == Limits():
            self.limits = replace(self.limits, playouts=playouts or PLAYOUTS)

    def prepare(self) -> None:
        """Compiles what the games need."""
        self.player.engine(self.game).prepare()

    def game_number(self, number: int) -> RecordedGame:
        game, variety = self.game, self.variety
        chooser = random.Random(f"{self.seed} {number}")
        engine = self.player.engine(game, seed=chooser.getrandbits(63))
        opening = chooser.randint(*variety.random_plies)
        ends_early = chooser.random() < variety.resigning
        hopeless = variety.hopeless if ends_early else 0.0
        moves: list[int] = []
        searches: list[SearchedMove | None] = []
        outcome = None
        while not rules.is_over(engine.state) and len(moves) < game.max_plies:
            if len(moves) < opening:
                learned, exact, move = None, None, chooser.choice(game.legal_moves(engine.state))
            else:
                found = self._limited(engine) if self.searches is None else self.searches(engine, chooser)
                result, move, learned, exact = found.result, found.move, found.learned, found.exact
                if exact is None and result.is_hopeless(hopeless):
                    outcome = game.outcomes[0] if result.to_move == rules.FIRST else game.outcomes[1]
                    break
                if len(moves) < variety.drawn_plies and not result.proven:
                    move = chooser.choices(*zip(*found.shares, strict=True))[0]
            moves.append(move)
            searches.append(learned)
            if exact is not None and ends_early and variety.ends_proven:
                outcome = outcome_of(game, int(rules.to_play(engine.state)), exact)
                break
            engine.advance(move)
        else:
            if rules.is_over(engine.state):
                outcome = int(rules.outcome(engine.state))
        return RecordedGame(f"self-play: game {number + 1}", game.new_state(), tuple(moves), outcome, game, tuple(searches))

    def _limited(self, engine: Any) -> Found:
        result = engine.run(self.limits, with_moves=False)
        learned = _searched(engine, result)
        assert result.best_move is not None  # the game is not over
        return Found(result, result.best_move, learned.shares, learned, None)


def random_positions(game: Game, count: int, seed: int) -> np.ndarray:
    """What networks see of positions of random games."""
    assert game.encoding is not None
    planes = np.zeros((count, *game.encoding.shape), np.float32)
    chance, state = random.Random(seed), game.new_state()
    for number in range(count):
        rules.planes(state, planes[number])
        rules.play(state, chance.choice(game.legal_moves(state)))
        if rules.is_over(state) or chance.random() < 1.0 / game.max_plies:
            state = game.new_state()
    return planes


def outcome_of(game: Game, mover: int, value: float) -> int:
    """An outcome that is a WIN, a DRAW or a LOSS for this player."""
    if value not in (WIN, LOSS):
        return int(game.break_even)
    return game.outcomes[1] if (value == WIN) == (mover == rules.FIRST) else game.outcomes[0]


def self_play(play: SelfPlay, count: int, on_progress: Callable[[float, str], None] | None = None) -> list[RecordedGame]:
    """The first games, here and one after the other."""
    games = []
    for number in range(count):
        games.append(play.game_number(number))
        if on_progress is not None:
            on_progress((number + 1) / count, f"{number + 1} games played")
    return games


def _searched(engine: Any, result: Result) -> SearchedMove:
    """What a search found. Where a proof or alpha-beta chose the move, that move alone is learned."""
    visits: dict[int, int] = {}
    if isinstance(engine, TreeSearch) and not result.proven:
        nodes = engine.tree.nodes
        visits = {int(nodes[child]["move"]): int(nodes[child]["visits"]) for child in children_of(engine.tree, ROOT)}
    least = LEAST_SHARE * sum(visits.values())
    visits = {move: count for move, count in visits.items() if count > least} or {int(result.best_move or 0): 1}
    total = sum(visits.values())
    return SearchedMove(result.chance(result.best_value), tuple((move, count / total) for move, count in visits.items()))


def table_row(number: int, one: RecordedGame) -> str:
    """A game as a line of a table: its number, winner, moves, values and visits."""
    game = one.game
    assert game is not None
    state = game.new_state()
    texts, values, visits = [], [], []
    for move, search in zip(one.moves, one.searches, strict=True):
        shares = () if search is None else search.shares
        values.append(NO_SEARCH if search is None else f"{PROVEN * search.proven}{search.value:.4f}")
        of_moves = NEXT_VISITS.join(f"{game.text(state, other)}{VISITS_OF}{share:.4f}" for other, share in shares)
        visits.append(of_moves or NO_SEARCH)
        texts.append(game.text(state, move))
        rules.play(state, move)
    winner = None if one.outcome is None else game.winner(one.outcome, one.outcome)
    return "\t".join([str(number + 1), WINNER_WORDS[winner], *(" ".join(column) for column in (texts, values, visits))])
