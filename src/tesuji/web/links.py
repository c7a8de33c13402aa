"""A link's fragment: the game, where it begins, the moves and who plays, in a form that anyone may edit."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from tesuji.core.errors import UserError
from tesuji.web.fields import read_json
from tesuji.web.messages import SideData

LONGEST = 100_000
_BLANK = re.compile(r"[%\s]")  # what a move may hold, and what stands between moves: as %20 in a move
KEYS = ("game", "moves", "sides", "stones", "to_move")


def write_link(game: str, moves: list[str], sides: Sequence[SideData], setup: dict[str, Any] | None) -> str:
    values = {"game": game}
    if setup is not None:
        values["stones"] = " ".join(f"{name}={player}" for name, player in sorted(setup["stones"].items()))
        values["to_move"] = str(setup["to_move"])
    if moves:
        values["moves"] = " ".join(_BLANK.sub(lambda found: quote(found[0]), move) for move in moves)
    values["sides"] = json.dumps(sides, separators=(",", ":"))
    return "#" + urlencode(values)


def read_link(fragment: Any) -> dict[str, Any]:
    """{"game", "moves", "sides", "stones", "to_move"}: sides and stones only if they are there. All is still to be checked."""
    if not isinstance(fragment, str) or len(fragment) > LONGEST:
        raise UserError(f"a link is a text of at most {LONGEST:,} characters")
    try:
        values = dict(parse_qsl(fragment.lstrip("#"), strict_parsing=True, max_num_fields=20))
    except ValueError:
        raise UserError("this is not a link of a game: it looks like #game=go:9&moves=E5 C3") from None
    if not values.get("game") or any(key not in KEYS for key in values):
        raise UserError("this is not a link of a game: it looks like #game=go:9&moves=E5 C3")
    found: dict[str, Any] = {"game": values["game"], "moves": [unquote(m) for m in values.get("moves", "").split()]}
    if "sides" in values:
        found["sides"] = read_json(values["sides"], "the sides of this link cannot be read")
    if "stones" in values:
        pairs = [part.rpartition("=") for part in values["stones"].split()]
        found["stones"] = {name: {"0": 0, "1": 1}.get(player, -1) for name, _, player in pairs}
        found["to_move"] = {"0": 0, "1": 1}.get(values.get("to_move", "0"), -1)
    return found
