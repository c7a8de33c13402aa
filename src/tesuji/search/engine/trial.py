"""The trial of users' selection rules and policies, before a search relies on them.

Compiled code trusts what it calls. So the classes of users are checked when a search is made, and run in pure Python before
its first simulation: in a few playouts every move must be legal, and so must the ratings and studies of the positions on the
way. The compiled search goes on watching their playouts (`watch`). A fault is reported in one line, with the class, the
position and the line of the file.
"""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import Operation, implements
from tesuji.core.errors import GameError, UserError, shortened
from tesuji.core.game import Game, State, copy_state
from tesuji.core.numba.sources import described, is_of_package, shown_path
from tesuji.core.parameters import Parameter
from tesuji.core.random import make_rng
from tesuji.core.user_files import error_text, raised_at
from tesuji.core.watchdog import TimeUp, Watchdog
from tesuji.search.kernel.playouts import WATCHED, is_allowed
from tesuji.search.policy import (
    PRIOR,
    RATING,
    begin_playout,
    evaluate,
    notes_type,
    played,
    playout_ended,
    playout_move,
    plays_whole_games,
    rate_moves,
    study,
    study_at,
)
from tesuji.search.selection.interface import NOTHING, Child, Parent, begin_statistics, spec_of, worth
from tesuji.search.selection.loop import choose_child, inverses, root_of_log

TRIAL_PLAYOUTS = 20
TRIAL_SECONDS = 0.5  # for the whole trial, whether or not all playouts are done
ANSWER_SECONDS = 5.0  # for one call of one operation
FIELDS = "numbers, booleans, NumPy arrays of these, or NamedTuples of any of these"

# In which playouts of a user's policy every move is checked for legality; listing the legal moves takes time.
ALL_OF_FIRST, ONE_IN = 256, 128

_passed: set[tuple[Any, ...]] = (
    set()
)  # the keys of rules and policies whose trial has passed: class and numbers, for policies also the game
_one_at_a_time = threading.Lock()


# -- classes -------------------------------------------------------------------------------------------------------------
def check_rule(kind: Any) -> None:
    """A UserError unless this is the class of a selection rule."""
    _check_class(kind, "selection rule")
    if not (worth.is_implemented(kind) or choose_child.is_implemented(kind)):
        raise _missing(kind, "selection rule", worth)
    for name in ("PARAMETERS", "USES", "NEEDS", "EXTRA"):
        if hasattr(kind, name):
            raise UserError(f"{described(kind)} has {name}: a rule declares such things by @selection_rule(...) above it")
    if spec_of(kind).statistics.record != NOTHING and not begin_statistics.is_implemented(kind):
        raise UserError(f"nothing implements begin_statistics for {described(kind)}: a new node's record must be begun")


def check_policy(kind: Any) -> None:
    """A UserError unless this is the class of a policy."""
    _check_class(kind, "policy")
    if not _are_parameters(getattr(kind, "PARAMETERS", ())):
        raise UserError(f"PARAMETERS of {described(kind)} must be a tuple of tesuji.Parameter, as in (Parameter(...),)")
    if not playout_move.is_implemented(kind):
        raise _missing(kind, "policy", playout_move)
    notes_type(kind, 1)
    if plays_whole_games.is_implemented(kind) and not is_of_package(kind):
        raise UserError(f"{described(kind)} implements plays_whole_games: that is for policies of this package only")
    if rate_moves.is_implemented(kind) and not hasattr(kind, "GIVES"):
        raise UserError(
            f"{described(kind)} rates moves: GIVES must name what ratings hold, as in (PRIOR,), or () if it only prunes"
        )
    if study.is_implemented(kind) != study_at.is_implemented(kind):
        raise UserError(f"{described(kind)} must implement both study and study_at, the number of visits at which it studies")


def _check_class(kind: Any, what: str) -> None:
    if not (isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")):
        raise UserError(f"a {what} is a class of typing.NamedTuple, not {shortened(repr(kind))}")


def _are_parameters(declared: Any) -> bool:
    return isinstance(declared, tuple | list) and all(isinstance(one, Parameter) for one in declared)


def _missing(kind: type, what: str, operation: Operation) -> UserError:
    name = operation.__name__
    return UserError(
        f"{described(kind)} is no {what}: nothing implements {name} for it; "
        f"write @implements({name}, {kind.__name__}) above a function"
    )


def check_fields(part: Any) -> None:
    """A UserError if a field of a rule or policy has a type that compiled code cannot use."""
    for name, value in zip(part._fields, part, strict=True):
        if not _is_compilable(value):
            kind = type(value).__name__
            raise UserError(f"{described(type(part))}: its field {name} is of type {kind}; fields are {FIELDS}")


def _is_compilable(value: Any) -> bool:
    if isinstance(value, np.ndarray | np.generic):
        return not value.dtype.hasobject and value.dtype.kind in "biufV"
    if isinstance(value, tuple):
        return all(_is_compilable(part) for part in value)
    return isinstance(value, bool | int | float)


# -- in compiled code --------------------------------------------------------------------------------------------------------
def watch(kind: type) -> None:
    """Has the playouts of a user's policy checked from now on."""
    if not is_allowed.is_implemented(kind):
        implements(is_allowed, kind)(is_listed)


def is_listed(policy, state, move, scratch, first):
    """Whether the move is in range, and in some of the playouts whether it is among the legal ones."""
    checks = scratch.checks
    if first:
        checks[WATCHED] += 1
    if move < 0 or move >= scratch.move_stamps.shape[1] - 1:
        return False
    if checks[WATCHED] > ALL_OF_FIRST and checks[WATCHED] % ONE_IN != 0:
        return True
    buffer = scratch.buffer
    for i in range(rules.moves(state, buffer)):
        if buffer[i] == move:
            return True
    return False


def illegal_text(game: Game, policy: Any, state: State, moves: list[int]) -> str:
    """The message for the first illegal one of these moves, which a simulation from `state` made; '' if there is none."""
    state = copy_state(state)
    texts = []
    for move in moves:
        if move not in game.legal_moves(state):
            place = place_of(playout_move.find(type(policy)))
            return f"the policy {type(policy).__name__} makes the illegal move {move} in {after(game, texts)} ({place})"
        texts.append(game.text(state, move))
        rules.play(state, move)
    return ""


# -- the trial -----------------------------------------------------------------------------------------------------------------
def try_out(game: Game, state: State, policy: Any, rule: Any) -> None:
    """Runs the trial of a user's rule once for each choice of its parameters, that of a policy also once for each game."""
    rule_key, policy_key = (type(rule), *_numbers(rule)), (type(policy), game.name, *_numbers(policy))
    is_main = threading.current_thread() is threading.main_thread()  # stdout is everyone's: no other thread redirects it
    quietly = contextlib.redirect_stdout(sys.stderr) if is_main else contextlib.nullcontext()
    with _one_at_a_time, quietly, np.errstate(all="ignore"), Watchdog() as watchdog:
        if not is_of_package(type(rule)) and rule_key not in _passed:
            _RuleTrial(rule, watchdog).run()
        pair = (*rule_key, type(policy))
        if not is_of_package(type(rule)) and PRIOR not in getattr(policy, "GIVES", ()) and pair not in _passed:
            _RuleTrial(rule, watchdog).demand_exploration(type(policy))
            _passed.add(pair)
        if not is_of_package(type(policy)) and policy_key not in _passed:
            _PolicyTrial(game, policy, watchdog).run(state)
        _passed.update((rule_key, policy_key))


def _numbers(part: Any) -> Iterator[Any]:
    """The plain numbers among the fields of a rule or policy, without arrays, which may be large."""
    for value in part:
        if isinstance(value, tuple):
            yield from _numbers(value)
        elif isinstance(value, bool | int | float | np.number | np.bool_):
            yield value


class _Trial(ABC):
    """Calls the operations of one rule or policy. Where one raises an error or does not end, the rule or policy is at fault."""

    def __init__(self, part: Any, watchdog: Watchdog):
        self.part = part
        self.watchdog = watchdog

    @abstractmethod
    def subject(self) -> str:
        """What is at fault, for a message."""

    def ask(self, operation: Operation, *arguments: Any) -> Any:
        function = operation.find(type(self.part))
        name, source = operation.__name__, function.__code__.co_filename
        try:
            return self.watchdog.call(ANSWER_SECONDS, function, self.part, *arguments)
        except KeyboardInterrupt:
            raise
        except TimeUp as error:
            self.fail(f"{name} does not end (stopped after {ANSWER_SECONDS:g} seconds)", raised_at(error, source))
        except BaseException as error:  # whatever the user's code raises, SystemExit too
            self.fail(f"{name} raises {error_text(error)}", raised_at(error, source))

    def fault(self, operation: Operation, what: str) -> NoReturn:
        self.fail(f"{operation.__name__} {what}", place_of(operation.find(type(self.part))))

    def fail(self, what: str, place: str) -> NoReturn:
        raise GameError(f"{self.subject()}: {what} ({place})")


class _RuleTrial(_Trial):
    def subject(self) -> str:
        return f"the selection rule {type(self.part).__name__}"

    def run(self) -> None:
        if not worth.is_implemented(type(self.part)):
            return
        for depth, visits in ((0, 1), (0, 2), (1, 10), (3, 10_000)):
            parent = Parent(np.float64(visits), np.float64(root_of_log(visits)), 10, depth, depth % 2 == 0)
            for games in (0, 1, visits // 2):
                statistics = np.float64(games), np.float64(0.5 if games else 0.0)
                bounds = np.float64(0.0), np.float64(1.0)
                child = Child(*statistics, np.float64(0.1), *statistics, *bounds, inverses(games)[1], played=statistics[0])
                value = self.ask(worth, child, parent)
                if not _is_number(value):
                    self.fault(
                        worth, f"gives {shortened(str(value), quoted=isinstance(value, str))} for a child of {_shown(child)}"
                    )

    def demand_exploration(self, policy: type) -> None:
        """A UserError if the rule explores by priors alone, of which the policy has none: all visits would go to one move."""
        if worth.is_implemented(type(self.part)) and self._explores(0.5) and not self._explores(0.0):
            raise UserError(
                f"{self.subject()} explores by priors alone, and the policy {policy.__name__} gives none: choose a policy with "
                "priors (a rule that declares needs=(PRIOR,) is refused with any other)"
            )

    def _explores(self, prior: float) -> bool:
        """Whether a move that has a mean and visits is worth another number once its siblings have more visits."""
        bounds, mean = (np.float64(0.0), np.float64(1.0)), np.float64(0.5)
        games = np.float64(10)
        child = Child(games, mean, np.float64(prior), games, mean, *bounds, inverses(10)[1], played=games)
        values = [
            self.ask(worth, child, Parent(np.float64(visits), np.float64(root_of_log(visits)), 10, 1, False))
            for visits in (100, 10_000)
        ]
        return bool(values[0] != values[1])


class _PolicyTrial(_Trial):
    def __init__(self, game: Game, policy: Any, watchdog: Watchdog):
        super().__init__(policy, watchdog)
        self.game = game
        self.texts: list[str] = []

    def subject(self) -> str:
        return f"the policy {type(self.part).__name__}, in {after(self.game, self.texts)}"

    def run(self, start: State) -> None:
        kind = type(self.part)
        notes = np.zeros(1, notes_type(kind, self.game.buffer_size))[0]
        rng = np.array(make_rng(1, 0), np.uint64)
        began = time.monotonic()
        for _ in range(TRIAL_PLAYOUTS):
            state = copy_state(start)
            self.texts.clear()
            self.unchanged(begin_playout, state, notes, state)
            while not rules.is_over(state) and len(self.texts) < self.game.max_plies:
                if time.monotonic() - began > TRIAL_SECONDS:
                    return
                legal = self.game.legal_moves(state)
                for operation, check in ((rate_moves, self.check_ratings), (study, self.check_study)):
                    if operation.is_implemented(kind):
                        check(copy_state(state), legal)
                if evaluate.is_implemented(kind):
                    value = self.unchanged(evaluate, state, state)
                    if not _is_number(value):
                        self.fault(evaluate, f"gives {shortened(repr(value))}, not a number")
                move = self.unchanged(playout_move, state, notes, state, rng)
                if not isinstance(move, int | np.integer) or int(move) not in legal:
                    self.fault(playout_move, f"makes the illegal move {shortened(str(move))}")
                self.texts.append(self.game.text(state, int(move)))
                rules.play(state, int(move))
                self.unchanged(played, state, notes, state, int(move))
            if rules.is_over(state):
                self.unchanged(playout_ended, state, notes, state)

    def unchanged(self, operation: Operation, state: State, *arguments: Any) -> Any:
        before = self.meaning(state)
        answer = self.ask(operation, *arguments)
        if self.meaning(state) != before:
            self.fault(operation, "changes the position")
        return answer

    def meaning(self, state: State) -> tuple[int, list[int]]:
        """What no operation may change. Not the bytes: a game may keep its lists in any order."""
        return int(rules.to_play(state)), sorted(self.game.legal_moves(state))

    def check_ratings(self, state: State, legal: list[int]) -> None:
        moves = np.array(legal, np.int32)
        ratings = np.zeros(len(legal), RATING)
        ratings["value"], ratings["own_value"], ratings["rave"], ratings["kept"] = 0.5, 0.5, True, True
        self.unchanged(rate_moves, state, state, moves, len(legal), ratings)
        if moves.tolist() != legal:
            self.fault(rate_moves, "changes the list of moves")
        for rating, move in zip(ratings, legal, strict=True):
            for name in ("prior", "value", "games", "own_value", "own_games"):
                value = float(rating[name])
                low, high = 0.0, 1.0 if name.endswith("value") else math.inf
                if not (low <= value <= high and math.isfinite(value)):
                    wanted = "a number from 0 to 1" if high == 1.0 else "a number, 0 or more"
                    self.fault(rate_moves, f"gives {self.game.text(state, move)} the {name} {value:g}; it must be {wanted}")
        if not ratings["kept"].any():
            self.fault(rate_moves, "prunes every move")

    def check_study(self, state: State, legal: list[int]) -> None:
        moves = np.array(legal, np.int32)
        kept = np.ones(len(legal), np.int32)
        before = self.meaning(state)
        answer = self.ask(study, state, moves, len(legal), kept)
        if not (isinstance(answer, tuple) and len(answer) == 3 and all(_is_number(part) for part in answer)):
            self.fault(study, f"gives {shortened(repr(answer))}; it must give (lower, upper, replaced)")
        replaced = answer[2]
        lower, upper = max(answer[0], self.game.outcomes[0]), min(answer[1], self.game.outcomes[1])
        if lower > upper:
            self.fault(study, f"narrows the bounds to a contradiction: lower {lower} above upper {upper}")
        if not replaced and self.meaning(state) != before:
            self.fault(study, "changes the position, but does not say that it is replaced")
        still = self.game.legal_moves(state)
        if lower < upper:
            if not kept.any():
                self.fault(study, "leaves no move, though its bounds decide nothing")
            if int(rules.to_play(state)) != before[0]:
                self.fault(study, "replaces the position by one in which the other player is to move")
            lost = [move for move, stays in zip(legal, kept, strict=True) if stays and move not in still]
            if lost:
                self.fault(study, f"keeps the move {lost[0]}, which is not legal in the position that it leaves")


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float | np.bool_ | np.number) and not math.isnan(float(value))


def _shown(child: Child) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in zip(child._fields, child, strict=True))


def after(game: Game, texts: list[str]) -> str:
    """A position for a message: the game, and the moves that lead there from where the search began."""
    shown = texts if len(texts) <= 40 else [*texts[:20], "...", *texts[-19:]]
    return f"{game.name} after {' '.join(shown)}" if texts else game.name


def place_of(function: Callable[..., Any]) -> str:
    """file:line of a function."""
    code = function.__code__
    return f"{shown_path(code.co_filename)}:{code.co_firstlineno}"
