"""Random games against minimax: every bound of every search, what is saved and loaded, jobs of a cluster, and certificates."""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import tesuji
from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.numba.registration import is_pure
from tesuji.lab.cluster.proof_jobs import ProofHandler, check_answer, read_part
from tesuji.players.player import Player
from tesuji.players.presets import PLAYERS, find_player
from tesuji.proof.trusted import checker
from tesuji.proof.trusted import format as form
from tesuji.search.engine.final_move import children_of
from tesuji.search.kernel.table import UNKNOWN, packed_lower, packed_upper
from tesuji.search.kernel.tree import ROOT
from tesuji.search.selection.registry import RULES

from .table_games import TABLES, TableGame, make_game

Stop = Callable[[], bool]
SOLVERS = ("bounds", "win-loss")
MEMORIES = (0.002, 0.005, 0.02, 0.05, 1.0)  # MiB: most are full after a few nodes
FIXED = {"selection", "policy", "solver", "threads", "memory", "expand_after"}
SAME_NAME = "table"


@cache
def provers() -> tuple[Player, ...]:
    """Every player that proves something and plays any game: the presets, and each selection rule with each solver."""
    game = make_game(0).game
    named = [player for player in PLAYERS if not player.games]
    named += [find_player(f"tesuji:selection={rule},solver={solver}") for rule in RULES for solver in SOLVERS]
    found = []
    for player in named:
        try:
            if player.settings_for(game)["solver"] != "off":
                found.append(player)
        except UserError:  # a rule that needs a policy which knows the game
            continue
    return tuple(found)


def drawn_player(rng: random.Random, player: Player, game: tesuji.Game, threads: int) -> Player:
    """The player with some of its switches changed, and little memory. None of this is another kernel."""
    values: dict[str, Any] = {"memory": rng.choice(MEMORIES), "threads": threads, "expand_after": rng.choice((1, 1, 2, 5))}
    switches = {}
    for name, parameter in player.settings_for(game).parameters.items():
        choices = parameter.choices or ((True, False) if isinstance(parameter.default, bool) else ())
        if choices and name not in FIXED and rng.random() < 0.2:
            switches[name] = rng.choice(choices)
    drawn = player.overridden({**values, **switches})
    try:
        drawn.engine(game)
    except UserError:  # one switch has no effect beside the others, or does not go with them
        return player.overridden(values)
    return drawn


# -- what must hold ------------------------------------------------------------------------------------------------------
def check_bounds(table: TableGame, engine: Any, what: str) -> int:
    """Every bound of the tree, of the transposition table and of the result holds the value. Returns their number."""
    tree, child = engine.tree, table.game.initial["child"]
    waiting, checked = [(ROOT, int(engine.state["node"]))], 0
    while waiting:
        index, node = waiting.pop()
        record = tree.nodes[index]
        _check(table, node, record["lower"], record["upper"], what)
        checked += 1
        waiting += [(below, int(child[node, int(tree.nodes[below]["move"])])) for below in children_of(tree, index)]
    result = engine.result(with_moves=False)
    _check(table, int(engine.state["node"]), result.lower, result.upper, what)
    entries = tree.table.reshape(-1, 2)
    nodes = {_hash(node): node for node in range(len(table.values))}  # of images the least hash is taken, which is one of these
    for first, second in entries[entries[:, 1] != UNKNOWN]:
        node = nodes[int(first ^ second)]
        _check(table, node, packed_lower(second), packed_upper(second), f"{what}, in the transposition table")
        checked += 1
    return checked + 1


def _check(table: TableGame, node: int, lower: Any, upper: Any, what: str) -> None:
    value = table.values[node]
    assert lower <= value <= upper, f"{table}, {what}: node {node} is worth {value}, and not {lower} .. {upper}"


@cache
def _hash(node: int) -> int:
    state = np.zeros(1, TABLES)[0]
    state["node"] = node
    return int(rules.position_hash(state))


# -- searches ------------------------------------------------------------------------------------------------------------
def attack_searches(rng: random.Random, stop: Stop, most_threads: int = 4) -> Counter[str]:
    """One player, drawn first, in as many games as there is time for."""
    counts: Counter[str] = Counter()
    player = rng.choice(provers())
    with tempfile.TemporaryDirectory() as folder:
        while not stop():
            number = rng.getrandbits(32)
            try:
                one_game(number, player, Path(folder), counts, most_threads)
            except AssertionError:
                raise
            except Exception as error:
                raise AssertionError(f"one_game({number}, {player.as_string()!r}) raised {error!r}") from error
    return counts


def one_game(
    number: int, player: Player, folder: Path, counts: Counter[str], most_threads: int = 4, share: float = 0.25
) -> None:
    """A game, a search of it in pieces, and everything that can be done with what it has found, each in a share of games."""
    rng = random.Random(number)
    table = make_game(number, largest=12 if is_pure() else 60)
    game, threads = table.game, rng.randint(1, most_threads)
    drawn = drawn_player(rng, player, game, threads)
    what = f"player {drawn.describe()}"
    search = drawn.search(game, rng.getrandbits(32))
    for _ in range(rng.randint(1, 3)):
        search.run(playouts=playouts(rng))
        counts["bounds"] += check_bounds(table, search.engine, what)
        if rng.random() < 0.2 and not search.position.is_over:
            search.play(rng.choice(search.position.legal_moves))
            counts["bounds"] += check_bounds(table, search.engine, f"{what}, after a move")
        if search.position.is_over:
            break
    counts["games"] += 1
    counts["searches"] += 1
    counts["searches by several threads"] += threads > 1
    if search.position.is_over:
        return
    if rng.random() < share:
        certify(rng, table, search, folder / "x.cert", what, counts)
    if rng.random() < share:
        save_and_load(rng, table, search, folder / "x.search", what, counts)
    if rng.random() < share:
        hand_over_proofs(rng, table, search, player, folder / "x.proofs", what, counts)
    if rng.random() < share:
        work_as_cluster(rng, table, drawn, folder / "x.part", what, counts)


def playouts(rng: random.Random) -> int:
    return rng.randint(1, 60) if is_pure() else int(10 ** rng.uniform(0, 3.5))


def save_and_load(
    rng: random.Random, table: TableGame, search: tesuji.Search, path: Path, what: str, counts: Counter[str]
) -> None:
    """A search that was saved goes on as it was; one that cannot be loaded is refused where it is saved, or in one line."""
    try:
        search.save(path)
        loaded = tesuji.load(path, table.game)
    except UserError:
        counts["saved searches refused"] += 1
        return
    counts["bounds"] += check_bounds(table, loaded.engine, f"{what}, saved and loaded")
    loaded.run(playouts=playouts(rng))
    counts["bounds"] += check_bounds(table, loaded.engine, f"{what}, saved, loaded and gone on with")
    counts["searches loaded"] += 1


def hand_over_proofs(
    rng: random.Random,
    table: TableGame,
    search: tesuji.Search,
    player: Player,
    path: Path,
    what: str,
    counts: Counter[str],
) -> None:
    """What one search has proven helps another one of the same game."""
    try:
        search.save_proofs(path)
        other = drawn_player(rng, player, table.game, 1).search(table.game, rng.getrandbits(32))
        other.load_proofs(path)
    except UserError:
        counts["files of proofs refused"] += 1
        return
    other.run(playouts=playouts(rng))
    counts["bounds"] += check_bounds(table, other.engine, f"{what}, by the proofs of another search")
    counts["files of proofs"] += 1


# -- certificates --------------------------------------------------------------------------------------------------------
def certify(rng: random.Random, table: TableGame, search: tesuji.Search, path: Path, what: str, counts: Counter[str]) -> None:
    """What is proven has a certificate that the checker accepts; one that was changed is refused, or right all the same."""
    from tesuji.proof.write.writer import make_certificate

    engine = search.engine
    result = engine.result(with_moves=False)
    if (result.lower, result.upper) == table.game.outcomes:
        return
    certificate, _ = make_certificate(engine, moves=search.position.move_numbers)
    form.save_certificate(path, certificate)
    verdict = checker.check_certificate(str(path), table.game)
    assert verdict.valid, f"{table}, {what}: the checker refuses a good certificate: {verdict.reason}"
    _check(table, int(engine.state["node"]), verdict.lower, verdict.upper, f"{what}, certificate")
    counts["certificates"] += 1
    good = path.read_bytes()
    for _ in range(5):
        path.write_bytes(mutated_certificate(rng, good))
        try:
            verdict = checker.check_certificate(str(path), table.game)
        except UserError:
            continue
        finally:
            counts["certificates mutated"] += 1
        if verdict.valid:
            node = int(table.game.state_after(verdict.moves)["node"])
            _check(table, node, verdict.lower, verdict.upper, f"{what}, mutated certificate {path.read_bytes().hex()}")


def mutated_certificate(rng: random.Random, data: bytes) -> bytes:
    """Another claim, position or other choices, under a right checksum."""
    certificate = form.decode(data)
    values = asdict(certificate.header)
    for name in rng.sample(("lower", "upper", "nodes", "moves", "initial_bounds", "symmetry"), rng.randint(0, 2)):
        value = values[name]
        if isinstance(value, bool):
            values[name] = not value
        elif isinstance(value, int):
            values[name] = max(0, value + rng.choice((-1, 1))) if name == "nodes" else value + rng.choice((-1, 1))
        else:
            values[name] = (*value, rng.randrange(6)) if rng.random() < 0.5 else value[:-1]
    choices = list(certificate.choices)
    for _ in range(rng.randint(0, 3) if choices else 0):
        choices[rng.randrange(len(choices))] = rng.randrange(8)
    values["choices_size"] = len(form.encode_choices(choices))
    return form.encode(form.Certificate(form.Header(**values), tuple(choices)))


# -- a cluster -----------------------------------------------------------------------------------------------------------
class Machine(ProofHandler):
    """A machine's part of a proof in this process, of a game that has no string which names it."""

    def __init__(self, game: tesuji.Game, player: Player, certificate: bool):
        self._game, self._player, self._last = game, player, None
        flags = {"prunes": True, "initial_bounds": True, "symmetry": True}
        self._setup = {"certificate": certificate, "flags": flags}


def work_as_cluster(rng: random.Random, table: TableGame, player: Player, path: Path, what: str, counts: Counter[str]) -> None:
    """Some jobs one after the other, which share their tables: all bounds that they answer hold, each by its certificate."""
    game, certificate = table.game, rng.random() < 0.5
    machine = Machine(game, player, certificate)
    lowest, highest = game.outcomes
    for _ in range(4):
        state, moves = game.new_state(), []
        for _ in range(rng.randint(0, 4)):
            if not rules.is_over(state):
                moves.append(rng.choice(game.legal_moves(state)))
                rules.play(state, moves[-1])
        high = rng.randint(lowest + 1, highest)
        job = {
            "moves": moves,
            "seed": rng.getrandbits(32),
            "high": high,
            "playouts": playouts(rng),
            "proof": 1e6,
            "disproof": 1e6,
        }
        answer = json.loads(json.dumps(machine.work(job)))
        check_answer(answer, game)
        counts["bounds"] += _check_answer(table, int(state["node"]), answer, f"{what}, job {job}")
        counts["jobs"] += 1
        if answer["part"] is not None:
            form.save_certificate(path, read_part(answer["part"]))
            verdict = checker.check_certificate(path, game)
            assert verdict.valid, f"{table}, {what}, job {job}: its certificate is refused: {verdict.reason}"
            counts["certificates"] += 1


def _check_answer(table: TableGame, node: int, answer: dict[str, Any], what: str) -> int:
    _check(table, node, answer["lower"], answer["upper"], what)
    checked, child = 1, table.game.initial["child"]
    waiting: list[tuple[int, Sequence[Any]]] = [(node, answer["children"])]
    while waiting:
        node, children = waiting.pop()
        for move, lower, upper, _, _, below in children:
            _check(table, int(child[node, move]), lower, upper, what)
            waiting.append((int(child[node, move]), below))
            checked += 1
    return checked


# -- across games --------------------------------------------------------------------------------------------------------
def load_across_games(rng: random.Random, stop: Stop) -> Counter[str]:
    """Proofs and searches of one game loaded by another of the same name, rules and file: refused, or true."""
    counts: Counter[str] = Counter()
    player = find_player("prove:memory=1")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while not stop():
            pair = rng.getrandbits(32)
            one_pair(pair, player, folder, counts)
    return counts


def one_pair(number: int, player: Player, folder: Path, counts: Counter[str]) -> None:
    rng = random.Random(number)
    one, other = (make_game(rng.getrandbits(32), SAME_NAME, 12) for _ in range(2))
    search = player.search(one.game)
    search.run(playouts=playouts(rng))
    for kind, save in (("proofs", search.save_proofs), ("search", search.save)):
        path = folder / f"x.{kind}"
        path.unlink(missing_ok=True)
        counts[f"files of a {kind}"] += 1
        try:
            save(path)
            if kind == "search":
                loaded = tesuji.load(path, other.game)
            else:
                loaded = player.search(other.game)
                loaded.load_proofs(path)
        except UserError:
            counts["refused"] += 1
            continue
        loaded.run(playouts=playouts(rng))
        check_bounds(other, loaded.engine, f"one_pair({number}): by the {kind} of {one}")
