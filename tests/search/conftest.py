import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def untried(monkeypatch):
    """Searches without the trial of policies and rules that are someone's own: what the trial misses, the search must find."""
    monkeypatch.setattr("tesuji.search.engine.tree_search.try_out", lambda *_parts: None)


@pytest.fixture(autouse=True)
def _wrapping_integers():
    """Hashes and random numbers wrap around on purpose; compiled code does not warn of it."""
    with np.errstate(over="ignore"):
        yield
