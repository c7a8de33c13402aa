"""What a machine does for a proof: it searches a position with a limit of playouts, and tells what it has found.

A job asks one question of its position, "is it at least `high`?". Its answer has the bounds that are proven, how much seems
left to prove (proof and disproof number, see docs/proving.md) of the position and of each of its moves, and, where a
certificate is wanted, the certificate of the bounds.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import asdict
from typing import Any

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.lab.cluster.identity import files_identity
from tesuji.players.player import Player
from tesuji.players.presets import find_player
from tesuji.players.proving import prover
from tesuji.proof.budget import Budget
from tesuji.proof.trusted.format import CHOICE_MEMORY, MOST_CHOICES, Certificate, Header, decode_choices, encode_choices
from tesuji.proof.write.merge import MOST_IN_PART
from tesuji.proof.write.writer import make_certificate
from tesuji.search.engine.final_move import children_of, is_pruned
from tesuji.search.kernel.tree import ROOT, TABLE_ENTRIES, set_memo_limit, set_table_limit
from tesuji.search.selection.proof_numbers import LARGEST, NUMBERS, ask

STEP = 10_000  # playouts between two looks at whether the question is answered
PARTS = 8  # a node that took one of so many parts of the playouts is told of, so that nobody searches the way to it again
MEAN_WEIGHT = 20.0  # W of a search by means: a node of mean m has 1 + W (1 - m) left to prove, 1 + W m to disprove


def proving_player(player: str, game: Game, parameters: dict[str, Any]) -> Player:
    """The player of a string, or the one that proves this game, with these parameters."""
    return find_player(player, may_load=True).changed(parameters) if player else prover(game, parameters)


class ProofHandler:
    """Searches positions. What one search knows of positions the next one in this process knows, too: the numbers always,
    the bounds unless there is to be a certificate, which needs the proofs and not only their results.
    """

    def __init__(self, setup: dict[str, Any]):
        self.programs: list[str] = []
        self._setup = setup
        self._game = find_game(setup["game"], False)
        self._player = proving_player(setup["player"], self._game, setup["parameters"])
        self._last: Any = None  # the tree of the search before, with its tables
        self._player.engine(self._game).prepare()

    @staticmethod
    def identity(setup: dict[str, Any]) -> dict[str, str]:
        game = find_game(setup["game"], False)
        return files_identity(game, [proving_player(setup["player"], game, setup["parameters"])])

    def work(self, job: dict[str, Any]) -> dict[str, Any]:
        state = self._game.state_after(job["moves"])
        if rules.is_over(state):
            outcome = int(rules.outcome(state))
            return {"lower": outcome, "upper": outcome, "playouts": 0, "nodes": 0, "children": [], "best": None, "part": None}
        search = self._player.engine(self._game, state, job["seed"])
        self._share_tables(search)
        result = self._search(search, job)
        lower, upper, part = result.lower, result.upper, None
        if self._setup["certificate"]:
            try:
                part = self._part(search, job)
            except UserError:  # what cannot be written down must not be relied on: the moves of the position are next
                lower, upper = self._game.outcomes
        is_open = lower < job["high"] <= upper
        return {
            "lower": lower,
            "upper": upper,
            "playouts": result.playouts,
            "nodes": result.nodes,
            "children": self._children(search, ROOT, result.playouts / PARTS) if is_open else [],
            "best": result.best_move,
            "part": part,
        }

    def _search(self, search: Any, job: dict[str, Any]) -> Any:
        """Searches until the question is answered, the playouts are used up, or more is left to prove than elsewhere."""
        by_numbers = _counts_numbers(search)
        if by_numbers:
            ask(search.tree, job["high"])
        root, numbers = search.tree.nodes[ROOT], search.tree.statistics[ROOT]
        while True:
            result = search.run(Limits(playouts=min(STEP, job["playouts"] - search.playouts)), with_moves=False)
            is_hard = by_numbers and (numbers["proof"] > job["proof"] or numbers["disproof"] > job["disproof"])
            is_open = root["lower"] < job["high"] <= root["upper"] and not result.proven
            if result.playouts >= job["playouts"] or is_hard or not is_open:
                return result

    def _share_tables(self, search: Any) -> None:
        last, memory = self._last, search.settings["memory"]
        self._last = search
        if last is None or search.table_share == 0.0:
            return
        search.tree = search.tree._replace(memo=last.tree.memo)
        set_memo_limit(search.tree, memory, search.table_share)
        if not self._setup["certificate"]:
            search.tree = search.tree._replace(table=last.tree.table)
            search.tree.counters[TABLE_ENTRIES] = last.tree.counters[TABLE_ENTRIES]
            set_table_limit(search.tree, memory, search.table_share)

    def _children(self, search: Any, node: int, fewest: float) -> list[list[Any]]:
        """The moves at a node of the tree: of each the move, its bounds, its two numbers, and the same of its own moves, if it
        took at least `fewest` playouts. Bounds that cannot be relied on are left open.
        """
        tree, scale = search.tree, search.options.scale
        lowest, highest = self._game.outcomes
        believed = self._setup["flags"]["prunes"]
        found = []
        for index in children_of(tree, node):
            record = tree.nodes[index]
            if believed and is_pruned(tree, index):
                continue
            bounds = [int(record["lower"]), int(record["upper"])] if believed else [lowest, highest]
            visits = int(record["visits"])
            if _counts_numbers(search):
                numbers = [min(float(tree.statistics[index][name]), LARGEST) for name in ("proof", "disproof")]
            else:
                mean = (float(record["sum"]) / visits - scale.least) * scale.per_sum if visits else 0.5
                numbers = [1.0 + MEAN_WEIGHT * (1.0 - mean), 1.0 + MEAN_WEIGHT * mean]
            is_open = record["lower"] < record["upper"] and visits >= fewest
            found.append([int(record["move"]), *bounds, *numbers, self._children(search, index, fewest) if is_open else []])
        return found

    def _part(self, search: Any, job: dict[str, Any]) -> dict[str, Any] | None:
        """The certificate of what is proven, if something is. Searching again for it is limited as the job is."""
        root = search.tree.nodes[ROOT]
        if (root["lower"], root["upper"]) == self._game.outcomes:
            return None
        flags = self._setup["flags"]
        part, _ = make_certificate(
            search,
            moves=job["moves"],
            initial_bounds=flags["initial_bounds"],
            symmetry=flags["symmetry"],
            playouts=job["playouts"],
            max_nodes=MOST_IN_PART,
            budget=Budget(),
        )
        packed = base64.b85encode(zlib.compress(encode_choices(part.choices))).decode()
        return {"header": asdict(part.header), "choices": packed}


def _counts_numbers(search: Any) -> bool:
    """Whether it searches by proof numbers alone."""
    return search.tree.statistics.dtype == NUMBERS.record


def read_part(part: dict[str, Any]) -> Certificate:
    """The certificate that a job sent; a UserError if it cannot be read, or is larger than a job may make it."""
    try:
        header = Header(**{**part["header"], "moves": tuple(part["header"]["moves"])})
        if not (_is_whole(header.choices_size, 0, MOST_CHOICES) and _is_whole(header.nodes, 0, MOST_IN_PART)):
            raise ValueError
        Budget().take(CHOICE_MEMORY * header.choices_size)
        inflater = zlib.decompressobj()
        packed = base64.b85decode(part["choices"])
        choices = inflater.decompress(packed, header.choices_size + 1)
        if len(choices) != header.choices_size or not inflater.eof:
            raise ValueError
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, zlib.error):
        raise UserError("a part of the proof cannot be read") from None
    return Certificate(header, decode_choices(choices, "a part of the proof"), len(packed))


def check_answer(answer: Any, game: Game) -> None:
    """A ValueError, TypeError or LookupError unless it has the form of what a job sends. What it says is taken at its word."""
    lowest, highest = game.outcomes
    if not _is_range(answer["lower"], answer["upper"], lowest, highest):
        raise ValueError
    if not all(_is_whole(answer[name], 0, 1 << 62) for name in ("playouts", "nodes")):
        raise ValueError
    if not (answer["best"] is None or _is_whole(answer["best"], 0, game.move_count - 1)):
        raise ValueError
    waiting = [answer["children"]]
    while waiting:
        for move, lower, upper, proof, disproof, below in waiting.pop():
            numbers = isinstance(below, list) and all(
                isinstance(n, float | int) and 0 <= n <= LARGEST for n in (proof, disproof)
            )
            if not (_is_whole(move, 0, game.move_count - 1) and _is_range(lower, upper, lowest, highest) and numbers):
                raise ValueError
            waiting.append(below)
    if answer["part"] is not None:
        read_part(answer["part"])


def _is_whole(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _is_range(lower: Any, upper: Any, lowest: int, highest: int) -> bool:
    return _is_whole(lower, lowest, highest) and _is_whole(upper, lower, highest)
