"""Games that a player plays against itself: the table, its reading, and what a network learns from it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tesuji.cli.main import main
from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.learn.network.games import NO_VALUE, games_of
from tesuji.learn.network.samples import LOSS, SEARCH_SHARE, UNKNOWN, WIN, PositionSampler, learned_results
from tesuji.learn.records import Collection, read_collection
from tesuji.learn.self_play import SelfPlay, Variety, table_row
from tesuji.players.presets import find_player

GAME = find_game("tictactoe")
PLAYER = "uct:memory=1"


@pytest.fixture(autouse=True)
def pure(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")


def play(count, seed=3, variety=None):
    games = SelfPlay(GAME, find_player(PLAYER), seed, 40, variety or Variety(random_plies=(0, 3)))
    return [games.game_number(number) for number in range(count)]


def table(games):
    rows = [table_row(number, one) for number, one in enumerate(games)]
    return "\n".join(["game\twinner\tmoves\tvalues\tvisits", "# how they were played", *rows]) + "\n"


def read(path):
    return read_collection(GAME, [path])


def test_a_table_gives_back_the_games(tmp_path):
    games = play(8)
    (tmp_path / "games.tsv").write_text(table(games))
    again = read(tmp_path / "games.tsv")
    assert not again.refused
    for one, other in zip(games, again.games, strict=True):
        assert one.moves == other.moves and np.sign(one.outcome) == other.outcome
        for search, same in zip(one.searches, other.searches, strict=True):
            assert (search is None) == (same is None)
            if search is not None:
                assert same.value == pytest.approx(search.value, abs=1e-4)
                assert dict(same.shares) == pytest.approx(dict(search.shares), abs=1e-3)


def test_games_are_functions_of_seed_and_number():
    assert play(3) == play(3) and play(1, seed=4) != play(1)
    assert len({one.moves for one in play(8)}) > 4


def test_random_moves_come_first_and_have_no_search():
    for one in play(8, variety=Variety(random_plies=(2, 3))):
        searched = [search is not None for search in one.searches]
        assert searched == sorted(searched) and searched.count(False) in (2, 3)


def test_a_player_without_hope_resigns():
    """With a threshold of 1 the first player to move by search gives up at once, so the other has won."""
    (one,) = play(1, variety=Variety(random_plies=(1, 1), resigning=1.0, hopeless=1.01))
    assert one.outcome == GAME.outcomes[1 if len(one.moves) % 2 else 0] or rules.is_over(GAME.state_after(list(one.moves)))


@pytest.mark.parametrize(
    "values, visits, reason",
    [
        ("0.5", "a1=1 b1=1", "it has 3 moves, 1 values and 2 lists of visits"),
        ("0.5 nan 0.5", "a1=1 b1=1 c1=1", "ply 2: nan is not an expected result"),
        ("0.5 1.5 0.5", "a1=1 b1=1 c1=1", "ply 2: 1.5 is not an expected result"),
        ("0.5 0.5 0.5", "a1=1 b1=-1 c1=1", "ply 2: b1=-1 are no visits of a move"),
        ("0.5 0.5 0.5", "a1=1 z9=1 c1=1", "ply 2: z9=1 are no visits of a move"),
        ("0.5 0.5 0.5", "a1=1 b1=0 c1=1", "or no move was visited"),
        ("0.5 0.5 0.5", "a1=1 = c1=1", "are no visits of a move"),
    ],
)
def test_searches_that_make_no_sense_are_named(values, visits, reason, tmp_path):
    (tmp_path / "games.tsv").write_text(f"moves\twinner\tvalues\tvisits\na1 b1 c1\tb\t{values}\t{visits}\n")
    collection = read(tmp_path / "games.tsv")
    assert not collection.games and reason in collection.refused[0]


def test_a_visited_move_that_is_not_legal_is_named(tmp_path):
    lines = "a1 b1 c1\tb\t0.5 0.5 0.5\ta1=1 b1=1 a1=1\nb2 a1 c3\tb\t- - -\t- - -\n"
    (tmp_path / "games.tsv").write_text(f"moves\twinner\tvalues\tvisits\n{lines}")
    with pytest.raises(UserError, match="game 1, move 3: it, or a move visited there, is not legal"):
        games_of(GAME, read(tmp_path / "games.tsv"))


# -- what is learned -----------------------------------------------------------------------------------------------------------
def test_policies_are_shares_of_visits_and_random_moves_teach_nothing():
    games = play(6, variety=Variety(random_plies=(1, 2)))
    recorded = games_of(GAME, Collection(games))
    samples = PositionSampler(recorded, np.ones(recorded.count, bool))
    assert samples.count == sum(search is not None for one in games for search in one.searches)
    batch = next(samples.some(10**6, 10**6, 1))
    searches = [search for one in games for search in one.searches if search is not None]
    for n, search in enumerate(searches):
        expected = np.zeros(batch.policy.shape[1])
        for move, share in search.shares:
            expected[move] = share  # a move of tic-tac-toe is its place
        assert batch.policy[n] == pytest.approx(expected, abs=1e-6)


def test_results_are_mixed_with_what_a_search_expected():
    value, expected = np.array([WIN, LOSS, UNKNOWN, UNKNOWN]), np.array([0.7, NO_VALUE, 0.2, NO_VALUE], np.float32)
    share = SEARCH_SHARE
    right = [[1 - share + 0.7 * share, 0, 0.3 * share], [0, 0, 1], [0.2, 0, 0.8], [0, 0, 0]]
    nothing = np.zeros(4, np.bool_)
    assert learned_results(value, expected, nothing) == pytest.approx(np.array(right), abs=1e-6)


def test_a_proven_result_is_learned_whatever_the_game_ended_with():
    value, expected = np.array([WIN, LOSS, UNKNOWN, WIN]), np.array([0.0, 0.5, 1.0, 0.25], np.float32)
    learned = learned_results(value, expected, np.array([True, True, True, False]), 0.0)
    assert learned.tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 0, 0]]


# -- the command ---------------------------------------------------------------------------------------------------------------
def command(*words):
    return main(["learn", "games", "tictactoe", "--player", PLAYER, "--playouts", "20", "--workers", "1", *words])


def test_the_command_goes_on_where_it_was(tmp_path, capsys):
    out, whole = tmp_path / "out.tsv", tmp_path / "whole.tsv"
    assert command("--games", "3", "--out", str(out)) == 0
    out.write_text(out.read_text() + "4\tb\ta1 b")  # as a full disk may leave it
    assert command("--games", "6", "--out", str(out), "--json") == 0
    facts = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (facts["games"], facts["interrupted"]) == (6, False)
    assert command("--games", "6", "--out", str(whole)) == 0
    assert out.read_text() == whole.read_text()


def test_a_table_of_other_games_is_not_continued(tmp_path, capsys):
    out = tmp_path / "out.tsv"
    assert command("--games", "1", "--out", str(out)) == 0
    before = out.read_bytes()
    assert command("--games", "2", "--out", str(out), "--seed", "7") == 2
    assert "was begun with tictactoe uct:memory=1 playouts=20 seed=0" in capsys.readouterr().err
    assert out.read_bytes() == before
    (tmp_path / "other").write_text("something else")
    assert command("--games", "2", "--out", str(tmp_path / "other")) == 2


def test_a_puzzle_is_refused(capsys):
    assert main(["learn", "games", "samegame", "--games", "1", "--out", "x.tsv"]) == 2
    assert "is a puzzle" in capsys.readouterr().err
