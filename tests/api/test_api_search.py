"""Searches of the API: the player's own, interruptible, with a tree that can be walked."""

import json
import signal
import threading
import time

import pytest

import tesuji
from tesuji.search.selection.rave import Rave

SOON = tesuji.game("tictactoe").start.play("b2", "a1", "c3")


@pytest.fixture
def search():
    return tesuji.player("tesuji").search(SOON, seed=1)


def test_a_search_is_the_players_own():
    engine = tesuji.player("uct-rave").search("go:4").engine
    assert isinstance(engine.rule, Rave) and engine.settings["reward"] == "win"
    assert type(engine.policy).__name__ != "Uniform"
    plain = tesuji.player("uct").search("go:4").engine
    assert type(plain.policy).__name__ == "Uniform" and not isinstance(plain.rule, Rave)


def test_equal_seeds_give_equal_searches():
    def found(seed):
        return tesuji.player("uct").search(SOON, seed=seed).run(playouts=40).moves

    assert found(1) == found(1) != found(2)


def test_what_an_analysis_says(search):
    analysis = search.run(playouts=50)
    assert analysis.position == SOON and analysis.playouts == 50 and analysis.seconds > 0 and analysis.nodes > 10
    assert {one.move for one in analysis.moves} == set(SOON.legal_moves)
    assert sum(one.visits for one in analysis.moves) in (49, 50)
    best = analysis.moves[0]
    assert (analysis.best, analysis.line, analysis.value, analysis.chance) == (best.move, best.line, best.value, best.chance)
    assert best.chance == pytest.approx((1 - best.value) / 2)  # o is to move, and values are those of x
    assert SOON.play(*best.line).moves[3:] == best.line and best.line[0] == best.move
    assert analysis.outcome == "unknown" and analysis.bounds == (-1, 1) and not analysis.proven
    assert best.move in str(analysis) and repr(analysis).startswith("<Analysis of tictactoe: o to move: ")
    keys = {"move", "visits", "value", "prior", "rave", "lower", "upper", "score", "score_deviation", "pv"}
    assert json.loads(json.dumps(analysis.to_json()))["moves"][0].keys() == keys


def test_a_run_goes_on_and_ends_with_the_proof(search):
    search.run(playouts=20)
    assert search.run(playouts=10).playouts == 30 == search.analysis().playouts
    proven = search.run(playouts=100_000)
    assert proven.proven and proven.bounds == (0, 0) and proven.value == 0 and proven.chance == 0.5 and proven.outcome == "draw"
    assert proven.playouts < 20_000 and proven.proof == "a draw with perfect play"


def test_play_keeps_the_tree(search):
    analysis = search.run(playouts=60)
    kept = search.tree.children()[0].visits
    search.play(analysis.best)
    assert search.position == SOON.play(analysis.best) and search.tree.visits == kept
    before = search.position
    with pytest.raises(tesuji.Error, match="not a legal move"):
        search.play(search.position.legal_moves[0], "z9")
    assert search.position == before and search.tree.visits == kept  # all moves or none


def test_a_game_to_its_end(search):
    while not search.position.is_over:
        search.play(search.run(playouts=30).best)
    analysis = search.run(playouts=30)
    assert analysis.best is None and analysis.moves == () and analysis.line == () and analysis.proven
    assert analysis.value == search.position.outcome and "the game is over" in repr(analysis)


def test_points_and_wins_in_go():
    points = tesuji.player("tesuji", reward="outcome").search("go:3:komi=0.5", seed=1).run(playouts=30)
    assert all(bound % 1 == 0.5 for bound in points.bounds) and points.bounds == (-9.5, 9.5)
    assert any(abs(one.value) > 1 for one in points.moves)
    wins = tesuji.player("tesuji").search("go:3:komi=0.5", seed=1).run(playouts=30)
    assert all(-1 <= one.value <= 1 for one in wins.moves) and wins.bounds == (-9.5, 9.5)


# -- limits ------------------------------------------------------------------------------------------------------------
def test_limits(search):
    assert tesuji.player("uct", playouts=15).search(SOON).run().playouts == 15
    assert tesuji.player("uct:playouts=15").search(SOON).run(playouts=5).playouts == 5
    for wrong, complaint in {
        (): "needs a limit",
        (("playouts", 0),): "playouts=0 is not possible",
        (("playouts", "many"),): "playouts='many' is not possible: a whole number from 1",
        (("playouts", 1.5),): "playouts=1.5 is not possible: a whole number from 1",
        (("playouts", True),): "playouts=True is not possible",
        (("seconds", "1"),): "seconds='1' is not possible: a number from 0 to ",
        (("seconds", -1),): "seconds=-1 is not possible",
        (("seconds", float("nan")),): "is not possible",
    }.items():
        with pytest.raises(tesuji.Error, match=complaint):
            search.run(**dict(wrong))
    assert search.analysis().playouts == 0


# -- interrupts --------------------------------------------------------------------------------------------------------
def test_keyboard_interrupt_reaches_the_caller_and_what_was_done_is_kept(monkeypatch):
    search = tesuji.player("uct").search("connect4:7x6", seed=1)
    handler = signal.getsignal(signal.SIGINT)
    run_round, rounds = type(search.engine)._run_round, []

    def interrupted_in_the_third(self, *arguments):
        assert signal.getsignal(signal.SIGINT) is handler
        rounds.append(1)
        if len(rounds) == 3:
            signal.raise_signal(signal.SIGINT)
        run_round(self, *arguments)

    monkeypatch.setattr(type(search.engine), "_run_round", interrupted_in_the_third)
    with pytest.raises(KeyboardInterrupt):
        search.run(seconds=60)
    done = search.analysis().playouts
    assert done > 0 and len(rounds) >= 3
    assert search.run(playouts=10).playouts == done + 10  # nothing is left of the request to stop
    search.play(search.analysis().best)
    assert len(search.position.moves) == 1


def test_an_error_in_on_progress_stops_the_run(monkeypatch):
    monkeypatch.setattr("tesuji.search.engine.driver.PROGRESS_SECONDS", 0.0)
    search = tesuji.player("uct").search("connect4:7x6")
    seen = []

    def fail(analysis):
        seen.append((analysis.playouts, threading.current_thread() is threading.main_thread()))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        search.run(seconds=60, on_progress=fail)
    assert len(seen) == 1 and seen[0][0] > 0 and seen[0][1]
    assert search.run(playouts=1).playouts > seen[0][0]


def test_stop_from_another_thread_and_a_busy_search():
    search = tesuji.player("uct").search("connect4:7x6")
    found = []
    thread = threading.Thread(target=lambda: found.append(search.run(seconds=60)))
    thread.start()
    while not search._busy.locked():
        time.sleep(0.001)
    with pytest.raises(tesuji.Error, match="busy"):
        search.run(playouts=1)
    with pytest.raises(tesuji.Error, match="busy"):
        search.play("4")
    search.stop()
    thread.join()
    assert found[0].interrupted and found[0].playouts > 0


def test_a_stop_without_a_run_has_no_effect(search):
    search.run(playouts=10)
    search.stop()
    assert not search.analysis().interrupted
    analysis = search.run(playouts=40)
    assert analysis.playouts == 50 and not analysis.interrupted


def test_a_stop_while_the_run_is_prepared_ends_it(monkeypatch):
    search = tesuji.player("uct").search("connect4:7x6")
    monkeypatch.setattr(search.engine, "prepare", search.stop)
    analysis = search.run(seconds=60)
    assert analysis.interrupted and 0 < analysis.playouts <= 16


def test_a_request_made_before_its_run_begins_ends_that_run_alone():
    search = tesuji.player("uct").search("connect4:7x6")
    request = search.stop_request()
    request.stop()
    stopped = search.run_within(tesuji.Limits(seconds=60), request=request)
    assert stopped.interrupted and 0 < stopped.playouts <= 16
    assert not search.run_within(tesuji.Limits(playouts=40)).interrupted


def test_a_request_for_another_run_does_not_stop_the_one_under_way(search):
    def work(_tell):
        search.stop_request().stop()
        return search.engine.run(tesuji.Limits(playouts=40))

    assert not search.in_thread(work).interrupted


def test_of_many_threads_one_at_a_time_works_on_the_tree(search):
    """Each work takes until all threads have tried: with a mark that is looked at and then set, several would get in."""
    inside, refused, ready = [], [], threading.Barrier(8)
    all_tried = threading.Event()

    def work(_tell):
        inside.append(1)
        all_tried.wait(60)

    def attempt():
        ready.wait()
        try:
            search.in_thread(work)
        except tesuji.Error as error:
            refused.append(str(error))
            if len(refused) == 7:
                all_tried.set()

    threads = [threading.Thread(target=attempt) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(inside) == 1 and len(refused) == 7 and all("busy" in text for text in refused)
    assert search.run(playouts=1).playouts == 1


@pytest.mark.parametrize("begun", [True, False], ids=["as it begins", "before it begins"])
def test_keyboard_interrupt_while_the_thread_starts(monkeypatch, begun):
    search = tesuji.player("uct").search("connect4:7x6")
    start, held, threads = threading.Thread.start, threading.Event(), []

    def interrupted(thread):
        threads.append(thread)
        if begun:
            start(thread)
        else:
            run = thread.run
            thread.run = lambda: (held.wait(60), run())
            start(thread)
            thread._started.clear()  # as if the system had not come to it yet
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(threading.Thread, "start", interrupted)
        search.run(seconds=60)
    held.set()
    threads[0]._started.set()
    threads[0].join(60)
    assert not threads[0].is_alive() and not search._busy.locked()
    done = search.analysis().playouts
    assert done == 0 or begun
    assert search.run(playouts=5).playouts == done + 5


def test_a_running_search_is_not_saved_or_walked(monkeypatch, tmp_path):
    monkeypatch.setattr("tesuji.search.engine.driver.PROGRESS_SECONDS", 0.0)
    search = tesuji.player("uct").search("connect4:7x6")
    refused = []

    def look(_analysis):
        if refused:  # told before the run was stopped
            return
        for use in (lambda: search.save(tmp_path / "a"), lambda: search.tree, lambda: tesuji.Proof.of(known, search).save("b")):
            with pytest.raises(tesuji.Error, match="busy"):
                use()
            refused.append(1)
        search.stop()

    known = search.analysis()
    assert search.run(seconds=60, on_progress=look).interrupted
    assert len(refused) == 3 and not list(tmp_path.iterdir())
    search.save(tmp_path / "a")
    assert search.tree.visits > 0


# -- the tree ----------------------------------------------------------------------------------------------------------
def test_the_tree_is_what_the_analysis_says(search):
    analysis = search.run(playouts=60)
    root = search.tree
    assert root.move is None and root.position == SOON and root.visits in (60, 61) and root.line == analysis.line
    for node, one in zip(root.children(), analysis.moves, strict=True):
        assert (node.move, node.visits, node.value, node.bounds) == (one.move, one.visits, one.value, one.bounds)
        assert (node.move, *node.line) == one.line and node.position == SOON.play(node.move) and not node.is_pruned
        below = node.children()
        assert not below or {child.move for child in below} == set(node.position.legal_moves)
        for child in below:
            assert child.position == SOON.play(node.move, child.move) and child.visits <= node.visits
    with_rave = tesuji.player("uct-rave").search("go:3", seed=1)
    analysis = with_rave.run(playouts=60)
    assert [node.rave for node in with_rave.tree.children()] == [one.rave for one in analysis.moves]
    assert any(one.rave is not None for one in analysis.moves)


def test_nodes_are_out_of_date_once_the_search_goes_on(search):
    search.run(playouts=20)
    node = search.tree.children()[0]
    search.analysis()
    assert node.visits > 0
    search.run(playouts=1)
    assert repr(node) == "<TreeNode, out of date>"
    with pytest.raises(tesuji.Error, match="begin anew"):
        node.children()


def test_the_tree_as_json(search):
    search.run(playouts=300)

    def nodes(tree, level=0):
        yield tree, level
        for child in tree["children"]:
            yield from nodes(child, level + 1)

    everything = search.tree.to_json(depth=100, visits=0)
    assert (everything["game"], everything["moves"], everything["move"]) == ("tictactoe", ["b2", "a1", "c3"], None)
    assert everything.keys() - {"game", "moves"} == everything["children"][0].keys()
    count = sum(1 for _ in nodes(everything))
    assert count == search.analysis().nodes
    shallow = list(nodes(search.tree.to_json(depth=2, visits=4)))
    assert max(level for _, level in shallow) == 2 and all(node["visits"] >= 4 for node, _ in shallow)
    expected = [node for node, level in nodes(everything) if level <= 2 and node["visits"] >= 4]
    assert len(shallow) == len(expected) < count  # a node is never visited more often than its parent
    assert json.dumps(search.tree.to_json())
    assert search.tree.children()[0].to_json(depth=0).keys() == everything["children"][0].keys()
    assert search.tree.to_json(depth=0)["children"] == []


def test_alphabeta_keeps_no_tree(tmp_path):
    search = tesuji.player("mia2006", depth=1).search("loa", seed=1)
    analysis = search.run(playouts=200)
    assert analysis.best in search.position.legal_moves
    search.play(analysis.best)
    assert len(search.position.moves) == 1
    with pytest.raises(tesuji.Error, match="mia2006 searches by alpha-beta, which keeps no tree"):
        search.tree.children()
    with pytest.raises(tesuji.Error, match="cannot be saved"):
        search.save(tmp_path / "x")


def test_save_and_load(search, tmp_path):
    search.run(playouts=50)
    search.save(tmp_path / "a.search")
    loaded = tesuji.load(tmp_path / "a.search")
    assert (loaded.position, loaded.position.moves) == (SOON, SOON.moves)
    assert loaded.analysis().moves == search.analysis().moves
    assert loaded.run(playouts=30).moves == search.run(playouts=30).moves
    with pytest.raises(tesuji.Error, match="cannot be read"):
        tesuji.load(tmp_path / "none")
    with pytest.raises(tesuji.Error, match="tictactoe"):
        tesuji.load(tmp_path / "a.search", "connect4:4x4")


def test_a_position_that_was_set_up(tmp_path):
    game = tesuji.game("go:3:komi=0.5")
    position = tesuji.Position(game, game.board.set_up(game.initial, {(1, 1): 0}, 1)).play("A1")
    assert position.moves == ("A1",) and position.to_move == "Black"
    search = tesuji.player("tesuji").search(position)
    search.run(playouts=5)
    assert search.tree.to_json()["moves"] is None
    search.save(tmp_path / "a.search")
    assert tesuji.load(tmp_path / "a.search").position == position
