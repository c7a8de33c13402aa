"""A game in the terminal: what a person types, and what the computer answers. Needs no terminal: lines go in by `answer`, text
comes out by `say`. Whoever drives it asks `played.turn`: the computer's is made by `computer_move`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from tesuji.cli import results
from tesuji.cli.terminal_files import GameFiles, result_of
from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.numba import worker
from tesuji.core.picture.board import Point
from tesuji.core.words import counted
from tesuji.knowledge.scoring import dead_stones, status_for
from tesuji.play.explanation import best_text, value_text, why_lines
from tesuji.play.game import OF_COMPUTER, OF_PERSON, SCORING, GameInPlay, handicap_start, score_of, with_komi
from tesuji.play.opponent import FollowedSearch, Opponent, stand_in
from tesuji.play.side import PERSON, Side
from tesuji.play.tree import MoveTree
from tesuji.players.levels import FULL, LEVELS
from tesuji.players.player import Player
from tesuji.search.engine.tree_search import Result, TreeSearch

SIDES = {"first": (True, False), "second": (False, True), "both": (True, True), "none": (False, False)}  # what people play
DEFAULT_LIMITS = Limits(seconds=1.0)
SHOWN_HINTS = 5
HELP = """A move is written as on the board, or as `moves` lists it; besides moves there are:
  hint          suggested moves with their chances
  why           the line that the computer expects after its last move, and what it is worth
  suggest on    suggestions before each of your moves (suggest off ends them)
  undo          take back, to your own last move
  level N       1 beginner .. 10 full strength
  switch        change sides with the computer
  score         the score, where the game has one before its end
  resign        give the game up
  save FILE     write the game as SGF (save! FILE replaces a file that exists)
  load FILE     continue a game from an SGF file
  moves         the legal moves
  board         the board once more
  new           a new game
  quit          leave"""
KOMI_HELP = "  komi K        another komi, as in komi 6.5; komi alone shows it"
HANDICAP_HELP = "  handicap N    handicap stones for Black, before the first move"
PASSES_HELP = "  agree         after two passes: ends the game with the score shown; play on goes on with it"
COMMANDS = ("help", "hint", "why", "suggest", "undo", "level", "switch", "score", "resign", "save", "load", "moves", "board")
COMMANDS += ("new", "komi", "handicap", "agree", "play", "save!")
SHORT = {"q": "quit", "exit": "quit", "?": "help"}
YES, NO = ("y", "yes", "agree"), ("n", "no", "play on")


Think = Callable[[TreeSearch, Limits, str], Result]


def just_run(search: TreeSearch, limits: Limits, _title: str) -> Result:
    return search.run(limits)


class TerminalGame:
    """A game with the words by which a person plays it: a move or one of the commands."""

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
        handicap: int = 0,
    ):
        if game.players == 1 and side == "second":
            raise UserError(f"{game.name} is played by one: --side first, or --side none to see the computer play")
        player.settings_for(game)
        self.player = player
        self.limits = limits
        self.level = level
        self.people = SIDES[side]
        self.seed = seed
        self.say = say
        self.think = think
        self.suggests = False
        self.interrupted = False
        self._random = random.Random(seed)
        self._followed = FollowedSearch()
        self._opening = list(opening)
        self._handicap = handicap
        self._files = GameFiles()
        self._begin(game)

    # -- the game ----------------------------------------------------------------------------------------------------
    def _new_game(self, game: Game) -> GameInPlay:
        """The game as it begins: with the handicap stones and the moves of the opening, if there are any."""
        played = GameInPlay(MoveTree(handicap_start(game, self._handicap) if self._handicap else game.start), self._sides())
        played.play_all(self._opening)
        return played

    def _sides(self) -> tuple[Side, Side]:
        first, second = (PERSON if plays else Side(self.level) for plays in self.people)
        return first, second

    def _begin(self, game: Game) -> None:
        self._take(self._new_game(game))
        self._files.begin(self.played)

    def _take(self, played: GameInPlay) -> None:
        """Continues with this game. The search of another one is dropped."""
        self.played = played
        self._followed.drop()
        self._proof = ""
        self._settle()

    def _continue_with(self, played: GameInPlay, is_changed: bool = True) -> None:
        """Continues with a changed version of this game, which is not saved yet."""
        self._take(played)
        self._files.go_on(played, is_changed)
        self.show()

    def play(self, move: int, reasons: list[str] | None = None) -> None:
        self.played.play(move, reasons)
        self._files.moved()
        self._settle()

    def _settle(self) -> None:
        """After the last move: is there a score to agree on? Dead stones are estimated, so a person is asked even if none are
        found; without a person nobody objects."""
        played = self.played
        if played.turn == SCORING and played.proposed is None:
            played.proposed = frozenset(dead_stones(played.game, played.state, status_for(played.game)))
            if not any(self.people):
                played.agree()

    @property
    def outcome(self) -> float | None:
        """Of a game that was played to its end, for the first player, in points; None before that, and after a resignation."""
        ending = self.played.ending()
        return None if ending is None or ending.score is None else ending.score.points

    @property
    def end_text(self) -> str:
        ending = self.played.ending()
        return "not over yet" if ending is None else ending.text

    @property
    def result(self) -> str:
        """As game records have it: B+3.5, W+R; '' while the game goes on."""
        return result_of(self.played)

    @property
    def is_unsaved(self) -> bool:
        """Whether leaving would lose moves or the result."""
        return any(self.people) and self._files.is_unsaved(self.played)

    # -- what is shown -----------------------------------------------------------------------------------------------
    def prompt(self) -> str:
        if self.played.turn == SCORING:
            return "agree, or play on> "
        if self.played.is_over:
            return "game over (new, undo or quit)> "
        return f"{self.played.position.to_move} to move> "

    def show(self) -> None:
        played = self.played
        self.say("")
        self.say(str(played.position))
        captured = played.captures()
        if any(captured):
            first, second = played.game.player_names
            self.say(f"captured by {first}: {captured[0]}, by {second}: {captured[1]}")
        self.say("")
        if played.turn == SCORING:
            self._show_proposal()
        elif played.is_over:
            self.say(f"The game is over: {self.end_text}.")

    def _show_proposal(self) -> None:
        """The stones that are judged dead, by colour, and the score without them."""
        played = self.played
        dead, stones = played.proposed or frozenset(), played.stones()
        if not dead:
            self.say("No stones are judged dead.")
        for owner, name in enumerate(played.game.player_names):
            points = sorted(point for point in dead if stones.get(point) == owner)
            if points:
                self.say(f"dead {name} stones: {' '.join(self._point_text(point) for point in points)}")
        self.say(f"The score{' without them' if dead else ''}: {score_of(played.position, dead).text}.")
        self.say("Type agree to end the game so, or play on.")

    def _point_text(self, point: Point) -> str:
        """As the game writes a move there."""
        game = self.played.game
        board, start = game.board, game.initial
        moves = game.legal_moves(start)
        return next((game.text(start, move) for move in moves if board and board.point(start, move) == point), str(point))

    # -- the computer ------------------------------------------------------------------------------------------------
    @property
    def opponent(self) -> Opponent:
        return Opponent(self.player, self.limits, self.level, self._followed)

    def prepare_in_background(self) -> None:
        """Compiles what the computer's moves need while the person thinks, with a search that is not used for them."""
        player, position = self.player.changed({"memory": 1.0}), self.played.position
        worker.in_background(lambda: player.search(position).prepare())

    def computer_move(self) -> int:
        """Searches as the level says, plays, and reports its move and what it has proven."""
        played = self.played
        name = played.game.player_names[played.mover]
        thought = self.opponent.move(
            played.position,
            self._random,
            lambda: self.seed,
            lambda search, limits: self.think(search.engine, limits, f"{name} thinks"),
        )
        result = thought.result
        self.interrupted = result.interrupted
        self.play(thought.move, thought.lines())
        tells = LEVELS[self.level].keeps_tree and played.game.players == 2
        known = f", {best_text(played.game, result)} for {name}" if tells else ""
        self.say(f"{played.last_move_text()}  ({counted(result.playouts, 'playout')}{known})")
        self._tell_proof(result)
        return thought.move

    def hints(self) -> Result:
        """What the search at full strength thinks of the moves, after some more time. For alpha-beta,
        which compares no moves, the tree search stands in."""
        position, player = self.played.position, stand_in(self.player)
        kept = player is self.player
        search = self._followed.at(position, player, lambda: self.seed) if kept else player.search(position, self.seed)
        result = self.think(search.engine, self.limits, "hint")
        self._tell_proof(result)
        return result

    def _tell_proof(self, result: Result) -> None:
        text = results.bounds_text(self.played.game, result.lower, result.upper) if result.proven else ""
        if text and text != self._proof:
            self.say(f"Proven: {text}.")
            self._proof = text

    # -- what is typed -----------------------------------------------------------------------------------------------
    def answer(self, line: str) -> bool:
        """Does what the line says: a move or a command. False = leave. A mistake is reported and changes nothing."""
        words = line.split()
        if not words:
            return True
        name = SHORT.get(words[0].lower(), words[0].lower())
        if name == "quit":
            return False
        text = line.strip()
        if self.played.turn == SCORING and " ".join(words).lower() in (*YES, *NO):
            name = "agree" if " ".join(words).lower() in YES else "play"
            words = ["play", "on"] if name == "play" else words[:1]
        if name == "move" and len(words) > 1:
            name, text = "", text.split(None, 1)[1]
        method = "_do_save_over" if name == "save!" else f"_do_{name}"
        command = getattr(self, method, None) if name in COMMANDS and not self._is_move(text) else None
        try:
            if command is not None:
                command(words[1:])
            else:
                self._make_move(text)
        except UserError as error:
            self.say(str(error))
        except (ValueError, OverflowError) as error:
            self.say(f"{shortened(text, quoted=True)} cannot be done: {error}")
        return True

    def _is_move(self, text: str) -> bool:
        """A move may be called like a command; then it is the move."""
        return any(move.lower() == text.lower() for move in self.played.position.legal_moves)

    def _make_move(self, text: str) -> None:
        played = self.played
        if played.turn == SCORING:
            raise UserError("type agree to end the game with the score shown, or play on")
        if played.is_over:
            raise UserError(f"the game is over: {self.end_text}; new starts another, undo takes back, quit leaves")
        try:
            move = played.game.parse(played.state, text)
        except UserError as error:
            raise UserError(f"{error} (help lists the commands)") from None
        except Exception as error:  # a user's own game may not be ready for what people type
            raise UserError(
                f"{shortened(text, quoted=True)} is no move: {type(error).__name__}: {error} (help lists the commands)"
            ) from None
        plain = f"{played.subject(played.mover)} plays {played.game.text(played.state, move)}"
        self.play(move)
        if played.last_move_text() != plain:  # it passes, or takes stones
            self.say(played.last_move_text())
        self.show()

    def _do_help(self, _words: list[str]) -> None:
        game = self.played.game
        lines = [HELP]
        lines += [KOMI_HELP] if "komi" in game.extra else []
        lines += [HANDICAP_HELP] if game.board is not None and game.board.handicap is not None else []
        lines += [PASSES_HELP] if status_for(game) is not None else []
        self.say("\n".join(lines))

    def _do_hint(self, _words: list[str]) -> None:
        self._demand_play("there is nothing to hint at")
        result, game, state = self.hints(), self.played.game, self.played.state
        for report in result.moves[:SHOWN_HINTS]:
            chance = value_text(game, result, report.value)
            word = results.outcome_word(game, report.lower, report.upper, result.to_move)
            if game.players == 1:
                sure = f"  proven: score {report.lower}" if report.lower == report.upper else ""
            else:
                sure = "" if word == "unknown" else f"  proven {word}"
            self.say(f"  {game.text(state, report.move):>6}  {chance:>6}  {report.visits:>9,} visits{sure}")

    def _do_why(self, _words: list[str]) -> None:
        """Of the computer's last move, if that was the last; else of the position."""
        lines = self.played.why()
        if not lines:
            self._demand_play("there is nothing to explain")
            lines = why_lines(self.played.game, self.played.state, self.hints())
        for line in lines:
            self.say(line)

    def _demand_play(self, what: str) -> None:
        if self.played.turn not in (OF_PERSON, OF_COMPUTER):
            raise UserError(f"the game is over: {what}")

    def _do_suggest(self, words: list[str]) -> None:
        if [word.lower() for word in words] not in (["on"], ["off"]):
            raise UserError("suggest on or suggest off?")
        self.suggests = words[0].lower() == "on"
        self.say(f"suggestions are {words[0].lower()}")

    def _do_undo(self, _words: list[str]) -> None:
        """Takes moves back until a person's move is undone. Who has resigned takes that back first."""
        if self.played.take_back_loss():
            self.show()
            return
        before = self.played.before_last_move()
        if before is None:
            raise UserError("there is no move of yours to take back")
        self.played.take_back(before)
        self._continue_with(self.played, is_changed=False)

    def _do_level(self, words: list[str]) -> None:
        if not words:
            self.say(f"level {self.level} of {FULL}")
            return
        if len(words) > 1 or words[0] not in map(str, LEVELS):
            raise UserError(f"{shortened(' '.join(words), quoted=True)} is not a level: 1 (beginner) to {FULL} (full strength)")
        self.level = int(words[0])
        self.played.sides = self._sides()
        self.say(f"level {self.level} of {FULL}")

    def _do_switch(self, words: list[str]) -> None:
        if words not in ([], ["sides"]):
            raise UserError("switch changes sides; it takes nothing more")
        if self.played.game.players == 1:
            raise UserError("this game has only one side")
        if self.people[0] == self.people[1]:
            raise UserError("you play both sides already" if all(self.people) else "the computer plays both sides")
        self.people = (self.people[1], self.people[0])
        self.played.sides = self._sides()
        self.say(f"you play {self.played.game.player_names[self.people.index(True)]} now")

    def _do_moves(self, _words: list[str]) -> None:
        self.say(" ".join(self.played.position.legal_moves) or "the game is over: there are none")

    def _do_board(self, _words: list[str]) -> None:
        self.show()

    def _do_new(self, _words: list[str]) -> None:
        self._begin(self.played.game)
        self.show()

    # -- the end of a game -------------------------------------------------------------------------------------------
    def _do_agree(self, _words: list[str]) -> None:
        if self.played.turn != SCORING:
            raise UserError("there is nothing to agree on: that comes after two passes")
        self.played.agree()
        self.say(f"The game is over: {self.end_text}.")

    def _do_play(self, words: list[str]) -> None:
        """Goes on after two passes, with the player who passed first."""
        if [word.lower() for word in words] != ["on"]:
            raise UserError("a move is typed as it is written, without play; play on goes on after two passes")
        self.played.play_on()
        self._continue_with(self.played)

    def _do_score(self, _words: list[str]) -> None:
        played = self.played
        if played.is_over:
            self.say(f"The game is over: {self.end_text}.")
            return
        dead = dead_stones(played.game, played.state, status_for(played.game))
        try:
            score = score_of(played.position, dead)
        except UserError:
            raise UserError("this game has no score before its end; why says who is ahead") from None
        rule = score.rule()
        self.say(f"The score now: {score.text}" + (f"; {rule}." if rule else "."))

    def _do_resign(self, _words: list[str]) -> None:
        self._demand_play("there is nothing to resign")
        self.played.resign()
        self.say(f"The game is over: {self.end_text}.")

    # -- komi, handicap, files ---------------------------------------------------------------------------------------
    def _do_komi(self, words: list[str]) -> None:
        if not words:
            game = self.played.game
            self.say(f"komi {game.extra['komi']:g}" if "komi" in game.extra else f"{game.name} has no komi")
            return
        tree = self.played.tree
        changed = self.played.replayed_in(with_komi(self.played.game, " ".join(words)))
        if len(changed.tree.nodes) < len(tree.nodes) or any(node.comment or node.properties for node in tree.nodes.values()):
            self._files.leave()  # variations and comments are not in the other game
        self._continue_with(changed)

    def _do_handicap(self, words: list[str]) -> None:
        if len(words) != 1 or not re.fullmatch(r"\d{1,3}", words[0]):
            raise UserError("handicap N: how many stones? 0 for none")
        if self.played.moves():
            raise UserError("handicap stones come before the first move; new starts another game")
        handicap = int(words[0])
        if handicap:
            handicap_start(self.played.game, handicap)  # refuses what does not fit
        self._handicap, self._opening = handicap, []
        self._begin(self.played.game)
        self.show()

    def _do_save(self, words: list[str], replace: bool = False) -> None:
        if not words:
            raise UserError(f"save{'!' if replace else ''} FILE: which file?")
        path = " ".join(words)
        self._files.save(path, self.played, self.player.name, replace)
        self.say(f"saved: {path}")

    def _do_save_over(self, words: list[str]) -> None:
        self._do_save(words, replace=True)

    def _do_load(self, words: list[str]) -> None:
        if not words:
            raise UserError("load FILE: which file?")
        self.load(" ".join(words))
        self.show()

    def load(self, path: str) -> None:
        """Goes on with the first game of an SGF file, from the end of its main line."""
        tree, info, is_whole = self._files.read(path, self.played.game)
        self.player.settings_for(tree.game)
        self._handicap, self._opening = 0, []
        self._take(GameInPlay(tree, self._sides()))
        self._files.loaded(path, self.played, info, is_whole)
