"""Edge templates of Hex are found and proven on strips at the edge, in pure Python: to compile the search takes longer."""

import random

import pytest
from hex_connection_checks import template_joins

from tesuji.knowledge.hex.connections.edge_templates import edge_templates, expanded, parse_template, template_text
from tesuji.learn.hex_strips import Strip
from tesuji.learn.hex_templates import (
    as_family,
    as_seed,
    edges_in_games,
    find_templates,
    find_walled,
    irreducible,
    lone_position,
    main,
    random_position,
    write_templates,
)

BRIDGE, ZIGGURAT = parse_template("1 -1,0 0,0"), parse_template("2 -2,0 -1,0 0,0 1,0 -1,1 0,1 1,1 1,2")
LADDER = parse_template("1 -3,0 -2,0 -1,0 -3,1 -2,1 -1,1 + -4,0")


@pytest.fixture(autouse=True)
def pure_python(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")


def test_what_is_connected_is_proven_and_what_is_not_is_not():
    strip = Strip(3, [], 9)
    cell = strip.bit(5, 2).bit_length() - 1
    ziggurat = strip.prove(0, 0, cell)
    assert ziggurat is not None
    for rng in (None, random.Random(1)):
        stones, carrier = strip.minimal(0, cell, ziggurat, 0, rng)
        assert template_text(strip.template(stones, cell, carrier)) in (
            template_text(ZIGGURAT),
            template_text(ZIGGURAT.mirrored()),
        )
        for bit in (1 << place for place in range(carrier.bit_length()) if carrier >> place & 1):
            assert strip.prove(0, strip.all & ~(carrier & ~bit | 1 << cell), cell, 1) is None, "no cell can be missing"


def test_a_proof_looks_for_moves_that_no_rule_shows_and_gives_up():
    strip = Strip(2, [], 5)
    black, carrier, cell = strip.window(LADDER)
    white = strip.all & ~(black | carrier | 1 << cell)
    assert strip.prove(black, white, cell, 0) == carrier
    assert strip.prove(black, white, cell, 3, most=0) is None
    assert strip.prove(0, white | black, cell, 3) is None, "without the stone at its end the ladder is lost"


def test_a_ladder_is_found_with_its_stone_and_is_a_family():
    strip, rng = Strip(2, [], 12), random.Random(2)
    found = find_templates(strip, [random_position(strip, rng) for _ in range(6)], 0, rng)
    assert found and all(template.stones for template in found), "without stones the rules find all on two rows"
    assert irreducible(found[:1]) == found[:1]
    family = as_family(Strip(2, [], 8), LADDER)
    assert family == LADDER._replace(repeated=-3)
    members = expanded(family, 7)
    assert [member.width() for member in members] == [5, 6, 7] and members[0] == LADDER
    assert all(map(template_joins, members))
    assert parse_template(template_text(family)) == family
    assert as_family(Strip(2, [], 8), parse_template("1 0,0")) is None, "nothing of a wrong one is proven"


def test_what_follows_from_smaller_ones_is_left_out():
    assert irreducible([BRIDGE, ZIGGURAT]) == []
    some = sorted((one for one in edge_templates() if one.height < 3), key=lambda one: len(one.carrier))[:4]
    assert irreducible(some * 2) == irreducible(some) != []
    longer = LADDER._replace(repeated=-3).stretched(2)
    assert irreducible([LADDER._replace(repeated=-3), longer]) == [LADDER._replace(repeated=-3)]


def test_walls_are_moved_in_until_the_proof_fails():
    strip, rng = Strip(3, [], 9), random.Random(4)
    cell = strip.bit(5, 2).bit_length() - 1
    free = strip.all & ~(strip.top | 1 << cell)
    for leans in ((1, -1), (-1, 1), (2, -2), (-2, 2)):
        carrier = strip.between_walls(0, cell, free, 0, leans)
        assert strip.prove(0, strip.all & ~(carrier | 1 << cell), cell) is not None
        assert carrier.bit_count() < 13 and carrier & ~free == 0
    assert find_walled(strip, [(0, 0, [cell])], 0, rng) == [], "H-search finds the ziggurat by itself"
    for black, white, (cell,) in (lone_position(strip, rng) for _ in range(20)):
        assert not white and not black >> cell & 1 and strip.place(cell)[1] >= 1


def test_the_edges_of_a_game_are_those_of_their_owners():
    moves = "c5 a2 e1 d3 b4"  # Black's stones touch his edges in c5 and e1, White's his in a2
    edges = list(edges_in_games([f"1\t5\tB\t{moves}"], random.Random(0)))
    assert [size for size, _rows in edges] == [5] * 4
    stones = [sum(stone > 0 for row in rows for stone in row) for _size, rows in edges]
    assert len(set(stones)) == 1, "all four are of one position"
    (_, bottom), (_, top), (_, right), (_, left) = edges
    assert bottom[0][2] == 1 and left[0][3] == 1 and bottom == [row[::-1] for row in top[::-1]]
    assert sum(row.count(1) for row in bottom) == sum(row.count(2) for row in right)
    strip = Strip(6, [], 13)
    black, white, points = as_seed(strip, 5, bottom)
    assert black & strip.bit(2, 0) and white & strip.bit(5, 0) and strip.bit(4, 1).bit_length() - 1 in points


def test_templates_are_kept_in_a_file(tmp_path, monkeypatch):
    path = tmp_path / "templates.json"
    write_templates(path, edge_templates()[:5])
    monkeypatch.setattr("tesuji.knowledge.hex.connections.edge_templates.FILE", path)
    assert edge_templates.__wrapped__() == edge_templates()[:5]


def test_the_command_goes_on_from_a_file(tmp_path, capsys):
    known, out = tmp_path / "known.json", tmp_path / "out.json"
    write_templates(known, [LADDER, ZIGGURAT])
    assert main([str(out), "--known", str(known), "--share", "0"]) == 0
    assert "~ -3" in out.read_text() and "2 -2,0" not in out.read_text()
    assert "without those that follow" in capsys.readouterr().out


def test_the_command_looks_at_edges_of_games(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("tesuji.learn.hex_templates.find_templates", lambda _strip, seeds, *_options: list(seeds)[:0])
    records, out = tmp_path / "games.tsv", tmp_path / "out.json"
    records.write_text("1\t5\tB\tc5 a2 e1 d3 b4 a1\n")
    assert main([str(out), "--share", "0", "--records", str(records), "--edges", "1"]) == 0
    assert "6 rows, games: " in capsys.readouterr().out
