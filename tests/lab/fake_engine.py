"""A GTP engine for tests that drops discs into a Connect Four board, and misbehaves as it is told.

    python fake_engine.py MODE [COLUMNS ROWS [MARKER]]

A mode is what it does at a genmove:

    good        answers
    resign      resigns
    slow        thinks for 0.3 seconds
    busy        uses 0.1 seconds of CPU time, half of it in a process that it starts
    careless    uses 0.1 seconds in a process that it starts before the game and does not wait for; this ends at the genmove
    chatty      writes remarks before and after its answer
    crash       ends
    hang        answers nothing
    garbage     writes something that is not GTP, and no answer
    nonsense    answers, but not with a move
    illegal     answers with a move that is not legal
    flood       writes without end
    flood-lines the same, in lines
    twice       answers twice
    behind      answers the command before this one again
    no-id       leaves the id out
    wrong-id    answers with another id
    late        answers after it was given up

`refuse` errs at a second play, `crash-start` ends before it says a word, `never-ids` leaves out every id. With a marker file it
misbehaves only if the file is there not yet, and makes it.

`chaos:SEED:SHARE` does one of the others, by chance, at this share of all commands. Each process has a random stream of its
own: by its number, which the marker file counts, or by its id if there is no such file.
"""

import os
import random
import signal
import subprocess
import sys
import time

COMMANDS = ["name", "version", "list_commands", "clear_board", "play", "genmove", "time_settings", "quit"]
CHAOS = [
    "chatty",
    "crash",
    "hang",
    "garbage",
    "nonsense",
    "illegal",
    "flood",
    "flood-lines",
    "twice",
    "behind",
    "no-id",
    "wrong-id",
    "late",
]


class FakeEngine:
    def __init__(self, mode: str, columns: int, rows: int, marker: str):
        self.mode, self.marker = mode, marker
        self.columns, self.rows = columns, rows
        self.heights = [0] * columns
        self.plays = 0
        self.child: subprocess.Popen[bytes] | None = None
        self.chance, self.share = None, 0.0
        if mode.startswith("chaos:"):
            _, seed, share = mode.split(":")
            self.chance, self.share, self.marker = random.Random(f"{seed}/{process_number(marker)}"), float(share), ""

    def serve(self) -> None:
        for line in sys.stdin:
            number, _, rest = line.strip().partition(" ")
            words = rest.split()
            mode = self.mode if words[0] == "genmove" else "good"
            if self.chance is not None:
                mode = self.chance.choice(CHAOS) if self.chance.random() < self.share else "good"
            self.respond(int(number), words, mode)
            if words[0] == "quit":
                return

    def respond(self, number: int, words: list[str], mode: str) -> None:
        if mode != "good" and self.marker:
            open(self.marker, "w").close()
        if mode == "crash":
            sys.exit("segmentation fault, more or less")
        elif mode == "hang":
            time.sleep(1000)
        elif mode == "slow":
            time.sleep(0.3)
        elif mode == "busy":
            use_cpu(0.05)
            subprocess.run([sys.executable, "-S", "-c", f"import time\nwhile time.process_time() < {0.05}: pass"], check=True)
        elif self.child is not None and mode == "careless":
            self.child.communicate()
            self.child = None
        elif mode == "late":
            time.sleep(4)
        elif mode == "garbage":
            write("I think therefore I am\n\n")
            return
        elif mode in ("flood", "flood-lines"):
            while True:
                write("=" * 10000 if mode == "flood" else "stars without number\n" * 500)
        elif mode == "chatty":
            write("let me see\n")
        answer = self.answer(words, mode)
        mark = "?" if answer.startswith("?") else "="
        text = answer.removeprefix("?").strip()
        shown = {"wrong-id": str(number + 1000), "behind": str(number - 1), "no-id": ""}.get(mode, str(number))
        if self.mode == "never-ids":
            shown = ""
        write(f"{mark}{shown} {text}\n\n" * (2 if mode == "twice" else 1))
        if mode == "chatty":
            write("\nthat was hard\n")

    def answer(self, words: list[str], mode: str) -> str:
        command = words[0]
        if command == "genmove":
            column = next(c for c in range(self.columns) if self.heights[c] < self.rows)
            self.heights[column] += 1
            move = f"{'ABCDEFGH'[column]}{self.heights[column]}"
            return {"nonsense": "!!", "illegal": "99", "resign": "resign"}.get(mode, move)
        if command == "play":
            self.plays += 1
            if self.mode == "refuse" and self.plays == 2:
                return "? illegal move"
            self.heights["ABCDEFGH".index(words[2][0])] += 1
        elif command == "clear_board":
            self.heights, self.plays = [0] * self.columns, 0
            if self.mode == "careless" and self.child is None:
                self.child = busy_child()
        elif command not in (*COMMANDS, "time_left"):
            return "? unknown command"
        return {"name": "Fake", "version": "1.0", "list_commands": "\n".join(COMMANDS)}.get(command, "")


def process_number(counter: str) -> int:
    if not counter:
        return os.getpid()
    with open(counter, "a") as file:
        file.write("x")
        return file.tell()


def use_cpu(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def busy_child() -> "subprocess.Popen[bytes]":
    """It has used 0.1 seconds, and waits. Nobody will ask how it ended, so the system forgets what it used."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    code = "import sys, time\nwhile time.process_time() < 0.1: pass\nprint(flush=True)\nsys.stdin.read()"
    child = subprocess.Popen([sys.executable, "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    return child


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def main() -> None:
    mode = sys.argv[1]
    columns, rows = int(sys.argv[2]) if len(sys.argv) > 2 else 7, int(sys.argv[3]) if len(sys.argv) > 3 else 6
    marker = sys.argv[4] if len(sys.argv) > 4 else ""
    if marker and os.path.exists(marker) and not mode.startswith("chaos:"):
        mode = "good"
    if mode == "crash-start":
        sys.exit("no licence found")
    FakeEngine(mode, columns, rows, marker).serve()


if __name__ == "__main__":
    main()
