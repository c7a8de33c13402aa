"""What the tests of proofs share: exact values by brute force, certificates made from them, and trees filled by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tesuji.core import rules
from tesuji.core.game import Game, State, copy_state
from tesuji.proof.trusted.checker import RELIANCES, Verdict, check_certificate
from tesuji.proof.trusted.claims import Refused, claims_of
from tesuji.proof.trusted.format import Certificate, Header, encode, encode_choices
from tesuji.proof.trusted.plain_rules import PlainRules
from tesuji.proof.trusted.walk import ALL_MOVES, Walk
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.kernel.tree import ROOT, add_children, publish_children


def after(state: State, move: int) -> State:
    copy = copy_state(state)
    rules.play(copy, move)
    return copy


class Solver:
    """Exact values of positions, by minimax with a memory. Knows nothing of the code under test."""

    def __init__(self, game: Game):
        self.game = game
        self.values: dict[bytes, int] = {}

    def value(self, state: State) -> int:
        key = state.tobytes()
        if key not in self.values:
            if rules.is_over(state):
                self.values[key] = int(rules.outcome(state))
            else:
                best = max if rules.to_play(state) == rules.FIRST else min
                self.values[key] = best(self.value(after(state, move)) for move in self.game.legal_moves(state))
        return self.values[key]


class PerfectPlay:
    """A strategy that makes the last of the best moves: not what a search would choose."""

    def __init__(self, solver: Solver):
        self.solver = solver
        self.choices: list[int] = []

    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        if not chooses:
            return ALL_MOVES
        sign = 1 if rules.to_play(state) == rules.FIRST else -1
        values = [sign * self.solver.value(after(state, move)) for move in moves]
        choice = max(range(len(moves)), key=lambda i: (values[i], i))
        self.choices.append(choice)
        return choice


class Given:
    """A strategy of given choices, as an attacker would try them."""

    def __init__(self, choices: Sequence[int]):
        self.choices = list(choices)

    def visit(self, _state: State, _moves: Sequence[int], chooses: bool) -> int:
        if not chooses:
            return ALL_MOVES
        if not self.choices:
            raise Refused("no more")
        return self.choices.pop(0)


def blank_header(game: Game, lower: int, upper: int, moves: tuple[int, ...] = (), initial_bounds: bool = False) -> Header:
    return Header(game.name, moves, lower, upper, initial_bounds, "", 0, 0, "")


def prove(game: Game, lower: int, upper: int, moves: tuple[int, ...] = (), initial_bounds: bool = False) -> Certificate:
    """A certificate of perfect play."""
    play = PerfectPlay(Solver(game))
    header = blank_header(game, lower, upper, moves, initial_bounds)
    walk = Walk(game.state_after(moves), PlainRules(game, initial_bounds))
    with np.errstate(over="ignore"):
        for claim in claims_of(game, lower, upper):
            walk.prove(claim, play)
    header = replace(header, nodes=walk.nodes, choices_size=len(encode_choices(play.choices)))
    return Certificate(replace(header, walk=walk.digest.finish(header)), tuple(play.choices))


def with_choices(certificate: Certificate, choices: Sequence[int]) -> Certificate:
    """Other choices in the same certificate, with the size that goes with them."""
    return Certificate(replace(certificate.header, choices_size=len(encode_choices(choices))), tuple(choices))


def forge(game: Game, certificate: Certificate) -> Certificate:
    """The certificate with node count and digest made to fit its choices, as far as these lead."""
    header = certificate.header
    walk = Walk(game.state_after(header.moves), PlainRules(game, header.initial_bounds))
    given = Given(certificate.choices)
    try:
        for claim in claims_of(game, header.lower, header.upper):
            walk.prove(claim, given)
    except Refused:
        pass
    header = replace(header, nodes=walk.nodes)
    return Certificate(replace(header, walk=walk.digest.finish(header)), certificate.choices)


def check(certificate: Certificate, folder: Path, game: Game | str | None = None, allow_bounds: bool = True) -> Verdict:
    """The verdict on a certificate that is written with a right checksum, whatever is in it."""
    path = folder / "forged.cert"
    path.write_bytes(encode(certificate))
    return check_certificate(path, game, RELIANCES.keys() - (set() if allow_bounds else {"initial_bounds"}))


def fill_tree(search: TreeSearch, forget: Sequence[int] = (), reverse: bool = False) -> None:
    """Puts the whole game tree with exact bounds into an unused search; nodes in `forget` keep bounds but no children."""
    game, tree = search.game, search.tree
    solver = Solver(game)
    waiting = [(ROOT, search.state)]
    while waiting:
        node, state = waiting.pop(0)
        tree.nodes[node]["lower"] = tree.nodes[node]["upper"] = solver.value(state)
        if rules.is_over(state) or node in forget:
            continue
        moves = np.array(game.legal_moves(state)[:: -1 if reverse else 1], np.int32)
        tree.nodes[node]["to_play"] = rules.to_play(state)
        first = int(add_children(tree, search.rule, node, moves, len(moves), *game.outcomes))
        publish_children(tree, node, first, len(moves))
        waiting += [(first + i, after(state, move)) for i, move in enumerate(moves.tolist())]
