"""What playouts learn from the search, against naive counts of its recorded games; and how moves are drawn by it."""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest
from toytree import toy_game

from tesuji.core import rules
from tesuji.core.dispatch import implements, state_type
from tesuji.core.errors import UserError
from tesuji.core.game import Game, copy_state
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import is_pure
from tesuji.core.parameters import Settings
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.files.saved_search import load_search, save_search
from tesuji.search.kernel import loop
from tesuji.search.playouts.interface import ByPolicy, chosen_move
from tesuji.search.playouts.memory import BUCKET, MOST_MOVES, first_key, place_of_sequence, room_for_sequence, sequence_key

BRANCHES = [("max", [0, ("min", [2, 0])]), ("min", [("min", [1, 2, 0]), ("max", [0, 1])]), 1]
TREE = ("max", [*BRANCHES, ("max", [("min", [0, 2]), ("max", [2, ("max", [1, 0, 2])])])])


class Record(NamedTuple):
    """One simulation: the position where it began, the length of the game there, moves, who made them, score for player 0."""

    start: np.void
    first: int
    moves: list[int]
    movers: list[int]
    score: int


def make_search(game, seed=1, pure=True, **values):
    game = find_game(game) if isinstance(game, str) else game
    settings = Settings(SEARCH, {"memory": 2.0, "solver": "off", "learned_memory": 0.25, **values})  # no effect: left out
    return TreeSearch(game, settings=settings, seed=seed, pure=pure)


@pytest.fixture
def recorded(monkeypatch):
    """Makes a search and runs it; returns it with the records of its simulations."""
    records = []
    learn = loop.learn_from

    def record(chooser, scratch, start, first, length, score):
        moves, movers = scratch.history[:length].tolist(), scratch.movers[:length].tolist()
        records.append(Record(copy_state(start), first, moves, movers, int(score)))
        learn(chooser, scratch, start, first, length, score)

    monkeypatch.setattr(loop, "learn_from", record)

    def run(game, playouts=60, **values):
        records.clear()
        search = make_search(game, **values)
        search.run(Limits(playouts=playouts))
        assert len(records) == playouts
        return search, list(records)

    return run


def result_for(search, player, score):
    share = (score - search.options.scale.least) / (search.options.scale.most - search.options.scale.least)
    return share if player == 0 else 1.0 - share


def results_by_sequence(search, records):
    """Of every sequence of one to three moves and the player who made its last: the results of its games, for him."""
    results: dict[tuple[int, ...], list[float]] = {}
    for record in records:
        for ply, player in enumerate(record.movers):
            for length in range(1, min(3, ply + 1) + 1):
                sequence = (player, *record.moves[ply - length + 1 : ply + 1])
                results.setdefault(sequence, []).append(result_for(search, player, record.score))
    return results


def place_of(search, sequence):
    """Where the table has the sequence (player, moves...): its key begins with the player and the last move but one."""
    player, *earlier, last = sequence
    key = first_key(player)
    for move in [*reversed(earlier), last]:
        key = sequence_key(key, move)
    return place_of_sequence(search.scratches[0].learned.sequences, key)


GAMES = [toy_game(TREE), "tictactoe", "dotsandboxes:2x2"]
each_game = pytest.mark.parametrize("game", GAMES, ids=["toytree", "tictactoe", "dotsandboxes"])


@each_game
@pytest.mark.parametrize("values", [{}, {"draw_by": "softmax"}, {"reward": "win"}], ids=["epsilon", "softmax", "win"])
def test_averages_are_those_of_the_recorded_games(recorded, game, values):
    search, records = recorded(game, playout_moves="nst", **values)
    learned, results = search.scratches[0].learned, results_by_sequence(search, records)
    assert any(len(sequence) == 4 for sequence in results) and len(results) > 20
    for sequence, found in results.items():
        if len(sequence) == 2:
            assert learned.visits[sequence] == len(found)
            assert learned.means[sequence] == pytest.approx(sum(found) / len(found))
        else:
            entry = learned.sequences[place_of(search, sequence)]
            assert entry["visits"] == len(found) and entry["mean"] == pytest.approx(sum(found) / len(found), abs=1e-6)
    assert learned.visits.sum() == sum(len(record.moves) for record in records)
    assert np.count_nonzero(learned.sequences["visits"]) == sum(len(sequence) > 2 for sequence in results)
    assert np.all(learned.means[learned.visits == 0] == 1.0)


@each_game
def test_mast_learns_the_same_of_single_moves(recorded, game):
    search, records = recorded(game, playout_moves="mast")
    learned, results = search.scratches[0].learned, results_by_sequence(search, records)
    singles = {sequence: found for sequence, found in results.items() if len(sequence) == 2}
    assert {sequence: len(found) for sequence, found in singles.items()} == {
        (int(player), int(move)): learned.visits[player, move] for player, move in np.argwhere(learned.visits)
    }
    assert all(learned.means[one] == pytest.approx(sum(found) / len(found)) for one, found in singles.items())
    assert len(learned.sequences) == 1  # nothing that is not used takes memory


# -- drawing -------------------------------------------------------------------------------------------------------------
def draws(search, moves, count):
    """How often each move is chosen in the position after these moves."""
    scratch, state = search.scratches[0], copy_state(search.state)
    for ply, move in enumerate(moves):
        scratch.history[ply], scratch.movers[ply] = move, rules.to_play(state)
        rules.play(state, move)
    arguments = (search.options.chooser, search.policy, scratch.notes[0], state, scratch, len(moves), len(moves))
    return Counter(int(chosen_move(*arguments)) for _ in range(count)), state


def naive_worth(search, results, player, moves, move, games):
    """NST: the mean of the means of one to three moves, those of sequences only if they were seen often enough."""
    found = results.get((player, move), [])
    means = [sum(found) / len(found) if found else 1.0]
    for length in (1, 2):
        found = results.get((player, *moves[len(moves) - length :], move), []) if len(moves) >= length else []
        if len(found) >= games:
            means.append(sum(found) / len(found))
    return sum(means) / len(means)


@pytest.mark.parametrize("playout_moves", ["mast", "nst"])
def test_the_best_move_but_for_the_share_of_the_policy(recorded, playout_moves):
    games = {"sequence_games": 3} if playout_moves == "nst" else {}
    search, records = recorded("tictactoe", 200, playout_moves=playout_moves, epsilon=0.25, **games)
    moves = [4, 0]
    results = results_by_sequence(search, records)
    counts, _state = draws(search, moves, 2000)
    least = 3 if games else 10**9
    worth = {move: naive_worth(search, results, 0, moves, move, least) for move in (1, 2, 3, 5, 6, 7, 8)}
    best = max(worth, key=worth.__getitem__)
    assert sorted(counts) == sorted(worth)
    assert counts[best] == pytest.approx(2000 * (0.75 + 0.25 / 7), abs=4 * math.sqrt(2000 * 0.22 * 0.78))
    if games:
        assert worth != {move: naive_worth(search, results, 0, moves, move, 10**9) for move in worth}


def test_softmax_draws_in_proportion(recorded):
    search, records = recorded("tictactoe", 100, playout_moves="mast", draw_by="softmax", temperature=0.3)
    results = results_by_sequence(search, records)
    counts, _ = draws(search, [4], 4000)
    weights = {move: math.exp(naive_worth(search, results, 1, [4], move, 10**9) / 0.3) for move in range(9) if move != 4}
    assert_proportional(counts, weights, 4000)


def assert_proportional(counts, weights, count):
    total = sum(weights.values())
    assert set(counts) <= set(weights)
    for move, weight in weights.items():
        share = weight / total
        assert counts[move] == pytest.approx(count * share, abs=4 * math.sqrt(count * share * (1 - share)) + 1)


def test_equal_moves_are_drawn_equally_before_anything_is_learned():
    search = make_search("tictactoe", playout_moves="mast", epsilon=0.0)
    counts, _ = draws(search, [], 900)
    assert_proportional(counts, dict.fromkeys(range(9), 1.0), 900)


# -- adaptation ------------------------------------------------------------------------------------------------------------
def naive_adaptation(search, records, rate):
    """Cazenave's procedure word by word, with dictionaries: the policy is only replaced when all of a game has been seen."""
    policy: dict[tuple[int, int], float] = {}
    even = search.game.break_even * search.options.scale.unit
    for record in records:
        if record.score == even:
            continue
        winner, adapted, state = 0 if record.score > even else 1, dict(policy), copy_state(record.start)
        for move in record.moves[record.first :]:
            if rules.to_play(state) == winner:
                legal = search.game.legal_moves(state)
                total = sum(math.exp(policy.get((winner, other), 0.0)) for other in legal)
                adapted[winner, move] = adapted.get((winner, move), 0.0) + rate
                for other in legal:
                    share = math.exp(policy.get((winner, other), 0.0)) / total
                    adapted[winner, other] = adapted.get((winner, other), 0.0) - rate * share
            rules.play(state, move)
        policy = adapted
    return policy


@each_game
@pytest.mark.parametrize("rate", [0.3, 1.0])
def test_the_policy_is_adapted_as_published(recorded, game, rate):
    search, records = recorded(game, playout_moves="ppa", adaptation=rate)
    learned, expected = search.scratches[0].learned, naive_adaptation(search, records, rate)
    assert {(int(player), int(move)) for player, move in np.argwhere(learned.logs)} <= set(expected)
    for place, value in expected.items():
        assert learned.logs[place] == pytest.approx(value, abs=1e-9)
        assert learned.weights[place] == pytest.approx(math.exp(value))
    assert max(abs(value) for value in expected.values()) > rate / 2 and not learned.touched.any()


def test_adapted_weights_are_probabilities(recorded):
    search, _records = recorded("tictactoe", 30, playout_moves="ppa", adaptation=0.2)
    counts, _ = draws(search, [4], 4000)
    weights = search.scratches[0].learned.weights
    assert_proportional(counts, {move: weights[1, move] for move in range(9) if move != 4}, 4000)


def test_no_weight_runs_out_of_range(recorded):
    search, _records = recorded(toy_game(("max", [2, 0])), 300, playout_moves="ppa", adaptation=100.0)
    learned = search.scratches[0].learned
    assert np.all(np.isfinite(learned.weights)) and np.all(learned.weights > 0.0) and learned.logs.max() == 50.0


# -- replies -----------------------------------------------------------------------------------------------------------------
def naive_replies(search, records, forgets):
    """Replies to one move and to two: by player and the moves before."""
    replies: dict[tuple[int, ...], int] = {}
    even = search.game.break_even * search.options.scale.unit
    for record in records:
        if record.score == even:
            continue
        winner = 0 if record.score > even else 1
        for length in (1, 2):
            for ply in range(length, len(record.moves)):
                key = (record.movers[ply], *record.moves[ply - length : ply])
                if record.movers[ply] == winner:
                    replies[key] = record.moves[ply]
                elif forgets and replies.get(key) == record.moves[ply]:
                    del replies[key]
    return replies


@each_game
@pytest.mark.parametrize("forget", [True, False])
def test_the_last_good_replies_are_those_of_winners(recorded, game, forget):
    search, records = recorded(game, last_good_reply=2, forget_replies=forget)
    learned, expected = search.scratches[0].learned, naive_replies(search, records, forget)
    singles = {key: move for key, move in expected.items() if len(key) == 2}
    assert {
        (int(player), int(before)): int(learned.replies[player, before]) for player, before in np.argwhere(learned.replies >= 0)
    } == singles
    pairs = learned.pair_replies
    for (player, *before), move in expected.items():
        if len(before) == 2:
            key = sequence_key(sequence_key(first_key(player), before[1]), before[0])
            matching = pairs[pairs["key"] == key]["move"].tolist()
            assert matching in ([move], [])  # another pair may have taken the place
    kept = pairs[(pairs["key"] > 0) & (pairs["move"] >= 0)]
    assert 0.9 * (len(expected) - len(singles)) <= len(kept) <= len(expected) - len(singles)


def test_a_reply_is_made_where_it_is_legal():
    search = make_search("tictactoe", last_good_reply=1)
    replies = search.scratches[0].learned.replies
    replies[1, 4] = 7
    assert draws(search, [4], 20)[0] == {7: 20}
    replies[1, 4] = 4
    assert len(draws(search, [4], 100)[0]) == 8


def test_the_reply_to_two_moves_comes_first():
    search = make_search("tictactoe", last_good_reply=2)
    learned = search.scratches[0].learned
    learned.replies[0, 0] = 2
    assert draws(search, [4, 0], 9)[0] == {2: 9}
    key = sequence_key(sequence_key(first_key(0), 0), 4)
    learned.pair_replies[int((key >> np.uint64(1)) & np.uint64(len(learned.pair_replies) - 1))] = (key, 8, 0)
    assert draws(search, [4, 0], 9)[0] == {8: 9}
    assert draws(search, [5, 0], 9)[0] == {2: 9}


# -- memory ------------------------------------------------------------------------------------------------------------------
FAR_STATE = state_type("far numbers", [("left", np.int32), ("sum", np.int32), ("to_play", np.int32)])
FAR, STEP = 1_000_000, 99_991  # moves are multiples of STEP


@implements(rules.to_play, FAR_STATE)
def far_to_play(state):
    return state["to_play"]


@implements(rules.moves, FAR_STATE)
def far_moves(state, out):
    for i in range(10):
        out[i] = i * STEP + state["left"]
    return 10


@implements(rules.play, FAR_STATE)
def far_play(state, move):
    state["sum"] += (move // STEP) * (1 - 2 * state["to_play"])
    state["left"] -= 1
    state["to_play"] = 1 - state["to_play"]


@implements(rules.is_over, FAR_STATE)
def far_is_over(state):
    return state["left"] == 0


@implements(rules.outcome, FAR_STATE)
def far_outcome(state):
    return state["sum"]


def far_game():
    start = np.zeros(1, FAR_STATE)[0]
    start["left"] = 8
    return Game("far", start, (-40, 40), move_count=FAR, max_plies=8, max_moves=10)


@pytest.mark.parametrize("values", [{"playout_moves": "nst"}, {"playout_moves": "ppa"}, {"last_good_reply": 2}])
def test_a_million_moves_take_bounded_memory(values):
    search = make_search(far_game(), learned_memory=0.001, **values)
    before = [table.nbytes for table in search.scratches[0].learned]
    search.run(Limits(playouts=150))
    learned = search.scratches[0].learned
    assert [table.nbytes for table in learned] == before and sum(before) <= 5 * 2 * 8 * MOST_MOVES
    assert learned.visits.any() or learned.logs.any() or (learned.replies >= 0).any()


def test_new_sequences_take_the_place_of_the_rarest():
    search = make_search("tictactoe", playout_moves="nst", learned_memory=0.0)
    table = search.scratches[0].learned.sequences
    assert len(table) == BUCKET
    for key, visits in ((3, 9), (5, 2), (7, 6), (9, 4)):
        table[room_for_sequence(table, np.uint64(key))]["visits"] = visits
    assert all(place_of_sequence(table, np.uint64(key)) >= 0 for key in (3, 5, 7, 9))
    place = room_for_sequence(table, np.uint64(11))
    assert table[place]["visits"] == 0 and place_of_sequence(table, np.uint64(5)) == -1
    assert place_of_sequence(table, np.uint64(11)) == place


# -- moves of the game -------------------------------------------------------------------------------------------------------
def test_a_move_of_the_game_lets_what_was_learned_fade():
    for values, name in (({"playout_moves": "nst"}, "visits"), ({"playout_moves": "ppa"}, "logs")):
        search = make_search("tictactoe", learned_decay=0.25, **values)
        search.run(Limits(playouts=50))
        learned = search.scratches[0].learned
        before, means = getattr(learned, name).copy(), learned.means.copy()
        sequences = learned.sequences["visits"].copy()
        search.advance(4)
        assert np.array_equal(getattr(learned, name), before * 0.25) and before.any()
        assert np.array_equal(learned.means, means) and np.array_equal(
            learned.sequences["visits"], sequences * np.float32(0.25)
        )
        assert np.allclose(learned.weights, np.exp(learned.logs))


@pytest.mark.parametrize("values", [{"learned_decay": 0.0}, {"reuse_tree": False}])
def test_without_the_tree_or_with_no_share_left_all_is_forgotten(values):
    search = make_search("tictactoe", playout_moves="nst", last_good_reply=2, **values)
    fresh = [table.copy() for table in search.scratches[0].learned]
    search.run(Limits(playouts=50))
    assert any(not np.array_equal(a, b) for a, b in zip(fresh, search.scratches[0].learned, strict=True))
    search.advance(4)
    assert all(np.array_equal(a, b) for a, b in zip(fresh, search.scratches[0].learned, strict=True))


# -- beside other parts --------------------------------------------------------------------------------------------------------
ALL = {"playout_moves": "nst", "last_good_reply": 2, "decisive_moves": "both"}


@pytest.mark.skipif(is_pure(), reason="there is no compiler in pure Python")
def test_compiled_and_pure_searches_learn_the_same_and_threads_learn_on_their_own():
    hashes, tables = [], []
    for pure in (True, False):
        search = make_search("tictactoe", pure=pure, **ALL)
        search.run(Limits(playouts=300))
        hashes.append(search.tree_hash())
        tables.append(search.scratches[0].learned)
    assert hashes[0] == hashes[1]
    for one, other in zip(*tables, strict=True):
        assert one.tobytes() == other.tobytes()
    search = make_search("tictactoe", pure=False, threads=2, **ALL)
    search.run(Limits(playouts=20_000))
    moves = [scratch.learned.visits.sum() for scratch in search.scratches]
    assert min(moves) > 0 and 5 * 20_000 <= sum(moves) <= 9 * 20_000


def test_a_policy_that_plays_whole_games_leaves_them_to_the_chooser():
    search = find_player("hex").changed({"playout_moves": "mast", "memory": 4.0}).engine(find_game("hex:4"), seed=1, pure=True)
    search.run(Limits(playouts=20))
    assert search.scratches[0].learned.visits.any()


def test_without_a_choice_there_is_nothing_to_learn():
    search = make_search("tictactoe")
    assert isinstance(search.options.chooser, ByPolicy) and not search.options.keeps_moves
    assert sum(getattr(table, "nbytes", 0) for table in search.scratches[0].learned) == 0


def test_a_puzzle_has_no_winner_but_means():
    make_search("samegame:5x5:1", playout_moves="mast").run(Limits(playouts=5))
    for values in ({"playout_moves": "ppa"}, {"last_good_reply": 1}, {"decisive_moves": "win"}):
        with pytest.raises(UserError, match=r"asks who has won: it cannot be used in samegame:5x5:1, a game for one"):
            make_search("samegame:5x5:1", **values)


def test_parameters_without_effect_are_refused():
    with pytest.raises(UserError, match="epsilon has no effect here: it goes with draw_by=epsilon"):
        find_player("uct:epsilon=0.1").engine(find_game("tictactoe"))
    with pytest.raises(UserError, match="playout_moves=best is not possible"):
        find_player("uct:playout_moves=best").engine(find_game("tictactoe"))


# -- saved searches ------------------------------------------------------------------------------------------------------------
def make_again(game, values, files, seed):
    return make_search(game, seed, **values)


def test_a_saved_search_goes_on_with_what_it_has_learned(tmp_path):
    for values in (ALL, {"playout_moves": "ppa"}):
        search = make_search("tictactoe", **values)
        search.run(Limits(playouts=80))
        save_search(search, tmp_path / "s")
        loaded = load_search(tmp_path / "s", make_again)
        for one in (search, loaded):
            one.run(Limits(playouts=80))
        assert search.tree_hash() == loaded.tree_hash()
        for one, other in zip(search.scratches[0].learned, loaded.scratches[0].learned, strict=True):
            assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize(("table", "value"), [("means", 1.5), ("visits", math.nan), ("replies", 9), ("logs", 51.0)])
def test_a_saved_search_with_impossible_numbers_is_refused(tmp_path, table, value):
    search = make_search("tictactoe", playout_moves="ppa" if table == "logs" else "mast", last_good_reply=1)
    search.run(Limits(playouts=20))
    getattr(search.scratches[0].learned, table)[1, 3] = value
    save_search(search, tmp_path / "s")
    with pytest.raises(UserError, match="is damaged: what its playouts have learned has impossible numbers"):
        load_search(tmp_path / "s", make_again)


def test_a_file_does_not_decide_how_much_memory_is_taken(tmp_path):
    search = make_search("tictactoe", last_good_reply=2, learned_memory=8.0)
    search.run(Limits(playouts=5))
    save_search(search, tmp_path / "s")
    with pytest.raises(UserError, match="made with 8 MiB, more than the default 4: use --memory"):
        load_search(tmp_path / "s", make_again)
    assert load_search(tmp_path / "s", make_again, memory=16.0).playouts == 5
