"""Virtual connections of Hex against brute force: every full and semi connection found is judged by playing on its carrier.

    .venv/bin/python benchmarks/hex_soundness.py [--all 3] [--random 4,5,6] [--count N] [--seconds S] [--templates] [--seed N]

`--all 3,4` takes every position of these sizes (4x4: 43 million, which takes weeks; `--every 1000` takes each thousandth),
`--random` positions with random stones on a random share of the cells. For each position both colours' connections are built,
updated after a random stone, and judged. On boards of up to 4x4 the statements about the edges and the mustplay regions are
compared with the solution of the position. `--templates` judges all edge templates. Questions that take too long are not
answered, and counted as not judged. The exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

import numpy as np

TESTS = Path(__file__).parent.parent / "tests"
sys.path[:0] = [str(TESTS / "knowledge"), str(TESTS / "games")]

from hex_connection_checks import position, random_stones, template_joins, wrong_connections  # noqa: E402
from naive_connections import ConnectionJudge, TooHard, stones_of_number  # noqa: E402
from naive_hex import NaiveSolver  # noqa: E402

from tesuji.core.numba.registration import compiled  # noqa: E402
from tesuji.knowledge.hex.connections.build import build, new_connections  # noqa: E402
from tesuji.knowledge.hex.connections.edge_templates import edge_templates, template_text  # noqa: E402
from tesuji.knowledge.hex.connections.edge_to_edge import mustplay, wins_as_first, wins_as_second  # noqa: E402
from tesuji.knowledge.hex.connections.listing import sizes  # noqa: E402
from tesuji.knowledge.hex.connections.update import update  # noqa: E402

ARENA = 1 << 15
LARGEST_SOLVED = 4
FORGET_AFTER = 1_000_000  # answers that a judge remembers
MOST_LOOKED_AT = 20_000  # positions for one question; connections that take more are counted as not judged


class Board:
    """All that is needed to judge positions of one size."""

    def __init__(self, size: int):
        self.size, self.cells = size, size * size
        self.before = [new_connections(size, size, colour, ARENA) for colour in range(2)]
        self.after = [new_connections(size, size, colour, ARENA) for colour in range(2)]
        self.judges = [ConnectionJudge(size, size, colour, MOST_LOOKED_AT) for colour in range(2)]
        self.solver = NaiveSolver(size, size)
        self.marks = np.zeros(self.cells, np.int8)

    def wrong(self, stones: tuple[int, int], rng: random.Random) -> tuple[list, int]:
        """What is wrong about a position and one that follows, and how many connections were judged."""
        wrong = []
        free = [cell for cell in range(self.cells) if not (stones[0] | stones[1]) >> cell & 1]
        state = position(self.size, self.size, *stones)
        for colour in range(2):
            compiled(build)(self.before[colour], state)
        wrong += self.judged(self.before, stones)
        if free:
            bit = 1 << rng.choice(free)
            later = (stones[0] | bit, stones[1]) if rng.random() < 0.5 else (stones[0], stones[1] | bit)
            for colour in range(2):
                compiled(update)(self.before[colour], self.after[colour], position(self.size, self.size, *later))
            wrong += self.judged(self.after, later)
        count, self.count = self.count, 0
        return wrong, count

    count = 0  # connections judged for this position
    all = 0  # connections found in all positions

    def judged(self, known: list, stones: tuple[int, int]) -> list:
        found = []
        for colour in range(2):
            wrong, count = wrong_connections(known[colour], self.judges[colour], stones)
            found += wrong
            self.count += count
            self.all += sizes(known[colour])["fulls"] + sizes(known[colour])["semis"]
            if self.judges[colour].first.cache_info().currsize > FORGET_AFTER:
                self.judges[colour] = ConnectionJudge(self.size, self.size, colour, MOST_LOOKED_AT)
        if self.size <= LARGEST_SOLVED:
            found += self.untrue(known, stones)
        return found

    def untrue(self, known: list, stones: tuple[int, int]) -> list:
        """Statements about the edges that the solution of the position contradicts."""
        if any(self.solver.is_joined(stones[colour], colour) for colour in range(2)):
            return []
        found = []
        for colour in range(2):
            if wins_as_second(known[colour]) and self.solver.mover_wins(*stones, 1 - colour):
                found.append((stones, colour, "wins as second"))
            if wins_as_first(known[colour]) and not self.solver.mover_wins(*stones, colour):
                found.append((stones, colour, "wins as first"))
            if self.solver.mover_wins(*stones, 1 - colour):
                mustplay(known[colour], self.marks)
                if not any(self.marks[cell] and self.wins_by(stones, cell, 1 - colour) for cell in range(self.cells)):
                    found.append((stones, colour, "mustplay"))
        return found

    def wins_by(self, stones: tuple[int, int], cell: int, player: int) -> bool:
        after = (stones[0] | 1 << cell, stones[1]) if player == 0 else (stones[0], stones[1] | 1 << cell)
        return self.solver.is_joined(after[player], player) or not self.solver.mover_wins(*after, 1 - player)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--all", default="3", help="sizes of which every position is judged")
    parser.add_argument("--every", type=int, default=1, help="of these, only each so many-th")
    parser.add_argument("--random", default="4,5,6", help="sizes of which random positions are judged")
    parser.add_argument("--count", type=int, default=100, help="random positions of each size")
    parser.add_argument(
        "--seconds", type=float, default=600.0, help="for each size; what was not reached by then is not judged"
    )
    parser.add_argument("--templates", action="store_true", help="judge the edge templates")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    failed = False
    if options.templates:
        began, judged, wrong = time.process_time(), 0, []
        for template in edge_templates():
            try:
                if not template_joins(template, MOST_LOOKED_AT):
                    wrong.append(template_text(template))
                judged += 1
            except TooHard:
                pass
        spent = time.process_time() - began
        print(f"edge templates: {judged} of {len(edge_templates())} judged, {len(wrong)} wrong, {spent:.0f} s", flush=True)
        failed |= bool(wrong)
    runs = [(int(size), True) for size in options.all.split(",") if size]
    runs += [(int(size), False) for size in options.random.split(",") if size]
    for size, is_all in runs:
        board, cells = Board(size), size * size
        numbers = range(0, 3**cells, options.every)
        every = (stones_of_number(number, cells) for number in numbers)
        drawn = (random_stones(rng, cells) for _ in range(options.count))
        began, done, total, wrong = time.process_time(), 0, 0, []
        for stones in every if is_all else drawn:
            found, count = board.wrong(stones, rng)
            wrong += found
            total += count
            done += 1
            if time.process_time() - began > options.seconds:
                break
        of = len(numbers) if is_all else options.count
        print(
            f"{size}x{size} {'all' if is_all else 'random'}: {done} of {of} positions, "
            f"{total} of {board.all} connections judged, {len(wrong)} wrong, {time.process_time() - began:.0f} s",
            flush=True,
        )
        for one in wrong[:5]:
            print("  wrong:", one)
        failed |= bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
