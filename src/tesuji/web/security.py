"""Who may talk to the server. Every request of every protocol goes through `Guard` before anything else sees it.

The page runs programs on this machine, so other pages in the same browser, and other users of the machine, must not reach it:
only known names of the host (a page of another site may resolve its own name to 127.0.0.1), only with the cookie (which takes
the token that was printed in the terminal), and writes only from the page itself. docs/web-server.md
lists the measures one by one.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl

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
LOGGED_OUT = "This page belongs to a running tesuji. Open the address that it has printed in the terminal."
USED = "This address has been used already, and works once. The browser that opened it first can go on; or start tesuji again."


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
    """The token, which is exchanged once for the cookie. Both are random; neither is ever written to a file or a log."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(32)
        self.cookie = secrets.token_urlsafe(32)
        self.is_used = False

    def is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())

    def is_cookie(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.cookie.encode())


class Guard:
    """An ASGI application around another one, which it protects."""

    def __init__(self, inner: Any, keys: Keys, hosts: Iterable[str], port: int):
        self.inner = inner
        self.keys = keys
        self.port = port
        self.hosts = {name.lower() for name in hosts}
        self.cookie_name = f"tesuji_{port}"  # cookies do not know ports: two servers must not share one
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
        query = scope.get("query_string", b"")
        if scope["path"] == "/" and b"token=" in query:
            await self._exchange(scope, headers, query, send)
            return
        if not self._has_cookie(headers):
            await answer(send, 403, LOGGED_OUT)
            return
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
            is_start = scope["path"] == "/"
            if site is not None and site not in OWN_SITE and not is_start:
                return 403, "this may only be asked by the page itself"
            return None
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

    def _has_cookie(self, headers: Headers) -> bool:
        for line in headers.all("cookie"):
            for part in line.split(";"):
                name, _, value = part.strip().partition("=")
                if name == self.cookie_name and self.keys.is_cookie(value):
                    return True
        return False

    async def _exchange(self, scope: Any, headers: Headers, query: bytes, send: Any) -> None:
        """The token for the cookie, once. A browser that has the cookie already just goes on."""
        try:
            fields = dict(parse_qsl(query.decode("ascii"), max_num_fields=10))
        except ValueError:
            fields = {}
        known = self._has_cookie(headers)
        if not known:
            if not self.keys.is_token(fields.get("token", "")):
                await answer(send, 403, LOGGED_OUT)
                return
            if self.keys.is_used:
                await answer(send, 403, USED)
                return
        if scope["method"] != "GET":
            await answer(send, 405, "only GET is possible here")
            return
        self.keys.is_used = True
        cookie = f"{self.cookie_name}={self.keys.cookie}; Path=/; HttpOnly; SameSite=Strict"
        extra = [(b"set-cookie", cookie.encode()), (b"cache-control", b"no-store")]
        if headers.one("sec-fetch-site") in (None, *OWN_SITE):
            await answer(send, 303, "", [*extra, (b"location", b"/")])
            return
        # From another site, such as the small file that opened the browser, a cookie with SameSite=Strict does not follow a
        # redirect. It does follow a page of our own that goes on by itself.
        page = '<!doctype html><meta charset="utf-8"><title>Tesuji</title><meta http-equiv="refresh" content="0; url=/">'
        page += '<p><a href="/">Go on</a></p>'
        await answer(send, 200, page, extra, b"text/html; charset=utf-8")


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


async def answer(
    send: Any,
    status: int,
    text: str,
    extra: list[tuple[bytes, bytes]] | None = None,
    kind: bytes = b"text/plain; charset=utf-8",
) -> None:
    body = text.encode()
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), *HEADERS, *(extra or [])]
    if not any(name == b"cache-control" for name, _ in headers):
        headers.append((b"cache-control", b"no-store"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
