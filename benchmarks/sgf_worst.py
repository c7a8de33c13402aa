"""Time and memory for SGF files of 16 MiB that are made to be slow. Each is read in a process of its own, to its last position.

    .venv/bin/python benchmarks/sgf_worst.py [NAME ...]

CPU seconds and the peak memory of the process, of which Python and NumPy take 45 MiB; what became of the file.
"""

from __future__ import annotations

import gzip
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

SIZE = (16 << 20) - 64


def fill(text: str, before: str = "(;GM[1]SZ[19]", after: str = ")") -> bytes:
    """A file of the full size with the text again and again."""
    text = text.encode()
    room = SIZE - len(before.encode()) - len(after.encode())
    return before.encode() + text * (room // len(text)) + after.encode()


def random_bytes() -> bytes:
    return random.Random(1).randbytes(SIZE)


def random_marks() -> bytes:
    return bytes(random.Random(2).choices(b"()[];\\AB a\n", k=SIZE))


def many_names() -> bytes:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    names = [a + b + c + d for a in letters for b in letters for c in letters for d in letters]
    return ("(;" + "".join(f"{name}[]{name}X[]{name}Y[]" for name in names) + ")").encode()[:SIZE]


def rectangles() -> bytes:
    points = [a + b for a in "abcdefghijklmnopqrs" for b in "abcdefghijklmnopqrs"]
    values = "".join(f"[{a}:{b}]" for a in points for b in points)
    return f"(;GM[1]SZ[19]AE{values})".encode()


def long_game() -> bytes:
    """2200 moves on the largest board: all of the board is filled, but for one point, and taken again."""
    points = [a + b for a in "abcdefghijklmnopqrs" for b in "abcdefghijklmnopqrs"][:-1]
    moves = "".join(f";B[{point}];W[]" for point in points)
    return f"(;GM[1]SZ[19]{moves}{';B[];W[]' * 200})".encode()


def within_limits() -> bytes:
    """As many nodes and values as are allowed, passes that the rules are asked about, and comments to fill it up."""
    passes = ";B[];W[]" * 62_400
    return fill("C[" + "x" * 1_000_000 + "]", f"(;GM[1]SZ[19]{passes};")


KINDS: dict[str, Callable[[], bytes]] = {
    "passes": lambda: fill(";B[];W[]"),
    "60,000 passes": lambda: b"(;SZ[19]" + b";B[];W[]" * 30_000 + b")",
    "nodes": lambda: fill(";"),
    "set-up nodes": lambda: fill(";AB[aa]AE[aa]"),
    "moves of one colour": lambda: fill(";B[aa];AE[aa]"),
    "full boards": lambda: fill(";AB[aa:sr]"),
    "one property, full boards": lambda: fill("[aa:ss]", "(;SZ[19]AB"),
    "28 KB of full boards": lambda: b"(;SZ[19]AB" + b"[aa:ss]" * 4000 + b")",
    "all rectangles": rectangles,
    "one property, empty values": lambda: fill("[]", "(;SZ[19]AB"),
    "one property, values of 4": lambda: fill("[abcd]", "(;SZ[19]XX"),
    "many properties": many_names,
    "properties in lower case": lambda: fill("aaaaB[]", "(;"),
    "names without a value": lambda: fill("A", "(;"),
    "one comment": lambda: fill("long ", "(;C[", "])"),
    "comment of emoji": lambda: fill("\N{SMILING FACE WITH OPEN MOUTH}", "(;C[", "])"),
    "comments of emoji": lambda: fill(";C[" + "\N{SMILING FACE WITH OPEN MOUTH}" * 20 + "]", "(;"),
    "large comments with one emoji": lambda: fill("C[" + "x" * 1_000_000 + "\N{SMILING FACE WITH OPEN MOUTH}]", "(;"),
    "escapes": lambda: fill("\\]", "(;C[", "])"),
    "escaped lines": lambda: fill("\\\n\\\r\n", "(;C[", "])"),
    "backslashes": lambda: fill("\\", "(;C[", ""),
    "depth": lambda: fill("(;", "", ")"),
    "depth, closed": lambda: b"(;" * (SIZE // 3) + b")" * (SIZE // 3),
    "variations": lambda: fill("(;B[aa])"),
    "empty variations": lambda: fill("()", "(;"),
    "small games": lambda: fill("(;)", "", ""),
    "games": lambda: fill("(;GM[1]SZ[9]" + ";B[aa];W[bb];B[cc]" * 10 + ")", "", ""),
    "unclosed values": lambda: fill("[", "(;C"),
    "unclosed games": lambda: fill("(", "(;"),
    "brackets that begin nothing": lambda: fill("( ", "", ""),
    "blanks": lambda: fill(" ", "(", ";)"),
    "lines": lambda: fill("\n", "(;", ";B[aa])"),
    "lines of both kinds": lambda: fill("\n\r\r\n", "(;", ";B[aa])"),
    "a node a line": lambda: fill(";\r\n", "(;"),
    "no SGF": lambda: fill("x", "", ""),
    "zeros": lambda: bytes(SIZE),
    "bytes": random_bytes,
    "marks": random_marks,
    "character sets": lambda: fill("CA[gbk]", "(;"),
    "many character sets": lambda: fill("CA[utf-8](;CA[latin1])", "(;"),
    "games of two character sets": lambda: fill("(;CA[utf-8])(;CA[latin1])", "", ""),
    "hidden character sets": lambda: fill("CA[gbk]CA[big5]CA[hz]CA[johab]CA[cp932]", "(;C[", ""),
    "unknown character sets": lambda: fill("CA[xx]CA[yy]", "(;C[", ""),
    "bytes that are none": lambda: b"(;CA[cp1252]C[" + b"\x81" * (SIZE - 20) + b"])",
    "bytes that are no Chinese": lambda: b"(;CA[gbk]C[" + b"\xff" * (SIZE - 20) + b"])",
    "slow codecs": lambda: fill("x", "(;CA[punycode]CA[idna]CA[utf-7]CA[unicode_escape]C[", "])"),
    "UTF-16": lambda: (";B[aa]" * (SIZE // 12)).encode("utf-16"),
    "packed": lambda: gzip.compress(fill(";"), 1),
    "packed zeros": lambda: gzip.compress(bytes(1 << 30), 1),
    "a long game": long_game,
    "just within the limits": within_limits,
}

READ = """
import sys, time
from tesuji.core.errors import UserError
from tesuji.io.sgf import load_sgf, read_record
began = time.process_time()
try:
    trees = load_sgf(sys.argv[1])
    record = read_record(trees[0])
    record.position()
    said = f"{len(trees)} games, {len(record.turns)} moves in the first"
except UserError as error:
    said = str(error).replace(sys.argv[1], "FILE")
seconds = time.process_time() - began
memory = next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(seconds, memory, said)
"""


def main() -> None:
    chosen = sys.argv[1:] or list(KINDS)
    worst_time = worst_memory = 0.0
    for name in chosen:
        data = KINDS[name]()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "worst.sgf"
            path.write_bytes(data)
            found = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True)
        if found.returncode:
            print(f"{name:32} FAILED {found.stderr[-400:]}")
            continue
        seconds, memory, said = found.stdout.split(" ", 2)
        worst_time, worst_memory = max(worst_time, float(seconds)), max(worst_memory, float(memory))
        print(f"{name:32}{float(seconds):6.2f} s {float(memory):5.0f} MiB  {said.strip()[:110]}", flush=True)
    print(f"{'worst':32}{worst_time:6.2f} s {worst_memory:5.0f} MiB")


if __name__ == "__main__":
    main()
