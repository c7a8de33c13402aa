"""Playouts of Hex: whole games against games move by move, weights kept up to date, bridges, the winner, pure and compiled."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np
import pytest

import tesuji
from tesuji.core import rules
from tesuji.core.dispatch import implements
from tesuji.core.errors import UserError
from tesuji.core.game import copy_state
from tesuji.core.limits import Limits
from tesuji.core.random import make_rng
from tesuji.games.registry import find_game
from tesuji.knowledge.hex import geometry as g
from tesuji.knowledge.hex.geometry import move_of_place
from tesuji.knowledge.hex.patterns import codes as p
from tesuji.knowledge.hex.patterns.features import cell_of, edge_feature, keys_of, last_class, outer_ring
from tesuji.knowledge.hex.patterns.playout_table import find_pattern, reply_weight, weights_of
from tesuji.knowledge.hex.patterns.weights import HexPatterns
from tesuji.knowledge.hex.policies.board_filling import (
    NOWHERE,
    RandomFilling,
    SaveBridges,
    bridge_to_save,
    list_cells,
    winner_of,
)
from tesuji.knowledge.hex.policies.mohex import RATED, MoHex
from tesuji.knowledge.hex.policies.pattern_playouts import put_weighed_stone, weigh_position
from tesuji.knowledge.registry import make_policy
from tesuji.players.presets import find_player
from tesuji.search.engine.trial import check_policy
from tesuji.search.policy import (
    RATING,
    begin_playout,
    notes_type,
    play_whole_game,
    played,
    playout_move,
    plays_whole_games,
    rate_moves,
    uniform_move,
)

ALL = [RandomFilling, SaveBridges, MoHex]


def policy_of(kind, game, **changes):
    if kind is not MoHex:
        return kind()
    return make_policy(game, MoHex, {p.name: p.default for p in MoHex.PARAMETERS} | changes)


def notes_of(policy):
    return np.zeros(1, notes_type(type(policy), 400))[0]


def after(game, count, seed):
    """A position of a random game after so many moves, or before its end."""
    chooser, state = random.Random(seed), game.new_state()
    for _ in range(count):
        move = chooser.choice(game.legal_moves(state))
        before = copy_state(state)
        rules.play(state, move)
        if rules.is_over(state):
            return before
    return state


def whole_game(policy, state, seed):
    history, movers = np.full(400, -1, np.int32), np.full(400, -1, np.int8)
    rng = make_rng(seed)
    length, outcome = play_whole_game(policy, notes_of(policy), state, rng, history, movers, 0)
    return history[:length].tolist(), movers[:length].tolist(), int(outcome)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("name", ["hex:2x3", "hex:4", "hex:7x5"])
def test_a_whole_game_is_the_game_move_by_move(kind, name):
    """The same moves as the rules make them one by one, and the winner of the rules; after the end the board is filled."""
    game = find_game(name)
    for simulation in ("patterns", "bridges", "uniform") if kind is MoHex else ("",):
        policy = policy_of(kind, game, **({"simulation": simulation} if simulation else {}))
        for seed in range(4):
            start = after(game, 2 * seed, seed)
            moves, movers, outcome = whole_game(policy, start, seed)
            empty = game.points - int(start["count"])
            assert len(moves) == len(set(moves)) == empty and movers[:2] == [start["to_play"], 1 - start["to_play"]][:empty]
            state, notes, rng = copy_state(start), notes_of(policy), make_rng(seed)
            begin_playout(policy, notes, state)
            for move in moves:
                made = int(playout_move(policy, notes, state, rng))
                assert made == move
                rules.play(state, made)
                played(policy, notes, state, made)
                if rules.is_over(state):
                    break
            assert rules.outcome(state) == outcome


def test_the_winner_of_a_full_board_is_that_of_the_rules():
    for width, height in ((1, 1), (1, 3), (3, 1), (2, 2), (5, 5), (3, 6), (9, 9), (19, 19)):
        game = find_game(f"hex:{width}x{height}" if width != height else f"hex:{width}")
        for seed in range(12):
            cells = list(range(width * height))
            random.Random(seed).shuffle(cells)
            state, winner = game.new_state(), 0
            for cell in cells:
                rules.play(state, cell)
                winner = winner or int(state["winner"])
            notes = notes_of(RandomFilling())
            list_cells(notes, state)
            assert winner_of(notes["colours"], width, height) == winner


@pytest.mark.parametrize("kind", ALL)
def test_notes_know_of_a_swap(kind):
    game = find_game("hex:4:swap=on")
    policy, state = policy_of(kind, game), game.new_state()
    notes, anew = notes_of(policy), notes_of(policy)
    begin_playout(policy, notes, state)
    for text in ("b1", "swap-pieces", "c3"):
        move = game.parse(state, text)
        rules.play(state, move)
        played(policy, notes, state, move)
        begin_playout(policy, anew, state)
        assert np.array_equal(notes["colours"], anew["colours"]), text
        count = int(anew["empty"])
        assert notes["empty"] == count and set(notes["places"][:count]) == set(anew["places"][:count]), text


def test_weights_kept_up_to_date_are_those_computed_anew():
    game = find_game("hex:6")
    policy = policy_of(MoHex, game)
    kept, fresh = notes_of(policy), notes_of(policy)
    state = game.new_state()
    weigh_position(policy.table, policy.start[0], kept, state)
    cells = list(range(game.points))
    random.Random(2).shuffle(cells)
    for cell in cells[:-1]:
        player = int(state["to_play"])
        place = g.place_of_move(cell, 6)
        total, replies = put_weighed_stone(policy.table, kept, place, player, kept["total"])
        kept["total"], kept["reply_total"] = total, replies
        rules.play(state, cell)
        weigh_position(policy.table, policy.start[0], fresh, state)
        for name in ("codes", "colours", "weights", "rows", "total", "reply_total"):
            counts = fresh["colours"] == 0 if name == "codes" else True  # codes of stones and of the border do not matter
            assert np.all((kept[name] == fresh[name]) | ~np.asarray(counts)), name
        near = {int(q): int(w) for q, w in zip(fresh["near"][: fresh["near_count"]], fresh["replies"], strict=False)}
        naive = {}
        for column, row in g.OFFSETS:
            x, y = cell % 6 + column, cell // 6 + row
            if 0 <= x < 6 and 0 <= y < 6 and fresh["colours"][g.place_of(x, y)] == 0:
                code = fresh["codes"][g.place_of(x, y)]
                naive[g.place_of(x, y)] = int(reply_weight(policy.table, find_pattern(policy.table, code), 1 - player))
        assert near == naive
        empty = np.flatnonzero(fresh["colours"] == 0)
        anew = [int(weights_of(policy.table, find_pattern(policy.table, fresh["codes"][q]))) for q in empty]
        assert [int(fresh["weights"][q]) for q in empty] == anew and int(fresh["total"]) == sum(anew)


# -- bridges -------------------------------------------------------------------------------------------------------------------
def saved(text, last, seeds=8, player=0):
    """Cells with which the player may save a bridge after the stone on `last`; rows from the top, as in 'b.w/...'."""
    rows = text.split("/")
    width, height = len(rows[0]), len(rows)
    state = find_game(f"hex:{width}x{height}" if width != height else f"hex:{width}").new_state()
    for row, line in enumerate(rows):
        for column, cell in enumerate(line):
            if cell != ".":
                state["stones"]["bw".index(cell), row] |= np.uint32(1 << column)
    notes = notes_of(SaveBridges())
    list_cells(notes, state)
    found = set()
    for seed in range(seeds):
        place = bridge_to_save(notes["colours"], g.place_of(*last), player, make_rng(seed))
        if place != NOWHERE:
            move = int(move_of_place(place, width))
            found.add((move % width, move // width))
    return found


def test_a_bridge_between_two_stones_is_saved():
    # Black's c2 and b4 are a bridge over b3 and c3 (columns and rows from 0: (2, 1), (1, 3) over (1, 2), (2, 2)).
    assert saved("...../..b../.w.../.b.../.....", (1, 2)) == {(2, 2)}
    assert saved("...../..b../..w../.b.../.....", (2, 2)) == {(1, 2)}
    assert saved("...../..w../.b.../.w.../.....", (1, 2), player=1) == {(2, 2)}


def test_only_an_own_bridge_that_can_still_be_saved_counts():
    assert saved("...../..b../.w.../...../.....", (1, 2)) == set()  # there is no second stone
    assert saved("...../..w../.w.../.b.../.....", (1, 2)) == set()  # one stone is White's
    assert saved("...../..b../.ww../.b.../.....", (1, 2)) == set()  # cut already
    assert saved("...../..b../.wb../.b.../.....", (1, 2)) == set()  # joined already
    assert saved("...../..b../.w.../.b.../.....", (4, 4)) == set()  # the attack is elsewhere
    assert bridge_to_save(notes_of(SaveBridges())["colours"], NOWHERE, 0, make_rng(1)) == NOWHERE  # there was no move


def test_a_bridge_to_the_own_edge_is_saved():
    assert saved("...../..b../...../...../.....", (2, 0)) == {(3, 0)}  # Black's second row to the top
    assert saved("...../..b../...../...../.....", (3, 0)) == {(2, 0)}
    assert saved("...../...../...../.b.../.....", (1, 4)) == {(0, 4)}
    assert saved("...../...../.w.../...../.....", (0, 2), player=1) == {(0, 3)}  # White's second column to the left
    assert saved("...../.w.../...../...../.....", (1, 0), player=1) == set()  # the top is not White's


def test_of_several_bridges_one_is_drawn():
    # White's stone in the middle attacks two bridges of Black at once: each of the two cells saves one.
    assert saved("...../..b../.bwb./..b../.....", (2, 2), seeds=40) == {(3, 1), (1, 3)}
    drawn = [saved("...../..b../.bwb./..b../.....", (2, 2), seeds=1) for _ in range(2)]
    assert drawn[0] == drawn[1] and len(drawn[0]) == 1


# -- ratings -------------------------------------------------------------------------------------------------------------------
def ratings_of(policy, game, state):
    moves = np.array(game.legal_moves(state), np.int32)
    found = np.zeros(len(moves), RATING)
    found["kept"] = True
    rate_moves(policy, state, moves, len(moves), found)
    return moves, found


@pytest.mark.parametrize("prior", ["features", "patterns", "nothing"])
def test_priors_are_shares_of_strength(prior):
    """Recomputed with dictionaries: the product of the strengths of all features, or the sum of the two of the pattern."""
    game = find_game("hex:6")
    policy = policy_of(MoHex, game, prior_from=prior)
    weights = HexPatterns.shipped()
    strengths = dict(zip(weights.features.keys.tolist(), weights.features.gammas.tolist(), strict=True))
    everywhere = dict(zip(weights.everywhere.keys.tolist(), weights.everywhere.gammas.tolist(), strict=True))
    nearby = dict(zip(weights.replies.keys.tolist(), weights.replies.gammas.tolist(), strict=True))
    state = after(game, 7, 3)
    moves, found = ratings_of(policy, game, state)
    board = np.zeros(1, RATED)[0]
    p.see_position(board, state)
    player, last = int(state["to_play"]), int(state["last_move"])
    expected = []
    for move in moves:
        column, row = move % 6, move // 6
        columns, rows = last % 6 - column, last // 6 - row
        place = g.place_of(column, row)
        cell = cell_of(columns, rows)
        keys = keys_of(board["codes"][place], outer_ring(board["colours"], place), cell, player)
        shape, six, reply, large = (int(key) for key in keys)
        if prior == "features":
            value = strengths.get(shape, strengths.get(six, 1.0)) * strengths.get(reply, 1.0) * strengths.get(large, 1.0)
            value *= weights.last[last_class(columns, rows, player)] * weights.edges[edge_feature(column, row, 6, 6, player)]
        else:
            code, six_code = shape & 0xFFFFFFFF, six & 0xFFFFFFFF
            value = everywhere.get(code, everywhere.get(six_code, 1.0))
            value += nearby.get(code, nearby.get(six_code, 0.0)) if cell >= 0 else 0.0
        expected.append(value)
    kept = found["kept"]
    shares = np.where(kept, expected, 0.0) / sum(np.array(expected)[kept]) if prior != "nothing" else np.zeros(len(moves))
    assert found["prior"][kept] == pytest.approx(shares[kept])
    assert kept.any() and np.all(found["value"] == 0.5) and np.all(found["games"] == 8.0)


def test_no_move_is_left_out_while_there_may_be_a_swap():
    """The first player then wants a stone that is not worth a swap, such as one in a corner."""
    plain, swap = find_game("hex:5"), find_game("hex:5:swap=on")
    policy = policy_of(MoHex, swap)
    assert ratings_of(policy, swap, swap.initial)[1]["kept"].all()
    assert not ratings_of(policy, plain, plain.initial)[1]["kept"].all()
    moves, found = ratings_of(policy, swap, swap.state_after(["c3", "b3"]))
    assert len(moves) == 23 and not found["kept"].all()


def test_a_swap_is_looked_at_with_the_best_answer():
    game = find_game("hex:5:swap=on")
    state = game.state_after(["c3"])
    moves, found = ratings_of(policy_of(MoHex, game), game, state)
    assert moves[-1] == 25 and found["kept"].all()
    assert found["prior"][-1] == found["prior"][:-1].max() and found["prior"][:-1].sum() == pytest.approx(1.0)


# -- in a search ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("player", ["mohex1", "mohex2", "uct:policy=uniform", "mohex2:simulation=bridges,prior_from=nothing"])
def test_searches_play_legal_games(player):
    game = find_game("hex:4")
    search = find_player(player).engine(game, seed=1, pure=True)
    result = search.run(Limits(playouts=60), with_moves=False)
    assert result.best_move in game.legal_moves(game.initial)


def test_what_whole_games_do_not_go_with():
    game = find_game("hex:4")
    with pytest.raises(UserError, match="playout_cap cannot be used with the policy SaveBridges, whose playouts go to the end"):
        find_player("mohex1:policy=bridges,playout_cap=5").engine(game, pure=True)

    class Own(NamedTuple):
        """A policy of a user's."""

    implements(playout_move, Own)(uniform_move)
    implements(plays_whole_games, Own)(lambda policy: True)
    with pytest.raises(UserError, match="implements plays_whole_games: that is for policies of this package only"):
        check_policy(Own)


def test_searches_can_be_saved(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    search = tesuji.player("mohex2").search("hex:4", seed=2)
    search.run(playouts=40)
    search.save(tmp_path / "s")
    again = tesuji.load(tmp_path / "s")
    visits = [{move.move: move.visits for move in one.run(playouts=20).moves} for one in (search, again)]
    assert visits[0] == visits[1]
