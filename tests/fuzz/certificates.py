"""Certificates attacked: all that the checker accepts is judged by brute force, which shares no code with it.

Both functions go on until they are told to stop, and count what they tried. A finding is an AssertionError that says how
to see it again.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "games"))
sys.path.insert(0, str(Path(__file__).parents[1] / "proof"))
from naive_hex import NaiveSolver
from proof_helpers import Solver, after, blank_header, prove

from tesuji.core import rules
from tesuji.core.container import CHECKSUM_SIZE, LENGTHS, seal
from tesuji.core.errors import GameError, UserError
from tesuji.core.game import Game, State
from tesuji.core.rules import FIRST_END, FREE, SECOND_END
from tesuji.games.registry import find_game
from tesuji.proof.budget import Budget
from tesuji.proof.trusted.checker import Choices, Verdict, check_choices
from tesuji.proof.trusted.claims import Claim, Refused, claims_of
from tesuji.proof.trusted.connections import AND, OR, PAIR, PATH, ProvenConnection, ProvenConnections, Step, cells_of, number_of
from tesuji.proof.trusted.format import FORMAT, Certificate, decode, encode, encode_choices
from tesuji.proof.trusted.plain_rules import PlainRules
from tesuji.proof.trusted.walk import ALL_MOVES, Walk

Stop = Callable[[], bool]
Near = list[list[int]]  # the points that touch each cell

BOARDS = ((2, 2), (3, 2), (2, 3), (3, 3), (4, 3), (3, 4), (4, 4))
LARGEST_CARRIER = 8  # cells; a connection with more takes too long to judge
MOST_POSITIONS = 2000  # of one walk


# -- Hex by brute force --------------------------------------------------------------------------------------------------
@cache
def solver_of(width: int, height: int) -> NaiveSolver:
    return NaiveSolver(width, height)


@cache
def near_of(width: int, height: int, player: int = rules.FIRST) -> Near:
    """What touches each cell, from the naive implementation."""
    solver = solver_of(width, height)
    near = []
    for cell in range(width * height):
        bit = 1 << cell
        ends = [end for end, edge in zip((FIRST_END, SECOND_END), solver.edges[player], strict=True) if edge & bit]
        near.append([number for number in range(width * height) if solver.near[bit] >> number & 1] + ends)
    return near


def are_joined(near: Near, own: int, one: int, other: int) -> bool:
    reached, waiting = {one}, [one]
    while waiting:
        point = waiting.pop()
        touching = near[point] if point >= 0 else [cell for cell, points in enumerate(near) if point in points]
        for next_to in touching:
            if next_to not in reached and (next_to < 0 or own >> next_to & 1):
                reached.add(next_to)
                waiting.append(next_to)
    return other in reached


def is_true(near: Near, connection: ProvenConnection) -> bool:
    """Whether the owner joins the ends with stones on `needs` and the carrier, the opponent, who has all else, moving first."""
    one, other = sorted(connection.ends)

    @cache
    def holds(own: int, free: int) -> bool:
        if are_joined(near, own, one, other):
            return True
        cells = cells_of(free)
        for cell in cells:
            left = free & ~(1 << cell)
            if not any(holds(own | 1 << answer, left & ~(1 << answer)) for answer in cells_of(left)):
                return False
        return bool(cells)

    return holds(connection.needs, connection.carrier)


def random_step(rng: random.Random, connections: ProvenConnections, near: Near) -> Step:
    count = len(connections.proven)
    kind = rng.choice((PATH, AND, OR, OR, PAIR)) if count else PATH
    if kind == PATH:
        points = [rng.randrange(len(near))]
        for _ in range(rng.randrange(1, 4)):
            points.append(rng.choice(near[points[-1]]))
            if points[-1] < 0:
                break
        return Step(PATH, tuple(number_of(point) for point in points))
    if kind == AND:
        return Step(AND, tuple(rng.randrange(1, count + 1) for _ in range(rng.choice((2, 2, 3)))))
    first = rng.randrange(count)
    if kind == PAIR:
        needed = cells_of(connections.proven[first].needs)
        if len(needed) < 2:
            return Step(PAIR, (count - first, 0, 1))
        one = rng.choice(needed)
        other = rng.choice([cell for cell in near[one] if cell >= 0])
        more = [cell for cell in {*near[one], *near[other]} - {one, other} if cell >= 0 and rng.random() < 0.8]
        return Step(PAIR, (count - first, one, other, *more))
    same = [at for at, connection in enumerate(connections.proven) if connection.ends == connections.proven[first].ends]
    numbers: list[int] = []
    for at in rng.sample(same, min(len(same), rng.choice((2, 2, 3)))):
        cells = cells_of(connections.proven[at].needs) or [rng.randrange(len(near))]
        numbers += [rng.choice(cells), count - at]
    return Step(OR, tuple(numbers))


# -- the adversary -------------------------------------------------------------------------------------------------------
class Adversary:
    """Says what it likes: moves and connections. Knows the truth, but only sometimes heeds it."""

    def __init__(self, rng: random.Random, width: int, height: int, claim: Claim, game_rules: PlainRules, counts: Counter[str]):
        self._rng = rng
        self._board = width, height
        self._claim = claim
        self._rules = game_rules
        self._counts = counts
        self._heeds = rng.choice((0.5, 0.9, 1.0))
        self._connects = rng.choice((0.0, 0.2))

    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        if not chooses:
            return ALL_MOVES
        if self._rng.random() < self._heeds:
            for index, move in enumerate(moves):
                states, _ = self._rules.after(state, [move])
                if is_won(self._board, states[0], self._claim.player):
                    return index
        return self._rng.randrange(-1 if self._rng.random() < 0.01 else 0, len(moves))

    def connect(self, state: State) -> Sequence[Step]:
        """Random steps for the position, all that are accepted judged; up to a connection of the ends, if there is one."""
        if self._rng.random() >= self._connects:
            return ()
        near = near_of(*self._board, self._claim.player)
        connections = self._rules.new_connections(state, self._claim.player)
        steps: list[Step] = []
        for _ in range(self._rng.choice((20, 60))):
            step = random_step(self._rng, connections, near)
            try:
                connection = connections.add(step)
            except Refused:
                self._counts["connections refused"] += 1
                continue
            if connection.carrier.bit_count() > LARGEST_CARRIER:
                connections.proven.pop()
                continue
            steps.append(step)
            self._counts["connections judged"] += 1
            what = f"{steps} gives {connection}"
            assert is_true(near, connection), f"a false connection on {self._board} for player {self._claim.player}: {what}"
            if connection.ends == {FIRST_END, SECOND_END} and self._rng.random() < 0.5:
                break
        return steps


def stones_of(board: tuple[int, int], state: State) -> tuple[int, int]:
    """Black's and White's stones as bits."""
    black = white = 0
    for cell in range(board[0] * board[1]):
        who = int(rules.holder(state, cell))
        if who != FREE:
            black, white = (black | 1 << cell, white) if who == rules.FIRST else (black, white | 1 << cell)
    return black, white


def is_won(board: tuple[int, int], state: State, player: int) -> bool:
    """Whether a player wins a position of Hex, by brute force."""
    solver = solver_of(*board)
    stones = stones_of(board, state)
    if solver.is_joined(stones[player], player):
        return True
    if solver.is_joined(stones[1 - player], 1 - player):
        return False
    mover = int(rules.to_play(state))
    return solver.mover_wins(*stones, mover) == (mover == player)


def attack_certificates(rng: random.Random, stop: Stop) -> Counter[str]:
    """Walks on small boards of Hex by an adversary; what is accepted, whole walks and positions on the way, must be true."""
    counts: Counter[str] = Counter()
    with np.errstate(over="ignore"):
        while not stop():
            seed = rng.getrandbits(64)
            attack_once(random.Random(seed), counts, f"attack_once(random.Random({seed}))")
    return counts


def attack_once(rng: random.Random, counts: Counter[str], again: str = "") -> None:
    board = rng.choice(BOARDS)
    game = find_game(f"hex:{board[0]}x{board[1]}")
    state = game.new_state()
    for _ in range(rng.randrange(max(0, board[0] * board[1] - 9), board[0] * board[1])):
        if not rules.is_over(state):
            rules.play(state, rng.choice(game.legal_moves(state)))
    player = rng.choice((rules.FIRST, rules.SECOND))
    claim = Claim(player, 1 if player == rules.FIRST else -1)
    plain = PlainRules(game, rng.random() < 0.5, rng.random() < 0.5)
    walk = Walk(state, plain, MOST_POSITIONS, rng.random() < 0.6)
    try:
        walk.prove(claim, Adversary(rng, *board, claim, plain, counts))
    except Refused:
        counts["walks refused"] += 1
    else:
        counts["walks accepted"] += 1
        assert is_won(board, walk.root[0], player), f"a false walk is accepted: {claim} on {board}: {again}"
    for record, proven in walk.proven.items():
        if proven:
            counts["positions judged"] += 1
            reached = np.frombuffer(record, game.initial.dtype)[0]
            assert is_won(board, reached, player), f"a false position is taken for proven: {claim} on {board}: {again}"


# -- mutations -----------------------------------------------------------------------------------------------------------
GAMES = {  # small games, and how many moves are made before the position that is proven
    "tictactoe": 3,
    "connect4:3x3:3": 0,
    "seki:1,1": 0,
    "semeai:1,1": 0,
    "dotsandboxes:1x2": 0,
    "hex:3x2": 0,
    "samegame:3x3:1": 0,
    "othello:4": 6,
    "breakthrough:2x4": 0,
    "clobber:3x2": 0,
    "domineering:3": 0,
    "gomoku:3x2:3": 0,
    "nogo:3x2": 0,
    "y:3": 0,
    "havannah:2": 0,
}
ENDING = {  # games too long for brute force, and moves after which one more can end the game
    "go:2": ("pass",),
    "loa:8/2b5/8/2b1w3/8/8/3w4/8:b": (),
    "amazons:4": tuple(["d1-c2", "b1", "d4-c4", "c3", "c2-c1", "b2", "c4-b4", "c4", "a1-a3"]),
    "ataxx:4": tuple(["a4-c2"]),
}
OTHERS = ("connect4:3x3", "hex:2", "seki:2,1")  # to be named in place of these


@cache
def solver_for(name: str) -> Solver:
    return Solver(find_game(name))


def value_of(game: Game, moves: Sequence[int]) -> int:
    return solver_for(game.name).value(game.state_after(moves))


def mutate_certificates(rng: random.Random, stop: Stop) -> Counter[str]:
    """Honest certificates of small games, changed in their bytes, header and choices; what is accepted must be true."""
    counts: Counter[str] = Counter()
    with np.errstate(over="ignore"):
        while not stop():
            seed = rng.getrandbits(64)
            mutate_once(random.Random(seed), counts, f"mutate_once(random.Random({seed}))")
    return counts


def mutate_once(rng: random.Random, counts: Counter[str], again: str = "") -> None:
    name = rng.choice([*GAMES, *ENDING])
    game = find_game(name)
    honest = ended_certificate(game) if name in ENDING else honest_certificate(rng, game, opening_of(rng, game))
    for data in mutations(rng, game, honest):
        try:
            certificate = decode(data)
            budget = Budget(positions=MOST_POSITIONS)
            verdict = check_choices(certificate, Choices(certificate.choices), "the file", budget=budget)
        except GameError as error:
            raise AssertionError(f"{error}: {again}") from error
        except UserError:
            counts["files that are none"] += 1
            continue
        counts["certificates accepted" if verdict.valid else "certificates refused"] += 1
        if verdict.valid and verdict.rules_of is not None:
            claim = f"{verdict.lower} <= value <= {verdict.upper}"
            assert is_known(honest, verdict), f"accepted, and {claim} is not true in {verdict.game}: {again}"


def is_known(honest: Certificate, verdict: Verdict) -> bool:
    """Whether what was accepted is true; where brute force would take too long, whether it follows from the honest claim, or
    from looking two moves ahead."""
    game, header = verdict.rules_of, honest.header
    assert game is not None
    if (verdict.lower, verdict.upper) == game.outcomes:
        return True
    if game.name in GAMES or game.name in OTHERS:
        return verdict.lower <= value_of(game, verdict.moves) <= verdict.upper
    same = (verdict.game, verdict.moves) == (header.game, header.moves)
    lower, upper = (header.lower, header.upper) if same else bounds_ahead(game, game.state_after(verdict.moves), 2)
    return verdict.lower <= lower and upper <= verdict.upper


def bounds_ahead(game: Game, state: State, plies: int) -> tuple[int, int]:
    """What looking so many moves ahead shows of the value."""
    if rules.is_over(state):
        outcome = int(rules.outcome(state))
        return outcome, outcome
    if plies == 0:
        return game.outcomes
    best = max if rules.to_play(state) == rules.FIRST else min
    children = [bounds_ahead(game, after(state, move), plies - 1) for move in game.legal_moves(state)]
    return best(lower for lower, _ in children), best(upper for _, upper in children)


def opening_of(rng: random.Random, game: Game) -> tuple[int, ...]:
    state, moves = game.new_state(), []
    for _ in range(GAMES.get(game.name, 0) + rng.randrange(3)):
        if not rules.is_over(state):
            moves.append(rng.choice(game.legal_moves(state)))
            rules.play(state, moves[-1])
    return tuple(moves)


def honest_certificate(rng: random.Random, game: Game, moves: tuple[int, ...]) -> Certificate:
    value = value_of(game, moves)
    lowest, highest = game.outcomes
    lower, upper = rng.choice(((value, value), (lowest, value), (value, highest)))
    use_bounds = rng.random() < 0.5 and rules.bounds.is_implemented(game.initial.dtype)
    return prove(game, lower, upper, moves, use_bounds)


def ended_certificate(game: Game) -> Certificate:
    """What the player to move has for sure: the best way to end the game at once."""
    start = game.start.play(*ENDING[game.name])
    sign = 1 if rules.to_play(start.state) == rules.FIRST else -1
    children = [(index, after(start.state, move)) for index, move in enumerate(game.legal_moves(start.state))]
    outcomes = {index: int(rules.outcome(child)) for index, child in children if rules.is_over(child)}
    best = max(outcomes, key=lambda index: sign * outcomes[index])
    lowest, highest = game.outcomes
    lower, upper = (outcomes[best], highest) if sign > 0 else (lowest, outcomes[best])
    header = replace(blank_header(game, lower, upper, start.move_numbers), choices_size=1)
    return fitted(game, Certificate(header, (best,)))


def mutations(rng: random.Random, game: Game, honest: Certificate) -> Iterator[bytes]:
    """The file itself, and changed ones: bytes; parts under a right checksum; and all that made to fit together again."""
    data = encode(honest)
    yield data
    yield changed_bytes(rng, data)
    text, body = parts_of(data)
    yield seal(FORMAT.magic, changed_bytes(rng, text), body)
    yield seal(FORMAT.magic, text, changed_bytes(rng, body))
    for _ in range(4):
        yield encode(changed(rng, game, honest))
        yield encode(fitted(game, changed(rng, game, honest)))


def parts_of(data: bytes) -> tuple[bytes, bytes]:
    """The text of a certificate's header, and its packed body."""
    size, _ = LENGTHS.unpack_from(data, len(FORMAT.magic))
    start = len(FORMAT.magic) + LENGTHS.size + CHECKSUM_SIZE
    return data[start : start + size], data[start + size :]


def changed_bytes(rng: random.Random, data: bytes) -> bytes:
    found = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(found))
        found[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
    return bytes(found)


def changed(rng: random.Random, game: Game, honest: Certificate) -> Certificate:
    header, choices = honest.header, list(honest.choices)
    lowest, highest = game.outcomes
    values = {
        "game": lambda: rng.choice([*GAMES, *ENDING, *OTHERS, "x"]),
        "moves": lambda: opening_of(rng, game),
        "lower": lambda: rng.randint(lowest, highest),
        "upper": lambda: rng.randint(lowest, highest),
        "nodes": lambda: rng.randrange(2 * header.nodes + 2),
        **dict.fromkeys(("initial_bounds", "symmetry", "connections"), lambda: rng.random() < 0.5),
    }
    assert values.keys() < {field.name for field in fields(header)}
    for name in rng.sample(list(values), rng.choice((0, 1, 1, 2))):
        header = replace(header, **{name: values[name]()})
    for _ in range(rng.randrange(3)):
        at = rng.randrange(len(choices) + 1)
        choices[at : at + rng.randrange(3)] = [rng.randrange(rng.choice((2, 9, 300))) for _ in range(rng.randrange(3))]
    return Certificate(replace(header, choices_size=len(encode_choices(choices))), tuple(choices))


def fitted(game: Game, certificate: Certificate) -> Certificate:
    """With the number of positions and the digest that go with the choices, as far as these lead; what is left over is cut."""
    header = certificate.header
    choices = Choices(certificate.choices)
    try:
        game = find_game(header.game)
        plain = PlainRules(game, header.initial_bounds, header.symmetry)
        root = game.state_after(header.moves)
        walk = Walk(root, plain, MOST_POSITIONS, header.connections)
        for claim in claims_of(game, header.lower, header.upper):
            walk.prove(claim, choices)
    except (Refused, UserError):
        return certificate
    used = certificate.choices[: choices.used]
    header = replace(header, nodes=walk.nodes, choices_size=len(encode_choices(used)), walk="")
    return Certificate(replace(header, walk=walk.digest.finish(header)), used)
