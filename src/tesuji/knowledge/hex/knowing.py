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
from tesuji.games.hex.state import BLACK, LARGEST, MAY_SWAP, STATE
from tesuji.knowledge.hex.bitsets import has_point, load
from tesuji.knowledge.hex.connection_finder import ConnectionFinder
from tesuji.knowledge.hex.connection_lists import FULLS, FULLS_AT, SEMIS, SEMIS_AT, Connections
from tesuji.knowledge.hex.connection_points import cell_owner
from tesuji.knowledge.hex.connection_update import update
from tesuji.knowledge.hex.connections import (
    ARENA,
    NO_KEY_CELL,
    SOFT_LIMIT,
    build,
    key_of,
    mustplay,
    pair_at,
    wins_as_first,
    wins_as_second,
)
from tesuji.knowledge.hex.decomposition import FREE, fill_closed_carriers
from tesuji.knowledge.hex.fill_in import fill_in, put_filled_stones
from tesuji.knowledge.hex.mohex import (
    MoHex,
    begin_mohex_playout,
    declines_by_openings,
    mohex_move,
    mohex_plays_whole_games,
    note_mohex_move,
    play_mohex_game,
    rate_with_patterns,
)
from tesuji.knowledge.hex.pattern_table import PatternTable
from tesuji.knowledge.hex.patterns import EMPTY, place_of_move
from tesuji.knowledge.hex.prior import FeatureTable
from tesuji.knowledge.hex.pruning import KEPT, begin_pruning, prune_inferior
from tesuji.knowledge.hex.replies import MOST_PAIRS, ask_for_replies
from tesuji.knowledge.hex.rooms import NONE, connections_in, enter_room, leave_room, new_slots
from tesuji.knowledge.hex.windows import WindowTables
from tesuji.knowledge.hex.working_board import WORK, see_stones
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

SMALLEST_ARENA = 8
SLOTS, AHEAD = 4, 2  # slots of a room; AHEAD: the first of those one move ahead
MUST_PLAY, IN_TREE = 1, 2  # of a cell


class Rooms(NamedTuple):
    """Working memory for studies, one room for each thread."""

    taken: np.ndarray  # int64[room]: 1 while a thread is in it
    slots: Connections  # SLOTS for each room: of both colours, and of both one move ahead
    boards: np.ndarray  # STATE[room, 2]: the position with the filled cells, and the one after a move
    work: np.ndarray  # WORK[room]
    marks: np.ndarray  # int64[room, cell]: MUST_PLAY, IN_TREE
    pairs: np.ndarray  # int64[room, i]: pairs of chains that a move may cut


class KnowingMoHex(NamedTuple):
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
    rooms: Rooms

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
        Parameter(
            "connection_limit", SOFT_LIMIT, "semi connections that are kept for two points before most are left out", 1, 1 << 20
        ),
        Parameter(
            "connection_room", ARENA, "carriers of connections that there is room for, for each colour", SMALLEST_ARENA, 1 << 24
        ),
    )
    GIVES = MoHex.GIVES
    NOTES = MoHex.NOTES

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> KnowingMoHex:
        width, height = int(game.initial["width"]), int(game.initial["height"])
        threads, limit = int(settings.get("threads", 1)), int(settings["connection_limit"])
        arena = int(settings["connection_room"])
        slots = new_slots(width, height, arena, limit, SLOTS * threads)
        marks, pairs = np.zeros((threads, LARGEST * LARGEST), np.int64), np.zeros((threads, MOST_PAIRS), np.int64)
        boards, work = np.zeros((threads, 2), STATE), np.zeros(threads, WORK)
        taken = np.zeros(threads, np.int64)
        rooms = Rooms(taken, slots, boards, work, marks, pairs)
        bonus = float(settings.get("reply_bonus", 0.0))
        prune_new, study_after, fill = bool(settings["prune_new"]), int(settings["study_after"]), bool(settings["fill"])
        return cls(*MoHex.made_for(game, settings), prune_new, study_after, bonus, fill, rooms)


# -- as MoHex --------------------------------------------------------------------------------------------------------------
implements(plays_whole_games, KnowingMoHex)(mohex_plays_whole_games)
implements(play_whole_game, KnowingMoHex)(play_mohex_game)
implements(begin_playout, KnowingMoHex)(begin_mohex_playout)
implements(playout_move, KnowingMoHex)(mohex_move)
implements(played, KnowingMoHex)(note_mohex_move)
implements(declines, KnowingMoHex)(declines_by_openings)


@implements(rate_moves, KnowingMoHex)
def rate_known_moves(policy, state, moves, count, ratings):
    rate_with_patterns(policy, policy.prune_new, policy.reply_bonus, state, moves, count, ratings)


# -- studies ---------------------------------------------------------------------------------------------------------------
@implements(study_at, KnowingMoHex)
def visits_of_study(policy):
    return policy.study_after


@implements(study, KnowingMoHex)
def study_position(policy, state, moves, count, kept):
    rooms = policy.rooms
    room = enter_room(rooms.taken)
    lower, upper, replaced = NO_LOWER, NO_UPPER, False
    if room != NONE and state["swap"] != MAY_SWAP:
        mover = np.int64(state["to_play"])
        win = 1 if mover == BLACK else -1
        own = connections_in(rooms.slots, SLOTS * room + mover)
        other = connections_in(rooms.slots, SLOTS * room + 1 - mover)
        work, marks = rooms.work[room], rooms.marks[room]
        rooms.boards[room, 0] = state
        board = rooms.boards[room, 0]
        if policy.fill:
            value = win * value_of_filled(policy.windows, work, board)
        else:
            see_stones(work, board)
            value = np.int64(0)
        while value == 0:
            value = value_by_connections(own, other, marks, board, moves, count, kept)
            if value != 0 or not policy.fill:
                break
            if fill_closed_carriers(own, board) + fill_closed_carriers(other, board) == 0:
                break
            value = win * value_of_filled(policy.windows, work, board)
        if value == 0:
            value = value_by_moves(policy, work, marks, board, moves, count, kept)
        if value == -1 and board["winner"] == 0:
            for i in range(count):
                kept[i] = 1
            keep_only(most_needed(other, marks), moves, count, kept)
        if value != 0:
            lower, upper = win * value, win * value
        if value != 0 or not keeps_filled(work, state, moves, count, kept):
            replaced = board["count"] > state["count"]
        if replaced:
            put_missing_stones(board, state)
        if value == 0 and policy.reply_bonus > 0.0:
            ask_for_replies(other, rooms.pairs[room], marks, moves, count, kept)
    if room != NONE:
        leave_room(rooms.taken, room)
    return lower, upper, replaced


@kernel
def value_of_filled(windows, work, board):
    """Fills the board in; 1 if Black has won by that, -1 if White has, else 0."""
    fill_in(windows, work, board)
    put_filled_stones(work, board)
    return np.int64(board["winner"])


@kernel
def put_missing_stones(board, state):
    """Adds the stones of the board to the position, which lacks some of them."""
    width = np.int64(state["width"])
    for cell in range(width * np.int64(state["height"])):
        row = cell // width
        owner = cell_owner(board, cell - row * width, row)
        if owner != FREE and cell_owner(state, cell - row * width, row) == FREE:
            put_stone(state, owner, cell)


@kernel
def value_by_connections(own, other, marks, state, moves, count, kept):
    """1 if the mover wins by a connection, -1 if he loses; 0 if that is not known, and `marks` has where he must move."""
    build(other, state)
    if wins_as_second(other):
        return -1
    build(own, state)
    if wins_as_first(own):
        keep_only(winning_key(own), moves, count, kept)
        return 1
    return 0 if mustplay(other, marks) > 0 else -1


@kernel
def value_by_moves(policy, work, marks, state, moves, count, kept):
    """-1 if no move is worth considering, so that the mover has lost; else 0, and moves that are not are no longer kept.

    Moves outside the must-play region lose, whatever else is pruned. Which of the inferior cells may be left out together is
    known only if all others are in the tree. If it lacks one of these, as it was pruned when it was new, none is left out: a
    move on a filled cell neither, because the one that is lacking may have been pruned for its sake.
    """
    width = np.int64(state["width"])
    if policy.fill:
        prune_inferior(policy.windows, work, np.int64(state["to_play"]))
    else:
        begin_pruning(work)
    pruned, colours = work["pruned"], work["colours"]
    for i in range(count):
        marks[moves[i]] |= IN_TREE
    considered, lacking = 0, False
    for cell in range(width * np.int64(state["height"])):
        place = place_of_move(cell, width)
        if marks[cell] & MUST_PLAY != 0 and colours[place] == EMPTY and pruned[place] == KEPT:
            considered += 1
            lacking |= marks[cell] & IN_TREE == 0
    left = 0
    for i in range(count):
        place = place_of_move(np.int64(moves[i]), width)
        if colours[place] != EMPTY:
            kept[i] = lacking
        else:
            kept[i] = marks[moves[i]] & MUST_PLAY != 0 and (lacking or pruned[place] == KEPT)
        left += 1 if kept[i] != 0 else 0
    return 0 if considered > 0 and left > 0 else -1


@kernel
def keeps_filled(work, state, moves, count, kept):
    """Whether a move on a cell that was filled is kept: then the filled position cannot take the place of the other."""
    width = np.int64(state["width"])
    colours = work["colours"]
    found = False
    for i in range(count):
        found |= kept[i] != 0 and colours[place_of_move(np.int64(moves[i]), width)] != EMPTY
    return found


# -- one move ahead --------------------------------------------------------------------------------------------------------
@implements(study_moves, KnowingMoHex)
def study_moves_ahead(policy, state, moves, count, bounds):
    """Bounds where the position after a move is decided by fill-in or connections, which are updated from those before it."""
    rooms = policy.rooms
    room = enter_room(rooms.taken)
    if room == NONE:
        return
    if state["swap"] != MAY_SWAP:
        mover = np.int64(state["to_play"])
        win = 1 if mover == BLACK else -1
        own = connections_in(rooms.slots, SLOTS * room + mover)
        other = connections_in(rooms.slots, SLOTS * room + 1 - mover)
        rooms.boards[room, 0] = state
        board, ahead, work = rooms.boards[room, 0], rooms.boards[room, 1], rooms.work[room]
        fill_in(policy.windows, work, state)
        put_filled_stones(work, board)
        value = np.int64(board["winner"])  # of all moves, if it is not 0
        if value == 0:
            build(other, board)
            if wins_as_second(other):
                value = np.int64(-win)
            else:
                build(own, board)
        for i in range(count):
            found = value
            if value == 0:
                rooms.boards[room, 1] = state  # not the filled board: a filled cell may be worth something after the move
                put_stone(ahead, mover, np.int64(moves[i]))
                found = win * value_after_move(policy.windows, rooms, room, ahead, mover)
            if found != 0:
                bounds[0, i] = found
                bounds[1, i] = found
            if value == 0 and found == win:
                break
    leave_room(rooms.taken, room)


@called_kernel
def value_after_move(windows, rooms, room, ahead, mover):
    """1 if the player who has just moved wins, -1 if he loses, 0 if that is not known. `ahead` is filled in."""
    work = rooms.work[room]
    if ahead["winner"] == 0:
        fill_in(windows, work, ahead)
        put_filled_stones(work, ahead)
    if ahead["winner"] != 0:
        return 1 if (ahead["winner"] > 0) == (mover == BLACK) else -1
    for player in range(2):
        slot = SLOTS * room + (mover if player == 0 else 1 - mover)
        after = connections_in(rooms.slots, slot + AHEAD)
        update(connections_in(rooms.slots, slot), after, ahead)
        if player == 0:
            if wins_as_second(after) or mustplay(after, rooms.marks[room]) == 0:
                return 1
        elif wins_as_first(after):
            return -1
    return 0


@implements(connection_finder, KnowingMoHex)
def find_connections(policy, game, player, pure):
    return ConnectionFinder(game, player, pure)


@implements(without_inferior_moves, KnowingMoHex)
def by_connections_alone(policy):
    return policy._replace(fill=False, prune_new=False)


@kernel
def winning_key(own):
    """A move after which the edges are fully connected; NO_KEY_CELL if none is known.

    If they are connected already, a cell of the connection: another stone there does no harm.
    """
    first, second = own.points - 2, own.points - 1
    pair = pair_at(own, first, second)
    if own.pairs[pair + FULLS] > 0:
        carrier = load(own.kind, own.arena, np.int64(own.pairs[pair + FULLS_AT]))
        for cell in range(own.points - 2):
            if has_point(carrier, cell):
                return np.int64(cell)
    for number in range(own.pairs[pair_at(own, first, second) + SEMIS]):
        key = key_of(own, first, second, number)
        if key != NO_KEY_CELL:
            return key
    return np.int64(NO_KEY_CELL)


@kernel
def most_needed(known, marks):
    """The cell that is in most of the connections from edge to edge, full ones if there are any: where to cut, if at all.

    NO_KEY_CELL if there are none. `marks` is room to count in.
    """
    first = pair_at(known, known.points - 2, known.points - 1)
    fulls = np.int64(known.pairs[first + FULLS])
    at = np.int64(known.pairs[first + FULLS_AT] if fulls > 0 else known.pairs[first + SEMIS_AT])
    for cell in range(known.points - 2):
        marks[cell] = 0
    for number in range(fulls if fulls > 0 else np.int64(known.pairs[first + SEMIS])):
        carrier = load(known.kind, known.arena, at + number)
        for cell in range(known.points - 2):
            if has_point(carrier, cell):
                marks[cell] += 1
    best = np.int64(NO_KEY_CELL)
    for cell in range(known.points - 2):
        if marks[cell] > (marks[best] if best != NO_KEY_CELL else 0):
            best = np.int64(cell)
    return best


@kernel
def keep_only(move, moves, count, kept):
    """Prunes all others, if the move is among them."""
    found = False
    for i in range(count):
        found |= moves[i] == move
    for i in range(count):
        if found:
            kept[i] = moves[i] == move
