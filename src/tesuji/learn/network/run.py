"""A run in its folder: the games, the checkpoint, the network so far and the picture of how it learned.

    games         the moves of all games, written once
    checkpoint    everything that is needed to go on, written every half minute
    network       the network as it was last measured: a file that plays
    report.svg    the picture, drawn with it

Each file is there as a whole or not at all, so the run can be killed at any moment: it goes on from the last checkpoint.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.files import check_can_write, write_file
from tesuji.core.game import Game
from tesuji.knowledge.network.file import NETWORK_FILE, LearnedNetwork, game_word, save_network
from tesuji.learn.network import checkpoint, games
from tesuji.learn.network.checkpoint import RunProgress
from tesuji.learn.network.games import Games
from tesuji.learn.network.measures import Measure
from tesuji.learn.network.picture import PICTURE_FILE, picture
from tesuji.learn.network.samples import PositionSampler
from tesuji.learn.network.settings import LearningBudget, RunSettings, learning_rate

try:
    import fcntl
except ImportError:  # no such locks on this system: the user must not start two runs
    fcntl = None

SAVE_SECONDS = 30.0
MEASURES = 40  # in the whole budget, about
LEAST_MEASURE_SECONDS = 20.0
LEARN_FOR_MEASURE = 20.0  # no less time is spent on learning between two measures than that times what the last one took
SOME, MANY = 4000, 30_000  # positions to measure on: on the way, and at the end


def check_torch() -> None:
    if find_spec("torch") is None:
        how = "pip install torch (in a clone: make network)"
        raise UserError(f"learning a network needs PyTorch, which is not installed: {how}")


Show = Callable[["Run", LearningBudget], None]


class Stopped(Exception):
    """Somebody asked the run to stop."""


class Folder:
    """The files of a run."""

    def __init__(self, path: str):
        self.path = Path(path)
        self.games = self.path / "games"
        self.checkpoint = self.path / "checkpoint"
        self.network = self.path / "network"
        self.report = self.path / "report.svg"

    @property
    def has_run(self) -> bool:
        return self.checkpoint.exists()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Makes the folder, and keeps other processes from learning in it."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_RDONLY)
        except OSError as error:
            raise UserError(f"{self.path} cannot be used as the folder of a run: {error.strerror}") from None
        try:
            if fcntl is not None:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    raise UserError(f"{self.path}: another process is learning in this folder") from None
            yield
        finally:
            os.close(handle)

    def check(self) -> None:
        """Refuses a folder with files of these names that are something else, or that cannot be written to."""
        for path, kind in (
            (self.games, games.KIND),
            (self.checkpoint, checkpoint.KIND),
            (self.network, NETWORK_FILE),
            (self.report, PICTURE_FILE),
        ):
            check_can_write(path, kind)


class Run:
    """A network that is being learned."""

    def __init__(
        self, folder: Folder, game: Game, recorded: Games, settings: RunSettings, threads: int, note: Callable[[str], None]
    ):
        from tesuji.learn.network.training import Trainer

        self.folder, self.game, self.recorded, self.settings = folder, game, recorded, settings
        self._note = note
        encoding = games.network_game(game).encoding
        assert encoding is not None
        self.encoding = encoding
        self.trainer = Trainer(settings.shape(encoding), settings, threads)
        self.learned_from = PositionSampler(recorded, ~recorded.held_out)
        self.held_out = PositionSampler(recorded, recorded.held_out)
        self.progress = RunProgress()
        self._saved = time.monotonic()
        self._measure_after = self._saved + LEAST_MEASURE_SECONDS
        self._failed = False
        if folder.has_run:
            word, _, self.progress = checkpoint.load_head(folder.checkpoint)
            if word != game_word(game):
                raise UserError(f"{folder.path} holds a run for {word}, not for {game_word(game)}")
            self.trainer.restore(checkpoint.load_arrays(folder.checkpoint, self.trainer.sizes), self.progress.step)

    def begin_with(self, other: Folder) -> None:
        """Takes the weights of another run of this game; the network must have the same blocks and channels."""
        word, settings, _ = checkpoint.load_head(other.checkpoint)
        if word != game_word(self.game):
            raise UserError(f"{other.path} holds a run for {word}, not for {game_word(self.game)}")
        size, own = (settings.blocks, settings.channels), (self.settings.blocks, self.settings.channels)
        if size != own:
            raise UserError(f"{other.path} has a network of {size[0]} x {size[1]}, this run one of {own[0]} x {own[1]}")
        self.trainer.begin_with(checkpoint.load_arrays(other.checkpoint, self.trainer.sizes))

    def learn(self, budget: LearningBudget, show: Show, should_stop: Callable[[], bool]) -> bool:
        """Learns until the budget is used up, which is True, or until it should stop. Either way everything is saved."""
        progress = self.progress
        if not self.folder.has_run:
            self.save()
        next_measure = budget.share(progress.step, progress.seconds) + 1.0 / MEASURES
        try:
            while (share := budget.share(progress.step, progress.seconds)) < 1.0:
                if should_stop():
                    raise Stopped
                if share >= next_measure and time.monotonic() >= self._measure_after:
                    self.measure(SOME, should_stop)
                    next_measure = share + 1.0 / MEASURES
                self._step(learning_rate(self.settings, progress.step, share))
                if time.monotonic() - self._saved >= SAVE_SECONDS:
                    self._if_possible(self.save)
                show(self, budget)
            if not self._is_measured:
                self.measure(MANY, should_stop)
        except Stopped:
            self.save()
            return False
        self.save()
        self.write_results()
        return True

    @property
    def _is_measured(self) -> bool:
        """Whether the network as it is has been measured on as many positions as at the end."""
        rows = self.progress.rows
        return bool(rows) and rows[-1]["step"] == self.progress.step and rows[-1]["positions"] >= min(MANY, self.held_out.count)

    def _step(self, rate: float) -> None:
        progress, began = self.progress, time.monotonic()
        loss = self.trainer.step(self.learned_from, progress.step + 1, rate)
        progress.step += 1
        progress.samples += self.settings.batch
        progress.loss_sum += loss
        progress.loss_steps += 1
        progress.seconds += time.monotonic() - began

    def measure(self, most: int, should_stop: Callable[[], bool]) -> Measure:
        """Measures on that many positions of games held out, and writes the network and the picture."""

        def check() -> None:
            if should_stop():
                raise Stopped

        progress, began = self.progress, time.monotonic()
        result = self.trainer.measure(self.held_out, most, check)
        ended = time.monotonic()
        self._measure_after = ended + max(LEAST_MEASURE_SECONDS, LEARN_FOR_MEASURE * (ended - began))
        progress.rows.append(
            {
                "step": progress.step,
                "samples": progress.samples,
                "seconds": progress.seconds,
                "rate": self.trainer.rate,
                "loss": progress.loss_sum / max(1, progress.loss_steps),
                **result.as_json(),
            }
        )
        progress.loss_sum, progress.loss_steps = 0.0, 0
        self._if_possible(self.save, self.write_results)
        return result

    # -- files -------------------------------------------------------------------------------------------------------------
    def save(self) -> None:
        word = game_word(self.game)
        checkpoint.save_checkpoint(self.folder.checkpoint, word, self.settings, self.progress, self.trainer.arrays())
        self._saved = time.monotonic()

    def _if_possible(self, *actions: Callable[[], None]) -> None:
        """A full disk ends no run: what was saved before is still there, and in half a minute there may be room again."""
        try:
            for action in actions:
                action()
            self._failed = False
        except UserError as error:
            self._saved = time.monotonic()
            if not self._failed:
                self._note(f"{error}; learning goes on, and what was saved before is kept")
            self._failed = True

    def write_results(self) -> None:
        """Writes the network and the picture."""
        names, policy_planes = self.encoding.names, self.encoding.policy_planes
        learned = LearnedNetwork(game_word(self.game), names, policy_planes, self.trainer.network(), self.facts())
        save_network(self.folder.network, learned)
        if self.progress.rows:
            write_file(self.folder.report, picture(self.title, self.progress.rows).encode(), PICTURE_FILE)

    @property
    def title(self) -> str:
        size = f"{self.settings.blocks} x {self.settings.channels}"
        return f"{game_word(self.game)}: a network of {size} from {self.learned_games:,} games"

    @property
    def learned_games(self) -> int:
        return int((~self.recorded.held_out).sum())

    def facts(self) -> Mapping[str, Any]:
        """How the network was learned, for its file."""
        progress = self.progress
        last = {name: value for name, value in progress.rows[-1].items() if name != "calibration"} if progress.rows else {}
        return {
            "boards": sorted({f"{columns}x{rows}" for rows, columns, _ in self.held_out.shapes}),
            "games": self.learned_games,
            "held_out_games": self.recorded.count - self.learned_games,
            "learned_positions": self.learned_from.count,
            "steps": progress.step,
            "seconds": round(progress.seconds, 1),
            "settings": self.settings.as_json(),
            "measured": last,
        }
