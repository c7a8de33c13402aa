"""Proving a position on a cluster: what its jobs have in common, and running them.

proof_jobs.py does a job on a machine, proof_tree.py chooses the jobs and joins what they find.
"""

from __future__ import annotations

from typing import Any

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.knowledge.registry import make_policy
from tesuji.lab.cluster.dispatcher import ClusterLike, Dispatcher, Tell
from tesuji.lab.cluster.proof_jobs import proving_player
from tesuji.lab.cluster.proof_tree import ProofTree
from tesuji.lab.cluster.tasks import PROOF, identity_of
from tesuji.proof.write.writer import rests_on_connections
from tesuji.search.kernel.bounds import make_proof
from tesuji.search.policy import study


def make_setup(game_text: str, game: Game, player: str, parameters: dict[str, Any], certificate: bool) -> dict[str, Any]:
    """What all jobs of a proof have in common."""
    found = proving_player(player, game, parameters)
    settings = found.settings_for(game)
    if settings["solver"] != "bounds":
        raise UserError("a proof on a cluster needs solver=bounds: machines tell each other bounds")
    policy = make_policy(game, found.policies(game)[settings["policy"]], settings)
    connections = rests_on_connections(game, policy)
    use_bounds = bool(make_proof(game, settings).initial_bounds) and rules.bounds.is_implemented(game.initial.dtype)
    symmetry = game.has_symmetries and bool(settings.get("symmetry", True)) and not connections
    # A certificate needs every move and its proof. Studies put other positions in the place of some, with other moves.
    prunes = not certificate and not study.is_implemented(type(policy))
    flags = {"initial_bounds": use_bounds, "symmetry": symmetry, "connections": connections, "prunes": prunes}
    words = {"kind": PROOF, "game": game_text, "player": player, "parameters": parameters}
    return {**words, "certificate": certificate, "flags": flags}


def prove_on_cluster(
    cluster: ClusterLike, tree: ProofTree, setup: dict[str, Any], tell: Tell, on_tick: Any, most: int, threads: int = 1
) -> None:
    """Runs the jobs of a tree until its root is decided or its limits are reached. Ctrl-C keeps what is known."""
    with Dispatcher(cluster, setup, identity_of(setup), tree, tell, most, threads, depth=1) as dispatcher:
        try:
            dispatcher.run(on_tick)
        except KeyboardInterrupt:
            tree.interrupted = True
