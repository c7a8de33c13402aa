"""Proving a position on a cluster by jobs, as job-level proof-number search (Wu et al. 2011), with the bounds of our search.

The driver keeps a tree of positions above, each with bounds on its value. A job is one of its leaves: a machine searches it
with a limit of playouts, and sends back what it has proven and, where a certificate is wanted, the certificate of that. A leaf
that is proven narrows the bounds of what is above; one that is not becomes a node, and its moves become leaves. Which leaf is
next is chosen from the root down as the search itself chooses, by the values that jobs have found; jobs under way count as
lost, so that others go elsewhere. What can change nothing above is never sent. Positions that are equal, or images of each
other, are one node, so that what is proven of one is proven of all.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.knowledge.registry import make_policy
from tesuji.lab.cluster.dispatcher import Assignment, ClusterLike, Dispatcher, Tell
from tesuji.lab.cluster.tasks import PROOF, identity_of
from tesuji.players.player import Player
from tesuji.players.presets import find_player
from tesuji.players.proving import prover
from tesuji.proof.checker import PlainRules, Progress
from tesuji.proof.following import Key, key_of
from tesuji.proof.format import Certificate, Header, decode_choices, encode_choices
from tesuji.proof.parts import combine
from tesuji.proof.strategy import CompiledRules
from tesuji.proof.writer import make_certificate
from tesuji.search.answer import Result
from tesuji.search.bounds import make_proof
from tesuji.search.policy import explain

FIRST_PLAYOUTS = 2_000  # of the job at the root; it is to give the others something to do
GROWTH = 5  # of that, for each move below the root
MOST_PLAYOUTS = 250_000  # of a job, until there are many
SHARE = 16  # jobs of that much for each that is under way: the larger a proof is, the larger its jobs
EXPLORATION = 0.1  # of values from 0 to 1


# -- on the machines -------------------------------------------------------------------------------------------------------
def proving_player(player: str, game: Game, parameters: dict[str, Any]) -> Player:
    """The player of a string, or the one that proves this game, with these parameters."""
    return find_player(player, may_load=True).changed(parameters) if player else prover(game, parameters)


class ProofHandler:
    """Searches positions. Without certificates, what one search knows of positions the next one in this process knows, too."""

    def __init__(self, setup: dict[str, Any]):
        self.programs: list[str] = []
        self._setup = setup
        self._game = find_game(setup["game"], False)
        self._player = proving_player(setup["player"], self._game, setup["parameters"])
        self._last: Any = None  # the search before, with its table
        self._player.new_search(self._game).prepare()

    def work(self, job: dict[str, Any]) -> dict[str, Any]:
        state = self._game.state_after(job["moves"])
        if rules.is_over(state):
            outcome = int(rules.outcome(state))
            return {"lower": outcome, "upper": outcome, "playouts": 0, "nodes": 0, "chance": 0.5, "best": None, "part": None}
        search = self._player.new_search(self._game, state, job["seed"])
        self._share_table(search)
        result: Result = search.run(Limits(playouts=job["playouts"]))
        low, high = result.value_range
        lower, upper, part = result.lower, result.upper, None
        if self._setup["certificate"]:
            try:
                part = self._part(search, result, job)
            except UserError:  # what cannot be written down must not be relied on: the moves of the position are next
                lower, upper = self._game.outcomes
        return {
            "lower": lower,
            "upper": upper,
            "playouts": result.playouts,
            "nodes": result.nodes,
            "chance": (result.value - low) / (high - low) if high > low else 1.0,  # of player 0
            "best": result.best_move,
            "part": part,
        }

    def _share_table(self, search: Any) -> None:
        from tesuji.search.tree import KNOWN, set_table_limit

        if self._setup["certificate"] or not search.options.proof.transpositions:
            return  # a certificate needs the proofs, not only their results
        if self._last is not None:
            search.tree = search.tree._replace(table=self._last.tree.table)
            search.tree.counters[KNOWN] = self._last.tree.counters[KNOWN]
            set_table_limit(search.tree, search.settings["memory"], search.settings["table_share"])
        self._last = search

    def _part(self, search: Any, result: Result, job: dict[str, Any]) -> dict[str, Any] | None:
        """The certificate of what is proven, if something is. Searching again for it is limited as the job is."""
        if (result.lower, result.upper) == self._game.outcomes:
            return None
        flags = self._setup["flags"]
        part, _ = make_certificate(
            search,
            moves=job["moves"],
            initial_bounds=flags["initial_bounds"],
            symmetry=flags["symmetry"],
            playouts=job["playouts"],
            connections=False,
        )
        packed = base64.b85encode(zlib.compress(encode_choices(part.choices))).decode()
        return {"header": asdict(part.header), "choices": packed}


def read_part(part: dict[str, Any]) -> Certificate:
    header = Header(**{**part["header"], "moves": tuple(part["header"]["moves"])})
    return Certificate(header, decode_choices(zlib.decompress(base64.b85decode(part["choices"]))))


# -- the tree above --------------------------------------------------------------------------------------------------------
@dataclass
class TopNode:
    """A position. Bounds are player 0's, `chance` is its mean over the jobs below, from 0 to 1."""

    key: Key
    moves: tuple[int, ...]  # from the start of the game
    to_play: int
    lower: int
    upper: int
    depth: int
    children: list[Key] | None = None  # by move, in the order of the rules; None = a leaf
    parents: set[Key] = field(default_factory=set)
    jobs: int = 0  # at it and below, those under way included
    under_way: int = 0  # at it and below
    chances: float = 0.0  # the sum over the jobs that have ended
    is_sent: bool = False
    best: int | None = None  # the move that its own job found
    part: dict[str, Any] | None = None

    @property
    def is_decided(self) -> bool:
        return self.lower == self.upper


class ProofTree:
    """The tree above, as a source of jobs."""

    kept: str = "a proof is not kept on disk, so the same command begins anew"

    def __init__(self, game: Game, moves: Sequence[int], limits: Limits, setup: dict[str, Any], seed: int = 0):
        self.game = game
        self.playouts = 0
        self.nodes = 0  # of all searches
        self.jobs = 0
        self.seconds = 0.0
        self.interrupted = False
        self._limits = limits
        self._setup = setup
        self._seed = seed
        self._is_stuck = False
        self._began = time.monotonic()
        flags = setup["flags"]
        self.rules = PlainRules(game, flags["initial_bounds"], flags["symmetry"])
        self._top: dict[Key, TopNode] = {}
        self._paths: dict[str, list[Key]] = {}  # of jobs under way: the nodes from the root to theirs
        self._root = self._node(tuple(moves), 0)

    @property
    def root(self) -> TopNode:
        return self._root

    def _node(self, moves: tuple[int, ...], depth: int) -> TopNode:
        """The node of a position, which may be there already."""
        with np.errstate(over="ignore"):
            state = self.game.state_after(moves)
            key = key_of(self.rules, state)
            found = self._top.get(key)
            if found is None:
                lower, upper = self.game.outcomes
                if rules.is_over(state):
                    lower = upper = int(rules.outcome(state))
                to_play = int(rules.to_play(state)) if lower != upper else rules.FIRST
                found = self._top[key] = TopNode(key, moves, to_play, lower, upper, depth)
        return found

    # -- jobs: leaves ------------------------------------------------------------------------------------------------
    def next(self) -> Assignment | None:
        path = self._choose()
        if path is None:
            self._is_stuck = not self._paths  # positions that repeat lead to no other leaf
            return None
        leaf = path[-1]
        most = max(MOST_PLAYOUTS, self.playouts // (SHARE * (len(self._paths) + 1)))
        playouts = min(most, FIRST_PLAYOUTS * GROWTH ** min(leaf.depth, 20))
        if self._limits.playouts is not None:
            playouts = max(1, min(playouts, self._limits.playouts - self.playouts))
        job = {"moves": list(leaf.moves), "playouts": playouts, "seed": self._job_seed(leaf)}
        text = json.dumps(job)
        id = hashlib.sha256(f"{json.dumps(self._setup, sort_keys=True)}{text}".encode()).hexdigest()[:16]
        leaf.is_sent = True
        for node in path:
            node.jobs += 1
            node.under_way += 1
        self._paths[id] = [node.key for node in path]
        return Assignment(id, text, f"the position after {len(leaf.moves)} moves")

    def left(self) -> int:
        return 0 if self.is_done else 1

    @property
    def is_done(self) -> bool:
        limits, elapsed = self._limits, time.monotonic() - self._began
        late = limits.seconds is not None and elapsed >= limits.seconds
        return (
            self._root.is_decided
            or self._is_stuck
            or late
            or (limits.playouts is not None and self.playouts >= limits.playouts)
        )

    def take(self, id: str, result: str) -> bool:
        answer = json.loads(result)
        path = [self._top[key] for key in self._paths.pop(id)]
        leaf = path[-1]
        self.jobs += 1
        self.playouts += answer["playouts"]
        self.nodes += answer["nodes"]
        self.seconds = time.monotonic() - self._began
        for node in path:
            node.under_way -= 1
            node.chances += answer["chance"]
        leaf.is_sent = False
        leaf.part, leaf.best = answer["part"], answer["best"]
        if not (leaf.lower <= answer["upper"] and answer["lower"] <= leaf.upper):
            raise UserError("jobs have proven what contradicts each other: one of the machines has a fault")
        leaf.lower, leaf.upper = max(leaf.lower, answer["lower"]), min(leaf.upper, answer["upper"])
        if not leaf.is_decided and leaf.children is None:
            self._expand(leaf)
        self._narrow_above(leaf)
        return self.is_done

    def ready(self, programs: list[str]) -> None:
        pass  # there are none

    def transaction(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def _job_seed(self, leaf: TopNode) -> int:
        return int.from_bytes(hashlib.sha256(f"{self._seed}/{leaf.moves}".encode()).digest()[:8], "big") >> 1

    # -- the next leaf -----------------------------------------------------------------------------------------------
    def _choose(self) -> list[TopNode] | None:
        """The way to the leaf to search next; None if all that matter are under way."""
        if self.is_done:
            return None
        return self._descend(self._root, *self.game.outcomes, [])

    def _descend(self, node: TopNode, alpha: int, beta: int, above: list[TopNode]) -> list[TopNode] | None:
        """Bounds alpha and beta are what the players have for sure on the way here: a position outside changes nothing."""
        path = [*above, node]
        if node in above:
            return None
        if node.children is None:
            return None if node.is_sent else path
        if node.to_play == rules.FIRST:
            alpha = max(alpha, node.lower)
        else:
            beta = min(beta, node.upper)
        for child in self._best_first(node):
            if child.is_decided or child.upper <= alpha or child.lower >= beta:
                continue
            found = self._descend(child, alpha, beta, path)
            if found is not None:
                return found
        return None

    def _best_first(self, node: TopNode) -> Iterator[TopNode]:
        """The moves, what the mover likes best first: the mean of jobs, those under way as lost, and room for the untried."""
        children = [self._top[key] for key in dict.fromkeys(node.children or ())]
        log = math.log(node.jobs + 1)

        def worth(child: TopNode) -> float:
            ended = child.jobs - child.under_way
            gain = child.chances if node.to_play == rules.FIRST else ended - child.chances
            mean = gain / child.jobs if child.jobs else 0.5
            return mean + EXPLORATION * math.sqrt(log / (child.jobs + 1))

        return iter(sorted(children, key=worth, reverse=True))

    # -- bounds ------------------------------------------------------------------------------------------------------
    def _expand(self, node: TopNode) -> None:
        with np.errstate(over="ignore"):
            legal = self.game.legal_moves(self.game.state_after(node.moves))
        children = [self._node((*node.moves, int(move)), node.depth + 1) for move in legal]
        for child in children:
            child.parents.add(node.key)
        node.children = [child.key for child in children]

    def _narrow_above(self, changed: TopNode) -> None:
        """Bounds of the nodes from those of their moves, upwards as long as something changes."""
        self._narrow(changed)
        waiting = [changed]
        while waiting:
            parents = [self._top[key] for key in waiting.pop().parents]
            waiting += [parent for parent in parents if self._narrow(parent)]

    def _narrow(self, node: TopNode) -> bool:
        """Whether its moves narrow the bounds of a node."""
        if node.children is None:
            return False
        best = max if node.to_play == rules.FIRST else min
        moves = [self._top[key] for key in node.children]
        before = node.lower, node.upper
        node.lower = max(node.lower, best(move.lower for move in moves))
        node.upper = min(node.upper, best(move.upper for move in moves))
        return (node.lower, node.upper) != before

    # -- the answer --------------------------------------------------------------------------------------------------
    def result(self) -> Result:
        """What is known of the root, as a search tells it."""
        root = self._root
        low, high = self.game.outcomes
        ended = root.jobs - root.under_way
        value = low + (high - low) * (root.chances / ended if ended else 0.5)
        return Result(
            to_move=root.to_play,
            playouts=self.playouts,
            nodes=self.nodes,
            seconds=self.seconds,
            best_move=self._best_move(),
            value=min(max(value, root.lower), root.upper),
            lower=root.lower,
            upper=root.upper,
            proven=root.is_decided,
            interrupted=self.interrupted,
            value_range=(float(low), float(high)),
            best_value=min(max(value, root.lower), root.upper),
        )

    def _best_move(self) -> int | None:
        """A move that keeps what is proven; else the one with the most jobs."""
        root = self._root
        legal = self.game.legal_moves(self.game.state_after(root.moves))
        if root.children is None:
            return root.best
        sign = 1 if root.to_play == rules.FIRST else -1

        def worth(index: int) -> tuple[int, int]:
            child = self._top[(root.children or [])[index]]
            return sign * (child.lower if sign > 0 else child.upper), child.jobs

        return int(legal[max(range(len(legal)), key=worth)])

    def certificate(self, on_progress: Progress | None = None, pure: bool = False) -> Certificate:
        """One certificate out of the parts."""
        flags = self._setup["flags"]
        make = PlainRules if pure else CompiledRules
        game_rules = make(self.game, flags["initial_bounds"], flags["symmetry"])
        root = self._root

        def part(key: Key) -> Certificate | None:
            node = self._top.get(key)
            return read_part(node.part) if node is not None and node.part is not None else None

        def bounds(key: Key) -> tuple[int, int] | None:
            node = self._top.get(key)
            return None if node is None else (node.lower, node.upper)

        return combine(
            self.game, root.moves, root.lower, root.upper, game_rules, flags["concessions"], part, bounds, on_progress
        )


# -- the whole ---------------------------------------------------------------------------------------------------------------
def make_setup(game_text: str, game: Game, player: str, parameters: dict[str, Any], certificate: bool) -> dict[str, Any]:
    """What all jobs of a proof have in common."""
    found = proving_player(player, game, parameters)
    settings = found.settings_for(game)
    if settings["solver"] != "bounds":
        raise UserError("a proof on a cluster needs solver=bounds: machines tell each other bounds")
    policy = make_policy(game, found.policies(game)[settings["policy"]], settings)
    concessions = rules.concede.is_implemented(game.initial.dtype) and explain.is_implemented(type(policy))
    use_bounds = bool(make_proof(game, settings).initial_bounds) and rules.bounds.is_implemented(game.initial.dtype)
    symmetry = game.has_symmetries and bool(settings.get("symmetry", True)) and not concessions
    flags = {"initial_bounds": use_bounds, "symmetry": symmetry, "concessions": concessions}
    words = {"kind": PROOF, "game": game_text, "player": player, "parameters": parameters}
    return {**words, "certificate": certificate, "flags": flags}


def prove_on_cluster(
    cluster: ClusterLike, tree: ProofTree, setup: dict[str, Any], tell: Tell, on_tick: Any, most: int, threads: int = 1
) -> None:
    """Runs the jobs of a tree until its root is decided or its limits are reached. Ctrl-C keeps what is known."""
    dispatcher = Dispatcher(cluster, json.dumps(setup, sort_keys=True), identity_of(setup), tree, tell, most, threads, depth=1)
    try:
        dispatcher.run(on_tick)
    except KeyboardInterrupt:
        tree.interrupted = True
    finally:
        dispatcher.close()
