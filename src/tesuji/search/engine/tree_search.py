"""The tree search: its tree and threads, the slices of simulations, the upkeep of the arena between them, and the result."""

from __future__ import annotations

import contextlib
import heapq
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tesuji.core.errors import GameError, UserError
from tesuji.core.game import Game, State, copy_state
from tesuji.core.parameters import Settings
from tesuji.core.rules import FIRST, is_over, outcome, play, to_play
from tesuji.core.sources import described, is_of_package
from tesuji.core.symmetry import is_symmetric
from tesuji.search.engine import final_move
from tesuji.search.engine.driver import FIRST_SLICE, UNLIMITED, Driver
from tesuji.search.engine.evaluator import Abandoned, Evaluation
from tesuji.search.engine.final_move import MoveReport, Result
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.setup import make_end, make_options, make_rule, make_scratch
from tesuji.search.engine.thread_pool import ThreadPool
from tesuji.search.engine.time_budget import TimeBudget
from tesuji.search.engine.trial import after, check_fields, illegal_text, place_of, try_out, watch
from tesuji.search.files.origin import Origin
from tesuji.search.kernel.bounds import bounds_of_children, is_decided, is_open
from tesuji.search.kernel.leaves import COLLISIONS, WAITING, give_up
from tesuji.search.kernel.loop import run_slice
from tesuji.search.kernel.playouts import LAST_PLY, is_allowed
from tesuji.search.kernel.scale import value_of, value_range
from tesuji.search.kernel.table import copy_entries, new_table
from tesuji.search.kernel.tree import (
    ALL_PRUNED,
    BAD_EVALUATION,
    BAD_STUDY,
    CROSSED,
    ENDLESS,
    FINE,
    FULL,
    ILLEGAL,
    MEMO_LIMIT,
    MOST_VISITS,
    NO_NUMBER,
    NODE,
    NODE_BITS,
    PRESEARCHED,
    REPLACED,
    REPLACEMENTS,
    ROOT,
    STATUS,
    TABLE_ENTRIES,
    TABLE_FULL,
    TABLE_LIMIT,
    USED,
    Tree,
    compact,
    compact_expectations,
    compact_positions,
    copy_memo_entries,
    halve,
    largest_memo,
    largest_table,
    new_tree,
    reset_root,
    set_memo_limit,
    set_table_limit,
    tree_hash,
)
from tesuji.search.playouts.interface import Chooser
from tesuji.search.playouts.memory import fade
from tesuji.search.policy import declines, evaluation_function
from tesuji.search.selection.interface import spec_of
from tesuji.search.selection.registry import RULES

__all__ = ["MoveReport", "Result", "TreeSearch"]

STUCK_SECONDS = 120
HUNG_SECONDS = 1  # after a request to stop, for an evaluator's answer
COLLISION_SECONDS = 0.0005
LEAST_USED = 1e-6  # share of the time; a smaller one says nothing of the speed
OVERTAKING = 0.4  # a move in doubt may be overtaken if the second best had this part of the playouts left more than the best
MOVES_AT_ONCE = 16  # moves of the root that a presearch studies between two checks of the clock


class TreeSearch(Driver):
    """A search of one position. It can be run again and again, saved and loaded, and moved along with the game.

    `rule` is the class of the selection rule; None = the one that the settings name. `evaluation` is what the
    policy asks, if it asks an evaluator outside of the search.
    """

    def __init__(
        self,
        game: Game,
        state: State | None = None,
        settings: Settings | None = None,
        policy: Any = None,
        seed: int = 0,
        pure: bool | None = None,
        rule: type | None = None,
        evaluation: Evaluation | None = None,
    ):
        super().__init__(game, state, settings or SEARCH.settings(), policy, seed, pure)
        self.origin = Origin()  # how the position came about, as far as is known: what a saved search needs
        self.was_full = False
        self._pool: ThreadPool | None = None  # while a compiled search runs
        self.bounds_left_out = 0  # when loaded: bounds in the file that do not follow from the tree
        self._symmetry_checked_at = b""  # the root for which `options.proof.symmetry` was last set
        if not is_of_package(type(self.policy)):
            watch(type(self.policy))
        kind = rule or RULES[self.settings["selection"]]
        self.rule = make_rule(game, self.settings, kind)
        self._end_share, self._rule_of_end = make_end(game, self.settings, kind)
        self.evaluation = evaluation
        self._evaluation_error: UserError | None = None  # of the round under way
        self._evaluator_hangs = False  # in this round: who meets nothing but leaves that wait need not go on
        self.options = make_options(game, self.settings, self.policy, self.rule, evaluation is not None)
        self._proof_settings = self.options.proof  # as the settings have them; in `options`, symmetry depends on the root
        self._users_parts = [part for part in (self.rule, self.policy) if not is_of_package(type(part))]
        for part in self._users_parts:
            check_fields(part)
        self.tree = self._new_tree()
        self.threads = self.settings["threads"]
        self.scratches = [
            make_scratch(game, self.policy, kind, self.options, seed, thread, evaluation) for thread in range(self.threads)
        ]
        self._policies = [self.policy] * self.threads
        if evaluation is not None:
            self._policies = [evaluation.policy_of(self.policy, thread) for thread in range(self.threads)]

    def _new_tree(self) -> Tree:
        memory, spec, options = self.settings["memory"], spec_of(type(self.rule)), self.options
        kept = options.value_share > 0.0, options.studies
        tree = new_tree(memory, self.game.buffer_size, spec.statistics.record, spec.memo, self.table_share, *kept, self.state)
        reset_root(tree, self.rule, *self.game.outcomes)
        return tree

    @property
    def table_share(self) -> float:
        """The part of the memory that the transposition table may take; 0 = there is none."""
        return float(self.settings["table_share"]) if self._proof_settings.transpositions else 0.0

    @property
    def most_entries(self) -> int:
        """How many entries the memory allows the transposition table."""
        return largest_table(self.settings["memory"], self.table_share)

    @property
    def most_memos(self) -> int:
        """How many positions the memory allows the selection rule to keep something of."""
        return largest_memo(self.settings["memory"], self.tree.memo.dtype, self.table_share)

    # -- running -----------------------------------------------------------------------------------------------------
    def prepare(self) -> None:
        if self._ready:
            return
        if self._users_parts:
            try_out(self.game, self.state, self.policy, self.rule)
        if not self.pure:
            nodes, statistics = np.zeros(1, NODE), np.zeros(1, self.tree.statistics.dtype)
            self.call(compact, nodes, statistics, 1, ROOT, 0, False, np.zeros(1, np.int32))
            self.call(halve, self.rule, nodes, statistics, 1)
            self.call(copy_entries, new_table(4), new_table(4))
            if len(self.tree.memo) > 1:
                self.call(copy_memo_entries, self.rule, self.tree.memo[:4].copy(), self.tree.memo[:4].copy())
        self._call_slice(0, 0)
        self._ready = True

    def widen_root(self, amount: float) -> float:
        before = self.options.root_widening
        self.options = self.options._replace(root_widening=float(amount))
        return before

    def set_root_goals(self, goals: Mapping[int, int]) -> None:
        """Moves of the root that the next runs visit so often before the selection rule chooses; none = it always chooses."""
        self.options = self.options._replace(has_root_goals=bool(goals))
        if goals:  # untried moves may come before them
            self.options = self.options._replace(root_in_order=False)
        for scratch in self.scratches:
            scratch.root_goals[:] = 0
            for move, visits in goals.items():
                scratch.root_goals[move] = visits

    def set_root_priors(self, priors: Mapping[int, float]) -> None:
        """Puts these priors in place of the policy's for moves of the root, which must have its children already."""
        self.options = self.options._replace(root_in_order=False)
        for child in final_move.children_of(self.tree, ROOT):
            node = self.tree.nodes[child]
            node["prior"] = priors.get(int(node["move"]), float(node["prior"]))

    def bar(self, depths: Mapping[tuple[int, int], int]) -> None:
        """Leaves moves out of the tree: each (player, move) at nodes less deep than its number; the root has depth 0.

        To be called before the first run. What the search proves is then true of the moves that are left: bounds that hold for
        all moves, or for a position at another depth, are not used.
        """
        for scratch in self.scratches:
            for (player, move), depth in depths.items():
                scratch.barred[player, move] = depth
        below_root = max(depths.values(), default=0) > 1
        proof = self.options.proof
        proof = proof._replace(transpositions=False, initial_bounds=proof.initial_bounds and not below_root)
        # Ratings and studies may prune a move because of one that is barred.
        self.options = self.options._replace(bars=True, prunes=False, studies=False, proof=proof)

    def is_decided(self) -> bool:
        return bool(is_decided(self.tree.nodes[ROOT], self.options))

    def _can_stop_early(self, used: float) -> bool:
        """Whether the time left, at the speed so far, is too short for another move to become the most visited.

        Only a time limit is cut short: a search with a limit of playouts makes just these, so that it can be repeated.
        """
        if not self.answer.stop_early:
            return False
        if self.tree.nodes[ROOT]["child_count"] == 1:  # nothing to choose; but whether to resign is still asked
            return self.playouts >= final_move.RESIGN_PLAYOUTS
        first_two = self._most_visited()
        return len(first_two) > 1 and self._lead(first_two) > self._playouts_left(used)

    def _is_in_doubt(self, used: float) -> bool:
        """Whether the second most visited move is better than the first, or may overtake it by a part of the time left."""
        first_two = self._most_visited()
        if len(first_two) < 2:
            return False
        sign = 1 if int(to_play(self.state)) == FIRST else -1
        first, second = (sign * final_move.node_value(self, child) for child in first_two)
        return second > first or self._lead(first_two) < OVERTAKING * self._playouts_left(used)

    def _most_visited(self) -> list[int]:
        """The two moves of the root with the most visits, of those that may still be played; fewer if there are."""
        root, maximises = self.tree.nodes[ROOT], int(to_play(self.state)) == FIRST
        nodes, children = self.tree.nodes, final_move.children_of(self.tree, ROOT)
        still_open = [child for child in children if is_open(nodes[child], root, maximises, self.options)]
        return heapq.nlargest(2, still_open, key=lambda child: int(nodes[child]["visits"]))

    def _lead(self, first_two: list[int]) -> int:
        first, second = (int(self.tree.nodes[child]["visits"]) for child in first_two)
        return first - second

    def _playouts_left(self, used: float) -> float:
        """How many playouts the rest of the time is enough for, at the speed so far."""
        return (self.playouts - self._at_start) / max(used, LEAST_USED) * (1.0 - used)

    def _search_within(self, goal: int, budget: TimeBudget, on_progress: Callable[[Result], None] | None) -> None:
        """In its last part, a search may have other constants of its selection rule."""
        rule, share = self.rule, 1.0 - self._end_share
        if self._rule_of_end is not None:
            early = goal if goal == UNLIMITED else self.playouts + round((goal - self.playouts) * share)
            if share > 0.0:
                self._search(early, budget, share, on_progress, lambda used: self._can_stop_early(used * share))
            self.rule = self._rule_of_end
        try:
            super()._search_within(goal, budget, on_progress)
        finally:
            self.rule = rule

    def _is_unstable(self) -> bool:
        """Whether the most visited move is not the one of the best value (Huang et al. 2013, section 4.1)."""
        children = [child for child in final_move.children_of(self.tree, ROOT) if not final_move.is_pruned(self.tree, child)]
        sign = 1 if int(to_play(self.state)) == FIRST else -1
        visits = {child: int(self.tree.nodes[child]["visits"]) for child in children}
        values = {child: sign * final_move.node_value(self, child) for child in children if visits[child]}
        leader = max(children, key=lambda child: (visits[child], values.get(child, 0.0)), default=-1)
        return len(values) > 1 and values[leader] < max(values.values())

    def _presearch(self, budget: TimeBudget) -> None:
        """Lets the policy study the root and then its moves, within the share of the time that `presearch` gives them.

        A move that is proven to win ends the search before it begins; those that are proven to lose are left alone.
        """
        share = float(self.settings.get("presearch", 0.0))
        if share == 0.0 or not self.options.studies:
            return
        self._check_symmetry()
        at_once = 1 if budget.is_timed else MOVES_AT_ONCE
        studied = -1
        while at_once > 0 and not self._interrupted and not self.is_decided():
            studied_before, used_before = studied, budget.used()
            self.options = self.options._replace(root_moves=at_once)
            try:
                self.simulate_once()
            finally:
                self.options = self.options._replace(root_moves=0)
            self._finish_round()
            flags = self.tree.nodes["flags"][final_move.children_of(self.tree, ROOT)]
            studied = int(np.count_nonzero(flags & PRESEARCHED))
            if studied == studied_before or len(flags) == 0:
                return
            if budget.is_timed:
                used = budget.used()
                at_once = min(MOVES_AT_ONCE, int((share - used) / max((used - used_before) / at_once, LEAST_USED)))

    @contextlib.contextmanager
    def _running_threads(self) -> Iterator[None]:
        if self.pure and self.evaluation is None:
            yield
            return
        pool = self._pool = ThreadPool(1 if self.pure else self.threads)
        try:
            yield
        finally:
            self._pool = None
            pool.close()

    def _run_slices(self, count: int) -> int:
        self._check_symmetry()
        return self._call_slice(0, count) if self._pool is None else self._run_threads(count)

    def _check_symmetry(self) -> None:
        """Looks positions up by symmetry only if the root is symmetric: below other roots it hardly ever helps, and takes time.

        The table keeps what was entered under the other kind of key: a position that is its own least image has the same.
        """
        root = self.state.tobytes()
        if root != self._symmetry_checked_at and self._proof_settings.symmetry:
            with np.errstate(over="ignore"):
                symmetric = is_symmetric(self.state)
            self.options = self.options._replace(proof=self.options.proof._replace(symmetry=symmetric))
        self._symmetry_checked_at = root

    def _finish_round(self) -> None:
        """Raises errors of the evaluator, the game or policy; makes room in the arena and the table."""
        error, self._evaluation_error = self._evaluation_error, None
        if error is not None:
            raise error
        status, node = divmod(int(self.tree.counters[STATUS]), 1 << NODE_BITS)
        if status > FULL:
            raise self._fault(status, node)
        if status == FULL:
            self._make_room()
        wants_memo = self.tree.counters[USED] > self.tree.counters[MEMO_LIMIT]
        wants_table = self.tree.counters[TABLE_ENTRIES] > self.tree.counters[TABLE_LIMIT]
        if wants_table or (status == TABLE_FULL and not wants_memo):
            self._enlarge_table()
        if wants_memo:
            self._enlarge_memo()
        if self.tree.nodes[ROOT]["visits"] > MOST_VISITS:
            self.call(halve, self.rule, self.tree.nodes, self.tree.statistics, int(self.tree.counters[USED]))

    def _fault(self, status: int, node: int) -> GameError:
        """The error for what the game, the policy or the rule did wrong, and where."""
        game, policy = self.game.name, f"the policy {described(type(self.policy))}"
        place = self._place_of(node)
        illegal = self._illegal_move() if status in (ENDLESS, ILLEGAL) else ""
        if illegal:
            return GameError(illegal)
        if status == ENDLESS:
            return GameError(f"a game of {game} did not end within {self.game.max_plies} moves, its max_plies")
        if status == BAD_EVALUATION:
            source = place_of(evaluation_function(self.policy, self.game))
            return GameError(f"evaluate gives nan in {place}, or in a playout from there ({source})")
        if status == NO_NUMBER:
            return GameError(f"the selection rule {described(type(self.rule))} gives no child of {place} a number")
        if status == ALL_PRUNED:
            return GameError(f"{policy} prunes every move of {place}")
        if status == BAD_STUDY:
            return GameError(f"{policy} studied {place} and left no legal move, though the bounds decide nothing")
        assert status == CROSSED
        may_prune = self.options.studies or (self.options.prunes and self.options.rates)
        blamed = f"{policy}, its bounds or its hash are" if may_prune else "its bounds or its hash are"
        return GameError(f"{place}: proofs contradict each other; {blamed} wrong (tesuji check)")

    def _illegal_move(self) -> str:
        """Describes the illegal move that a user's policy made in a playout; '' if there is none."""
        text = ""
        if is_allowed.is_implemented(type(self.policy)):  # then the moves are kept
            for scratch in self.scratches:
                moves = [int(move) for move in scratch.history[: scratch.checks[LAST_PLY] + 1]]
                text = text or illegal_text(self.game, self.policy, self.state, moves)
        return text

    def _place_of(self, node: int) -> str:
        """The position of a node, for a message: the game and the moves that lead there."""
        moves = []
        while node > ROOT:
            moves.append(int(self.tree.nodes[node]["move"]))
            node = int(self.tree.nodes[node]["parent"])
        state, texts = copy_state(self.state), []
        for move in reversed(moves):
            texts.append(self.game.text(state, move))
            play(state, move)
        return after(self.game, texts)

    def _run_threads(self, count: int) -> int:
        """Makes `count` simulations by the pool. Its threads take small parts, so that none waits long for the others."""
        pool = self._pool
        assert pool is not None, "no run is under way"
        threads = 1 if self.pure else len(self.scratches)
        part = count if threads == 1 else max(FIRST_SLICE, count // (8 * threads))
        left, done = count, 0
        lock = threading.Lock()
        failures: list[BaseException] = []

        def work(thread: int) -> None:
            began = time.thread_time()
            try:
                search(thread)
            finally:
                with lock:
                    self._cpu_of_threads += time.thread_time() - began

        def search(thread: int) -> None:
            nonlocal left, done
            while True:
                with lock:
                    mine = min(part, left)
                    left -= mine
                if mine == 0:
                    return
                try:
                    run = self._simulate(thread, mine, max(mine, self._left) if threads == 1 else mine)
                except BaseException as error:
                    failures.append(error)
                    return
                with lock:
                    done += run
                    if run < mine:  # proven, or the arena is full
                        left = 0

        waited, calls, before = 0, -1, int(self.tree.nodes[ROOT]["visits"])
        interrupt: KeyboardInterrupt | None = None
        self._evaluator_hangs = False
        pool.begin(work)
        while pool.is_busy:
            try:
                waited += not pool.wait()  # counted, not timed: a process that was suspended has not waited
            except KeyboardInterrupt as error:  # the caller's to handle, once nobody works on the tree any more
                if interrupt is not None:
                    raise
                interrupt, left = error, 0
            if self.evaluation is not None:
                if self.evaluation.calls != calls:
                    waited, calls = 0, self.evaluation.calls
                stopping = interrupt is not None or self._interrupted
                self._evaluator_hangs = waited > (HUNG_SECONDS if stopping else STUCK_SECONDS)
                if self._evaluator_hangs and self._abandon(self.evaluation, pool.busy):
                    done = int(self.tree.nodes[ROOT]["visits"]) - before
                    if not stopping or self.playouts + done == self._at_start:
                        self._evaluation_error = self.evaluation.no_answer(waited)
                    break
            if waited > STUCK_SECONDS + HUNG_SECONDS:  # by then threads that only met leaves of a hanging evaluator have ended
                raise GameError(f"{self.game.name} does not return from a move; is there an endless loop in its rules?")
        if self._evaluation_error is not None:
            self._give_up_leaves()
        if failures:
            raise failures[0]
        if interrupt is not None:
            self.playouts += done
            raise interrupt
        return done

    def _simulate(self, thread: int, count: int, most: int) -> int:
        """Makes `count` simulations by one thread, fewer if there is a reason to stop; returns how many.

        With an evaluator they go on to the end of a batch, up to `most`: so the batches do not depend on how fast it is.
        """
        if self.evaluation is None:
            return self._call_slice(thread, count)
        leaves = self.scratches[thread].leaves
        done = 0
        while True:
            goes_on = done < count and (done == 0 or not self._interrupted) and self._evaluation_error is None
            run = self._call_slice(thread, most - done if goes_on else 0)
            done += run
            if leaves.counts[WAITING]:
                try:
                    self.evaluation.answer(leaves, thread)
                except Abandoned:
                    return done
                except UserError as error:
                    self._evaluation_error = error
                    return done
            elif goes_on and leaves.counts[COLLISIONS] and not (self._interrupted or self._evaluator_hangs):
                time.sleep(COLLISION_SECONDS)  # it met only leaves of other threads
            elif run == 0 or not goes_on:
                return done

    def simulate_once(self) -> int:
        """Makes one simulation; returns 0 if there was a reason not to."""
        if self.evaluation is None:
            return self._call_slice(0, 1)
        self._left = 1
        with self._running_threads():
            return self._run_threads(1)

    def _abandon(self, evaluation: Evaluation, busy: int) -> bool:
        """Gives the leaves up that wait, if all busy threads only wait for the evaluator: these never touch the tree again."""
        if not evaluation.abandon(busy):
            return False
        self._give_up_leaves()
        return True

    def _give_up_leaves(self) -> None:
        """Only while no thread works on the tree: this is plain Python."""
        for scratch in self.scratches:
            give_up(self.tree, scratch.leaves, self.options)

    def _call_slice(self, thread: int, count: int) -> int:
        arguments = (self.tree, self.state, self.scratches[thread], self._policies[thread], self.rule, self.options, count)
        return int(self.call(run_slice, *arguments))

    def _make_room(self) -> None:
        """The arena is full: drops what lies below proven nodes, then below nodes of ever more visits, until half is free."""
        self.was_full = True
        capacity = len(self.tree.nodes)
        min_visits = 0
        while True:
            self._compact(ROOT, min_visits, True)
            if int(self.tree.counters[USED]) <= max(capacity // 2, 1 + self.game.buffer_size) or min_visits > 1 << 30:
                return
            min_visits = max(2, 2 * min_visits)

    def _enlarge_table(self) -> None:
        """Makes the transposition table four times as large. It starts small, because a large table is slow to touch."""
        table = new_table(min(2 * len(self.tree.table), self.most_entries))
        self.replace_table(table, self.copy_table(self.tree.table, table))
        self.tree.counters[STATUS] = FINE

    def _enlarge_memo(self) -> None:
        """The same for what the selection rule keeps of positions."""
        old = self.tree.memo
        memo = np.zeros(min(4 * len(old), self.most_memos), old.dtype)
        self.call(copy_memo_entries, self.rule, old, memo)
        self.replace_memo(memo)
        self.tree.counters[STATUS] = FINE

    def replace_table(self, table: np.ndarray, entries: int) -> None:
        """Puts another transposition table, which has so many entries, in place of the present one."""
        self.tree = self.tree._replace(table=table)
        self.tree.counters[TABLE_ENTRIES] = entries
        set_table_limit(self.tree, self.settings["memory"], self.table_share)

    def replace_memo(self, memo: np.ndarray) -> None:
        """The same for what the selection rule keeps of positions."""
        self.tree = self.tree._replace(memo=memo)
        set_memo_limit(self.tree, self.settings["memory"], self.table_share)

    def copy_table(self, entries: np.ndarray, table: np.ndarray) -> int:
        """Copies entries, in the form of a table, into `table`; returns how many that adds."""
        return int(self.call(copy_entries, entries, table))

    def _compact(self, new_root: int, min_visits: int, drop_proven: bool) -> None:
        tree, used = self.tree, int(self.tree.counters[USED])
        new_index = np.zeros(used, np.int32)
        arguments = (used, new_root, min_visits, drop_proven, new_index)
        tree.counters[USED] = self.call(compact, tree.nodes, tree.statistics, *arguments)
        tree.counters[STATUS] = FINE
        if len(tree.expectations) > 1:
            compact_expectations(tree, new_index)
        if tree.counters[REPLACEMENTS] > 0:
            compact_positions(tree, new_index)

    # -- moving along with the game --------------------------------------------------------------------------------
    def advance(self, move: int) -> None:
        """Plays a move at the root and keeps the part of the tree below it (unless `reuse_tree` is off).

        Where a study has put another position in place of the old root's or the new one's, nothing is kept: the two have the
        same value, but not after every move, and the tree has the moves of the other one.
        """
        self._play(move)
        self.options = self.options._replace(root_in_order=True)
        keeps = self.settings["reuse_tree"] and isinstance(self.options.chooser, Chooser)
        for scratch in self.scratches:
            scratch.outcomes[:] = 0.0
            scratch.wins[:] = 0.0
            fade(scratch.learned, self.options.chooser.decay if keeps else 0.0)
        self.origin = self.origin.after(move)
        nodes = self.tree.nodes
        for child in final_move.children_of(self.tree, ROOT):
            is_other = (nodes[ROOT]["flags"] | nodes[child]["flags"]) & REPLACED
            if int(nodes[child]["move"]) == move and self.settings["reuse_tree"] and not is_other:
                self._compact(child, 0, False)
                self._take_root_bounds_from_moves()
                return
        reset_root(self.tree, self.rule, *self.game.outcomes)

    def _take_root_bounds_from_moves(self) -> None:
        """Takes the root's bounds from its moves alone: bounds from the table or the rules name no move that achieves them."""
        root = self.tree.nodes[ROOT]
        root["lower"], root["upper"] = self.game.outcomes
        if root["child_count"] > 0:
            root["lower"], root["upper"] = bounds_of_children(self.tree.nodes, root)

    # -- results -----------------------------------------------------------------------------------------------------
    def result(self, with_moves: bool = True) -> Result:
        root = self.tree.nodes[ROOT]
        lower, upper = int(root["lower"]), int(root["upper"])
        if is_over(self.state):
            lower = upper = int(outcome(self.state))
        scale = self.options.scale
        value = final_move.node_value(self, ROOT)
        value = min(max(value, value_of(scale, lower)), value_of(scale, upper))
        proven = lower == upper or self.is_decided()
        ranked = final_move.ranked_children(self, ROOT)
        if not proven and declines.is_implemented(type(self.policy)):
            ranked.sort(key=lambda child: bool(declines(self.policy, self.state, int(self.tree.nodes[child]["move"]))))
        best: int | None = None
        best_value = value
        if ranked:
            best = int(self.tree.nodes[ranked[0]]["move"])
            best_value = final_move.node_value(self, ranked[0])
        elif not is_over(self.state):
            best = self.game.legal_moves(self.state)[0]
        best_value = min(max(best_value, value_of(scale, lower)), value_of(scale, upper))
        return Result(
            to_move=int(to_play(self.state)),
            playouts=self.playouts,
            nodes=final_move.node_count(self.tree),
            seconds=self.seconds,
            cpu=self.cpu,
            best_move=best,
            value=value,
            lower=lower,
            upper=upper,
            proven=proven,
            interrupted=self._interrupted,
            full=self.was_full,
            moves=final_move.report_moves(self, ranked) if with_moves else [],
            value_range=value_range(scale),
            best_value=best_value,
            outcomes=None if best is None else final_move.outcomes_of(self, best),
            values_are_outcomes=scale.unit == 1 and not scale.only_wins and self.options.ending.evaluate_every == 0,
        )

    def tree_hash(self) -> str:
        """A digest of the whole tree."""
        return tree_hash(self.tree)
