"""The engine's process from within: what its jobs share, and what they must not."""

import queue
import threading
from types import SimpleNamespace

import pytest

pytest.importorskip("starlette", reason="the page needs starlette and uvicorn")

from tesuji.core.errors import UserError
from tesuji.io.gtp.program import ProgramReport
from tesuji.web.engine_process import EngineWorker

PATIENCE = 60.0
UNPROVEN = {"player": "uct", "parameters": {"solver": "off"}}  # it does not end by itself


class Asked:
    """A worker in this process, and what it has answered."""

    def __init__(self):
        self.answers = queue.Queue()
        self.worker = EngineWorker({"memory": 50.0}, self.answers.put)

    def ask(self, number, moves, **fields):
        where = {"game": "tictactoe", "origin": {"moves": moves, "stones": None, "to_move": 0}}
        self.worker.take({"id": number, "do": "analyse", **where, "player": UNPROVEN, **fields})

    def wait(self, number, *events):
        while True:
            answer = self.answers.get(timeout=PATIENCE)
            if answer.get("id") == number and answer["event"] in events:
                return answer


@pytest.mark.parametrize("task", ["analyse", "analyse-game"])
def test_a_job_reports_on_its_own_position_whatever_another_does_beside_it(pure, task):
    asked = Asked()
    asked.ask(1, [], slot=1)
    asked.wait(1, "analysis")
    asked.ask(2, [4], playouts=30, task=task, slot=1)
    if task == "analyse-game":  # a search of its own
        assert asked.wait(2, "done")["report"]["mover"] == 1
    for _ in range(3):  # parts of the first search, between which the second would take it on
        assert asked.wait(1, "analysis")["report"]["mover"] == 0
    asked.worker.take({"do": "stop", "of": 1})
    report = asked.wait(1, "done")["report"]
    assert report["mover"] == 0 and len(report["moves"]) == 9
    if task == "analyse":  # the same one: when the first has ended
        report = asked.wait(2, "done")["report"]
        assert report["mover"] == 1 and len(report["moves"]) == 8


def test_a_job_that_waits_for_another_can_be_stopped(pure):
    asked = Asked()
    asked.ask(1, [])
    asked.wait(1, "analysis")
    asked.ask(2, [4])
    asked.worker.take({"do": "stop", "of": 2})
    assert asked.wait(2, "failed")["stopped"]
    asked.worker.take({"do": "stop", "of": 1})
    asked.wait(1, "done")


def test_a_search_of_some_moves_alone_that_fails_is_not_taken_on(pure, monkeypatch):
    asked = Asked()
    run = asked.worker._run_in_parts

    def fail(job, *rest):
        run(job, *rest)
        raise UserError("the evaluator is gone")

    monkeypatch.setattr(asked.worker, "_run_in_parts", fail)
    asked.ask(1, [], only=[4], playouts=10)
    assert "is gone" in asked.wait(1, "failed")["text"]
    monkeypatch.setattr(asked.worker, "_run_in_parts", run)
    asked.ask(2, [], slot=1, playouts=40)
    report = asked.wait(2, "done")["report"]
    assert all(move["visits"] > 0 for move in report["moves"]) and len(report["moves"]) == 9


def test_a_program_that_says_nothing_of_a_position_is_named(pure):
    asked = Asked()
    silent = SimpleNamespace(analyse=lambda *_arguments: ProgramReport(0.0), name="Silent 1.0", command="silent")
    asked.worker._programs["gtp:silent"] = silent
    asked.worker._program_locks["gtp:silent"] = threading.Lock()
    asked.ask(1, [], player={"player": "gtp:silent", "parameters": {}})
    failed = asked.wait(1, "failed")
    assert failed["text"] == "Silent 1.0 has said nothing of this position" and not failed.get("stopped")
