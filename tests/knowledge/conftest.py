import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def _wrapping_integers():
    """Hashes and random numbers wrap around on purpose; compiled code does not warn of it."""
    with np.errstate(over="ignore"):
        yield
