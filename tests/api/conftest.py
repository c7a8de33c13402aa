"""In pure Python: no compiler to wait for. Results are the same to the last bit."""

import pytest


@pytest.fixture(autouse=True)
def pure_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESUJI_PURE", "1")
