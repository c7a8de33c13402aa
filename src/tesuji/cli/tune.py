"""Tune parameters of a player by games against opponents: CLOP, or SPSA or uniform samples to compare with.

Every sample and every game is kept in one SQLite file; the same command resumes an interrupted tune, and a larger --games
extends it. At the end the tuned player meets the one it was made from: the score of that validation is the gain. --report FILE
draws a tune file. See docs/tuning.md.

JSON: game, player, against, method, games, parameters (name, before, mean of the weighted samples, low, high, best = the tuned
player's value, effect), score, score_low, score_high (around the estimate), kept, tuned (the player string), validation (games,
score, low, high, and more as of tesuji match; or null), second_validation (the same with playouts, by --validate-playouts; or
null), expected, file, interrupted, other_code; with --report file, report,
games, parameters, score ..., validations.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from tesuji.cli import interrupts, options, output, watching
from tesuji.core.errors import UserError

if TYPE_CHECKING:
    from tesuji.lab.match.runner import Runner
    from tesuji.lab.tune.runner import TuneRunner

SUMMARY = "tune parameters of a player by games (CLOP)"
DEFAULT_GAMES, DEFAULT_VALIDATION = 1000, 200
DEFAULT_REPORT = "tune.html"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("player", metavar="PLAYER", nargs="?", help="NAME[:P=V,...] (tesuji players), or path/to/file.py:name")
    parser.add_argument("--game", metavar="GAME", help=options.GAME_HELP)
    parser.add_argument(
        "--parameter",
        action="append",
        default=[],
        metavar="NAME[=LOW..HIGH[:log|:int]]",
        help="a parameter to tune, as in exploration=0.05..1:log; may be given several times (default range: the declared one)",
    )
    parser.add_argument(
        "--against", nargs="+", default=[], metavar="OPPONENT", help="players or 'gtp:COMMAND' (default: the player itself)"
    )
    parser.add_argument(
        "--games", type=options.count, default=DEFAULT_GAMES, metavar="N", help=f"games in all ({DEFAULT_GAMES}), two a sample"
    )
    parser.add_argument("--file", metavar="FILE", help="the tune file (default: a name made from the tune, in tunes/)")
    parser.add_argument("--method", choices=("clop", "spsa", "uniform"), default="clop", help="how samples are chosen (clop)")
    parser.add_argument(
        "--window", type=options.count, default=8, metavar="N", help="samples that may be under way at a time (8)"
    )
    parser.add_argument(
        "--validate",
        type=options.move_number,
        default=DEFAULT_VALIDATION,
        metavar="N",
        help=f"games of the validation match at the end ({DEFAULT_VALIDATION}; 0 = none)",
    )
    parser.add_argument(
        "--validate-playouts",
        type=options.playouts_number,
        metavar="N",
        help="play the validation match a second time, with N playouts a move: what is best at few need not be best at many",
    )
    parser.add_argument("--workers", type=options.count, metavar="N", help="processes that play (default: as for tesuji match)")
    options.add_cluster(parser, "play")
    group = parser.add_argument_group("openings, each played with both colours")
    group.add_argument("--openings", metavar="FILE", help="a text file with one opening per line, or an SGF file")
    group.add_argument("--opening-plies", type=options.move_number, metavar="K", help="only the first K moves of each of them")
    group.add_argument("--random-plies", type=options.move_number, default=0, metavar="K", help="K random moves (0)")
    group = parser.add_argument_group("limits, for players that bring none of their own as in uct:playouts=1000")
    options.add_limits(group)
    group = parser.add_argument_group("report")
    group.add_argument("--report", metavar="FILE", help="draw a tune file, and play nothing")
    group.add_argument("--out", metavar="FILE", help=f"where to, an .html or .svg file, with --report ({DEFAULT_REPORT})")
    options.add_common(parser)


def run(args: argparse.Namespace) -> int:
    if args.report is not None:
        return _report(args)
    if args.out is not None:
        raise UserError("--out is for the picture of --report FILE")
    if args.player is None or args.game is None:
        raise UserError("name the player to tune and --game GAME, or a tune file with --report FILE")
    from tesuji.lab.tune.outlook import outlook, outlook_lines
    from tesuji.lab.tune.runner import open_tune
    from tesuji.lab.tune.validation import check_other_playouts
    from tesuji.lab.tune.view import view

    with open_tune(
        args.game,
        args.player,
        args.parameter,
        args.against,
        args.games,
        file=args.file,
        seed=args.seed or 0,
        workers=args.workers,
        cluster=args.cluster,
        playouts=args.playouts,
        seconds=args.seconds,
        cpu=args.cpu,
        openings=args.openings,
        opening_plies=args.opening_plies,
        random_plies=args.random_plies,
        method=args.method,
        window=args.window,
    ) as runner:
        if runner.other_code:
            output.note(f"{runner.store.path}: some of its games were played by another version of this program")
        check_other_playouts(runner.plan, args.validate, args.validate_playouts)
        expected = outlook(len(runner.plan.parameters), runner.games_wanted, args.validate)
        for line in outlook_lines(expected):
            print(line)
        if args.validate_playouts is not None:
            print(f"and once more with {args.validate_playouts} playouts a move")
        sys.stdout.flush()
        watching.watch(runner, view)
        validations: list[Runner] = []
        for playouts in ([None] if args.validate else []) + ([args.validate_playouts] if args.validate_playouts else []):
            if not (runner.interrupted or any(validation.interrupted for validation in validations)):
                validations.append(_validate(runner, args.validate, playouts))
    if args.json:
        output.print_json(_json(runner, validations, expected))
    else:
        _show(runner, validations, args.validate_playouts)
    stopped = runner.interrupted or any(validation.interrupted for validation in validations)
    return interrupts.exit_code() if stopped else 0


# -- playing -------------------------------------------------------------------------------------------------------------
def _validate(runner: TuneRunner, games: int, playouts: int | None) -> Runner:
    from tesuji.lab.match.standing import view
    from tesuji.lab.tune.validation import validation_runner

    validation = validation_runner(runner, games, playouts)
    watching.watch(validation, view)
    return validation


# -- showing -------------------------------------------------------------------------------------------------------------
def _show(runner: TuneRunner, validations: list[Runner], playouts: int | None) -> None:
    from tesuji.lab.tune import view

    print()
    summaries = runner.summaries()
    for part in view.tables(runner, summaries):
        print(part) if isinstance(part, str) else output.print_table(*part)
    known = runner.games_done - runner.played_now
    print(f"\n{runner.games_done} of {runner.games_wanted} games, {known} of them played earlier; saved in {runner.store.path}")
    if runner.interrupted:
        output.note("stopped; the same command resumes the tune")
        return
    print(f"tuned: {runner.plan.with_values(summaries[-1].values)}")
    if not validations:
        print("not validated: the score around the estimate is no gain over the player as it was")
    for validation, limit in zip(validations, ("", f" with {playouts} playouts a move"), strict=False):
        _show_validation(validation, limit)


def _show_validation(validation: Runner, limit: str) -> None:
    from tesuji.lab.match import standing

    print(f"\nvalidation{limit}: A tuned, B as it was; new seeds and openings")
    output.print_table(standing.columns(validation), standing.rows(validation), right=standing.NUMBERS)
    low, high = validation.standings[0].interval
    verdict = "a gain" if low > 0.5 else "a loss: keep the values as they were" if high < 0.5 else "no gain shown"
    print(f"{validation.done} of {validation.total} games: {verdict}")
    if validation.interrupted:
        output.note("stopped; the same command resumes the validation")


def _json(runner: TuneRunner, validations: list[Runner], expected: dict[str, Any]) -> dict[str, Any]:
    from tesuji.lab.tune.validation import validation_json

    summary = runner.summary
    played: list[dict[str, Any] | None] = [
        {**validation_json(validation.standings[0]), "interrupted": validation.interrupted} for validation in validations
    ]
    first, second = [*played, None, None][:2]
    if second is not None:
        second = {"playouts": validations[1].plan.players[0].playouts, **second}
    return {
        "game": runner.plan.game,
        "player": runner.plan.tuned.label,
        "against": [player.label for player in runner.plan.players[1:]],
        "method": runner.plan.method,
        **summary.as_json(),
        "tuned": runner.plan.with_values(summary.values),
        "validation": first,
        "second_validation": second,
        "expected": expected,
        "file": runner.store.path,
        "interrupted": runner.interrupted,
        "other_code": runner.other_code,
    }


# -- the report ----------------------------------------------------------------------------------------------------------
def _report(args: argparse.Namespace) -> int:
    if args.player is not None or args.parameter:
        raise UserError("--report FILE draws what is in the file; leave the player and its parameters out")
    from tesuji.core.files import check_can_write, write_file
    from tesuji.lab.tune.picture import draw_report, file_kind

    out = args.out or DEFAULT_REPORT
    kind = file_kind(out)
    check_can_write(out, kind)
    text, found = draw_report(args.report, out)
    write_file(out, text.encode(), kind)
    if args.json:
        output.print_json({"file": args.report, "report": out, **found})
    else:
        print(f"report: {out}")
    return 0
