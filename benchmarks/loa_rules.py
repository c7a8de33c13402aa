"""The rules of Lines of Action against three others: a naive implementation, OpenSpiel, and recorded games.

    .venv/bin/python benchmarks/loa_rules.py [--games N] [--seed S] [--records FILE]

Plays N random games and compares every position's moves, end and outcome with the naive implementation of the tests, and with
OpenSpiel's lines_of_action, if it is installed, up to the first repetition (which ends its games). With --records, a TSV of
games (columns file, game, winner, end, moves among others; .gz is read too) is replayed to the recorded end.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import random
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.numba.registration import compiled
from tesuji.games.registry import find_game

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "games"))
from naive_loa import NaiveLoa

NAIVE_VARIANTS = tuple((a, b) for a in ("draw", "mover") for b in ("pass", "loss"))


def list_moves(state, out):
    return rules.moves(state, out)


def make_move(state, move):
    rules.play(state, move)


def against_naive(games: int, seed: int) -> Counter[str]:
    """How the games ended; an AssertionError if anything differs."""
    moves, play = compiled(list_moves), compiled(make_move)
    out = np.zeros(96, np.int32)
    ends: Counter[str] = Counter()
    for number in range(games):
        simultaneous, no_move = NAIVE_VARIANTS[number % 4]
        start = "scrambled," if number % 8 >= 4 else ""
        game = find_game(f"loa:{start}simultaneous={simultaneous},no_move={no_move}")
        naive = NaiveLoa(game.board.stones(game.initial), 0, simultaneous == "mover", no_move == "loss")  # type: ignore[union-attr]
        chooser = random.Random(f"{seed}:{number}")
        state = game.new_state()
        while naive.result is None:
            assert not rules.is_over(state)
            assert rules.to_play(state) == naive.player
            texts = {game.text(state, int(m)): int(m) for m in out[: moves(state, out)]}
            assert sorted(texts) == naive.moves()
            chosen = chooser.choice(sorted(texts))
            play(state, texts[chosen])
            naive.play(chosen)
            ends["plies"] += 1
        assert rules.is_over(state)
        assert rules.outcome(state) == naive.result
        ends[naive.reason] += 1
    return ends


def against_openspiel(games: int, seed: int) -> Counter[str]:
    import pyspiel

    moves, play = compiled(list_moves), compiled(make_move)
    out = np.zeros(96, np.int32)
    game = find_game("loa:simultaneous=mover,no_move=loss")
    their_game = pyspiel.load_game("lines_of_action")
    ends: Counter[str] = Counter()
    for number in range(games):
        chooser = random.Random(f"{seed}:{number}")
        ours, theirs = game.new_state(), their_game.new_initial_state()
        seen: set[bytes] = set()  # boards: it does not look at who is to move
        while not theirs.is_terminal():
            seen.add(bytes(ours["stones"]))
            assert not rules.is_over(ours)
            player = theirs.current_player()
            assert rules.to_play(ours) == player
            texts = {theirs.action_to_string(player, a): a for a in theirs.legal_actions()}
            mine = {game.text(ours, int(m)): int(m) for m in out[: moves(ours, out)]}
            assert sorted(texts) == sorted(mine)
            chosen = chooser.choice(sorted(texts))
            play(ours, mine[chosen])
            theirs.apply_action(texts[chosen])
            ends["plies"] += 1
        if bytes(ours["stones"]) in seen:
            ends["first repetition"] += 1
        else:
            assert rules.is_over(ours) and rules.outcome(ours) == theirs.returns()[0]
            ends["same outcome"] += 1
    return ends


def replay(game: Game, texts: list[str], winner: str, end: str) -> str:
    """'' if the moves are legal and the game ends as recorded, else what is wrong."""
    try:
        state = game.state_after(texts)
    except UserError as error:
        return str(error)[:100]
    if end.startswith("illegal"):
        return f"the record breaks off at an illegal move ({end})"
    if end in ("connect", "both"):
        if not rules.is_over(state):
            return "recorded as connected, but the game is not over"
        expected = {"B": 1, "W": -1}.get(winner, 0) if end == "connect" else 0
        if rules.outcome(state) != expected:
            return f"recorded as {end}, won by {winner}, but the outcome is {rules.outcome(state)}"
    return ""


def records(path: str) -> Counter[str]:
    game = find_game("loa")
    found: Counter[str] = Counter()  # by how they ended
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        rows = csv.DictReader((line.removeprefix("#") for line in file), delimiter="\t", quoting=csv.QUOTE_NONE)
        for row in rows:
            wrong = replay(game, row["moves"].split(), row["winner"], row["end"])
            found[row["end"] if not wrong else "wrong"] += 1
            found["plies"] += len(row["moves"].split())
            if wrong:
                print(f"  {row['file']} / {row['game']}: {wrong}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--records")
    options = parser.parse_args()
    print("naive:", dict(against_naive(options.games, options.seed)), flush=True)
    try:
        print("OpenSpiel:", dict(against_openspiel(options.games, options.seed)), flush=True)
    except ImportError:
        print("OpenSpiel is not installed: pip install open_spiel")
    if options.records:
        print("records:", dict(records(options.records)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
