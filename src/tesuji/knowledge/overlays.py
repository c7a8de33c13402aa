"""Overlays: what is known of a position besides a search, as marks on points and text, for people and for programs.

A family of games has a module for its own (OVERLAYS in registry.py), which lists their names in NAMES and makes one of them by
`overlay(game, state, name, arguments, mover)`. Every game that networks can see has the overlay of what a network says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game, State
from tesuji.core.parameters import SHIPPED
from tesuji.core.picture.board import Point
from tesuji.knowledge.registry import overlay_module

NETWORK = "network"


@dataclass(frozen=True)
class PointMark:
    """What is to be seen on a point."""

    text: str  # one character, in a drawing of the board; what a network says has up to three
    kind: str  # the class of the mark, in a word, as in `dominated`
    player: int | None = None  # whose it is
    by: Point | None = None  # the point that makes it so
    why: str = ""


@dataclass(frozen=True)
class Overlay:
    name: str
    title: str
    drawing: str  # the board with the marks
    marks: Mapping[Point, PointMark]
    lines: Sequence[str]  # what the marks mean, and what has no place on the board
    data: Mapping[str, Any] = field(default_factory=dict)  # the same for programs: plain values, points by their names

    def to_json(self, game: Game) -> dict[str, Any]:
        board = game.board
        marks = {}
        for point, mark in sorted(self.marks.items(), key=lambda item: item[0][::-1]):
            assert board is not None, "marks are on points"
            by = None if mark.by is None else board.name(mark.by)
            player = None if mark.player is None else game.player_names[mark.player]
            one = {"text": mark.text, "kind": mark.kind, "player": player, "by": by, "why": mark.why or None}
            marks[board.name(point)] = {key: value for key, value in one.items() if value is not None}
        return {"what": self.name, "title": self.title, "marks": marks, "lines": list(self.lines), **self.data}


def overlay_names(game: Game) -> list[str]:
    """The overlays of positions of this game; NETWORK only by a file, where no network comes with the package."""
    module = overlay_module(game)
    return [*([] if module is None else module.NAMES), *([NETWORK] if game.encoding is not None else [])]


def overlay(game: Game, state: State, request: str, mover: int | None = None, network: str = SHIPPED) -> Overlay:
    """Answers a request such as `fill` or `connections=c3,d5`; a UserError says what is wrong with it.

    It is answered for the player whose turn it is, or as if it were the turn of `mover`. `network`: the file of one.
    """
    name, equals, arguments = request.partition("=")
    names = overlay_names(game)
    if not names:
        raise UserError(f"there is nothing to show of {game.name} but what a search finds")
    if name not in names:
        raise UserError(f"{shortened(name, quoted=True)} cannot be shown of {game.name}; there are: {', '.join(names)}")
    if name == NETWORK:
        if equals:
            raise UserError("network is about the whole position: it has no points; --network names a file")
        from tesuji.knowledge.network.evaluation import evaluator_for
        from tesuji.knowledge.network.overlay import network_overlay

        return network_overlay(evaluator_for(game, network, "--network FILE"), game, state)
    words = [word.strip() for word in arguments.split(",")] if equals else []
    return overlay_module(game).overlay(game, state, name, words, mover)
