"""Driving a search: limits, slices, interrupts and progress, with a clock of its own so that no real time counts."""

from __future__ import annotations

import itertools
import signal
import sys
import threading
from itertools import pairwise

import pytest

import tesuji
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.search.engine import driver
from tesuji.search.engine.driver import FIRST_SLICE, LONGEST_SLICE, SHORTEST_AIM, SLICE_SECONDS, Driver
from tesuji.search.engine.final_move import Result
from tesuji.search.engine.parameters import SEARCH

GAME = find_game("tictactoe")


class Clock:
    """Elapsed time; the process gets a part of it, `share`, as CPU time."""

    def __init__(self):
        self.now = 100.0
        self.share = 1.0

    def perf_counter(self):
        return self.now

    def thread_time(self):
        return self.share * self.now


class Counting(Driver):
    """Work that takes `speed` pieces a second, and comes to an end after `ends` of them."""

    def __init__(self, clock, speed=1000.0, ends=1 << 60, early=None, threads=1):
        super().__init__(GAME, None, SEARCH.settings(), None, 0, True)
        self.clock, self.speed, self.ends, self.early = clock, speed, ends, early
        self.threads = threads
        self.slices = []
        self.looks = 0
        self.settled_after = None

    def prepare(self):
        self._ready = True

    def is_decided(self):
        return self.playouts >= self.ends

    def result(self, with_moves=True):
        return Result(0, self.playouts, 0, self.seconds, None, 0.0, -1, 1, False, moves=[])

    def _run_slices(self, count):
        done = min(count, self.ends - self.playouts)
        if self.early is not None:
            done = min(done, self.early)
        self.slices.append(count)
        self.clock.now += done / self.threads / self.speed
        return done

    def _finish_round(self):
        self.looks += 1

    def _can_stop_early(self, used):
        return self.settled_after is not None and used >= self.settled_after


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(driver, "time", made)
    return made


def test_a_limit_of_playouts_is_kept_exactly(clock):
    search = Counting(clock)
    assert search.run(Limits(playouts=1234)).playouts == 1234
    assert search.run(Limits(playouts=1)).playouts == 1235
    assert search.looks == len(search.slices)


def test_slices_grow_to_their_length_and_no_further(clock):
    search = Counting(clock, speed=100_000.0)
    search.run(Limits(playouts=200_000))
    assert search.slices[0] == FIRST_SLICE
    assert all(later <= 16 * earlier for earlier, later in pairwise(search.slices))
    assert max(search.slices) == pytest.approx(SLICE_SECONDS * 100_000, rel=0.01)
    endless = Counting(clock, speed=1e12)
    endless.run(Limits(playouts=1 << 24))
    assert max(endless.slices) == LONGEST_SLICE


def test_a_limit_of_time_is_met_closely(clock):
    for speed in (300.0, 20_000.0, 1e6):
        search = Counting(clock, speed)
        began = clock.now
        result = search.run(Limits(seconds=1.0))
        assert 1.0 <= clock.now - began <= 1.06
        assert result.seconds == pytest.approx(clock.now - began)


@pytest.mark.parametrize("share", [1.0, 0.25])
def test_a_limit_of_cpu_time_does_not_count_what_other_programs_took(clock, share):
    clock.share = share
    search = Counting(clock, speed=20_000.0)
    began = clock.now
    search.run(Limits(cpu=1.0))
    assert 1.0 <= share * (clock.now - began) <= 1.06
    assert search.cpu == pytest.approx(share * (clock.now - began))
    assert search.seconds == pytest.approx(clock.now - began)


def test_of_several_limits_the_first_one_ends_the_search(clock):
    clock.share = 0.5
    assert Counting(clock).run(Limits(seconds=1.0, cpu=0.9)).seconds == pytest.approx(1.0, abs=0.06)
    assert Counting(clock).run(Limits(seconds=9.0, cpu=0.9)).seconds == pytest.approx(1.8, abs=0.06)
    assert Counting(clock).run(Limits(seconds=9.0, cpu=0.9, playouts=100)).playouts == 100


def test_cpu_time_of_several_threads_is_that_of_all(clock):
    class Threaded(Counting):
        def _run_slices(self, count):
            before = clock.now
            done = super()._run_slices(count)
            self._cpu_of_threads += self.threads * (clock.now - before)
            return done

    clock.share = 0.0  # the thread that waits for them uses none
    search = Threaded(clock, speed=10_000.0, threads=4)
    search.run(Limits(cpu=2.0))
    assert 2.0 <= search.cpu <= 2.1 and search.seconds == pytest.approx(search.cpu / 4)


def test_an_unstable_search_may_be_limited_by_cpu_time(clock):
    clock.share = 0.5
    for times, cpu in ((0, 2.0), (1, 3.0)):
        search = Unstable(clock, times)
        search.run(Limits(cpu=3.0))
        assert cpu <= search.cpu < cpu + 0.2


def test_no_cpu_time_is_no_time(clock):
    assert Counting(clock).run(Limits(cpu=0)).playouts == 0


def test_however_late_it_is_a_little_is_done(clock, monkeypatch):
    search = Counting(clock, speed=10_000.0)
    search.run(Limits(seconds=1.0))
    late = iter([clock.now, clock.now + 9.0])
    monkeypatch.setattr(clock, "perf_counter", lambda: next(late, clock.now + 9.0))
    before = search.playouts
    assert search.run(Limits(seconds=0.5)).playouts == before + FIRST_SLICE
    assert search.run(Limits(seconds=0)).playouts == before + FIRST_SLICE, "no time is no time"


def test_a_report_on_the_moves_is_made_only_if_it_is_wanted(clock):
    wanted = []

    class Reporting(Counting):
        def result(self, with_moves=True):
            wanted.append(with_moves)
            return super().result()

    Reporting(clock).run(Limits(playouts=1))
    Reporting(clock).run(Limits(playouts=1), with_moves=False)
    assert wanted == [True, False]


def test_seconds_add_up_over_runs(clock):
    search = Counting(clock)
    for _ in range(3):
        search.run(Limits(playouts=500))
    assert search.seconds == pytest.approx(1.5)


def test_slices_that_end_early_do_not_make_the_next_ones_long(clock):
    """Each ends after 100 pieces, as a search does that has reached a depth: one that does not must still be short."""
    search = Counting(clock, speed=10_000.0, early=100)
    search.run(Limits(playouts=5000))
    assert max(search.slices) <= 1.01 * SLICE_SECONDS * 10_000


def test_threads_share_a_round(clock):
    search = Counting(clock, speed=10_000.0, threads=4)
    search.run(Limits(playouts=100_000))
    assert search.slices[0] == 4 * FIRST_SLICE
    assert max(search.slices) == pytest.approx(4 * SLICE_SECONDS * 10_000, rel=0.01)


def test_slices_do_not_shrink_while_threads_wait_for_a_processor(clock):
    """Each round takes a fifth of a second until the last of eight threads has had its turn, however short it is."""

    class Waiting(Counting):
        def _run_slices(self, count):
            before = clock.now
            done = super()._run_slices(count)
            self._cpu_of_threads += self.threads * (clock.now - before)
            clock.now += 0.2
            return done

    clock.share = 0.0
    search = Waiting(clock, speed=10_000.0, threads=8)
    search.run(Limits(playouts=20_000))
    assert min(search.slices[1:-1]) >= 8 * SHORTEST_AIM * 10_000 * 0.9
    assert search.seconds < 15, "with one piece a thread it would take 500 s"


def test_the_least_slice_shrinks_with_the_time_left(clock):
    search = Counting(clock, threads=8)
    for left, slices in ((None, 50), (60.0, 50), (1.0, 20), (0.1, 2), (0.0, 1), (-1.0, 1)):
        search._tune_slice(10.0, 0.01, 100, 100, left)
        assert search._slice == slices, left


def test_where_no_cpu_time_is_told_seconds_decide(clock):
    clock.share = 0.0
    search = Counting(clock, speed=20.0)
    search.run(Limits(playouts=100))
    assert set(search.slices[1:]) == {1}


def test_it_stops_when_nothing_is_left_or_nothing_can_change(clock):
    search = Counting(clock, ends=700)
    assert search.run().playouts == 700
    assert search.run(Limits(seconds=5.0)).playouts == 700
    settled = Counting(clock)
    settled.settled_after = 0.25
    assert 0.5 <= settled.run(Limits(seconds=2.0)).seconds < 0.6
    assert settled.run(Limits(playouts=2000)).seconds > 2.0  # a limit of playouts is never cut short


def test_progress_is_told_now_and_then(clock):
    told = []
    search = Counting(clock)
    search.run(Limits(seconds=2.0), lambda result: told.append(result.seconds))
    assert 5 <= len(told) <= 10 and all(later - earlier >= 0.2 for earlier, later in pairwise(told))


def test_a_stop_keeps_what_was_done(clock):
    search = Counting(clock)
    result = search.run(Limits(seconds=60.0), lambda _result: search.stop())
    assert result.interrupted and 0 < result.seconds < 1.0
    assert not search.run(Limits(playouts=10)).interrupted


def test_a_run_that_is_stopped_before_it_begins_does_one_slice(clock):
    search = Counting(clock)
    search.stop()
    result = search.run(Limits(seconds=60.0))
    assert result.interrupted and 0 < result.playouts <= 16


def test_a_signal_handler_can_stop_the_search_at_any_line(clock):
    """A handler runs between two lines of the main thread: a lock that is held there would be waited for without end."""
    search, calls = Counting(clock), []

    def at_each_line(_frame, event, _argument):
        if event == "line":
            calls.append(1)
            sys.settrace(None)
            search.stop()
            sys.settrace(at_each_line)
        return at_each_line

    def stop_and_forget():
        sys.settrace(at_each_line)
        search.stop()
        search.forget_stop()
        sys.settrace(None)

    thread = threading.Thread(target=stop_and_forget, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive() and len(calls) >= 2


def test_ctrl_c_is_the_callers(clock):
    search = Counting(clock)
    with pytest.raises(KeyboardInterrupt):
        search.run(Limits(seconds=60.0), lambda _result: signal.raise_signal(signal.SIGINT))
    done = search.playouts
    assert done > 0 and search.run(Limits(playouts=10)).playouts == done + 10


def test_an_exception_from_progress_leaves_the_search_as_it_is(clock):
    class Enough(Exception):
        pass

    def look(_result):
        raise Enough

    search = Counting(clock)
    with pytest.raises(Enough):
        search.run(Limits(seconds=60.0), look)
    assert search.seconds == pytest.approx(search.playouts / 1000.0)


def test_it_runs_outside_the_main_thread_too(clock):
    search = Counting(clock)
    worker = threading.Thread(target=search.run, args=(Limits(playouts=50),))
    worker.start()
    worker.join()
    assert search.playouts == 50


# -- a search whose answer is not stable -------------------------------------------------------------------------------------
class Unstable(Counting):
    """Looks unstable as often as `times` says."""

    def __init__(self, clock, times, extend=0.5, **options):
        super().__init__(clock, **options)
        self.answer = self.answer._replace(extend_unstable=extend)
        self.times = times

    def _is_unstable(self):
        self.times -= 1
        return self.times >= 0


@pytest.mark.parametrize(("times", "seconds"), [(0, 2.0), (1, 3.0), (5, 3.0)])
def test_an_unstable_search_takes_all_of_its_time_and_a_stable_one_two_thirds(clock, times, seconds):
    search = Unstable(clock, times)
    began = clock.now
    search.run(Limits(seconds=3.0))
    assert seconds <= clock.now - began < seconds + 0.2
    assert search.times == times - 1  # it was asked once


# -- a clock that allows more time for a move in doubt ------------------------------------------------------------------------
class Doubtful(Counting):
    """Is in doubt until so much of the longest time is used."""

    def __init__(self, clock, until, **options):
        super().__init__(clock, **options)
        self.until = until
        self.heard = []

    def _is_in_doubt(self, used):
        self.heard.append(used)
        return used < self.until


@pytest.mark.parametrize(("until", "seconds"), [(0.0, 1.0), (0.3, 1.0), (0.6, 1.8), (1.0, 3.0), (2.0, 3.0)])
def test_a_move_in_doubt_takes_as_long_as_the_doubt_lasts_up_to_the_longest_time(clock, until, seconds):
    search = Doubtful(clock, until, speed=20_000.0)
    began = clock.now
    search.run(Limits(seconds=1.0, longest=3.0))
    assert seconds <= clock.now - began <= seconds + 0.1
    assert search.heard[0] == pytest.approx(1 / 3, abs=0.02), "first asked when the usual time was over"


def test_nobody_asks_for_doubt_where_no_longer_time_is_allowed(clock):
    for limits in (Limits(seconds=1.0), Limits(playouts=500), Limits(seconds=1.0, longest=1.0), Limits(cpu=0.5)):
        search = Doubtful(clock, 2.0)
        search.run(limits)
        assert search.heard == []


def test_a_doubt_ends_with_the_other_limits_and_with_a_stop(clock):
    assert Doubtful(clock, 2.0).run(Limits(seconds=1.0, longest=1e6, playouts=5000)).playouts == 5000
    assert Doubtful(clock, 2.0, ends=5000).run(Limits(seconds=1.0, longest=1e6)).playouts == 5000
    clock.share = 0.5
    began = clock.now
    Doubtful(clock, 2.0).run(Limits(seconds=1.0, longest=1e6, cpu=1.5))
    assert clock.now - began == pytest.approx(3.0, abs=0.2)
    stopped = Doubtful(clock, 2.0)
    stopped.stop()
    assert stopped.run(Limits(seconds=1.0, longest=1e6)).playouts < 10**5


def test_no_limit_is_exceeded(clock):
    assert Unstable(clock, 1).run(Limits(playouts=100)).playouts == 100
    assert Unstable(clock, 1).run(Limits(playouts=100, seconds=1e6)).playouts == 100
    assert Unstable(clock, 1, extend=0.0).run(Limits(playouts=100)).playouts == 100


def test_what_is_finished_or_stopped_does_not_go_on(clock):
    assert Unstable(clock, 1, ends=50).run(Limits(seconds=3.0)).playouts == 50
    stopped = Unstable(clock, 1)
    stopped.stop()
    assert stopped.run(Limits(seconds=1e6)).playouts < 10**5


def test_the_clock_may_be_set_back(monkeypatch):
    """A search with a time limit and a match, while the clock of the day goes back by an hour whenever it is read."""
    hours = itertools.count()
    monkeypatch.setattr("time.time", lambda: 1e9 - 3600.0 * next(hours))
    analysis = tesuji.player("uct", memory=1).search("tictactoe").run(seconds=0.05)
    assert analysis.playouts > 0
    assert 0.05 <= analysis.seconds < 60.0
    assert len(tesuji.match("uct:playouts=3", "uct:playouts=5", game="tictactoe", games=2, workers=1).games) == 2
