"""Running the server: a free port, the browser, and the end of it all by Ctrl-C."""

from __future__ import annotations

import contextlib
import html
import ipaddress
import os
import secrets
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn

from tesuji.core.errors import UserError
from tesuji.web.app import make_app
from tesuji.web.connections import PageConnection
from tesuji.web.hub import Hub, Opening
from tesuji.web.memory import Tidier
from tesuji.web.security import ENTRANCE, Guard, Keys

LOCAL = "127.0.0.1"
FIRST_PORT = 8600
TRIED_PORTS = 50
TICKS_BETWEEN_LOOKS = 50  # of uvicorn's ten a second
BACKLOG = 64  # connections that wait, and that are accepted in one go


def names_of(host: str) -> list[str]:
    """The names by which a browser may call a server at this address."""
    names = {f"[{host}]" if ":" in host else host}
    if is_local(host):
        names |= {"127.0.0.1", "localhost", "[::1]"}
    if host in ("0.0.0.0", "::"):
        names |= {"127.0.0.1", "localhost", "[::1]", socket.gethostname(), socket.getfqdn()}
        with contextlib.suppress(OSError):
            for found in socket.getaddrinfo(socket.gethostname(), None):
                address = str(found[4][0])
                names.add(f"[{address}]" if ":" in address else address)
    return sorted(names)


def ipaddress_of(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def is_local(host: str) -> bool:
    found = ipaddress_of(host)
    return host == "localhost" if found is None else found.is_loopback


def listen(host: str, port: int | None) -> socket.socket:
    """A socket on that port; without one, on the first free port from FIRST_PORT on, or any."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    wanted = [port] if port is not None else [*range(FIRST_PORT, FIRST_PORT + TRIED_PORTS), 0]
    for number in wanted:
        sock = socket.socket(family, socket.SOCK_STREAM)
        if os.name != "nt":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, number))
            sock.listen(BACKLOG)
            sock.set_inheritable(False)
            return sock
        except OSError as error:
            sock.close()
            if port is not None:
                raise UserError(f"port {port} of {host} cannot be used: {error.strerror or error}") from None
        except OverflowError:
            sock.close()
            raise UserError(f"{port} is not a port: a number from 1 to 65535") from None
    raise UserError(f"{host} has no free port")


class PageServer(uvicorn.Server):
    """Leaves signals to the command line, which turns them into a request to end; says good-bye to the tabs first."""

    hub: Hub

    def __init__(self, config: uvicorn.Config):
        super().__init__(config)
        self._tidier = Tidier()

    @contextlib.contextmanager
    def capture_signals(self):
        yield

    async def on_tick(self, counter: int) -> bool:
        if counter % TICKS_BETWEEN_LOOKS == 0:
            self._tidier.look(PageConnection.opened)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.hub.say_bye()
        await super().shutdown(sockets)


def make_config(app: Guard) -> uvicorn.Config:
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        http=PageConnection,
        backlog=BACKLOG,
        timeout_graceful_shutdown=1,
        ws="none",
        lifespan="on",
    )


def serve(
    opening: Opening,
    host: str = LOCAL,
    port: int | None = None,
    opens_browser: bool = True,
    say: Callable[[str], None] = print,
    stopping: Callable[[Callable[[], None]], contextlib.AbstractContextManager[None]] | None = None,
) -> None:
    """Runs until it is stopped. `stopping` is a context in which a signal calls what it is given."""
    sock = listen(host, port)
    number = sock.getsockname()[1]
    keys = Keys()
    hub = Hub(opening)
    app = make_app(hub, keys, names_of(host), number)
    server = PageServer(make_config(app))
    server.hub = hub
    shown = LOCAL if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{number}{ENTRANCE}#{keys.token}"
    if not is_local(host):
        say(
            f"Warning: with --host {host}, other machines can reach this server. Whoever has the address below can use it, "
            "and what they send and see is not encrypted."
        )
    opener = Opener(address) if opens_browser else None

    def stop() -> None:
        server.should_exit = True

    with sock, stopping(stop) if stopping is not None else contextlib.nullcontext():
        try:
            if opener is not None and opener.can_open:
                say(f"The page opens in your browser. If not, open this address (it works once; Ctrl-C ends it):\n{address}")
                opener.open_soon()
            else:
                say(f"Open this address in your browser (it works once; Ctrl-C ends the server):\n{address}")
            server.run([sock])
        finally:
            if opener is not None:
                opener.close()


class Opener:
    """Opens the browser by a small file that only this user can read: a token in a program's arguments could be seen by all."""

    def __init__(self, address: str):
        self._address = address
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self.can_open = self._browser() is not None

    @staticmethod
    def _browser() -> webbrowser.BaseBrowser | None:
        if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            if not os.environ.get("BROWSER"):
                return None  # a browser in the terminal would take it over, and cannot show the page
        try:
            return webbrowser.get()
        except webbrowser.Error:
            return None

    def open_soon(self) -> None:
        """In a thread: some browsers take their time."""
        self._folder = tempfile.TemporaryDirectory(prefix="tesuji-", ignore_cleanup_errors=True)
        file = Path(self._folder.name) / f"open-{secrets.token_hex(4)}.html"
        target = html.escape(self._address, quote=True)
        file.touch(mode=0o600)
        file.write_text(f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={target}">')

        def go() -> None:
            with contextlib.suppress(Exception):
                webbrowser.open(file.as_uri())

        threading.Thread(target=go, daemon=True).start()

    def close(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
