"""Random games as records and as `Games`, for the tests of learning networks."""

from __future__ import annotations

import random

from tesuji.core import rules
from tesuji.games.registry import find_game
from tesuji.learn.network.games import games_of
from tesuji.learn.records import Collection, RecordedGame


def random_game(name, seed):
    """A game of random moves, at most 30."""
    game, chance, moves = find_game(name), random.Random(seed), []
    state = game.new_state()
    while not rules.is_over(state) and len(moves) < 30:
        moves.append(chance.choice(game.legal_moves(state)))
        rules.play(state, moves[-1])
    outcome = int(rules.outcome(state)) if rules.is_over(state) else None
    return RecordedGame(f"{name} {seed}", game.new_state(), tuple(moves), outcome, game)


def random_games(*names, count=30):
    """So many games of each of these boards."""
    seeds = ((name, 1000 * number + seed) for number, name in enumerate(names) for seed in range(count))
    return games_of(find_game(names[0]), Collection([random_game(name, seed) for name, seed in seeds]))


def write_records(path, name, count=30):
    """The same as a table."""
    lines = ["game\twinner\tmoves"]
    for seed in range(count):
        one = random_game(name, seed)
        game, texts = find_game(name), []
        state = game.new_state()
        for move in one.moves:
            texts.append(game.text(state, move))
            rules.play(state, move)
        winner = "?" if one.outcome is None else "B" if one.outcome > 0 else "W" if one.outcome < 0 else "draw"
        lines.append(f"{seed}\t{winner}\t{' '.join(texts)}")
    path.write_text("\n".join(lines) + "\n")
    return path
