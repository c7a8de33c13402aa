"""Networks in files: data only, sealed by a checksum (`core/container.py`).

The header names the game, what its positions look like to the network (the names of the planes, the policy planes, the other
moves), the shape of the network, and how it was learned. The body has the arrays of `Network` one after the other, as
little-endian float32 or float16. Whatever a file holds besides numbers that fit is refused in one line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.core.container import SealedFormat, damaged, open_sealed, write_sealed
from tesuji.core.encoding import MOST_OTHERS, MOST_PLANES, Encoding
from tesuji.core.errors import UserError, shortened
from tesuji.core.files import FileKind
from tesuji.core.game import Game
from tesuji.core.parameters import SHIPPED, named_files
from tesuji.knowledge.network.network import Network, NetworkShape, shape_of

NETWORK_FILE = FileKind("a network", (b"tesuji network ",), 1 << 28)
COMMAND = "tesuji learn network GAME RECORDS"
FORMAT = SealedFormat(NETWORK_FILE, 1, "is a network of", COMMAND)
PACKAGE = Path(__file__).parents[1]
NUMBERS = {"float32": np.dtype("<f4"), "float16": np.dtype("<f2")}
LARGEST = 1e6  # of a weight: beyond it the numbers of the layers could overflow
MOST_NAME, MOST_WEIGHTS = 100, 1 << 26
LIMITS = NetworkShape(MOST_PLANES, MOST_PLANES, MOST_OTHERS, 1024, 64, 32, 256, 1024, 4)


@dataclass(frozen=True)
class LearnedNetwork:
    """A network with what must be known of it."""

    game: str  # the first word of the game string, or the name of the file of a user's game
    names: tuple[str, ...]  # of the input planes
    policy_planes: int
    network: Network
    learned: Mapping[str, Any] = field(default_factory=dict)  # how: plain values, for people

    @property
    def shape(self) -> NetworkShape:
        return shape_of(self.network, self.policy_planes)


def game_word(game: Game) -> str:
    """What all sizes of a game have in common: the first word of its string, or the name of a user's file."""
    return Path(game.source).name if game.source else game.name.partition(":")[0]


def check_arrays(network: Network, policy_planes: int, path: str | Path) -> None:
    """Refuses arrays that do not fit one another, or hold what is no number."""
    shape = shape_of(network, policy_planes)
    for name, array, size in zip(Network._fields, network, shape.of_arrays(), strict=True):
        if array.dtype != np.float32 or array.shape != size or not array.flags.c_contiguous:
            raise UserError(
                f"{path}: the array {name} of a network must be float32 of {size}, not {array.dtype} of {array.shape}"
            )
        if not np.all(np.isfinite(array)) or np.any(np.abs(array) > LARGEST):
            raise UserError(f"{path}: the array {name} holds what is no number, or one beyond {LARGEST:g}: it cannot be used")


def save_network(path: str | Path, learned: LearnedNetwork, numbers: str = "float32") -> None:
    check_arrays(learned.network, learned.policy_planes, path)
    shape = learned.shape
    header = {
        "game": learned.game,
        "planes": list(learned.names),
        "policy_planes": shape.policy_planes,
        "other_moves": shape.other_moves,
        "channels": shape.channels,
        "blocks": shape.blocks,
        "pools": shape.pools,
        "value_channels": shape.value_channels,
        "hidden": shape.hidden,
        "outputs": shape.outputs,
        "numbers": numbers,
        "learned": dict(learned.learned),
    }
    _checked_shape(header, path)
    with np.errstate(over="ignore"):
        arrays = [array.astype(NUMBERS[numbers]) for array in learned.network]
    if not all(np.all(np.isfinite(array)) for array in arrays):
        raise UserError(f"{path} is not written: a weight is too large for {numbers}")
    write_sealed(path, FORMAT, header, arrays)


def load_network(path: str | Path) -> LearnedNetwork:
    """The network of a file; a UserError of one line for anything else."""
    with open_sealed(path, FORMAT) as (header, body):
        shape = _checked_shape(header, path)
        numbers = NUMBERS[header["numbers"]]
        sizes = shape.of_arrays()
        count = sum(math.prod(size) for size in sizes)
        if count > MOST_WEIGHTS:
            raise UserError(f"{path} is too large: a network has {MOST_WEIGHTS:,} weights at most")
        body.check_size(numbers.itemsize * count)
        arrays = [body.read(numbers, math.prod(size)).astype(np.float32).reshape(size) for size in sizes]
        body.end()
    network = Network(*arrays)
    check_arrays(network, shape.policy_planes, path)
    return LearnedNetwork(header["game"], tuple(header["planes"]), shape.policy_planes, network, header["learned"])


def encoding_of(game: Game) -> Encoding:
    """What a network sees of the game, which must say so."""
    if game.encoding is None:
        raise UserError(f"{game.name} does not say what a network sees of it (rules.planes), so it can have none")
    return game.encoding


def load_network_for(game: Game, path: str | Path) -> LearnedNetwork:
    """The network of a file, if it is one for this game."""
    encoding = encoding_of(game)
    learned = load_network(path)
    if learned.game != game_word(game):
        raise UserError(f"{path} is a network for {shortened(learned.game)}, not for {game_word(game)}")
    if (learned.names, learned.policy_planes, learned.network.others.shape[1]) != encoding.content:
        raise UserError(f"{path} was learned from other planes of {game_word(game)} than this version has: learn it again")
    return learned


def shipped_networks(game: Game) -> list[Path]:
    """The network that comes with the package for this game, if there is one: of several that for the nearest size of board.

    Its file is knowledge/GAME/GAMESIZE.network.
    """
    word, encoding = game_word(game), game.encoding
    if game.source or encoding is None:
        return []
    sizes = {path: path.stem.removeprefix(word) for path in (PACKAGE / word).glob(f"{word}*.network")}
    there = sorted((abs(int(size) - encoding.rows), path) for path, size in sizes.items() if size.isdecimal())
    return [path for _difference, path in there[:1]]


def network_file(game: Game, named: str, how: str = "network=FILE") -> str | Path:
    """The file of the parameter `network`; a UserError, which tells `how` to name one, if that is no file or several."""
    files = shipped_networks(game) if named == SHIPPED else named_files(named)
    if len(files) != 1:
        what = "a player has one network" if files else f"no network for {game_word(game)} comes with the package"
        raise UserError(f"{what}: name the file of one by {how} ('tesuji learn network' writes them)")
    return files[0]


def _checked_shape(header: Mapping[str, Any], path: str | Path) -> NetworkShape:
    """The shape that a header states; the header's other values are checked too."""
    names = header.get("planes")
    if (
        not isinstance(names, list)
        or not all(isinstance(name, str) and len(name) <= MOST_NAME for name in [*names, header.get("game")])
        or not isinstance(header.get("learned"), dict)
        or header.get("numbers") not in [*NUMBERS]
    ):
        raise damaged(path)
    counts: list[int] = []
    for name, most in LIMITS._asdict().items():
        least = 0 if name in ("other_moves", "pools") else 3 if name == "outputs" else 1
        count = len(names) if name == "planes" else header.get(name)
        if type(count) is not int or not least <= count <= most:
            raise UserError(f"{path} is not a network that can be used: {name} must be {least} to {most}")
        counts.append(count)
    shape = NetworkShape(*counts)
    if shape.pools not in (0, shape.blocks // 2):
        raise UserError(f"{path} is not a network that can be used: pools must be 0 or {shape.blocks // 2}")
    return shape
