"""What is known of a position besides a search, for people and for programs that draw boards: marks on points, and text.

A family of games has a module for that (SHOW in registry.py), which lists in WHATS what it can show and makes a `Shown` of it:
`show(game, state, what, arguments, mover)`. Of every game that networks can see, what a network says is shown, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game, State
from tesuji.core.parameters import SHIPPED
from tesuji.core.picture.board import Point
from tesuji.knowledge.registry import show_module

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
class Shown:
    what: str
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
        return {"what": self.what, "title": self.title, "marks": marks, "lines": list(self.lines), **self.data}


def whats(game: Game) -> list[str]:
    """What can be shown of positions of this game; NETWORK only by a file, where no network comes with the package."""
    module = show_module(game)
    return [*([] if module is None else module.WHATS), *([NETWORK] if game.encoding is not None else [])]


def show(game: Game, state: State, request: str, mover: int | None = None, network: str = SHIPPED) -> Shown:
    """Answers a request such as `fill` or `connections=c3,d5`; a UserError says what is wrong with it.

    It is answered for the player whose turn it is, or as if it were the turn of `mover`. `network`: the file of one.
    """
    what, equals, arguments = request.partition("=")
    known = whats(game)
    if not known:
        raise UserError(f"there is nothing to show of {game.name} but what a search finds")
    if what not in known:
        raise UserError(f"{shortened(what, quoted=True)} cannot be shown of {game.name}; there are: {', '.join(known)}")
    if what == NETWORK:
        if equals:
            raise UserError("network is about the whole position: it has no points; --network names a file")
        from tesuji.knowledge.network.evaluation import evaluator_for
        from tesuji.knowledge.network.showing import show_network

        return show_network(evaluator_for(game, network, "--network FILE"), game, state)
    named = [word.strip() for word in arguments.split(",")] if equals else []
    return show_module(game).show(game, state, what, named, mover)
