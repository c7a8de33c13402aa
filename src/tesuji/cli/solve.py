"""Search until the result of a position is proven, or the limits are reached.

JSON: game, outcome (win, draw, loss or unknown, for the player to move; a puzzle is won when its best score is
proven), lower, upper, playouts, nodes, seconds, best_move, proven, certificate, interrupted. lower and upper are
outcomes for the first player.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tesuji.cli import options, output
from tesuji.core.errors import UserError
from tesuji.core.files import check_can_write

if TYPE_CHECKING:
    from tesuji.search.engine import Result, Search

SUMMARY = "search until proven; write a proof that others can check"


def add_options(parser: argparse.ArgumentParser) -> None:
    options.add_position(parser)
    parser.add_argument("--certificate", metavar="FILE", help="write the proof there, for 'tesuji verify FILE'")
    options.add_common(parser)
    options.add_player(parser)


def run(args: argparse.Namespace) -> int:
    if args.certificate is not None:
        from tesuji.proof.format import CERTIFICATE

        check_can_write(args.certificate, CERTIFICATE)
    game = options.read_game(args.game)
    state, moves = options.read_position(game, args.moves)
    player, limits = options.read_player(args, game, proving=True)
    if args.certificate and player.alphabeta:
        raise UserError(
            f"the player {player.name} keeps no tree to write a certificate from; leave --player or --certificate out"
        )
    if player.settings_for(game).get("solver") == "off":
        raise UserError("solver=off proves nothing; solve needs --solver bounds or --solver win-loss")
    from tesuji.cli.searching import run_search, say_why_stopped

    search = player.new_search(game, state, args.seed or 0)
    result = run_search(search, limits, f"solve {game.name}")
    written, failure = None, f"not proven, so {args.certificate} was not written"
    if args.certificate and result.proven:
        written, failure = _write_certificate(search, args.certificate, moves)
    if args.json:
        output.print_json(_json(search, result, args, written, player.name))
    else:
        _show(search, result)
        say_why_stopped(result)
        if written is not None:
            print(
                f"certificate: {args.certificate} ({written['nodes']:,} positions); check it: tesuji verify {args.certificate}"
            )
    if args.certificate and written is None:
        output.note(failure)
    if args.certificate and written is None:
        return 2 if result.proven else 1  # a script must not go on to verify what is not there
    return 0


def _write_certificate(search: Search, path: str, moves: list[int]) -> tuple[dict[str, Any] | None, str]:
    """(what was written, ''), or (None, why nothing was). The answer of the search is worth telling in any case."""
    from tesuji.proof.writer import write_certificate

    with output.Progress(f"certificate {path}") as progress:

        def show(positions: int, _of: int) -> None:
            progress.update(None, f"{positions:,} positions")

        try:
            return write_certificate(search, path, moves=moves, on_progress=show if progress.is_shown else None), ""
        except UserError as error:
            return None, str(error)
        except KeyboardInterrupt:
            return None, f"interrupted, so {path} was not written"


def _json(search: Search, result: Result, args: argparse.Namespace, written: Any, player: str) -> dict:
    from tesuji.cli.results import in_points, move_text, outcome_word

    return {
        "game": search.game.name,
        "outcome": outcome_word(search.game, result.lower, result.upper, result.to_move),
        "lower": in_points(search.game, result.lower),
        "upper": in_points(search.game, result.upper),
        "playouts": result.playouts,
        "nodes": result.nodes,
        "seconds": result.seconds,
        "best_move": move_text(search.game, search.state, result.best_move),
        "proven": result.proven,
        "certificate": args.certificate if written is not None else None,
        "interrupted": result.interrupted,
        "full": result.full,
        "to_move": search.game.player_names[result.to_move],
        "player": player,
        "seed": args.seed or 0,
    }


def _show(search: Search, result: Result) -> None:
    from tesuji.cli import results

    game = search.game
    print(game.drawing(search.state))
    print()
    word = results.outcome_word(game, result.lower, result.upper, result.to_move)
    proof = results.bounds_text(game, result.lower, result.upper)
    if result.proven:
        print(f"proven: {proof}")
    else:
        print("not proven" + (f" in full, but {proof}" if proof else ""))
    if game.players == 2:
        print(f"{game.player_names[result.to_move]} to move: {word}")
    best = results.move_text(game, search.state, result.best_move)
    if best is not None:
        print(f"best move: {best}")
    print(f"{result.playouts:,} playouts, {result.nodes:,} nodes, {result.seconds:.2f} s")
