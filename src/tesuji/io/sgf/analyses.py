"""Analyses in SGF: as TESUJIVALUE, a JSON object with the keys of a summary (docs/web-protocol.md), and as SBKV, Sabaki's
property: Black's chance in per cent. Both are read, and so is LZ of Lizzie: version, the chance in per cent of the player who
has just moved, playouts, then details that are left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tesuji.core import rules
from tesuji.core.arguments import finite
from tesuji.core.limits import MOST_PLAYOUTS
from tesuji.core.position import Position
from tesuji.io.sgf.text import escaped, text_of
from tesuji.play.review import AnalysisSummary

OWN, SABAKI, LIZZIE = "TESUJIVALUE", "SBKV", "LZ"
_LIZZIE = re.compile(r"\S+ (-?\d+(?:\.\d+)?) (\d+(?:\.\d+)?)([kKmM]?)(?:\s|$)")
LONGEST_TEXT = 100


def read_analysis(properties: Mapping[str, list[str]], position: Position) -> AnalysisSummary | None:
    """What the properties of a node say of its position; None if they say nothing that can be read."""
    names = [name for name in (OWN, SABAKI, LIZZIE) if properties.get(name)]
    if not names or position.is_over or position.game.players == 1:
        return None
    mover = int(rules.to_play(position.state))
    if OWN in names:
        found = _own_summary(text_of(properties[OWN][0]), mover)
        if found is not None:
            return found
    if SABAKI in names:
        share = finite(properties[SABAKI][0])
        if share is not None and 0.0 <= share <= 100.0:
            return _summary(mover, share / 100.0 if mover == rules.FIRST else 1.0 - share / 100.0, 0, SABAKI)
    if LIZZIE in names:
        return _lizzie_summary(text_of(properties[LIZZIE][0]), mover)
    return None


def _lizzie_summary(text: str, mover: int) -> AnalysisSummary | None:
    match = _LIZZIE.match(text)
    if match is None:
        return None
    share, playouts = float(match[1]), float(match[2]) * {"": 1, "k": 1_000, "m": 1_000_000}[match[3].lower()]
    if not 0.0 <= share <= 100.0 or not playouts < MOST_PLAYOUTS:
        return None
    return _summary(mover, 1.0 - share / 100.0, round(playouts), LIZZIE)


def _summary(mover: int, chance: float, playouts: int, player: str) -> AnalysisSummary:
    return AnalysisSummary(
        player=player,
        mover=mover,
        chance=chance,
        value=None,
        best=None,
        playouts=playouts,
        lower=None,
        upper=None,
        proven=False,
        outcome="unknown",
        top=[],
    )


def _own_summary(text: str, mover: int) -> AnalysisSummary | None:
    """A summary out of a file: nothing in it is trusted. A proof is not taken over: a file proves nothing."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict) or given.get("mover") != mover:
        return None
    chance = _number(given.get("chance"))
    if chance is None or not 0.0 <= chance <= 1.0:
        return None
    playouts = given.get("playouts")
    playouts = playouts if isinstance(playouts, int) and 0 <= playouts < MOST_PLAYOUTS else 0
    found = _summary(mover, chance, int(playouts), _text(given.get("player")) or "")
    found["best"], found["value"] = _text(given.get("best")), _number(given.get("value"))
    return found


def _text(value: Any) -> str | None:
    return value[:LONGEST_TEXT] if isinstance(value, str) else None


def _number(value: Any) -> float | None:
    return finite(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def properties_of(analysis: AnalysisSummary | None, players: int) -> dict[str, list[str]]:
    """The properties that keep an analysis in a file; those of other programs are kept as they came."""
    if analysis is None or analysis["player"] in (SABAKI, LIZZIE):
        return {}
    kept = {name: value for name, value in analysis.items() if name != "top"}
    found = {OWN: [escaped(json.dumps(kept, sort_keys=True))]}
    first = analysis["chance"] if analysis["mover"] == rules.FIRST else 1.0 - analysis["chance"]
    return found | ({SABAKI: [f"{100.0 * first:.2f}"]} if players == 2 else {})
