"""How often a player's move keeps the exact value of the position, on positions in which the value of every move is proven.

    .venv/bin/python benchmarks/exact_play.py --players tesuji,uct --playouts 2000,20000 [--games connect4,loa] [--seeds 0,1]

Only positions in which some move loses value count, and none in which the best result can be had by a move that ends the game.
One line for each player and number of playouts: the share of moves that keep the value, over all positions and by game, with
its 95% interval, and how much it is above or below that of the first player. What several seeds choose in one position is no
independent evidence, so both intervals take positions, not choices, as the sample (see `share` and `difference`).
Players with parameters are joined by semicolons: --players "tesuji;tesuji:probe_children=off,cuts=off". For alpha-beta a
playout is a node.

In Go a value is who wins; in the other games it is the outcome.

    .venv/bin/python benchmarks/exact_play.py --make FILE

writes positions like those of benchmarks/exact_positions.json anew: random positions, each move solved by our own proofs.
Values do not depend on how they were proven, but which positions are proven within the limits does.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State, copy_state
from tesuji.core.limits import Limits
from tesuji.games.loa.text import position_text
from tesuji.games.registry import find_game
from tesuji.lab.elo import Z95, score_interval
from tesuji.players.player import Player
from tesuji.players.presets import find_player
from tesuji.players.proving import prover

POSITIONS = Path(__file__).with_name("exact_positions.json")
MEMORY = 256.0  # MiB
BY_WINNER = ("go",)  # families whose value is who wins, not by how much


class Exact(NamedTuple):
    """A position and the value of each of its moves, for player 0."""

    game: Game
    moves: list[str]  # from the start of the game
    values: dict[int, list[str]]  # value: the moves that lead to it

    @property
    def state(self) -> State:
        return self.game.state_after(self.moves)

    def keeping(self) -> set[str]:
        """The moves that keep the value of the position."""
        best = max if rules.to_play(self.state) == rules.FIRST else min
        return set(self.values[best(self.values)])


# -- measuring -------------------------------------------------------------------------------------------------------------
def read_positions(path: Path, families: list[str]) -> dict[str, list[Exact]]:
    stored = json.loads(path.read_text(encoding="utf-8"))
    for family in families:
        if family not in stored:
            raise UserError(f"{path.name} has no positions of {family!r}; it has: {', '.join(stored)}")
    return {
        family: [
            Exact(find_game(name), moves.split(), {int(value): texts.split() for value, texts in values.items()})
            for name, moves, values in stored[family]
        ]
        for family in families or stored
    }


def count_kept(player: Player, exact: Exact, playouts: int, seeds: list[int]) -> int:
    """With how many of the seeds the player's move keeps the value of the position."""
    state, keeping, kept = exact.state, exact.keeping(), 0
    for seed in seeds:
        result = player.engine(exact.game, state, seed).run(Limits(playouts=playouts))
        assert result.best_move is not None
        kept += exact.game.text(state, result.best_move) in keeping
    return kept


def share(kept: list[int], seeds: int) -> dict[str, Any]:
    """The share p of moves that keep the value, from their number in each position, with its 95% interval.

    It is Wilson's, for n = p (1 - p) / v choices, v the variance of the mean of the positions' own shares. With one seed n is
    the number of positions; with more it is larger, and reaches the number of choices only if the seeds of a position agree
    no more than those of different positions.
    """
    shares = np.array(kept) / seeds
    mean = float(shares.mean())
    variance = float(shares.var()) / len(shares)
    choices = len(kept) * seeds
    independent = min(choices, mean * (1.0 - mean) / variance) if variance > 0.0 else len(kept)
    low, high = score_interval(mean, independent)
    return {"kept": sum(kept), "count": choices, "share": mean, "low": low, "high": high}


def difference(kept: list[int], others: list[int], seeds: int) -> dict[str, float]:
    """By how much a player's share is above another's on the same positions, with its 95% interval: pairs of positions."""
    each = (np.array(kept) - np.array(others)) / seeds
    half = Z95 * float(each.std(ddof=1)) / len(each) ** 0.5 if len(each) > 1 else 1.0
    return {"above": float(each.mean()), "above_low": float(each.mean()) - half, "above_high": float(each.mean()) + half}


def measure(text: str, playouts: int, positions: dict[str, list[Exact]], seeds: list[int]) -> dict[str, Any]:
    player = find_player(text, may_load=True)
    if "memory" not in player.changes and not player.alphabeta:
        player = player.changed({"memory": MEMORY})
    kept: dict[str, list[int]] = {}
    began = time.process_time()
    for family, listed in positions.items():
        if not player.games or family in player.games:
            kept[family] = [count_kept(player, exact, playouts, seeds) for exact in listed]
    if not kept:
        raise UserError(f"{text} plays none of: {', '.join(positions)}")
    by_game = {family: share(listed, len(seeds)) for family, listed in kept.items()}
    total = share([one for listed in kept.values() for one in listed], len(seeds))
    spent = time.process_time() - began
    return {"player": text, "playouts": playouts, **total, "games": by_game, "seconds": spent, "positions": kept}


def compare(row: dict[str, Any], first: dict[str, Any], seeds: int) -> None:
    """Adds to a row how each game's share compares with that of another row."""
    for family, one in row["games"].items():
        if family in first["games"]:
            one |= difference(row["positions"][family], first["positions"][family], seeds)


def line_of(row: dict[str, Any]) -> str:
    def shown(one: dict[str, Any]) -> str:
        above = f", {one['above']:+.3f} ({one['above_low']:+.3f} to {one['above_high']:+.3f})" if "above" in one else ""
        return f"{one['share']:.3f} ({one['low']:.3f} to {one['high']:.3f}){above}"

    games = ", ".join(f"{family} {shown(one)}" for family, one in row["games"].items())
    head = f"{row['player']}, {row['playouts']:,} playouts: {shown(row)} of {row['count']}"
    return f"{head}; {games}; {row['seconds']:.0f} s"


# -- making positions ------------------------------------------------------------------------------------------------------
class Source(NamedTuple):
    """Where positions of a game come from, and how far to go to prove their moves."""

    games: tuple[str, ...]
    wanted: int  # positions
    fewest_plies: int  # random moves made
    most_plies: int
    limit: int = 1_000_000  # playouts to prove one move
    hardness: int = 0  # playouts that the proofs of all moves must take together


class Pieces(NamedTuple):
    """Random positions of Lines of Action: so many pieces of each side on the middle squares."""

    wanted: int
    pieces: int
    size: int  # they stand within a square of this size
    limit: int
    hardness: int


def _komis(size: int, *komis: float) -> tuple[str, ...]:
    return tuple(f"go:{size}:komi={komi:g}" for komi in komis)


SOURCES: dict[str, tuple[Source | Pieces, ...]] = {
    "connect4": (
        Source(("connect4:7x6",), 120, 14, 24, 600_000, 2000),
        Source(("connect4:6x5",), 80, 6, 14, 600_000, 1000),
        Source(("connect4:5x5", "connect4:5x4", "connect4:6x4"), 60, 2, 8, 600_000, 1000),
    ),
    "loa": (Pieces(120, 3, 5, 50_000, 500), Pieces(100, 4, 6, 100_000, 2000)),
    "tictactoe": (Source(("tictactoe",), 80, 0, 4),),
    "dotsandboxes": (
        Source(("dotsandboxes:2x2",), 40, 0, 6),
        Source(("dotsandboxes:2x3",), 80, 4, 9, 300_000, 300),
        Source(("dotsandboxes:3x3",), 60, 11, 15, 300_000, 300),
    ),
    "hex": (
        Source(("hex:5",), 60, 4, 8, 200_000, 300),
        Source(("hex:6",), 60, 12, 16, 200_000, 300),
        Source(("hex:7",), 60, 22, 26, 200_000, 300),
    ),
    "go": (
        Source(_komis(3, 2.5, 5.5, 8.5), 60, 2, 9, 300_000, 300),
        Source(_komis(4, -2.5, 0.5, 2.5, 5.5), 120, 8, 18, 300_000, 1000),
    ),
    "seki": (
        Source(("seki:3,4", "seki:4,4", "seki:4,5", "seki:5,5", "seki:3,3,3", "seki:2,4,3"), 80, 0, 4, 300_000, 300),
        Source(("semeai:5,5", "semeai:6,5", "semeai:5,5,0.3", "semeai:6,6,0.2"), 40, 0, 4, 300_000, 300),
    ),
}


def random_position(source: Source | Pieces, chance: random.Random) -> tuple[Game, list[str], State] | None:
    """A game, the moves made and the position; None if the game is over by then."""
    if isinstance(source, Pieces):
        near = (8 - source.size) // 2
        points = [(column + near, row + near) for column in range(source.size) for row in range(source.size)]
        pieces = {point: number % 2 for number, point in enumerate(chance.sample(points, 2 * source.pieces))}
        try:
            game = find_game(f"loa:{position_text(pieces, chance.randrange(2))}")
        except UserError:  # a side is connected
            return None
        return game, [], game.new_state()
    game = find_game(chance.choice(source.games))
    state, moves = game.new_state(), []
    for _ in range(chance.randint(source.fewest_plies, source.most_plies)):
        move = chance.choice(game.legal_moves(state))
        moves.append(game.text(state, move))
        rules.play(state, move)
        if rules.is_over(state):
            return None
    return game, moves, state


def winner_value(game: Game, lower: int, upper: int) -> int:
    """+1 player 0 wins, -1 player 1, 0 nobody."""
    winner = game.winner(lower, upper)
    assert winner is not None
    return {0: 1, 1: -1, -1: 0}[winner]


def exact_values(game: Game, state: State, player: Player, source: Source | Pieces, by_winner: bool) -> dict[int, list[str]]:
    """The value of every move; nothing if one is not proven, all are equal, or it takes too few playouts in all."""
    values: dict[int, list[str]] = {}
    at_once: set[int] = set()  # values that a move reaches by ending the game
    proofs = 0
    for move in game.legal_moves(state):
        after = copy_state(state)
        rules.play(after, move)
        if rules.is_over(after):
            lower = upper = int(rules.outcome(after))
        else:
            result = player.engine(game, after).run(Limits(playouts=source.limit))
            if not result.proven:
                return {}
            lower, upper = result.lower, result.upper
            proofs += result.playouts
        value = winner_value(game, lower, upper) if by_winner else lower
        values.setdefault(value, []).append(game.text(state, move))
        if rules.is_over(after):
            at_once.add(value)
    best = (max if rules.to_play(state) == rules.FIRST else min)(values)
    return values if len(values) > 1 and best not in at_once and proofs >= source.hardness else {}


def proving_player(family: str, game: Game) -> Player:
    if family == "loa":
        return find_player("loa").changed({"memory": MEMORY})
    return prover(game, {"memory": MEMORY} | ({"solver": "win-loss"} if family == "go" else {}))


def make_positions(family: str, seed: int) -> Iterator[list[Any]]:
    """Positions of a family of games with their values, as they are stored."""
    chance = random.Random(f"{family} {seed}")
    for source in SOURCES[family]:
        seen: set[bytes] = set()
        made = 0
        while made < source.wanted:
            found = random_position(source, chance)
            if found is None or found[2].tobytes() in seen:
                continue
            game, moves, state = found
            seen.add(state.tobytes())
            values = exact_values(game, state, proving_player(family, game), source, family in (*BY_WINNER, "loa"))
            if values:
                made += 1
                yield [game.name, " ".join(moves), {str(value): " ".join(values[value]) for value in sorted(values)}]


def make_file(path: Path, families: list[str], seed: int) -> None:
    """Writes positions of these families; those of others that are in the file stay."""
    stored = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for family in families or SOURCES:
        if family not in SOURCES:
            raise UserError(f"no positions of {family!r} can be made; there are: {', '.join(SOURCES)}")
        began, stored[family] = time.process_time(), []
        for entry in make_positions(family, seed):
            stored[family].append(entry)
            print(f"\r{family}: {len(stored[family])} positions, {time.process_time() - began:.0f} s", end="", file=sys.stderr)
        print(file=sys.stderr)
        groups = (f"{json.dumps(name)}: [\n" + ",\n".join(map(json.dumps, listed)) + "\n]" for name, listed in stored.items())
        path.write_text("{\n" + ",\n".join(groups) + "\n}\n", encoding="utf-8")


# -- the command -----------------------------------------------------------------------------------------------------------
def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", default="tesuji,uct", help="names, or strings with parameters joined by ';' (tesuji,uct)")
    parser.add_argument("--playouts", default="2000,20000", metavar="N,N", help="playouts of a move (2000,20000)")
    parser.add_argument("--games", default="", metavar="NAME,NAME", help="of the file's (all)")
    parser.add_argument("--seeds", default="0", metavar="N,N", help="of the searches (0), or of the positions with --make")
    parser.add_argument("--positions", type=Path, default=POSITIONS, metavar="FILE", help=f"({POSITIONS.name})")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--make", type=Path, metavar="FILE", help="make positions and write them there")
    args = parser.parse_args()
    families = [name for name in args.games.split(",") if name]
    seeds = [int(text) for text in args.seeds.split(",")]
    try:
        with np.errstate(over="ignore"):
            if args.make:
                make_file(args.make, families, seeds[0])
                return 0
            positions = read_positions(args.positions, families)
            players = args.players.split(";" if ";" in args.players or ":" in args.players else ",")
            rows, first = [], {}
            for text in players:
                for playouts in args.playouts.split(","):
                    rows.append(measure(text.strip(), int(playouts), positions, seeds))
                    if first.setdefault(playouts, rows[-1]) is not rows[-1]:
                        compare(rows[-1], first[playouts], len(seeds))
                    if not args.json:
                        print(line_of(rows[-1]), flush=True)
            if args.json:
                print(json.dumps({"seeds": seeds, "rows": rows}))
    except UserError as error:
        print(f"exact_play: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
