"""What a draw is, and that a game may have none: outcomes 0 and 1, and puzzles, which nobody wins."""

import pytest
from toytree import toy_game

from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.search.kernel.scale import FINE_UNIT, make_scale

DEEP = ("max", [("min", [("max", [1, 0]), ("max", [0, 0])]), ("min", [("max", [0, 1]), ("max", [1, 1])])])


@pytest.mark.parametrize("seed", range(1, 4))
def test_a_puzzle_is_proven_when_its_best_score_is(seed):
    game = find_game("samegame:4x4:7:2")
    result = find_player("mcts-solver").engine(game, seed=seed, pure=True).run(Limits(playouts=5000))
    assert result.proven == (result.lower == result.upper)
    assert not result.proven or (result.lower, game.text(game.initial, result.best_move)) == (1030, "c1")


def test_a_game_with_scores_is_proven_for_the_win_loss_solver_when_the_winner_is():
    game = find_game("go:2")
    result = find_player("mcts-solver").engine(game, seed=1, pure=True).run(Limits(playouts=3000))
    assert result.proven and result.lower < result.upper  # who wins is known, by how much is not
    assert result.lower > game.break_even or result.upper < game.break_even


@pytest.mark.parametrize(("outcomes", "even"), [((0, 1), 0.5), ((0, 3), 1.5), ((0, 2), 1.0), ((-1, 1), 0.0)])
def test_a_playout_that_is_cut_short_counts_for_the_middle_of_the_outcomes(outcomes, even):
    low, high = outcomes
    game = toy_game(("max", [("min", [("max", [low, high])] * 2)] * 2), outcomes)
    search = find_player("uct").changed({"playout_cap": 1, "expand_after": 1000}).engine(game, pure=True)
    assert search.run(Limits(playouts=20)).value == even


@pytest.mark.parametrize(
    ("outcomes", "players", "draw_value", "draw", "break_even"),
    [
        ((-1, 1), 2, None, 0, 0.0),
        ((0, 1), 2, None, None, 0.5),
        ((0, 10), 2, 3, 3, 3.0),
        ((0, 10), 1, None, None, 5.0),
        ((5, 5), 2, None, None, 5.0),
    ],
)
def test_the_draw_of_a_game_and_what_lies_between_wins_and_losses(outcomes, players, draw_value, draw, break_even):
    initial = toy_game(DEEP).initial
    game = Game("toytree", initial, outcomes, 8, 120, players=players, draw_value=draw_value)
    assert (game.draw_outcome, game.break_even) == (draw, break_even)
    assert make_scale(game, unit=FINE_UNIT).draw_score == break_even * FINE_UNIT
