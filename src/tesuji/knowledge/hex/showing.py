"""What is known of a position of Hex (facts.py), drawn on the board and in words: `tesuji analyze --show`, HexGui, the page.

Small letters x and o are cells that are filled in with black and white stones: all else is about the board with these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tesuji.core import rules
from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game, State
from tesuji.core.picture.board import Point
from tesuji.games.hex.state import BLACK, MAY_SWAP, WHITE
from tesuji.games.hex.text import cell_text, draw, parse_move
from tesuji.knowledge.hex.connections import sizes
from tesuji.knowledge.hex.facts import EDGES, Connection, Facts
from tesuji.knowledge.shown import PointMark, Shown

NAMES = ("Black", "White")
FILLED = "xo"
CARRIER, KEY, BOTH = "bw", "BW", "*"
REVERSIBLE, DOMINATED, CONSIDER, WINNING = "r", "d", "!", "!"
EDGE_WORDS = {"north": "top", "south": "bottom", "west": "left", "east": "right"}  # other words for the edges
MOST_LISTED = 20  # connections of two points, in text


# -- what all of them have -----------------------------------------------------------------------------------------------------
def check_can_show(state: State) -> None:
    """Refuses positions of which there is nothing to say."""
    if rules.is_over(state):
        raise UserError("the game is over in this position")
    if state["swap"] == MAY_SWAP:
        raise UserError("nothing is known of a position as long as there may be a swap: play on, or leave swap=on out")


def cells_text(cells: Iterable[Point]) -> str:
    return " ".join(cell_text(*cell) for cell in cells)


def _names(cells: Iterable[Point]) -> list[str]:
    return [cell_text(*cell) for cell in cells]


def fill_marks(facts: Facts) -> dict[Point, PointMark]:
    return {
        cell: PointMark(FILLED[fill.player], fill.kind, fill.player, why=fill.why)
        for cell, fill in sorted(facts.fills.items(), key=lambda item: item[0][::-1])
    }


def fill_legend(facts: Facts) -> list[str]:
    """What x and o mean, if there are any."""
    signs = sorted({fill.player for fill in facts.fills.values()})
    return [", ".join(f"{FILLED[player]} is filled in for {NAMES[player]}" for player in signs)] if signs else []


def _verdict(facts: Facts) -> list[str]:
    decided = facts.decided
    return [] if decided is None else [f"{NAMES[decided.winner]} wins: {decided.how}"]


def _verdict_data(facts: Facts) -> dict[str, Any]:
    decided = facts.decided
    return {"winner": None if decided is None else NAMES[decided.winner], "how": None if decided is None else decided.how}


def shown_on_board(
    what: str, title: str, state: State, marks: dict[Point, PointMark], lines: list[str], data: dict[str, Any]
) -> Shown:
    return Shown(what, title, draw(state, {cell: mark.text for cell, mark in marks.items()}), marks, lines, data)


# -- fill-in and inferior cells ------------------------------------------------------------------------------------------------
def _show_fill(facts: Facts, state: State, _arguments: Sequence[str]) -> Shown:
    groups: dict[tuple[str, str, int], list[Point]] = {}
    marks = fill_marks(facts)
    for cell, mark in marks.items():
        groups.setdefault((mark.kind, mark.why, int(mark.player or 0)), []).append(cell)
    lines = fill_legend(facts) or ["nothing can be filled in"]
    lines += [
        f"{kind}, {why}, for {NAMES[player]}: {cells_text(cells)}" for (kind, why, player), cells in sorted(groups.items())
    ]
    if facts.winner is not None:
        lines.append(f"{NAMES[facts.winner]} wins: {' and '.join(EDGES[facts.winner])} are joined")
    filled = [
        {"cell": cell_text(*cell), "player": NAMES[fill.player], "kind": fill.kind, "why": fill.why}
        for cell, fill in facts.fills.items()
    ]
    data = {"filled": filled, "winner": None if facts.winner is None else NAMES[facts.winner]}
    return shown_on_board("fill", "Cells that may be filled in", state, marks, lines, data)


def _inferior_marks(facts: Facts) -> dict[Point, PointMark]:
    return {
        cell: PointMark(DOMINATED, "dominated", facts.mover, one.by)
        if one.dominated
        else PointMark(REVERSIBLE, "reversible", facts.mover, one.by)
        for cell, one in facts.inferior.items()
    }


def _show_inferior(facts: Facts, state: State, _arguments: Sequence[str]) -> Shown:
    name, other = NAMES[facts.mover], NAMES[1 - facts.mover]
    inferior = _inferior_marks(facts)
    data: dict[str, Any] = {}
    lines = fill_legend(facts)
    for kind, meaning in (("reversible", f"{other}'s answer is in brackets"), ("dominated", "by the cell in brackets")):
        found = {cell: mark.by for cell, mark in inferior.items() if mark.kind == kind and mark.by is not None}
        data[kind] = {cell_text(*cell): cell_text(*by) for cell, by in found.items()}
        if found:
            listed = " ".join(f"{cell_text(*cell)} ({cell_text(*by)})" for cell, by in found.items())
            lines.append(f"{kind[0]} {kind} for {name}, {meaning}: {listed}")
    kept = [cell for cell in facts.empty if cell not in inferior]
    if facts.winner is not None:
        lines.append(f"{NAMES[facts.winner]} wins: {' and '.join(EDGES[facts.winner])} are joined")
    else:
        lines.append(f"{len(kept)} of {len(facts.empty)} empty cells are left to consider")
    data["kept"] = _names(kept)
    return shown_on_board("inferior", f"Inferior cells for {name}", state, {**fill_marks(facts), **inferior}, lines, data)


# -- where to move -------------------------------------------------------------------------------------------------------------
def _show_mustplay(facts: Facts, state: State, _arguments: Sequence[str]) -> Shown:
    name = NAMES[facts.mover]
    marks = fill_marks(facts)
    lines = fill_legend(facts)
    decided = facts.decided
    region, consider = facts.must_play, facts.consider
    if decided is None:
        inferior = _inferior_marks(facts)
        region_marks = {cell: inferior.get(cell, PointMark(CONSIDER, "consider", facts.mover)) for cell in region}
        marks |= region_marks
        outside = len(facts.empty) - len(region)
        lines.append(f"! {name} may consider: {cells_text(consider)}")
        lines += [f"{outside} of {len(facts.empty)} empty cells are outside the must-play region"] if outside else []
        if len(consider) < len(region):
            lines.append(
                f"r and d are inside it, but reversible or dominated: {cells_text(cell for cell in region if cell in inferior)}"
            )
    else:
        lines += _verdict(facts)
        smallest = facts.smallest(facts.mover) if decided.winner == facts.mover and facts.winner is None else None
        if smallest is not None and smallest.key is not None:
            marks[smallest.key] = PointMark(WINNING, "winning", facts.mover)
            lines.append(f"! {name} wins with {cell_text(*smallest.key)}")
    data = {"mustplay": _names(region), "consider": _names(consider), **_verdict_data(facts)}
    return shown_on_board("mustplay", f"Where {name} must move", state, marks, lines, data)


# -- connections ---------------------------------------------------------------------------------------------------------------
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
        "carrier": _names(one.carrier),
        "key": None if one.key is None else cell_text(*one.key),
    }


def _show_connections(facts: Facts, state: State, arguments: Sequence[str]) -> Shown:
    if len(arguments) > 2:
        raise UserError("connections takes two cells or edges, as in connections=c3,top, one, or none")
    if arguments:
        ends = [_end(facts, word) for word in arguments]
        return _show_partners(facts, state, *ends) if len(ends) == 1 else _show_between(facts, state, *ends)
    drawn, lines, data = [], [], []
    for player in (BLACK, WHITE):
        edges = " and ".join(EDGES[player])
        smallest, count = facts.smallest(player), sizes(facts.known(player))
        fulls, semis = (len(facts.between(player, *facts.edges, full)) for full in (True, False))
        if facts.is_joined(player):
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
            "second": facts.is_joined(player) or (smallest is not None and smallest.full),
            "first": facts.is_joined(player) or smallest is not None,
            "smallest": None if smallest is None else _connection_data(player, smallest),
            "edge_to_edge": {"full": fulls, "semi": semis},
            "full": count["fulls"],
            "semi": count["semis"],
        }
        data.append(one)
    marks = {**fill_marks(facts), **_carrier_marks(drawn)}
    legend = fill_legend(facts) + _carrier_legend(marks)
    return shown_on_board("connections", "Connections from edge to edge", state, marks, legend + lines, {"players": data})


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


def _end(facts: Facts, text: str) -> _End:
    word = EDGE_WORDS.get(text.lower(), text.lower())
    for player, edges in enumerate(EDGES):
        if word in edges:
            return _End(word, facts.edges[edges.index(word)], (player,))
    move = parse_move(facts.filled, word)
    if not 0 <= move < facts.width * facts.height:
        raise UserError(
            f"{shortened(text, quoted=True)} is no cell of this board, nor one of the edges top, bottom, left, right"
        )
    players = [player for player in (BLACK, WHITE) if facts.captain(player, move) >= 0]
    return _End(word, move, players)


def _show_between(facts: Facts, state: State, one: _End, other: _End) -> Shown:
    players = [player for player in one.players if player in other.players]
    if not players:
        raise UserError(f"{one.text} and {other.text} are of different colours, stones or filled cells: nothing connects them")
    drawn, lines, data = [], [], []
    for player in players:
        x, y = facts.captain(player, one.point), facts.captain(player, other.point)
        if x == y:
            lines.append(f"{NAMES[player]} has joined them already")
            continue
        found = [connection for full in (True, False) for connection in facts.between(player, x, y, full)]
        data += [_connection_data(player, connection) for connection in found]
        drawn += [(player, connection) for connection in found[:1]]
        if not found:
            lines.append(f"{NAMES[player]} has no connection between them, as far as is known")
        for connection in found[:MOST_LISTED]:
            lines.append(f"{NAMES[player]} {'full' if connection.full else 'semi'}: {_carrier_text(connection)}")
        if len(found) > MOST_LISTED:
            lines.append(f"... and {len(found) - MOST_LISTED} more of {NAMES[player]}")
    marks = {**fill_marks(facts), **_carrier_marks(drawn)}
    title = f"Connections between {one.text} and {other.text}"
    lines = fill_legend(facts) + _carrier_legend(marks) + lines
    return shown_on_board("connections", title, state, marks, lines, {"between": [one.text, other.text], "connections": data})


def _show_partners(facts: Facts, state: State, end: _End) -> Shown:
    """The points with which one has a connection; chains are marked on their captains."""
    marks, lines, data = fill_marks(facts), [], []
    for player in end.players:
        x = facts.captain(player, end.point)
        for full in (True, False):
            partners = [y for y in facts.points(player) if y != x and facts.count(player, x, y, full) > 0]
            names = [EDGES[player][y - facts.edges[0]] if y in facts.edges else cell_text(*facts.cell(y)) for y in partners]
            if full and x in facts.edges and x != end.point:
                names.insert(0, EDGES[player][x - facts.edges[0]])  # joined already, by stones or filled cells
            kind = "full" if full else "semi"
            lines.append(f"{NAMES[player]} {kind}: {' '.join(names) or 'none'}")
            data.append({"player": NAMES[player], "kind": kind, "with": names})
            if full:
                for y in partners:
                    if y not in facts.edges:
                        cell = facts.cell(y)
                        marks[cell] = PointMark(BOTH if cell in marks else CARRIER[player], "connected", player)
    title = f"What {end.text} is connected with"
    lines = [*fill_legend(facts), "b by Black's full connections, w by White's, * by both", *lines]
    return shown_on_board("connections", title, state, marks, lines, {"of": end.text, "connected": data})


# -- all of them ---------------------------------------------------------------------------------------------------------------
_SHOWS: dict[str, Callable[[Facts, State, Sequence[str]], Shown]] = {
    "connections": _show_connections,
    "inferior": _show_inferior,
    "fill": _show_fill,
    "mustplay": _show_mustplay,
}
MORE = {"circuit": "tesuji.knowledge.hex.circuit_showing"}  # modules with a function of the same kind, `show`; may be missing
WHATS = (*_SHOWS, *(what for what, module in MORE.items() if find_spec(module) is not None))


def show(_game: Game, state: State, what: str, arguments: Sequence[str] = (), mover: int | None = None) -> Shown:
    """One of WHATS, for the player whose turn it is, or for `mover`."""
    check_can_show(state)
    if arguments and what != "connections":
        raise UserError(f"{what} takes no cells: leave ={','.join(arguments)} out")
    shows = _SHOWS[what] if what in _SHOWS else import_module(MORE[what]).show
    return shows(Facts(state, mover), state, arguments)
