"""MoHex with what it works out at nodes of many visits: inferior cells, and virtual connections of both colours.

At such a node (`study_after`) the game may turn out to be decided; otherwise only moves that meet all threats of the opponent,
his connections from edge to edge, stay in the tree (Arneson, Hayward and Henderson 2010; Huang et al. 2013, section 2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.atomics import compare_and_swap
from tesuji.core.dispatch import implements, kernel
from tesuji.core.game import Game
from tesuji.core.parameters import Parameter
from tesuji.games.hex.state import BLACK, LARGEST, MAY_SWAP, STATE, WHITE
from tesuji.knowledge.hex.bitsets import has_point, load
from tesuji.knowledge.hex.connection_lists import FULLS, FULLS_AT, SEMIS, Connections
from tesuji.knowledge.hex.connections import (
    ARENA,
    NO_KEY_CELL,
    SOFT_LIMIT,
    build,
    key_of,
    mustplay,
    new_connections,
    pair_at,
    wins_as_first,
    wins_as_second,
)
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
from tesuji.knowledge.hex.pruning import KEPT, prune_inferior
from tesuji.knowledge.hex.windows import WindowTables
from tesuji.knowledge.hex.working_board import WORK
from tesuji.search.policy import (
    NO_LOWER,
    NO_UPPER,
    begin_playout,
    declines,
    explain,
    play_whole_game,
    played,
    playout_move,
    plays_whole_games,
    rate_moves,
    study,
    study_at,
)

SMALLEST_ARENA = 8
NONE = -1
MUST_PLAY, IN_TREE = 1, 2  # of a cell


class Rooms(NamedTuple):
    """Working memory for studies, one room for each thread: the arrays of `black` and `white` have a room in front."""

    taken: np.ndarray  # int64[room]: 1 while a thread is in it
    black: Connections
    white: Connections
    boards: np.ndarray  # STATE[room]: the position with the filled cells
    work: np.ndarray  # WORK[room]
    marks: np.ndarray  # int64[room, cell]: MUST_PLAY, IN_TREE


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
    rooms: Rooms

    PARAMETERS = (
        *MoHex.PARAMETERS,
        Parameter("prune_new", True, "leave out new moves that are filled in, reversible or dominated"),
        Parameter(
            "study_after", 256, "visits after which a node is studied: inferior cells and virtual connections", 1, 1 << 40
        ),
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
        black, white = (stacked(new_connections(width, height, colour, arena, limit), threads) for colour in (BLACK, WHITE))
        marks = np.zeros((threads, LARGEST * LARGEST), np.int64)
        boards, work = np.zeros(threads, STATE), np.zeros(threads, WORK)
        rooms = Rooms(np.zeros(threads, np.int64), black, white, boards, work, marks)
        return cls(*MoHex.made_for(game, settings), bool(settings["prune_new"]), int(settings["study_after"]), rooms)


def stacked(known: Connections, count: int) -> Connections:
    """So many copies of the arrays, one behind the other."""
    arrays = {name: value for name, value in known._asdict().items() if isinstance(value, np.ndarray)}
    return known._replace(**{name: np.stack([value] * count) for name, value in arrays.items()})


# -- as MoHex --------------------------------------------------------------------------------------------------------------
implements(plays_whole_games, KnowingMoHex)(mohex_plays_whole_games)
implements(play_whole_game, KnowingMoHex)(play_mohex_game)
implements(begin_playout, KnowingMoHex)(begin_mohex_playout)
implements(playout_move, KnowingMoHex)(mohex_move)
implements(played, KnowingMoHex)(note_mohex_move)
implements(declines, KnowingMoHex)(declines_by_openings)


@implements(rate_moves, KnowingMoHex)
def rate_known_moves(policy, state, moves, count, ratings):
    rate_with_patterns(policy, policy.prune_new, state, moves, count, ratings)


# -- studies ---------------------------------------------------------------------------------------------------------------
@implements(study_at, KnowingMoHex)
def visits_of_study(policy):
    return policy.study_after


@implements(study, KnowingMoHex)
def study_position(policy, state, moves, count, kept):
    rooms = policy.rooms
    room = NONE
    for i in range(len(rooms.taken)):
        if room == NONE and compare_and_swap(rooms.taken, i, 0, 1) == 0:
            room = i
    lower, upper, replaced = NO_LOWER, NO_UPPER, False
    if room != NONE and state["swap"] != MAY_SWAP:
        own, other = rooms.black, rooms.white
        if state["to_play"] == WHITE:
            own, other = other, own
        work, marks = rooms.work[room], rooms.marks[room]
        rooms.boards[room] = state
        board = rooms.boards[room]
        replaced = fill_in(policy.windows, work, state) > 0
        put_filled_stones(work, board)
        value = np.int64(board["winner"])
        if value == 0:
            value = value_by_connections(room_of(own, room), room_of(other, room), marks, board, moves, count, kept)
            if value == 0:
                value = value_by_moves(policy.windows, work, marks, board, moves, count, kept)
            if state["to_play"] == WHITE:
                value = -value
        if value != 0:
            lower, upper = value, value
        elif keeps_filled(work, state, moves, count, kept):
            replaced = False
        if replaced:
            put_filled_stones(work, state)
    if room != NONE:
        compare_and_swap(rooms.taken, room, 1, 0)
    return lower, upper, replaced


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
def value_by_moves(windows, work, marks, state, moves, count, kept):
    """-1 if no move is worth considering, so that the mover has lost; else 0, and moves that are not are no longer kept.

    Moves outside the must-play region lose, whatever else is pruned. Which of the inferior cells may be left out together is
    known only if all others are in the tree. If it lacks one of these, as it was pruned when it was new, none is left out: a
    move on a filled cell neither, because the one that is lacking may have been pruned for its sake.
    """
    width = np.int64(state["width"])
    prune_inferior(windows, work, np.int64(state["to_play"]))
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
        left += np.int64(kept[i])
    return 0 if considered > 0 and left > 0 else -1


@kernel
def keeps_filled(work, state, moves, count, kept):
    """Whether a move on a cell that was filled is kept: then the filled position cannot take the place of the other."""
    width = np.int64(state["width"])
    colours = work["colours"]
    found = False
    for i in range(count):
        found |= kept[i] and colours[place_of_move(np.int64(moves[i]), width)] != EMPTY
    return found


@implements(explain, KnowingMoHex)
def explain_by_connections(policy, state, moves, count, kept):
    """By connections alone, without fill-in, as these can be followed move by move."""
    rooms = policy.rooms
    if state["swap"] == MAY_SWAP or compare_and_swap(rooms.taken, 0, 0, 1) != 0:
        return -1
    mover = np.int64(state["to_play"])
    own, other = rooms.black, rooms.white
    if mover == WHITE:
        own, other = other, own
    own, other = room_of(own, 0), room_of(other, 0)
    winner = -1
    build(other, state)
    if wins_as_second(other):
        winner = 1 - mover
        keep_carrier(other, moves, count, kept)
    else:
        build(own, state)
        if wins_as_first(own):
            winner = mover
            keep_only(winning_key(own), moves, count, kept)
    compare_and_swap(rooms.taken, 0, 1, 0)
    return winner


@kernel
def keep_carrier(known, moves, count, kept):
    """Keeps the moves in the smallest full connection from edge to edge."""
    first = pair_at(known, known.points - 2, known.points - 1)
    at = np.int64(known.pairs[first + FULLS_AT])
    best, fewest = at, count + 1
    for number in range(known.pairs[first + FULLS]):
        carrier = load(known.kind, known.arena, at + number)
        cells = 0
        for i in range(count):
            cells += np.int64(has_point(carrier, np.int64(moves[i])))
        if cells < fewest:
            best, fewest = at + number, cells
    carrier = load(known.kind, known.arena, best)
    for i in range(count):
        kept[i] = has_point(carrier, np.int64(moves[i]))


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
def keep_only(move, moves, count, kept):
    """Prunes all others, if the move is among them."""
    found = False
    for i in range(count):
        found |= moves[i] == move
    for i in range(count):
        if found:
            kept[i] = moves[i] == move


@kernel
def room_of(all_rooms, room):
    """The connections in one room."""
    return Connections(
        all_rooms.kind,
        all_rooms.colour,
        all_rooms.points,
        all_rooms.soft_limit,
        all_rooms.status[room],
        all_rooms.captain[room],
        all_rooms.captured[room],
        all_rooms.near[room],
        all_rooms.near_count[room],
        all_rooms.pair_of[room],
        all_rooms.pairs[room],
        all_rooms.common[room],
        all_rooms.arena[room],
        all_rooms.full_queue[room],
        all_rooms.or_queue[room],
        all_rooms.work[room],
        all_rooms.counts[room],
        all_rooms.occupied[room],
        all_rooms.stack[room],
        all_rooms.touched[room],
        all_rooms.templates,
    )
