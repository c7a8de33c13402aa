"""A game between a person and the computer, without a terminal: lines go in by `answer`, text comes out by `say`."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from tesuji.cli import results
from tesuji.cli.levels import FULL, LEVELS, Level, choose_move
from tesuji.core import compiling, rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, copy_state
from tesuji.core.limits import Limits
from tesuji.players.player import Player
from tesuji.players.presets import DEFAULT
from tesuji.search.engine import Result, Search

SIDES = {"first": (True, False), "second": (False, True), "both": (True, True), "none": (False, False)}  # what people play
DEFAULT_LIMITS = Limits(seconds=1.0)
SHOWN_HINTS = 5
WEAK_TREE_MIB = 64.0
HELP = """A move is written as on the board, or as `moves` lists it; besides moves there are:
  hint          suggested moves with their chances
  suggest on    suggestions before each of your moves (suggest off ends them)
  undo          take back, to your own last move
  level N       1 beginner .. 10 full strength
  switch        change sides with the computer
  moves         the legal moves
  board         the board once more
  new           a new game
  quit          leave"""

Think = Callable[[Search, Limits, str], Result]


def just_run(search: Search, limits: Limits, _title: str) -> Result:
    return search.run(limits)


COMMANDS = ("help", "hint", "suggest", "undo", "level", "switch", "moves", "board", "new")


class Session:
    """The state of play. Whoever drives it asks `turn`: the computer's is made by `computer_move`, a person's by `answer`."""

    def __init__(
        self,
        game: Game,
        player: Player,
        limits: Limits = DEFAULT_LIMITS,
        level: int = FULL,
        side: str = "first",
        seed: int = 0,
        opening: Sequence[str] = (),
        say: Callable[[str], None] = print,
        think: Think = just_run,
    ):
        if game.players == 1 and side == "second":
            raise UserError(f"{game.name} is played by one: --side first, or --side none to see the computer play")
        self.game = game
        self.player = player
        self.settings = player.settings_for(game)
        self.limits = limits
        self.level = level
        self.people = SIDES[side]
        self.seed = seed
        self.say = say
        self.think = think
        self.suggests = False
        self.interrupted = False
        self._random = random.Random(seed)
        self._opening = list(opening)
        self._start = game.position(self._opening)
        self._begin()

    def _begin(self) -> None:
        self.positions = [copy_state(self._start)]
        self.moves: list[int] = []
        self._search: Search | None = None
        self._proof = ""

    def prepare_in_background(self) -> None:
        """Compiles what the computer's moves need while the person thinks, with a search that is not used for them."""
        player, state = self.player.changed({"memory": 1.0}), copy_state(self.state)
        compiling.in_background(lambda: player.new_search(self.game, state).prepare())

    # -- the position ------------------------------------------------------------------------------------------------
    @property
    def state(self) -> Any:
        return self.positions[-1]

    @property
    def is_over(self) -> bool:
        return bool(rules.is_over(self.state))

    @property
    def mover(self) -> int:
        return int(rules.to_play(self.state))

    @property
    def turn(self) -> str:
        """'over', 'person' or 'computer'."""
        return "over" if self.is_over else "person" if self.people[self.mover] else "computer"

    @property
    def end_text(self) -> str:
        return results.end_text(self.game, int(rules.outcome(self.state)))

    def prompt(self) -> str:
        if self.is_over:
            return "game over (new, undo or quit)> "
        return f"{self.game.player_names[self.mover]} to move> "

    def show(self) -> None:
        self.say("")
        self.say(self.game.drawing(self.state))
        self.say("")
        if self.is_over:
            self.say(f"The game is over: {self.end_text}.")

    def move_texts(self) -> list[str]:
        """All moves since the start, in the game's notation."""
        texts = [self.game.text(before, move) for before, move in zip(self.positions, self.moves, strict=False)]
        return [*self._opening, *texts]

    # -- moving ------------------------------------------------------------------------------------------------------
    def play(self, move: int) -> None:
        after = copy_state(self.state)
        rules.play(after, move)
        self.positions.append(after)
        self.moves.append(move)
        if self._search is not None:
            self._search.advance(move)

    def computer_move(self) -> int:
        """Thinks as the level says, plays, and tells what it played and what it has proven."""
        level = LEVELS[self.level]
        name = self.game.player_names[self.mover]
        limits, title = level.limits(self.limits), f"{name} thinks"
        if level.keeps_tree:
            result = self._think_further(limits, title)
        else:
            result = self.think(self._weak_search(level), limits, title)
        self.interrupted = result.interrupted
        move = choose_move(level, result, self.game, self._random)
        if move is None:
            move = self.game.legal_moves(self.state)[0]
        value = results.value_text(self.game, result, result.value)
        known = f", {value} for {name}" if level.keeps_tree and self.game.players == 2 else ""
        self.say(f"{name} plays {self.game.text(self.state, move)}  ({result.playouts:,} playouts{known})")
        self._tell_proof(result)
        self.play(move)
        return move

    def _weak_search(self, level: Level) -> Search:
        """A tree to be thrown away after the move. Alpha-beta counts no visits to draw a move by: the tree search stands in."""
        player = DEFAULT if self.player.alphabeta else self.player
        settings = player.settings_for(self.game)
        changes = {"memory": min(WEAK_TREE_MIB, settings["memory"]), "threads": 1}
        changes |= {} if level.proves else {"solver": "off"}
        weak = player.overridden({name: value for name, value in changes.items() if name in settings})
        return weak.new_search(self.game, self.state, self._random.getrandbits(63))

    def hints(self) -> Result:
        """The kept search's view of the position, after some more thinking."""
        result = self._think_further(self.limits, "hint")
        self._tell_proof(result)
        return result

    def _think_further(self, limits: Limits, title: str) -> Result:
        """Searches on at full strength, in the tree that goes along with the game."""
        search: Search = self._search or self.player.new_search(self.game, self.state, self.seed)
        self._search = search
        return self.think(search, limits, title)

    def _tell_proof(self, result: Result) -> None:
        text = results.bounds_text(self.game, result.lower, result.upper) if result.proven else ""
        if text and text != self._proof:
            self.say(f"Proven: {text}.")
            self._proof = text

    # -- what a person types -----------------------------------------------------------------------------------------
    def answer(self, line: str) -> bool:
        """Does what the line says: a move or a command. False = leave. A mistake is told and changes nothing."""
        words = line.split()
        if not words:
            return True
        name = {"q": "quit", "exit": "quit", "?": "help"}.get(words[0].lower(), words[0].lower())
        if name == "quit":
            return False
        text = line.strip()
        if name == "move" and len(words) > 1:
            name, text = "", text.split(None, 1)[1]
        command = getattr(self, f"_do_{name}", None) if name in COMMANDS and not self._is_move(text) else None
        try:
            if command is not None:
                command(words[1:])
            else:
                self._make_move(text)
        except UserError as error:
            self.say(str(error))
        return True

    def _is_move(self, text: str) -> bool:
        """A move may be called like a command; then it is the move."""
        legal = self.game.legal_moves(self.state)
        return any(self.game.text(self.state, move).lower() == text.lower() for move in legal)

    def _make_move(self, text: str) -> None:
        if self.is_over:
            raise UserError(f"the game is over: {self.end_text}; new starts another, undo takes back, quit leaves")
        try:
            move = self.game.parse(self.state, text)
        except UserError as error:
            raise UserError(f"{error} (help lists the commands)") from None
        except Exception as error:  # a user's own game may not be ready for what people type
            raise UserError(f"{text!r} is no move: {type(error).__name__}: {error} (help lists the commands)") from None
        self.play(move)
        self.show()

    def _do_help(self, _words: list[str]) -> None:
        self.say(HELP)

    def _do_hint(self, _words: list[str]) -> None:
        if self.is_over:
            raise UserError("the game is over: there is nothing to hint at")
        result = self.hints()
        for report in result.moves[:SHOWN_HINTS]:
            chance = results.value_text(self.game, result, report.value)
            word = results.outcome_word(self.game, report.lower, report.upper, result.to_move)
            if self.game.players == 1:
                sure = f"  proven: score {report.lower}" if report.lower == report.upper else ""
            else:
                sure = "" if word == "unknown" else f"  proven {word}"
            self.say(f"  {self.game.text(self.state, report.move):>6}  {chance:>6}  {report.visits:>9,} visits{sure}")

    def _do_suggest(self, words: list[str]) -> None:
        if [word.lower() for word in words] not in (["on"], ["off"]):
            raise UserError("suggest on or suggest off?")
        self.suggests = words[0].lower() == "on"
        self.say(f"suggestions are {words[0].lower()}")

    def _do_undo(self, _words: list[str]) -> None:
        """Takes moves back until a person's move is undone."""
        mine = [i for i in range(len(self.moves)) if self.people[int(rules.to_play(self.positions[i]))]]
        if not mine:
            raise UserError("there is no move of yours to take back")
        del self.positions[mine[-1] + 1 :], self.moves[mine[-1] :]
        self._search = None  # the tree went along with the game and has no way back
        self._proof = ""
        self.show()

    def _do_level(self, words: list[str]) -> None:
        if not words:
            self.say(f"level {self.level} of {FULL}")
            return
        if len(words) > 1 or words[0] not in map(str, LEVELS):
            raise UserError(f"{' '.join(words)!r} is not a level: 1 (beginner) to {FULL} (full strength)")
        self.level = int(words[0])
        self.say(f"level {self.level} of {FULL}")

    def _do_switch(self, words: list[str]) -> None:
        if words not in ([], ["sides"]):
            raise UserError("switch changes sides; it takes nothing more")
        if self.game.players == 1:
            raise UserError("this game has only one side")
        if self.people[0] == self.people[1]:
            raise UserError("you play both sides already")
        self.people = (self.people[1], self.people[0])
        self.say(f"you play {self.game.player_names[self.people.index(True)]} now")

    def _do_moves(self, _words: list[str]) -> None:
        legal = self.game.legal_moves(self.state)
        self.say(" ".join(self.game.text(self.state, move) for move in legal) or "the game is over: there are none")

    def _do_board(self, _words: list[str]) -> None:
        self.show()

    def _do_new(self, _words: list[str]) -> None:
        self._begin()
        self.show()
