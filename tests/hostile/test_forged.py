"""Files with a right checksum around something wrong, as only malice makes them: huge counts, other versions, names of code."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from pathlib import Path

import numpy as np
import pytest
import samples
from samples import Forgery, forged_certificate, sealed

from tesuji.core.container import LENGTHS
from tesuji.core.game_digest import game_digest
from tesuji.core.sources import source_digest
from tesuji.games.registry import find_game
from tesuji.proof.trusted import format as form
from tesuji.search.files import saved_search
from tesuji.search.kernel.tree import NODE

SEARCHES = ("plain.search", "own.search", "go.search", "gauss.search")
EVIL = "evil.py:game"


@pytest.fixture
def evil(good):
    """A game whose file leaves a mark when it is run."""
    Path("evil.py").write_bytes(good["evil.py"])
    Path("own.py").write_bytes(good["own.py"])


# -- certificates ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", [EVIL, "./" + EVIL, "{}/" + EVIL, "evil.py", "/dev/zero:game", "evil.py:nothing"])
@pytest.mark.parametrize("with_digest", [True, False])
def test_a_certificate_runs_no_code(good, tesuji, evil, tmp_path, name, with_digest):
    digest = source_digest("evil.py") if with_digest else ""
    change = {"game": name.format(tmp_path), "source": digest}
    Path("x.cert").write_bytes(forged_certificate(good["own.cert"], lambda header: header.update(change)))
    answer = tesuji("verify", "x.cert")
    assert answer.code == 2 and "x.cert is a certificate of " in answer.err
    assert answer.err.endswith(
        f", a user's own game: name the game to check it by, as in --game path/to/{name.rpartition('/')[2]}\n"
    )


def test_a_certificate_is_checked_by_the_game_it_was_written_for_alone(good, tesuji, evil):
    Path("own.cert").write_bytes(good["own.cert"])
    assert tesuji("verify", "own.cert", "--game", "own.py:game").code == 0
    assert "not about tictactoe" in tesuji("verify", "own.cert", "--game", "tictactoe").out
    Path("other.py").write_bytes(good["own.py"] + b"\n# changed\n")
    answer = tesuji("verify", "own.cert", "--game", "other.py:game")
    now, then = source_digest("other.py")[:12], source_digest("own.py")[:12]
    assert answer.code == 1 and "another version" in answer.out and now in answer.out and then in answer.out
    Path("plain.cert").write_bytes(good["plain.cert"])
    assert "a game of the package" in tesuji("verify", "plain.cert", "--game", "own.py:game").out


HEADERS = {
    "huge node count": {"nodes": 10**30},
    "huge choices": {"choices_size": 10**30},
    "choices of the largest size": {"choices_size": form.MOST_CHOICES},
    "huge bounds": {"lower": -(10**30), "upper": 10**30},
    "huge moves": {"moves": [10**30]},
    "negative moves": {"moves": [-1, -5]},
    "many moves": {"moves": [0] * 100_000},
    "no game": {"game": ""},
    "a game that is none": {"game": "go:1000000"},
    "a game with a huge name": {"game": "go:9" * 50_000},
    "a game of lines": {"game": "tictactoe\nrm"},
    "a list for a game": {"game": ["tictactoe"]},
    "deep nesting": {"moves": [[[[[[0]]]]]]},
    "a field too many": {"more": 1},
    "crossed bounds": {"lower": 1, "upper": -1},
    "truth for a number": {"nodes": True},
}


@pytest.mark.parametrize("change", HEADERS.values(), ids=HEADERS.keys())
def test_forged_certificates(good, tesuji, change):
    Path("x.cert").write_bytes(forged_certificate(good["plain.cert"], lambda header: header.update(change)))
    assert tesuji("verify", "x.cert").code in (1, 2)


@pytest.mark.parametrize(
    "case",
    [
        sealed(b"[" * 100_000, b"", form.FORMAT.magic),
        sealed(b"", b"", form.FORMAT.magic),
        sealed(b'{"game":1e999}', b"", form.FORMAT.magic),
        form.FORMAT.magic + LENGTHS.pack(2**32 - 1, 2**64 - 1) + b"\0" * 64,
        form.CERTIFICATE.begins[0] + b"2\n" + b"\0" * 100,
        form.CERTIFICATE.begins[0] + b"999999999999999999999\n",
        form.CERTIFICATE.begins[0] + b"\xff\xfe\x00\x1b[2J\n",
    ],
)
def test_other_certificates(tesuji, case):
    Path("x.cert").write_bytes(case)
    answer = tesuji("verify", "x.cert")
    assert answer.code == 2 and answer.err.strip().isprintable()


def test_a_certificate_unpacks_no_more_than_it_announces(good, tesuji):
    bomb = zlib.compress(b"\0" * (60 << 20), 9)
    Path("x.cert").write_bytes(forged_certificate(good["plain.cert"], lambda header: None, bomb))
    assert tesuji("verify", "x.cert").code == 2


# -- what a file may say on the terminal -----------------------------------------------------------------------------------
ESCAPES = "\x1b[2J" * 25_000
NAMES = (ESCAPES, f"go:{ESCAPES}", f"tictactoe:{ESCAPES}", "x" * 100_000, "loa:" + "9" * 100_000, f"/{ESCAPES}.py:game")


def is_short_and_plain(answer) -> bool:
    said = (answer.out + answer.err).removesuffix("\n")
    return answer.code in (1, 2) and said.isprintable() and len(said) < 500 and "x." in said


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("source", ["", "x" * 100_000])
def test_names_of_games_in_files_are_not_printed_as_they_are(good, tesuji, evil, name, source):
    named = {"game": name, "source": source}
    for words in ((), ("--game", "tictactoe"), ("--game", "own.py:game")):
        Path("x.cert").write_bytes(forged_certificate(good["plain.cert"], lambda header: header.update(named)))
        assert is_short_and_plain(tesuji("verify", "x.cert", *words))
    for words in ((), ("tictactoe",), ("own.py:game",)):
        forgery = Forgery(good["plain.search"])
        forgery.header.update(game=name, digest=source)
        assert is_short_and_plain(load(tesuji, forgery.seal(), *words))


def test_settings_and_files_of_a_saved_search_are_not_printed_as_they_are(good, tesuji):
    for text in (ESCAPES, "x" * 100_000):
        for part, value in (
            ("files", {text: "digest"}),
            ("files", {"weights": text}),
            ("settings", {text: 1}),
            ("settings", {"selection": text}),
            ("settings", {"memory": text}),
            ("settings", {"weights": text}),
            ("origin", {"moves": [text], "stones": [], "to_move": 0}),
        ):
            forgery = Forgery(good["plain.search"])
            forgery.header[part] = {**forgery.header[part], **value}
            answer = load(tesuji, forgery.seal())
            ignored = answer.code == 0 and text not in answer.out + answer.err  # a setting that the game does not have
            assert is_short_and_plain(answer) or (part == "settings" and ignored), (part, text[:9])


def test_numbers_in_a_certificate_are_short(good, tesuji):
    for key in ("lower", "upper", "nodes", "choices_size"):
        Path("x.cert").write_bytes(
            forged_certificate(good["plain.cert"], lambda header, key=key: header.update({key: 10**4000}))
        )
        assert is_short_and_plain(tesuji("verify", "x.cert"))


# -- saved searches --------------------------------------------------------------------------------------------------------
def load(tesuji, data: bytes, *words: str, playouts: int = 3):
    Path("x.search").write_bytes(data)
    return tesuji("analyze", *words, "--load", "x.search", "--playouts", playouts)


@pytest.mark.parametrize("name", [EVIL, "./" + EVIL, "{}/" + EVIL, "evil.py"])
@pytest.mark.parametrize("with_digest", [True, False])
def test_a_saved_search_runs_no_code(good, tesuji, evil, tmp_path, name, with_digest):
    forgery = Forgery(good["own.search"])
    forgery.header.update(game=name.format(tmp_path), digest=source_digest("evil.py") if with_digest else "")
    answer = load(tesuji, forgery.seal())
    assert answer.code == 2 and answer.err.endswith(
        f", a user's own game: name the game too, as in path/to/{name.rpartition('/')[2]}\n"
    )


def test_a_saved_search_continues_with_its_own_game_alone(good, tesuji, evil):
    assert load(tesuji, good["own.search"], "own.py:game").code == 0
    Path("other.py").write_bytes(good["own.py"] + b"\n# changed\n")
    assert "is a search of own.py:game, not of other.py:game" in load(tesuji, good["own.search"], "other.py:game").err
    Path("folder").mkdir()
    Path("folder/own.py").write_bytes(Path("other.py").read_bytes())
    then, now = (game_digest(find_game(f"{name}.py:game"))[:12] for name in ("own", "folder/own"))
    answer = load(tesuji, good["own.search"], "folder/own.py:game")
    assert answer.code == 2 and now in answer.err and f"its digest is {then}" in answer.err
    assert "not of tictactoe" in load(tesuji, good["own.search"], "tictactoe").err
    assert "not of connect4:7x6" in load(tesuji, good["plain.search"], "connect4:7x6").err


def test_a_saved_search_opens_no_weights(good, tesuji):
    Path("w.json").write_bytes(good["evaluation.json"])
    words = ("loa", "--player", "mc-loa:memory=1", "--playouts", 1, "--weights", "w.json", "--save", "s")
    assert tesuji("analyze", *words).code == 0
    assert "name them again with --weights" in tesuji("analyze", "--load", "s", "--playouts", 1).err
    assert tesuji("analyze", "--load", "s", "--playouts", 1, "--weights", "w.json").code == 0
    forgery = Forgery(Path("s").read_bytes())
    forgery.header["files"] = {}
    os.mkfifo("pipe")  # whoever opened it would wait
    forgery.header["settings"]["weights"] = "pipe"
    assert "name them again with --weights" in load(tesuji, forgery.seal()).err
    Path("w.json").write_text(Path("w.json").read_text() + "\n")
    assert "other weights" in tesuji("analyze", "--load", "s", "--playouts", 1, "--weights", "w.json").err
    assert "leave --weights out" in load(tesuji, good["plain.search"], "--weights", "w.json").err


def header_changes():
    huge, deep = 10**30, json.loads("[" * 500 + "]" * 500)
    for key in ("game", "digest", "origin", "settings", "files", "seed", "playouts", "seconds", "full", "table", "sizes"):
        for value in (None, [], {}, "", "x", -1, huge, 1.5, True, float("nan"), deep):
            yield f"{key} = {str(value)[:20]}", lambda header, key=key, value=value: header.update({key: value})
        yield f"no {key}", lambda header, key=key: header.pop(key)
    for key in ("moves", "stones", "to_move"):
        for value in (None, -1, huge, [-1], [huge], [[0]], [0] * 100_000, [[0, 0, 0]], [[huge, 0, 0]], [[0, 0, 7]], "x", 2):
            yield (
                f"origin {key} = {str(value)[:20]}",
                lambda header, key=key, value=value: header["origin"].update({key: value}),
            )
    for key in saved_search.PARTS:
        for value in (None, -1, 1, huge, 1 << 40, 2**63, "x"):
            yield f"size of {key} = {value}", lambda header, key=key, value=value: header["sizes"].update({key: value})
    for key, value in (
        ("memory", 1e9),
        ("memory", -1),
        ("memory", 0),
        ("memory", 1e-9),
        ("memory", float("inf")),
        ("memory", float("nan")),
        ("threads", 10**9),
        ("threads", 2),
        ("selection", "rave"),
        ("selection", "gaussian"),
        ("selection", "none"),
        ("policy", "none"),
        ("exploration", "x"),
        ("exploration", [1]),
        ("transpositions", False),
        ("solver", "off"),
        ("expand_after", 2**62),
    ):
        yield f"{key} = {value}", lambda header, key=key, value=value: header["settings"].update({key: value})
    for game in ("go:19", "go:5", "connect4:7x6", "samegame:15x15", "semeai:30,30", "go:0", "none", "loa"):
        yield game, lambda header, game=game: header.update({"game": game})


@pytest.mark.parametrize("name", ["plain.search", "go.search"])
def test_forged_headers(good, tesuji, name):
    for label, change in list(header_changes())[:: 1 if name == "plain.search" else 4]:
        forgery = Forgery(good[name])
        sizes = dict(forgery.header["sizes"])
        change(forgery.header)
        answer = load(tesuji, forgery.seal(sizes=False), playouts=1)
        harmless = forgery.header == {**forgery.header, "sizes": sizes} and answer.code == 0
        assert answer.code == 2 or harmless, label


@pytest.mark.parametrize("name", SEARCHES)
def test_forged_nodes(good, tesuji, evil, name):
    """Every field of several nodes, with values that compiled code must never see. The tree is used afterwards."""
    own = ("own.py:game",) if name == "own.search" else ()
    count, refused, cases = len(Forgery(good[name]).nodes), 0, 0
    for field in NODE.names or ():
        kind = NODE[field]
        if kind.kind == "f":
            values = [np.nan, np.inf, -np.inf]
        else:
            limits = np.iinfo(kind)
            values = [limits.min, limits.max, -1, -2, 127 if kind.itemsize == 1 else 30_000, count, count - 1]
        for value in values:
            for node in (0, 1, count // 2, count - 1) if name == "plain.search" else (0, count // 2):
                forgery = Forgery(good[name])
                if kind.kind != "f" and not np.iinfo(kind).min <= value <= np.iinfo(kind).max:
                    continue
                if forgery.nodes[node][field] == value:
                    continue
                forgery.nodes[node][field] = value
                cases += 1
                answer = load(tesuji, forgery.seal(), *own, playouts=2)
                refused += answer.code == 2
                assert answer.code == 2 or field in ("sum", "lower", "upper", "visits", "first_child"), (field, value, node)
    assert refused > 0.7 * cases, "the others are harmless, as the first child of a node that has none"


@pytest.mark.parametrize("name", SEARCHES)
def test_forged_shapes(good, tesuji, evil, name):
    """Trees that are none: nodes that belong to nobody or to two, in circles, with moves that are not legal there."""
    own = ("own.py:game",) if name == "own.search" else ()

    def refused(change) -> bool:
        forgery = Forgery(good[name])
        change(forgery)
        return load(tesuji, forgery.seal(), *own).code == 2

    def orphan(forgery):
        forgery.parts["nodes"] += forgery.parts["nodes"][-NODE.itemsize :]
        if forgery.parts["statistics"]:
            forgery.parts["statistics"] += forgery.parts["statistics"][-16:]

    def without_children(forgery):
        forgery.nodes[0]["child_count"] = 0

    def circle(forgery):
        forgery.nodes[1]["first_child"], forgery.nodes[1]["child_count"] = 1, 1

    def twice(forgery):
        forgery.nodes[2]["move"] = forgery.nodes[1]["move"]

    def illegal(forgery):
        nodes = forgery.nodes
        child = next(n for n in range(len(nodes) - 1, 0, -1) if nodes[n]["child_count"])
        below = nodes[child]["first_child"]
        nodes[below]["move"] = nodes[child]["move"]  # what was just played

    def other_player(forgery):
        forgery.nodes[0]["to_play"] = 1 - forgery.nodes[0]["to_play"]

    def no_generator(forgery):
        forgery.parts["generators"] = bytearray(len(forgery.parts["generators"]))

    def two_generators(forgery):
        forgery.parts["generators"] *= 2

    def half_a_node(forgery):
        forgery.parts["nodes"] += b"\0"

    def nothing(forgery):
        forgery.parts["nodes"] = bytearray()

    changes = [orphan, without_children, circle, twice, other_player, no_generator, two_generators, half_a_node, nothing]
    if name != "own.search":
        changes.append(illegal)
    for change in changes:
        assert refused(change), change.__name__


def test_forged_tables(good, tesuji):
    """A table of the wrong size would be read beyond its end."""
    search = Forgery(good["plain.search"])
    assert search.header["table"] >= 4
    for size in (1, 2, 3, 5, 6, 12, 1000, 2**62, 0):
        forgery = Forgery(good["plain.search"])
        forgery.header["table"] = size
        assert load(tesuji, forgery.seal()).code == 2, size
    for slots, entries in (
        ([0], [0, 0]),
        ([-1], [0, 2**62]),
        ([2**40], [0, 2**62]),
        ([0], [0, -1]),
        ([0], [5, 1]),
        ([0, 1], [5, 1]),
    ):
        forgery = Forgery(good["plain.search"])
        forgery.parts["slots"] = bytearray(np.array(slots, np.int64).tobytes())
        forgery.parts["entries"] = bytearray(np.array(entries, np.int64).tobytes())
        assert load(tesuji, forgery.seal()).code == 2, (slots, entries)


@pytest.mark.parametrize("name", ["go.search", "gauss.search"])
def test_forged_records_of_the_rule(good, tesuji, name):
    for at in range(0, 16):
        for value in (0x7F, 0xFF):
            forgery = Forgery(good[name])
            forgery.parts["statistics"][at % 16 | 7 if name == "go.search" else at] = value
            load(tesuji, forgery.seal())
    for cut in (0, 16, -16, 8):
        forgery = Forgery(good[name])
        forgery.parts["statistics"] = forgery.parts["statistics"][:cut]
        assert load(tesuji, forgery.seal()).code == 2


def test_a_saved_search_unpacks_no_more_than_it_announces(good, tesuji):
    header = Forgery(good["plain.search"]).header
    assert load(tesuji, sealed(header, zlib.compress(b"\0" * (60 << 20), 9))).code == 2
    header["sizes"]["nodes"] = 60 << 20
    assert load(tesuji, sealed(header, zlib.compress(b"\0" * (60 << 20), 9))).code == 2


@pytest.mark.parametrize(
    "case",
    [
        sealed(b"[" * 100_000, b""),
        sealed(b"", b""),
        sealed(b"{}", b""),
        sealed(b"[]", b""),
        sealed(b"null", zlib.compress(b"")),
        sealed({}, b"", saved_search.SAVED.begins[0] + b"4\n"),
        sealed({}, b"", saved_search.SAVED.begins[0] + b"7\n"),
        samples.MAGIC + LENGTHS.pack(2**32 - 1, 2**64 - 1) + b"\0" * 64,
        samples.MAGIC + LENGTHS.pack(0, 2**63) + b"\0" * 64,
    ],
)
def test_other_saved_searches(tesuji, case):
    assert load(tesuji, case).code == 2


def test_random_bits_of_the_arrays(good, tesuji):
    """Whatever they make of the tree: it is refused, or the search goes on."""
    chance = np.random.default_rng(1)
    for name in ("plain.search", "go.search", "gauss.search"):
        for _ in range(60):
            forgery = Forgery(good[name])
            part = forgery.parts[chance.choice(["nodes", "nodes", "nodes", "statistics", "entries", "slots", "generators"])]
            if part:
                part[chance.integers(len(part))] ^= 1 << int(chance.integers(8))
                load(tesuji, forgery.seal())


# -- match files -----------------------------------------------------------------------------------------------------------
def test_a_match_file_runs_nothing(good, tesuji, evil):
    Path("x.db").write_bytes(good["match.db"])
    base = sqlite3.connect("x.db")
    for player in (EVIL.replace("game", "player"), f"gtp:touch {samples.MARK}"):
        base.execute("update match set value = json_set(value, '$.players[0].given', ?) where key = 'plan'", (player,))
        base.execute("update match set value = json_set(value, '$.game', ?) where key = 'plan'", (EVIL,))
        base.commit()
        tesuji("ratings", "x.db")
        answer = tesuji("match", "uct:playouts=2", "uct:playouts=3", "--game", "tictactoe", "--games", 2, "--file", "x.db")
        assert answer.code == 2 and "another match" in answer.err
    base.close()


@pytest.mark.parametrize(
    "change",
    [
        "update match set value = json_set(value, '$.players', json('[]')) where key = 'plan'",
        "update match set value = replace(hex(zeroblob(100000)), '00', '[') where key = 'plan'",
        "update match set value = json_set(value, '$.seed', 1e300) where key = 'plan'",
        "update match set value = json_set(value, '$.random_plies', 1e300) where key = 'plan'",
        "update games set number = 9223372036854775807 where number = 1",
        "update games set plies = 9223372036854775807",
        "update games set seed = hex(zeroblob(10000))",
        "update games set seconds_first = 1e308",
        "update games set winner = -9223372036854775807",
        "update games set sgf = zeroblob(1000000)",
        "insert into openings values (0, '99999999999999999999')",
        "pragma user_version = 2",
        "pragma user_version = 2000000000",
        "pragma application_id = 1",
        "create view more as select * from games",
        "create trigger more after insert on runs begin delete from games; end",
        "create table more (x)",
        "drop table runs",
    ],
)
def test_forged_match_files(good, tesuji, change):
    Path("x.db").write_bytes(good["match.db"])
    base = sqlite3.connect("x.db")
    base.execute(change)
    base.commit()
    base.close()
    assert tesuji("ratings", "x.db").code in (0, 2)
    words = ("uct:playouts=2", "uct:playouts=3", "--game", "tictactoe", "--games", 2, "--file", "x.db", "--workers", 1)
    assert tesuji("match", *words).code in (0, 2)


def test_a_tune_file_runs_nothing(good, tesuji, evil):
    Path("x.db").write_bytes(good["tune.db"])
    base = sqlite3.connect("x.db")
    for player in (EVIL.replace("game", "player"), f"gtp:touch {samples.MARK}"):
        base.execute("update tune set value = json_set(value, '$.players[0].given', ?) where key = 'plan'", (player,))
        base.execute("update tune set value = json_set(value, '$.game', ?) where key = 'plan'", (EVIL,))
        base.commit()
        assert tesuji("tune", "--report", "x.db", "--out", "x.html").code == 0
    base.close()


@pytest.mark.parametrize(
    "change",
    [
        "update tune set value = json_set(value, '$.parameters', json('[]')) where key = 'plan'",
        "update tune set value = json_set(value, '$.parameters[0].low', 7) where key = 'plan'",
        "update tune set value = json_set(value, '$.parameters[0].low', -1) where key = 'plan'",
        "update tune set value = json_set(value, '$.parameters[0].high', 'x') where key = 'plan'",
        "update tune set value = json_set(value, '$.parameters[0].high', 1e999) where key = 'plan'",
        "update tune set value = json_set(value, '$.method', 'mine') where key = 'plan'",
        "update tune set value = json_set(value, '$.window', 'x') where key = 'plan'",
        "update tune set value = json_set(value, '$.players', json('[]')) where key = 'plan'",
        "update samples set vals = replace(hex(zeroblob(100000)), '00', '[')",
        'update samples set vals = \'{"exploration": "1e999"}\'',
        'update samples set vals = \'{"exploration": "nan"}\'',
        "insert into samples values (9223372036854775807, '{}')",
        "insert into validations (plan) values ('{}')",
    ],
)
def test_forged_tune_files(good, tesuji, change):
    Path("x.db").write_bytes(good["tune.db"])
    base = sqlite3.connect("x.db")
    base.execute(change)
    base.commit()
    base.close()
    answer = tesuji("tune", "--report", "x.db", "--out", "x.html")
    assert answer.code == 2 and "is damaged" in answer.err


# -- records and tables ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("game", [EVIL, "./" + EVIL, "evil.py", "/dev/zero", "\\\\host\\evil.py:game"])
def test_a_record_runs_no_code(tesuji, evil, game):
    escaped = game.replace("\\", "\\\\").replace(":", "\\:")
    Path("x.sgf").write_text(f"(;FF[4]GM[0]TESUJI[{escaped}];B[1])")
    assert tesuji("analyze", "--sgf", "x.sgf", "--playouts", 1).code == 2


@pytest.mark.parametrize(
    "board", [EVIL, "../evil.py", "8/8/8/8/8/8/8/8/8/8/8", "9" * 4000, "8" * 100_000, "", ",rule=x", "\x1b[2J"]
)
def test_forged_positions(tesuji, evil, board):
    Path("x.tsv").write_text(f"#position\tto_move\tplies\twinning_moves\n{board}\tB\t99999999999\ta1-a1\n")
    assert tesuji("learn", "tactics", "x.tsv", "--out", "new.tsv").code == 2
    assert not Path("new.tsv").exists()


WEIGHTS = {
    "counts": [None, [], "x", {"a": [0, 2**70, 1]}, {"a": [10**9, 1, 1]}, {"a": [-1, 0, 0]}, {"a": [0, 5, 1]}, {"a": 1}],
    "games": [-1, 2**70, "x", None, 1.5, True],
    "version": [0, 2, 10**30, "1", True, None],
    "game": ["go", EVIL, None, 7, "x" * 100_000],
    "category_count": [0, -1, 10**9, 352, None],
    "format": ["", "x\n\x1b[2J", None, ["tesuji move categories"]],
}


def test_forged_weights(good, tesuji, evil):
    for key, values in WEIGHTS.items():
        for value in values:
            data = {**json.loads(good["categories.json"]), key: value}
            Path("w.json").write_text(json.dumps(data))
            answer = tesuji("analyze", "loa", "--playouts", 1, "--player", "mc-loa:memory=1,weights=w.json")
            assert answer.code == 2 and answer.err.strip().isprintable(), (key, value)
    names = json.loads(good["evaluation.json"])["weights"]
    for value in (None, [], "x", {}, dict.fromkeys(names, 1e300), dict.fromkeys(names, "1"), {**names, "more": 1.0}):
        data = {**json.loads(good["evaluation.json"]), "weights": value}
        Path("w.json").write_text(json.dumps(data))
        assert tesuji("analyze", "loa", "--playouts", 1, "--player", "mc-loa:memory=1,weights=w.json").code == 2, value


def test_the_samples_are_what_they_say(good):
    assert len(Forgery(good["go.search"]).nodes) > 30
    assert Forgery(good["plain.search"]).seal() != b"" and find_game("go:4").name == "go:4"
