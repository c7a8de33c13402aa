"""SGF, the Smart Game Format (FF[4]): trees of nodes, and game records made of them.

trees = load_sgf("game.sgf")                      # any collection, of any game: trees of nodes with properties
record = read_record(trees[0], name="game.sgf")   # of a supported game: rules, start position, moves, result, names
save_sgf("copy.sgf", [record_tree(record)])
"""

from tesuji.io.sgf.conversion import read_record, record_tree
from tesuji.io.sgf.record import GameResult, Record, Turn, parse_result
from tesuji.io.sgf.text import decode
from tesuji.io.sgf.tree import GameTrees, Node, SgfError, load_sgf, parse_sgf, save_sgf, sgf_bytes, sgf_text

__all__ = [
    "GameResult",
    "GameTrees",
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
