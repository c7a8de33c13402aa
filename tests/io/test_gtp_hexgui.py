"""What HexGui asks of the engine's knowledge, in the forms that it reads."""

from __future__ import annotations

import re

import pytest
from gtp_helpers import Session

PLAYER = "uct:playouts=4,memory=4,policy=uniform"
BRIDGE = "hex:5:5/2b2/5/1b3/2w2:w"  # Black wins by the bridge of c2 and b4
CELL = r"(?:[a-s][0-9]+|north|south|west|east)"
LABEL = re.compile(rf"{CELL} (?:f[dc][bw]|i[rd]\[{CELL}\]|x)")
CONNECTION = re.compile(rf"(?:black|white) {CELL} {CELL} (?:full|semi) \S+ \[(?: {CELL})* \] \[ \](?: {CELL})?")


@pytest.fixture
def session(pure_gtp):
    return Session(BRIDGE, PLAYER)


def labels(text: str) -> dict[str, str]:
    words = text.split()
    pairs = dict(zip(words[::2], words[1::2], strict=True))
    assert all(LABEL.fullmatch(f"{cell} {label}") for cell, label in pairs.items())
    return pairs


def test_menu(session):
    lines = session.ok("hexgui-analyze_commands").splitlines()
    known = session.ok("list_commands").splitlines()
    assert all(line.split("/")[2].split()[0] in known for line in lines)
    assert {line.split("/")[0] for line in lines} >= {"inferior", "vc", "plist", "string"}
    offered = {line.split("/")[2].split()[0] for line in lines}
    assert {
        "compute-fillin",
        "compute-inferior",
        "vc-build",
        "vc-between-cells-full",
        "vc-get-mustplay",
        "solve-state",
    } <= offered


def test_other_games_have_none_of_it(pure_gtp):
    go = Session("go:5", PLAYER)
    for name in ("compute-fillin", "vc-build", "vc-between-cells", "solve-state", "dfpn-solve-state"):
        assert go.ok(f"known_command {name}") == "false"


def test_cells(session):
    filled = labels(session.ok("compute-fillin white"))
    assert (filled["c1"], filled["b5"], filled["a3"], filled["a4"]) == ("fcb", "fcb", "fcw", "fcw")
    assert set(filled.values()) <= {"fcb", "fcw", "fdb", "fdw"}
    inferior = labels(session.ok("compute-inferior w"))
    assert filled.items() < inferior.items()
    rest = {label[:2] for cell, label in inferior.items() if cell not in filled}
    assert rest == {"ir", "id"}
    reversible, dominated = (labels(session.ok(f"compute-{kind} w")) for kind in ("reversible", "dominated"))
    assert reversible | dominated == inferior and reversible.items() & dominated.items() == filled.items()
    assert labels(session.ok("vc-build w")) == inferior, "the game is decided: no cell is outside"
    assert labels(session.ok("vc-get-mustplay")) == filled


def test_cells_to_consider(pure_gtp):
    session = Session("hex:4", PLAYER)
    session.ok("play b a4")
    outside = {cell for cell, label in labels(session.ok("vc-get-mustplay w")).items() if label == "x"}
    assert len(outside) == 14 and "c1" not in outside
    built = labels(session.ok("vc-build w"))
    assert "c1" not in built and len(built) == 14
    assert session.ok("vc-build w") != session.ok("vc-build b"), "for Black it is another matter"


def test_connections(session):
    full = session.ok("vc-between-cells-full black c2 b4").splitlines()
    assert full == ["black c2 b4 full h-search [ b3 c3 ] [ ]"]
    semi = session.ok("vc-between-cells-semi c2 b4 b").splitlines()
    assert semi == ["black c2 b4 semi h-search [ b3 ] [ ] b3", "black c2 b4 semi h-search [ c3 ] [ ] c3"]
    assert session.ok("vc-between-cells c2 b4 black 0").splitlines() == full
    assert session.ok("vc-between-cells north south black semi").count("semi") == 2
    assert session.ok("vc-between-cells-full white b3 d3") == "" or all(
        CONNECTION.fullmatch(line) for line in session.ok("vc-between-cells-full white b3 d3").splitlines()
    )
    partners = session.ok("vc-connected-to-full b c2").split()
    assert "south" in partners and "c3" in partners
    assert session.ok("vc-connected-to c2 black 0").split() == partners
    assert all(re.fullmatch(CELL, word) for word in session.ok("vc-connected-to-semi w c5").split())


def test_solving(pure_gtp):
    session = Session("hex:2", "tesuji:playouts=200,memory=4,policy=uniform")
    assert session.ok("solve-state") == "black"
    assert session.ok("solve-state white") == "white"
    session.ok("play b a1")
    assert session.ok("dfpn-solve-state white") == "white"
    assert session.ok("solve-state black") == "black"
    assert Session("hex:5", "tesuji:playouts=2,memory=4,policy=uniform").ok("solve-state b") == "unknown"
    assert "solver=off proves nothing" in Session("hex:5", PLAYER).fails("solve-state b")


def test_bad_input(session):
    assert "'f6' is no cell" in session.fails("vc-between-cells-full b f6 a1")
    assert "'zz' is no cell" in session.fails("vc-connected-to-full w zz")
    assert session.fails("vc-between-cells-full b a1") == "syntax error: vc-between-cells-full COLOUR CELL CELL"
    assert session.fails("vc-between-cells-full c1 b4 a1") == "syntax error: one colour, b, black, w or white"
    assert session.fails("vc-connected-to a1 b 2") == "syntax error: the type is 0 or full, 1 or semi, not '2'"
    assert "different colours" in session.fails("vc-between-cells-full b c2 c5")
    assert "a colour is b, black, w or white" in session.fails("vc-build green")
    session.ok("tesuji-param solver bounds")
    assert "a colour is" in session.fails("solve-state green")
    session.ok("boardsize 1")
    session.ok("play b a1")
    for command in ("vc-build b", "compute-fillin b", "vc-connected-to-full b a1", "solve-state"):
        assert "over" in session.fails(command)
    swap = Session("hex:3:swap=on", PLAYER)
    swap.ok("play b b2")
    assert "may be a swap" in swap.fails("compute-inferior w")
    assert "may be a swap" in swap.fails("vc-between-cells-full b a1 c3")
