"""Go: whole random games against the naive rules and against OpenSpiel, and the same games in every mode of running."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from checked_indices import indices_checked
from go_comparison import Recorder
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_go import NaiveGo

from tesuji.core import rules
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch

GAMES = {2: 40, 3: 40, 4: 30, 5: 20, 9: 8, 13: 3, 19: 2}  # of each size; go_comparison.py plays more
POSITIONAL = ":superko=positional"


@pytest.mark.parametrize("size", GAMES)
def test_agrees_with_the_naive_rules(size, needs_compiler) -> None:
    recorder = Recorder(find_game(f"go:{size}"))
    for seed in range(GAMES[size]):
        recorder.compare(seed)


@pytest.mark.parametrize("size", [2, 3, 4, 5, 9])
def test_agrees_with_the_naive_rules_under_superko(size, needs_compiler) -> None:
    recorder = Recorder(find_game(f"go:{size}{POSITIONAL}"))
    for seed in range(GAMES[size] // 2):
        recorder.compare(seed)


@settings(max_examples=25)
@given(st.integers(2, 5), st.booleans(), st.lists(st.integers(0, 10**6), max_size=60))
def test_any_line_of_play_agrees_with_the_naive_rules(size, superko, choices) -> None:
    """In pure Python, with lines that hypothesis can shorten. `result` is the naive rules' own judge of a single move."""
    game = find_game(f"go:{size}" + (POSITIONAL if superko else ""))
    state, naive = game.new_state(), NaiveGo(size, 7.5, superko)
    for choice in choices:
        legal = game.legal_moves(state)
        points = [p for p in naive.points() if naive.result(p) is not None]
        assert legal == [row * size + column for column, row in points] + [game.points]
        move = legal[choice % len(legal)]
        rules.play(state, move)
        naive.play(game.board.point(state, move))
        assert game.board.stones(state) == naive.stones
        assert int(rules.outcome(state)) == 2 * naive.score()
        if naive.over():
            assert rules.is_over(state)
            break
        assert not rules.is_over(state)


@pytest.mark.parametrize(("size", "games"), [(3, 30), (5, 12), (9, 5)])
def test_agrees_with_openspiel(size, games) -> None:
    """OpenSpiel forbids what simple ko forbids, and ends the game as a draw when a move (no pass) repeats a position.

    So its legal moves are those of simple ko, and the moves that end a game early are the ones that our positional superko
    forbids. It tells who wins only: the score is found from games at two values of komi.
    """
    pyspiel = pytest.importorskip("pyspiel")
    longest = 6 * size * size + 60
    simple, positional = find_game(f"go:{size}"), find_game(f"go:{size}{POSITIONAL}")
    repetitions = 0
    for seed in range(games):
        chance = random.Random(seed)
        theirs = pyspiel.load_game("go", {"board_size": size, "komi": 7.5, "max_game_length": longest}).new_initial_state()
        state, strict = simple.new_state(), positional.new_state()
        while not rules.is_over(state):
            assert not theirs.is_terminal()
            legal = simple.legal_moves(state)
            assert sorted(theirs.legal_actions()) == legal
            assert theirs.current_player() == rules.to_play(state)
            move = chance.choice(legal[:-1] or legal) if chance.random() < 0.97 else legal[-1]
            allowed = move in positional.legal_moves(strict)
            theirs.apply_action(move)
            assert theirs.is_terminal() >= (not allowed)
            if not allowed:
                assert theirs.returns() == [0.0, 0.0]
                repetitions += 1
                break
            rules.play(state, move)
            rules.play(strict, move)
        else:
            assert theirs.is_terminal()
            points = (int(rules.outcome(state)) + 15) / 2
            for komi, winner in ((points - 0.5, 1.0), (points + 0.5, -1.0)):
                options = {"board_size": size, "komi": komi, "max_game_length": longest}
                again = pyspiel.load_game("go", options).new_initial_state()
                for move in theirs.history():
                    again.apply_action(move)
                assert again.returns() == [winner, -winner]
    assert repetitions > 0 or size > 3


def test_two_by_two_is_won_by_one_point() -> None:
    """The known value of the smallest board under positional superko, proven by the search."""
    game = find_game("go:2:komi=0,superko=positional")
    result = TreeSearch(game, settings=SEARCH.settings({"memory": 16.0}), seed=1, pure=True).run(Limits(playouts=20_000))
    assert (result.lower, result.upper) == (2, 2)


# -- modes -----------------------------------------------------------------------------------------------------------------
def digest(pure: bool = False) -> str:
    """All that some games of both rules show, in one hash."""
    found = hashlib.sha256()
    for name in ("go:2", "go:5", "go:7", f"go:4{POSITIONAL}"):
        recorder = Recorder(find_game(name), pure)
        for seed in range(2):
            plies, end = recorder.play(seed, wild=seed == 0)
            for array in (recorder.made, recorder.legal, recorder.boards, recorder.ataris, recorder.facts):
                found.update(array[:plies].tobytes())
            found.update(end)
    return found.hexdigest()


def test_modes_agree_bit_for_bit(needs_compiler) -> None:
    """In a new process, compiled or from the cache, and in pure Python with every index checked."""
    code = "from test_go_games import digest; print(digest())"
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    with indices_checked():
        assert done.stdout.strip() == digest(pure=True)
