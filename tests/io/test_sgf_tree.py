"""SGF as text: parsing, writing, escapes, character sets, and where a fault is."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tesuji.core.errors import UserError
from tesuji.io.sgf import Node, SgfError, decode, load_sgf, parse_sgf, save_sgf, sgf_bytes, sgf_text
from tesuji.io.sgf.text import escaped, letters_of, point_of, simple_text_of, split_composed, text_of

NAMES = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=1, max_size=3)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
RAW = st.one_of(TEXTS.map(escaped), st.sampled_from(["", "aa", "a\\:b:c", "\\\n", "x\\\r\ny", "[", "(;)", " \t"]))
PROPERTIES = st.dictionaries(NAMES, st.lists(RAW, min_size=1, max_size=3), max_size=4)


@st.composite
def trees(draw: st.DrawFn) -> Node:
    nodes = [Node(draw(PROPERTIES))]
    for properties in draw(st.lists(PROPERTIES, max_size=12)):
        parent = nodes[draw(st.integers(0, len(nodes) - 1))]
        nodes.append(parent.add(Node(properties)))
    return nodes[0]


# -- there and back ------------------------------------------------------------------------------------------------------
@settings(max_examples=40)
@given(st.lists(trees(), min_size=1, max_size=3))
def test_what_is_written_reads_as_the_same_trees(collection):
    assert parse_sgf(sgf_text(collection)) == collection


@settings(max_examples=40)
@given(trees())
def test_bytes_say_that_they_are_utf8_and_read_as_the_same(tree):
    (read,) = parse_sgf(sgf_bytes([tree]))
    assert read.values("CA") == ["UTF-8"]
    assert read.children == tree.children
    others = {name: values for name, values in read.properties.items() if name != "CA"}
    assert others == {name: values for name, values in tree.properties.items() if name != "CA"}


@given(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r\t\v\f")))
def test_text_survives_escaping(text):
    assert text_of(escaped(text)) == text


@given(TEXTS, TEXTS)
def test_composed_values_split_where_they_were_joined(left, right):
    parts = split_composed(f"{escaped(left, composed=True)}:{escaped(right, composed=True)}")
    assert parts == (escaped(left, composed=True), escaped(right, composed=True))
    assert simple_text_of(parts[0]) == simple_text_of(escaped(left))


@given(st.text("()[];\\ABab \n:", max_size=40))
def test_any_text_is_parsed_or_refused_with_its_place(text):
    try:
        collection = parse_sgf(text)
    except SgfError as error:
        lines = text.split("\n")
        assert 1 <= error.line <= len(lines) and 1 <= error.column <= len(lines[error.line - 1]) + 1
    else:
        assert parse_sgf(sgf_text(collection)) == collection


@given(st.binary(max_size=60))
def test_any_bytes_become_text(data):
    assert isinstance(decode(data), str)


def test_lines_break_between_nodes_only():
    root = Node({"C": ["x" * 300]})
    node = root
    for _ in range(100):
        node = node.add(Node({"B": ["aa"]}))
    text = sgf_text([root])
    assert parse_sgf(text) == [root]
    assert max(map(len, text.splitlines()[1:])) <= 80


def test_what_could_not_be_read_back_is_not_written():
    for properties in ({"b": ["x"]}, {"B": []}, {"B": ["a]"]}, {"B": ["a\\"]}):
        with pytest.raises(ValueError):
            sgf_text([Node(properties)])


# -- values --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("raw", "text", "simple"),
    [
        ("a\\]b\\\\c\\:d", "a]b\\c:d", "a]b\\c:d"),
        ("soft\\\nbreak", "softbreak", "softbreak"),
        ("soft\\\r\nbreak", "softbreak", "softbreak"),
        ("hard\nbreak\r\ntwo\rthree", "hard\nbreak\ntwo\nthree", "hard break two three"),
        ("tab\tand\\\ttab", "tab and tab", "tab and tab"),
        ("\\a", "a", "a"),
    ],
)
def test_text_and_simple_text(raw, text, simple):
    assert (text_of(raw), simple_text_of(raw)) == (text, simple)


def test_composed_values():
    assert split_composed("aa:cc") == ("aa", "cc")
    assert split_composed("a\\:b:c:d") == ("a\\:b", "c:d")
    assert split_composed("a\\:b") is None


def test_points_are_counted_from_the_top_in_sgf_and_from_the_bottom_here():
    assert point_of("aa", 9, 9) == (0, 8)
    assert point_of("Ac", 30, 3) == (26, 0)
    assert point_of("jj", 9, 9) is None and point_of("a", 9, 9) is None and point_of("a1", 9, 9) is None
    assert all(point_of(letters_of((c, r), 6), 7, 6) == (c, r) for c in range(7) for r in range(6))


# -- trees ---------------------------------------------------------------------------------------------------------------
def test_variations_properties_and_places():
    (root,) = parse_sgf("(;FF[4] SZ [9]\n  AB[aa] [bb]\n(;B[cc];W[dd])\n (;B[ee]))")
    assert root.properties == {"FF": ["4"], "SZ": ["9"], "AB": ["aa", "bb"]}
    assert [child.raw("B") for child in root.children] == ["cc", "ee"]
    assert [node.raw("W") for node in root.main_line()] == [None, None, "dd"]
    assert [(node.line, node.column) for node in root.walk()] == [(1, 2), (3, 2), (3, 8), (4, 3)]
    assert "SZ" in root and root.raw("XX") is None and root.text("XX") == "" and root.values("XX") == []


def test_older_files():
    (root,) = parse_sgf("(;GaMe[1]SiZe[9]CoPyright[me]AddBlack[aa];Black[bb];White[])")
    assert root.properties == {"GM": ["1"], "SZ": ["9"], "CP": ["me"], "AB": ["aa"]}
    assert [node.properties for node in root.main_line()][1:] == [{"B": ["bb"]}, {"W": [""]}]


def test_a_property_given_twice_has_the_values_of_both():
    assert parse_sgf("(;AB[aa]AW[cc]AB[bb])")[0].properties == {"AB": ["aa", "bb"], "AW": ["cc"]}


def test_words_before_between_and_after_games_mean_nothing():
    text = "From: me (and you)\n\n(;C[one])\n-- another --\n(;C[two])\nyours, me\x1a"
    assert [tree.text("C") for tree in parse_sgf(text)] == ["one", "two"]


def test_equality_sees_order_and_depth():
    one, other = Node({"A": ["1"], "B": ["2"]}), Node({"B": ["2"], "A": ["1"]})
    assert one != other and one == Node({"A": ["1"], "B": ["2"]}) and one != "x"
    assert parse_sgf("(;A[1](;B[1])(;B[2]))") != parse_sgf("(;A[1];B[1];B[2])")
    assert "children" in repr(one)


@pytest.mark.parametrize("text", ["(" + ";B[aa]" * 30_000 + ")", "(;B[aa](;W[bb])" * 10_000 + ")" * 10_000])
def test_depth_has_no_limit(text):
    collection = parse_sgf(text)
    assert parse_sgf(sgf_text(collection)) == collection


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, 1, "expected '(;'"),
        ("hello", 1, 1, "expected '(;'"),
        ("hello (", 1, 7, "expected '(;'"),
        ("(;B[aa]", 1, 8, "expected ')' to close the '(' of line 1, column 1, found the end of the file"),
        ("(;B[aa]\n(;W[bb]\n", 3, 1, "expected ')' to close the '(' of line 2, column 1"),
        ("(;B[aa\n\n", 1, 4, "value of B that begins here does not end; expected ']'"),
        ("(;B[aa]W)", 1, 9, "expected '[' and the value of W, found ')'"),
        ("(;B[aa]\r\n  7)", 2, 3, "expected a property, ';', '(' or ')', found '7'"),
        ("(;B[aa]());", 1, 9, "expected ';', the first node of the variation, found ')'"),
        ("(;B[aa](W[bb]))", 1, 9, "expected ';', the first node of the variation, found 'W'"),
        ("(;B[aa](;W[bb]);B[cc])", 1, 16, "expected '(' of another variation or ')', found ';'"),
        ("(;B[aa]))", 1, 9, "expected '(' of another game or the end of the file, found ')'"),
        ("(;B[aa]);W[bb]", 1, 9, "expected '(' of another game or the end of the file, found ';'"),
        ("(;B[aa])\n(", 2, 1, "expected '(' of another game or the end of the file, found '('"),
        ("(;B[aa])(B[bb])", 1, 9, "expected '(' of another game or the end of the file, found '('"),
        ("(;b[aa])", 1, 3, "'b' is no property"),
        ("(;B[a]]", 1, 7, "found ']'"),
    ],
)
def test_a_fault_names_its_place_and_what_was_expected(text, line, column, words):
    with pytest.raises(SgfError) as caught:
        parse_sgf(text, "x.sgf")
    assert str(caught.value).startswith(f"x.sgf: line {line}, column {column}: ")
    assert words in str(caught.value) and "\n" not in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


# -- character sets ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("charset", "name"),
    [
        ("GB18030", "李世石"),
        ("gbk", "囘 [乗] 乗"),
        ("Shift_JIS", "本因坊 ソ表"),
        ("EUC-KR", "이세돌"),
        ("Big5", "許功蓋"),
        ("UTF-8", "Žižek"),
        ("ISO-8859-1", "Köln"),
        ("windows-1251", "Иванов"),
    ],
)
def test_the_file_says_its_character_set(charset, name):
    """Some of these have characters of which one byte looks like a bracket or a backslash."""
    raw = escaped(name)
    (tree,) = parse_sgf(f"(;GM[1]CA[{charset}]PB[{raw}];B[aa])".encode(charset))
    assert tree.text("PB") == name and tree.children[0].raw("B") == "aa"


def test_without_a_word_it_is_utf8_if_it_can_be_and_latin_1_otherwise():
    assert parse_sgf("(;PB[Köln])".encode())[0].text("PB") == "Köln"
    assert parse_sgf("(;PB[Köln])".encode("latin-1"))[0].text("PB") == "Köln"
    assert parse_sgf("(;CA[no-such-set]PB[Köln])".encode("latin-1"))[0].text("PB") == "Köln"
    assert parse_sgf("(;CA[base64]PB[Köln])".encode())[0].text("PB") == "Köln"
    for name in ("undefined", "punycode", "idna", "UTF-16", "utf-32-le", "cp037"):  # none in which this name could be read
        for blank in ("", " "):
            assert parse_sgf(f"(;CA[{name}]PB[Köln]){blank}".encode())[0].text("PB") == "Köln"


def test_a_wrong_word_does_not_spoil_the_moves():
    (tree,) = parse_sgf(b"(;CA[UTF-8]PB[K\xf6ln];B[aa])")
    assert tree.text("PB") == "K\ufffdln" and tree.children[0].raw("B") == "aa"
    assert parse_sgf("(;CA[ascii]PB[Köln])".encode())[0].text("PB") == "Köln"


def test_a_character_set_in_a_comment_is_none():
    for comment in ("CA[gbk", "see CA[windows-1251", "\\]CA[windows-1251", "(;CA[big5", "CA[gbk\\]"):  # the value ends there
        (tree,) = parse_sgf(f"(;GM[1]C[{comment}]PB[Köln];B[aa])".encode())
        assert tree.text("PB") == "Köln", comment
        (tree,) = parse_sgf(f"(;C[{comment}]CA[UTF-8]PB[Köln])".encode())
        assert tree.text("PB") == "Köln", comment
    (tree,) = parse_sgf("From: me [at home\n(;C[CA[gbk]CA[windows-1251]PB[Иванов])".encode("windows-1251"))
    assert tree.text("PB") == "Иванов"


def test_a_character_set_after_bytes_that_look_like_a_backslash():
    name = "\u8868"  # in Shift JIS its second byte is that of a backslash
    assert name.encode("shift_jis")[1:] == b"\\"
    (tree,) = parse_sgf(f"(;PB[{name}]CA[Shift_JIS]PW[{name}];B[aa])".encode("shift_jis"))
    assert (tree.text("PB"), tree.text("PW")) == (name, name)


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks(charset):
    (tree,) = parse_sgf("(;PB[Köln])".encode(charset))
    assert tree.text("PB") == "Köln"


def test_games_of_one_file_may_have_character_sets_of_their_own():
    one = "(;CA[windows-1251]PB[Иванов]C[(;\\]];B[aa])"
    two = "(;CA[UTF-8]PB[Köln])"
    names = [tree.text("PB") for tree in parse_sgf(one.encode("cp1251") + b"\n(;C[x])\n" + two.encode())]
    assert names == ["Иванов", "", "Köln"]


# -- files ---------------------------------------------------------------------------------------------------------------
def test_files(tmp_path):
    path = tmp_path / "a.sgf"
    tree = Node({"FF": ["4"], "GM": ["1"], "CA": ["gbk"], "PB": ["李"]}, [Node({"B": ["aa"]})])
    save_sgf(path, [tree])
    assert "李".encode() in path.read_bytes() and tree.values("CA") == ["gbk"]
    (read,) = load_sgf(path)
    assert list(read.properties.items()) == [("FF", ["4"]), ("GM", ["1"]), ("CA", ["UTF-8"]), ("PB", ["李"])]
    packed = tmp_path / "a.sgf.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert load_sgf(packed) == [read]


def test_files_that_cannot_be_read(tmp_path):
    broken = tmp_path / "a.sgf.gz"
    broken.write_bytes(gzip.compress(b"(;B[aa])" * 100)[:-12])
    for path, words in ((tmp_path / "none.sgf", "cannot be read"), (tmp_path, "is a folder"), (broken, "damaged gzip file")):
        with pytest.raises(UserError, match=words):
            load_sgf(path)
