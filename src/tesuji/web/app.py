"""The application: the page's files, its commands, its stream of events."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from tesuji.core.errors import UserError
from tesuji.web.commands import COMMANDS, run
from tesuji.web.fields import MOST_BODY, read_fields
from tesuji.web.hub import Hub
from tesuji.web.outbox import Outbox
from tesuji.web.security import ENTRANCE, FILES, Guard, Keys
from tesuji.web.tab import Stale

STATIC = Path(__file__).parent / "static"
NO_STORE = {"Cache-Control": "no-store"}


class Files(StaticFiles):
    """The files of the page. A browser asks each time whether its copy is the present one."""

    def file_response(self, *args: Any, **options: Any) -> Response:
        found = super().file_response(*args, **options)
        found.headers["Cache-Control"] = "no-cache"
        return found


class EventStream(StreamingResponse):
    """The events of a tab, which is watched until the answer ends, even if that is before its first event."""

    def __init__(self, outbox: Outbox, hello: tuple[str, dict[str, Any]]):
        self._outbox, self._connection = outbox, outbox.connect()
        headers = {**NO_STORE, "X-Accel-Buffering": "no"}
        super().__init__(outbox.events(self._connection, [hello]), headers=headers, media_type="text/event-stream")

    async def __call__(self, *call: Any) -> None:
        try:
            await super().__call__(*call)
        finally:
            self._outbox.leave(self._connection)


def json_answer(values: dict[str, Any], status: int = 200) -> Response:
    return Response(json.dumps(values, allow_nan=False), status, NO_STORE, "application/json")


def make_app(hub: Hub, keys: Keys, hosts: list[str], port: int) -> Guard:
    """The whole application for a server at that port, which answers to these names."""

    def page(name: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(_request: Request) -> Response:
            file = STATIC / name
            if not file.is_file():
                return PlainTextResponse("The files of the page are missing from this installation.", 500)
            return FileResponse(file, headers={"Cache-Control": "no-cache"})

        return answer

    async def events(request: Request) -> Response:
        try:
            tab = hub.tab(request.query_params.get("tab"), new=True)
        except UserError as error:
            return json_answer({"error": str(error)}, 400)
        hello = ("hello", tab.hello())
        tab.go_on()  # an analysis that nobody watched had been stopped
        return EventStream(tab.outbox, hello)

    async def command(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in COMMANDS:
            return json_answer({"error": "there is no such command"}, 404)
        try:
            body = await read_body(request)
            if body is None:
                return json_answer({"error": f"the request is too long: {MOST_BODY >> 20} MiB at most"}, 413)
            fields = read_fields(body)
            tab = hub.tab(fields.get("tab"))
            tab.is_known = True
            return json_answer(await run(tab, name, fields))
        except ClientDisconnect:
            return json_answer({"error": "the connection was lost"}, 400)
        except Stale as error:
            return json_answer({"error": str(error), "stale": True}, 409)
        except UserError as error:
            return json_answer({"error": str(error)}, 400)
        except RecursionError:
            return json_answer({"error": "the request is nested too deeply"}, 400)

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        await hub.open()
        try:
            yield
        finally:
            await hub.close()

    inner = Starlette(
        routes=[
            Route("/", page("index.html")),
            Route(ENTRANCE, page("enter.html")),
            Route("/events", events),
            Route("/api/{name}", command, methods=["POST"]),
            Mount(FILES, Files(directory=STATIC, check_dir=False)),
        ],
        exception_handlers={Exception: failure},
        lifespan=lifespan,
    )
    return Guard(inner, keys, hosts, port)


async def read_body(request: Request) -> bytes | None:
    """All bytes of a request; None if there are too many. Nothing beyond the limit is kept."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced[:20]) > MOST_BODY:
        return None
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > MOST_BODY:
            return None
        pieces.append(piece)
    return b"".join(pieces)


async def failure(_request: Request, error: Exception) -> Response:
    """A mistake of our own: the page is told in a sentence, and the server goes on."""
    return json_answer({"error": f"internal error: {type(error).__name__}: {str(error)[:200]}"}, 500)
