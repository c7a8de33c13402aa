"""Small certificates that announce, or need, far more than they are: each is checked in a process with 1 GiB and 10 s.

The process has that much address space and processor time, no more; it checks the file as `verify` does and as the page does.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tesuji.core.errors import UserError
from tesuji.proof import format as form
from tesuji.proof.budget import FREE, FREE_IN_PUZZLE, MEMORY, PER_BYTE, Budget, most_positions
from tesuji.proof.checker import check_certificate
from tesuji.proof.connections import KINDS, PAIR, PATH

MOST_MEMORY = 1 << 30  # bytes of address space
MOST_SECONDS = 10  # of processor time
SMALL = 8 << 10  # bytes: files that a person would not think twice about

PROGRAM = """
import sys
from pathlib import Path
from tesuji.cli.main import main
from tesuji.core.errors import UserError
from tesuji.proof.walking import OpenCertificate

code = main(["verify", sys.argv[1]])
try:
    found = OpenCertificate(Path(sys.argv[1]).read_bytes(), sys.argv[1]).verdict
    print("page:", "valid" if found.valid else "refused")
except UserError as error:
    print("page:", error)
sys.exit(code)
"""


def certificate(game: str, lower: int, upper: int, nodes: int, choices: bytes = b"", **more: Any) -> bytes:
    """A file whose parts fit together, whatever they say."""
    flags = {"initial_bounds": False, **more}
    header = form.Header(game, (), lower, upper, source="", nodes=nodes, choices_size=len(choices), walk="", **flags)
    return form.seal(form.encode_header(header), zlib.compress(choices, 9), form.format_of(header))


def connecting(nodes: int, *steps: list[int]) -> bytes:
    """Black's first move, and then a connection of these steps."""
    choices = form.encode_choices([0, len(steps), *(number for step in steps for number in step)])
    return certificate("hex:11", 1, 1, nodes, choices, connections=True)


def step(kind: int, *numbers: int) -> list[int]:
    return [kind + KINDS * len(numbers), *numbers]


ENDLESS = 10**15
GO = "go:19:superko=positional"
MANY = 1_000_000  # choices; they pack into a thousand bytes
FILES = {
    "go": certificate(GO, -736, 737, ENDLESS, bytes(5000)),
    "go, announcing few": certificate(GO, -736, 737, 200, bytes(5000)),
    "go with images": certificate("go:4", -37, 38, 30, bytes(5000), symmetry=True),
    "a puzzle without choices": certificate("samegame:15x15:1", 0, 10330, ENDLESS),
    "a puzzle with bounds of the rules": certificate("samegame:15x15:1", 0, 10000, ENDLESS, initial_bounds=True),
    "dots and boxes": certificate("dotsandboxes:5x5", -24, 25, ENDLESS, bytes(MANY)),
    "dots and boxes, announcing what it may": certificate("dotsandboxes:5x5", -24, 25, FREE, bytes(MANY)),
    "lines of action": certificate("loa", 0, 1, ENDLESS, bytes(MANY)),
    "hex with concessions": certificate("hex:11", 1, 1, ENDLESS, bytes(MANY), concessions=True),
    "choices that unpack to 64 MiB": certificate("go:9", -176, 177, FREE, bytes(form.MOST_CHOICES)),
    "long choices that unpack to 64 MiB": certificate("go:9", -176, 177, FREE, b"\x80\x01" * (form.MOST_CHOICES // 2)),
    "a path of many points": connecting(ENDLESS, step(PATH, *[2] * MANY)),
    "a path of many points, announcing what it may": connecting(FREE, step(PATH, *[2] * MANY)),
    "many connections": connecting(FREE, *[step(PATH, 0, 2)] * (MANY // 10)),
    "pairs that need a hundred cells": connecting(FREE, step(PATH, 0, 2), *[step(PAIR, 1, 119, 120, *range(1, 100))] * 500),
}


@pytest.mark.parametrize("data", FILES.values(), ids=FILES.keys())
def test_small_files_take_little(data):
    assert len(data) < (SMALL if b"go:9" not in data else 128 << 10)
    Path("x.cert").write_bytes(data)
    done = limited_check("x.cert")
    assert done.returncode in (1, 2) and "page: valid" not in done.stdout, done
    said = (done.stderr if done.returncode == 2 else done.stdout.partition("page: ")[0]).removesuffix("\n")
    assert (said.isprintable() and "x.cert" in said) or "--memory" in said, done
    assert "not enough memory" not in done.stderr + done.stdout, done
    if b'"nodes":%d,' % ENDLESS in data:
        assert done.returncode == 2 and "--positions" in said and "--positions" in done.stdout.partition("page: ")[2], done


def limited_check(path: str) -> subprocess.CompletedProcess[str]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))

    paths = os.pathsep.join(entry for entry in sys.path if entry)
    environment = {**os.environ, "PYTHONPATH": paths, "TESUJI_PURE": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, path], capture_output=True, text=True, env=environment, preexec_fn=limit
    )


# -- the budget ------------------------------------------------------------------------------------------------------------
def test_the_limits_can_be_raised_and_lowered(good, tesuji):
    Path("x.cert").write_bytes(good["plain.cert"])
    nodes = form.decode(good["plain.cert"]).header.nodes
    assert tesuji("verify", "x.cert", "--positions", nodes).code == 0
    answer = tesuji("verify", "x.cert", "--positions", nodes - 1)
    assert answer.code == 2 and f"announces {nodes} positions, and {nodes - 1} is the most" in answer.err
    Path("y.cert").write_bytes(certificate("samegame:7x7:1", 0, 1332, 2 * FREE_IN_PUZZLE))
    assert "announces 2,000,000 positions" in tesuji("verify", "y.cert").err
    answer = tesuji("verify", "y.cert", "--positions", 2)
    assert answer.code == 2 and "and 2 is the most" in answer.err
    answer = tesuji("verify", "y.cert", "--positions", 2_000_000, "--memory", 1)
    assert answer.code == 2 and "more than 1 MiB of memory: raise that with --memory" in answer.err
    for words in (("--positions", 0), ("--memory", 0), ("--positions", "9" * 400), ("--memory", "x")):
        assert tesuji("verify", "x.cert", *words).code == 2


def test_memory_is_what_is_kept():
    """A walk in Go takes the bytes of one record for each position it has met, and of one more for each on the way down."""
    Path("x.cert").write_bytes(certificate("go:9", -176, 177, 400, bytes(200)))
    for memory, fits in ((8, False), (16, True)):  # 14,416 bytes, 2 times 400
        if fits:
            assert not check_certificate("x.cert", budget=Budget(memory=memory)).valid
        else:
            with pytest.raises(UserError, match="--memory"):
                check_certificate("x.cert", budget=Budget(memory=memory))


def test_no_certificate_that_is_written_announces_too_much(good):
    for name in ("plain.cert", "own.cert"):
        found = form.decode(good[name])
        assert 0 < found.header.nodes <= most_positions(found.packed, players=2)
    for nodes, count in ((FREE, 500), (100_000, 50_000), (10_000_000, 5_000_000)):
        header = replace(form.decode(good["plain.cert"]).header, nodes=nodes, choices_size=count)
        read = form.decode(form.encode(form.Certificate(header, (0,) * count)))
        assert read.choices == (0,) * count and nodes <= most_positions(read.packed, players=2)


def test_the_usual_limits():
    assert most_positions(0, players=2) == FREE and most_positions(10, players=1) == 10 * PER_BYTE + FREE_IN_PUZZLE
    assert MEMORY * (1 << 20) < MOST_MEMORY
