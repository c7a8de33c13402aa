"""Edge templates of Hex are found and proven on strips at the edge, in pure Python: to compile the search takes longer."""

import pytest

from tesuji.knowledge.hex.connections.edge_templates import edge_templates, parse_template, template_text
from tesuji.learn.hex_templates import Strip, as_template, find_templates, irreducible, write_templates


@pytest.fixture(autouse=True)
def pure_python(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")


def test_what_is_connected_is_proven_and_what_is_not_is_not():
    strip = Strip(3, [])
    cell = strip.bit(6, 2).bit_length() - 1
    ziggurat = strip.prove(0, 0, cell)
    assert ziggurat is not None
    stones, carrier = strip.minimal(0, cell, ziggurat, 0)
    assert template_text(as_template(strip, stones, cell, carrier)) in (
        "2 -2,0 -1,0 0,0 1,0 -1,1 0,1 1,1 1,2",
        "2 -3,0 -2,0 -1,0 0,0 -2,1 -1,1 0,1 -1,2",
    )
    for bit in (1 << place for place in range(carrier.bit_length()) if carrier >> place & 1):
        assert strip.prove(0, strip.all & ~(carrier & ~bit | 1 << cell), cell, 1) is None, "no cell can be missing"


def test_a_ladder_is_found_with_its_stone():
    found = find_templates(2, 6, 0, 2, False, [])
    assert found and all(template.stones for template in found), "without stones the rules find all on two rows"
    assert all(irreducible([template]) == [template] for template in found[:3])


def test_what_follows_from_smaller_ones_is_left_out():
    bridge, ziggurat = parse_template("1 -1,0 0,0"), parse_template("2 -2,0 -1,0 0,0 1,0 -1,1 0,1 1,1 1,2")
    assert irreducible([bridge, ziggurat]) == []
    some = [template for template in edge_templates() if template.height < 3][:6]
    assert irreducible(some * 2) == irreducible(some) != []


def test_templates_are_kept_in_a_file(tmp_path, monkeypatch):
    path = tmp_path / "templates.json"
    write_templates(path, edge_templates()[:5])
    monkeypatch.setattr("tesuji.knowledge.hex.connections.edge_templates.FILE", path)
    assert edge_templates.__wrapped__() == edge_templates()[:5]
