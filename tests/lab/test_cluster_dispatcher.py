"""Jobs on machines that come, go, hang, fail, or have another version: each is done, and its result taken once."""

from __future__ import annotations

import pytest
from cluster_fakes import IDENTITY, FakeCluster, Squares, dispatch

from tesuji.core.errors import UserError
from tesuji.lab.cluster import dispatcher

ALL = [(n, n * n) for n in range(40)]


def test_all_jobs_are_done_once_and_not_too_many_wait():
    cluster, source = FakeCluster(a=2, b=1), Squares(40)
    dispatch(cluster, source)
    assert sorted(source.found) == ALL
    assert cluster.most_under_way == 6, "two for each processor"
    assert {machine for machine, _, _ in cluster.sent} == {"a", "b"}
    assert source.programs == ["", "GNU Go 3.8"]


def test_no_more_at_once_than_asked_for():
    cluster, source = FakeCluster(a=4), Squares(40)
    dispatch(cluster, source, most=3)
    assert sorted(source.found) == ALL and cluster.most_under_way == 3


def test_a_machine_is_lost_and_its_jobs_go_to_another():
    cluster, source = FakeCluster(a=2, b=2), Squares(40)

    def lose():
        if len(source.found) == 10:
            cluster.lost.add("b")

    cluster.on_wait = lose
    _, told = dispatch(cluster, source)
    assert sorted(source.found) == ALL
    assert cluster.tried_again > 0 and any("b" in line and "lost" in line for line in told)


def test_all_machines_are_lost_and_their_jobs_go_to_one_that_joins():
    cluster, source = FakeCluster(a=2, b=2), Squares(40)

    def change():
        if len(source.found) == 10:
            cluster.lost |= {"a", "b"}
            cluster.cpus["c"] = 1

    cluster.on_wait = change
    found, _ = dispatch(cluster, source)
    assert sorted(source.found) == ALL
    assert found.sent_again > 0 and found.machines["c"].done >= 30


def test_a_machine_that_joins_is_used():
    cluster, source = FakeCluster(a=1), Squares(400)
    cluster.on_wait = lambda: cluster.cpus.update(c=4) if len(source.found) > 20 else None
    found, _ = dispatch(cluster, source)
    assert sorted(n for n, _ in source.found) == list(range(400))
    assert found.machines["c"].done > 50


def test_a_machine_that_hangs_has_its_jobs_sent_again_and_its_late_answers_are_dropped():
    cluster, source = FakeCluster(a=2, b=2), Squares(40)
    source.enough = 10**9  # so that the late answers come before the end

    def hang():
        if len(source.found) == 10:
            cluster.hangs.add("b")
        if len(source.found) == 39:
            cluster.hangs.discard("b")

    cluster.on_wait = hang
    found, told = dispatch(cluster, source)
    assert sorted(source.found) == ALL, "each once"
    assert found.sent_again == 2 and any("has not answered" in line for line in told)
    assert found.dropped > 0


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"identity": {**IDENTITY, "numba": "0.9"}}, "numba 0.9 there and 1.0 here"),
        ({"identity": {**IDENTITY, "code": "bbbb"}}, "code bbbb there and aaaa here"),
        ({"refused": "there is no file mine.json"}, "there is no file mine.json"),
    ],
)
def test_a_machine_with_another_version_is_refused_by_name(answer, why):
    cluster, source = FakeCluster(a=1, old=1), Squares(40)
    cluster.answers["old"] = answer
    _, told = dispatch(cluster, source)
    assert sorted(source.found) == ALL
    assert {machine for machine, _, _ in cluster.sent} == {"a"}
    assert [line for line in told if "old (old) is not used" in line and why in line]
    cluster = FakeCluster(old=1)
    cluster.answers["old"] = answer
    with pytest.raises(UserError, match="no machine of the cluster can be used; old"):
        dispatch(cluster, Squares(1))


def test_a_machine_without_a_token_is_refused_where_others_can_reach_it():
    cluster, source = FakeCluster(a=1, b=1), Squares(4)
    cluster.needs_token = True
    cluster.answers["a"] = {"auth": "token"}
    _, told = dispatch(cluster, source)
    assert {machine for machine, _, _ in cluster.sent} == {"a"}
    assert any("b (b) is not used" in line and "without a token" in line for line in told)


def test_timed_jobs_take_whole_cores_and_unlike_machines_are_told():
    cluster, source = FakeCluster(a=8, b=4), Squares(40)
    cluster.answers["b"] = {"processor": "Q"}
    _, told = dispatch(cluster, source, threads=2, timed=True)
    assert {(machine, cpus) for machine, cpus, _ in cluster.sent} == {("a", 4), ("b", 4)}, "two threads a core"
    assert cluster.most_under_way == 3, "none waits behind another"
    assert [line for line in told if "unlike (P, Q)" in line and "playouts" in line]


def test_a_machine_that_is_too_small_is_refused():
    cluster, source = FakeCluster(a=2, b=8), Squares(4)
    _, told = dispatch(cluster, source, threads=4)
    assert {machine for machine, _, _ in cluster.sent} == {"b"}
    assert any("a (a) is not used: it has 2 processors, and a job takes 4" in line for line in told)


def test_a_job_that_fails_everywhere_ends_it_and_what_came_is_kept():
    cluster, source = FakeCluster(a=1, b=1), Squares(40)
    usual = cluster.play

    def play(machine, jobs):
        return {"fault": "ZeroDivisionError: seven"} if 7 in jobs else usual(machine, jobs)

    cluster.play = play
    with pytest.raises(UserError, match=r"number 7 fails .*: ZeroDivisionError: seven; the squares so far are kept"):
        dispatch(cluster, source)
    assert len(source.found) >= 7 and {machine for machine, _, jobs in cluster.sent if jobs == [7]} == {"a", "b"}


def test_a_job_that_ends_its_process_again_and_again():
    cluster, source = FakeCluster(a=1), Squares(3)

    def play(machine, jobs):
        raise dispatcher.TaskFailed("WorkerCrashedError: signal 9")

    cluster.play = play
    with pytest.raises(UserError, match=r"number \d fails again and again: WorkerCrashedError"):
        dispatch(cluster, source)


def test_short_jobs_are_sent_together():
    cluster, source = FakeCluster(a=2), Squares(4000)
    cluster.play = lambda machine, jobs: {"results": ["1" for _ in jobs], "seconds": 0.05 * len(jobs)}
    dispatch(cluster, source)
    assert sorted(n for n, _ in source.found) == list(range(4000))
    assert max(len(jobs) for _, _, jobs in cluster.sent) == 20 and len(cluster.sent) < 400
    assert len(cluster.sent[-1][2]) == 1, "at the end none waits for others"


def test_no_machine_at_all():
    with pytest.raises(UserError, match="no machine that is free for jobs; the squares so far are kept"):
        dispatch_without_machines()


def dispatch_without_machines():
    cluster = FakeCluster(head=0)

    class Quick(dispatcher.Dispatcher):
        def _pause(self):
            cluster.now += 10.0
            return []

    Quick(cluster, {}, IDENTITY, Squares(1), lambda text: None, 10, clock=cluster.clock).run(lambda: None)


def test_the_only_job_that_is_left_goes_to_another_machine():
    """Where the next job depends on the results of those before it, nothing else is sent meanwhile."""
    cluster, source = FakeCluster(a=4, b=1), Squares(1)
    usual, failed = cluster.play, []

    def play(machine, jobs):
        failed.append(machine)
        return {"fault": "an error"} if len(failed) == 1 else usual(machine, jobs)

    cluster.play = play
    dispatch(cluster, source)
    assert source.found == [(0, 0)] and len(set(failed)) == 2
