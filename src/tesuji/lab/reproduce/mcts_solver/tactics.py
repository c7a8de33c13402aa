"""Tactics: positions with a forced win, a few plies before the end of games. Who solves them, and after how many playouts?

A program that proves has solved a position when it has proven the win; every proof of the tree search is written as a
certificate, read again and checked. A program that does not prove has solved it when the move it chooses at the end of its time
wins: one of the moves that are listed with the position, or one after which another program proves that the opponent is lost.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, copy_state
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.lab.elo import score_interval
from tesuji.lab.reproduce.certificates import certificate_folder, check_folder
from tesuji.lab.reproduce.report import Row, grid, number
from tesuji.lab.reproduce.runner import ExperimentRunner
from tesuji.learn.tactics import Problem, read_problems
from tesuji.players.presets import find_player
from tesuji.proof.trusted.checker import check_certificate
from tesuji.proof.write.writer import write_certificate

FILE = Path(__file__).with_name("tactics.tsv")
PLAYERS = ("mcts", "mcts-solver", "mia2006")
CERTIFIED = "mcts-solver"
SECONDS = 5.0
JUDGE, JUDGE_NODES = "mia2006:noise=0", 3_000_000  # who proves that a move that is not listed wins, and within how many nodes
AGAIN_PLAYOUTS = 1_000_000  # for a part of a proof that is not in the tree any more
FIRST_LOOK, LOOK_FACTOR = 64, 1.25  # playouts before the first look at a move that may change, and between further ones
RIGHT, WRONG, UNKNOWN = "right", "wrong", "unknown"


class Attempt(NamedTuple):
    """One player at one position. `playouts` are those that it took; for alpha-beta, nodes.

    `right` says whether the move that it would play wins: choosing is easier than proving, so both are told of who proves.
    """

    solved: bool
    right: bool
    playouts: int
    seconds: float
    unknown: bool = False  # the move that was chosen could neither be shown to win nor not to
    certificate: Path | None = None
    trouble: str = ""  # why there is no certificate


def check_options(options: Mapping[str, Any]) -> None:
    """A UserError if the positions or the player cannot be had, or the folder for certificates cannot be used."""
    check_folder(options)
    if options.get("player") is not None:
        find_player(options["player"], may_load=True).settings_for(find_game("loa"))
    if options.get("positions") is not None:
        read_problems(options["positions"])


def tactics_table(
    runner: ExperimentRunner,
    runs: int | None = None,
    seconds: float | None = None,
    positions: str | Path | None = None,
    certificates: str | Path | None = None,
    player: str | None = None,
    players: Sequence[str] = PLAYERS,
) -> tuple[list[Row], str, str]:
    """All players, and one more if it is named, at all positions of a file, or at `runs` of them, evenly taken: rows, text, and
    what must not be so.
    """
    problems = some_of(read_problems(positions or FILE), runs)
    limit = seconds or SECONDS
    players = [*dict.fromkeys([*players, *([player] if player else [])])]
    with certificate_folder(certificates) as folder:
        asked = [(index, player) for index in range(len(problems)) for player in players]
        tasks = [lambda i=i, p=p: attempt(runner, problems[i], p, limit, i, folder) for i, p in asked]
        found = {key: one for key, one in zip(asked, runner.all(tasks, "positions"), strict=True) if one is not None}
        written = [one.certificate for one in found.values() if one.certificate is not None]
        checks = [lambda path=path: check(path) for path in written]
        verdicts = runner.all(checks, "proofs checked")
        refused = [f"{path.name}: {why}" for path, why in zip(written, verdicts, strict=True) if why]
        accepted = verdicts.count("")
    if not found:
        return [], "Tactics: no position was finished.", ""
    rows: list[Row] = []
    summary = []
    for player in players:
        attempts = {i: one for (i, p), one in found.items() if p == player}
        if attempts:
            rows += player_rows(player, problems, attempts)
            summary.append((player, summary_cells(attempts)))
    proofs = [one for (_, player), one in found.items() if player == CERTIFIED and one.solved]
    if proofs:
        rows.append(Row(f"{CERTIFIED} certificates accepted", None, accepted, n=len(proofs)))
    text = [
        f"Tactics: {len(problems)} positions that the side to move wins, {limit:g} s each on one thread.",
        grid("", ["solved", "share", "95% interval", "move right", "median playouts"], summary),
        "Solved: proven, or for mcts a move chosen that wins. Median of those solved; playouts of alpha-beta are nodes.",
        "",
        lengths_grid(players, problems, found),
        *judged(found),
        *proof_lines(proofs, accepted, refused, certificates),
    ]
    error = f"{len(refused)} certificates were refused" if refused else ""
    return rows, "\n".join(text), error


def some_of(problems: list[Problem], count: int | None) -> list[Problem]:
    """`count` of the problems at equal distances, or all."""
    if count is None or count >= len(problems):
        return problems
    return [problems[index * len(problems) // count] for index in range(count)]


# -- one player at one position --------------------------------------------------------------------------------------------
def attempt(runner: ExperimentRunner, problem: Problem, player: str, seconds: float, index: int, folder: Path) -> Attempt:
    game = find_game(problem.game)
    search = find_player(player, may_load=True).engine(game, seed=runner.run_seed(index))
    if search.settings.get("solver") == "off":
        return choose(runner, problem, game, search, seconds)
    result = runner.search(search, Limits(seconds=seconds))
    solved = result.proven and wins(result, int(rules.to_play(game.initial)))
    if not solved:
        assert result.best_move is not None
        verdict = judge(runner, problem, game, result.best_move)
        return Attempt(False, verdict == RIGHT, result.playouts, result.seconds, unknown=verdict == UNKNOWN)
    if player != CERTIFIED:
        return Attempt(True, True, result.playouts, result.seconds)
    path = folder / f"position-{index + 1:03d}.proof"
    try:
        write_certificate(search, path, playouts=AGAIN_PLAYOUTS)
    except UserError as error:
        return Attempt(True, True, result.playouts, result.seconds, trouble=f"position {index + 1}: {error}")
    return Attempt(True, True, result.playouts, result.seconds, certificate=path)


def choose(runner: ExperimentRunner, problem: Problem, game: Game, search: Any, seconds: float) -> Attempt:
    """A search that proves nothing: does it end with a move that wins, and since how many playouts has it had one?"""
    looks: list[tuple[int, int]] = []  # (playouts, the move that would be played)
    step = FIRST_LOOK
    while search.seconds < seconds:
        result = runner.search(search, Limits(playouts=step, seconds=seconds - search.seconds))
        assert result.best_move is not None
        looks.append((result.playouts, result.best_move))
        step = max(1, int(result.playouts * (LOOK_FACTOR - 1)))
    playouts, move = looks[-1]
    verdict = judge(runner, problem, game, move)
    if verdict != RIGHT:
        return Attempt(False, False, playouts, search.seconds, unknown=verdict == UNKNOWN)
    for earlier, other in reversed(looks):
        if judge(runner, problem, game, other) != RIGHT:
            break
        playouts = earlier
    return Attempt(True, True, playouts, search.seconds)


def judge(runner: ExperimentRunner, problem: Problem, game: Game, move: int) -> str:
    """Whether a move wins: it is listed, or the position after it is proven to be lost for the opponent."""
    if game.text(game.initial, move) in problem.winning:
        return RIGHT
    known: dict[tuple[str, int], str] = runner.kept.setdefault("tactics judged", {})
    key = (problem.game, move)
    if key not in known:
        player = int(rules.to_play(game.initial))
        after = copy_state(game.initial)
        rules.play(after, move)
        search = find_player(JUDGE).engine(game, after)
        result = runner.search(search, Limits(playouts=JUDGE_NODES))
        known[key] = UNKNOWN if not result.proven else RIGHT if wins(result, player) else WRONG
    return known[key]


def wins(result: Any, player: int) -> bool:
    return result.lower > 0 if player == rules.FIRST else result.upper < 0


def check(path: Path) -> str:
    """'' if the certificate is accepted and proves the win of the side to move, else why not."""
    verdict = check_certificate(path)
    if not verdict.valid:
        return verdict.reason
    start = find_game(verdict.game).initial
    return "" if wins(verdict, int(rules.to_play(start))) else "it does not prove a win"


# -- the report -----------------------------------------------------------------------------------------------------------
def player_rows(player: str, problems: Sequence[Problem], attempts: dict[int, Attempt]) -> list[Row]:
    rows = [share_row(f"{player} solved", list(attempts.values()))]
    for plies in lengths(problems):
        some = [one for i, one in attempts.items() if problems[i].plies == plies]
        if some and plies is not None:
            rows.append(share_row(f"{player} solved, {plies} plies", some))
    right = sum(one.right for one in attempts.values()) / len(attempts)
    rows.append(Row(f"{player} move right", None, right, *score_interval(right, len(attempts)), len(attempts)))
    needed = [one.playouts for one in attempts.values() if one.solved]
    if needed:
        rows.append(Row(f"{player} playouts where solved, median", None, statistics.median(needed), n=len(needed)))
    return rows


def share_row(label: str, attempts: Sequence[Attempt]) -> Row:
    share = sum(one.solved for one in attempts) / len(attempts)
    return Row(label, None, share, *score_interval(share, len(attempts)), len(attempts))


def summary_cells(attempts: dict[int, Attempt]) -> list[str]:
    solved = [one for one in attempts.values() if one.solved]
    row = share_row("", list(attempts.values()))
    return [
        f"{len(solved)} of {len(attempts)}",
        f"{row.measured:.3f}",
        f"{row.low:.3f} to {row.high:.3f}",
        f"{sum(one.right for one in attempts.values())} of {len(attempts)}",
        number(statistics.median(one.playouts for one in solved)) if solved else "-",
    ]


def lengths(problems: Sequence[Problem]) -> list[int | None]:
    """The lengths of wins that occur, shortest first; None, for a length that is not known, comes last."""
    return sorted({problem.plies for problem in problems}, key=lambda plies: (plies is None, plies or 0))


def lengths_grid(players: Sequence[str], problems: Sequence[Problem], found: dict[tuple[int, str], Attempt]) -> str:
    """Positions solved, by the length of the shortest win."""
    lines = []
    for plies in lengths(problems):
        cells = []
        for player in players:
            some = [one.solved for (i, p), one in found.items() if p == player and problems[i].plies == plies]
            cells.append(f"{sum(some)} of {len(some)}")
        lines.append(("unknown" if plies is None else f"{plies} plies", cells))
    return grid("shortest win", list(players), lines)


def judged(found: dict[tuple[int, str], Attempt]) -> list[str]:
    count = sum(one.unknown for one in found.values())
    if not count:
        return []
    return [f"{count} moves chosen could neither be shown to win nor not to within {JUDGE_NODES:,} nodes; they count as wrong."]


def proof_lines(proofs: Sequence[Attempt], accepted: int, refused: Sequence[str], certificates: str | Path | None) -> list[str]:
    if not proofs:
        return []
    where = "" if certificates is None else f" They are in {certificates}."
    lines = [f"{CERTIFIED}: {len(proofs)} proofs, {accepted} of them with certificates that were checked and accepted.{where}"]
    lines += [f"refused: {why}" for why in refused]
    lines += [one.trouble for one in proofs if one.trouble]
    return lines
