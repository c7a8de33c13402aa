"""Each measure of docs/web-server.md with a forged request: none of them is answered."""

import json
import socket

import pytest
from web_client import LOCAL, Client, RunningServer

from tesuji.web.app import STATIC
from tesuji.web.security import Bucket, Guard, Keys
from tesuji.web.server import Opener, is_local, names_of

COMMAND = json.dumps({"tab": "a" * 16})


@pytest.fixture(scope="module")
def tab_name(server):
    client = Client(server)
    yield client.name
    client.disconnect()


def post(server, name, headers=None, body=None, path="/api/games"):
    return server.request("POST", path, body or json.dumps({"tab": name}), headers)


def line_of(server):
    """The header with the key, as it is sent."""
    return f"Authorization: {server.bearer()['Authorization']}\r\n"


def test_a_proper_command_is_answered(server, tab_name):
    status, headers, body = post(server, tab_name)
    assert status == 200 and json.loads(body)["ok"]
    assert headers["content-type"] == "application/json" and headers["cache-control"] == "no-store"


# -- the host ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{port}"]
)
@pytest.mark.parametrize("path", ["/", "/events?tab=aaaaaaaaaaaaaaaaaaaa", "/static/style.css"])
def test_another_name_of_the_host_is_refused(server, host, path):
    """A page of another site can make its own name resolve to this machine; the name is still its own."""
    status, _, body = server.request("GET", path, headers={"Host": host.format(port=server.port)})
    assert status == 421 and b"not known by that name" in body


def test_two_hosts_or_none_are_refused(server):
    for lines in ("", f"Host: 127.0.0.1:{server.port}\r\nHost: evil.example\r\n"):
        answer = raw(server, f"GET / HTTP/1.1\r\n{lines}{line_of(server)}Connection: close\r\n\r\n")
        assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 421"))


def test_localhost_is_known(server):
    assert server.request("GET", "/events?tab=short", headers={"Host": f"localhost:{server.port}"})[0] == 400


def test_port_80_need_not_be_named():
    """Browsers leave it out of Host and of Origin; every other port must be there."""
    guard = Guard(None, Keys(), names_of(LOCAL), 80)
    for host in ("127.0.0.1", "127.0.0.1:80", "localhost", "LOCALHOST:80", "[::1]", "[::1]:80"):
        assert guard.is_known_host(host), host
    for host in (None, "", "80", ":80", "evil.example", "evil.example:80", "127.0.0.1:8600", "127.0.0.1:", "[::1", "::1"):
        assert not guard.is_known_host(host), host
    assert guard.is_own_origin("same-origin", "http://127.0.0.1", "127.0.0.1")
    assert not Guard(None, Keys(), names_of(LOCAL), 8600).is_known_host("127.0.0.1")


def raw(server, text):
    with socket.create_connection((LOCAL, server.port), timeout=60) as connection:
        connection.sendall(text.encode("latin-1"))
        pieces = []
        while piece := connection.recv(65536):
            pieces.append(piece)
        return b"".join(pieces)


# -- the token and the key ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "path", ["/events?tab=aaaaaaaaaaaaaaaaaaaa", "/nowhere", "/api/games", "/key", "/static", "//", "/enter/"]
)
@pytest.mark.parametrize(
    "given",
    [None, "", "Bearer", "Bearer ", "Bearer wrong", "{key}", "Basic {key}", "bearer {key}", "Bearer {key}x", "Bearer {token}"],
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_nothing_is_answered_without_the_key(server, method, path, given):
    server.bearer()  # the token is used
    given = given and given.format(key=server.keys.key, token=server.keys.token)
    status, headers, body = server.request(method, path, headers={"Authorization": given})
    assert status == 403 and (method == "HEAD" or b"tesuji" in body) and "set-cookie" not in headers


def test_the_key_is_taken_from_nowhere_but_the_header(server):
    key = server.keys.key
    for path, headers in (
        (f"/events?tab={'a' * 20}&key={key}&token={key}", {"Cookie": f"tesuji_{server.port}={key}; tesuji-key={key}"}),
        (f"/events?tab={'a' * 20}", {"X-Authorization": f"Bearer {key}", "Proxy-Authorization": f"Bearer {key}"}),
    ):
        assert server.request("GET", path, headers={"Authorization": None, **headers})[0] == 403
    two = f"GET /nowhere HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n{line_of(server) * 2}Connection: close\r\n\r\n"
    assert raw(server, two).split()[1] == b"403"


@pytest.mark.parametrize("path", ["/", "/enter", "/static/main.js"])
def test_the_files_of_the_page_hold_nothing_of_anybody(server, path):
    """They are answered without the key, since a browser cannot send it with them, and are those of the package."""
    status, headers, body = server.request("GET", path, headers={"Authorization": None})
    assert status == 200 and "set-cookie" not in headers
    assert body == (STATIC / {"/": "index.html", "/enter": "enter.html"}.get(path, "main.js")).read_bytes()


@pytest.mark.parametrize("token", ["", "wrong", "\0", "é", "a" * 3000])
def test_a_wrong_token_gets_no_key(pure, token):
    fresh = RunningServer()
    try:
        status, _, body = fresh.request("POST", "/key", headers={"Authorization": f"Bearer {token}".encode()})
        assert status in (400, 403) and fresh.keys.key.encode() not in body and not fresh.keys.is_used
    finally:
        fresh.close()


def test_the_token_is_exchanged_once(pure):
    fresh = RunningServer()
    try:
        token = {"Authorization": f"Bearer {fresh.keys.token}"}
        assert fresh.request("GET", "/key", headers=token)[0] == 403  # a preview of a link does not use it up
        for headers in ({"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://127.0.0.1:1"}):
            assert fresh.request("POST", "/key", headers={**token, **headers})[0] == 403
        status, headers, body = fresh.request("POST", "/key", headers=token)
        assert status == 200 and json.loads(body) == {"key": fresh.keys.key} and fresh.keys.token.encode() not in body
        assert "set-cookie" not in headers and headers["cache-control"] == "no-store"
        status, _, body = fresh.request("POST", "/key", headers=token)
        assert status == 403 and b"used already" in body
        assert fresh.request("POST", "/key")[0] == 200  # who has the key goes on, should the address be opened again
    finally:
        fresh.close()


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_lead_to_the_entrance_alone(server, site):
    """A link of theirs would begin a game, and a search, in the name of whoever has the key."""
    status, _, body = server.request("GET", "/", headers={"Sec-Fetch-Site": site})
    assert status == 403 and b"another site" in body
    assert server.request("GET", "/enter", headers={"Sec-Fetch-Site": site})[0] == 200


def test_keys_are_long_random_and_compared_in_constant_time(monkeypatch):
    keys, others, compared = Keys(), Keys(), []
    assert len(keys.token) >= 43 and len(keys.key) >= 43
    assert len({keys.token, keys.key, others.token, others.key}) == 4
    from tesuji.web import security

    def compare(a, b):
        compared.append((a, b))
        return a == b

    monkeypatch.setattr(security.hmac, "compare_digest", compare)
    assert keys.is_token(keys.token) and not keys.is_token("é") and not keys.is_key("")
    assert len(compared) == 3


def test_the_token_is_not_among_the_arguments_of_a_process(monkeypatch, tmp_path):
    """The browser is told to open a file that only this user can read."""
    opened = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.get", lambda *_: object())
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address))
    opener = Opener("http://127.0.0.1:1/enter#secret")
    opener.open_soon()
    for _ in range(200):
        if opened:
            break
        import time

        time.sleep(0.01)
    assert opened and opened[0].startswith("file://") and "secret" not in opened[0]
    from pathlib import Path

    file = Path(opened[0].removeprefix("file://"))
    assert "/enter#secret" in file.read_text() and file.stat().st_mode & 0o077 == 0
    opener.close()
    assert not file.exists()


# -- writes ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": None},
        {"Sec-Fetch-Site": None, "Origin": "http://evil.example"},
        {"Sec-Fetch-Site": None, "Origin": "null"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"},
        {"Sec-Fetch-Site": None, "Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": None, "Origin": "https://127.0.0.1:{port}"},
    ],
)
def test_a_command_from_elsewhere_is_refused(server, tab_name, headers):
    given = {name: value and value.format(port=server.port) for name, value in headers.items()}
    status, _, body = post(server, tab_name, given)
    assert status == 403 and b"only come from the page itself" in body


def test_an_older_browser_says_where_it_comes_from_by_origin(server, tab_name):
    assert post(server, tab_name, {"Sec-Fetch-Site": None, "Origin": f"http://127.0.0.1:{server.port}"})[0] == 200


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp"]
)
def test_a_form_is_no_command(server, tab_name, kind):
    assert post(server, tab_name, {"Content-Type": kind})[0] == 415


@pytest.mark.parametrize("path", ["/events?tab=aaaaaaaaaaaaaaaaaaaa", "/static/main.js"])
def test_other_sites_cannot_read(server, path):
    assert server.request("GET", path, headers={"Sec-Fetch-Site": "cross-site"})[0] == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_there_are_no_other_methods(server, method):
    status, headers, _ = server.request(method, "/api/games", headers={"Origin": "http://evil.example"})
    assert status == 405 and not any(name.startswith("access-control") for name in headers)


def test_a_websocket_is_closed_at_once():
    """No protocol goes round the checks."""
    import asyncio

    sent = []

    async def send(message):
        sent.append(message)

    async def inner(*_arguments):
        raise AssertionError("never called")

    guard = Guard(inner, Keys(), ["127.0.0.1"], 80)
    asyncio.run(guard({"type": "websocket", "path": "/", "headers": []}, None, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


# -- what every answer says --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("path", ["/", "/static/nothing.js", "/nowhere", "/events?tab=x"])
@pytest.mark.parametrize("more", [{}, {"Authorization": None}])
def test_every_answer_has_the_headers(server, path, more):
    _, headers, _ = server.request("GET", path, headers=more)
    policy = headers["content-security-policy"]
    assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
    assert not any(name.startswith("access-control") for name in headers) and "server" not in headers


# -- limits ------------------------------------------------------------------------------------------------------------
def test_a_long_body_is_refused(server, tab_name):
    status, _, body = post(server, tab_name, body=b" " * (9 << 20))
    assert status == 413 and b"too long" in body
    announced = f"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n{line_of(server)}"
    announced += (
        "Content-Type: application/json\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 99999999999999999999999\r\n\r\n"
    )
    assert raw(server, announced).split()[1] in (b"413", b"400")


def test_a_body_without_a_length_is_cut_off(server):
    start = f"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n{line_of(server)}Connection: close\r\n"
    start += "Content-Type: application/json\r\nSec-Fetch-Site: same-origin\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection((LOCAL, server.port), timeout=60) as connection:
        connection.sendall(start.encode())
        piece = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        try:
            for _ in range(200):
                connection.sendall(piece)
        except OSError:
            pass  # the server does not listen any more
        else:
            assert b"413" in connection.recv(100)


def test_only_so_many_requests_a_second():
    bucket = Bucket(burst=5, rate=0.0)
    assert [bucket.take() for _ in range(7)] == [True] * 5 + [False] * 2
    fresh = RunningServer()
    try:
        fresh.bearer()
        fresh.app._bucket = bucket = Bucket(burst=5, rate=0.0)
        assert [fresh.request("GET", "/nowhere")[0] for _ in range(7)] == [404] * 5 + [429] * 2
        assert not bucket.take()
    finally:
        fresh.close()


def test_a_long_address_is_refused(server):
    assert server.request("GET", "/events?tab=" + "a" * 5000)[0] == 414


# -- files and code ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd", "/etc/passwd"]
)
def test_no_file_of_the_server_can_be_read(server, path):
    answer = raw(
        server,
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n{line_of(server)}Connection: close\r\n\r\n",
    )
    assert answer.split()[1] in (b"404", b"400") and b"import" not in answer and b"root:" not in answer


def test_a_page_cannot_name_files(server, tmp_path):
    """Games and players of someone's own are code: only the command line can name them. Weights are files, too."""
    file = tmp_path / "game.py"
    file.write_text("raise SystemExit('run')")
    tab = Client(server)
    try:
        person = {"kind": "person"}
        computer = {"kind": "computer", "player": f"{file}:player"}
        assert "code" in tab.refused("new", game=f"{file}:game", sides=[person, person])
        assert "command line" in tab.refused("new", game="tictactoe", sides=[person, computer])
        assert "command line" in tab.refused("parameters", player="hex", game="hex:5", parameters={"weights": str(file)})
        assert "code" in tab.refused("open-link", fragment=f"#game={file}:game")
        record = f"(;FF[4]GM[0]TESUJI[{file}:game])"
        assert "must not run" in tab.refused("sgf-open", text=record, name="x.sgf")
    finally:
        tab.disconnect()


# -- where it listens --------------------------------------------------------------------------------------------------
def test_names_of_hosts():
    assert names_of("127.0.0.1") == ["127.0.0.1", "[::1]", "localhost"]
    assert names_of("192.0.2.7") == ["192.0.2.7"] and not is_local("192.0.2.7")
    assert is_local("127.0.0.1") and is_local("::1") and is_local("localhost") and not is_local("0.0.0.0")
    assert "localhost" in names_of("0.0.0.0") and "evil.example" not in names_of("0.0.0.0")
