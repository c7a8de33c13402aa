"""Markup of SGF nodes: read, changed, and written as it was."""

from tesuji.games.registry import find_game
from tesuji.io.sgf.markup import put_mark, read_markup


def test_every_kind_is_read_and_what_is_no_point_is_left_out():
    properties = {
        "TR": ["aa:ba", "zz"],
        "CR": ["cc"],
        "MA": ["dd"],
        "SL": ["ee"],
        "LB": ["bb:A\\]1", "no label", "!!:x"],
        "AR": ["aa:cc", "aa"],
        "LN": ["aa:bb"],
    }
    found = {(mark.kind, mark.points, mark.text) for mark in read_markup(properties, find_game("go:5"))}
    assert found == {
        ("triangle", ((0, 4),), ""),
        ("triangle", ((1, 4),), ""),
        ("circle", ((2, 2),), ""),
        ("cross", ((3, 1),), ""),
        ("square", ((4, 0),), ""),
        ("label", ((1, 3),), "A]1"),
        ("arrow", ((0, 4), (2, 2)), ""),
        ("line", ((0, 4), (1, 3)), ""),
    }


def test_marks_take_each_others_place_and_arrows_stay():
    game, properties = find_game("go:5"), {"TR": ["aa:ba"], "AR": ["aa:cc"], "C": ["x"]}
    put_mark(properties, game, (0, 4), "label", "A:]")
    assert properties == {"TR": ["ba"], "LB": ["aa:A:\\]"], "AR": ["aa:cc"], "C": ["x"]}
    put_mark(properties, game, (0, 4), "label", "B")
    assert properties["LB"] == ["aa:B"]
    put_mark(properties, game, (0, 4), "label", "B")
    put_mark(properties, game, (1, 4), "triangle")
    assert properties == {"AR": ["aa:cc"], "C": ["x"]}


def test_a_game_with_names_of_its_own_for_points():
    game, properties = find_game("hex:5"), {}
    put_mark(properties, game, (2, 1), "square")
    (mark,) = read_markup(properties, game)
    assert (mark.kind, mark.points) == ("square", ((2, 1),))
