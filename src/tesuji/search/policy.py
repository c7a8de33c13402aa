"""The interface of policies: a player's knowledge beyond the rules, in the form in which the search uses it.

A policy is a NamedTuple of parameters and tables; its class selects the implementation of the operations below. Only
`playout_move` is required. A policy sees positions and moves, never the tree: the search calls it, and its selection rule
decides what the answers count for. Player 0 maximises outcomes; what a policy says of a move is from the view of the player
who makes it.

Besides its fields, the class may have:
    PARAMETERS   the `Parameter`s of its fields, for `parameters.filled`
    NOTES        the fields of a NumPy record type, or such a type: each thread's notes during a playout
    GIVES        what it says when it rates moves: PRIOR, VALUE, EXPECTATION, some of them or none
    made_for     a classmethod (game, settings), needed where its fields are not just its parameters
A selection rule declares which ratings it uses (search/selection/interface.py). A parameter of one that needs ratings which
the other lacks is refused (`Parameter.needs`).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, operation, operation_with_default
from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game
from tesuji.core.rules import random_move
from tesuji.core.sources import described


class RatingKind(StrEnum):
    """What a policy may say when it rates moves. Priors and values have an effect only where a selection rule uses them."""

    PRIOR = "a policy with priors and a rule that uses them"
    VALUE = "a policy with values and a rule that uses them"
    EXPECTATION = "a policy that says what result it expects of a position"

    @property
    def giver(self) -> str:
        return f"a policy with {self.name.lower()}s"


# What parameters may need (`Parameter.needs`), in the words of the message that refuses one.
PRIOR, VALUE, EXPECTATION = RatingKind
EVALUATION = "a policy with an evaluation"
PLAYOUTS, PRUNING, PROVING = "playouts", "a policy that prunes or studies", "a solver"
MOVE_STUDIES = "a policy that studies moves"
OWN_VALUE = "a rule that counts expected games among a move's own (rave-prior)"

# A policy's rating of one move. The search fills in: prior 0, no games, rave, kept. There are two expectations: the first is
# soon outweighed by RAVE's many games, the second lasts until the move itself has as many games.
RATING = np.dtype(
    [
        ("prior", np.float64),  # how good the move looks, 0 or more; what it does is the selection rule's to say
        ("value", np.float64),  # the share of games, from 0 to 1, that the mover is expected to win with it
        ("games", np.float64),  # how many games that expectation counts for, among those of RAVE
        ("own_value", np.float64),  # another such share,
        ("own_games", np.float64),  # and how many games it counts for among the move's own
        ("rave", np.bool_),  # False = that the move was made later in a game says nothing of making it now, as of a pass in Go
        ("kept", np.bool_),  # False = pruned: the move does not enter the tree
        ("asked_for", np.bool_),  # not the policy's to write: whether a study of the node above asks for this reply
    ],
    align=True,
)
FIRST_REPLY = 2  # what a study adds to a reply that it asks for
NO_LOWER, NO_UPPER = -(2**31), 2**31 - 1  # bounds that say nothing
NEVER = 2**62


# -- playouts ------------------------------------------------------------------------------------------------------------
@operation
def playout_move(policy, notes, state, rng):
    """A legal move for a playout from a position that is not over.

    `notes` is this thread's record: the fields that the policy names, and `moves`, an int32 array with room for all moves.
    """


@operation_with_default
def begin_playout(policy, notes, state):
    """A playout begins at `state`: fills the notes, which `played` then keeps up to date."""


@operation_with_default
def played(policy, notes, state, move):
    """The playout has made `move`, which led to `state`."""


@operation_with_default
def playout_ended(policy, notes, state):
    """The playout has reached the end of the game at `state`. Not called for one that is cut off or judged before, nor after
    `play_whole_game`.

    What a policy learns from it goes into the notes, which are this thread's, or into arrays of its own (`learns`), which
    all threads share without locks.
    """


@operation_with_default
def learns(policy):
    """Whether the policy learns from a search's games. Such a search cannot be saved, as the policy would have to be saved too.

    Called in Python only.
    """
    return False


@operation_with_default
def plays_whole_games(policy):
    """Whether playouts are made by `play_whole_game`. Only policies of this package may say so: its moves are not checked."""
    return False


@operation_with_default
def play_whole_game(policy, notes, state, rng, history, movers, ply):
    """Plays a game from `state` to its end in one go, where that is quicker than move by move; returns (length, outcome).

    The game is one that `playout_move` could have made, but may go on after its end, within the game's `max_plies`, with moves
    that cannot change the outcome: RAVE counts them as well.

    notes     this thread's record, as in `playout_move`
    state     the position to start from; may be left as it is
    rng       uint64[4]: this thread's random generator
    history   int32[max_plies]: the moves go into history[ply:length]
    movers    int8[max_plies]: the players who made them, into movers[ply:length]
    ply       the length of the game so far
    """
    return ply, 0


@operation_with_default
def evaluate(policy, state):
    """How good the position looks for player 0, in the policy's own units. A search that gets nan ends with an error."""
    return 0.0


# -- the tree ------------------------------------------------------------------------------------------------------------
@operation_with_default
def rate_moves(policy, state, moves, count, ratings):
    """A node gets its children: writes the rating of moves[i] into ratings[i], for the `count` legal moves of the position.

    At least one must stay kept. A policy that prunes promises that the value of the position stays the same without these
    moves; one that cannot promise that says so by `prunes_by_guess`.

    May return the result that it expects of the position, from 0 (the player to move loses) to 1, and then gives EXPECTATION:
    `value_share` says how much of a simulation's score it is. To return nothing is to expect nothing.
    """


@operation_with_default
def prunes_by_guess(policy):
    """Whether `rate_moves` may prune a move that matters. A search that proves something then prunes nothing."""
    return False


@operation_with_default
def study_at(policy):
    """The number of visits at which a node is studied, once; 0: as soon as it has moves."""
    return NEVER


@operation_with_default
def study(policy, state, moves, count, kept):
    """A closer look at a node; returns (lower, upper, replaced).

    The bounds limit the outcome of the position under perfect play (NO_LOWER and NO_UPPER say nothing). kept[i] = False prunes
    moves[i], one of the `count` moves of the node in the tree, under the promise of `rate_moves`; unless the bounds decide
    the game, one move at least stays. If `replaced` is True, `state` was changed to an equal, simpler position: the same
    player to move, the same value, every kept move legal, and no line of play that the position itself does not have. The
    search continues from that one, if it knows nothing yet of any kept move: single moves may have another value in it.

    kept[i] = FIRST_REPLY + r asks for the reply r to moves[i], which stays: when that node gets its children, `rate_moves`
    finds the reply marked as `asked_for`.
    """
    return NO_LOWER, NO_UPPER, False


@operation_with_default
def study_moves(policy, state, moves, count, bounds):
    """Before a search begins: bounds of the positions after some moves of the root, by the policy's knowledge alone.

    bounds[0, i] and bounds[1, i], NO_LOWER and NO_UPPER at first, become the lower and the upper bound after moves[i].
    """


# -- certificates --------------------------------------------------------------------------------------------------------
@operation_with_default
def without_inferior_moves(policy):
    """For proofs by connections: the same policy, but pruning and deciding only what `connection_finder` can show.

    Called in Python only. A proof that leaves out moves for other reasons would have to be searched again position by position.
    """
    return policy


@operation_with_default
def connection_finder(policy, game, player, pure):
    """For connection games (`rules.neighbours`): what finds the connections of a player, None = nothing does.

    Called in Python only. `pure`: whether it has to run without the compiler. What it returns has `carriers(own, free)`,
    the connections of the position in which the player has `own` (cells as bits) and his opponent all cells that are not `free`
    either; and that has `fulls(one, other)` and `semis(one, other)`, for two points the sets of cells with which they can be
    joined, moving second and first. None of this is trusted: the checker verifies it step by step.
    """
    return None


# -- the move to play ----------------------------------------------------------------------------------------------------
@operation_with_default
def declines(policy, state, move):
    """Whether the player avoids this legal move unless a proof demands it, by its knowledge of openings.

    It does not affect the search itself. Called in Python only, for the moves of the root.
    """
    return False


# -- the policy without knowledge ----------------------------------------------------------------------------------------
class Uniform(NamedTuple):
    """Random games as the rules make them: in most games, every legal move is as likely as every other."""


class UniformEvaluating(NamedTuple):
    """The same in a game that has an evaluation of its own (`rules.evaluate`)."""


@implements(playout_move, Uniform)
@implements(playout_move, UniformEvaluating)
def uniform_move(policy, notes, state, rng):
    return random_move(state, notes["moves"], rng)


@implements(evaluate, UniformEvaluating)
def evaluation_by_rules(policy, state):
    return rules.evaluate(state)


def uniform_in(game: Game) -> type:
    """The policy without knowledge in this game."""
    return UniformEvaluating if rules.evaluate.is_implemented(game.initial.dtype) else Uniform


def evaluation_function(policy: NamedTuple, game: Game) -> Callable[..., Any]:
    """What answers when the policy is asked for its evaluation of a position."""
    return rules.evaluate.find(game.initial.dtype) if isinstance(policy, UniformEvaluating) else evaluate.find(type(policy))


# -- setting up -----------------------------------------------------------------------------------------------------------
SMALLEST_BUFFER = 512  # moves: more than most games have, so that all sizes of a game share one compilation


def notes_type(kind: type, most_moves: int) -> np.dtype:
    """The record type of the notes that this class of policies keeps in a game with so many moves."""
    size = SMALLEST_BUFFER
    while size < most_moves:
        size *= 2
    fields = getattr(kind, "NOTES", ())
    if isinstance(fields, np.dtype) and fields.names is not None:
        fields = [(name, fields[name]) for name in fields.names]
    try:
        if not isinstance(fields, tuple | list):
            raise TypeError(shortened(repr(fields)))
        notes = np.dtype([*fields, ("moves", np.int32, (size,))], align=True)
    except (TypeError, ValueError) as error:
        example = 'as in (("last", np.int32),)'
        raise UserError(f"the NOTES of the policy {described(kind)} are not valid record fields, {example}: {error}") from None
    for name in notes.names or ():
        if notes[name].base.kind not in "biufV" or notes[name].hasobject:
            raise UserError(f"the NOTES of the policy {described(kind)}: {name} is neither a number nor an array of numbers")
    return notes
