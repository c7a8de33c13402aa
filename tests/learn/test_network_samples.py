"""What networks learn from: games and their file, samples by replay, measures, and what is kept of a run. Without PyTorch."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from network_games import random_game, random_games

import tesuji
from tesuji.core import rules
from tesuji.core.container import write_sealed
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.knowledge.network.file import load_network_for
from tesuji.learn.network import checkpoint, games
from tesuji.learn.network.checkpoint import RunProgress
from tesuji.learn.network.games import DRAWN, FIRST_WON, NO_RESULT, SECOND_WON, games_of, load_games, save_games
from tesuji.learn.network.measures import measure
from tesuji.learn.network.picture import MARK, picture
from tesuji.learn.network.samples import DRAW, LOSS, UNKNOWN, WIN, Batch, PositionSampler, turned
from tesuji.learn.network.settings import LearningBudget, RunSettings, learning_rate, settled
from tesuji.learn.records import Collection

MOVES = ("go:5", "hex:4", "connect4:5x4", "loa", "dotsandboxes:2x2", "tictactoe")


def everything(recorded):
    return PositionSampler(recorded, np.ones(recorded.count, bool))


def test_the_networks_of_the_package_are_small_and_fit_their_games():
    package = Path(tesuji.__file__).parent
    files = sorted(package.rglob("*.network"))
    assert files
    for path in files:
        assert path.stat().st_size <= 2_000_000
        assert load_network_for(find_game(path.parent.name), path).learned["held_out_games"] > 0


# -- games -----------------------------------------------------------------------------------------------------------------
def test_equal_games_count_once_and_every_twelfth_is_held_out():
    collection = Collection([random_game("connect4:5x4", seed) for seed in (*range(25), *range(10))])
    recorded = games_of(find_game("connect4:5x4"), collection)
    assert recorded.count == 25 and list(np.flatnonzero(recorded.held_out)) == [0, 12, 24]
    assert recorded.positions == sum(len(one.moves) for one in collection.games[:25])


def test_results_are_those_of_the_records():
    some = [replace(random_game("tictactoe", seed), outcome=outcome) for seed, outcome in enumerate([1, 0, -1, None])]
    assert list(games_of(find_game("tictactoe"), Collection(some)).result) == [FIRST_WON, DRAWN, SECOND_WON, NO_RESULT]


def test_the_file_gives_back_what_was_written(tmp_path):
    recorded = random_games("go:4", "go:5", "go:5:komi=0.5")
    save_games(tmp_path / "games", recorded)
    again = load_games(tmp_path / "games", find_game("go:5"))
    assert [one.name for one in again.variants] == ["go:4", "go:5", "go:5:komi=0.5"]
    for name in ("variant", "result", "first", "moves", "values", "first_target", "targets", "shares"):
        assert np.array_equal(getattr(recorded, name), getattr(again, name))


def refusal(path, game):
    with pytest.raises(UserError) as raised:
        load_games(path, find_game(game))
    assert "\n" not in str(raised.value)
    return str(raised.value)


def arrays_of(recorded, lengths):
    """What the file has after its header, of games without searches."""
    none = np.zeros(0, "<i4")
    searches = [recorded.values.astype("<f4"), np.zeros(recorded.positions, "<i4"), none, none.astype("<f4")]
    return [recorded.variant, recorded.result, lengths.astype("<i4"), recorded.moves, *searches]


def test_a_file_with_an_illegal_move_is_refused(tmp_path):
    recorded = random_games("tictactoe")
    at = int(recorded.first[7])
    for wrong in (recorded.moves[at], -1, 9, 2**31 - 1):  # played before, and no moves at all
        moves = recorded.moves.copy()
        moves[at + 1] = wrong
        save_games(tmp_path / "games", replace(recorded, moves=moves))
        assert "game 8, move 2: it, or a move visited there, is not legal" in refusal(tmp_path / "games", "tictactoe")


def test_files_of_other_games_and_damaged_ones_are_refused(tmp_path):
    path = tmp_path / "games"
    recorded = random_games("tictactoe")
    save_games(path, recorded)
    assert "games of tictactoe, not of go:9" in refusal(path, "go:9")
    whole = path.read_bytes()
    path.write_bytes(whole[:-3])
    assert "cut short or damaged" in refusal(path, "tictactoe")
    header = {"variants": ["tictactoe"], "games": recorded.count, "moves": recorded.positions, "targets": 0}
    impossible = ({"games": 10**30}, {"moves": True}, {"variants": []}, {"variants": "tictactoe"}, {"games": 3}, {"targets": 1})
    for wrong in impossible:
        lengths = np.diff(recorded.first).astype("<i4")
        write_sealed(path, games.FORMAT, header | wrong, arrays_of(recorded, lengths))
        assert "damaged" in refusal(path, "tictactoe")


def test_a_name_in_a_file_loads_no_code(tmp_path):
    code = tmp_path / "evil.py"
    code.write_text("raise SystemExit('it ran')\n")
    recorded = random_games("tictactoe")
    header = {"variants": [f"{code}:game"], "games": recorded.count, "moves": recorded.positions, "targets": 0}
    write_sealed(tmp_path / "games", games.FORMAT, header, arrays_of(recorded, np.diff(recorded.first)))
    assert "not of tictactoe" in refusal(tmp_path / "games", "tictactoe")


def test_a_puzzle_cannot_be_learned():
    with pytest.raises(UserError, match="does not say what a network sees"):
        games_of(find_game("samegame"), Collection())


# -- samples ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", MOVES)
def test_samples_are_positions_of_the_games(name):
    recorded = random_games(name, count=3)
    game = recorded.variants[0]
    batches = list(everything(recorded).some(10**6, 7, 1))
    planes, legal, played, value, policy, _ = (np.concatenate(parts) for parts in zip(*batches, strict=True))
    at = 0
    for number in range(recorded.count):
        state, result = game.new_state(), recorded.result[number]
        for move in recorded.moves[recorded.first[number] : recorded.first[number + 1]]:
            own = game.encoding.empty()
            rules.planes(state, own)
            assert np.array_equal(planes[at], own)
            assert set(np.flatnonzero(legal[at])) == {rules.place(state, m) for m in game.legal_moves(state)}
            assert played[at] == rules.place(state, move) == policy[at].argmax() and policy[at].sum() == 1.0
            won = rules.FIRST if result == FIRST_WON else rules.SECOND
            right = WIN if rules.to_play(state) == won else LOSS
            assert value[at] == (UNKNOWN if result == NO_RESULT else DRAW if result == DRAWN else right)
            rules.play(state, move)
            at += 1
    assert at == len(planes)


@pytest.mark.parametrize("name", ("connect4:5x4", "hex:4", "loa"))
def test_turned_samples_are_those_of_the_image(name):
    """Found again by turning the planes of the image that the rules make."""
    game = find_game(name)
    state = game.new_state()
    for move in random_game(name, 3).moves[:6]:
        rules.play(state, move)
    encoding = game.encoding
    for number in range(int(rules.symmetries(state))):
        image = np.zeros(1, state.dtype)
        image[0] = state
        rules.image(state, number, image[0])
        of_state, of_image = sample_of(game, state), sample_of(game, image[0])
        result = turned(of_state, encoding, np.array([number]))
        assert np.array_equal(result.legal, of_image.legal)
        assert result.legal[0, result.played[0]] and np.all(result.policy[~result.legal] == 0.0)
        assert sorted(result.policy[result.legal]) == sorted(of_state.policy[of_state.legal])
        same = [name != "last move" for name in encoding.names]  # the image of a position has none
        assert np.array_equal(result.planes[..., same], of_image.planes[..., same])


def sample_of(game, state):
    planes, legal = game.encoding.empty(), np.zeros((1, game.encoding.places), bool)
    rules.planes(state, planes)
    places = [rules.place(state, move) for move in game.legal_moves(state)]
    legal[0, places] = True
    policy = np.zeros(legal.shape, np.float32)
    policy[0, places] = np.arange(1, len(places) + 1)
    return Batch(planes[None], legal, np.array(places[:1]), np.array([WIN]), policy, np.zeros((1, 3), np.float32))


def test_a_draw_is_a_function_of_seed_and_step():
    samples = everything(random_games("connect4:5x4", count=4))
    first, again, other = (samples.draw(6, 5, step) for step in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first.planes, other.planes)


def test_boards_of_several_sizes_come_as_often_as_their_positions():
    recorded = random_games("go:3", "go:5", count=4)
    samples = everything(recorded)
    sides = [samples.draw(1, 1, step).planes.shape[1] for step in range(200)]
    share = samples.counts[samples.shapes.index((3, 3, recorded.variants[0].encoding.planes))] / samples.count
    assert sides.count(3) / 200 == pytest.approx(share, abs=0.12) and set(sides) == {3, 5}


# -- measures --------------------------------------------------------------------------------------------------------------
def test_measures_of_known_logits():
    """Two positions of three places; in the first the likeliest is illegal, in the second it is played."""
    legal = np.array([[False, True, True], [True, True, True]])
    nothing = np.zeros((2, 3), np.float32)
    batch = Batch(np.zeros((2, 1, 3, 1), np.float32), legal, np.array([1, 0]), np.array([LOSS, UNKNOWN]), nothing, nothing)
    logits = np.log(np.array([[0.9, 0.025, 0.075], [0.5, 0.25, 0.25]], np.float32))
    results = np.log(np.array([[0.25, 0.25, 0.5], [0.9, 0.05, 0.05]], np.float32))
    found = measure(lambda _planes: (logits, results), [batch])
    assert (found.positions, found.top1, found.top5, found.with_result, found.value_right) == (2, 0.5, 1.0, 1, 1.0)
    assert found.nats == pytest.approx(-(np.log(0.25) + np.log(0.5)) / 2)
    assert found.value_nats == pytest.approx(np.log(2)) and found.calibration == ((1, pytest.approx(0.375), 0.0),)


# -- settings and checkpoints -------------------------------------------------------------------------------------------------
def test_the_learning_rate_rises_and_falls():
    settings, budget = RunSettings(rate=1.0), LearningBudget(steps=10_000)
    rates = [learning_rate(settings, step, budget.share(step, 0.0)) for step in (0, 100, 5000, 9999, 10_000)]
    assert rates == pytest.approx([0.005, 0.5, 0.5, 0.005, 0.005], abs=0.01)


def test_a_run_keeps_its_settings():
    kept = RunSettings(blocks=2)
    assert settled(kept, {}, "f") is kept and settled(kept, {"blocks": 2}, "f") is kept
    with pytest.raises(UserError, match="begun with --blocks 2, not 3"):
        settled(kept, {"blocks": 3}, "f")
    for wrong in ({"blocks": 0}, {"rate": float("nan")}, {"batch": 10**9}, {"numbers": "int8"}):
        with pytest.raises(UserError):
            settled(None, wrong, "f")


ROW = dict.fromkeys((*checkpoint.NUMBERS, *checkpoint.PERHAPS, "with_result"), 1) | {"calibration": [[1, 0.5, 0.5]]}


def test_checkpoints(tmp_path):
    path, arrays = tmp_path / "checkpoint", {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.ones(1, np.float32)}
    progress = RunProgress(5, 640, 1.5, 2.0, 3, [ROW])
    checkpoint.save_checkpoint(path, "go", RunSettings(seed=7), progress, arrays)
    assert checkpoint.load_head(path) == ("go", RunSettings(seed=7), progress)
    again = checkpoint.load_arrays(path, {"a": (2, 3), "b": (1,)})
    assert all(np.array_equal(arrays[name], again[name]) for name in arrays)
    for sizes in ({"a": (2, 3)}, {"a": (2, 3), "b": (2,)}):
        with pytest.raises(UserError, match="damaged"):
            checkpoint.load_arrays(path, sizes)


@pytest.mark.parametrize(
    "wrong",
    [
        {"game": 3},
        {"settings": {}},
        {"settings": RunSettings().as_json() | {"blocks": 10**9}},
        {"settings": RunSettings().as_json() | {"blocks": "4"}},
        {"settings": RunSettings().as_json() | {"blocks": 40, "channels": 512}},  # a network of gigabytes
        {"progress": {}},
        {"progress": RunProgress().__dict__ | {"step": -1}},
        {"progress": RunProgress().__dict__ | {"seconds": 10**400}},
        {"progress": RunProgress().__dict__ | {"rows": [ROW | {"nats": "1"}]}},
        {"progress": RunProgress(step=1).__dict__ | {"rows": [ROW | {"calibration": [[1]]}]}},
        {"progress": RunProgress(step=1).__dict__ | {"rows": [ROW | {"nats": float("inf")}]}},
    ],
    ids=lambda wrong: json.dumps(wrong)[:30],
)
def test_hostile_checkpoints_are_refused(tmp_path, wrong):
    header = {"game": "go", "settings": RunSettings().as_json(), "progress": RunProgress().__dict__}
    write_sealed(tmp_path / "checkpoint", checkpoint.FORMAT, header | wrong, [])
    with pytest.raises(UserError, match="damaged"):
        checkpoint.load_head(tmp_path / "checkpoint")


@pytest.mark.parametrize("with_result", (0, 10))
def test_the_picture(with_result):
    value = 0.6 if with_result else None
    same = {"positions": 10, "with_result": with_result, "calibration": [[4, 0.3, 0.2], [6, 0.8, 0.7]]}
    same |= {"value_nats": value, "value_right": value}
    moves = [{"loss": 3.0 - n, "nats": 2.5 - n, "top1": 0.1 * n, "top5": 0.3 * n} for n in range(3)]
    rows = [{"samples": n * 1000, "seconds": n} | moves[n] | same for n in range(3)]
    for some in (rows, rows[-1:]):
        text = picture("go: a network <of> 2 x 8", some)
        assert text.startswith(MARK) and ElementTree.fromstring(text).tag.endswith("svg")
        assert ("Calibration" in text) == bool(with_result) and "nan" not in text
