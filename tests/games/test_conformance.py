"""What every game must do, whatever its rules: one test each for all games of the registry at several sizes."""

from __future__ import annotations

import pytest

from tesuji.core import rules
from tesuji.core.game import copy_state
from tesuji.games.registry import ENTRIES, find_game

GAMES = [
    "tictactoe",
    "connect4:7x6",
    "connect4:1x1",
    "connect4:3x4",
    "connect4:5x5:3",
    "connect4:1x63",
    "connect4:32x1:2",
    "go:2",
    "go:5",
    "go:4:komi=0.5,superko=positional",
    "seki:3,4",
    "seki:0,0",
    "seki:0,3,1",
    "seki:2,2,0",
    "seki:20,20,8",
    "semeai:5,4",
    "semeai:1,1",
    "semeai:30,30",
    "semeai:3,3,0.75",
    "dotsandboxes:1x1",
    "dotsandboxes:2x2",
    "dotsandboxes:3x5",
    "dotsandboxes:7x7",
    "samegame:5x5:1",
    "samegame:1x4:3:2",
    "samegame:4x1:3:2",
    "samegame:15x15:7",
    "samegame:9x12:123456789:9",
    "hex:1",
    "hex:2x5",
    "hex:11",
    "hex:4:swap=on",
    "hex:3x4:1b1/3/2w/3:w",
    "loa",
    "loa:scrambled,simultaneous=mover",
    "loa:no_move=loss",
    "othello:4",
    "othello:10",
    "breakthrough:2x4",
    "breakthrough:10",
    "clobber:2x1",
    "clobber:10",
    "domineering:1x2",
    "domineering:10",
    "gomoku:9",
    "gomoku:19x1:19",
    "gomoku:1",
    "amazons:6",
    "amazons:5:steps=1",
    "nogo:9",
    "nogo:1x2",
    "ataxx:5",
    "havannah:3",
    "havannah:2",
    "y:6",
    "y:1",
]
SMALL = [
    "connect4:3x3",
    "connect4:4x2:3",
    "seki:1,2",
    "seki:2,1,1",
    "seki:2,2,0",
    "semeai:3,2",
    "semeai:2,2,0.5",
    "dotsandboxes:1x2",
    "dotsandboxes:2x1",
    "hex:3x2",
    "hex:2:swap=on",
    "samegame:3x3:1:2",
    "samegame:4x3:5:3",
    "samegame:2x6:9:2",
    "breakthrough:2x4",
    "clobber:3x2",
    "domineering:4x3",
    "domineering:2x4",
    "gomoku:3x2:3",
    "gomoku:2x3:2",
    "gomoku:3",
    "nogo:3x2",
    "nogo:4x1",
    "y:3",
    "havannah:2",
]
SEEDS = range(4)


def test_every_game_is_tested() -> None:
    assert {text.partition(":")[0] for text in GAMES} == {entry.name for entry in ENTRIES}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_registry_entries(entry) -> None:
    assert find_game(entry.example).name == entry.example
    assert find_game(entry.name).initial.dtype == find_game(entry.example).initial.dtype  # a name alone is a game too


@pytest.mark.parametrize("text", GAMES + SMALL)
def test_the_name_finds_the_same_game(text) -> None:
    game = find_game(text)
    assert game.name == text
    assert find_game(game.name).initial.tobytes() == game.initial.tobytes()
    assert game.new_state().tobytes() == game.initial.tobytes()


@pytest.mark.parametrize("text", GAMES)
def test_random_games(text, random_line) -> None:
    """Moves distinct and in range, listing them changes nothing, the game ends in time, the outcome lies in range."""
    game = find_game(text)
    lowest, highest = game.outcomes
    for seed in SEEDS:
        plies = 0
        narrowest = game.outcomes
        for state, legal, move in random_line(game, seed):
            before = state.tobytes()
            if move is None:
                assert lowest <= rules.outcome(state) <= highest
                assert narrowest[0] <= rules.outcome(state) <= narrowest[1]
                break
            assert legal
            assert len(legal) <= game.buffer_size
            assert len(set(legal)) == len(legal)
            assert all(0 <= m < game.move_count for m in legal)
            assert rules.to_play(state) in range(game.players)
            lower, upper = rules.bounds(state, lowest, highest)
            assert lowest <= lower <= upper <= highest
            if text.startswith(("dotsandboxes", "samegame")):  # their bounds hold for any play, so they only ever narrow
                assert narrowest[0] <= lower and upper <= narrowest[1]
                narrowest = (lower, upper)
            rules.position_hash(state)
            assert game.legal_moves(state) == legal
            assert state.tobytes() == before
            plies += 1
        assert plies <= game.max_plies


@pytest.mark.parametrize("text", GAMES)
def test_text_and_drawing(text, random_line) -> None:
    game = find_game(text)
    for number, (state, legal, _move) in enumerate(random_line(game, 5)):
        before = state.tobytes()
        if number % 7 == 0 or not legal:
            drawing = game.drawing(state)
            assert drawing.isprintable() or "\n" in drawing
            assert all(len(line) <= 140 and line == line.rstrip() for line in drawing.splitlines())
            texts = [game.text(state, m) for m in legal]
            assert len(set(texts)) == len(texts)
            assert [game.parse(state, t) for t in texts] == legal
            assert [game.parse(state, f" {t.upper()} ") for t in texts] == legal
        assert state.tobytes() == before


@pytest.mark.parametrize("text", GAMES)
def test_positions_are_replayed_from_texts(text, random_line) -> None:
    game = find_game(text)
    texts, end = [], game.initial
    for state, _legal, move in random_line(game, 6):
        end = copy_state(state)
        if move is not None:
            texts.append(game.text(state, move))
    assert game.state_after(texts).tobytes() == end.tobytes()


@pytest.mark.parametrize("text", SMALL)
def test_bounds_and_hash_against_brute_force(text, minimax) -> None:
    """At every position of the game: the bounds hold the true value, and equal hashes mean equal values."""
    game = find_game(text)
    lowest, highest = game.outcomes
    waiting = [game.new_state()]
    seen: set[bytes] = set()
    value_of_hash: dict[int, tuple[int, int, int]] = {}
    while waiting:
        state = waiting.pop()
        if rules.is_over(state) or state.tobytes() in seen:
            continue
        seen.add(state.tobytes())
        value = minimax(game, state)
        lower, upper = rules.bounds(state, lowest, highest)
        assert lower <= value <= upper
        legal = game.legal_moves(state)
        facts = (value, int(rules.to_play(state)), len(legal))
        hashed = int(rules.position_hash(state))
        assert hashed != 0
        assert value_of_hash.setdefault(hashed, facts) == facts
        for move in legal:
            child = copy_state(state)
            rules.play(child, move)
            waiting.append(child)
    assert len(seen) > 2


@pytest.mark.parametrize("text", ["tictactoe", "dotsandboxes:2x2", "samegame:5x5:1", "othello:4"])
def test_bounds_late_in_the_game(text, random_line, minimax) -> None:
    """As above for games too large to search from the start: the last positions of random games."""
    game = find_game(text)
    for seed in SEEDS:
        line = [copy_state(state) for state, _legal, _move in random_line(game, seed)]
        for state in line[-6:-1]:
            lower, upper = rules.bounds(state, *game.outcomes)
            assert lower <= minimax(game, state) <= upper


@pytest.mark.parametrize(
    "text",
    [
        "tictactoe",
        "connect4:7x6",
        "go:5",
        "seki:3,4",
        "semeai:5,4,0.25",
        "dotsandboxes:3x3",
        "samegame:7x6:1",
        "loa",
        "hex:7:swap=on",
    ],
)
def test_compiled_equals_pure(text, recorded_game, needs_compiler) -> None:
    game = find_game(text)
    for seed in range(3):
        assert recorded_game(game, seed, pure=False) == recorded_game(game, seed, pure=True)
