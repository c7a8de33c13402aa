"""What a tab has its engine do: the computer's moves, hints, analyses, proofs.

One of these runs at a time in the foreground, for the position that is shown; beside it a whole game may be analysed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.position import Position
from tesuji.play.review import keep_analysis, mistakes_of
from tesuji.play.side import PlayerChoice
from tesuji.web.engine import EngineDied, EngineHandle, EngineRequest, EngineStopped, OnEvent
from tesuji.web.messages import SearchData, choice_data, limits_data, origin_data, proof_of, summary_of

if TYPE_CHECKING:
    from tesuji.web.tab import Tab

LIVE_SECONDS = 3600.0  # the longest that one position is analysed


@dataclass
class Running:
    name: str
    since: float = field(default_factory=time.time)
    requests: list[EngineRequest] = field(default_factory=list)
    task: asyncio.Task[None] | None = None

    def forget(self) -> None:
        for request in self.requests:
            request.forget()
        if self.task is not None and self.task is not asyncio.current_task():
            self.task.cancel()


class Tasks:
    def __init__(self, tab: Tab):
        self.tab = tab
        self.foreground: Running | None = None
        self.background: Running | None = None

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
            tab.paused = True
        except UserError as error:
            tab.outbox.tell("error", text=str(error), task=running.name)
            if running.name == "analyse":
                tab.analysis_on = None
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
        if self.foreground is not None and self.foreground.name != "analyse":
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
        engine.on_event = self._compiles
        engine.on_death = self._died
        return engine

    def _compiles(self, message: dict[str, Any]) -> None:
        values = {name: message[name] for name in ("done", "of", "text")}
        progress = {"task": "compile", **values, "final": bool(message.get("final"))}
        self.tab.outbox.tell_latest(("progress", "compile"), "progress", progress)

    def _died(self) -> None:
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
        answer = await self._ask(
            "move",
            position,
            self._listener("move", node, generation),
            player=choice_data(side.choice),
            level=side.level,
            **limits_data(side.limits),
        )
        if generation != tab.generation:
            return
        if answer.get("report") is not None:
            self._keep(node, answer["report"])
        self.foreground = None
        tab.play(answer["move"], answer["why"])

    async def _ask(self, what: str, position: Position, on_event: OnEvent | None = None, **fields: Any) -> dict[str, Any]:
        """What the engine says of a position, for what runs in the foreground."""
        engine, running = await self.engine(), self.foreground
        request = engine.ask(what, on_event, **self.where(position), **fields)
        if running is not None:
            running.requests.append(request)
        return await request.result

    # -- analyses ------------------------------------------------------------------------------------------------------
    def _listener(self, task: str, node: int, generation: int, slot: int = 0):
        def take(message: dict[str, Any]) -> None:
            if message["event"] == "progress":
                self.tell_progress(task, message)
                return
            if generation != self.tab.generation:
                return
            report = message["report"]
            self._show(task, generation, slot, report, final=False)
            if slot == 0:
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
        search = self._search("analyse", live.choice, Limits(seconds=LIVE_SECONDS), ownership=live.ownership)
        self.start("analyse", search)

    def start_hint(self, choice: PlayerChoice, limits: Limits) -> None:
        self.make_way()
        self.start("hint", self._search("hint", choice, limits))

    async def _search(self, task: str, choice: PlayerChoice, limits: Limits, slot: int = 0, ownership: bool = False) -> None:
        """One search of the position that is shown, told as it goes on."""
        tab = self.tab
        generation, node, position = tab.generation, tab.tree.current, tab.position
        answer = await self._ask(
            "analyse",
            position,
            self._listener(task, node, generation, slot),
            task=task,
            slot=slot,
            player=choice_data(choice),
            ownership=ownership,
            **limits_data(limits),
        )
        if generation != tab.generation:
            return
        report = answer["report"]
        if slot == 0:
            self._keep(node, report)
        self._show(task, generation, slot, report, final=True)
        if task == "solve":
            tab.proofs[node] = proof_of(report)
            done = {"done": report["playouts"], "of": None, "text": tab.proofs[node]["text"], "final": True}
            tab.outbox.tell_latest(("progress", "solve"), "progress", {"task": "solve", **done})
        if task == "analyse":
            await asyncio.Event().wait()  # nothing is left to find here: it goes on when another position is shown

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
