"""Who may talk to the server. Every request of every protocol goes through `Guard` before anything else sees it.

The page runs programs on this machine, so other pages in the same browser, other servers and other users of the machine must
not reach it: only known names of the host are answered (a page of another site may resolve its own name to 127.0.0.1), commands
and streams only with the key (which takes the token that was printed in the terminal), and writes only from the page itself.

The key is no cookie. Browsers send a cookie to every port of a host, and so to whatever else listens on 127.0.0.1; the page
keeps the key in the storage of its origin, which the port is part of, and sends it itself. docs/web-server.md lists the
measures one by one.
"""

from __future__ import annotations

import hmac
import json
import secrets
import time
from collections.abc import Iterable
from typing import Any

POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; object-src 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]
OWN_SITE = ("same-origin", "none")  # Sec-Fetch-Site of the page itself, and of an address that was typed
BURST, A_SECOND = 400, 100  # requests: what may come at once, and what is allowed on average
MOST_QUERY = 4096  # bytes
HTTP_PORT = 80  # the one that addresses need not name
ENTRANCE = "/enter"  # the page that exchanges the token; the only one that other sites, and files, may lead to
FILES = "/static/"  # the page and its files are the same for everybody, and hold nothing of anybody
LOGGED_OUT = "This page belongs to a running tesuji. Open the address that it has printed in the terminal."
USED = "This address has been used already, and works once. The browser that opened it first can go on; or start tesuji again."
FOREIGN = "A page of another site leads here. If that is what you want, copy its address and paste it into the address bar."


class Bucket:
    """So many requests at once, and so many a second on average."""

    def __init__(self, burst: float = BURST, rate: float = A_SECOND):
        self._burst, self._rate = burst, rate
        self._left, self._at = burst, time.monotonic()

    def take(self) -> bool:
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class Keys:
    """The token, which is exchanged once for the key. Both are random; the server never writes either to a file or a log."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(32)
        self.key = secrets.token_urlsafe(32)
        self.is_used = False

    def is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode("utf-8", "replace"), self.token.encode())

    def is_key(self, text: str) -> bool:
        return hmac.compare_digest(text.encode("utf-8", "replace"), self.key.encode())


class Guard:
    """An ASGI application around another one, which it protects."""

    def __init__(self, inner: Any, keys: Keys, hosts: Iterable[str], port: int):
        self.inner = inner
        self.keys = keys
        self.port = port
        self.hosts = {name.lower() for name in hosts}
        self._bucket = Bucket()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self.inner(scope, receive, send)
            return
        if scope["type"] != "http":  # there is no other protocol here
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope["headers"])
        refusal = self._refuse(scope, headers)
        if refusal is not None:
            await answer(send, *refusal)
            return
        if scope["path"] == "/key" and scope["method"] == "POST":
            await self._exchange(scope, headers, send)
            return
        if not is_public(scope):
            if not self.keys.is_key(headers.bearer()):
                await answer(send, 403, LOGGED_OUT)
                return
            trust_connection(scope)
            if not self._bucket.take():
                await answer(send, 429, "too many requests: wait a moment")
                return

        async def protected(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *HEADERS]}
            await send(message)

        await self.inner(scope, receive, protected)

    def _refuse(self, scope: Any, headers: Headers) -> tuple[int, str] | None:
        """Why a request is not answered, whoever sends it."""
        if not self.is_known_host(headers.one("host")):
            return 421, "this server is not known by that name"
        if len(scope.get("query_string", b"")) > MOST_QUERY:
            return 414, "the address is too long"
        method, site = scope["method"], headers.one("sec-fetch-site")
        if method in ("GET", "HEAD"):
            if site is None or site in OWN_SITE or scope["path"] == ENTRANCE:
                return None
            return 403, FOREIGN if scope["path"] == "/" else "this may only be asked by the page itself"
        if method != "POST":
            return 405, "only GET and POST are possible"
        if not self.is_own_origin(site, headers.one("origin"), headers.one("host")):
            return 403, "commands may only come from the page itself"
        kind = (headers.one("content-type") or "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return 415, "a command is JSON: Content-Type must be application/json"
        return None

    def is_known_host(self, given: str | None) -> bool:
        """Whether the Host header names this server: exactly one of its names, with its port. Browsers leave out port 80."""
        if given is None:
            return False
        if self.port == HTTP_PORT and given.lower() in self.hosts:
            return True
        name, colon, port = given.rpartition(":")
        if not colon or port != str(self.port):
            return False
        return name.lower() in self.hosts

    def is_own_origin(self, site: str | None, origin: str | None, host: str | None) -> bool:
        """Browsers say where a request comes from, the older ones by Origin alone. Who says nothing is refused."""
        if origin is not None and origin.lower() != f"http://{host}".lower():
            return False
        return site == "same-origin" if site is not None else origin is not None

    async def _exchange(self, scope: Any, headers: Headers, send: Any) -> None:
        """The token for the key, once. Who has the key already just goes on."""
        secret = headers.bearer()
        is_token = self.keys.is_token(secret)
        if not self.keys.is_key(secret) and (not is_token or self.keys.is_used):
            await answer(send, 403, USED if is_token else LOGGED_OUT)
            return
        self.keys.is_used = True
        trust_connection(scope)
        await answer(send, 200, json.dumps({"key": self.keys.key}), b"application/json")


def is_public(scope: Any) -> bool:
    """Whether everybody may have what is asked for: the files of the page, which could as well be on a disk."""
    path = scope["path"]
    return scope["method"] in ("GET", "HEAD") and (path in ("/", ENTRANCE) or path.startswith(FILES))


def trust_connection(scope: Any) -> None:
    """The connection of this request has shown the key: it is not closed in favour of others."""
    connection = scope.get("state", {}).get("connection")
    if connection is not None:
        connection.is_trusted = True


class Headers:
    def __init__(self, raw: Iterable[tuple[bytes, bytes]]):
        self._raw = list(raw)

    def all(self, name: str) -> list[str]:
        key = name.encode()
        return [value.decode("latin-1") for found, value in self._raw if found.lower() == key]

    def one(self, name: str) -> str | None:
        """The only header of that name. Two of them contradict each other: that is a value nothing is equal to."""
        found = self.all(name)
        return None if not found else found[0] if len(found) == 1 else "\0"

    def bearer(self) -> str:
        """The secret of `Authorization: Bearer SECRET`; an empty text if there is none."""
        scheme, _, secret = (self.one("authorization") or "").partition(" ")
        return secret if scheme == "Bearer" else ""


async def answer(send: Any, status: int, text: str, kind: bytes = b"text/plain; charset=utf-8") -> None:
    body = text.encode()
    length = (b"content-length", str(len(body)).encode())
    headers = [(b"content-type", kind), length, (b"cache-control", b"no-store"), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
