"""How strong the levels of `tesuji play` are: matches between neighbouring levels, colours exchanged.

    .venv/bin/python benchmarks/levels.py connect4:7x6 --playouts 80000 [--games 60] [--levels 1-10]

--playouts is what full strength gets a move (nodes, where the player is alpha-beta): playouts and not time, so that a busy
machine changes nothing. Both levels of a pair play every opening of random moves as either side. A game that
is longer than the rules allow, or than --most-moves, is a draw.
"""

from __future__ import annotations

import argparse
import random

import numpy as np

from tesuji.cli.terminal import TerminalGame
from tesuji.core import rules
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.lab.elo import elo_of_score, elo_text, score_interval
from tesuji.lab.match.games import winner_of
from tesuji.players.player import Player
from tesuji.players.presets import default_player, find_player


def random_opening(game: Game, plies: int, chance: random.Random) -> list[str]:
    """Texts of so many random moves after which the game is not over."""
    while True:
        state, texts = game.new_state(), []
        while len(texts) < plies and not rules.is_over(state):
            move = chance.choice(game.legal_moves(state))
            texts.append(game.text(state, move))
            rules.play(state, move)
        if not rules.is_over(state):
            return texts


def play(
    game: Game, player: Player, limits: Limits, levels: tuple[int, int], opening: list[str], seed: int, most: int
) -> float:
    """The first side's points: 1, 1/2 or 0. Each side has a session of its own, in which the other one is the person."""
    sides = ("second", "first")  # what the person plays in each
    sessions = [
        TerminalGame(game, player, limits, level, side, seed + number, opening, say=lambda _text: None)
        for number, (level, side) in enumerate(zip(levels, sides, strict=True))
    ]
    while not rules.is_over(sessions[0].played.state) and len(sessions[0].played.moves()) < most:
        mover = sessions[0].played.mover
        sessions[1 - mover].play(sessions[mover].computer_move())
    if not rules.is_over(sessions[0].played.state):
        return 0.5
    winner = winner_of(game, sessions[0].played.state)
    return 0.5 if winner is None else 1.0 - winner


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", metavar="GAME")
    parser.add_argument("--player", metavar="NAME", help="the player of the game that `tesuji play` takes")
    parser.add_argument("--playouts", type=int, required=True, metavar="N", help="playouts a move at level 10")
    parser.add_argument("--games", type=int, default=60, metavar="N", help="games a pair (60)")
    parser.add_argument("--levels", default="1-10", metavar="A-B", help="the levels to compare (1-10)")
    parser.add_argument("--random-plies", type=int, default=2, metavar="N", help="random moves at the start (2)")
    parser.add_argument("--most-moves", type=int, default=1 << 30, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    args = parser.parse_args()
    game = find_game(args.game)
    player = (find_player(args.player) if args.player else default_player(game)).changed({"memory": 64.0})
    first, last = (int(text) for text in args.levels.split("-"))
    print(f"{game.name}, {player.name}, level 10 with {args.playouts:,} playouts a move")
    with np.errstate(over="ignore"):
        for weaker in range(first, last):
            chance = random.Random(args.seed)
            points: list[float] = []
            for number in range(args.games // 2):
                opening = random_opening(game, args.random_plies, chance)
                seed = 1000 * args.seed + 2 * number
                limits = Limits(playouts=args.playouts)
                as_first = play(game, player, limits, (weaker + 1, weaker), opening, seed, args.most_moves)
                as_second = 1.0 - play(game, player, limits, (weaker, weaker + 1), opening, seed, args.most_moves)
                points += [as_first, as_second]
            won = sum(points) / len(points)
            low, high = score_interval(won, len(points))
            print(
                f"level {weaker + 1} v {weaker}: {sum(points):g} of {len(points)}, {won:.2f} ({low:.2f} to {high:.2f}), "
                f"{elo_text(elo_of_score(won))} Elo",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
