"""The state of one tab: a game tree, who plays, what has happened. It lives on when the connection does not.

Everything here runs in the server's one thread. What a search has to say comes from the engine's process (`tasks.py`).
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tesuji import __version__
from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.picture.board import Point
from tesuji.core.picture.drawing import describe, draw, territory_of
from tesuji.core.position import Position
from tesuji.core.words import has_scores
from tesuji.io.sgf.markup import read_markup
from tesuji.io.sgf.played import file_info
from tesuji.knowledge.network.evaluation import offered
from tesuji.knowledge.registry import family, ownership_of
from tesuji.play.clock import TimeControl
from tesuji.play.game import OF_COMPUTER, OF_PERSON, OVER, SCORING, GameInPlay, can_set_up, score_of
from tesuji.play.side import PERSON, PlayerChoice, Side
from tesuji.play.tree import ROOT, Deleted, MoveTree
from tesuji.players.presets import default_player
from tesuji.web.choice import make_player, read_side
from tesuji.web.clocks import TabClock
from tesuji.web.guide import guide_of
from tesuji.web.links import write_link
from tesuji.web.messages import LiveChoiceData, MistakeData, ProofData, choice_data, mistake_at, side_data, tree_data
from tesuji.web.outbox import Outbox
from tesuji.web.pictures import named_points, place_names
from tesuji.web.tasks import Tasks

if TYPE_CHECKING:
    from tesuji.web.engine import EngineHandle
    from tesuji.web.hub import Hub

HINT_LIMITS = Limits(seconds=2.0)
TEACH_AHEAD = Limits(seconds=2.0)  # of a position in which a person is to move
PAUSED = "paused"  # the computer is to move, and waits


class Stale(UserError):
    """A command for a position that is not shown any more."""


@dataclass(frozen=True)
class LiveAnalysis:
    """What analyses whatever position is shown."""

    choice: PlayerChoice
    ownership: bool = False
    region: tuple[str, ...] = ()  # places: only moves there are compared; none = all moves

    def as_data(self) -> LiveChoiceData:
        return LiveChoiceData(**choice_data(self.choice), ownership=self.ownership, region=list(self.region))


class Tab:
    def __init__(self, name: str, hub: Hub):
        self.name = name
        self.hub = hub
        self.outbox = Outbox(self.messages)
        self.generation = 0
        self._suggested = -1  # the generation of the last hint that nobody asked for
        self.last_sides = (PERSON, PERSON)  # as they were chosen last, for two players; files and puzzles have people alone
        self.paused = False
        self.message = ""
        self.notes: list[str] = []
        self.info: dict[str, str] = {}  # who played, where and when, as `played.INFO` names it; and the file it came from
        self.analysis_on: LiveAnalysis | None = None
        self.certificate: dict[str, Any] | None = None
        self.certificate_data: dict[str, Any] | None = None  # as it was sent, in case the engine must read it again
        self.certificate_engine: EngineHandle | None = None  # the one that has read it
        self.deleted: dict[str, Deleted] = {}
        self.is_known = False  # a command has come: the page has what the server sent
        self.used = time.monotonic()
        self.clock: TabClock | None = None
        self.teaching: float | None = None  # what a person's move must lose to be pointed out, from 0 to 1; None = nothing is
        self.mistake: MistakeData | None = None  # the last move, if it was one: the game waits for what the person says
        self._unjudged: int | None = None  # the node of a person's move that is to be looked at
        self._looked = -1  # the generation whose position was looked at, to know what a move there will lose
        self.tasks = Tasks(self)
        tree, info = hub.first_tree()
        self.played = GameInPlay(tree)
        self.begin(tree, hub.default_sides(), "", info, hub.clock)

    # -- the game ------------------------------------------------------------------------------------------------------
    @property
    def game(self) -> Game:
        return self.played.game

    @property
    def tree(self) -> MoveTree:
        return self.played.tree

    @property
    def position(self) -> Position:
        return self.played.position

    def begin(
        self,
        tree: MoveTree,
        sides: tuple[Side, Side] | None,
        message: str,
        info: dict[str, str] | None = None,
        clock: TimeControl | None = None,
    ) -> None:
        """Goes on with another game."""
        self.tasks.stop_all()
        self.stop_clock()
        self.clock = None if clock is None or tree.game.players == 1 else TabClock(clock, self._out_of_time)
        self._unjudged = None
        self._game_is_new = True
        if family(tree.game) != family(self.game):  # whose players are others
            first, second = (replace(side, choice=PlayerChoice()) for side in self.last_sides)
            self.last_sides = first, second
        self.played = GameInPlay(tree)
        if sides is not None:
            self.choose(sides)
        self.proofs: dict[int, ProofData] = {}
        self._names_of_places: dict[Point, str] | None = None
        self.deleted = {}
        self.certificate = self.certificate_data = None  # its positions may be of another game
        self.notes = []
        self.info = dict(info or {})
        self.paused = False
        if self.analysis_on is not None:
            try:
                if not self.analysis_on.choice.is_program:
                    make_player(self.analysis_on.choice, tree.game, "analyse", self.hub.own_player, 1e9)
                self.analysis_on = replace(self.analysis_on, region=())
            except UserError:
                self.analysis_on = None
        self.moved(message)

    def moved(self, message: str) -> None:
        """Another position is shown: what was computed for the one before is dropped, and whoever is to move begins."""
        self.generation += 1
        self.message = message
        self.mistake = None
        self.played.proposed = None
        self.outbox.forget_latest()
        self.tasks.stop_foreground()
        self.go_on()

    def go_on(self) -> None:
        """Starts what is to be done in this position: the computer's move, the score, the analysis."""
        self.outbox.state()
        turn = self.turn
        judges = self.teaching is not None and self._unjudged == self.tree.current and turn in (OF_PERSON, OF_COMPUTER)
        if self.clock is not None:
            mover = self.played.mover if turn in (OF_PERSON, OF_COMPUTER) and not judges else None
            self.clock.run(mover, is_held=turn == OF_COMPUTER and self.tasks.is_compiling)
        if self.tasks.is_running:
            return
        if judges:
            self.tasks.start("teach", self.tasks.judge())
            return
        if turn == OF_PERSON:
            self.tasks.prepare()
        if turn == OF_COMPUTER:
            self.tasks.start("move", self.tasks.move())
        elif turn == SCORING and self.played.proposed is None:
            self.tasks.start("score", self.tasks.score())
        elif self.analysis_on is not None and turn in (OF_PERSON, PAUSED):
            self.tasks.start_analysis()
        elif self.teaching is not None and turn == OF_PERSON and self.mistake is None and self._looked != self.generation:
            self._looked = self.generation
            self.tasks.start("teach", self.tasks.look_at([self.tree.current], TEACH_AHEAD))
        elif self.hub.suggests and turn == OF_PERSON and self._suggested != self.generation:
            self._suggested = self.generation
            self.tasks.start_hint(PlayerChoice(), HINT_LIMITS)

    @property
    def turn(self) -> str:
        turn = self.played.turn
        return PAUSED if (self.paused or self.mistake is not None) and turn == OF_COMPUTER else turn

    # -- moving ----------------------------------------------------------------------------------------------------------
    def play(self, text: str, reasons: list[str] | None = None) -> None:
        was_person = self.played.is_persons_turn()
        mover = self.played.mover
        if self.clock is not None and self.clock.is_over:
            self._out_of_time(mover)
            return
        self.played.play(text, reasons)
        if self.clock is not None:
            self.clock.moved()
        if was_person:
            self.paused = False
        self._unjudged = self.tree.current if was_person and self.game.players == 2 else None
        self.moved(self.played.last_move_text())

    # -- teaching ------------------------------------------------------------------------------------------------------------
    def teach(self, loss: float | None) -> None:
        """Points out moves of people that lose so much; None = no more."""
        self.teaching, self.mistake, self._looked = loss, None, -1
        self.go_on()

    def judged(self, node: int) -> None:
        """The person's move to the node that is shown has been looked at."""
        self._unjudged = None
        found = mistake_at(self.tree, node)
        if found is not None and self.teaching is not None and found["loss"] >= self.teaching:
            self.mistake = found

    # -- the clock -------------------------------------------------------------------------------------------------------------
    def stop_clock(self) -> None:
        if self.clock is not None:
            self.clock.run(None)

    def _out_of_time(self, side: int) -> None:
        self.played.lose_on_time(side)
        self.moved(f"{self.played.subject(side)} has no time left")

    def go_to(self, number: int, message: str = "") -> None:
        self.played.go_to(number)
        if self.clock is not None:
            self.clock.is_live = False  # until somebody moves
        self.paused = True  # a computer that is to move here waits: looking around makes no moves
        self.paused = self.turn == PAUSED
        self.moved(message)

    def undo(self) -> None:
        loss = self.played.loss
        if loss is not None and self.played.take_back_loss():
            if loss.on_time:
                self.stop_clock()
                self.clock = None
            self.go_to(self.tree.current, "the game goes on without clocks" if loss.on_time else "the game goes on")
            return
        parent, number = self.tree[self.tree.current].parent, self.played.before_last_move()
        if parent is None:
            raise UserError("this is the start of the game: there is nothing to take back")
        self.go_to(ROOT if number is None else number, "one move back" if number == parent else "back to your last move")

    def redo(self) -> None:
        number = self.tree.next_shown()
        if number is None:
            raise UserError("there is no move after this one")
        while not self.played.persons_node(number):
            following = self.tree.next_shown(number)
            if following is None:
                break
            number = following
        self.go_to(number)

    def resign(self) -> None:
        self.moved(f"{self.played.subject(self.played.resign())} resigns")

    def agree(self, dead: list[Point] | None) -> None:
        self.played.agree(dead)
        self.moved("the score is agreed on")

    def play_on(self) -> None:
        self.played.play_on()
        self.go_to(self.tree.current, "the game goes on")

    # -- who plays -----------------------------------------------------------------------------------------------------------
    def read_sides(self, given: Any, game: Game) -> tuple[Side, Side]:
        """The sides of a request, each checked for the game."""
        if not isinstance(given, list) or len(given) != 2:
            raise UserError('"sides" must be a list of two: who plays first, and who second')
        first, second = (read_side(side, game, self.hub.own_player, self.hub.programs) for side in given)
        return first, second

    def choose(self, sides: tuple[Side, Side]) -> None:
        self.played.sides = sides
        if self.game.players == 2:
            self.last_sides = sides

    def take_certificate(self, file: dict[str, Any], engine: EngineHandle, found: dict[str, Any]) -> None:
        """A certificate that an engine has read and checked."""
        self.certificate_data, self.certificate_engine = file, engine
        names = ("game", "moves", "lower", "upper", "text", "nodes", "valid", "loser", "walkers")
        self.certificate = {name: found[name] for name in names}
        self.outbox.state()

    # -- what is told ------------------------------------------------------------------------------------------------------
    def messages(self, everything: bool) -> list[tuple[str, dict[str, Any]]]:
        """What the page must know now: the game if it is new, and the state."""
        found: list[tuple[str, dict[str, Any]]] = []
        if self._game_is_new or everything:
            found.append(("game", self.game_data()))
        self._game_is_new = False
        return [*found, ("state", self.state_data(everything))]

    def hello(self) -> dict[str, Any]:
        return {"version": __version__, "is_new": not self.is_known, **self.hub.hello()}

    def game_data(self) -> dict[str, Any]:
        game, board = self.game, self.game.board
        start_moves = [text.lower() for text in game.start.legal_moves]
        return {
            "name": game.name,
            "family": family(game),
            "title": game.title or game.name,
            "players": game.players,
            "player_names": list(game.player_names),
            "outcomes": [game.in_points(outcome) for outcome in game.outcomes],
            "draw_value": None if game.draw_outcome is None else game.in_points(game.draw_outcome),
            "has_scores": has_scores(game),
            "board": describe(game),
            "can_set_up": can_set_up(game),
            "can_pass": "pass" in start_moves,
            "handicap": board is not None and board.handicap is not None,
            "komi": game.extra.get("komi"),
            "ownership": ownership_of(game) is not None,
            "network": offered(game),
            "sgf": True,
            "guide": guide_of(game),
            "explains": game.why_illegal is not None,
            "can_mark": board is not None,
            "default_player": default_player(game).name if self.hub.own_player is None else self.hub.own_player,
        }

    def state_data(self, everything: bool) -> dict[str, Any]:
        position, node, turn = self.position, self.tree[self.tree.current], self.turn
        over = turn in (OVER, SCORING)
        legal = [] if over else list(position.legal_moves)
        lower = [text.lower() for text in legal]
        taken = self.played.captures()
        root = self.tree[ROOT]
        return {
            "generation": self.generation,
            "node": node.id,
            "position": self.drawing(position),
            "moves": legal,
            "text": str(position),
            "to_move": None if over else int(rules.to_play(position.state)),
            "turn": turn,
            "last_move": node.move,
            "last_mover": node.mover,
            "ply": node.ply,
            "captures": list(taken) if any(taken) else None,
            "result": self.result(),
            "scoring": self._scoring_data() if turn == SCORING else None,
            "message": self.message,
            "why": self.played.reasons.get(node.id),
            "sides": [side_data(side) for side in self.played.sides],
            "last_sides": [side_data(side) for side in self.last_sides],
            "paused": self.paused,
            "running": self.tasks.data(),
            "analysis_on": None if self.analysis_on is None else self.analysis_on.as_data(),
            "can": {
                "undo": node.parent is not None or self.played.loss is not None,
                "redo": bool(node.children),
                "resign": not over and self.game.players == 2,
                "pass": "pass" in lower,
                "swap": any(text.startswith("swap") for text in lower),
            },
            "setup": None if root.setup is None or root.setup == self.game.start else True,
            "certificate": self.certificate,
            "proof": self.proofs.get(node.id),
            "notes": self.notes,
            "markup": self._markup_data(),
            "teaching": self.teaching,
            "mistake": self.mistake,
            "clock": None if self.clock is None else self.clock.data(),
            "info": {name: text for name, text in self.info.items() if name != "file"},
            "link": self.link(),
            "tree": tree_data(self.tree, everything),
        }

    def _markup_data(self) -> list[dict[str, Any]]:
        names = self.places()
        found = read_markup(self.tree[self.tree.current].properties, self.game)
        return [
            {"kind": one.kind, "at": [names[point] for point in one.points], "text": one.text}
            for one in found
            if all(point in names for point in one.points)
        ]

    def drawing(self, position: Position) -> dict[str, Any]:
        """The position as it is drawn: at its end whose points are whose, without the stones that are agreed to be dead."""
        drawing, ending = draw(position), self.played.ending()
        if ending is not None and ending.score is not None:
            drawing["territory"] = territory_of(self.game, ending.score.state)
        return drawing

    def result(self) -> dict[str, Any] | None:
        ending = self.played.ending()
        if ending is None:
            return None
        outcome = None if ending.score is None else ending.score.points
        return {"text": ending.text, "sgf": ending.result, "winner": ending.winner, "outcome": outcome}

    def _scoring_data(self) -> dict[str, Any]:
        dead = self.played.proposed
        if dead is None:
            return {"dead": None, "text": "looking for dead stones"}
        return {"dead": named_points(self.game, dead), "text": score_of(self.position, dead).text}

    def places(self) -> dict[Point, str]:
        if self._names_of_places is None:
            self._names_of_places = place_names(self.game)
        return self._names_of_places

    def setup_data(self, position: Position) -> dict[str, Any] | None:
        """The stones that a position was set up with; None if it is the start of the game."""
        board = self.game.board
        if board is None or position == self.game.start:
            return None
        names = self.places()
        stones = {names[point]: owner for point, owner in board.stones(position.state).items() if point in names}
        return {"stones": stones, "to_move": int(rules.to_play(position.state))}

    def link(self) -> str:
        """What restores the line that is shown; where a position was set up in its midst, from there on."""
        nodes = [self.tree[number] for number in self.tree.path()]
        begin = max(place for place, node in enumerate(nodes) if node.setup is not None)
        start = nodes[begin].setup
        assert start is not None
        moves = [node.move for node in nodes[begin + 1 :] if node.move is not None]
        sides = [side_data(side) for side in self.played.sides]
        return write_link(self.game.name, moves, sides, self.setup_data(start))

    def file_info(self) -> dict[str, str]:
        """For a file: what is known of the game, with its players and, at its end, its result."""
        return file_info(self.played, self.info, lambda side: side.choice.short_name or default_player(self.game).name)

    def file_name(self) -> str:
        """That of the file that was opened, else who played, else the game."""
        names = [self.info.get(name) for name in ("black", "white")]
        game = self.game.name.rpartition("/")[2].replace(".py:", "-") if self.game.source else self.game.name
        name = self.info.get("file") or (" - ".join(filter(None, names)) if all(names) else game)
        stem = re.sub(r"[^\w .,()+-]+", "-", name.removesuffix(".gz").removesuffix(".sgf")).strip(" .-")
        return f"{stem or 'game'}.sgf"
