"""What HexGui asks for: its analyze menu, and what is known of a position, under the names of benzene's commands.

Answers are in the forms that HexGui draws. `inferior`: pairs of a cell and a word. That is fd or fc and b or w for a cell
that is filled in because it is dead or captured, ir[CELL] for a reversible one with its answer, id[CELL] for a dominated one,
x for one outside the cells to consider. `vc`: a line for each connection: colour, ends, full or semi, rule, carrier, key.
"""

from __future__ import annotations

from collections.abc import Collection

from tesuji.core.game import State
from tesuji.core.picture.board import Point
from tesuji.io.gtp.commands import command, find, needs_hexgui
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.protocol import COLOUR_NAMES, COLOURS, GtpError
from tesuji.knowledge.overlays import Overlay, PointMark, overlay, overlay_names

MENU = (
    "gfx/Search/tesuji-search-gfx",
    "varc/Expected Line/tesuji-pv %c",
    "hstring/Search Table/tesuji-search",
    "param/Search Parameters/param_tesuji",
    "plist/Legal Moves/all_legal %c",
    "string/Final Score/final_score",
    "string/Solve/solve-state %m",
    "inferior/Fill-In/compute-fillin %m",
    "inferior/Inferior Cells/compute-inferior %m",
    "inferior/Reversible Cells/compute-reversible %m",
    "inferior/Dominated Cells/compute-dominated %m",
    "inferior/Connections: Moves to Consider/vc-build %m",
    "inferior/Connections: Must-Play/vc-get-mustplay %m",
    "vc/Connections: Full, Between Cells/vc-between-cells-full %c %P",
    "vc/Connections: Semi, Between Cells/vc-between-cells-semi %c %P",
    "plist/Connections: Full, of a Cell/vc-connected-to-full %c %P",
    "plist/Connections: Semi, of a Cell/vc-connected-to-semi %c %P",
)
FILL_IN = {"dead": "fd", "captured": "fc", "cut off": "fd"}
INFERIOR = {"reversible": "ir", "dominated": "id"}
OUTSIDE = "x"
EDGES = {"top": "north", "bottom": "south", "left": "west", "right": "east"}  # our word -> HexGui's
KINDS = {"0": "full", "full": "full", "1": "semi", "semi": "semi"}
RULE = "h-search"  # HexGui shows it, and wants a word


def needs_knowledge(engine: Engine) -> bool:
    return needs_hexgui(engine) and {"fill", "inferior", "mustplay", "connections"} <= set(overlay_names(engine.game))


@command("hexgui-analyze_commands", needs=needs_hexgui)
def analyze_commands(engine: Engine, _words: list[str]) -> str:
    return "\n".join(line for line in MENU if find(engine, line.split("/")[2].split()[0]) is not None)


# -- cells -------------------------------------------------------------------------------------------------------------------
def _overlay(engine: Engine, request: str, words: list[str]) -> Overlay:
    """What is known now; for the colour in the words, if there is one, as if it were its turn."""
    return overlay(engine.game, engine.state, request, engine.colour(words[0]) if words else None)


def _labels(engine: Engine, found: Overlay, kinds: Collection[str], consider: Collection[str] | None = None) -> str:
    """The marks of these kinds; and all other empty cells that are not among those to consider."""
    board = engine.game.board
    assert board is not None
    labels = {cell: _label(engine, mark) for cell, mark in found.marks.items() if mark.kind in kinds}
    if consider is not None:
        labels |= {
            cell: OUTSIDE for cell in _empty(engine, engine.state) if cell not in labels and board.name(cell) not in consider
        }
    ordered = sorted(labels, key=lambda cell: cell[::-1])
    return " ".join(f"{board.name(cell)} {labels[cell]}" for cell in ordered)


def _label(engine: Engine, mark: PointMark) -> str:
    board = engine.game.board
    assert board is not None
    if mark.kind in FILL_IN:
        return FILL_IN[mark.kind] + COLOUR_NAMES[mark.player or 0][0]
    return f"{INFERIOR[mark.kind]}[{board.name(mark.by) if mark.by is not None else ''}]"


def _empty(engine: Engine, state: State) -> list[Point]:
    board = engine.game.board
    assert board is not None
    stones = board.stones(state)
    return [(column, row) for row in range(board.rows) for column in range(board.columns) if (column, row) not in stones]


@command("compute-fillin", "[COLOUR]", needs=needs_knowledge)
def compute_fillin(engine: Engine, words: list[str]) -> str:
    """The cells that may be filled in. They are the same for both colours."""
    return _labels(engine, _overlay(engine, "fill", words), FILL_IN)


@command("compute-inferior", "[COLOUR]", needs=needs_knowledge)
def compute_inferior(engine: Engine, words: list[str]) -> str:
    """These, and the cells that the colour need not consider."""
    return _labels(engine, _overlay(engine, "inferior", words), (*FILL_IN, *INFERIOR))


@command("compute-reversible", "[COLOUR]", needs=needs_knowledge)
def compute_reversible(engine: Engine, words: list[str]) -> str:
    return _labels(engine, _overlay(engine, "inferior", words), (*FILL_IN, "reversible"))


@command("compute-dominated", "[COLOUR]", needs=needs_knowledge)
def compute_dominated(engine: Engine, words: list[str]) -> str:
    return _labels(engine, _overlay(engine, "inferior", words), (*FILL_IN, "dominated"))


@command("vc-build", "[COLOUR]", needs=needs_knowledge)
def vc_build(engine: Engine, words: list[str]) -> str:
    """Inferior cells; and those outside the must-play region, unless the game is decided."""
    moves = _overlay(engine, "mustplay", words).data
    consider = moves["consider"] if moves["winner"] is None else None
    return _labels(engine, _overlay(engine, "inferior", words), (*FILL_IN, *INFERIOR), consider)


@command("vc-get-mustplay", "[COLOUR]", needs=needs_knowledge)
def vc_get_mustplay(engine: Engine, words: list[str]) -> str:
    """Filled cells, and those outside the must-play region, unless the game is decided."""
    found = _overlay(engine, "mustplay", words)
    region = found.data["mustplay"] if found.data["winner"] is None else None
    return _labels(engine, found, FILL_IN, region)


# -- connections ---------------------------------------------------------------------------------------------------------------
def _between(engine: Engine, words: list[str], kind: str) -> str:
    player, (one, other) = _colour_and_cells(engine, words)
    found = overlay(engine.game, engine.state, f"connections={one},{other}").data["connections"]
    lines = []
    for connection in found:
        key = [] if connection["key"] is None else [connection["key"]]
        if (connection["player"], connection["kind"]) == (engine.game.player_names[player], kind) and len(key) == (
            kind == "semi"
        ):
            carrier = " ".join(["[", *connection["carrier"], "]"])
            lines.append(" ".join([COLOUR_NAMES[player], one, other, kind, RULE, carrier, "[ ]", *key]))
    return "\n" + "\n".join(lines) if lines else ""


def _connected(engine: Engine, words: list[str], kind: str) -> str:
    player, (cell,) = _colour_and_cells(engine, words)
    found = overlay(engine.game, engine.state, f"connections={cell}").data["connected"]
    names = [
        EDGES.get(str(name), str(name))
        for one in found
        if (one["player"], one["kind"]) == (engine.game.player_names[player], kind)
        for name in one["with"]
    ]
    return " ".join(names)


def _colour_and_cells(engine: Engine, words: list[str]) -> tuple[int, list[str]]:
    """HexGui has had the colour in front and behind."""
    colours = [word for word in words if word.lower() in COLOURS]
    if len(colours) != 1:
        raise GtpError("syntax error: one colour, b, black, w or white")
    return engine.colour(colours[0]), [word.lower() for word in words if word not in colours]


def _kind(text: str) -> str:
    if text.lower() not in KINDS:
        raise GtpError(f"syntax error: the type is 0 or full, 1 or semi, not {text[:40]!r}")
    return KINDS[text.lower()]


@command("vc-between-cells-full", "COLOUR CELL CELL", needs=needs_knowledge)
def vc_between_cells_full(engine: Engine, words: list[str]) -> str:
    return _between(engine, words, "full")


@command("vc-between-cells-semi", "COLOUR CELL CELL", needs=needs_knowledge)
def vc_between_cells_semi(engine: Engine, words: list[str]) -> str:
    return _between(engine, words, "semi")


@command("vc-between-cells", "CELL CELL COLOUR TYPE", needs=needs_knowledge)
def vc_between_cells(engine: Engine, words: list[str]) -> str:
    """The older form."""
    return _between(engine, words[:3], _kind(words[3]))


@command("vc-connected-to-full", "COLOUR CELL", needs=needs_knowledge)
def vc_connected_to_full(engine: Engine, words: list[str]) -> str:
    return _connected(engine, words, "full")


@command("vc-connected-to-semi", "COLOUR CELL", needs=needs_knowledge)
def vc_connected_to_semi(engine: Engine, words: list[str]) -> str:
    return _connected(engine, words, "semi")


@command("vc-connected-to", "CELL COLOUR TYPE", needs=needs_knowledge)
def vc_connected_to(engine: Engine, words: list[str]) -> str:
    return _connected(engine, words[:2], _kind(words[2]))


# -- solving -------------------------------------------------------------------------------------------------------------------
@command("solve-state", "[COLOUR]", needs=needs_hexgui)
@command("dfpn-solve-state", "[COLOUR]", needs=needs_hexgui)
def solve_state(engine: Engine, words: list[str]) -> str:
    """Who wins if that colour moves, proven by the engine's own search within its limits of a move; else `unknown`."""
    if engine.played.position.is_over:
        raise GtpError("the game is over")
    if engine.player.settings_for(engine.game).get("solver") == "off":
        raise GtpError("solver=off proves nothing; tesuji-param solver bounds")
    search = engine.search_at(engine.turned_to(engine.colour(words[0]) if words else engine.played.to_move))
    search.prepare()
    result = engine.run(search, engine.limits()) if engine.player.alphabeta else engine.run_on(search, engine.limits())
    if result.lower < result.upper or result.lower == 0:
        return "unknown"
    return COLOUR_NAMES[0 if result.lower > 0 else 1]
