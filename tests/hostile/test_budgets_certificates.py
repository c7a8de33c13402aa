"""Small certificates that announce, or need, far more than they are: each is checked in a process with 1 GiB and 10 s.

The process has that much address space and processor time, no more; it checks the file as `verify` does and as the page does.
"""

from __future__ import annotations

import random
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from budget import GIB, check_commands, in_child

from tesuji.core.container import seal
from tesuji.core.errors import UserError
from tesuji.games.registry import find_built_in
from tesuji.proof.budget import (
    FREE,
    FREE_IN_PUZZLE,
    MEMORY,
    PER_BYTE,
    SECONDS,
    Budget,
    OverBudget,
    most_positions,
    most_seconds,
)
from tesuji.proof.trusted import format as form
from tesuji.proof.trusted.checker import check_certificate
from tesuji.proof.trusted.connections import KIND_COUNT, PAIR, PATH

SMALL = 8 << 10  # bytes: files that a person would not think twice about


def certificate(game: str, lower: int, upper: int, nodes: int, choices: bytes = b"", **more: Any) -> bytes:
    """A file whose parts fit together, whatever they say."""
    flags = {"initial_bounds": False, **more}
    header = form.Header(game, (), lower, upper, source="", nodes=nodes, choices_size=len(choices), walk="", **flags)
    return seal(form.FORMAT.magic, form.encode_header(header), zlib.compress(choices, 9))


def connecting(nodes: int, *steps: list[int]) -> bytes:
    """Black's first move, and then a connection of these steps."""
    choices = form.encode_choices([0, len(steps), *(number for step in steps for number in step)])
    return certificate("hex:11", 1, 1, nodes, choices, connections=True)


def step(kind: int, *numbers: int) -> list[int]:
    return [kind + KIND_COUNT * len(numbers), *numbers]


ENDLESS = 10**15
GO = "go:19:superko=positional"
MANY = 1_000_000  # choices; they pack into a thousand bytes
FILES = {  # made when they are needed: to pack some takes a while
    "go": lambda: certificate(GO, -736, 737, ENDLESS, bytes(5000)),
    "go, announcing few": lambda: certificate(GO, -736, 737, 200, bytes(5000)),
    "go with images": lambda: certificate("go:4", -37, 38, 30, bytes(5000), symmetry=True),
    "a puzzle without choices": lambda: certificate("samegame:15x15:1", 0, 10330, ENDLESS),
    "a puzzle with bounds of the rules": lambda: certificate("samegame:15x15:1", 0, 10000, ENDLESS, initial_bounds=True),
    "dots and boxes": lambda: certificate("dotsandboxes:5x5", -24, 25, ENDLESS, bytes(MANY)),
    "dots and boxes, announcing a thousand": lambda: certificate("dotsandboxes:5x5", -24, 25, 1000, bytes(MANY)),
    "lines of action": lambda: certificate("loa", 0, 1, ENDLESS, bytes(MANY)),
    "choices that unpack to 64 MiB": lambda: certificate("go:9", -176, 177, 1000, bytes(form.MOST_CHOICES)),
    "long choices that unpack to 64 MiB": lambda: certificate("go:9", -176, 177, 1000, b"\x80\x01" * (form.MOST_CHOICES // 2)),
    "a path of many points": lambda: connecting(ENDLESS, step(PATH, *[2] * MANY)),
    "a path of many points, announcing a thousand": lambda: connecting(1000, step(PATH, *[2] * MANY)),
    "many connections": lambda: connecting(1000, *[step(PATH, 0, 2)] * (MANY // 10)),
    "pairs that need a hundred cells": lambda: connecting(
        1000, step(PATH, 0, 2), *[step(PAIR, 1, 119, 120, *range(1, 100))] * 500
    ),
}


def test_small_files_take_little(apart):
    files = {name: make() for name, make in FILES.items()}
    for name, data in files.items():
        assert len(data) < (SMALL if b"go:9" not in data else 128 << 10), name
        (apart / name).write_bytes(data)
    answers = check_commands([[["verify", name]] for name in FILES], apart)
    pages = in_child("budget:opened", [[name] for name in FILES], apart)
    for (name, data), answer, page in zip(files.items(), answers, pages, strict=True):
        assert answer.code in (1, 2) and page != "valid", (name, answer, page)
        said = (answer.err if answer.code == 2 else answer.out).removesuffix("\n")
        assert said.isprintable() and (name in said or "--memory" in said), answer
        if b'"nodes":%d,' % ENDLESS in data:
            assert answer.code == 2 and "--positions" in said and "--positions" in page, (answer, page)


def largest(game: str, lower: int, upper: int, payload: int, **flags: Any) -> bytes:
    """A file that announces the most that is checked with so many bytes of choices: first those that lead far, then chance."""
    rng = random.Random(1)
    choices = bytes(20_000 if payload else 0) + bytes(rng.randrange(128) for _ in range(payload))
    nodes = most_positions(len(zlib.compress(choices, 9)), find_built_in(game).players)
    return certificate(game, lower, upper, nodes, choices, **flags)


def test_small_files_that_announce_what_they_may_take_little(apart):
    files = {"puzzle": largest("samegame:15x15:1", 0, 10330, 0), "go": largest(GO, -736, 737, 1000)}
    for name, data in files.items():
        assert len(data) < SMALL
        (apart / name).write_bytes(data)
    for answer in check_commands([[["verify", name, "--seconds", "1"]] for name in files], apart):
        assert answer.code == 2 and "takes more than 1 s of CPU time" in answer.err, answer


# -- the budget ------------------------------------------------------------------------------------------------------------
def test_the_limits_can_be_raised_and_lowered(good, tesuji):
    Path("x.cert").write_bytes(good["plain.cert"])
    nodes = form.decode(good["plain.cert"]).header.nodes
    assert tesuji("verify", "x.cert", "--positions", nodes).code == 0
    answer = tesuji("verify", "x.cert", "--positions", nodes - 1)
    assert answer.code == 2 and f"announces {nodes} positions, and {nodes - 1} is the most" in answer.err
    Path("y.cert").write_bytes(certificate("samegame:7x7:1", 0, 1332, 2_000_000))
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


def ticking(per_look=1.0):
    """A clock that goes on by so much at each look."""
    time = 0.0

    def look():
        nonlocal time
        time += per_look
        return time

    return look


@pytest.mark.parametrize(
    "data",
    [
        certificate("samegame:7x7:1", 0, 1332, 1000),  # positions that are made and not entered count, too
        certificate("go:9", -176, 177, 1000, bytes(200)),
        connecting(1000, *[step(PATH, 0, 2)] * 500),
    ],
)
def test_a_check_ends_when_its_time_is_over(data):
    Path("x.cert").write_bytes(data)
    with pytest.raises(OverBudget, match=r"x.cert takes more than 20 s of CPU time: raise that with --seconds"):
        check_certificate("x.cert", budget=Budget(seconds=20, clock=ticking()))
    assert not check_certificate("x.cert", budget=Budget(seconds=20, clock=ticking(0.0))).valid


def test_the_moves_to_the_position_take_time_too():
    game = find_built_in("go:9")
    header = form.Header(game.name, tuple(range(60)), -176, 177, False, "", 1, 0, "")
    Path("x.cert").write_bytes(seal(form.FORMAT.magic, form.encode_header(header), zlib.compress(b"")))
    with pytest.raises(OverBudget, match="takes more than 20 s"):
        check_certificate("x.cert", budget=Budget(seconds=20, clock=ticking()))


def test_certificates_that_are_written_are_checked_without_options(good, tesuji):
    """Where their choices would pack to almost nothing they are not packed."""
    for name in ("plain.cert", "own.cert"):
        read = form.decode(good[name])
        assert 0 < read.header.nodes <= most_positions(read.packed, 2)
    alike = form.Certificate(replace(form.decode(good["plain.cert"]).header, nodes=5000, choices_size=4000), (0,) * 4000)
    assert form.decode(form.encode(alike)).packed >= 4000


def test_the_usual_limits():
    assert (most_positions(0, 2), most_positions(0, 1), most_positions(10, 2)) == (FREE, FREE_IN_PUZZLE, 10 * PER_BYTE + FREE)
    assert most_seconds(0) == SECONDS < 10 and most_seconds(2048) == SECONDS + 2
    assert MEMORY * (1 << 20) < GIB
