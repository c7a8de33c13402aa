"""Links: what is written is read as the same."""

import pytest

pytest.importorskip("starlette", reason="the page needs starlette and uvicorn")

from tesuji.web.links import read_link, write_link


@pytest.mark.parametrize(
    "moves",
    [["a_b", "c"], ["a b", "a_b"], ["_", "__", "a__b", "_ _"], ["a  b", "~", "a~b", "~_"], ["ä-ö", "a+b", "100%", "a&b"]],
)
def test_moves_are_read_as_they_were(moves):
    assert read_link(write_link("tictactoe", moves, [], None))["moves"] == moves


def test_a_link_that_somebody_wrote_may_have_blanks_between_moves():
    assert read_link("#game=go:9&moves=E5 C3")["moves"] == ["E5", "C3"]
