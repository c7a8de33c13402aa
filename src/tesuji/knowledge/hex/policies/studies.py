"""MoHex with what it works out at nodes of many visits: inferior cells, and virtual connections of both colours.

At such a node (`study_after`) the game may turn out to be decided; otherwise only moves that meet all threats of the opponent,
his connections from edge to edge, stay in the tree (Arneson, Hayward and Henderson 2010; Huang et al. 2013, section 2). Before
the search each move at the root is looked at in the same way (`study_moves`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import called_kernel, implements, kernel
from tesuji.core.game import Game
from tesuji.core.parameters import Parameter
from tesuji.games.hex.rules import put_stone
from tesuji.games.hex.state import BLACK, MAY_SWAP
from tesuji.knowledge.hex.assessment import FILLED, MOVER_CONNECTED, MUST_PLAY, OPEN, assess, fill, is_considered, value_for
from tesuji.knowledge.hex.connections.build import build
from tesuji.knowledge.hex.connections.edge_to_edge import most_needed, mustplay, winning_key, wins_as_first, wins_as_second
from tesuji.knowledge.hex.connections.finder import ConnectionFinder
from tesuji.knowledge.hex.connections.replies import MOST_PAIRS, ask_for_replies
from tesuji.knowledge.hex.connections.update import update
from tesuji.knowledge.hex.geometry import EMPTY, colour_of, place_of_move
from tesuji.knowledge.hex.inferior.pruning import KEPT
from tesuji.knowledge.hex.inferior.windows import WindowTables
from tesuji.knowledge.hex.patterns.playout_table import PatternTable
from tesuji.knowledge.hex.patterns.priors import FeatureTable
from tesuji.knowledge.hex.policies.mohex import (
    MoHex,
    begin_mohex_playout,
    declines_by_openings,
    mohex_move,
    mohex_plays_whole_games,
    note_mohex_move,
    play_mohex_game,
    rate_with_patterns,
)
from tesuji.knowledge.hex.workspaces import (
    CONNECTION_PARAMETERS,
    NONE,
    Workspaces,
    connections_in,
    give_back,
    new_workspaces,
    take_workspace,
)
from tesuji.search.policy import (
    NO_LOWER,
    NO_UPPER,
    PRIOR,
    begin_playout,
    connection_finder,
    declines,
    play_whole_game,
    played,
    playout_move,
    plays_whole_games,
    rate_moves,
    study,
    study_at,
    study_moves,
    without_inferior_moves,
)

POSITIONS = 2  # in a workspace: the one that is studied, and the one after a move
SLOTS, AHEAD = 2 * POSITIONS, 2  # slots of a workspace; AHEAD: the first of those of the second position
IN_TREE = 2  # in marks, beside MUST_PLAY


class MoHexWithStudies(NamedTuple):
    """The fields of MoHex, and those for studies."""

    table: PatternTable
    start: np.ndarray
    features: FeatureTable
    windows: WindowTables
    simulation: int
    prior_from: int
    rave_games: float
    openings: np.ndarray
    prune_new: bool
    study_after: int
    reply_bonus: float
    fill: bool
    workspaces: Workspaces
    pairs: np.ndarray  # int64[workspace, i]: pairs of chains that a move may cut

    PARAMETERS = (
        *MoHex.PARAMETERS,
        Parameter("prune_new", True, "leave out new moves that are filled in, reversible or dominated"),
        Parameter(
            "study_after",
            256,
            "visits after which a node is studied: inferior cells and virtual connections; 0: as soon as it has moves",
            0,
            1 << 40,
            tuning="16..4096:log",
        ),
        Parameter(
            "reply_bonus",
            0.0,
            "strength that studies add to a reply which keeps a connection, among those of the moves' patterns",
            0.0,
            1e6,
            needs=PRIOR,
        ),
        Parameter("fill", True, "studies fill cells in and leave out inferior ones; off: they go by connections alone"),
        *CONNECTION_PARAMETERS,
    )
    GIVES = MoHex.GIVES
    NOTES = MoHex.NOTES

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> MoHexWithStudies:
        memory = new_workspaces(game, settings, POSITIONS)
        pairs = np.zeros((len(memory.taken), MOST_PAIRS), np.int64)
        bonus = float(settings.get("reply_bonus", 0.0))
        prune_new, study_after, fill = bool(settings["prune_new"]), int(settings["study_after"]), bool(settings["fill"])
        return cls(*MoHex.made_for(game, settings), prune_new, study_after, bonus, fill, memory, pairs)


# -- as MoHex --------------------------------------------------------------------------------------------------------------
implements(plays_whole_games, MoHexWithStudies)(mohex_plays_whole_games)
implements(play_whole_game, MoHexWithStudies)(play_mohex_game)
implements(begin_playout, MoHexWithStudies)(begin_mohex_playout)
implements(playout_move, MoHexWithStudies)(mohex_move)
implements(played, MoHexWithStudies)(note_mohex_move)
implements(declines, MoHexWithStudies)(declines_by_openings)


@implements(rate_moves, MoHexWithStudies)
def rate_studied_moves(policy, state, moves, count, ratings):
    rate_with_patterns(policy, policy.prune_new, policy.reply_bonus, state, moves, count, ratings)


# -- studies ---------------------------------------------------------------------------------------------------------------
@implements(study_at, MoHexWithStudies)
def visits_of_study(policy):
    return policy.study_after


@implements(study, MoHexWithStudies)
def study_position(policy, state, moves, count, kept):
    memory = policy.workspaces
    workspace = take_workspace(memory.taken)
    lower, upper, replaced = NO_LOWER, NO_UPPER, False
    if workspace != NONE and state["swap"] != MAY_SWAP:
        mover = np.int64(state["to_play"])
        own = connections_in(memory.slots, SLOTS * workspace + mover)
        other = connections_in(memory.slots, SLOTS * workspace + 1 - mover)
        work, marks = memory.work[workspace], memory.marks[workspace]
        memory.boards[workspace, 0] = state
        board = memory.boards[workspace, 0]
        decided = assess(policy.windows, work, marks, board, mover, own, other, policy.fill)
        value = value_for(mover, decided, board)
        if decided == OPEN and keep_considered(work, marks, board, moves, count, kept) == 0:
            value = np.int64(-1)
        if decided == MOVER_CONNECTED:
            keep_only(winning_key(own), moves, count, kept)
        elif value == -1 and decided != FILLED:
            for i in range(count):
                kept[i] = 1
            keep_only(most_needed(other, marks), moves, count, kept)
        if value != 0:
            lower = upper = value if mover == BLACK else -value
        if value != 0 or not keeps_filled(work, moves, count, kept):
            replaced = board["count"] > state["count"]
        if replaced:
            put_missing_stones(board, state)
        if value == 0 and policy.reply_bonus > 0.0:
            ask_for_replies(other, policy.pairs[workspace], marks, moves, count, kept)
    if workspace != NONE:
        give_back(memory.taken, workspace)
    return lower, upper, replaced


@kernel
def put_missing_stones(board, state):
    """Adds the stones of the board to the position, which lacks some of them."""
    width = np.int64(state["width"])
    for cell in range(width * np.int64(state["height"])):
        row = cell // width
        colour = colour_of(board, cell - row * width, row)
        if colour != EMPTY and colour_of(state, cell - row * width, row) == EMPTY:
            put_stone(state, colour - 1, cell)


@kernel
def keep_considered(work, marks, board, moves, count, kept):
    """Keeps the moves of an open position that are worth considering; returns how many that is. If it is none, all moves lose.

    Moves outside the must-play region lose, whatever else is pruned. Which of the inferior cells may be left out together is
    known only if all others are in the tree. If it lacks one of these, as it was pruned when it was new, none is left out: a
    move on a filled cell neither, because the one that is lacking may have been pruned for its sake.
    """
    width = np.int64(board["width"])
    pruned, colours = work["pruned"], work["colours"]
    for i in range(count):
        marks[moves[i]] |= IN_TREE
    lacking = False
    for cell in range(width * np.int64(board["height"])):
        lacking |= is_considered(work, marks, cell) and marks[cell] & IN_TREE == 0
    left = 0
    for i in range(count):
        place = place_of_move(np.int64(moves[i]), width)
        if colours[place] != EMPTY:
            kept[i] = lacking
        else:
            kept[i] = marks[moves[i]] & MUST_PLAY != 0 and (lacking or pruned[place] == KEPT)
        left += 1 if kept[i] != 0 else 0
    return left


@kernel
def keeps_filled(work, moves, count, kept):
    """Whether a move on a cell that was filled is kept: then the filled position cannot take the place of the other."""
    colours = work["colours"]
    found = False
    for i in range(count):
        found |= kept[i] != 0 and colours[place_of_move(np.int64(moves[i]), work["width"])] != EMPTY
    return found


@kernel
def keep_only(move, moves, count, kept):
    """Prunes all others, if the move is among them."""
    found = False
    for i in range(count):
        found |= moves[i] == move
    for i in range(count):
        if found:
            kept[i] = moves[i] == move


# -- one move ahead --------------------------------------------------------------------------------------------------------
@implements(study_moves, MoHexWithStudies)
def study_moves_ahead(policy, state, moves, count, bounds):
    """Bounds where the position after a move is decided by fill-in or connections, which are updated from those before it."""
    memory = policy.workspaces
    workspace = take_workspace(memory.taken)
    if workspace == NONE:
        return
    if state["swap"] != MAY_SWAP:
        mover = np.int64(state["to_play"])
        win = 1 if mover == BLACK else -1
        own = connections_in(memory.slots, SLOTS * workspace + mover)
        other = connections_in(memory.slots, SLOTS * workspace + 1 - mover)
        memory.boards[workspace, 0] = state
        board, ahead, work = memory.boards[workspace, 0], memory.boards[workspace, 1], memory.work[workspace]
        fill(policy.windows, work, board)
        value = np.int64(board["winner"])  # of all moves, if it is not 0
        if value == 0:
            build(other, board)
            if wins_as_second(other):
                value = np.int64(-win)
            else:
                build(own, board)
        for i in range(count):
            outcome = value
            if value == 0:
                memory.boards[workspace, 1] = state  # not the filled board: a filled cell may be worth something after the move
                put_stone(ahead, mover, np.int64(moves[i]))
                outcome = win * value_after_move(policy.windows, memory, workspace, ahead, mover)
            if outcome != 0:
                bounds[0, i] = outcome
                bounds[1, i] = outcome
            if value == 0 and outcome == win:
                break
    give_back(memory.taken, workspace)


@called_kernel
def value_after_move(windows, memory, workspace, ahead, mover):
    """1 if the player who has just moved wins, -1 if he loses, 0 if that is not known. `ahead` is filled in."""
    if ahead["winner"] == 0:
        fill(windows, memory.work[workspace], ahead)
    if ahead["winner"] != 0:
        return 1 if (ahead["winner"] > 0) == (mover == BLACK) else -1
    for player in range(2):
        slot = SLOTS * workspace + (mover if player == 0 else 1 - mover)
        after = connections_in(memory.slots, slot + AHEAD)
        update(connections_in(memory.slots, slot), after, ahead)
        if player == 0:
            if wins_as_second(after) or mustplay(after, memory.marks[workspace]) == 0:
                return 1
        elif wins_as_first(after):
            return -1
    return 0


@implements(connection_finder, MoHexWithStudies)
def find_connections(policy, game, player, pure):
    return ConnectionFinder(game, player, pure)


@implements(without_inferior_moves, MoHexWithStudies)
def by_connections_alone(policy):
    return policy._replace(fill=False, prune_new=False)
