"""The tree search: its tree and threads, slices of simulations, the arena between them, and what is known in the end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.core.compiler import compile_errors_explained, compiled
from tesuji.core.errors import GameError, UserError
from tesuji.core.game import Game, State
from tesuji.core.parameters import Settings
from tesuji.core.rules import FIRST, is_over, outcome, play, to_play
from tesuji.search import answer
from tesuji.search.answer import MoveReport, Result
from tesuji.search.driver import FIRST_SLICE, Driver
from tesuji.search.options import SEARCH, SOLVER_BOUNDS
from tesuji.search.setup import make_options, make_rule, make_scratch
from tesuji.search.simulate import run_slice
from tesuji.search.table import copy_entries, new_table
from tesuji.search.tree import (
    KNOWN,
    KNOWN_LIMIT,
    MOST_VISITS,
    ROOT,
    STATUS,
    STATUS_CROSSED,
    STATUS_ENDLESS,
    STATUS_FINE,
    STATUS_FULL,
    USED,
    compact,
    halve,
    largest_table,
    new_tree,
    reset_root,
    set_table_limit,
    tree_hash,
)

__all__ = ["MoveReport", "Result", "Search"]

STUCK_SECONDS = 120


class Search(Driver):
    """A search of one position. It can be run again and again, saved and loaded, and moved along with the game."""

    def __init__(
        self,
        game: Game,
        state: State | None = None,
        settings: Settings | None = None,
        policy: Any = None,
        seed: int = 0,
        pure: bool | None = None,
    ):
        super().__init__(game, state, settings or SEARCH.settings(), policy, seed, pure)
        self.was_full = False
        lowest, highest = game.outcomes
        self.options = make_options(game, self.settings, type(self.policy))
        self.rule = make_rule(game, self.settings)
        self._middle = self.options.middle if game.players == 2 else None
        self.tree = new_tree(
            self.settings["memory"],
            game.buffer_size,
            self.settings["rave"],
            self.settings["selection"] == "gaussian",
            bool(self.options.estimates),
            bool(self.options.transpositions),
            lowest,
            highest,
        )
        self.threads = self.settings["threads"]
        self.scratches = [make_scratch(game, seed, thread) for thread in range(self.threads)]

    # -- running -----------------------------------------------------------------------------------------------------
    def prepare(self) -> None:
        """Compiles what is needed, or loads it from the cache, before any clock runs."""
        if not self._ready:
            self._call_slice(0, 0)
            if int(self.tree.counters[USED]) == 1:  # a tree of one node stays as it is; moving along needs this later
                self._compact(ROOT, 0, False)
            self._ready = True

    def is_decided(self) -> bool:
        """Whether the solver has nothing left to prove at the root."""
        root = self.tree.nodes[ROOT]
        lower, upper = int(root["lower"]), int(root["upper"])
        if self.options.solver == 0:
            return False
        if lower == upper:
            return True
        return self.options.solver != SOLVER_BOUNDS and (lower > self.options.middle or upper < self.options.middle)

    def is_finished(self) -> bool:
        return self.is_decided()

    def _is_settled(self, seconds: float, elapsed: float) -> bool:
        """Whether the time left, at the speed so far, is too short for another move to become the most visited.

        Only a time limit is cut short: a search with a limit of playouts makes just these, so that it can be repeated.
        """
        if not self.settings["stop_early"]:
            return False
        left = (self.playouts - self._at_start) / max(elapsed, 1e-3) * (seconds - elapsed)
        visits = sorted((int(self.tree.nodes[child]["visits"]) for child in answer.children_of(self.tree, ROOT)), reverse=True)
        return len(visits) > 1 and visits[0] - visits[1] > left

    def _run_slices(self, count: int) -> int:
        return self._call_slice(0, count) if self.pure else self._run_threads(count)

    def _look_after(self) -> None:
        """Looks after the arena and the table."""
        status = int(self.tree.counters[STATUS])
        if status == STATUS_ENDLESS:
            raise GameError(f"a game of {self.game.name} did not end within {self.game.max_plies} moves, its max_plies")
        if status == STATUS_CROSSED:
            raise GameError(f"{self.game.name}: proofs contradict each other; its bounds or its hash are wrong (tesuji check)")
        if status == STATUS_FULL:
            self._make_room()
        if self.tree.counters[KNOWN] > self.tree.counters[KNOWN_LIMIT]:
            self._enlarge_table()
        if self.tree.nodes[ROOT]["visits"] > MOST_VISITS:
            (halve if self.pure else compiled(halve))(self.tree)

    def _run_threads(self, count: int) -> int:
        """`count` simulations by all threads. They take them in small parts, so that none waits long for the others."""
        threads = len(self.scratches)
        part = count if threads == 1 else max(FIRST_SLICE, count // (8 * threads))
        left, done = count, 0
        lock = threading.Lock()
        failures: list[BaseException] = []

        def work(thread: int) -> None:
            nonlocal left, done
            while True:
                with lock:
                    mine = min(part, left)
                    left -= mine
                if mine == 0:
                    return
                try:
                    run = self._call_slice(thread, mine)
                except BaseException as error:
                    failures.append(error)
                    return
                with lock:
                    done += run
                    if run < mine:  # proven, or the arena is full
                        left = 0

        workers = [threading.Thread(target=work, args=(t,), daemon=True) for t in range(threads)]
        for worker in workers:
            worker.start()
        waited = 0
        for worker in workers:
            while worker.is_alive():
                worker.join(1.0)  # counted, not timed: a process that was suspended has not waited
                waited += 1
                if waited > STUCK_SECONDS:
                    raise GameError(f"{self.game.name} does not return from a move; is there an endless loop in its rules?")
        if failures:
            raise failures[0]
        return done

    def _call_slice(self, thread: int, count: int) -> int:
        kernel = run_slice if self.pure else compiled(run_slice)
        arguments = (self.tree, self.state, self.scratches[thread], self.policy, self.rule, self.options, count)
        if self.pure:
            with np.errstate(over="ignore"):
                return int(kernel(*arguments))
        with compile_errors_explained(self.game.name):
            return int(kernel(*arguments))

    def _make_room(self) -> None:
        """The arena is full: drops what lies below proven nodes, then below nodes of ever more visits, until a half is free."""
        self.was_full = True
        capacity = len(self.tree.nodes)
        min_visits = 0
        while True:
            self._compact(ROOT, min_visits, True)
            if int(self.tree.counters[USED]) <= max(capacity // 2, 1 + self.game.buffer_size) or min_visits > 1 << 30:
                return
            min_visits = max(2, 2 * min_visits)

    def _enlarge_table(self) -> None:
        """Four times as many entries for known positions. It starts small, because a large table is slow to touch."""
        memory = self.settings["memory"]
        table = new_table(min(2 * len(self.tree.table), largest_table(memory)))
        kernel = copy_entries if self.pure else compiled(copy_entries)
        with np.errstate(over="ignore"):
            known = kernel(self.tree.table, table)
        self.tree = self.tree._replace(table=table)
        self.tree.counters[KNOWN] = known
        self.tree.counters[STATUS] = STATUS_FINE
        set_table_limit(self.tree, memory)

    def _compact(self, new_root: int, min_visits: int, drop_proven: bool) -> None:
        scratch = np.zeros(int(self.tree.counters[USED]), np.int32)
        kernel = compact if self.pure else compiled(compact)
        kernel(self.tree, new_root, min_visits, drop_proven, scratch)

    # -- the game goes on ----------------------------------------------------------------------------------------------
    def advance(self, move: int) -> None:
        """Plays a move at the root and keeps the part of the tree below it (unless `reuse_tree` is off)."""
        if move not in self.game.legal_moves(self.state):
            raise UserError(f"{move} is not a legal move")
        play(self.state, move)
        self.playouts = 0
        self.seconds = 0.0
        for child in answer.children_of(self.tree, ROOT):
            if int(self.tree.nodes[child]["move"]) == move and self.settings["reuse_tree"]:
                self._compact(child, 0, False)
                self._rest_on_moves()
                return
        reset_root(self.tree, *self.game.outcomes)

    def _rest_on_moves(self) -> None:
        """Takes the root's bounds from its moves alone: what it had from equal positions or the rules names no move."""
        root = self.tree.nodes[ROOT]
        children = [self.tree.nodes[child] for child in answer.children_of(self.tree, ROOT)]
        best = max if int(root["to_play"]) == FIRST else min
        lowest, highest = self.game.outcomes
        root["lower"] = best((int(child["lower"]) for child in children), default=lowest)
        root["upper"] = best((int(child["upper"]) for child in children), default=highest)

    # -- results -----------------------------------------------------------------------------------------------------
    def result(self, with_moves: bool = True) -> Result:
        """What the search knows now."""
        root = self.tree.nodes[ROOT]
        lower, upper = int(root["lower"]), int(root["upper"])
        if is_over(self.state):
            lower = upper = int(outcome(self.state))
        value = answer.node_value(self.tree, ROOT, self.settings, self._middle)
        least, most = (answer.as_value(bound, self.settings, self._middle) for bound in (lower, upper))
        value = min(max(value, least), most)
        low, high = self.game.outcomes
        reports = answer.report_moves(self.tree, self.settings, high - low, self._middle) if with_moves else []
        best: int | None = None
        best_value = value
        if reports:
            best, best_value = reports[0].move, reports[0].value
        elif not is_over(self.state):
            ranked = answer.ranked_children(self.tree, ROOT, self.settings, high - low, self._middle)
            best = int(self.tree.nodes[ranked[0]]["move"]) if ranked else self.game.legal_moves(self.state)[0]
            if ranked:
                best_value = answer.node_value(self.tree, ranked[0], self.settings, self._middle)
        return Result(
            to_move=int(to_play(self.state)),
            playouts=self.playouts,
            nodes=answer.node_count(self.tree),
            seconds=self.seconds,
            best_move=best,
            value=value,
            lower=lower,
            upper=upper,
            proven=lower == upper or self.is_decided(),
            interrupted=self._interrupted.is_set(),
            full=self.was_full,
            moves=reports,
            value_range=(self.options.least / self.options.unit, self.options.most / self.options.unit),
            best_value=best_value,
        )

    def tree_hash(self) -> str:
        """A digest of the whole tree."""
        return tree_hash(self.tree)

    def save(self, path: str | Path) -> None:
        """Writes the search to a file from which it can go on."""
        from tesuji.search.saved import save_search

        save_search(self, Path(path))

    @staticmethod
    def load(path: str | Path, policy_for: Callable[[Game, Settings], Any] | None = None) -> Search:
        """A search from a file, exactly as it was; `policy_for` finds the policy that its settings name."""
        from tesuji.search.saved import load_search

        return load_search(Path(path), policy_for)
