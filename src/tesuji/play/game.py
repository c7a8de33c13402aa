"""A game being played: whose turn it is and who plays, resigning, passes, the score that is agreed on, and how the game ends.

Knows no front end: the terminal, the page and GTP say what this says in their own words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from tesuji.core import rules
from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game, State
from tesuji.core.picture.board import Point
from tesuji.core.position import Position
from tesuji.core.words import end_text
from tesuji.knowledge.scoring import rule_text, status_for, without_stones
from tesuji.play.side import PERSON, Side
from tesuji.play.tree import ROOT, MoveNode, MoveTree

OVER, SCORING, OF_PERSON, OF_COMPUTER = "over", "scoring", "person", "computer"  # whose turn it is
DOING = {"pass": "passes", "swap": "swaps", "swap-pieces": "swaps"}  # moves that are made at no place
LETTERS = "BW"  # of the players, in game records


@dataclass(frozen=True)
class Score:
    """A position that is over, or is passed to its end, without the stones that are dead."""

    game: Game
    state: State
    dead: frozenset[Point]

    @property
    def outcome(self) -> int:
        """As the rules count it."""
        return int(rules.outcome(self.state))

    @property
    def points(self) -> float:
        """For the first player."""
        return self.game.in_points(self.outcome)

    @property
    def winner(self) -> int | None:
        """None for a draw, and in a puzzle."""
        side = None if self.game.players == 1 else self.game.winner(self.outcome, self.outcome)
        return None if side is None or side < 0 else side

    @property
    def result(self) -> str:
        """As game records have it: B+3.5; '' for a puzzle."""
        return "" if self.game.players == 1 else self.game.result(self.state)

    @property
    def text(self) -> str:
        return end_text(self.game, self.outcome)

    def rule(self, judged: bool | None = None) -> str:
        """The rule by which it was counted; `judged`: whether somebody can tell dead stones."""
        return rule_text(self.game, self.dead, status_for(self.game) is not None if judged is None else judged)


def score_of(position: Position, dead: Collection[Point]) -> Score:
    """The score of a position; a UserError where passing does not end the game, or without the stones it is no position."""
    return Score(position.game, without_stones(position.game, position.state, dead), frozenset(dead))


@dataclass(frozen=True)
class GameEnd:
    """How a game ended."""

    text: str
    result: str  # as game records have it; '' for a puzzle
    winner: int | None
    score: Score | None  # None: somebody resigned, or lost on time


@dataclass(frozen=True)
class Loss:
    """Who has lost before the rules say so: by giving up, or by the clock."""

    player: int
    on_time: bool = False


class GameInPlay:
    """A tree of moves, whose current node is the position of the game, and the two sides."""

    def __init__(self, tree: MoveTree, sides: tuple[Side, Side] = (PERSON, PERSON)):
        self.tree = tree
        self.sides = sides
        self.ended: dict[int, Loss | frozenset[Point]] = {}  # by node: who lost there, or which stones are dead
        self.proposed: frozenset[Point] | None = None  # dead stones to agree on; None: they are not looked for yet
        self.reasons: dict[int, list[str]] = {}  # of the computer's moves, by node: why it made them, in sentences
        self._captures: dict[int, tuple[int, int]] = {ROOT: (0, 0)}

    # -- the position --------------------------------------------------------------------------------------------------
    @property
    def game(self) -> Game:
        return self.tree.game

    @property
    def position(self) -> Position:
        return self.tree.position()

    @property
    def node(self) -> MoveNode:
        return self.tree[self.tree.current]

    @property
    def state(self) -> State:
        """A copy of the record of the position."""
        return self.position.state

    @property
    def mover(self) -> int:
        return int(rules.to_play(self.state))

    @property
    def to_move(self) -> int:
        """Whose turn it is. After the end it is the turn of the one who did not move last."""
        if not self.position.is_over:
            return self.mover
        mover = self.node.mover
        return 1 - mover if mover is not None and self.game.players == 2 else rules.FIRST

    def stones(self) -> dict[Point, int]:
        return stones_of(self.position)

    def moves(self) -> list[MoveNode]:
        """Those that led to the position."""
        return [node for number in self.tree.path() if (node := self.tree[number]).number is not None]

    def move_texts(self) -> list[str]:
        return [node.move or "" for node in self.moves()]

    # -- who plays -----------------------------------------------------------------------------------------------------
    @property
    def has_person(self) -> bool:
        return any(side.is_person for side in self.sides[: self.game.players])

    def is_persons_turn(self, number: int | None = None) -> bool:
        """Whether a person is to move at a node."""
        return self.sides[int(rules.to_play(self.tree.position(number).state))].is_person

    @property
    def turn(self) -> str:
        """'over', 'scoring' (passes have ended it, and the score is not agreed on), 'person' or 'computer'."""
        if self.tree.current in self.ended:
            return OVER
        if self.position.is_over:
            return SCORING if status_for(self.game) is not None else OVER
        return OF_PERSON if self.is_persons_turn() else OF_COMPUTER

    @property
    def is_over(self) -> bool:
        return self.turn == OVER

    # -- moving --------------------------------------------------------------------------------------------------------
    def go_to(self, number: int) -> None:
        self.tree.go_to(number)
        self.proposed = None

    def play(self, move: str | int, reasons: list[str] | None = None) -> MoveNode:
        """Plays a move, its text or the number of a legal one, and keeps why. After the end of the game it is a UserError."""
        if self.tree.current in self.ended or self.position.is_over:
            raise UserError("the game is over here: go back, or begin a new one")
        number = self.game.parse(self.state, move) if isinstance(move, str) else move  # a refusal names no number of the move
        node = self.tree.play(number)
        self.go_to(node.id)
        if reasons is not None:
            self.reasons[node.id] = reasons
        return node

    def why(self) -> list[str]:
        """Why the last move was made, in sentences; none if a person made it."""
        return self.reasons.get(self.tree.current, [])

    def play_all(self, moves: Iterable[str]) -> None:
        for number, text in enumerate(moves, 1):
            self.go_to(self.tree.play(self.game.number_of(self.state, text, number)).id)

    def turned_to(self, player: int) -> Position | None:
        """The position from which that player can move: this one, or one with the same stones and the other player's turn,
        which is not in the tree yet; None if the game has no such thing."""
        position = self.position
        if not position.is_over and self.mover == player:
            return position
        if not can_set_up(self.game):
            return None
        turned = set_up(position, stones_of(position), player)
        return None if turned.is_over or int(rules.to_play(turned.state)) != player else turned

    def play_from(self, position: Position, move: int, reasons: list[str] | None = None) -> MoveNode:
        """Plays a legal move of this position, or of one that `turned_to` gave."""
        self.turn_to(position)
        return self.play(move, reasons)

    def turn_to(self, position: Position) -> None:
        """Goes on from a position that `turned_to` gave."""
        if position != self.position:
            self.go_to(self.tree.add(self.tree.current, setup=position, is_turn=True).id)

    def set_up(self, stones: dict[Point, int], to_move: int) -> None:
        """Goes on with just these stones on the board."""
        self.go_to(self.tree.add(self.tree.current, setup=set_up(self.position, stones, to_move)).id)

    # -- going back ----------------------------------------------------------------------------------------------------
    def persons_node(self, number: int) -> bool:
        """Whether people go back and forth to that node: one where they may move, or any if nobody plays; ends, too."""
        return not self.has_person or self.tree.position(number).is_over or self.is_persons_turn(number)

    def before_last_move(self) -> int | None:
        """Where going back ends: at the last node before this one where a person may move; None if there is none."""
        above = reversed(self.tree.path()[:-1])
        return next((number for number in above if self.persons_node(number)), None)

    def before_moves(self, count: int = 1) -> int | None:
        """The node before the last moves; None if there are not so many, or stones were set up in between."""
        at = self.node
        for _ in range(count):
            if at.number is None or at.parent is None:
                return None
            at = self.tree[at.parent]
            if at.is_turn and at.parent is not None:
                at = self.tree[at.parent]
        return at.id

    def take_back(self, number: int) -> None:
        """Goes back to a node of the line, and takes out what was played from there; other variations stay."""
        self.tree.end_at(number)
        self.proposed = None

    # -- captures, and the last move in words --------------------------------------------------------------------------
    def captures(self, number: int | None = None) -> tuple[int, int]:
        """The stones that each player has taken on the way to a node."""
        number = self.tree.current if number is None else number
        board = self.game.board
        if board is None or not board.captures or self.game.players == 1:
            return 0, 0
        path = self.tree.path(number)
        known = next(place for place in range(len(path) - 1, -1, -1) if path[place] in self._captures)
        for before, after in zip(path[known:], path[known + 1 :], strict=False):
            taken, node = list(self._captures[before]), self.tree[after]
            if node.mover is not None:
                old, new = (board.stones(self.tree.position(at).state) for at in (before, after))
                other = 1 - node.mover
                lost = sum(owner == other for owner in old.values()) - sum(owner == other for owner in new.values())
                taken[node.mover] += max(0, lost)
            self._captures[after] = (taken[0], taken[1])
        return self._captures[number]

    def last_move_text(self) -> str:
        """What the last move did: 'Black plays B4, taking 1 stone'; '' if there was none."""
        node = self.node
        if node.move is None or node.mover is None or node.parent is None:
            return ""
        taken = self.captures(node.id)[node.mover] - self.captures(node.parent)[node.mover]
        doing = DOING.get(node.move.lower(), f"plays {node.move}")
        stones = f", taking {taken} {'stone' if taken == 1 else 'stones'}" if taken > 0 else ""
        return f"{self.subject(node.mover)} {doing}{stones}"

    def subject(self, player: int) -> str:
        """A player at the beginning of a sentence. Names of one letter are signs on the board, and stay as they are."""
        name = self.game.player_names[player]
        return name if len(name) < 2 else name[0].upper() + name[1:]

    # -- the end -------------------------------------------------------------------------------------------------------
    def resign(self, player: int | None = None) -> int:
        """A player gives up; if none is named it is the person, also in the computer's turn. Who that is."""
        if self.turn in (OVER, SCORING):
            raise UserError("the game is over: there is nothing to resign")
        if self.game.players == 1:
            raise UserError("there is no opponent to resign to")
        mover = self.mover
        loser = mover if self.sides[mover].is_person or not self.has_person else 1 - mover
        loser = loser if player is None else player
        self.ended[self.tree.current] = Loss(loser)
        return loser

    def lose_on_time(self, player: int) -> None:
        """The clock of that player has run down."""
        if self.turn not in (OVER, SCORING):
            self.ended[self.tree.current] = Loss(player, on_time=True)

    @property
    def loss(self) -> Loss | None:
        """Who has given the game up here, or lost on time; None if nobody has."""
        end = self.ended.get(self.tree.current)
        return end if isinstance(end, Loss) else None

    def take_back_loss(self) -> bool:
        """Goes on where somebody has resigned or lost on time. False if nobody has."""
        if self.loss is None:
            return False
        del self.ended[self.tree.current]
        return True

    def agree(self, dead: Collection[Point] | None = None) -> None:
        """Ends the game with the score without these stones, or those that are proposed."""
        if self.turn != SCORING:
            raise UserError("there is no score to agree on: that comes after two passes")
        chosen = self.proposed if dead is None else dead
        if chosen is None:
            raise UserError("the dead stones are still being looked for")
        self.ended[self.tree.current] = score_of(self.position, chosen).dead

    def play_on(self) -> None:
        """Goes on after two passes, with the same stones and the same player to move."""
        position = self.position
        following = self.turned_to(self.mover) if position.is_over else None
        if following is None or status_for(self.game) is None:
            raise UserError("play on works only after two passes, in Go")
        self.turn_to(following)

    def ending(self) -> GameEnd | None:
        """How the game ended in this position; None while it goes on, or the score is not agreed on."""
        loss, dead = self.loss, self.ended.get(self.tree.current)
        if loss is not None:
            winner, (how, letter) = 1 - loss.player, ("on time", "T") if loss.on_time else ("by resignation", "R")
            return GameEnd(f"{self.game.player_names[winner]} wins {how}", f"{LETTERS[winner]}+{letter}", winner, None)
        if self.turn != OVER:
            return None
        score = score_of(self.position, dead if isinstance(dead, frozenset) else ())
        rule = score.rule()
        return GameEnd(score.text + (f"; {rule}" if rule else ""), score.result, score.winner, score)

    # -- other rules ---------------------------------------------------------------------------------------------------
    def replayed_in(self, game: Game) -> GameInPlay:
        """The line to this position in a variant of the game, as after a change of komi."""
        nodes = [self.tree[number] for number in self.tree.path()]
        start = self.tree.start
        other = GameInPlay(MoveTree(game.start if start == self.game.start else _same_stones(game, start)), self.sides)
        for node in nodes[1:]:
            if node.number is not None:
                if node.number not in game.legal_moves(other.state):
                    raise UserError("the moves so far are not possible then")
                other.play(node.number)
            elif node.setup is not None and node.is_turn:
                turned = other.turned_to(int(rules.to_play(node.setup.state)))
                if turned is not None:
                    other.turn_to(turned)
            elif node.setup is not None:
                other.set_up(stones_of(node.setup), int(rules.to_play(node.setup.state)))
        return other


# -- positions that are set up -----------------------------------------------------------------------------------------
def stones_of(position: Position) -> dict[Point, int]:
    return {} if position.game.board is None else dict(position.game.board.stones(position.state))


def can_set_up(game: Game) -> bool:
    return game.board is not None and game.board.set_up is not None


def set_up(position: Position, stones: dict[Point, int], to_move: int) -> Position:
    """Just these stones, by the rules of that position; a UserError if the game cannot be set up, or not so."""
    board = position.game.board
    if board is None or board.set_up is None:
        raise UserError(f"positions of {position.game.name} cannot be set up")
    return Position(position.game, board.set_up(position.state, stones, to_move))


def _same_stones(game: Game, position: Position) -> Position:
    """The position in a variant of its game."""
    return set_up(game.start, stones_of(position), int(rules.to_play(position.state)))


# -- how games begin ---------------------------------------------------------------------------------------------------
def handicap_start(game: Game, count: int) -> Position:
    """The start with so many handicap stones; a UserError if the game, or its board, has no such handicap."""
    board = game.board
    if board is None or board.handicap is None or board.set_up is None:
        raise UserError(f"{game.name} has no handicap stones")
    return set_up(game.start, dict.fromkeys(board.handicap(count), rules.FIRST), rules.SECOND)


def with_komi(game: Game, komi: float | str) -> Game:
    """The game with another komi; a UserError if it has none, or not this one."""
    if "komi" not in game.extra or game.vary is None:
        raise UserError(f"{game.name} has no komi")
    try:
        value = float(komi)
    except ValueError:
        raise UserError(f"komi {shortened(str(komi), quoted=True)} is not a number, as in 6.5") from None
    return game.vary(komi=value)
