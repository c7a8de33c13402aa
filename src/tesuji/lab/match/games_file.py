"""Games of matches as a small text: to keep the games behind a figure, and to move a match to another machine.

    # {"plan": {...}, "runs": [["0.1.0", "5f0c..."]]}
    number  black  white  result  reason  run  ...  moves

Tab-separated, the names of the columns first. `number`, `black` and `white` (who moves first, and second), `result` and `moves`
are enough to count a match; with a column `match` a file holds several. A match can go on from a file that begins with its plan
and the versions of the program that played it (JSON), and has the other columns too: black and white are then the letters of
the match's table. All else that is known of a game follows from the plan and the moves, by the rules.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tesuji.core import rules
from tesuji.core.errors import UserError, shortened
from tesuji.core.files import FileKind, check_can_write, read_unpacked, write_file
from tesuji.core.game import Game
from tesuji.lab.match.games import LETTERS, NO_FORFEIT, REPETITION, SCORE, Played, Ruling, completed, winner_of
from tesuji.lab.match.plan import Openings, Plan
from tesuji.lab.match.standing import Standing, letter
from tesuji.lab.match.store import Store, parse_plan

PLAN_MARK = '# {"plan"'
GAMES_FILE = FileKind("a file of games", (PLAN_MARK.encode(), b"number\t", b"match\t"), 256 << 20)
COUNTED = ("number", "black", "white", "result", "moves")  # columns without which no match can be counted
TIMES = {  # columns that the rules say nothing of
    "seconds_black": "seconds_first",
    "seconds_white": "seconds_second",
    "cpu_black": "cpu_first",
    "cpu_white": "cpu_second",
    "moves_black": "moves_first",
    "moves_white": "moves_second",
}
COLUMNS = ("number", "black", "white", "result", "reason", "run", *TIMES, "detail", "moves")
MOST_RUNS, MOST_GAMES = 10_000, 1_000_000
Run = tuple[str, str]  # version and digest of the code


class GamesOfMatch(NamedTuple):
    """The games of one match as they stand in a file."""

    path: str
    match: str  # what the file calls it; "" = the only one
    rows: list[dict[str, str]]
    plan: Plan | None = None
    runs: Sequence[Run] = ()

    @property
    def standings(self) -> dict[tuple[str, str], Standing]:
        """Of each two players who met; A is the one who moved first in the first game of both."""
        found: dict[tuple[str, str], Standing] = {}
        for row in sorted(self.rows, key=lambda row: int(row["number"])):
            black, white = row["black"], row["white"]
            pair = (white, black) if (white, black) in found else (black, white)
            standing = found.setdefault(pair, Standing())
            winner = {"B": black, "W": white}.get(row["result"][:1])
            standing.draws += winner is None
            standing.a_wins += winner == pair[0]
            standing.b_wins += winner == pair[1]
        return found


# -- reading -------------------------------------------------------------------------------------------------------------
def read_games_file(path: str | Path) -> list[GamesOfMatch]:
    """The matches of a file, in its order. Whether their games can have been played is for `played_games` to say."""
    lines = read_unpacked(path, GAMES_FILE).decode("utf-8", "replace").splitlines()
    plan, runs = _heading(path, lines.pop(0)) if lines and lines[0].startswith(PLAN_MARK) else (None, [])
    columns = lines[0].split("\t") if lines else []
    if not set(COUNTED) <= set(columns):
        raise UserError(f"{path} is not a file of games: its first line names the columns, among them {', '.join(COUNTED)}")
    matches: dict[str, dict[int, dict[str, str]]] = {}
    for place, line in enumerate(lines[1:], 2 + (plan is not None)):
        cells = line.split("\t")
        row = dict(zip(columns, cells, strict=False))
        numbers = matches.setdefault(row.get("match", ""), {})
        if len(cells) != len(columns) or not _is_number(row["number"]) or not _is_result(row["result"]):
            raise UserError(f"{path}, line {place}: this is no game: {shortened(line, 80)}")
        if int(row["number"]) in numbers:
            raise UserError(f"{path}, line {place}: game {row['number']} is there twice")
        numbers[int(row["number"])] = row
    return [GamesOfMatch(str(path), match, [*rows.values()], plan, runs) for match, rows in matches.items()]


def _heading(path: str | Path, line: str) -> tuple[Plan, list[Run]]:
    try:
        values = json.loads(line[1:])
        plan = parse_plan(values["plan"])
        runs = [(version, code) for version, code in values["runs"]]
        if len(runs) > MOST_RUNS or not all(isinstance(word, str) for run in runs for word in run):
            raise ValueError
    except (AttributeError, TypeError, ValueError, KeyError, RecursionError):
        raise UserError(f"{path} is damaged: the plan in its first line cannot be read") from None
    return plan, runs


def _is_number(text: str, most: int = MOST_GAMES) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10 and int(text) < most


def _is_result(text: str) -> bool:
    return text == "0" or (text[:1] in LETTERS and text[1:2] == "+")


def played_games(found: GamesOfMatch, plan: Plan, game: Game, openings: Openings) -> list[tuple[Played, Run]]:
    """Each game as it was played, with the version that played it; a UserError for one that cannot have been."""
    played = []
    for row in found.rows:
        try:
            if not set(COLUMNS) <= row.keys() or not _is_number(row["run"], len(found.runs)):
                raise UserError("not all columns are there that a match needs to go on")
            played.append((_played(row, plan, game, openings), found.runs[int(row["run"])]))
        except (UserError, ValueError) as error:
            raise UserError(f"{found.path}: game {row['number']} is not of this match: {shortened(str(error), 200)}") from None
    return played


def _played(row: Mapping[str, str], plan: Plan, game: Game, openings: Openings) -> Played:
    entry = plan.entry(int(row["number"]))
    if (row["black"], row["white"]) != (letter(entry.first), letter(entry.second)):
        raise UserError(f"it has the players {row['black']} and {row['white']}")
    opening = openings[entry.opening]
    state, moves = game.new_state(), []
    for text in row["moves"].split():
        move = game.parse(state, text)
        if rules.is_over(state) or move not in game.legal_moves(state):
            raise UserError(f"move {len(moves) + 1} ({text}) is not legal")
        moves.append(move)
        rules.play(state, move)
    if tuple(moves[: len(opening)]) != opening:
        raise UserError("it has another opening")
    winner = {"B": 0, "W": 1}.get(row["result"][:1])
    if row["reason"] == SCORE and not rules.is_over(state):
        raise UserError("it is not over")
    if row["reason"] == SCORE or (row["reason"] == REPETITION and winner is not None):
        winner = winner_of(game, state)
    if winner is None and row["reason"] not in NO_FORFEIT:
        raise UserError("nobody has lost it")
    times = {field: _amount(row[column], float if "moves" not in column else int) for column, field in TIMES.items()}
    if times["seconds_first"] is None or times["seconds_second"] is None:
        raise UserError("its times are missing")
    detail = row["detail"].encode("ascii").decode("unicode_escape")
    detail.encode()  # half of a surrogate pair cannot be stored: a ValueError
    ruling = Ruling(winner, row["reason"], detail)
    played = completed(plan, game, entry, len(opening), moves, ruling, times)
    if played.result != row["result"]:
        raise UserError(f"its result is {played.result} and not {row['result']}")
    return played


def _amount(text: str, kind: type[float] | type[int]) -> float | int | None:
    """A time or a number of moves; nothing = not known."""
    if not text:
        return None
    value = kind(text)
    if not text.isascii() or not 0 <= value < 1e9:
        raise ValueError(f"{text} is no time")
    return value


# -- writing -------------------------------------------------------------------------------------------------------------
def games_text(plan: Plan, games: Sequence[tuple[Played, Run]]) -> str:
    """All of a match as text: the same games give the same text."""
    runs = sorted({run for _, run in games})
    lines = [f"# {json.dumps({'plan': plan.as_json(), 'runs': runs})}", "\t".join(COLUMNS)]
    for played, run in sorted(games, key=lambda one: one[0].number):
        values: dict[str, Any] = {column: getattr(played, field) for column, field in TIMES.items()}
        cells = {column: "" if value is None else f"{value:.6g}" for column, value in values.items()}
        cells |= {"number": str(played.number), "black": letter(played.first), "white": letter(played.second)}
        cells |= {"result": played.result, "reason": played.reason, "run": str(runs.index(run)), "moves": played.moves}
        cells["detail"] = played.detail.encode("unicode_escape").decode()
        lines.append("\t".join(cells[column] for column in COLUMNS))
    return "\n".join([*lines, ""])


def save_games(path: str, plan: Plan, store: Store) -> None:
    write_file(path, games_text(plan, store.games_with_runs()).encode(), GAMES_FILE)


def resumed_games(path: str, plan: Plan) -> GamesOfMatch | None:
    """The games to go on from, if the file is there; a UserError if it is of another match, or cannot be written."""
    check_can_write(path, GAMES_FILE)
    if not Path(path).exists():
        return None
    found = read_games_file(path)
    if any(match.plan is None or match.match for match in found):
        raise UserError(f"{path} does not begin with the plan of a match, so no match can go on from it; name another file")
    for match in found:
        assert match.plan is not None
        ours, theirs = plan.fingerprint(), match.plan.fingerprint()
        names = ", ".join(name for name in {**theirs, **ours} if ours.get(name) != theirs.get(name))
        if names:
            raise UserError(f"{path} holds another match ({names}); give its options again or name another file")
    return found[0] if found else None


def take_games(found: GamesOfMatch, plan: Plan, game: Game, openings: Openings, store: Store) -> None:
    """Adds the games that the match file lacks."""
    there = {played.number: played for played in store.games()}
    with store.together():
        for played, run in played_games(found, plan, game, openings):
            ours = there.get(played.number)
            if ours is None:
                store.add(played, run=run)
            elif (ours.moves, ours.result) != (played.moves, played.result):
                raise UserError(f"{found.path} and {store.path} have different games {played.number}; name another file")
