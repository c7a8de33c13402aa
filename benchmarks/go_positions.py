"""Share of Go test positions that players solve, by category: the questions for a move of GNU Go's and Fuego's regressions.

    .venv/bin/python benchmarks/go_positions.py POSITIONS.jsonl[.gz] [--players "mogo;uct-rave"] [--playouts "1000;10000"]
        [--categories "nakade;semeai"] [--sizes "9;13"] [--sample 20] [--seeds 1] [--seed 0] [--json]

POSITIONS has one JSON object a line: suite, file, id, cmd (reg_genmove COLOUR, or restricted_genmove COLOUR MOVE...), size,
komi, to_move (b, w), ko (a point that may not be retaken, or null), board (rows from the top: X black, O white, . empty),
expect (a regular expression for the right moves; a leading ! negates it) and xfail (whether the program that the position comes
from fails). Lines with other commands are left out; those that cannot be set up are named. Each position is searched with
`seeds` seeds, and every answer counts; intervals are Wilson's, of 95%, and treat the answers as independent. Below the shares
of each player stand its answers that are right where the first player's at as many playouts is wrong, and the other way round.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from move_prediction import gained_and_lost

from tesuji.core.errors import UserError
from tesuji.core.files import FileKind, read_unpacked
from tesuji.core.game import Game, State
from tesuji.core.limits import Limits
from tesuji.games.go.game import new_game
from tesuji.games.go.state import STRIDE
from tesuji.io.gtp.moves import need_vertex
from tesuji.io.gtp.protocol import GtpError
from tesuji.lab.elo import score_interval
from tesuji.players.presets import find_player

POSITIONS = FileKind("a file of positions", (b"",), 256 << 20)
ANY_MOVE, LISTED_MOVE = ("reg_genmove", "gg_genmove"), "restricted_genmove"
OTHER = "whole board"
CATEGORIES = {  # by the names of the regression files, the first that matches
    "nakade": r"nakade",
    "semeai": r"semeai",
    "seki": r"seki",
    "life and death": r"life_and_death|bent_four|golife|owl|safety",
    "ladders": r"ladder|escape_capture",
    "ko": r"_ko\b",
    "tactics": r"tactics|atari|reading|connection",
    "blunders": r"blunder|fight_on|thrash",
    "endgame": r"endgame|cleanup|final_moves|filllib|pass",
    OTHER: r"",
}
STONES = {"X": 0, "O": 1}


@dataclass(frozen=True)
class Question:
    """A position, and which moves are right in it."""

    name: str
    category: str
    game: Game
    state: State
    listed: tuple[int, ...]  # the moves to choose from; none = all
    expected: re.Pattern[str]
    negated: bool
    known_failure: bool

    def is_right(self, move: int) -> bool:
        answer = self.game.text(self.state, move).upper()
        return (self.expected.fullmatch(answer) is not None) != self.negated


@dataclass
class Tally:
    answers: int = 0
    right: int = 0
    known_failures: int = 0  # right answers where the program that the position comes from fails
    solved: list[str] = field(default_factory=list)
    in_order: list[bool] = field(default_factory=list)  # whether each answer is right

    @property
    def share(self) -> float:
        return self.right / self.answers

    def as_json(self) -> dict[str, Any]:
        low, high = score_interval(self.share, self.answers)
        counts = {"right": self.right, "n": self.answers, "right_known_failures": self.known_failures}
        return {**counts, "share": self.share, "low": low, "high": high}


# -- the file --------------------------------------------------------------------------------------------------------------
def category_of(file: str) -> str:
    return next(name for name, pattern in CATEGORIES.items() if re.search(pattern, file.removesuffix(".tst")))


def read_questions(path: str, sizes: Sequence[int]) -> tuple[list[Question], list[str]]:
    """The questions for a move, on boards of these sizes (none = all), and one line for each that cannot be asked."""
    found, skipped = [], []
    for number, line in enumerate(read_unpacked(path, POSITIONS).decode("utf-8", "replace").splitlines(), 1):
        try:
            row = json.loads(line)
            words = row["cmd"].split()
            if words[0] not in (*ANY_MOVE, LISTED_MOVE) or (sizes and row["size"] not in sizes):
                continue
            found.append(question_of(row, words))
        except (UserError, GtpError, re.error, KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            skipped.append(f"{path}, line {number}: skipped: {type(error).__name__}: {error}")
    return found, skipped


def question_of(row: dict[str, Any], words: list[str]) -> Question:
    size, rows = int(row["size"]), row["board"]
    if len(rows) != size or any(len(line) != size for line in rows):
        raise ValueError(f"the board is not {size}x{size}")
    game = new_game(size, float(row["komi"]), "simple")
    assert game.board is not None and game.board.set_up is not None
    stones = {
        (column, size - 1 - down): STONES[sign]
        for down, line in enumerate(rows)
        for column, sign in enumerate(line)
        if sign != "."
    }
    state = game.board.set_up(game.new_state(), stones, "bw".index(row["to_move"]))
    if row["ko"]:
        column, up = need_vertex(game, row["ko"])
        state["ko"] = (up + 1) * STRIDE + column + 1
    expect = row["expect"]
    return Question(
        name=f"{row['suite']}/{row['file']}:{row['id']}",
        category=category_of(row["file"]),
        game=game,
        state=state,
        listed=tuple(game.parse(state, word) for word in words[2:]) if words[0] == LISTED_MOVE else (),
        expected=re.compile(expect.removeprefix("!"), re.IGNORECASE),
        negated=expect.startswith("!"),
        known_failure=bool(row["xfail"]),
    )


def sampled(questions: list[Question], count: int | None, seed: int) -> list[Question]:
    """Up to `count` questions of each category, drawn once for all players."""
    if count is None:
        return questions
    chance, by_category = random.Random(seed), defaultdict(list)
    for question in questions:
        by_category[question.category].append(question)
    return [q for group in by_category.values() for q in chance.sample(group, min(count, len(group)))]


# -- asking ----------------------------------------------------------------------------------------------------------------
def answer_of(player: str, playouts: int, question: Question, seed: int) -> int | None:
    """The player's move; of listed moves the one with the most visits."""
    search = find_player(player).engine(question.game, question.state, seed)
    result = search.run(Limits(playouts=playouts), with_moves=bool(question.listed))
    if not question.listed:
        return result.best_move
    visits = {report.move: report.visits for report in result.moves}
    return max(question.listed, key=lambda move: visits.get(move, -1))


def ask_all(player: str, playouts: int, questions: list[Question], seeds: range, is_watched: bool) -> dict[str, Tally]:
    """Tallies by category, in the order of CATEGORIES, and over all."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for number, question in enumerate(questions, 1):
        if is_watched:
            print(f"\r{player}, {playouts} playouts: {number} of {len(questions)} ", end="", file=sys.stderr, flush=True)
        for seed in seeds:
            move = answer_of(player, playouts, question, seed)
            right = move is not None and question.is_right(move)
            for name in (question.category, "all"):
                tally = tallies[name]
                tally.answers += 1
                tally.right += right
                tally.known_failures += right and question.known_failure
                tally.in_order.append(right)
            if right:
                tallies["all"].solved.append(question.name)
    if is_watched:
        print(file=sys.stderr)
    return {name: tallies[name] for name in (*CATEGORIES, "all") if name in tallies}


def table(results: list[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(name for result in results for name in result["categories"]))
    lines = ["category        " + "".join(f"{r['player']} {r['playouts']:,}".rjust(28) for r in results)]
    for name in names:
        cells = [result["categories"][name] for result in results]
        shown = [f"{c['right']}/{c['n']} {c['share']:.2f} ({c['low']:.2f}-{c['high']:.2f})" for c in cells]
        lines.append(f"{name:<16}" + "".join(cell.rjust(28) for cell in shown))
    if len({result["player"] for result in results}) > 1:
        lines.append("gained, lost    " + "".join(f"+{r['gained']} -{r['lost']}".rjust(28) for r in results))
    return "\n".join(lines)


# -- the command -------------------------------------------------------------------------------------------------------------
def numbers(text: str) -> list[int]:
    found = [int(word) for word in text.split(";") if word.isascii() and word.isdigit() and 0 < int(word) <= 10**9]
    if len(found) != len(text.split(";")):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of whole numbers from 1, joined by ';'")
    return found


def categories(text: str) -> list[str]:
    found = [word.strip() for word in text.split(";")]
    if unknown := [word for word in found if word not in CATEGORIES]:
        raise argparse.ArgumentTypeError(f"there is no category {unknown[0]!r}; there are: {', '.join(CATEGORIES)}")
    return found


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("positions", help="the file of positions")
    parser.add_argument("--players", default="mogo;uct-rave", help="joined by ';'")
    parser.add_argument("--playouts", type=numbers, default=[1000], help="a move, joined by ';' (1000)")
    parser.add_argument("--categories", type=categories, help=f"joined by ';' (all): {', '.join(CATEGORIES)}")
    parser.add_argument("--sizes", type=numbers, default=[], help="of the board, joined by ';' (all)")
    parser.add_argument("--sample", type=int, help="positions of each category (all)")
    parser.add_argument("--seeds", type=int, default=1, help="searches of each position (1)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample, and of the first search (0)")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(words)
    try:
        players = [player.strip() for player in arguments.players.split(";")]
        for player in players:
            find_player(player)
        questions, skipped = read_questions(arguments.positions, arguments.sizes)
    except UserError as error:
        parser.error(str(error))
    for line in skipped:
        print(line, file=sys.stderr)
    questions = [q for q in questions if arguments.categories is None or q.category in arguments.categories]
    if not questions or arguments.seeds < 1 or (arguments.sample or 1) < 1:
        parser.error("there is nothing to ask: no position of these sizes and categories, or a number below 1")
    asked = sampled(questions, arguments.sample, arguments.seed)
    seeds = range(arguments.seed, arguments.seed + arguments.seeds)
    results, first = [], {}  # the answers of the first player, by playouts
    for player in players:
        for playouts in arguments.playouts:
            tallies = ask_all(player, playouts, asked, seeds, sys.stderr.isatty())
            right = tallies["all"].in_order
            gained, lost = gained_and_lost(right, first.setdefault(playouts, right))
            shares = {name: tally.as_json() for name, tally in tallies.items()}
            result = {"player": player, "playouts": playouts, "categories": shares, "gained": gained, "lost": lost}
            results.append({**result, "solved": dict(Counter(tallies["all"].solved))})
    if arguments.json:
        shown = {"positions": len(asked), "skipped": len(skipped), "seeds": arguments.seeds, "results": results}
        print(json.dumps(shown))
    else:
        print(table(results))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
