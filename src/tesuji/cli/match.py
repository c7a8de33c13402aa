"""Play a match between players or GTP programs ('gtp:COMMAND'), with alternating colours, several games at a time.

Every game is saved in one SQLite file as it ends. The same command resumes an interrupted match, and a larger --games
extends it.

JSON: game, a, b, games, a_wins, b_wins, draws, score (of A), elo, elo_low, elo_high (95%; null = infinite), score_low,
score_high, pairs (by points of A: 0, 1/2, 1, 3/2, 2), a_score_first, a_forfeits, b_forfeits, forfeits, a_cpu, b_cpu (CPU
seconds a move; null = not known), sprt, file, seconds, interrupted, uncounted (games that ended before earlier ones, counted
later); for more than two players matches, a list of these.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tesuji.cli import interrupts, options, output, watching
from tesuji.core.errors import UserError

if TYPE_CHECKING:
    from tesuji.lab.match.runner import Runner

SUMMARY = "play a match between players or GTP programs"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "players",
        metavar="PLAYER",
        nargs="+",
        help="two or more: NAME[:P=V,...] (tesuji players), path/to/file.py:name[:P=V,...], or 'gtp:COMMAND ARGUMENTS'",
    )
    parser.add_argument("--game", metavar="GAME", required=True, help=options.GAME_HELP)
    parser.add_argument("--games", type=options.count, default=100, metavar="N", help="games for each pair of players (100)")
    parser.add_argument("--file", metavar="FILE", help="the match file (default: a name made from the match, in matches/)")
    parser.add_argument(
        "--workers",
        type=options.count,
        metavar="N",
        help="games in parallel (default: processors divided by the players' threads)",
    )
    options.add_cluster(parser, "play")
    parser.add_argument(
        "--games-file",
        metavar="FILE",
        help="also keep all games in this small text file; a match resumes from it, too, as on another machine",
    )
    parser.add_argument("--sgf-dir", metavar="DIR", help="also write every game as an SGF file to this folder")
    group = parser.add_argument_group("openings, each played twice with colours exchanged")
    group.add_argument("--openings", metavar="FILE", help="a text file with one opening per line, or an SGF file")
    group.add_argument("--opening-plies", type=_plies, metavar="K", help="only the first K moves of each opening of the file")
    group.add_argument("--random-plies", type=_plies, default=0, metavar="K", help="K random moves (0)")
    group = parser.add_argument_group("handicap (Go): each player gives stones to those named after it, who play Black")
    group.add_argument("--handicap", type=_stones, default=0, metavar="N", help="N stones on their fixed points; komi 0.5")
    group.add_argument("--free", action="store_true", help="Black chooses the points of its handicap stones")
    group = parser.add_argument_group("limits, for players that bring none of their own as in uct:playouts=1000")
    group.add_argument("--playouts", type=options.playouts_number, metavar="N", help="playouts a move, for built-in players")
    group.add_argument("--seconds", type=options.seconds_number, metavar="S", help="seconds a move (1 if no limit is given)")
    group.add_argument(
        "--cpu", type=options.seconds_number, metavar="S", help="seconds of CPU time a move, whatever else the machine does"
    )
    group.add_argument(
        "--clock", metavar="CLOCK", help="clock of each player, in seconds: 300, 300+2, 600+3x30, 60/10 or 300+60/10"
    )
    group.add_argument("--grace", type=_grace, default=0.1, metavar="S", help="seconds by which a clock may be exceeded (0.1)")
    group.add_argument(
        "--move-timeout",
        type=options.seconds_number,
        default=300.0,
        metavar="S",
        help="seconds after which a GTP program that does not answer loses the game (300)",
    )
    group = parser.add_argument_group("GTP programs; N is the number of the player, from 1 in the order given")
    group.add_argument(
        "--gtp-command",
        nargs=2,
        action="append",
        default=[],
        metavar=("N", "COMMAND"),
        help="a GTP command for player N, sent before each game after the board, komi and time; may be given several times",
    )
    group.add_argument(
        "--gtp-dir",
        nargs=2,
        action="append",
        default=[],
        metavar=("N", "DIR"),
        help="the folder in which the program of player N runs",
    )
    group = parser.add_argument_group("sequential test: stops as soon as it is clear which of two hypotheses on A's Elo holds")
    group.add_argument("--sprt", action="store_true", help="stop as soon as a sequential test decides between elo0 and elo1")
    group.add_argument("--elo0", type=_number, default=0.0, metavar="E", help="Elo difference of A under H0 (0)")
    group.add_argument("--elo1", type=_number, default=10.0, metavar="E", help="Elo difference of A under H1 (10)")
    group.add_argument(
        "--alpha", type=_number, default=0.05, metavar="P", help="probability of accepting H1 when H0 is true (0.05)"
    )
    group.add_argument(
        "--beta", type=_number, default=0.05, metavar="P", help="probability of accepting H0 when H1 is true (0.05)"
    )
    options.add_common(parser)


def run(args: argparse.Namespace) -> int:
    from tesuji.lab.match import open_match
    from tesuji.lab.match.standing import view
    from tesuji.lab.sprt import Sprt

    with open_match(
        args.game,
        args.players,
        args.games,
        file=args.file,
        seed=args.seed or 0,
        workers=args.workers,
        cluster=args.cluster,
        playouts=args.playouts,
        seconds=args.seconds,
        cpu=args.cpu,
        clock=args.clock or "",
        openings=args.openings,
        opening_plies=args.opening_plies,
        random_plies=args.random_plies,
        handicap=args.handicap,
        free_handicap=args.free,
        test=Sprt(args.elo0, args.elo1, args.alpha, args.beta) if args.sprt else None,
        sgf_folder=args.sgf_dir,
        games_file=args.games_file,
        gtp_commands=[_for_player("--gtp-command", *words) for words in args.gtp_command],
        gtp_folders=[_for_player("--gtp-dir", *words) for words in args.gtp_dir],
        grace=args.grace,
        move_timeout=args.move_timeout,
    ) as runner:
        if runner.other_code:
            output.note(f"{runner.store.path}: some of its games were played by another version of this program")
        watching.watch(runner, view)
    _report(args, runner)
    return interrupts.exit_code() if runner.interrupted else 0


def _report(args: argparse.Namespace, runner: Runner) -> None:
    from tesuji.lab.match import standing as table

    if args.json:
        output.print_json(_json(runner))
        return
    print("\n".join(table.legend(runner)))
    output.print_table(table.columns(runner), table.rows(runner), right=table.NUMBERS)
    print()
    known = runner.done - runner.played_now
    print(f"{runner.done} of {runner.total} games, {known} of them played earlier; saved in {runner.store.path}")
    if runner.uncounted:
        print(f"{runner.uncounted} of them are not counted yet: they ended before earlier games, which are still to be played")
    if runner.test is not None:
        undecided = "" if runner.decision else ": undecided"
        print(table.sprt_text(runner) + undecided)
    if runner.interrupted:
        output.note("stopped; the same command resumes the match")


def _json(runner: Runner) -> dict[str, Any]:
    from tesuji.api.match import matches_of

    plan = runner.plan
    matches = [match.to_json() for match in matches_of(plan, runner.standings)]
    common = {
        "sprt": _sprt_json(runner),
        "file": runner.store.path,
        "seconds": sum(standing.seconds for standing in runner.standings),
        "interrupted": runner.interrupted,
        "other_code": runner.other_code,
        "uncounted": runner.uncounted,
    }
    return {**matches[0], **common} if len(matches) == 1 else {"game": plan.game, "matches": matches, **common}


def _sprt_json(runner: Runner) -> dict[str, Any] | None:
    test = runner.test
    if test is None:
        return None
    low, high = test.bounds
    state = runner.decision or "undecided"
    values = {"elo0": test.elo0, "elo1": test.elo1, "alpha": test.alpha, "beta": test.beta}
    return {"state": state, "llr": test.llr(runner.standings[0].pairs), "low": low, "high": high, **values}


def _for_player(option: str, number: str, text: str) -> tuple[int, str]:
    if number.isascii() and number.isdigit() and len(number) <= 4:
        return int(number), text
    raise UserError(f"{option} {number!r}: first the number of the player, then what it is for: {option} 2 ...")


def _plies(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) <= 1000:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number of moves: a whole number from 0 to 1000")


def _stones(text: str) -> int:
    if text.isascii() and text.isdigit() and 2 <= int(text) <= 99:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number of handicap stones: 2 or more")


def _grace(text: str) -> float:
    value = _number(text)
    if 0 <= value <= 3600:
        return value
    raise argparse.ArgumentTypeError(f"{text!r} is not a time: 0 to 3600 seconds")


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if abs(value) < 1e6:
        return value
    raise argparse.ArgumentTypeError(f"{text!r} is not a number that makes sense here")
