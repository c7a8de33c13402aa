"""Leaves that wait for an evaluator outside of the search: any Python callable in place of a network."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest

import tesuji
from tesuji.cli.main import main
from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import is_pure
from tesuji.games.registry import find_game
from tesuji.knowledge.network.file import LearnedNetwork, save_network
from tesuji.knowledge.network.forward import board_network, expected_result, logit_at, network_room, run_network
from tesuji.knowledge.network.network import NetworkShape, random_network
from tesuji.players.presets import find_player
from tesuji.search.engine import driver, thread_pool, tree_search
from tesuji.search.engine.evaluator import Evaluator
from tesuji.search.files.saved_search import save_search
from tesuji.search.kernel.leaves import WAITING
from tesuji.search.kernel.tree import CLAIMED, ROOT, USED

GAME = find_game("tictactoe")
FOUR = find_game("connect4:4x4")


def opinion(planes):
    """Different logits and values for different positions."""
    flat = planes.reshape(len(planes), -1)
    places = GAME.encoding.places if planes.shape[-1] == 3 else FOUR.encoding.places
    weights = np.cos(np.arange(flat.shape[1] * (places + 1), dtype=np.float64) ** 1.3).reshape(flat.shape[1], -1)
    numbers = flat @ weights
    return numbers[:, 1:], 1 / (1 + np.exp(-numbers[:, 0]))


def counting(function=opinion):
    """The function, and the sizes of the batches that it got."""
    sizes = []

    def evaluate(planes):
        sizes.append(len(planes))
        return function(planes)

    return evaluate, sizes


def player(function=opinion, text="network", **values):
    base = find_player(text).changed({"memory": 4.0, **values})
    return tesuji.player(base, evaluator=Evaluator(function))


def engine(function=opinion, game=GAME, pure=True, seed=1, **values):
    return player(function, **values).engine(game, seed=seed, pure=pure)


def searched(playouts, *args, **values):
    search = engine(*args, **values)
    search.run(Limits(playouts=playouts))
    return search


def is_settled(search):
    """Nothing waits, no virtual loss is left, and every visit of a node went on to a child or ended there."""
    nodes = search.tree.nodes[: int(search.tree.counters[USED])]
    below = np.zeros(len(nodes), np.int64)
    np.add.at(below, nodes["parent"][1:], nodes["visits"][1:])
    inner = nodes["child_count"] > 0
    ended = nodes["visits"][inner] - below[inner]
    claimed = nodes["flags"] & CLAIMED != 0
    open_leaves = ~inner & (nodes["lower"] < nodes["upper"])
    return (
        not any(scratch.leaves.counts[WAITING] for scratch in search.scratches)
        and nodes["visits"][ROOT] == search.playouts
        and (ended >= 0).all()
        and not (claimed & open_leaves).any()
    )


# -- one search --------------------------------------------------------------------------------------------------------------
def test_leaves_are_evaluated_in_batches():
    evaluate, sizes = counting()
    search = searched(150, evaluate, game=FOUR, solver="off")
    assert search.playouts == 150 and is_settled(search)
    inner = np.count_nonzero(search.tree.nodes["child_count"])
    assert sum(sizes) == inner  # each answer is used, and no position is evaluated twice
    assert sizes[0] == 1 and max(sizes) == 16 and len(sizes) < 150 / 4


@pytest.mark.skipif(is_pure(), reason="there is no compiler in pure Python")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_compiled_search_is_the_same(threads):
    compiled = searched(300, game=FOUR, pure=False, threads=threads)
    assert compiled.playouts == 300 and is_settled(compiled)
    if threads == 1:
        assert compiled.tree_hash() == searched(300, game=FOUR).tree_hash()


def network_of(tmp_path):
    """A network of ours as a file, and as an evaluator."""
    encoding = GAME.encoding
    network = random_network(NetworkShape(encoding.planes, 1, 0, 8, 1, 0, 4, 8, 3), seed=3)
    save_network(tmp_path / "network", LearnedNetwork("tictactoe", encoding.names, 1, network))
    ready = board_network(network, encoding)
    room = network_room(ready, encoding)

    def evaluate(planes):
        policies, values = np.zeros((len(planes), encoding.places)), np.zeros(len(planes))
        for i, board in enumerate(planes):
            room.planes[:] = board.transpose(1, 2, 0)
            run_network(ready, room, 0)
            policies[i] = [logit_at(ready, room, place) for place in range(encoding.places)]
            values[i] = expected_result(room.result)
        return policies, values

    return str(tmp_path / "network"), evaluate


@pytest.mark.parametrize(
    "text",
    [
        "network",
        "network:value_share=0.4,expand_after=2,network_view=all",
        "network:network_view=random,network_temperature=2",
        "network:selection=rave-prior,value_share=0,solver=off",
        "network:selection=progressive-bias,first_play=0.5",
    ],
)
def test_with_batches_of_one_it_is_the_search_with_the_same_network(tmp_path, text):
    path, evaluate = network_of(tmp_path)
    values = {"memory": 4.0}
    built_in = find_player(text).changed({**values, "network": path}).engine(GAME, seed=5, pure=True)
    built_in.run(Limits(playouts=80))
    assert searched(80, evaluate, text=text, seed=5, batch=1).tree_hash() == built_in.tree_hash()


def test_batches_do_not_depend_on_the_pace(monkeypatch):
    one = searched(200)
    monkeypatch.setattr(driver, "SLICE_SECONDS", 1e-9)
    monkeypatch.setattr(driver, "SHORTEST_AIM", 1e-9)
    monkeypatch.setattr(driver, "FIRST_SLICE", 1)
    assert searched(200).tree_hash() == one.tree_hash()


def test_a_batch_may_be_larger_than_the_tree():
    evaluate, sizes = counting()
    search = player(evaluate, batch=4096).engine(GAME, GAME.state_after(["b2", "b1", "a1", "c3", "a2"]), pure=True)
    search.run(Limits(playouts=500))
    assert search.is_decided() and is_settled(search) and 1 < max(sizes) < 100


def test_what_is_decided_never_waits():
    """One move before the end: the root waits, then its children are bounded by probing; after the end nothing does."""
    evaluate, sizes = counting()
    state = GAME.state_after(["a1", "a2", "b1", "b2"])
    search = player(evaluate).engine(GAME, state, pure=True)
    assert search.run(Limits(playouts=50)).proven and sum(sizes) <= 2
    over = player(evaluate).engine(GAME, GAME.state_after(["a1", "a2", "b1", "b2", "c1"]), pure=True)
    calls = len(sizes)
    assert over.run(Limits(playouts=50)).proven and len(sizes) == calls
    search.run(Limits(playouts=50))
    assert len(sizes) == calls


def test_bounds_and_proofs_go_on_beside_it():
    def wrong(planes):
        return np.zeros((len(planes), 9)), np.ones(len(planes))

    search = player(wrong).engine(GAME, GAME.state_after(["b2", "a1"]), pure=True)
    search.run(Limits(playouts=5000))
    assert search.is_decided() and search.result().lower == search.result().upper == 0 and is_settled(search)


def test_the_tree_moves_along_and_memory_may_run_out():
    search = searched(120, game=FOUR)
    search.advance(int(search.result().best_move))
    kept = int(search.tree.nodes[ROOT]["visits"])
    search.run(Limits(playouts=50))
    assert kept > 0 and int(search.tree.nodes[ROOT]["visits"]) == kept + 50
    small = searched(400, memory=0.03, solver="off", batch=8)
    assert small.was_full and small.playouts == 400


def test_what_it_sees():
    seen = []

    def evaluate(planes):
        seen.append(planes.copy())
        return np.zeros((len(planes), 16)), np.full((len(planes), 3), 1.0)

    state = FOUR.state_after(["1", "2", "1"])
    for view, first in (("same", True), ("all", True), ("random", True)):
        for planes_first in (True, False):
            seen.clear()
            base = find_player(f"network:network_view={view},memory=4")
            one = tesuji.player(base, evaluator=Evaluator(evaluate, planes_first=planes_first)).engine(FOUR, state, pure=True)
            one.run(Limits(playouts=1))
            boards = seen[0].transpose(0, 2, 3, 1) if planes_first else seen[0]
            planes = FOUR.encoding.empty()
            tesuji.rules.planes(state, planes)
            images = [FOUR.encoding.image_of_planes(planes, number) for number in range(2)]
            assert boards.dtype == np.float32 and boards.flags.writeable and first
            if view == "random":
                assert any(np.array_equal(boards[0], image) for image in images)
            else:
                assert np.array_equal(boards, images if view == "all" else images[:1])
    assert one.tree.expectations[ROOT] == pytest.approx(0.5)


# -- evaluators that fail ------------------------------------------------------------------------------------------------------
ZEROS, HALVES = np.zeros((1, 9)), np.full(1, 0.5)


def raises(planes):
    raise ValueError("no\nmore")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (raises, "raises ValueError: no"),
        (lambda planes: exit(), "raises SystemExit"),
        (lambda planes: None, r"returns NoneType; it must return \(policies, values\)"),
        (lambda planes: (ZEROS, HALVES, HALVES), "returns 3 things"),
        (lambda planes: (np.zeros((1, 8)), HALVES), r"policies of the shape \(1, 8\), not \(1, 9\)"),
        (lambda planes: (np.zeros((2, 9)), HALVES), r"policies of the shape \(2, 9\), not \(1, 9\)"),
        (lambda planes: (ZEROS, np.zeros((1, 2))), r"values of the shape \(1, 2\), not \(1,\), or \(1, 3\)"),
        (lambda planes: (ZEROS, np.float64(0.5)), r"values of the shape \(\)"),
        (lambda planes: ([[0.0] * 8 + ["x"]], HALVES), "policies of the type <U"),
        (lambda planes: ([[0.0] * 8, [0.0]], HALVES), "policies that are no array: ValueError"),
        (lambda planes: (ZEROS + 1j, HALVES), "policies of the type complex128"),
        (lambda planes: (ZEROS + math.nan, HALVES), "NaN or infinity among its policies"),
        (lambda planes: (ZEROS + math.inf, HALVES), "NaN or infinity among its policies"),
        (lambda planes: (ZEROS, HALVES - 1), r"the value -0.5; values are from 0"),
        (lambda planes: (ZEROS, HALVES * math.nan), "the value nan"),
        (lambda planes: (ZEROS, np.full((1, 3), math.nan)), "NaN or infinity among its values"),
    ],
)
def test_what_is_wrong_with_an_evaluator_is_one_line(function, message):
    search = engine(function)
    with pytest.raises(UserError, match=message) as error:
        search.run(Limits(playouts=5))
    assert (
        str(error.value).startswith("the evaluator ")
        and "\n" not in str(error.value)
        and "test_evaluator.py:" in str(error.value)
    )
    assert search.playouts == 0 and is_settled(search)


def test_a_search_goes_on_after_an_error():
    failing = [5]

    def evaluate(planes):
        failing[0] -= 1
        if failing[0] == 0:
            raise RuntimeError("out of memory")
        return opinion(planes)

    search = engine(evaluate, game=FOUR, solver="off")
    with pytest.raises(UserError, match="out of memory"):
        search.run(Limits(playouts=100))
    done = search.playouts
    assert 0 < done < 100 and is_settled(search) and search.result().moves
    assert search.run(Limits(playouts=100)).playouts == done + 100 and is_settled(search)


def test_moves_that_cannot_be_may_have_no_logit():
    def masked(planes):
        policies, values = opinion(planes)
        policies[planes[:, 0].reshape(len(planes), -1) + planes[:, 1].reshape(len(planes), -1) > 0] = -math.inf
        return policies, values

    assert searched(60, masked).tree_hash() == searched(60).tree_hash()


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(thread_pool, "POLL_SECONDS", 0.01)


# Only compiled searches have several threads.
THREADS = [1, pytest.param(2, marks=pytest.mark.skipif(is_pure(), reason="threads run compiled code"))]


def hanging(at):
    """An evaluator that hangs at this call until it is released, and the events of both."""
    hangs, released, calls = threading.Event(), threading.Event(), [0]

    def evaluate(planes):
        calls[0] += 1
        if calls[0] == at:
            hangs.set()
            released.wait(60)
        return opinion(planes)

    return evaluate, hangs, released


@pytest.mark.parametrize("threads", THREADS)
def test_a_stop_leaves_a_hanging_evaluator_behind(impatient, threads):
    """With two threads one hangs, and the other soon meets nothing but leaves that wait."""
    evaluate, hangs, released = hanging(4)
    search = engine(evaluate, game=FOUR, solver="off", threads=threads, pure=threads == 1)
    stopper = threading.Thread(target=lambda: (hangs.wait(60), search.stop()))
    stopper.start()
    result = search.run(Limits(playouts=1000))
    stopper.join()
    assert result.interrupted and 0 < result.playouts < 1000 and is_settled(search)
    before = search.tree_hash()
    released.set()
    assert search.run(Limits(playouts=100)).playouts == result.playouts + 100 and is_settled(search)
    assert search.tree_hash() != before


@pytest.mark.parametrize("threads", THREADS)
def test_a_search_of_which_nothing_is_done_ends_with_a_line(impatient, threads):
    evaluate, hangs, released = hanging(1)
    search = engine(evaluate, threads=threads, pure=threads == 1)
    search.stop()
    with pytest.raises(UserError, match=r"the evaluator evaluate \(.*\) has not answered for \d+ seconds"):
        search.run(Limits(playouts=1000))
    assert hangs.is_set() and search.playouts == 0 and is_settled(search)
    released.set()


@pytest.mark.parametrize("threads", THREADS)
def test_an_evaluator_that_never_answers_ends_the_search(impatient, monkeypatch, threads):
    monkeypatch.setattr(tree_search, "STUCK_SECONDS", 3)
    evaluate, _hangs, released = hanging(3)
    search = engine(evaluate, solver="off", threads=threads, pure=threads == 1)
    with pytest.raises(UserError, match="has not answered"):
        search.run(Limits(playouts=1000))
    assert search.playouts > 0 and is_settled(search)
    released.set()


# -- players -------------------------------------------------------------------------------------------------------------------
def test_what_has_no_evaluator_is_refused(tmp_path):
    for make, message in (
        (lambda: Evaluator(3), "an evaluator is a callable"),
        (lambda: engine(text="uct:policy=uniform"), "policy=uniform asks no evaluator"),
        (lambda: engine(game=find_game("samegame")), "policy"),
        (lambda: engine(network=str(tmp_path)), "network=FILE has no effect"),
        (lambda: engine(game=find_game("loa"), text="mia2006"), "asks no evaluator"),
        (lambda: find_player("network:batch=3").settings_for(GAME), "batch"),
        (lambda: engine(batch=0), "batch"),
        (lambda: save_search(engine(), tmp_path / "saved"), "an evaluator of your own cannot be saved"),
    ):
        with pytest.raises(UserError, match=message) as error:
            make()
        assert "\n" not in str(error.value)


def test_a_player_with_an_evaluator_has_its_parameters():
    settings = tesuji.Player("mine", evaluator=Evaluator(opinion), values={"batch": 4}).settings_for(GAME)
    assert settings["policy"] == "network" and settings["batch"] == 4 and settings["virtual_loss"] == 1
    assert "batch" not in find_player("network").settings_for(GAME)
    changed = tesuji.player("network", evaluator=Evaluator(opinion), batch=2, playouts=20)
    assert changed.as_string() == "network:batch=2,playouts=20"
    search = changed.search("tictactoe", seed=1)
    analysis = search.run()
    assert analysis.playouts == 20 and search.analysis().best == analysis.best
    search.play(analysis.best)
    assert search.run(playouts=5).playouts == 5


def test_knowledge_of_a_game_beside_an_evaluator():
    """MoGo's playouts and rules, with an evaluator in place of the network that rates moves."""

    def flat(planes):
        assert planes.shape[1:] == (15, 5, 5)
        return np.zeros((len(planes), 26)), np.full(len(planes), 0.5)

    assert is_settled(searched(40, flat, game=find_game("go:5"), text="mogo:policy=network,expand_after=2"))


FILE = """
import numpy as np
import tesuji

def evaluate(planes):
    return np.zeros((len(planes), 9)), np.full(len(planes), 0.5)

player = tesuji.player("network", evaluator=tesuji.Evaluator(evaluate), batch=8, memory=4)
"""


def test_on_the_command_line(tmp_path, capsys):
    (tmp_path / "mine.py").write_text(FILE)
    named = f"{tmp_path}/mine.py:player"
    assert main(["analyze", "tictactoe", "--player", f"{named}:batch=4", "--playouts", "30"]) == 0
    assert "b2" in capsys.readouterr().out
    (tmp_path / "mine.py").write_text(FILE.replace("9))", "8))"))
    assert main(["analyze", "tictactoe", "--player", named, "--playouts", "30"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "gives policies of the shape (1, 8), not (1, 9)" in line
