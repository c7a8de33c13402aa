"""Search until the result of a position is proven, or the limits are reached.

Exit code 0: proven. 1: not proven within the limits. 2: proven, but the certificate could not be written.
JSON: game, outcome (win, draw, loss or unknown, for the player to move; a puzzle is won when its best score is
proven), lower, upper, playouts, nodes, seconds, best_move, proven, certificate, interrupted. lower and upper are
outcomes for the first player.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from tesuji.cli import options, output
from tesuji.core.errors import UserError
from tesuji.core.files import check_can_write

if TYPE_CHECKING:
    from tesuji.api.proof import Proof
    from tesuji.core.game import Game
    from tesuji.core.limits import Limits
    from tesuji.players.search import Search

SUMMARY = "search until proven; write a proof that others can check"


def add_options(parser: argparse.ArgumentParser) -> None:
    options.add_position(parser)
    parser.add_argument("--certificate", metavar="FILE", help="write the proof to this file, for 'tesuji verify FILE'")
    parser.add_argument("--load", metavar="FILE", help="begin with the positions that an earlier run proved and saved")
    parser.add_argument("--save", metavar="FILE", help="save the proven positions in the end, for --load; may be the same file")
    options.add_cluster(parser, "prove")
    parser.add_argument(
        "--file", metavar="FILE", help="with --cluster: the proof file (default: a name made from the proof, in proofs/)"
    )
    options.add_common(parser)
    options.add_player(parser)


def run(args: argparse.Namespace) -> int:
    if args.certificate is not None:
        from tesuji.proof.trusted.format import CERTIFICATE

        check_can_write(args.certificate, CERTIFICATE)
    position = options.read_position(options.read_game(args.game), args.moves)
    player, limits = options.read_player(args, position.game, "prove")
    if args.certificate and player.alphabeta:
        raise UserError(
            f"the player {player.name} keeps no tree to write a certificate from; leave --player or --certificate out"
        )
    if args.save is not None:
        from tesuji.search.files.proof_table import PROOF_TABLE_FILE

        check_can_write(args.save, PROOF_TABLE_FILE)
    from tesuji.api.proof import proof_of, proving_search
    from tesuji.cli.searching import run_analysis, say_why_stopped

    search = proving_search(player, position, args.seed or 0, by_image=not args.cluster)
    if args.save is not None or args.load is not None:
        if args.cluster:
            raise UserError(
                "--save and --load are for one machine; a proof on a cluster is kept in its own file (--file): "
                "leave them out, or --cluster"
            )
        _load_proofs(args, search)
    if args.file is not None and not args.cluster:
        raise UserError("--file keeps what a proof on a cluster finds; without --cluster, leave it out or use --save")
    if args.cluster and limits.cpu is not None:
        raise UserError("CPU time is measured on one machine: limit a proof on a cluster by --seconds or --playouts")
    if args.cluster:
        proof = _prove_on_cluster(args, search, limits)
    else:
        proof = proof_of(position, run_analysis(search, limits, f"solve {position.game.name}"), search)
    written, failure = None, f"not proven, so {args.certificate} was not written"
    if args.certificate and proof.proven:
        written, failure = _write_certificate(proof, args.certificate)
    if args.json:
        certificate = args.certificate if written is not None else None
        output.print_json({**proof.to_json(), "certificate": certificate, "player": player.name, "seed": search.seed})
    else:
        _show(proof)
        say_why_stopped(proof)
        if args.certificate and written is not None:
            own = f" --game {args.game}" if position.game.source else ""  # a file never names what code to run
            check = f"tesuji verify {args.certificate}{own}{_more_positions(args.certificate, position.game)}"
            print(f"certificate: {args.certificate} ({written:,} positions); check it: {check}")
    saved = args.save is None or _save_proofs(args, search)
    if args.certificate and written is None:
        output.note(failure)
        saved = saved and not proof.proven
    if not saved:
        return 2  # a script must not go on with what is not there
    return 0 if proof.proven else 1


def _more_positions(path: str, game: Game) -> str:
    """The option that `verify` needs for a certificate with more positions than one of its size usually has."""
    from tesuji.proof.budget import Budget, most_positions
    from tesuji.proof.trusted.format import read_certificate

    written = read_certificate(path, Budget(memory=None))
    nodes = written.header.nodes
    return f" --positions {nodes}" if nodes > most_positions(written.packed, game.players) else ""


def _load_proofs(args: argparse.Namespace, search: Search) -> None:
    """Loads the proofs of --load, and refuses now what would be refused after hours of search."""
    from tesuji.search.files.proof_table import check_can_save, check_has_table

    engine = search.tree_search("there are no proofs to keep")
    if args.save is not None:
        check_can_save(engine, args.save)
    if args.load is None:
        return
    check_has_table(engine, args.load)
    taken, there = search.load_proofs(args.load)
    if not args.certificate:
        output.note(f"{args.load} is trusted and not checked; a certificate (--certificate) would not rely on it")
    if taken < there:
        if args.save is not None and os.path.realpath(args.save) == os.path.realpath(args.load):
            raise UserError(
                f"only {taken:,} of the {there:,} positions of {args.load} fit into the memory; give more (--memory), or "
                "--save to another file"
            )
        output.note(f"only {taken:,} of the {there:,} positions of {args.load} fit into the memory")


def _save_proofs(args: argparse.Namespace, search: Search) -> bool:
    """Whether they were saved. The answer is printed already, so that an error here does not lose it."""
    try:
        saved = search.save_proofs(args.save)
    except UserError as error:
        output.note(str(error))
        return False
    except KeyboardInterrupt:
        output.note(f"interrupted, so {args.save} was not written")
        return False
    output.note(f"proofs: {args.save} ({saved:,} positions); use them: tesuji solve ... --load {args.save}")
    return True


def _prove_on_cluster(args: argparse.Namespace, search: Search, limits: Limits) -> Proof:
    """The same on a cluster: jobs are parts of the tree."""
    from tesuji.api.proof import ClusterProof
    from tesuji.lab.cluster.connection import connect
    from tesuji.lab.cluster.proof_store import ProofPlan, ProofStore
    from tesuji.lab.cluster.proof_tree import ProofTree
    from tesuji.lab.cluster.proving import make_setup, prove_on_cluster
    from tesuji.lab.cluster.tasks import identity_of
    from tesuji.lab.match.games_run import MOST_JOBS
    from tesuji.search.report.analysis import analysis_of

    position = search.position
    search.tree_search("nothing can be proven on a cluster")
    parameters = options.given_parameters(args)
    setup = make_setup(args.game, position.game, args.player or "", parameters, bool(args.certificate))
    tree = ProofTree(position.game, position.move_numbers, limits, setup, args.seed or 0)
    plan = ProofPlan(setup, position.move_numbers, args.seed or 0, identity_of(setup))
    threads = int(search.engine.settings["threads"])
    store = ProofStore(args.file or plan.default_path())
    store.open(plan, plan.identity["code"])
    try:
        tree.resume(store.results(), store)
        with output.Progress(f"solve {position.game.name}") as progress:

            def show() -> None:
                bounds = tree.result()
                text = f"{tree.jobs:,} jobs, {tree.playouts:,} playouts, bounds {bounds.lower} .. {bounds.upper}"
                progress.update(None, text)

            if not tree.is_done:
                prove_on_cluster(connect(args.cluster), tree, setup, output.note, show, MOST_JOBS, threads)
    finally:
        store.close()
    if tree.jobs:  # otherwise there is no file
        before = f"{tree.from_before:,} of them done earlier; " if tree.from_before else ""
        output.note(f"{tree.jobs:,} jobs, {before}saved in {store.path}")
    return ClusterProof.of(analysis_of(position, tree.result()), search, tree=tree)


def _write_certificate(proof: Proof, path: str) -> tuple[int | None, str]:
    """(positions of the certificate, ''), or (None, why there is none). The answer is printed in any case."""
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
    position, words = proof.position, proof.proof
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
