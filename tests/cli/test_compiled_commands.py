"""doctor and warmup with the compiler at work, for the smallest game."""

from __future__ import annotations

import pytest

from tesuji.players.presets import PLAYERS


@pytest.fixture(autouse=True)
def with_compiler(pure_python, monkeypatch):
    monkeypatch.delenv("TESUJI_PURE")
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)


def test_warmup_counts_what_it_compiles_and_loads(tesuji, monkeypatch):
    monkeypatch.setattr("tesuji.lab.warmup.PLAYERS", PLAYERS[:2])  # two players say as much of the command as fifteen
    (first,) = tesuji("warmup", "tictactoe", "--json").json["games"]
    assert first["game"] == "tictactoe" and first["seconds"] > 0
    # The figures depend on what the cache and earlier tests of this process hold. The second time there is nothing to do.
    (second,) = tesuji("warmup", "tictactoe", "--json").json["games"]
    assert (second["compiled"], second["loaded"]) == (0, 0)


def test_doctor_finds_compiled_and_pure_search_in_agreement(tesuji):
    answer = tesuji("doctor", "--json")
    found = answer.json
    assert answer.code == 0 and found["problems"] == []
    assert found["compiled_works"] is True and found["pure_agrees"] is True
    assert found["cache"]["bytes"] > 0
