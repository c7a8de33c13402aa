"""Finds edge templates of Hex: shapes that connect a stone with the edge and that H-search alone does not see.

    python -m tesuji.learn.hex_templates OUT [--known FILE] [--share S] [--records GAMES --edges N] [--seed 0]

Points are looked for that have no full connection with the edge, but are proven to be connected (hex_strips.py): on strips with
random stones, below a stone between two walls of the opponent's, and along the edges in games. Each proof is made as small as
possible. Templates found so far are used to find larger ones: a ladder by a ladder that is one step shorter. A template that
stays true however often one of its columns is repeated becomes a family, and each of its members is proven. In the end those
that follow from smaller ones by H-search are left out.

GAMES has one game a line, moves last, as in `benchmarks/hex_knowledge.py`. The tests judge the small templates again, by
playing alone; benchmarks/hex_soundness.py judges all, as far as it can.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from tesuji.games.hex.state import empty_board
from tesuji.games.hex.text import parse_move
from tesuji.knowledge.hex.connections.edge_templates import (
    WIDEST_BOARD,
    EdgeTemplate,
    expanded,
    template_text,
    written_templates,
)
from tesuji.learn.hex_strips import Strip

MOST_CELLS = 40  # of a carrier that is kept
HIGHEST_LADDER = 2  # of points whose templates may become families: those on the second and third row
NEAR_MISS = 6  # cells that all semi connections have in common: with more, a point of a game is not looked at
SPAN = 13  # columns of a strip
Edge = tuple[int, list[list[int]]]  # the length of a side, and the rows from it upwards: 0 empty, 1 its owner's, 2 the other's
Seed = tuple[int, int, Sequence[int]]  # Black's stones, White's, and the points that may be connected


# -- where to look -------------------------------------------------------------------------------------------------------------
def random_position(strip: Strip, rng: random.Random) -> Seed:
    """Stones on some cells of the strip: mostly White's."""
    white_share, black_share = rng.uniform(0.02, 0.4), rng.choice((0.0, 0.03, 0.08))
    black = white = 0
    for cell in strip.cells():
        drawn = rng.random()
        if drawn < black_share:
            black |= 1 << cell
        elif drawn < black_share + white_share:
            white |= 1 << cell
    return black, white, strip.cells()


def lone_position(strip: Strip, rng: random.Random) -> Seed:
    """A point in one of the two highest rows, and up to three stones of Black's below it; nothing else."""
    height = strip.rows - 1 - (rng.random() < 0.25)
    column = strip.span * 3 // 5
    black = 0
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3))):
        black |= strip.bit(column + rng.randrange(-5, 3), rng.randrange(max(height - 4, 0), height + 1))
    cell = strip.bit(column, height).bit_length() - 1
    return black & ~(1 << cell), 0, [cell]


def edges_in_games(lines: Iterable[str], rng: random.Random, widest: int = WIDEST_BOARD) -> Iterator[Edge]:
    """The four edges of a position of each game."""
    for line in lines:
        words = line.rstrip("\n").split("\t")
        if line.startswith("#") or len(words) < 2 or not words[1].isdigit() or not 5 <= int(words[1]) <= widest:
            continue
        size = int(words[1])
        empty = empty_board(size, size)
        moves = [parse_move(empty, word) for word in words[-1].split()]
        if len(moves) < size or min(moves) < 0:
            continue
        board = [[0] * size for _ in range(size)]
        for ply, move in enumerate(moves[: rng.randrange(size // 2, len(moves))]):
            board[move // size][move % size] = 1 + ply % 2
        for colour in (1, 2):
            rows = board if colour == 1 else [list(column) for column in zip(*board, strict=True)]
            seen = [[stone and (1 if stone == colour else 2) for stone in row] for row in rows]
            yield size, seen[::-1]  # the lower edge first
            yield size, [row[::-1] for row in seen]


def as_seed(strip: Strip, size: int, rows: list[list[int]]) -> Seed:
    """The rows of an edge as a position of the strip, and the cells above the first row as points."""
    black = white = 0
    for height in range(strip.rows):
        for column in range(strip.span):
            stone = rows[height][column] if column < size and height < size else 2
            black |= strip.bit(column, height) * (stone == 1)
            white |= strip.bit(column, height) * (stone == 2)
    return black, white, [strip.bit(c, h).bit_length() - 1 for h in range(1, strip.rows) for c in range(size)]


# -- finding them --------------------------------------------------------------------------------------------------------------
def find_templates(
    strip: Strip, seeds: Iterable[Seed], depth: int, rng: random.Random, most: int = 400, near_misses: bool = True
) -> list[EdgeTemplate]:
    """Templates that the strip does not have yet, which has them afterwards. `depth` and `most` as in `Strip.prove`.

    `near_misses`: only points that H-search connects if Black moves, with few cells where White can prevent it.
    """
    found: dict[EdgeTemplate, None] = {}
    for black, white, points in seeds:
        strip.search(black, white)
        for cell in [cell for cell in points if not white >> cell & 1 and is_open(strip, cell, near_misses)]:
            template = proven(strip, black & ~(1 << cell), white, cell, depth, most, rng)
            if template is not None and len(template.carrier) <= MOST_CELLS and template not in found:
                found[template] = None
                strip.add(template)
    return list(found)


def find_walled(strip: Strip, seeds: Iterable[Seed], depth: int, rng: random.Random, most: int = 400) -> list[EdgeTemplate]:
    """The same for points between two walls of the opponent's, which are moved in as far as possible."""
    found: dict[EdgeTemplate, None] = {}
    for stones, white, (cell,) in seeds:
        if strip.prove(stones, white, cell, depth, most) is None:
            continue
        for leans in ((2, -1), (-1, 2), (2, -2), (-1, 1)):
            carrier = strip.all & ~(stones | 1 << cell | strip.top)
            for deep in (0, depth):  # most of the way without deep proofs
                carrier = strip.between_walls(stones, cell, carrier, deep, leans, most)
            black, carrier = strip.minimal(strip.touching(stones, carrier | 1 << cell), cell, carrier, depth, rng, most)
            template = strip.template(black, cell, carrier)
            if len(template.carrier) <= MOST_CELLS and template not in found and not strip.follows(template):
                found[template] = None
                strip.add(template)
    return list(found)


def is_open(strip: Strip, cell: int, near_miss: bool) -> bool:
    """Whether a cell, after `search`, has no full connection with the edge, and what it lacks is little."""
    if strip.carriers(cell, True):
        return False
    common = strip.all
    semis = strip.carriers(cell, False)
    for semi in semis:
        common &= semi
    return not near_miss or (bool(semis) and common.bit_count() <= NEAR_MISS)


def proven(strip: Strip, black: int, white: int, cell: int, depth: int, most: int, rng: random.Random) -> EdgeTemplate | None:
    """The point's connection as a template; None if there is no proof, or H-search needs no template for it."""
    for look in range(depth + 1):
        carrier = strip.prove(black, white, cell, look, most)
        if carrier is not None:
            black = strip.touching(black, carrier | 1 << cell)
            black, carrier = strip.minimal(black, cell, carrier, look, rng, most)
            template = strip.template(black, cell, carrier)
            return None if strip.follows(template) else template
    return None


# -- families and what is kept -------------------------------------------------------------------------------------------------
def as_family(prover: Strip, template: EdgeTemplate, depth: int = 1) -> EdgeTemplate | None:
    """The template with a column that may be repeated, if there is one: each member is proven, which the prover has afterwards.

    None also if H-search sees the longer ones by the shortest.
    """
    for shape in dict.fromkeys((template, template.mirrored())):
        columns = {c for c, _height in shape.carrier} - {c for c, _height in shape.stones} - {0}
        for column in sorted(columns):
            family = shape._replace(repeated=column)
            members = expanded(family, prover.span)[1:]
            prover.add(template)
            if len(members) < 2 or all(map(prover.follows, members[:2])):
                continue
            for member in members:
                if not prover.holds(member, depth):
                    break
                prover.add(member)
            else:
                return family
    return None


def irreducible(templates: Iterable[EdgeTemplate], families: bool = False) -> list[EdgeTemplate]:
    """Without those that follow from smaller ones by H-search; with `families`, of each template that can be one."""
    ordered = sorted(set(templates), key=lambda one: (len(one.carrier) + len(one.stones), template_text(one)))
    if not ordered:
        return []
    rows, span = max(one.rows() for one in ordered), max(one.width() for one in ordered)
    strip, prover = (Strip(rows, [], WIDEST_BOARD if families else span) for _ in range(2))
    kept = []
    for template in ordered:
        members = expanded(template, strip.span)
        if all(map(strip.follows, members)):
            continue
        is_ladder = families and template.height <= HIGHEST_LADDER and template.repeated is None
        family = as_family(prover, template) if is_ladder else None
        kept.append(family or template)
        for member in expanded(family, strip.span) if family else members:
            strip.add(member)
            if families:
                prover.add(member)
    return kept


def write_templates(path: Path, templates: Iterable[EdgeTemplate]) -> None:
    lines = ",\n".join(f"    {json.dumps(template_text(template))}" for template in templates)
    path.write_text(f'{{\n  "templates": [\n{lines}\n  ]\n}}\n', encoding="utf-8")


# -- the command ---------------------------------------------------------------------------------------------------------------
PLAN = (  # rows, positions, how many, depth, most
    (2, random_position, 200, 1, 400),
    (3, random_position, 1000, 2, 400),
    (4, random_position, 2000, 2, 600),
    (4, lone_position, 50, 2, 400),
    (5, random_position, 1000, 2, 800),
    (5, lone_position, 100, 2, 400),
    (6, lone_position, 100, 2, 400),
    (6, lone_position, 50, 3, 800),
)


def generate(options: argparse.Namespace, report: Callable[[str], object] = print) -> list[EdgeTemplate]:
    """Templates from random strips and, if there are records, from games."""
    rng = random.Random(options.seed)
    templates = [member for one in options.known for member in expanded(one, SPAN)]
    for part in (0.5, 1.0):
        for rows, source, count, depth, most in PLAN:
            strip = Strip(rows, templates, SPAN)
            seeds = (source(strip, rng) for _ in range(round(count * part * options.share)))
            if source is lone_position:
                templates += find_walled(strip, seeds, depth, rng, most)
            else:
                templates += find_templates(strip, seeds, depth, rng, most, rows > 3)
            report(f"{rows} rows, {source.__name__}: {len(templates)} templates")
    if options.records:
        with gzip.open(options.records, "rt") if options.records.suffix == ".gz" else options.records.open() as lines:
            games = list(lines)
        rng.shuffle(games)
        edges = list(itertools.islice(edges_in_games(games, rng, SPAN), options.edges))
        for rows in (5, 6):
            strip = Strip(rows, templates, SPAN)
            templates += find_templates(strip, (as_seed(strip, *edge) for edge in edges), 2, rng, 300)
            report(f"{rows} rows, games: {len(templates)} templates")
    templates = irreducible(templates, families=True)
    report(f"without those that follow from others: {len(templates)} templates")
    return templates


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--known", type=Path, help="templates to begin with")
    parser.add_argument("--share", type=float, default=1.0, help="of the random strips of the plan")
    parser.add_argument("--records", type=Path, help="games")
    parser.add_argument("--edges", type=int, default=500, help="of the records, to find templates in")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(words)
    options.known = written_templates(options.known) if options.known else []
    write_templates(options.out, generate(options))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
