"""Solves the openings of Hex, writes a certificate of each, and checks it with the program that knows only the rules.

    .venv/bin/python benchmarks/hex_openings.py [SIZE] [--cells d4,c3 ...] [--playouts N] [--seed S] [--keep FOLDER]
                                               [--solve-only]

An opening is the empty board with one black stone, White to move. Openings that are equal when the board is turned by
180 degrees are solved once. Times are seconds of processor time, without compiling. Prints a Markdown table, a line as soon
as it is known, and a board of who wins.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import tesuji
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game


def opening_cells(size: int) -> list[tuple[int, int]]:
    """One cell (column, row) of each pair that is equal by turning the board, the middle of the board first: it is quick."""
    cells = [(column, row) for row in range(size) for column in range(size)]
    half = [cell for cell in cells if cell[::-1] <= (size - 1 - cell[1], size - 1 - cell[0])]
    return sorted(half, key=lambda cell: (2 * cell[0] - size + 1) ** 2 + (2 * cell[1] - size + 1) ** 2)


def name_of(cell: tuple[int, int]) -> str:
    return f"{chr(ord('a') + cell[0])}{cell[1] + 1}"


def opening_string(size: int, cell: tuple[int, int]) -> str:
    """The game string of the position after the opening: rows from the top, numbers for empty cells."""
    column, row = cell
    with_stone = f"{column or ''}b{size - 1 - column or ''}"
    return f"hex:{size}:{'/'.join(with_stone if r == row else str(size) for r in range(size))}:w"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", nargs="?", type=int, default=7)
    parser.add_argument("--cells", help="only these openings, as in d4,c3")
    parser.add_argument("--playouts", type=int, default=2_000_000, help="of each search at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="a folder for the certificates")
    parser.add_argument("--solve-only", action="store_true", help="no certificates")
    args = parser.parse_args()
    cells = opening_cells(args.size)
    if args.cells:
        cells = [cell for cell in cells if name_of(cell) in args.cells.split(",")]
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
    warm_up(args.size)
    print("| opening | winner | playouts | seconds | certificate: steps | bytes | seconds to write | to check |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    winners: dict[tuple[int, int], str] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for cell in cells:
            folder = None if args.solve_only else args.keep or Path(scratch)
            row, winner = solve_one(args.size, cell, args.playouts, args.seed, folder)
            winners[cell] = winners[args.size - 1 - cell[0], args.size - 1 - cell[1]] = winner
            print(row, flush=True)
    print("\n" + board(args.size, winners))
    return 0 if "?" not in winners.values() else 1


def warm_up(size: int) -> None:
    """Compiles everything, so that no time below contains that."""
    with tempfile.TemporaryDirectory() as folder:
        tesuji.solve(opening_string(size, (size // 2, size // 2)), playouts=20)
        tesuji.solve("hex:3:3/1b1/3:w").save(Path(folder) / "small.cert")


def solve_one(size: int, cell: tuple[int, int], playouts: int, seed: int, folder: Path | None) -> tuple[str, str]:
    began = time.process_time()
    proof = tesuji.solve(find_game(opening_string(size, cell)), playouts=playouts, seed=seed)
    spent = time.process_time() - began
    if not proof.proven:
        return f"| {name_of(cell)} | ? | {proof.playouts:,} | {spent:.1f} | | | | |", "?"
    winner = "Black" if proof.bounds[0] > 0 else "White"
    solved = f"| {name_of(cell)} | {winner} | {proof.playouts:,} | {spent:.1f} |"
    if folder is None:
        return f"{solved} | | | |", winner[0]
    path = folder / f"hex{size}-{name_of(cell)}.cert"
    started = time.process_time()
    try:
        nodes = proof.save(path)
    except UserError as error:
        return f"{solved} {error} | | | |", winner[0]
    written = time.process_time()
    verdict = tesuji.verify(path)
    checked = time.process_time()
    if not verdict.valid or verdict.bounds != proof.bounds:
        return f"{solved} refused: {verdict.reason} | | | |", "?"
    times = f"{written - started:.1f} | {checked - written:.1f}"
    return f"{solved} {nodes:,} | {path.stat().st_size:,} | {times} |", winner[0]


def board(size: int, winners: dict[tuple[int, int], str]) -> str:
    """Which first moves win: B where Black does, W where White does."""
    lines = ["  " + " ".join(chr(ord("a") + column) for column in range(size))]
    for row in range(size):
        lines.append(" " * row + f"{row + 1} " + " ".join(winners.get((column, row), ".") for column in range(size)))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
