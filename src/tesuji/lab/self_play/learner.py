"""The network that a run of self-play learns: from a window of games, between rounds of games.

Its checkpoint is the last good state. Where a loss or a weight is no number any more, learning goes back to it and on at half
the rate.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.knowledge.network.file import LearnedNetwork, game_word, load_network_for, save_network
from tesuji.lab.self_play.plan import SelfPlayPlan, Size
from tesuji.learn.network import checkpoint
from tesuji.learn.network.checkpoint import RunProgress
from tesuji.learn.network.games import games_of, network_game
from tesuji.learn.network.growth import begin_with_network, enlarged
from tesuji.learn.network.samples import PositionSampler
from tesuji.learn.network.settings import RunSettings
from tesuji.learn.network.training import Diverged, Trainer
from tesuji.learn.records import Collection, RecordedGame
from tesuji.learn.self_play import random_positions

SAVE_SECONDS = 30.0
MEASURED = 4000  # positions
WARM_UP_STEPS = 50  # in which the rate rises
MOST_HALVINGS = 20  # of the rate
RANDOM_POSITIONS = 256  # that the layers of a finished network are measured on


Keep = Callable[[Callable[[], None]], None]


def at_once(action: Callable[[], None]) -> None:
    action()


class Learner:
    """The trainer of a run, its checkpoint, and its rate."""

    def __init__(
        self, path: Path, game: Game, plan: SelfPlayPlan, threads: int, tell: Callable[[str], None], keep: Keep = at_once
    ):
        """`keep` does what writes a file, and knows what to do when the disk is full."""
        encoding = network_game(game).encoding
        assert encoding is not None
        self.path, self.game, self.plan, self.encoding, self.threads = path, game, plan, encoding, threads
        self.progress = RunProgress()
        self.halvings = 0
        self._tell, self._keep = tell, keep
        self._saved = time.monotonic()
        self.size = plan.size_at(0)
        if path.exists():
            self._load()
        else:
            self.trainer = self._new_trainer(self.settings)

    @property
    def settings(self) -> RunSettings:
        return self.plan.learning(self.size)

    @property
    def step(self) -> int:
        return self.progress.step

    def _new_trainer(self, settings: RunSettings) -> Trainer:
        return Trainer(settings.shape(self.encoding), settings, self.threads)

    # -- beginning ---------------------------------------------------------------------------------------------------
    def begin_with(self, path: str) -> None:
        """Takes the weights of another run, in a folder, or of a network in a file; it has the size of the first network."""
        source = Path(path)
        if not source.is_dir():
            learned = load_network_for(self.game, source)
            shape = self.settings.shape(self.encoding)
            if learned.shape != shape:
                theirs = f"{learned.shape.blocks}x{learned.shape.channels}"
                outputs = "" if learned.shape.outputs == shape.outputs else ", or it says more of a position"
                raise UserError(f"{path} is a network of {theirs}, this run begins with one of {self.size.text}{outputs}")
            begin_with_network(self.trainer, learned.network, random_positions(self.game, RANDOM_POSITIONS, self.plan.seed))
            return
        word, settings, _ = checkpoint.load_head(source / "checkpoint")
        if word != game_word(self.game):
            raise UserError(f"{path} holds a run for {word}, not for {game_word(self.game)}")
        theirs = f"{settings.blocks}x{settings.channels}"
        if theirs != self.size.text:
            raise UserError(f"{path} has a network of {theirs}, this run begins with one of {self.size.text}: --sizes {theirs}")
        self.trainer.begin_with(checkpoint.load_arrays(source / "checkpoint", self.trainer.sizes))

    # -- the checkpoint ----------------------------------------------------------------------------------------------
    def _load(self) -> None:
        word, settings, progress = checkpoint.load_head(self.path)
        if word != game_word(self.game):
            raise UserError(f"{self.path} is of a run for {word}, not for {game_word(self.game)}")
        self.size = Size(settings.blocks, settings.channels, 0)
        self.trainer = self._new_trainer(self.settings)
        self.trainer.restore(checkpoint.load_arrays(self.path, self.trainer.sizes), progress.step)
        self.progress = progress

    def save(self) -> None:
        """Writes the checkpoint; it never holds what is no number."""
        arrays = self.trainer.arrays()
        if not all(np.all(np.isfinite(array)) for array in arrays.values()):
            raise Diverged(self.step)
        word = game_word(self.game)
        self._keep(lambda: checkpoint.save_checkpoint(self.path, word, self.settings, self.progress, arrays))
        self._saved = time.monotonic()

    def save_network(self, path: Path, facts: dict[str, Any]) -> None:
        names, planes = self.encoding.names, self.encoding.policy_planes
        boards = [f"{self.encoding.columns}x{self.encoding.rows}"]
        facts = {"boards": boards, "self_play": True, "steps": self.step, **facts}
        learned = LearnedNetwork(game_word(self.game), names, planes, self.trainer.network(), facts)
        self._keep(lambda: save_network(path, learned))

    # -- learning ----------------------------------------------------------------------------------------------------
    def grow(self, games: int) -> None:
        """Makes the network as large as it is to be after so many games."""
        size = self.plan.size_at(games)
        if (size.blocks, size.channels) == (self.size.blocks, self.size.channels):
            return
        settings = self.plan.learning(size)
        trainer = enlarged(self.trainer, settings, settings.shape(self.encoding), self.step, self.threads)
        self._tell(f"the network grows from {self.size.text} to {size.text}")
        self.size, self.trainer = size, trainer
        self.save()

    def sampler(self, games: list[RecordedGame]) -> PositionSampler | None:
        """Positions of these games; None if they have none to learn from."""
        if not games:
            return None
        taken = games_of(self.game, Collection(list(games)), distinct=False)
        sampler = PositionSampler(taken, np.ones(taken.count, np.bool_), float(self.plan.settings["search_share"]))
        return sampler if sampler.count else None

    def measure(self, games: list[RecordedGame]) -> dict[str, Any]:
        """How well the network predicts games that it has not learned from."""
        sampler = self.sampler(games)
        return self.trainer.measure(sampler, MEASURED, lambda: None).as_json() if sampler is not None else {}

    def learn(self, sampler: PositionSampler, end: int, should_stop: Callable[[], bool], on_tick: Callable[[], None]) -> bool:
        """Learns up to the step `end`, which is True, or until it should stop. Everything is saved, where there is room."""
        while self.step < end and not should_stop():
            began = time.monotonic()
            try:
                loss = self.trainer.step(sampler, self.step + 1, self._rate())
                self.progress.step += 1
                self.progress.samples += self.settings.batch
                self.progress.loss_sum += loss
                self.progress.loss_steps += 1
                self.progress.seconds += max(0.0, time.monotonic() - began)
                if time.monotonic() - self._saved >= SAVE_SECONDS or self.step == end:
                    self.save()
            except Diverged as error:
                self._step_back(error)
            on_tick()
        if should_stop():
            self.save()
        return self.step >= end

    def _rate(self) -> float:
        rise = min(1.0, (self.step + 1) / WARM_UP_STEPS)
        return self.settings.rate * rise / (1 << self.halvings)

    def _step_back(self, error: Diverged) -> None:
        if self.halvings >= MOST_HALVINGS or not self.path.exists():
            raise error
        self.halvings += 1
        step = self.step
        self._load()
        self._tell(f"step {step + 1}: numbers overflowed; learning goes back to step {self.step}, at half the rate")
