"""What the server of the page bears: many connections, malformed requests, long analyses; how soon the engine first replies.

    python benchmarks/web_load.py start                 # tesuji play: process start to the first reply of the engine, twice
    python benchmarks/web_load.py load [--requests N] [--connections N] [--rounds N]
    python benchmarks/web_load.py stream [--minutes N] [--game GAME] [--memory MIB]

`load` starts a server, opens and drops connections, sends random and malformed requests, most of them without the key, and
prints the memory of the server's process before and after each round. It fails if a request without the key was answered
with anything but a refusal, or if the server does not answer a proper one in the end.

`stream` watches the analysis of one position, and prints the memory of the server and of the engine as time passes. The tree
gets `--memory` MiB, so that it is full early: a search that fills its memory does not grow by mistake.

All of them talk to 127.0.0.1 alone.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection

REFUSALS = (400, 403, 404, 405, 408, 411, 413, 414, 415, 421, 429, 431, 501, 503)
LOCAL = "127.0.0.1"
OF_THE_PAGE = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}
AT_A_TIME = 40  # connections that requests are sent on
REST_SECONDS = 15  # after a load: the rate limit recovers, and the server tidies up


class Running:
    """`tesuji play` in a process of its own."""

    def __init__(self, game: str, *words: str):
        command = [sys.executable, "-m", "tesuji", "play", game, "--no-browser", *words]
        self.began = time.monotonic()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        found = None
        while found is None:
            line = self.process.stdout.readline()
            assert line, "the server did not start"
            found = re.search(r"http://127\.0\.0\.1:(\d+)/enter#(\S+)", line)
        self.port, token = int(found[1]), found[2]
        connection = HTTPConnection(LOCAL, self.port)
        while True:
            try:
                connection.request("POST", "/key", headers={"Authorization": f"Bearer {token}", **OF_THE_PAGE})
                break
            except ConnectionRefusedError:
                time.sleep(0.02)
        key = json.load(connection.getresponse())["key"]
        self.bearer = f"Bearer {key}"
        connection.close()

    def memory(self) -> float:
        """Resident MiB of the server's process, without its engines."""
        return memory_of(self.process.pid)

    def engines(self) -> list[int]:
        """The processes that the server has started and that still run."""
        found = []
        for name in filter(str.isdecimal, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat") as file:
                if int(file.read().rpartition(")")[2].split()[1]) == self.process.pid:
                    found.append(int(name))
        return found

    def files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def cpu(self) -> float:
        """Processor seconds of the server and of its children that still run."""
        ticks = 0
        for pid in [self.process.pid, *self.engines()]:
            with open(f"/proc/{pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def post(self, command: str, fields: dict) -> tuple[int, dict]:
        connection = HTTPConnection(LOCAL, self.port, timeout=60)
        headers = {"Authorization": self.bearer, **OF_THE_PAGE}
        connection.request("POST", f"/api/{command}", json.dumps(fields), headers)
        answer = connection.getresponse()
        found = answer.status, json.loads(answer.read())
        connection.close()
        return found

    def events(self, tab: str):
        """The stream of a tab, event by event."""
        connection = HTTPConnection(LOCAL, self.port, timeout=120)
        connection.request("GET", f"/events?tab={tab}", headers={"Authorization": self.bearer})
        name = ""
        for line in connection.getresponse():
            text = line.decode().rstrip("\n")
            if text.startswith("event: "):
                name = text[7:]
            elif text.startswith("data: "):
                yield name, json.loads(text[6:])

    def end(self) -> int:
        self.process.terminate()  # not Ctrl-C: a shell starts programs in the background with that ignored
        return self.process.wait(20)


def memory_of(pid: int) -> float:
    """Resident MiB of a process."""
    with open(f"/proc/{pid}/status") as file:
        found = re.search(r"VmRSS:\s+(\d+) kB", file.read())
    assert found is not None
    return int(found[1]) / 1024


def measure_start(game: str) -> None:
    """From the start of the process to the engine's reply to a first move that is made as soon as there is a board."""
    for attempt in ("first", "second"):
        running = Running(game, "--level", "5")
        served = time.monotonic() - running.began
        tab, board = "a" * 20, 0.0
        for name, values in running.events(tab):
            if name == "state" and values["ply"] == 0:
                board = time.monotonic() - running.began
                running.post("move", {"tab": tab, "generation": values["generation"], "move": values["moves"][0]})
            if name == "state" and values["ply"] >= 2:
                break
        replied, cpu = time.monotonic() - running.began, running.cpu()
        code = running.end()
        print(
            f"{attempt} start: served after {served:.2f} s, board {board:.2f} s, reply {replied:.2f} s "
            f"({cpu:.2f} s of processor time in all processes); exit code {code}; load average {os.getloadavg()[0]:.1f}"
        )


def measure_load(requests: int, connections: int, rounds: int) -> None:
    """The same load several times over: what grows again with each round is a leak, what the first one adds is not."""
    running = Running("tictactoe", "--side", "both")
    tab = "b" * 20
    stream = running.events(tab)
    for name, _ in stream:
        if name == "state":
            break
    chance = random.Random(18)
    print(f"at the start: {running.memory():.1f} MiB, {running.files()} open files", flush=True)
    for number in range(1, rounds + 1):
        began = time.monotonic()
        drop(running, connections, chance)
        time.sleep(2)
        dropped = running.memory()
        counts = burst(running, requests, chance)
        highest = running.memory()
        time.sleep(REST_SECONDS)
        print(
            f"load {number}: {dropped:.1f} MiB after {connections:,} connections opened and dropped, {highest:.1f} after "
            f"{requests:,} requests, {running.memory():.1f} after {REST_SECONDS} s of rest, {running.files()} open files; "
            f"{time.monotonic() - began:.0f} s; answers by status: {counts}",
            flush=True,
        )
    status, answer = running.post("games", {"tab": tab})
    assert status == 200 and answer["ok"], (status, answer)
    print(f"a proper request is answered: {status}; exit code {running.end()}")


def measure_stream(game: str, minutes: float, memory: float) -> None:
    """One position, analysed all the time, and a page that reads every update."""
    running = Running(game, "--side", "both")
    tab, updates, marks = "d" * 20, 0, [minutes * share for share in (0.1, 0.25, 0.5, 0.75, 1.0)]
    began = None
    for name, values in running.events(tab):
        if began is None and name == "state":
            began = time.monotonic()
            running.post("analyse", {"tab": tab, "on": True, "parameters": {"memory": memory}})
        if name != "analysis" or began is None:
            continue
        updates += 1
        passed = (time.monotonic() - began) / 60
        if passed >= marks[0]:
            engines = ", ".join(f"{memory_of(pid):.1f}" for pid in running.engines())
            print(
                f"after {passed:.1f} min: server {running.memory():.1f} MiB, engine {engines} MiB; {updates:,} updates, "
                f"{values['playouts']:,} playouts, {values['nodes']:,} nodes",
                flush=True,
            )
            marks.pop(0)
        if not marks:
            break
    print(f"exit code {running.end()}")


def drop(running: Running, count: int, chance: random.Random) -> None:
    """All at the same time, as far as the system allows; some send a part of a request, some a whole one, none waits."""
    opened = []
    for _ in range(count):
        try:
            opened.append(socket.create_connection((LOCAL, running.port), timeout=20))
        except OSError:
            time.sleep(0.01)
    host = f"Host: {LOCAL}:{running.port}\r\n"
    texts = [
        "",
        "GET / HT",
        f"GET / HTTP/1.1\r\n{host}",
        f"GET /events?tab={'c' * 20} HTTP/1.1\r\n{host}Authorization: {running.bearer}\r\n\r\n",
    ]
    for connection in opened:
        with contextlib.suppress(OSError):
            connection.sendall(chance.choice(texts).encode())
    for connection in opened:
        connection.close()


def burst(running: Running, count: int, chance: random.Random) -> dict[int, int]:
    """Random requests on some connections at a time. One in ten has the key."""
    counts: dict[int, int] = {}
    left = iter(range(count))

    async def send_all() -> None:
        connection: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        for _ in left:
            if connection is None:
                connection = await asyncio.open_connection(LOCAL, running.port)
            has_key = chance.random() < 0.1
            request = nonsense(running, chance, has_key)
            try:
                connection[1].write(request)
                status = await asyncio.wait_for(read_status(connection[0], not request.startswith(b"HEAD")), 60)
            except OSError:
                status = 0
            counts[status] = counts.get(status, 0) + 1
            if not has_key and status not in (0, *REFUSALS):
                raise SystemExit(f"a request without the key was answered with {status}")
            if status in (0, 400, 408, 413, 431, 503):
                connection[1].close()
                connection = None
        if connection is not None:
            connection[1].close()

    async def send() -> None:
        await asyncio.gather(*(send_all() for _ in range(AT_A_TIME)))

    asyncio.run(send())
    return dict(sorted(counts.items()))


def nonsense(running: Running, chance: random.Random, has_key: bool) -> bytes:
    """A request that is wrong in some way or other, and ends, so that the server answers."""
    commands = ["games", "move", "new", "goto", "sgf-open", "solve", "nothing", "../x", "certificate-open", "hint"]
    paths = ["/key", "/static/nothing.js", "/static/../../x", "/events?tab=x", "/" + "a" * chance.randrange(1, 300)]
    method = chance.choice(["GET", "POST", "POST", "PUT", "OPTIONS", "HEAD", "XYZ"])
    path = chance.choice(paths) if method != "POST" else f"/api/{chance.choice(commands)}"
    host = chance.choice([f"{LOCAL}:{running.port}", f"localhost:{running.port}", "evil.example", ""])
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}"]
    if has_key:
        lines += [f"Authorization: {running.bearer}", "Sec-Fetch-Site: same-origin"]
    elif chance.random() < 0.3:
        lines.append(f"Authorization: Bearer {chance.getrandbits(200):x}")
    if chance.random() < 0.7:
        lines.append("Content-Type: application/json")
    if chance.random() < 0.2:
        lines.append(chance.choice(["Origin: null", "Sec-Fetch-Site: cross-site", "X: " + "y" * 1000, "Cookie: \xff\xfe"]))
    body = bytes(chance.randrange(256) for _ in range(chance.randrange(60)))
    if chance.random() < 0.7:
        body = json.dumps(
            {"tab": "b" * 20, chance.choice(["move", "game", "node"]): chance.choice([1, "x", None, [[]]])}
        ).encode()
    if method in ("GET", "HEAD"):
        body = b""
    lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


async def read_status(reader: asyncio.StreamReader, has_body: bool) -> int:
    """The status of the next answer, whose body is read too; 0 if the server has closed the connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head.lower())
        if length and has_body:
            await reader.readexactly(int(length[1]))
    except asyncio.IncompleteReadError:
        return 0
    return int(head.split(None, 2)[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("start", "load", "stream"))
    parser.add_argument("--game", default="connect4:7x6")
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--connections", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3, help="how many times the load is repeated")
    parser.add_argument("--minutes", type=float, default=10.0, help="of the stream")
    parser.add_argument("--memory", type=float, default=32.0, help="of the stream's tree, MiB")
    args = parser.parse_args()
    if args.what == "start":
        measure_start(args.game)
    elif args.what == "stream":
        measure_stream(args.game, args.minutes, args.memory)
    else:
        measure_load(args.requests, args.connections, args.rounds)


if __name__ == "__main__":
    main()
