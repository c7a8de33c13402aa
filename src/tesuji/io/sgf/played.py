"""Between games being played and SGF: a game to go on with out of a file, and all of a game as a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.files import GZIP, read_unpacked, unpack_gzip
from tesuji.core.game import Game
from tesuji.core.picture.board import Point
from tesuji.core.position import Position
from tesuji.io.sgf import tree as files
from tesuji.io.sgf.analyses import properties_of, read_analysis
from tesuji.io.sgf.conversion import PRIVATE, is_users_own, read_record
from tesuji.io.sgf.record import Record, Turn
from tesuji.io.sgf.text import decode, escaped, simple_text_of
from tesuji.io.sgf.tree import Node, parse_sgf
from tesuji.io.sgf.variations import Variation, read_tree, tree_of
from tesuji.play.game import GameInPlay
from tesuji.play.side import Side
from tesuji.play.tree import LONGEST_COMMENT, ROOT, MoveNode, MoveTree

PLAYERS = ("black", "white")
PERSON = "person"
COMPUTER = "tesuji ("  # how the names of our players begin
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


# -- reading -----------------------------------------------------------------------------------------------------------
def read_game_file(path: str) -> bytes:
    """The bytes of a game record, unpacked, for `open_tree`. A pipe is none: it may never end."""
    return read_unpacked(path, replace(files.SGF, pipes=False))


def add_turn(tree: MoveTree, parent: int, turn: Turn) -> MoveNode:
    """A move or a set-up of a record, whose moves are legal, as a new child."""
    before, board = tree.position(parent), tree.game.board
    if turn.move is not None:
        text = tree.game.text(before.state, turn.move)
        return tree.add(parent, move=text, number=turn.move, mover=turn.player)
    position = Position(tree.game, turn.position)
    same = board is None or board.stones(position.state) == board.stones(before.state)
    return tree.add(parent, setup=position, is_turn=same)


def open_tree(
    given: str | bytes,
    name: str,
    number: int = 1,
    own: Game | None = None,
    ours: Game | None = None,
    moves: int | None = None,
    variations: bool = True,
) -> tuple[MoveTree, Record, int]:
    """A game of a file with all variations: its tree, at the end of the main line, its record, and how many games there are.

    given        the text of the file, or its bytes, in any character set, and maybe packed by gzip; `name` is for messages
    own          a game of someone's own that the record may be about; it is the command line's
    ours         the record must be of this game; its start, size and komi are the file's, all other rules are ours
    moves        so many are read of each line; None = all
    variations   False = the main line alone
    """
    if isinstance(given, bytes):
        given = decode(unpack_gzip(given, name, files.SGF) if given.startswith(GZIP) else given)
    trees = parse_sgf(given, name)
    if not 1 <= number <= len(trees):
        games = f"{len(trees)} games" if trees else "no game"
        raise UserError(f"{name} has {games}: there is no game {number}")
    root = trees[number - 1]
    if ours is not None:
        game = _our_game(ours, root, name)
    else:
        game = own if own is not None and is_users_own(root.simple_text(PRIVATE)) else None
    which = number if len(trees) > 1 else None
    found = read_tree(root, name, which, game, own_rules=ours is not None, moves=moves, variations=variations)
    tree = MoveTree(Position(found.record.game, found.record.start))
    places: list[int] = []  # of each node of the file: its last node in the tree
    for variation in found.nodes:
        at = ROOT if variation.parent < 0 else places[variation.parent]
        for turn in variation.turns:
            at = add_turn(tree, at, turn).id
        if not variation.turns and variation.parent >= 0:
            at = tree.add(at).id
        places.append(at)
        tree[at].comment, tree[at].properties = variation.comment[:LONGEST_COMMENT], variation.properties
    if any(len(variation.comment) > LONGEST_COMMENT for variation in found.nodes):
        found.record.notes.append(f"{name}: comments are cut after {LONGEST_COMMENT:,} characters")
    for place in places:
        tree[place].analysis = read_analysis(tree[place].properties, tree.position(place))
    tree.go_to(tree.line()[-1])
    return tree, found.record, len(trees)


def take_info(tree: MoveTree, record: Record) -> dict[str, str]:
    """What the file says of the game, by the names of INFO, and its handicap; the root does not keep it as well."""
    properties = tree[ROOT].properties
    found = {name: simple_text_of((properties.pop(sgf, None) or [""])[0]).strip() for name, sgf in INFO.items()}
    found |= {name: getattr(record, name) for name in ("black", "white", "date", "rules", "result")}
    found["handicap"] = str(record.handicap or "")
    return {name: text for name, text in found.items() if text}


def _our_game(ours: Game, root: Node, name: str) -> Game:
    """Our game as the record plays it; a UserError if it is a record of another."""
    if ours.vary is None or ours.sgf_number == 0:
        return ours
    named = read_record(root, name, moves=0).game
    if named.sgf_number != ours.sgf_number:
        raise UserError(f"{name} is a game of {named.name}, not of {ours.name}")
    return fitting(ours, named, root)


def fitting(ours: Game, named: Game, root: Node) -> Game:
    """Our game with the size and the komi of the record's, `named`; with our komi if the record's is none.

    A position that our game begins with is not the record's: it is left out. If the record itself names a game that begins with
    other stones, it is that game.
    """
    game = ours
    if named.board is not None and ours.board is not None:
        sized = ours.of_size(named.board.columns, named.board.rows)
        if PRIVATE in root and _beginning(named) != _beginning(sized):
            return named
        game = ours if sized == ours else sized
    assert game.vary is not None
    try:
        return game.vary(komi=float(root.simple_text("KM").replace(",", ".")))
    except (UserError, ValueError):
        return game


def _beginning(game: Game) -> tuple[dict[Point, int], int]:
    """The stones that a game begins with, and who moves first."""
    assert game.board is not None
    return dict(game.board.stones(game.initial)), int(rules.to_play(game.initial))


# -- writing -----------------------------------------------------------------------------------------------------------
def file_info(played: GameInPlay, info: Mapping[str, str], player: Callable[[Side], str]) -> dict[str, str]:
    """What a file says of a game in play: `info`, who plays where it names nobody, and the result, if the game is over."""
    found, ending = dict(info), played.ending()
    for name, side in zip(PLAYERS, played.sides, strict=True):
        if not found.get(name):
            who = PERSON if side.is_person else player(side)
            found[name] = who if side.is_person or side.is_program else f"{COMPUTER}{who}, level {side.level})"
    if ending is not None and ending.result:
        found["result"] = ending.result
    return found


def without_our_players(info: Mapping[str, str]) -> dict[str, str]:
    """What a file says of a game, without names of players that `file_info` has given."""
    ours = {name for name in PLAYERS if info.get(name, "").startswith(COMPUTER) or info.get(name) == PERSON}
    return {name: text for name, text in info.items() if name not in ours}


def sgf_of(tree: MoveTree, info: Mapping[str, str]) -> Node:
    """The whole tree as SGF has it; `info` by the names of INFO, and the handicap, if it is not that of the stones."""
    begin = _first_position(tree)
    start = tree.position(begin)
    record = Record(tree.game, start.state, handicap=int(info.get("handicap") or 0) or _handicap(start))
    about = {sgf: [escaped(info[name])] for name, sgf in INFO.items() if info.get(name)}
    places: dict[int, int] = {}
    nodes: list[Variation] = []
    for number in tree.in_order(begin):
        node = tree[number]
        turns: list[Turn] = []
        if node.number is not None:
            turns = [Turn(int(node.mover or 0), node.number)]
        elif node.setup is not None and number != begin:
            turns = [Turn(int(rules.to_play(node.setup.state)), None, node.setup.state)]
        parent = -1 if number == begin or node.parent is None else places[node.parent]
        properties = {**node.properties, **properties_of(node.analysis, tree.game.players)}
        properties |= about if number == begin else {}
        nodes.append(Variation(parent, turns, node.comment, properties))
        places[number] = len(nodes) - 1
    return tree_of(record, nodes)


def _first_position(tree: MoveTree) -> int:
    """The node with which the game begins: stones that are set up first of all belong to the start."""
    at = tree[ROOT]
    while len(at.children) == 1 and not (at.comment or at.properties or at.analysis):
        only = tree[at.children[0]]
        if only.setup is None or only.is_turn:
            break
        at = only
    return at.id


def _handicap(start: Position) -> int:
    """The number of handicap stones that a game begins with: two or more, all of them black, and White is to move."""
    board = start.game.board
    if board is None or board.handicap is None or start == start.game.start or int(rules.to_play(start.state)) != 1:
        return 0
    stones = list(board.stones(start.state).values())
    return len(stones) if len(stones) >= 2 and set(stones) == {0} else 0
