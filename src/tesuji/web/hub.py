"""All tabs of a server, what they share, and the limits on them."""

from __future__ import annotations

import asyncio
import os
import re
import time
from dataclasses import dataclass, field
from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.position import Position
from tesuji.games.registry import find_built_in
from tesuji.io.sgf.played import open_tree, take_info
from tesuji.play.clock import TimeControl
from tesuji.play.game import GameInPlay
from tesuji.play.side import PERSON, Side
from tesuji.play.tree import MOST_NODES, MoveTree
from tesuji.players.levels import FULL
from tesuji.web.choice import checked_side
from tesuji.web.engine import EnginePool, usual_memory
from tesuji.web.fields import MOST_BODY
from tesuji.web.messages import choice_data, origin_data
from tesuji.web.tab import Tab

MOST_TABS = 32
UNWATCHED_SECONDS = 60.0  # after which a tab that nobody sees searches no more
LOOK_SECONDS = 10.0
_TAB = re.compile(r"[A-Za-z0-9]{16,64}")


@dataclass
class Opening:
    """What the command line asks for: the game, the position it begins with, who plays."""

    game: Game
    start: Position | None = None
    own_player: str | None = None  # a player of --player that is a file
    moves: list[str] = field(default_factory=list)
    sgf: tuple[bytes, str] | None = None  # the bytes of a file, and its name
    sides: tuple[Side, Side] = (PERSON, Side(FULL))
    seed: int | None = None  # of what the computer does
    suggests: bool = False  # a hint before each move of a person
    clock: TimeControl | None = None  # of the first game
    programs: tuple[str, ...] = ()  # GTP programs that the page may use, as 'gtp:gnugo --mode gtp'


class Hub:
    def __init__(self, opening: Opening, memory: float | None = None, most_tabs: int = MOST_TABS):
        self.game = opening.game
        self.start = opening.start or opening.game.start
        self.own_player = opening.own_player
        self.own_game = opening.game if opening.game.source else None
        self.suggests = opening.suggests
        self.clock = opening.clock
        self.programs = opening.programs
        self._opening = opening
        self._most_tabs = most_tabs
        own_name = self.own_game.name if self.own_game is not None else None
        memory = usual_memory() if memory is None else memory
        self.engines = EnginePool(own_name, self.own_player, memory, seed=opening.seed, programs=self.programs)
        self.tabs: dict[str, Tab] = {}
        self.dropping: set[asyncio.Task[None]] = set()  # engines of tabs that are gone
        self._looker: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Starts the first engine at once: it gets ready while the browser does."""
        self._looker = asyncio.create_task(self._look())
        side = next((side for side in self.default_sides() if not side.is_person), Side(FULL))
        asked = {"player": choice_data(side.choice), "level": side.level}
        await self.engines.prepare(game=self.game.name, origin=origin_data(self.start), **asked)

    def say_bye(self) -> None:
        """Ends all streams of events."""
        for tab in self.tabs.values():
            tab.outbox.tell("bye", text="The server has ended. Start it again with tesuji play.")

    async def close(self) -> None:
        for tab in self.tabs.values():
            tab.tasks.stop_all()
            tab.stop_clock()
        if self._looker is not None:
            self._looker.cancel()
        await asyncio.gather(*self.dropping, self.engines.close())

    async def _look(self) -> None:
        """Now and then: a tab that nobody has watched for a while searches no more."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self.engines.close_idle()
            for tab in self.tabs.values():
                if not tab.outbox.is_connected and time.monotonic() - tab.outbox.left_at > UNWATCHED_SECONDS:
                    if tab.tasks.foreground is not None or tab.tasks.background is not None:
                        tab.tasks.stop_all()
                        tab.paused = True
                        tab.stop_clock()

    # -- tabs ----------------------------------------------------------------------------------------------------------
    def tab(self, name: Any, new: bool = False) -> Tab:
        """The tab of an ID out of a request; a new one is made only for a stream of events."""
        if not isinstance(name, str) or _TAB.fullmatch(name) is None:
            raise UserError("a tab is named by 16 to 64 letters and digits")
        found = self.tabs.get(name)
        if found is None:
            if not new:
                raise UserError("this tab is not known here any more: load the page again")
            if len(self.tabs) >= self._most_tabs:
                self._forget_one()
            found = self.tabs[name] = Tab(name, self)
        found.used = time.monotonic()
        return found

    def _forget_one(self) -> None:
        gone = [(tab.used, name) for name, tab in self.tabs.items() if not tab.outbox.is_connected]
        if not gone:
            raise UserError(f"there are {self._most_tabs} tabs, the most at a time: close one of them first")
        self.forget(min(gone)[1])

    def forget(self, name: str) -> None:
        tab = self.tabs.pop(name, None)
        if tab is not None:
            tab.tasks.stop_all()
            tab.stop_clock()
            tab.outbox.close()
            dropping = asyncio.get_running_loop().create_task(self.engines.drop(name))
            self.dropping.add(dropping)  # the loop itself keeps no task
            dropping.add_done_callback(self.dropping.discard)

    # -- what tabs share -----------------------------------------------------------------------------------------------
    def find_game(self, name: Any) -> Game:
        """A game out of a request: a built-in one, or the command line's. A file is never run because a page names it."""
        if not isinstance(name, str):
            raise UserError('"game" must be a text, as in "go:9"')
        if name == self.game.name:
            return self.game
        return find_built_in(name)

    def first_tree(self) -> tuple[MoveTree, dict[str, str]]:
        """What a new tab shows, and what is known of that game."""
        if self._opening.sgf is not None:
            data, name = self._opening.sgf
            tree, record, _ = open_tree(data, name, ours=self.game)
            return tree, {**take_info(tree, record), "file": os.path.basename(name)}
        played = GameInPlay(MoveTree(self.start))
        played.play_all(self._opening.moves)
        return played.tree, {}

    def default_sides(self) -> tuple[Side, Side]:
        first, second = (checked_side(side, self.game, self.own_player, self.programs) for side in self._opening.sides)
        return first, PERSON if self.game.players == 1 else second

    def hello(self) -> dict[str, Any]:
        limits = {
            "memory": round(self.engines.memory),
            "search_memory": round(self.engines.search_memory),
            "searches": self.engines.most,
            "body": MOST_BODY,
            "tree_nodes": MOST_NODES,
        }
        return {"limits": limits, "threads": os.cpu_count() or 1, "default_game": self.game.name}
