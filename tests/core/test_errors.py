"""Wrong input as messages repeat it: on one line, and not at length."""

import pytest

from tesuji.core.errors import shortened


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a1-h8", "a1-h8"),
        ("x" * 40, "x" * 40),
        ("x" * 41, "x" * 40 + "..."),
        ("two\nlines", r"'two\nlines'"),
        ("", ""),
    ],
)
def test_short_and_on_one_line(text, shown):
    assert shortened(text) == shown


def test_in_quotes_on_demand():
    assert shortened("abc", 3, quoted=True) == "'abc'"
    assert shortened("abcd", 3, quoted=True) == "'abc'..."
