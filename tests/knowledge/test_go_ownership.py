"""Owners of points at the end of a search's games: counted right, used only where asked for, and the same in all modes."""

import numpy as np
import pytest
from go_positions import picture, point, ratings_of

import tesuji
from tesuji.core.limits import Limits
from tesuji.games.go.state import BOARD
from tesuji.games.registry import find_game
from tesuji.knowledge.go.mogo import MoGo
from tesuji.knowledge.go.ownership import FEWEST_GAMES, MOST_GAMES, OWNERS, closeness_to_best_share, count_owners
from tesuji.knowledge.registry import make_policy
from tesuji.players.presets import find_player

ENDED = """
    .XO.
    XXOO
    XXO.
    .X.O"""


def fresh():
    return np.zeros(1, OWNERS)[0]


def test_stones_and_the_points_beside_one_colour_have_an_owner():
    _, state = picture(ENDED)
    counts = np.zeros(1, OWNERS)
    count_owners(counts, state)
    owners = counts[0]
    owned = owners["owned"]
    black, white = ({n for n in range(BOARD) if owned[player, n]} for player in (0, 1))
    assert black == {point(name) for name in ("A4", "B4", "A3", "B3", "A2", "B2", "A1", "B1")}
    assert white == {point(name) for name in ("C4", "D4", "C3", "D3", "C2", "D2", "D1")}  # C1 is beside both
    assert owners["games"] == 1


@pytest.mark.parametrize(("owned", "closeness"), [(0, 0.0), (50, 0.5), (100, 1.0), (150, 0.5), (200, 0.0), (300, 0.0)])
def test_a_third_of_the_games_is_best(owned, closeness):
    owners = fresh()
    owners["games"] = 300
    owners["owned"][1, 45] = owned
    assert closeness_to_best_share(owners, 1, 45) == pytest.approx(closeness)
    owners["games"] = FEWEST_GAMES - 1
    assert closeness_to_best_share(owners, 1, 45) == 0.0


def test_early_games_weigh_less():
    _, state = picture(ENDED)
    counts = np.zeros(1, OWNERS)
    owners = counts[0]
    owners["games"], owners["owned"][0, point("A1")] = MOST_GAMES, MOST_GAMES
    count_owners(counts, state)
    assert owners["games"] == owners["owned"][0, point("A1")] == MOST_GAMES // 2 + 1


def policy_for(game, **changes):
    return make_policy(game, MoGo, {**find_player("mogo").settings_for(game), **changes})


def test_the_mover_is_to_own_the_point():
    game = find_game("go:5")
    on, off = policy_for(game, owner_games=20.0), policy_for(game)
    owners = on.knowledge.owners[0]
    owners["games"] = 300
    owners["owned"][0, point("C3")], owners["owned"][1, point("B2")] = 100, 100
    moves = game.legal_moves(game.initial)
    gained = ratings_of(on, game.initial, moves)["games"] - ratings_of(off, game.initial, moves)["games"]
    assert {game.text(game.initial, move): games for move, games in zip(moves, gained, strict=True) if games} == {"C3": 20.0}


def search_tree(player, pure):
    search = find_player(player).engine(find_game("go:5"), seed=3, pure=pure)
    search.run(Limits(playouts=150))
    return search


def test_a_search_counts_its_games_in_both_modes():
    compiled, pure = (search_tree("mogo:owner_games=20", pure) for pure in (False, True))
    owners = [search.policy.knowledge.owners[0] for search in (compiled, pure)]
    assert owners[0].tobytes() == owners[1].tobytes()
    assert owners[0]["games"] == 150
    assert compiled.tree.nodes[:200].tobytes() == pure.tree.nodes[:200].tobytes()


def test_such_a_search_is_not_saved(tmp_path):
    search = tesuji.player("mogo:owner_games=20").search("go:5")
    with pytest.raises(tesuji.UserError, match="learns from its own games cannot be saved"):
        search.save(tmp_path / "search")


def test_nothing_is_counted_where_nothing_asks_for_it():
    assert search_tree("mogo", pure=True).policy.knowledge.owners[0]["games"] == 0
