"""`tesuji learn network`: what is written is what was learned; killed, it goes on; wrong input in one line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from importlib.util import find_spec

import numpy as np
import pytest
from network_games import random_game, random_games, write_records

from tesuji.cli.main import main
from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.knowledge.network.file import load_network_for
from tesuji.knowledge.network.forward import board_network, evaluate_network, network_room
from tesuji.learn.network import checkpoint
from tesuji.learn.network import run as run_module
from tesuji.learn.network.run import Folder, Run
from tesuji.learn.network.samples import PositionSampler
from tesuji.learn.network.settings import LearningBudget, RunSettings

# It is not loaded to collect tests: that takes a second in each process of them.
pytestmark = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed (make network)")
SMALL = ("--blocks", "2", "--channels", "8")


@pytest.fixture
def learn(capsys, tmp_path):
    """Runs the command on a folder of the test; returns the exit code, what is printed, and what is said on stderr."""

    def run(*words, folder=tmp_path / "run"):
        capsys.readouterr()
        code = main(["learn", "network", *map(str, words), "--run", str(folder)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture
def records(tmp_path):
    return write_records(tmp_path / "games.tsv", "tictactoe")


def refusal(answer):
    code, text, errors = answer
    assert (code, text, errors.count("\n")) == (2, "", 1) and errors.startswith("tesuji: "), answer
    return errors


# -- the network -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ("go:5", "loa", "connect4:5x4"))
def test_the_exported_network_says_what_the_model_says(name):
    """Both forward passes, after some steps so that nothing is at its start. On a board of another size, too."""
    from tesuji.learn.network.training import Trainer

    recorded = random_games(name, count=4)
    game = recorded.variants[0]
    settings = RunSettings(blocks=3, channels=6, batch=8, rate=0.01)
    trainer = Trainer(settings.shape(game.encoding), settings)
    samples = PositionSampler(recorded, np.ones(recorded.count, bool))
    for step in range(1, 5):
        trainer.step(samples, step, 0.01)
    network = trainer.network()
    for board in (name, "go:4") if name == "go:5" else (name,):
        agree(find_game(board), network, trainer.average)


def agree(game, network, model):
    import torch

    state = game.new_state()
    for move in random_game(game.name, 1).moves[:5]:
        rules.play(state, move)
    moves = np.array(game.legal_moves(state), np.int32)
    ready, priors = board_network(network, game.encoding), np.zeros(len(moves))
    value = evaluate_network(ready, network_room(ready, game.encoding), state, moves, len(moves), priors)
    planes = game.encoding.empty()
    rules.planes(state, planes)
    with torch.no_grad():
        logits, results = (part[0].double().numpy() for part in model.eval()(torch.from_numpy(planes[None])))
    chances = np.exp(logits[[rules.place(state, move) for move in moves]])
    results = np.exp(results)
    assert priors == pytest.approx(chances / chances.sum(), abs=1e-4)
    assert value == pytest.approx((results[0] + results[1] / 2) / results.sum(), abs=1e-4)


def test_learning_lowers_the_loss(learn, records, tmp_path):
    assert learn("tictactoe", records, *SMALL, "--batch", "32", "--rate", "0.01", "--steps", "5")[0] == 0
    code, text, errors = learn("tictactoe", "--steps", "200", "--json")
    facts = json.loads(text)
    assert (code, errors, facts["steps"], facts["samples"], facts["interrupted"]) == (0, "", 200, 6400, False)
    assert facts["learned_from"] + facts["held_out"] == facts["games"] == 30
    first, *_, last = checkpoint.load_head(tmp_path / "run" / "checkpoint")[2].rows  # there are more where it took long
    assert last["loss"] < first["loss"] - 0.1 and last["loss"] == pytest.approx(facts["loss"])
    learned = load_network_for(find_game("tictactoe"), tmp_path / "run" / "network")
    assert learned.learned["steps"] == 200 and learned.shape.blocks == 2
    assert (tmp_path / "run" / "report.svg").read_text().startswith("<svg")
    code, text, errors = learn("tictactoe", "--steps", "200")  # its end is reached
    assert (code, errors) == (0, "") and "6,400 samples in 200 steps" in text


# -- interruptions ---------------------------------------------------------------------------------------------------------
def run_of(folder, recorded, **settings):
    return Run(Folder(str(folder)), recorded.variants[0], recorded, RunSettings(2, 8, 8, **settings), 1, lambda text: None)


def test_a_run_that_was_stopped_ends_as_if_it_had_not_been(tmp_path):
    """On boards of two sizes."""
    recorded = random_games("go:4", "go:3", count=13)
    budget, networks = LearningBudget(steps=12), []
    for folder, stops in (("whole", ()), ("cut", (5, 9))):
        (tmp_path / folder).mkdir()
        for stop in (*stops, 100):
            run = run_of(tmp_path / folder, recorded)
            done = run.learn(budget, lambda _run, _budget: None, lambda run=run, stop=stop: run.progress.step >= stop)
            assert done == (stop == 100) and run.progress.step == min(stop, 12)
        networks.append(load_network_for(recorded.variants[0], tmp_path / folder / "network").network)
    assert all(np.array_equal(a, b) for a, b in zip(*networks, strict=True))


KILLED = """
import sys
from tesuji.learn.network import run
run.SAVE_SECONDS = 0.0
from tesuji.cli.main import main
main(sys.argv[1:])
"""


def test_a_killed_run_goes_on(learn, records, tmp_path):
    path = tmp_path / "run" / "checkpoint"
    words = ["learn", "network", "tictactoe", str(records), *SMALL, "--steps", "1000000", "--run", str(tmp_path / "run")]
    process = subprocess.Popen([sys.executable, "-c", KILLED, *words])
    try:
        end = time.monotonic() + 120
        while not path.exists() or checkpoint.load_head(path)[2].step < 3:
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.05)
        if sys.platform == "linux":
            assert "another process is learning" in refusal(learn("tictactoe"))
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    before = checkpoint.load_head(path)[2].step
    code, text, _ = learn("tictactoe", "--steps", str(before + 2), "--json")
    assert code == 0 and json.loads(text)["steps"] == before + 2 > 4


def test_a_full_disk_ends_no_run_and_loses_nothing(tmp_path, monkeypatch):
    recorded, told = random_games("tictactoe"), []
    run = run_of(tmp_path, recorded)
    run._note = told.append
    run.learn(LearningBudget(steps=2), lambda _run, _budget: None, lambda: False)
    whole = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(path, *_rest):
        raise UserError(f"{path} cannot be written: No space left on device")

    monkeypatch.setattr(run_module, "SAVE_SECONDS", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "write_sealed", full)
        with pytest.raises(UserError, match="No space left"):  # the end cannot be saved either
            run.learn(LearningBudget(steps=5), lambda _run, _budget: None, lambda: False)
    assert len(told) == 1 and "learning goes on" in told[0] and run.progress.step == 5
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == whole
    assert run.learn(LearningBudget(steps=5), lambda _run, _budget: None, lambda: False)  # there is room again


def test_a_run_may_begin_with_the_weights_of_another(learn, records, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    assert learn("tictactoe", records, *SMALL, "--steps", "3", folder=first)[0] == 0
    begin = ("--begin-with", first)
    other = learn("tictactoe", records, "--blocks", "3", "--channels", "8", *begin, folder=second)
    assert "of 2 x 8, this run one of 3 x 8" in refusal(other)
    assert learn("tictactoe", records, *SMALL, "--rate", "1e-7", "--steps", "1", *begin, folder=second)[0] == 0
    before, after = (load_network_for(find_game("tictactoe"), one / "network").network for one in (first, second))
    assert np.allclose(before.heads, after.heads, atol=1e-4) and np.abs(before.heads).max() > 0.1


# -- wrong input -----------------------------------------------------------------------------------------------------------
def test_without_pytorch_the_command_says_what_to_install(learn, records, monkeypatch, tmp_path):
    monkeypatch.setattr(run_module, "find_spec", lambda name: None)
    assert "pip install torch (in a clone: make network)" in refusal(learn("tictactoe", records))
    assert not (tmp_path / "run").exists()


def test_wrong_input(learn, records, tmp_path):
    assert "holds no run yet" in refusal(learn("tictactoe"))
    assert "does not say what a network sees" in refusal(learn("samegame", records))
    assert "batch=1 is out of range" in refusal(learn("tictactoe", records, "--batch", "1"))
    assert "'nan' is not a number" in refusal(learn("tictactoe", records, "--rate", "nan"))
    assert "rate=2.0 is out of range" in refusal(learn("tictactoe", records, "--rate", "2"))
    assert "cannot be used as the folder" in refusal(learn("tictactoe", records, folder=records))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "network").write_text("my notes")
    assert "not a network, so it is not overwritten" in refusal(learn("tictactoe", records, folder=tmp_path / "other"))
    assert not (tmp_path / "run" / "checkpoint").exists()


def test_a_run_of_another_game_or_with_other_settings_is_refused(learn, records, tmp_path):
    assert learn("tictactoe", records, *SMALL, "--steps", "1")[0] == 0
    assert "begun with --channels 8, not 16" in refusal(learn("tictactoe", "--channels", "16"))
    assert "games of tictactoe, not of connect4" in refusal(learn("connect4:5x4"))
    (tmp_path / "run" / "games").unlink()
    assert "are missing: start again in another folder" in refusal(learn("tictactoe", records))


def test_records_that_cannot_be_used_are_named_and_the_rest_is_learned_from(learn, records):
    with open(records, "a") as file:
        file.write("x\tB\t1 1 2\n")
    code, text, errors = learn("tictactoe", records, *SMALL, "--steps", "1", "--json")
    assert code == 0 and "left out" in errors and errors.count("\n") == 1
    assert json.loads(text)["games"] == 30 and len(json.loads(text)["refused"]) == 1
