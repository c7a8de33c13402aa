"""GTP sessions in games of lines, in this process and in pure Python."""

from __future__ import annotations

import pytest
from gtp_helpers import GO_PLAYER, Session

from tesuji.io.gtp import analysis


@pytest.fixture
def pure_gtp(monkeypatch):
    """No compiler to wait for, and no long first look of an analysis."""
    monkeypatch.setenv("TESUJI_PURE", "1")
    monkeypatch.setattr(analysis, "FIRST_LOOK", 0.01)


@pytest.fixture
def go():
    return Session("go:9", GO_PLAYER)


@pytest.fixture
def four():
    return Session("connect4")


@pytest.fixture
def three():
    return Session("tictactoe", "tesuji:playouts=200,memory=4")
