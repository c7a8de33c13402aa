"""What a tab has its engine do: the computer's moves, hints, analyses, proofs.

One of these runs at a time in the foreground, for the position that is shown; beside it a whole game may be analysed.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.position import Position
from tesuji.play.game import OF_COMPUTER
from tesuji.play.review import keep_analysis, mistakes_of
from tesuji.play.side import PlayerChoice
from tesuji.web.engine import EngineDied, EngineHandle, EngineRequest, EngineStopped, OnEvent
from tesuji.web.messages import SearchData, choice_data, limits_data, origin_data, proof_of, summary_of
from tesuji.web.pictures import moves_at

if TYPE_CHECKING:
    from tesuji.web.tab import Tab

SHORT_WAIT = 2.0  # seconds of compiling that a move waits for; for longer ones there is a quick move
TEACH_LIMITS = Limits(seconds=0.5)  # of each of the two positions between which a move lies
TEACH_PLAYOUTS = 1000  # by which a position is known well enough to judge a move
LIVE_SECONDS = 3600.0  # the longest that one position is analysed


@dataclass
class Running:
    name: str
    since: float = field(default_factory=time.time)
    requests: list[EngineRequest] = field(default_factory=list)
    task: asyncio.Task[None] | None = None

    def forget_requests(self) -> None:
        for request in self.requests:
            request.forget()
        self.requests = []

    def forget(self) -> None:
        self.forget_requests()
        if self.task is not None and self.task is not asyncio.current_task():
            self.task.cancel()


class Tasks:
    def __init__(self, tab: Tab):
        self.tab = tab
        self.foreground: Running | None = None
        self.background: Running | None = None
        self.is_compiling = False  # the engine of this tab
        self._compiles = asyncio.Event()  # for longer than a move should wait
        self._told_by: EngineHandle | None = None
        self._prepared: tuple[Any, ...] = ()
        self._preparing: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        return self.foreground is not None

    def data(self) -> dict[str, Any] | None:
        running = self.foreground or self.background
        return None if running is None else {"task": running.name, "since": running.since}

    # -- starting and stopping -----------------------------------------------------------------------------------------
    def start(self, name: str, work: Coroutine[Any, Any, None], in_background: bool = False) -> None:
        running = Running(name)
        if in_background:
            self.background = running
        else:
            self.foreground = running
        running.task = asyncio.get_running_loop().create_task(self._guarded(running, work))
        self.tab.outbox.state()

    async def _guarded(self, running: Running, work: Coroutine[Any, Any, None]) -> None:
        tab = self.tab
        try:
            await work
        except EngineStopped:
            pass
        except EngineDied:
            if running.name == "analyse":
                tab.analysis_on = None
            if running.name == "score":
                tab.played.proposed = frozenset()
            if running.name == "teach":
                tab.teaching = None
            tab.paused = True
        except UserError as error:
            tab.outbox.tell("error", text=str(error), task=running.name)
            if running.name == "analyse":
                tab.analysis_on = None
            if running.name == "teach":
                tab.teaching = None
            if running.name == "move":
                tab.paused = True
            if running.name == "score":
                tab.played.proposed = frozenset()
            tab.outbox.state()  # what failed after its search has ended already
        finally:
            if running in (self.foreground, self.background):
                self._end(running)
                tab.go_on()

    def _end(self, running: Running) -> None:
        if running is self.foreground:
            self.foreground = None
        if running is self.background:
            self.background = None

    def make_way(self) -> None:
        """Before another search of this position: a live analysis waits for it; what else runs must be stopped first."""
        if self.foreground is not None and self.foreground.name not in ("analyse", "teach"):
            doing = {"move": "the computer is thinking", "score": "the score is being counted"}
            raise UserError(f"{doing.get(self.foreground.name, 'a search is running')}: stop that first")
        self.stop_foreground()

    def stop_foreground(self) -> None:
        """Drops what runs for the position that was shown."""
        running, self.foreground = self.foreground, None
        if running is not None:
            running.forget()

    def stop_all(self) -> None:
        self.stop_foreground()
        running, self.background = self.background, None
        if running is not None:
            running.forget()

    def stop(self) -> None:
        """A person wants it to end: the computer moves with what it has, a search for a proof tells what it has."""
        if self.background is not None and self.foreground is None:
            self.background.forget()
            self.background = None
            self.tab.outbox.tell("progress", task="analyse-game", done=0, of=None, text="stopped", final=True, mistakes=[])
        elif self.foreground is not None:
            if self.foreground.name == "analyse":
                self.tab.analysis_on = None
                self.stop_foreground()
            for request in self.foreground.requests if self.foreground is not None else []:
                request.stop()
        self.tab.outbox.state()

    async def engine(self) -> EngineHandle:
        tab = self.tab
        engine = await tab.hub.engines.get(tab.name)
        if engine is not self._told_by:
            self._told_by = engine
            self.is_compiling = False
            self._compiles.clear()
        engine.on_event = self._tell_compiling
        engine.on_death = self._died
        return engine

    def _tell_compiling(self, message: dict[str, Any]) -> None:
        left = message["of"] - message["done"]
        if not message.get("final") and (left > SHORT_WAIT or left <= 0):  # it takes longer than was expected: nobody knows
            self._compiles.set()
        else:
            self._compiles.clear()
        self.is_compiling = not message.get("final")
        if self.tab.clock is not None and self.tab.clock.hold(self.is_compiling and self.tab.turn == OF_COMPUTER):
            self.tab.outbox.state()  # the page counts on where it is told of a clock that runs
        values = {name: message[name] for name in ("done", "of", "text")}
        progress = {"task": "compile", **values, "final": bool(message.get("final"))}
        self.tab.outbox.tell_latest(("progress", "compile"), "progress", progress)

    def _died(self) -> None:
        self.is_compiling = False
        self._compiles.clear()
        text = "The engine has stopped unexpectedly. Your game is as it was; the engine starts again when it is needed."
        self.tab.outbox.tell("engine-died", text=text)

    def where(self, position: Position) -> dict[str, Any]:
        """A position as the engine is told."""
        return {"game": position.game.name, "origin": origin_data(position)}

    # -- the computer's move -------------------------------------------------------------------------------------------
    async def move(self) -> None:
        tab = self.tab
        generation, node, position = tab.generation, tab.tree.current, tab.position
        side = tab.played.sides[tab.played.mover]
        assert side.level is not None, "a person moves"
        mover, limits, began = tab.played.mover, side.limits, time.monotonic()
        if tab.clock is not None:
            limits = tab.clock.limits(limits, mover, tab.game, tab.tree[node].ply)
        fields = {"player": choice_data(side.choice), "level": side.level, **limits_data(limits)}
        if tab.clock is not None and side.is_program:
            fields["clock"] = tab.clock.of_program(mover)
        asked = asyncio.ensure_future(self._ask("move", position, self._listener("move", node, generation), **fields))
        quick = asyncio.ensure_future(self._quick_move(position, fields))
        try:
            await asyncio.wait((asked, quick), return_when=asyncio.FIRST_COMPLETED)
            made = quick.done() and not asked.done() and quick.exception() is None  # else the player's own move is waited for
            answer = quick.result() if made else await asked
        finally:
            for task in (asked, quick):
                task.cancel()
        if made and self.foreground is not None:
            self.foreground.forget_requests()
        if generation != tab.generation:
            return
        if answer.get("report") is not None:
            self._keep(node, answer["report"])
        self.foreground = None
        if answer["move"] is None:
            tab.played.resign(mover)
            tab.moved(f"{tab.played.subject(mover)} resigns")
            return
        if tab.clock is not None:
            tab.clock.took(mover, limits, time.monotonic() - began)
        tab.play(answer["move"], answer["why"])

    async def _quick_move(self, position: Position, fields: dict[str, Any]) -> dict[str, Any]:
        """A move of few playouts in pure Python, once it is certain that the player's own would keep a person waiting. With a
        seed there is none: it would depend on the clock."""
        side = self.tab.played.sides[self.tab.played.mover]
        if not self.tab.played.has_person or self.tab.hub.engines.is_seeded or side.is_program:
            await asyncio.Event().wait()
        await self._compiles.wait()
        engine = await self.tab.hub.engines.stand_in()
        return await engine.ask("quick-move", **self.where(position), **fields).result

    def prepare(self) -> None:
        """Has the engine compile what the computer's next move needs, while a person thinks about the one before."""
        tab, engines = self.tab, self.tab.hub.engines
        side = next((side for side in tab.played.sides[: tab.game.players] if not side.is_person), None)
        if side is None or not engines.has_room(tab.name):
            return
        wanted = (tab.game.name, side.level, str(side.choice))
        if wanted == self._prepared:
            return
        self._prepared, position = wanted, tab.position

        async def ask() -> None:
            with contextlib.suppress(UserError):  # it comes again, and is told, when the computer is to move
                engine = await self.engine()
                engine.ask("prepare", **self.where(position), player=choice_data(side.choice), level=side.level)

        self._preparing = asyncio.get_running_loop().create_task(ask())

    async def _ask(self, what: str, position: Position, on_event: OnEvent | None = None, **fields: Any) -> dict[str, Any]:
        """What the engine says of a position, for what runs in the foreground."""
        engine, running = await self.engine(), self.foreground
        request = engine.ask(what, on_event, **self.where(position), **fields)
        if running is not None:
            running.requests.append(request)
        return await request.result

    # -- analyses ------------------------------------------------------------------------------------------------------
    def _listener(self, task: str, node: int, generation: int, slot: int = 0, is_kept: bool = True):
        def take(message: dict[str, Any]) -> None:
            if message["event"] == "progress":
                self.tell_progress(task, message)
                return
            if generation != self.tab.generation:
                return
            report = message["report"]
            self._show(task, generation, slot, report, final=False)
            if is_kept:
                self._keep(node, report)

        return take

    def tell_progress(self, task: str, message: dict[str, Any]) -> None:
        values = {"task": task, "done": message["done"], "of": message["of"], "text": message["text"], "final": False}
        self.tab.outbox.tell_latest(("progress", task), "progress", values)

    def _show(self, task: str, generation: int, slot: int, report: SearchData, final: bool) -> None:
        ownership = report.get("ownership")
        if ownership is not None:
            names = self.tab.places()
            ownership = {names[(c, r)]: share for c, r, share in ownership if (c, r) in names}
        values = {**report, "ownership": ownership, "generation": generation, "task": task, "slot": slot, "final": final}
        self.tab.outbox.tell_latest(("analysis", task, str(slot)), "analysis", values)

    def _keep(self, node: int, report: SearchData) -> None:
        keep_analysis(self.tab.tree, node, summary_of(report))

    def start_analysis(self) -> None:
        live = self.tab.analysis_on
        assert live is not None, "no analysis is on"
        limits = Limits(seconds=LIVE_SECONDS)
        search = self._search("analyse", live.choice, limits, ownership=live.ownership, region=live.region)
        self.start("analyse", search)

    def start_hint(self, choice: PlayerChoice, limits: Limits) -> None:
        self.make_way()
        self.start("hint", self._search("hint", choice, limits))

    async def _search(
        self,
        task: str,
        choice: PlayerChoice,
        limits: Limits,
        slot: int = 0,
        ownership: bool = False,
        region: tuple[str, ...] = (),
    ) -> None:
        """One search of the position that is shown, told as it goes on; with a region, of the moves there alone."""
        tab = self.tab
        generation, node, position = tab.generation, tab.tree.current, tab.position
        only = moves_at(position, region) if region else None
        is_kept = slot == 0 and only is None  # of all moves: what a node keeps
        answer = await self._ask(
            "analyse",
            position,
            self._listener(task, node, generation, slot, is_kept),
            task=task,
            slot=slot,
            only=only,
            player=choice_data(choice),
            ownership=ownership,
            **limits_data(limits),
        )
        if generation != tab.generation:
            return
        report = answer["report"]
        if is_kept:
            self._keep(node, report)
        self._show(task, generation, slot, report, final=True)
        if task == "solve":
            tab.proofs[node] = proof_of(report)
            done = {"done": report["playouts"], "of": None, "text": tab.proofs[node]["text"], "final": True}
            tab.outbox.tell_latest(("progress", "solve"), "progress", {"task": "solve", **done})
        if task == "analyse":
            await asyncio.Event().wait()  # nothing is left to find here: it goes on when another position is shown

    # -- teaching --------------------------------------------------------------------------------------------------------
    async def look_at(self, nodes: list[int], limits: Limits) -> None:
        """Searches those of these positions of which too little is known, and keeps what they are worth."""
        tree = self.tab.tree
        for number in nodes:
            known = tree[number].analysis
            if tree.position(number).is_over or (
                known is not None and (known["proven"] or known["playouts"] >= TEACH_PLAYOUTS)
            ):
                continue
            fields = {"player": choice_data(PlayerChoice()), **limits_data(limits)}
            answer = await self._ask("analyse", tree.position(number), task="teach", **fields)
            self._keep(number, answer["report"])

    async def judge(self) -> None:
        """What the move that a person has made is worth beside the best one."""
        tab = self.tab
        generation, node = tab.generation, tab.tree.current
        parent = tab.tree[node].parent
        assert parent is not None, "a move has been made"
        await self.look_at([parent, node], TEACH_LIMITS)
        if generation == tab.generation:
            tab.judged(node)
            tab.outbox.state()

    def start_solve(self, choice: PlayerChoice, limits: Limits) -> None:
        self.make_way()
        self.start("solve", self._search("solve", choice, limits))

    def start_compare(self, choices: list[PlayerChoice], limits: Limits) -> None:
        async def both() -> None:
            searches = [self._search("compare", choice, limits, slot) for slot, choice in enumerate(choices)]
            found = await asyncio.gather(*searches, return_exceptions=True)
            for error in found:
                if isinstance(error, BaseException):
                    raise error

        self.make_way()
        self.start("compare", both())

    def start_game_analysis(self, choice: PlayerChoice, limits: Limits, threshold: float) -> None:
        if self.background is not None:
            raise UserError("a game is being analysed already: stop that first")
        self.start("analyse-game", self._whole_game(choice, limits, threshold), in_background=True)

    async def _whole_game(self, choice: PlayerChoice, limits: Limits, threshold: float) -> None:
        tab, tree, running = self.tab, self.tab.tree, self.background
        line = tree.line()
        of = len(line)
        for done, number in enumerate(line):
            if number not in tree.nodes or tab.tree is not tree:
                return
            values = {"task": "analyse-game", "done": done, "of": of, "text": f"{done} of {of} positions", "final": False}
            tab.outbox.tell_latest(("progress", "analyse-game"), "progress", values)
            position = tree.position(number)
            if position.is_over:
                continue
            engine = await self.engine()
            request = engine.ask(
                "analyse",
                None,
                **self.where(position),
                task="analyse-game",
                player=choice_data(choice),
                **limits_data(limits),
            )
            if running is not None:
                running.requests.append(request)
            answer = await request.result
            if running is not None:
                running.requests.remove(request)
            self._keep(number, answer["report"])
            tab.outbox.state()
        mistakes = mistakes_of(tree, line, threshold)
        text = f"{of} positions analysed, {len(mistakes)} mistakes"
        tab.outbox.tell("progress", task="analyse-game", done=of, of=of, text=text, final=True, mistakes=mistakes)

    # -- the score -----------------------------------------------------------------------------------------------------
    async def score(self) -> None:
        tab = self.tab
        generation, position = tab.generation, tab.position
        answer = await self._ask("score", position)
        if generation != tab.generation:
            return
        tab.played.proposed = frozenset((column, row) for column, row in answer["dead"])
        if not tab.played.has_person:
            self.foreground = None
            tab.agree(None)
