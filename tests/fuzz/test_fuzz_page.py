"""Some hundred hostile requests; the script that runs for as long as one likes uses the same function."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("starlette", reason="the page needs starlette and uvicorn")

from fuzz.page import attack_page


@pytest.mark.parametrize("seed", [1, 2])
def test_no_request_breaks_the_page(monkeypatch, seed):
    monkeypatch.setenv("TESUJI_PURE", "1")
    left = iter(range(300))
    counts = attack_page(random.Random(seed), lambda: next(left, None) is None)
    assert counts["intrusion: refused"] > 10
    assert sum(count for way, count in counts.items() if way.endswith("answered")) > 50
    assert sum(count for way, count in counts.items() if way.endswith("refused")) > 50
