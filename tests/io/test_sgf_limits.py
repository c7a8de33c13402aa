"""Files that are made to be slow or large are refused in one line, or read with little work. Work is counted, not timed."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import pytest

from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.io.sgf import conversion, decode, parse_sgf, read_record, text, tree


def peak(action) -> int:
    """Bytes that Python held at most during the action, beyond what was there."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def refused(action) -> str:
    with pytest.raises(UserError) as caught:
        action()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# -- the tree ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("part", [";", ";B[]", "AB[aa]", "[aa]", "(;B[aa])"])
def test_a_game_of_too_many_parts_is_refused_when_it_is_built(part, monkeypatch):
    monkeypatch.setattr(tree, "MOST_PARTS", 1000)
    few, many = (parse_sgf("(;B[aa]" + part * count + ")") for count in (400, 1100))
    assert sum(1 for _ in few[0].walk()) <= 1000
    assert "more than 1,000 nodes and values" in refused(lambda: many[0])


def test_the_limit_counts_one_game_and_not_the_collection(monkeypatch):
    monkeypatch.setattr(tree, "MOST_PARTS", 100)
    trees = parse_sgf(("(;SZ[9]" + ";B[aa]" * 40 + ")") * 50)
    assert len(trees) == 50 and sum(len(list(root.main_line())) for root in trees) == 50 * 41


def test_a_collection_holds_its_text_and_not_its_trees():
    source = ("(;SZ[9]" + ";B[aa]" * 1000 + ")\n") * 100
    assert peak(lambda: parse_sgf(source)) < 100_000
    trees = parse_sgf(source)
    assert peak(lambda: [None for _ in trees]) < 2_000_000, "one game at a time"


def test_blank_lines_and_line_ends_take_no_memory():
    source = "(;" + "\n" * 500_000 + ";B[aa])"
    assert peak(lambda: parse_sgf(source)[0]) < 100_000


def test_too_many_variations_and_games(monkeypatch):
    monkeypatch.setattr(tree, "MOST_VARIATIONS", 100)
    monkeypatch.setattr(tree, "MOST_GAMES", 10)
    assert "more than 100 variations" in refused(lambda: parse_sgf("(;" * 1000))
    assert "more than 100 variations" in refused(lambda: parse_sgf("(;" + "(;)" * 1000 + ")"))
    assert "more than 10 games" in refused(lambda: parse_sgf("(;)" * 11))
    assert len(parse_sgf("(;)" * 10)) == 10


def test_a_value_of_too_many_characters(monkeypatch):
    monkeypatch.setattr(tree, "MOST_VALUE", 100)
    assert parse_sgf(f"(;C[{'x' * 100}])")[0].text("C") == "x" * 100
    assert "a value of 101 characters" in refused(lambda: parse_sgf(f"(;C[a][{'x' * 101}])")[0])


def test_a_file_that_is_too_large(tmp_path):
    path = tmp_path / "large.sgf"
    path.write_bytes(b"(;C[" + b"x" * 2000 + b"])")
    assert len(tree.load_sgf(path, replace(tree.SGF, most=3000))) == 1
    assert "too large" in refused(lambda: tree.load_sgf(path, replace(tree.SGF, most=1000)))


@pytest.mark.parametrize(
    "source", ["(;B[aa]", "(;\n(;B)", "(;)\r\n(;B[aa];W[", "(;\r\r\n\n)(AB[])", "(;a[])", "(;)\n)", "(;A\n[a]b)"]
)
def test_the_check_and_the_builder_agree_on_places(source):
    """The check of the whole text finds that there is a fault, building the game finds where."""
    with pytest.raises(tree.SgfError) as caught:
        list(parse_sgf(source))
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert 1 <= caught.value.line <= len(lines) and 1 <= caught.value.column <= len(lines[caught.value.line - 1]) + 1


def test_lines_of_all_kinds_are_counted():
    trees = parse_sgf("\n(;A[]\r\n;B[\r]\r;C[]\n)\r\n\r(;)")
    assert [(node.line, node.column) for root in trees for node in root.walk()] == [(2, 2), (3, 1), (5, 1), (8, 2)]


# -- character sets ------------------------------------------------------------------------------------------------------
def test_a_character_set_is_tried_once_however_often_it_is_named(monkeypatch):
    tried = []
    plain = text._decode_as
    monkeypatch.setattr(text, "_decode_as", lambda data, charset: tried.append(charset) or plain(data, charset))
    decode(b"(;" + b"C[ CA[gbk]C[ CA[big5]C[ CA[GBK]" * 1000)
    assert tried == ["gbk", "big5", None]


def test_only_so_many_names_of_character_sets_are_looked_at(monkeypatch):
    monkeypatch.setattr(text, "MOST_NAMED", 100)
    looked = []
    plain = text._lookup
    monkeypatch.setattr(text, "_lookup", lambda name: looked.append(name) or plain(name))
    decode(b"(;" + b"CA[utf-8]" * 1000 + b")")
    assert len(looked) == 100


@pytest.mark.parametrize(
    "name", ["idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "utf-7", "rot13", "hex"]
)
def test_codecs_that_are_no_character_set_of_a_file(name):
    assert decode(f"(;CA[{name}]C[K\xf6ln \\u0041])".encode("latin-1")).endswith("C[K\xf6ln \\u0041])")


@pytest.mark.parametrize("charset", ["ascii", "cp1252", "iso8859-7", "gbk", "euc_jp", "utf-8"])
def test_bytes_that_are_no_characters_are_replaced(charset):
    found = decode(f"(;CA[{charset}]C[a".encode() + b"\xff\x81\xff" + b"b])")
    assert found.startswith(f"(;CA[{charset}]C[a") and found.endswith("b])") and "\ufffd" in found


# -- the record ----------------------------------------------------------------------------------------------------------
def test_sixty_thousand_passes_are_refused_after_few_of_them(monkeypatch):
    steps = []
    plain = conversion.stepper
    monkeypatch.setattr(conversion, "stepper", lambda *words: counted(plain(*words), steps))
    root = parse_sgf("(;SZ[9]" + ";B[];W[]" * 30_000 + ")")[0]
    assert "played on after the end" in refused(lambda: read_record(root))
    assert len(steps) <= 3 * conversion.MOST_POSITIONS


def counted(step, steps):
    def counting(state, move):
        steps.append(move)
        return step(state, move)

    return counting


def test_a_game_has_no_more_moves_than_its_rules_allow(monkeypatch):
    monkeypatch.setattr(conversion, "FEWEST_MOVES", 10)
    monkeypatch.setattr(conversion, "MOST_POSITIONS", 10_000)
    most = find_game("go:5").max_plies
    assert len(read_record(parse_sgf("(;SZ[5]" + ";B[]" * most + ")")[0]).moves) == most
    complaint = refused(lambda: read_record(parse_sgf("(;SZ[5]" + ";B[]" * (most + 1) + ")")[0]))
    assert f"no more than {most} moves" in complaint


def test_positions_that_are_set_up_are_counted(monkeypatch):
    monkeypatch.setattr(conversion, "MOST_POSITIONS", 5)
    assert len(read_record(parse_sgf("(;SZ[9]" + ";AB[aa]" * 5 + ")")[0]).turns) == 5
    assert "at most 5 positions" in refused(lambda: read_record(parse_sgf("(;SZ[9]" + ";AB[aa]" * 6 + ")")[0]))


def test_stones_that_are_set_up_are_counted(monkeypatch):
    monkeypatch.setattr(conversion, "MOST_STONES", 200)
    assert len(read_record(parse_sgf("(;SZ[9]AB[aa:ih];AE[aa])")[0]).turns) == 1
    assert "200 stones" in refused(lambda: read_record(parse_sgf("(;SZ[9]AB[aa:ih]" + ";AE[aa]" * 9 + ")")[0]))


def test_a_list_of_points_is_as_large_as_the_board():
    root = parse_sgf("(;SZ[19]AE" + "[aa:ss]" * 4000 + ")")[0]
    assert peak(lambda: read_record(root)) < 3_000_000
