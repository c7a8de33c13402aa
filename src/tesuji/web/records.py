"""Between the game tree of a tab and SGF: variations, comments, analyses, and whatever else a file holds.

Analyses are written as TESUJIVALUE, a JSON object with the keys of a summary (docs/web-protocol.md), and as SBKV, Sabaki's
property: Black's chance in per cent. Both are read, and so is LZ of Lizzie: version, the chance in per cent of the player
who has just moved, playouts, then details that are left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tesuji.core import rules
from tesuji.core.arguments import finite
from tesuji.core.errors import UserError
from tesuji.core.files import GZIP, unpack_gzip
from tesuji.core.game import Game
from tesuji.core.limits import MOST_PLAYOUTS
from tesuji.core.position import Position
from tesuji.io.sgf import Record, parse_sgf, sgf_text
from tesuji.io.sgf.record import Turn
from tesuji.io.sgf.text import decode, escaped, simple_text_of, text_of
from tesuji.io.sgf.tree import SGF
from tesuji.io.sgf.variations import Variation, read_tree, tree_of
from tesuji.web.gametree import LONGEST_COMMENT, ROOT, GameTree

OWN, SABAKI, LIZZIE = "TESUJIVALUE", "SBKV", "LZ"
_LIZZIE = re.compile(r"\S+ (-?\d+(?:\.\d+)?) (\d+(?:\.\d+)?)([kKmM]?)(?:\s|$)")
INFO = {  # what a file says of the whole game: as the page names it, and as SGF does
    "black": "PB",
    "white": "PW",
    "date": "DT",
    "event": "EV",
    "round": "RO",
    "place": "PC",
    "title": "GN",
    "rules": "RU",
    "result": "RE",
}
TEXTS = ("best", "outcome", "player")
NUMBERS = ("value", "chance", "lower", "upper")


# -- reading -----------------------------------------------------------------------------------------------------------
def open_sgf(given: str | bytes, name: str, number: int, own: Game | None) -> tuple[GameTree, Record, int]:
    """The same for a file as it is: in any character set, and maybe packed by gzip."""
    if isinstance(given, bytes):
        given = decode(unpack_gzip(given, name, SGF) if given.startswith(GZIP) else given)
    return read_sgf(given, name, number, own)


def read_sgf(text: str, name: str, number: int, own: Game | None) -> tuple[GameTree, Record, int]:
    """The tree of a game of a file, its record, and how many games there are. `own` is a game of someone's own that a record
    may be about; it is the command line's."""
    trees = parse_sgf(text, name)
    if not 1 <= number <= len(trees):
        raise UserError(f"{name} has {len(trees)} games: there is no game {number}")
    root = trees[number - 1]
    label = number if len(trees) > 1 else None
    from tesuji.io.sgf.conversion import PRIVATE, is_users_own

    given = own if own is not None and is_users_own(root.simple_text(PRIVATE)) else None
    found = read_tree(root, name, label, given)
    record = found.record
    tree = GameTree(Position(record.game, record.start))
    places: list[int] = []  # of each node of the file: its last node in the tree
    for variation in found.nodes:
        at = ROOT if variation.parent < 0 else places[variation.parent]
        nodes = [_add(tree, at, turn) for turn in variation.turns[:1]]
        for turn in variation.turns[1:]:
            nodes.append(_add(tree, nodes[-1], turn))
        if not nodes:
            nodes = [at if variation.parent < 0 else tree.add(at).id]
        places.append(nodes[-1])
        node = tree[nodes[-1]]
        node.comment = variation.comment[:LONGEST_COMMENT]
        node.properties = variation.properties
    for place in places:
        tree[place].analysis = read_analysis(tree, place)
    tree.go_to(tree.line()[-1])
    tree.is_new = True
    return tree, record, len(trees)


def take_info(tree: GameTree, record: Record) -> dict[str, str]:
    """What the file says of the game, by the names of INFO, and its handicap; the root does not keep it as well."""
    properties = tree[ROOT].properties
    found = {name: simple_text_of((properties.pop(sgf, None) or [""])[0]).strip() for name, sgf in INFO.items()}
    found |= {name: getattr(record, name) for name in ("black", "white", "date", "rules", "result")}
    found["handicap"] = str(record.handicap or "")
    return {name: text for name, text in found.items() if text}


def _add(tree: GameTree, parent: int, turn: Turn) -> int:
    if turn.move is None:
        return tree.add(parent, setup=Position(tree.game, turn.position)).id
    position = tree.position(parent)
    text = tree.game.text(position.state, turn.move)
    return tree.add(parent, move=text, number=turn.move, mover=turn.player).id


def read_analysis(tree: GameTree, number: int) -> dict[str, Any] | None:
    """What the properties of a node say of its position; None if they say nothing that can be read."""
    properties = tree[number].properties
    names = [name for name in (OWN, SABAKI, LIZZIE) if properties.get(name)]
    if not names:
        return None
    position = tree.position(number)
    if position.is_over or position.game.players == 1:
        return None
    mover = int(rules.to_play(position.state))
    if OWN in names:
        found = _own_summary(text_of(properties[OWN][0]), mover)
        if found is not None:
            return found
    if SABAKI in names:
        share = finite(properties[SABAKI][0])
        if share is not None and 0.0 <= share <= 100.0:
            return _summary(mover, share / 100.0 if mover == rules.FIRST else 1.0 - share / 100.0, 0, SABAKI)
    if LIZZIE in names:
        return _lizzie_summary(text_of(properties[LIZZIE][0]), mover)
    return None


def _lizzie_summary(text: str, mover: int) -> dict[str, Any] | None:
    match = _LIZZIE.match(text)
    if match is None:
        return None
    share, playouts = float(match[1]), float(match[2]) * {"": 1, "k": 1_000, "m": 1_000_000}[match[3].lower()]
    if not 0.0 <= share <= 100.0 or not playouts < MOST_PLAYOUTS:
        return None
    return _summary(mover, 1.0 - share / 100.0, round(playouts), LIZZIE)


def _summary(mover: int, chance: float, playouts: int, player: str) -> dict[str, Any]:
    unknown = {"value": None, "best": None, "lower": None, "upper": None, "proven": False, "outcome": "unknown", "top": []}
    return {"mover": mover, "chance": chance, "playouts": playouts, "player": player, **unknown}


def _own_summary(text: str, mover: int) -> dict[str, Any] | None:
    """A summary out of a file: nothing in it is trusted. A proof is not taken over: a file proves nothing."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict) or given.get("mover") != mover:
        return None
    chance = _own_number(given.get("chance"))
    if chance is None or not 0.0 <= chance <= 1.0:
        return None
    playouts = given.get("playouts")
    playouts = playouts if isinstance(playouts, int) and 0 <= playouts < MOST_PLAYOUTS else 0
    found = _summary(mover, chance, int(playouts), "")
    for name in TEXTS:
        if isinstance(given.get(name), str) and name != "outcome":
            found[name] = given[name][:100]
    found["value"] = _own_number(given.get("value"))
    return found


def _own_number(value: Any) -> float | None:
    return finite(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


# -- writing -----------------------------------------------------------------------------------------------------------
def write_sgf(tree: GameTree, info: Mapping[str, str]) -> str:
    """The whole tree as the text of an SGF file; `info` as `take_info` has it."""
    game = tree.game
    record = Record(game, tree.start.state, handicap=int(info.get("handicap") or 0))
    about = {sgf: [escaped(info[name])] for name, sgf in INFO.items() if info.get(name)}
    places: dict[int, int] = {}
    nodes: list[Variation] = []
    for number in tree.in_order():
        node = tree[number]
        turns: list[Turn] = []
        if node.number is not None:
            turns = [Turn(int(node.mover or 0), node.number)]
        elif node.setup is not None and number != ROOT:
            turns = [Turn(int(rules.to_play(node.setup.state)), None, node.setup.state)]
        parent = -1 if node.parent is None else places[node.parent]
        others = {**node.properties, **_analysis_properties(tree, number), **(about if number == ROOT else {})}
        nodes.append(Variation(parent, turns, node.comment, others))
        places[number] = len(nodes) - 1
    return sgf_text([tree_of(record, nodes)])


def _analysis_properties(tree: GameTree, number: int) -> dict[str, list[str]]:
    analysis = tree[number].analysis
    if analysis is None or "chance" not in analysis or analysis["player"] in (SABAKI, LIZZIE):
        return {}
    first = analysis["chance"] if analysis["mover"] == rules.FIRST else 1.0 - analysis["chance"]
    kept = {name: value for name, value in analysis.items() if name != "top"}
    found = {OWN: [escaped(json.dumps(kept, sort_keys=True))]}
    return found | ({SABAKI: [f"{100.0 * first:.2f}"]} if tree.game.players == 2 else {})
