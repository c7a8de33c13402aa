"""SGF, the Smart Game Format (FF[4]): trees of nodes, and game records made of them.

trees = load_sgf("game.sgf")                      # any collection, of any game: trees of nodes with properties
record = read_record(trees[0], name="game.sgf")   # a game of ours: rules, start position, moves, result, names
save_sgf("copy.sgf", [record_tree(record)])
"""

from tesuji.io.sgf.charset import decode
from tesuji.io.sgf.files import load_sgf, save_sgf, sgf_bytes
from tesuji.io.sgf.node import Node
from tesuji.io.sgf.parser import SgfError, parse_sgf
from tesuji.io.sgf.reading import read_record
from tesuji.io.sgf.record import Record, Turn
from tesuji.io.sgf.result import GameResult, parse_result
from tesuji.io.sgf.writer import sgf_text
from tesuji.io.sgf.writing import record_tree

__all__ = [
    "GameResult",
    "Node",
    "Record",
    "SgfError",
    "Turn",
    "decode",
    "load_sgf",
    "parse_result",
    "parse_sgf",
    "read_record",
    "record_tree",
    "save_sgf",
    "sgf_bytes",
    "sgf_text",
]
