"""Search until the result of a position is proven, or the limits are reached.

Exit code 0: proven. 1: not proven within the limits. 2: proven, but the certificate could not be written.
JSON: game, outcome (win, draw, loss or unknown, for the player to move; a puzzle is won when its best score is
proven), lower, upper, playouts, nodes, seconds, best_move, proven, certificate, interrupted. lower and upper are
outcomes for the first player.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tesuji.cli import options, output
from tesuji.core.errors import UserError
from tesuji.core.files import check_can_write

if TYPE_CHECKING:
    from tesuji.api.proof import Proof

SUMMARY = "search until proven; write a proof that others can check"


def add_options(parser: argparse.ArgumentParser) -> None:
    options.add_position(parser)
    parser.add_argument("--certificate", metavar="FILE", help="write the proof to this file, for 'tesuji verify FILE'")
    options.add_common(parser)
    options.add_player(parser)


def run(args: argparse.Namespace) -> int:
    if args.certificate is not None:
        from tesuji.proof.format import CERTIFICATE

        check_can_write(args.certificate, CERTIFICATE)
    position = options.read_position(options.read_game(args.game), args.moves)
    player, limits = options.read_player(args, position.game, "prove")
    if args.certificate and player.alphabeta:
        raise UserError(
            f"the player {player.name} keeps no tree to write a certificate from; leave --player or --certificate out"
        )
    from tesuji.api.proof import Proof, proving_search
    from tesuji.cli.searching import run_analysis, say_why_stopped

    search = proving_search(player, position, args.seed or 0)
    proof = Proof(run_analysis(search, limits, f"solve {position.game.name}"), search)
    written, failure = None, f"not proven, so {args.certificate} was not written"
    if args.certificate and proof.proven:
        written, failure = _write_certificate(proof, args.certificate)
    if args.json:
        certificate = args.certificate if written is not None else None
        output.print_json({**proof.to_json(), "certificate": certificate, "player": player.name, "seed": search.seed})
    else:
        _show(proof)
        say_why_stopped(proof.analysis)
        if written is not None:
            own = f" --game {args.game}" if position.game.source else ""  # a file never names what code to run
            check = f"tesuji verify {args.certificate}{own}"
            print(f"certificate: {args.certificate} ({written:,} positions); check it: {check}")
    if args.certificate and written is None:
        output.note(failure)
        return 2 if proof.proven else 1  # a script must not go on to verify what is not there
    return 0 if proof.proven else 1


def _write_certificate(proof: Proof, path: str) -> tuple[int | None, str]:
    """(positions of the certificate, ''), or (None, why there is none). The answer is worth telling in any case."""
    with output.Progress(f"certificate {path}") as progress:

        def show(positions: int, _of: int) -> None:
            progress.update(None, f"{positions:,} positions")

        try:
            return proof.save(path, show if progress.is_shown else None), ""
        except UserError as error:
            return None, str(error)
        except KeyboardInterrupt:
            return None, f"interrupted, so {path} was not written"


def _show(proof: Proof) -> None:
    position, words = proof.position, proof.analysis.proof
    print(position)
    print()
    if proof.proven:
        print(f"proven: {words}")
    else:
        print("not proven" + (f" in full, but {words}" if words else ""))
    if position.game.players == 2:
        print(f"{position.to_move} to move: {proof.outcome}")
    if proof.best is not None:
        print(f"best move: {proof.best}")
    from tesuji.core.words import counted

    print(f"{counted(proof.playouts, 'playout')}, {counted(proof.nodes, 'node')}, {proof.seconds:.2f} s")
