"""Share of the moves of game records that players choose with few playouts: a quick first look at settings before a match.

    .venv/bin/python benchmarks/move_prediction.py RECORDS... [--game go:9] [--players "go;mogo:prior_bonus=0.05"]
        [--playouts 150] [--positions 500] [--from-ply 4] [--to-ply 45] [--seed 0]

One position is drawn from each of so many games, and every player searches all of them. Beside each share stand Wilson's 95%
interval, the mean share of the visits that the recorded move had, and how many positions the player gets right that the first
does not, and the other way round. A player that predicts better need not play better.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from typing import NamedTuple

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State, copy_state
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.lab.elo import score_interval
from tesuji.learn.records import RecordedGame, read_collection
from tesuji.players.player import Player
from tesuji.players.presets import find_player


class Case(NamedTuple):
    state: State
    move: int  # that was made in it


def cases_of(games: Sequence[RecordedGame], count: int, first: int, last: int, seed: int) -> list[Case]:
    """A position of each of `count` games, between two plies."""
    chance, found = random.Random(seed), []
    long_enough = [game for game in games if len(game.moves) > first]
    for game in chance.sample(long_enough, min(count, len(long_enough))):
        ply = chance.randrange(first, min(last + 1, len(game.moves)))
        state = copy_state(game.start)
        for move in game.moves[:ply]:
            rules.play(state, move)
        found.append(Case(state, game.moves[ply]))
    return found


def ask(game: Game, player: Player, case: Case, playouts: int, seed: int) -> tuple[bool, float]:
    """Whether the player makes the recorded move, and the share of the visits that it had."""
    result = player.engine(game, copy_state(case.state), seed).run(Limits(playouts=playouts))
    visits = {report.move: report.visits for report in result.moves}
    return result.best_move == case.move, visits.get(case.move, 0) / max(1, sum(visits.values()))


def gained_and_lost(right: Sequence[bool], first: Sequence[bool]) -> tuple[int, int]:
    """How many answers are right of which the first player's is not, and the other way round; both to the same questions.

    Whether two players differ shows in these: their shares' own intervals are too wide, since most answers agree.
    """
    pairs = list(zip(right, first, strict=True))
    return sum(one and not other for one, other in pairs), sum(other and not one for one, other in pairs)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", help="files of records")
    parser.add_argument("--game", default="go:9", help="(go:9)")
    parser.add_argument("--players", default="mogo", help="joined by ';'")
    parser.add_argument("--playouts", type=int, default=150, help="a position (150)")
    parser.add_argument("--positions", type=int, default=500, help="(500)")
    parser.add_argument("--from-ply", type=int, default=4, help="(4)")
    parser.add_argument("--to-ply", type=int, default=45, help="(45)")
    parser.add_argument("--seed", type=int, default=0, help="of the positions, and of the first search (0)")
    arguments = parser.parse_args(words)
    if min(arguments.playouts, arguments.positions) < 1 or not 0 <= arguments.from_ply <= arguments.to_ply:
        parser.error("numbers of playouts and positions are from 1, and plies from 0 in order")
    try:
        game = find_game(arguments.game)
        players = {text.strip(): find_player(text.strip()) for text in arguments.players.split(";")}
        games = read_collection(game, arguments.records).games
    except UserError as error:
        parser.error(str(error))
    cases = cases_of(games, arguments.positions, arguments.from_ply, arguments.to_ply, arguments.seed)
    if not cases:
        parser.error("no game is long enough")
    first: list[bool] = []
    for name, player in players.items():
        answers = [ask(game, player, case, arguments.playouts, arguments.seed + i) for i, case in enumerate(cases)]
        right = [answer for answer, _ in answers]
        first = first or right
        share = sum(right) / len(right)
        low, high = score_interval(share, len(right))
        visits = sum(part for _, part in answers) / len(answers)
        gained, lost = gained_and_lost(right, first)
        print(f"{share:.3f} ({low:.3f} to {high:.3f})  visits {visits:.3f}  +{gained} -{lost}  {name}")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
