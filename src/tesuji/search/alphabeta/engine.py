"""The alpha-beta search: deepening, windows at the root, and the answer. Used like `search.engine.TreeSearch`."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np

from tesuji.core.errors import GameError, UserError
from tesuji.core.game import Game, State, copy_state
from tesuji.core.parameters import Settings
from tesuji.core.random import make_rng, shuffle
from tesuji.core.rules import FIRST, is_over, outcome, play, to_play
from tesuji.search.alphabeta import frames
from tesuji.search.alphabeta.frames import INFINITE, PLY, PROVEN_SCORE
from tesuji.search.alphabeta.hooks import search_hash
from tesuji.search.alphabeta.kernel import run_slice
from tesuji.search.alphabeta.options import ALPHABETA
from tesuji.search.alphabeta.setup import make_options, make_scratch
from tesuji.search.alphabeta.table import ERAS, NOT_FOUND, find, new_table
from tesuji.search.engine.driver import Driver
from tesuji.search.engine.final_move import LONGEST_LINE, MoveReport, Result

DECIDED_CHANCE = math.atanh(0.9)  # an evaluation at its limit is a chance of 95%
UNPROVEN_MARGIN = 0.0005  # estimates stay this share of the range of outcomes away from its ends


class AlphaBeta(Driver):
    """A search of one position. It can be run repeatedly, resumes where it stopped, and moves along with the game.

    In limits and results, playouts are nodes: positions that the search has entered.
    """

    def __init__(
        self,
        game: Game,
        state: State | None = None,
        settings: Settings | None = None,
        policy: Any = None,
        seed: int = 0,
        pure: bool | None = None,
    ):
        if game.players != 2:
            raise UserError(f"{game.name} is a puzzle; alpha-beta plays games of two players")
        super().__init__(game, state, settings or ALPHABETA.settings(), policy, seed, pure)
        self.depth = 0  # plies to which the search is complete
        self.options = make_options(game, self.settings, type(self.policy))
        self.table = new_table(self.settings["memory"] if self.options.transpositions else 0.0)
        self.scratch = make_scratch(game, self.settings, seed)
        self._set_root()

    # -- running -----------------------------------------------------------------------------------------------------
    def prepare(self) -> None:
        if not self._ready:
            self._run_slices(0)
            self._ready = True

    def is_finished(self) -> bool:
        """Whether nothing is left to prove, or the maximum depth is reached."""
        return self._finished

    def is_decided(self) -> bool:
        lower, upper = self.bounds()
        return lower == upper

    def bounds(self) -> tuple[int, int]:
        """The proven bounds of the outcome, for player 0."""
        if is_over(self.state):
            return int(outcome(self.state)), int(outcome(self.state))
        best = max if self._sign > 0 else min
        root = self.scratch.root
        return best(int(record["lower"]) for record in root), best(int(record["upper"]) for record in root)

    def _run_slices(self, count: int) -> int:
        return int(self.call(run_slice, self.scratch, self.table, self.policy, self.options, count))

    def _finish_round(self) -> None:
        """The next depth, if this one is done."""
        control = self.scratch.control
        if control[frames.STATUS] == frames.STATUS_CROSSED:
            raise GameError(f"{self.game.name}: proofs contradict each other; its bounds or its hash are wrong (tesuji check)")
        if control[frames.PLY_NOW] < 0:
            self._end_depth(int(control[frames.VALUE]))

    # -- deepening -----------------------------------------------------------------------------------------------------
    def _set_root(self) -> None:
        """Begins afresh at the present position; the table stays."""
        legal = np.array(self.game.legal_moves(self.state), np.int32)
        with np.errstate(over="ignore"):
            shuffle(legal, len(legal), make_rng(self.seed))  # so that of equal moves any may be chosen
        root = np.zeros(len(legal), frames.ROOT_MOVE)
        root["move"] = legal
        root["rank"] = np.arange(len(legal))
        root["lower"], root["upper"] = self.game.outcomes
        self.scratch = self.scratch._replace(root=root)
        self.scratch.states[0] = self.state
        self.scratch.killers[:] = frames.NO_MOVE
        self.scratch.history[:] //= 2
        self.depth = 0
        self._sign = 1 if is_over(self.state) or int(to_play(self.state)) == FIRST else -1
        self._finished = False
        self.options = self.options._replace(thorough=False)
        era = (int(self.scratch.control[frames.ERA]) + 1) % ERAS
        if era == 0:  # numbers begin again: no entry may take this root for an old one
            self.table[:] = 0
        self.scratch.control[:] = 0
        self.scratch.control[frames.ERA] = era
        self._begin_depth(1, -INFINITE, INFINITE)

    def _begin_depth(self, depth: int, alpha: int, beta: int) -> None:
        """Sets up the root's frame for a search of so many plies within a window for player 0."""
        for rank, index in enumerate(self._ranked()):
            self.scratch.root[index]["rank"] = rank
        self._aim, self._window = depth, (alpha, beta)
        frame = self.scratch.frames[0]
        frame["alpha"], frame["beta"], frame["depth"] = alpha, beta, depth * PLY
        frame["phase"], frame["quiet_left"] = frames.ENTER, self.options.quiescence
        frame["wide"], frame["may_skip"], frame["null_parity"], frame["noisy"] = True, False, False, False
        control = self.scratch.control
        control[frames.PLY_NOW] = control[frames.RETURNING] = 0

    def _end_depth(self, value: int) -> None:
        """The root has a value: search it again if it lies outside the window, else one ply deeper."""
        alpha, beta = self._window
        decided = self.is_decided()
        if not decided and value <= alpha > -INFINITE:
            self._begin_depth(self._aim, -INFINITE, beta)
        elif not decided and value >= beta < INFINITE:
            self._begin_depth(self._aim, alpha, INFINITE)
        else:
            self.depth = self._aim
            limit = self.settings["depth"] or self.game.max_plies + 1
            self._finished = decided or self.depth >= limit
            if not self._finished:
                if self.depth >= self.game.max_plies:
                    self.options = self.options._replace(thorough=True)
                reach = round(self.settings["aspiration"] * self.settings["grain"])
                narrow = reach > 0 and self.depth > 1 and abs(value) < PROVEN_SCORE
                window = (value - reach, value + reach) if narrow else (-INFINITE, INFINITE)
                self._begin_depth(self.depth + 1, *window)

    # -- moving along with the game --------------------------------------------------------------------------------
    def advance(self, move: int) -> None:
        """Plays a move at the root; the table is kept unless `reuse_table` is off."""
        self._play(move)
        if not self.settings["reuse_table"]:
            self.table[:] = 0
        self._set_root()

    # -- results -----------------------------------------------------------------------------------------------------
    def result(self, with_moves: bool = True) -> Result:
        """The values of all moves but the best are upper limits."""
        lower, upper = self.bounds()
        ranked = [self.scratch.root[index] for index in self._ranked()]
        low, high = self.game.outcomes
        value = min(max(self._value_of(ranked[0]) if ranked else (low + high) / 2, lower), upper)
        return Result(
            to_move=int(to_play(self.state)),
            playouts=self.playouts,
            nodes=self.playouts,
            seconds=self.seconds,
            cpu=self.cpu,
            best_move=int(ranked[0]["move"]) if ranked else None,
            value=value,
            lower=lower,
            upper=upper,
            proven=lower == upper,
            interrupted=self._interrupted,
            moves=[self._report(record) for record in ranked] if with_moves else [],
            value_range=(low, high),
            best_value=value,
        )

    def line(self) -> list[int]:
        """The principal variation, as far as the last complete part of the search reaches."""
        return [int(move) for move in self.scratch.line[: self.scratch.control[frames.LINE_LENGTH]]]

    def tree_hash(self) -> str:
        """A digest of all results of the search."""
        parts = (self.table, self.scratch.root, self.scratch.control, np.array(self.line(), np.int32))
        return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()

    def _report(self, record: Any) -> MoveReport:
        lower, upper, move = int(record["lower"]), int(record["upper"]), int(record["move"])
        line = self.line()
        return MoveReport(
            move=move,
            visits=int(record["nodes"]),
            value=min(max(self._value_of(record), lower), upper),
            prior=0.0,
            rave=None,
            lower=lower,
            upper=upper,
            pv=self._continued(line if line[:1] == [move] else [move]),
        )

    def _value_of(self, record: Any) -> float:
        """The value of one of the root's moves. Unproven, it stays a little within the range of outcomes.

        The table may still hold a proof from another history of the game, which is only an estimate here.
        """
        low, high = self.game.outcomes
        if not record["depth"]:
            return (low + high) / 2
        value = self._as_value(int(record["value"]))
        if record["lower"] == record["upper"]:
            return value
        margin = UNPROVEN_MARGIN * (high - low)
        return min(max(value, low + margin), high - margin)

    def _as_value(self, score: int) -> float:
        """A score in units of the outcome: proven ones as they are, evaluations by the chance of winning that they mean."""
        low, high = self.game.outcomes
        break_even = self.options.twice_break_even / 2
        if abs(score) >= PROVEN_SCORE:
            return (score - math.copysign(PROVEN_SCORE, score)) / 2 + break_even
        share = math.tanh(DECIDED_CHANCE * score / (self.settings["grain"] * self.settings["evaluation_limit"]))
        return break_even + share * (high - break_even if share > 0 else break_even - low)

    def _ranked(self) -> list[int]:
        """The root's moves by their places in the record, best first. Proven results come before estimates."""
        sign, root, line = self._sign, self.scratch.root, self.line()
        lows = [int(record["lower"]) if sign > 0 else -int(record["upper"]) for record in root]
        highs = [int(record["upper"]) if sign > 0 else -int(record["lower"]) for record in root]
        break_even = sign * self.options.twice_break_even / 2
        secured = max(lows, default=0)
        all_lost = max(highs, default=0) < break_even

        def key(index: int) -> tuple[float, ...]:
            record = root[index]
            leads = line[:1] == [int(record["move"])]
            tried = (leads, int(record["depth"]), sign * int(record["value"]), -int(record["rank"]))
            if all_lost:  # the loss that was hardest to find
                return (highs[index], int(record["since"]), *tried)
            wins = lows[index] == secured > break_even
            hopeless = highs[index] < break_even or (highs[index] <= secured and lows[index] < secured)
            return (not hopeless, wins, *tried)

        return sorted(range(len(root)), key=key, reverse=True)

    def _continued(self, line: list[int]) -> list[int]:
        """A line extended by the moves of the table."""
        state = copy_state(self.state)
        line = list(line)
        with np.errstate(over="ignore"):
            for move in line:
                play(state, move)
            while len(line) < LONGEST_LINE and self.options.transpositions and not is_over(state):
                at = int(find(self.table, np.uint64(search_hash(self.policy, state))))
                move = frames.NO_MOVE if at == NOT_FOUND else int(self.table[at]["move"])
                if move not in self.game.legal_moves(state):
                    break
                line.append(move)
                play(state, move)
        return line
