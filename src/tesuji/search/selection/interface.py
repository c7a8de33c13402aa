"""What a selection rule is: how it sees a move, what it declares, and the operations that it may implement.

A selection rule is a class of `typing.NamedTuple` whose fields are its constants. Most say what one child is worth (`worth`),
and the loop over the children (`choose_child.py`) does the rest. `@selection_rule(...)` above the class declares all that the
search must know of it. Every operation here dispatches on the rule, its first argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np

from tesuji.core.dispatch import Operation, implements, operation, operation_with_default
from tesuji.core.errors import UserError, did_you_mean, shortened
from tesuji.core.parameters import Parameter
from tesuji.core.sources import described
from tesuji.search.policy import RatingKind

NOTHING = np.dtype([("is_nothing", np.int8)])  # the record type of a rule that keeps nothing


class Child(NamedTuple):
    """One move as the player who would make it sees it, all values from 0 (worst) to 1. What a rule does not read is free."""

    visits: float  # its games, and those that the policy expects of it (RATING's own_games)
    mean: float  # of these; 0 if there are none
    prior: float
    rave_visits: float  # games in which the move was made here or later, for rules that keep RAVE; below 0: not for this move
    rave_mean: float
    lower: float  # proven bounds of the outcome
    upper: float
    inverse_root: float  # sqrt(1 / visits), from a table; 1 if there are none
    bonus: float = 0.0  # what the rule keeps for the child in its own record; 0 if its record has no such thing
    played: float = 0.0  # the games of `visits` that were really played


class Parent(NamedTuple):
    visits: float
    root_of_log: float  # sqrt(ln N), N the visits
    children: int
    depth: int  # 0 = the root
    maximises: bool  # player 0 is to move


# -- what a rule can do -----------------------------------------------------------------------------------------------------
# `choose_child` and `back_up`, which most rules leave to the loop, are in choose_child.py.
@operation
def worth(rule, child, parent):
    """What a visit of the child is worth: the child with the highest number is visited."""


@operation_with_default
def tries_in_order(rule):
    """Whether of two untried moves the one of higher prior is worth more, so that moves are tried in the order of priors.

    A new node has its children in this order then, and the loop over them ends at the first that has not been tried.
    """
    return False


@operation_with_default
def plays_out(rule):
    """Whether simulations end with a playout. A rule that goes by other things than means need not have any."""
    return True


@operation_with_default
def begin_choice(rule, tree, scratch, index):
    """The children of the node at `index` are about to be compared."""


# -- what a rule keeps of every node -----------------------------------------------------------------------------------------
# `tree.statistics` has one record a node, of the type that the rule declares; a single one where that is NOTHING.
Whole = int | np.integer[Any]


class NodeStatistics(NamedTuple):
    """What the loop takes from a node's record for `Child`; sums of scores are for player 0."""

    own_games: Whole  # that count as games of the node itself, though nobody played them
    own_sum: Whole
    rave_games: Whole  # below 0: RAVE is not kept for the move
    rave_sum: Whole
    bonus: float


@operation_with_default
def statistics_of(rule, records, index):
    """The `NodeStatistics` of the node at `index`."""
    return NodeStatistics(0, 0, 0, 0, 0.0)


@operation_with_default
def seen_statistics(rule, tree, scratch, index, maximises, options):
    """The `NodeStatistics` of the child at `index` in the comparison that `begin_choice` began: those of its own record.

    A rule may give others: of another node, or of what it keeps of moves. `maximises`: whether player 0 is to move.
    """
    return statistics_of(rule, tree.statistics, index)


@operation_with_default
def begin_statistics(rule, record):
    """Fills the record of a new node."""


@operation_with_default
def take_rating(rule, record, rating, maximises, scale):
    """The record of a new child takes what the policy expects of its move, for the mover (`maximises`: player 0)."""


@operation_with_default
def look_ahead(rule, tree, scratch, first, count, state, policy, options):
    """A node has new children, nodes[first : first + count], which no other thread sees yet.

    `state` is the position of the node; scratch.states[AHEAD] may be overwritten. Moves of pruned children may be illegal
    in it.
    """


@operation_with_default
def halve_statistics(rule, record, visits, left):
    """The node's visits fall from `visits` to `left`; what the record has of them falls along."""


@operation_with_default
def add_squares(rule, records, index, squares):
    """Adds to the sum of squared scores, for a rule that keeps one. Other threads may add at the same time."""


@operation_with_default
def credit_game(rule, tree, scratch, depth, length, score):
    """A game of `length` moves (scratch.history, scratch.movers) has ended; the tree's path goes down to path[depth].

    The moves of playouts are kept for the rules that implement this.
    """


@operation_with_default
def reported_value(rule, records, index):
    """Called from Python: the value that answers give the node, for player 0; NaN = the mean of its games."""
    return np.nan


@operation_with_default
def are_possible(rule, records, scale):
    """Called from Python, for an array of records out of a file: whether every number is one that the rule can have written."""
    return not records.size


# -- what a thread keeps of every player's moves -----------------------------------------------------------------------------
# `scratch.by_move` has one record a player and move, and one more for each player, of the type that the rule declares.
@operation_with_default
def are_possible_moves(rule, records, scale):
    """Called from Python, for an array of records out of a file: whether every number is one that the rule can have written.

    They are saved with a search only for a rule that implements this; else they must mean nothing from one choice to the next.
    """
    return not records.size


# -- what a rule keeps of positions ------------------------------------------------------------------------------------------
# `tree.memo` is a hash table of them, wherever in the tree they come up.
@operation_with_default
def recall(rule, tree, index, key):
    """The record of a new node takes what the rule has kept of its position, known by `key`."""


@operation_with_default
def copy_memo(rule, entry, memo):
    """Puts an entry into a larger table of these."""


@operation_with_default
def are_possible_memos(rule, entries, scale):
    """Called from Python, for an array of entries out of a file: whether every number is one that the rule can have written."""
    return not entries.size


# -- the declaration -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Statistics:
    """A record of every node, and the operations on it: they are implemented for each rule that declares it."""

    record: np.dtype
    operations: Mapping[Operation, Callable[..., Any]] = field(default_factory=dict)
    has_own_games: bool = False  # it keeps games that a policy expects as games of the move itself


@dataclass(frozen=True)
class RuleSpec:
    """All that the search must know of a selection rule, beside the operations that are implemented for it."""

    parameters: tuple[Parameter, ...] = ()  # of its fields
    uses: tuple[RatingKind, ...] = ()  # what it reads of a policy's ratings
    needs: tuple[RatingKind, ...] = ()  # what it makes no sense without, and so uses
    statistics: Statistics = Statistics(NOTHING)  # what it keeps of every node
    memo: np.dtype = NOTHING  # what it keeps of positions; a field `key` must be in it
    by_move: np.dtype = NOTHING  # what each thread keeps of every move of a player
    compares_scores: bool = False  # needs whole outcomes as scores, not only who won
    proves: bool = False  # goes by what is left to prove: needs a solver
    evaluates: bool = False  # goes by the policy's evaluation of positions, and makes no sense without
    # Fields of the rule, the child or the parent whose part of `worth` has another name in reports (search/report/terms.py).
    term_names: Mapping[str, str] = field(default_factory=dict)


Rule = TypeVar("Rule", bound=type)
_UNDECLARED = RuleSpec()
_specs: dict[type, RuleSpec] = {}


def selection_rule(**declared: Any) -> Callable[[Rule], Rule]:
    """Declares a class as a selection rule: `@selection_rule(parameters=..., uses=...)`, with the fields of `RuleSpec`.

    A rule whose fields are not just its parameters has a classmethod `made_for(game, settings)`, as policies may have.
    """
    for name in declared:
        if name not in RuleSpec.__dataclass_fields__:
            raise UserError(f"a selection rule has no {name} to declare{did_you_mean(name, RuleSpec.__dataclass_fields__)}")
    spec = RuleSpec(**declared)

    def declare(rule: Rule) -> Rule:
        _check_declaration(described(rule), spec)
        _specs[rule] = spec
        for one, function in spec.statistics.operations.items():
            implements(one, rule)(function)
        return rule

    return declare


def _check_declaration(rule: str, spec: RuleSpec) -> None:
    if not isinstance(spec.parameters, tuple | list) or not all(isinstance(one, Parameter) for one in spec.parameters):
        raise UserError(f"parameters of {rule} must be a tuple of tesuji.Parameter, as in (Parameter(...),)")
    for name, ratings in (("uses", spec.uses), ("needs", spec.needs)):
        if not isinstance(ratings, tuple | list) or not all(isinstance(one, RatingKind) for one in ratings):
            raise UserError(f"{name} of {rule} must be a tuple of PRIOR and VALUE, as in (PRIOR,)")
    statistics = spec.statistics
    record = statistics.record if isinstance(statistics, Statistics) and isinstance(statistics.operations, Mapping) else None
    if not _is_record(record):
        wrong = shortened(repr(statistics if record is None else record))
        raise UserError(f"statistics of {rule} must be RAVE or Statistics(a record type of NumPy), not {wrong}")
    if not _is_record(spec.memo) or (spec.memo != NOTHING and "key" not in (spec.memo.names or ())):
        raise UserError(f"memo of {rule} must be a record type of NumPy with a field key, not {shortened(repr(spec.memo))}")
    if not _is_record(spec.by_move):
        raise UserError(f"by_move of {rule} must be a record type of NumPy, not {shortened(repr(spec.by_move))}")
    if not isinstance(spec.term_names, Mapping):
        raise UserError(f"term_names of {rule} must be a dictionary of names of fields and of terms")


def _is_record(record: Any) -> bool:
    return isinstance(record, np.dtype) and bool(record.names) and not record.hasobject


def spec_of(rule: type) -> RuleSpec:
    """The declaration of a rule; one without any needs none."""
    return _specs.get(rule, _UNDECLARED)
