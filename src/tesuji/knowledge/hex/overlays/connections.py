"""Virtual connections, drawn on the board and in words: from edge to edge, between two points, or all of one point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tesuji.core.errors import UserError, shortened
from tesuji.core.game import State
from tesuji.core.picture.board import Point
from tesuji.games.hex.state import BLACK, WHITE
from tesuji.games.hex.text import cell_text, parse_move
from tesuji.knowledge.hex.connections.listing import sizes
from tesuji.knowledge.hex.overlays.board import NAMES, board_overlay, cells_text, fill_legend, fill_marks, names_of
from tesuji.knowledge.hex.overlays.positions import EDGES, AssessedPosition, Connection
from tesuji.knowledge.overlays import Overlay, PointMark

CARRIER, KEY, BOTH = "bw", "BW", "*"
EDGE_WORDS = {"north": "top", "south": "bottom", "west": "left", "east": "right"}  # other words for the edges
MOST_LISTED = 20  # connections of two points, in text


def _carrier_marks(found: Sequence[tuple[int, Connection]]) -> dict[Point, PointMark]:
    marks: dict[Point, PointMark] = {}
    for player, one in found:
        for cell in one.carrier:
            if cell == one.key:
                marks[cell] = PointMark(KEY[player], "key", player)
            elif cell not in marks:
                marks[cell] = PointMark(CARRIER[player], "carrier", player)
            elif marks[cell].kind == "carrier":
                marks[cell] = PointMark(BOTH, "both carriers")
    return marks


def _carrier_text(one: Connection) -> str:
    key = "" if one.key is None else f"{cell_text(*one.key)} first, then "
    return f"{key}{cells_text(cell for cell in one.carrier if cell != one.key) or 'no cell needed'}"


def _connection_data(player: int, one: Connection) -> dict[str, Any]:
    return {
        "player": NAMES[player],
        "kind": "full" if one.full else "semi",
        "carrier": names_of(one.carrier),
        "key": None if one.key is None else cell_text(*one.key),
    }


def connections_overlay(position: AssessedPosition, state: State, arguments: Sequence[str]) -> Overlay:
    if len(arguments) > 2:
        raise UserError("connections takes two cells or edges, as in connections=c3,top, one, or none")
    if arguments:
        ends = [_end(position, word) for word in arguments]
        return _partners_overlay(position, state, *ends) if len(ends) == 1 else _between_overlay(position, state, *ends)
    drawn, lines, data = [], [], []
    for player in (BLACK, WHITE):
        edges = " and ".join(EDGES[player])
        smallest, count = position.smallest(player), sizes(position.connections(player))
        fulls, semis = (len(position.between(player, *position.edges, full)) for full in (True, False))
        if position.is_joined(player):
            text = f"has joined {edges}"
        elif smallest is None:
            text = f"does not join {edges}, as far as is known"
        else:
            drawn.append((player, smallest))
            who = "whoever moves" if smallest.full else "with the first move"
            text = f"joins {edges} {who}: {_carrier_text(smallest)}"
        lines.append(f"{NAMES[player]} {text}")
        numbers = f"{count['fulls']} full on {count['full_pairs']} pairs, {count['semis']} semi on {count['semi_pairs']} pairs"
        lines.append(f"{NAMES[player]}'s connections: {numbers}; from edge to edge {fulls} full, {semis} semi")
        one = {
            "player": NAMES[player],
            "second": position.is_joined(player) or (smallest is not None and smallest.full),
            "first": position.is_joined(player) or smallest is not None,
            "smallest": None if smallest is None else _connection_data(player, smallest),
            "edge_to_edge": {"full": fulls, "semi": semis},
            "full": count["fulls"],
            "semi": count["semis"],
        }
        data.append(one)
    marks = {**fill_marks(position), **_carrier_marks(drawn)}
    legend = fill_legend(position) + _carrier_legend(marks)
    return board_overlay("connections", "Connections from edge to edge", state, marks, legend + lines, {"players": data})


def _carrier_legend(marks: dict[Point, PointMark]) -> list[str]:
    texts = {mark.text for mark in marks.values()}
    words = [f"{CARRIER[player]} is the carrier of {NAMES[player]}'s" for player in (BLACK, WHITE) if CARRIER[player] in texts]
    words += [f"{KEY[player]} where {NAMES[player]} begins" for player in (BLACK, WHITE) if KEY[player] in texts]
    words += [f"{BOTH} is in both carriers"] if BOTH in texts else []
    return [", ".join(words)] if words else []


class _End:
    """An end of a connection as it was named: a cell, or an edge of one player."""

    def __init__(self, text: str, point: int, players: Sequence[int]):
        self.text, self.point, self.players = text, point, players


def _end(position: AssessedPosition, text: str) -> _End:
    word = EDGE_WORDS.get(text.lower(), text.lower())
    for player, edges in enumerate(EDGES):
        if word in edges:
            return _End(word, position.edges[edges.index(word)], (player,))
    move = parse_move(position.filled, word)
    if not 0 <= move < position.width * position.height:
        raise UserError(
            f"{shortened(text, quoted=True)} is no cell of this board, nor one of the edges top, bottom, left, right"
        )
    players = [player for player in (BLACK, WHITE) if position.captain(player, move) >= 0]
    return _End(word, move, players)


def _between_overlay(position: AssessedPosition, state: State, one: _End, other: _End) -> Overlay:
    players = [player for player in one.players if player in other.players]
    if not players:
        raise UserError(f"{one.text} and {other.text} are of different colours, stones or filled cells: nothing connects them")
    drawn, lines, data = [], [], []
    for player in players:
        x, y = position.captain(player, one.point), position.captain(player, other.point)
        if x == y:
            lines.append(f"{NAMES[player]} has joined them already")
            continue
        found = [connection for full in (True, False) for connection in position.between(player, x, y, full)]
        data += [_connection_data(player, connection) for connection in found]
        drawn += [(player, connection) for connection in found[:1]]
        if not found:
            lines.append(f"{NAMES[player]} has no connection between them, as far as is known")
        for connection in found[:MOST_LISTED]:
            lines.append(f"{NAMES[player]} {'full' if connection.full else 'semi'}: {_carrier_text(connection)}")
        if len(found) > MOST_LISTED:
            lines.append(f"... and {len(found) - MOST_LISTED} more of {NAMES[player]}")
    marks = {**fill_marks(position), **_carrier_marks(drawn)}
    title = f"Connections between {one.text} and {other.text}"
    lines = fill_legend(position) + _carrier_legend(marks) + lines
    return board_overlay("connections", title, state, marks, lines, {"between": [one.text, other.text], "connections": data})


def _partners_overlay(position: AssessedPosition, state: State, end: _End) -> Overlay:
    """The points with which one has a connection; chains are marked on their captains."""
    marks, lines, data = fill_marks(position), [], []
    for player in end.players:
        x = position.captain(player, end.point)
        for full in (True, False):
            partners = [y for y in position.points(player) if y != x and position.count(player, x, y, full) > 0]
            names = [
                EDGES[player][y - position.edges[0]] if y in position.edges else cell_text(*position.cell(y)) for y in partners
            ]
            if full and x in position.edges and x != end.point:
                names.insert(0, EDGES[player][x - position.edges[0]])  # joined already, by stones or filled cells
            kind = "full" if full else "semi"
            lines.append(f"{NAMES[player]} {kind}: {' '.join(names) or 'none'}")
            data.append({"player": NAMES[player], "kind": kind, "with": names})
            if full:
                for y in partners:
                    if y not in position.edges:
                        cell = position.cell(y)
                        marks[cell] = PointMark(BOTH if cell in marks else CARRIER[player], "connected", player)
    title = f"What {end.text} is connected with"
    lines = [*fill_legend(position), "b by Black's full connections, w by White's, * by both", *lines]
    return board_overlay("connections", title, state, marks, lines, {"of": end.text, "connected": data})
