"""Share of Hex test positions that are answered as another engine answers them, by category: its regression of knowledge,
puzzles and openings.

    .venv/bin/python benchmarks/hex_positions.py POSITIONS.jsonl[.gz] [--player hex] [--playouts 2000] [--seed 0]
        [--categories "connections;fill-in"] [--sizes "6;7"] [--sample N] [--list] [--json]

POSITIONS has one JSON object a line: file, id, size (columns and rows), black and white (cells), cmd, and expect, the right
answer to it. Commands: vc-connected-to (a cell or an edge, a colour, 0 full or 1 semi), compute-inferior and vc-build (cells
with their labels), dfpn-solve-state and solve-state (the winner), dfpn-solver-find-winning (the winning moves), genmove and
reg_genmove.
Positions that come twice are asked once. Others are left out; those that cannot be set up are named.

An answer is `right`; or `more`: we know more than the other engine (a connection, a cell filled that is only inferior there,
another winning move that is proven); `less`: we know less (among these are positions that the search does not solve); or
`other`: the two cannot both be right, or a move is not among those that are expected. Intervals are Wilson's, of 95%.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.files import FileKind, read_unpacked
from tesuji.core.game import Game, State
from tesuji.core.limits import Limits
from tesuji.games.hex.game import new_game, set_up
from tesuji.games.hex.state import empty_board
from tesuji.games.hex.text import cell_text, parse_move
from tesuji.knowledge.hex.overlays.connections import EDGE_WORDS
from tesuji.knowledge.hex.overlays.positions import EDGES, AssessedPosition
from tesuji.lab.elo import score_interval
from tesuji.players.presets import find_player

POSITIONS = FileKind("a file of positions", (b"",), 256 << 20)
COLOURS = {"black": 0, "white": 1, "b": 0, "w": 1}
RIGHT, MORE, LESS, OTHER = "right", "more", "less", "other"
VERDICTS = (RIGHT, MORE, LESS, OTHER)
LABEL = re.compile(r"([a-s][0-9]+) (f[.cdp]?[bw]?|iv(?:\\\[([a-s][0-9]+)\\\])?)")
CATEGORIES = {
    "connections": "whether two points have a connection",
    "fill-in": "cells that are filled in",
    "inferior cells": "positions with cells that are vulnerable, too",
    "must-play": "whether the must-play region holds all winning moves",
    "consider": "whether a winning move is worth considering",
    "winner, no search": "who wins, by what is known without a search",
    "winner": "who wins, by search",
    "winning moves": "a winning move, proven",
    "moves": "a move",
}


@dataclass(frozen=True)
class Question:
    category: str
    name: str
    game: Game
    state: State  # the colour of the command is to move
    words: tuple[str, ...]  # of the command
    expect: str


@dataclass
class Asking:
    player: str
    playouts: int
    seed: int
    spent: dict[str, float]  # seconds by category


# -- the file --------------------------------------------------------------------------------------------------------------
def categories_of(words: list[str], expect: str) -> list[str]:
    if words[0] == "vc-connected-to":
        return ["connections"]
    if words[0] in ("compute-inferior", "vc-build"):
        return ["inferior cells" if " iv" in expect else "fill-in"]
    if words[0] in ("dfpn-solve-state", "solve-state"):
        return ["winner, no search", "winner"]
    if words[0] == "dfpn-solver-find-winning":
        return ["must-play", "consider", "winning moves"]
    return ["moves"] if words[0] in ("genmove", "reg_genmove") else []


def read_questions(path: str, sizes: Sequence[int]) -> tuple[list[Question], list[str]]:
    """The questions on boards of these sizes (none = all), and one line for each that cannot be asked."""
    found: dict[tuple[Any, ...], Question] = {}
    skipped = []
    for number, line in enumerate(read_unpacked(path, POSITIONS).decode("utf-8", "replace").splitlines(), 1):
        try:
            row = json.loads(line)
            words = row["cmd"].split()
            width, height = (int(side) for side in row["size"])
            if sizes and max(width, height) not in sizes:
                continue
            game = new_game(width, height, False)
            mover = COLOURS[next(word for word in words[1:] if word in COLOURS)]
            state = set_up(empty_board(width, height), stones_of(game, row), mover)
            if state["winner"]:
                raise ValueError("the game is over")
            for category in categories_of(words, row["expect"]):
                key = (category, game.name, state["stones"].tobytes(), *words, row["expect"])
                question = Question(category, f"{row['file']}:{row['id']}", game, state, tuple(words), row["expect"])
                found.setdefault(key, question)
        except (UserError, KeyError, IndexError, TypeError, ValueError, AttributeError, StopIteration) as error:
            skipped.append(f"{path}, line {number}: skipped: {type(error).__name__}: {error}")
    return list(found.values()), skipped


def stones_of(game: Game, row: dict[str, Any]) -> dict[tuple[int, int], int]:
    width, height = int(game.initial["width"]), int(game.initial["height"])
    stones = {}
    for player, colour in enumerate(("black", "white")):
        for name in row[colour]:
            cell = parse_move(game.initial, name)
            if not 0 <= cell < width * height:
                raise ValueError(f"{name!r} is no cell of {width}x{height}")
            stones[cell % width, cell // width] = player
    return stones


# -- knowledge -------------------------------------------------------------------------------------------------------------
def connection(question: Question, _asking: Asking) -> str:
    """vc-connected-to: only whether the point that is expected, or expected not to be there, is."""
    _, point, colour, kind = question.words
    position, player = AssessedPosition(question.state), COLOURS[colour]
    negated = question.expect.startswith("!")
    wanted = question.expect.strip("!.*")
    x, y = (position.captain(player, number_of(position, player, word)) for word in (point, wanted))
    fulls, semis = (position.count(player, x, y, full) if x != y else 1 for full in (True, False))
    there = fulls > 0 or (kind == "1" and semis > 0)
    return RIGHT if there != negated else LESS if not there else MORE


def number_of(position: AssessedPosition, player: int, word: str) -> int:
    edge = EDGE_WORDS.get(word)
    return position.edges[EDGES[player].index(edge)] if edge else parse_move(position.filled, word)


def cells(question: Question, _asking: Asking) -> str:
    """compute-inferior and vc-build: only the cells that are named."""
    position = AssessedPosition(question.state)
    verdicts = set()
    for name, label, killer in LABEL.findall(question.expect):
        move = parse_move(question.state, name)
        cell = position.cell(move)
        fill = position.fills.get(cell)
        if label.startswith("f"):
            colour = label[-1] if label[-1] in "bw" and "d" not in label else ""
            verdicts.add(LESS if fill is None else RIGHT if not colour or "bw"[fill.player] == colour else OTHER)
        elif fill is not None:
            verdicts.add(MORE)
        else:
            inferior = position.inferior.get(cell)
            same = inferior is not None and (not killer or cell_text(*inferior.by) == killer or not inferior.dominated)
            verdicts.add(RIGHT if same else LESS)
    if not verdicts:
        raise ValueError(f"no cell in {question.expect!r}")
    return next(verdict for verdict in (OTHER, LESS, MORE, RIGHT) if verdict in verdicts)


def must_play(question: Question, _asking: Asking) -> str:
    """Every winning move is in the must-play region, or on a filled cell."""
    position = AssessedPosition(question.state)
    winning = [position.cell(parse_move(question.state, name)) for name in question.expect.split()]
    return RIGHT if all(cell in position.must_play or cell in position.fills for cell in winning) else OTHER


def consider(question: Question, _asking: Asking) -> str:
    """One of the winning moves stays; `more` if the winner is known besides."""
    position = AssessedPosition(question.state)
    if position.decided is not None:
        return MORE if position.decided.winner == position.mover else OTHER
    winning = [position.cell(parse_move(question.state, name)) for name in question.expect.split()]
    return RIGHT if any(cell in position.consider for cell in winning) else OTHER


def known_winner(question: Question, _asking: Asking) -> str:
    decided = AssessedPosition(question.state).decided
    return LESS if decided is None else RIGHT if decided.winner == COLOURS[question.expect] else OTHER


# -- search ----------------------------------------------------------------------------------------------------------------
def searched(question: Question, asking: Asking, proves: bool) -> Any:
    search = find_player(asking.player).engine(question.game, question.state, asking.seed)
    if proves:
        search.answer = search.answer._replace(stop_early=False, extend_unstable=0.0)
    return search.run(Limits(playouts=asking.playouts))


def winner(question: Question, asking: Asking) -> str:
    result = searched(question, asking, True)
    if result.lower < result.upper:
        return LESS
    return RIGHT if (0 if result.lower > 0 else 1) == COLOURS[question.expect] else OTHER


def winning_move(question: Question, asking: Asking) -> str:
    result = searched(question, asking, True)
    if result.lower < result.upper:
        return LESS
    if (result.lower > 0) != (int(question.state["to_play"]) == 0):
        return OTHER
    return RIGHT if question.game.text(question.state, result.best_move) in question.expect.split() else MORE


def good_move(question: Question, asking: Asking) -> str:
    result = searched(question, asking, False)
    return RIGHT if re.fullmatch(question.expect, question.game.text(question.state, result.best_move)) else OTHER


ASK: dict[str, Callable[[Question, Asking], str]] = {
    "connections": connection,
    "fill-in": cells,
    "inferior cells": cells,
    "must-play": must_play,
    "consider": consider,
    "winner, no search": known_winner,
    "winner": winner,
    "winning moves": winning_move,
    "moves": good_move,
}


# -- the command -----------------------------------------------------------------------------------------------------------
def ask_all(questions: list[Question], asking: Asking, lists: bool) -> dict[str, Counter[str]]:
    tallies: dict[str, Counter[str]] = defaultdict(Counter)
    for question in questions:
        began = time.process_time()
        verdict = ASK[question.category](question, asking)
        asking.spent[question.category] = asking.spent.get(question.category, 0.0) + time.process_time() - began
        tallies[question.category][verdict] += 1
        if lists and verdict != RIGHT:
            print(f"{question.category}: {verdict}: {question.name}: {' '.join(question.words)}: {question.expect}", flush=True)
    return {name: tallies[name] for name in CATEGORIES if name in tallies}


def table(shares: dict[str, dict[str, Any]]) -> str:
    lines = [f"{'category':<20}{'right':>26}{'more':>6}{'less':>6}{'other':>6}{'CPU s':>8}"]
    for name, one in shares.items():
        right = f"{one['right']}/{one['n']} {one['share']:.2f} ({one['low']:.2f}-{one['high']:.2f})"
        lines.append(f"{name:<20}{right:>26}{one['more']:>6}{one['less']:>6}{one['other']:>6}{one['seconds']:>8.1f}")
    return "\n".join(lines)


def numbers(text: str) -> list[int]:
    found = [int(word) for word in text.split(";") if word.isascii() and word.isdigit() and 0 < int(word) <= 10**9]
    if len(found) != len(text.split(";")):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of whole numbers from 1, joined by ';'")
    return found


def category_names(text: str) -> list[str]:
    found = [word.strip() for word in text.split(";")]
    if unknown := [word for word in found if word not in CATEGORIES]:
        raise argparse.ArgumentTypeError(f"there is no category {unknown[0]!r}; there are: {'; '.join(CATEGORIES)}")
    return found


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("positions", help="the file of positions")
    parser.add_argument("--player", default="hex", help="who solves and moves (hex)")
    parser.add_argument("--playouts", type=numbers, default=[2000], help="of a search (2000)")
    parser.add_argument("--categories", type=category_names, help=f"joined by ';' (all): {'; '.join(CATEGORIES)}")
    parser.add_argument("--sizes", type=numbers, default=[], help="of the board, joined by ';' (all)")
    parser.add_argument("--sample", type=int, help="positions of each category (all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="name what is not right")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(words)
    try:
        find_player(arguments.player)
        questions, skipped = read_questions(arguments.positions, arguments.sizes)
    except UserError as error:
        parser.error(str(error))
    for line in skipped:
        print(line, file=sys.stderr)
    questions = [q for q in questions if arguments.categories is None or q.category in arguments.categories]
    if arguments.sample is not None:
        groups = [[q for q in questions if q.category == name] for name in CATEGORIES]
        chooser = random.Random(arguments.seed)
        questions = [q for group in groups for q in chooser.sample(group, min(max(arguments.sample, 0), len(group)))]
    if not questions:
        parser.error("there is nothing to ask: no position of these sizes and categories")
    asking = Asking(arguments.player, arguments.playouts[0], arguments.seed, {})
    shares = {}
    for name, tally in ask_all(questions, asking, arguments.list and not arguments.json).items():
        n = tally.total()
        low, high = score_interval(tally[RIGHT] / n, n)
        counts = {verdict: tally[verdict] for verdict in VERDICTS}
        shares[name] = {**counts, "n": n, "share": tally[RIGHT] / n, "low": low, "high": high, "seconds": asking.spent[name]}
    if arguments.json:
        asked = {"player": asking.player, "playouts": asking.playouts, "skipped": len(skipped)}
        print(json.dumps({**asked, "categories": shares}))
    else:
        print(table(shares))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
