"""A user's own game: 'path/to/file.py:name' as a Game.

The file is run as a module whose name depends on its contents alone and which stays in sys.modules: compiled code that
comes from the disk cache finds its functions by that name, and for equal contents the cache is shared. Before a game is
handed out, some random games are played in pure Python, so that one that raises, loops or contradicts itself is refused
in one line and not in the middle of a search.
"""

from __future__ import annotations

import contextlib
import dataclasses
import linecache
import random
import sys
import time
import types
from collections.abc import Iterator
from pathlib import Path

from tesuji.core import sources
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.sources import shown_path
from tesuji.core.watchdog import TimeUp, Watchdog
from tesuji.games.referee import Fault, Referee, error_text, raised_at, structure_faults

FORM = "a game of your own is path/to/file.py:name"
IMPORT_SECONDS = 20.0
TRIAL_GAMES = 20
TRIAL_SECONDS = 0.5  # for all trial games together; what is not played then is not played

_loaded: dict[Path, tuple[str, types.ModuleType]] = {}  # by file: the digest of its sources, and the module
_local: set[str] = set()  # names of modules that came from users' folders
_tried: set[tuple[Path, str, str]] = set()  # (file, digest, name) of games that passed the trial


def load_user_game(text: str, trial: bool = True) -> Game:
    """The game that 'path/to/file.py:name' names; a UserError in one line says what is wrong with it, where.

    Without the trial, which the checker does better, the game may be one that breaks its own rules.
    """
    path_text, colon, name = text.rpartition(":")
    if not colon or name.endswith(".py"):
        path_text, name = text, ""
    path = _existing_file(path_text)
    digest, module = _load(path)
    game = _pick(module, path_text, name)
    game = dataclasses.replace(game, name=text, source=str(path), title=game.title or game.name)
    if trial and (path, digest, name) not in _tried:
        with contextlib.redirect_stdout(sys.stderr), Watchdog() as watchdog:
            _try(game, watchdog)
        _tried.add((path, digest, name))
    return game


def _existing_file(text: str) -> Path:
    try:
        path = Path(text).expanduser().resolve()
        if path.suffix != ".py":
            raise UserError(f"{text!r} is not a Python file; {FORM}")
        if not path.exists():
            raise UserError(f"there is no file {text}; {FORM}")
        if not path.is_file():
            raise UserError(f"{text} is not a file; {FORM}")
    except (OSError, ValueError) as error:
        raise UserError(f"{text!r} cannot be opened: {error_text(error)}; {FORM}") from None
    return path


def _load(path: Path) -> tuple[str, types.ModuleType]:
    """The file's module, run anew only if it or what it imports from its folder has changed."""
    try:
        sources.mark_read(path)
        source = path.read_bytes()
        digest = sources.source_digest(str(path))
    except OSError as error:
        raise UserError(f"{shown_path(str(path))} cannot be read: {error.strerror or error}") from None
    if path in _loaded and _loaded[path][0] == digest:
        return _loaded[path]
    shown = shown_path(str(path))
    try:
        code = compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        raise UserError(f"{shown}:{error.lineno or 1}: not Python: {error.msg}") from None
    except ValueError as error:
        raise UserError(f"{shown} is not Python: {error}") from None
    name = f"tesuji_user_{digest[:16]}"
    module = types.ModuleType(name)
    module.__file__ = str(path)
    linecache.checkcache(str(path))
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        with _importing_from(path), Watchdog() as watchdog:
            watchdog.call(IMPORT_SECONDS, exec, code, module.__dict__)
    except BaseException as error:
        del sys.modules[name]
        if before is not None:
            sys.modules[name] = before
        if isinstance(error, KeyboardInterrupt):
            raise
        place = raised_at(error, str(path)) or shown
        if isinstance(error, TimeUp):
            raise UserError(f"{place}: the file does not end (stopped after {IMPORT_SECONDS:g} seconds)") from None
        what = str(error) if isinstance(error, UserError) else f"the file raises {error_text(error)}"
        raise UserError(f"{place}: {what}") from None
    _loaded[path] = digest, module
    return digest, module


@contextlib.contextmanager
def _importing_from(path: Path) -> Iterator[None]:
    """The file's folder first on sys.path; what it prints goes to stderr, and nothing is written into the folder.

    Modules that an earlier file got from its own folder are forgotten first: another folder's may have the same names.
    """
    for name in _local:
        sys.modules.pop(name, None)
    _local.clear()
    folder = str(path.parent)
    known = set(sys.modules)
    write_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, folder)
    sources.root_file = str(path)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sources.root_file = None
        with contextlib.suppress(ValueError):
            sys.path.remove(folder)
        sys.dont_write_bytecode = write_bytecode
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None)
            if file and path.parent in Path(file).parents and "site-packages" not in file:
                _local.add(name)


def _pick(module: types.ModuleType, path_text: str, name: str) -> Game:
    there = [key for key, value in vars(module).items() if isinstance(value, Game)]
    games = f"games in it: {', '.join(f'{path_text}:{key}' for key in there)}" if there else "there is no tesuji.Game in it"
    if not name:
        raise UserError(f"{path_text}: say which game of the file; {games}")
    if name not in vars(module):
        raise UserError(f"{path_text} has no {name!r}; {games}")
    value = vars(module)[name]
    if not isinstance(value, Game):
        raise UserError(f"{path_text}: {name!r} is of type {type(value).__name__}, not a tesuji.Game; {games}")
    return value


def _try(game: Game, watchdog: Watchdog) -> None:
    """Plays some random games; the first fault is raised with the way to learn more."""
    hint = f"`tesuji check {game.name}` says more"
    try:
        for fault in structure_faults(game):
            raise fault
        referee = Referee(game, watchdog)
        chance = random.Random(1)
        began = time.monotonic()
        for _ in range(TRIAL_GAMES):
            position = referee.start()
            referee.drawing(position)
            while not referee.is_over(position):
                if time.monotonic() - began > TRIAL_SECONDS:
                    return
                referee.check_length(position)
                referee.to_play(position)
                referee.bounds(position)
                referee.position_hash(position)
                legal = referee.moves(position)
                position = referee.play(position, chance.choice(legal))
            referee.outcome(position)
            referee.drawing(position)
    except Fault as fault:
        raise Fault(fault.kind, f"{game.name}: {fault}; {hint}") from None
