"""The commands that a person types during a game. Needs no terminal: lines go in by `answer`, text comes out by `say`."""

from __future__ import annotations

import re

from tesuji.cli import results
from tesuji.cli.game_session import GameSession, handicap_points, with_komi
from tesuji.core import rules
from tesuji.core.errors import UserError, shortened
from tesuji.io.gtp.record import PLAY, TURN
from tesuji.knowledge.scoring import dead_stones, rule_text, status_for, without_stones
from tesuji.players.levels import FULL, LEVELS

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


class Session(GameSession):
    """A game with the words by which a person plays it: a move or one of the commands."""

    def answer(self, line: str) -> bool:
        """Does what the line says: a move or a command. False = leave. A mistake is reported and changes nothing."""
        words = line.split()
        if not words:
            return True
        name = SHORT.get(words[0].lower(), words[0].lower())
        if name == "quit":
            return False
        text = line.strip()
        if self.turn == "agree" and " ".join(words).lower() in (*YES, *NO):
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
        legal = self.game.legal_moves(self.state)
        return any(self.game.text(self.state, move).lower() == text.lower() for move in legal)

    def _make_move(self, text: str) -> None:
        if self.turn == "agree":
            raise UserError("type agree to end the game with the score shown, or play on")
        if self.is_over:
            raise UserError(f"the game is over: {self.end_text}; new starts another, undo takes back, quit leaves")
        try:
            move = self.game.parse(self.state, text)
        except UserError as error:
            raise UserError(f"{error} (help lists the commands)") from None
        except Exception as error:  # a user's own game may not be ready for what people type
            raise UserError(
                f"{shortened(text, quoted=True)} is no move: {type(error).__name__}: {error} (help lists the commands)"
            ) from None
        name, passes = self.game.player_names[self.mover], self.game.text(self.state, move).lower() == "pass"
        self.play(move)
        self._thought = None
        if passes:
            self.say(f"{name} passes")
        elif self._last_words:
            self.say(f"{name} plays {self.move_texts()[-1]}{self._last_words}")
        self.show()

    def _do_help(self, _words: list[str]) -> None:
        board = self.game.board
        lines = [HELP]
        lines += [KOMI_HELP] if "komi" in self.game.extra else []
        lines += [HANDICAP_HELP] if board is not None and board.handicap is not None else []
        lines += [PASSES_HELP] if status_for(self.game) is not None else []
        self.say("\n".join(lines))

    def _do_hint(self, _words: list[str]) -> None:
        self._demand_play("there is nothing to hint at")
        result = self.hints()
        for report in result.moves[:SHOWN_HINTS]:
            chance = results.value_text(self.game, result, report.value)
            word = results.outcome_word(self.game, report.lower, report.upper, result.to_move)
            if self.game.players == 1:
                sure = f"  proven: score {report.lower}" if report.lower == report.upper else ""
            else:
                sure = "" if word == "unknown" else f"  proven {word}"
            self.say(f"  {self.game.text(self.state, report.move):>6}  {chance:>6}  {report.visits:>9,} visits{sure}")

    def _do_why(self, _words: list[str]) -> None:
        """Of the computer's last move, if that was the last; else of the position."""
        if self._thought is None:
            self._demand_play("there is nothing to explain")
            state, result, move = self.state, self.hints(), None
        else:
            state, result, move = self._thought
        for line in results.why_lines(self.game, state, result, move):
            self.say(line)

    def _demand_play(self, what: str) -> None:
        if self.turn not in ("person", "computer"):
            raise UserError(f"the game is over: {what}")

    def _do_suggest(self, words: list[str]) -> None:
        if [word.lower() for word in words] not in (["on"], ["off"]):
            raise UserError("suggest on or suggest off?")
        self.suggests = words[0].lower() == "on"
        self.say(f"suggestions are {words[0].lower()}")

    def _do_undo(self, _words: list[str]) -> None:
        """Takes moves back until a person's move is undone. Who has resigned takes that back first."""
        entries = self.record.entries
        if self._resigned is None:
            mine = [i for i, entry in enumerate(entries) if entry.kind == PLAY and self.people[entry.mover]]
            if not mine:
                raise UserError("there is no move of yours to take back")
            end = mine[-1] - 1 if entries[mine[-1] - 1].kind == TURN else mine[-1]
            record = self.record.copy()
            record.entries = entries[:end]
            kept, result = self._kept
            self._take(record)
            self._kept = min(kept, end), result
        self._resigned = None
        self.show()

    def _do_level(self, words: list[str]) -> None:
        if not words:
            self.say(f"level {self.level} of {FULL}")
            return
        if len(words) > 1 or words[0] not in map(str, LEVELS):
            raise UserError(f"{shortened(' '.join(words), quoted=True)} is not a level: 1 (beginner) to {FULL} (full strength)")
        self.level = int(words[0])
        self.say(f"level {self.level} of {FULL}")

    def _do_switch(self, words: list[str]) -> None:
        if words not in ([], ["sides"]):
            raise UserError("switch changes sides; it takes nothing more")
        if self.game.players == 1:
            raise UserError("this game has only one side")
        if self.people[0] == self.people[1]:
            raise UserError("you play both sides already" if all(self.people) else "the computer plays both sides")
        self.people = (self.people[1], self.people[0])
        self.say(f"you play {self.game.player_names[self.people.index(True)]} now")

    def _do_moves(self, _words: list[str]) -> None:
        legal = self.game.legal_moves(self.state)
        self.say(" ".join(self.game.text(self.state, move) for move in legal) or "the game is over: there are none")

    def _do_board(self, _words: list[str]) -> None:
        self.show()

    def _do_new(self, _words: list[str]) -> None:
        self._own_files = set()
        self._take(self._new_record(self.game))
        self.show()

    # -- the end of a game -------------------------------------------------------------------------------------------
    def _do_agree(self, _words: list[str]) -> None:
        if self.turn != "agree":
            raise UserError("there is nothing to agree on: that comes after two passes")
        self._agreed = self._proposed
        self.say(f"The game is over: {self.end_text}.")

    def _do_play(self, words: list[str]) -> None:
        """Goes on after two passes, with the player who passed first."""
        if [word.lower() for word in words] != ["on"]:
            raise UserError("a move is typed as it is written, without play; play on goes on after two passes")
        if self._proposed is None or self._resigned is not None:
            raise UserError("play on works only after two passes, in Go")
        record = self.record.copy()
        record.entries.append(record.ready_for(self.mover))
        self._continue_with(record)

    def _do_score(self, _words: list[str]) -> None:
        if self.is_over:
            self.say(f"The game is over: {self.end_text}.")
            return
        status = status_for(self.game)
        dead = dead_stones(self.game, self.state, status)
        try:
            end = without_stones(self.game, self.state, dead)
        except UserError:
            raise UserError("this game has no score before its end; why says who is ahead") from None
        rule = rule_text(self.game, dead, status is not None)
        score = results.end_text(self.game, int(rules.outcome(end)))
        self.say(f"The score now: {score}" + (f"; {rule}." if rule else "."))

    def _do_resign(self, _words: list[str]) -> None:
        self._demand_play("there is nothing to resign")
        if self.game.players == 1:
            raise UserError("nobody is there to resign to")
        self._resigned = self.mover if self.people[self.mover] else 1 - self.mover
        self.say(f"The game is over: {self.end_text}.")

    # -- komi, handicap, files ---------------------------------------------------------------------------------------
    def _do_komi(self, words: list[str]) -> None:
        if not words:
            self.say(f"komi {self.game.extra['komi']:g}" if "komi" in self.game.extra else f"{self.game.name} has no komi")
            return
        self._continue_with(self.record.replayed_in(with_komi(self.game, " ".join(words))))

    def _do_handicap(self, words: list[str]) -> None:
        if len(words) != 1 or not re.fullmatch(r"\d{1,3}", words[0]):
            raise UserError("handicap N: how many stones? 0 for none")
        if self.record.plays:
            raise UserError("handicap stones come before the first move; new starts another game")
        handicap = int(words[0])
        if handicap:
            handicap_points(self.game, handicap)  # refuses what does not fit
        self._handicap, self._opening = handicap, []
        self._take(self._new_record(self.game))
        self.show()

    def _do_save(self, words: list[str]) -> None:
        if not words:
            raise UserError("save FILE: which file?")
        self.save(" ".join(words))

    def _do_save_over(self, words: list[str]) -> None:
        if not words:
            raise UserError("save! FILE: which file?")
        self.save(" ".join(words), replace=True)

    def _do_load(self, words: list[str]) -> None:
        if not words:
            raise UserError("load FILE: which file?")
        self.load(" ".join(words))
        self.show()
