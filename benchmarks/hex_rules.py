"""The rules of Hex against others: a naive implementation, OpenSpiel, recorded games, and a second solver on small boards.

    .venv/bin/python benchmarks/hex_rules.py [--games N] [--seed S] [--records FILE ...] [--openings N]

Plays N random games on each of six sizes and compares every position's moves, end and outcome with the naive board of the
tests, and with OpenSpiel's hex if it is installed. With --records, tables of games (.tsv, .gz is read too; a first line that
begins with # names the columns size, winner, moves and perhaps end, and Black moves first) are replayed: all moves must be
legal, and a game in which a side is connected must be over then and won by the recorded winner. With --openings, every
opening of NxN (up to 5x5) is proven by the player tesuji and compared with a second solver, a depth-first search of must-play
regions; 5x5 takes long.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
import time
from collections import Counter
from pathlib import Path

import numba
import numpy as np

from tesuji.core import rules
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import compiled
from tesuji.games.registry import find_game
from tesuji.io.sgf.record import stepper
from tesuji.players.presets import find_player

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "games"))
from naive_hex import NaiveHex, NaiveSolver

SIZES = (3, 5, 7, 11, 13, 19)
TABLE_BITS = 24


def list_moves(state, out):
    return rules.moves(state, out)


def make_move(state, move):
    rules.play(state, move)


# -- random games --------------------------------------------------------------------------------------------------------
def against_naive(size: int, games: int, seed: int) -> Counter[str]:
    """What was compared; an AssertionError if anything differs. Every other game has the swap rule."""
    moves, play = compiled(list_moves), compiled(make_move)
    found: Counter[str] = Counter()
    for number in range(games):
        swap = number % 2 == 1
        game = find_game(f"hex:{size}" + (":swap=on" if swap else ""))
        naive = NaiveHex(size, size, swap)
        chooser = random.Random(f"{seed}:{size}:{number}")
        state, out = game.new_state(), np.zeros(game.buffer_size, np.int32)
        while naive.winner is None:
            assert not rules.is_over(state)
            assert rules.to_play(state) == naive.player
            listed = out[: moves(state, out)].tolist()
            texts = naive.moves()
            assert [game.text(state, move) for move in listed] == texts
            place = len(listed) - 1 if texts[-1] == "swap-pieces" and number % 4 == 1 else chooser.randrange(len(listed))
            play(state, listed[place])
            naive.play(texts[place])
            found["plies"] += 1
        assert rules.is_over(state)
        assert rules.outcome(state) == (1, -1)[naive.winner]
        assert game.board is not None and game.board.stones(state) == naive.stones
        found[("Black won", "White won")[naive.winner]] += 1
    return found


def against_openspiel(size: int, games: int, seed: int) -> Counter[str]:
    import pyspiel

    moves, play = compiled(list_moves), compiled(make_move)
    game = find_game(f"hex:{size}")
    their_game = pyspiel.load_game(f"hex(num_cols={size},num_rows={size})")
    out = np.zeros(game.buffer_size, np.int32)
    found: Counter[str] = Counter()
    for number in range(games):
        chooser = random.Random(f"{seed}:{size}:{number}")
        ours, theirs = game.new_state(), their_game.new_initial_state()
        while not theirs.is_terminal():
            assert not rules.is_over(ours)
            assert rules.to_play(ours) == theirs.current_player()
            listed = theirs.legal_actions()
            assert out[: moves(ours, out)].tolist() == listed
            move = chooser.choice(listed)
            play(ours, move)
            theirs.apply_action(move)
            found["plies"] += 1
        assert rules.is_over(ours) and rules.outcome(ours) == theirs.returns()[0]
        found["same outcome"] += 1
    return found


# -- recorded games ------------------------------------------------------------------------------------------------------
def moves_of(text: str) -> tuple[list[str], bool]:
    """The moves of a record, and whether it has the swap rule. Some have colours, as in `b:a1 w:swap w:f6`.

    After a swap the same colour moves if the players changed places, and then nothing on the board changed.
    """
    words = [word.rpartition(":") for word in text.split()]
    for place, (colour, _, move) in enumerate(words):
        if move.startswith("swap"):
            if place + 1 < len(words) and words[place + 1][0] == colour:
                return [m for _, _, m in words[:place] + words[place + 1 :]], False
            return [m for _, _, m in words], True
    return [m for _, _, m in words], False


def replay(games: dict[str, Game], size: str, winner: str, moves_text: str) -> str:
    """How the game ended by our rules, or what is wrong."""
    texts, swap = moves_of(moves_text)
    name = f"hex:{size}" + (":swap=on" if swap else "")
    game = games.setdefault(name, find_game(name))
    state, step = game.new_state(), stepper(game, quick=True)
    played_on = ""
    for number, text in enumerate(texts, 1):
        if text == "resign":
            break
        if rules.is_over(state):
            played_on = "played on when "
            break
        if game.parse_move is None or not step(state, game.parse_move(state, text)):
            return f"wrong: move {number}, {text}, is not legal"
    if not rules.is_over(state):
        return "not connected at the end"
    if winner not in "BW":
        return f"{played_on}connected, no winner recorded"
    return (
        f"{played_on}connected, the recorded winner"
        if "BW"[int(rules.outcome(state) < 0)] == winner
        else "wrong: another winner"
    )


def records(path: str) -> Counter[str]:
    found: Counter[str] = Counter()
    games: dict[str, Game] = {}
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        names: list[str] = []
        for line in file:
            if line.startswith("#"):
                names = [name.split("(")[0].split()[0] for name in line[1:].rstrip("\n").split("\t")]
                continue
            row = dict(zip(names, line.rstrip("\n").split("\t"), strict=True))
            how = replay(games, row["size"], row["winner"], row["moves"])
            found["games"] += 1
            found["plies"] += len(row["moves"].split())
            found[how.partition(":")[0]] += 1
            if how.startswith("wrong"):
                print(f"  {path}, game {found['games']}: {how}")
    return found


# -- every opening of a small board ----------------------------------------------------------------------------------------
@numba.njit
def reached(stones, start, near, cells):
    """Which of the stones are connected with those of `start`."""
    found = stones & start
    new = found
    while new:
        grown = 0
        for cell in range(cells):
            if new >> cell & 1:
                grown |= near[cell]
        new = grown & stones & ~found
        found |= new
    return found


@numba.njit
def winning(own, free, first, second, near, cells):
    """The empty cells that join a player's edges at once."""
    one, other = reached(own, first, near, cells), reached(own, second, near, cells)
    found = 0
    for cell in range(cells):
        bit = 1 << cell
        if free & bit and (first & bit or near[cell] & one) and (second & bit or near[cell] & other):
            found |= bit
    return found


@numba.njit
def solved(own, other, player, edges, near, order, keys, values):
    """Twice the cells that the winner's proof needs, plus 1 if the player to move wins.

    A reply that wins within some cells also wins against any move outside of them, so that only moves within are left to try
    (the must-play region of Hayward et al. 2003). Results are kept in a table.
    """
    cells = len(near)
    free = ((1 << cells) - 1) & ~(own | other)
    wins = winning(own, free, edges[player, 0], edges[player, 1], near, cells)
    if wins:
        return 2 * (wins & -wins) + 1
    threats = winning(other, free, edges[1 - player, 0], edges[1 - player, 1], near, cells)
    if threats & (threats - 1):
        return 2 * threats
    key = (own << 26 | other) * 2 + player + 1
    place = (key * 0x5851F42D4C957F2D) >> (64 - TABLE_BITS) & ((1 << TABLE_BITS) - 1)
    if keys[place] == key:
        return values[place]
    left = threats if threats else free
    needed = threats
    result = 0
    for cell in order:
        bit = 1 << cell
        if left & bit:
            reply = solved(other, own | bit, 1 - player, edges, near, order, keys, values)
            if reply & 1 == 0:
                result = reply + 2 * bit + 1
                break
            left &= reply >> 1
            needed |= reply >> 1
    if result == 0:
        result = 2 * needed
    keys[place] = key
    values[place] = result
    return result


def winning_openings(size: int) -> set[str]:
    """Black's openings that win, by a search that shares nothing with the package."""
    naive = NaiveSolver(size, size)
    near = np.array([naive.near[1 << cell] for cell in range(size * size)], np.int64)
    edges = np.array(naive.edges, np.int64)
    order = np.array([bit.bit_length() - 1 for bit in naive.cells], np.int64)
    keys, values = np.zeros(1 << TABLE_BITS, np.int64), np.zeros(1 << TABLE_BITS, np.int64)
    found = set()
    for (column, row), bit in naive.bit.items():
        if solved(0, bit, 1, edges, near, order, keys, values) & 1 == 0:
            found.add(f"{chr(ord('a') + column)}{row + 1}")
    return found


def openings(size: int) -> Counter[str]:
    game = find_game(f"hex:{size}")
    began = time.process_time()
    expected = winning_openings(size)
    seconds = time.process_time() - began
    print(f"  second solver: {' '.join(sorted(expected))} win on {size}x{size} ({seconds:.0f} s)", flush=True)
    found: Counter[str] = Counter()
    for move in game.legal_moves(game.initial):
        text = game.text(game.initial, move)
        result = find_player("tesuji").engine(game, game.state_after([text]), seed=1).run(Limits(playouts=100_000_000))
        value = 1 if text in expected else -1
        found["right" if (result.lower, result.upper) == (value, value) else "wrong" if result.proven else "not proven"] += 1
        found["playouts"] += result.playouts
        print(f"  {text}: {result.lower} .. {result.upper}, {result.playouts:,} playouts, {result.seconds:.1f} s", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--records", nargs="+", default=[])
    parser.add_argument("--openings", type=int, choices=range(2, 6), help="the size of the board")
    options = parser.parse_args()
    for size in SIZES if options.games else ():
        print(f"{size}x{size}, naive:", dict(against_naive(size, options.games, options.seed)), flush=True)
        try:
            print(f"{size}x{size}, OpenSpiel:", dict(against_openspiel(size, options.games, options.seed)), flush=True)
        except ImportError:
            print("OpenSpiel is not installed: pip install open_spiel")
    for path in options.records:
        print(f"{path}:", dict(records(path)), flush=True)
    if options.openings:
        print(f"openings of {options.openings}x{options.openings}:", dict(openings(options.openings)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
