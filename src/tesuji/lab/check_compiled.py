"""The second half of `tesuji check`: do the compiled rules, and a compiled search, say the same as pure Python?"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import GameError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.numba.errors import explain
from tesuji.core.user_files import error_text, raised_at
from tesuji.games.referee import Fault, RulesPosition, place_of
from tesuji.games.trace import Trace, compile_trace, empty_planes, empty_trace, run_planes, run_trace
from tesuji.lab.check_planes import MOST_POSITIONS, compare_planes
from tesuji.lab.check_positions import Observation

PATIENCE = 20.0  # seconds for the compiled rules along one game, which take microseconds
SEARCH_PLAYOUTS = 100
NARROW = "a narrow integer that overflows is the usual reason: use np.int32 or np.int64 fields"


def compare_rules(game: Game, lines: list[list[Observation]], seconds: float) -> Iterator[list[Observation]]:
    """Yields each line of play along which the compiled rules agree; raises a Fault at the first difference."""
    try:
        compile_trace(game)
    except Exception as error:
        raise _compile_fault(error) from None
    until = time.monotonic() + seconds
    for line in lines:
        trace = empty_trace(game, len(line))
        end = line[-1].position
        played = np.array(end.played, np.int32)
        _patiently(game, end, functools.partial(run_trace, game, trace, played, len(line)))
        for number, observation in enumerate(line):
            _compare(game, trace, number, observation)
        if game.encoding is not None:
            seen = min(sum(not observation.over for observation in line), MOST_POSITIONS)
            planes, places = empty_planes(game, game.encoding, seen)
            _patiently(game, end, functools.partial(run_planes, trace, planes, places))
            compare_planes(game, line, planes, places)
        yield line
        if time.monotonic() > until:
            break


def _patiently(game: Game, position: RulesPosition, action: Callable[[], None]) -> None:
    """Runs compiled code in a thread, since no signal can stop it: if it loops, the thread is left behind."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            action()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    if thread.is_alive():
        raise Fault("loops", f"the compiled rules do not end, though in pure Python they do; {NARROW}", position)
    if errors:
        what = f"the compiled rules raise {error_text(errors[0])}, though in pure Python they do not"
        raise Fault("unequal", what, position, raised_at(errors[0], game.source))


def _compare(game: Game, trace: Trace, number: int, observation: Observation) -> None:
    state = observation.position.state
    for name in state.dtype.names:
        ours, theirs = state[name], trace.states[number][name]
        if ours.tobytes() != theirs.tobytes():
            _differ(
                game, rules.play, observation.position, f"leaves {name} = {_short(theirs)}", f"leaves {name} = {_short(ours)}"
            )
    _same(game, rules.is_over, observation.position, bool(trace.over[number]), observation.over)
    _same(game, rules.position_hash, observation.position, int(trace.hashes[number]), observation.hash)
    if observation.over:
        _same(game, rules.outcome, observation.position, int(trace.outcomes[number]), observation.outcome)
        return
    _same(game, rules.to_play, observation.position, int(trace.player[number]), observation.player)
    count = int(trace.counts[number])
    _same(game, rules.moves, observation.position, [int(m) for m in trace.moves[number][: max(count, 0)]], observation.legal)
    bounds = int(trace.lower[number]), int(trace.upper[number])
    _same(game, rules.bounds, observation.position, bounds, (observation.lower, observation.upper))
    _same(game, rules.evaluate, observation.position, float(trace.evaluations[number]), observation.evaluation)


def _same(game: Game, operation: Any, position: RulesPosition, theirs: Any, ours: Any) -> None:
    if theirs != ours:
        _differ(game, operation, position, f"gives {_short(theirs)}", f"gives {_short(ours)}")


def _differ(game: Game, operation: Any, position: RulesPosition, theirs: str, ours: str) -> None:
    what = f"{operation.__name__} {theirs} compiled and {ours} in pure Python; {NARROW}"
    raise Fault("unequal", what, position, place_of(game, operation))


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


# -- a search ----------------------------------------------------------------------------------------------------------
def compare_searches(game: Game, seed: int, seconds: float) -> None:
    """The same small search compiled and in pure Python must give the same tree, bit for bit."""
    from tesuji.search.engine.tree_search import TreeSearch

    try:
        pure = TreeSearch(game, seed=seed, pure=True)
        done = pure.run(Limits(seconds=max(seconds, 0.1), playouts=SEARCH_PLAYOUTS)).playouts
        fast = TreeSearch(game, seed=seed, pure=False)
        fast.run(Limits(playouts=done))
    except Exception as error:
        raise _compile_fault(error) from None
    if pure.tree_hash() != fast.tree_hash():
        raise Fault("unequal", f"a search of {done} playouts gives another tree compiled than in pure Python; {NARROW}")


def _compile_fault(error: BaseException) -> Fault:
    """Numba's many lines as one."""
    if isinstance(error, Fault):
        return error
    if isinstance(error, GameError) and error.__cause__ is not None:
        error = error.__cause__
    reason, place = explain(error)
    return Fault("compile", f"the rules do not compile: {reason}", None, place)
