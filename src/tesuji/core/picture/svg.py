"""A position as an SVG picture, from the data of `drawing.py`. It stands alone: no style sheet, no script, nothing to load."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from tesuji.core.files import FileKind
from tesuji.core.picture.canvas import Elements
from tesuji.core.picture.drawing import describe, draw

if TYPE_CHECKING:
    from tesuji.core.position import Position

MARK = '<svg data-tesuji="board"'  # only a file that begins like this is replaced by a new picture
BOARD_FILE = FileKind("a picture of a board", (MARK.encode(),), 1 << 24)
SMALLEST, LARGEST = 300, 760  # pixels across
SCALE = 40  # pixels a unit, between these two
LETTER = 0.2  # the width of a letter of the caption
HEX_RADIUS = 0.577
STONE, DISC, TILE, BOX = 0.47, 0.41, 0.94, 0.9
COLOURS = {
    "black": ("#22252b", "#0b0c0e"),
    "white": ("#fdfdfb", "#6d6a62"),
    "red": ("#c8443b", "#8c2821"),
    "yellow": ("#f0c23b", "#a37b0c"),
    "blue": ("#3a7bc8", "#1f4e87"),
    "orange": ("#e08a2e", "#96560f"),
    "green": ("#4aa36c", "#276641"),
    "purple": ("#8d63c0", "#583787"),
    "pink": ("#e58bb4", "#9c4a70"),
    "grey": ("#9aa0a6", "#5f656b"),
    "brown": ("#96694a", "#5c3d29"),
}
SURFACES = {
    "plain": ("#eef1f4", "#c3cad2"),
    "wood": ("#e3b56b", "#6b4a1c"),
    "rack": ("#2b62b0", "#1b4480"),
    "hex": ("#f3ead6", "#a8997a"),
    "chequered": ("#ecdcb9", "#b99b6b"),
    "paper": ("#fbfaf5", "#8a8f96"),
}
FONT = "system-ui, sans-serif"


class SvgCanvas(Elements):
    def __init__(self) -> None:
        super().__init__(_plain)

    def text(self, x: float, y: float, text: str, size: float, fill: str, **more: Any) -> None:
        self.add("text", text, x=x, y=y + size * 0.36, font_size=size, fill=fill, text_anchor="middle", **more)


def svg_of(position: Position) -> str:
    """The picture of a position; of a game without a board, its text."""
    about, now = describe(position.game), draw(position)
    if about["surface"] == "text":
        return _text_picture(about, now)
    canvas = SvgCanvas()
    places = {place["name"]: place for place in about["places"]}
    _board(canvas, about)
    for piece in now["pieces"]:
        _piece(canvas, about, places[piece["at"]], piece)
    for mark in now["marks"]:
        place = places[mark["at"]]
        canvas.text(place["x"], place["y"], mark["text"], 0.34, "#3d2c10")
    _last_move(canvas, about, now, places)
    left, top, width, height = about["view"]
    caption = _caption(about, now)
    missing = max(0.0, LETTER * len(caption) - width)
    left, width = left - missing / 2, width + missing
    canvas.text(left + width / 2, top + height + 0.3, caption, 0.36, "#6f747b")
    return _whole(canvas, (left, top, width, height + 0.7), f"{about['title']}: {caption}")


def _whole(canvas: SvgCanvas, view: tuple[float, float, float, float], title: str) -> str:
    scale = min(max(SCALE, SMALLEST / view[2]), LARGEST / view[2])
    size = f'width="{_plain(view[2] * scale)}" height="{_plain(view[3] * scale)}"'
    box = " ".join(_plain(n) for n in view)
    head = f'{MARK} xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {size} font-family="{FONT}" role="img">'
    return f"{head}<title>{escape(title)}</title>{''.join(canvas.parts)}</svg>\n"


def _caption(about: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    turn = now["result"] if now["over"] else "" if about["puzzle"] else f"{about['players'][now['to_play']]['name']} to move"
    return ", ".join(part for part in (now["caption"], turn) if part) or about["title"]


def _board(canvas: SvgCanvas, about: Mapping[str, Any]) -> None:
    face, line = SURFACES[about["surface"]]
    if about["ground"] is not None:
        x, y, width, height = about["ground"]
        canvas.add("rect", x=x, y=y, width=width, height=height, rx=0.12, fill=face, stroke=line, stroke_width=0.03)
    for side in about["borders"]:
        outline = " ".join(f"{_plain(x)},{_plain(y)}" for x, y in side["outline"])
        fill, edge = COLOURS[about["players"][side["player"]]["colour"]]
        canvas.add("polygon", points=outline, fill=fill, stroke=edge, stroke_width=0.03)
    for place in about["places"]:
        _place(canvas, about["surface"], place, face, line)
    for name, opacity in (("faint_lines", 0.35), ("lines", None)):
        for x1, y1, x2, y2 in about[name]:
            canvas.add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=line, stroke_width=0.03, stroke_opacity=opacity)
    for x, y in about["dots"]:
        canvas.add("circle", cx=x, cy=y, r=0.09, fill=line)
    for label in about["labels"]:
        canvas.text(label["x"], label["y"], label["text"], 0.34, "#7d838a")


def _place(canvas: SvgCanvas, surface: str, place: Mapping[str, Any], face: str, line: str) -> None:
    x, y, shape = place["x"], place["y"], place["shape"]
    if shape == "hex":
        canvas.add("polygon", points=hexagon(x, y), fill=face, stroke=line, stroke_width=0.03)
    elif shape == "cell" and surface == "rack":
        canvas.add("circle", cx=x, cy=y, r=DISC, fill="#e9eef6")
    elif shape == "cell":
        dark = surface == "chequered" and (place["row"] + place["column"]) % 2
        canvas.add(
            "rect", x=x - 0.5, y=y - 0.5, width=1, height=1, fill="#d9c294" if dark else face, stroke=line, stroke_width=0.02
        )
    elif shape in ("across", "down"):
        _edge(canvas, place, line, 0.03, stroke_dasharray="0.06 0.1")


def _edge(canvas: SvgCanvas, place: Mapping[str, Any], stroke: str, width: float, **more: Any) -> None:
    """A line along a place that is an edge, across or down."""
    x, y = place["x"], place["y"]
    dx, dy = (0.5, 0) if place["shape"] == "across" else (0, 0.5)
    canvas.add("line", x1=x - dx, y1=y - dy, x2=x + dx, y2=y + dy, stroke=stroke, stroke_width=width, **more)


def hexagon(x: float, y: float) -> str:
    """A cell of Hex with a corner at the top, as SVG writes its corners."""
    half = HEX_RADIUS / 2
    corners = ((0, -HEX_RADIUS), (0.5, -half), (0.5, half), (0, HEX_RADIUS), (-0.5, half), (-0.5, -half))
    return " ".join(f"{_plain(x + dx)},{_plain(y + dy)}" for dx, dy in corners)


def _piece(canvas: SvgCanvas, about: Mapping[str, Any], place: Mapping[str, Any], piece: Mapping[str, Any]) -> None:
    x, y, shape = place["x"], place["y"], piece["shape"]
    colour = piece["colour"] or about["players"][piece["player"]]["colour"]
    fill, edge = COLOURS[colour]
    opacity = 0.35 if piece.get("faded") else None
    if shape in ("stone", "disc"):
        radius = STONE if shape == "stone" else DISC
        canvas.add("circle", cx=x, cy=y, r=radius, fill=fill, stroke=edge, stroke_width=0.03, opacity=opacity)
    elif shape == "tile":
        side = BOX if place["shape"] == "box" else TILE
        canvas.add("rect", x=x - side / 2, y=y - side / 2, width=side, height=side, rx=0.1, fill=fill, opacity=opacity)
    elif shape == "line":
        _edge(canvas, place, fill, 0.12, stroke_linecap="round")
    elif piece["sign"] == "x":
        for sign in (1, -1):
            canvas.add("line", x1=x - 0.28, y1=y - 0.28 * sign, x2=x + 0.28, y2=y + 0.28 * sign, stroke=fill, stroke_width=0.14)
    else:
        canvas.add("circle", cx=x, cy=y, r=0.3, fill="none", stroke=fill, stroke_width=0.13)
    if piece["sign"] and shape != "glyph":
        canvas.text(x, y, piece["sign"], 0.42, "#ffffff" if colour not in ("white", "yellow") else "#222222", opacity=opacity)


def _last_move(canvas: SvgCanvas, about: Mapping[str, Any], now: Mapping[str, Any], places: Mapping[str, Any]) -> None:
    last = now["last"]
    if last is None or not last["at"]:
        return
    spots = [places[name] for name in last["at"]]
    if about["input"] == "from-to":
        here, there = spots[0], spots[-1]
        canvas.add(
            "line", x1=here["x"], y1=here["y"], x2=there["x"], y2=there["y"], stroke="#d0342c", stroke_width=0.08, opacity=0.55
        )
    elif spots[0]["shape"] in ("across", "down"):
        _edge(canvas, spots[0], "#d0342c", 0.05)
    elif not about["puzzle"]:  # there, what was moved is gone
        has_sign = any(piece["sign"] and piece["at"] == spots[0]["name"] for piece in now["pieces"])
        radius = 0.46 if has_sign else 0.17  # around a sign, or within the piece
        canvas.add("circle", cx=spots[0]["x"], cy=spots[0]["y"], r=radius, fill="none", stroke="#d0342c", stroke_width=0.07)


def _text_picture(about: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    canvas = SvgCanvas()
    rows = [*now["text"].split("\n"), "", _caption(about, now)]
    for number, row in enumerate(rows):
        look: dict[str, Any] = {"font_family": "monospace", "fill": "#5f656b", "xml:space": "preserve"}
        canvas.add("text", row or " ", x=0.5, y=1 + number * 0.6, font_size=0.45, **look)
    width = max(6.0, 0.29 * max(len(row) for row in rows) + 1)
    return _whole(canvas, (0, 0, width, len(rows) * 0.6 + 1), f"{about['title']}: {_caption(about, now)}")


def _plain(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
