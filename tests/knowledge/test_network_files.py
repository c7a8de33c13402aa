"""Networks in files: what is written comes back; whatever is wrong with a file is one line."""

from __future__ import annotations

import json
import zlib

import numpy as np
import pytest

from tesuji.core.container import LENGTHS, header_text, seal
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.knowledge.network.file import FORMAT, LearnedNetwork, load_network, load_network_for, save_network
from tesuji.knowledge.network.network import NetworkShape, random_network

SHAPE = NetworkShape(15, 1, 1, 8, 2, 1, 4, 8, 3)
GO = find_game("go:5")


def learned(**changes):
    return LearnedNetwork("go", GO.encoding.names, 1, random_network(SHAPE)._replace(**changes), {"games": 12, "by": "a test"})


@pytest.fixture
def path(tmp_path):
    save_network(tmp_path / "go.network", learned())
    return tmp_path / "go.network"


def parts(path):
    data = path.read_bytes()
    start = len(FORMAT.magic)
    header_size, _ = LENGTHS.unpack_from(data, start)
    start += LENGTHS.size + 32
    return json.loads(data[start : start + header_size]), data[start + header_size :]


def forge(path, header, body):
    """A file with a checksum that is right, whatever is in it."""
    path.write_bytes(seal(FORMAT.magic, header_text(header), body))


@pytest.mark.parametrize(("numbers", "error"), [("float32", 0), ("float16", 1e-3)])
def test_what_is_written_comes_back(tmp_path, numbers, error):
    path = tmp_path / "network"
    before = learned()
    save_network(path, before, numbers)
    after = load_network_for(find_game("go:7"), path)  # of another size
    assert (after.game, after.names, after.learned, after.shape) == ("go", GO.encoding.names, before.learned, SHAPE)
    for one, other in zip(before.network, after.network, strict=True):
        assert other.dtype == np.float32 and other.flags.c_contiguous and np.allclose(one, other, rtol=error, atol=error / 10)
    again = tmp_path / "again"
    save_network(again, after, numbers)
    assert again.read_bytes() == path.read_bytes()


def test_a_file_of_half_floats_is_half_as_large(tmp_path):
    for numbers in ("float32", "float16"):
        save_network(tmp_path / numbers, learned(), numbers)
    sizes = [(tmp_path / numbers).stat().st_size for numbers in ("float32", "float16")]
    assert sizes[1] < 0.6 * sizes[0]


def refused(path, load=load_network):
    with pytest.raises(UserError) as error:
        load(path)
    text = str(error.value)
    assert "\n" not in text and text.startswith(str(path))
    return text.removeprefix(f"{path} ").removeprefix(f"{path}: ")


def test_networks_of_other_games_are_refused(path):
    text = refused(path, lambda path: load_network_for(find_game("hex:5"), path))
    assert text == "is a network for go, not for hex"
    with pytest.raises(
        UserError, match=r"^hex:3x4 does not say what a network sees of it \(rules.planes\), so it can have none$"
    ):
        load_network_for(find_game("hex:3x4"), path)


def test_networks_of_other_planes_are_refused(path):
    header, body = parts(path)
    forge(path, header | {"planes": ["other", *header["planes"][1:]]}, body)
    text = refused(path, lambda path: load_network_for(GO, path))
    assert text == "was learned from other planes of go than this version has: learn it again"


def test_other_versions_and_other_files_are_refused(path):
    data = path.read_bytes()
    path.write_bytes(data.replace(b"tesuji network 1", b"tesuji network 2", 1))
    assert refused(path) == "is a network of another version of tesuji"
    path.write_bytes(b"\x80\x04K\x01.")
    assert refused(path) == "is not a network (write one with: tesuji learn network GAME RECORDS)"


def test_cut_and_changed_files_are_refused(path):
    data = path.read_bytes()
    for size in range(0, len(data), 997):
        path.write_bytes(data[:size])
        assert "is cut short or damaged" in refused(path) or "is not a network" in refused(path)
    for place in range(40, len(data), 997):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert "is cut short or damaged" in refused(path)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e7])
def test_numbers_that_cannot_be_used_are_refused(path, value):
    header, body = parts(path)
    numbers = np.frombuffer(zlib.decompress(body), "<f4").copy()
    numbers[-1] = value
    forge(path, header, zlib.compress(numbers.tobytes()))
    assert refused(path) == "the array value_bias holds what is no number, or one beyond 1e+06: it cannot be used"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"channels": 1 << 20}, "channels must be 1 to 1024"),
        ({"channels": "8"}, "channels must be 1 to 1024"),
        ({"channels": True}, "channels must be 1 to 1024"),
        ({"blocks": 0}, "blocks must be 1 to 64"),
        ({"blocks": None}, "blocks must be 1 to 64"),
        ({"pools": 2}, "pools must be 0 or 1"),
        ({"outputs": 2}, "outputs must be 3 to 4"),
        ({"other_moves": -1}, "other_moves must be 0 to 64"),
        ({"channels": 1024, "blocks": 64, "pools": 32}, "is too large: a network has 67,108,864 weights at most"),
        ({"channels": 500}, "is damaged: it says that it unpacks to more than it can hold"),
        ({"channels": 9}, "is cut short or damaged"),
        ({"channels": 7}, "is cut short or damaged"),
        ({"planes": "abc"}, "is cut short or damaged"),
        ({"planes": [1, 2]}, "is cut short or damaged"),
        ({"planes": []}, "planes must be 1 to 256"),
        ({"game": 3}, "is cut short or damaged"),
        ({"numbers": "float64"}, "is cut short or damaged"),
        ({"numbers": ["float32"]}, "is cut short or damaged"),
        ({"learned": "by chance"}, "is cut short or damaged"),
    ],
)
def test_headers_that_lie_are_refused(path, changes, message):
    header, body = parts(path)
    forge(path, header | changes, body)
    assert message in refused(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"entry": np.zeros((135, 8))}, "the array entry of a network must be float32"),
        ({"value": np.zeros((8, 5), np.float32)}, "value_bias of a network must be float32 of (5,)"),
        ({"layers": np.full((4, 72, 8), np.nan, np.float32)}, "the array layers holds what is no number"),
    ],
)
def test_what_is_no_network_is_not_written(tmp_path, changes, message):
    with pytest.raises(UserError) as error:
        save_network(tmp_path / "network", learned(**changes))
    assert message in str(error.value) and not (tmp_path / "network").exists()


def test_weights_too_large_for_half_floats_are_not_written(tmp_path):
    with pytest.raises(UserError, match="a weight is too large for float16"):
        save_network(tmp_path / "network", learned(value_bias=np.full(3, 1e5, np.float32)), "float16")
    assert not (tmp_path / "network").exists()
