"""`tesuji learn network GAME --self-play`: rounds of games, learning and matches; killed or out of room, no game is lost."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from importlib.util import find_spec

import numpy as np
import pytest

from tesuji.cli.main import main
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.knowledge.network.file import load_network_for
from tesuji.lab.self_play import run as run_module
from tesuji.lab.self_play.learner import Learner
from tesuji.lab.self_play.plan import make_plan, parse_sizes
from tesuji.lab.self_play.players import Players
from tesuji.lab.self_play.run import SelfPlayFolder, open_self_play
from tesuji.lab.self_play.standing import round_rows
from tesuji.lab.self_play.store import DONE, MATCH, Round, read_run
from tesuji.learn.network.training import Trainer

# It is not loaded to collect tests: that takes a second in each process of them.
pytestmark = [
    pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed (make network)"),
    pytest.mark.usefixtures("apart", "warm"),
]
GAME = find_game("tictactoe")
QUICK = {"round_games": "6", "quick_playouts": "3", "full_playouts": "8", "full_share": "0.5", "random_plies": "2"}
QUICK |= {"match_games": "2", "match_playouts": "4", "reuse": "20"}
SMALL = {"sizes": "1x4,2x6@12", "batch": 8}
WORDS = ("--sizes", "1x4,2x6@12", "--batch", "8", "--set", ",".join(f"{name}={value}" for name, value in QUICK.items()))


def plan(**values):
    return make_plan(GAME, None, SMALL, {**QUICK, **values})


def go_on(folder, until, told=None, **values):
    """Goes on with the run until `until(run)`; returns its rounds and its games."""
    tell = print if told is None else told.append
    with open_self_play(SelfPlayFolder(str(folder)), GAME, plan(**values), 1, 1, tell) as run:
        if not run.has_begun:
            run.begin([], None)
        run.run(1e9, lambda: until(run), lambda run: None)
        return run.rounds, games_of(run.store)


def games_of(store):
    return {number: one.moves for number, one in zip(range(10**6), store.games(GAME, 0, 10**6), strict=False)}


def is_past(rounds):
    return lambda run: len(run.rounds) > rounds


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run of two rounds that nothing disturbed: its folder, rounds and games."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESUJI_PURE", "1")
        return folder, *go_on(folder, is_past(2))


# -- what a run is -----------------------------------------------------------------------------------------------------------
def test_rounds_follow_one_another(whole):
    folder, rounds, games = whole
    assert [(one.first, one.end, one.phase) for one in rounds[:2]] == [(0, 6, DONE), (6, 12, DONE)]
    assert sorted(games) == list(range(len(games))) and len(games) >= 12
    assert [one.size for one in rounds[:2]] == ["1x4", "2x6"]  # it grows from game 12 on
    assert rounds[0].plays_out and rounds[1].best in (0, 1)
    assert 0 < sum(one.proven for one in rounds[:2]) <= sum(one.positions for one in rounds[:2])
    assert rounds[1].measured["positions"] == rounds[1].positions
    for number, (blocks, channels) in enumerate(((1, 4), (1, 4), (2, 6))):
        shape = load_network_for(GAME, folder / "networks" / f"{number:06d}.network").shape
        assert (shape.blocks, shape.channels) == (blocks, channels)
    assert (folder / "report.svg").read_text().startswith("<svg")
    rows = round_rows(rounds)
    assert rows[0]["match_games"] in (1, 2) and rows[0]["elo"] is not None
    assert all(one.best == 0 or rounds[one.best - 1].is_better for one in rounds)
    assert (folder / "network").exists() == any(one.is_better for one in rounds)


def test_the_same_seed_plays_the_same_games(whole, tmp_path):
    _, _, games = whole
    again = go_on(tmp_path / "run", lambda run: run.current.phase == MATCH)[1]
    assert again == {number: games[number] for number in again} and len(again) == 6


def test_exact_values_agree_with_who_can_win(whole):
    """Tic-tac-toe is searched through from every position with a proven value."""
    folder, _, _ = whole
    from tesuji.core import rules

    values = {}

    def value(state):
        """For player 0."""
        if rules.is_over(state):
            return int(rules.outcome(state))
        key = state.tobytes()
        if key not in values:
            results = []
            for move in GAME.legal_moves(state):
                after = state.copy()
                rules.play(after, move)
                results.append(value(after))
            values[key] = (max if rules.to_play(state) == 0 else min)(results)
        return values[key]

    checked = 0
    with open_self_play(SelfPlayFolder(str(folder)), GAME, plan(), 1, 1, print) as run:
        games = run.store.games(GAME, 0, 100)
    for one in games:
        state = GAME.new_state()
        for move, search in zip(one.moves, one.searches, strict=True):
            if search is not None and search.proven:
                sign = 1 if rules.to_play(state) == 0 else -1
                assert search.value == (1 + sign * value(state)) / 2
                for best, _share in search.shares:
                    after = state.copy()
                    rules.play(after, best)
                    assert value(after) == value(state)
                checked += 1
            rules.play(state, move)
        if one.outcome is not None:
            assert np.sign(one.outcome) == value(state) or not rules.is_over(state)
    assert checked > 5


def test_records_are_the_games_of_the_first_round(tmp_path, capsys):
    (tmp_path / "games.tsv").write_text("winner\tmoves\nb\ta1 b1 a2 b2 a3\nw\ta1 b1 c3 b2 a2 b3\nb\tb2 a1 a2 b1 c2\n")
    words = ("learn", "network", "tictactoe", "games.tsv", "--self-play", "--run", "run", *WORDS)
    assert main([*words, "--workers", "1", "--minutes", "0.0001"]) == 0
    with open_self_play(SelfPlayFolder("run"), GAME, plan(), 1, 1, print) as run:
        assert (run.current.first, run.current.end) == (0, 3) and len(run.store.games(GAME, 0, 9)) == 3
        assert run.store.counts(0, 9) == (3, 16, 0)  # every move teaches
    assert "the same command and a longer --minutes" in capsys.readouterr().out
    assert main([*words, "--workers", "1"]) == 2 and "holds a run already" in capsys.readouterr().err


def test_a_run_begins_with_a_network(whole, tmp_path):
    """In a file or in another run, and it then plays by what that expects, not by playouts."""
    folder, rounds, _ = whole
    planned = make_plan(GAME, None, {**SMALL, "sizes": "2x6"}, QUICK)
    last = folder / "networks" / f"{rounds[1].network:06d}.network"
    for number, source in enumerate((last, folder)):
        with open_self_play(SelfPlayFolder(str(tmp_path / str(number))), GAME, planned, 1, 1, print) as run:
            run.begin([], str(source))
            assert not run.current.plays_out
            first = load_network_for(GAME, run.folder.network_of(0)).network
        assert np.abs(first.heads).max() > 0.0
        if source == last:
            assert all(np.allclose(a, b, atol=1e-5) for a, b in zip(first, load_network_for(GAME, last).network, strict=True))
    with open_self_play(SelfPlayFolder(str(tmp_path / "wrong")), GAME, plan(), 1, 1, print) as run:
        for source in (last, folder):
            with pytest.raises(UserError, match="2x6, this run begins with one of 1x4"):
                run.begin([], str(source))


# -- what may go wrong ---------------------------------------------------------------------------------------------------------
KILLED = """
import os, sys
from tesuji.lab.self_play.store import RunStore
from tesuji.cli.main import main
add = RunStore.add_games
def logged(self, games):
    games = list(games)
    add(self, games)
    with open("played", "a") as log:
        log.write("".join(f"{number}\\n" for number, *_ in games))
RunStore.add_games = logged
main(sys.argv[1:])
"""


def test_a_run_that_is_killed_loses_no_game(whole, apart):
    """Whatever the moments: its games are those of a run that nobody disturbed, and each is there once."""
    _, _, expected = whole
    chance, log = random.Random(7), apart / "played"
    log.touch()
    words = ["learn", "network", "tictactoe", "--self-play", "--run", "run", "--workers", "1", "--threads", "1", *WORDS]
    for kill in range(2):
        wanted, end = min(11, len(log.read_text().split()) + chance.randint(2, 6)), time.monotonic() + 240
        process = subprocess.Popen([sys.executable, "-c", KILLED, *words], cwd=apart)
        try:
            while len(log.read_text().split()) < wanted:
                assert process.poll() is None and time.monotonic() < end
                time.sleep(0.01)
            if kill == 0 and sys.platform == "linux":
                with pytest.raises(UserError, match="another process is learning in this folder"):
                    go_on(apart / "run", is_past(0))
            time.sleep(chance.random() * 0.2)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        logged = [int(word) for word in log.read_text().split()]
        kept = read_games(apart / "run")
        assert len(logged) == len(set(logged)) and set(logged) <= set(kept) and len(kept) <= len(logged) + 1
    rounds, games = go_on(apart / "run", is_past(2))
    both = set(games) & set(expected)
    assert len(both) >= 12 and all(games[number] == expected[number] for number in both) and len(rounds) == 3


def read_games(folder):
    import sqlite3

    base = sqlite3.connect(f"file:{folder / 'run.db'}?mode=ro", uri=True)
    try:
        return [number for (number,) in base.execute("select number from games")]
    finally:
        base.close()


def test_a_full_disk_loses_no_game(apart, monkeypatch):
    """Games, a phase and a checkpoint that cannot be written wait until there is room."""
    monkeypatch.setattr(run_module, "FULL_SECONDS", 0.0)
    told, failures = [], []

    def full(function, share):
        chance = random.Random(1)

        def attempt(*words):
            if chance.random() < share and len(failures) < 40:
                failures.append(function.__name__)
                try:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                except OSError:
                    raise UserError("run.db cannot be written: No space left on device") from None
            return function(*words)

        return attempt

    from tesuji.lab.self_play.store import RunStore
    from tesuji.learn.network import checkpoint

    with monkeypatch.context() as patch:
        for owner, name in ((RunStore, "add_games"), (RunStore, "save_round"), (checkpoint, "save_checkpoint")):
            patch.setattr(owner, name, full(getattr(owner, name), 0.5))
        rounds, games = go_on("run", is_past(1), told)
    assert set(failures) == {"add_games", "save_round", "save_checkpoint"}
    assert sorted(games)[:6] == list(range(6)) and rounds[0].phase == DONE
    assert told and all("the run waits for room" in line for line in told if "No space" in line)


def test_other_errors_of_writing_end_the_run(apart, monkeypatch):
    from tesuji.lab.self_play.store import RunStore

    def refuse(*_words):
        raise UserError("run.db cannot be written: Permission denied")

    monkeypatch.setattr(RunStore, "add_games", refuse)
    with pytest.raises(UserError, match="Permission denied"):
        go_on("run", is_past(1))


def test_numbers_that_overflow_go_back_to_the_last_good_state(apart, monkeypatch):
    told, steps = [], []
    step = Trainer.step

    def spoilt(self, samples, number, rate):
        steps.append((number, rate))
        loss = step(self, samples, number, rate)
        if len(steps) == 3:
            import torch

            with torch.no_grad():
                self.model.value.weight[0, 0] = float("nan")  # the next loss is no number
        return loss

    monkeypatch.setattr(Trainer, "step", spoilt)
    with open_self_play(SelfPlayFolder("run"), GAME, plan(), 1, 1, told.append) as run:
        run.begin([], None)
        run.run(1e9, lambda: run.current.phase == MATCH, lambda run: None)
        assert run.learner.halvings == 1 and run.store.value("halvings", 0, 20) == 1
        assert all(np.isfinite(array).all() for array in run.learner.trainer.arrays().values())
    assert len(told) == 1 and "goes back to step 0, at half the rate" in told[0]
    numbers = [number for number, _ in steps]
    assert numbers[:5] == [1, 2, 3, 4, 1] and steps[4][1] == steps[0][1] / 2


def test_a_process_that_dies_costs_no_game(apart, whole):
    """Two processes, one of which is killed: the games are those of one process."""
    folder, _, expected = whole
    told, killed = [], []
    players = Players(2, told.append)
    from tesuji.lab.self_play.players import Work

    work = Work(plan().as_json(), "tictactoe", str(folder / "networks" / "000000.network"), True)
    played = {}

    def kill_one():
        if not killed and players._pool is not None and players._pool._processes:
            killed.append(next(iter(players._pool._processes)))
            os.kill(killed[0], signal.SIGKILL)

    def take(number, one):
        assert number not in played
        played[number] = one.moves

    try:
        players.play(work, range(6), lambda: False, take, kill_one)
    finally:
        players.close()
    assert played == {number: expected[number] for number in range(6)}
    assert killed and told == ["a process that plays has died; its game is played again"]


# -- wrong input ---------------------------------------------------------------------------------------------------------------
def refusal(capsys, *words):
    capsys.readouterr()
    code = main(["learn", "network", *map(str, words)])
    captured = capsys.readouterr()
    assert (code, captured.out, captured.err.count("\n")) == (2, "", 1), captured
    return captured.err


def test_wrong_input(apart, whole, capsys):
    folder = whole[0]
    own = ("--self-play", "--run", "new")
    assert "rules.planes" in refusal(capsys, "samegame", *own)
    assert "name a folder" in refusal(capsys, "tictactoe", "--self-play")
    assert "there is no parameter 'playouts'" in refusal(capsys, "tictactoe", *own, "--set", "playouts=3")
    assert "full_share=2 is not possible" in refusal(capsys, "tictactoe", *own, "--set", "full_share=2")
    assert "considered has no effect here" in refusal(capsys, "tictactoe", *own, "--set", "considered=3")
    assert "each is larger" in refusal(capsys, "tictactoe", *own, "--sizes", "2x8,1x8@9")
    assert "blocks=99 is out of range" in refusal(capsys, "tictactoe", *own, "--sizes", "99x8")
    assert "--blocks is for learning from records" in refusal(capsys, "tictactoe", *own, "--blocks", "3")
    assert "--sizes is for --self-play" in refusal(capsys, "tictactoe", "--run", "new", "--sizes", "1x4")
    assert "game: tictactoe there, connect4:4x4 here" in refusal(capsys, "connect4:4x4", "--self-play", "--run", folder)
    assert "reuse: 20 there, 3 here" in refusal(capsys, "tictactoe", "--self-play", "--run", folder, "--set", "reuse=3")
    assert "a comma or a plus" in refusal(capsys, "tictactoe", "--self-play", "--run", "a,b")
    assert "holds no run of self-play" in refusal(capsys, "nowhere", "--report")
    (apart / "records").mkdir()
    (apart / "records" / "checkpoint").write_text("x")
    assert "learns from records" in refusal(capsys, "tictactoe", "--self-play", "--run", "records")
    assert parse_sizes("2x8") and read_run(apart / "nothing") is None


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("update games set moves = '[1e400]', searches = '[]' where number = 1", "game 2 cannot be read"),
        ("update games set moves = '[99999999999]', searches = '[]' where number = 1", "game 2 cannot be read"),
        ("update games set moves = '[4,4]', searches = '[]'", "game 1, move 2: it, or a move visited there, is not legal"),
        ("update games set moves = '[1]', searches = '[[0.5,0,[[1,Infinity]]]]' where number = 1", "game 2 cannot be read"),
        ("update games set moves = '[1]', searches = '[[0.7,1,[[1,1]]]]' where number = 1", "game 2 cannot be read"),
        ("insert or replace into run values ('seconds', 'nan')", "its seconds cannot be read"),
        ("insert or replace into run values ('halvings', '1e300')", "its halvings cannot be read"),
    ],
)
def test_a_damaged_file_is_refused_in_one_line(statement, text, whole, apart):
    with copied(whole, apart) as base:
        base.execute(statement)
    with pytest.raises(UserError, match=text):
        go_on(apart / "copy", is_past(3))


@pytest.mark.parametrize(
    "changed",
    [{"best": 7}, {"size": "9"}, {"match": [3]}, {"match": {"a_wins": "many"}}, {"measured": 7}, {"seconds": {"play": "long"}}],
)
def test_a_round_that_cannot_be_is_refused(changed, whole, apart):
    with copied(whole, apart) as base:
        ((facts,),) = base.execute("select facts from rounds where number = 0")
        base.execute("update rounds set facts = ? where number = 0", (json.dumps(json.loads(facts) | changed),))
    with pytest.raises(UserError, match="its rounds cannot be read"):
        read_run(apart / "copy" / "run.db")


def test_a_report_on_a_damaged_file_is_refused(whole, apart, capsys):
    with copied(whole, apart) as base:
        base.execute("insert or replace into run values ('seconds', 'long')")
    assert "its seconds cannot be read" in refusal(capsys, apart / "copy", "--report")


@contextlib.contextmanager
def copied(whole, apart):
    """The file of a copy of the run, to be changed."""
    shutil.copytree(whole[0], apart / "copy")
    with contextlib.closing(sqlite3.connect(apart / "copy" / "run.db")) as base, base:
        yield base


def test_a_report_and_its_json(whole, capsys):
    folder, rounds, _ = whole
    assert main(["learn", "network", str(folder), "--report", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["game"] == "tictactoe" and len(facts["rounds"]) == len(rounds) and facts["rounds"][1]["top1"] is not None
    assert main(["learn", "network", str(folder), "--report"]) == 0
    assert "winner right" in capsys.readouterr().out


def test_what_is_infinite_is_null_in_the_file(apart):
    """JSON knows no Infinity, and a match that is won in every game has an infinite Elo."""

    def refuse(text):
        raise AssertionError(text)

    with open_self_play(SelfPlayFolder("run"), GAME, plan(), 1, 1, print) as run:
        run.begin([], None)
        run.store.save_round(Round(0, 0, 0, 6, match={"elo": np.inf, "elo_interval": (-np.inf, 1.0), "games": 2}))
    with contextlib.closing(sqlite3.connect("run/run.db")) as base:
        facts = json.loads(base.execute("select facts from rounds").fetchone()[0], parse_constant=refuse)
    assert facts["match"] == {"elo": None, "elo_interval": [None, 1.0], "games": 2}


def test_without_a_search_to_learn_from_the_learner_has_no_positions(tmp_path):
    learner = Learner(tmp_path / "checkpoint", GAME, plan(), 1, print)
    assert learner.sampler([]) is None
