"""What `load_search` makes of a saved search that no player made."""

from collections.abc import Mapping
from typing import Any

from tesuji.core.game import Game
from tesuji.core.parameters import Settings
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch


def plain_search(game: Game, values: Mapping[str, Any], _files: Mapping[str, Any], seed: int) -> TreeSearch:
    return TreeSearch(game, settings=Settings(SEARCH, values), seed=seed)
