"""Positions of Lines of Action that the side to move wins by force, from the ends of games: the shortest win, all moves to it.

Candidates are the positions some plies before the end of games that were won, with the winner to move. The shortest win is
found by the alpha-beta engine without anything that could miss it, or see a longer one sooner: no forward pruning, no
reductions, no table. It deepens ply by ply, so the depth at which the win is proven is its length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.files import MIB, FileKind, write_file
from tesuji.core.game import Game, State, copy_state
from tesuji.games.loa.text import position_text, stones_of
from tesuji.games.registry import find_game
from tesuji.io.sgf.record import stepper
from tesuji.learn.records import RecordedGame, read_text, shortened
from tesuji.search.alphabeta.engine import AlphaBeta
from tesuji.search.alphabeta.options import ALPHABETA
from tesuji.search.policy import Uniform

FAMILY = "loa"
FIRST, LAST = 3, 9  # plies before the end of a game at which positions are taken
MOST_PLIES = 7  # of a win
LONGEST_NUMBER = 4  # digits of the length of a win
COLUMNS = ("position", "to_move", "plies", "winning_moves", "source")
POSITIONS, SIDES, PLIES, SOURCES = ("position", "fen"), ("to_move", "side_to_move"), ("plies",), ("source", "game")
ALL_MOVES, SOME_MOVES = ("winning_moves",), ("proven_first_moves",)
PROBLEMS = FileKind("a table of positions", (b"#position\t",), 64 * MIB)
EXACT = {
    "quiescence": 0,
    "realization": False,
    "null_move": False,
    "multi_cut": False,
    "transpositions": False,
    "aspiration": 0.0,
    "initial_bounds": False,
}
Progress = Callable[[float, str], None]


class Problem(NamedTuple):
    """A position that the side to move wins. `plies` is the length of the shortest win, None if it is not known.

    `winning` are moves that win, as texts: all that win as soon as possible if `plies` is known, else perhaps not all.
    """

    game: str  # the game string that begins with this position
    plies: int | None
    winning: tuple[str, ...]
    source: str


class Win(NamedTuple):
    plies: int
    moves: tuple[int, ...]  # all that win within so many plies


# -- the shortest win ------------------------------------------------------------------------------------------------------
def shortest_win(game: Game, state: State, most: int = MOST_PLIES, pure: bool | None = None) -> Win | None:
    """The shortest win of the player to move within `most` plies and every first move of such a win; None if there is none."""
    player = int(rules.to_play(state))
    plies = _plies_to_win(game, state, player, most, pure)
    if plies is None:
        return None
    found = []
    for move in game.legal_moves(state):
        after = copy_state(state)
        rules.play(after, move)
        if _is_won(after, player) or (
            not rules.is_over(after) and _plies_to_win(game, after, player, plies - 1, pure) is not None
        ):
            found.append(move)
    return Win(plies, tuple(found))


def _plies_to_win(game: Game, state: State, player: int, most: int, pure: bool | None) -> int | None:
    """In how many plies `player` wins, whoever is to move."""
    if most < 1:
        return None
    search = AlphaBeta(game, state, ALPHABETA.settings({**EXACT, "depth": most}), Uniform(), pure=pure)
    result = search.run()
    return search.depth if result.proven and result.lower == (1 if player == rules.FIRST else -1) else None


def _is_won(state: State, player: int) -> bool:
    return bool(rules.is_over(state)) and int(rules.outcome(state)) == (1 if player == rules.FIRST else -1)


# -- building --------------------------------------------------------------------------------------------------------------
def candidates_of(game: Game, games: Iterable[RecordedGame]) -> Iterator[tuple[str, str]]:
    """(game string of the position, source) of positions before the ends of games that were won, the winner to move."""
    step = stepper(game, quick=False, check=False)
    for one in games:
        state = copy_state(one.start)
        passed = []  # (plies to the end, who is to move, position)
        for ply, move in enumerate(one.moves):
            left = len(one.moves) - ply
            if FIRST <= left <= LAST:
                player = int(rules.to_play(state))
                passed.append((left, player, position_text(stones_of(state), player)))
            step(state, move)
        outcome = int(rules.outcome(state)) if rules.is_over(state) else one.outcome
        for left, player, text in reversed(passed):
            if outcome == (1 if player == rules.FIRST else -1):
                yield f"{FAMILY}:{text}", f"{one.label}, {left} plies before its end"


def problems_of(
    candidates: Sequence[tuple[str, str]],
    most: int = MOST_PLIES,
    each: int | None = None,
    on_progress: Progress | None = None,
) -> list[Problem]:
    """The problems among the candidates: wins within `most` plies but not at once, no position twice, shortest first.

    With `each`, no more than so many of each length; the search ends when there are enough.
    """
    found: dict[int, list[Problem]] = {plies: [] for plies in range(FIRST, most + 1, 2)}
    seen: set[str] = set()
    for number, (name, source) in enumerate(candidates):
        if all(each is not None and len(problems) >= each for problems in found.values()):
            break
        if name in seen:
            continue
        seen.add(name)
        game = find_game(name)
        win = shortest_win(game, game.initial, most)
        if win is not None and win.plies in found and (each is None or len(found[win.plies]) < each):
            moves = tuple(game.text(game.initial, move) for move in win.moves)
            found[win.plies].append(Problem(name, win.plies, moves, source))
        if on_progress is not None:
            counts = ", ".join(f"{len(problems)} of {plies} plies" for plies, problems in found.items())
            on_progress((number + 1) / len(candidates), counts)
    return [problem for problems in found.values() for problem in problems]


# -- files -----------------------------------------------------------------------------------------------------------------
def write_problems(path: str | Path, problems: Iterable[Problem]) -> None:
    lines = ["#" + "\t".join(COLUMNS)]
    for problem in problems:
        board, _, side = problem.game.removeprefix(f"{FAMILY}:").rpartition(":")
        plies = "" if problem.plies is None else str(problem.plies)
        lines.append("\t".join((board, side, plies, ",".join(problem.winning), problem.source)))
    write_file(path, ("\n".join(lines) + "\n").encode(), PROBLEMS)


def is_problem_file(path: str | Path) -> bool:
    """Whether the first line of the file names the columns of a table of positions."""
    lines = read_text(path).splitlines()
    return bool(lines) and _column(_names(lines[0]), POSITIONS) is not None


def read_problems(path: str | Path) -> list[Problem]:
    """The problems of a file: a table written by Tesuji, or another with the columns fen and side_to_move.

    A UserError names the line that is not a position of the game, or lists a move that is not legal there.
    """
    lines = read_text(path).splitlines()
    names = _names(lines[0]) if lines else []
    board, side = _column(names, POSITIONS), _column(names, SIDES)
    if board is None or side is None:
        raise UserError(
            f"{path} holds no positions: its first line must name tab-separated columns, among them "
            f"{POSITIONS[0]} (or {POSITIONS[1]}) and {SIDES[0]} (or {SIDES[1]})"
        )
    plies, every, source = _column(names, PLIES), _column(names, ALL_MOVES), _column(names, SOURCES)
    moves = every if every is not None else _column(names, SOME_MOVES)
    problems = []
    for number, line in enumerate(lines[1:], 2):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        cells += [""] * (len(names) - len(cells))

        def cell(column: int | None, cells: list[str] = cells) -> str:
            return "" if column is None else cells[column].strip()

        try:
            if "," in cell(board) + cell(side):
                raise UserError("a position must not contain a comma: rules cannot be set here")
            game = find_game(f"{FAMILY}:{cell(board)}:{cell(side)}")
            winning = [game.parse(game.initial, text) for text in cell(moves).split(",") if text.strip()]
            length = _length(cell(plies)) if every is not None and winning else None
        except UserError as error:
            raise UserError(f"{path}, line {number}: {error}") from None
        texts = tuple(game.text(game.initial, move) for move in winning)
        problems.append(Problem(game.name, length, texts, cell(source) or f"{path}, line {number}"))
    if not problems:
        raise UserError(f"{path} holds no positions")
    return problems


def _names(line: str) -> list[str]:
    """The names of the columns; what stands in brackets behind one is a remark."""
    return [name.partition("(")[0].strip() for name in line.lstrip("\ufeff#").split("\t")]


def _column(names: list[str], wanted: tuple[str, ...]) -> int | None:
    return next((names.index(name) for name in wanted if name in names), None)


def _length(text: str) -> int | None:
    if not text:
        return None
    if len(text) > LONGEST_NUMBER or not text.isdecimal() or int(text) % 2 == 0:
        raise UserError(f"{shortened(text)} is not the length of a win: an odd number of plies")
    return int(text)
