"""What `tesuji check` looks at in the positions of random games: hashes, repetitions, and bounds against brute force."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tesuji.core import rules
from tesuji.core.game import Game, copy_state
from tesuji.games.referee import Fault, Referee, RulesPosition, place_of

ENDGAME_NODES = 300  # brute force from one position stops there
ALL_ENDGAME_NODES = 3000  # and in all there
CONTINUATIONS = 3  # random continuations that decide whether two positions have the same future
MOST_COMPARISONS = (
    100  # pairs of positions of equal hash that are compared in that way: in games, in endgames, among neighbours
)
FIELD_TRIALS = 24  # exchanges of a field's contents that decide whether it ever matters
FEWEST_TRIALS = 8  # fewer say nothing
SWAPS = 400  # exchanges of two moves that are tried, to reach equal positions in two ways


class Observation(NamedTuple):
    """All that the rules say of one position. What is not asked is 0 or empty."""

    position: RulesPosition
    over: bool
    player: int
    legal: list[int]
    hash: int
    lower: int
    upper: int
    outcome: int
    evaluation: float = 0.0


class _TooLarge(Exception):
    """The endgame has more positions than brute force is given."""


class PositionChecks:
    """Looks at positions one by one, remembering them all; tells `found` what is wrong."""

    def __init__(self, game: Game, referee: Referee, found: Callable[[Fault], None], chance: random.Random):
        self.game, self.referee, self.found, self.chance = game, referee, found, chance
        self.hashes = rules.position_hash.is_implemented(game.initial.dtype)
        self._hash_place = place_of(game, rules.position_hash)
        self.positions = 0
        self.values: dict[bytes, int] = {}  # by record: the outcome under perfect play
        self._by_record: dict[bytes, Observation] = {}
        self._by_hash: dict[int, Observation] = {}
        self._line: dict[bytes, Observation] = {}  # the positions of the game that is being played
        self._line_hashes: dict[int, Observation] = {}
        self._nodes_left = ALL_ENDGAME_NODES
        self._by_ply: dict[int, list[RulesPosition]] = {}
        self._comparisons = {"game": 0, "endgame": 0, "neighbours": 0}
        self._matters: dict[str, bool] = {}
        self.idle_fields = ""  # a note on fields that keep equal positions apart, perhaps for nothing

    # -- one position ------------------------------------------------------------------------------------------------
    def observe(self, position: RulesPosition) -> Observation:
        """Asks every rule about a position, the list of moves twice."""
        referee = self.referee
        self.positions += 1
        key = referee.position_hash(position) if self.hashes else 0
        if referee.is_over(position):
            return Observation(position, True, 0, [], key, 0, 0, referee.outcome(position))
        player = referee.to_play(position)
        lower, upper = referee.bounds(position)
        legal = referee.moves(position)
        if referee.moves(position) != legal:
            what = "moves lists other moves when asked again; it may use nothing but the state"
            self.found(Fault("not-repeatable", what, position, place_of(referee.game, rules.moves)))
        return Observation(position, False, player, legal, key, lower, upper, 0, referee.evaluate(position))

    def compare(self, observation: Observation) -> None:
        """Compares a position of a random game with those seen before."""
        if not observation.position.played:
            self._line, self._line_hashes = {}, {}
        record = observation.position.state.tobytes()
        same = self._line.setdefault(record, observation)
        if same is not observation:
            self._repetition(same, observation, True)
        elif self.hashes and observation.hash:
            same = self._line_hashes.setdefault(observation.hash, observation)
            if same is not observation:
                self._repetition(same, observation, False)
        self._compare_hash(record, observation)
        places = self._by_ply.setdefault(len(observation.position.played), [])
        if len(places) < 50:
            places.append(observation.position)

    def _repetition(self, earlier: Observation, observation: Observation, same_record: bool) -> None:
        count = len(observation.position.played) - len(earlier.position.played)
        back = f"{count} moves before" if count > 1 else "the move before"
        if same_record:
            what = f"the position is the same as {back}: the game may never end; count the moves in the state and end it"
        else:
            what = f"position_hash is the same as {back}; a game that repeats must leave it out or hash its history"
        place = place_of(self.game, rules.position_hash if self.hashes else rules.play)
        self.found(Fault("repetition", what, observation.position, place))

    def _compare_hash(self, record: bytes, observation: Observation, where: str = "game") -> None:
        if not self.hashes:
            return
        known = self._by_record.setdefault(record, observation)
        if known.hash != observation.hash:
            what = f"position_hash differs for equal states, {_both(known, observation)}; it may use nothing but the state"
            self.found(Fault("hash-unequal", what, observation.position, self._hash_place, told=True))
            return
        if observation.hash == 0:
            return
        twin = self._by_hash.setdefault(observation.hash, observation)
        if twin.position.state.tobytes() != record:
            self.compare_of_equal_hash(twin, observation, where)

    def compare_of_equal_hash(self, twin: Observation, observation: Observation, where: str) -> None:
        """Compares the futures of two positions of one hash, as often as there is time for that."""
        if self._comparisons[where] >= MOST_COMPARISONS:
            return
        self._comparisons[where] += 1
        difference = self._hash_difference(twin, observation)
        if difference:
            what = f"position_hash is too weak: it is equal {_both(twin, observation)}, but {difference}"
            self.found(Fault("hash-weak", what, observation.position, self._hash_place, told=True))

    def _hash_difference(self, one: Observation, other: Observation) -> str:
        """How two positions of equal hash contradict it; '' if they do not.

        Mirrored positions may have equal hashes and then other moves, so positions are followed by their hashes, not by
        moves: whatever is reached from one must be reached from the other, to the end, with the same outcome.
        """
        for _ in range(CONTINUATIONS):
            a, b = one, other
            while True:
                then = _later(one.position, a.position)
                if a.over != b.over:
                    return f"only one of them is over{then}"
                if a.outcome != b.outcome:
                    return f"their outcomes are {a.outcome} and {b.outcome}{then}"
                if a.player != b.player:
                    return f"other players are to move{then}"
                if a.over:
                    break
                after_a, after_b = self._by_child_hash(a), self._by_child_hash(b)
                if set(after_a) != set(after_b):
                    return f"they do not lead to the same positions{then}"
                key = self.chance.choice(sorted(after_a))
                if key == 0 or len(a.position.played) >= self.game.max_plies:
                    break
                a, b = self.observe(after_a[key]), self.observe(after_b[key])
        return ""

    def _by_child_hash(self, observation: Observation) -> dict[int, RulesPosition]:
        children = [self.referee.play(observation.position, move) for move in observation.legal]
        return {self.referee.position_hash(child): child for child in children}

    def difference(self, one: RulesPosition, other: RulesPosition) -> str:
        """How the futures of two positions differ, found by random continuations of both; '' if they seem the same."""
        for _ in range(CONTINUATIONS):
            a, b = one, other
            while True:
                first, second = self.observe(a), self.observe(b)
                then = _later(one, a)
                if first.over != second.over:
                    return f"only one of them is over{then}"
                if first.over:
                    if first.outcome != second.outcome:
                        return f"their outcomes are {first.outcome} and {second.outcome}{then}"
                    break
                if first.player != second.player:
                    return f"other players are to move{then}"
                if set(first.legal) != set(second.legal):
                    return f"the legal moves differ{then}"
                if max(len(a.played), len(b.played)) >= self.game.max_plies:
                    break
                move = self.chance.choice(first.legal)
                a, b = self.referee.play(a, move), self.referee.play(b, move)
        return ""

    # -- after a game ------------------------------------------------------------------------------------------------
    def solve_end(self, line: list[Observation]) -> None:
        """Goes back from the end of a game by brute force, as far as it gets."""
        for observation in reversed(line):
            nodes = min(ENDGAME_NODES, self._nodes_left)
            budget = [nodes]
            try:
                self.value(observation, budget, len(observation.position.played))
            except _TooLarge:
                break
            finally:
                self._nodes_left -= nodes - max(budget[0], 0)

    def swap_moves(self, lines: list[list[Observation]], until: float) -> None:
        """Plays the moves of games in other orders until the clock says `until`: equal positions must have equal hashes."""
        if self.hashes and lines:
            for _ in range(SWAPS):
                if time.monotonic() > until:
                    break
                self._try_swap(self.chance.choice(lines))

    def value(self, observation: Observation, budget: list[int], depth: int) -> int:
        """The outcome under perfect play by plain minimax; checks the bounds of every position on the way."""
        record = observation.position.state.tobytes()
        if record in self.values:
            return self.values[record]
        budget[0] -= 1
        if budget[0] < 0 or depth > self.game.max_plies:
            raise _TooLarge
        if observation.over:
            value = observation.outcome
        else:
            children = []
            for move in observation.legal:
                child = self.observe(self.referee.play(observation.position, move))
                self._compare_hash(child.position.state.tobytes(), child, "endgame")
                children.append(self.value(child, budget, depth + 1))
            value = max(children) if observation.player == 0 else min(children)
            if observation.lower <= observation.upper and not observation.lower <= value <= observation.upper:
                what = f"bounds gives ({observation.lower}, {observation.upper}), but perfect play leads to {value}"
                self.found(Fault("bounds-wrong", what, observation.position, place_of(self.game, rules.bounds)))
        self.values[record] = value
        return value

    def _try_swap(self, line: list[Observation]) -> None:
        """Exchanges two moves of one player. Does that lead to an equal position, its hash must be equal too.

        Equal means: the states differ at most in fields that never matter. Whether a field matters is itself tried, by
        putting other positions' contents into it (see `_field_matters`).
        """
        end = line[-1].position.played
        if len(end) < 3:
            return
        first = self.chance.randrange(len(end) - 2)
        second = self.chance.randrange(first + 1, min(len(end), first + 7))
        if line[first].player != line[second].player or end[first] == end[second]:
            return
        order = list(end[: second + 1])
        order[first], order[second] = order[second], order[first]
        position = self.referee.start()
        for move in order:
            observation = self.observe(position)
            if observation.over or move not in observation.legal:
                return
            position = self.referee.play(position, move)
        reached, observation = line[second + 1], self.observe(position)
        self._compare_hash(position.state.tobytes(), observation)
        if reached.hash == observation.hash or (reached.over, reached.player, set(reached.legal)) != (
            observation.over,
            observation.player,
            set(observation.legal),
        ):
            return
        one, other = reached.position.state, position.state
        fields = [n for n in one.dtype.names if one[n].tobytes() != other[n].tobytes()]
        if any(self._field_matters(name) for name in fields):
            return
        # It may matter in positions that random games do not come to, such as a limit of moves: this is no mistake for sure.
        names = ", ".join(fields)
        self.idle_fields = (
            f"position_hash differs {_both(reached, observation)}: only {names} differs, which mattered in no position "
            "that was tried; if it never does, leave it out of the hash"
        )

    def _field_matters(self, name: str) -> bool:
        """Whether any of some random positions plays differently with another position's contents of one field.

        Positions of equal length are mixed, so that a count of moves, which may rightly end the game and be hashed, never
        looks idle. A mixed state may be nonsense: a rule that raises there shows that the field matters.
        """
        if name not in self._matters:
            matters = self._try_field(name)
            if matters is None:
                return True
            self._matters[name] = matters
        return self._matters[name]

    def _try_field(self, name: str) -> bool | None:
        """None: there were too few different positions to say."""
        groups = [places for places in self._by_ply.values() if len(places) > 1]
        quiet = PositionChecks(self.game, Referee(self.game, self.referee.watchdog), _ignore, self.chance)
        quiet.hashes = False
        tried = 0
        for _ in range(20 * FIELD_TRIALS if groups else 0):
            if tried >= FIELD_TRIALS:
                break
            one, other = self.chance.sample(self.chance.choice(groups), 2)
            if np.array_equal(one.state[name], other.state[name]):
                continue
            mixed = RulesPosition(copy_state(one.state), one.played, one.texts)
            mixed.state[name] = other.state[name]
            tried += 1
            try:
                if quiet.difference(one, mixed):
                    return True
            except Fault:
                return True
        return False if tried >= FEWEST_TRIALS else None


def _both(one: Observation, other: Observation) -> str:
    return f"{one.position.line()} and {other.position.line()}"


def _later(from_position: RulesPosition, position: RulesPosition) -> str:
    """The moves that lead from one position to another, the first few of many."""
    texts = position.texts[len(from_position.texts) :]
    return f" after {' '.join(texts[:6])}{' ...' if len(texts) > 6 else ''}" if texts else ""


def _ignore(_fault: Fault) -> None:
    pass
