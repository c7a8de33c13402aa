"""Proofs by jobs: the value is that of one search, and the certificate out of the parts is accepted."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path

import pytest
from cluster_fakes import RealWork

import tesuji
from tesuji.cli.main import main
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.lab.cluster import proof_jobs, proof_tree, proving
from tesuji.lab.cluster.identity import differences
from tesuji.lab.cluster.proof_store import ProofPlan, ProofStore, digest_of
from tesuji.lab.cluster.proof_tree import ProofTree, TopNode
from tesuji.lab.cluster.proving import make_setup, prove_on_cluster
from tesuji.lab.cluster.tasks import PROOF, SELF_PLAY, identity_of
from tesuji.players.presets import find_player
from tesuji.proof.trusted.format import save_certificate

NO_LIMITS = Limits()


@pytest.fixture(autouse=True)
def small_jobs(monkeypatch):
    """In pure Python, with jobs so small that there are many."""
    monkeypatch.setenv("TESUJI_PURE", "1")
    monkeypatch.setattr(proof_tree, "FIRST_PLAYOUTS", 20)
    monkeypatch.setattr(proof_tree, "MOST_PLAYOUTS", 60)
    monkeypatch.setattr(proof_tree, "SHARE", 10**9)
    monkeypatch.setattr(proof_jobs, "STEP", 20)


def prove(text: str, moves: str = "", certificate: bool = True, limits: Limits = NO_LIMITS, cluster=None, **parameters):
    game = find_game(text)
    setup = json.loads(json.dumps(make_setup(text, game, "", parameters, certificate)))
    numbers = game.start.play(*moves.split()).move_numbers
    tree = ProofTree(game, numbers, limits, setup)
    prove_on_cluster(cluster or RealWork(), tree, setup, lambda text: None, lambda: None, 1000)
    return tree


@pytest.mark.parametrize(
    ("game", "moves", "value"),
    [
        ("tictactoe", "", 0),
        ("tictactoe", "a1 b1", 1),
        ("connect4:3x4:3", "", None),
        ("seki:2,2", "", None),
        ("dotsandboxes:1x2", "", None),
        ("hex:3", "a2", None),
    ],
)
def test_a_proof_by_jobs_and_its_certificate(game, moves, value, tmp_path, monkeypatch):
    if game.startswith("hex"):
        monkeypatch.setattr(proof_tree, "FIRST_PLAYOUTS", 1)  # it knows much without a search
    tree = prove(game, moves)
    assert tree.root.is_decided and tree.jobs > 1
    if value is None:
        value = tesuji.solve(find_game(game).start.play(*moves.split())).value
    assert find_game(game).in_points(tree.root.lower) == value
    path = tmp_path / "proof.cert"
    certificate = tree.certificate(pure=True)
    assert certificate.header.connections == game.startswith("hex")
    save_certificate(path, certificate)
    verdict = tesuji.verify(path)
    assert verdict.valid, verdict


def test_processes_that_end_change_nothing(tmp_path):
    cluster = RealWork(3, loses=5)
    tree = prove("tictactoe", "a1", cluster=cluster)
    assert cluster.losses > 0 and (tree.root.lower, tree.root.upper) == (0, 0)
    save_certificate(tmp_path / "proof.cert", tree.certificate(pure=True))
    assert tesuji.verify(tmp_path / "proof.cert").valid


def test_a_proof_that_is_killed_goes_on(tmp_path):
    """Three drivers, each killed after some jobs, and a fourth: nothing that was found is searched again.

    In the certificate, positions are known by images of them, and those that follow are not.
    """

    class Killed(Exception):
        pass

    game = find_game("connect4:4x4")
    setup = json.loads(json.dumps(make_setup("connect4:4x4", game, "", {}, True)))
    plan = ProofPlan(setup, (), 0, identity_of(setup))
    path = str(tmp_path / "proof.db")
    sent: list[tuple] = []
    for kill_after in (3, 4, 5, 10**9):
        tree, store = ProofTree(game, (), NO_LIMITS, setup), ProofStore(path)
        store.open(plan, "code")
        tree.resume(store.results(), store)
        assert tree.jobs == tree.from_before == len(sent)
        learn = tree._learn

        def note(leaf, high, answer, learn=learn):
            sent.append((leaf.key, high))
            learn(leaf, high, answer)

        def kill(tree=tree, most=tree.jobs + kill_after):
            if tree.jobs >= most:
                raise Killed

        tree._learn = note
        with contextlib.suppress(Killed):
            prove_on_cluster(RealWork(kill_after), tree, setup, lambda text: None, kill, 1000)
        store.close()
    assert tree.from_before == 12 < tree.jobs and len(set(sent)) == len(sent)
    assert (tree.root.lower, tree.root.upper) == (0, 0)
    save_certificate(tmp_path / "proof.cert", tree.certificate(pure=True))
    assert tesuji.verify(tmp_path / "proof.cert").valid


def test_a_proof_file_of_something_else_is_refused(tmp_path):
    setup = make_setup("tictactoe", find_game("tictactoe"), "", {}, False)
    plan = ProofPlan(setup, (), 0, {"code": "a"})
    path = str(tmp_path / "proof.db")
    store = ProofStore(path)
    store.open(plan, "a")
    store.add((0,), 1, "{}", 1.0)
    store.close()
    for other, why in [
        (ProofPlan(setup, (4,), 0, {"code": "a"}), "moves: none there, 4 here"),
        (ProofPlan(setup, (), 0, {"code": "b"}), "code: a there, b here"),
    ]:
        with pytest.raises(tesuji.UserError, match=why):
            ProofStore(path).open(other, "b")
    store = ProofStore(path)
    store.open(plan, "a")
    with pytest.raises(tesuji.UserError, match="its result 1 is none of this proof"):
        ProofTree(find_game("tictactoe"), (), NO_LIMITS, setup).resume(store.results(), store)
    store.close()
    match = str(tmp_path / "match.db")
    Path(match).write_bytes(Path(path).read_bytes()[:4000])
    with pytest.raises(tesuji.UserError, match=r"damaged|not a proof file"):
        ProofStore(match).open(plan, "a")


def kept_proof(path: str, playouts: int = 60):
    """A proof file with the results of some jobs, closed again; and what opens it."""
    game = find_game("connect4:4x4")
    setup = json.loads(json.dumps(make_setup("connect4:4x4", game, "", {}, True)))
    plan = ProofPlan(setup, (), 0, {"code": "a"})

    def opened():
        store = ProofStore(path)
        store.open(plan, "a")
        return ProofTree(game, (), Limits(playouts=playouts), setup), store

    tree, store = opened()
    tree.resume(store.results(), store)
    prove_on_cluster(RealWork(), tree, setup, lambda text: None, lambda: None, 1000)
    store.close()
    return tree, opened


def test_seconds_are_those_of_all_runs(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(proof_tree.time, "monotonic", lambda: now.__setitem__(0, now[0] + 0.25) or now[0])
    path = str(tmp_path / "proof.db")
    spent = 0.0
    for playouts in (60, 200, 300):
        began = now[0]
        tree, opened = kept_proof(path, playouts)
        assert tree.seconds == pytest.approx(spent + (now[0] - began), abs=3.0) and tree.result().seconds == tree.seconds
        assert tree.seconds > spent
        spent = tree.seconds
    tree, store = opened()
    tree.resume(store.results(), store)
    store.close()
    assert tree.seconds == pytest.approx(spent)


@pytest.mark.parametrize("column", ["moves", "high", "result", "seconds", "digest"])
def test_what_is_changed_in_a_proof_file_is_noticed(column, tmp_path):
    path = str(tmp_path / "proof.db")
    _, opened = kept_proof(path)
    changed = {"moves": "'3 3'", "high": "high - 1", "result": "result || ' '", "seconds": "seconds + 1", "digest": "'0'"}
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.execute(f"update results set {column} = {changed[column]} where number = 2")
        base.commit()
    tree, store = opened()
    with pytest.raises(tesuji.UserError, match="is damaged: its result 2 cannot be read; remove the file") as caught:
        tree.resume(store.results(), store)
    store.close()
    assert "\n" not in str(caught.value)


WRONG_ANSWERS = {
    "no object": [],
    "no bounds": {"lower": None},
    "bounds out of range": {"lower": -1000},
    "bounds the wrong way": {"lower": 1, "upper": -1},
    "a text": {"playouts": "many"},
    "no number": {"nodes": True},
    "a best move that is none": {"best": 99},
    "a move that is none": {"children": [[99, -1, 1, 1.0, 1.0, []]]},
    "a move of too few words": {"children": [[0, -1, 1]]},
    "a number that is none": {"children": [[0, -1, 1, float("nan"), 1.0, []]]},
    "a tree that is none": {"children": 5},
    "a move that is not legal": {"children": [[0, -1, 1, 1.0, 1.0, [[0, 1, -1, 1.0, 1.0, []]]]]},
    "a part that is none": {"part": 7},
    "a part without a header": {"part": {"choices": "0"}},
    "choices that are none": {"part": {"header": {"moves": []}, "choices": "0"}},
}


@pytest.mark.parametrize("case", WRONG_ANSWERS)
def test_a_result_that_no_job_can_have_is_refused_in_one_line(case, tmp_path):
    """Also one that somebody has written with a digest."""
    path = str(tmp_path / "proof.db")
    _, opened = kept_proof(path)
    with contextlib.closing(sqlite3.connect(path)) as base:
        moves, high, result, seconds = base.execute("select moves, high, result, seconds from results limit 1").fetchone()
        wrong = WRONG_ANSWERS[case]
        result = json.dumps({**json.loads(result), **wrong} if isinstance(wrong, dict) else wrong)
        values = (result, digest_of(moves, high, result, seconds))
        base.execute("update results set result = ?, digest = ? where number = 1", values)
        base.commit()
    tree, store = opened()
    with pytest.raises(tesuji.UserError, match="is damaged: its result 1 is none of this proof; remove the file") as caught:
        tree.resume(store.results(), store)
    store.close()
    assert "\n" not in str(caught.value)


def test_a_damaged_proof_file_is_exit_code_2(tmp_path, monkeypatch, capsys):
    """Before anything is sent: there is no cluster here."""
    path = str(tmp_path / "proof.db")
    setup = make_setup("tictactoe", find_game("tictactoe"), "", {}, False)
    store = ProofStore(path)
    store.open(ProofPlan(json.loads(json.dumps(setup)), (), 0, identity_of(setup)), "a")
    store.add((), 1, '{"lower": -1}', 1.0)
    store.close()
    assert main(["solve", "tictactoe", "--cluster", "127.0.0.1:1", "--file", path]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "is damaged: its result 1 is none of this proof" in err


def test_a_job_asks_one_question():
    """One that is not what the search would ask first; what it has proven of moves is handed on."""
    handler = proof_jobs.ProofHandler(make_setup("connect4:4x3:3", find_game("connect4:4x3:3"), "", {}, False))
    job = {"moves": [], "seed": 0, "proof": 1e30, "disproof": 1e30}
    assert handler.work({**job, "high": 1, "playouts": 1000, "proof": 2})["playouts"] == 20, "it is hard: others are next"
    for high in (0, 1):
        answer = handler.work({**job, "high": high, "playouts": 20})
        assert answer["playouts"] <= 20
        if answer["lower"] < high <= answer["upper"]:
            moves = [child[0] for child in answer["children"]]
            assert sorted(moves) == [0, 1, 2, 3] and all(len(child) == 6 for child in answer["children"])
        answer = handler.work({**job, "high": high, "playouts": 10_000})
        assert answer["lower"] == 1 or not answer["lower"] < high <= answer["upper"]


def test_numbers_of_the_top_are_those_of_proof_number_search():
    """For each node the least, or the sum, of those of its moves, whatever order the jobs came in."""
    tree = prove("connect4:4x4", limits=Limits(playouts=500))
    inner = [node for node in tree._top.values() if node.children and node.lower < tree._high <= node.upper]
    assert len(inner) > 5
    for node in inner:
        children = set((node.children or {}).values())
        own = (min(c.proof for c in children), sum(c.disproof for c in children))
        if node.to_play == 1:
            own = (sum(c.proof for c in children), min(c.disproof for c in children))
        assert (node.proof, node.disproof) == pytest.approx(own)


def test_numbers_end_where_positions_repeat():
    """Two positions, each a move after the other, that are both new."""
    setup = make_setup("tictactoe", find_game("tictactoe"), "", {}, False)
    tree = ProofTree(find_game("tictactoe"), (), NO_LIMITS, setup)
    one, two = (TopNode((number,), (number,), 0, -1, 1, 1) for number in (1, 2))
    one.children, two.children = {2: two}, {1: one}
    one.parents.append(two)
    two.parents.append(one)
    tree._renew_above([one, two])
    assert (one.lower, one.upper, two.lower, two.upper) == (-1, 1, -1, 1)


def test_limits_end_it_with_what_is_known():
    tree = prove("connect4:4x4", limits=Limits(playouts=500))
    assert not tree.root.is_decided and 500 <= tree.playouts < 800
    assert tree.result().best_move is not None


def test_without_a_certificate_searches_share_what_they_know():
    shared, apart = (prove("connect4:3x4:3", certificate=wanted) for wanted in (False, True))
    assert shared.root.is_decided and (shared.root.lower, shared.root.upper) == (apart.root.lower, apart.root.upper)
    assert shared.playouts < apart.playouts


def test_answers_that_contradict_each_other_are_noticed():
    tree = prove("tictactoe", "a1 b1", limits=Limits(playouts=1))
    assignment = tree_job(tree)
    wrong = {"lower": 5, "upper": 5, "playouts": 1, "nodes": 1, "children": [], "best": None, "part": None}
    with pytest.raises(tesuji.UserError, match="contradict"):
        tree.take(assignment.id, json.dumps(wrong))


def test_what_cannot_be_written_down_is_searched_further_below(tmp_path, monkeypatch):
    write, limits = proof_jobs.make_certificate, []

    def refuse_near_the_root(search, moves, playouts, **given):
        limits.append(playouts)
        if len(moves) <= 4:
            raise tesuji.UserError("no certificate: it is not in the tree")
        return write(search, moves=moves, playouts=playouts, **given)

    monkeypatch.setattr(proof_jobs, "make_certificate", refuse_near_the_root)
    monkeypatch.setattr(proof_tree, "MOST_PLAYOUTS", 300)
    tree = prove("tictactoe", "a1 b1 a2")
    assert tree.root.is_decided and tree.root.children is not None and max(limits) <= 300
    save_certificate(tmp_path / "proof.cert", tree.certificate(pure=True))
    assert tesuji.verify(tmp_path / "proof.cert").valid


@pytest.mark.parametrize("kind", [PROOF, SELF_PLAY])
def test_files_of_proofs_and_self_play_are_compared(kind, tmp_path):
    """Those of the user's own game and player, and weights, wherever they are named."""
    weights = tmp_path / "mine.json"
    weights.write_text("{}")
    own = tmp_path / "own.py"
    own.write_text("import tesuji\n\nmine = tesuji.Player('mine')\n")
    setup = {"kind": kind, "game": "loa", "player": f"mc-loa:weights={weights}", "parameters": {}}
    setups = [setup]
    if kind == PROOF:
        setups.append({**setup, "player": "mc-loa", "parameters": {"weights": str(weights)}})
    before = [identity_of(setup) for setup in setups]
    weights.write_text("[]")
    for setup, found in zip(setups, before, strict=True):
        assert differences(found, identity_of(setup)).startswith("weights of player 1 ")
    game = Path(__file__).parents[2] / "examples" / "col.py"
    names = identity_of({**setup, "game": f"{game}:game", "player": "", "parameters": {}}).keys()
    assert "the game" in names
    assert "the file of player 1" in identity_of({**setup, "player": f"{own}:mine", "parameters": {}})


def test_a_machine_with_other_weights_does_no_job_of_a_proof(tmp_path, monkeypatch):
    monkeypatch.setattr(proving, "identity_of", lambda setup: {**identity_of(setup), "weights of player 1": "others"})
    with pytest.raises(tesuji.UserError, match=r"no machine of the cluster can be used; .*weights of player 1"):
        prove("tictactoe", "a1 b1")


def tree_job(tree):
    tree._limits = Limits()
    found = tree.next()
    assert found is not None
    return found


# -- games to learn from ---------------------------------------------------------------------------------------------------
def test_self_play_on_a_cluster_gives_the_same_games():
    from tesuji.lab.cluster.self_play import self_play_on_cluster
    from tesuji.learn.evaluation import games_for_evaluation
    from tesuji.learn.self_play import self_play

    here = self_play(games_for_evaluation(find_game("tictactoe"), 5, 3, find_player("uct")), 4)
    cluster = RealWork(1, 3)
    there = self_play_on_cluster(cluster, "tictactoe", 4, 5, 3, "uct", lambda text: None, lambda share, text: None)
    assert [(game.label, game.moves, game.outcome) for game in here] == [(g.label, g.moves, g.outcome) for g in there]


def test_games_by_a_network_on_a_cluster_are_the_same_and_the_network_goes_along(tmp_path):
    from tesuji.knowledge.network.file import LearnedNetwork, save_network
    from tesuji.knowledge.network.network import random_network
    from tesuji.lab.cluster.network_play import ClusterPlayers
    from tesuji.lab.self_play.plan import make_plan
    from tesuji.lab.self_play.players import Players, Work
    from tesuji.lab.self_play.store import search_row
    from tesuji.learn.network.settings import RunSettings

    game, path = find_game("tictactoe"), tmp_path / "network"
    assert game.encoding is not None
    network = random_network(RunSettings(1, 4).shape(game.encoding), 1)
    save_network(path, LearnedNetwork("tictactoe", game.encoding.names, game.encoding.policy_planes, network, {}))
    plan = make_plan(game, None, {}, {"quick_playouts": "3", "full_playouts": "6"})
    work, found = Work(plan.as_json(), "tictactoe", str(path), False), []
    for players in (Players(1, print), ClusterPlayers(RealWork(1, 3), print)):
        games = {}
        players.play(work, range(3, 6), lambda: False, games.__setitem__, lambda: None)
        rows = {n: (one.moves, one.outcome, [search_row(search) for search in one.searches]) for n, one in games.items()}
        found.append(dict(sorted(rows.items())))
    assert found[0] == found[1] and list(found[0]) == [3, 4, 5]
    stopped = []
    ClusterPlayers(RealWork(1, 3), print).play(work, range(3), lambda: True, lambda *one: stopped.append(one), lambda: None)
    assert len(stopped) < 3
