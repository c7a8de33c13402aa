"""An evaluator of the user's: any Python callable from a batch of positions to policies and values, and its work in a search.

The kernel sets leaves aside (search/kernel/leaves.py); `Evaluation` has the callable answer for them. Nothing that the callable
does may harm the tree: whatever it raises or returns becomes one line, and the leaves are then as if never reached.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from tesuji.core.encoding import Encoding
from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game
from tesuji.core.parameters import Parameter
from tesuji.core.sources import shown_path
from tesuji.core.user_files import error_text, raised_at
from tesuji.search.kernel.leaves import ANSWERED, LEAF_COUNTS, NEXT, WAITING, Answers, Leaves
from tesuji.search.kernel.threads import VIRTUAL_LOSS

MOST_LEAVES = 4096
BATCH = Parameter(
    "batch", 16, "leaves that an evaluator of one's own gets at a time, at most", 1, MOST_LEAVES, brings=(VIRTUAL_LOSS,), off=1
)
COLLISION_SHARE = 4  # a batch ends when a quarter as many simulations as it may have leaves have come to nodes that wait
ROUNDING = 1e-3  # by which a value may lie outside of 0 to 1
POLL_SECONDS = 0.1
Part = TypeVar("Part")


class Evaluator:
    """Any callable that says of a batch of positions what a network would.

    `function(planes)` gets float32 planes of the player to move (`Game.encoding`), batch x planes x rows x columns, or with
    `planes_first=False` batch x rows x columns x planes; they are its own only until it returns. It returns (policies, values):

    policies   batch x places, or any array that becomes this when it is flattened: a logit for each place that a move may have,
               plane by plane, row by row, then those of moves beside the board
    values     the result that is expected for the player to move, batch numbers from 0 (lost) to 1 (won); or batch x 3, the
               logits of win, draw and loss

    Arrays of NumPy or what `np.asarray` takes, such as tensors of PyTorch on the CPU without a gradient.
    """

    def __init__(self, function: Callable[[np.ndarray], Any], *, planes_first: bool = True):
        if not callable(function):
            raise UserError(f"an evaluator is a callable from planes to (policies, values), not {shortened(repr(function))}")
        self.function = function
        self.planes_first = bool(planes_first)

    @property
    def name(self) -> str:
        """For a message: the callable's name, and file and line if it is a function."""
        code = getattr(self.function, "__code__", None)
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return f"{name} ({shown_path(code.co_filename)}:{code.co_firstlineno})" if code is not None else name

    def __repr__(self) -> str:
        return f"<Evaluator {self.name}>"

    def answer(self, planes: np.ndarray, places: int) -> tuple[np.ndarray, np.ndarray]:
        """What it says of positions, batch x rows x columns x planes: float64 logits, batch x places, and values 0 to 1."""
        count = len(planes)
        shown = np.ascontiguousarray(planes.transpose(0, 3, 1, 2)) if self.planes_first else planes
        try:
            answer = self.function(shown)
        except BaseException as error:  # whatever the user's code raises, SystemExit too
            code = getattr(self.function, "__code__", None)
            place = raised_at(error, code.co_filename if code is not None else "")
            raise UserError(f"the evaluator {self.name} raises {error_text(error)} ({place})") from error
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            what = f"{len(answer)} things" if isinstance(answer, tuple | list) else type(answer).__name__
            raise self._fault(f"returns {what}; it must return (policies, values)")
        policies = self._numbers(answer[0], "policies", count, f"({count}, {places})", (places,))
        values = self._numbers(answer[1], "values", count, f"({count},), or ({count}, 3) for win, draw and loss", (1, 3))
        if not (policies < np.inf).all():  # -inf is a move that cannot be; NaN is not below
            raise self._fault("gives NaN or infinity among its policies")
        if values.shape[1] == 3:
            return policies, self._expected(values)
        values = values[:, 0]
        if not ((values >= -ROUNDING) & (values <= 1.0 + ROUNDING)).all():
            bad = values[~((values >= -ROUNDING) & (values <= 1.0 + ROUNDING))][0]
            raise self._fault(f"gives the value {bad:g}; values are from 0 (the player to move loses) to 1 (he wins)")
        return policies, np.clip(values, 0.0, 1.0)

    def _numbers(self, array: Any, what: str, count: int, wanted: str, widths: tuple[int, ...]) -> np.ndarray:
        try:
            numbers = np.asarray(array)
        except Exception as error:
            raise self._fault(f"gives {what} that are no array: {error_text(error)}") from error
        if numbers.dtype.kind not in "fiu":
            raise self._fault(f"gives {what} of the type {numbers.dtype}, not numbers such as float32")
        if numbers.ndim == 0 or len(numbers) != count or numbers.size not in (count * width for width in widths):
            raise self._fault(f"gives {what} of the shape {numbers.shape}, not {wanted}")
        return numbers.reshape(count, -1).astype(np.float64)

    def _expected(self, logits: np.ndarray) -> np.ndarray:
        if not np.isfinite(logits).all():
            raise self._fault("gives NaN or infinity among its values")
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        return (chances[:, 0] + 0.5 * chances[:, 1]) / chances.sum(axis=1)

    def _fault(self, what: str) -> UserError:
        return UserError(f"the evaluator {self.name} {what}")


class Abandoned(Exception):
    """The search waits for the evaluator no longer."""


class Evaluation:
    """An evaluator at work in one search: what its threads have asked, and its answers."""

    def __init__(self, evaluator: Evaluator, encoding: Encoding, viewer: Any, images: int, batch: int, threads: int):
        """`viewer` writes what it sees of a leaf (`leaves.write_question`), that many `images` of the position."""
        self.evaluator = evaluator
        self.viewer = viewer
        self.calls = 0  # that have come back
        self._encoding, self._images, self._batch = encoding, images, batch
        self._one_at_a_time = threading.Lock()
        self._state = threading.Lock()  # of the next two
        self._asking = 0  # threads that wait for an answer
        self._generation = 0  # of those that do; earlier ones have been abandoned
        rows = batch * images
        self.answers = Answers(
            policies=np.zeros((threads, rows, encoding.places)),
            values=np.zeros((threads, rows)),
            at=np.zeros((threads, 2), np.int64),
        )

    def leaves(self, game: Game, thread: int) -> Leaves:
        """The memory for the leaves of a thread. Of each, no more is touched than its depth needs."""
        batch, longest = self._batch, game.max_plies
        return Leaves(
            viewer=self.viewer,
            planes=self._encoding.empty(),
            images=np.zeros((batch, self._images, *self._encoding.shape), np.float32),
            states=np.zeros(batch, game.initial.dtype),
            depths=np.zeros(batch, np.int64),
            path=np.zeros((batch, longest + 2), np.int64),
            hashes=np.zeros((batch, longest + 2), np.uint64),
            history=np.zeros((batch, longest), np.int32),
            movers=np.zeros((batch, longest), np.int8),
            virtual_losses=np.zeros((batch, longest + 2), np.int32),
            collisions=np.zeros(batch // COLLISION_SHARE + 1, np.int64),
            counts=np.zeros(LEAF_COUNTS, np.int64),
            at=self.answers.at[thread],
        )

    def policy_of(self, policy: Part, thread: int) -> Part:
        """The policy as one thread has it, with its own answers only."""
        if isinstance(policy, Answers):
            return Answers(*(array[thread] for array in policy))  # type: ignore[return-value]
        if isinstance(policy, tuple) and hasattr(policy, "_fields"):
            return type(policy)(*(self.policy_of(part, thread) for part in policy))
        return policy

    def is_used_by(self, policy: Any) -> bool:
        """Whether the policy reads the answers."""
        return policy is self.answers or (isinstance(policy, tuple) and any(self.is_used_by(part) for part in policy))

    def answer(self, leaves: Leaves, thread: int) -> None:
        """Has the evaluator answer for the leaves that wait. It may take any time; `Abandoned` if nobody waits any more."""
        count = int(leaves.counts[WAITING])
        rows = count * self._images
        with self._state:
            generation = self._generation
            self._asking += 1
        try:
            while not self._one_at_a_time.acquire(timeout=POLL_SECONDS):
                if self._generation != generation:
                    raise Abandoned
            try:
                images = leaves.images[:count].reshape(rows, *self._encoding.shape)
                policies, values = self.evaluator.answer(images, self._encoding.places)
            finally:
                self._one_at_a_time.release()
        finally:
            with self._state:
                if self._generation != generation:
                    raise Abandoned
                self._asking -= 1
                self.calls += 1
        self.answers.policies[thread, :rows] = policies
        self.answers.values[thread, :rows] = values
        leaves.counts[ANSWERED], leaves.counts[NEXT], leaves.counts[WAITING] = count, 0, 0

    def abandon(self, threads: int) -> bool:
        """Whether that many threads are waiting for an answer, and so all of those that could be; then they get none."""
        with self._state:
            if self._asking != threads:
                return False
            self._generation += 1
            self._asking = 0
            return True

    def no_answer(self, seconds: int) -> UserError:
        return UserError(f"the evaluator {self.evaluator.name} has not answered for {seconds} seconds")
