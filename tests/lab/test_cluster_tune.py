"""Tuning on a cluster: the same samples and games as without one, also where processes end in the middle."""

from __future__ import annotations

from cluster_fakes import RealWork

from tesuji.lab.cluster import connection
from tesuji.lab.tune.runner import open_tune
from tesuji.lab.tune.validation import validation_runner


def test_a_tune_and_its_validation(monkeypatch, tmp_path):
    monkeypatch.setenv("TESUJI_PURE", "1")
    monkeypatch.chdir(tmp_path)
    cluster = RealWork(2, loses=4)
    monkeypatch.setattr(connection, "connect", lambda *_arguments: cluster)
    found = []
    for address in (None, "somewhere:1"):
        words = ("tictactoe", "uct:playouts=5", ["exploration=0.1..2"], ["uct:playouts=4"], 24)
        with open_tune(*words, file=f"{address}.db", workers=1, cluster=address) as runner:
            runner.run()
            validation = validation_runner(runner, 4)
            validation.run()
            games = [(game.number, game.moves) for game in runner.store.games()]
            checked = [(game.number, game.moves) for game in validation.store.games()]
            found.append((games, checked, runner.summary.values))
    assert len(found[0][0]) == 24 and len(found[0][1]) == 4
    assert found[0] == found[1] and cluster.losses > 0
