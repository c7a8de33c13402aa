"""How a position looks, as plain data, from which the page in the browser and the pictures in notebooks are drawn.

A game declares a `Picture`: where its places are in the plane, which lines and labels surround them, which pieces stand where,
and at which places a move happens. Drawing it takes no rules: `describe` returns what stays the same all game long, `draw`
what belongs to one position, its legal moves included. Both are dictionaries that JSON can hold.

One unit is the distance of two neighbouring places; x grows to the right and y downwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tesuji.core import rules
from tesuji.core.words import end_text

if TYPE_CHECKING:
    from tesuji.core.game import Game, State
    from tesuji.core.position import Position

Spot = tuple[float, float]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SHAPES = ("point", "cell", "hex", "across", "down", "box")  # a place; across and down are edges of length 1
PIECES = ("stone", "disc", "glyph", "tile", "line")  # what a piece is drawn as
INPUTS = ("place", "from-to", "text")  # a move is a click on one of its places, on two one after the other, or a button
COLOURS = ("black", "white", "red", "yellow", "blue", "orange", "green", "purple", "pink", "grey", "brown")
SURFACES = ("plain", "wood", "rack", "hex", "chequered", "paper", "text")


@dataclass(frozen=True)
class BoardPlace:
    """Where a piece may stand or a move happen. Row and column are for the arrow keys and for screen readers."""

    name: str
    x: float
    y: float
    row: int
    column: int
    shape: str = "cell"


@dataclass(frozen=True)
class Piece:
    at: str
    player: int | None = None  # whose it is; None = nobody's, and `colour` says how it looks
    colour: str = ""
    sign: str = ""  # shown on it, so that nothing is told by colour alone
    shape: str = "stone"
    faded: bool = False  # captured by the last move, and still shown


@dataclass(frozen=True)
class Mark:
    """A short text at a place: the name of a liberty, say."""

    at: str
    text: str


@dataclass(frozen=True)
class Label:
    """A coordinate beside the board."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Border:
    """A side of the board that belongs to a player."""

    player: int
    name: str
    outline: tuple[Spot, ...]


@dataclass(frozen=True)
class Picture:
    """How a game is drawn. The functions are ordinary Python and are never compiled."""

    surface: str
    left: float  # the corner of the whole picture, labels included, and its size
    top: float
    width: float
    height: float
    places: tuple[BoardPlace, ...]
    pieces: Callable[[Position], Iterable[Piece]]
    at: Callable[[State, int], Sequence[str]]  # the places of a legal move; none for a pass and the like
    area: Callable[[State, int], Sequence[str]] | None = None  # where a click means the move, if not just at its places
    marks: Callable[[Position], Iterable[Mark]] | None = None
    caption: Callable[[Position], str] | None = None  # the score so far, in words
    won: Callable[[Position], Iterable[str]] | None = None  # at the end: the places by which it is won, a row or a chain
    territory: Callable[[State], Iterable[tuple[str, int]]] | None = None  # at the end: empty places, and whose they are
    input: str = "place"
    colours: tuple[str, str] = ("black", "white")
    signs: tuple[str, str] = ("●", "○")
    ground: tuple[float, float, float, float] | None = None  # the surface: left, top, width and height; None = no surface
    lines: tuple[tuple[float, float, float, float], ...] = ()
    faint_lines: tuple[tuple[float, float, float, float], ...] = ()  # where the board goes on beyond the picture
    dots: tuple[Spot, ...] = ()
    labels: tuple[Label, ...] = ()
    borders: tuple[Border, ...] = ()


def picture_of(game: Game) -> Picture | None:
    """The game's own picture; else a grid, if the game declares a `Board`; None for a game that can only be written."""
    if game.picture is not None:
        return game.picture
    return None if game.board is None else board_picture(game)


# -- plain data --------------------------------------------------------------------------------------------------------
def describe(game: Game) -> dict[str, Any]:
    """What stays the same all game long."""
    picture = picture_of(game)
    description: dict[str, Any] = {
        "game": game.name,
        "title": game.title or game.name,
        "puzzle": game.players == 1,
        "outcomes": [game.in_points(outcome) for outcome in game.outcomes],
        "players": [
            {"name": name, "colour": colour, "sign": sign}
            for name, colour, sign in zip(
                game.player_names,
                picture.colours if picture else ("blue", "orange"),
                picture.signs if picture else ("●", "○"),
                strict=True,
            )
        ][: game.players],
        "input": picture.input if picture else "text",
        "surface": picture.surface if picture else "text",
    }
    if picture is None:
        nothing = {name: [] for name in ("places", "lines", "faint_lines", "dots", "labels", "borders")}
        return description | {"view": [0, 0, 0, 0], "ground": None} | nothing
    return description | {
        "view": [_short(n) for n in (picture.left, picture.top, picture.width, picture.height)],
        "ground": None if picture.ground is None else [_short(n) for n in picture.ground],
        "places": [
            {"name": p.name, "x": _short(p.x), "y": _short(p.y), "row": p.row, "column": p.column, "shape": p.shape}
            for p in picture.places
        ],
        "lines": [[_short(n) for n in line] for line in picture.lines],
        "faint_lines": [[_short(n) for n in line] for line in picture.faint_lines],
        "dots": [[_short(n) for n in dot] for dot in picture.dots],
        "labels": [{"x": _short(label.x), "y": _short(label.y), "text": label.text} for label in picture.labels],
        "borders": [
            {"player": side.player, "name": side.name, "outline": [[_short(x), _short(y)] for x, y in side.outline]}
            for side in picture.borders
        ],
    }


def draw(position: Position, with_moves: bool = True) -> dict[str, Any]:
    """What belongs to this position: pieces, the places of the last move, every legal move with its text and places."""
    game, state = position.game, position.state
    picture = picture_of(game)
    over = position.is_over
    return {
        "to_play": None if over else int(rules.to_play(state)),
        "over": over,
        "result": end_text(game, int(rules.outcome(state))) if over else "",
        "ply": len(position.moves),
        "last": _last(position, picture),
        "pieces": [_piece(piece) for piece in picture.pieces(position)] if picture else [],
        "marks": [{"at": m.at, "text": m.text} for m in picture.marks(position)] if picture and picture.marks else [],
        "caption": picture.caption(position) if picture and picture.caption else "",
        "won": list(picture.won(position)) if over and picture and picture.won else [],
        "territory": territory_of(game, state) if over else [],
        "text": "" if picture else game.drawing(state),
        "moves": [_move(game, picture, state, number) for number in (game.legal_moves(state) if with_moves else [])],
    }


def territory_of(game: Game, state: State) -> list[dict[str, Any]]:
    """The empty places of a position at the end of a game, and whose points they are."""
    picture = picture_of(game)
    if picture is None or picture.territory is None:
        return []
    return [{"at": name, "player": player} for name, player in picture.territory(state)]


def _piece(piece: Piece) -> dict[str, Any]:
    data = {"at": piece.at, "player": piece.player, "colour": piece.colour, "sign": piece.sign, "shape": piece.shape}
    return data | ({"faded": True} if piece.faded else {})


def _move(game: Game, picture: Picture | None, state: State, number: int) -> dict[str, Any]:
    """A move. `area` is left out where it is just the move's own places."""
    data: dict[str, Any] = {"text": game.text(state, number), "at": list(picture.at(state, number)) if picture else []}
    if picture and picture.area is not None:
        data["area"] = list(picture.area(state, number))
    return data


def _last(position: Position, picture: Picture | None) -> dict[str, Any] | None:
    if not position.moves:
        return None
    before = position.before
    number = position.move_numbers[-1]
    at = list(picture.at(before, number)) if picture else []
    return {"text": position.moves[-1], "player": int(rules.to_play(before)), "at": at}


def _short(value: float) -> float:
    """Three digits are plenty, and whole numbers stay short."""
    value = round(value, 3)
    return int(value) if value == int(value) else value


# -- grids -------------------------------------------------------------------------------------------------------------
MARGIN = 0.85  # beside the outermost places, with labels


def board_picture(game: Game) -> Picture:
    """The grid of a game that declares a `Board` and nothing else. Places are named by column letter and row number."""
    board = game.board
    assert board is not None
    rows = range(board.rows) if board.from_top else range(board.rows - 1, -1, -1)
    height_of = {row: number for number, row in enumerate(rows)}

    def name(point: tuple[int, int]) -> str:
        return f"{column_name(point[0])}{point[1] + 1}"

    def pieces(position: Position) -> Iterable[Piece]:
        for point, player in board.stones(position.state).items():
            yield Piece(name(point), player, shape="disc")

    def at(state: State, move: int) -> Sequence[str]:
        point = board.point(state, move)
        inside = point is not None and 0 <= point[0] < board.columns and 0 <= point[1] < board.rows
        return (name(point),) if inside and point is not None else ()

    places = [
        BoardPlace(name((column, row)), column, height_of[row], height_of[row], column)
        for row in rows
        for column in range(board.columns)
    ]
    return Picture(
        "plain",
        *frame(board.columns, board.rows),
        places=tuple(places),
        pieces=pieces,
        at=at,
        colours=("blue", "orange"),
        ground=(-0.5, -0.5, board.columns, board.rows),
        labels=tuple(grid_labels([column_name(column) for column in range(board.columns)], [str(row + 1) for row in rows])),
    )


def column_name(column: int) -> str:
    """a .. z, then aa, ab ..."""
    return LETTERS[column] if column < 26 else LETTERS[column // 26 - 1] + LETTERS[column % 26]


def frame(columns: int, rows: int) -> tuple[float, float, float, float]:
    """Left, top, width and height of a picture of a grid whose first place is at (0, 0)."""
    return -MARGIN - 0.25, -0.75, columns + 2 * MARGIN - 0.75, rows + MARGIN - 0.1


def grid_labels(columns: Sequence[str], rows: Sequence[str], beside: float = 0.8, below: float = 0.74) -> Iterable[Label]:
    """Coordinates at the left and below, so far from the outermost places; rows are named from the top."""
    for column, text in enumerate(columns):
        yield Label(column, len(rows) - 1 + below, text)
    for row, text in enumerate(rows):
        yield Label(-beside, row, text)


def grid_lines(columns: int, rows: int) -> tuple[tuple[float, float, float, float], ...]:
    """The lines of a board whose pieces stand on their crossings."""
    across = [(0.0, float(row), columns - 1.0, float(row)) for row in range(rows)]
    return (*across, *[(float(column), 0.0, float(column), rows - 1.0) for column in range(columns)])
