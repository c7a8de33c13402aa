"""One declaration: parsing, ranges, and errors that say what is allowed."""

import pytest

from tesuji.core.errors import UserError
from tesuji.core.parameters import parse_assignments
from tesuji.players.presets import PLAYERS, find_player
from tesuji.search.parameters import SEARCH


def test_every_parameter_is_fully_declared():
    for parameter in SEARCH:
        assert parameter.meaning and parameter.range_text
        assert parameter.parse(parameter.default) == parameter.default
        assert parameter.parse(parameter.format(parameter.default)) == parameter.default


@pytest.mark.parametrize(
    "name, text",
    [
        ("exploration", "-1"),
        ("exploration", "much"),
        ("exploration", "nan"),
        ("expand_after", "0"),
        ("expand_after", "1.5"),
        ("solver", "some"),
        ("cuts", "maybe"),
        ("threads", "0"),
        ("memory", "-3"),
    ],
)
def test_bad_values(name, text):
    with pytest.raises(UserError, match=name) as caught:
        SEARCH.settings({name: text})
    assert "\n" not in str(caught.value)


def test_unknown_names_list_the_known():
    with pytest.raises(UserError, match="exploration"):
        SEARCH.settings({"explorations": 1})


def test_settings_are_values():
    a = SEARCH.settings({"exploration": "0.5", "cuts": "off"})
    assert a == SEARCH.settings().replace(exploration=0.5, cuts=False)
    assert a.changed() == {"exploration": 0.5, "cuts": False}
    assert a.describe() == "exploration=0.5,cuts=off"
    assert SEARCH.settings(parse_assignments(a.describe())) == a


def test_player_strings():
    player = find_player("uct:exploration=0.7,playouts=100,seconds=2")
    assert player.settings["exploration"] == 0.7 and player.settings["solver"] == "off"
    assert (player.limits.playouts, player.limits.seconds) == (100, 2.0)
    assert len({p.name for p in PLAYERS}) == len(PLAYERS)
    for bad in (
        "nobody",
        "uct:exploration",
        "uct:playouts=x",
        "uct:playouts=-1",
        "uct:nothing=1",
        "uct:self=1",
        "uct:cuts=on,cuts=off",
    ):
        with pytest.raises(UserError):
            find_player(bad)
